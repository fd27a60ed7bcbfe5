//! Four blocks on 128-bit registers.

use std::arch::x86_64::*;

use super::Block;

/// The words of four blocks, the first of each in the first register.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn load(blocks: &[Block]) -> [__m128i; 4] {
    transpose(std::array::from_fn(|i| {
        let block: &[u8; 16] = &blocks[i].0;
        // SAFETY: a block has the 16 bytes that are read, which need no alignment.
        unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
    }))
}

/// The inverse of [`load`].
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn store(words: [__m128i; 4], blocks: &mut [Block]) {
    for (i, row) in transpose(words).into_iter().enumerate() {
        let block: &mut [u8; 16] = &mut blocks[i].0;
        // SAFETY: a block has the 16 bytes that are written, which need no alignment.
        unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), row) };
    }
}

/// Four blocks by four words, or back.
#[inline]
#[target_feature(enable = "sse2")]
fn transpose([a, b, c, d]: [__m128i; 4]) -> [__m128i; 4] {
    let (ab_low, ab_high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    let (cd_low, cd_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
    [
        _mm_unpacklo_epi64(ab_low, cd_low),
        _mm_unpackhi_epi64(ab_low, cd_low),
        _mm_unpacklo_epi64(ab_high, cd_high),
        _mm_unpackhi_epi64(ab_high, cd_high),
    ]
}
