//! Mode kernels and the table of them that each key carries.
//!
//! A kernel is one mode in one direction for one way of running one cipher. Which kernels serve a key is settled once,
//! when the key is set: later calls jump through a pointer and ask nothing about the CPU. A table starts from the
//! generic kernels of `modes` and `xts`; code for an instruction set replaces the entries it speeds up.
//!
//! Sectors may have kernels of their own, which a mode has only where going over them one after the other is slower.

use std::ffi::CStr;

use inout::InOutBuf;

use crate::error::Error;
use crate::iv::Iv;

/// Encrypts or decrypts whole blocks from the input half of `data` to its output half, which may be one buffer.
///
/// `iv` is the mode's state: CBC and CTR leave it where the next call goes on, XTS and ECB leave it alone. The length
/// is a multiple of the cipher's block length; callers check.
pub(crate) type Kernel<K> = fn(key: &K, iv: &mut Iv, data: InOutBuf<'_, '_, u8>);

/// Encrypts or decrypts sectors, each from an IV of its own, where that is faster than one after the other.
pub(crate) type SectorsKernel<K> = fn(key: &K, sectors: Sectors<'_, '_, '_>);

/// The two directions of a mode.
pub(crate) struct Directions<K> {
    pub(crate) encrypt: Kernel<K>,
    pub(crate) decrypt: Kernel<K>,
    /// None where nothing is faster than `encrypt` for each sector.
    pub(crate) encrypt_sectors: Option<SectorsKernel<K>>,
    /// None where nothing is faster than `decrypt` for each sector.
    pub(crate) decrypt_sectors: Option<SectorsKernel<K>>,
}

impl<K> Directions<K> {
    /// A mode that goes over sectors one after the other.
    pub(crate) const fn new(encrypt: Kernel<K>, decrypt: Kernel<K>) -> Self {
        Self { encrypt, decrypt, encrypt_sectors: None, decrypt_sectors: None }
    }

    /// The mode with kernels over sectors, in the directions that have one.
    pub(crate) const fn with_sectors(
        self,
        encrypt_sectors: Option<SectorsKernel<K>>,
        decrypt_sectors: Option<SectorsKernel<K>>,
    ) -> Self {
        Self { encrypt_sectors, decrypt_sectors, ..self }
    }
}

/// The kernels of a cipher whose expanded key is a `K`.
pub(crate) struct Kernels<K> {
    /// What users see of it: the backend, then the instruction set or `portable`.
    pub(crate) name: &'static CStr,
    pub(crate) ecb: Directions<K>,
    pub(crate) cbc: Directions<K>,
    pub(crate) ctr: Directions<K>,
    /// None for ciphers whose blocks are not 16 bytes long.
    pub(crate) xts: Option<Directions<XtsKey<K>>>,
}

/// The two keys of XTS: one for the data, one that makes tweaks.
pub(crate) struct XtsKey<K> {
    pub(crate) data: K,
    pub(crate) tweak: K,
}

/// Sectors in a row, each with an IV of its own.
pub(crate) struct Sectors<'v, 'i, 'o> {
    /// The IVs, one after the other. A kernel may overwrite them; the caller wipes what is there in the end.
    pub(crate) ivs: &'v mut [u8],
    /// The length of an IV.
    pub(crate) iv_len: usize,
    /// As many sectors as there are IVs, without a gap.
    pub(crate) data: InOutBuf<'i, 'o, u8>,
    /// The length of a sector, a multiple of the cipher's block length.
    pub(crate) sector_len: usize,
}

impl Sectors<'_, '_, '_> {
    /// Whether there is but one, which nothing can be worked on together with.
    pub(crate) fn is_one(&self) -> bool {
        self.data.len() == self.sector_len
    }

    /// Hands one sector after the other to `crypt`, with a state that was set to the sector's IV.
    pub(crate) fn one_by_one(
        self,
        mut crypt: impl FnMut(&mut Iv, InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut iv = Iv::default();
        let mut rest = self.data;
        for start in self.ivs.chunks_exact(self.iv_len) {
            let (sector, after) = rest.split_at(self.sector_len);
            rest = after;
            iv.set(start);
            crypt(&mut iv, sector)?;
        }
        Ok(())
    }
}
