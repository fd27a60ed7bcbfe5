//! Backends: who supports what, and how one is chosen.
//!
//! A backend is a file here and a line in [`BACKENDS`].

mod native;

#[cfg(test)]
pub(crate) use native::open_at;

use std::ffi::CStr;

use inout::InOutBuf;

use crate::algorithm::{CipherAlgorithm, CipherMode};
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
