//! A hash object: an algorithm and the message so far. Its digest is taken once.

use crate::algorithm::HashAlgorithm;
use crate::backend::{self, HashContext};
use crate::error::Error;

/// A running hash, used by one thread at a time.
pub struct Hash {
    algorithm: HashAlgorithm,
    /// None once the digest was taken, or something went wrong.
    context: Option<Box<dyn HashContext>>,
}

impl Hash {
    /// Whether [`Hash::new`] succeeds.
    pub fn supports(algorithm: HashAlgorithm) -> bool {
        backend::supports_hash(algorithm)
    }

    /// Starts a hash.
    ///
    /// # Errors
    /// No backend has the algorithm.
    pub fn new(algorithm: HashAlgorithm) -> Result<Self, Error> {
        Ok(Self { algorithm, context: Some(backend::hash(algorithm)?) })
    }

    /// The algorithm it was made for.
    pub fn algorithm(&self) -> HashAlgorithm {
        self.algorithm
    }

    /// Takes more of the message.
    ///
    /// # Errors
    /// The digest was taken already, or the backend failed, which ends the object.
    pub fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        let mut context = self.take()?;
        context.update(data)?;
        self.context = Some(context);
        Ok(())
    }

    /// Refuses an object whose digest was taken already.
    ///
    /// # Errors
    /// Just that.
    pub fn check_running(&self) -> Result<(), Error> {
        if self.context.is_some() { Ok(()) } else { Err(Error::HashFinished) }
    }

    /// Puts the digest into `digest`, which has its length, and ends the object.
    ///
    /// # Errors
    /// The digest was taken already, or the backend failed.
    pub fn finalize(&mut self, digest: &mut [u8]) -> Result<(), Error> {
        self.take()?.finish(digest)
    }

    /// The context, away from the object until it comes back from the backend: neither an error nor a panic can leave
    /// an object that goes on with half a message.
    fn take(&mut self) -> Result<Box<dyn HashContext>, Error> {
        self.context.take().ok_or(Error::HashFinished)
    }
}

/// The digest of a message that is at hand, into `digest`, which has its length.
///
/// # Errors
/// No backend has the algorithm, or the backend failed.
pub fn digest(algorithm: HashAlgorithm, message: &[u8], digest: &mut [u8]) -> Result<(), Error> {
    let mut hash = Hash::new(algorithm)?;
    hash.update(message)?;
    hash.finalize(digest)
}
