//! GnuTLS.
#![expect(unsafe_code, reason = "calls a C library")]

mod cipher;
mod hash;

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::rc::Rc;

use super::{CipherEngine, Derivation, Digest, Library, Opened, Refusal, SectorEngine, dynamic};
use crate::algorithm::{Disk, Hash, Spec};

type Handle = *mut c_void;
type Crypt = unsafe extern "C" fn(Handle, *const c_void, usize, *mut c_void, usize) -> c_int;

/// `gnutls_datum_t`.
#[repr(C)]
struct Datum {
    data: *mut u8,
    size: c_uint,
}

impl Datum {
    fn of(bytes: &mut [u8]) -> Self {
        Self { data: bytes.as_mut_ptr(), size: bytes.len() as c_uint }
    }
}

type Derive =
    unsafe extern "C" fn(c_int, *const Datum, *const Datum, c_uint, *mut c_void, usize) -> c_int;

dynamic::functions! {
    /// What is used of `gnutls/crypto.h`.
    struct Functions {
        gnutls_check_version: unsafe extern "C" fn(*const c_char) -> *const c_char,
        gnutls_strerror: unsafe extern "C" fn(c_int) -> *const c_char,
        gnutls_cipher_init: unsafe extern "C" fn(*mut Handle, c_int, *const Datum, *const Datum) -> c_int,
        gnutls_cipher_set_iv: unsafe extern "C" fn(Handle, *mut c_void, usize),
        gnutls_cipher_encrypt2: Crypt,
        gnutls_cipher_decrypt2: Crypt,
        gnutls_cipher_deinit: unsafe extern "C" fn(Handle),
        gnutls_hash_get_len: unsafe extern "C" fn(c_int) -> c_uint,
        gnutls_hash_fast: unsafe extern "C" fn(c_int, *const c_void, usize, *mut c_void) -> c_int,
        gnutls_hmac_init: unsafe extern "C" fn(*mut Handle, c_int, *const c_void, usize) -> c_int,
        gnutls_hmac: unsafe extern "C" fn(Handle, *const c_void, usize) -> c_int,
        gnutls_hmac_output: unsafe extern "C" fn(Handle, *mut c_void),
        gnutls_hmac_deinit: unsafe extern "C" fn(Handle, *mut c_void),
    }
    optional {
        gnutls_pbkdf2: Derive,
    }
}

pub(super) struct GnuTls(Functions);

pub(super) fn open() -> Result<Opened<GnuTls>, String> {
    // SAFETY: the declarations are those of gnutls/crypto.h, and soname 30 has kept them since 2013.
    let functions = unsafe { Functions::load(dynamic::open(&["libgnutls.so.30"])?)? };
    // SAFETY: NULL asks for the version, a static string.
    let version = unsafe { dynamic::text((functions.gnutls_check_version)(ptr::null())) };
    Ok(Opened { library: GnuTls(functions), name: "GnuTLS", version })
}

impl Library for GnuTls {
    fn cipher(self: Rc<Self>, spec: Spec) -> Result<Box<dyn CipherEngine>, Refusal> {
        super::cipher::open::<cipher::Cipher>(self, spec)
    }

    fn sectors(self: Rc<Self>, disk: Disk) -> Result<Box<dyn SectorEngine>, Refusal> {
        super::sectors::one_by_one::<cipher::Cipher>(self, disk)
    }

    fn hash(self: Rc<Self>, hash: Hash) -> Result<Box<dyn Digest>, Refusal> {
        Ok(Box::new(hash::Plain::new(self, hash)?))
    }

    fn hmac(self: Rc<Self>, hash: Hash, key: &[u8]) -> Result<Box<dyn Digest>, Refusal> {
        Ok(Box::new(hash::Hmac::new(self, hash, key)?))
    }

    fn pbkdf2(self: Rc<Self>, hash: Hash) -> Result<Box<dyn Derivation>, Refusal> {
        Ok(Box::new(hash::Pbkdf2::new(self, hash)?))
    }
}

impl GnuTls {
    fn check(&self, code: c_int) -> Result<(), String> {
        if code >= 0 { Ok(()) } else { Err(self.complain(code)) }
    }

    #[cold]
    fn complain(&self, code: c_int) -> String {
        // SAFETY: any code will do, and the answer is static.
        unsafe { dynamic::text((self.0.gnutls_strerror)(code)) }
    }
}
