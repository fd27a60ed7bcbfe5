//! Nettle, opened at run time: nothing of it is needed to build or load this library.
//!
//! It serves what it has: distributions leave algorithms out, and later versions have more. Its own XTS serves where it
//! has that, and ours over its block cipher elsewhere. The library keeps no state and allocates nothing: its contexts
//! are in memory of ours, and once a key is set they are only read, by any number of threads.

mod block;
mod cipher;
mod hash;
mod memory;

use std::ffi::{c_int, c_uint};
use std::sync::OnceLock;

use super::library::Library;
use super::pbkdf2::by_hmac;
use super::{Backend, Context, HashContext};
use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::error::Error;
use crate::sys::nettle::{Functions, Version};

pub(super) struct Nettle;

/// The library, opened.
struct Opened {
    functions: Functions,
    major: c_int,
    version: String,
}

impl Opened {
    /// The library; or the reason why it cannot be used, which stays what it was the first time.
    fn get() -> Result<&'static Self, &'static str> {
        static OPENED: OnceLock<Result<Opened, String>> = OnceLock::new();
        OPENED.get_or_init(Self::open).as_ref().map_err(String::as_str)
    }

    fn open() -> Result<Self, String> {
        let library = Library::open(&[c"libnettle.so.8", c"libnettle.so.9"])?;
        let missing = |name| format!("libnettle has no {name}");
        // SAFETY: both functions are declared so in version.h of every major version, and the library stays open.
        let version = unsafe { Version::load(|name| library.find(name)) }.map_err(missing)?;
        // SAFETY: no arguments, and nothing to go wrong.
        let major = unsafe { (version.nettle_version_major)() };
        // SAFETY: as above.
        let minor = unsafe { (version.nettle_version_minor)() };
        let version = format!("{major}.{minor}");
        if !is_known(major) {
            return Err(format!("version {version}, whose interface is not known here"));
        }
        // SAFETY: the declarations are those of the headers of the major versions that are known.
        let functions = unsafe { Functions::load(|name| library.find(name)) }.map_err(missing)?;
        Ok(Self { functions, major, version })
    }
}

/// Whether the headers of a major version are those that were declared. What differs asks for the version.
fn is_known(major: c_int) -> bool {
    (3..=4).contains(&major)
}

impl Backend for Nettle {
    fn name(&self) -> &'static str {
        "nettle"
    }

    fn version(&self) -> Result<&str, &str> {
        Opened::get().map(|library| library.version.as_str())
    }

    fn supports(&self, algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
        cipher::supports(algorithm, mode)
    }

    fn open(
        &self,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Box<dyn Context>, Error> {
        cipher::open(library()?, algorithm, mode, key)
    }

    fn supports_hash(&self, algorithm: HashAlgorithm) -> bool {
        hash::supports(algorithm)
    }

    fn hash(&self, algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>, Error> {
        Ok(Box::new(hash::Running::hash(library()?, algorithm)?))
    }

    fn hmac(&self, algorithm: HashAlgorithm, key: &[u8]) -> Result<Box<dyn HashContext>, Error> {
        Ok(Box::new(hash::Running::hmac(library()?, algorithm, key)?))
    }

    fn pbkdf2(
        &self,
        algorithm: HashAlgorithm,
        password: &[u8],
        salt: &[u8],
        iterations: u64,
        out: &mut [u8],
    ) -> Result<(), Error> {
        let mut hmac = hash::Running::hmac(library()?, algorithm, password)?;
        match c_uint::try_from(iterations) {
            Ok(iterations) => {
                hmac.derive(algorithm, salt, iterations, out);
                Ok(())
            }
            // More than the library can count.
            Err(_) => by_hmac(&mut hmac, algorithm, salt, iterations, out),
        }
    }
}

/// The library, for those who know from `supports` that it is there.
fn library() -> Result<&'static Opened, Error> {
    let unavailable =
        |reason: &str| Error::BackendUnavailable { name: Nettle.name(), reason: reason.into() };
    Opened::get().map_err(unavailable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_versions() {
        assert_eq!([2, 3, 4, 5].map(is_known), [false, true, true, false]);
    }

    /// What is counted here, where the library cannot count so far, is what it would be there.
    #[test]
    fn pbkdf2_by_hmac() {
        if let Err(reason) = Opened::get() {
            use std::io::Write;
            writeln!(std::io::stderr(), "SKIPPED: nettle: {reason}").expect("standard error");
            return;
        }
        for algorithm in HashAlgorithm::ALL.into_iter().filter(|&hash| Nettle.supports_hash(hash)) {
            for (iterations, len) in [(1, 1), (2, 20), (77, 64), (3, 150), (5, 0)] {
                let [mut there, mut here] = [[0xa5; 150]; 2];
                let (there, here) = (&mut there[..len], &mut here[..len]);
                Nettle.pbkdf2(algorithm, b"password", b"salt", iterations, there).expect("a hash");
                let mut hmac = Nettle.hmac(algorithm, b"password").expect("a hash");
                by_hmac(&mut *hmac, algorithm, b"salt", iterations, here).expect("it never fails");
                assert_eq!(here, there, "{algorithm:?}, {iterations} iterations, {len} bytes");
            }
        }
    }
}
