//! Ciphers that work on many blocks side by side, behind the traits of the cipher crates, which the generic modes run over.

#[cfg(test)]
pub(crate) mod tests;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use cipher::array::ArraySize;
use cipher::{
    Array, Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt,
    BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut,
    InOutBuf, ParBlocks, ParBlocksSizeUser,
};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A key whose blocks go through the rounds side by side.
pub(crate) trait SideBySide: ZeroizeOnDrop {
    type BlockSize: ArraySize;

    /// The most blocks that are worked on at a time.
    type Blocks: ArraySize;

    /// `Blocks` is a multiple of it, and so is the number of blocks in every call.
    const GROUP: usize;

    /// Encrypts whole groups of blocks.
    fn encrypt(&self, blocks: InOutBuf<'_, '_, Array<u8, Self::BlockSize>>);

    /// Decrypts whole groups of blocks.
    fn decrypt(&self, blocks: InOutBuf<'_, '_, Array<u8, Self::BlockSize>>);

    /// Encrypts a block that comes alone.
    fn encrypt_one(&self, block: InOut<'_, '_, Array<u8, Self::BlockSize>>) {
        padded_one::<Self>(block, |group| self.encrypt(group));
    }

    /// Decrypts a block that comes alone.
    fn decrypt_one(&self, block: InOut<'_, '_, Array<u8, Self::BlockSize>>) {
        padded_one::<Self>(block, |group| self.decrypt(group));
    }
}

/// Works on blocks that are no whole groups, in a buffer that is.
fn padded<K: SideBySide + ?Sized>(
    mut blocks: InOutBuf<'_, '_, Array<u8, K::BlockSize>>,
    work: impl FnOnce(InOutBuf<'_, '_, Array<u8, K::BlockSize>>),
) {
    let len = blocks.len();
    let mut batch = Array::<Array<u8, K::BlockSize>, K::Blocks>::default();
    let groups = &mut batch[..len.next_multiple_of(K::GROUP)];
    groups[..len].clone_from_slice(blocks.get_in());
    work(InOutBuf::from(&mut *groups));
    blocks.get_out().clone_from_slice(&groups[..len]);
    Array::slice_as_flattened_mut(groups).zeroize();
}

/// [`padded`], for one block.
fn padded_one<K: SideBySide + ?Sized>(
    mut block: InOut<'_, '_, Array<u8, K::BlockSize>>,
    work: impl FnOnce(InOutBuf<'_, '_, Array<u8, K::BlockSize>>),
) {
    let mut one = [block.clone_in()];
    padded::<K>(InOutBuf::from(&mut one[..]), work);
    [*block.get_out()] = one;
}

/// A key behind the traits.
pub(crate) struct Wide<K: SideBySide>(pub(crate) K);

impl<K: SideBySide> ZeroizeOnDrop for Wide<K> {}

impl<K: SideBySide> BlockSizeUser for Wide<K> {
    type BlockSize = K::BlockSize;
}

impl<K: SideBySide> ParBlocksSizeUser for Wide<K> {
    type ParBlocksSize = K::Blocks;
}

impl<K: SideBySide> BlockCipherEncrypt for Wide<K> {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = K::BlockSize>) {
        f.call(self);
    }
}

impl<K: SideBySide> BlockCipherDecrypt for Wide<K> {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = K::BlockSize>) {
        f.call(self);
    }
}

impl<K: SideBySide> BlockCipherEncBackend for Wide<K> {
    fn encrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        self.0.encrypt_one(block);
    }

    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.encrypt(blocks.into_buf());
    }

    fn encrypt_tail_blocks(&self, mut blocks: InOutBuf<'_, '_, Block<Self>>) {
        match blocks.len() {
            1 => self.0.encrypt_one(blocks.get(0)),
            _ => padded::<K>(blocks, |groups| self.0.encrypt(groups)),
        }
    }
}

impl<K: SideBySide> BlockCipherDecBackend for Wide<K> {
    fn decrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        self.0.decrypt_one(block);
    }

    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.decrypt(blocks.into_buf());
    }

    fn decrypt_tail_blocks(&self, mut blocks: InOutBuf<'_, '_, Block<Self>>) {
        match blocks.len() {
            1 => self.0.decrypt_one(blocks.get(0)),
            _ => padded::<K>(blocks, |groups| self.0.decrypt(groups)),
        }
    }
}
