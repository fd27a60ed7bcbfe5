//! AES on the CPU's own instructions: expanded keys and the mode kernels over them.
//!
//! A mode is written once, over [`lanes::Lanes`], a register of one, two or four blocks. An instruction set's file says
//! what its registers can do, lists the kernels it compiles and puts them in a table on top of the narrower one's.
//!
//! - `key`: expanded keys, with the proof that the CPU can use them
//! - `lanes`: a register of blocks, and the rounds over several of them
//! - `stream`: a call's data, cut into groups of registers
//! - `modes`, `xts`: the bodies of the kernels
//! - `sectors`: the bodies of those over sectors with an IV each
//! - `x86`, `aarch64`: the instruction sets, and what is particular to their architecture
//!
//! Everything between a kernel's entry and its last instruction is `inline(always)`: a body has no instruction set of
//! its own, it is compiled for the one of the entry it ends up in.
//!
//! The portable level is not here: it is the `aes` crate under the generic kernels.

#![cfg(all(
    any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")),
    not(aes_backend = "soft")
))]

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

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod key;
mod lanes;
mod modes;
mod sectors;
mod stream;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;
mod xts;

#[cfg(target_arch = "aarch64")]
use aarch64 as arch;
#[cfg(target_arch = "x86_64")]
use x86 as arch;

pub(crate) use arch::Base;
pub(crate) use key::Key;
