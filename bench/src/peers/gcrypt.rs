//! libgcrypt: its own XTS, CBC, CTR and ECB.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::rc::Rc;

use super::{Keyed, Opened, Refusal, dynamic};
use crate::algorithm::{Algorithm, Direction, Mode, Spec};

type Handle = *mut c_void;
type SetIv = unsafe extern "C" fn(Handle, *const c_void, usize) -> c_uint;
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

pub(super) struct Cipher {
    library: Rc<Gcrypt>,
    handle: Handle,
    set_iv: SetIv,
}

impl Keyed for Cipher {
    type Library = Gcrypt;

    fn new(library: &Rc<Gcrypt>, spec: Spec, key: &[u8]) -> Result<Self, Refusal> {
        let algorithm = number(spec.algorithm)
            .ok_or_else(|| Refusal::Unsupported("not in gcrypt.h".to_owned()))?;
        let (mode, set_iv) = match spec.mode {
            Mode::Ecb => (1, library.0.gcry_cipher_setiv),
            Mode::Cbc => (3, library.0.gcry_cipher_setiv),
            Mode::Ctr => (6, library.0.gcry_cipher_setctr),
            Mode::Xts => (13, library.0.gcry_cipher_setiv),
        };
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` may be written, and is only read after success.
        let opened = unsafe { (library.0.gcry_cipher_open)(&raw mut handle, algorithm, mode, 0) };
        library.check(opened).map_err(Refusal::Unsupported)?;
        let cipher = Self { library: Rc::clone(library), handle, set_iv };
        // SAFETY: the handle is open, and the key is read for the length given.
        let keyed =
            unsafe { (library.0.gcry_cipher_setkey)(handle, key.as_ptr().cast(), key.len()) };
        library.check(keyed).map_err(Refusal::Failed)?;
        Ok(cipher)
    }

    fn set_iv(&mut self, _direction: Direction, iv: &[u8]) -> Result<(), String> {
        // SAFETY: the handle is open, and the IV is read for the length given.
        let code = unsafe { (self.set_iv)(self.handle, iv.as_ptr().cast(), iv.len()) };
        self.library.check(code)
    }

    fn encrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.crypt(self.library.0.gcry_cipher_encrypt, input, output)
    }

    fn decrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.crypt(self.library.0.gcry_cipher_decrypt, input, output)
    }
}

impl Cipher {
    #[inline]
    fn crypt(&self, crypt: Crypt, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        let (to, from) = (output.as_mut_ptr().cast(), input.as_ptr().cast());
        // SAFETY: the handle is open and keyed, and each buffer is used for its own length.
        let code = unsafe { crypt(self.handle, to, output.len(), from, input.len()) };
        self.library.check(code)
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: opened by `new` and closed nowhere else.
        unsafe { (self.library.0.gcry_cipher_close)(self.handle) }
    }
}

/// `GCRY_CIPHER_*`. There is no Twofish with 192 bits.
fn number(algorithm: Algorithm) -> Option<c_int> {
    Some(match algorithm {
        Algorithm::Aes128 => 7,
        Algorithm::Aes192 => 8,
        Algorithm::Aes256 => 9,
        Algorithm::Des => 302,
        Algorithm::TripleDes => 2,
        Algorithm::Cast5 => 3,
        Algorithm::Serpent128 => 304,
        Algorithm::Serpent192 => 305,
        Algorithm::Serpent256 => 306,
        Algorithm::Twofish128 => 303,
        Algorithm::Twofish192 => return None,
        Algorithm::Twofish256 => 10,
        Algorithm::Sm4 => 318,
    })
}
