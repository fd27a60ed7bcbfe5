//! XTS (IEEE 1619-2018 section 5, SP 800-38E) over any cipher of 16-byte blocks, many blocks a pass.
//!
//! Block j of a data unit is `E(P ^ T) ^ T` with `T = E2(IV) * x^j` in GF(2^128) modulo x^128 + x^7 + x^2 + x + 1, bytes
//! little-endian. Whole blocks only: the API of ciphers refuses the rest, and [`stealing`] is for those who bring a block
//! cipher of their own. The standard ends a data unit at 2^20 blocks; longer ones are computed by the same rule.

pub(crate) mod stealing;

use std::convert::Infallible;

use cipher::consts::U16;
use cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt};
use inout::InOutBuf;
use zeroize::{Zeroize, Zeroizing};

use crate::iv::Iv;
use crate::kernel::{Directions, Kernels, XtsKey};

/// Bytes of a block.
const BLOCK: usize = 16;

/// Blocks handed to the cipher in one pass: a 512-byte sector.
const PASS: usize = 32;

impl<C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt> Kernels<C> {
    /// The generic kernels over a cipher of 16-byte blocks.
    pub(crate) const fn generic_with_xts() -> Self {
        Self { xts: Some(Directions::new(encrypt, decrypt)), ..Self::generic() }
    }
}

/// Encrypts one data unit.
fn encrypt<C: BlockCipherEncrypt<BlockSize = U16>>(
    key: &XtsKey<C>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    with_crate(key, iv, data, |blocks| key.data.encrypt_blocks(blocks));
}

/// Decrypts one data unit. Tweaks are made by encryption here too.
fn decrypt<C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt>(
    key: &XtsKey<C>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    with_crate(key, iv, data, |blocks| key.data.decrypt_blocks(blocks));
}

/// [`crypt`] over a cipher of the RustCrypto crates, which cannot fail.
fn with_crate<C: BlockCipherEncrypt<BlockSize = U16>>(
    key: &XtsKey<C>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
    core: impl Fn(&mut [Block<C>]),
) {
    let mut first = *iv.block::<U16>();
    key.tweak.encrypt_block(&mut first);
    let core = |blocks: &mut [u8]| {
        core(Block::<C>::slice_as_chunks_mut(blocks).0);
        Ok::<_, Infallible>(())
    };
    let Ok(()) = crypt(u128::from_le_bytes(first.0), data, core);
    first.as_mut_slice().zeroize();
}

/// Runs the data cipher over a data unit, or over what is left of one, whose first block has the tweak `tweak`: `core`
/// does a pass of blocks in place.
pub(crate) fn crypt<E>(
    mut tweak: u128,
    data: InOutBuf<'_, '_, u8>,
    mut core: impl FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut tweaks = Zeroizing::new([0; PASS * BLOCK]);
    let mut result = Ok(());
    let mut rest = data;
    while !rest.is_empty() && result.is_ok() {
        let len = rest.len().min(tweaks.len());
        let (mut pass, after) = rest.split_at(len);
        rest = after;

        let tweaks = &mut tweaks[..len];
        for bytes in tweaks.chunks_exact_mut(BLOCK) {
            bytes.copy_from_slice(&tweak.to_le_bytes());
            tweak = double(tweak);
        }
        pass.xor_in2out(tweaks);
        result = core(pass.get_out());
        InOutBuf::from(pass.get_out()).xor_in2out(tweaks);
    }
    tweak.zeroize();
    result
}

/// Multiplies a tweak by x. The fold of the bit shifted out is arithmetic, not a branch: tweaks are secret.
pub(crate) fn double(tweak: u128) -> u128 {
    let carry = (tweak.cast_signed() >> 127).cast_unsigned();
    (tweak << 1) ^ (carry & 0x87)
}

/// The tweak of the block that lies so many blocks after the one of `tweak`.
pub(crate) fn skip(tweak: u128, blocks: usize) -> u128 {
    (0..blocks).fold(tweak, |tweak, _| double(tweak))
}
