//! What every kernel of a block cipher is tested for.

use cipher::{
    Array, Block, BlockCipherDecrypt, BlockCipherEncrypt, InOutBuf, ParBlocks, ParBlocksSizeUser,
};

use crate::guarded_tests::{Guarded, PAGE};

/// Holds a key against the same key of an independent implementation: every number of blocks up to some that two batches
/// do not hold, in place and not, at odd addresses and at the ends of pages.
pub(crate) fn agrees<K, R>(key: &K, reference: &R)
where
    K: BlockCipherEncrypt + BlockCipherDecrypt + ParBlocksSizeUser,
    R: BlockCipherEncrypt<BlockSize = K::BlockSize>,
{
    let block_len = size_of::<Block<K>>();
    let most = (2 * size_of::<ParBlocks<K>>() + 3 * block_len).min(PAGE);
    let byte = |i: usize| (i * i * 7 + i * 31 + (i >> 8) * 5) as u8;
    let plain: Vec<u8> = (0..most).map(byte).collect();
    let mut secret = plain.clone();
    reference.encrypt_blocks(Array::slice_as_chunks_mut(&mut secret).0);

    let (mut from_pages, mut to_pages) = (Guarded::new(), Guarded::new());
    for len in (0..=most).step_by(block_len) {
        for (encrypts, input, expected) in [(true, &plain, &secret), (false, &secret, &plain)] {
            let crypt = |blocks: InOutBuf<'_, '_, u8>| {
                let (blocks, _) = blocks.into_chunks();
                match encrypts {
                    true => key.encrypt_blocks_inout(blocks),
                    false => key.decrypt_blocks_inout(blocks),
                }
            };
            let (input, expected) = (&input[..len], &expected[..len]);
            for at_end in [false, true] {
                let from = from_pages.edge(len, at_end);
                from.copy_from_slice(input);
                let to = to_pages.edge(len, at_end);
                crypt(InOutBuf::new(from, to).expect("one length"));
                assert_eq!(to, expected, "{len} bytes, apart");
                crypt(InOutBuf::from(&mut *from));
                assert_eq!(from, expected, "{len} bytes, in place");
            }
            let from = &mut from_pages.edge(len + 5, false)[5..];
            from.copy_from_slice(input);
            let to = &mut to_pages.edge(len + 3, false)[3..];
            crypt(InOutBuf::new(from, to).expect("one length"));
            assert_eq!(to, expected, "{len} bytes at odd addresses");
        }
    }
}
