//! The default backend: ciphers compiled into this library.

mod digest;
mod pbkdf2;

use std::ffi::CStr;

use aes::{Aes128, Aes192, Aes256};
use cast5::Cast5;
use cipher::KeyInit;
use des::{Des, TdesEde3};
use inout::InOutBuf;
use serpent::Serpent;
use sm4::Sm4;
use twofish::Twofish;
use zeroize::ZeroizeOnDrop;

use super::{Backend, Context, HashContext};
use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::error::Error;
use crate::iv::Iv;
use crate::kernel::{Directions, Kernels};
use crate::xts::XtsKey;

/// Always there, for every algorithm and mode that exists.
pub(super) struct Native;

impl Backend for Native {
    fn supports(&self, algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
        mode != CipherMode::Xts || algorithm.block_len() == 16
    }

    fn open(
        &self,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Box<dyn Context>, Error> {
        use CipherAlgorithm as A;
        match algorithm {
            A::Aes128 => from_crate(Kernels::<Aes128>::generic_with_xts(), mode, key),
            A::Aes192 => from_crate(Kernels::<Aes192>::generic_with_xts(), mode, key),
            A::Aes256 => from_crate(Kernels::<Aes256>::generic_with_xts(), mode, key),
            A::Des => from_crate(Kernels::<Des>::generic(), mode, key),
            A::TripleDes => from_crate(Kernels::<TdesEde3>::generic(), mode, key),
            A::Cast5 => from_crate(Kernels::<Cast5>::generic(), mode, key),
            A::Serpent128 | A::Serpent192 | A::Serpent256 => {
                from_crate(Kernels::<Serpent>::generic_with_xts(), mode, key)
            }
            A::Twofish128 | A::Twofish192 | A::Twofish256 => {
                from_crate(Kernels::<Twofish>::generic_with_xts(), mode, key)
            }
            A::Sm4 => from_crate(Kernels::<Sm4>::generic_with_xts(), mode, key),
        }
    }

    fn supports_hash(&self, _algorithm: HashAlgorithm) -> bool {
        true
    }

    fn hash(&self, algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>, Error> {
        Ok(digest::hash(algorithm))
    }

    fn hmac(&self, algorithm: HashAlgorithm, key: &[u8]) -> Result<Box<dyn HashContext>, Error> {
        digest::hmac(algorithm, key)
    }

    fn pbkdf2(
        &self,
        algorithm: HashAlgorithm,
        password: &[u8],
        salt: &[u8],
        iterations: u64,
        out: &mut [u8],
    ) -> Result<(), Error> {
        digest::pbkdf2(algorithm, password, salt, iterations, out)
    }
}

/// A key for kernels over a cipher of the RustCrypto crates.
fn from_crate<C>(
    kernels: Kernels<C>,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error>
where
    C: KeyInit + ZeroizeOnDrop + Send + Sync + 'static,
{
    keyed(kernels, mode, key, |key| C::new_from_slice(key).map_err(|_| Error::Internal))
}

/// A key with the kernels of its mode picked from the table. `expand` makes a key schedule.
fn keyed<K>(
    kernels: Kernels<K>,
    mode: CipherMode,
    key: &[u8],
    expand: impl Fn(&[u8]) -> Result<K, Error>,
) -> Result<Box<dyn Context>, Error>
where
    K: ZeroizeOnDrop + Send + Sync + 'static,
{
    let name = kernels.name;
    Ok(match mode {
        CipherMode::Ecb => Box::new(Keyed { name, key: expand(key)?, directions: kernels.ecb }),
        CipherMode::Cbc => Box::new(Keyed { name, key: expand(key)?, directions: kernels.cbc }),
        CipherMode::Ctr => Box::new(Keyed { name, key: expand(key)?, directions: kernels.ctr }),
        CipherMode::Xts => {
            let directions = kernels.xts.ok_or(Error::UnsupportedMode(mode))?;
            let (data, tweak) = key.split_at(key.len() / 2);
            let key = XtsKey { data: expand(data)?, tweak: expand(tweak)? };
            Box::new(Keyed { name, key, directions })
        }
    })
}

/// An expanded key and the two kernels of its mode.
struct Keyed<K> {
    name: &'static CStr,
    key: K,
    directions: Directions<K>,
}

impl<K: Send + Sync> Context for Keyed<K> {
    fn name(&self) -> &CStr {
        self.name
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        (self.directions.encrypt)(&self.key, iv, data);
        Ok(())
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        (self.directions.decrypt)(&self.key, iv, data);
        Ok(())
    }
}
