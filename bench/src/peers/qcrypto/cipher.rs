//! Its ciphers.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_uint;
use std::ptr;
use std::rc::Rc;

use super::{Build, Crypt, Handle};
use crate::algorithm::{Direction, Spec};
use crate::peers::cipher::Keyed;
use crate::peers::{Refusal, dynamic};

pub(super) struct Cipher {
    library: Rc<Build>,
    handle: Handle,
}

impl Keyed for Cipher {
    type Library = Build;

    fn new(library: &Rc<Build>, spec: Spec, key: &[u8]) -> Result<Self, Refusal> {
        let functions = &library.functions;
        let (algorithm, mode) = (spec.algorithm as c_uint, spec.mode as c_uint);
        // SAFETY: any numbers may be asked for.
        if !unsafe { (functions.qcrypto_cipher_supports)(algorithm, mode) } {
            return Err(Refusal::Unsupported("not supported".to_owned()));
        }
        let mut error = ptr::null_mut();
        let handle = match (&library.backend, functions.qcrypto_cipher_new_with) {
            (Some(backend), Some(new_with)) => {
                // SAFETY: a NUL-terminated name, a key read for the length given, and an Error that is still NULL.
                unsafe {
                    new_with(
                        backend.as_ptr(),
                        algorithm,
                        mode,
                        key.as_ptr(),
                        key.len(),
                        &raw mut error,
                    )
                }
            }
            // SAFETY: as above.
            _ => unsafe {
                (functions.qcrypto_cipher_new)(
                    algorithm,
                    mode,
                    key.as_ptr(),
                    key.len(),
                    &raw mut error,
                )
            },
        };
        match (handle.is_null(), &library.backend) {
            (false, _) => Ok(Self { library: Rc::clone(library), handle }),
            // `supports` speaks for the library as a whole; one backend may well have less.
            (true, Some(_)) => Err(Refusal::Unsupported(functions.complain(error))),
            (true, None) => Err(Refusal::Failed(functions.complain(error))),
        }
    }

    fn set_iv(&mut self, _direction: Direction, iv: &[u8]) -> Result<(), String> {
        let mut error = ptr::null_mut();
        // SAFETY: the handle is open, the IV is read for the length given, and the Error is still NULL.
        let code = unsafe {
            (self.library.functions.qcrypto_cipher_setiv)(
                self.handle,
                iv.as_ptr(),
                iv.len(),
                &raw mut error,
            )
        };
        if code == 0 { Ok(()) } else { Err(self.library.functions.complain(error)) }
    }

    fn encrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.crypt(self.library.functions.qcrypto_cipher_encrypt, input, output)
    }

    fn decrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.crypt(self.library.functions.qcrypto_cipher_decrypt, input, output)
    }

    fn kernel(&self) -> String {
        // SAFETY: the handle is open, and the answer lives as long as it does.
        self.library
            .functions
            .qcrypto_cipher_get_backend
            .map_or_else(String::new, |get| unsafe { dynamic::text(get(self.handle)) })
    }
}

impl Cipher {
    /// The object, which lives as long as `self`.
    pub(super) fn handle(&self) -> Handle {
        self.handle
    }

    #[inline]
    fn crypt(&self, crypt: Crypt, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        let mut error = ptr::null_mut();
        let (from, to) = (input.as_ptr().cast(), output.as_mut_ptr().cast());
        // SAFETY: the handle is open, both buffers have the length given, and the Error is still NULL.
        let code = unsafe { crypt(self.handle, from, to, input.len(), &raw mut error) };
        if code == 0 { Ok(()) } else { Err(self.library.functions.complain(error)) }
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: opened by `new` and freed nowhere else.
        unsafe { (self.library.functions.qcrypto_cipher_free)(self.handle) }
    }
}
