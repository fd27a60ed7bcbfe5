//! Buffers and the bytes in them.

/// Bytes that look random and are the same in every run, so that two runs time the same work.
pub(crate) fn sample(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        // splitmix64: the shortest generator whose output has no visible pattern.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    let mut bytes: Vec<u8> = (0..len.div_ceil(8)).flat_map(|_| next().to_le_bytes()).collect();
    bytes.truncate(len);
    bytes
}

/// An input and an output of the same length, out of place and both on cache lines.
pub(crate) struct Pair {
    memory: Vec<u8>,
    input: usize,
    output: usize,
    len: usize,
}

impl Pair {
    const PAGE: usize = 4096;

    pub(crate) fn new(len: usize) -> Self {
        let mut memory = vec![0; 2 * len.next_multiple_of(Self::PAGE) + 2 * Self::PAGE];
        let input = memory.as_ptr().align_offset(Self::PAGE);
        // Half a page apart modulo pages: at equal offsets into a page a load would wait for an unrelated store, and
        // how long depends on the kernel's unrolling rather than on its speed.
        let output = input + len.next_multiple_of(Self::PAGE) + Self::PAGE / 2;
        memory[input..input + len].copy_from_slice(&sample(len, 1));
        Self { memory, input, output, len }
    }

    /// The two halves.
    pub(crate) fn split(&mut self) -> (&[u8], &mut [u8]) {
        let (left, right) = self.memory.split_at_mut(self.output);
        (&left[self.input..self.input + self.len], &mut right[..self.len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pair_is_aligned_and_apart() {
        for len in [1, 16, 512, 4096, 65_536, 65_552] {
            let mut pair = Pair::new(len);
            let (input, output) = pair.split();
            assert_eq!((input.len(), output.len()), (len, len));
            assert_eq!(input.as_ptr().addr() % 4096, 0);
            assert_eq!(output.as_ptr().addr() % 4096, 2048);
            assert_eq!(input, sample(len, 1));
        }
    }

    #[test]
    fn samples_differ_by_seed() {
        assert_eq!(sample(11, 5), sample(64, 5)[..11]);
        assert_ne!(sample(64, 5), sample(64, 6));
    }
}
