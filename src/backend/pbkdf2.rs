//! PBKDF2 over any HMAC, for what a library refuses to derive itself.

use zeroize::Zeroizing;

use super::HashContext;
use crate::algorithm::HashAlgorithm;
use crate::error::Error;

/// PBKDF2 (RFC 8018 section 5.2), where `hmac` has the password as its key and none of a message yet.
pub(super) fn by_hmac(
    hmac: &mut dyn HashContext,
    algorithm: HashAlgorithm,
    salt: &[u8],
    iterations: u64,
    out: &mut [u8],
) -> Result<(), Error> {
    let digest_len = algorithm.digest_len();
    let mut link = Zeroizing::new([0; HashAlgorithm::MAX_DIGEST_LEN]);
    let link = &mut link[..digest_len];
    let mut sum = Zeroizing::new([0; HashAlgorithm::MAX_DIGEST_LEN]);
    let sum = &mut sum[..digest_len];
    for (number, block) in (1_u32..).zip(out.chunks_mut(digest_len)) {
        hmac.update(salt)?;
        hmac.update(&number.to_be_bytes())?;
        hmac.finish(link)?;
        sum.copy_from_slice(link);
        for _ in 1..iterations {
            hmac.update(link)?;
            hmac.finish(link)?;
            sum.iter_mut().zip(&*link).for_each(|(sum, link)| *sum ^= link);
        }
        block.copy_from_slice(&sum[..block.len()]);
    }
    Ok(())
}
