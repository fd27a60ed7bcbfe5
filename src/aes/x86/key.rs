//! Expanded AES keys (FIPS 197 section 5.2), made with the AES instructions: no table, so in constant time.

use std::arch::x86_64::{
    __m128i, _mm_aesenclast_si128, _mm_aesimc_si128, _mm_alignr_epi8, _mm_set_epi8, _mm_set_epi64x,
    _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_epi8, _mm_shuffle_epi32, _mm_slli_si128,
    _mm_unpacklo_epi64, _mm_xor_si128,
};

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::cpu::Aesni;
use crate::kernel::XtsKey;

/// The round keys of one direction, in the order in which its rounds use them. `N` is the number of rounds plus one: 11,
/// 13 or 15.
pub(super) type Schedule<const N: usize> = [__m128i; N];

/// An expanded key and `P`, the proof of the instruction set whose kernels use it.
pub(crate) struct Key<P, const N: usize> {
    cpu: P,
    pub(super) encrypt: Schedule<N>,
    /// For the equivalent inverse cipher (FIPS 197 section 5.3.5), which runs the rounds in the order of encryption.
    pub(super) decrypt: Schedule<N>,
}

impl<P: Copy + Into<Aesni>, const N: usize> Key<P, N> {
    /// Bytes of the key proper.
    const LEN: usize = 4 * (N - 7);

    /// A key yet to be expanded.
    pub(crate) fn blank(cpu: P) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        let zero = unsafe { _mm_setzero_si128() };
        Self { cpu, encrypt: [zero; N], decrypt: [zero; N] }
    }

    /// Expands `key` where the schedule lies, so that no copy of it is left elsewhere.
    ///
    /// # Panics
    /// If the length is not the one of this key size, which callers checked.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        assert_eq!(key.len(), Self::LEN, "length of an AES key for {} round keys", N);
        let _: Aesni = self.cpu.into();
        // SAFETY: the proof above.
        unsafe { expand(key, self) };
    }
}

impl<P: Copy, const N: usize> Key<P, N> {
    /// The proof that the CPU has the instructions of the key's kernels.
    #[inline(always)]
    pub(super) fn cpu(&self) -> P {
        self.cpu
    }
}

impl<P: Copy, const N: usize> XtsKey<Key<P, N>> {
    /// [`Key::cpu`]
    #[inline(always)]
    pub(super) fn cpu(&self) -> P {
        self.data.cpu
    }
}

impl<P, const N: usize> Drop for Key<P, N> {
    fn drop(&mut self) {
        self.encrypt.zeroize();
        self.decrypt.zeroize();
    }
}

impl<P, const N: usize> ZeroizeOnDrop for Key<P, N> {}

/// Fills both schedules.
#[target_feature(enable = "aes,ssse3")]
fn expand<P, const N: usize>(bytes: &[u8], key: &mut Key<P, N>) {
    match N {
        11 => expand_128(bytes, &mut key.encrypt),
        13 => expand_192(bytes, &mut key.encrypt),
        _ => expand_256(bytes, &mut key.encrypt),
    }
    for (inverse, round) in key.decrypt.iter_mut().zip(key.encrypt.iter().rev()) {
        *inverse = _mm_aesimc_si128(*round);
    }
    // The first and the last key stand outside of the rounds that mix columns.
    key.decrypt[0] = key.encrypt[N - 1];
    key.decrypt[N - 1] = key.encrypt[0];
}

/// The first words of the round constants, Rcon in FIPS 197: powers of x in GF(2^8).
const ROUND_CONSTANTS: [i32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// Four words, and four more that each depend on the one before.
#[target_feature(enable = "aes,ssse3")]
fn expand_128(bytes: &[u8], schedule: &mut [__m128i]) {
    let mut words = words(bytes, 0);
    schedule[0] = words;
    for (round, constant) in schedule[1..].iter_mut().zip(ROUND_CONSTANTS) {
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
    let mut constants = ROUND_CONSTANTS.into_iter();
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
    for (rounds, constant) in schedule[2..].chunks_mut(2).zip(ROUND_CONSTANTS) {
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
