//! Reader of the known answers, format 1 of `tests/vectors/README.md`.
//!
//! Strict: a vector that is skipped because it was not understood is a test that never runs.

use std::collections::{BTreeMap, BTreeSet};

use super::bytes::unhex;

/// The first line of every file.
const HEAD: &str = "# qcrypto test vectors, format 1 (see README.md)";

/// The kinds read here: name, fields that must be there, fields that may be there. `id` and `kind` always are.
const KINDS: [(&str, &[&str], &[&str]); 10] = [
    ("cipher", &["alg", "mode", "key", "pt", "ct"], &["iv", "seqno", "flags"]),
    ("iterate", &["alg", "mode", "iterations", "key", "pt", "ct"], &["flags"]),
    ("mct", &["alg", "mode", "dir", "key", "pt", "ct"], &["iv"]),
    ("hash", &["alg", "msg", "md"], &[]),
    ("monte", &["alg", "seed", "count", "md"], &[]),
    ("hmac", &["alg", "key", "msg", "mac", "result"], &["flags"]),
    ("pbkdf2", &["alg", "password", "salt", "iterations", "dk"], &["flags"]),
    ("ivgen", &["ivgen", "sector", "iv"], &["cipher", "hash", "key", "flags"]),
    (
        "chain",
        &[
            "alg",
            "mode",
            "ivgen",
            "key",
            "iv-first",
            "iv-step",
            "sector-size",
            "length",
            "ct-sha256",
        ],
        &[],
    ),
    ("afsplit", &["alg", "stripes", "key", "split"], &["flags"]),
];

const FLAGS: [&str; 13] = [
    "partial",
    "equal-xts-keys",
    "iv-zero-extended",
    "weak-key",
    "degenerate-3des",
    "short-key",
    "counter-wrap",
    "counter-carry32",
    "counter-carry64",
    "slow",
    "truncated",
    "hash-longer-than-key",
    "partial-digest",
];

/// One known answer.
#[derive(Clone, Default)]
pub struct Record {
    fields: BTreeMap<String, String>,
}

impl Record {
    pub fn text(&self, name: &str) -> Result<&str, String> {
        self.fields.get(name).map(String::as_str).ok_or_else(|| format!("no field {name}"))
    }

    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, String> {
        unhex(self.text(name)?).ok_or_else(|| format!("{name} is not lower-case hex"))
    }

    pub fn number(&self, name: &str) -> Result<u64, String> {
        self.text(name)?.parse().map_err(|error| format!("{name}: {error}"))
    }

    pub fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    pub fn flag(&self, flag: &str) -> bool {
        self.flags().any(|found| found == flag)
    }

    fn flags(&self) -> impl Iterator<Item = &str> {
        self.fields.get("flags").into_iter().flat_map(|flags| flags.split(' '))
    }

    /// The same record with another value in a field, for controls.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut record = self.clone();
        record.fields.insert(name.into(), value.into());
        record
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let (name, rest) = line.split_once(" =").ok_or("neither empty, comment nor field")?;
        let value = match rest.strip_prefix(' ') {
            None if rest.is_empty() => "",
            Some(value) if !value.is_empty() && !value.starts_with(' ') => value,
            _ => return Err(format!("{name}: no single space before its value")),
        };
        let well_formed = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !well_formed {
            return Err(format!("{name:?} is no field name"));
        }
        if self.fields.insert(name.into(), value.into()).is_some() {
            return Err(format!("a second {name}"));
        }
        Ok(())
    }

    /// Whether its fields are those of its kind and its flags are known.
    fn check(&self) -> Result<(), String> {
        let kind = self.text("kind")?;
        let (_, required, optional) = *KINDS
            .iter()
            .find(|(name, ..)| *name == kind)
            .ok_or_else(|| format!("unknown kind {kind}"))?;
        for name in ["id"].iter().chain(required) {
            self.text(name)?;
        }
        for name in self.fields.keys().map(String::as_str) {
            if !["id", "kind"].contains(&name)
                && !required.contains(&name)
                && !optional.contains(&name)
            {
                return Err(format!("unknown field {name}"));
            }
        }
        self.flags()
            .find(|flag| !FLAGS.contains(flag))
            .map_or(Ok(()), |flag| Err(format!("unknown flag {flag}")))
    }
}

/// The records of a file, which says at its head how many there are.
pub fn parse(text: &str) -> Result<Vec<Record>, String> {
    let text = text.strip_suffix('\n').ok_or("no newline at the end")?;
    if text.lines().next() != Some(HEAD) {
        return Err("not format 1".into());
    }
    let mut counts = Vec::new();
    let mut records: Vec<Record> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut open = Record::default();
    // One empty line more ends the last record.
    for (number, line) in text.split('\n').chain([""]).enumerate() {
        let place = |problem: String| format!("line {}: {problem}", number + 1);
        if line.contains('\r') || !line.is_ascii() {
            return Err(place("not plain ASCII with LF line ends".into()));
        }
        if let Some(comment) = line.strip_prefix('#') {
            if !records.is_empty() || !open.fields.is_empty() {
                return Err(place("a comment past the head".into()));
            }
            counts.extend(comment.strip_prefix(" records: ").map(str::to_owned));
        } else if !line.is_empty() {
            open.add(line).map_err(place)?;
        } else if !open.fields.is_empty() {
            open.check().map_err(place)?;
            if !ids.insert(open.text("id")?.to_owned()) {
                return Err(place(format!("a second {}", open.text("id")?)));
            }
            records.push(std::mem::take(&mut open));
        }
    }
    if counts != [records.len().to_string()] {
        return Err(format!("{} records, but the head says {counts:?}", records.len()));
    }
    Ok(records)
}

/// The records of a file of `tests/vectors`.
pub fn read(path: &str) -> Vec<Record> {
    let text = super::read(&format!("tests/vectors/{path}"));
    assert!(text.contains(&format!("\n# file: {path}\n")), "{path} is another file");
    parse(&text).unwrap_or_else(|problem| panic!("{path}: {problem}"))
}
