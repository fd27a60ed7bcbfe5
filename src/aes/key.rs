//! Expanded AES keys, with the proof that the CPU can use them.

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::arch::{self, Base, Block};
use super::lanes::zero;
use crate::kernel::XtsKey;

/// The round keys of one direction, in the order in which its rounds use them. `N` is the number of rounds plus one: 11,
/// 13 or 15.
pub(super) type Schedule<const N: usize> = [Block; N];

/// The round constants, Rcon in FIPS 197, of which all but the first byte are zero: powers of x in GF(2^8).
pub(super) const ROUND_CONSTANTS: [u8; 10] =
    [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// An expanded key and `P`, the proof of the instruction set whose kernels use it.
pub(crate) struct Key<P, const N: usize> {
    cpu: P,
    pub(super) encrypt: Schedule<N>,
    /// For the equivalent inverse cipher (FIPS 197 section 5.3.5), which runs the rounds in the order of encryption.
    pub(super) decrypt: Schedule<N>,
}

impl<P: Copy + Into<Base>, const N: usize> Key<P, N> {
    /// Bytes of the key proper.
    const LEN: usize = 4 * (N - 7);

    /// A key yet to be expanded.
    pub(crate) fn blank(cpu: P) -> Self {
        Self { cpu, encrypt: [zero(); N], decrypt: [zero(); N] }
    }

    /// Expands `key` where the schedule lies, so that no copy of it is left elsewhere.
    ///
    /// # Panics
    /// If the length is not the one of this key size, which callers checked.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        assert_eq!(key.len(), Self::LEN, "length of an AES key for {} round keys", N);
        arch::expand(self.cpu.into(), key, &mut self.encrypt, &mut self.decrypt);
    }
}

impl<P: Copy, const N: usize> Key<P, N> {
    /// The proof that the CPU has the instructions of the key's kernels.
    #[inline(always)]
    pub(super) fn cpu(&self) -> P {
        self.cpu
    }
}

impl<P: Copy, const N: usize> XtsKey<Key<P, N>> {
    /// [`Key::cpu`]
    #[inline(always)]
    pub(super) fn cpu(&self) -> P {
        self.data.cpu
    }
}

impl<P, const N: usize> Drop for Key<P, N> {
    fn drop(&mut self) {
        self.encrypt.zeroize();
        self.decrypt.zeroize();
    }
}

impl<P, const N: usize> ZeroizeOnDrop for Key<P, N> {}

/// Fills the schedule of decryption from that of encryption. `unmix` is the inverse of MixColumns.
#[inline(always)]
pub(super) fn invert<const N: usize>(
    encrypt: &Schedule<N>,
    decrypt: &mut Schedule<N>,
    unmix: impl Fn(Block) -> Block,
) {
    for (inverse, round) in decrypt.iter_mut().zip(encrypt.iter().rev()) {
        *inverse = unmix(*round);
    }
    // The first and the last key stand outside of the rounds that mix columns.
    decrypt[0] = encrypt[N - 1];
    decrypt[N - 1] = encrypt[0];
}
