//! ECB, CBC and CTR (SP 800-38A) over any block cipher, many blocks a pass where the mode allows it.

use cipher::array::ArraySize;
use cipher::{Array, Block, BlockCipherDecrypt, BlockCipherEncrypt};
use inout::InOutBuf;
use zeroize::Zeroize;

use crate::iv::Iv;
use crate::kernel::{Directions, Kernels};

/// Blocks handed to the cipher in one pass: enough for the widest parallel core of the ciphers in use.
const PASS: usize = 32;

impl<C: BlockCipherEncrypt + BlockCipherDecrypt> Kernels<C> {
    /// The generic kernels over a cipher of any block length: no XTS.
    pub(crate) const fn generic() -> Self {
        Self {
            name: c"native/portable",
            ecb: Directions { encrypt: ecb_encrypt, decrypt: ecb_decrypt },
            cbc: Directions { encrypt: cbc_encrypt, decrypt: cbc_decrypt },
            ctr: Directions { encrypt: ctr, decrypt: ctr },
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

/// CBC decryption, a pass of blocks at a time. The ciphertext is put aside first, because in place it is overwritten
/// before the next block's chaining needs it.
fn cbc_decrypt<C: BlockCipherDecrypt>(cipher: &C, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) {
    let chain = iv.block::<C::BlockSize>();
    let mut ciphertext: [Block<C>; PASS] = std::array::from_fn(|_| Array::default());
    for_each_pass(blocks::<C::BlockSize>(data), |mut pass| {
        let ciphertext = &mut ciphertext[..pass.len()];
        ciphertext.clone_from_slice(pass.get_in());
        cipher.decrypt_blocks_inout(pass.reborrow());
        for (plaintext, next) in pass.get_out().iter_mut().zip(ciphertext) {
            xor(plaintext, chain);
            chain.clone_from(next);
        }
    });
}

/// CTR, the same in both directions. The counter is the whole block, big-endian, and wraps to zero.
fn ctr<C: BlockCipherEncrypt>(cipher: &C, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) {
    let counter = iv.block::<C::BlockSize>();
    let mut keystream: [Block<C>; PASS] = std::array::from_fn(|_| Array::default());
    for_each_pass(blocks::<C::BlockSize>(data), |pass| {
        let keystream = &mut keystream[..pass.len()];
        for block in &mut *keystream {
            block.clone_from(counter);
            increment(counter);
        }
        cipher.encrypt_blocks(keystream);
        for (mut block, key) in pass.into_iter().zip(&*keystream) {
            block.xor_in2out(key);
        }
    });
    keystream.iter_mut().for_each(|block| block.as_mut_slice().zeroize());
}

/// Runs `work` over the data, [`PASS`] blocks at a time and what is left at the end.
fn for_each_pass<T>(data: InOutBuf<'_, '_, T>, mut work: impl FnMut(InOutBuf<'_, '_, T>)) {
    let mut rest = data;
    while rest.len() > PASS {
        let (pass, after) = rest.split_at(PASS);
        work(pass);
        rest = after;
    }
    work(rest);
}

/// `to ^= from`
fn xor<N: ArraySize>(to: &mut Array<u8, N>, from: &Array<u8, N>) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}

/// Adds one to a big-endian number of the block's width, without a branch on its bytes.
fn increment<N: ArraySize>(counter: &mut Array<u8, N>) {
    let mut carry = true;
    for byte in counter.iter_mut().rev() {
        (*byte, carry) = byte.overflowing_add(u8::from(carry));
    }
}
