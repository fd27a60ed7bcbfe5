//! Hashes, HMAC and PBKDF2 of the RustCrypto crates.

use digest::{FixedOutput, FixedOutputReset, KeyInit, Output, Update};
use hmac::{Hmac, HmacReset};
use md5::Md5;
use ripemd::Ripemd160;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use sm3::Sm3;
use zeroize::Zeroize;

use crate::algorithm::HashAlgorithm;
use crate::backend::HashContext;
use crate::error::Error;

/// Starts a hash.
pub(super) fn hash(algorithm: HashAlgorithm) -> Box<dyn HashContext> {
    match algorithm {
        HashAlgorithm::Md5 => Box::new(Running(Md5::default())),
        HashAlgorithm::Sha1 => Box::new(Running(Sha1::default())),
        HashAlgorithm::Sha224 => Box::new(Running(Sha224::default())),
        HashAlgorithm::Sha256 => Box::new(Running(Sha256::default())),
        HashAlgorithm::Sha384 => Box::new(Running(Sha384::default())),
        HashAlgorithm::Sha512 => Box::new(Running(Sha512::default())),
        HashAlgorithm::Ripemd160 => Box::new(Running(Ripemd160::default())),
        HashAlgorithm::Sm3 => Box::new(Running(Sm3::default())),
    }
}

/// Starts an HMAC (FIPS 198-1) with a key of any length.
pub(super) fn hmac(algorithm: HashAlgorithm, key: &[u8]) -> Result<Box<dyn HashContext>, Error> {
    Ok(match algorithm {
        HashAlgorithm::Md5 => Box::new(Running(keyed::<HmacReset<Md5>>(key)?)),
        HashAlgorithm::Sha1 => Box::new(Running(keyed::<HmacReset<Sha1>>(key)?)),
        HashAlgorithm::Sha224 => Box::new(Running(keyed::<HmacReset<Sha224>>(key)?)),
        HashAlgorithm::Sha256 => Box::new(Running(keyed::<HmacReset<Sha256>>(key)?)),
        HashAlgorithm::Sha384 => Box::new(Running(keyed::<HmacReset<Sha384>>(key)?)),
        HashAlgorithm::Sha512 => Box::new(Running(keyed::<HmacReset<Sha512>>(key)?)),
        HashAlgorithm::Ripemd160 => Box::new(Running(keyed::<HmacReset<Ripemd160>>(key)?)),
        HashAlgorithm::Sm3 => Box::new(Running(keyed::<HmacReset<Sm3>>(key)?)),
    })
}

/// PBKDF2 (RFC 8018 section 5.2).
pub(super) fn pbkdf2(
    algorithm: HashAlgorithm,
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    out: &mut [u8],
) -> Result<(), Error> {
    match algorithm {
        HashAlgorithm::Md5 => derive(&keyed::<Hmac<Md5>>(password)?, salt, iterations, out),
        HashAlgorithm::Sha1 => derive(&keyed::<Hmac<Sha1>>(password)?, salt, iterations, out),
        HashAlgorithm::Sha224 => derive(&keyed::<Hmac<Sha224>>(password)?, salt, iterations, out),
        HashAlgorithm::Sha256 => derive(&keyed::<Hmac<Sha256>>(password)?, salt, iterations, out),
        HashAlgorithm::Sha384 => derive(&keyed::<Hmac<Sha384>>(password)?, salt, iterations, out),
        HashAlgorithm::Sha512 => derive(&keyed::<Hmac<Sha512>>(password)?, salt, iterations, out),
        HashAlgorithm::Ripemd160 => {
            derive(&keyed::<Hmac<Ripemd160>>(password)?, salt, iterations, out)
        }
        HashAlgorithm::Sm3 => derive(&keyed::<Hmac<Sm3>>(password)?, salt, iterations, out),
    }
    Ok(())
}

fn keyed<M: KeyInit>(key: &[u8]) -> Result<M, Error> {
    M::new_from_slice(key).map_err(|_| Error::Internal)
}

/// A hash or HMAC that is being fed.
struct Running<D>(D);

impl<D: Update + FixedOutputReset + Send> HashContext for Running<D> {
    fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        self.0.update(data);
        Ok(())
    }

    fn finish(&mut self, digest: &mut [u8]) -> Result<(), Error> {
        let digest = digest.try_into().map_err(|_| Error::Internal)?;
        self.0.finalize_into_reset(digest);
        Ok(())
    }
}

/// The output blocks, one after the other. `prf` holds the states after the padded password, so that an iteration
/// copies them and runs the hash's compression function twice.
fn derive<M>(prf: &M, salt: &[u8], iterations: u64, out: &mut [u8])
where
    M: Update + FixedOutput + Clone,
{
    for (number, out) in (1_u32..).zip(out.chunks_mut(M::output_size())) {
        let mut link = Output::<M>::default();
        prf.clone().chain(salt).chain(number.to_be_bytes()).finalize_into(&mut link);

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
}
