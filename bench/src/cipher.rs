//! `qcrypto-bench cipher`: throughput by mode, direction and chunk size.

use serde::Serialize;

use crate::algorithm::{Algorithm, Direction, Mode, Named, Spec};
use crate::buffer::{Pair, sample};
use crate::cli::{Extra, Options};
use crate::contest::Outcome;
use crate::peers::{CipherEngine, Family, Implementation, Ivs, Refusal};
use crate::report::{self, Figure};
use crate::select::{Words, algorithms, choose};
use crate::tournament::Discipline;
use crate::units::{calls_for, format_size, mib_per_second};

/// Which case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Label {
    cipher: String,
    algorithm: &'static str,
    mode: &'static str,
    direction: &'static str,
    chunk: usize,
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

    fn chunk(&self) -> Option<usize> {
        Some(self.chunk)
    }
}

pub(crate) struct Throughput {
    specs: Vec<Spec>,
    chunks: Vec<usize>,
    size: u64,
    ivs: Ivs,
}

impl Throughput {
    pub(crate) fn new(options: &Options, filters: &[String]) -> Result<Self, String> {
        let mut words = Words::new(filters);
        let specs = specs(&mut words, options, Algorithm::DEFAULT)?;
        let chunks = words.chunks(options.size())?;
        words.end(&format!("a mode ({}), an algorithm nor a chunk size", Mode::names()))?;
        for chunk in &chunks {
            if let Some(spec) = specs.iter().find(|spec| chunk % spec.algorithm.block_len() != 0) {
                let block_len = spec.algorithm.block_len();
                return Err(format!(
                    "chunks of {chunk} bytes are no multiple of the {block_len}-byte block of {spec}"
                ));
            }
        }
        let ivs = if options.keep_iv { Ivs::Kept } else { Ivs::Fresh };
        Ok(Self { specs, chunks, size: options.size(), ivs })
    }
}

/// The ciphers that the filters and `--alg` ask for, `default` algorithms where neither names one.
pub(crate) fn specs(
    words: &mut Words,
    options: &Options,
    default: &[Algorithm],
) -> Result<Vec<Spec>, String> {
    let modes = choose(&words.names(), Mode::ALL);
    specs_of(words, options, &modes, default)
}

/// [`specs`] of modes that are chosen already.
pub(crate) fn specs_of(
    words: &mut Words,
    options: &Options,
    modes: &[Mode],
    default: &[Algorithm],
) -> Result<Vec<Spec>, String> {
    let algorithms = [algorithms(&options.algorithms)?, words.names()].concat();
    let specs: Vec<Spec> = choose(&algorithms, default)
        .into_iter()
        .flat_map(|algorithm| modes.iter().map(move |mode| Spec { algorithm, mode: *mode }))
        .filter(|spec| spec.exists())
        .collect();
    if specs.is_empty() {
        return Err("nothing to measure: XTS needs a cipher of 16-byte blocks".to_owned());
    }
    Ok(specs)
}

/// How IVs are given, for the heading.
pub(crate) fn describe(ivs: Ivs) -> String {
    match ivs {
        Ivs::Fresh => "a fresh IV for every chunk",
        Ivs::Kept => "one IV a round",
    }
    .to_owned()
}

impl Discipline for Throughput {
    type Subject = Spec;
    type Event = (Direction, usize);
    type Engine = dyn CipherEngine;
    type Label = Label;

    const FAMILY: Family = Family::Ciphers;
    const EXTRAS: &'static [Extra] = &[Extra::Size, Extra::KeepIv, Extra::Picture];

    fn figure(&self) -> Figure {
        Figure {
            kind: "cipher",
            unit: "MiB/s",
            plain_unit: "MB/sec",
            terms: vec![format!("{} a case", format_size(self.size)), describe(self.ivs)],
        }
    }

