//! SHA-2 (FIPS 180-4), for chains of HMACs.
//!
//! - `sha256`: SHA-224 and SHA-256, of 32-bit words
//! - `sha512`: SHA-384 and SHA-512, of 64-bit words

mod sha256;
mod sha512;

pub(crate) use sha256::{Sha224, Sha256};
pub(crate) use sha512::{Sha384, Sha512};
