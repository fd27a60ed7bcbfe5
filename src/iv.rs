//! The IV of a handle, and what the modes make of it between calls.

use cipher::Array;
use cipher::array::ArraySize;
use zeroize::Zeroize;

/// Longest IV of any cipher here, in bytes.
pub(crate) const MAX_LEN: usize = 16;

/// The state that a mode carries from call to call: CBC's last ciphertext block, CTR's next counter, XTS's data unit.
///
/// Eight-byte-block ciphers use the first eight bytes. A new one is all zero, which is the IV of a handle before setiv.
#[derive(Default)]
pub(crate) struct Iv {
    bytes: [u8; MAX_LEN],
}

impl Iv {
    /// Forgets what the last data unit, chain or counter left and starts at `iv`, whose length the caller checked.
    pub(crate) fn set(&mut self, iv: &[u8]) {
        self.bytes[..iv.len()].copy_from_slice(iv);
    }

    /// The IV as a block of the cipher at hand.
    pub(crate) fn block<N: ArraySize>(&mut self) -> &mut Array<u8, N> {
        let bytes = &mut self.bytes[..N::USIZE];
        bytes.try_into().expect("a block is as long as its array")
    }
}

impl Drop for Iv {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}
