//! `qcrypto-bench cipher`: throughput by mode, direction and chunk size.

use serde::Serialize;

use crate::algorithm::{Algorithm, Direction, Spec};
use crate::buffer::Pair;
use crate::compare;
use crate::contest::Contest;
use crate::measure::Plan;
use crate::peers::Ivs;
use crate::problem::Problem;
use crate::report::{self, Figure, plot};
use crate::select::Filters;
use crate::session::Session;
use crate::units::MIB;

/// Which case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Label {
    pub(crate) cipher: String,
    pub(crate) algorithm: &'static str,
    pub(crate) mode: &'static str,
    pub(crate) direction: &'static str,
    pub(crate) chunk: usize,
}

impl report::Label for Label {
    fn table(&self) -> String {
        format!("{}({})", self.direction, self.cipher)
    }

    fn column(&self) -> String {
        self.chunk.to_string()
    }

    fn line(&self) -> String {
        format!("{} chunk {} bytes", self.table(), self.chunk)
    }
}

const FIGURE: Figure = Figure { kind: "cipher", unit: "MiB/s", plain_unit: "MB/sec" };

pub(crate) fn run(session: &Session, filters: &Filters) -> Result<(), Problem> {
    let specs = filters.specs(&Algorithm::DEFAULT).map_err(Problem::Usage)?;
    let chunks = filters.chunks(&specs, session.options.size).map_err(Problem::Usage)?;
    let mut contests: Vec<(Spec, Direction, Contest<'_, Label>)> = Vec::new();
    for spec in &specs {
        for direction in Direction::ALL {
            contests.extend(
                chunks.iter().map(|chunk| {
                    (*spec, direction, session.contest(label(*spec, direction, *chunk)))
                }),
            );
        }
    }
    session.expect_slices(contests.iter().map(|(.., contest)| plan(session, contest.label.chunk)));
    for _ in 0..session.options.passes {
        for of_one_spec in contests.chunk_by_mut(|(a, ..), (b, ..)| a == b) {
            pass(session, of_one_spec);
        }
    }
    let rate = |label: &Label, seconds| label.chunk as f64 / MIB / seconds;
    let cases: Vec<_> = contests.into_iter().map(|(.., contest)| contest.judge(rate)).collect();
    session.show(&FIGURE, &cases)?;
    plot::write(session, &cases)
}

fn label(spec: Spec, direction: Direction, chunk: usize) -> Label {
    Label {
        cipher: spec.to_string(),
        algorithm: spec.algorithm.name(),
        mode: spec.mode.name(),
        direction: direction.name(),
        chunk,
    }
}

/// One pass's part of the size, in whole chunks.
fn plan(session: &Session, chunk: usize) -> Plan {
    let chunks = session.options.size.div_ceil(chunk as u64);
    Plan::new(chunks.div_ceil(session.options.passes.into()), session.options.rounds)
}

/// All cases of one cipher, with new objects.
fn pass(session: &Session, contests: &mut [(Spec, Direction, Contest<'_, Label>)]) {
    let spec = contests[0].0;
    let mut entrants = session.entrants(spec);
    let ivs = if session.options.keep_iv { Ivs::Kept } else { Ivs::Fresh };
    for (_, direction, contest) in contests {
        let chunk = contest.label.chunk;
        let mut buffers = Pair::new(chunk);
        let verdict = compare::check(&mut entrants, spec, chunk);
        session.pass(contest, &mut entrants, &verdict, plan(session, chunk), |engine, calls| {
            engine.run(*direction, ivs, &mut buffers, calls)
        });
    }
}
