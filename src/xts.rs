//! XTS (IEEE 1619-2018 section 5, SP 800-38E) over any cipher of 16-byte blocks, many blocks a pass.
//!
//! Block j of a data unit is `E(P ^ T) ^ T` with `T = E2(IV) * x^j` in GF(2^128) modulo x^128 + x^7 + x^2 + x + 1, bytes
//! little-endian. Whole blocks only: the API above refuses the rest, so ciphertext stealing never happens. The standard
//! ends a data unit at 2^20 blocks; longer ones are computed by the same rule.

use cipher::consts::U16;
use cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt};
use inout::InOutBuf;
use zeroize::Zeroize;

use crate::iv::Iv;
use crate::kernel::{Directions, Kernels, XtsKey};

/// Bytes of a block.
const BLOCK: usize = 16;

/// Blocks handed to the cipher in one pass: a 512-byte sector.
const PASS: usize = 32;

impl<C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt> Kernels<C> {
    /// The generic kernels over a cipher of 16-byte blocks.
    pub(crate) const fn generic_with_xts() -> Self {
        Self { xts: Some(Directions { encrypt, decrypt }), ..Self::generic() }
    }
}

/// Encrypts one data unit.
fn encrypt<C: BlockCipherEncrypt<BlockSize = U16>>(
    key: &XtsKey<C>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    crypt(&key.tweak, iv, data, |blocks| key.data.encrypt_blocks(blocks));
}

/// Decrypts one data unit. Tweaks are made by encryption here too.
fn decrypt<C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt>(
    key: &XtsKey<C>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    crypt(&key.tweak, iv, data, |blocks| key.data.decrypt_blocks(blocks));
}

/// The frame both directions share: `core` runs the data cipher over a pass of blocks.
fn crypt<C: BlockCipherEncrypt<BlockSize = U16>>(
    tweak_key: &C,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
    core: impl Fn(&mut [Block<C>]),
) {
    let mut first = *iv.block::<U16>();
    tweak_key.encrypt_block(&mut first);
    let mut tweak = u128::from_le_bytes(first.0);
    let mut tweaks = [0; PASS * BLOCK];

    let mut rest = data;
    while !rest.is_empty() {
        let len = rest.len().min(tweaks.len());
        let (mut pass, after) = rest.split_at(len);
        rest = after;

        let tweaks = &mut tweaks[..len];
        for bytes in tweaks.chunks_exact_mut(BLOCK) {
            bytes.copy_from_slice(&tweak.to_le_bytes());
            tweak = double(tweak);
        }
        pass.xor_in2out(tweaks);
        core(Block::<C>::slice_as_chunks_mut(pass.get_out()).0);
        InOutBuf::from(pass.get_out()).xor_in2out(tweaks);
    }

    first.as_mut_slice().zeroize();
    tweak.zeroize();
    tweaks.zeroize();
}

/// Multiplies a tweak by x. The fold of the bit shifted out is arithmetic, not a branch: tweaks are secret.
pub(crate) fn double(tweak: u128) -> u128 {
    let carry = (tweak.cast_signed() >> 127).cast_unsigned();
    (tweak << 1) ^ (carry & 0x87)
}
