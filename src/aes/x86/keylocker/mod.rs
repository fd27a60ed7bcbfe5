//! AES with key handles: Key Locker of x86-64 (Intel's document 343965, "Key Locker Specification").
//!
//! A handle is a key that the CPU encrypted and authenticated with a wrapping key of its own, which no program can read.
//! Once it is made, neither the key nor a key schedule needs to be in memory.
//!
//! The CPU refuses a handle that is not one of its making: bits have changed, or the wrapping key has, as it does when a
//! machine wakes up and nobody put it back. That can happen at any time, between two blocks of one call too. The
//! instruction then says so in a flag, and its result is its operand, unchanged; in XTS that is the plaintext but for a
//! tweak. So here nothing is done with a result before the flag was looked at.
//!
//! - `modes`: the modes over handles
//! - `self_test`: whether the instructions do what they should on the machine at hand

mod modes;
mod self_test;

use std::arch::x86_64::{
    __m128i, _mm_aesdec128kl_u8, _mm_aesdec256kl_u8, _mm_aesdecwide128kl_u8,
    _mm_aesdecwide256kl_u8, _mm_aesenc128kl_u8, _mm_aesenc256kl_u8, _mm_aesencwide128kl_u8,
    _mm_aesencwide256kl_u8, _mm_encodekey128_u32, _mm_encodekey256_u32, _mm_loadu_si128,
    _mm_setzero_si128, _mm_storeu_si128,
};

use zeroize::Zeroize;

use crate::cpu::KeyLocker;

pub(crate) use modes::{Kernel, cbc_decrypt, cbc_encrypt, ctr, ecb_decrypt, ecb_encrypt};
pub(crate) use modes::{xts_decrypt, xts_encrypt};
pub(crate) use self_test::works;

/// Bytes of a handle of AES-128.
pub(crate) const AES_128: usize = 48;
/// Bytes of a handle of AES-256.
pub(crate) const AES_256: usize = 64;

/// Bytes of a block.
const BLOCK: usize = 16;

/// Blocks that one instruction works on at a time.
const GROUP: usize = 8;

/// Makes a handle that cannot decrypt.
const NO_DECRYPTION: u32 = 1 << 2;

/// The CPU did not take a handle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused;

/// What a handle is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Both directions.
    Both,
    /// Encryption, and nothing else on a CPU that can make such handles.
    Encryption,
}

/// A key handle and the proof that the CPU can use it. `LEN` is [`AES_128`] or [`AES_256`].
///
/// Wiped in the end, since for programs on this machine it is as good as the key while the wrapping key lasts.
pub(crate) struct Handle<const LEN: usize> {
    cpu: KeyLocker,
    bytes: [u8; LEN],
}

impl<const LEN: usize> Handle<LEN> {
    /// Bytes of the key proper: what the handle has besides two blocks of its own.
    const KEY_LEN: usize = LEN - 2 * BLOCK;

    /// Has the CPU make a handle. The key goes from where it is into registers, which the handle then overwrites.
    ///
    /// # Panics
    /// If the length is not the one of this key size, which callers checked.
    pub(crate) fn new(cpu: KeyLocker, key: &[u8], purpose: Use) -> Self {
        assert_eq!(key.len(), Self::KEY_LEN, "length of a key for a handle of {LEN} bytes");
        let restriction = match purpose {
            Use::Encryption if cpu.can_forbid_decryption() => NO_DECRYPTION,
            _ => 0,
        };
        let mut handle = Self { cpu, bytes: [0; LEN] };
        // SAFETY: the token proves that the CPU and the operating system run these instructions.
        unsafe { encode(restriction, key, &mut handle.bytes) };
        handle
    }

    /// Encrypts whole blocks, each by itself. Where that fails, some of them may be encrypted already.
    ///
    /// # Errors
    /// The CPU refused the handle.
    fn encrypt(&self, blocks: &mut [u8]) -> Result<(), Refused> {
        self.crypt::<false>(blocks)
    }

    /// Decrypts whole blocks; else as [`Handle::encrypt`].
    fn decrypt(&self, blocks: &mut [u8]) -> Result<(), Refused> {
        self.crypt::<true>(blocks)
    }

