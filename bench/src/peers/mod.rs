//! The libraries: each opened at run time, each through its own best entry points.
//!
//! A library is one file here and one line in [`find`]. It implements [`Keyed`]; the loops below are compiled once for
//! each, so that inside the clock there is nothing but the library's own calls.

mod afalg;
mod dynamic;
mod gcrypt;
mod gnutls;
mod nettle;
mod openssl;
mod qcrypto;

use std::rc::Rc;

use serde::Serialize;

use crate::algorithm::{Direction, Spec};
use crate::buffer::{Pair, sample};
use crate::clock::Clock;

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
    pub(crate) implementations: Vec<Box<dyn Implementation>>,
    pub(crate) absent: Vec<Absent>,
}

type Open = fn() -> Result<Box<dyn Implementation>, String>;

/// Opens libqcrypto (each of `libraries`, or the loader's own) and those peers whose name is `wanted`.
pub(crate) fn find(libraries: &[String], wanted: impl Fn(&str) -> bool) -> Result<Found, String> {
    let mut found = Found::default();
    qcrypto::find(&mut found, libraries, &wanted)?;
    let peers: [(&str, Open); 5] = [
        ("gcrypt", || Ok(row::<gcrypt::Cipher>(gcrypt::open()?, Clock::Thread))),
        ("nettle", || Ok(row::<nettle::Cipher>(nettle::open()?, Clock::Thread))),
        ("openssl", || Ok(row::<openssl::Cipher>(openssl::open()?, Clock::Thread))),
        ("gnutls", || Ok(row::<gnutls::Cipher>(gnutls::open()?, Clock::Thread))),
        // Only the wall clock sees what the kernel does elsewhere.
        ("afalg", || Ok(row::<afalg::Cipher>(afalg::open()?, Clock::Wall))),
    ];
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

fn row<K: Keyed + 'static>(opened: Opened<K::Library>, clock: Clock) -> Box<dyn Implementation> {
    let title = Title { name: opened.name.to_owned(), version: opened.version, ours: false, clock };
    Box::new(Row::<K> { title, library: Rc::new(opened.library) })
}

/// Why a library gives no cipher.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It does not offer this one.
    Unsupported(String),
    /// It does, but something went wrong.
    Failed(String),
}

/// A library's cipher with its key, seen by the loops. Every return code comes back as a `Result`: on the good path
/// that costs a compare, and a call that fails is never taken for a fast one.
trait Keyed: Sized {
    type Library;

    /// An object for both directions, as a caller who reads and writes a disk needs it.
    fn new(library: &Rc<Self::Library>, spec: Spec, key: &[u8]) -> Result<Self, Refusal>;

    /// `iv` is as long as the mode wants it; never called in ECB.
    fn set_iv(&mut self, direction: Direction, iv: &[u8]) -> Result<(), String>;

    /// `output` is as long as `input`.
    fn encrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String>;

    fn decrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String>;

    /// What serves inside, where the library tells.
    fn kernel(&self) -> String {
        String::new()
    }
}

/// A row before it has a key.
pub(crate) trait Implementation {
    fn title(&self) -> &Title;

    fn open(&self, spec: Spec) -> Result<Box<dyn Engine>, Refusal>;
}

/// A row with a key. What is timed takes many calls at once, so that this trait's indirection is outside the clock.
pub(crate) trait Engine {
    fn kernel(&self) -> String;

    /// One call after its own setiv, for comparing outputs.
    fn crypt(
        &mut self,
        direction: Direction,
        iv: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), String>;

    /// `calls` times the whole buffer.
    fn run(
        &mut self,
        direction: Direction,
        ivs: Ivs,
        buffers: &mut Pair,
        calls: u64,
    ) -> Result<(), String>;

    /// `calls` times a new object and its end.
    fn renew(&mut self, calls: u64) -> Result<(), String>;

    /// `calls` times setiv alone.
    fn set_ivs(&mut self, calls: u64) -> Result<(), String>;
}

