//! DES in planes, in constant time: the six bits of one S-box of many blocks in a register, one block a byte.
//!
//! A half block is eight planes, in which the selection E is done already: bits that two S-boxes share are in two planes. So
//! are the results of the function f, to which each S-box gives one or two bits of six planes. A file per instruction set
//! says how S-boxes are looked up.

mod avx2;
mod vbmi512;

use cipher::array::ArraySize;
use cipher::consts::U8;
use cipher::typenum::Unsigned;
use cipher::{InOut, InOutBuf};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{Block, Des, ROUNDS, Rounds, schedule};
use crate::wide::{SideBySide, Wide};

/// Planes of a half block.
const PLANES: usize = 8;

/// An instruction set.
pub(crate) trait Instructions {
    /// The proof that the CPU has them.
    type Cpu: Copy + Send + Sync;

    /// Blocks side by side.
    type Blocks: ArraySize;

    /// All passes over whole groups of blocks.
    fn crypt<const KEYS: usize>(
        cpu: Self::Cpu,
        passes: &Rounds<[u32; PLANES], KEYS>,
        blocks: InOutBuf<'_, '_, Block>,
    );
}

/// A key, and proof that the CPU has the instructions.
pub(crate) struct Planes<I: Instructions, const KEYS: usize> {
    /// For blocks that come alone.
    one: Des<KEYS>,
    /// The subkeys in the order of encryption and of decryption, each group in the four bytes of a word, which the CPU
    /// spreads faster than a byte.
    rounds: [Rounds<[u32; PLANES], KEYS>; 2],
    cpu: I::Cpu,
}

/// On 256-bit registers.
pub(crate) type Avx2<const KEYS: usize> = Wide<Planes<avx2::Shuffles, KEYS>>;

/// On 512-bit registers.
pub(crate) type Vbmi512<const KEYS: usize> = Wide<Planes<vbmi512::Vbmi, KEYS>>;

impl<I: Instructions, const KEYS: usize> Drop for Planes<I, KEYS> {
    fn drop(&mut self) {
        self.rounds.zeroize();
    }
}

impl<I: Instructions, const KEYS: usize> ZeroizeOnDrop for Planes<I, KEYS> {}

impl<I: Instructions, const KEYS: usize> Wide<Planes<I, KEYS>> {
    /// Room for a key.
    pub(crate) const fn blank(cpu: I::Cpu) -> Self {
        Self(Planes { one: Des::blank(), rounds: [[[[0; PLANES]; ROUNDS]; KEYS]; 2], cpu })
    }

    /// Sets a key of eight bytes for each pass.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        let schedules = schedule(key);
        self.0.one.expand(&schedules);
        let subkeys = schedules.as_flattened().as_flattened();
        let rounds = self.0.rounds.as_flattened_mut().as_flattened_mut();
        for (words, groups) in rounds.iter_mut().zip(subkeys) {
            *words = groups.map(|group| u32::from_ne_bytes([group; 4]));
        }
    }
}

impl<I: Instructions, const KEYS: usize> SideBySide for Planes<I, KEYS> {
    type BlockSize = U8;
    type Blocks = I::Blocks;

    const GROUP: usize = I::Blocks::USIZE;

    fn encrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        I::crypt(self.cpu, &self.rounds[0], blocks);
    }

    fn decrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        I::crypt(self.cpu, &self.rounds[1], blocks);
    }

    fn encrypt_one(&self, block: InOut<'_, '_, Block>) {
        self.one.encrypt_one(block);
    }

    fn decrypt_one(&self, block: InOut<'_, '_, Block>) {
        self.one.decrypt_one(block);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::agree;
    use super::{Avx2, Instructions, Planes, Vbmi512, Wide};
    use crate::cpu;

    #[test]
    fn agree_with_the_crate() {
        match cpu::Avx2::detect() {
            Some(cpu) => agree(
                |key| keyed(Avx2::<1>::blank(cpu), key),
                |key| keyed(Avx2::<3>::blank(cpu), key),
            ),
            None => eprintln!("SKIPPED: this CPU or build has no AVX2"),
        }
        match cpu::Vbmi512::detect() {
            Some(cpu) => agree(
                |key| keyed(Vbmi512::<1>::blank(cpu), key),
                |key| keyed(Vbmi512::<3>::blank(cpu), key),
            ),
            None => eprintln!("SKIPPED: this CPU or build has no AVX-512 VBMI"),
        }
    }

    fn keyed<I: Instructions, const KEYS: usize>(
        mut own: Wide<Planes<I, KEYS>>,
        key: &[u8],
    ) -> Wide<Planes<I, KEYS>> {
        own.expand(key);
        own
    }
}
