//! Serpent with a word of several blocks in a register: a file per instruction set.

mod avx2;
mod avx512;
mod sse2;

use cipher::consts::{U16, U32};
use cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, InOut, InOutBuf};
use zeroize::ZeroizeOnDrop;

use super::{Serpent, Words};
use crate::wide::{SideBySide, Wide};

type Block = Array<u8, U16>;

/// A register: one word of [`Register::BLOCKS`] blocks.
///
/// # Safety
/// `encrypt` and `decrypt` run the rounds where the compiler may use the instructions that the other methods need; so
/// those are called from there alone, and whoever has a `Cpu` has proof of them.
pub(crate) unsafe trait Register: Words {
    /// The proof that the CPU has the register's instructions.
    type Cpu: Copy + Send + Sync;

    /// Words in the register.
    const BLOCKS: usize;

    /// As many blocks, the first word of each in the first register.
    fn load(blocks: &[Block]) -> [Self; 4];

    /// The inverse of [`Register::load`].
    fn store(words: [Self; 4], blocks: &mut [Block]);

    /// [`encrypt`], compiled for the instructions.
    fn encrypt(cpu: Self::Cpu, key: &Serpent, blocks: InOutBuf<'_, '_, Block>);

    /// [`decrypt`], compiled for the instructions.
    fn decrypt(cpu: Self::Cpu, key: &Serpent, blocks: InOutBuf<'_, '_, Block>);
}

/// A key, and proof that the CPU has the instructions of `R`.
pub(crate) struct Bitsliced<R: Register> {
    key: Serpent,
    cpu: R::Cpu,
}

/// On 128-bit registers.
pub(crate) type Sse2 = Wide<Bitsliced<sse2::Xmm>>;

/// On 256-bit registers.
pub(crate) type Avx2 = Wide<Bitsliced<avx2::Ymm>>;

/// On 512-bit registers.
pub(crate) type Avx512 = Wide<Bitsliced<avx512::Zmm>>;

impl<R: Register> ZeroizeOnDrop for Bitsliced<R> {}

impl<R: Register> Wide<Bitsliced<R>> {
    /// [`Serpent::blank`]
    pub(crate) const fn blank(cpu: R::Cpu) -> Self {
        Self(Bitsliced { key: Serpent::blank(), cpu })
    }

    /// [`Serpent::expand`]
    pub(crate) fn expand(&mut self, key: &[u8]) {
        self.0.key.expand(key);
    }
}

/// Registers of each word, side by side: while one waits for a result, the other computes. More would not fit into the
/// registers of the CPU.
const GROUPS: usize = 2;

impl<R: Register> SideBySide for Bitsliced<R> {
    type BlockSize = U16;
    type Blocks = U32;

    const GROUP: usize = GROUPS * R::BLOCKS;

    fn encrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        R::encrypt(self.cpu, &self.key, blocks);
    }

    fn decrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        R::decrypt(self.cpu, &self.key, blocks);
    }

    fn encrypt_one(&self, block: InOut<'_, '_, Block>) {
        self.key.encrypt_block_inout(block);
    }

    fn decrypt_one(&self, block: InOut<'_, '_, Block>) {
        self.key.decrypt_block_inout(block);
    }
}

/// Encrypts whole groups of blocks.
#[inline(always)]
fn encrypt<R: Register>(key: &Serpent, mut blocks: InOutBuf<'_, '_, Block>) {
    for start in (0..blocks.len()).step_by(GROUPS * R::BLOCKS) {
        let mut groups = load::<R>(&blocks.get_in()[start..]);
        key.encrypt(&mut groups);
        store(groups, &mut blocks.get_out()[start..]);
    }
}

/// Decrypts whole groups of blocks.
#[inline(always)]
fn decrypt<R: Register>(key: &Serpent, mut blocks: InOutBuf<'_, '_, Block>) {
    for start in (0..blocks.len()).step_by(GROUPS * R::BLOCKS) {
        let mut groups = load::<R>(&blocks.get_in()[start..]);
        key.decrypt(&mut groups);
        store(groups, &mut blocks.get_out()[start..]);
    }
}

/// The first of the blocks.
#[inline(always)]
fn load<R: Register>(blocks: &[Block]) -> [[R; 4]; GROUPS] {
    std::array::from_fn(|group| R::load(&blocks[group * R::BLOCKS..][..R::BLOCKS]))
}

/// The inverse of [`load`].
#[inline(always)]
fn store<R: Register>(groups: [[R; 4]; GROUPS], blocks: &mut [Block]) {
    for (words, blocks) in groups.into_iter().zip(blocks.chunks_exact_mut(R::BLOCKS)) {
        R::store(words, blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::each_key;
    use super::{Avx2, Avx512, Bitsliced, Register, Sse2, Wide};
    use crate::cpu;
    use crate::wide::tests::agrees;

    #[test]
    fn agree_with_the_crate() {
        test(|| Sse2::blank(()));
        match cpu::Avx2::detect() {
            Some(cpu) => test(|| Avx2::blank(cpu)),
            None => eprintln!("SKIPPED: this CPU or build has no AVX2"),
        }
        match cpu::Avx512::detect() {
            Some(cpu) => test(|| Avx512::blank(cpu)),
            None => eprintln!("SKIPPED: this CPU or build has no AVX-512"),
        }
    }

    fn test<R: Register>(blank: impl Fn() -> Wide<Bitsliced<R>>) {
        each_key(|key, reference| {
            let mut own = blank();
            own.expand(key);
            agrees(&own, reference);
        });
    }
}
