//! Twofish with the tables looked up by gathers, a word of several blocks in a register: written once over [`Words`], a
//! file per instruction set.

mod avx2;
mod avx512;

use cipher::consts::{U16, U32};
use cipher::{InOut, InOutBuf};
use zeroize::ZeroizeOnDrop;

use super::{Block, ROUNDS, Twofish};
use crate::wide::{SideBySide, Wide};

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
    fn load(blocks: &[Block]) -> [Self; 4];

    /// The inverse of [`Words::load`].
    fn store(words: [Self; 4], blocks: &mut [Block]);

    /// [`encrypt`], compiled for the instructions.
    fn encrypt(cpu: Self::Cpu, key: &Twofish, blocks: InOutBuf<'_, '_, Block>);

    /// [`decrypt`], compiled for the instructions.
    fn decrypt(cpu: Self::Cpu, key: &Twofish, blocks: InOutBuf<'_, '_, Block>);
}

/// A key, and proof that the CPU has the instructions of `W`.
pub(crate) struct Gathering<W: Words> {
    key: Twofish,
    cpu: W::Cpu,
}

/// On 256-bit registers.
pub(crate) type Avx2 = Wide<Gathering<avx2::Ymm>>;

/// On 512-bit registers.
pub(crate) type Avx512 = Wide<Gathering<avx512::Zmm>>;

impl<W: Words> ZeroizeOnDrop for Gathering<W> {}

impl<W: Words> Wide<Gathering<W>> {
    /// Room for a key.
    pub(crate) fn blank(cpu: W::Cpu) -> Self {
        Self(Gathering { key: Twofish::blank(), cpu })
    }

    /// Sets a key of 16, 24 or 32 bytes.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        self.0.key.expand(key);
    }
}

/// Groups of blocks side by side: while one waits for its gathers, the others compute. Two, whatever the width: more
/// would not fit into the registers.
const GROUPS: usize = 2;

impl<W: Words> SideBySide for Gathering<W> {
    type BlockSize = U16;
    type Blocks = U32;

    const GROUP: usize = GROUPS * W::BLOCKS;

    fn encrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        W::encrypt(self.cpu, &self.key, blocks);
    }

    fn decrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        W::decrypt(self.cpu, &self.key, blocks);
    }

    fn encrypt_one(&self, block: InOut<'_, '_, Block>) {
        self.key.encrypt_one(block);
    }

    fn decrypt_one(&self, block: InOut<'_, '_, Block>) {
        self.key.decrypt_one(block);
    }
}

/// Encrypts whole groups of blocks.
#[inline(always)]
fn encrypt<W: Words>(key: &Twofish, mut blocks: InOutBuf<'_, '_, Block>) {
    let (before, after) = key.whitening();
    for start in (0..blocks.len()).step_by(GROUPS * W::BLOCKS) {
        let mut groups = load::<W>(&blocks.get_in()[start..]);
        whiten(&mut groups, before);
        for [first, second] in key.round_keys().as_chunks().0 {
            for [r0, r1, r2, r3] in &mut groups {
                let (f0, f1) = f(key, *r0, *r1, *first);
                *r2 = r2.xor(f0).rotate_right();
                *r3 = r3.rotate_left().xor(f1);
            }
            for [r0, r1, r2, r3] in &mut groups {
                let (f0, f1) = f(key, *r2, *r3, *second);
                *r0 = r0.xor(f0).rotate_right();
                *r1 = r1.rotate_left().xor(f1);
            }
        }
        exchange(&mut groups);
        whiten(&mut groups, after);
        store(groups, &mut blocks.get_out()[start..]);
    }
}

/// Decrypts whole groups of blocks.
#[inline(always)]
fn decrypt<W: Words>(key: &Twofish, mut blocks: InOutBuf<'_, '_, Block>) {
    const { assert!(ROUNDS.is_multiple_of(2)) };
    let (before, after) = key.whitening();
    for start in (0..blocks.len()).step_by(GROUPS * W::BLOCKS) {
        let mut groups = load::<W>(&blocks.get_in()[start..]);
        whiten(&mut groups, after);
        exchange(&mut groups);
        for [first, second] in key.round_keys().as_chunks().0.iter().rev() {
            for [r0, r1, r2, r3] in &mut groups {
                let (f0, f1) = f(key, *r2, *r3, *second);
                *r0 = r0.rotate_left().xor(f0);
                *r1 = r1.xor(f1).rotate_right();
            }
            for [r0, r1, r2, r3] in &mut groups {
                let (f0, f1) = f(key, *r0, *r1, *first);
                *r2 = r2.rotate_left().xor(f0);
                *r3 = r3.xor(f1).rotate_right();
            }
        }
        whiten(&mut groups, before);
        store(groups, &mut blocks.get_out()[start..]);
    }
}

/// The first of the blocks.
#[inline(always)]
fn load<W: Words>(blocks: &[Block]) -> [[W; 4]; GROUPS] {
    std::array::from_fn(|group| W::load(&blocks[group * W::BLOCKS..][..W::BLOCKS]))
}

/// The inverse of [`load`].
#[inline(always)]
fn store<W: Words>(groups: [[W; 4]; GROUPS], blocks: &mut [Block]) {
    for (words, blocks) in groups.into_iter().zip(blocks.chunks_exact_mut(W::BLOCKS)) {
        W::store(words, blocks);
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

/// The exchange of halves that the last round does not do.
#[inline(always)]
fn exchange<W: Words>(groups: &mut [[W; 4]; GROUPS]) {
    groups.iter_mut().for_each(|words| words.rotate_left(2));
}

#[cfg(test)]
mod tests {
    use super::super::tests::each_key;
    use super::{Avx2, Avx512, Gathering, Wide, Words};
    use crate::cpu;
    use crate::wide::tests::agrees;

    #[test]
    fn agree_with_the_crate() {
        match cpu::Avx2::detect() {
            Some(cpu) => test(|| Avx2::blank(cpu)),
            None => eprintln!("SKIPPED: this CPU or build has no AVX2"),
        }
        match cpu::Avx512::detect() {
            Some(cpu) => test(|| Avx512::blank(cpu)),
            None => eprintln!("SKIPPED: this CPU or build has no AVX-512"),
        }
    }

    fn test<W: Words>(blank: impl Fn() -> Wide<Gathering<W>>) {
        each_key(|key, reference| {
            let mut own = blank();
            own.expand(key);
            agrees(&own, reference);
        });
    }
}
