//! Chunk sizes as an axis: each doubling one step to the right, a tick for every size measured and no other.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// Room beside the first and the last size, in doublings.
const MARGIN: f64 = 0.4;

pub(super) struct ChunkAxis(Vec<usize>);

impl ChunkAxis {
    /// None without a single size.
    pub(super) fn new(chunks: impl IntoIterator<Item = usize>) -> Option<Self> {
        let mut chunks: Vec<usize> = chunks.into_iter().collect();
        chunks.sort_unstable();
        chunks.dedup();
        (!chunks.is_empty()).then_some(Self(chunks))
    }

    fn ends(&self) -> (usize, usize) {
        (self.0[0], self.0[self.0.len() - 1])
    }
}

impl Ranged for ChunkAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = usize;

    fn map(&self, chunk: &usize, limit: (i32, i32)) -> i32 {
        let (first, last) = self.ends();
        let doublings = |chunk: usize| (chunk as f64).log2();
        let (start, end) = (doublings(first) - MARGIN, doublings(last) + MARGIN);
        let along = (doublings(*chunk) - start) / (end - start);
        limit.0 + (along * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<usize> {
        self.0.clone()
    }

    fn range(&self) -> Range<usize> {
        let (first, last) = self.ends();
        first..last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doublings_are_equal_steps() {
        let axis = ChunkAxis::new([2048, 512, 1024, 512]).unwrap();
        let [a, b, c] = [512, 1024, 2048].map(|chunk| axis.map(&chunk, (0, 2800)));
        assert_eq!([a, b, c], [400, 1400, 2400]);
        assert_eq!(axis.key_points(3), [512, 1024, 2048]);
    }

    #[test]
    fn one_size_stands_in_the_middle() {
        assert_eq!(ChunkAxis::new([512]).unwrap().map(&512, (0, 100)), 50);
        assert!(ChunkAxis::new([]).is_none());
    }
}
