//! `qcrypto-bench pbkdf`: iterations of PBKDF2 a second, by hash and length of the key. It is what unlocking a disk
//! takes, or would take whoever guesses.

use serde::Serialize;

use crate::algorithm::{Hash, Named};
use crate::buffer::sample;
use crate::cli::{Extra, Options};
use crate::contest::Outcome;
use crate::hash::hashes;
use crate::peers::{Derivation, Family, Implementation, Refusal};
use crate::report::{self, Figure};
use crate::select::Words;
use crate::tournament::Discipline;

/// One digest of SHA-1, one of SHA-256, and two of that: the keys of AES-256-XTS.
const DEFAULT_KEY_LENS: [usize; 3] = [20, 32, 64];

/// More is not a key.
const LARGEST_KEY: u64 = 1024;

const PASSWORD_LEN: usize = 20;

/// That of a LUKS key slot.
const SALT_LEN: usize = 32;

/// Which case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Label {
    algorithm: &'static str,
    key_len: usize,
}

impl report::Label for Label {
    fn table(&self) -> String {
        format!("pbkdf2({})", self.algorithm)
    }

    fn column(&self) -> String {
        format!("{} bytes", self.key_len)
    }

    fn line(&self) -> String {
        format!("{} key {} bytes", self.table(), self.key_len)
    }
}

pub(crate) struct Keys {
    hashes: Vec<Hash>,
    key_lens: Vec<usize>,
    iterations: u64,
}

impl Keys {
    pub(crate) fn new(options: &Options, filters: &[String]) -> Result<Self, String> {
        let mut words = Words::new(filters);
        let hashes = hashes(&mut words, options)?;
        let mut key_lens = words.lengths("keys", LARGEST_KEY)?;
        if key_lens.is_empty() {
            key_lens = DEFAULT_KEY_LENS.to_vec();
        }
        words.end(&format!("a hash ({}) nor a key's length", Hash::names()))?;
        Ok(Self { hashes, key_lens, iterations: options.iterations() })
    }
}

impl Discipline for Keys {
    type Subject = Hash;
    /// The key's length.
    type Event = usize;
    type Engine = dyn Derivation;
    type Label = Label;

    const FAMILY: Family = Family::Hashes;
    const EXTRAS: &'static [Extra] = &[Extra::Iterations];

    fn figure(&self) -> Figure {
        Figure {
            kind: "pbkdf",
            unit: "iterations/s",
            plain_unit: "iterations/sec",
            terms: vec![
                format!("{} iterations a case", self.iterations),
                format!("a password of {PASSWORD_LEN} and a salt of {SALT_LEN} bytes"),
            ],
        }
    }

    fn cases(&self) -> Vec<(Hash, usize)> {
        self.hashes.iter().flat_map(|hash| self.key_lens.iter().map(|len| (*hash, *len))).collect()
    }

    fn label(&self, hash: Hash, key_len: usize) -> Label {
        Label { algorithm: hash.name(), key_len }
    }

    fn calls(&self, _key_len: usize) -> u64 {
        self.iterations
    }

    fn open(
        &self,
        implementation: &Implementation,
        hash: Hash,
    ) -> Result<Box<Self::Engine>, Refusal> {
        implementation.library().pbkdf2(hash)
    }

    fn output(
        &self,
        engine: &mut Self::Engine,
        _hash: Hash,
        key_len: usize,
    ) -> Result<Vec<u8>, Outcome> {
        let mut keys = Vec::new();
        for iterations in [1, 2, 100] {
            let mut key = vec![0; key_len];
            let derived =
                engine.derive(&sample(PASSWORD_LEN, 4), &sample(SALT_LEN, 5), iterations, &mut key);
            derived.map_err(|reason| Outcome::Failed {
                reason: format!("{iterations} iterations: {reason}"),
            })?;
            keys.extend(key);
        }
        Ok(keys)
    }

    /// An iteration is what counts as a call, so a slice is one key, derived with as many iterations as are its share.
    fn work(
        &self,
        _hash: Hash,
        key_len: usize,
    ) -> impl FnMut(&mut Self::Engine, u64) -> Result<(), String> {
        let (password, salt) = (sample(PASSWORD_LEN, 4), sample(SALT_LEN, 5));
        let mut key = vec![0; key_len];
        move |engine, iterations| engine.derive(&password, &salt, iterations, &mut key)
    }

    fn value(&self, _key_len: usize, seconds: f64) -> f64 {
        1.0 / seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(line: &str) -> Result<Keys, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Keys::new(&Options::default(), &words)
    }

    #[test]
    fn filters() {
        let default = keys("").unwrap();
        assert_eq!(
            (&default.hashes[..], &default.key_lens[..]),
            (Hash::DEFAULT, &[20, 32, 64][..])
        );
        let chosen = keys("64 sm3 16 md5").unwrap();
        assert_eq!(
            chosen.cases(),
            [(Hash::Md5, 16), (Hash::Md5, 64), (Hash::Sm3, 16), (Hash::Sm3, 64)]
        );
        for line in ["0", "2K", "xts", "aes-128"] {
            assert!(keys(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_call_is_an_iteration() {
        assert_eq!(keys("").unwrap().value(32, 0.5e-6), 2e6);
    }
}
