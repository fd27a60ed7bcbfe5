//! Backends: who supports what, and how one is chosen.
//!
//! A backend is a file here and a line in [`BACKENDS`].

#[cfg(all(feature = "afalg", target_os = "linux"))]
mod afalg;
#[cfg(any(feature = "gcrypt", feature = "afalg"))]
mod carry;
mod choice;
#[cfg(any(feature = "gcrypt", feature = "afalg"))]
mod direction;
#[cfg(feature = "gcrypt")]
#[allow(unsafe_code, reason = "calls a C library")]
mod gcrypt;
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft"), feature = "keylocker"))]
mod keylocker;
#[cfg(any(feature = "gcrypt", feature = "nettle"))]
#[allow(unsafe_code, reason = "calls the dynamic loader")]
mod library;
mod native;
#[cfg(feature = "nettle")]
#[allow(unsafe_code, reason = "calls a C library")]
mod nettle;
#[cfg(any(feature = "gcrypt", feature = "nettle"))]
mod pbkdf2;
#[cfg(any(feature = "gcrypt", feature = "afalg"))]
mod units;

pub(crate) use choice::{describe, open_all, set};
#[cfg(test)]
pub(crate) use native::open_at;

use std::ffi::CStr;

use inout::InOutBuf;

use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::error::Error;
use crate::iv::Iv;
use crate::kernel::Sectors;
use choice::Choice;

/// A library, instruction set or kernel that runs ciphers, hashes or both.
trait Backend: Sync {
    /// What lists call it.
    fn name(&self) -> &'static str;

    /// Its version, or why it cannot be used. Whatever has to be opened is opened by the first call that needs it.
    fn version(&self) -> Result<&str, &str>;

    /// Whether [`Backend::open`] succeeds for this pair with a key of the right length.
    fn supports(&self, algorithm: CipherAlgorithm, mode: CipherMode) -> bool;

