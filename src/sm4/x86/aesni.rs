//! AES-NI: a word of four blocks in a 128-bit register. Affine maps are looked up for each half of a byte.

use std::arch::x86_64::*;

use cipher::{InOut, InOutBuf};

use super::{Block, Register, RoundKeys, crypt, crypt_one, expand};
use crate::cpu::Aesni;
use crate::sm4::maps::{
    AFTER_AES_HALVES, BEFORE_HALVES, BIG_ENDIAN, Halves, ROTATED, UNSHIFTED_ROWS,
};
use crate::wide::x86::sse2 as wide;

/// A word of four blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Xmm(__m128i);

// SAFETY: the methods need AES-NI, for which `expand`, `crypt` and `crypt_one` are compiled; the token proves that the CPU has
// it.
unsafe impl Register for Xmm {
    type Cpu = Aesni;

    const BLOCKS: usize = 4;
    const GROUPS: usize = 4;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: called where the CPU has AES-NI, as are all methods here.
        Self(unsafe { _mm_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn first(self) -> u32 {
        // SAFETY: as in `splat`.
        unsafe { _mm_cvtsi128_si32(self.0) }.cast_unsigned()
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
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

    fn expand(_: Aesni, round_keys: &mut RoundKeys, key: &[u8]) {
        #[target_feature(enable = "aes,ssse3,sse4.1")]
        fn compiled(round_keys: &mut RoundKeys, key: &[u8]) {
            expand::<Xmm>(round_keys, key);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(round_keys, key) }
    }

    fn crypt(_: Aesni, round_keys: &RoundKeys, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "aes,ssse3,sse4.1")]
        fn compiled(round_keys: &RoundKeys, blocks: InOutBuf<'_, '_, Block>) {
            crypt::<Xmm, { Xmm::GROUPS }>(round_keys, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(round_keys, blocks) }
    }

    fn crypt_one(_: Aesni, round_keys: &RoundKeys, block: InOut<'_, '_, Block>) {
        #[target_feature(enable = "aes,ssse3,sse4.1")]
        fn compiled(round_keys: &RoundKeys, block: InOut<'_, '_, Block>) {
            crypt_one::<Xmm>(round_keys, block);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(round_keys, block) }
    }
}

/// [`Register::s_box`]. AES's last round moves bytes before it substitutes them, which is undone beforehand.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn s_box(words: __m128i) -> __m128i {
    let words = shuffle(affine(words, &BEFORE_HALVES), &UNSHIFTED_ROWS);
    affine(_mm_aesenclast_si128(words, _mm_setzero_si128()), &AFTER_AES_HALVES)
}

/// A map of every byte.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn affine(words: __m128i, map: &'static Halves) -> __m128i {
    let mask = _mm_set1_epi8(0xf);
    let low = _mm_and_si128(words, mask);
    let high = _mm_and_si128(_mm_srli_epi16::<4>(words), mask);
    let low = _mm_shuffle_epi8(table(&map.low), low);
    _mm_xor_si128(low, _mm_shuffle_epi8(table(&map.high), high))
}

/// The bytes in another order.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn shuffle(words: __m128i, order: &'static [u8; 16]) -> __m128i {
    _mm_shuffle_epi8(words, table(order))
}

/// A table in a register.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn table(table: &'static [u8; 16]) -> __m128i {
    // SAFETY: the table has the 16 bytes that are read, which need no alignment.
    unsafe { _mm_loadu_si128(table.as_ptr().cast()) }
}

/// [`Register::rotate_by_two`]
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn rotate_by_two(words: __m128i) -> __m128i {
    _mm_or_si128(_mm_slli_epi32::<2>(words), _mm_srli_epi32::<30>(words))
}

/// [`Register::load`]
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn load(blocks: &[Block]) -> [__m128i; 4] {
    let [a, b, c, d] = wide::load(blocks);
    [swap_bytes(a), swap_bytes(b), swap_bytes(c), swap_bytes(d)]
}

/// [`Register::store`]
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn store(words: [__m128i; 4], blocks: &mut [Block]) {
    let [a, b, c, d] = words;
    wide::store([swap_bytes(a), swap_bytes(b), swap_bytes(c), swap_bytes(d)], blocks);
}

/// Words are big-endian in memory.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn swap_bytes(words: __m128i) -> __m128i {
    shuffle(words, &BIG_ENDIAN)
}
