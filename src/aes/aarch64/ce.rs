//! The Cryptographic Extension of ARMv8-A: a block in a 128-bit register, of which there are 32.
//!
//! `AESE` and `AESMC`, the two halves of a round, are one operation for most cores where they stand next to each other and
//! on one register; [`Lanes::pin`] keeps the pairs of different blocks apart.

use std::arch::aarch64::{
    uint8x16_t, vaddq_u8, vaddq_u64, vaesdq_u8, vaeseq_u8, vaesimcq_u8, vaesmcq_u8, vcgtq_u64,
    vcombine_u8, vdup_n_p8, vdupq_n_s64, vdupq_n_u8, veorq_u8, vextq_u8, vget_high_u8, vget_low_u8,
    vld1q_u8, vmull_p8, vreinterpret_p8_u8, vreinterpretq_u8_p16, vreinterpretq_u8_u64,
    vreinterpretq_u64_u8, vrev64q_u8, vshlq_u64, vst1q_u8, vsubq_u64,
};
use std::arch::asm;
use std::ops::BitXor;

use zeroize::Zeroize;

use crate::aes::key::Key;
use crate::aes::lanes::{GROUP, LINE, Lanes, WIDEST, load_at, store_at, two_operands};
use crate::aes::{modes, sectors, xts};
use crate::cpu::Aarch64Ce;
use crate::kernel::{Directions, Kernels, XtsKey};

impl<P: Copy + Into<Aarch64Ce>, const N: usize> Kernels<Key<P, N>> {
    /// Every mode.
    pub(crate) const fn aarch64_ce() -> Self {
        Self {
            name: c"native/aarch64-ce",
            ecb: Directions::new(ecb_encrypt, ecb_decrypt),
            cbc: Directions::new(cbc_encrypt, cbc_decrypt)
                .with_sectors(Some(cbc_encrypt_sectors), Some(cbc_decrypt_sectors)),
            ctr: Directions::new(ctr, ctr).with_sectors(Some(ctr_sectors), Some(ctr_sectors)),
            xts: Some(
                Directions::new(xts_encrypt, xts_decrypt)
                    .with_sectors(Some(xts_encrypt_sectors), Some(xts_decrypt_sectors)),
            ),
        }
    }
}

kernels! { Aarch64Ce, "neon,aes":
    data {
        ecb_encrypt: Key<P, N> = modes::ecb_encrypt::<Neon, P, N>;
        ecb_decrypt: Key<P, N> = modes::ecb_decrypt::<Neon, P, N>;
        cbc_encrypt: Key<P, N> = modes::cbc_encrypt::<P, N>;
        cbc_decrypt: Key<P, N> = modes::cbc_decrypt::<Neon, P, N>;
        ctr: Key<P, N> = modes::ctr::<Neon, P, N>;
        xts_encrypt: XtsKey<Key<P, N>> = xts::encrypt::<Neon, P, N>;
        xts_decrypt: XtsKey<Key<P, N>> = xts::decrypt::<Neon, P, N>;
    }
    sectors {
        cbc_encrypt_sectors: Key<P, N> = sectors::cbc_encrypt::<Neon, P, N>;
        cbc_decrypt_sectors: Key<P, N> = sectors::cbc_decrypt::<Neon, P, N>;
        ctr_sectors: Key<P, N> = sectors::ctr::<Neon, P, N>;
        xts_encrypt_sectors: XtsKey<Key<P, N>> = sectors::xts_encrypt::<Neon, P, N>;
        xts_decrypt_sectors: XtsKey<Key<P, N>> = sectors::xts_decrypt::<Neon, P, N>;
    }
}

/// One block.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::aes) struct Neon(uint8x16_t);

impl From<Neon> for uint8x16_t {
    #[inline(always)]
    fn from(block: Neon) -> Self {
        block.0
    }
}

impl Lanes for Neon {
    type Cpu = Aarch64Ce;

    const BLOCKS: usize = 1;

    // Rather not: a schedule, a group and its tweaks together are too much, and what the compiler puts aside is not wiped.
    const IS_SPACIOUS: bool = false;

    const KEY_COMES_FIRST: bool = true;

    #[inline(always)]
    fn splat(_: Aarch64Ce, block: uint8x16_t) -> Self {
        Self(block)
    }

    #[inline(always)]
    unsafe fn load(_: Aarch64Ce, from: *const u8) -> Self {
        // SAFETY: the caller's; the instruction takes any alignment.
        Self(unsafe { vld1q_u8(from) })
    }

    #[inline(always)]
    unsafe fn load_part(_: Aarch64Ce, _: *const u8, _: usize) -> Self {
        unreachable!("no number of blocks is smaller than one and not none")
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's; the instruction takes any alignment.
        unsafe { vst1q_u8(to, self.0) };
    }

    #[inline(always)]
    unsafe fn store_part(self, _: *mut u8, _: usize) {
        unreachable!("no number of blocks is smaller than one and not none")
    }

    #[inline(always)]
    unsafe fn gather(cpu: Aarch64Ce, from: *const u8, offsets: &[usize; WIDEST]) -> Self {
        // SAFETY: the caller's.
        unsafe { load_at(cpu, from, offsets[0], 0) }
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *mut u8, offsets: &[usize; WIDEST]) {
        // SAFETY: the caller's.
        unsafe { store_at(self, to, offsets[0], 0) };
    }

    #[inline(always)]
    unsafe fn gather_line(
        cpu: Aarch64Ce,
        from: *const u8,
        offsets: &[usize; WIDEST],
    ) -> [Self; LINE] {
        // SAFETY: the caller's, for each block of the line.
        [0, 1, 2, 3].map(|i| unsafe { load_at(cpu, from, offsets[0], i) })
    }

