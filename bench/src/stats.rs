//! Medians and spreads over rounds.

use serde::Serialize;

/// How one figure came out over the rounds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) p10: f64,
    pub(crate) p90: f64,
    pub(crate) max: f64,
    /// Half of what the middle 80 % of the rounds span, as a fraction of the median: the "±" of the tables. The very
    /// slowest rounds tell of the machine's other guests, so they show in `min` and `max` alone.
    pub(crate) spread: f64,
}

impl Summary {
    /// `values` holds one figure a round and at least one of them.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let [median, p10, p90] = [0.5, 0.1, 0.9].map(|fraction| quantile(&sorted, fraction));
        Self {
            median,
            min: sorted[0],
            p10,
            p90,
            max: sorted[sorted.len() - 1],
            spread: (p90 - p10) / (2.0 * median),
        }
    }
}

/// How many times faster `own` was than `other`: the median of the rounds' own ratios. A machine that changes its
/// speed between rounds changes it for both halves of a pair, which a ratio of two medians would not notice.
pub(crate) fn speed_ratio(own: &[f64], other: &[f64]) -> f64 {
    Summary::of(own.iter().zip(other).map(|(own, other)| other / own)).median
}

/// Between the two nearest ranks, in proportion.
fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let rank = fraction * (sorted.len() - 1) as f64;
    let below = sorted[rank.floor() as usize];
    let above = sorted[rank.ceil() as usize];
    below + (above - below) * rank.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_of_eleven() {
        let summary = Summary::of((0..=10).map(|i| f64::from((i * 7) % 11)));
        assert_eq!(
            [summary.min, summary.p10, summary.median, summary.p90, summary.max],
            [0.0, 1.0, 5.0, 9.0, 10.0]
        );
        assert_eq!(summary.spread, 0.8);
    }

    #[test]
    fn one_round_has_no_spread() {
        let summary = Summary::of([3.0]);
        assert_eq!(
            [summary.min, summary.median, summary.max, summary.spread],
            [3.0, 3.0, 3.0, 0.0]
        );
    }

    #[test]
    fn between_ranks() {
        assert_eq!(Summary::of([1.0, 2.0]).median, 1.5);
    }

    #[test]
    fn ratio_follows_the_pairs() {
        // The machine slows down by four in the middle of the run; the ratio stays what it is.
        let own = [1.0, 1.0, 4.0, 4.0, 4.0];
        let other = [2.0, 2.0, 8.0, 8.0, 8.0];
        assert_eq!(speed_ratio(&own, &other), 2.0);
    }
}
