//! AVX-512 with GFNI: a word of sixteen blocks in a 512-bit register. One instruction is an affine map, another an inversion
//! with an affine map behind it.

use std::arch::x86_64::*;

use cipher::{InOut, InOutBuf};

use super::{Block, Register, RoundKeys, crypt, crypt_one, expand};
use crate::cpu::Gfni512;
use crate::sm4::maps::{AFTER, BEFORE};
use crate::wide::x86::avx512 as wide;

/// A word of sixteen blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Zmm(__m512i);

// SAFETY: the methods need AVX-512 and GFNI, for which `expand`, `crypt` and `crypt_one` are compiled; the token proves that the CPU
// has them.
unsafe impl Register for Zmm {
    type Cpu = Gfni512;

    const BLOCKS: usize = 16;
    const GROUPS: usize = 2;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: called where the CPU has AVX-512 and GFNI, as are all methods here.
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn first(self) -> u32 {
        // SAFETY: as in `splat`.
        unsafe { _mm512_cvtsi512_si32(self.0) }.cast_unsigned()
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_ternarylogic_epi32::<0b1001_0110>(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn rotate_by_two(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_rol_epi32::<2>(self.0) })
    }

    #[inline(always)]
    fn rotate_bytes<const BITS: i32>(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_rol_epi32::<BITS>(self.0) })
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

    fn expand(_: Gfni512, round_keys: &mut RoundKeys, key: &[u8]) {
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,gfni")]
        fn compiled(round_keys: &mut RoundKeys, key: &[u8]) {
            expand::<Zmm>(round_keys, key);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(round_keys, key) }
    }

    fn crypt(_: Gfni512, round_keys: &RoundKeys, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,gfni")]
        fn compiled(round_keys: &RoundKeys, blocks: InOutBuf<'_, '_, Block>) {
            crypt::<Zmm, { Zmm::GROUPS }>(round_keys, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(round_keys, blocks) }
    }

    fn crypt_one(_: Gfni512, round_keys: &RoundKeys, block: InOut<'_, '_, Block>) {
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,gfni")]
        fn compiled(round_keys: &RoundKeys, block: InOut<'_, '_, Block>) {
            crypt_one::<Zmm>(round_keys, block);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(round_keys, block) }
    }
}

/// [`Register::s_box`]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,gfni")]
fn s_box(words: __m512i) -> __m512i {
    const BEFORE_MATRIX: i64 = BEFORE.matrix().cast_signed();
    const BEFORE_CONSTANT: i32 = BEFORE.constant() as i32;
    const AFTER_MATRIX: i64 = AFTER.matrix().cast_signed();
    const AFTER_CONSTANT: i32 = AFTER.constant() as i32;
    let (before, after) = (_mm512_set1_epi64(BEFORE_MATRIX), _mm512_set1_epi64(AFTER_MATRIX));
    let words = _mm512_gf2p8affine_epi64_epi8::<BEFORE_CONSTANT>(words, before);
    _mm512_gf2p8affineinv_epi64_epi8::<AFTER_CONSTANT>(words, after)
}

/// [`Register::load`]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,gfni")]
fn load(blocks: &[Block]) -> [__m512i; 4] {
    let [a, b, c, d] = wide::load(blocks);
    [swap_bytes(a), swap_bytes(b), swap_bytes(c), swap_bytes(d)]
}

/// [`Register::store`]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,gfni")]
fn store(words: [__m512i; 4], blocks: &mut [Block]) {
    let [a, b, c, d] = words;
    wide::store([swap_bytes(a), swap_bytes(b), swap_bytes(c), swap_bytes(d)], blocks);
}

/// Words are big-endian in memory.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,gfni")]
fn swap_bytes(words: __m512i) -> __m512i {
    let order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(order))
}
