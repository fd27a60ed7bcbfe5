//! QEMU's crypto API as a library of its own, behind a C ABI.
//!
//! The C interface is the product; the Rust items are what it is made of and carry no promise of stability. The tree,
//! each part using only those below it:
//!
//! - [`capi`]: the C names, one file per QEMU header: check, call, convert
//! - [`cipher`](mod@cipher): algorithm x mode x key, the IV between calls, one backend
//! - `backend`: who supports what, how one is chosen
//! - `xts`, `modes`: the modes over any block cipher, many blocks a pass
//! - `aes`: the modes with AES on the CPU's own instructions
//! - `kernel`: what a mode kernel is, and the table of them that each key carries
//! - `iv`: the state a mode carries from call to call
//! - `cpu`: what the CPU can run
//! - [`algorithm`], [`error`]: known to all

#![allow(rustdoc::private_intra_doc_links, reason = "the docs are for those who change this")]

#[allow(unsafe_code, reason = "instructions that not every CPU has, raw loads and stores")]
mod aes;
pub mod algorithm;
mod backend;
#[allow(unsafe_code, reason = "the C edge: raw pointers in, C symbols out")]
pub mod capi;
pub mod cipher;
#[allow(unsafe_code, reason = "asks the C library about the process")]
mod cpu;
pub mod error;
mod iv;
mod kernel;
mod modes;
#[cfg(feature = "test-hooks")]
pub mod test_hooks;
mod xts;
