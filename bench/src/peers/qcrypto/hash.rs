//! Its hashes, HMAC and PBKDF2, each result in a buffer of the caller's.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_uint;
use std::ptr;
use std::rc::Rc;

use super::{Build, Derive, Functions, Handle, HashBytes, HmacBytes, Supports};
use crate::algorithm::Hash;
use crate::peers::hash::{Derivation, Digest, Room};
use crate::peers::{Refusal, dynamic};

impl Functions {
    /// A function that builds before the hashes did not have.
    fn since_hashes<T>(&self, function: Option<T>, name: &str) -> Result<T, Refusal> {
        function.ok_or_else(|| Refusal::Unsupported(dynamic::missing(name)))
    }

    /// Whether one of the `qcrypto_*_supports` knows the hash, and its digest is as long as ours would be.
    fn expect_hash(&self, supports: Supports, hash: Hash) -> Result<(), Refusal> {
        // SAFETY: any number may be asked for.
        if !unsafe { supports(hash as c_uint) } {
            return Err(Refusal::Unsupported("not supported".to_owned()));
        }
        let digest_len =
            self.since_hashes(self.qcrypto_hash_digest_len, "qcrypto_hash_digest_len")?;
        // SAFETY: any number may be asked for.
        let len = unsafe { digest_len(hash as c_uint) };
        if len == hash.digest_len() {
            Ok(())
        } else {
            Err(Refusal::Failed(format!("says of its digest: {len} bytes")))
        }
    }
}

pub(super) struct Plain {
    library: Rc<Build>,
    bytes: HashBytes,
    hash: Hash,
}

impl Plain {
    pub(super) fn new(library: Rc<Build>, hash: Hash) -> Result<Self, Refusal> {
        let functions = &library.functions;
        let supports =
            functions.since_hashes(functions.qcrypto_hash_supports, "qcrypto_hash_supports")?;
        functions.expect_hash(supports, hash)?;
        let bytes = functions.since_hashes(functions.qcrypto_hash_bytes, "qcrypto_hash_bytes")?;
        Ok(Self { library, bytes, hash })
    }
}

impl Digest for Plain {
    fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String> {
        let (mut result, mut len) = (room.as_mut_ptr(), self.hash.digest_len());
        let mut error = ptr::null_mut();
        // SAFETY: the message is read for the length given; `result` and its length are those of a digest, for which
        // there is room; the Error is still NULL.
        let code = unsafe {
            (self.bytes)(
                self.hash as c_uint,
                message.as_ptr().cast(),
                message.len(),
                &raw mut result,
                &raw mut len,
                &raw mut error,
            )
        };
        if code == 0 { Ok(()) } else { Err(self.library.functions.complain(error)) }
    }
}

pub(super) struct Hmac {
    library: Rc<Build>,
    bytes: HmacBytes,
    free: unsafe extern "C" fn(Handle),
    handle: Handle,
    len: usize,
}

impl Hmac {
    pub(super) fn new(library: Rc<Build>, hash: Hash, key: &[u8]) -> Result<Self, Refusal> {
        let functions = &library.functions;
        let supports =
            functions.since_hashes(functions.qcrypto_hmac_supports, "qcrypto_hmac_supports")?;
        functions.expect_hash(supports, hash)?;
        let new = functions.since_hashes(functions.qcrypto_hmac_new, "qcrypto_hmac_new")?;
        let bytes = functions.since_hashes(functions.qcrypto_hmac_bytes, "qcrypto_hmac_bytes")?;
        let free = functions.since_hashes(functions.qcrypto_hmac_free, "qcrypto_hmac_free")?;
        let mut error = ptr::null_mut();
        // SAFETY: the key is read for the length given, and the Error is still NULL.
        let handle = unsafe { new(hash as c_uint, key.as_ptr(), key.len(), &raw mut error) };
        if handle.is_null() {
            return Err(Refusal::Failed(functions.complain(error)));
        }
        Ok(Self { library, bytes, free, handle, len: hash.digest_len() })
    }
}

impl Digest for Hmac {
    fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String> {
        let (mut result, mut len) = (room.as_mut_ptr(), self.len);
        let mut error = ptr::null_mut();
        // SAFETY: the handle is open; the rest is as with `Plain`.
        let code = unsafe {
            (self.bytes)(
                self.handle,
                message.as_ptr().cast(),
                message.len(),
                &raw mut result,
                &raw mut len,
                &raw mut error,
            )
        };
        if code == 0 { Ok(()) } else { Err(self.library.functions.complain(error)) }
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: opened by `new` and freed nowhere else.
        unsafe { (self.free)(self.handle) }
    }
}

pub(super) struct Pbkdf2 {
    library: Rc<Build>,
    function: Derive,
    hash: Hash,
}

impl Pbkdf2 {
    pub(super) fn new(library: Rc<Build>, hash: Hash) -> Result<Self, Refusal> {
        let functions = &library.functions;
        let supports =
            functions.since_hashes(functions.qcrypto_pbkdf2_supports, "qcrypto_pbkdf2_supports")?;
        functions.expect_hash(supports, hash)?;
        let function = functions.since_hashes(functions.qcrypto_pbkdf2, "qcrypto_pbkdf2")?;
        Ok(Self { library, function, hash })
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
        let mut error = ptr::null_mut();
        // SAFETY: password and salt are read, and the key written, for the lengths given; the Error is still NULL.
        let code = unsafe {
            (self.function)(
                self.hash as c_uint,
                password.as_ptr(),
                password.len(),
                salt.as_ptr(),
                salt.len(),
                iterations,
                key.as_mut_ptr(),
                key.len(),
                &raw mut error,
            )
        };
        if code == 0 { Ok(()) } else { Err(self.library.functions.complain(error)) }
    }
}
