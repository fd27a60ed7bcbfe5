//! Hashes, HMAC and PBKDF2 of Nettle. None of them can fail.

use std::ffi::c_uint;

use super::Opened;
use super::memory::Memory;
use crate::algorithm::HashAlgorithm;
use crate::backend::HashContext;
use crate::error::Error;
use crate::sys::nettle as sys;

/// Whether the library has the hash, and HMAC with it.
pub(super) fn supports(algorithm: HashAlgorithm) -> bool {
    Opened::get().is_ok_and(|library| {
        describe_hash(library, algorithm).is_some() && describe_hmac(library, algorithm).is_some()
    })
}

/// What the library has of a hash, if its digest is as long as we know it.
fn describe_hash(library: &Opened, algorithm: HashAlgorithm) -> Option<&'static sys::Hash> {
    let functions = &library.functions;
    let hash = match algorithm {
        HashAlgorithm::Md5 => functions.nettle_md5,
        HashAlgorithm::Sha1 => functions.nettle_sha1,
        HashAlgorithm::Sha224 => functions.nettle_sha224,
        HashAlgorithm::Sha256 => functions.nettle_sha256,
        HashAlgorithm::Sha384 => functions.nettle_sha384,
        HashAlgorithm::Sha512 => functions.nettle_sha512,
        HashAlgorithm::Ripemd160 => functions.nettle_ripemd160,
        HashAlgorithm::Sm3 => functions.nettle_sm3,
    };
    hash.filter(|hash| hash.digest_size as usize == algorithm.digest_len())
}

/// What the library has of an HMAC, and its function for keys of any length: the one described takes keys of one.
fn describe_hmac(
    library: &Opened,
    algorithm: HashAlgorithm,
) -> Option<(&'static sys::Mac, sys::SetKeyOfLength)> {
    let f = &library.functions;
    let (mac, set_key) = match algorithm {
        HashAlgorithm::Md5 => (f.nettle_hmac_md5, f.nettle_hmac_md5_set_key),
        HashAlgorithm::Sha1 => (f.nettle_hmac_sha1, f.nettle_hmac_sha1_set_key),
        HashAlgorithm::Sha224 => (f.nettle_hmac_sha224, f.nettle_hmac_sha224_set_key),
        HashAlgorithm::Sha256 => (f.nettle_hmac_sha256, f.nettle_hmac_sha256_set_key),
        HashAlgorithm::Sha384 => (f.nettle_hmac_sha384, f.nettle_hmac_sha384_set_key),
        HashAlgorithm::Sha512 => (f.nettle_hmac_sha512, f.nettle_hmac_sha512_set_key),
        HashAlgorithm::Ripemd160 => (f.nettle_hmac_ripemd160, f.nettle_hmac_ripemd160_set_key),
        HashAlgorithm::Sm3 => (f.nettle_hmac_sm3, f.nettle_hmac_sm3_set_key),
    };
    let mac = mac.filter(|mac| mac.digest_size as usize == algorithm.digest_len());
    mac.zip(set_key)
}

/// A hash or HMAC that is being fed.
pub(super) struct Running {
    library: &'static Opened,
    context: Memory,
    update: sys::Update,
    digest: sys::Digest,
}

impl Running {
    pub(super) fn hash(library: &'static Opened, algorithm: HashAlgorithm) -> Result<Self, Error> {
        let hash = describe_hash(library, algorithm).ok_or(Error::UnsupportedHash(algorithm))?;
        let mut context = Memory::new(hash.context_size as usize);
        // SAFETY: the context is as large as the description says.
        unsafe { (hash.init)(context.get_mut()) };
        Ok(Self { library, context, update: hash.update, digest: hash.digest })
    }

    pub(super) fn hmac(
        library: &'static Opened,
        algorithm: HashAlgorithm,
        key: &[u8],
    ) -> Result<Self, Error> {
        let (mac, set_key) =
            describe_hmac(library, algorithm).ok_or(Error::UnsupportedHmac(algorithm))?;
        let mut context = Memory::new(mac.context_size as usize);
        // SAFETY: the context is as large as the description says, and the key is read for its length.
        unsafe { set_key(context.get_mut(), key.len(), key.as_ptr()) };
        Ok(Self { library, context, update: mac.update, digest: mac.digest })
    }

    /// PBKDF2 of at least one iteration, where this is an HMAC of the algorithm with the password as its key and none of
    /// a message yet. The library has functions that take the password too; they do the same and leave their context
    /// behind.
    pub(super) fn derive(
        &mut self,
        algorithm: HashAlgorithm,
        salt: &[u8],
        iterations: c_uint,
        out: &mut [u8],
    ) {
        // SAFETY: a function pointer, whatever its type.
        let digest = unsafe { self.digest.part };
        // SAFETY: the context is one of the functions, whose digest has the length given, as `describe_hmac` has seen.
        // The salt is read and the key written for their lengths.
        unsafe {
            (self.library.functions.nettle_pbkdf2)(
                self.context.get_mut(),
                self.update,
                digest,
                algorithm.digest_len(),
                iterations,
                salt.len(),
                salt.as_ptr(),
                out.len(),
                out.as_mut_ptr(),
            );
        }
    }
}

impl HashContext for Running {
    fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        // SAFETY: the context is one of the function's, and the data is read for its length.
        unsafe { (self.update)(self.context.get_mut(), data.len(), data.as_ptr()) };
        Ok(())
    }

    /// The library starts over by itself.
    fn finish(&mut self, digest: &mut [u8]) -> Result<(), Error> {
        if self.library.major < 4 {
            // SAFETY: that is what it is in this version.
            let take = unsafe { self.digest.part };
            // SAFETY: the context is one of the function's, and `digest` is written for its length.
            unsafe { take(self.context.get_mut(), digest.len(), digest.as_mut_ptr()) };
        } else {
            // SAFETY: that is what it is in this version.
            let take = unsafe { self.digest.whole };
            // SAFETY: the context is one of the function's, and `digest` has the length of the algorithm's.
            unsafe { take(self.context.get_mut(), digest.as_mut_ptr()) };
        }
        Ok(())
    }
}
