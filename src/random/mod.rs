//! Random bytes from the kernel, each time: nothing is kept that a fork could double.

use crate::error::Error;
use crate::scrub::fill_or_zero;

/// Fills a buffer. Interrupted and short reads are gone on with.
///
/// # Errors
/// The kernel gives none; its error number. The buffer is zeroed.
pub fn fill(buffer: &mut [u8]) -> Result<(), Error> {
    fill_or_zero(buffer, |buffer| {
        getrandom::fill(buffer)
            .map_err(|error| Error::Random(error.raw_os_error().unwrap_or(libc::EIO)))
    })
}
