//! CAST-128 with the tables looked up by gathers, half a block of several blocks in a register: written once over [`Words`],
//! a file per instruction set.

mod avx2;
mod avx512;

use cipher::consts::{U8, U32};
use cipher::{InOut, InOutBuf};
use zeroize::ZeroizeOnDrop;

use super::boxes::BOXES;
use super::{Block, Cast5, ROUNDS};
use crate::wide::{SideBySide, Wide};

/// A register: half of [`Words::BLOCKS`] blocks.
///
/// # Safety
/// `crypt` runs the rounds where the compiler may use the instructions that the other methods need; so those are called from
/// there alone, and whoever has a `Cpu` has proof of them.
pub(crate) unsafe trait Words: Copy {
    /// The proof that the CPU has the register's instructions.
    type Cpu: Copy + Send + Sync;

    /// Words in the register.
    const BLOCKS: usize;

    fn splat(word: u32) -> Self;
    fn xor(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn rotate_left(self, bits: u32) -> Self;

    /// Each byte of the words, the highest first, in words of its own.
    fn bytes(self) -> [Self; 4];

    /// The words of a table that stand at these places, which are bytes.
    fn gather(table: &[u32; 256], places: Self) -> Self;

    /// The left and the right halves of as many blocks.
    fn load(blocks: &[Block]) -> [Self; 2];

    /// The inverse of [`Words::load`].
    fn store(halves: [Self; 2], blocks: &mut [Block]);

    /// [`crypt`], compiled for the instructions.
    fn crypt(cpu: Self::Cpu, key: &Cast5, order: &Order, blocks: InOutBuf<'_, '_, Block>);
}

/// The numbers of the rounds, in the order that they come in.
type Order = [usize; ROUNDS];

const ENCRYPTION: Order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const DECRYPTION: Order = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

/// A key, and proof that the CPU has the instructions of `W`.
pub(crate) struct Gathering<W: Words> {
    key: Cast5,
    cpu: W::Cpu,
}

/// On 256-bit registers.
pub(crate) type Avx2 = Wide<Gathering<avx2::Ymm>>;

/// On 512-bit registers.
pub(crate) type Avx512 = Wide<Gathering<avx512::Zmm>>;

impl<W: Words> ZeroizeOnDrop for Gathering<W> {}

impl<W: Words> Wide<Gathering<W>> {
    /// Room for a key.
    pub(crate) const fn blank(cpu: W::Cpu) -> Self {
        Self(Gathering { key: Cast5::blank(), cpu })
    }

    /// Sets a key of 16 bytes.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        self.0.key.expand(key);
    }
}

/// Groups of blocks side by side: while one waits for its gathers, the other computes.
const GROUPS: usize = 2;

impl<W: Words> SideBySide for Gathering<W> {
    type BlockSize = U8;
    type Blocks = U32;

    const GROUP: usize = GROUPS * W::BLOCKS;

    fn encrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        W::crypt(self.cpu, &self.key, &ENCRYPTION, blocks);
    }

    fn decrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        W::crypt(self.cpu, &self.key, &DECRYPTION, blocks);
    }

    fn encrypt_one(&self, block: InOut<'_, '_, Block>) {
        self.key.encrypt_one(block);
    }

    fn decrypt_one(&self, block: InOut<'_, '_, Block>) {
        self.key.decrypt_one(block);
    }
}

/// The rounds in an order, over whole groups of blocks.
#[inline(always)]
fn crypt<W: Words>(key: &Cast5, order: &Order, mut blocks: InOutBuf<'_, '_, Block>) {
    for start in (0..blocks.len()).step_by(GROUPS * W::BLOCKS) {
        let input = &blocks.get_in()[start..];
        let mut groups: [_; GROUPS] =
            std::array::from_fn(|group| W::load(&input[group * W::BLOCKS..][..W::BLOCKS]));
        for &number in order {
            let (mask, rotation) = (W::splat(key.masks[number]), key.rotations[number]);
            for [left, right] in &mut groups {
                *left = left.xor(f(number % 3, *right, mask, rotation));
                (*left, *right) = (*right, *left);
            }
        }
        let output = blocks.get_out()[start..].chunks_exact_mut(W::BLOCKS);
        for ([left, right], blocks) in groups.into_iter().zip(output) {
            // The halves change places in the end.
            W::store([right, left], blocks);
        }
    }
}

/// The function of a round.
#[inline(always)]
fn f<W: Words>(kind: usize, half: W, mask: W, rotation: u32) -> W {
    let mixed = match kind {
        0 => mask.add(half),
        1 => mask.xor(half),
        _ => mask.sub(half),
    };
    let [a, b, c, d] = mixed.rotate_left(rotation).bytes();
    let [s1, s2, s3, s4] = &BOXES;
    let (a, b) = (W::gather(s1, a), W::gather(s2, b));
    let (c, d) = (W::gather(s3, c), W::gather(s4, d));
    match kind {
        0 => a.xor(b).sub(c).add(d),
        1 => a.sub(b).add(c).xor(d),
        _ => a.add(b).xor(c).sub(d),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::agree;
    use super::{Avx2, Avx512};
    use crate::cpu;

    #[test]
    fn agree_with_the_crate() {
        match cpu::Avx2::detect() {
            Some(cpu) => agree(|key| {
                let mut own = Avx2::blank(cpu);
                own.expand(key);
                own
            }),
            None => eprintln!("SKIPPED: this CPU or build has no AVX2"),
        }
        match cpu::Avx512::detect() {
            Some(cpu) => agree(|key| {
                let mut own = Avx512::blank(cpu);
                own.expand(key);
                own
            }),
            None => eprintln!("SKIPPED: this CPU or build has no AVX-512"),
        }
    }
}
