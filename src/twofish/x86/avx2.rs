//! AVX2: a word of eight blocks in a 256-bit register.

use std::arch::x86_64::*;

use super::{Batch, Words, decrypt, encrypt};
use crate::cpu::Avx2;
use crate::twofish::Twofish;

/// A word of eight blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Ymm(__m256i);

// SAFETY: the methods need AVX2, for which `encrypt` and `decrypt` are compiled; the token proves that the CPU has it.
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
    fn rotate_left(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { rotate::<1, 31>(self.0) })
    }

    #[inline(always)]
    fn rotate_right(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { rotate::<31, 1>(self.0) })
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
    fn load(blocks: &[[u8; 16]]) -> [Self; 4] {
        // SAFETY: as in `splat`.
        unsafe { load(blocks) }.map(Self)
    }

    #[inline(always)]
    fn store(words: [Self; 4], blocks: &mut [[u8; 16]]) {
        // SAFETY: as in `splat`.
        unsafe { store(words.map(|word| word.0), blocks) }
    }

    fn encrypt(_: Avx2, key: &Twofish, input: &Batch, output: &mut Batch) {
        #[target_feature(enable = "avx2")]
        fn compiled(key: &Twofish, input: &Batch, output: &mut Batch) {
            encrypt::<Ymm>(key, input, output);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, input, output) }
    }

    fn decrypt(_: Avx2, key: &Twofish, input: &Batch, output: &mut Batch) {
        #[target_feature(enable = "avx2")]
        fn compiled(key: &Twofish, input: &Batch, output: &mut Batch) {
            decrypt::<Ymm>(key, input, output);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, input, output) }
    }
}

/// Shifts to the left and to the right, put together: a rotation where the two add up to 32.
#[inline]
#[target_feature(enable = "avx2")]
fn rotate<const LEFT: i32, const RIGHT: i32>(words: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi32::<LEFT>(words), _mm256_srli_epi32::<RIGHT>(words))
}

/// [`Words::bytes`]
#[inline]
#[target_feature(enable = "avx2")]
fn bytes(words: __m256i) -> [__m256i; 4] {
    let mask = _mm256_set1_epi32(0xff);
    [
        _mm256_and_si256(words, mask),
        _mm256_and_si256(_mm256_srli_epi32::<8>(words), mask),
        _mm256_and_si256(_mm256_srli_epi32::<16>(words), mask),
        _mm256_srli_epi32::<24>(words),
    ]
}

/// [`Words::load`]
#[inline]
#[target_feature(enable = "avx2")]
fn load(blocks: &[[u8; 16]]) -> [__m256i; 4] {
    transpose(std::array::from_fn(|i| {
        let block = |block: usize| {
            let block: &[u8; 16] = &blocks[block];
            // SAFETY: a block has the 16 bytes that are read, which need no alignment.
            unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
        };
        _mm256_set_m128i(block(i + 4), block(i))
    }))
}

/// [`Words::store`]
#[inline]
#[target_feature(enable = "avx2")]
fn store(words: [__m256i; 4], blocks: &mut [[u8; 16]]) {
    for (i, row) in transpose(words).into_iter().enumerate() {
        let lanes = [_mm256_castsi256_si128(row), _mm256_extracti128_si256::<1>(row)];
        for (lane, block) in lanes.into_iter().zip((i..).step_by(4)) {
            let block: &mut [u8; 16] = &mut blocks[block];
            // SAFETY: a block has the 16 bytes that are written, which need no alignment.
            unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), lane) };
        }
    }
}

/// Four blocks by four words, or back, in each 128-bit lane.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    [
        _mm256_unpacklo_epi64(ab_low, cd_low),
        _mm256_unpackhi_epi64(ab_low, cd_low),
        _mm256_unpacklo_epi64(ab_high, cd_high),
        _mm256_unpackhi_epi64(ab_high, cd_high),
    ]
}
