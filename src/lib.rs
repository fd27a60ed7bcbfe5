//! QEMU's crypto API as a library of its own, behind a C ABI.
//!
//! The C interface is the product; the Rust items are what it is made of and carry no promise of stability. The tree,
//! each part using only those below it:
//!
//! - [`capi`]: the C names, one file per QEMU header: check, call, convert
//! - [`cipher`](mod@cipher): algorithm x mode x key, the IV between calls, one backend
//! - `backend`: who supports what, how one is chosen
//! - `kernel`: what a mode kernel is, and the table of them that each key carries
//! - `xts`, `modes`: the modes over any block cipher, many blocks a pass
//! - `iv`: the state a mode carries from call to call
//! - [`algorithm`], [`error`]: known to all

pub mod afsplit;
pub mod algorithm;
mod backend;
#[allow(unsafe_code, reason = "the C edge: raw pointers in, C symbols out")]
pub mod capi;
pub mod cipher;
pub mod error;
pub mod hash;
pub mod hmac;
mod iv;
pub mod ivgen;
mod kernel;
mod modes;
pub mod pbkdf;
pub mod random;
#[cfg(feature = "test-hooks")]
pub mod test_hooks;
mod xts;
