//! Why a call was refused or failed. The texts are the ones QEMU's callers and users know, where QEMU has one.

use std::fmt;

use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};

/// The reason of a refusal or failure. No variant carries key, IV or data bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// A cipher number that names no algorithm.
    AlgorithmOutOfRange(u32),
    /// A mode number that names no mode.
    ModeOutOfRange(u32),
    /// XTS asked of DES or 3DES, whose blocks are too short.
    XtsWithDes,
    /// An XTS key that cannot be cut in two equal halves.
    XtsKeyOdd,
    /// A key of the wrong length, in bytes.
    KeyLength {
        /// what the caller gave
        given: usize,
        /// what the algorithm and mode take
        expected: usize,
    },
    /// No chosen backend has the algorithm in this mode.
    UnsupportedPair(CipherAlgorithm, CipherMode),
    /// A name that no backend has.
    UnknownBackend(Box<str>),
    /// A backend that cannot be used here.
    BackendUnavailable {
        /// the backend's name
        name: &'static str,
        /// why not
        reason: Box<str>,
    },
    /// A backend without the algorithm in this mode.
    BackendLacks {
        /// the backend's name
        name: &'static str,
        /// the algorithm asked for
        algorithm: CipherAlgorithm,
        /// the mode asked for
        mode: CipherMode,
    },
    /// None of the chosen backends can be used here.
    NoBackend,
    /// A library that a backend stands for failed.
    Library {
        /// what could not be done
        what: &'static str,
        /// the library's own words
        reason: Box<str>,
    },
    /// The program or the machine has no more of something just now: descriptors, memory.
    Exhausted {
        /// what could not be done
        what: &'static str,
        /// the system's own words
        reason: Box<str>,
    },
    /// Data that does not end at a block boundary, in bytes.
    PartialBlock {
        /// what the caller gave
        len: usize,
        /// the cipher's block length
        block_len: usize,
    },
    /// An XTS data unit shorter than a block, in bytes.
    ShortUnit(usize),
    /// An IV of the wrong length, in bytes.
    IvLength {
        /// what the algorithm and mode take
        expected: usize,
        /// what the caller gave
        given: usize,
    },
    /// setiv in a mode without an IV.
    IvNotSupported,
    /// A hash number that names no algorithm.
    HashOutOfRange(u32),
    /// No backend has the hash.
    UnsupportedHash(HashAlgorithm),
    /// No backend has the HMAC.
    UnsupportedHmac(HashAlgorithm),
    /// No backend has PBKDF2 with the hash.
    UnsupportedPbkdf(HashAlgorithm),
    /// A result buffer that is not as long as the result, in bytes.
    ResultLength {
        /// what the result is of
        what: &'static str,
        /// what the caller gave
        given: usize,
        /// the length of the result
        expected: usize,
    },
    /// A hash object whose digest was taken already.
    HashFinished,
    /// PBKDF2 without a single iteration.
    PbkdfIterations,
    /// More key than PBKDF2 can derive, in bytes.
    PbkdfOutput(usize),
    /// An IV generator number that names no rule.
    IvGenOutOfRange(u32),
    /// Sectors of no bytes, or of parts of a block, in bytes.
    SectorSize {
        /// what the caller gave
        size: usize,
        /// the cipher's block length
        block_len: usize,
    },
    /// Data that does not end at a sector boundary, in bytes.
    PartialSector {
        /// what the caller gave
        len: usize,
        /// the length of a sector
        sector_size: usize,
    },
    /// An IV generator that was made for a cipher of another block length, in bytes.
    IvGenLength {
        /// what the generator makes
        made: usize,
        /// what the algorithm and mode take
        expected: usize,
    },
    /// Sectors whose numbers go beyond 64 bits.
    SectorRange {
        /// the number of the first sector
        first: u64,
        /// what is added from a sector to the next
        step: u64,
        /// how many sectors there are
        count: usize,
    },
    /// A split into no stripes, or of nothing, or too large for memory.
    AfSplit {
        /// bytes to split
        block_len: usize,
        /// stripes to split into
        stripes: u32,
    },
    /// The kernel gave no random bytes; its error number.
    Random(i32),
    /// No memory for a result.
    NoMemory,
    /// A NULL where an argument is needed; the argument's name.
    Null(&'static str),
    /// More bytes than an object in memory can have.
    TooLong(usize),
    /// Input and output that share some bytes but not all.
    Overlap,
    /// The object failed earlier and is unusable since; the argument's name.
    Dead(&'static str),
    /// A fault of this library.
    Internal,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            // Callers pass enums, which C prints as signed.
            Self::AlgorithmOutOfRange(number) => {
                write!(f, "Cipher algorithm {} out of range", number.cast_signed())
            }
            Self::ModeOutOfRange(number) => {
                write!(f, "Cipher mode {} out of range", number.cast_signed())
            }
            Self::XtsWithDes => f.write_str("XTS mode not compatible with DES/3DES"),
            Self::XtsKeyOdd => f.write_str("XTS cipher key length should be a multiple of 2"),
            Self::KeyLength { given, expected } => {
                write!(f, "Cipher key length {given} should be {expected}")
            }
            Self::UnsupportedPair(algorithm, mode) => write!(
                f,
                "Unsupported cipher algorithm {} with {} mode",
                algorithm.name(),
                mode.name()
            ),
            Self::UnknownBackend(ref name) => write!(f, "Unknown crypto backend '{name}'"),
            Self::BackendUnavailable { name, ref reason } => {
                write!(f, "Crypto backend '{name}' is not available: {reason}")
            }
            Self::BackendLacks { name, algorithm, mode } => write!(
                f,
                "Crypto backend '{name}' does not support cipher algorithm {} with {} mode",
                algorithm.name(),
                mode.name()
            ),
            Self::NoBackend => f.write_str("None of the chosen crypto backends is available"),
            Self::Library { what, ref reason } | Self::Exhausted { what, ref reason } => {
                write!(f, "Cannot {what}: {reason}")
            }
            Self::PartialBlock { len, block_len } => {
                write!(f, "Length {len} must be a multiple of block size {block_len}")
            }
            Self::ShortUnit(len) => write!(f, "Length {len} is less than block size 16"),
            Self::IvLength { expected, given } => {
                write!(f, "Expected IV size {expected} not {given}")
            }
            Self::IvNotSupported => f.write_str("Setting IV is not supported"),
            Self::HashOutOfRange(number) => {
                write!(f, "Hash algorithm {} out of range", number.cast_signed())
            }
            Self::UnsupportedHash(hash) => write!(f, "Unsupported hash algorithm {}", hash.name()),
            Self::UnsupportedHmac(hash) => write!(f, "Unsupported hmac algorithm {}", hash.name()),
            Self::UnsupportedPbkdf(hash) => write!(
                f,
                "PBKDF does not support hash algorithm {}: Function not implemented",
                hash.name()
            ),
            Self::ResultLength { what, given, expected } if given > expected => {
                write!(f, "Result buffer size {given} is larger than {what} {expected}")
            }
            Self::ResultLength { what, given, expected } => {
                write!(f, "Result buffer size {given} is smaller than {what} {expected}")
            }
            Self::HashFinished => f.write_str("Hash has been finalized already"),
            Self::PbkdfIterations => f.write_str("PBKDF iterations must be at least 1"),
            Self::PbkdfOutput(len) => write!(f, "PBKDF output length {len} is too large"),
            Self::IvGenOutOfRange(number) => {
                write!(f, "Unknown block IV generator algorithm {}", number.cast_signed())
            }
            Self::SectorSize { size, block_len } => {
                write!(
                    f,
                    "Sector size {size} must be a positive multiple of block size {block_len}"
                )
            }
            Self::PartialSector { len, sector_size } => {
                write!(f, "Length {len} must be a multiple of sector size {sector_size}")
            }
            Self::IvGenLength { made, expected } => {
                write!(f, "IV generator makes IVs of size {made}, expected {expected}")
            }
            Self::SectorRange { first, step, count } => {
                write!(
                    f,
                    "Numbers of {count} sectors from {first} in steps of {step} exceed 64 bits"
                )
            }
            Self::AfSplit { block_len, stripes } => {
                write!(f, "Cannot split {block_len} bytes into {stripes} stripes")
            }
            Self::Random(errno) => {
                let text = std::io::Error::from_raw_os_error(errno).to_string();
                let meaning = text.split_once(" (os error").map_or(&*text, |(meaning, _)| meaning);
                write!(f, "getrandom: {meaning}")
            }
            Self::NoMemory => f.write_str("Out of memory"),
            Self::Null(argument) => write!(f, "Argument '{argument}' is NULL"),
            Self::TooLong(len) => write!(f, "Length {len} is larger than any object in memory"),
            Self::Overlap => f.write_str("Input and output overlap without being the same buffer"),
            Self::Dead(argument) => {
                write!(f, "Object '{argument}' is unusable after an earlier failure")
            }
            Self::Internal => f.write_str("internal error"),
        }
    }
}

impl std::error::Error for Error {}
