//! libgcrypt.
#![expect(unsafe_code, reason = "calls a C library")]

mod cipher;
mod hash;

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;
use std::rc::Rc;

use super::{CipherEngine, Derivation, Digest, Library, Opened, Refusal, SectorEngine, dynamic};
use crate::algorithm::{Disk, Hash, Spec};

type Handle = *mut c_void;
type SetIv = unsafe extern "C" fn(Handle, *const c_void, usize) -> c_uint;
type Derive = unsafe extern "C" fn(
    *const c_void,
    usize,
    c_int,
    c_int,
    *const c_void,
    usize,
    c_ulong,
    usize,
    *mut c_void,
) -> c_uint;
type Crypt = unsafe extern "C" fn(Handle, *mut c_void, usize, *const c_void, usize) -> c_uint;

const DISABLE_SECMEM: c_int = 37;
const INITIALIZATION_FINISHED: c_int = 38;
const INITIALIZATION_FINISHED_P: c_int = 39;

dynamic::functions! {
    /// What is used of `gcrypt.h`.
    struct Functions {
        gcry_check_version: unsafe extern "C" fn(*const c_char) -> *const c_char,
        gcry_control: unsafe extern "C" fn(c_int, ...) -> c_uint,
        gcry_strerror: unsafe extern "C" fn(c_uint) -> *const c_char,
        gcry_cipher_open: unsafe extern "C" fn(*mut Handle, c_int, c_int, c_uint) -> c_uint,
        gcry_cipher_close: unsafe extern "C" fn(Handle),
        gcry_cipher_setkey: unsafe extern "C" fn(Handle, *const c_void, usize) -> c_uint,
        gcry_cipher_setiv: SetIv,
        gcry_cipher_setctr: SetIv,
        gcry_cipher_encrypt: Crypt,
        gcry_cipher_decrypt: Crypt,
        gcry_md_algo_info: unsafe extern "C" fn(c_int, c_int, *mut c_void, *mut usize) -> c_uint,
        gcry_md_get_algo_dlen: unsafe extern "C" fn(c_int) -> c_uint,
        gcry_md_hash_buffer: unsafe extern "C" fn(c_int, *mut c_void, *const c_void, usize),
        gcry_md_open: unsafe extern "C" fn(*mut Handle, c_int, c_uint) -> c_uint,
        gcry_md_close: unsafe extern "C" fn(Handle),
        gcry_md_setkey: unsafe extern "C" fn(Handle, *const c_void, usize) -> c_uint,
        gcry_md_reset: unsafe extern "C" fn(Handle),
        gcry_md_write: unsafe extern "C" fn(Handle, *const c_void, usize),
        gcry_md_read: unsafe extern "C" fn(Handle, c_int) -> *const u8,
        gcry_kdf_derive: Derive,
    }
    optional {}
}

pub(super) struct Gcrypt(Functions);

pub(super) fn open() -> Result<Opened<Gcrypt>, String> {
    // SAFETY: the declarations are those of gcrypt.h, and soname 20 has kept them since 2011.
    let functions = unsafe { Functions::load(dynamic::open(&["libgcrypt.so.20"])?)? };
    // SAFETY: NULL asks for the version and does the first half of the initialisation; the answer is static.
    let version = unsafe { dynamic::text((functions.gcry_check_version)(ptr::null())) };
    // SAFETY: these commands take at most one int, which is given. A second initialisation would be refused, and
    // another library of this process may have done the first.
    unsafe {
        if (functions.gcry_control)(INITIALIZATION_FINISHED_P) == 0 {
            (functions.gcry_control)(DISABLE_SECMEM, 0 as c_int);
            (functions.gcry_control)(INITIALIZATION_FINISHED, 0 as c_int);
        }
    }
    Ok(Opened { library: Gcrypt(functions), name: "libgcrypt", version })
}

impl Library for Gcrypt {
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

impl Gcrypt {
    fn check(&self, code: c_uint) -> Result<(), String> {
        if code == 0 { Ok(()) } else { Err(self.complain(code)) }
    }

    #[cold]
    fn complain(&self, code: c_uint) -> String {
        // SAFETY: any code will do, and the answer is static.
        unsafe { dynamic::text((self.0.gcry_strerror)(code)) }
    }
}
