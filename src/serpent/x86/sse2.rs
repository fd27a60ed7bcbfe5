//! SSE2, which every CPU of this architecture has: a word of four blocks in a 128-bit register.

use std::arch::x86_64::*;

use cipher::InOutBuf;

use super::{Block, Register, decrypt, encrypt};
use crate::serpent::boxes::{Bits, binary};
use crate::serpent::{Serpent, Words, Xor};
use crate::wide::x86::sse2 as wide;

/// A word of four blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Xmm(__m128i);

impl Xor for Xmm {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: every CPU of this architecture has SSE2.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }
}

impl Bits for Xmm {
    #[inline(always)]
    fn not(self) -> Self {
        self.xor(Self::splat(u32::MAX))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm_and_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm_andnot_si128(other.0, self.0) })
    }
}

impl Words for Xmm {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { rotate::<LEFT, RIGHT>(self.0) })
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm_slli_epi32::<N>(self.0) })
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

// SAFETY: the methods need SSE2, which every CPU of this architecture has.
unsafe impl Register for Xmm {
    type Cpu = ();

    const BLOCKS: usize = 4;

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

    fn encrypt((): (), key: &Serpent, blocks: InOutBuf<'_, '_, Block>) {
        encrypt::<Xmm>(key, blocks);
    }

    fn decrypt((): (), key: &Serpent, blocks: InOutBuf<'_, '_, Block>) {
        decrypt::<Xmm>(key, blocks);
    }
}

/// [`Words::rotate`]
#[inline]
#[target_feature(enable = "sse2")]
fn rotate<const LEFT: i32, const RIGHT: i32>(words: __m128i) -> __m128i {
    _mm_or_si128(_mm_slli_epi32::<LEFT>(words), _mm_srli_epi32::<RIGHT>(words))
}
