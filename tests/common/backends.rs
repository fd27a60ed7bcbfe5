//! The backends that are libraries, which a machine may lack.

use std::collections::BTreeMap;
use std::ffi::CStr;

use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::capi::extensions::{qcrypto_list_backends, qcrypto_set_backends};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;

/// Those that a package brings, so that in CI none is missing.
pub const LIBRARIES: [&str; 2] = ["gcrypt", "nettle"];

/// The lines of the list: a name, then state and version, or state and reason.
pub fn list() -> BTreeMap<String, String> {
    let text = qcrypto_list_backends();
    // SAFETY: a C string, or NULL without memory.
    let lines = unsafe { CStr::from_ptr(text) }.to_str().expect("UTF-8").to_owned();
    // SAFETY: as the header says, to be freed so.
    unsafe { libc::free(text.cast()) };
    let split = |line: &str| {
        let (name, state) = line.split_once(": ").expect("a name and a state");
        (name.to_owned(), state.to_owned())
    };
    lines.lines().map(split).collect()
}

/// Chooses backends; whether the list was taken.
pub fn set(list: &CStr) -> bool {
    // SAFETY: a C string; nobody asks for the reason.
    unsafe { qcrypto_set_backends(list.as_ptr(), std::ptr::null_mut()) == 0 }
}

/// The backends to test: the one that the environment demands, else the libraries that are there. One that is not is
/// skipped aloud.
pub fn libraries() -> impl Iterator<Item = String> {
    let demanded = demanded();
    let list = list();
    let tested = demanded.map_or_else(|| LIBRARIES.map(str::to_owned).to_vec(), |name| vec![name]);
    tested.into_iter().filter(move |name| {
        let state = &list[name];
        let is_there = !state.starts_with("not available");
        if !is_there {
            use std::io::Write;
            writeln!(std::io::stderr(), "SKIPPED: {name}: {state}").expect("standard error");
        }
        is_there
    })
}

/// A cipher on one backend, or None where the backend lacks the pair.
pub fn new_with(
    backend: &str,
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    key: &[u8],
) -> Option<Cipher> {
    match Cipher::new_with(backend, algorithm, mode, key) {
        Ok(cipher) => {
            let name = cipher.backend().to_str().expect("ASCII");
            assert!(name.starts_with(&format!("{backend}/")), "{name} instead of {backend}");
            Some(cipher)
        }
        Err(Error::BackendLacks { .. } | Error::XtsWithDes) => None,
        Err(error) => panic!("{backend} {}-{}: {error}", algorithm.name(), mode.name()),
    }
}

/// The backend that the environment says must serve everything: the variable is a name and `!`.
pub fn demanded() -> Option<String> {
    let list = std::env::var("QCRYPTO_BACKENDS").ok()?;
    list.strip_suffix('!').map(str::to_owned)
}
