//! The expansion of keys (FIPS 197 section 5.2) with the AES instructions: no table, so in constant time.

use std::arch::x86_64::{
    __m128i, _mm_aesenclast_si128, _mm_aesimc_si128, _mm_alignr_epi8, _mm_set_epi8, _mm_set_epi64x,
    _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_epi8, _mm_shuffle_epi32, _mm_slli_si128,
    _mm_unpacklo_epi64, _mm_xor_si128,
};

use crate::aes::key::{ROUND_CONSTANTS, Schedule, invert};
use crate::cpu::Aesni;

/// Fills both schedules from a key of their length.
pub(in crate::aes) fn expand<const N: usize>(
    _: Aesni,
    key: &[u8],
    encrypt: &mut Schedule<N>,
    decrypt: &mut Schedule<N>,
) {
    // SAFETY: the proof.
    unsafe { expand_both(key, encrypt, decrypt) };
}

/// [`expand`]
#[target_feature(enable = "aes,ssse3")]
fn expand_both<const N: usize>(key: &[u8], encrypt: &mut Schedule<N>, decrypt: &mut Schedule<N>) {
    match N {
        11 => expand_128(key, encrypt),
        13 => expand_192(key, encrypt),
        _ => expand_256(key, encrypt),
    }
    invert(encrypt, decrypt, |round| _mm_aesimc_si128(round));
}

/// Four words, and four more that each depend on the one before.
#[target_feature(enable = "aes,ssse3")]
fn expand_128(bytes: &[u8], schedule: &mut [__m128i]) {
    let mut words = words(bytes, 0);
    schedule[0] = words;
    for (round, constant) in schedule[1..].iter_mut().zip(ROUND_CONSTANTS.map(i32::from)) {
        let mixed = sub_rot_word(words, constant);
        words = _mm_xor_si128(running_xor(words), mixed);
        *round = words;
    }
}

/// Six words a step, in two registers, while a round key has four: two steps make three round keys.
#[target_feature(enable = "aes,ssse3")]
fn expand_192(bytes: &[u8], schedule: &mut [__m128i]) {
    let mut low = words(bytes, 0);
    let mut high = half_words(bytes, 16);
    schedule[0] = low;
    let mut constants = ROUND_CONSTANTS.map(i32::from).into_iter();
    for rounds in schedule[1..].chunks_exact_mut(3) {
        let (low1, high1) = step_192(low, high, constants.next().unwrap_or(0));
        let (low2, high2) = step_192(low1, high1, constants.next().unwrap_or(0));
        rounds[0] = _mm_unpacklo_epi64(high, low1);
        rounds[1] = _mm_alignr_epi8::<8>(high1, low1);
        rounds[2] = low2;
        (low, high) = (low2, high2);
    }
}

/// The next six words: `low` has four, `high` two, in its lower half.
#[target_feature(enable = "aes,ssse3")]
fn step_192(low: __m128i, high: __m128i, constant: i32) -> (__m128i, __m128i) {
    let mixed = sub_rot_word(_mm_slli_si128::<8>(high), constant);
    let low = _mm_xor_si128(running_xor(low), mixed);
    let high = _mm_xor_si128(high, _mm_slli_si128::<4>(high));
    (low, _mm_xor_si128(high, _mm_shuffle_epi32::<0xff>(low)))
}

/// Eight words, two round keys, a step. The second half of a step goes through SubWord alone.
#[target_feature(enable = "aes,ssse3")]
fn expand_256(bytes: &[u8], schedule: &mut [__m128i]) {
    let mut even = words(bytes, 0);
    let mut odd = words(bytes, 16);
    schedule[0] = even;
    schedule[1] = odd;
    for (rounds, constant) in schedule[2..].chunks_mut(2).zip(ROUND_CONSTANTS.map(i32::from)) {
        even = _mm_xor_si128(running_xor(even), sub_rot_word(odd, constant));
        rounds[0] = even;
        if let Some(round) = rounds.get_mut(1) {
            odd = _mm_xor_si128(running_xor(odd), sub_word(even));
            *round = odd;
        }
    }
}

/// Four words of the key.
#[target_feature(enable = "ssse3")]
fn words(bytes: &[u8], at: usize) -> __m128i {
    _mm_unpacklo_epi64(half_words(bytes, at), half_words(bytes, at + 8))
}

/// Two words of the key, in the lower half.
#[target_feature(enable = "ssse3")]
fn half_words(bytes: &[u8], at: usize) -> __m128i {
    let half = bytes[at..at + 8].try_into().expect("the range is eight long");
    _mm_set_epi64x(0, i64::from_le_bytes(half))
}

/// Each word xored with all those before it.
#[target_feature(enable = "ssse3")]
fn running_xor(words: __m128i) -> __m128i {
    let pairs = _mm_xor_si128(words, _mm_slli_si128::<4>(words));
    _mm_xor_si128(pairs, _mm_slli_si128::<8>(pairs))
}

/// SubWord(RotWord(the last word)) xor the round constant, in all four words.
///
/// With four equal columns, the ShiftRows in an AES round moves nothing, which leaves SubBytes and the key addition.
#[target_feature(enable = "aes,ssse3")]
fn sub_rot_word(words: __m128i, constant: i32) -> __m128i {
    let rotated = _mm_set_epi8(12, 15, 14, 13, 12, 15, 14, 13, 12, 15, 14, 13, 12, 15, 14, 13);
    _mm_aesenclast_si128(_mm_shuffle_epi8(words, rotated), _mm_set1_epi32(constant))
}

/// SubWord(the last word) in all four words.
#[target_feature(enable = "aes,ssse3")]
fn sub_word(words: __m128i) -> __m128i {
    _mm_aesenclast_si128(_mm_shuffle_epi32::<0xff>(words), _mm_setzero_si128())
}
