//! Sixteen blocks on 512-bit registers.

use std::arch::x86_64::*;

use super::Block;

/// The words of sixteen blocks, the first of each in the first register. Which block's word stands where in a register is
/// for [`store`] to know: blocks come in fours, as they lie in memory.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
pub(crate) fn load(blocks: &[Block]) -> [__m512i; 4] {
    let (fours, _) = blocks.as_chunks::<4>();
    transpose(std::array::from_fn(|i| {
        let four: &[Block; 4] = &fours[i];
        // SAFETY: four blocks have the 64 bytes that are read, which need no alignment.
        unsafe { _mm512_loadu_si512(four.as_ptr().cast()) }
    }))
}

/// The inverse of [`load`].
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
pub(crate) fn store(words: [__m512i; 4], blocks: &mut [Block]) {
    let (fours, _) = blocks.as_chunks_mut::<4>();
    for (i, row) in transpose(words).into_iter().enumerate() {
        let four: &mut [Block; 4] = &mut fours[i];
        // SAFETY: four blocks have the 64 bytes that are written, which need no alignment.
        unsafe { _mm512_storeu_si512(four.as_mut_ptr().cast(), row) };
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