    fn cases(&self) -> Vec<(Spec, (Direction, usize))> {
        let mut cases = Vec::new();
        for spec in &self.specs {
            for direction in Direction::ALL {
                cases.extend(self.chunks.iter().map(|chunk| (*spec, (direction, *chunk))));
            }
        }
        cases
    }

    fn label(&self, spec: Spec, (direction, chunk): (Direction, usize)) -> Label {
        Label {
            cipher: spec.to_string(),
            algorithm: spec.algorithm.name(),
            mode: spec.mode.name(),
            direction: direction.name(),
            chunk,
        }
    }

    fn calls(&self, (_, chunk): (Direction, usize)) -> u64 {
        calls_for(self.size, chunk)
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
        (_, chunk): (Direction, usize),
    ) -> Result<Vec<u8>, Outcome> {
        output(engine, spec, chunk)
    }

    fn work(
        &self,
        _spec: Spec,
        (direction, chunk): (Direction, usize),
    ) -> impl FnMut(&mut Self::Engine, u64) -> Result<(), String> {
        let mut buffers = Pair::new(chunk);
        move |engine, calls| engine.run(direction, self.ivs, &mut buffers, calls)
    }

    fn value(&self, (_, chunk): (Direction, usize), seconds: f64) -> f64 {
        mib_per_second(chunk, seconds)
    }
}

/// Everything encrypted, in several lengths.
pub(crate) fn output(
    engine: &mut dyn CipherEngine,
    spec: Spec,
    chunk: usize,
) -> Result<Vec<u8>, Outcome> {
    let outputs: Result<Vec<_>, _> = lengths(spec.algorithm.block_len(), chunk)
        .into_iter()
        .map(|len| there_and_back(engine, len))
        .collect();
    Ok(outputs?.concat())
}

/// One block, the odd counts around the widths of kernels, a sector, a page and a bit, and what will be timed.
fn lengths(block_len: usize, chunk: usize) -> Vec<usize> {
    let mut lengths: Vec<usize> = [1, 2, 3, 5, 9, 17].map(|blocks| blocks * block_len).to_vec();
    lengths.extend([512, 4096 + block_len, chunk]);
    lengths
}

/// Both directions of one length; what one does the other must undo.
fn there_and_back(engine: &mut dyn CipherEngine, len: usize) -> Result<Vec<u8>, Outcome> {
    let (iv, plain) = (sample(16, 2), sample(len, 3));
    let mut crypt = |direction, input: &[u8]| {
        let mut output = vec![0; len];
        match engine.crypt(direction, &iv, input, &mut output) {
            Ok(()) => Ok(output),
            Err(reason) => Err(Outcome::Failed {
                reason: format!("{} of {len} bytes: {reason}", direction.name()),
            }),
        }
    };
    let encrypted = crypt(Direction::Encrypt, &plain)?;
    let back = crypt(Direction::Decrypt, &encrypted)?;
    if back == plain {
        Ok(encrypted)
    } else {
        Err(Outcome::Differs { reason: format!("{len} bytes do not come back from decryption") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throughput(line: &str) -> Result<Throughput, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Throughput::new(&Options::default(), &words)
    }

    #[test]
    fn filters() {
        assert_eq!(throughput("").unwrap().specs.len(), 12);
        let chosen = throughput("4K xts 512 aes-256 512 3des").unwrap();
        assert_eq!(chosen.specs, [Spec { algorithm: Algorithm::Aes256, mode: Mode::Xts }]);
        assert_eq!(chosen.chunks, [512, 4096]);
        assert_eq!(chosen.cases().len(), 4);
    }

    #[test]
    fn impossible() {
        for line in ["gcm", "aes", "-1", "xts des", "24"] {
            assert!(throughput(line).is_err(), "{line}");
        }
        assert!(throughput("24 des").is_ok());
    }

    #[test]
    fn lengths_fit_the_block() {
        for block_len in [8, 16] {
            assert!(lengths(block_len, 65_536).iter().all(|len| len % block_len == 0));
        }
    }
}
