//! AVX2 with AES-NI: a word of eight blocks in a 256-bit register. Affine maps are looked up for each half of a byte.

use std::arch::x86_64::*;

use cipher::{InOut, InOutBuf};

use super::{Block, Register, RoundKeys, crypt, crypt_one, expand};
use crate::cpu::{Aesni, Avx2};
use crate::sm4::maps::{
    AFTER_AES_HALVES, BEFORE_HALVES, BIG_ENDIAN, Halves, ROTATED, UNSHIFTED_ROWS,
};
use crate::wide::x86::avx2 as wide;

/// A word of eight blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Ymm(__m256i);

// SAFETY: the methods need AVX2 and AES-NI, for which `expand`, `crypt` and `crypt_one` are compiled; the tokens prove that the CPU has
// them.
unsafe impl Register for Ymm {
    type Cpu = (Aesni, Avx2);

    const BLOCKS: usize = 8;
    const GROUPS: usize = 4;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: called where the CPU has AVX2 and AES-NI, as are all methods here.
        Self(unsafe { _mm256_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn first(self) -> u32 {
        // SAFETY: as in `splat`.
        unsafe { _mm256_cvtsi256_si32(self.0) }.cast_unsigned()
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate_by_two(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { rotate_by_two(self.0) })
    }

    #[inline(always)]
    fn rotate_bytes<const BITS: i32>(self) -> Self {
        let order = const { &ROTATED[(BITS / 8).cast_unsigned() as usize] };
        // SAFETY: as in `splat`.
        Self(unsafe { shuffle(self.0, order) })
    }

    #[inline(always)]
    fn s_box(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { s_box(self.0) })
    }

    #[inline(always)]
    fn load(blocks: &[Block]) -> [Self; 4] {
        // SAFETY: as in `splat`.
        unsafe { load(blocks) }.map(Self)
    }

    #[inline(always)]
    fn store(words: [Self; 4], blocks: &mut [Block]) {
        // SAFETY: as in `splat`.
        unsafe { store(words.map(|word| word.0), blocks) }
    }

    fn expand(_: Self::Cpu, round_keys: &mut RoundKeys, key: &[u8]) {
        #[target_feature(enable = "avx2,aes")]
        fn compiled(round_keys: &mut RoundKeys, key: &[u8]) {
            expand::<Ymm>(round_keys, key);
        }
        // SAFETY: the tokens prove that the CPU has the features that the function is compiled for.
        unsafe { compiled(round_keys, key) }
    }

    fn crypt(_: Self::Cpu, round_keys: &RoundKeys, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx2,aes")]
        fn compiled(round_keys: &RoundKeys, blocks: InOutBuf<'_, '_, Block>) {
            crypt::<Ymm, { Ymm::GROUPS }>(round_keys, blocks);
        }
        // SAFETY: the tokens prove that the CPU has the features that the function is compiled for.
        unsafe { compiled(round_keys, blocks) }
    }

    fn crypt_one(_: Self::Cpu, round_keys: &RoundKeys, block: InOut<'_, '_, Block>) {
        #[target_feature(enable = "avx2,aes")]
        fn compiled(round_keys: &RoundKeys, block: InOut<'_, '_, Block>) {
            crypt_one::<Ymm>(round_keys, block);
        }
        // SAFETY: the tokens prove that the CPU has the features that the function is compiled for.
        unsafe { compiled(round_keys, block) }
    }
}

/// [`Register::s_box`]. AES's last round moves bytes before it substitutes them, which is undone beforehand.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn s_box(words: __m256i) -> __m256i {
    let words = shuffle(affine(words, &BEFORE_HALVES), &UNSHIFTED_ROWS);
    let (low, high) = (_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
    let zero = _mm_setzero_si128();
    let words = _mm256_set_m128i(_mm_aesenclast_si128(high, zero), _mm_aesenclast_si128(low, zero));
    affine(words, &AFTER_AES_HALVES)
}

/// A map of every byte.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn affine(words: __m256i, map: &'static Halves) -> __m256i {
    let mask = _mm256_set1_epi8(0xf);
    let low = _mm256_and_si256(words, mask);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(words), mask);
    let low = _mm256_shuffle_epi8(both(&map.low), low);
    _mm256_xor_si256(low, _mm256_shuffle_epi8(both(&map.high), high))
}

/// The bytes in another order.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn shuffle(words: __m256i, order: &'static [u8; 16]) -> __m256i {
    _mm256_shuffle_epi8(words, both(order))
}

/// A table in both halves of a register.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn both(table: &'static [u8; 16]) -> __m256i {
    // SAFETY: the table has the 16 bytes that are read, which need no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}

/// [`Register::rotate_by_two`]
#[inline]
#[target_feature(enable = "avx2,aes")]
fn rotate_by_two(words: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi32::<2>(words), _mm256_srli_epi32::<30>(words))
}

/// [`Register::load`]
#[inline]
#[target_feature(enable = "avx2,aes")]
fn load(blocks: &[Block]) -> [__m256i; 4] {
    let [a, b, c, d] = wide::load(blocks);
    [swap_bytes(a), swap_bytes(b), swap_bytes(c), swap_bytes(d)]
}

/// [`Register::store`]
#[inline]
#[target_feature(enable = "avx2,aes")]
fn store(words: [__m256i; 4], blocks: &mut [Block]) {
    let [a, b, c, d] = words;
    wide::store([swap_bytes(a), swap_bytes(b), swap_bytes(c), swap_bytes(d)], blocks);
}

/// Words are big-endian in memory.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn swap_bytes(words: __m256i) -> __m256i {
    shuffle(words, &BIG_ENDIAN)
}
