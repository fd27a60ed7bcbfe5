//! `gcrypt.h` of libgcrypt 1.8 and later, whose soname is libgcrypt.so.20.

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

/// `gcry_cipher_hd_t`, `gcry_md_hd_t`
pub(crate) type Handle = *mut c_void;

/// `gcry_error_t`: the code below, the source of the error above.
pub(crate) type Code = c_uint;

/// The bits of a [`Code`] that say what went wrong.
pub(crate) const CODE_MASK: Code = 0xffff;
/// `GPG_ERR_WEAK_KEY`
pub(crate) const WEAK_KEY: Code = 43;

/// `GCRYCTL_INITIALIZATION_FINISHED`
pub(crate) const INITIALIZATION_FINISHED: c_int = 38;
/// `GCRYCTL_INITIALIZATION_FINISHED_P`
pub(crate) const INITIALIZATION_FINISHED_P: c_int = 39;
/// `GCRYCTL_FIPS_MODE_P`
pub(crate) const FIPS_MODE_P: c_int = 55;
/// `GCRYCTL_SET_ALLOW_WEAK_KEY`, since 1.9
pub(crate) const SET_ALLOW_WEAK_KEY: c_int = 79;

/// `GCRY_CIPHER_MODE_*`
pub(crate) const MODE_ECB: c_int = 1;
pub(crate) const MODE_CBC: c_int = 3;
pub(crate) const MODE_CTR: c_int = 6;
/// Since 1.8
pub(crate) const MODE_XTS: c_int = 13;

/// `GCRY_MD_FLAG_HMAC`
pub(crate) const FLAG_HMAC: c_uint = 2;
/// `GCRY_KDF_PBKDF2`
pub(crate) const KDF_PBKDF2: c_int = 34;

/// `gcry_cipher_encrypt` and `_decrypt`: out and its size, in and its length.
pub(crate) type Crypt =
    unsafe extern "C" fn(Handle, *mut c_void, usize, *const c_void, usize) -> Code;
/// `gcry_cipher_setiv` and its like
pub(crate) type SetBytes = unsafe extern "C" fn(Handle, *const c_void, usize) -> Code;
/// `gcry_kdf_derive`: passphrase, KDF, hash, salt, iterations, key.
pub(crate) type Derive = unsafe extern "C" fn(
    *const c_void,
    usize,
    c_int,
    c_int,
    *const c_void,
    usize,
    c_ulong,
    usize,
    *mut c_void,
) -> Code;

super::functions! {
    /// What is used of the library.
    pub(crate) struct Functions {
        gcry_check_version: unsafe extern "C" fn(*const c_char) -> *const c_char,
        gcry_control: unsafe extern "C" fn(c_int, ...) -> Code,
        gcry_strerror: unsafe extern "C" fn(Code) -> *const c_char,
        gcry_cipher_open: unsafe extern "C" fn(*mut Handle, c_int, c_int, c_uint) -> Code,
        gcry_cipher_close: unsafe extern "C" fn(Handle),
        gcry_cipher_ctl: unsafe extern "C" fn(Handle, c_int, *mut c_void, usize) -> Code,
        gcry_cipher_setkey: SetBytes,
        gcry_cipher_setiv: SetBytes,
        gcry_cipher_setctr: SetBytes,
        gcry_cipher_encrypt: Crypt,
        gcry_cipher_decrypt: Crypt,
        gcry_md_open: unsafe extern "C" fn(*mut Handle, c_int, c_uint) -> Code,
        gcry_md_close: unsafe extern "C" fn(Handle),
        gcry_md_setkey: SetBytes,
        gcry_md_reset: unsafe extern "C" fn(Handle),
        gcry_md_write: unsafe extern "C" fn(Handle, *const c_void, usize),
        gcry_md_read: unsafe extern "C" fn(Handle, c_int) -> *mut u8,
        gcry_kdf_derive: Derive,
    }
    optional {}
}
