//! The layer rule: every part of the crate uses only those below it, and `unsafe` stays where it belongs.

mod common;

use common::rust_source::{references, tokens};

/// The parts of the crate, the lowest first. Those of one layer may use each other.
const LAYERS: [&[&str]; 10] = [
    &["algorithm", "error", "sys", "scrub", "test_hooks", "guarded_tests"],
    &["cpu"],
    &["iv"],
    &["kernel"],
    &["wide"],
    &[
        "xts", "modes", "aes", "serpent", "twofish", "sm4", "des", "cast5", "chain", "md5", "sha1",
        "sha2",
    ],
    &["backend"],
    &["cipher", "hash", "hmac", "pbkdf", "random"],
    &["ivgen", "afsplit", "luks"],
    &["capi"],
];

/// Foreign functions are for these alone.
const USES_SYS: &str = "backend";

/// Where `unsafe` may stand: the C edge, foreign functions, CPU detection and the kernels of an instruction set. Files
/// of `backend` may have it too if they use `sys`.
const UNSAFE: [&str; 12] = [
    "capi", "sys", "cpu", "wide", "aes", "serpent", "twofish", "sm4", "des", "cast5", "sha1",
    "sha2",
];

/// A file of tests alone, which may map guard pages.
const TESTS: &str = "_tests.rs";

fn layer(part: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&part))
}

/// The module of a file of `src`: `cipher/mod.rs` is `cipher`, `backend/native.rs` is `backend::native`.
fn module(file: &str) -> Vec<&str> {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').collect()
}

/// What is wrong with a source file, a line each.
fn faults(file: &str, text: &str) -> Vec<String> {
    let module = module(file);
    let part = module[0];
    let Some(own_layer) = layer(part) else {
        return vec![format!("{file}: {part} has no layer")];
    };
    let mut faults = Vec::new();
    let mut uses_sys = false;
    for path in references(&module, text) {
        let target = path.first().map_or("the crate's root", String::as_str);
        uses_sys |= target == "sys";
        let fault = match layer(target) {
            None => format!("{target}, which has no layer"),
            Some(layer) if layer > own_layer => format!("{target} above it"),
            Some(_) if target == "sys" && ![USES_SYS, "sys"].contains(&part) => "sys".into(),
            Some(_) => continue,
        };
        faults.push(format!("{file}: uses {fault} ({})", path.join("::")));
    }
    let may_be_unsafe =
        UNSAFE.contains(&part) || (part == USES_SYS && uses_sys) || file.ends_with(TESTS);
    if !may_be_unsafe && tokens(text).contains(&"unsafe") {
        faults.push(format!("{file}: unsafe"));
    }
    faults
}

#[test]
fn nothing_looks_upward() {
    let files = common::files("src", "rs");
    assert!(files.len() > 10, "the sources were found");
    let faults: Vec<_> = files
        .iter()
        .map(|file| file.to_str().expect("UTF-8"))
        // The root only lists the parts.
        .filter(|&file| file != "lib.rs")
        .flat_map(|file| faults(file, &common::read(&format!("src/{file}"))))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_root_lists_parts_and_nothing_else() {
    let text = common::read("src/lib.rs");
    let root = tokens(&text);
    let parts: Vec<_> = root.windows(3).filter(|w| w[0] == "mod" && w[2] == ";").collect();
    assert!(parts.len() > 5, "the parts were found");
    for part in parts {
        assert!(layer(part[1]).is_some(), "{} has no layer", part[1]);
    }
    for word in ["use", "fn", "unsafe", "macro_rules"] {
        assert!(!root.contains(&word), "{word} in lib.rs");
    }
}

/// `unsafe` where the layers allow it also needs `unsafe_code` to be denied everywhere else by the compiler.
#[test]
fn unsafe_is_denied_by_default() {
    assert!(common::read("Cargo.toml").contains("\nunsafe_code = \"deny\"\n"));
}

/// Control: the checker reports every kind of offence, and nothing but offences.
#[test]
fn offences_are_reported() {
    let offences = [
        ("xts.rs", "use crate::cipher::Cipher;", "uses cipher above it (cipher::Cipher)"),
        ("xts.rs", "fn f() { let _ = crate::backend::open(1); }", "uses backend above it"),
        ("xts.rs", "use crate::{iv::Iv, cipher::{Cipher as C}};", "(cipher::Cipher)"),
        ("xts.rs", "use crate::{iv::{self, Iv}, backend};", "uses backend above it (backend)"),
        ("iv.rs", "pub(in crate::cipher) fn f() {}", "uses cipher above it"),
        ("aes/x86/vaes.rs", "use super::super::super::backend;", "uses backend above it"),
        ("aes/mod.rs", "mod tests { mod deep { use super::super::super::capi::f; } }", "uses capi"),
        ("modes.rs", "use super::{iv::Iv, cipher};", "uses cipher above it"),
        ("backend/mod.rs", "use super::*;", "uses the crate's root, which has no layer"),
        ("backend/mod.rs", "use crate::nowhere::f;", "uses nowhere, which has no layer"),
        ("nowhere.rs", "", "nowhere has no layer"),
        ("cipher/mod.rs", "use crate::sys::gcry_free;", "uses sys"),
        ("capi/mod.rs", "use crate::{error::Error, sys};", "uses sys"),
        ("cipher/mod.rs", "fn f() { unsafe { g() } }", "cipher/mod.rs: unsafe"),
        ("backend/native.rs", "unsafe fn f() {}", "backend/native.rs: unsafe"),
        ("xts.rs", "macro_rules! m { () => { $crate::capi::f() } }", "uses capi above it"),
        ("xts.rs", "const C: char = '\\''; use crate::capi::f; const D: char = '\"';", "uses capi"),
        ("xts.rs", "/* /* a */ b */ fn f<'a>() { crate::capi::f::<'a>() }", "uses capi"),
    ];
    for (file, text, report) in offences {
        let found = faults(file, text);
        assert!(found.len() == 1 && found[0].contains(report), "{text}: {found:?}");
    }

    let sound = [
        (
            "capi/cipher.rs",
            "use super::{catch, error::{CError, raise}}; use crate::cipher::Cipher;",
        ),
        ("capi/error.rs", "mod host { use super::CError; } pub(super) unsafe fn f() {}"),
        (
            "cipher/mod.rs",
            "//! crate::capi\n/// [`crate::capi`]\n/* crate::capi */ use crate::iv::Iv;",
        ),
        (
            "cipher/mod.rs",
            r##"const T: &str = "crate::capi \" unsafe"; const U: &str = r#"" unsafe"#;"##,
        ),
        ("backend/gcrypt.rs", "use crate::sys::gcry_free; fn f() { unsafe { gcry_free() } }"),
        ("aes/x86/vaes.rs", "use super::super::Key; use crate::cpu::Token; unsafe fn f() {}"),
        ("xts.rs", "use crate::modes::{self as m, blocks}; fn f(unsafe_code: u8) {}"),
        ("xts.rs", "mod tests { use super::*; fn f() { crate::xts::g(); } } fn h() {}"),
    ];
    for (file, text) in sound {
        assert_eq!(faults(file, text), [""; 0], "{text}");
    }
}
