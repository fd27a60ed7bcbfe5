//! SHA-256's compression function on the SHA extensions of x86 (`SHA256RNDS2`, `SHA256MSG1`, `SHA256MSG2` in volume 2 of
//! Intel's Software Developer's Manual).
//!
//! Two rounds wait for the two before them, so that one chain leaves the unit idle half of the time and a second one
//! costs little.

use std::arch::x86_64::*;

use crate::chain::{Chain, Hash, Key};
use crate::cpu::Shani;

/// [`Hash::extend`], the chains two by two.
pub(super) fn extend<H>(cpu: Shani, key: &Key<H>, chains: &mut [Chain<H>], links: u64)
where
    H: Hash<State = [u32; 8]>,
{
    let (pairs, rest) = chains.as_chunks_mut();
    for pair in pairs {
        side_by_side::<H, 2>(cpu, key, pair, links);
    }
    let (single, _) = rest.as_chunks_mut();
    for chain in single {
        side_by_side::<H, 1>(cpu, key, chain, links);
    }
}

/// Extends so many chains at the same time.
fn side_by_side<H, const N: usize>(
    _cpu: Shani,
    key: &Key<H>,
    chains: &mut [Chain<H>; N],
    links: u64,
) where
    H: Hash<State = [u32; 8]>,
{
    // SAFETY: the token proves that the CPU has the features that the function is compiled for.
    unsafe { compiled(key, chains, links) }
}

#[target_feature(enable = "sha,ssse3,sse4.1")]
fn compiled<H, const N: usize>(key: &Key<H>, chains: &mut [Chain<H>; N], links: u64)
where
    H: Hash<State = [u32; 8]>,
{
    let inner = State::load(&key.inner);
    let outer = State::load(&key.outer);
    let mut link = [State::zero(); N];
    let mut sum = [State::zero(); N];
    for (n, chain) in chains.iter().enumerate() {
        link[n] = State::load(&chain.link);
        sum[n] = State::load(&chain.sum);
    }
    for _ in 0..links {
        compress::<H, N>(inner, &mut link);
        compress::<H, N>(outer, &mut link);
        for n in 0..N {
            sum[n] = sum[n].xor(link[n]);
        }
    }
    for (n, chain) in chains.iter_mut().enumerate() {
        chain.link = link[n].store();
        chain.sum = sum[n].store();
    }
}

/// A state in the order that `SHA256RNDS2` wants, the first word in the highest lane.
#[derive(Clone, Copy)]
struct State {
    abef: __m128i,
    cdgh: __m128i,
}

impl State {
    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn zero() -> Self {
        Self { abef: _mm_setzero_si128(), cdgh: _mm_setzero_si128() }
    }

    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn load(words: &[u32; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = words.map(u32::cast_signed);
        Self { abef: _mm_set_epi32(a, b, e, f), cdgh: _mm_set_epi32(c, d, g, h) }
    }

    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn store(self) -> [u32; 8] {
        let Self { abef, cdgh } = self;
        [
            _mm_extract_epi32::<3>(abef),
            _mm_extract_epi32::<2>(abef),
            _mm_extract_epi32::<3>(cdgh),
            _mm_extract_epi32::<2>(cdgh),
            _mm_extract_epi32::<1>(abef),
            _mm_extract_epi32::<0>(abef),
            _mm_extract_epi32::<1>(cdgh),
            _mm_extract_epi32::<0>(cdgh),
        ]
        .map(i32::cast_unsigned)
    }

    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn xor(self, other: Self) -> Self {
        Self {
            abef: _mm_xor_si128(self.abef, other.abef),
            cdgh: _mm_xor_si128(self.cdgh, other.cdgh),
        }
    }

    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn add(self, other: Self) -> Self {
        Self {
            abef: _mm_add_epi32(self.abef, other.abef),
            cdgh: _mm_add_epi32(self.cdgh, other.cdgh),
        }
    }

    /// As the digest in a block, with the padding behind it; the first word in the lowest lane.
    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn padded<H: Hash>(self) -> [__m128i; 4] {
        let abef = _mm_castsi128_ps(self.abef);
        let cdgh = _mm_castsi128_ps(self.cdgh);
        let abcd = _mm_castps_si128(_mm_shuffle_ps::<0b10_11_10_11>(abef, cdgh));
        let efgh = _mm_castps_si128(_mm_shuffle_ps::<0b00_01_00_01>(abef, cdgh));

        let one_bit = _mm_set_epi32(i32::MIN, 0, 0, 0);
        let bit_len = _mm_set_epi32(8 * (64 + H::DIGEST_LEN as i32), 0, 0, 0);
        match H::DIGEST_LEN {
            // The last word is none of the digest's.
            28 => {
                [abcd, _mm_blend_epi16::<0b1100_0000>(efgh, one_bit), _mm_setzero_si128(), bit_len]
            }
            _ => [abcd, efgh, _mm_srli_si128::<12>(one_bit), bit_len],
        }
    }
}

/// A compression under way.
#[derive(Clone, Copy)]
struct Running {
    state: State,
    /// The sixteen latest words of the message schedule, in a ring.
    w: [__m128i; 4],
}

/// Compresses N digests with their padding, from one state on, into the digests after them.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn compress<H: Hash, const N: usize>(start: State, digests: &mut [State; N]) {
    let mut running = [Running { state: start, w: [_mm_setzero_si128(); 4] }; N];
    for n in 0..N {
        running[n].w = digests[n].padded::<H>();
    }

    macro_rules! groups {
        ($($group:literal)*) => {$(
            rounds::<$group, N>(&mut running);
        )*};
    }
    groups!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);

    for n in 0..N {
        digests[n] = running[n].state.add(start);
    }
}

/// Four rounds of each, the group's number out of 16.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn rounds<const GROUP: usize, const N: usize>(running: &mut [Running; N]) {
    let [k0, k1, k2, k3] = [0, 1, 2, 3].map(|round| K[4 * GROUP + round].cast_signed());
    let k = _mm_set_epi32(k3, k2, k1, k0);
    for run in running {
        if GROUP >= 4 {
            schedule::<GROUP>(&mut run.w);
        }
        let State { abef, cdgh } = run.state;
        let wk = _mm_add_epi32(run.w[GROUP % 4], k);
        let cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
        let abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32::<0b11_10>(wk));
        run.state = State { abef, cdgh };
    }
}

/// The words of a group from those of the four groups before it.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn schedule<const GROUP: usize>(w: &mut [__m128i; 4]) {
    let [w0, w1, w2, w3] = [0, 1, 2, 3].map(|before| w[(GROUP + before) % 4]);
    let seven_before = _mm_alignr_epi8::<4>(w3, w2);
    let partial = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), seven_before);
    w[GROUP % 4] = _mm_sha256msg2_epu32(partial, w3);
}

/// FIPS 180-4 section 4.2.2.
#[rustfmt::skip]
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::chain::tests::check_kernel;
    use crate::sha2::{Sha224, Sha256};

    #[test]
    fn like_the_portable_loop() {
        let Some(cpu) = Shani::detect() else {
            // Past the test harness, which shows what is printed only where a test fails.
            writeln!(std::io::stderr(), "SKIPPED: this CPU or build has no sha")
                .expect("stderr takes a line");
            return;
        };
        check_kernel::<Sha224>(|key, chains, links| extend(cpu, key, chains, links));
        check_kernel::<Sha256>(|key, chains, links| extend(cpu, key, chains, links));
    }
}
