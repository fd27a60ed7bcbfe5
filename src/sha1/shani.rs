//! SHA-1 on the SHA extensions of x86 (`SHA1RNDS4`, `SHA1NEXTE`, `SHA1MSG1`, `SHA1MSG2` in volume 2 of Intel's Software
//! Developer's Manual).
//!
//! Each instruction does four rounds or four words of the message schedule, the earliest word in the highest lane. Four
//! rounds wait for the four before them, so that one chain leaves the unit idle most of the time and a second one costs
//! little. A state is in the order of a message's words: between two compressions nothing is moved.

use std::arch::x86_64::*;

use super::Sha1;
use crate::chain::{Chain, Hash, Key};
use crate::cpu::Shani;

/// [`Hash::extend`], the chains two by two.
pub(super) fn extend(cpu: Shani, key: &Key<Sha1>, chains: &mut [Chain<Sha1>], links: u64) {
    let (pairs, rest) = chains.as_chunks_mut();
    for pair in pairs {
        side_by_side::<2>(cpu, key, pair, links);
    }
    let (single, _) = rest.as_chunks_mut();
    for chain in single {
        side_by_side::<1>(cpu, key, chain, links);
    }
}

/// Extends so many chains at the same time.
fn side_by_side<const N: usize>(
    _cpu: Shani,
    key: &Key<Sha1>,
    chains: &mut [Chain<Sha1>; N],
    links: u64,
) {
    // SAFETY: the token proves that the CPU has the features that the function is compiled for.
    unsafe { compiled(key, chains, links) }
}

#[target_feature(enable = "sha,ssse3,sse4.1")]
fn compiled<const N: usize>(key: &Key<Sha1>, chains: &mut [Chain<Sha1>; N], links: u64) {
    let inner = State::load(&key.inner);
    let outer = State::load(&key.outer);
    let mut link = [State::zero(); N];
    let mut sum = [State::zero(); N];
    for (n, chain) in chains.iter().enumerate() {
        link[n] = State::load(&chain.link).pad();
        sum[n] = State::load(&chain.sum);
    }
    for _ in 0..links {
        compress(inner, &mut link);
        compress(outer, &mut link);
        for n in 0..N {
            sum[n] = sum[n].xor(link[n]);
        }
    }
    for (n, chain) in chains.iter_mut().enumerate() {
        chain.link = link[n].store();
        chain.sum = sum[n].store();
    }
}

/// A state, or the first half of a block that is a digest and its padding.
#[derive(Clone, Copy)]
struct State {
    /// The words a, b, c, d.
    abcd: __m128i,
    /// The word e, then what follows a digest in a block.
    e: __m128i,
}

/// What [`Hash::extend`] puts behind a digest: a one bit ...
const ONE_BIT: i32 = i32::MIN;
/// ... and the length of a block and a digest in bits, the block's last word.
const BIT_LEN: i32 = 8 * (64 + Sha1::DIGEST_LEN as i32);

impl State {
    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn zero() -> Self {
        Self { abcd: _mm_setzero_si128(), e: _mm_setzero_si128() }
    }

    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn load(words: &[u32; 5]) -> Self {
        let [a, b, c, d, e] = words.map(u32::cast_signed);
        Self { abcd: _mm_set_epi32(a, b, c, d), e: _mm_set_epi32(e, 0, 0, 0) }
    }

    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn store(self) -> [u32; 5] {
        [
            _mm_extract_epi32::<3>(self.abcd),
            _mm_extract_epi32::<2>(self.abcd),
            _mm_extract_epi32::<1>(self.abcd),
            _mm_extract_epi32::<0>(self.abcd),
            _mm_extract_epi32::<3>(self.e),
        ]
        .map(i32::cast_unsigned)
    }

    /// With the one bit behind it.
    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn pad(self) -> Self {
        Self { e: _mm_or_si128(self.e, _mm_set_epi32(0, ONE_BIT, 0, 0)), ..self }
    }

    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn xor(self, other: Self) -> Self {
        Self { abcd: _mm_xor_si128(self.abcd, other.abcd), e: _mm_xor_si128(self.e, other.e) }
    }
}

/// A compression under way.
#[derive(Clone, Copy)]
struct Running {
    abcd: __m128i,
    /// a, b, c, d of four rounds ago, of which a gives the next e.
    before: __m128i,
    /// The sixteen latest words of the message schedule, in a ring.
    w: [__m128i; 4],
}

/// Compresses N padded digests, from one state on, into the digests after them.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn compress<const N: usize>(start: State, blocks: &mut [State; N]) {
    let zero = _mm_setzero_si128();
    let last = _mm_set_epi32(0, 0, 0, BIT_LEN);
    let mut running = [Running { abcd: start.abcd, before: zero, w: [zero; 4] }; N];
    for n in 0..N {
        let block = blocks[n];
        let run = &mut running[n];
        run.w = [block.abcd, block.e, zero, last];
        run.before = run.abcd;
        run.abcd = _mm_sha1rnds4_epu32::<0>(run.abcd, _mm_add_epi32(start.e, block.abcd));
    }

    macro_rules! groups {
        ($($function:literal: $($group:literal)*;)*) => {$($(
            rounds::<$function, $group, N>(&mut running);
        )*)*};
    }
    groups! {
        0: 1 2 3 4;
        1: 5 6 7 8 9;
        2: 10 11 12 13 14;
        3: 15 16 17 18 19;
    }

    let padded = start.pad();
    for n in 0..N {
        // The lanes below e come from `padded`, so the result is padded again.
        blocks[n].e = _mm_sha1nexte_epu32(running[n].before, padded.e);
        blocks[n].abcd = _mm_add_epi32(running[n].abcd, start.abcd);
    }
}

/// Four rounds of each, the group's number out of 20.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn rounds<const FUNCTION: i32, const GROUP: usize, const N: usize>(running: &mut [Running; N]) {
    for run in running {
        if GROUP >= 4 {
            schedule::<GROUP>(&mut run.w);
        }
        let e = _mm_sha1nexte_epu32(run.before, run.w[GROUP % 4]);
        run.before = run.abcd;
        run.abcd = _mm_sha1rnds4_epu32::<FUNCTION>(run.abcd, e);
    }
}

/// The words of a group from those of the four groups before it.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn schedule<const GROUP: usize>(w: &mut [__m128i; 4]) {
    let [w0, w1, w2, w3] = [0, 1, 2, 3].map(|before| w[(GROUP + before) % 4]);
    w[GROUP % 4] = _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(w0, w1), w2), w3);
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::chain::tests::check_kernel;

    #[test]
    fn like_the_portable_loop() {
        let Some(cpu) = Shani::detect() else {
            // Past the test harness, which shows what is printed only where a test fails.
            writeln!(std::io::stderr(), "SKIPPED: this CPU or build has no sha")
                .expect("stderr takes a line");
            return;
        };
        check_kernel::<Sha1>(|key, chains, links| extend(cpu, key, chains, links));
    }
}
