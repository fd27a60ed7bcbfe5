//! Key Locker: AES with key handles, so that the key is not in memory once an object is made.
//!
//! It is for those who ask for it: slower than AES-NI, and few kernels enable it. There is no way back from a handle to
//! the key, so when the CPU refuses one, nothing else can take over, and must not: the caller hears of it.

mod cipher;

use std::sync::OnceLock;

use super::{Backend, Context, HashContext};
use crate::aes::x86::keylocker::works;
use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::cpu;
use crate::error::Error;

pub(super) struct KeyLocker;

/// What the CPU has; or the reason why it cannot be used, which stays what it was the first time.
fn usable() -> Result<cpu::KeyLocker, &'static str> {
    static USABLE: OnceLock<Result<cpu::KeyLocker, &'static str>> = OnceLock::new();
    *USABLE.get_or_init(|| {
        let cpu = cpu::KeyLocker::detect()?;
        if works(cpu) { Ok(cpu) } else { Err("the CPU's key handles fail the self-test") }
    })
}

impl Backend for KeyLocker {
    fn name(&self) -> &'static str {
        "keylocker"
    }

    fn version(&self) -> Result<&str, &str> {
        // CPUs differ in nothing else that matters.
        Ok(if usable()?.can_forbid_decryption() {
            "AES-128 and AES-256, tweak keys for encryption only"
        } else {
            "AES-128 and AES-256"
        })
    }

    fn supports(&self, algorithm: CipherAlgorithm, _mode: CipherMode) -> bool {
        cipher::supports(algorithm) && usable().is_ok()
    }

    fn open(
        &self,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Box<dyn Context>, Error> {
        let unavailable =
            |reason: &str| Error::BackendUnavailable { name: self.name(), reason: reason.into() };
        cipher::open(usable().map_err(unavailable)?, algorithm, mode, key)
    }

    fn supports_hash(&self, _algorithm: HashAlgorithm) -> bool {
        false
    }

    fn hash(&self, algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>, Error> {
        Err(Error::UnsupportedHash(algorithm))
    }

    fn hmac(&self, algorithm: HashAlgorithm, _key: &[u8]) -> Result<Box<dyn HashContext>, Error> {
        Err(Error::UnsupportedHmac(algorithm))
    }

    fn pbkdf2(
        &self,
        algorithm: HashAlgorithm,
        _password: &[u8],
        _salt: &[u8],
        _iterations: u64,
        _out: &mut [u8],
    ) -> Result<(), Error> {
        Err(Error::UnsupportedPbkdf(algorithm))
    }
}
