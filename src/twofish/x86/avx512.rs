//! AVX-512: a word of sixteen blocks in a 512-bit register.

use std::arch::x86_64::*;

use cipher::InOutBuf;

use super::{Block, Words, decrypt, encrypt};
use crate::cpu::Avx512;
use crate::twofish::Twofish;
use crate::wide::x86::avx512 as wide;

/// A word of sixteen blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Zmm(__m512i);

// SAFETY: the methods need AVX-512, for which `encrypt` and `decrypt` are compiled; the token proves that the CPU has it.
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
    fn rotate_left(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_rol_epi32::<1>(self.0) })
    }

    #[inline(always)]
    fn rotate_right(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_ror_epi32::<1>(self.0) })
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
    fn load(blocks: &[Block]) -> [Self; 4] {
        // SAFETY: as in `splat`.
        unsafe { wide::load(blocks) }.map(Self)
    }

    #[inline(always)]
    fn store(words: [Self; 4], blocks: &mut [Block]) {
        // SAFETY: as in `splat`.
        unsafe { wide::store(words.map(|word| word.0), blocks) }
    }

    fn encrypt(_: Avx512, key: &Twofish, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
        fn compiled(key: &Twofish, blocks: InOutBuf<'_, '_, Block>) {
            encrypt::<Zmm>(key, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, blocks) }
    }

    fn decrypt(_: Avx512, key: &Twofish, blocks: InOutBuf<'_, '_, Block>) {
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
        fn compiled(key: &Twofish, blocks: InOutBuf<'_, '_, Block>) {
            decrypt::<Zmm>(key, blocks);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, blocks) }
    }
}

/// [`Words::bytes`]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn bytes(words: __m512i) -> [__m512i; 4] {
    let mask = _mm512_set1_epi32(0xff);
    [
        _mm512_and_si512(words, mask),
        _mm512_and_si512(_mm512_srli_epi32::<8>(words), mask),
        _mm512_and_si512(_mm512_srli_epi32::<16>(words), mask),
        _mm512_srli_epi32::<24>(words),
    ]
}
