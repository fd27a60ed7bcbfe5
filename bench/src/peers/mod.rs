//! The libraries: each opened at run time, each through its own best entry points.
//!
//! A library is one file or folder here and one line in [`find`]. It implements [`Library`] and, for what it has of
//! them, the traits in `cipher` and `hash`; the loops there are compiled once for each, so that inside the clock there
//! is nothing but the library's own calls.

mod afalg;
mod cipher;
mod dynamic;
mod gcrypt;
mod gnutls;
mod hash;
mod nettle;
mod openssl;
mod qcrypto;
mod sectors;

use std::rc::Rc;

use serde::Serialize;

use crate::algorithm::{Direction, Disk, Hash, Spec};
use crate::clock::Clock;

pub(crate) use cipher::{CipherEngine, Ivs};
pub(crate) use hash::{Derivation, Digest, Room};
pub(crate) use sectors::SectorEngine;

/// Names that `--peers` takes.
pub(crate) const NAMES: [&str; 6] = ["gcrypt", "nettle", "openssl", "gnutls", "afalg", "keylocker"];

/// One row of the tables.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Title {
    /// Unique among the rows.
    pub(crate) name: String,
    pub(crate) version: String,
    /// libqcrypto, whatever serves inside it. The others are what it is compared with.
    pub(crate) ours: bool,
    #[serde(skip)]
    pub(crate) clock: Clock,
}

impl Title {
    pub(crate) fn describe(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// An implementation that is not on this machine, and why.
#[derive(Debug, Serialize)]
pub(crate) struct Absent {
    pub(crate) name: String,
    pub(crate) reason: String,
}

/// Everything that was looked for.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) implementations: Vec<Implementation>,
    pub(crate) absent: Vec<Absent>,
}

/// What kind of functions is to be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Ciphers,
    /// And what is made of them: HMAC and PBKDF2.
    Hashes,
    /// Ciphers, called for each sector, or for a run of them where the library has that.
    Sectors,
    /// The same from several threads, which share objects or do not.
    Threads,
}

type Open = fn() -> Result<Implementation, String>;

/// Opens libqcrypto (each of `libraries`, or the loader's own) and those peers that have such functions and whose name
/// is `wanted`.
pub(crate) fn find(
    libraries: &[String],
    wanted: impl Fn(&str) -> bool,
    family: Family,
) -> Result<Found, String> {
    let mut found = Found::default();
    qcrypto::find(&mut found, libraries, &wanted, family)?;
    if family == Family::Threads {
        // A peer's object is for one thread at a time.
        return Ok(found);
    }
    let mut peers: Vec<(&str, Open)> = vec![
        ("gcrypt", || Ok(gcrypt::open()?.timed_by(Clock::Thread))),
        ("nettle", || Ok(nettle::open()?.timed_by(Clock::Thread))),
        ("openssl", || Ok(openssl::open()?.timed_by(Clock::Thread))),
        ("gnutls", || Ok(gnutls::open()?.timed_by(Clock::Thread))),
    ];
    if family == Family::Ciphers {
        // Only the wall clock sees what the kernel does elsewhere.
        peers.push(("afalg", || Ok(afalg::open()?.timed_by(Clock::Wall))));
    }
    for (name, open) in peers.into_iter().filter(|(name, _)| wanted(name)) {
        match open() {
            Ok(implementation) => found.implementations.push(implementation),
            Err(reason) => found.absent.push(Absent { name: name.to_owned(), reason }),
        }
    }
    Ok(found)
}

/// A peer that was opened, with what to call it.
struct Opened<L> {
    library: L,
    name: &'static str,
    version: String,
}

impl<L: Library + 'static> Opened<L> {
    fn timed_by(self, clock: Clock) -> Implementation {
        let title = Title { name: self.name.to_owned(), version: self.version, ours: false, clock };
        Implementation { title, library: Rc::new(self.library) }
    }
}

/// A row before it has a key.
pub(crate) struct Implementation {
    pub(crate) title: Title,
    library: Rc<dyn Library>,
}

impl Implementation {
    pub(crate) fn library(&self) -> Rc<dyn Library> {
        Rc::clone(&self.library)
    }
}

/// What a library has.
pub(crate) trait Library {
    fn cipher(self: Rc<Self>, spec: Spec) -> Result<Box<dyn CipherEngine>, Refusal>;

    fn sectors(self: Rc<Self>, _disk: Disk) -> Result<Box<dyn SectorEngine>, Refusal> {
        Err(Refusal::Unsupported("no sectors".to_owned()))
    }

    fn crew(
        self: Rc<Self>,
        _disk: Disk,
        _threads: usize,
        _run: usize,
    ) -> Result<Box<dyn Crew>, Refusal> {
        Err(Refusal::Unsupported("no sectors".to_owned()))
    }

    fn hash(self: Rc<Self>, _hash: Hash) -> Result<Box<dyn Digest>, Refusal> {
        Err(Refusal::Unsupported("no hashes".to_owned()))
    }

    fn hmac(self: Rc<Self>, _hash: Hash, _key: &[u8]) -> Result<Box<dyn Digest>, Refusal> {
        Err(Refusal::Unsupported("no HMAC".to_owned()))
    }

    fn pbkdf2(self: Rc<Self>, _hash: Hash) -> Result<Box<dyn Derivation>, Refusal> {
        Err(Refusal::Unsupported("no PBKDF2".to_owned()))
    }
}

/// Threads that work on sectors.
pub(crate) trait Crew {
    /// What one of them works with.
    fn any(&mut self) -> &mut dyn SectorEngine;

    fn kernel(&self) -> String;

    /// `calls` runs by each thread.
    fn run(&mut self, direction: Direction, sector_size: usize, calls: u64) -> Result<(), String>;
}

/// Why a library gives no engine.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It does not offer this one.
    Unsupported(String),
    /// It does, but something went wrong.
    Failed(String),
}
