//! The self-test: a CPU may say that it has Key Locker and hold no wrapping key, or not the one it held a moment ago.

use cipher::consts::U16;
use cipher::{Array, BlockCipherEncrypt, KeyInit};

use super::{AES_128, AES_256, BLOCK, GROUP, Handle, Use};
use crate::cpu::KeyLocker;

/// Whether handles of both sizes encrypt and decrypt as AES does, and are as restricted as they should be.
pub(crate) fn works(cpu: KeyLocker) -> bool {
    works_as::<aes::Aes128, AES_128>(cpu) && works_as::<aes::Aes256, AES_256>(cpu)
}

/// Whether handles of this size do what the cipher of the `aes` crate does.
fn works_as<C, const LEN: usize>(cpu: KeyLocker) -> bool
where
    C: KeyInit + BlockCipherEncrypt<BlockSize = U16>,
{
    let key: [u8; 32] = std::array::from_fn(|i| i as u8);
    let key = &key[..Handle::<LEN>::KEY_LEN];
    // Enough for each instruction: a group, and one block more.
    let plaintext: [[u8; BLOCK]; GROUP + 1] = std::array::from_fn(|i| [i as u8; BLOCK]);
    let plaintext = plaintext.as_flattened();

    let Ok(cipher) = C::new_from_slice(key) else { return false };
    let mut expected = plaintext.to_vec();
    let (blocks, _) = Array::slice_as_chunks_mut(&mut expected);
    cipher.encrypt_blocks(blocks);

    let mut data = plaintext.to_vec();
    let handle = Handle::<LEN>::new(cpu, key, Use::Both);
    let encrypts = handle.encrypt(&mut data).is_ok() && data == expected;
    let decrypts = handle.decrypt(&mut data).is_ok() && data == plaintext;

    let restricted = Handle::<LEN>::new(cpu, key, Use::Encryption);
    let still_encrypts = restricted.encrypt(&mut data).is_ok() && data == expected;
    let is_restricted = restricted.decrypt(&mut data).is_err() == cpu.can_forbid_decryption();
    encrypts && decrypts && still_encrypts && is_restricted
}
