//! Sectors: what a library implements, and the loop of a disk layer over a library that knows of no sectors.

use std::rc::Rc;

use super::Refusal;
use super::cipher::Keyed;
use crate::algorithm::{Algorithm, Direction, Disk, Mode, Rule, Spec};
use crate::buffer::{Pair, sample};

/// A row's disk cipher with its key.
pub(crate) trait SectorEngine {
    fn kernel(&self) -> String;

    /// One run of sectors from number `first` on.
    fn crypt(
        &mut self,
        direction: Direction,
        sector_size: usize,
        first: u64,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), String>;

    /// `calls` times the whole buffer, which is a run that goes on where the last one ended.
    fn run(
        &mut self,
        direction: Direction,
        sector_size: usize,
        buffers: &mut Pair,
        calls: u64,
    ) -> Result<(), String> {
        let (input, output) = buffers.split();
        let sectors = (input.len() / sector_size) as u64;
        for call in 0..calls {
            self.crypt(direction, sector_size, call * sectors, input, output)?;
        }
        Ok(())
    }
}

/// The key of a disk.
pub(super) fn key(spec: Spec) -> Vec<u8> {
    sample(spec.key_len(), 0)
}

/// The cipher that ESSIV encrypts numbers with, and the hash that makes its key of the disk's.
pub(super) const ESSIV: Spec = Spec { algorithm: Algorithm::Aes256, mode: Mode::Ecb };

/// Keys a library's cipher, which is then called for each sector.
pub(super) fn one_by_one<K: Keyed + 'static>(
    library: Rc<K::Library>,
    disk: Disk,
) -> Result<Box<dyn SectorEngine>, Refusal> {
    let key = key(disk.spec);
    let essiv = match disk.rule {
        Rule::Plain64 => None,
        Rule::Essiv => Some(K::new(&library, ESSIV, &sha256(&key))?),
    };
    Ok(Box::new(Loop { cipher: K::new(&library, disk.spec, &key)?, essiv, disk }))
}

fn sha256(key: &[u8]) -> [u8; 32] {
    use sha2::Digest;
    sha2::Sha256::digest(key).into()
}

struct Loop<K: Keyed> {
    cipher: K,
    essiv: Option<K>,
    disk: Disk,
}

impl<K: Keyed> SectorEngine for Loop<K> {
    fn kernel(&self) -> String {
        self.cipher.kernel()
    }

    fn crypt(
        &mut self,
        direction: Direction,
        sector_size: usize,
        first: u64,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), String> {
        let iv_len = self.disk.spec.iv_len();
        let sectors = input.chunks_exact(sector_size).zip(output.chunks_exact_mut(sector_size));
        for (number, (input, output)) in (first..).zip(sectors) {
            if iv_len > 0 {
                let number = u128::from(number).to_le_bytes();
                let mut iv = number;
                if let Some(essiv) = &mut self.essiv {
                    essiv.encrypt(&number, &mut iv)?;
                }
                self.cipher.set_iv(direction, &iv[..iv_len])?;
            }
            match direction {
                Direction::Encrypt => self.cipher.encrypt(input, output)?,
                Direction::Decrypt => self.cipher.decrypt(input, output)?,
            }
        }
        Ok(())
    }
}
