//! The kernel's crypto through AF_ALG sockets (Linux, Documentation/crypto/userspace-if.rst).
//!
//! Each object has a transform descriptor, which holds the key, and an operation descriptor made from it; in XTS one
//! more of each, for the tweak key by itself, for data units longer than one request. Every request names its direction
//! and its IV: what the kernel would carry from one to the next is not relied on, since it differs between modes and
//! versions. No call can block: data is sent and fetched without waiting, as much as was sent and no more.
//!
//! A process and those it forks share the sockets, so an object is good on one side only, as all objects are.
//!
//! PBKDF2 is not served: a system call for each of its iterations would take longer than the attacker needs.

mod cipher;
mod hash;
mod kernel;
mod offer;
#[cfg(test)]
mod tests;
mod tweak;

use std::sync::OnceLock;

use nix::errno::Errno;

use super::{Backend, Context, HashContext};
use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::error::Error;
use kernel::{Kernel, Linux, Operation};
use offer::Kept;

pub(super) struct AfAlg;

impl Backend for AfAlg {
    fn name(&self) -> &'static str {
        "afalg"
    }

    fn version(&self) -> Result<&str, &str> {
        static RELEASE: OnceLock<String> = OnceLock::new();
        static REFUSAL: Kept<Option<String>> = Kept::new();
        let refusal = REFUSAL.get(|| {
            let answer = offer::answer(Linux.probe())?;
            Ok(answer.err().map(|errno| format!("socket(AF_ALG): {}", errno.desc())))
        });
        match refusal {
            Some(Some(reason)) => Err(reason),
            _ => Ok(RELEASE.get_or_init(|| Linux.release())),
        }
    }

    fn supports(&self, algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
        static OFFER: [[Kept<bool>; CipherMode::ALL.len()]; CipherAlgorithm::ALL.len()] =
            [const { [const { Kept::new() }; CipherMode::ALL.len()] }; CipherAlgorithm::ALL.len()];
        let offer = OFFER[algorithm as usize][mode as usize]
            .get(|| cipher::supports(&Linux, algorithm, mode));
        // If that is not to be known now, the attempt to open says why.
        offer.copied().unwrap_or(true)
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
        static OFFER: [Kept<bool>; HashAlgorithm::ALL.len()] =
            [const { Kept::new() }; HashAlgorithm::ALL.len()];
        let offer = OFFER[algorithm as usize].get(|| hash::supports(&Linux, algorithm));
        offer.copied().unwrap_or(true)
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
    move |errno| {
        let reason = errno.desc().into();
        if is_passing(errno) {
            Error::Exhausted { what, reason }
        } else {
            Error::Library { what, reason }
        }
    }
}

/// Whether a failure says nothing about the kernel, but that this program or the machine has no more of something just now.
const fn is_passing(errno: Errno) -> bool {
    matches!(errno, Errno::EMFILE | Errno::ENFILE | Errno::ENOBUFS | Errno::ENOMEM)
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
        Self::keyed(kernel, transform, key)
    }

    /// Gives a transform its key, if it takes one, and makes an operation on it.
    fn keyed(kernel: K, transform: K::Descriptor, key: Option<&[u8]>) -> Result<Self, Error> {
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
