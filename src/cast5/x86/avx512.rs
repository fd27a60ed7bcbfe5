//! AVX-512: half of sixteen blocks in a 512-bit register.

use std::arch::x86_64::*;

use cipher::InOutBuf;

use super::{Block, Order, Words, crypt};
use crate::cast5::Cast5;
use crate::cpu::Avx512;

/// Half of sixteen blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Zmm(__m512i);

// SAFETY: the methods need AVX-512, for which `crypt` is compiled; the token proves that the CPU has it.
unsafe impl Words for Zmm {
    type Cpu = Avx512;

    const BLOCKS: usize = 16;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: called where the CPU has AVX-512, as are all methods here.
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_sub_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate_left(self, bits: u32) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { rotate_left(self.0, bits) })
    }

    #[inline(always)]
    fn bytes(self) -> [Self; 4] {
        // SAFETY: as in `splat`.
        unsafe { bytes(self.0) }.map(Self)
    }

    #[inline(always)]
    fn gather(table: &[u32; 256], places: Self) -> Self {
        // SAFETY: as in `splat`; the places are bytes, and the table has a word for each.
        Self(unsafe { _mm512_i32gather_epi32::<4>(places.0, table.as_ptr().cast()) })
    }

    #[inline(always)]
    fn load(blocks: &[Block]) -> [Self; 2] {
        // SAFETY: as in `splat`.
        unsafe { load(blocks) }.map(Self)
    }

    #[inline(always)]
    fn store([left, right]: [Self; 2], blocks: &mut [Block]) {
        // SAFETY: as in `splat`.
        unsafe { store(left.0, right.0, blocks) }
    }

    fn crypt(_: Avx512, key: &Cast5, order: &Order, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
        fn compiled(key: &Cast5, order: &Order, blocks: InOutBuf<'_, '_, Block>) {
            crypt::<Zmm>(key, order, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, order, blocks) }
    }
}

/// [`Words::rotate_left`]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn rotate_left(words: __m512i, bits: u32) -> __m512i {
    _mm512_rolv_epi32(words, _mm512_set1_epi32(bits.cast_signed()))
}

/// [`Words::bytes`]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn bytes(words: __m512i) -> [__m512i; 4] {
    let mask = _mm512_set1_epi32(0xff);
    [
        _mm512_srli_epi32::<24>(words),
        _mm512_and_si512(_mm512_srli_epi32::<16>(words), mask),
        _mm512_and_si512(_mm512_srli_epi32::<8>(words), mask),
        _mm512_and_si512(words, mask),
    ]
}

/// [`Words::load`]. Which block's word stands where in a register is for [`store`] to know.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn load(blocks: &[Block]) -> [__m512i; 2] {
    let (eights, _) = blocks.as_chunks::<8>();
    let eight = |number: usize| {
        let eight: &[Block; 8] = &eights[number];
        // SAFETY: eight blocks have the 64 bytes that are read, which need no alignment.
        let words = swap_bytes(unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) });
        // The left halves of two blocks, then the right.
        _mm512_shuffle_epi32::<0b11_01_10_00>(words)
    };
    let (first, second) = (eight(0), eight(1));
    [_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second)]
}

/// [`Words::store`]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn store(left: __m512i, right: __m512i, blocks: &mut [Block]) {
    let eights = [_mm512_unpacklo_epi32(left, right), _mm512_unpackhi_epi32(left, right)];
    for (eight, blocks) in eights.into_iter().zip(blocks.as_chunks_mut::<8>().0) {
        let eight = swap_bytes(eight);
        // SAFETY: eight blocks have the 64 bytes that are written, which need no alignment.
        unsafe { _mm512_storeu_si512(blocks.as_mut_ptr().cast(), eight) };
    }
}

/// Words are big-endian in memory.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn swap_bytes(words: __m512i) -> __m512i {
    let order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(order))
}
