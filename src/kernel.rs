//! Mode kernels and the table of them that each key carries.
//!
//! A kernel is one mode in one direction for one way of running one cipher. Which kernels serve a key is settled once,
//! when the key is set: later calls jump through a pointer and ask nothing about the CPU. A table starts from the
//! generic kernels of `modes` and `xts`; code for an instruction set replaces the entries it speeds up.

use std::ffi::CStr;

use inout::InOutBuf;

use crate::iv::Iv;

/// Encrypts or decrypts whole blocks from the input half of `data` to its output half, which may be one buffer.
///
/// `iv` is the mode's state: CBC and CTR leave it where the next call goes on, XTS and ECB leave it alone. The length
/// is a multiple of the cipher's block length; callers check.
pub(crate) type Kernel<K> = fn(key: &K, iv: &mut Iv, data: InOutBuf<'_, '_, u8>);

/// The two directions of a mode.
pub(crate) struct Directions<K> {
    pub(crate) encrypt: Kernel<K>,
    pub(crate) decrypt: Kernel<K>,
}

/// The kernels of a cipher whose expanded key is a `K`.
pub(crate) struct Kernels<K> {
    /// What users see of it: the backend, then the instruction set or `portable`.
    pub(crate) name: &'static CStr,
    pub(crate) ecb: Directions<K>,
    pub(crate) cbc: Directions<K>,
    pub(crate) ctr: Directions<K>,
    /// None for ciphers whose blocks are not 16 bytes long.
    pub(crate) xts: Option<Directions<XtsKey<K>>>,
}

/// The two keys of XTS: one for the data, one that makes tweaks.
pub(crate) struct XtsKey<K> {
    pub(crate) data: K,
    pub(crate) tweak: K,
}
