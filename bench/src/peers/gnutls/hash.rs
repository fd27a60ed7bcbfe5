//! Hashes in one call, HMAC with one handle, its own PBKDF2.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_int;
use std::ptr;
use std::rc::Rc;

use super::{Datum, Derive, GnuTls, Handle};
use crate::algorithm::Hash;
use crate::peers::Refusal;
use crate::peers::hash::{Derivation, Digest, Room, narrow};

impl GnuTls {
    /// The number of a hash that may be asked for.
    fn hash_number(&self, hash: Hash) -> Result<c_int, Refusal> {
        let number =
            number(hash).ok_or_else(|| Refusal::Unsupported("not in gnutls.h".to_owned()))?;
        // SAFETY: any number may be asked for.
        match unsafe { (self.0.gnutls_hash_get_len)(number) } as usize {
            0 => Err(Refusal::Unsupported("no such hash".to_owned())),
            len if len == hash.digest_len() => Ok(number),
            len => Err(Refusal::Failed(format!("says of its digest: {len} bytes"))),
        }
    }
}

pub(super) struct Plain {
    library: Rc<GnuTls>,
    number: c_int,
}

impl Plain {
    pub(super) fn new(library: Rc<GnuTls>, hash: Hash) -> Result<Self, Refusal> {
        let number = library.hash_number(hash)?;
        let mut plain = Self { library, number };
        // A policy of the machine may forbid what the library has.
        plain.digest(&[], &mut [0; _]).map_err(Refusal::Unsupported)?;
        Ok(plain)
    }
}

impl Digest for Plain {
    fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String> {
        let (from, to) = (message.as_ptr().cast(), room.as_mut_ptr().cast());
        // SAFETY: `new` has asked whether the digest fits; the message is read for the length given.
        let code =
            unsafe { (self.library.0.gnutls_hash_fast)(self.number, from, message.len(), to) };
        self.library.check(code)
    }
}

pub(super) struct Hmac {
    library: Rc<GnuTls>,
    handle: Handle,
}

impl Hmac {
    pub(super) fn new(library: Rc<GnuTls>, hash: Hash, key: &[u8]) -> Result<Self, Refusal> {
        let number = library.hash_number(hash)?;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is only read after success, and the key is read for the length given.
        let code = unsafe {
            (library.0.gnutls_hmac_init)(&raw mut handle, number, key.as_ptr().cast(), key.len())
        };
        library.check(code).map_err(Refusal::Unsupported)?;
        Ok(Self { library, handle })
    }
}

impl Digest for Hmac {
    fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String> {
        let functions = &self.library.0;
        // SAFETY: the handle is open, and the message is read for the length given.
        let code =
            unsafe { (functions.gnutls_hmac)(self.handle, message.as_ptr().cast(), message.len()) };
        self.library.check(code)?;
        // SAFETY: as above, and `new` has asked whether the result fits. The handle then starts over.
        unsafe { (functions.gnutls_hmac_output)(self.handle, room.as_mut_ptr().cast()) };
        Ok(())
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: opened by `new` and closed nowhere else; NULL: the result is of no interest.
        unsafe { (self.library.0.gnutls_hmac_deinit)(self.handle, ptr::null_mut()) }
    }
}

pub(super) struct Pbkdf2 {
    library: Rc<GnuTls>,
    function: Derive,
    number: c_int,
}

impl Pbkdf2 {
    pub(super) fn new(library: Rc<GnuTls>, hash: Hash) -> Result<Self, Refusal> {
        let number = library.hash_number(hash)?;
        let function = library
            .0
            .gnutls_pbkdf2
            .ok_or_else(|| Refusal::Unsupported("no PBKDF2 before version 3.6.13".to_owned()))?;
        let mut pbkdf2 = Self { library, function, number };
        // It has hashes that its HMAC does not know.
        pbkdf2.derive(&[0], &[0], 1, &mut [0]).map_err(Refusal::Unsupported)?;
        Ok(pbkdf2)
    }
}

impl Derivation for Pbkdf2 {
    fn derive(
        &mut self,
        password: &[u8],
        salt: &[u8],
        iterations: u64,
        key: &mut [u8],
    ) -> Result<(), String> {
        let (mut password, mut salt) = (password.to_vec(), salt.to_vec());
        let (password, salt) = (Datum::of(&mut password), Datum::of(&mut salt));
        // SAFETY: both data live through the call, and the key is written for the length given.
        let code = unsafe {
            (self.function)(
                self.number,
                &raw const password,
                &raw const salt,
                narrow(iterations)?,
                key.as_mut_ptr().cast(),
                key.len(),
            )
        };
        self.library.check(code)
    }
}

/// `GNUTLS_DIG_*`, and `GNUTLS_MAC_*` as well.
fn number(hash: Hash) -> Option<c_int> {
    Some(match hash {
        Hash::Md5 => 2,
        Hash::Sha1 => 3,
        Hash::Ripemd160 => 4,
        Hash::Sha256 => 6,
        Hash::Sha384 => 7,
        Hash::Sha512 => 8,
        Hash::Sha224 => 9,
        Hash::Sm3 => return None,
    })
}
