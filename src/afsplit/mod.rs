//! The anti-forensic splitter of LUKS1 (On-Disk Format Specification 1.2.3, section 2.4): a key spread over stripes so
//! that losing any part of them loses the key.

use zeroize::Zeroizing;

use crate::algorithm::HashAlgorithm;
use crate::error::Error;
use crate::hash::Hash;
use crate::random;
use crate::scrub::{fill_or_zero, scrubbed};

/// The length of all stripes together, in bytes.
///
/// # Errors
/// No stripes, nothing to split, or more than fits in memory.
pub fn split_len(block_len: usize, stripes: u32) -> Result<usize, Error> {
    usize::try_from(stripes)
        .ok()
        .and_then(|stripes| block_len.checked_mul(stripes))
        .filter(|&len| len != 0 && isize::try_from(len).is_ok())
        .ok_or(Error::AfSplit { block_len, stripes })
}

/// Splits `block` into `stripes` parts of its length, all but the last random, into `split`, which has [`split_len`].
///
/// # Errors
/// As [`split_len`], or no random bytes, or no such hash.
pub fn encode(
    algorithm: HashAlgorithm,
    stripes: u32,
    block: &[u8],
    split: &mut [u8],
) -> Result<(), Error> {
    check(block.len(), stripes, split.len())?;
    let encode = |split: &mut [u8]| {
        let (random, last) = split.split_at_mut(split.len() - block.len());
        random::fill(random)?;
        merge(algorithm, random, last)?;
        xor(last, block);
        Ok(())
    };
    scrubbed(|| fill_or_zero(split, encode))
}

/// Puts the parts of `split` together again into `block`, whose length is that of a part.
///
/// # Errors
/// As [`split_len`], or no such hash.
pub fn decode(
    algorithm: HashAlgorithm,
    stripes: u32,
    split: &[u8],
    block: &mut [u8],
) -> Result<(), Error> {
    check(block.len(), stripes, split.len())?;
    let (random, last) = split.split_at(split.len() - block.len());
    let decode = |block: &mut [u8]| {
        merge(algorithm, random, block)?;
        xor(block, last);
        Ok(())
    };
    scrubbed(|| fill_or_zero(block, decode))
}

fn check(block_len: usize, stripes: u32, len: usize) -> Result<(), Error> {
    if split_len(block_len, stripes)? == len { Ok(()) } else { Err(Error::Internal) }
}

/// Folds all stripes but the last into the state, which starts as zeros.
fn merge(algorithm: HashAlgorithm, stripes: &[u8], state: &mut [u8]) -> Result<(), Error> {
    state.fill(0);
    for stripe in stripes.chunks_exact(state.len()) {
        xor(state, stripe);
        diffuse(algorithm, state)?;
    }
    Ok(())
}

/// Hashes the state chunk by chunk, each with its number before it; the last digest is cut to what is left.
fn diffuse(algorithm: HashAlgorithm, state: &mut [u8]) -> Result<(), Error> {
    let digest_len = algorithm.digest_len();
    let mut digest = Zeroizing::new([0; HashAlgorithm::MAX_DIGEST_LEN]);
    for (number, chunk) in (0_u32..).zip(state.chunks_mut(digest_len)) {
        let mut hash = Hash::new(algorithm)?;
        hash.update(&number.to_be_bytes())?;
        hash.update(chunk)?;
        hash.finalize(&mut digest[..digest_len])?;
        chunk.copy_from_slice(&digest[..chunk.len()]);
    }
    Ok(())
}

/// `to ^= from`
fn xor(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}
