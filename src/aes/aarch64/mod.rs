//! AES on AArch64.
//!
//! - `key`: the expansion of keys
//! - `ce`: the Cryptographic Extension of ARMv8-A

use std::arch::aarch64::{uint8x16_t, vcombine_u64, vcreate_u64, vreinterpretq_u8_u64};

mod ce;
mod key;

pub(super) use ce::Neon as One;
pub(super) use key::expand;

/// The proof that every key has: the least that kernels need.
pub(crate) use crate::cpu::Aarch64Ce as Base;

/// A block in a register.
pub(super) type Block = uint8x16_t;

/// A block of two halves.
#[inline(always)]
pub(super) fn join(low: u64, high: u64) -> Block {
    // SAFETY: NEON is part of every AArch64 target that this is compiled for.
    unsafe { vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high))) }
}
