//! PBKDF2 (RFC 8018 section 5.2) with HMAC.
//!
//! The first iteration of an output block runs over the salt, which may have any length: that is left to the `hmac`
//! crate. All others are links of a [`chain`](crate::chain), and the chains of several blocks are extended together.

use digest::block_api::{BlockSizeUser, EagerHash};
use digest::{Digest, FixedOutput, KeyInit, Output, Update};
use hmac::Hmac;
use zeroize::Zeroize;

use crate::algorithm::HashAlgorithm;
use crate::chain::{Chain, Hash, Key};
use crate::error::Error;

/// Output blocks whose chains a kernel gets together.
const TOGETHER: usize = 4;

/// Derives a key with the hash `H`, called `D` in its crate.
pub(super) fn derive<D, H>(
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    out: &mut [u8],
) -> Result<(), Error>
where
    D: EagerHash + Digest + BlockSizeUser,
    H: Hash,
{
    let prf = prf::<D>(password)?;
    let key = key::<D, H>(password);
    let mut chains = [const { Chain::<H>::EMPTY }; TOGETHER];
    let mut numbers = 1..=u32::MAX;
    for out in out.chunks_mut(TOGETHER * H::DIGEST_LEN) {
        let chains = &mut chains[..out.len().div_ceil(H::DIGEST_LEN)];
        for (chain, number) in chains.iter_mut().zip(&mut numbers) {
            let mut first = first_link(&prf, salt, number);
            chain.start(&first);
            first.as_mut_slice().zeroize();
        }
        H::extend(&key, chains, iterations - 1);
        for (chain, out) in chains.iter().zip(out.chunks_mut(H::DIGEST_LEN)) {
            write_sum(chain, out);
        }
    }
    Ok(())
}

/// Derives a key with a hash whose crate shows no compression function.
pub(super) fn derive_by_copies<D>(
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    out: &mut [u8],
) -> Result<(), Error>
where
    D: EagerHash + Digest + BlockSizeUser,
{
    let prf = prf::<D>(password)?;
    for (number, out) in (1..=u32::MAX).zip(out.chunks_mut(<D as Digest>::output_size())) {
        let mut link = first_link(&prf, salt, number);
        let mut sum = link.clone();
        for _ in 1..iterations {
            prf.clone().chain(&link).finalize_into(&mut link);
            for (sum, link) in sum.iter_mut().zip(&link) {
                *sum ^= link;
            }
        }
        out.copy_from_slice(&sum[..out.len()]);
        link.as_mut_slice().zeroize();
        sum.as_mut_slice().zeroize();
    }
    Ok(())
}

/// The pseudorandom function: HMAC that has the password already.
fn prf<D: EagerHash>(password: &[u8]) -> Result<Hmac<D>, Error> {
    Hmac::new_from_slice(password).map_err(|_| Error::Internal)
}

/// U(1) of an output block.
fn first_link<D: EagerHash>(prf: &Hmac<D>, salt: &[u8], number: u32) -> Output<Hmac<D>> {
    prf.clone().chain(salt).chain(number.to_be_bytes()).finalize_fixed()
}

/// The password as HMAC's key (RFC 2104 section 2).
fn key<D: Digest, H: Hash>(password: &[u8]) -> Key<H> {
    let mut block = H::EMPTY;
    let place = block.as_mut();
    if let Some(place) = place.get_mut(..password.len()) {
        place.copy_from_slice(password);
    } else {
        let mut digest = D::digest(password);
        place[..H::DIGEST_LEN].copy_from_slice(&digest);
        digest.as_mut_slice().zeroize();
    }
    let key = Key::new(&block);
    block.zeroize();
    key
}

/// As much of an output block as there is room for.
fn write_sum<H: Hash>(chain: &Chain<H>, out: &mut [u8]) {
    let mut digest = [0; HashAlgorithm::MAX_DIGEST_LEN];
    chain.write_sum(&mut digest[..H::DIGEST_LEN]);
    out.copy_from_slice(&digest[..out.len()]);
    digest.zeroize();
}
