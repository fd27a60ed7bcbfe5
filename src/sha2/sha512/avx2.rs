//! SHA-512's compression function on AVX2 and BMI2.
//!
//! The message schedule is worked out four words at a time in vector registers, while the rounds, each of which waits
//! for the one before it, run in general registers with `RORX`, which needs no copy. One chain keeps the CPU busy: a
//! second one beside it would gain nothing.

use std::arch::x86_64::*;

use crate::chain::{Chain, Hash, Key};
use crate::cpu::Avx2;

/// [`Hash::extend`].
pub(super) fn extend<H>(_cpu: Avx2, key: &Key<H>, chains: &mut [Chain<H>], links: u64)
where
    H: Hash<Word = u64, State = [u64; 8]>,
{
    // SAFETY: the token proves that the CPU has the features that the function is compiled for.
    unsafe { compiled(key, chains, links) }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn compiled<H>(key: &Key<H>, chains: &mut [Chain<H>], links: u64)
where
    H: Hash<Word = u64, State = [u64; 8]>,
{
    for chain in chains {
        for _ in 0..links {
            compress::<H>(&key.inner, &mut chain.link);
            compress::<H>(&key.outer, &mut chain.link);
            for (sum, link) in chain.sum.iter_mut().zip(chain.link) {
                *sum ^= link;
            }
        }
    }
}

/// Compresses a digest with its padding into the digest after it. Not inlined: twice would overflow the instruction
/// cache.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn compress<H: Hash>(start: &[u64; 8], digest: &mut [u64; 8]) {
    let mut state = *start;
    let mut w = padded::<H>(digest);

    macro_rules! groups {
        ($($group:literal)*) => {$(
            rounds::<$group>(&mut state, &mut w);
        )*};
    }
    groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);

    for ((digest, state), start) in digest.iter_mut().zip(state).zip(start) {
        *digest = state.wrapping_add(*start);
    }
}

/// A digest as a block, with the padding behind it; the first word in the lowest lane.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn padded<H: Hash>(digest: &[u64; 8]) -> [__m256i; 4] {
    let mut words = [0; 16];
    let len = H::DIGEST_LEN / 8;
    words[..len].copy_from_slice(&digest[..len]);
    words[len] = 1 << 63;
    words[15] = 8 * (128 + H::DIGEST_LEN as u64);
    let (fours, _) = words.as_chunks();
    [vector(&fours[0]), vector(&fours[1]), vector(&fours[2]), vector(&fours[3])]
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn vector(words: &[u64; 4]) -> __m256i {
    let [w0, w1, w2, w3] = words.map(u64::cast_signed);
    _mm256_set_epi64x(w3, w2, w1, w0)
}

/// Four rounds, the group's number out of 20. `w` is the sixteen words of the schedule from this group's on, in a ring;
/// the group's place is taken by the words sixteen further on.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn rounds<const GROUP: usize>(state: &mut [u64; 8], w: &mut [__m256i; 4]) {
    let (k, _) = K.as_chunks();
    let wk = _mm256_add_epi64(w[GROUP % 4], vector(&k[GROUP]));
    if GROUP < 16 {
        schedule::<GROUP>(w);
    }
    *state = round(*state, _mm256_extract_epi64::<0>(wk));
    *state = round(*state, _mm256_extract_epi64::<1>(wk));
    *state = round(*state, _mm256_extract_epi64::<2>(wk));
    *state = round(*state, _mm256_extract_epi64::<3>(wk));
}

/// A round, with the sum of its word of the schedule and its constant (FIPS 180-4 section 6.4.2 step 3).
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn round([a, b, c, d, e, f, g, h]: [u64; 8], wk: i64) -> [u64; 8] {
    let sigma1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
    let choice = g ^ (e & (f ^ g));
    let t1 = h.wrapping_add(wk.cast_unsigned()).wrapping_add(choice).wrapping_add(sigma1);

    let sigma0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
    // b ^ c was a ^ b a round ago, so that the compiler has it already.
    let majority = b ^ ((a ^ b) & (b ^ c));
    let t2 = sigma0.wrapping_add(majority);
    [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g]
}

/// The words sixteen after a group's (FIPS 180-4 section 6.4.2 step 1).
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn schedule<const GROUP: usize>(w: &mut [__m256i; 4]) {
    let [w0, w4, w8, w12] = [0, 1, 2, 3].map(|after| w[(GROUP + after) % 4]);
    let partial = _mm256_add_epi64(w0, _mm256_add_epi64(one_on(w8, w12), sigma0(one_on(w0, w4))));

    // The words need sigma1 of those two before them: the upper two of what the lower two have just become.
    let lower = _mm256_castsi256_si128(partial);
    let lower = _mm_add_epi64(lower, sigma1(_mm256_extracti128_si256::<1>(w12)));
    let upper = _mm256_extracti128_si256::<1>(partial);
    let upper = _mm_add_epi64(upper, sigma1(lower));
    w[GROUP % 4] = _mm256_set_m128i(upper, lower);
}

/// Four words, beginning with the second of those at hand.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn one_on(words: __m256i, next: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b00_11_10_01>(_mm256_blend_epi32::<0b11>(words, next))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn sigma0(w: __m256i) -> __m256i {
    let by_1 = _mm256_or_si256(_mm256_srli_epi64::<1>(w), _mm256_slli_epi64::<63>(w));
    let by_8 = _mm256_or_si256(_mm256_srli_epi64::<8>(w), _mm256_slli_epi64::<56>(w));
    _mm256_xor_si256(_mm256_xor_si256(by_1, by_8), _mm256_srli_epi64::<7>(w))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn sigma1(w: __m128i) -> __m128i {
    let by_19 = _mm_or_si128(_mm_srli_epi64::<19>(w), _mm_slli_epi64::<45>(w));
    let by_61 = _mm_or_si128(_mm_srli_epi64::<61>(w), _mm_slli_epi64::<3>(w));
    _mm_xor_si128(_mm_xor_si128(by_19, by_61), _mm_srli_epi64::<6>(w))
}

/// FIPS 180-4 section 4.2.3.
#[rustfmt::skip]
const K: [u64; 80] = [
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
];

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::chain::tests::check_kernel;
    use crate::sha2::{Sha384, Sha512};

    #[test]
    fn like_the_portable_loop() {
        let Some(cpu) = Avx2::detect() else {
            // Past the test harness, which shows what is printed only where a test fails.
            writeln!(std::io::stderr(), "SKIPPED: this CPU or build has no avx2")
                .expect("stderr takes a line");
            return;
        };
        check_kernel::<Sha384>(|key, chains, links| extend(cpu, key, chains, links));
        check_kernel::<Sha512>(|key, chains, links| extend(cpu, key, chains, links));
    }
}
