//! `qcrypto-bench cost`: nanoseconds a call, where a disk layer spends what the ciphers do not.

use serde::Serialize;

use crate::algorithm::{Algorithm, Direction, Spec};
use crate::buffer::Pair;
use crate::compare;
use crate::contest::Contest;
use crate::measure::Plan;
use crate::peers::{Engine, Ivs};
use crate::problem::Problem;
use crate::report::{self, Figure};
use crate::select::Filters;
use crate::session::Session;

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    /// A new object for both directions, and its end.
    NewFree,
    SetIv,
    /// Encryption of one block, without a new IV.
    Block,
    /// setiv and encryption of 512 bytes.
    Sector,
}

impl Operation {
    const ALL: [Self; 4] = [Self::NewFree, Self::SetIv, Self::Block, Self::Sector];
    const SECTOR_LEN: usize = 512;

    fn name(self) -> &'static str {
        match self {
            Self::NewFree => "new+free",
            Self::SetIv => "setiv",
            Self::Block => "one block",
            Self::Sector => "setiv+512 bytes",
        }
    }

    /// Calls a round: about a millisecond of a fast library's time.
    fn calls(self) -> u64 {
        match self {
            Self::NewFree => 1_000,
            Self::SetIv | Self::Block => 20_000,
            Self::Sector => 5_000,
        }
    }

    fn exists(self, spec: Spec) -> bool {
        self != Self::SetIv || spec.iv_len() > 0
    }

    fn buffer_len(self, spec: Spec) -> usize {
        match self {
            Self::Sector => Self::SECTOR_LEN,
            _ => spec.algorithm.block_len(),
        }
    }

    fn run(self, engine: &mut dyn Engine, buffers: &mut Pair, calls: u64) -> Result<(), String> {
        match self {
            Self::NewFree => engine.renew(calls),
            Self::SetIv => engine.set_ivs(calls),
            Self::Block => engine.run(Direction::Encrypt, Ivs::Kept, buffers, calls),
            Self::Sector => engine.run(Direction::Encrypt, Ivs::Fresh, buffers, calls),
        }
    }
}

/// Which case.
#[derive(Clone, Debug, Serialize)]
struct Label {
    cipher: String,
    algorithm: &'static str,
    mode: &'static str,
    operation: &'static str,
}

impl report::Label for Label {
    fn table(&self) -> String {
        self.cipher.clone()
    }

    fn column(&self) -> String {
        self.operation.to_owned()
    }

    fn line(&self) -> String {
        format!("{}({})", self.operation, self.cipher)
    }
}

const FIGURE: Figure = Figure { kind: "cost", unit: "ns", plain_unit: "ns" };

pub(crate) fn run(session: &Session, filters: &Filters) -> Result<(), Problem> {
    if filters.has_chunks() {
        return Err(Problem::Usage(
            "cost has its own lengths: a chunk size is no filter here".to_owned(),
        ));
    }
    if session.svg.is_some() || session.png.is_some() {
        return Err(Problem::Usage("cost has no picture".to_owned()));
    }
    let mut contests: Vec<(Spec, Operation, Contest<'_, Label>)> = Vec::new();
    for spec in filters.specs(&[Algorithm::Aes256]).map_err(Problem::Usage)? {
        let operations = Operation::ALL.into_iter().filter(|operation| operation.exists(spec));
        contests.extend(
            operations.map(|operation| (spec, operation, session.contest(label(spec, operation)))),
        );
    }
    session.expect_slices(contests.iter().map(|(_, operation, _)| plan(session, *operation)));
    for _ in 0..session.options.passes {
        for of_one_spec in contests.chunk_by_mut(|(a, ..), (b, ..)| a == b) {
            pass(session, of_one_spec);
        }
    }
    let nanoseconds = |_: &Label, seconds| seconds * 1e9;
    let cases: Vec<_> =
        contests.into_iter().map(|(.., contest)| contest.judge(nanoseconds)).collect();
    session.show(&FIGURE, &cases)
}

fn label(spec: Spec, operation: Operation) -> Label {
    Label {
        cipher: spec.to_string(),
        algorithm: spec.algorithm.name(),
        mode: spec.mode.name(),
        operation: operation.name(),
    }
}

fn plan(session: &Session, operation: Operation) -> Plan {
    let rounds = session.options.rounds;
    Plan::new(operation.calls() * u64::from(rounds), rounds)
}

/// All operations of one cipher, with new objects.
fn pass(session: &Session, contests: &mut [(Spec, Operation, Contest<'_, Label>)]) {
    let spec = contests[0].0;
    let mut entrants = session.entrants(spec);
    let verdict = compare::check(&mut entrants, spec, Operation::SECTOR_LEN);
    for (_, operation, contest) in contests {
        let mut buffers = Pair::new(operation.buffer_len(spec));
        session.pass(
            contest,
            &mut entrants,
            &verdict,
            plan(session, *operation),
            |engine, calls| operation.run(engine, &mut buffers, calls),
        );
    }
}
