//! Hashes and HMAC of the RustCrypto crates, and which code derives keys with a hash.

use digest::{FixedOutputReset, KeyInit, Update};
use hmac::HmacReset;
use md5::Md5;
use ripemd::Ripemd160;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use sm3::Sm3;

use super::pbkdf2::{derive, derive_by_copies};
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
    let derive = match algorithm {
        HashAlgorithm::Md5 => derive::<Md5, crate::md5::Md5>,
        HashAlgorithm::Sha1 => derive::<Sha1, crate::sha1::Sha1>,
        HashAlgorithm::Sha224 => derive::<Sha224, crate::sha2::Sha224>,
        HashAlgorithm::Sha256 => derive::<Sha256, crate::sha2::Sha256>,
        HashAlgorithm::Sha384 => derive::<Sha384, crate::sha2::Sha384>,
        HashAlgorithm::Sha512 => derive::<Sha512, crate::sha2::Sha512>,
        HashAlgorithm::Ripemd160 => derive_by_copies::<Ripemd160>,
        HashAlgorithm::Sm3 => derive_by_copies::<Sm3>,
    };
    derive(password, salt, iterations, out)
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
