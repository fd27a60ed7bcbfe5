//! Generates `COMPATIBILITY.md`, so that it says what is and not what was once meant.
//!
//! `abi/qemu-api.txt` lists QEMU's functions, `abi/libqcrypto.symbols` those that are here, the library says which
//! algorithms it has. The words are in `common/compatibility-template.md`.

mod common;

use std::collections::BTreeSet;
use std::fmt::Write;

use common::backends::LIBRARIES;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::cipher::Cipher;

/// QEMU's headers that will not come.
const OUT_OF_SCOPE: [&str; 1] = ["crypto/akcipher.h"];

/// Functions that no backend serves: they answer from tables or ask the kernel.
const NO_BACKEND: [&str; 10] = [
    "qcrypto_cipher_get_block_len",
    "qcrypto_cipher_get_key_len",
    "qcrypto_cipher_get_iv_len",
    "qcrypto_hash_digest_len",
    "qcrypto_init",
    "qcrypto_ivgen_get_algorithm",
    "qcrypto_ivgen_get_cipher",
    "qcrypto_ivgen_get_hash",
    "qcrypto_random_bytes",
    "qcrypto_random_init",
];

/// What an extension is for. One that is exported and not here fails the test.
const EXTENSIONS: [(&str, &str); 8] = [
    ("qcrypto_cipher_decrypt_sectors", "a run of sectors in one call, from any number of threads"),
    ("qcrypto_cipher_encrypt_sectors", "a run of sectors in one call, from any number of threads"),
    ("qcrypto_cipher_get_backend", "what serves an object, down to the kernel"),
    ("qcrypto_cipher_new_with", "an object on one backend or not at all"),
    ("qcrypto_list_backends", "what there is to choose from, and why not"),
    ("qcrypto_set_backends", "which backends serve, and in which order"),
    ("qcrypto_version", "the version of the library at run time"),
    ("qcrypto_xts_crypt", "XTS over functions of the caller's; what `crypto/xts.h` is made of"),
];

/// A function of QEMU and the header it is in.
struct Function<'a> {
    header: &'a str,
    symbol: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Done,
    Planned,
    NotInScope,
}

impl Function<'_> {
    fn status(&self, exported: &BTreeSet<&str>) -> Status {
        if exported.contains(self.symbol) {
            Status::Done
        } else if OUT_OF_SCOPE.contains(&self.header) {
            Status::NotInScope
        } else {
            Status::Planned
        }
    }
}

/// A line a function: its header, a space, its name.
fn qemu_functions(text: &str) -> Vec<Function<'_>> {
    let functions: Vec<_> = text
        .lines()
        .map(|line| line.split_once(' ').expect("a header and a symbol"))
        .map(|(header, symbol)| Function { header, symbol })
        .collect();
    let names: BTreeSet<_> = functions.iter().map(|function| function.symbol).collect();
    assert_eq!(names.len(), functions.len(), "a function is listed twice");
    assert!(names.iter().all(|name| name.starts_with("qcrypto_")), "{names:?}");
    functions
}

/// The whole document.
fn document(template: &str, qemu: &str, symbols: &str, old_names: &str) -> String {
    let qemu = qemu_functions(qemu);
    let exported: BTreeSet<_> = symbols.lines().collect();
    let parts = [
        ("summary", summary(&qemu, &exported)),
        ("functions", function_table(&qemu, &exported)),
        ("error_functions", error_functions(&exported)),
        ("extensions", extension_table(&qemu, &exported)),
        ("algorithms", algorithm_table()),
        ("old_names", old_name_table(old_names)),
    ];
    let text = parts.iter().fold(template.to_owned(), |text, (name, part)| {
        let mark = format!("{{{{{name}}}}}");
        assert_eq!(text.matches(&mark).count(), 1, "{mark} in the template");
        text.replace(&mark, part.trim_end())
    });
    assert!(!text.contains("{{"), "the template has a mark that nothing fills");
    text
}

