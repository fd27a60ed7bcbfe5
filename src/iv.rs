//! The IV of a handle, and what the modes make of it between calls.

use cipher::Array;
use cipher::array::ArraySize;
use zeroize::Zeroize;

/// Longest IV of any cipher here, in bytes.
pub(crate) const MAX_LEN: usize = 16;

/// How many IVs out of order it takes until the next one in order is expected no more.
const PATIENCE: u8 = 3;

/// The state that a mode carries from call to call: CBC's last ciphertext block, CTR's next counter, XTS's data unit.
///
/// Eight-byte-block ciphers use the first eight bytes. A new one is all zero, which is the IV of a handle before setiv.
///
/// XTS encrypts its IV, the number of a data unit, before any data can be worked on. A kernel may keep what it made of
/// it here, and what it made of the next number: disks are mostly read and written in order. That saves time and changes
/// no result, as long as one state is used with one key.
pub(crate) struct Iv {
    bytes: [u8; MAX_LEN],
    /// The encrypted IV, once a kernel made it.
    tweak: Kept,
    /// The encryption of the next IV in order.
    next_tweak: Kept,
    /// How many IVs out of order are put up with before the next one in order is expected no more.
    patience: u8,
}

/// A block that may be known.
#[derive(Clone, Copy, Default)]
struct Kept {
    block: [u8; MAX_LEN],
    is_known: bool,
}

impl Kept {
    const fn known(block: [u8; MAX_LEN]) -> Self {
        Self { block, is_known: true }
    }
}

impl Default for Iv {
    fn default() -> Self {
        Self {
            bytes: [0; MAX_LEN],
            tweak: Kept::default(),
            next_tweak: Kept::default(),
            patience: PATIENCE,
        }
    }
}

impl Iv {
    /// Forgets what the last data unit, chain or counter left and starts at `iv`, whose length the caller checked.
    pub(crate) fn set(&mut self, iv: &[u8]) {
        match iv.try_into() {
            Ok(iv) => self.set_full(iv),
            Err(_) => self.bytes[..iv.len()].copy_from_slice(iv),
        }
    }

    /// An IV of full length, which may be XTS's: keeps the tweaks that are still of use.
    fn set_full(&mut self, iv: &[u8; MAX_LEN]) {
        let number = u128::from_le_bytes(*iv);
        let last = u128::from_le_bytes(self.bytes);
        if number == last {
            return;
        }
        if number == last.wrapping_add(1) {
            self.tweak = self.next_tweak;
            self.patience = PATIENCE;
        } else {
            self.tweak.is_known = false;
            self.patience = self.patience.saturating_sub(1);
        }
        self.next_tweak.is_known = false;
        self.bytes = *iv;
    }

    /// CBC's chaining block or CTR's counter, as a block of the cipher at hand.
    pub(crate) fn block<N: ArraySize>(&mut self) -> &mut Array<u8, N> {
        let bytes = &mut self.bytes[..N::USIZE];
        bytes.try_into().expect("a block is as long as its array")
    }

    /// XTS's data unit.
    pub(crate) fn unit(&self) -> &[u8; MAX_LEN] {
        &self.bytes
    }

    /// The encrypted data unit, if it was kept.
    pub(crate) fn tweak(&self) -> Option<&[u8; MAX_LEN]> {
        self.tweak.is_known.then_some(&self.tweak.block)
    }

    /// Keeps the encrypted data unit for calls to come.
    pub(crate) fn keep_tweak(&mut self, tweak: [u8; MAX_LEN]) {
        self.tweak = Kept::known(tweak);
    }

    /// The number of the next data unit, if it is expected to be set and its tweak is not there yet.
    pub(crate) fn expected_unit(&self) -> Option<u128> {
        let is_wanted = self.patience > 0 && !self.next_tweak.is_known;
        is_wanted.then(|| u128::from_le_bytes(self.bytes).wrapping_add(1))
    }

    /// Keeps the encryption of [`Iv::expected_unit`].
    pub(crate) fn keep_next_tweak(&mut self, tweak: [u8; MAX_LEN]) {
        self.next_tweak = Kept::known(tweak);
    }
}

impl Drop for Iv {
    fn drop(&mut self) {
        self.bytes.zeroize();
        self.tweak.block.zeroize();
        self.next_tweak.block.zeroize();
    }
}
