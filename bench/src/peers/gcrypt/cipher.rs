//! Its own XTS, CBC, CTR and ECB.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_int;
use std::ptr;
use std::rc::Rc;

use super::{Crypt, Gcrypt, Handle, SetIv};
use crate::algorithm::{Algorithm, Direction, Mode, Spec};
use crate::peers::Refusal;
use crate::peers::cipher::Keyed;

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