    /// Expands a key, whose length the caller checked. XTS: the data key, then the tweak key.
    fn open(
        &self,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Box<dyn Context>, Error>;

    /// Whether this hash and HMAC with it are there.
    fn supports_hash(&self, algorithm: HashAlgorithm) -> bool;

    /// Starts a hash.
    fn hash(&self, algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>, Error>;

    /// Starts an HMAC with a key of any length.
    fn hmac(&self, algorithm: HashAlgorithm, key: &[u8]) -> Result<Box<dyn HashContext>, Error>;

    /// Whether PBKDF2 with this hash is there.
    fn supports_pbkdf2(&self, algorithm: HashAlgorithm) -> bool {
        self.supports_hash(algorithm)
    }

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

    /// Encrypts sectors, each from an IV of its own. They come in batches: one call is not all that the user asked for.
    fn encrypt_sectors(&self, sectors: Sectors<'_, '_, '_>) -> Result<(), Error> {
        sectors.one_by_one(|iv, data| self.encrypt(iv, data))
    }

    /// Decrypts sectors; else as [`Context::encrypt_sectors`].
    fn decrypt_sectors(&self, sectors: Sectors<'_, '_, '_>) -> Result<(), Error> {
        sectors.one_by_one(|iv, data| self.decrypt(iv, data))
    }
}

/// A hash or HMAC that is fed piece by piece.
pub(crate) trait HashContext: Send {
    /// Takes more of the message.
    fn update(&mut self, data: &[u8]) -> Result<(), Error>;

    /// Puts the digest into `digest`, which has its length, and starts over: an HMAC with the same key.
    fn finish(&mut self, digest: &mut [u8]) -> Result<(), Error>;
}

/// Every backend of this build.
static BACKENDS: &[&dyn Backend] = &[
    &native::Native,
    #[cfg(feature = "gcrypt")]
    &gcrypt::Gcrypt,
    #[cfg(feature = "nettle")]
    &nettle::Nettle,
    #[cfg(all(feature = "afalg", target_os = "linux"))]
    &afalg::AfAlg,
    #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft"), feature = "keylocker"))]
    &keylocker::KeyLocker,
];

/// The backend that lists call so.
fn named(name: &str) -> Option<&'static dyn Backend> {
    BACKENDS.iter().copied().find(|backend| backend.name() == name)
}

/// Whether one of the chosen backends can.
fn any(can: impl Fn(&dyn Backend) -> bool) -> bool {
    Choice::current().backends().any(can)
}

/// What the first of the chosen backends that `can` makes; `none` is the error where there is none. Where a backend
/// refuses after all, the next is asked. Where it is only out of descriptors or memory, that is an error: the next would
/// serve in its place until there are some again, and nobody would know.
fn first<T>(
    can: impl Fn(&dyn Backend) -> bool,
    mut make: impl FnMut(&dyn Backend) -> Result<T, Error>,
    none: Error,
) -> Result<T, Error> {
    let mut result = Err(none);
    for backend in Choice::current().backends().filter(|backend| can(*backend)) {
        result = make(backend);
        if matches!(result, Ok(_) | Err(Error::Exhausted { .. })) {
            break;
        }
    }
    result
}

/// Whether a test wants our XTS over a library's block cipher where the library has its own.
#[cfg(any(feature = "gcrypt", feature = "nettle"))]
fn block_xts_is_forced() -> bool {
    #[cfg(feature = "test-hooks")]
    return crate::test_hooks::block_xts_is_forced();
    #[cfg(not(feature = "test-hooks"))]
    return false;
}

/// Whether a chosen backend has the pair.
pub(crate) fn supports(algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
    any(|backend| backend.supports(algorithm, mode))
}

/// Expands a key of the right length on the backend that serves the pair.
pub(crate) fn open(
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error> {
    first(
        |backend| backend.supports(algorithm, mode),
        |backend| backend.open(algorithm, mode, key),
        Error::UnsupportedPair(algorithm, mode),
    )
}

/// [`open`] on the backend of this name or not at all.
pub(crate) fn open_with(
    name: &str,
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error> {
    let backend = named(name).ok_or_else(|| Error::UnknownBackend(name.into()))?;
    let (name, version) = (backend.name(), backend.version());
    version.map_err(|reason| Error::BackendUnavailable { name, reason: reason.into() })?;
    if !backend.supports(algorithm, mode) {
        return Err(Error::BackendLacks { name, algorithm, mode });
    }
    backend.open(algorithm, mode, key)
}

/// Whether a chosen backend has the hash, and so its HMAC.
pub(crate) fn supports_hash(algorithm: HashAlgorithm) -> bool {
    any(|backend| backend.supports_hash(algorithm))
}

/// Starts a hash on the backend that serves it.
pub(crate) fn hash(algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>, Error> {
    first(
        |backend| backend.supports_hash(algorithm),
        |backend| backend.hash(algorithm),
        Error::UnsupportedHash(algorithm),
    )
}

/// Starts an HMAC on the backend that serves it.
pub(crate) fn hmac(algorithm: HashAlgorithm, key: &[u8]) -> Result<Box<dyn HashContext>, Error> {
    first(
        |backend| backend.supports_hash(algorithm),
        |backend| backend.hmac(algorithm, key),
        Error::UnsupportedHmac(algorithm),
    )
}

/// Whether a chosen backend has PBKDF2 with the hash.
pub(crate) fn supports_pbkdf2(algorithm: HashAlgorithm) -> bool {
    any(|backend| backend.supports_pbkdf2(algorithm))
}

/// Derives a key on the backend that serves the hash.
pub(crate) fn pbkdf2(
    algorithm: HashAlgorithm,
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    out: &mut [u8],
) -> Result<(), Error> {
    first(
        |backend| backend.supports_pbkdf2(algorithm),
        |backend| backend.pbkdf2(algorithm, password, salt, iterations, out),
        Error::UnsupportedPbkdf(algorithm),
    )
}
