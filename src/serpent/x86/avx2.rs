//! AVX2: a word of eight blocks in a 256-bit register.

use std::arch::x86_64::*;

use cipher::InOutBuf;

use super::{Block, Register, decrypt, encrypt};
use crate::cpu::Avx2;
use crate::serpent::boxes::{Bits, binary};
use crate::serpent::{Serpent, Words, Xor};
use crate::wide::x86::avx2 as wide;

/// A word of eight blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Ymm(__m256i);

impl Xor for Ymm {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: called where the CPU has AVX2, as are all methods here.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
}

impl Bits for Ymm {
    #[inline(always)]
    fn not(self) -> Self {
        self.xor(Self::splat(u32::MAX))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }
}

impl Words for Ymm {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm256_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { rotate::<LEFT, RIGHT>(self.0) })
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm256_slli_epi32::<N>(self.0) })
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

// SAFETY: the methods need AVX2, for which `encrypt` and `decrypt` are compiled; the token proves that the CPU has it.
unsafe impl Register for Ymm {
    type Cpu = Avx2;

    const BLOCKS: usize = 8;

    #[inline(always)]
    fn load(blocks: &[Block]) -> [Self; 4] {
        // SAFETY: as in `xor`.
        unsafe { wide::load(blocks) }.map(Self)
    }

    #[inline(always)]
    fn store(words: [Self; 4], blocks: &mut [Block]) {
        // SAFETY: as in `xor`.
        unsafe { wide::store(words.map(|word| word.0), blocks) }
    }

    fn encrypt(_: Avx2, key: &Serpent, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx2")]
        fn compiled(key: &Serpent, blocks: InOutBuf<'_, '_, Block>) {
            encrypt::<Ymm>(key, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, blocks) }
    }

    fn decrypt(_: Avx2, key: &Serpent, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx2")]
        fn compiled(key: &Serpent, blocks: InOutBuf<'_, '_, Block>) {
            decrypt::<Ymm>(key, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, blocks) }
    }
}

/// [`Words::rotate`]
#[inline]
#[target_feature(enable = "avx2")]
fn rotate<const LEFT: i32, const RIGHT: i32>(words: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi32::<LEFT>(words), _mm256_srli_epi32::<RIGHT>(words))
}
