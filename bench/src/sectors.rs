//! `qcrypto-bench sectors`: throughput of runs of disk sectors, each with an IV of its own.

use serde::Serialize;

use crate::algorithm::{Algorithm, Direction, Disk, Mode, Named, Rule};
use crate::buffer::{Pair, sample};
use crate::cipher::specs_of;
use crate::cli::{Extra, Options};
use crate::contest::Outcome;
use crate::peers::{Family, Implementation, Refusal, SectorEngine};
use crate::report::{self, Figure};
use crate::select::{Words, choose};
use crate::tournament::Discipline;
use crate::units::{calls_for, format_size, mib_per_second};

/// The bytes of a run.
pub(crate) const RUN: usize = 65_536;

/// Sectors as disks have them, and the whole run as one, which is what a long message costs.
const DEFAULT_SIZES: [usize; 3] = [512, 4096, RUN];

/// The modes of disks.
const DEFAULT_MODES: [Mode; 3] = [Mode::Cbc, Mode::Ctr, Mode::Xts];

/// Which case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Label {
    cipher: String,
    algorithm: &'static str,
    mode: &'static str,
    ivgen: &'static str,
    direction: &'static str,
    sector_size: usize,
}

impl Label {
    pub(crate) fn new(disk: Disk, direction: Direction, sector_size: usize) -> Self {
        Self {
            cipher: disk.to_string(),
            algorithm: disk.spec.algorithm.name(),
            mode: disk.spec.mode.name(),
            ivgen: disk.rule.name(),
            direction: direction.name(),
            sector_size,
        }
    }
}

impl report::Label for Label {
    fn table(&self) -> String {
        format!("{}({})", self.direction, self.cipher)
    }

    fn column(&self) -> String {
        self.sector_size.to_string()
    }

    fn line(&self) -> String {
        format!("{} sector {} bytes", self.table(), self.sector_size)
    }
}

/// The disks and sector sizes that filters and options ask for.
pub(crate) struct Choice {
    pub(crate) disks: Vec<Disk>,
    pub(crate) sizes: Vec<usize>,
}

impl Choice {
    pub(crate) fn new(
        options: &Options,
        filters: &[String],
        default_sizes: &[usize],
    ) -> Result<Self, String> {
        let mut words = Words::new(filters);
        let modes = choose(&words.names(), &DEFAULT_MODES);
        let specs = specs_of(&mut words, options, &modes, &[Algorithm::Aes256])?;
        let rules = choose(&words.names(), Rule::ALL);
        let mut sizes = words.lengths("sectors", RUN as u64)?;
        if sizes.is_empty() {
            sizes = default_sizes.to_vec();
        }
        let known = [Mode::names(), Rule::names()].join(", ");
        words.end(&format!("a mode or IV generator ({known}), an algorithm nor a sector size"))?;
        if let Some(size) = sizes.iter().find(|size| !RUN.is_multiple_of(**size) || **size < 16) {
            return Err(format!(
                "sectors of {size} bytes: a run of {} is to have whole ones of 16 bytes or more",
                format_size(RUN as u64)
            ));
        }
        let disks: Vec<_> = specs
            .into_iter()
            .flat_map(|spec| rules.iter().map(move |rule| Disk { spec, rule: *rule }))
            .filter(|disk| disk.exists())
            .collect();
        if disks.is_empty() {
            return Err(
                "nothing to measure: essiv here needs a cipher of 16-byte blocks".to_owned()
            );
        }
        Ok(Self { disks, sizes })
    }

    pub(crate) fn cases(&self) -> Vec<(Disk, (Direction, usize))> {
        let mut cases = Vec::new();
        for disk in &self.disks {
            for direction in Direction::ALL {
                cases.extend(self.sizes.iter().map(|size| (*disk, (direction, *size))));
            }
        }
        cases
    }
}

pub(crate) struct Sectors {
    choice: Choice,
    size: u64,
}

impl Sectors {
    pub(crate) fn new(options: &Options, filters: &[String]) -> Result<Self, String> {
        Ok(Self { choice: Choice::new(options, filters, &DEFAULT_SIZES)?, size: options.size() })
    }
}

impl Discipline for Sectors {
    type Subject = Disk;
    /// The direction, and the length of a sector.
    type Event = (Direction, usize);
    type Engine = dyn SectorEngine;
    type Label = Label;

    const FAMILY: Family = Family::Sectors;
    const EXTRAS: &'static [Extra] = &[Extra::Size];

    fn figure(&self) -> Figure {
        Figure {
            kind: "sectors",
            unit: "MiB/s",
            plain_unit: "MB/sec",
            terms: vec![
                format!("{} a case", format_size(self.size)),
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
        implementation.library().sectors(disk)
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
        output(engine, size)
    }

    fn work(
        &self,
        _disk: Disk,
        (direction, size): (Direction, usize),
    ) -> impl FnMut(&mut Self::Engine, u64) -> Result<(), String> {
        let mut buffers = Pair::new(RUN);
        move |engine, calls| engine.run(direction, size, &mut buffers, calls)
    }

    fn value(&self, _: (Direction, usize), seconds: f64) -> f64 {
        mib_per_second(RUN, seconds)
    }
}

/// Runs of several lengths, encrypted, which must come back from decryption.
pub(crate) fn output(
    engine: &mut dyn SectorEngine,
    sector_size: usize,
) -> Result<Vec<u8>, Outcome> {
    let mut encrypted = Vec::new();
    for (first, sectors) in [(0, 1), (5, 3), (1 << 33, 9), (77, RUN / sector_size)] {
        let plain = sample(sectors * sector_size, 3);
        let mut crypt = |direction, input: &[u8]| {
            let mut output = vec![0; input.len()];
            engine
                .crypt(direction, sector_size, first, input, &mut output)
                .map(|()| output)
                .map_err(|reason| Outcome::Failed {
                    reason: format!("{} of {sectors} sectors: {reason}", direction.name()),
                })
        };
        let there = crypt(Direction::Encrypt, &plain)?;
        if crypt(Direction::Decrypt, &there)? != plain {
            let reason = format!("{sectors} sectors do not come back from decryption");
            return Err(Outcome::Differs { reason });
        }
        encrypted.extend(there);
    }
    Ok(encrypted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(line: &str) -> Result<Choice, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Choice::new(&Options::default(), &words, &DEFAULT_SIZES)
    }

    #[test]
    fn filters() {
        let all = choice("").unwrap();
        assert_eq!((all.disks.len(), all.sizes.len()), (6, 3));
        let chosen = choice("xts essiv 4K aes-128 512").unwrap();
        assert_eq!(chosen.disks.len(), 1);
        assert_eq!(chosen.disks[0].to_string(), "aes-128-xts-essiv");
        assert_eq!(chosen.sizes, [512, 4096]);
        assert_eq!(chosen.cases().len(), 4);
        assert_eq!(choice("cbc des").unwrap().disks.len(), 1);
    }

    #[test]
    fn impossible() {
        for line in ["gcm", "500", "8", "128K", "plain", "xts des", "des essiv"] {
            assert!(choice(line).is_err(), "{line}");
        }
    }
}
