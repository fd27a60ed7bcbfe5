//! SM4 with a word of several blocks in a register: a file per way to compute the S-box.

mod aesni;
mod avx2;
mod gfni512;

use cipher::consts::{U16, U32};
use cipher::{Array, InOut, InOutBuf};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::wide::{SideBySide, Wide};

const ROUNDS: usize = 32;

/// The system parameter FK, section 7.3.
const FK: [u32; 4] = [0xa3b1_bac6, 0x56aa_3350, 0x677d_9197, 0xb270_22dc];

type Block = Array<u8, U16>;
type RoundKeys = [u32; ROUNDS];

/// A register: one word of [`Register::BLOCKS`] blocks.
///
/// # Safety
/// `expand`, `crypt` and `crypt_one` run their bodies where the compiler may use the instructions that the other methods need; so
/// those are called from there alone, and whoever has a `Cpu` has proof of them.
pub(crate) unsafe trait Register: Copy {
    /// The proof that the CPU has the register's instructions.
    type Cpu: Copy + Send + Sync;

    /// Words in the register.
    const BLOCKS: usize;

    /// Registers of each word, side by side: while one waits for a result, the others compute.
    const GROUPS: usize;

    fn splat(word: u32) -> Self;

    /// The first of the words.
    fn first(self) -> u32;

    fn xor(self, other: Self) -> Self;

    /// The sum of three.
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    /// To the left by two bits.
    fn rotate_by_two(self) -> Self;

    /// To the left by one, two or three bytes.
    fn rotate_bytes<const BITS: i32>(self) -> Self;

    /// The S-box of every byte.
    fn s_box(self) -> Self;

    /// As many blocks, the first word of each in the first register.
    fn load(blocks: &[Block]) -> [Self; 4];

    /// The inverse of [`Register::load`].
    fn store(words: [Self; 4], blocks: &mut [Block]);

    /// [`expand`], compiled for the instructions.
    fn expand(cpu: Self::Cpu, round_keys: &mut RoundKeys, key: &[u8]);

    /// [`crypt`], compiled for the instructions.
    fn crypt(cpu: Self::Cpu, round_keys: &RoundKeys, blocks: InOutBuf<'_, '_, Block>);

    /// [`crypt_one`], compiled for the instructions.
    fn crypt_one(cpu: Self::Cpu, round_keys: &RoundKeys, block: InOut<'_, '_, Block>);
}

/// A key, and proof that the CPU has the instructions of `R`.
pub(crate) struct Sm4<R: Register> {
    /// In the order of encryption and of decryption.
    round_keys: [RoundKeys; 2],
    cpu: R::Cpu,
}

/// On 128-bit registers, the S-box by AES-NI.
pub(crate) type Aesni = Wide<Sm4<aesni::Xmm>>;

/// On 256-bit registers, the S-box by AES-NI.
pub(crate) type Avx2 = Wide<Sm4<avx2::Ymm>>;

/// On 512-bit registers, the S-box by GFNI.
pub(crate) type Gfni512 = Wide<Sm4<gfni512::Zmm>>;

impl<R: Register> Drop for Sm4<R> {
    fn drop(&mut self) {
        self.round_keys.zeroize();
    }
}

impl<R: Register> ZeroizeOnDrop for Sm4<R> {}

impl<R: Register> Wide<Sm4<R>> {
    /// Room for a key.
    pub(crate) const fn blank(cpu: R::Cpu) -> Self {
        Self(Sm4 { round_keys: [[0; ROUNDS]; 2], cpu })
    }

    /// Sets a key of 16 bytes.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        let [forward, backward] = &mut self.0.round_keys;
        R::expand(self.0.cpu, forward, key);
        backward.copy_from_slice(forward);
        backward.reverse();
    }
}

impl<R: Register> SideBySide for Sm4<R> {
    type BlockSize = U16;
    type Blocks = U32;

    const GROUP: usize = R::GROUPS * R::BLOCKS;

    fn encrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        R::crypt(self.cpu, &self.round_keys[0], blocks);
    }

    fn decrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        R::crypt(self.cpu, &self.round_keys[1], blocks);
    }

    fn encrypt_one(&self, block: InOut<'_, '_, Block>) {
        R::crypt_one(self.cpu, &self.round_keys[0], block);
    }

    fn decrypt_one(&self, block: InOut<'_, '_, Block>) {
        R::crypt_one(self.cpu, &self.round_keys[1], block);
    }
}

/// The key schedule, section 7.3, in the first word of registers.
#[inline(always)]
fn expand<R: Register>(round_keys: &mut RoundKeys, key: &[u8]) {
    let mut words = Zeroizing::new([0; 4]);
    for ((word, bytes), fk) in words.iter_mut().zip(key.as_chunks().0).zip(FK) {
        *word = u32::from_be_bytes(*bytes) ^ fk;
    }
    for (round, key) in (0..).zip(round_keys) {
        let [k0, k1, k2, k3] = *words;
        let b = R::splat(k1 ^ k2 ^ k3 ^ ck(round)).s_box().first();
        *key = k0 ^ b ^ b.rotate_left(13) ^ b.rotate_left(23);
        *words = [k1, k2, k3, *key];
    }
}

