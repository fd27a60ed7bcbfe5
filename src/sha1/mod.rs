//! SHA-1 (FIPS 180-4), for chains of HMACs.
//!
//! The portable compression function is that of the `sha1` crate, which looks for SHA instructions itself.
//!
//! - `shani`: the SHA extensions of x86

#[cfg(target_arch = "x86_64")]
mod shani;

use crate::chain::{self, ByteOrder, Chain, Hash, Key};

/// SHA-1.
pub(crate) enum Sha1 {}

impl Hash for Sha1 {
    type Word = u32;
    type State = [u32; 5];
    type Block = [u8; 64];

    /// FIPS 180-4 section 5.3.1.
    const INITIAL: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    const EMPTY: [u8; 64] = [0; 64];
    const DIGEST_LEN: usize = 20;
    const ORDER: ByteOrder = ByteOrder::Big;

    fn compress(state: &mut [u32; 5], block: &[u8; 64]) {
        ::sha1::block_api::compress(state, std::slice::from_ref(block));
    }

    fn extend(key: &Key<Self>, chains: &mut [Chain<Self>], links: u64) {
        #[cfg(target_arch = "x86_64")]
        if let Some(cpu) = crate::cpu::Shani::get() {
            return shani::extend(cpu, key, chains, links);
        }
        chain::extend(key, chains, links);
    }
}
