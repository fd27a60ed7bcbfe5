//! libgcrypt, opened at run time: nothing of it is needed to build or load this library.
//!
//! It serves what it has, which is asked of it once: distributions leave algorithms out, and in FIPS mode it refuses
//! more. Its own XTS serves where it has that, and ours over its block cipher elsewhere. Each object has handles of its
//! own behind a lock, since the library's may be used by one thread at a time.

mod cipher;
mod hash;

use std::ffi::c_int;
use std::ptr::null;
use std::sync::OnceLock;

use super::library::{Library, text};
use super::pbkdf2::by_hmac;
use super::{Backend, Context, HashContext};
use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::error::Error;
use crate::sys::gcrypt::{self as sys, Functions};

pub(super) struct Gcrypt;

/// The library, opened and set up.
struct Opened {
    functions: Functions,
    version: String,
}

impl Opened {
    /// The library; or the reason why it cannot be used, which stays what it was the first time.
    fn get() -> Result<&'static Self, &'static str> {
        static OPENED: OnceLock<Result<Opened, String>> = OnceLock::new();
        OPENED.get_or_init(Self::open).as_ref().map_err(String::as_str)
    }

    fn open() -> Result<Self, String> {
        let library = Library::open(&[c"libgcrypt.so.20"])?;
        // SAFETY: the declarations are those of gcrypt.h, which this soname has kept, and the library stays open.
        let functions = unsafe { Functions::load(|name| library.find(name)) }
            .map_err(|name| format!("libgcrypt.so.20 has no {name}"))?;
        // SAFETY: NULL asks for the version and begins the initialisation.
        let version = unsafe { (functions.gcry_check_version)(null()) };
        // SAFETY: the answer is static.
        let mut version = unsafe { text(version) };
        // SAFETY: asks, and takes no more arguments.
        if unsafe { (functions.gcry_control)(sys::INITIALIZATION_FINISHED_P) } == 0 {
            // Nothing about secure memory: that is the program's to say, now or later.
            // SAFETY: takes one int. Whoever else uses the library has not finished this, or is not there.
            unsafe { (functions.gcry_control)(sys::INITIALIZATION_FINISHED, 0 as c_int) };
        }
        // SAFETY: asks, and takes no more arguments.
        if unsafe { (functions.gcry_control)(sys::FIPS_MODE_P) } != 0 {
            version += " in FIPS mode";
        }
        Ok(Self { functions, version })
    }

    /// An [`Error`] of what the library returned, where that is one.
    fn check(&self, what: &'static str, code: sys::Code) -> Result<(), Error> {
        if code == 0 { Ok(()) } else { Err(self.complain(what, code)) }
    }

    #[cold]
    fn complain(&self, what: &'static str, code: sys::Code) -> Error {
        // SAFETY: any code will do.
        let reason = unsafe { (self.functions.gcry_strerror)(code) };
        // SAFETY: the answer is static.
        let reason = unsafe { text(reason) };
        Error::Library { what, reason: reason.into() }
    }
}

impl Backend for Gcrypt {
    fn name(&self) -> &'static str {
        "gcrypt"
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
        if salt.is_empty() {
            // The library refuses that.
            return by_hmac(
                &mut *self.hmac(algorithm, password)?,
                algorithm,
                salt,
                iterations,
                out,
            );
        }
        hash::pbkdf2(library()?, algorithm, password, salt, iterations, out)
    }
}

/// The library, for those who know from `supports` that it is there.
fn library() -> Result<&'static Opened, Error> {
    let unavailable =
        |reason: &str| Error::BackendUnavailable { name: Gcrypt.name(), reason: reason.into() };
    Opened::get().map_err(unavailable)
}
