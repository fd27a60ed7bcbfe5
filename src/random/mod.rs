//! Random bytes from the kernel, each time: nothing is kept that a fork could double.

use crate::error::Error;

/// Fills a buffer. Interrupted and short reads are gone on with.
///
/// # Errors
/// The kernel gives none; its error number.
pub fn fill(buffer: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(buffer)
        .map_err(|error| Error::Random(error.raw_os_error().unwrap_or(libc::EIO)))
}
