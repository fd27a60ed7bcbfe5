//! `qcrypto-bench hash` and `qcrypto-bench hmac`: throughput by algorithm and chunk size, where each chunk is a message.

use serde::Serialize;

use crate::algorithm::{Hash, Named};
use crate::buffer::{Pair, sample};
use crate::cli::{Extra, Options};
use crate::contest::Outcome;
use crate::peers::{Digest, Family, Implementation, Refusal, Room};
use crate::report::{self, Figure};
use crate::select::{Words, algorithms, choose};
use crate::tournament::Discipline;
use crate::units::{calls_for, format_size, mib_per_second};

/// What is made of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Hash,
    /// With one key, which is set beforehand.
    Hmac,
}

impl Kind {
    const KEY_LEN: usize = 32;

    fn name(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Hmac => "hmac",
        }
    }
}

/// Which case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Label {
    #[serde(skip)]
    kind: &'static str,
    algorithm: &'static str,
    chunk: usize,
}

impl report::Label for Label {
    fn table(&self) -> String {
        format!("{}({})", self.kind, self.algorithm)
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

pub(crate) struct Messages {
    kind: Kind,
    hashes: Vec<Hash>,
    chunks: Vec<usize>,
    size: u64,
}

impl Messages {
    pub(crate) fn new(kind: Kind, options: &Options, filters: &[String]) -> Result<Self, String> {
        let mut words = Words::new(filters);
        let hashes = hashes(&mut words, options)?;
        let chunks = words.chunks(options.size())?;
        words.end(&format!("a hash ({}) nor a chunk size", Hash::names()))?;
        Ok(Self { kind, hashes, chunks, size: options.size() })
    }
}

/// The hashes that the filters and `--alg` ask for.
pub(crate) fn hashes(words: &mut Words, options: &Options) -> Result<Vec<Hash>, String> {
    let named = [algorithms(&options.algorithms)?, words.names()].concat();
    Ok(choose(&named, Hash::DEFAULT))
}

impl Discipline for Messages {
    type Subject = Hash;
    /// The chunk's size.
    type Event = usize;
    type Engine = dyn Digest;
    type Label = Label;

    const FAMILY: Family = Family::Hashes;
    const EXTRAS: &'static [Extra] = &[Extra::Size, Extra::Picture];

    fn figure(&self) -> Figure {
        let mut terms = vec![format!("{} a case", format_size(self.size))];
        if self.kind == Kind::Hmac {
            terms.push(format!("one key of {} bytes", Kind::KEY_LEN));
        }
        Figure { kind: self.kind.name(), unit: "MiB/s", plain_unit: "MB/sec", terms }
    }

    fn cases(&self) -> Vec<(Hash, usize)> {
        self.hashes
            .iter()
            .flat_map(|hash| self.chunks.iter().map(|chunk| (*hash, *chunk)))
            .collect()
    }

    fn label(&self, hash: Hash, chunk: usize) -> Label {
        Label { kind: self.kind.name(), algorithm: hash.name(), chunk }
    }

    fn calls(&self, chunk: usize) -> u64 {
        calls_for(self.size, chunk)
    }

    fn open(
        &self,
        implementation: &Implementation,
        hash: Hash,
    ) -> Result<Box<Self::Engine>, Refusal> {
        match self.kind {
            Kind::Hash => implementation.library().hash(hash),
            Kind::Hmac => implementation.library().hmac(hash, &sample(Kind::KEY_LEN, 0)),
        }
    }

    fn output(
        &self,
        engine: &mut Self::Engine,
        hash: Hash,
        chunk: usize,
    ) -> Result<Vec<u8>, Outcome> {
        let mut digests = Vec::new();
        for len in lengths(chunk) {
            let mut room: Room = [0; _];
            engine.digest(&sample(len, 3), &mut room).map_err(|reason| Outcome::Failed {
                reason: format!("a message of {len} bytes: {reason}"),
            })?;
            digests.extend_from_slice(&room[..hash.digest_len()]);
        }
        Ok(digests)
    }

    fn work(
        &self,
        _hash: Hash,
        chunk: usize,
    ) -> impl FnMut(&mut Self::Engine, u64) -> Result<(), String> {
        let mut buffers = Pair::new(chunk);
        move |engine, calls| engine.run(buffers.split().0, &mut [0; _], calls)
    }

    fn value(&self, chunk: usize, seconds: f64) -> f64 {
        mib_per_second(chunk, seconds)
    }
}

/// None, one byte, all around the ends of blocks of 64 and 128 bytes where padding needs another, a sector, a page and
/// a bit, and what will be timed.
fn lengths(chunk: usize) -> Vec<usize> {
    let mut lengths = vec![0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129];
    lengths.extend([512, 4097, chunk]);
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(kind: Kind, line: &str) -> Result<Messages, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Messages::new(kind, &Options::default(), &words)
    }

    #[test]
    fn filters() {
        let default = messages(Kind::Hash, "").unwrap();
        assert_eq!((&default.hashes[..], default.cases().len()), (Hash::DEFAULT, 12));
        // No block that it would have to be a multiple of.
        let chosen = messages(Kind::Hmac, "1000 sm3 sha224").unwrap();
        assert_eq!(chosen.cases(), [(Hash::Sha224, 1000), (Hash::Sm3, 1000)]);
        for line in ["0", "17M", "xts", "aes-128"] {
            assert!(messages(Kind::Hash, line).is_err(), "{line}");
        }
    }

    #[test]
    fn the_room_holds_every_digest() {
        let room: Room = [0; _];
        assert!(Hash::ALL.iter().all(|hash| hash.digest_len() <= room.len()));
    }

    /// A library that gives each message the same digest.
    struct Constant;

    impl Digest for Constant {
        fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String> {
            room.fill(7);
            if message.len() == 4097 { Err("tired".to_owned()) } else { Ok(()) }
        }
    }

    #[test]
    fn a_failure_says_at_which_length() {
        let outcome = messages(Kind::Hash, "").unwrap().output(&mut Constant, Hash::Md5, 512);
        let complaint = outcome.unwrap_err().complaint().unwrap();
        assert_eq!(complaint, "failed: a message of 4097 bytes: tired");
    }
}
