//! What QEMU has not: choosing what serves, and asking a library and an object what they are.

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::{CStr, c_char, c_int};

use super::cipher::{self, Handle, QCryptoCipher};
use super::error::CError;
use super::qapi_types_crypto::{CipherAlgoArg, CipherModeArg};
use super::results::malloc_text;
use super::{catch, report};
use crate::backend;
use crate::cipher::Cipher;
use crate::error::Error;

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

/// qcrypto_cipher_new_with:
/// @backend: the name of a backend, as in qcrypto_list_backends()
/// @alg: the cipher algorithm
/// @mode: the cipher mode
/// @key: the key; it is copied, so the caller may wipe its own
/// @nkey: the length of @key in bytes: qcrypto_cipher_get_key_len(), or twice that in XTS
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Make a cipher object on @backend or not at all; else as qcrypto_cipher_new(). The order of
/// qcrypto_set_backends() does not matter here.
///
/// Returns: (transfer full): the object, to be given to qcrypto_cipher_free(), or NULL on error: also if there is no such
///   backend, if it cannot be used here, and if it does not have @alg in @mode
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_cipher_new_with(
    backend: *const c_char,
    alg: CipherAlgoArg,
    mode: CipherModeArg,
    key: *const u8,
    nkey: usize,
    errp: *mut *mut CError,
) -> *mut QCryptoCipher {
    let open = |algorithm, mode, key: &[u8]| {
        // SAFETY: the caller vouches for a string.
        let backend = unsafe { text(backend) }.ok_or(Error::Null("backend"))?;
        Cipher::new_with(&backend, algorithm, mode, key)
    };
    // SAFETY: the caller vouches for the key.
    let object = unsafe { cipher::new(alg, mode, key, nkey, open) };
    report(object, std::ptr::null_mut(), errp, c"qcrypto_cipher_new_with")
}

/// qcrypto_set_backends:
/// @list: names of backends with commas between them, the first to be asked first; or NULL
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Choose what serves the objects, hashes, HMACs and key derivations that are made from now on, in all threads. For each
/// algorithm and mode that is the first backend of @list that has it. "native", the library's own code, stands last
/// unless it was named before, or @list ends in "!": then what none of the list has is not supported.
///
/// A backend that is not available is passed over in silence; qcrypto_list_backends() says why. One that is only out of
/// file descriptors or memory is not: that is an error of what was to be made. NULL goes back to
/// QCRYPTO_BACKENDS in the environment (ignored where the program runs with more rights than its caller), and without it
/// to "native".
///
/// Thread safety: any thread at any time.
///
/// Returns: 0 on success; -1 if @list has a name that no backend has, and nothing is changed
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_set_backends(
    list: *const c_char,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: the caller vouches for a string, or NULL.
    let set = || backend::set(unsafe { text(list) }.as_deref());
    report(catch(set).map(|()| 0), -1, errp, c"qcrypto_set_backends")
}

/// qcrypto_list_backends:
///
/// Ask what there is to choose from. Those of the order in force come first, in that order. Each has a line that begins
/// with its name, a colon and one of
///
/// - "in use", and the version of the library or kernel: it is asked for new objects
/// - "available", and the version: it would be, if qcrypto_set_backends() named it
/// - "not available", and the reason
///
/// A line "NAME: unknown" stands for a name in QCRYPTO_BACKENDS that no backend has.
///
/// Libraries that were not opened yet are opened to find out.
///
/// Returns: (transfer full): the lines, each with a newline, to be freed with free(); NULL if there is no memory
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_list_backends() -> *mut c_char {
    catch(|| malloc_text(&backend::describe())).unwrap_or(std::ptr::null_mut())
}

/// qcrypto_version:
///
/// Returns: (transfer none): the version of the library at run time, "MAJOR.MINOR.PATCH"
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// A caller's string; what is not UTF-8 in it can be no name of ours. None for NULL.
///
/// # Safety
/// `string` is NULL or points to a NUL-terminated string that stays as it is during the call.
unsafe fn text(string: *const c_char) -> Option<String> {
    if string.is_null() {
        return None;
    }
    // SAFETY: not NULL, and the caller's promise.
    Some(unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned())
}
