//! `qcrypto-bench threads`: runs of sectors from several threads, which share one object or have one each.

use crate::algorithm::{Direction, Disk};
use crate::cli::{Extra, Options};
use crate::contest::Outcome;
use crate::peers::{Crew, Family, Implementation, Refusal};
use crate::report::Figure;
use crate::sectors::{Choice, Label, RUN, output};
use crate::tournament::Discipline;
use crate::units::{calls_for, format_size, mib_per_second};

/// Where sharing would show most: the shorter the sectors, the more often an object is looked at.
const DEFAULT_SIZES: [usize; 1] = [512];

pub(crate) struct Threads {
    choice: Choice,
    size: u64,
    threads: usize,
}

impl Threads {
    pub(crate) fn new(options: &Options, filters: &[String]) -> Result<Self, String> {
        Ok(Self {
            choice: Choice::new(options, filters, &DEFAULT_SIZES)?,
            size: options.size(),
            threads: options.threads(),
        })
    }
}

impl Discipline for Threads {
    type Subject = Disk;
    type Event = (Direction, usize);
    type Engine = dyn Crew;
    type Label = Label;

    const FAMILY: Family = Family::Threads;
    const EXTRAS: &'static [Extra] = &[Extra::Size, Extra::Threads];

    fn figure(&self) -> Figure {
        Figure {
            kind: "threads",
            unit: "MiB/s",
            plain_unit: "MB/sec",
            terms: vec![
                format!("{} threads", self.threads),
                format!("{} a case and thread", format_size(self.size)),
                format!("runs of {}", format_size(RUN as u64)),
            ],
        }
    }

    fn cases(&self) -> Vec<(Disk, (Direction, usize))> {
        self.choice.cases()
    }

    fn label(&self, disk: Disk, (direction, size): (Direction, usize)) -> Label {
        Label::new(disk, direction, size)
    }

    fn calls(&self, _: (Direction, usize)) -> u64 {
        calls_for(self.size, RUN)
    }

    fn open(
        &self,
        implementation: &Implementation,
        disk: Disk,
    ) -> Result<Box<Self::Engine>, Refusal> {
        implementation.library().crew(disk, self.threads, RUN)
    }

    fn kernel(&self, engine: &Self::Engine) -> String {
        engine.kernel()
    }

    fn output(
        &self,
        engine: &mut Self::Engine,
        _disk: Disk,
        (_, size): (Direction, usize),
    ) -> Result<Vec<u8>, Outcome> {
        output(engine.any(), size)
    }

    fn work(
        &self,
        _disk: Disk,
        (direction, size): (Direction, usize),
    ) -> impl FnMut(&mut Self::Engine, u64) -> Result<(), String> {
        move |engine, calls| engine.run(direction, size, calls)
    }

    /// Of all threads together. The seconds are those of each, added up, in which each has done a run.
    fn value(&self, _: (Direction, usize), seconds: f64) -> f64 {
        mib_per_second(RUN * self.threads, seconds / self.threads as f64)
    }
}
