//! The kernel's crypto through AF_ALG sockets (Linux, Documentation/crypto/userspace-if.rst).
//!
//! Each object has a transform descriptor, which holds the key, and an operation descriptor made from it; in XTS one
//! more transform, the tweak key by itself, for data units longer than one request. Every request names its direction
//! and its IV: what the kernel would carry from one to the next is not relied on, since it differs between modes and
//! versions. No call can block: data is sent and fetched without waiting, as much as was sent and no more.
//!
//! PBKDF2 is not served: a system call for each of its iterations would take longer than the attacker needs.

mod cipher;
mod hash;
mod kernel;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use nix::errno::Errno;

use super::{Backend, Context, HashContext};
use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::error::Error;
use kernel::{Kernel, Linux, Operation};

pub(super) struct AfAlg;

impl Backend for AfAlg {
    fn name(&self) -> &'static str {
        "afalg"
    }

    fn version(&self) -> Result<&str, &str> {
        static VERSION: OnceLock<Result<String, String>> = OnceLock::new();
        VERSION.get_or_init(|| kernel::version(&Linux)).as_deref().map_err(String::as_str)
    }

    fn supports(&self, algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
        static OFFER: [[OnceLock<bool>; CipherMode::ALL.len()]; CipherAlgorithm::ALL.len()] =
            [const { [const { OnceLock::new() }; CipherMode::ALL.len()] };
                CipherAlgorithm::ALL.len()];
        let offer = &OFFER[algorithm as usize][mode as usize];
        *offer.get_or_init(|| cipher::supports(&Linux, algorithm, mode))
    }

    fn open(
        &self,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Box<dyn Context>, Error> {
        cipher::open(Linux, algorithm, mode, key)
    }

    fn supports_hash(&self, algorithm: HashAlgorithm) -> bool {
        static OFFER: [OnceLock<bool>; HashAlgorithm::ALL.len()] =
            [const { OnceLock::new() }; HashAlgorithm::ALL.len()];
        *OFFER[algorithm as usize].get_or_init(|| hash::supports(&Linux, algorithm))
    }

    fn hash(&self, algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>, Error> {
        hash::hash(Linux, algorithm)
    }

    fn hmac(&self, algorithm: HashAlgorithm, key: &[u8]) -> Result<Box<dyn HashContext>, Error> {
        hash::hmac(Linux, algorithm, key)
    }

    fn supports_pbkdf2(&self, _algorithm: HashAlgorithm) -> bool {
        false
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

/// An [`Error`] of a system call that failed.
fn failure(what: &'static str) -> impl Fn(Errno) -> Error {
    move |errno| Error::Library { what, reason: errno.desc().into() }
}

/// Calls again what a signal interrupted.
fn uninterrupted<T>(mut call: impl FnMut() -> nix::Result<T>) -> nix::Result<T> {
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            result => return result,
        }
    }
}

/// A transform with its key, and an operation on it.
struct Socket<K: Kernel> {
    kernel: K,
    operation: K::Descriptor,
    /// Kept open as long as the operation is in use.
    _transform: K::Descriptor,
}

impl<K: Kernel> Socket<K> {
    /// Opens an algorithm of a type, `skcipher` or `hash`, by the kernel's names. Hashes have no key.
    fn open(kernel: K, kind: &str, name: &str, key: Option<&[u8]>) -> Result<Self, Error> {
        let transform = uninterrupted(|| kernel.transform(kind, name))
            .map_err(failure("open AF_ALG socket"))?;
        if let Some(key) = key {
            uninterrupted(|| kernel.set_key(&transform, key)).map_err(failure("set key"))?;
        }
        let operation = uninterrupted(|| kernel.operation(&transform))
            .map_err(failure("open AF_ALG socket"))?;
        Ok(Self { kernel, operation, _transform: transform })
    }

    /// Sends a request, and says how much of its data the kernel took.
    fn send(
        &self,
        operation: Option<Operation<'_>>,
        data: &[u8],
        more: bool,
    ) -> nix::Result<usize> {
        uninterrupted(|| self.kernel.send(&self.operation, operation, data, more))
    }

    /// Fetches a result, which has exactly this length.
    fn fetch(&self, what: &'static str, result: &mut [u8]) -> Result<(), Error> {
        let len = uninterrupted(|| self.kernel.receive(&self.operation, result));
        if len.map_err(failure(what))? == result.len() {
            Ok(())
        } else {
            // The rest would be another operation, started wrongly.
            Err(Error::Library { what, reason: "a result of the wrong length".into() })
        }
    }
}
