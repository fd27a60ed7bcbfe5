//! AES on x86-64: one file per instruction set, and what they share.
//!
//! - `key`: the expansion of keys
//! - `aesni`, `vaes256`, `vaes512`: the instruction sets
//! - `keylocker`: AES with handles in place of keys, apart from all of the above

use std::arch::x86_64::{__m128i, _mm_set_epi64x};

mod aesni;
mod key;
#[cfg(feature = "keylocker")]
pub(crate) mod keylocker;
mod vaes256;
mod vaes512;

pub(super) use aesni::Xmm as One;
pub(super) use key::expand;

/// The proof that every key has: the least that kernels need.
pub(crate) use crate::cpu::Aesni as Base;

/// A block in a register.
pub(super) type Block = __m128i;

/// A block of two halves.
#[inline(always)]
pub(super) fn join(low: u64, high: u64) -> Block {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set_epi64x(high as i64, low as i64) }
}
