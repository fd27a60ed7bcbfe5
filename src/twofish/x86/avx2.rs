//! AVX2: a word of eight blocks in a 256-bit register.

use std::arch::x86_64::*;

use cipher::InOutBuf;

use super::{Block, Words, decrypt, encrypt};
use crate::cpu::Avx2;
use crate::twofish::Twofish;
use crate::wide::x86::avx2 as wide;

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
    fn load(blocks: &[Block]) -> [Self; 4] {
        // SAFETY: as in `splat`.
        unsafe { wide::load(blocks) }.map(Self)
    }

    #[inline(always)]
    fn store(words: [Self; 4], blocks: &mut [Block]) {
        // SAFETY: as in `splat`.
        unsafe { wide::store(words.map(|word| word.0), blocks) }
    }

    fn encrypt(_: Avx2, key: &Twofish, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx2")]
        fn compiled(key: &Twofish, blocks: InOutBuf<'_, '_, Block>) {
            encrypt::<Ymm>(key, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, blocks) }
    }

    fn decrypt(_: Avx2, key: &Twofish, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx2")]
        fn compiled(key: &Twofish, blocks: InOutBuf<'_, '_, Block>) {
            decrypt::<Ymm>(key, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, blocks) }
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
