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
    block: Aligned,
    /// The encrypted IV, once a kernel made it.
    tweak: Kept,
    /// The encryption of the next IV in order.
    next_tweak: Kept,
    /// How many IVs out of order are put up with before the next one in order is expected no more.
    patience: u8,
}

/// A block that no cache line border cuts in two.
#[derive(Clone, Copy, Default)]
#[repr(align(16))]
struct Aligned([u8; MAX_LEN]);

/// A block that may be known.
#[derive(Clone, Copy, Default)]
struct Kept {
    block: Aligned,
    is_known: bool,
}

impl Kept {
    #[allow(dead_code, reason = "as are the kernels that know")]
    const fn known(block: [u8; MAX_LEN]) -> Self {
        Self { block: Aligned(block), is_known: true }
    }
}

impl Default for Iv {
    fn default() -> Self {
        Self {
            block: Aligned::default(),
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
            Ok(iv) => self.set_number(u128::from_le_bytes(iv)),
            Err(_) => self.block.0[..iv.len()].copy_from_slice(iv),
        }
    }

    /// Sets a whole block, which may be XTS's data unit: keeps the tweaks that are still of use.
    fn set_number(&mut self, number: u128) {
        match number.wrapping_sub(self.number()) {
            0 => return,
            1 => {
                // By field: a load that includes the flag's padding would wait for the store of the flag.
                self.tweak.block = self.next_tweak.block;
                self.tweak.is_known = self.next_tweak.is_known;
                self.patience = PATIENCE;
            }
            _ => {
                self.tweak.is_known = false;
                self.patience = self.patience.saturating_sub(1);
            }
        }
        self.next_tweak.is_known = false;
        self.block.0 = number.to_le_bytes();
    }

    /// CBC's chaining block or CTR's counter, as a block of the cipher at hand.
    #[inline]
    pub(crate) fn block<N: ArraySize>(&mut self) -> &mut Array<u8, N> {
        let bytes = &mut self.block.0[..N::USIZE];
        bytes.try_into().expect("a block is as long as its array")
    }

    /// The whole block as a little-endian number, which is what XTS calls the data unit.
    pub(crate) fn number(&self) -> u128 {
        u128::from_le_bytes(self.block.0)
    }
}

/// For kernels that keep tweaks.
#[allow(dead_code, reason = "not every architecture and build has some")]
impl Iv {
    /// The encrypted data unit, if it was kept.
    pub(crate) fn tweak(&self) -> Option<&[u8; MAX_LEN]> {
        self.tweak.is_known.then_some(&self.tweak.block.0)
    }

    /// Keeps the encrypted data unit for calls to come.
    pub(crate) fn keep_tweak(&mut self, tweak: [u8; MAX_LEN]) {
        self.tweak = Kept::known(tweak);
    }

    /// The number of the next data unit, if it is expected to be set and its tweak is not there yet.
    pub(crate) fn expected_unit(&self) -> Option<u128> {
        let is_wanted = self.patience > 0 && !self.next_tweak.is_known;
        is_wanted.then(|| self.number().wrapping_add(1))
    }

    /// Keeps the encryption of [`Iv::expected_unit`].
    pub(crate) fn keep_next_tweak(&mut self, tweak: [u8; MAX_LEN]) {
        self.next_tweak = Kept::known(tweak);
    }
}

/// For backends that are told the IV with every call.
#[cfg(any(feature = "gcrypt", feature = "nettle", feature = "afalg", feature = "keylocker"))]
impl Iv {
    /// The bytes of [`Iv::block`], and zeros behind them where the cipher's blocks are shorter.
    pub(crate) fn bytes(&self) -> &[u8; MAX_LEN] {
        &self.block.0
    }

    /// Adds to CTR's counter, which is as wide as the block and wraps.
    #[cfg(any(feature = "gcrypt", feature = "afalg", feature = "keylocker"))]
    pub(crate) fn count(&mut self, block_len: usize, blocks: usize) {
        let unused = 8 * (MAX_LEN - block_len) as u32;
        let counter = u128::from_be_bytes(self.block.0) >> unused;
        let next = counter.wrapping_add(blocks as u128) << unused;
        self.block.0 = next.to_be_bytes();
    }
}

impl Drop for Iv {
    fn drop(&mut self) {
        // As slices, which are overwritten at once rather than byte by byte.
        for block in [&mut self.block, &mut self.tweak.block, &mut self.next_tweak.block] {
            block.0.as_mut_slice().zeroize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Iv, PATIENCE};

    /// What a kernel does of a tweak, here by complementing the number.
    fn crypt(iv: &mut Iv) -> bool {
        let was_kept = iv.tweak().is_some();
        let tweak = (!iv.number()).to_le_bytes();
        assert_eq!(*iv.tweak().unwrap_or(&tweak), tweak, "kept for another number");
        iv.keep_tweak(tweak);
        if let Some(next) = iv.expected_unit() {
            iv.keep_next_tweak((!next).to_le_bytes());
        }
        was_kept
    }

    fn set(iv: &mut Iv, number: u128) {
        iv.set(&number.to_le_bytes());
    }

    #[test]
    fn numbers_in_order_are_prepared() {
        let mut iv = Iv::default();
        set(&mut iv, u128::MAX - 2);
        assert!(!crypt(&mut iv));
        for number in [u128::MAX - 1, u128::MAX, 0, 1] {
            set(&mut iv, number);
            assert!(crypt(&mut iv), "{number:x}");
            assert!(crypt(&mut iv), "{number:x} again");
        }
    }

    #[test]
    fn the_same_number_stays_prepared() {
        let mut iv = Iv::default();
        crypt(&mut iv);
        set(&mut iv, 0);
        assert!(crypt(&mut iv));
        set(&mut iv, 1);
        assert!(crypt(&mut iv));
    }

    #[test]
    fn a_number_that_was_skipped_is_not_the_next() {
        let mut iv = Iv::default();
        crypt(&mut iv);
        set(&mut iv, 2);
        assert!(!crypt(&mut iv));
        set(&mut iv, 1);
        assert!(!crypt(&mut iv));
        set(&mut iv, 1 << 64);
        assert!(!crypt(&mut iv));
    }

    #[test]
    fn without_order_nothing_is_prepared_for_long() {
        let mut iv = Iv::default();
        for number in 0..u128::from(PATIENCE) {
            assert!(iv.expected_unit().is_some());
            set(&mut iv, 100 * number + 50);
        }
        assert!(iv.expected_unit().is_none());
        set(&mut iv, 7);
        set(&mut iv, 8);
        assert!(iv.expected_unit().is_some());
    }

    #[cfg(any(feature = "gcrypt", feature = "afalg", feature = "keylocker"))]
    #[test]
    fn counters_wrap() {
        let mut iv = Iv::default();
        iv.set(&[0xff; 16]);
        iv.count(16, 3);
        assert_eq!(u128::from_be_bytes(*iv.bytes()), 2);
        iv.set(&[0xff; 8]);
        iv.count(8, 0x1_0000_0001);
        assert_eq!(iv.bytes()[..8], 0x1_0000_0000_u64.to_be_bytes());
        assert_eq!(iv.bytes()[8..], [0; 8]);
    }

    #[test]
    fn setting_without_a_call_between_keeps_nothing_wrong() {
        let mut iv = Iv::default();
        crypt(&mut iv);
        set(&mut iv, 1);
        set(&mut iv, 2);
        assert!(!crypt(&mut iv));
    }
}
