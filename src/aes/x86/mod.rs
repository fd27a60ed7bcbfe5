//! AES on x86-64: one file per instruction set, and what they share.
//!
//! A mode is written once, over [`lanes::Lanes`], a register of one, two or four blocks. An instruction set's file says
//! what its registers can do, lists the kernels it compiles and puts them in a table on top of the narrower one's.
//!
//! - `key`: expanded keys, with the proof that the CPU can use them
//! - `lanes`: a register of blocks, and the rounds over several of them
//! - `stream`: a call's data, cut into groups of registers
//! - `modes`, `xts`: the bodies of the kernels
//! - `sectors`: the bodies of those over sectors with an IV each
//! - `aesni`, `vaes256`, `vaes512`: the instruction sets
//! - `keylocker`: AES with handles in place of keys, apart from all of the above
//!
//! Everything between a kernel's entry and its last instruction is `inline(always)`: a body has no instruction set of
//! its own, it is compiled for the one of the entry it ends up in.

/// Defines kernels: safe functions for the table of a key, each compiled for the instruction set that the key proves;
/// first those over the data of a call, then those over sectors.
///
/// `$features` is what `$cpu` is a proof of, and no more.
macro_rules! kernels {
    ($cpu:ty, $features:literal:
        data { $($data:ident: $data_key:ty = $data_body:expr;)* }
        sectors { $($sectors:ident: $sectors_key:ty = $sectors_body:expr;)* }
    ) => {
        $(kernels! {
            @kernel $cpu, $features, $data: $data_key = $data_body,
            (iv: &mut crate::iv::Iv, data: inout::InOutBuf<'_, '_, u8>)
        })*
        $(kernels! {
            @kernel $cpu, $features, $sectors: $sectors_key = $sectors_body,
            (sectors: crate::kernel::Sectors<'_, '_, '_>)
        })*
    };
    (@kernel $cpu:ty, $features:literal, $name:ident: $key:ty = $body:expr,
        ($($argument:ident: $type:ty),*)
    ) => {
        fn $name<P: Copy + Into<$cpu>, const N: usize>(key: &$key, $($argument: $type),*) {
            #[target_feature(enable = $features)]
            fn compiled<P: Copy + Into<$cpu>, const N: usize>(
                key: &$key,
                $($argument: $type),*
            ) {
                $body(key, $($argument),*);
            }
            let _: $cpu = key.cpu().into();
            // SAFETY: the token above proves that the CPU and the operating system run these instructions.
            unsafe { compiled(key, $($argument),*) }
        }
    };
}

mod aesni;
mod key;
#[cfg(feature = "keylocker")]
pub(crate) mod keylocker;
mod lanes;
mod modes;
mod sectors;
mod stream;
mod vaes256;
mod vaes512;
mod xts;

pub(crate) use key::Key;
