//! Algorithms, modes, directions and hashes: the numbers, names and lengths of QEMU's API.

use std::fmt;

/// What goes by a name on the command line.
pub(crate) trait Named: Copy + PartialEq + 'static {
    /// In the order of the tables.
    const ALL: &'static [Self];

    fn name(self) -> &'static str;

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.name() == name)
    }

    /// All of them, for people who named none of them.
    fn names() -> String {
        Self::ALL.iter().map(|one| one.name()).collect::<Vec<_>>().join(" ")
    }
}

/// A block cipher, numbered as in `QCryptoCipherAlgo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub(crate) enum Algorithm {
    Aes128,
    Aes192,
    Aes256,
    Des,
    TripleDes,
    Cast5,
    Serpent128,
    Serpent192,
    Serpent256,
    Twofish128,
    Twofish192,
    Twofish256,
    Sm4,
}

impl Named for Algorithm {
    const ALL: &'static [Self] = &[
        Self::Aes128,
        Self::Aes192,
        Self::Aes256,
        Self::Des,
        Self::TripleDes,
        Self::Cast5,
        Self::Serpent128,
        Self::Serpent192,
        Self::Serpent256,
        Self::Twofish128,
        Self::Twofish192,
        Self::Twofish256,
        Self::Sm4,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Aes128 => "aes-128",
            Self::Aes192 => "aes-192",
            Self::Aes256 => "aes-256",
            Self::Des => "des",
            Self::TripleDes => "3des",
            Self::Cast5 => "cast5-128",
            Self::Serpent128 => "serpent-128",
            Self::Serpent192 => "serpent-192",
            Self::Serpent256 => "serpent-256",
            Self::Twofish128 => "twofish-128",
            Self::Twofish192 => "twofish-192",
            Self::Twofish256 => "twofish-256",
            Self::Sm4 => "sm4",
        }
    }
}

impl Algorithm {
    /// What disks are encrypted with.
    pub(crate) const DEFAULT: &'static [Self] = &[Self::Aes128, Self::Aes192, Self::Aes256];

    /// Bytes of one key; XTS takes two.
    pub(crate) fn key_len(self) -> usize {
        match self {
            Self::Des => 8,
            Self::Aes128 | Self::Cast5 | Self::Serpent128 | Self::Twofish128 | Self::Sm4 => 16,
            Self::Aes192 | Self::TripleDes | Self::Serpent192 | Self::Twofish192 => 24,
            Self::Aes256 | Self::Serpent256 | Self::Twofish256 => 32,
        }
    }

    pub(crate) fn block_len(self) -> usize {
        match self {
            Self::Des | Self::TripleDes | Self::Cast5 => 8,
            _ => 16,
        }
    }
}

/// A mode of operation, numbered as in `QCryptoCipherMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub(crate) enum Mode {
    Ecb,
    Cbc,
    Xts,
    Ctr,
}

impl Named for Mode {
    const ALL: &'static [Self] = &[Self::Ecb, Self::Cbc, Self::Ctr, Self::Xts];

    fn name(self) -> &'static str {
        match self {
            Self::Ecb => "ecb",
            Self::Cbc => "cbc",
            Self::Xts => "xts",
            Self::Ctr => "ctr",
        }
    }
}

/// Which way the data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypt,
    Decrypt,
}

impl Direction {
    pub(crate) const ALL: [Self; 2] = [Self::Encrypt, Self::Decrypt];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Encrypt => "enc",
            Self::Decrypt => "dec",
        }
    }
}

/// An algorithm in a mode: what an implementation is asked to key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spec {
    pub(crate) algorithm: Algorithm,
    pub(crate) mode: Mode,
}

impl Spec {
    /// XTS is defined for 16-byte blocks alone.
    pub(crate) fn exists(self) -> bool {
        self.mode != Mode::Xts || self.algorithm.block_len() == 16
    }

    pub(crate) fn key_len(self) -> usize {
        let keys = if self.mode == Mode::Xts { 2 } else { 1 };
        keys * self.algorithm.key_len()
    }

    pub(crate) fn iv_len(self) -> usize {
        match self.mode {
            Mode::Ecb => 0,
            _ => self.algorithm.block_len(),
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.algorithm.name(), self.mode.name())
    }
}

/// The rule that makes the IV of a sector from its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The number, little-endian.
    Plain64,
    /// The number, encrypted by AES-256 with the SHA-256 of the disk's key.
    Essiv,
}

impl Named for Rule {
    const ALL: &'static [Self] = &[Self::Plain64, Self::Essiv];

    fn name(self) -> &'static str {
        match self {
            Self::Plain64 => "plain64",
            Self::Essiv => "essiv",
        }
    }
}

/// How a disk is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Disk {
    pub(crate) spec: Spec,
    pub(crate) rule: Rule,
}

impl Disk {
    /// An IV of ESSIV is as long as a block of AES.
    pub(crate) fn exists(self) -> bool {
        self.rule != Rule::Essiv || self.spec.algorithm.block_len() == 16
    }
}

impl fmt::Display for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.spec, self.rule.name())
    }
}

/// A hash, numbered as in `QCryptoHashAlgo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Hash {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Ripemd160,
    Sm3,
}

impl Named for Hash {
    const ALL: &'static [Self] = &[
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Ripemd160,
        Self::Sm3,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha224 => "sha224",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Ripemd160 => "ripemd160",
            Self::Sm3 => "sm3",
        }
    }
}

impl Hash {
    /// What LUKS headers name.
    pub(crate) const DEFAULT: &'static [Self] = &[Self::Sha1, Self::Sha256, Self::Sha512];

    pub(crate) fn digest_len(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 | Self::Ripemd160 => 20,
            Self::Sha224 => 28,
            Self::Sha256 | Self::Sm3 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_api() {
        for (number, algorithm) in Algorithm::ALL.iter().enumerate() {
            assert_eq!(*algorithm as usize, number);
        }
        for (number, hash) in Hash::ALL.iter().enumerate() {
            assert_eq!(*hash as usize, number);
        }
        assert_eq!(
            [Mode::Ecb as u32, Mode::Cbc as u32, Mode::Xts as u32, Mode::Ctr as u32],
            [0, 1, 2, 3]
        );
    }

    #[test]
    fn xts_takes_two_keys_and_16_byte_blocks() {
        let xts = |algorithm| Spec { algorithm, mode: Mode::Xts };
        assert_eq!(xts(Algorithm::Aes256).key_len(), 64);
        assert!(xts(Algorithm::Sm4).exists());
        assert!(!xts(Algorithm::TripleDes).exists());
    }
}
