//! Serpent (Anderson, Biham, Knudsen: "Serpent: A Proposal for the Advanced Encryption Standard", 1998), bitsliced as its
//! authors meant it: an S-box is a circuit over the four words of a block, for all 32 boxes of a round at once. With one
//! word of many blocks in a register, it is so for all of them. Constant time.

mod boxes;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use cipher::consts::{U1, U16};
use cipher::{
    Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut, ParBlocksSizeUser,
};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use boxes::{Bits, binary};

const ROUNDS: usize = 32;

/// The golden ratio's fraction, which the prekeys are made with.
const PHI: u32 = 0x9e37_79b9;

/// A key that is set.
pub(crate) struct Serpent {
    round_keys: [[u32; 4]; ROUNDS + 1],
}

impl Drop for Serpent {
    fn drop(&mut self) {
        self.round_keys.zeroize();
    }
}

impl ZeroizeOnDrop for Serpent {}

impl Serpent {
    /// Room for a key.
    pub(crate) const fn blank() -> Self {
        Self { round_keys: [[0; 4]; ROUNDS + 1] }
    }

    /// Sets a key of 16, 24 or 32 bytes, section 3.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        let mut padded = Zeroizing::new([0; 32]);
        padded[..key.len()].copy_from_slice(key);
        if let Some(after) = padded.get_mut(key.len()) {
            *after = 1;
        }
        let mut last_eight = Zeroizing::new([0; 8]);
        for (word, bytes) in last_eight.iter_mut().zip(padded.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        for (number, word) in (0..).zip(self.round_keys.as_flattened_mut()) {
            let [a, _, _, b, _, c, _, d] = *last_eight;
            *word = (a ^ b ^ c ^ d ^ PHI ^ number).rotate_left(11);
            last_eight.rotate_left(1);
            last_eight[7] = *word;
        }
        for (round, words) in self.round_keys.iter_mut().enumerate() {
            *words = binary::s_box((ROUNDS + 3 - round) % 8, *words);
        }
    }

    /// The keys of four times eight rounds, and that after the last.
    fn rounds(&self) -> (&[[[u32; 4]; 8]], &[u32; 4]) {
        let [rounds @ .., last] = &self.round_keys;
        (rounds.as_chunks().0, last)
    }

    // Eight rounds are written out, so that each is compiled with the circuit of its own S-box.

    #[inline(always)]
    fn encrypt<W: Words, const N: usize>(&self, groups: &mut [[W; 4]; N]) {
        let (rounds, last) = self.rounds();
        for (number, [k0, k1, k2, k3, k4, k5, k6, k7]) in rounds.iter().enumerate() {
            substitute(groups, k0, 0);
            mix(groups);
            substitute(groups, k1, 1);
            mix(groups);
            substitute(groups, k2, 2);
            mix(groups);
            substitute(groups, k3, 3);
            mix(groups);
            substitute(groups, k4, 4);
            mix(groups);
            substitute(groups, k5, 5);
            mix(groups);
            substitute(groups, k6, 6);
            mix(groups);
            substitute(groups, k7, 7);
            if number < rounds.len() - 1 {
                mix(groups);
            }
        }
        add_key(groups, last);
    }

    #[inline(always)]
    fn decrypt<W: Words, const N: usize>(&self, groups: &mut [[W; 4]; N]) {
        let (rounds, last) = self.rounds();
        add_key(groups, last);
        for (number, [k0, k1, k2, k3, k4, k5, k6, k7]) in rounds.iter().enumerate().rev() {
            if number < rounds.len() - 1 {
                unmix(groups);
            }
            unsubstitute(groups, k7, 7);
            unmix(groups);
            unsubstitute(groups, k6, 6);
            unmix(groups);
            unsubstitute(groups, k5, 5);
            unmix(groups);
            unsubstitute(groups, k4, 4);
            unmix(groups);
            unsubstitute(groups, k3, 3);
            unmix(groups);
            unsubstitute(groups, k2, 2);
            unmix(groups);
            unsubstitute(groups, k1, 1);
            unmix(groups);
            unsubstitute(groups, k0, 0);
        }
    }
}

/// Words that are added bit by bit.
pub(crate) trait Xor: Copy {
    fn xor(self, other: Self) -> Self;
}

/// One word of some blocks.
pub(crate) trait Words: Xor {
    fn splat(word: u32) -> Self;

    /// The sum of three.
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    /// To the left; the two numbers add up to 32.
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self;

    fn shift_left<const N: i32>(self) -> Self;

    /// The S-box of this number.
    fn s_box(number: usize, words: [Self; 4]) -> [Self; 4];

    /// Its inverse.
    fn inverse_s_box(number: usize, words: [Self; 4]) -> [Self; 4];
}

