//! QEMU's crypto API as a library of its own, behind a C ABI.
//!
//! The C interface is the product; the Rust items are what it is made of and carry no promise of stability. The tree,
//! each part using only those below it:
//!
//! - [`capi`]: the C names, one file per QEMU header: check, call, convert
//! - [`ivgen`], [`afsplit`]: the IVs of sectors, keys spread over stripes
//! - [`cipher`](mod@cipher): algorithm x mode x key, the IV between calls, one backend
//! - [`hash`], [`hmac`], [`pbkdf`], [`random`]: the rest of the family, each small
//! - `backend`: who supports what, how one is chosen
//! - `sys`: foreign functions, for the backends
//! - `xts`, `modes`: the modes over any block cipher, many blocks a pass
//! - `aes`: the modes with AES on the CPU's own instructions
//! - `serpent`, `twofish`, `sm4`, `des`, `cast5`: ciphers where the library core is too slow
//! - `wide`: ciphers that work on many blocks side by side, as the modes see them
//! - `kernel`: what a mode kernel is, and the table of them that each key carries
//! - `chain`: chains of HMACs, the inner loop of PBKDF2, over any hash
//! - `md5`, `sha1`, `sha2`: the hashes of such chains, SHA on the CPU's own instructions
//! - `iv`: the state a mode carries from call to call
//! - `cpu`: what the CPU can run
//! - `scrub`: wiping what no destructor knows of
//! - [`algorithm`], [`error`]: known to all

#![allow(rustdoc::private_intra_doc_links, reason = "the docs are for those who change this")]

#[allow(unsafe_code, reason = "instructions that not every CPU has, raw loads and stores")]
mod aes;
pub mod afsplit;
pub mod algorithm;
mod backend;
#[allow(unsafe_code, reason = "the C edge: raw pointers in, C symbols out")]
pub mod capi;
#[allow(unsafe_code, reason = "instructions that not every CPU has, raw loads and stores")]
mod cast5;
mod chain;
pub mod cipher;
#[allow(unsafe_code, reason = "asks the C library about the process")]
mod cpu;
#[allow(unsafe_code, reason = "instructions that not every CPU has, raw loads and stores")]
mod des;
pub mod error;
#[cfg(test)]
#[allow(unsafe_code, reason = "maps pages")]
mod guarded_tests;
pub mod hash;
pub mod hmac;
mod iv;
pub mod ivgen;
mod kernel;
mod md5;
mod modes;
pub mod pbkdf;
pub mod random;
mod scrub;
#[allow(unsafe_code, reason = "instructions that not every CPU has, raw loads and stores")]
mod serpent;
#[allow(unsafe_code, reason = "instructions that not every CPU has")]
mod sha1;
#[allow(unsafe_code, reason = "instructions that not every CPU has")]
mod sha2;
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
#[allow(unsafe_code, reason = "instructions that not every CPU has")]
mod sm4;
#[cfg(any(feature = "gcrypt", feature = "nettle"))]
#[allow(unsafe_code, reason = "foreign functions")]
mod sys;
#[cfg(feature = "test-hooks")]
pub mod test_hooks;
#[allow(unsafe_code, reason = "instructions that not every CPU has")]
mod twofish;
#[allow(unsafe_code, reason = "raw loads and stores")]
mod wide;
mod xts;
