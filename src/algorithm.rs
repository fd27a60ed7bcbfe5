//! Algorithms and modes: their numbers, names and lengths. What every other part may know.
//!
//! The numbers are the ABI's (they never changed since QEMU 2.9) and the names are QEMU's QAPI names, which its error
//! texts print. All lengths are in bytes.

/// A block cipher with one key length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum CipherAlgorithm {
    /// AES with a 128-bit key, FIPS 197
    Aes128 = 0,
    /// AES with a 192-bit key, FIPS 197
    Aes192 = 1,
    /// AES with a 256-bit key, FIPS 197
    Aes256 = 2,
    /// DES, FIPS 46-3; parity bits are ignored
    Des = 3,
    /// Triple DES with three independent keys (EDE3), SP 800-67
    TripleDes = 4,
    /// CAST-128 with a 128-bit key, RFC 2144
    Cast5 = 5,
    /// Serpent with a 128-bit key
    Serpent128 = 6,
    /// Serpent with a 192-bit key
    Serpent192 = 7,
    /// Serpent with a 256-bit key
    Serpent256 = 8,
    /// Twofish with a 128-bit key
    Twofish128 = 9,
    /// Twofish with a 192-bit key
    Twofish192 = 10,
    /// Twofish with a 256-bit key
    Twofish256 = 11,
    /// SM4, GB/T 32907-2016
    Sm4 = 12,
}

impl CipherAlgorithm {
    /// The first number that names nothing.
    pub const COUNT: u32 = 13;

    /// Every algorithm, in the order of its number.
    pub const ALL: [Self; 13] = [
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

    /// The algorithm with this number, if there is one.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// QEMU's name, e.g. `aes-256`.
    pub const fn name(self) -> &'static str {
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

    /// Length of the key. XTS takes two keys of this length.
    pub const fn key_len(self) -> usize {
        match self {
            Self::Des => 8,
            Self::Aes128 | Self::Cast5 | Self::Serpent128 | Self::Twofish128 | Self::Sm4 => 16,
            Self::Aes192 | Self::TripleDes | Self::Serpent192 | Self::Twofish192 => 24,
            Self::Aes256 | Self::Serpent256 | Self::Twofish256 => 32,
        }
    }

    /// Length of a block.
    pub const fn block_len(self) -> usize {
        match self {
            Self::Des | Self::TripleDes | Self::Cast5 => 8,
            _ => 16,
        }
    }
}

/// A mode of operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum CipherMode {
    /// Electronic codebook, SP 800-38A section 6.1
    Ecb = 0,
    /// Cipher block chaining, SP 800-38A section 6.2
    Cbc = 1,
    /// XEX with tweak and (unused here) ciphertext stealing, IEEE 1619 and SP 800-38E; 16-byte blocks only
    Xts = 2,
    /// Counter mode, SP 800-38A section 6.5; the whole block is one big-endian counter
    Ctr = 3,
}

impl CipherMode {
    /// Every mode, in the order of its number.
    pub const ALL: [Self; 4] = [Self::Ecb, Self::Cbc, Self::Xts, Self::Ctr];

    /// The mode with this number, if there is one.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// QEMU's name, e.g. `xts`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ecb => "ecb",
            Self::Cbc => "cbc",
            Self::Xts => "xts",
            Self::Ctr => "ctr",
        }
    }

    /// Length of the initialisation vector: one block, or 0 in ECB, which has none.
    pub const fn iv_len(self, algorithm: CipherAlgorithm) -> usize {
        match self {
            Self::Ecb => 0,
            Self::Cbc | Self::Xts | Self::Ctr => algorithm.block_len(),
        }
    }
}

/// A hash function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum HashAlgorithm {
    /// MD5, RFC 1321
    Md5 = 0,
    /// SHA-1, FIPS 180-4
    Sha1 = 1,
    /// SHA-224, FIPS 180-4
    Sha224 = 2,
    /// SHA-256, FIPS 180-4
    Sha256 = 3,
    /// SHA-384, FIPS 180-4
    Sha384 = 4,
    /// SHA-512, FIPS 180-4
    Sha512 = 5,
    /// RIPEMD-160, ISO/IEC 10118-3
    Ripemd160 = 6,
    /// SM3, GB/T 32905-2016
    Sm3 = 7,
}

impl HashAlgorithm {
    /// The first number that names nothing.
    pub const COUNT: u32 = 8;

    /// Every algorithm, in the order of its number.
    pub const ALL: [Self; 8] = [
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Ripemd160,
        Self::Sm3,
    ];

    /// Length of the longest digest.
    pub const MAX_DIGEST_LEN: usize = 64;

    /// The algorithm with this number, if there is one.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// QEMU's name, e.g. `sha256`.
    pub const fn name(self) -> &'static str {
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

    /// Length of the digest.
    pub const fn digest_len(self) -> usize {
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

/// A rule that makes the IV of a sector from its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum IvGenAlgorithm {
    /// The low 32 bits of the number, little-endian
    Plain = 0,
    /// All 64 bits of the number, little-endian
    Plain64 = 1,
    /// The 64-bit number, encrypted with a hash of the disk's key
    Essiv = 2,
}

impl IvGenAlgorithm {
    /// The first number that names nothing.
    pub const COUNT: u32 = 3;

    /// Every rule, in the order of its number.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Plain64, Self::Essiv];

    /// The rule with this number, if there is one.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{CipherAlgorithm, CipherMode, HashAlgorithm, IvGenAlgorithm};

    #[test]
    fn numbers_are_positions() {
        for (position, algorithm) in CipherAlgorithm::ALL.into_iter().enumerate() {
            assert_eq!(algorithm as usize, position);
            assert_eq!(CipherAlgorithm::from_number(algorithm as u32), Some(algorithm));
        }
        for (position, mode) in CipherMode::ALL.into_iter().enumerate() {
            assert_eq!(mode as usize, position);
            assert_eq!(CipherMode::from_number(mode as u32), Some(mode));
        }
        for (position, algorithm) in HashAlgorithm::ALL.into_iter().enumerate() {
            assert_eq!(algorithm as usize, position);
            assert_eq!(HashAlgorithm::from_number(algorithm as u32), Some(algorithm));
            assert!(algorithm.digest_len() <= HashAlgorithm::MAX_DIGEST_LEN);
        }
        for (position, algorithm) in IvGenAlgorithm::ALL.into_iter().enumerate() {
            assert_eq!(algorithm as usize, position);
            assert_eq!(IvGenAlgorithm::from_number(algorithm as u32), Some(algorithm));
        }
    }

    #[test]
    fn numbers_past_the_end_are_nothing() {
        for number in [13, 99, u32::MAX] {
            assert_eq!(CipherAlgorithm::from_number(number), None);
        }
        for number in [4, 9, u32::MAX] {
            assert_eq!(CipherMode::from_number(number), None);
        }
        for number in [8, 99, u32::MAX] {
            assert_eq!(HashAlgorithm::from_number(number), None);
            assert_eq!(IvGenAlgorithm::from_number(number), None);
        }
    }
}
