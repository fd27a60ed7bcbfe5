//! What QEMU has not: asking a library and an object what they are.

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::c_char;

use super::cipher::{Handle, QCryptoCipher};

/// qcrypto_cipher_get_backend:
/// @cipher: the object, or NULL
///
/// Extensions, which QEMU does not have: this function and those below.
///
/// Ask what serves an object, down to the kernel: a backend's name, a slash, and the backend's own word, e.g.
/// "native/portable".
///
/// Returns: (transfer none): the name, valid as long as the object; "none" for NULL; never NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_cipher_get_backend(cipher: *const QCryptoCipher) -> *const c_char {
    // SAFETY: a non-NULL object comes from qcrypto_cipher_new() and is alive; its backend never changes.
    let cipher = unsafe { Handle::get(cipher) };
    cipher.map_or(c"none", |cipher| cipher.backend()).as_ptr()
}

/// qcrypto_version:
///
/// Returns: (transfer none): the version of the library at run time, "MAJOR.MINOR.PATCH"
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
