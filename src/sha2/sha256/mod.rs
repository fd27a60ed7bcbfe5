//! SHA-224 and SHA-256.
//!
//! The portable compression function is that of the `sha2` crate, which looks for SHA instructions itself.
//!
//! - `shani`: the SHA extensions of x86

#[cfg(target_arch = "x86_64")]
mod shani;

use crate::chain::{self, ByteOrder, Chain, Hash, Key};

/// Defines a hash of the compression function that the two share.
macro_rules! hash {
    ($(#[$doc:meta])* $name:ident, $digest_len:literal, $initial:expr) => {
        $(#[$doc])*
        pub(crate) enum $name {}

        impl Hash for $name {
            type Word = u32;
            type State = [u32; 8];
            type Block = [u8; 64];

            const INITIAL: [u32; 8] = $initial;
            const EMPTY: [u8; 64] = [0; 64];
            const DIGEST_LEN: usize = $digest_len;
            const ORDER: ByteOrder = ByteOrder::Big;

            fn compress(state: &mut [u32; 8], block: &[u8; 64]) {
                ::sha2::block_api::compress256(state, std::slice::from_ref(block));
            }

            fn extend(key: &Key<Self>, chains: &mut [Chain<Self>], links: u64) {
                #[cfg(target_arch = "x86_64")]
                if let Some(cpu) = crate::cpu::Shani::get() {
                    return shani::extend(cpu, key, chains, links);
                }
                chain::extend(key, chains, links);
            }
        }
    };
}

hash!(
    /// SHA-224, from the state of FIPS 180-4 section 5.3.2.
    Sha224, 28, [
        0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
    ]
);
hash!(
    /// SHA-256, from the state of FIPS 180-4 section 5.3.3.
    Sha256, 32, [
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    ]
);
