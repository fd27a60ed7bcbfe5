//! Twofish with the tables looked up by gathers, a word of several blocks in a register: written once over [`Words`], a
//! file per instruction set.

mod avx2;
mod avx512;

use cipher::consts::{U16, U32};
use cipher::{
    Array, Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt,
    BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut,
    InOutBuf, ParBlocks, ParBlocksSizeUser,
};
use zeroize::ZeroizeOnDrop;

use super::{ROUNDS, Twofish};

/// A register: one word of [`Words::BLOCKS`] blocks.
///
/// # Safety
/// An implementation's `crypt` runs the body it is given where the compiler may use the instructions that the methods
/// need; so its methods are called from there alone, and whoever has a `Cpu` has proof of them.
pub(crate) unsafe trait Words: Copy {
    /// The proof that the CPU has the register's instructions.
    type Cpu: Copy + Send + Sync;

    /// Words in the register.
    const BLOCKS: usize;

    fn splat(word: u32) -> Self;
    fn xor(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn rotate_left(self) -> Self;
    fn rotate_right(self) -> Self;

    /// Each byte of the words, the lowest first, in words of its own.
    fn bytes(self) -> [Self; 4];

    /// The words of a table that stand at these places, which are bytes.
    fn gather(table: &[u32; 256], places: Self) -> Self;

    /// As many blocks, the first word of each in the first register.
    fn load(blocks: &[[u8; 16]]) -> [Self; 4];

    /// The inverse of [`Words::load`].
    fn store(words: [Self; 4], blocks: &mut [[u8; 16]]);

    /// [`encrypt`], compiled for the instructions.
    fn encrypt(cpu: Self::Cpu, key: &Twofish, input: &Batch, output: &mut Batch);

    /// [`decrypt`], compiled for the instructions.
    fn decrypt(cpu: Self::Cpu, key: &Twofish, input: &Batch, output: &mut Batch);
}

/// Blocks that go through the rounds together.
const BATCH: usize = 32;
pub(crate) type Batch = [[u8; 16]; BATCH];

/// A key, and proof that the CPU has the instructions of `W`.
pub(crate) struct Gathering<W: Words> {
    key: Twofish,
    cpu: W::Cpu,
}

/// On 256-bit registers.
pub(crate) type Avx2 = Gathering<avx2::Ymm>;

/// On 512-bit registers.
pub(crate) type Avx512 = Gathering<avx512::Zmm>;

impl<W: Words> ZeroizeOnDrop for Gathering<W> {}

impl<W: Words> Gathering<W> {
    /// [`Twofish::blank`]
    pub(crate) fn blank(cpu: W::Cpu) -> Self {
        Self { key: Twofish::blank(), cpu }
    }

    /// [`Twofish::expand`]
    pub(crate) fn expand(&mut self, key: &[u8]) {
        self.key.expand(key);
    }
}

/// Groups of blocks side by side: while one waits for its gathers, the others compute. Two, whatever the width: more
/// would not fit into the registers.
const GROUPS: usize = 2;

/// Encrypts a batch.
#[inline(always)]
fn encrypt<W: Words>(key: &Twofish, input: &Batch, output: &mut Batch) {
    for_each_groups::<W>(input, output, |groups| {
        let (before, after) = key.whitening();
        whiten(groups, before);
        for [first, second] in key.round_keys().as_chunks().0 {
            for [r0, r1, r2, r3] in &mut *groups {
                let (f0, f1) = f(key, *r0, *r1, *first);
                *r2 = r2.xor(f0).rotate_right();
                *r3 = r3.rotate_left().xor(f1);
            }
            for [r0, r1, r2, r3] in &mut *groups {
                let (f0, f1) = f(key, *r2, *r3, *second);
                *r0 = r0.xor(f0).rotate_right();
                *r1 = r1.rotate_left().xor(f1);
            }
        }
        *groups = groups.map(|[r0, r1, r2, r3]| [r2, r3, r0, r1]);
        whiten(groups, after);
    });
}

/// Decrypts a batch.
#[inline(always)]
fn decrypt<W: Words>(key: &Twofish, input: &Batch, output: &mut Batch) {
    const { assert!(ROUNDS.is_multiple_of(2)) };
    for_each_groups::<W>(input, output, |groups| {
        let (before, after) = key.whitening();
        whiten(groups, after);
        *groups = groups.map(|[r2, r3, r0, r1]| [r0, r1, r2, r3]);
        for [first, second] in key.round_keys().as_chunks().0.iter().rev() {
            for [r0, r1, r2, r3] in &mut *groups {
                let (f0, f1) = f(key, *r2, *r3, *second);
                *r0 = r0.rotate_left().xor(f0);
                *r1 = r1.xor(f1).rotate_right();
            }
            for [r0, r1, r2, r3] in &mut *groups {
                let (f0, f1) = f(key, *r0, *r1, *first);
                *r2 = r2.rotate_left().xor(f0);
                *r3 = r3.xor(f1).rotate_right();
            }
        }
        whiten(groups, before);
    });
}

/// Runs `work` over all blocks, so many groups of them at a time.
#[inline(always)]
fn for_each_groups<W: Words>(
    input: &Batch,
    output: &mut Batch,
    mut work: impl FnMut(&mut [[W; 4]; GROUPS]),
) {
    let len = GROUPS * W::BLOCKS;
    for (input, output) in input.chunks_exact(len).zip(output.chunks_exact_mut(len)) {
        let mut groups =
            std::array::from_fn(|group| W::load(&input[group * W::BLOCKS..][..W::BLOCKS]));
        work(&mut groups);
        for (group, blocks) in groups.into_iter().zip(output.chunks_exact_mut(W::BLOCKS)) {
            W::store(group, blocks);
        }
    }
}

/// The function F of a round.
#[inline(always)]
fn f<W: Words>(key: &Twofish, r0: W, r1: W, [k0, k1]: [u32; 2]) -> (W, W) {
    let t0 = g(key, r0.bytes());
    let [a, b, c, d] = r1.bytes();
    let t1 = g(key, [d, a, b, c]);
    let sum = t0.add(t1);
    (sum.add(W::splat(k0)), sum.add(t1).add(W::splat(k1)))
}

/// The function g.
#[inline(always)]
fn g<W: Words>(key: &Twofish, [a, b, c, d]: [W; 4]) -> W {
    let [t0, t1, t2, t3] = &*key.g;
    let (a, b) = (W::gather(t0, a), W::gather(t1, b));
    let (c, d) = (W::gather(t2, c), W::gather(t3, d));
    a.xor(b).xor(c.xor(d))
}

#[inline(always)]
fn whiten<W: Words>(groups: &mut [[W; 4]; GROUPS], keys: &[u32]) {
    for group in groups {
        for (word, key) in group.iter_mut().zip(keys) {
            *word = word.xor(W::splat(*key));
        }
    }
}

impl<W: Words> BlockSizeUser for Gathering<W> {
    type BlockSize = U16;
}

impl<W: Words> ParBlocksSizeUser for Gathering<W> {
    type ParBlocksSize = U32;
}

impl<W: Words> BlockCipherEncrypt for Gathering<W> {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
        f.call(self);
    }
}

