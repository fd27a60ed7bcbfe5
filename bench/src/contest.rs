//! One case: who may take part, who did, and how each came out against the best other library.

use serde::Serialize;

use crate::measure::{Plan, interleave};
use crate::peers::{Refusal, Title};
use crate::stats::{Summary, speed_ratio};

/// A row of the tables, with its engine for what is being timed.
pub(crate) struct Entrant<'a, E: ?Sized> {
    pub(crate) title: &'a Title,
    pub(crate) kernel: String,
    pub(crate) engine: Result<Box<E>, Refusal>,
}

/// How a row came out.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub(crate) enum Outcome {
    Measured {
        value: Summary,
        /// How many times faster than the best other library; none where there is no other.
        ratio: Option<f64>,
    },
    Unsupported {
        reason: String,
    },
    Failed {
        reason: String,
    },
    /// Gives other output than the rest.
    Differs {
        reason: String,
    },
}

impl Outcome {
    /// What went wrong; nothing did where a library merely lacks a cipher.
    pub(crate) fn complaint(&self) -> Option<String> {
        match self {
            Self::Failed { reason } => Some(format!("failed: {reason}")),
            Self::Differs { reason } => Some(format!("differs: {reason}")),
            Self::Measured { .. } | Self::Unsupported { .. } => None,
        }
    }
}

impl From<&Refusal> for Outcome {
    fn from(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Unsupported(reason) => Self::Unsupported { reason: reason.clone() },
            Refusal::Failed(reason) => Self::Failed { reason: reason.clone() },
        }
    }
}

/// One implementation in one case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) implementation: String,
    pub(crate) kernel: String,
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
}

/// One case: `L` says which.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Case<L> {
    #[serde(flatten)]
    pub(crate) label: L,
    /// The fastest library that is not ours: what the ratios are to.
    pub(crate) best_other: Option<String>,
    pub(crate) rows: Vec<Row>,
}

/// A case on its way: what its passes have brought so far.
pub(crate) struct Contest<'a, L> {
    pub(crate) label: L,
    titles: Vec<&'a Title>,
    kernels: Vec<String>,
    /// Seconds a call for each row, round by round over all passes; or why it is out.
    tracks: Vec<Result<Vec<f64>, Outcome>>,
}

impl<'a, L> Contest<'a, L> {
    pub(crate) fn new(label: L, titles: impl Iterator<Item = &'a Title>) -> Self {
        let titles: Vec<_> = titles.collect();
        let (kernels, tracks) =
            (vec![String::new(); titles.len()], vec![Ok(Vec::new()); titles.len()]);
        Self { label, titles, kernels, tracks }
    }

