//! An HMAC object (FIPS 198-1): a hash, a key and the message so far. After a result it starts over with the same key.

use crate::algorithm::HashAlgorithm;
use crate::backend::{self, HashContext};
use crate::error::Error;
use crate::scrub::{scrub_stack, scrubbed};

/// A keyed HMAC, used by one thread at a time.
pub struct Hmac {
    algorithm: HashAlgorithm,
    /// None once something went wrong.
    context: Option<Box<dyn HashContext>>,
}

impl Hmac {
    /// Whether [`Hmac::new`] succeeds.
    pub fn supports(algorithm: HashAlgorithm) -> bool {
        backend::supports_hash(algorithm)
    }

    /// Starts an HMAC with a key of any length, none included.
    ///
    /// # Errors
    /// No backend has the algorithm.
    pub fn new(algorithm: HashAlgorithm, key: &[u8]) -> Result<Self, Error> {
        let context = scrubbed(|| backend::hmac(algorithm, key));
        Ok(Self { algorithm, context: Some(context?) })
    }

    /// The hash it was made for.
    pub fn algorithm(&self) -> HashAlgorithm {
        self.algorithm
    }

    /// Takes more of the message.
    ///
    /// # Errors
    /// The backend failed, now or earlier.
    pub fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        self.run(|context| context.update(data))
    }

    /// Puts the HMAC into `mac`, which has its length, and starts over.
    ///
    /// # Errors
    /// The backend failed, now or earlier.
    pub fn finish(&mut self, mac: &mut [u8]) -> Result<(), Error> {
        self.run(|context| context.finish(mac))
    }

    /// Runs a step with the context away from the object: neither an error nor a panic can leave an object that goes on
    /// with half a message.
    fn run(
        &mut self,
        step: impl FnOnce(&mut dyn HashContext) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut context = self.context.take().ok_or(Error::Dead("hmac"))?;
        step(&mut *context)?;
        self.context = Some(context);
        Ok(())
    }
}

impl Drop for Hmac {
    /// The key and the message wipe themselves; what compression spilled on the stack, nobody knows but the compiler.
    fn drop(&mut self) {
        scrub_stack();
    }
}
