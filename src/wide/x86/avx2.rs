//! Eight blocks on 256-bit registers.

use std::arch::x86_64::*;

use super::Block;

/// The words of eight blocks, the first of each in the first register. Which block's word stands where in a register is
/// for [`store`] to know: blocks come in pairs, as they lie in memory.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load(blocks: &[Block]) -> [__m256i; 4] {
    let (pairs, _) = blocks.as_chunks::<2>();
    transpose(std::array::from_fn(|i| {
        let pair: &[Block; 2] = &pairs[i];
        // SAFETY: two blocks have the 32 bytes that are read, which need no alignment.
        unsafe { _mm256_loadu_si256(pair.as_ptr().cast()) }
    }))
}

/// The inverse of [`load`].
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn store(words: [__m256i; 4], blocks: &mut [Block]) {
    let (pairs, _) = blocks.as_chunks_mut::<2>();
    for (i, row) in transpose(words).into_iter().enumerate() {
        let pair: &mut [Block; 2] = &mut pairs[i];
        // SAFETY: two blocks have the 32 bytes that are written, which need no alignment.
        unsafe { _mm256_storeu_si256(pair.as_mut_ptr().cast(), row) };
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
