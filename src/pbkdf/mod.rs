//! PBKDF2 with HMAC (RFC 8018 section 5.2), and how many iterations this machine does in a second.

mod clock;

use zeroize::Zeroizing;

use crate::algorithm::HashAlgorithm;
use crate::backend;
use crate::error::Error;
use crate::scrub::{fill_or_zero, scrubbed};
use clock::Stopwatch;

/// Whether [`pbkdf2`] works with this hash.
pub fn supports(algorithm: HashAlgorithm) -> bool {
    backend::supports_pbkdf2(algorithm)
}

/// Derives `out.len()` bytes of key.
///
/// # Errors
/// No iterations, more output than the standard's 2^32 - 1 blocks, or no backend with the hash.
pub fn pbkdf2(
    algorithm: HashAlgorithm,
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    out: &mut [u8],
) -> Result<(), Error> {
    if iterations == 0 {
        return Err(Error::PbkdfIterations);
    }
    let blocks = out.len().div_ceil(algorithm.digest_len());
    if u32::try_from(blocks).is_err() {
        return Err(Error::PbkdfOutput(out.len()));
    }
    scrubbed(|| {
        fill_or_zero(out, |out| backend::pbkdf2(algorithm, password, salt, iterations, out))
    })
}

/// A measurement that takes at least so much of the thread's time is precise enough.
const ENOUGH_NANOSECONDS: u64 = 250_000_000;

/// After so much time on the wall no longer measurement is started: on a busy machine the thread's own time runs slowly.
const PATIENCE_NANOSECONDS: u64 = 500_000_000;

/// Output blocks that are measured; the time of more is in proportion. Bounds the memory and the time of one iteration.
const MEASURED_BLOCKS: usize = 64;

/// How many iterations of [`pbkdf2`] with `out_len` bytes of output this thread does in a second of its own time, at
/// least 1.
///
/// Doubles the iterations until they take long enough. A measurement takes about as long as all before it, so that the
/// whole ends within about a second.
///
/// # Errors
/// As [`pbkdf2`].
pub fn count_iterations(
    algorithm: HashAlgorithm,
    password: &[u8],
    salt: &[u8],
    out_len: usize,
) -> Result<u64, Error> {
    let digest_len = algorithm.digest_len();
    let blocks = out_len.div_ceil(digest_len).max(1);
    let measured = blocks.min(MEASURED_BLOCKS);
    let mut out = Zeroizing::new([0; MEASURED_BLOCKS * HashAlgorithm::MAX_DIGEST_LEN]);
    let out = &mut out[..measured * digest_len];

    let whole = Stopwatch::start();
    let mut iterations = 64;
    loop {
        let stopwatch = Stopwatch::start();
        pbkdf2(algorithm, password, salt, iterations, out)?;
        let nanoseconds = stopwatch.nanoseconds();
        if nanoseconds >= ENOUGH_NANOSECONDS
            || whole.wall_nanoseconds() >= PATIENCE_NANOSECONDS
            || iterations >= u64::MAX / 2
        {
            return Ok(per_second(iterations, nanoseconds, measured, blocks));
        }
        iterations *= 2;
    }
}

/// The rate for `blocks` output blocks, when `iterations` of `measured` blocks took some time.
fn per_second(iterations: u64, nanoseconds: u64, measured: usize, blocks: usize) -> u64 {
    let work = u128::from(iterations) * 1_000_000_000 * measured as u128;
    let rate = work / (u128::from(nanoseconds.max(1)) * blocks as u128);
    u64::try_from(rate).unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::per_second;

    #[test]
    fn rates() {
        assert_eq!(per_second(1000, 1_000_000_000, 1, 1), 1000);
        assert_eq!(per_second(1000, 500_000_000, 2, 2), 2000);
        assert_eq!(per_second(1000, 500_000_000, 64, 128), 1000);
    }

    #[test]
    fn rates_are_never_zero_nor_overflow() {
        assert_eq!(per_second(1, u64::MAX, 1, usize::MAX), 1);
        assert_eq!(per_second(u64::MAX, 0, 64, 64), u64::MAX);
    }
}
