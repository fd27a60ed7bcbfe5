//! SHA-384 and SHA-512.
//!
//! The portable compression function is that of the `sha2` crate, which looks for AVX2 itself.
//!
//! - `avx2`: AVX2 and BMI2 of x86

#[cfg(target_arch = "x86_64")]
mod avx2;

use crate::chain::{self, ByteOrder, Chain, Hash, Key};

/// Defines a hash of the compression function that the two share.
macro_rules! hash {
    ($(#[$doc:meta])* $name:ident, $digest_len:literal, $initial:expr) => {
        $(#[$doc])*
        pub(crate) enum $name {}

        impl Hash for $name {
            type Word = u64;
            type State = [u64; 8];
            type Block = [u8; 128];

            const INITIAL: [u64; 8] = $initial;
            const EMPTY: [u8; 128] = [0; 128];
            const DIGEST_LEN: usize = $digest_len;
            const ORDER: ByteOrder = ByteOrder::Big;

            fn compress(state: &mut [u64; 8], block: &[u8; 128]) {
                ::sha2::block_api::compress512(state, std::slice::from_ref(block));
            }

            fn extend(key: &Key<Self>, chains: &mut [Chain<Self>], links: u64) {
                #[cfg(target_arch = "x86_64")]
                if let Some(cpu) = crate::cpu::Avx2::get() {
                    return avx2::extend(cpu, key, chains, links);
                }
                chain::extend(key, chains, links);
            }
        }
    };
}

hash!(
    /// SHA-384, from the state of FIPS 180-4 section 5.3.4.
    Sha384, 48, [
        0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
        0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
    ]
);
hash!(
    /// SHA-512, from the state of FIPS 180-4 section 5.3.5.
    Sha512, 64, [
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    ]
);
