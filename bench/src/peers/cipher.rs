//! Ciphers: what a library implements, and the loops over it that are timed.

use std::rc::Rc;

use super::Refusal;
use crate::algorithm::{Direction, Spec};
use crate::buffer::{Pair, sample};

/// A library's cipher with its key, seen by the loops. Every return code comes back as a `Result`: on the good path
/// that costs a compare, and a call that fails is never taken for a fast one.
pub(super) trait Keyed: Sized {
    type Library;

    /// An object for both directions, as a caller who reads and writes a disk needs it.
    fn new(library: &Rc<Self::Library>, spec: Spec, key: &[u8]) -> Result<Self, Refusal>;

    /// `iv` is as long as the mode wants it; never called in ECB.
    fn set_iv(&mut self, direction: Direction, iv: &[u8]) -> Result<(), String>;

    /// `output` is as long as `input`.
    fn encrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String>;

    fn decrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String>;

    /// What serves inside, where the library tells.
    fn kernel(&self) -> String {
        String::new()
    }
}

/// A row's cipher with its key. What is timed takes many calls at once, so that this trait's indirection is outside the clock.
pub(crate) trait CipherEngine {
    fn kernel(&self) -> String;

    /// One call after its own setiv, for comparing outputs.
    fn crypt(
        &mut self,
        direction: Direction,
        iv: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), String>;

    /// `calls` times the whole buffer.
    fn run(
        &mut self,
        direction: Direction,
        ivs: Ivs,
        buffers: &mut Pair,
        calls: u64,
    ) -> Result<(), String>;

    /// `calls` times a new object and its end.
    fn renew(&mut self, calls: u64) -> Result<(), String>;

    /// `calls` times setiv alone.
    fn set_ivs(&mut self, calls: u64) -> Result<(), String>;
}

/// When an IV is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ivs {
    /// Before every chunk, a disk layer's case.
    Fresh,
    /// Before the first chunk of a round.
    Kept,
}

/// Keys a library's cipher.
pub(super) fn open<K: Keyed + 'static>(
    library: Rc<K::Library>,
    spec: Spec,
) -> Result<Box<dyn CipherEngine>, Refusal> {
    let key = sample(spec.key_len(), 0);
    let keyed = K::new(&library, spec, &key)?;
    Ok(Box::new(Loops { keyed, library, spec, key, ivs: SectorIvs::new() }))
}

struct Loops<K: Keyed> {
    keyed: K,
    library: Rc<K::Library>,
    spec: Spec,
    key: Vec<u8>,
    ivs: SectorIvs,
}

impl<K: Keyed> Loops<K> {
    fn needs(&self, ivs: Ivs) -> bool {
        ivs == Ivs::Fresh && self.spec.iv_len() > 0
    }
}

/// The IVs of a run of sectors as `plain64` makes them, again and again: running on, as on a disk, but written down
/// beforehand. What a caller's own IV arithmetic costs says nothing about a library.
struct SectorIvs([[u8; 16]; 64]);

impl SectorIvs {
    fn new() -> Self {
        Self(std::array::from_fn(|sector| (sector as u128).to_le_bytes()))
    }

    fn get(&self, sector: u64, len: usize) -> &[u8] {
        &self.0[sector as usize % self.0.len()][..len]
    }
}

/// Keeps an IV for later. A whole block is by far the most frequent and takes no call of memcpy.
pub(super) fn keep_iv(kept: &mut [u8; 16], iv: &[u8]) {
    match iv.try_into() {
        Ok(whole) => *kept = whole,
        Err(_) => kept[..iv.len()].copy_from_slice(iv),
    }
}

impl<K: Keyed> CipherEngine for Loops<K> {
    fn kernel(&self) -> String {
        self.keyed.kernel()
    }

    fn crypt(
        &mut self,
        direction: Direction,
        iv: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), String> {
        if self.needs(Ivs::Fresh) {
            self.keyed.set_iv(direction, &iv[..self.spec.iv_len()])?;
        }
        match direction {
            Direction::Encrypt => self.keyed.encrypt(input, output),
            Direction::Decrypt => self.keyed.decrypt(input, output),
        }
    }

    fn run(
        &mut self,
        direction: Direction,
        ivs: Ivs,
        buffers: &mut Pair,
        calls: u64,
    ) -> Result<(), String> {
        let fresh = self.needs(ivs);
        let iv_len = self.spec.iv_len();
        let (input, output) = buffers.split();
        if iv_len > 0 && !fresh {
            self.keyed.set_iv(direction, self.ivs.get(0, iv_len))?;
        }
        for sector in 0..calls {
            if fresh {
                self.keyed.set_iv(direction, self.ivs.get(sector, iv_len))?;
            }
            match direction {
                Direction::Encrypt => self.keyed.encrypt(input, output)?,
                Direction::Decrypt => self.keyed.decrypt(input, output)?,
            }
        }
        Ok(())
    }

    fn renew(&mut self, calls: u64) -> Result<(), String> {
        for _ in 0..calls {
            match K::new(&self.library, self.spec, &self.key) {
                Ok(keyed) => drop(keyed),
                Err(Refusal::Unsupported(reason) | Refusal::Failed(reason)) => return Err(reason),
            }
        }
        Ok(())
    }

    fn set_ivs(&mut self, calls: u64) -> Result<(), String> {
        let iv_len = self.spec.iv_len();
        for sector in 0..calls {
            self.keyed.set_iv(Direction::Encrypt, self.ivs.get(sector, iv_len))?;
        }
        Ok(())
    }
}
