//! AES on the CPU's own instructions: expanded keys and the mode kernels over them.
//!
//! The portable level is not here: it is the `aes` crate under the generic kernels.

#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
pub(crate) mod x86;
