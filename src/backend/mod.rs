//! Backends: who supports what, and how one is chosen.
//!
//! A backend is a file here and a line in [`BACKENDS`].

mod native;

#[cfg(test)]
pub(crate) use native::open_at;

use std::ffi::CStr;

use inout::InOutBuf;

use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::error::Error;
use crate::iv::Iv;

/// A library, instruction set or kernel that runs ciphers.
trait Backend: Sync {
    /// Whether [`Backend::open`] succeeds for this pair with a key of the right length.
    fn supports(&self, algorithm: CipherAlgorithm, mode: CipherMode) -> bool;

    /// Expands a key, whose length the caller checked. XTS: the data key, then the tweak key.
    fn open(
        &self,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Box<dyn Context>, Error>;

    /// Whether hashes, HMAC and PBKDF2 with this hash are there.
    fn supports_hash(&self, algorithm: HashAlgorithm) -> bool;

    /// Starts a hash.
    fn hash(&self, algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>, Error>;

    /// Starts an HMAC with a key of any length.
    fn hmac(&self, algorithm: HashAlgorithm, key: &[u8]) -> Result<Box<dyn HashContext>, Error>;

    /// PBKDF2 (RFC 8018 section 5.2) of at least one iteration, into all of `out`.
    fn pbkdf2(
        &self,
        algorithm: HashAlgorithm,
        password: &[u8],
        salt: &[u8],
        iterations: u64,
        out: &mut [u8],
    ) -> Result<(), Error>;
}

/// An expanded key in one mode. It holds no IV, so calls with an IV each may run at the same time.
pub(crate) trait Context: Send + Sync {
    /// What serves, down to the kernel, e.g. `native/portable`.
    fn name(&self) -> &CStr;

    /// Encrypts whole blocks and leaves in `iv` what the mode's next call starts from. In XTS that is `iv` itself.
    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error>;

    /// Decrypts whole blocks; else as [`Context::encrypt`].
    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error>;
}

/// A hash or HMAC that is fed piece by piece.
pub(crate) trait HashContext: Send {
    /// Takes more of the message.
    fn update(&mut self, data: &[u8]) -> Result<(), Error>;

    /// Puts the digest into `digest`, which has its length, and starts over: an HMAC with the same key.
    fn finish(&mut self, digest: &mut [u8]) -> Result<(), Error>;
}

/// Every backend of this build, in the order they are asked.
static BACKENDS: [&dyn Backend; 1] = [&native::Native];

/// The first backend that has the pair.
fn find(algorithm: CipherAlgorithm, mode: CipherMode) -> Option<&'static dyn Backend> {
    BACKENDS.into_iter().find(|backend| backend.supports(algorithm, mode))
}

/// Whether some backend has the pair.
pub(crate) fn supports(algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
    find(algorithm, mode).is_some()
}

/// Expands a key of the right length on the backend that serves the pair.
pub(crate) fn open(
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error> {
    find(algorithm, mode).ok_or(Error::UnsupportedMode(mode))?.open(algorithm, mode, key)
}

/// The first backend that has the hash.
fn find_hash(algorithm: HashAlgorithm) -> Option<&'static dyn Backend> {
    BACKENDS.into_iter().find(|backend| backend.supports_hash(algorithm))
}

/// Whether some backend has the hash, and so its HMAC and PBKDF2.
pub(crate) fn supports_hash(algorithm: HashAlgorithm) -> bool {
    find_hash(algorithm).is_some()
}

/// Starts a hash on the backend that serves it.
pub(crate) fn hash(algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>, Error> {
    find_hash(algorithm).ok_or(Error::UnsupportedHash(algorithm))?.hash(algorithm)
}

/// Starts an HMAC on the backend that serves it.
pub(crate) fn hmac(algorithm: HashAlgorithm, key: &[u8]) -> Result<Box<dyn HashContext>, Error> {
    find_hash(algorithm).ok_or(Error::UnsupportedHmac(algorithm))?.hmac(algorithm, key)
}

/// Derives a key on the backend that serves the hash.
pub(crate) fn pbkdf2(
    algorithm: HashAlgorithm,
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    out: &mut [u8],
) -> Result<(), Error> {
    find_hash(algorithm)
        .ok_or(Error::UnsupportedPbkdf(algorithm))?
        .pbkdf2(algorithm, password, salt, iterations, out)
}
