//! Byte strings that tests are made of.

use sha2::{Digest, Sha256};

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of lower-case hex, or None where it is anything else.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

/// The bytes of hex that a test holds.
pub fn from_hex(text: &str) -> Vec<u8> {
    unhex(text).expect("lower-case hex")
}

/// SHA-256 in hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The key of the cases: 1, 4, 7 ...
pub fn k(len: usize) -> Vec<u8> {
    (0..len).map(|i| low_byte(3 * i + 1)).collect()
}

/// Data of the cases, with a period of 256.
pub fn d1(len: usize) -> Vec<u8> {
    (0..len).map(|i| low_byte(7 * i + 3)).collect()
}

/// Data of the cases without that period.
pub fn d2(len: usize) -> Vec<u8> {
    (0..len).map(|i| low_byte(7 * i + 3 + (i >> 8))).collect()
}

/// Data of the cases for sectors.
pub fn sec(len: usize) -> Vec<u8> {
    (0..len).map(|i| low_byte(13 * i + 5 * (i >> 8) + 9)).collect()
}

fn low_byte(number: usize) -> u8 {
    number.to_le_bytes()[0]
}

/// Numbers that look random (splitmix64, Steele, Lea and Flood 2014) and are the same in every run.
///
/// `QCRYPTO_TEST_SEED` in the environment changes them. The seed is printed, and so is shown where a test fails.
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new() -> Self {
        let seed = std::env::var("QCRYPTO_TEST_SEED").map_or(0x7163_7279_7074_6f00, |seed| {
            seed.parse().expect("QCRYPTO_TEST_SEED is a decimal number")
        });
        println!("QCRYPTO_TEST_SEED={seed}");
        Self { state: seed }
    }

    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() >> 32).expect("32 bits") % end
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.number().to_le_bytes()[7]).collect()
    }

    /// Numbers above zero whose sum is `total`.
    pub fn split(&mut self, total: usize) -> Vec<usize> {
        let mut rest = total;
        let mut parts = Vec::new();
        while rest > 0 {
            // Small parts are the likely ones: that is where state is lost.
            let limit = [1, 3, 40, rest][self.below(4)].min(rest);
            let part = 1 + self.below(limit);
            parts.push(part);
            rest -= part;
        }
        parts
    }
}
