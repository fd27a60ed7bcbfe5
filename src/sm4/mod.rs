//! SM4 (GB/T 32907-2016) in constant time, with an S-box that is computed: it is an inversion in a field of 256 elements
//! between two affine maps. All such fields are the same but for the names of their elements, so that the inversion can be
//! AES's, which CPUs have.

mod maps;
pub(crate) mod x86;
