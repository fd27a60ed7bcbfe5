//! AVX-512: a word of sixteen blocks in a 512-bit register.

use std::arch::x86_64::*;

use super::{Batch, Words, decrypt, encrypt};
use crate::cpu::Avx512;
use crate::twofish::Twofish;

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
    fn load(blocks: &[[u8; 16]]) -> [Self; 4] {
        // SAFETY: as in `splat`.
        unsafe { load(blocks) }.map(Self)
    }

    #[inline(always)]
    fn store(words: [Self; 4], blocks: &mut [[u8; 16]]) {
        // SAFETY: as in `splat`.
        unsafe { store(words.map(|word| word.0), blocks) }
    }

    fn encrypt(_: Avx512, key: &Twofish, input: &Batch, output: &mut Batch) {
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
        fn compiled(key: &Twofish, input: &Batch, output: &mut Batch) {
            encrypt::<Zmm>(key, input, output);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, input, output) }
    }

    fn decrypt(_: Avx512, key: &Twofish, input: &Batch, output: &mut Batch) {
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
        fn compiled(key: &Twofish, input: &Batch, output: &mut Batch) {
            decrypt::<Zmm>(key, input, output);
        }
        // SAFETY: the token proves that the CPU has the features that the function is compiled for.
        unsafe { compiled(key, input, output) }
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

/// [`Words::load`]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn load(blocks: &[[u8; 16]]) -> [__m512i; 4] {
    transpose(std::array::from_fn(|i| {
        let block = |block: usize| {
            let block: &[u8; 16] = &blocks[block];
            // SAFETY: a block has the 16 bytes that are read, which need no alignment.
            unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
        };
        let lanes = _mm512_castsi128_si512(block(i));
        let lanes = _mm512_inserti32x4::<1>(lanes, block(i + 4));
        let lanes = _mm512_inserti32x4::<2>(lanes, block(i + 8));
        _mm512_inserti32x4::<3>(lanes, block(i + 12))
    }))
}

/// [`Words::store`]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn store(words: [__m512i; 4], blocks: &mut [[u8; 16]]) {
    for (i, row) in transpose(words).into_iter().enumerate() {
        let lanes = [
            _mm512_castsi512_si128(row),
            _mm512_extracti32x4_epi32::<1>(row),
            _mm512_extracti32x4_epi32::<2>(row),
            _mm512_extracti32x4_epi32::<3>(row),
        ];
        for (lane, block) in lanes.into_iter().zip((i..).step_by(4)) {
            let block: &mut [u8; 16] = &mut blocks[block];
            // SAFETY: a block has the 16 bytes that are written, which need no alignment.
            unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), lane) };
        }
    }
}

/// Four blocks by four words, or back, in each 128-bit lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn transpose([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    [
        _mm512_unpacklo_epi64(ab_low, cd_low),
        _mm512_unpackhi_epi64(ab_low, cd_low),
        _mm512_unpacklo_epi64(ab_high, cd_high),
        _mm512_unpackhi_epi64(ab_high, cd_high),
    ]
}
