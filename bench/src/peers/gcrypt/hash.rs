//! Hashes in one call, HMAC with one handle, its own PBKDF2.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_int;
use std::ptr;
use std::rc::Rc;

use super::{Gcrypt, Handle};
use crate::algorithm::Hash;
use crate::peers::Refusal;
use crate::peers::hash::{Derivation, Digest, Room, narrow};

const TEST_ALGO: c_int = 8;
const MD_FLAG_HMAC: std::ffi::c_uint = 2;
const KDF_PBKDF2: c_int = 34;

impl Gcrypt {
    /// The number of a hash that may be asked for.
    fn hash_number(&self, hash: Hash) -> Result<c_int, Refusal> {
        let number = number(hash);
        // SAFETY: this question takes neither a buffer nor a length.
        let code = unsafe {
            (self.0.gcry_md_algo_info)(number, TEST_ALGO, ptr::null_mut(), ptr::null_mut())
        };
        self.check(code).map_err(Refusal::Unsupported)?;
        // SAFETY: any number may be asked for.
        let len = unsafe { (self.0.gcry_md_get_algo_dlen)(number) };
        if len as usize == hash.digest_len() {
            Ok(number)
        } else {
            Err(Refusal::Failed(format!("says of its digest: {len} bytes")))
        }
    }
}

pub(super) struct Plain {
    library: Rc<Gcrypt>,
    number: c_int,
}

impl Plain {
    pub(super) fn new(library: Rc<Gcrypt>, hash: Hash) -> Result<Self, Refusal> {
        let number = library.hash_number(hash)?;
        Ok(Self { library, number })
    }
}

impl Digest for Plain {
    fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String> {
        let (to, from) = (room.as_mut_ptr().cast(), message.as_ptr().cast());
        // SAFETY: `new` has asked whether there is such a hash and whether its digest fits; the message is read for
        // the length given. Nothing is returned: this call cannot fail.
        unsafe { (self.library.0.gcry_md_hash_buffer)(self.number, to, from, message.len()) };
        Ok(())
    }
}

pub(super) struct Hmac {
    library: Rc<Gcrypt>,
    handle: Handle,
    number: c_int,
    len: usize,
}

impl Hmac {
    pub(super) fn new(library: Rc<Gcrypt>, hash: Hash, key: &[u8]) -> Result<Self, Refusal> {
        let number = library.hash_number(hash)?;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` may be written, and is only read after success.
        let opened = unsafe { (library.0.gcry_md_open)(&raw mut handle, number, MD_FLAG_HMAC) };
        library.check(opened).map_err(Refusal::Failed)?;
        let hmac = Self { library, handle, number, len: hash.digest_len() };
        // SAFETY: the handle is open, and the key is read for the length given.
        let keyed =
            unsafe { (hmac.library.0.gcry_md_setkey)(handle, key.as_ptr().cast(), key.len()) };
        hmac.library.check(keyed).map_err(Refusal::Failed)?;
        Ok(hmac)
    }
}

impl Digest for Hmac {
    fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String> {
        let functions = &self.library.0;
        // SAFETY: the handle is open and keyed, and the message is read for the length given. What is read lies in
        // the handle and is as long as the library said in `new`, which is less than there is room for.
        unsafe {
            (functions.gcry_md_reset)(self.handle);
            (functions.gcry_md_write)(self.handle, message.as_ptr().cast(), message.len());
            let mac = (functions.gcry_md_read)(self.handle, self.number);
            if mac.is_null() {
                return Err("gives no result".to_owned());
            }
            ptr::copy_nonoverlapping(mac, room.as_mut_ptr(), self.len);
        }
        Ok(())
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: opened by `new` and closed nowhere else.
        unsafe { (self.library.0.gcry_md_close)(self.handle) }
    }
}

pub(super) struct Pbkdf2 {
    library: Rc<Gcrypt>,
    number: c_int,
}

impl Pbkdf2 {
    pub(super) fn new(library: Rc<Gcrypt>, hash: Hash) -> Result<Self, Refusal> {
        let number = library.hash_number(hash)?;
        Ok(Self { library, number })
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
        // SAFETY: password and salt are read, and the key written, for the lengths given.
        let code = unsafe {
            (self.library.0.gcry_kdf_derive)(
                password.as_ptr().cast(),
                password.len(),
                KDF_PBKDF2,
                self.number,
                salt.as_ptr().cast(),
                salt.len(),
                narrow(iterations)?,
                key.len(),
                key.as_mut_ptr().cast(),
            )
        };
        self.library.check(code)
    }
}

/// `GCRY_MD_*`.
fn number(hash: Hash) -> c_int {
    match hash {
        Hash::Md5 => 1,
        Hash::Sha1 => 2,
        Hash::Ripemd160 => 3,
        Hash::Sha256 => 8,
        Hash::Sha384 => 9,
        Hash::Sha512 => 10,
        Hash::Sha224 => 11,
        Hash::Sm3 => 326,
    }
}
