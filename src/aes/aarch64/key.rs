//! The expansion of keys (FIPS 197 section 5.2) with the AES instructions: no table, so in constant time.

use std::arch::aarch64::{
    vaeseq_u8, vaesimcq_u8, vdupq_n_u8, vdupq_n_u32, vgetq_lane_u32, vreinterpretq_u8_u32,
    vreinterpretq_u32_u8,
};
use std::slice;

use crate::aes::key::{ROUND_CONSTANTS, Schedule, invert};
use crate::cpu::Aarch64Ce;

/// Fills both schedules from a key of their length.
pub(in crate::aes) fn expand<const N: usize>(
    _: Aarch64Ce,
    key: &[u8],
    encrypt: &mut Schedule<N>,
    decrypt: &mut Schedule<N>,
) {
    // SAFETY: the proof.
    unsafe { expand_both(key, encrypt, decrypt) };
}

/// [`expand`]
#[target_feature(enable = "neon,aes")]
fn expand_both<const N: usize>(key: &[u8], encrypt: &mut Schedule<N>, decrypt: &mut Schedule<N>) {
    // SAFETY: a block is as long as four words and at least as aligned, and whatever it holds are words.
    let words = unsafe { slice::from_raw_parts_mut(encrypt.as_mut_ptr().cast(), 4 * N) };
    expand_words(key, words);
    invert(encrypt, decrypt, |round| vaesimcq_u8(round));
}

/// Each word from the one before it and the one a key's length before it.
#[target_feature(enable = "neon,aes")]
fn expand_words(key: &[u8], words: &mut [u32]) {
    let (in_key, _) = key.as_chunks();
    for (word, bytes) in words.iter_mut().zip(in_key) {
        *word = u32::from_le_bytes(*bytes);
    }
    let mut constants = ROUND_CONSTANTS.map(u32::from).into_iter();
    let distance = in_key.len();
    for i in distance..words.len() {
        let before = words[i - 1];
        let mixed = match i % distance {
            // RotWord, whose first byte is the lowest here.
            0 => sub_word(before.rotate_right(8)) ^ constants.next().unwrap_or(0),
            4 if distance > 6 => sub_word(before),
            _ => before,
        };
        words[i] = words[i - distance] ^ mixed;
    }
}

/// SubWord. With four equal columns, the ShiftRows in an AES round moves nothing, which leaves SubBytes.
#[target_feature(enable = "neon,aes")]
fn sub_word(word: u32) -> u32 {
    let columns = vreinterpretq_u8_u32(vdupq_n_u32(word));
    vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vaeseq_u8(columns, vdupq_n_u8(0))))
}
