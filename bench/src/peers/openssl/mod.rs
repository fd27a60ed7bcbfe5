//! OpenSSL 3 and later.
#![expect(unsafe_code, reason = "calls a C library")]
#![expect(non_snake_case, reason = "the library's own names")]

mod cipher;
mod hash;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::rc::Rc;

use super::{CipherEngine, Derivation, Digest, Library, Opened, Refusal, SectorEngine, dynamic};
use crate::algorithm::{Disk, Hash, Spec};

use hash::Parameter;

type EvpCipher = *mut c_void;
type Context = *mut c_void;
type Init = unsafe extern "C" fn(Context, EvpCipher, *const u8, *const u8, *const c_void) -> c_int;
type Update = unsafe extern "C" fn(Context, *mut u8, *mut c_int, *const u8, c_int) -> c_int;

type Derive = unsafe extern "C" fn(
    *const c_char,
    c_int,
    *const u8,
    c_int,
    c_int,
    *const c_void,
    c_int,
    *mut u8,
) -> c_int;

const VERSION_STRING: c_int = 6;

dynamic::functions! {
    /// What is used of `openssl/evp.h` and its neighbours.
    struct Functions {
        OpenSSL_version: unsafe extern "C" fn(c_int) -> *const c_char,
        OSSL_PROVIDER_load: unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void,
        EVP_CIPHER_fetch: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> EvpCipher,
        EVP_CIPHER_free: unsafe extern "C" fn(EvpCipher),
        EVP_CIPHER_CTX_new: unsafe extern "C" fn() -> Context,
        EVP_CIPHER_CTX_free: unsafe extern "C" fn(Context),
        EVP_CIPHER_CTX_set_padding: unsafe extern "C" fn(Context, c_int) -> c_int,
        EVP_EncryptInit_ex2: Init,
        EVP_DecryptInit_ex2: Init,
        EVP_EncryptUpdate: Update,
        EVP_DecryptUpdate: Update,
        EVP_MD_fetch: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void,
        EVP_MD_free: unsafe extern "C" fn(*mut c_void),
        EVP_MD_CTX_new: unsafe extern "C" fn() -> Context,
        EVP_MD_CTX_free: unsafe extern "C" fn(Context),
        EVP_DigestInit_ex2: unsafe extern "C" fn(Context, *mut c_void, *const Parameter) -> c_int,
        EVP_DigestUpdate: unsafe extern "C" fn(Context, *const c_void, usize) -> c_int,
        EVP_DigestFinal_ex: unsafe extern "C" fn(Context, *mut u8, *mut c_uint) -> c_int,
        EVP_MAC_fetch: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void,
        EVP_MAC_free: unsafe extern "C" fn(*mut c_void),
        EVP_MAC_CTX_new: unsafe extern "C" fn(*mut c_void) -> Context,
        EVP_MAC_CTX_free: unsafe extern "C" fn(Context),
        EVP_MAC_init: unsafe extern "C" fn(Context, *const u8, usize, *const Parameter) -> c_int,
        EVP_MAC_update: unsafe extern "C" fn(Context, *const u8, usize) -> c_int,
        EVP_MAC_final: unsafe extern "C" fn(Context, *mut u8, *mut usize, usize) -> c_int,
        PKCS5_PBKDF2_HMAC: Derive,
        ERR_get_error: unsafe extern "C" fn() -> std::ffi::c_ulong,
        ERR_reason_error_string: unsafe extern "C" fn(std::ffi::c_ulong) -> *const c_char,
        ERR_clear_error: unsafe extern "C" fn(),
    }
    optional {}
}

pub(super) struct OpenSsl {
    functions: Functions,
    /// Fetching costs more than a short encryption, so callers who care do it once.
    fetched: RefCell<BTreeMap<Spec, EvpCipher>>,
}

pub(super) fn open() -> Result<Opened<OpenSsl>, String> {
    // SAFETY: the declarations are those of OpenSSL 3's headers, which 4 has kept.
    let functions =
        unsafe { Functions::load(dynamic::open(&["libcrypto.so.3", "libcrypto.so.4"])?)? };
    // SAFETY: NUL-terminated names, the default library context. DES and CAST5 are in the legacy provider; without it
    // they are merely missing.
    unsafe {
        for provider in [c"default", c"legacy"] {
            (functions.OSSL_PROVIDER_load)(ptr::null_mut(), provider.as_ptr());
        }
        (functions.ERR_clear_error)();
    }
    // SAFETY: a static string for any argument.
    let version = unsafe { dynamic::text((functions.OpenSSL_version)(VERSION_STRING)) };
    Ok(Opened {
        library: OpenSsl { functions, fetched: RefCell::default() },
        name: "OpenSSL",
        version,
    })
}

impl Library for OpenSsl {
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

impl OpenSsl {
    fn check(&self, code: c_int) -> Result<(), String> {
        if code == 1 { Ok(()) } else { Err(self.complain()) }
    }

    /// The oldest error of the queue, which is emptied.
    #[cold]
    fn complain(&self) -> String {
        // SAFETY: a code from the library gives NULL or a static string.
        let reason = unsafe {
            let reason = dynamic::text((self.functions.ERR_reason_error_string)((self
                .functions
                .ERR_get_error)(
            )));
            (self.functions.ERR_clear_error)();
            reason
        };
        if reason.is_empty() { "failed without a reason".to_owned() } else { reason }
    }
}

impl Drop for OpenSsl {
    fn drop(&mut self) {
        for cipher in self.fetched.take().into_values() {
            // SAFETY: fetched by us, and every context that used it is gone: contexts keep the library alive.
            unsafe { (self.functions.EVP_CIPHER_free)(cipher) };
        }
    }
}
