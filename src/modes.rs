//! ECB, CBC and CTR (SP 800-38A) over any block cipher, many blocks a pass where the mode allows it.

use cipher::array::ArraySize;
use cipher::{Array, Block, BlockCipherDecrypt, BlockCipherEncrypt};
use inout::InOutBuf;
use zeroize::Zeroizing;

use crate::iv::Iv;
use crate::kernel::{Directions, Kernels, Sectors};

/// Bytes handed to the cipher in one pass: enough for the widest parallel core of the ciphers in use.
const PASS: usize = 512;

impl<C: BlockCipherEncrypt + BlockCipherDecrypt> Kernels<C> {
    /// The generic kernels over a cipher of any block length: no XTS.
    pub(crate) const fn generic() -> Self {
        Self {
            name: c"native/portable",
            ecb: Directions::new(ecb_encrypt, ecb_decrypt),
            cbc: Directions::new(cbc_encrypt, cbc_decrypt)
                .with_sectors(Some(cbc_encrypt_sectors), None),
            ctr: Directions::new(ctr, ctr),
            xts: None,
        }
    }
}

/// Cuts data into blocks. The callers checked that nothing is left over.
fn blocks<'i, 'o, N: ArraySize>(data: InOutBuf<'i, 'o, u8>) -> InOutBuf<'i, 'o, Array<u8, N>> {
    let (blocks, rest) = data.into_chunks();
    debug_assert!(rest.is_empty(), "{} bytes past the last whole block", rest.len());
    blocks
}

/// ECB encryption.
fn ecb_encrypt<C: BlockCipherEncrypt>(cipher: &C, _iv: &mut Iv, data: InOutBuf<'_, '_, u8>) {
    cipher.encrypt_blocks_inout(blocks(data));
}

/// ECB decryption.
fn ecb_decrypt<C: BlockCipherDecrypt>(cipher: &C, _iv: &mut Iv, data: InOutBuf<'_, '_, u8>) {
    cipher.decrypt_blocks_inout(blocks(data));
}

/// CBC encryption, a chain by nature: block by block.
fn cbc_encrypt<C: BlockCipherEncrypt>(cipher: &C, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) {
    let chain = iv.block::<C::BlockSize>();
    for mut block in blocks::<C::BlockSize>(data) {
        block.xor_in2out(chain);
        cipher.encrypt_block(block.get_out());
        chain.clone_from(block.get_out());
    }
}

/// CBC encryption of sectors, a pass of chains side by side.
fn cbc_encrypt_sectors<C: BlockCipherEncrypt>(cipher: &C, sectors: Sectors<'_, '_, '_>) {
    let starts: &[Array<u8, C::BlockSize>] = Array::slice_as_chunks(sectors.ivs).0;
    let blocks_of_one = sectors.sector_len / size_of::<Block<C>>();
    let mut chains = [0; PASS];
    let (chains, _) = Array::slice_as_chunks_mut(&mut chains);
    let side_by_side = chains.len();
    let mut data = blocks::<C::BlockSize>(sectors.data);
    for (pass, starts) in starts.chunks(side_by_side).enumerate() {
        let chains = &mut chains[..starts.len()];
        chains.clone_from_slice(starts);
        for number in 0..blocks_of_one {
            let place = |i: usize| (pass * side_by_side + i) * blocks_of_one + number;
            for (i, chain) in chains.iter_mut().enumerate() {
                xor(chain, data.get(place(i)).get_in());
            }
            cipher.encrypt_blocks(chains);
            for (i, chain) in chains.iter().enumerate() {
                data.get(place(i)).get_out().clone_from(chain);
            }
        }
    }
}

/// CBC decryption, a pass of blocks at a time. The ciphertext is put aside first, because in place it is overwritten
/// before the next block's chaining needs it.
fn cbc_decrypt<C: BlockCipherDecrypt>(cipher: &C, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) {
    let chain = iv.block::<C::BlockSize>().as_mut_slice();
    let mut ciphertext = [0; PASS];
    for_each_pass(data, ciphertext.len(), |mut pass| {
        let ciphertext = &mut ciphertext[..pass.len()];
        ciphertext.copy_from_slice(pass.get_in());
        cipher.decrypt_blocks_inout(blocks(pass.reborrow()));
        let (first, others) = pass.get_out().split_at_mut(chain.len());
        let (before, last) = ciphertext.split_at(others.len());
        xor(first, chain);
        xor(others, before);
        chain.copy_from_slice(last);
    });
}

/// CTR, the same in both directions. The counter is the whole block, big-endian, and wraps to zero.
fn ctr<C: BlockCipherEncrypt>(cipher: &C, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) {
    let counter = iv.block::<C::BlockSize>();
    let mut keystream = Zeroizing::new([0; PASS]);
    for_each_pass(data, keystream.len(), |mut pass| {
        let keystream = &mut keystream[..pass.len()];
        let (blocks, _) = Array::slice_as_chunks_mut(keystream);
        for block in &mut *blocks {
            block.clone_from(counter);
            increment(counter);
        }
        cipher.encrypt_blocks(blocks);
        pass.xor_in2out(keystream);
    });
}

/// Runs `work` over the data, `len` elements at a time and what is left at the end.
fn for_each_pass<T>(
    data: InOutBuf<'_, '_, T>,
    len: usize,
    mut work: impl FnMut(InOutBuf<'_, '_, T>),
) {
    let mut rest = data;
    while rest.len() > len {
        let (pass, after) = rest.split_at(len);
        work(pass);
        rest = after;
    }
    if !rest.is_empty() {
        work(rest);
    }
}

/// `to ^= from`
fn xor(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}

/// Adds one to a big-endian number of the block's width.
fn increment<N: ArraySize>(counter: &mut Array<u8, N>) {
    let counter = counter.as_mut_slice();
    if let Ok(bytes) = <&mut [u8; 16]>::try_from(&mut *counter) {
        *bytes = u128::from_be_bytes(*bytes).wrapping_add(1).to_be_bytes();
    } else if let Ok(bytes) = <&mut [u8; 8]>::try_from(counter) {
        *bytes = u64::from_be_bytes(*bytes).wrapping_add(1).to_be_bytes();
    } else {
        unreachable!("blocks have 8 or 16 bytes");
    }
}