    fn crypt<const DECRYPT: bool>(&self, blocks: &mut [u8]) -> Result<(), Refused> {
        let _: KeyLocker = self.cpu;
        let (groups, rest) = blocks.as_chunks_mut();
        for group in groups {
            // SAFETY: the token above proves that the CPU and the operating system run these instructions.
            unsafe { eight::<LEN, DECRYPT>(&self.bytes, group) }?;
        }
        let (singles, rest) = rest.as_chunks_mut();
        debug_assert!(rest.is_empty(), "{} bytes past the last whole block", rest.len());
        for block in singles {
            // SAFETY: as above.
            unsafe { one::<LEN, DECRYPT>(&self.bytes, block) }?;
        }
        Ok(())
    }
}

impl<const LEN: usize> Drop for Handle<LEN> {
    fn drop(&mut self) {
        self.bytes.as_mut_slice().zeroize();
    }
}

/// Makes a handle of a key, whose length goes with the handle's.
#[target_feature(enable = "kl,widekl")]
fn encode<const LEN: usize>(restriction: u32, key: &[u8], handle: &mut [u8; LEN]) {
    let (halves, _) = key.as_chunks();
    let low = load(&halves[0]);
    let handle = handle.as_mut_ptr();
    if LEN == AES_128 {
        // SAFETY: as many bytes may be written, and the restriction is one that the CPU has.
        unsafe { _mm_encodekey128_u32(restriction, low, handle) };
    } else {
        let high = load(&halves[1]);
        // SAFETY: as above.
        unsafe { _mm_encodekey256_u32(restriction, low, high, handle) };
    }
}

/// One block.
#[target_feature(enable = "kl,widekl")]
fn one<const LEN: usize, const DECRYPT: bool>(
    handle: &[u8; LEN],
    block: &mut [u8; BLOCK],
) -> Result<(), Refused> {
    let run = match (LEN, DECRYPT) {
        (AES_128, false) => _mm_aesenc128kl_u8,
        (AES_128, true) => _mm_aesdec128kl_u8,
        (_, false) => _mm_aesenc256kl_u8,
        (_, true) => _mm_aesdec256kl_u8,
    };
    let input = load(block);
    let mut result = _mm_setzero_si128();
    // SAFETY: the handle has the length that the instruction reads.
    let refused = unsafe { run(&raw mut result, input, handle.as_ptr()) };
    check(refused)?;
    store(result, block);
    Ok(())
}

/// Eight blocks at a time.
#[target_feature(enable = "kl,widekl")]
fn eight<const LEN: usize, const DECRYPT: bool>(
    handle: &[u8; LEN],
    group: &mut [u8; GROUP * BLOCK],
) -> Result<(), Refused> {
    let run = match (LEN, DECRYPT) {
        (AES_128, false) => _mm_aesencwide128kl_u8,
        (AES_128, true) => _mm_aesdecwide128kl_u8,
        (_, false) => _mm_aesencwide256kl_u8,
        (_, true) => _mm_aesdecwide256kl_u8,
    };
    let (blocks, _) = group.as_chunks_mut();
    let mut input = [_mm_setzero_si128(); GROUP];
    for (register, block) in input.iter_mut().zip(&*blocks) {
        *register = load(block);
    }
    let mut results = [_mm_setzero_si128(); GROUP];
    // SAFETY: eight registers may be read and eight written, and the handle has the length that the instruction reads.
    let refused = unsafe { run(results.as_mut_ptr(), input.as_ptr(), handle.as_ptr()) };
    check(refused)?;
    for (result, block) in results.into_iter().zip(blocks) {
        store(result, block);
    }
    Ok(())
}

/// Looks at the zero flag, as an instruction left it.
fn check(zero_flag: u8) -> Result<(), Refused> {
    if zero_flag == 0 { Ok(()) } else { Err(Refused) }
}

/// A block as a register.
#[target_feature(enable = "sse2")]
fn load(block: &[u8; BLOCK]) -> __m128i {
    // SAFETY: a block is there to be read; the instruction takes any address.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

/// A register as a block.
#[target_feature(enable = "sse2")]
fn store(register: __m128i, block: &mut [u8; BLOCK]) {
    // SAFETY: a block is there to be written; the instruction takes any address.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), register) };
}