/// The fixed parameter CK of a round: bytes that count in sevens.
fn ck(round: u8) -> u32 {
    u32::from_be_bytes(std::array::from_fn(|byte| (4 * round + byte as u8).wrapping_mul(7)))
}

/// Both directions, which differ in the order of the round keys alone, section 7.1.
#[inline(always)]
fn crypt<R: Register, const GROUPS: usize>(
    round_keys: &RoundKeys,
    mut blocks: InOutBuf<'_, '_, Block>,
) {
    for start in (0..blocks.len()).step_by(GROUPS * R::BLOCKS) {
        let mut groups = load::<R, GROUPS>(&blocks.get_in()[start..]);
        rounds(round_keys, &mut groups);
        store(groups, &mut blocks.get_out()[start..]);
    }
}

/// [`crypt`], for a block in the first words of registers.
#[inline(always)]
fn crypt_one<R: Register>(round_keys: &RoundKeys, mut block: InOut<'_, '_, Block>) {
    let words = block.get_in().0.as_chunks().0;
    let mut group = [std::array::from_fn(|word| R::splat(u32::from_be_bytes(words[word])))];
    rounds(round_keys, &mut group);
    for (word, bytes) in group[0].into_iter().zip(block.get_out().0.as_chunks_mut().0) {
        *bytes = word.first().to_be_bytes();
    }
}

/// All rounds, and the exchange of words behind them.
#[inline(always)]
fn rounds<R: Register, const N: usize>(round_keys: &RoundKeys, groups: &mut [[R; 4]; N]) {
    for [k0, k1, k2, k3] in round_keys.as_chunks().0 {
        for [x0, x1, x2, x3] in &mut *groups {
            *x0 = next([*x0, *x1, *x2, *x3], *k0);
        }
        for [x0, x1, x2, x3] in &mut *groups {
            *x1 = next([*x1, *x2, *x3, *x0], *k1);
        }
        for [x0, x1, x2, x3] in &mut *groups {
            *x2 = next([*x2, *x3, *x0, *x1], *k2);
        }
        for [x0, x1, x2, x3] in &mut *groups {
            *x3 = next([*x3, *x0, *x1, *x2], *k3);
        }
    }
    groups.iter_mut().for_each(|words| words.reverse());
}

/// The first of the blocks.
#[inline(always)]
fn load<R: Register, const GROUPS: usize>(blocks: &[Block]) -> [[R; 4]; GROUPS] {
    std::array::from_fn(|group| R::load(&blocks[group * R::BLOCKS..][..R::BLOCKS]))
}

/// The inverse of [`load`].
#[inline(always)]
fn store<R: Register, const GROUPS: usize>(groups: [[R; 4]; GROUPS], blocks: &mut [Block]) {
    for (words, blocks) in groups.into_iter().zip(blocks.chunks_exact_mut(R::BLOCKS)) {
        R::store(words, blocks);
    }
}

/// What a round makes of the words and its key: the function F, section 6.1. The last of the words is what the round before
/// made, so that it is added last, and the first comes in where it waits for nothing.
#[inline(always)]
fn next<R: Register>([first, a, b, c]: [R; 4], key: u32) -> R {
    let b = a.xor3(b, R::splat(key)).xor(c).s_box();
    // The rotations by 2, 10 and 18 are those by 0, 8 and 16 turned by two more.
    let turned = b.xor3(b.rotate_bytes::<8>(), b.rotate_bytes::<16>()).rotate_by_two();
    first.xor3(b, b.rotate_bytes::<24>()).xor(turned)
}

#[cfg(test)]
mod tests {
    use cipher::KeyInit;

    use super::{Aesni, Avx2, Gfni512, Register, Sm4, Wide};
    use crate::cpu::{self, Level};
    use crate::wide::tests::agrees;

    #[test]
    fn agree_with_the_crate() {
        let Some(Level::Aesni(aesni)) = Level::named("aesni") else {
            return eprintln!("SKIPPED: this CPU or build has no AES-NI");
        };
        test(|| Aesni::blank(aesni));
        match cpu::Avx2::detect() {
            Some(cpu) => test(|| Avx2::blank((aesni, cpu))),
            None => eprintln!("SKIPPED: this CPU or build has no AVX2"),
        }
        match Level::named("vaes512") {
            Some(Level::Vaes512(cpu)) if cpu.with_gfni().is_some() => {
                test(|| Gfni512::blank(cpu.with_gfni().expect("asked above")));
            }
            _ => eprintln!("SKIPPED: this CPU or build has no AVX-512 with GFNI"),
        }
    }

    fn test<R: Register>(blank: impl Fn() -> Wide<Sm4<R>>) {
        for seed in 0..4_u8 {
            let key: [u8; 16] = std::array::from_fn(|i| (i as u8).wrapping_mul(seed * 58 + 37));
            let mut own = blank();
            own.expand(&key);
            agrees(&own, &sm4::Sm4::new(&key.into()));
        }
    }
}