/// When an IV is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ivs {
    /// Before every chunk, a disk layer's case.
    Fresh,
    /// Before the first chunk of a round.
    Kept,
}

struct Row<K: Keyed> {
    title: Title,
    library: Rc<K::Library>,
}

impl<K: Keyed + 'static> Implementation for Row<K> {
    fn title(&self) -> &Title {
        &self.title
    }

    fn open(&self, spec: Spec) -> Result<Box<dyn Engine>, Refusal> {
        let key = sample(spec.key_len(), 0);
        let keyed = K::new(&self.library, spec, &key)?;
        Ok(Box::new(Loops {
            keyed,
            library: Rc::clone(&self.library),
            spec,
            key,
            ivs: SectorIvs::new(),
        }))
    }
}

struct Loops<K: Keyed> {
    keyed: K,
    library: Rc<K::Library>,
    spec: Spec,
    key: Vec<u8>,
    ivs: SectorIvs,
}

impl<K: Keyed> Loops<K> {
    fn needs(&self, ivs: Ivs) -> bool {
        ivs == Ivs::Fresh && self.spec.iv_len() > 0
    }
}

/// The IVs of a run of sectors as `plain64` makes them, again and again: running on, as on a disk, but written down
/// beforehand. What a caller's own IV arithmetic costs says nothing about a library.
struct SectorIvs([[u8; 16]; 64]);

impl SectorIvs {
    fn new() -> Self {
        Self(std::array::from_fn(|sector| (sector as u128).to_le_bytes()))
    }

    fn get(&self, sector: u64, len: usize) -> &[u8] {
        &self.0[sector as usize % self.0.len()][..len]
    }
}

/// Keeps an IV for later. A whole block is by far the most frequent and takes no call of memcpy.
fn keep_iv(kept: &mut [u8; 16], iv: &[u8]) {
    match iv.try_into() {
        Ok(whole) => *kept = whole,
        Err(_) => kept[..iv.len()].copy_from_slice(iv),
    }
}

impl<K: Keyed> Engine for Loops<K> {
    fn kernel(&self) -> String {
        self.keyed.kernel()
    }

    fn crypt(
        &mut self,
        direction: Direction,
        iv: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), String> {
        if self.needs(Ivs::Fresh) {
            self.keyed.set_iv(direction, &iv[..self.spec.iv_len()])?;
        }
        match direction {
            Direction::Encrypt => self.keyed.encrypt(input, output),
            Direction::Decrypt => self.keyed.decrypt(input, output),
        }
    }

    fn run(
        &mut self,
        direction: Direction,
        ivs: Ivs,
        buffers: &mut Pair,
        calls: u64,
    ) -> Result<(), String> {
        let fresh = self.needs(ivs);
        let iv_len = self.spec.iv_len();
        let (input, output) = buffers.split();
        if iv_len > 0 && !fresh {
            self.keyed.set_iv(direction, self.ivs.get(0, iv_len))?;
        }
        for sector in 0..calls {
            if fresh {
                self.keyed.set_iv(direction, self.ivs.get(sector, iv_len))?;
            }
            match direction {
                Direction::Encrypt => self.keyed.encrypt(input, output)?,
                Direction::Decrypt => self.keyed.decrypt(input, output)?,
            }
        }
        Ok(())
    }

    fn renew(&mut self, calls: u64) -> Result<(), String> {
        for _ in 0..calls {
            match K::new(&self.library, self.spec, &self.key) {
                Ok(keyed) => drop(keyed),
                Err(Refusal::Unsupported(reason) | Refusal::Failed(reason)) => return Err(reason),
            }
        }
        Ok(())
    }

    fn set_ivs(&mut self, calls: u64) -> Result<(), String> {
        let iv_len = self.spec.iv_len();
        for sector in 0..calls {
            self.keyed.set_iv(Direction::Encrypt, self.ivs.get(sector, iv_len))?;
        }
        Ok(())
    }
}
