//! IV generators: what makes the IV of a sector from its number, by the rules of Linux's dm-crypt.

use inout::InOutBuf;
use zeroize::Zeroizing;

use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::backend::{self, Context};
use crate::cipher::Cipher;
use crate::cipher::sectors::SectorIvs;
use crate::error::Error;
use crate::hash;
use crate::iv::{self, Iv};
use crate::scrub::{scrub_stack, scrubbed};

/// A generator. It changes nothing when it is used, so any number of threads may.
pub struct IvGen {
    rule: Rule,
}

enum Rule {
    Plain,
    Plain64,
    Essiv { cipher: Box<dyn Context>, block_len: usize },
}

impl IvGen {
    /// The low 32 bits of the sector number.
    pub fn plain() -> Self {
        Self { rule: Rule::Plain }
    }

    /// All 64 bits of the sector number.
    pub fn plain64() -> Self {
        Self { rule: Rule::Plain64 }
    }

    /// The sector number, encrypted with the digest of the disk's key, cut to what the cipher takes.
    ///
    /// # Errors
    /// A digest that is shorter than that.
    pub fn essiv(cipher: CipherAlgorithm, hash: HashAlgorithm, key: &[u8]) -> Result<Self, Error> {
        let context = scrubbed(|| {
            let mut salt = Zeroizing::new([0; HashAlgorithm::MAX_DIGEST_LEN]);
            hash::digest(hash, key, &mut salt[..hash.digest_len()])?;
            let salt = &salt[..hash.digest_len().min(cipher.key_len())];
            Cipher::check_key_len(cipher, CipherMode::Ecb, salt.len())?;
            backend::open(cipher, CipherMode::Ecb, salt)
        });
        Ok(Self { rule: Rule::Essiv { cipher: context?, block_len: cipher.block_len() } })
    }

    /// Makes the IV of a sector. One longer than the rule's is padded with zeros, a shorter one is cut.
    ///
    /// # Errors
    /// The backend of ESSIV's cipher failed.
    pub fn calculate(&self, sector: u64, iv: &mut [u8]) -> Result<(), Error> {
        let mut full = Zeroizing::new([0; iv::MAX_LEN]);
        full[..8].copy_from_slice(&self.number(sector).to_le_bytes());
        if let Rule::Essiv { cipher, block_len } = &self.rule {
            cipher.encrypt(&mut Iv::default(), InOutBuf::from(&mut full[..*block_len]))?;
        }
        let len = iv.len().min(full.len());
        iv[..len].copy_from_slice(&full[..len]);
        iv[len..].fill(0);
        Ok(())
    }

    /// What the rule takes of a sector's number.
    fn number(&self, sector: u64) -> u64 {
        match self.rule {
            // It wraps at 32 bits: that is the rule, and its fault.
            Rule::Plain => sector & u64::from(u32::MAX),
            Rule::Plain64 | Rule::Essiv { .. } => sector,
        }
    }

    /// The numbers of sectors as blocks of `N` bytes, little-endian.
    fn number_blocks<const N: usize>(&self, first: u64, step: u64, blocks: &mut [[u8; N]]) {
        let mut sector = first;
        for block in blocks {
            block.fill(0);
            block[..8].copy_from_slice(&self.number(sector).to_le_bytes());
            sector = sector.wrapping_add(step);
        }
    }
}

impl SectorIvs for IvGen {
    fn iv_len(&self) -> Option<usize> {
        match self.rule {
            Rule::Plain | Rule::Plain64 => None,
            Rule::Essiv { block_len, .. } => Some(block_len),
        }
    }

    fn wraps(&self) -> bool {
        matches!(self.rule, Rule::Plain)
    }

    fn make(&self, first: u64, step: u64, iv_len: usize, ivs: &mut [u8]) -> Result<(), Error> {
        match iv_len {
            8 => self.number_blocks::<8>(first, step, ivs.as_chunks_mut().0),
            _ => self.number_blocks::<16>(first, step, ivs.as_chunks_mut().0),
        }
        match &self.rule {
            Rule::Plain | Rule::Plain64 => Ok(()),
            Rule::Essiv { cipher, .. } => cipher.encrypt(&mut Iv::default(), InOutBuf::from(ivs)),
        }
    }
}

impl Drop for IvGen {
    /// The key wipes itself; what kernels spilled on the stack, nobody knows but the compiler.
    fn drop(&mut self) {
        scrub_stack();
    }
}
