//! Key Locker (Intel, document 343965): AES with handles in place of keys.
//!
//! A handle is a key that the CPU has encrypted with a wrapping key that no program can read. The instructions take handles
//! and say by a flag that they refuse one: where it was changed, or where the wrapping key is another by now. The value
//! that they leave then is no ciphertext, so that no result is looked at before its flag.

use std::arch::x86_64::*;

use crate::cpu::KeyLocker;

/// Bytes of a block.
pub(crate) const BLOCK: usize = 16;

/// Blocks that one instruction does.
pub(crate) const WIDE: usize = 8;

/// Of a handle: it does not decrypt.
const NO_DECRYPT: u32 = 1 << 2;

/// The CPU refused a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Refused;

/// A key that is nowhere in memory. Handles are no secret to others than those that may run code here.
pub(crate) struct Handle {
    bytes: [u8; 64],
    is_256: bool,
    _cpu: KeyLocker,
}

/// An instruction for each length of key, in one direction: one block, and eight.
struct Instructions {
    one: unsafe fn(&[u8; 64], &mut [u8; BLOCK]) -> u8,
    wide: unsafe fn(&[u8; 64], &mut [[u8; BLOCK]; WIDE]) -> u8,
}

impl Handle {
    /// Has the CPU wrap a key of 16 or 32 bytes. Of the key itself nothing is kept.
    pub(crate) fn new(cpu: KeyLocker, key: &[u8]) -> Self {
        Self::restricted(cpu, key, 0)
    }

    /// [`Handle::new`] of a key that only ever encrypts, which the CPU enforces where it can.
    pub(crate) fn encrypting(cpu: KeyLocker, key: &[u8]) -> Self {
        Self::restricted(cpu, key, if cpu.has_no_decrypt() { NO_DECRYPT } else { 0 })
    }

    fn restricted(cpu: KeyLocker, key: &[u8], restrictions: u32) -> Self {
        let mut handle = Self { bytes: [0; 64], is_256: key.len() == 32, _cpu: cpu };
        // SAFETY: the token proves that the CPU has the instructions.
        unsafe { wrap(key, restrictions, &mut handle.bytes) };
        handle
    }

    /// Encrypts blocks. Where the handle is refused, they are left as they were, or some of them encrypted.
    pub(crate) fn encrypt(&self, blocks: &mut [[u8; BLOCK]]) -> Result<(), Refused> {
        let instructions = if self.is_256 {
            Instructions { one: encrypt_256, wide: encrypt_wide_256 }
        } else {
            Instructions { one: encrypt_128, wide: encrypt_wide_128 }
        };
        self.run(&instructions, blocks)
    }

    /// The inverse of [`Handle::encrypt`].
    pub(crate) fn decrypt(&self, blocks: &mut [[u8; BLOCK]]) -> Result<(), Refused> {
        let instructions = if self.is_256 {
            Instructions { one: decrypt_256, wide: decrypt_wide_256 }
        } else {
            Instructions { one: decrypt_128, wide: decrypt_wide_128 }
        };
        self.run(&instructions, blocks)
    }

    fn run(&self, instructions: &Instructions, blocks: &mut [[u8; BLOCK]]) -> Result<(), Refused> {
        let (groups, rest) = blocks.as_chunks_mut();
        for group in groups {
            // SAFETY: the token proves that the CPU has the instructions.
            check(unsafe { (instructions.wide)(&self.bytes, group) })?;
        }
        for block in rest {
            // SAFETY: as above.
            check(unsafe { (instructions.one)(&self.bytes, block) })?;
        }
        Ok(())
    }
}

/// The zero flag says that the handle was refused.
fn check(zero_flag: u8) -> Result<(), Refused> {
    if zero_flag == 0 { Ok(()) } else { Err(Refused) }
}

#[target_feature(enable = "kl,widekl")]
fn wrap(key: &[u8], restrictions: u32, handle: &mut [u8; 64]) {
    let half = |half: &[u8; BLOCK]| {
        // SAFETY: 16 bytes are read, at any alignment.
        unsafe { _mm_loadu_si128(half.as_ptr().cast()) }
    };
    match key.as_chunks().0 {
        [key] => {
            // SAFETY: 48 bytes are written, of 64.
            unsafe { _mm_encodekey128_u32(restrictions, half(key), handle.as_mut_ptr()) };
        }
        [low, high] => {
            // SAFETY: 64 bytes are written.
            unsafe {
                _mm_encodekey256_u32(restrictions, half(low), half(high), handle.as_mut_ptr())
            };
        }
        _ => unreachable!("keys have 16 or 32 bytes"),
    }
}

/// Defines the function around an instruction that does one block. The block is written only if the handle was taken.
macro_rules! one {
    ($($name:ident = $intrinsic:ident;)*) => {$(
        #[target_feature(enable = "kl,widekl")]
        fn $name(handle: &[u8; 64], block: &mut [u8; BLOCK]) -> u8 {
            // SAFETY: 16 bytes are read, at any alignment.
            let input = unsafe { _mm_loadu_si128(block.as_ptr().cast()) };
            let mut output = _mm_setzero_si128();
            // SAFETY: the handle has the 48 or 64 bytes that are read, and the output is one register.
            let zero_flag = unsafe { $intrinsic(&raw mut output, input, handle.as_ptr()) };
            if zero_flag == 0 {
                // SAFETY: 16 bytes are written, at any alignment.
                unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), output) };
            }
            zero_flag
        }
    )*};
}

/// The same for eight blocks.
macro_rules! wide {
    ($($name:ident = $intrinsic:ident;)*) => {$(
        #[target_feature(enable = "kl,widekl")]
        fn $name(handle: &[u8; 64], blocks: &mut [[u8; BLOCK]; WIDE]) -> u8 {
            let input: [__m128i; WIDE] = std::array::from_fn(|i| {
                // SAFETY: 16 bytes are read, at any alignment.
                unsafe { _mm_loadu_si128(blocks[i].as_ptr().cast()) }
            });
            let mut output = [_mm_setzero_si128(); WIDE];
            let (from, to) = (input.as_ptr(), output.as_mut_ptr());
            // SAFETY: the handle has the 48 or 64 bytes that are read; input and output are eight registers each.
            let zero_flag = unsafe { $intrinsic(to, from, handle.as_ptr()) };
            if zero_flag == 0 {
                for (block, output) in blocks.iter_mut().zip(output) {
                    // SAFETY: 16 bytes are written, at any alignment.
                    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), output) };
                }
            }
            zero_flag
        }
    )*};
}

one! {
    encrypt_128 = _mm_aesenc128kl_u8;
    encrypt_256 = _mm_aesenc256kl_u8;
    decrypt_128 = _mm_aesdec128kl_u8;
    decrypt_256 = _mm_aesdec256kl_u8;
}

wide! {
    encrypt_wide_128 = _mm_aesencwide128kl_u8;
    encrypt_wide_256 = _mm_aesencwide256kl_u8;
    decrypt_wide_128 = _mm_aesdecwide128kl_u8;
    decrypt_wide_256 = _mm_aesdecwide256kl_u8;
}
