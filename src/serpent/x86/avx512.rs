//! AVX-512: a word of sixteen blocks in a 512-bit register, and gates of three inputs.

use std::arch::x86_64::*;

use cipher::InOutBuf;

use super::{Block, Register, decrypt, encrypt};
use crate::cpu::Avx512;
use crate::serpent::boxes::{TernaryBits, ternary};
use crate::serpent::{Serpent, Words, Xor};
use crate::wide::x86::avx512 as wide;

/// A word of sixteen blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Zmm(__m512i);

impl Xor for Zmm {
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: called where the CPU has AVX-512, as are all methods here.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }
}

impl TernaryBits for Zmm {
    #[inline(always)]
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm512_ternarylogic_epi32::<TABLE>(a.0, b.0, c.0) })
    }
}

impl Words for Zmm {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        Self::ternary::<0b1001_0110>(self, b, c)
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { _mm512_rol_epi32::<LEFT>(self.0) })
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: as in `xor`.
        Self(unsafe { shift_left::<N>(self.0) })
    }

    #[inline(always)]
    fn s_box(number: usize, words: [Self; 4]) -> [Self; 4] {
        ternary::s_box(number, words)
    }

    #[inline(always)]
    fn inverse_s_box(number: usize, words: [Self; 4]) -> [Self; 4] {
        ternary::inverse(number, words)
    }
}

// SAFETY: the methods need AVX-512, for which `encrypt` and `decrypt` are compiled; the token proves that the CPU has it.
unsafe impl Register for Zmm {
    type Cpu = Avx512;

    const BLOCKS: usize = 16;

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

    fn encrypt(_: Avx512, key: &Serpent, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
        fn compiled(key: &Serpent, blocks: InOutBuf<'_, '_, Block>) {
            encrypt::<Zmm>(key, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, blocks) }
    }

    fn decrypt(_: Avx512, key: &Serpent, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
        fn compiled(key: &Serpent, blocks: InOutBuf<'_, '_, Block>) {
            decrypt::<Zmm>(key, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, blocks) }
    }
}

/// [`Words::shift_left`]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn shift_left<const N: i32>(words: __m512i) -> __m512i {
    _mm512_sll_epi32(words, _mm_cvtsi32_si128(N))
}
