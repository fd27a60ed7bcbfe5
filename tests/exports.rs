//! `abi/libqcrypto.symbols`, the names that the libraries export, against the headers that declare them.
//!
//! That the built libraries export these and nothing else is a test of the build, where the libraries are.

mod common;

use std::collections::BTreeSet;

/// Which header declares the names that begin so.
const HEADERS: [(&str, &[&str]); 2] =
    [("include/qcrypto.h", &["qcrypto_"]), ("include/qapi/error.h", &["error_", "warn_"])];

/// The functions and objects that a header declares: the word before each outermost parenthesis or semicolon, if it
/// begins as asked.
fn declared<'a>(header: &'a str, prefixes: &[&str]) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    let mut in_comment = false;
    let mut in_macro = false;
    for line in header.lines() {
        let skipped = in_comment || in_macro || line.starts_with('#');
        in_macro = line.ends_with('\\') && (in_macro || line.starts_with('#'));
        in_comment = (in_comment || line.trim_start().starts_with("/*")) && !line.ends_with("*/");
        if skipped || in_comment || line.ends_with("*/") {
            continue;
        }
        let declaration = match line.split_once('(') {
            Some((declaration, _)) => declaration,
            None if line.starts_with("extern ") => line.trim_end_matches(';'),
            None => continue,
        };
        let name = declaration.rsplit([' ', '*']).next().expect("never empty");
        if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            names.insert(name);
        }
    }
    names
}

/// What is wrong with a list of symbols, given the text of each header.
fn faults(symbols: &str, headers: &[(&str, &[&str])]) -> Vec<String> {
    let symbols: Vec<_> = symbols.lines().collect();
    let mut faults = Vec::new();
    for pair in symbols.windows(2) {
        if pair[0] >= pair[1] {
            faults.push(format!("{} does not come before {}", pair[0], pair[1]));
        }
    }
    let declared: BTreeSet<_> =
        headers.iter().flat_map(|(text, prefixes)| declared(text, prefixes)).collect();
    let listed: BTreeSet<_> = symbols.into_iter().collect();
    faults.extend(listed.difference(&declared).map(|name| format!("{name} is in no header")));
    faults.extend(declared.difference(&listed).map(|name| format!("{name} is not exported")));
    faults
}

#[test]
fn the_list_is_sorted_and_says_what_the_headers_say() {
    let texts = HEADERS.map(|(header, prefixes)| (common::read(header), prefixes));
    let headers = texts.each_ref().map(|(text, prefixes)| (text.as_str(), *prefixes));
    let faults = faults(&common::read("abi/libqcrypto.symbols"), &headers);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Control: names on one side alone, and a list out of order, are reported.
#[test]
fn differences_are_reported() {
    let error = "/* error_old(): gone */\n#define error_setg(errp, ...) \\\n    error_setg_internal(errp)\n\
                 extern Error *error_abort;\nvoid error_setg_internal(Error **errp,\n    int x) PRINTF(5, 6);\n\
                 /*\n * error_text(void)\n */\nconst char *error_get_pretty(const Error *err);\n";
    let ours = "struct QCryptoCipher *qcrypto_cipher_new(QCryptoCipherAlgo alg,\n    int x);\n";
    let headers: [(&str, &[&str]); 2] = [(ours, &["qcrypto_"]), (error, &["error_", "warn_"])];
    let right = "error_abort\nerror_get_pretty\nerror_setg_internal\nqcrypto_cipher_new\n";
    assert_eq!(faults(right, &headers), [""; 0]);

    let wrong = [
        (right.replace("error_abort\n", ""), "error_abort is not exported"),
        (right.replace("cipher_new", "cipher_free"), "qcrypto_cipher_new is not exported"),
        (format!("{right}qcrypto_hidden\n"), "qcrypto_hidden is in no header"),
        (format!("{right}rust_eh_personality\n"), "rust_eh_personality is in no header"),
        (format!("{right}error_abort\n"), "qcrypto_cipher_new does not come before error_abort"),
        (format!("{right}qcrypto_cipher_new\n"), "does not come before qcrypto_cipher_new"),
    ];
    for (symbols, report) in wrong {
        let found = faults(&symbols, &headers);
        assert!(found.iter().any(|fault| fault.contains(report)), "{report}: {found:?}");
    }
}

/// What a symbol stands in besides the list and the headers.
struct Documents {
    qemu: String,
    compatibility: String,
    changelog: String,
    debian: String,
}

impl Documents {
    fn of_today() -> Self {
        Self {
            qemu: common::read("abi/qemu-api.txt"),
            compatibility: common::read("COMPATIBILITY.md"),
            changelog: common::read("CHANGELOG.md"),
            debian: common::read("debian/libqcrypto0.symbols"),
        }
    }

    /// What the changelog calls a symbol: QEMU's functions by their header, which came whole, all else by name.
    fn changelog_name(&self, symbol: &str) -> String {
        let header = self.qemu.lines().find_map(|line| line.strip_suffix(&format!(" {symbol}")));
        match header {
            Some(header) => format!("`{header}`"),
            None if !symbol.starts_with("qcrypto_") => "`qapi/error.h`".to_owned(),
            None => format!("`{symbol}()`"),
        }
    }

    /// What is missing about the symbols of a list.
    fn faults(&self, symbols: &str) -> Vec<String> {
        let mut faults = Vec::new();
        for symbol in symbols.lines() {
            // The error_* set has a sentence of its own, whose number another test makes.
            let row = format!("| `{symbol}` |");
            if symbol.starts_with("qcrypto_") && !self.compatibility.contains(&row) {
                faults.push(format!("{symbol} is not in COMPATIBILITY.md"));
            }
            if !self.debian.contains(&format!("\n {symbol}@Base ")) {
                faults.push(format!("{symbol} is not in debian/libqcrypto0.symbols"));
            }
            let name = self.changelog_name(symbol);
            if !self.changelog.contains(&name) {
                faults.push(format!("{symbol} is not in CHANGELOG.md, which should name {name}"));
            }
        }
        faults
    }
}

#[test]
fn the_documents_have_every_symbol() {
    let faults = Documents::of_today().faults(&common::read("abi/libqcrypto.symbols"));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Control: a new symbol without its lines is reported.
#[test]
fn new_symbols_are_reported() {
    let documents = Documents::of_today();
    let wanting = [
        "qcrypto_zzz is not in COMPATIBILITY.md",
        "qcrypto_zzz is not in debian/libqcrypto0.symbols",
        "qcrypto_zzz is not in CHANGELOG.md, which should name `qcrypto_zzz()`",
    ];
    assert_eq!(documents.faults("qcrypto_zzz\n"), wanting);
    // One of QEMU's, whose row is there already, as planned.
    let wanting = [
        "qcrypto_block_open is not in debian/libqcrypto0.symbols",
        "qcrypto_block_open is not in CHANGELOG.md, which should name `crypto/block.h`",
    ];
    assert_eq!(documents.faults("qcrypto_block_open\n"), wanting);
}
