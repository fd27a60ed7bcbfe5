//! `qcrypto-bench cost`: nanoseconds a call, where a disk layer spends what the ciphers do not.

use serde::Serialize;

use crate::algorithm::{Algorithm, Direction, Mode, Named, Spec};
use crate::buffer::Pair;
use crate::cipher;
use crate::cli::{Extra, Options};
use crate::contest::Outcome;
use crate::peers::{CipherEngine, Family, Implementation, Ivs, Refusal};
use crate::report::{self, Figure};
use crate::select::Words;
use crate::tournament::Discipline;

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
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

    fn run(
        self,
        engine: &mut dyn CipherEngine,
        buffers: &mut Pair,
        calls: u64,
    ) -> Result<(), String> {
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
pub(crate) struct Label {
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

pub(crate) struct Cost {
    specs: Vec<Spec>,
    /// Of all passes together.
    rounds: u64,
}

impl Cost {
    pub(crate) fn new(options: &Options, filters: &[String]) -> Result<Self, String> {
        let mut words = Words::new(filters);
        let specs = cipher::specs(&mut words, options, &[Algorithm::Aes256])?;
        if !words.lengths("calls", u64::MAX)?.is_empty() {
            return Err("cost has its own lengths: a chunk size is no filter here".to_owned());
        }
        words.end(&format!("a mode ({}) nor an algorithm", Mode::names()))?;
        Ok(Self { specs, rounds: u64::from(options.passes) * u64::from(options.rounds) })
    }
}

impl Discipline for Cost {
    type Subject = Spec;
    type Event = Operation;
    type Engine = dyn CipherEngine;
    type Label = Label;

    const FAMILY: Family = Family::Ciphers;
    const EXTRAS: &'static [Extra] = &[];

    fn figure(&self) -> Figure {
        let terms = vec![cipher::describe(Ivs::Fresh)];
        Figure { kind: "cost", unit: "ns", plain_unit: "ns", terms }
    }

    fn cases(&self) -> Vec<(Spec, Operation)> {
        let cases =
            self.specs.iter().flat_map(|spec| Operation::ALL.map(|operation| (*spec, operation)));
        cases.filter(|(spec, operation)| operation.exists(*spec)).collect()
    }

    fn label(&self, spec: Spec, operation: Operation) -> Label {
        Label {
            cipher: spec.to_string(),
            algorithm: spec.algorithm.name(),
            mode: spec.mode.name(),
            operation: operation.name(),
        }
    }

    fn calls(&self, operation: Operation) -> u64 {
        operation.calls() * self.rounds
    }

    fn open(
        &self,
        implementation: &Implementation,
        spec: Spec,
    ) -> Result<Box<Self::Engine>, Refusal> {
        implementation.library().cipher(spec)
    }

    fn kernel(&self, engine: &Self::Engine) -> String {
        engine.kernel()
    }

    fn output(
        &self,
        engine: &mut Self::Engine,
        spec: Spec,
        _operation: Operation,
    ) -> Result<Vec<u8>, Outcome> {
        cipher::output(engine, spec, Operation::SECTOR_LEN)
    }

    fn work(
        &self,
        spec: Spec,
        operation: Operation,
    ) -> impl FnMut(&mut Self::Engine, u64) -> Result<(), String> {
        let mut buffers = Pair::new(operation.buffer_len(spec));
        move |engine, calls| operation.run(engine, &mut buffers, calls)
    }

    fn value(&self, _operation: Operation, seconds: f64) -> f64 {
        seconds * 1e9
    }
}