impl<W: Words> BlockCipherDecrypt for Gathering<W> {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
        f.call(self);
    }
}

impl<W: Words> BlockCipherEncBackend for Gathering<W> {
    fn encrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        BlockCipherEncBackend::encrypt_block(&self.key, block);
    }

    fn encrypt_par_blocks(&self, mut blocks: InOut<'_, '_, ParBlocks<Self>>) {
        let mut output = [[0; 16]; BATCH];
        W::encrypt(self.cpu, &self.key, as_batch(blocks.get_in()), &mut output);
        *blocks.get_out() = output.map(Array).into();
    }

    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.key.encrypt_blocks_inout(blocks);
    }
}

impl<W: Words> BlockCipherDecBackend for Gathering<W> {
    fn decrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        BlockCipherDecBackend::decrypt_block(&self.key, block);
    }

    fn decrypt_par_blocks(&self, mut blocks: InOut<'_, '_, ParBlocks<Self>>) {
        let mut output = [[0; 16]; BATCH];
        W::decrypt(self.cpu, &self.key, as_batch(blocks.get_in()), &mut output);
        *blocks.get_out() = output.map(Array).into();
    }

    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.key.decrypt_blocks_inout(blocks);
    }
}

/// The same bytes without the crate's names for arrays.
fn as_batch(blocks: &Array<Array<u8, U16>, U32>) -> &Batch {
    let (blocks, _) = Array::slice_as_flattened(blocks.as_slice()).as_chunks();
    blocks.try_into().expect("a batch")
}

#[cfg(test)]
mod tests {
    use cipher::{BlockCipherDecrypt, BlockCipherEncrypt};

    use super::{Avx2, Avx512, Gathering, Words};
    use crate::cpu;
    use crate::twofish::Twofish;

    #[test]
    fn agrees_with_the_portable_core() {
        match cpu::Avx2::detect() {
            Some(cpu) => agrees(|| Avx2::blank(cpu)),
            None => eprintln!("SKIPPED: this CPU or build has no AVX2"),
        }
        match cpu::Avx512::detect() {
            Some(cpu) => agrees(|| Avx512::blank(cpu)),
            None => eprintln!("SKIPPED: this CPU or build has no AVX-512"),
        }
    }

    fn agrees<W: Words>(blank: impl Fn() -> Gathering<W>) {
        for seed in 0..80_usize {
            let key: Vec<u8> =
                (0..[16, 24, 32][seed % 3]).map(|i| (i * i + seed * 29) as u8).collect();
            let (mut portable, mut gathering) = (Twofish::blank(), blank());
            portable.expand(&key);
            gathering.expand(&key);
            let byte = |block: usize, i: usize| (block * 77 + i * 5 + seed * 3) as u8;
            let plain: Vec<cipher::Array<u8, _>> = (0..seed)
                .map(|block| std::array::from_fn::<u8, 16, _>(|i| byte(block, i)).into())
                .collect();
            let (mut found, mut wanted) = (plain.clone(), plain.clone());
            gathering.encrypt_blocks(&mut found);
            portable.encrypt_blocks(&mut wanted);
            assert_eq!(found, wanted, "{seed} blocks");
            gathering.decrypt_blocks(&mut found);
            assert_eq!(found, plain, "{seed} blocks, and back");
        }
    }
}
