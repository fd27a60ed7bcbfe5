//! XTS and CBC. It has neither CTR nor ECB.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_int;
use std::ptr;
use std::rc::Rc;

use super::{Crypt, Datum, GnuTls, Handle};
use crate::algorithm::{Algorithm, Direction, Mode, Spec};
use crate::peers::Refusal;
use crate::peers::cipher::{Keyed, keep_iv};

pub(super) struct Cipher {
    library: Rc<GnuTls>,
    handle: Handle,
    /// `gnutls_cipher_set_iv` wants memory it may write, though it does not.
    iv: [u8; 16],
}

impl Keyed for Cipher {
    type Library = GnuTls;

    fn new(library: &Rc<GnuTls>, spec: Spec, key: &[u8]) -> Result<Self, Refusal> {
        let number =
            number(spec).ok_or_else(|| Refusal::Unsupported("not in gnutls.h".to_owned()))?;
        let (mut key, mut iv) = (key.to_vec(), [0; 16]);
        let mut handle = ptr::null_mut();
        let (key, first_iv) = (Datum::of(&mut key), Datum::of(&mut iv[..spec.iv_len()]));
        // SAFETY: both data live through the call, which copies them; `handle` is only read after success.
        let code = unsafe {
            (library.0.gnutls_cipher_init)(
                &raw mut handle,
                number,
                &raw const key,
                &raw const first_iv,
            )
        };
        library.check(code).map_err(Refusal::Unsupported)?;
        Ok(Self { library: Rc::clone(library), handle, iv })
    }

    fn set_iv(&mut self, _direction: Direction, iv: &[u8]) -> Result<(), String> {
        keep_iv(&mut self.iv, iv);
        // SAFETY: the handle is open, and our copy has `iv.len()` bytes.
        unsafe {
            (self.library.0.gnutls_cipher_set_iv)(
                self.handle,
                self.iv.as_mut_ptr().cast(),
                iv.len(),
            )
        };
        Ok(())
    }

    fn encrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.crypt(self.library.0.gnutls_cipher_encrypt2, input, output)
    }

    fn decrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.crypt(self.library.0.gnutls_cipher_decrypt2, input, output)
    }
}

impl Cipher {
    #[inline]
    fn crypt(&self, crypt: Crypt, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        let (from, to) = (input.as_ptr().cast(), output.as_mut_ptr().cast());
        // SAFETY: the handle is open and keyed, and each buffer is used for its own length.
        let code = unsafe { crypt(self.handle, from, input.len(), to, output.len()) };
        self.library.check(code)
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: opened by `new` and closed nowhere else.
        unsafe { (self.library.0.gnutls_cipher_deinit)(self.handle) }
    }
}

/// `GNUTLS_CIPHER_*`.
fn number(spec: Spec) -> Option<c_int> {
    Some(match (spec.algorithm, spec.mode) {
        (Algorithm::TripleDes, Mode::Cbc) => 3,
        (Algorithm::Aes128, Mode::Cbc) => 4,
        (Algorithm::Aes256, Mode::Cbc) => 5,
        (Algorithm::Aes192, Mode::Cbc) => 9,
        (Algorithm::Des, Mode::Cbc) => 18,
        (Algorithm::Aes128, Mode::Xts) => 32,
        (Algorithm::Aes256, Mode::Xts) => 33,
        _ => return None,
    })
}