#[inline(always)]
fn add_key<W: Words, const N: usize>(groups: &mut [[W; 4]; N], key: &[u32; 4]) {
    for group in groups {
        for (word, key) in group.iter_mut().zip(key) {
            *word = word.xor(W::splat(*key));
        }
    }
}

/// The key and the S-box of a round.
#[inline(always)]
fn substitute<W: Words, const N: usize>(groups: &mut [[W; 4]; N], key: &[u32; 4], number: usize) {
    add_key(groups, key);
    for group in groups {
        *group = W::s_box(number, *group);
    }
}

/// The inverse of [`substitute`].
#[inline(always)]
fn unsubstitute<W: Words, const N: usize>(groups: &mut [[W; 4]; N], key: &[u32; 4], number: usize) {
    for group in &mut *groups {
        *group = W::inverse_s_box(number, *group);
    }
    add_key(groups, key);
}

/// The linear transformation, section 2.
#[inline(always)]
fn mix<W: Words, const N: usize>(groups: &mut [[W; 4]; N]) {
    for [x0, x1, x2, x3] in groups {
        *x0 = x0.rotate::<13, 19>();
        *x2 = x2.rotate::<3, 29>();
        *x1 = x1.xor3(*x0, *x2).rotate::<1, 31>();
        *x3 = x3.xor3(*x2, x0.shift_left::<3>()).rotate::<7, 25>();
        *x0 = x0.xor3(*x1, *x3).rotate::<5, 27>();
        *x2 = x2.xor3(*x3, x1.shift_left::<7>()).rotate::<22, 10>();
    }
}

/// The inverse of [`mix`].
#[inline(always)]
fn unmix<W: Words, const N: usize>(groups: &mut [[W; 4]; N]) {
    for [x0, x1, x2, x3] in groups {
        *x2 = x2.rotate::<10, 22>().xor3(*x3, x1.shift_left::<7>());
        *x0 = x0.rotate::<27, 5>().xor3(*x1, *x3);
        *x3 = x3.rotate::<25, 7>().xor3(*x2, x0.shift_left::<3>());
        *x1 = x1.rotate::<31, 1>().xor3(*x0, *x2);
        *x2 = x2.rotate::<29, 3>();
        *x0 = x0.rotate::<19, 13>();
    }
}

impl Xor for u32 {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
}

impl Bits for u32 {
    #[inline(always)]
    fn not(self) -> Self {
        !self
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self & !other
    }
}

/// Of one block.
impl Words for u32 {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        word
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        self.rotate_left(LEFT.cast_unsigned())
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        self << N
    }

    #[inline(always)]
    fn s_box(number: usize, words: [Self; 4]) -> [Self; 4] {
        binary::s_box(number, words)
    }

    #[inline(always)]
    fn inverse_s_box(number: usize, words: [Self; 4]) -> [Self; 4] {
        binary::inverse(number, words)
    }
}

fn words(block: &Block<Serpent>) -> [u32; 4] {
    let words = block.0.as_chunks().0;
    std::array::from_fn(|word| u32::from_le_bytes(words[word]))
}

fn bytes(words: [u32; 4]) -> Block<Serpent> {
    let mut block = Block::<Serpent>::default();
    for (bytes, word) in block.0.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    block
}

impl BlockSizeUser for Serpent {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Serpent {
    type ParBlocksSize = U1;
}

impl BlockCipherEncrypt for Serpent {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
        f.call(self);
    }
}

impl BlockCipherDecrypt for Serpent {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
        f.call(self);
    }
}

impl BlockCipherEncBackend for Serpent {
    fn encrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let mut one = [words(block.get_in())];
        self.encrypt(&mut one);
        *block.get_out() = bytes(one[0]);
    }
}

impl BlockCipherDecBackend for Serpent {
    fn decrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let mut one = [words(block.get_in())];
        self.decrypt(&mut one);
        *block.get_out() = bytes(one[0]);
    }
}

#[cfg(test)]
mod tests {
    use cipher::KeyInit;

    use super::Serpent;
    use crate::wide::tests::agrees;

    /// Keys of every length, each with the crate's.
    pub(super) fn each_key(test: impl Fn(&[u8], &serpent::Serpent)) {
        for seed in 0..6_usize {
            let key: Vec<u8> =
                (0..[16, 24, 32][seed % 3]).map(|i| (i * i + 7 * i + seed * 29) as u8).collect();
            test(&key, &serpent::Serpent::new_from_slice(&key).expect("a key length"));
        }
    }

    #[test]
    fn agrees_with_the_crate() {
        each_key(|key, reference| {
            let mut own = Serpent::blank();
            own.expand(key);
            agrees(&own, reference);
        });
    }
}
