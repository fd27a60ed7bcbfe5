//! The default backend: ciphers compiled into this library.

mod digest;
mod pbkdf2;

use std::ffi::CStr;

use aes::{Aes128, Aes192, Aes256};
use cipher::consts::U16;
use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use inout::InOutBuf;
use zeroize::ZeroizeOnDrop;

use super::{Backend, Context, HashContext};
#[cfg(all(
    any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")),
    not(aes_backend = "soft")
))]
use crate::aes::{Base, Key};
use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::cpu::{self, Level};
use crate::error::Error;
use crate::iv::Iv;
use crate::kernel::{Directions, Kernels, Sectors, XtsKey};
#[cfg(not(target_arch = "x86_64"))]
use crate::serpent::Serpent;

/// Always there, for every algorithm and mode that exists.
pub(super) struct Native;

impl Backend for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn version(&self) -> Result<&str, &str> {
        Ok(env!("CARGO_PKG_VERSION"))
    }

    fn supports(&self, algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
        mode != CipherMode::Xts || algorithm.block_len() == 16
    }

    fn open(
        &self,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Box<dyn Context>, Error> {
        open_at(cpu::level(), algorithm, mode, key)
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

/// [`Native::open`] with the kernels of a level of this CPU.
pub(crate) fn open_at(
    level: Level,
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error> {
    use CipherAlgorithm as A;
    match algorithm {
        A::Aes128 => aes_at::<Aes128, 11>(level, mode, key),
        A::Aes192 => aes_at::<Aes192, 13>(level, mode, key),
        A::Aes256 => aes_at::<Aes256, 15>(level, mode, key),
        A::Des => des::<1>(mode, key),
        A::TripleDes => des::<3>(mode, key),
        A::Cast5 => cast5(mode, key),
        A::Serpent128 | A::Serpent192 | A::Serpent256 => serpent(mode, key),
        A::Twofish128 | A::Twofish192 | A::Twofish256 => twofish(mode, key),
        A::Sm4 => sm4_at(level, mode, key),
    }
}

/// An AES key of `N` round keys at a level; `C` is the crate's cipher for the portable one.
fn aes_at<C, const N: usize>(
    level: Level,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error>
where
    C: KeyInit + ZeroizeOnDrop + Send + Sync + 'static,
    C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt,
{
    match level {
        Level::Portable => from_crate(Kernels::<C>::generic_with_xts(), mode, key),
        #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
        Level::Aesni(cpu) => from_kernels::<_, N>(Kernels::aesni(), cpu, mode, key),
        #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
        Level::Vaes256(cpu) => from_kernels::<_, N>(Kernels::vaes256(), cpu, mode, key),
        #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
        Level::Vaes512(cpu) => from_kernels::<_, N>(Kernels::vaes512(), cpu, mode, key),
        #[cfg(all(target_arch = "aarch64", target_endian = "little", not(aes_backend = "soft")))]
        Level::Aarch64Ce(cpu) => from_kernels::<_, N>(Kernels::aarch64_ce(), cpu, mode, key),
    }
}

/// An SM4 key at a level.
fn sm4_at(level: Level, mode: CipherMode, key: &[u8]) -> Result<Box<dyn Context>, Error> {
    match level {
        Level::Portable => from_crate(Kernels::<sm4::Sm4>::generic_with_xts(), mode, key),
        #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
        Level::Aesni(cpu) => sm4_with_aes(cpu, mode, key),
        #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
        Level::Vaes256(cpu) => sm4_with_aes(cpu.into(), mode, key),
        #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
        Level::Vaes512(cpu) => match cpu.with_gfni() {
            Some(cpu) => {
                use crate::sm4::x86::Gfni512;
                let kernels = Kernels { name: c"native/gfni512", ..Kernels::generic_with_xts() };
                keyed(kernels, mode, key, |_| Ok(Gfni512::blank(cpu)), Gfni512::expand)
            }
            None => sm4_with_aes(cpu.into(), mode, key),
        },
        #[cfg(all(target_arch = "aarch64", target_endian = "little", not(aes_backend = "soft")))]
        Level::Aarch64Ce(_) => from_crate(Kernels::<sm4::Sm4>::generic_with_xts(), mode, key),
    }
}

/// An SM4 key on AES instructions.
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
fn sm4_with_aes(
    aesni: cpu::Aesni,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error> {
    use crate::sm4::x86::{Aesni, Avx2};
    if let Some(avx2) = cpu::Avx2::get() {
        let kernels = Kernels { name: c"native/avx2", ..Kernels::generic_with_xts() };
        return keyed(kernels, mode, key, |_| Ok(Avx2::blank((aesni, avx2))), Avx2::expand);
    }
    let kernels = Kernels { name: c"native/aesni", ..Kernels::generic_with_xts() };
    keyed(kernels, mode, key, |_| Ok(Aesni::blank(aesni)), Aesni::expand)
}

/// A key for so many passes of DES on what the CPU has.
fn des<const KEYS: usize>(mode: CipherMode, key: &[u8]) -> Result<Box<dyn Context>, Error> {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::des::x86::{Avx2, Vbmi512};
        if let Some(cpu) = cpu::Vbmi512::get() {
            let kernels = Kernels { name: c"native/vbmi512", ..Kernels::generic() };
            return keyed(kernels, mode, key, |_| Ok(Vbmi512::<KEYS>::blank(cpu)), Vbmi512::expand);
        }
        if let Some(cpu) = cpu::Avx2::get() {
            let kernels = Kernels { name: c"native/avx2", ..Kernels::generic() };
            return keyed(kernels, mode, key, |_| Ok(Avx2::<KEYS>::blank(cpu)), Avx2::expand);
        }
    }
    use crate::des::Portable;
    keyed(Kernels::generic(), mode, key, |_| Ok(Portable::<KEYS>::blank()), Portable::expand)
}

/// A CAST5 key on what the CPU has.
fn cast5(mode: CipherMode, key: &[u8]) -> Result<Box<dyn Context>, Error> {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::cast5::x86::{Avx2, Avx512};
        if let Some(cpu) = cpu::Avx512::get() {
            let kernels = Kernels { name: c"native/avx512", ..Kernels::generic() };
            return keyed(kernels, mode, key, |_| Ok(Avx512::blank(cpu)), Avx512::expand);
        }
        if let Some(cpu) = cpu::Avx2::get() {
            let kernels = Kernels { name: c"native/avx2", ..Kernels::generic() };
            return keyed(kernels, mode, key, |_| Ok(Avx2::blank(cpu)), Avx2::expand);
        }
    }
    use crate::cast5::Portable;
    keyed(Kernels::generic(), mode, key, |_| Ok(Portable::blank()), Portable::expand)
}

/// A Serpent key on what the CPU has.
fn serpent(mode: CipherMode, key: &[u8]) -> Result<Box<dyn Context>, Error> {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::serpent::x86::{Avx2, Avx512, Sse2};
        if let Some(cpu) = cpu::Avx512::get() {
            let kernels = Kernels { name: c"native/avx512", ..Kernels::generic_with_xts() };
            return keyed(kernels, mode, key, |_| Ok(Avx512::blank(cpu)), Avx512::expand);
        }
        if let Some(cpu) = cpu::Avx2::get() {
            let kernels = Kernels { name: c"native/avx2", ..Kernels::generic_with_xts() };
            return keyed(kernels, mode, key, |_| Ok(Avx2::blank(cpu)), Avx2::expand);
        }
        let kernels = Kernels { name: c"native/sse2", ..Kernels::generic_with_xts() };
        keyed(kernels, mode, key, |_| Ok(Sse2::blank(())), Sse2::expand)
    }
    #[cfg(not(target_arch = "x86_64"))]
    keyed(Kernels::generic_with_xts(), mode, key, |_| Ok(Serpent::blank()), Serpent::expand)
}

/// A Twofish key on what the CPU has.
fn twofish(mode: CipherMode, key: &[u8]) -> Result<Box<dyn Context>, Error> {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::twofish::x86::{Avx2, Avx512};
        if let Some(cpu) = cpu::Avx512::get() {
            let kernels = Kernels { name: c"native/avx512", ..Kernels::generic_with_xts() };
            return keyed(kernels, mode, key, |_| Ok(Avx512::blank(cpu)), Avx512::expand);
        }
        if let Some(cpu) = cpu::Avx2::get() {
            let kernels = Kernels { name: c"native/avx2", ..Kernels::generic_with_xts() };
            return keyed(kernels, mode, key, |_| Ok(Avx2::blank(cpu)), Avx2::expand);
        }
    }
    use crate::twofish::Portable;
    let kernels = Kernels::generic_with_xts();
    keyed(kernels, mode, key, |_| Ok(Portable::blank()), Portable::expand)
}

/// A key for our own AES kernels, expanded in its final place.
#[cfg(all(
    any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")),
    not(aes_backend = "soft")
))]
fn from_kernels<P, const N: usize>(
    kernels: Kernels<Key<P, N>>,
    cpu: P,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error>
where
    P: Copy + Into<Base> + Send + Sync + 'static,
{
    keyed(kernels, mode, key, |_| Ok(Key::blank(cpu)), Key::expand)
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
    let new = |key: &[u8]| C::new_from_slice(key).map_err(|_| Error::Internal);
    keyed(kernels, mode, key, new, |_, _| {})
}

/// A key with the kernels of its mode picked from the table.
///
/// `new` makes a key schedule, and `expand` completes it once it lies in its final place: what it writes is never moved,
/// so it leaves no copy. The frame is this function's own, since those of all kinds of keys together take more of the stack
/// than what is overwritten afterwards.
#[inline(never)]
fn keyed<K>(
    kernels: Kernels<K>,
    mode: CipherMode,
    key: &[u8],
    new: impl Fn(&[u8]) -> Result<K, Error>,
    expand: impl Fn(&mut K, &[u8]),
) -> Result<Box<dyn Context>, Error>
where
    K: ZeroizeOnDrop + Send + Sync + 'static,
{
    let name = kernels.name;
    let directions = match mode {
        CipherMode::Ecb => kernels.ecb,
        CipherMode::Cbc => kernels.cbc,
        CipherMode::Ctr => kernels.ctr,
        CipherMode::Xts => {
            let directions = kernels.xts.ok_or(Error::XtsWithDes)?;
            let (data, tweak) = key.split_at(key.len() / 2);
            let key = XtsKey { data: new(data)?, tweak: new(tweak)? };
            let mut keyed = Box::new(Keyed { name, key, directions });
            expand(&mut keyed.key.data, data);
            expand(&mut keyed.key.tweak, tweak);
            return Ok(keyed);
        }
    };
    let mut keyed = Box::new(Keyed { name, key: new(key)?, directions });
    expand(&mut keyed.key, key);
    Ok(keyed)
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

    fn encrypt_sectors(&self, sectors: Sectors<'_, '_, '_>) -> Result<(), Error> {
        match self.directions.encrypt_sectors {
            Some(kernel) if !sectors.is_one() => kernel(&self.key, sectors),
            _ => sectors.one_by_one(|iv, data| self.encrypt(iv, data))?,
        }
        Ok(())
    }

    fn decrypt_sectors(&self, sectors: Sectors<'_, '_, '_>) -> Result<(), Error> {
        match self.directions.decrypt_sectors {
            Some(kernel) if !sectors.is_one() => kernel(&self.key, sectors),
            _ => sectors.one_by_one(|iv, data| self.decrypt(iv, data))?,
        }
        Ok(())
    }
}
