//! AES-NI: a block in a 128-bit register. Also what is serial in nature, or short, for the wider sets.

use std::arch::asm;
use std::arch::x86_64::{
    __m128i, _mm_add_epi8, _mm_add_epi64, _mm_aesdec_si128, _mm_aesdeclast_si128, _mm_aesenc_si128,
    _mm_aesenclast_si128, _mm_and_si128, _mm_bslli_si128, _mm_bsrli_si128, _mm_clmulepi64_si128,
    _mm_cmpgt_epi64, _mm_loadu_si128, _mm_set_epi8, _mm_set_epi64x, _mm_set1_epi64x,
    _mm_shuffle_epi8, _mm_shuffle_epi32, _mm_srai_epi32, _mm_storeu_si128, _mm_sub_epi64,
    _mm_xor_si128,
};
use std::ops::BitXor;

use zeroize::Zeroize;

use crate::aes::key::Key;
use crate::aes::lanes::{GROUP, LINE, Lanes, WIDEST, load_at, store_at, two_operands};
use crate::aes::{modes, sectors, xts};
use crate::cpu::Aesni;
use crate::kernel::{Directions, Kernels, XtsKey};

impl<P: Copy + Into<Aesni>, const N: usize> Kernels<Key<P, N>> {
    /// Every mode on 128-bit registers.
    pub(crate) const fn aesni() -> Self {
        Self {
            name: c"native/aesni",
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

kernels! { Aesni, "aes,pclmulqdq,ssse3,sse4.1,sse4.2":
    data {
        ecb_encrypt: Key<P, N> = modes::ecb_encrypt::<Xmm, P, N>;
        ecb_decrypt: Key<P, N> = modes::ecb_decrypt::<Xmm, P, N>;
        cbc_encrypt: Key<P, N> = modes::cbc_encrypt::<P, N>;
        cbc_decrypt: Key<P, N> = modes::cbc_decrypt::<Xmm, P, N>;
        ctr: Key<P, N> = modes::ctr::<Xmm, P, N>;
        xts_encrypt: XtsKey<Key<P, N>> = xts::encrypt::<Xmm, P, N>;
        xts_decrypt: XtsKey<Key<P, N>> = xts::decrypt::<Xmm, P, N>;
    }
    sectors {
        cbc_encrypt_sectors: Key<P, N> = sectors::cbc_encrypt::<Xmm, P, N>;
        cbc_decrypt_sectors: Key<P, N> = sectors::cbc_decrypt::<Xmm, P, N>;
        ctr_sectors: Key<P, N> = sectors::ctr::<Xmm, P, N>;
        xts_encrypt_sectors: XtsKey<Key<P, N>> = sectors::xts_encrypt::<Xmm, P, N>;
        xts_decrypt_sectors: XtsKey<Key<P, N>> = sectors::xts_decrypt::<Xmm, P, N>;
    }
}

/// One block.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::aes) struct Xmm(pub(super) __m128i);

impl From<Xmm> for __m128i {
    #[inline(always)]
    fn from(block: Xmm) -> Self {
        block.0
    }
}

impl Lanes for Xmm {
    type Cpu = Aesni;

    const BLOCKS: usize = 1;

    const IS_SPACIOUS: bool = false;

    const KEY_COMES_FIRST: bool = false;

    #[inline(always)]
    fn splat(_: Aesni, block: __m128i) -> Self {
        Self(block)
    }

    #[inline(always)]
    unsafe fn load(_: Aesni, from: *const u8) -> Self {
        // SAFETY: the caller's; the instruction takes any alignment.
        Self(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_part(_: Aesni, _: *const u8, _: usize) -> Self {
        unreachable!("no number of blocks is smaller than one and not none")
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's; the instruction takes any alignment.
        unsafe { _mm_storeu_si128(to.cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn store_part(self, _: *mut u8, _: usize) {
        unreachable!("no number of blocks is smaller than one and not none")
    }

    #[inline(always)]
    unsafe fn gather(cpu: Aesni, from: *const u8, offsets: &[usize; WIDEST]) -> Self {
        // SAFETY: the caller's.
        unsafe { load_at(cpu, from, offsets[0], 0) }
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *mut u8, offsets: &[usize; WIDEST]) {
        // SAFETY: the caller's.
        unsafe { store_at(self, to, offsets[0], 0) };
    }

    #[inline(always)]
    unsafe fn gather_line(cpu: Aesni, from: *const u8, offsets: &[usize; WIDEST]) -> [Self; LINE] {
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
        encrypt = _mm_aesenc_si128;
        encrypt_last = _mm_aesenclast_si128;
        decrypt = _mm_aesdec_si128;
        decrypt_last = _mm_aesdeclast_si128;
        add_bytes = _mm_add_epi8;
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
    fn begin<const ROUND: usize>(_: Aesni, first: __m128i, tweaks: &mut [Self; GROUP]) {
        match ROUND {
            1 => tweaks[0] = Self(first),
            // SAFETY: a value of this type exists only where the CPU has the instructions.
            2..=GROUP => tweaks[ROUND - 1] = Self(unsafe { times_x(tweaks[ROUND - 2].0) }),
            _ => {}
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

impl BitXor for Xmm {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }
}

impl Zeroize for Xmm {
    #[inline(always)]
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// [`Lanes::pin`]
#[inline]
#[target_feature(enable = "sse2")]
fn pin(mut register: __m128i) -> __m128i {
    // SAFETY: no instruction is there.
    unsafe { asm!("/* {0} */", inout(xmm_reg) register, options(nomem, nostack, preserves_flags)) };
    register
}

/// [`Lanes::reverse_bytes`]
#[inline]
#[target_feature(enable = "ssse3")]
fn reverse_bytes(block: __m128i) -> __m128i {
    let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm_shuffle_epi8(block, order)
}

/// [`Lanes::add_small`]. Of unsigned numbers, the sum is the smaller one where it wrapped; the comparison is of signed
/// ones, so both are moved by half the range.
#[inline]
#[target_feature(enable = "sse4.2")]
fn add_small(number: __m128i, small: __m128i) -> __m128i {
    let sum = _mm_add_epi64(number, small);
    let half = _mm_set1_epi64x(i64::MIN);
    let wrapped = _mm_cmpgt_epi64(_mm_xor_si128(small, half), _mm_xor_si128(sum, half));
    _mm_sub_epi64(sum, _mm_bslli_si128::<8>(wrapped))
}

/// Multiplies a tweak by x: what leaves a lower half enters the upper, and what leaves that comes back in below.
#[inline]
#[target_feature(enable = "sse2")]
fn times_x(tweak: __m128i) -> __m128i {
    // The sign of each half, in the words of the other.
    let out = _mm_srai_epi32::<31>(_mm_shuffle_epi32::<0b01_01_11_11>(tweak));
    let entering = _mm_and_si128(out, _mm_set_epi64x(1, 0x87));
    _mm_xor_si128(_mm_add_epi64(tweak, tweak), entering)
}

/// Multiplies a tweak by x^8: the byte shifted out comes back in below, times x^7 + x^2 + x + 1.
#[inline]
#[target_feature(enable = "pclmulqdq")]
fn times_x8(tweak: __m128i) -> __m128i {
    let out = _mm_bsrli_si128::<15>(tweak);
    let back = _mm_clmulepi64_si128::<0x00>(out, _mm_set_epi64x(0, 0x87));
    _mm_xor_si128(_mm_bslli_si128::<1>(tweak), back)
}