    /// Times everyone who has an engine and is not `excluded`. Who fails in one pass is out of them all.
    pub(crate) fn pass<E: ?Sized>(
        &mut self,
        entrants: &mut [Entrant<'_, E>],
        excluded: &[Option<Outcome>],
        plan: Plan,
        mut work: impl FnMut(&mut E, u64) -> Result<(), String>,
        tick: impl FnMut(),
    ) {
        let mut rows = Vec::new();
        let mut engines: Vec<&mut E> = Vec::new();
        let mut clocks = Vec::new();
        for (row, (entrant, excluded)) in entrants.iter_mut().zip(excluded).enumerate() {
            self.kernels[row].clone_from(&entrant.kernel);
            match (&mut entrant.engine, excluded) {
                (Err(refusal), _) => self.tracks[row] = Err((&*refusal).into()),
                (Ok(_), Some(outcome)) => self.tracks[row] = Err(outcome.clone()),
                (Ok(engine), None) if self.tracks[row].is_ok() => {
                    rows.push(row);
                    engines.push(engine);
                    clocks.push(entrant.title.clock);
                }
                (Ok(_), None) => {}
            }
        }
        let tracks = interleave(&clocks, plan, |who, calls| work(engines[who], calls), tick);
        for (row, track) in rows.into_iter().zip(tracks) {
            match track {
                Ok(times) => {
                    self.tracks[row].as_mut().expect("those that run are in").extend(times)
                }
                Err(reason) => self.tracks[row] = Err(Outcome::Failed { reason }),
            }
        }
    }

    /// How it ended. `value` makes seconds a call the figure to show.
    pub(crate) fn judge(self, value: impl Fn(f64) -> f64) -> Case<L> {
        let best = best_other(self.titles.iter().copied().zip(&self.tracks));
        let outcome = |track: &Result<Vec<f64>, Outcome>| match track {
            Ok(times) => Outcome::Measured {
                value: Summary::of(times.iter().map(|seconds| value(*seconds))),
                ratio: best.map(|(_, best)| speed_ratio(times, best)),
            },
            Err(outcome) => outcome.clone(),
        };
        let rows = self.titles.iter().zip(&self.kernels).zip(&self.tracks).map(
            |((title, kernel), track)| Row {
                implementation: title.name.clone(),
                kernel: kernel.clone(),
                outcome: outcome(track),
            },
        );
        Case {
            rows: rows.collect(),
            best_other: best.map(|(name, _)| name.to_owned()),
            label: self.label,
        }
    }
}

fn best_other<'a>(
    tracks: impl Iterator<Item = (&'a Title, &'a Result<Vec<f64>, Outcome>)>,
) -> Option<(&'a str, &'a [f64])> {
    tracks
        .filter_map(|(title, track)| match track {
            Ok(times) if !title.ours => Some((title.name.as_str(), times.as_slice())),
            _ => None,
        })
        .min_by(|(_, a), (_, b)| {
            let median = |times: &[f64]| Summary::of(times.iter().copied()).median;
            median(a).total_cmp(&median(b))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    fn title(name: &str, ours: bool) -> Title {
        Title { name: name.to_owned(), version: String::new(), ours, clock: Clock::Thread }
    }

    #[test]
    fn the_best_is_never_ours() {
        let titles = [
            title("ours", true),
            title("slow", false),
            title("fast", false),
            title("broken", false),
        ];
        let tracks = [
            Ok(vec![1.0, 1.0]),
            Ok(vec![3.0, 3.0]),
            Ok(vec![2.0, 2.0]),
            Err(Outcome::Failed { reason: String::new() }),
        ];
        let (name, times) = best_other(titles.iter().zip(&tracks)).unwrap();
        assert_eq!((name, times), ("fast", &[2.0, 2.0][..]));
        assert!(best_other(titles[..1].iter().zip(&tracks)).is_none());
    }

    fn entrants(titles: &[Title], engines: [Result<char, Refusal>; 3]) -> Vec<Entrant<'_, char>> {
        let enter = |(title, engine): (_, Result<char, _>)| Entrant {
            title,
            kernel: String::new(),
            engine: engine.map(Box::new),
        };
        titles.iter().zip(engines).map(enter).collect()
    }

    #[test]
    fn excluded_is_never_run() {
        let titles = [title("ours", true), title("liar", false), title("lacking", false)];
        let mut entrants =
            entrants(&titles, [Ok('o'), Ok('l'), Err(Refusal::Unsupported("no".to_owned()))]);
        let excluded = [None, Some(Outcome::Differs { reason: String::new() }), None];
        let mut ran = Vec::new();
        let work = |engine: &mut char, _| {
            ran.push(*engine);
            Ok(())
        };
        let mut contest = Contest::new((), titles.iter());
        contest.pass(&mut entrants, &excluded, Plan::new(4, 2), work, || {});
        let case = contest.judge(|seconds| seconds);
        assert_eq!(ran, ['o', 'o', 'o']);
        assert!(case.best_other.is_none());
        assert!(matches!(case.rows[0].outcome, Outcome::Measured { ratio: None, .. }));
        assert!(matches!(case.rows[1].outcome, Outcome::Differs { .. }));
        assert!(matches!(case.rows[2].outcome, Outcome::Unsupported { .. }));
    }

    #[test]
    fn who_fails_in_one_pass_is_out_of_all() {
        let titles = [title("a", false), title("b", false), title("c", false)];
        let mut contest = Contest::new((), titles.iter());
        for pass in 0..3 {
            let mut entrants = entrants(&titles, [Ok('a'), Ok('b'), Ok('c')]);
            let work = |engine: &mut char, _| {
                assert!(pass < 2 || *engine != 'b', "it is out");
                if pass == 1 && *engine == 'b' { Err("tired".to_owned()) } else { Ok(()) }
            };
            contest.pass(&mut entrants, &[None, None, None], Plan::new(4, 2), work, || {});
        }
        assert_eq!(contest.tracks[0].as_ref().unwrap().len(), 6);
        let case = contest.judge(|seconds| seconds);
        assert!(matches!(case.rows[0].outcome, Outcome::Measured { .. }));
        assert_eq!(case.rows[1].outcome.complaint().unwrap(), "failed: tired");
    }
}
