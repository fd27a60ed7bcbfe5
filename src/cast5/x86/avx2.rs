//! AVX2: half of eight blocks in a 256-bit register.

use std::arch::x86_64::*;

use cipher::InOutBuf;

use super::{Block, Order, Words, crypt};
use crate::cast5::Cast5;
use crate::cpu::Avx2;

/// Half of eight blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Ymm(__m256i);

// SAFETY: the methods need AVX2, for which `crypt` is compiled; the token proves that the CPU has it.
unsafe impl Words for Ymm {
    type Cpu = Avx2;

    const BLOCKS: usize = 8;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: called where the CPU has AVX2, as are all methods here.
        Self(unsafe { _mm256_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm256_sub_epi32(self.0, other.0) })
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
        Self(unsafe { _mm256_i32gather_epi32::<4>(table.as_ptr().cast(), places.0) })
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

    fn crypt(_: Avx2, key: &Cast5, order: &Order, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx2")]
        fn compiled(key: &Cast5, order: &Order, blocks: InOutBuf<'_, '_, Block>) {
            crypt::<Ymm>(key, order, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, order, blocks) }
    }
}

/// [`Words::rotate_left`]
#[inline]
#[target_feature(enable = "avx2")]
fn rotate_left(words: __m256i, bits: u32) -> __m256i {
    let left = _mm256_sllv_epi32(words, _mm256_set1_epi32(bits.cast_signed()));
    let right = _mm256_srlv_epi32(words, _mm256_set1_epi32((32 - bits).cast_signed()));
    _mm256_or_si256(left, right)
}

/// [`Words::bytes`]
#[inline]
#[target_feature(enable = "avx2")]
fn bytes(words: __m256i) -> [__m256i; 4] {
    let mask = _mm256_set1_epi32(0xff);
    [
        _mm256_srli_epi32::<24>(words),
        _mm256_and_si256(_mm256_srli_epi32::<16>(words), mask),
        _mm256_and_si256(_mm256_srli_epi32::<8>(words), mask),
        _mm256_and_si256(words, mask),
    ]
}

/// [`Words::load`]. Which block's word stands where in a register is for [`store`] to know.
#[inline]
#[target_feature(enable = "avx2")]
fn load(blocks: &[Block]) -> [__m256i; 2] {
    let (fours, _) = blocks.as_chunks::<4>();
    let four = |number: usize| {
        let four: &[Block; 4] = &fours[number];
        // SAFETY: four blocks have the 32 bytes that are read, which need no alignment.
        let words = swap_bytes(unsafe { _mm256_loadu_si256(four.as_ptr().cast()) });
        // The left halves of two blocks, then the right.
        _mm256_shuffle_epi32::<0b11_01_10_00>(words)
    };
    let (first, second) = (four(0), four(1));
    [_mm256_unpacklo_epi64(first, second), _mm256_unpackhi_epi64(first, second)]
}

/// [`Words::store`]
#[inline]
#[target_feature(enable = "avx2")]
fn store(left: __m256i, right: __m256i, blocks: &mut [Block]) {
    let fours = [_mm256_unpacklo_epi32(left, right), _mm256_unpackhi_epi32(left, right)];
    for (four, blocks) in fours.into_iter().zip(blocks.as_chunks_mut::<4>().0) {
        let four = swap_bytes(four);
        // SAFETY: four blocks have the 32 bytes that are written, which need no alignment.
        unsafe { _mm256_storeu_si256(blocks.as_mut_ptr().cast(), four) };
    }
}

/// Words are big-endian in memory.
#[inline]
#[target_feature(enable = "avx2")]
fn swap_bytes(words: __m256i) -> __m256i {
    let order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(order))
}