    #[inline(always)]
    unsafe fn scatter_line(line: [Self; LINE], to: *mut u8, offsets: &[usize; WIDEST]) {
        for (i, block) in line.into_iter().enumerate() {
            // SAFETY: the caller's, for each block of the line.
            unsafe { store_at(block, to, offsets[0], i) };
        }
    }

    #[inline(always)]
    fn pin(self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { pin(self.0) })
    }

    two_operands! {
        encrypt = encrypt;
        encrypt_last = encrypt_last;
        decrypt = decrypt;
        decrypt_last = decrypt_last;
        add_bytes = vaddq_u8;
    }

    #[inline(always)]
    fn follow(self, before: Self) -> Self {
        before
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { reverse_bytes(self.0) })
    }

    #[inline(always)]
    fn add_small(self, small: Self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { add_small(self.0, small.0) })
    }

    #[inline(always)]
    fn begin<const ROUND: usize>(_: Aarch64Ce, first: uint8x16_t, tweaks: &mut [Self; GROUP]) {
        if let 1..=GROUP = ROUND {
            // SAFETY: a value of this type exists only where the CPU has the instructions.
            tweaks[ROUND - 1] = Self(unsafe { times_power(first, ROUND as i64 - 1) });
        }
    }

    #[inline(always)]
    fn advance<const ROUND: usize>(now: &[Self; GROUP], next: &mut [Self; GROUP], _: &mut Self) {
        if let 1..=GROUP = ROUND {
            // SAFETY: a value of this type exists only where the CPU has the instructions.
            next[ROUND - 1] = Self(unsafe { times_x8(now[ROUND - 1].0) });
        }
    }
}

impl BitXor for Neon {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { veorq_u8(self.0, other.0) })
    }
}

impl Zeroize for Neon {
    #[inline(always)]
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// [`Lanes::pin`]
#[inline]
#[target_feature(enable = "neon")]
fn pin(mut register: uint8x16_t) -> uint8x16_t {
    // SAFETY: no instruction is there.
    unsafe { asm!("/* {0:v} */", inout(vreg) register, options(nomem, nostack, preserves_flags)) };
    register
}

/// [`Lanes::encrypt`]
#[inline]
#[target_feature(enable = "neon,aes")]
fn encrypt(block: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
    vaesmcq_u8(vaeseq_u8(block, key))
}

/// [`Lanes::encrypt_last`]
#[inline]
#[target_feature(enable = "neon,aes")]
fn encrypt_last(block: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
    vaeseq_u8(block, key)
}

/// [`Lanes::decrypt`]
#[inline]
#[target_feature(enable = "neon,aes")]
fn decrypt(block: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
    vaesimcq_u8(vaesdq_u8(block, key))
}

/// [`Lanes::decrypt_last`]
#[inline]
#[target_feature(enable = "neon,aes")]
fn decrypt_last(block: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
    vaesdq_u8(block, key)
}

/// [`Lanes::reverse_bytes`]
#[inline]
#[target_feature(enable = "neon")]
fn reverse_bytes(block: uint8x16_t) -> uint8x16_t {
    let halves = vrev64q_u8(block);
    vextq_u8::<8>(halves, halves)
}

/// [`Lanes::add_small`]. The sum is the smaller one where it wrapped, which only the lower half can, the upper one of
/// `small` being zero; a comparison says yes by minus one.
#[inline]
#[target_feature(enable = "neon")]
fn add_small(number: uint8x16_t, small: uint8x16_t) -> uint8x16_t {
    let small = vreinterpretq_u64_u8(small);
    let sum = vaddq_u64(vreinterpretq_u64_u8(number), small);
    let wrapped = vreinterpretq_u8_u64(vcgtq_u64(small, sum));
    let carry = vextq_u8::<8>(vdupq_n_u8(0), wrapped);
    vreinterpretq_u8_u64(vsubq_u64(sum, vreinterpretq_u64_u8(carry)))
}

/// Multiplies a tweak by a power of x below 8: shifts both halves; what leaves the lower one enters the upper, and what
/// leaves that comes back in below.
#[inline]
#[target_feature(enable = "neon")]
fn times_power(tweak: uint8x16_t, power: i64) -> uint8x16_t {
    let shifted = vshlq_u64(vreinterpretq_u64_u8(tweak), vdupq_n_s64(power));
    let swapped = vreinterpretq_u64_u8(vextq_u8::<8>(tweak, tweak));
    let out = vreinterpretq_u8_u64(vshlq_u64(swapped, vdupq_n_s64(power - 64)));
    let entering = vcombine_u8(vget_low_u8(reduce(out)), vget_high_u8(out));
    veorq_u8(vreinterpretq_u8_u64(shifted), entering)
}

/// Multiplies a tweak by x^8: the byte shifted out comes back in below.
#[inline]
#[target_feature(enable = "neon")]
fn times_x8(tweak: uint8x16_t) -> uint8x16_t {
    let zero = vdupq_n_u8(0);
    let out = vextq_u8::<15>(tweak, zero);
    veorq_u8(vextq_u8::<15>(zero, tweak), reduce(out))
}

/// What the lowest byte comes back in as when it has left at the upper end: times x^7 + x^2 + x + 1. The seven bytes after it
/// must be zero.
#[inline]
#[target_feature(enable = "neon")]
fn reduce(out: uint8x16_t) -> uint8x16_t {
    let byte = vreinterpret_p8_u8(vget_low_u8(out));
    vreinterpretq_u8_p16(vmull_p8(byte, vdup_n_p8(0x87)))
}