fn summary(qemu: &[Function<'_>], exported: &BTreeSet<&str>) -> String {
    let count = |status| qemu.iter().filter(|f| f.status(exported) == status).count();
    format!(
        "{} of QEMU's {} functions are done, {} are planned, {} are not in scope.",
        count(Status::Done),
        qemu.len(),
        count(Status::Planned),
        count(Status::NotInScope)
    )
}

fn function_table(qemu: &[Function<'_>], exported: &BTreeSet<&str>) -> String {
    let backends = [&["native"], &LIBRARIES[..]].concat().join(", ");
    let mut table =
        "| header | function | status | served by |\n| --- | --- | --- | --- |\n".to_owned();
    for function in qemu {
        let (status, served) = match function.status(exported) {
            Status::Done if NO_BACKEND.contains(&function.symbol) => ("done", "every build"),
            Status::Done => ("done", backends.as_str()),
            Status::Planned => ("planned", ""),
            Status::NotInScope => ("not in scope", ""),
        };
        let Function { header, symbol } = function;
        writeln!(table, "| `{header}` | `{symbol}` | {status} | {served} |").expect("a string");
    }
    table
}

fn error_functions(exported: &BTreeSet<&str>) -> String {
    let is_function = |name: &&&str| {
        (name.starts_with("error_") || name.starts_with("warn_"))
            && !["error_abort", "error_fatal"].contains(name)
    };
    exported.iter().filter(is_function).count().to_string()
}

fn extension_table(qemu: &[Function<'_>], exported: &BTreeSet<&str>) -> String {
    let known: BTreeSet<_> = qemu.iter().map(|function| function.symbol).collect();
    let mut table = "| function | for |\n| --- | --- |\n".to_owned();
    for symbol in exported.difference(&known).filter(|name| name.starts_with("qcrypto_")) {
        let (_, purpose) = EXTENSIONS
            .iter()
            .find(|(name, _)| name == symbol)
            .unwrap_or_else(|| panic!("{symbol} is neither QEMU's nor in EXTENSIONS"));
        writeln!(table, "| `{symbol}` | {purpose} |").expect("a string");
    }
    table
}

fn algorithm_table() -> String {
    let modes = CipherMode::ALL.map(CipherMode::name);
    let mut table = format!(
        "| algorithm | key | block | {} |\n| --- | --- | --- |{}\n",
        modes.join(" | "),
        " --- |".repeat(modes.len())
    );
    for algorithm in CipherAlgorithm::ALL {
        let served: Vec<_> = CipherMode::ALL
            .into_iter()
            .map(|mode| backend(algorithm, mode).unwrap_or_else(|| "-".into()))
            .collect();
        let (name, key_len) = (algorithm.name(), algorithm.key_len());
        let block_len = algorithm.block_len();
        writeln!(table, "| {name} | {key_len} | {block_len} | {} |", served.join(" | "))
            .expect("a string");
    }
    table
}

/// Which backend serves a pair. Its kernel, after the slash, depends on the machine.
fn backend(algorithm: CipherAlgorithm, mode: CipherMode) -> Option<String> {
    if !Cipher::supports(algorithm, mode) {
        return None;
    }
    let cipher =
        common::calls::new(algorithm, mode, &vec![0; common::calls::key_len(algorithm, mode)]);
    let name = cipher.backend().to_str().expect("UTF-8");
    Some(name.split('/').next().expect("never empty").to_owned())
}

fn old_name_table(header: &str) -> String {
    let mut table = "| before 9.2 | today |\n| --- | --- |\n".to_owned();
    for line in header.lines() {
        if let ["#define", old, today] = line.split(' ').collect::<Vec<_>>()[..] {
            writeln!(table, "| `{old}` | `{today}` |").expect("a string");
        }
    }
    table
}

/// The document of the files that are there.
fn of_today(symbols: &str) -> String {
    document(
        &common::read("tests/common/compatibility-template.md"),
        &common::read("abi/qemu-api.txt"),
        symbols,
        &common::read("include/qapi/qcrypto-old-names.h"),
    )
}

#[test]
fn compatibility_is_up_to_date() {
    common::expect_file("COMPATIBILITY.md", &of_today(&common::read("abi/libqcrypto.symbols")));
}

/// What the words say is there is there.
#[test]
fn the_words_are_still_true() {
    let template = common::read("tests/common/compatibility-template.md");
    let lookup = common::read("include/qapi/qcrypto-lookup.h");
    for name in ["QCryptoCipherAlgo_str", "QCryptoCipherAlgo_lookup"] {
        assert!(template.contains(name) && lookup.contains(name), "{name}");
    }
    for name in ["xts_encrypt", "xts_decrypt"] {
        assert!(
            template.contains(name) && common::read("include/crypto/xts.h").contains(name),
            "{name}"
        );
    }
}

/// QEMU's headers have this many functions; a line lost from the list would hide a promise.
#[test]
fn the_list_of_functions_is_whole() {
    let text = common::read("abi/qemu-api.txt");
    let functions = qemu_functions(&text);
    let headers = [
        ("init", 1),
        ("random", 2),
        ("cipher", 9),
        ("hash", 15),
        ("hmac", 7),
        ("pbkdf", 3),
        ("ivgen", 6),
        ("afsplit", 2),
        ("block", 14),
        ("akcipher", 12),
    ];
    for (header, count) in headers {
        let header = format!("crypto/{header}.h");
        let found = functions.iter().filter(|function| function.header == header).count();
        assert_eq!(found, count, "{header}");
    }
    assert_eq!(functions.len(), headers.iter().map(|(_, count)| count).sum::<usize>());
}

/// Control: the document follows the list of exports, and refuses one that nobody explained.
#[test]
fn the_document_follows_the_exports() {
    let symbols = common::read("abi/libqcrypto.symbols");
    let today = of_today(&symbols);
    let row = |status| format!("| `crypto/cipher.h` | `qcrypto_cipher_setiv` | {status} |");
    assert!(today.contains(&row("done")));

    let without = of_today(&symbols.replace("qcrypto_cipher_setiv\n", ""));
    assert!(without.contains(&row("planned")));
    assert!(today.contains("| `crypto/akcipher.h` | `qcrypto_akcipher_new` | not in scope |"));

    let unexplained = format!("{symbols}qcrypto_zzz\n");
    assert!(std::panic::catch_unwind(|| of_today(&unexplained)).is_err());
    assert!(
        std::panic::catch_unwind(|| document("", "", "", "")).is_err(),
        "a template of no marks"
    );
}
