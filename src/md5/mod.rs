//! MD5 (RFC 1321), for chains of HMACs: the compression function of the `md-5` crate.

use crate::chain::{ByteOrder, Hash};

/// MD5.
pub(crate) enum Md5 {}

impl Hash for Md5 {
    type Word = u32;
    type State = [u32; 4];
    type Block = [u8; 64];

    /// RFC 1321 section 3.3.
    const INITIAL: [u32; 4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
    const EMPTY: [u8; 64] = [0; 64];
    const DIGEST_LEN: usize = 16;
    const ORDER: ByteOrder = ByteOrder::Little;

    fn compress(state: &mut [u32; 4], block: &[u8; 64]) {
        ::md5::block_api::compress(state, std::slice::from_ref(block));
    }
}
