//! Hashes, HMAC and PBKDF2 of libgcrypt.

use std::ffi::c_int;
use std::ptr::{copy_nonoverlapping, null_mut};
use std::sync::OnceLock;

use super::Opened;
use crate::algorithm::HashAlgorithm;
use crate::backend::HashContext;
use crate::error::Error;
use crate::sys::gcrypt as sys;

/// Whether the library has the hash, and HMAC with it.
pub(super) fn supports(algorithm: HashAlgorithm) -> bool {
    static OFFER: OnceLock<[bool; HashAlgorithm::ALL.len()]> = OnceLock::new();
    let probe = |algorithm| {
        Opened::get().is_ok_and(|library| {
            Running::hash(library, algorithm).is_ok()
                && Running::hmac(library, algorithm, &[1; 32]).is_ok()
        })
    };
    OFFER.get_or_init(|| HashAlgorithm::ALL.map(probe))[algorithm as usize]
}

/// A hash or HMAC that is being fed.
pub(super) struct Running {
    library: &'static Opened,
    number: c_int,
    raw: sys::Handle,
}

// SAFETY: the library's handles belong to no thread; one thread at a time uses them.
unsafe impl Send for Running {}

impl Running {
    pub(super) fn hash(library: &'static Opened, algorithm: HashAlgorithm) -> Result<Self, Error> {
        let number = number(algorithm);
        let mut raw = null_mut();
        // SAFETY: `raw` may be written, and is only read after success.
        let code = unsafe { (library.functions.gcry_md_open)(&raw mut raw, number, 0) };
        library.check("initialize hash", code)?;
        Ok(Self { library, number, raw })
    }

    pub(super) fn hmac(
        library: &'static Opened,
        algorithm: HashAlgorithm,
        key: &[u8],
    ) -> Result<Self, Error> {
        let number = number(algorithm);
        let mut raw = null_mut();
        // SAFETY: `raw` may be written, and is only read after success.
        let code =
            unsafe { (library.functions.gcry_md_open)(&raw mut raw, number, sys::FLAG_HMAC) };
        library.check("initialize hmac", code)?;
        let running = Self { library, number, raw };
        // SAFETY: the handle is open, and the key is read for its length.
        let code =
            unsafe { (library.functions.gcry_md_setkey)(raw, key.as_ptr().cast(), key.len()) };
        library.check("set key", code)?;
        Ok(running)
    }
}

impl HashContext for Running {
    fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        // SAFETY: the handle is open, and the data is read for its length.
        unsafe {
            (self.library.functions.gcry_md_write)(self.raw, data.as_ptr().cast(), data.len());
        }
        Ok(())
    }

    fn finish(&mut self, digest: &mut [u8]) -> Result<(), Error> {
        // SAFETY: the handle is open for this algorithm.
        let result = unsafe { (self.library.functions.gcry_md_read)(self.raw, self.number) };
        if result.is_null() {
            return Err(Error::Internal);
        }
        // SAFETY: the result has the length of the algorithm's digest, and so has `digest`; it is the handle's own memory.
        unsafe { copy_nonoverlapping(result, digest.as_mut_ptr(), digest.len()) };
        // SAFETY: the handle is open; an HMAC keeps its key.
        unsafe { (self.library.functions.gcry_md_reset)(self.raw) };
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // SAFETY: opened by `hash` or `hmac`, closed nowhere else. The library wipes it.
        unsafe { (self.library.functions.gcry_md_close)(self.raw) }
    }
}

/// PBKDF2 with a salt that is not empty.
pub(super) fn pbkdf2(
    library: &'static Opened,
    algorithm: HashAlgorithm,
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    out: &mut [u8],
) -> Result<(), Error> {
    if out.is_empty() {
        // Another thing that the library refuses.
        return Ok(());
    }
    // SAFETY: each buffer is used for its own length.
    let code = unsafe {
        (library.functions.gcry_kdf_derive)(
            password.as_ptr().cast(),
            password.len(),
            sys::KDF_PBKDF2,
            number(algorithm),
            salt.as_ptr().cast(),
            salt.len(),
            iterations,
            out.len(),
            out.as_mut_ptr().cast(),
        )
    };
    library.check("derive password", code)
}

/// `GCRY_MD_*`
fn number(algorithm: HashAlgorithm) -> c_int {
    match algorithm {
        HashAlgorithm::Md5 => 1,
        HashAlgorithm::Sha1 => 2,
        HashAlgorithm::Ripemd160 => 3,
        HashAlgorithm::Sha256 => 8,
        HashAlgorithm::Sha384 => 9,
        HashAlgorithm::Sha512 => 10,
        HashAlgorithm::Sha224 => 11,
        HashAlgorithm::Sm3 => 326,
    }
}
