//! Key handles as the CPU makes them (Intel's document 343965, appendix A.5).
//!
//! A handle is AES-256-GCM-SIV (RFC 8452) of the key, with two keys that never change where RFC 8452 derives them from a
//! nonce, and zero for the nonce: 16 bytes of associated data, 16 of tag, then the encrypted key. The associated data
//! tells what the handle may not be used for, and the size of the key.

use aes::Aes256;
use cipher::{BlockCipherEncrypt, KeyInit};
use polyval::Polyval;
use polyval::universal_hash::UniversalHash;

/// Bytes of a block.
pub const BLOCK: usize = 16;

/// Restrictions: not at privilege levels other than 0, not for encryption, not for decryption.
pub const CPL0_ONLY: u32 = 1 << 0;
pub const NO_ENCRYPTION: u32 = 1 << 1;
pub const NO_DECRYPTION: u32 = 1 << 2;

/// Where the associated data has the size of the key.
const SIZE_SHIFT: u32 = 24;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    Aes128 = 0,
    Aes256 = 1,
}

impl Size {
    pub const BOTH: [Self; 2] = [Self::Aes128, Self::Aes256];

    pub const fn key_len(self) -> usize {
        match self {
            Self::Aes128 => 16,
            Self::Aes256 => 32,
        }
    }

    pub const fn handle_len(self) -> usize {
        2 * BLOCK + self.key_len()
    }
}

/// What the CPU holds and never gives away.
#[derive(Clone, Copy)]
pub struct WrappingKey {
    pub integrity: [u8; 16],
    pub encryption: [u8; 32],
}

impl WrappingKey {
    /// A handle of a key, which fills the first [`Size::handle_len`] bytes.
    pub fn wrap(&self, size: Size, restrictions: u32, key: &[u8]) -> [u8; 64] {
        let mut data = [0; BLOCK];
        data[..4].copy_from_slice(&(restrictions | (size as u32) << SIZE_SHIFT).to_le_bytes());
        let mut handle = [0; 64];
        let tag = self.tag(0, &data, key);
        handle[..16].copy_from_slice(&data);
        handle[16..32].copy_from_slice(&tag);
        handle[32..size.handle_len()].copy_from_slice(key);
        self.crypt(&tag, &mut handle[32..size.handle_len()]);
        handle
    }

    /// The key of a handle and its restrictions, unless something is wrong with it.
    pub fn unwrap(&self, size: Size, handle: &[u8]) -> Option<([u8; 32], u32)> {
        let (data, rest) = handle[..size.handle_len()].split_first_chunk::<BLOCK>()?;
        let (tag, encrypted) = rest.split_first_chunk::<BLOCK>()?;
        let fields = u128::from_le_bytes(*data);
        let restrictions = fields & u128::from(CPL0_ONLY | NO_ENCRYPTION | NO_DECRYPTION);
        if fields != restrictions | (size as u128) << SIZE_SHIFT {
            return None;
        }
        let mut key = [0; 32];
        let part = &mut key[..size.key_len()];
        part.copy_from_slice(encrypted);
        self.crypt(tag, part);
        let restrictions = u32::try_from(restrictions).ok()?;
        (self.tag(0, data, part) == *tag).then_some((key, restrictions))
    }

    /// The tag of RFC 8452 section 4, before which the keys are derived.
    pub fn tag(&self, nonce: u128, data: &[u8], text: &[u8]) -> [u8; BLOCK] {
        let bits = |bytes: &[u8]| bytes.len() as u128 * 8;
        let lengths = bits(data) | bits(text) << 64;
        let blocks = data.chunks(BLOCK).chain(text.chunks(BLOCK)).map(number).chain([lengths]);
        let mut sum = Polyval::new(&self.integrity.into());
        blocks.for_each(|block| sum.update(&[block.to_le_bytes().into()]));
        let sum = u128::from_le_bytes(sum.finalize().into());
        self.encrypt((sum ^ nonce) & !(1 << 127))
    }

    /// Encrypts or decrypts with the key stream of a tag.
    pub fn crypt(&self, tag: &[u8; BLOCK], text: &mut [u8]) {
        let first = number(tag) | 1 << 127;
        for (i, part) in (0_u32..).zip(text.chunks_mut(BLOCK)) {
            // The counter is the low 32 bits alone.
            let low = (first as u32).wrapping_add(i);
            let stream = self.encrypt(first >> 32 << 32 | u128::from(low));
            part.iter_mut().zip(stream).for_each(|(byte, key)| *byte ^= key);
        }
    }

    fn encrypt(&self, block: u128) -> [u8; BLOCK] {
        let mut block = block.to_le_bytes().into();
        Aes256::new(&self.encryption.into()).encrypt_block(&mut block);
        block.into()
    }
}

/// At most a block as a little-endian number.
fn number(bytes: &[u8]) -> u128 {
    let mut block = [0; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(block)
}
