//! Serpent's S-boxes as circuits: a bit of many boxes in each word. `tools/find-circuits.rs` writes them.

pub(super) mod binary;
#[cfg(target_arch = "x86_64")]
pub(super) mod ternary;

use super::Xor;

/// Words with the gates of two inputs.
pub(super) trait Bits: Xor {
    fn not(self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;

    /// The bits of `self` that are not in `other`.
    fn and_not(self, other: Self) -> Self;
}

/// Words with every gate of three inputs.
#[cfg(target_arch = "x86_64")]
pub(super) trait TernaryBits: Copy {
    /// The bit of the table whose number three bits make, that of `a` the highest.
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self;
}
