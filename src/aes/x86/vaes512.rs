//! VAES with AVX-512: four blocks in a 512-bit register, and registers enough for all round keys.

use std::arch::asm;
use std::arch::x86_64::{
    __m128i, __m512i, _mm_set_epi8, _mm512_add_epi8, _mm512_add_epi64, _mm512_aesdec_epi128,
    _mm512_aesdeclast_epi128, _mm512_aesenc_epi128, _mm512_aesenclast_epi128, _mm512_alignr_epi64,
    _mm512_broadcast_i32x4, _mm512_bslli_epi128, _mm512_bsrli_epi128, _mm512_castsi128_si512,
    _mm512_castsi512_si128, _mm512_clmulepi64_epi128, _mm512_cmplt_epu64_mask,
    _mm512_extracti32x4_epi32, _mm512_inserti32x4, _mm512_loadu_si512, _mm512_mask_add_epi64,
    _mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi64, _mm512_set1_epi64, _mm512_shuffle_epi8,
    _mm512_shuffle_i32x4, _mm512_storeu_si512, _mm512_ternarylogic_epi64, _mm512_xor_si512,
};
use std::ops::BitXor;

use zeroize::Zeroize;

use super::aesni::Xmm;
use crate::aes::key::Key;
use crate::aes::lanes::{GROUP, LINE, Lanes, WIDEST, load_at, store_at, two_operands};
use crate::aes::{modes, sectors, xts};
use crate::cpu::{Aesni, Vaes256, Vaes512};
use crate::kernel::{Directions, Kernels, XtsKey};

impl<P: Copy + Into<Vaes512> + Into<Vaes256> + Into<Aesni>, const N: usize> Kernels<Key<P, N>> {
    /// Every mode on 512-bit registers, but for CBC encryption, whose chain gains nothing from width.
    pub(crate) const fn vaes512() -> Self {
        Self {
            name: c"native/vaes512",
            ecb: Directions::new(ecb_encrypt, ecb_decrypt),
            cbc: Directions { decrypt: cbc_decrypt, ..Self::vaes256().cbc }
                .with_sectors(Some(cbc_encrypt_sectors), Some(cbc_decrypt_sectors)),
            ctr: Directions::new(ctr, ctr).with_sectors(Some(ctr_sectors), Some(ctr_sectors)),
            xts: Some(
                Directions::new(xts_encrypt, xts_decrypt)
                    .with_sectors(Some(xts_encrypt_sectors), Some(xts_decrypt_sectors)),
            ),
        }
    }
}

kernels! {
    Vaes512,
    "aes,pclmulqdq,ssse3,sse4.1,sse4.2,avx2,vaes,vpclmulqdq,avx512f,avx512vl,avx512bw,avx512dq":
    data {
        ecb_encrypt: Key<P, N> = modes::ecb_encrypt::<Zmm, P, N>;
        ecb_decrypt: Key<P, N> = modes::ecb_decrypt::<Zmm, P, N>;
        cbc_decrypt: Key<P, N> = modes::cbc_decrypt::<Zmm, P, N>;
        ctr: Key<P, N> = modes::ctr::<Zmm, P, N>;
        xts_encrypt: XtsKey<Key<P, N>> = xts::encrypt::<Zmm, P, N>;
        xts_decrypt: XtsKey<Key<P, N>> = xts::decrypt::<Zmm, P, N>;
    }
    sectors {
        cbc_encrypt_sectors: Key<P, N> = sectors::cbc_encrypt::<Zmm, P, N>;
        cbc_decrypt_sectors: Key<P, N> = sectors::cbc_decrypt::<Zmm, P, N>;
        ctr_sectors: Key<P, N> = sectors::ctr::<Zmm, P, N>;
        xts_encrypt_sectors: XtsKey<Key<P, N>> = sectors::xts_encrypt::<Zmm, P, N>;
        xts_decrypt_sectors: XtsKey<Key<P, N>> = sectors::xts_decrypt::<Zmm, P, N>;
    }
}

/// Four blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Zmm(__m512i);

impl Lanes for Zmm {
    type Cpu = Vaes512;

    const BLOCKS: usize = 4;

    const IS_SPACIOUS: bool = true;

    const KEY_COMES_FIRST: bool = false;

    #[inline(always)]
    fn splat(_: Vaes512, block: __m128i) -> Self {
        // SAFETY: the proof.
        Self(unsafe { _mm512_broadcast_i32x4(block) })
    }

    #[inline(always)]
    unsafe fn load(_: Vaes512, from: *const u8) -> Self {
        // SAFETY: the caller's; the instruction takes any alignment.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_part(_: Vaes512, from: *const u8, blocks: usize) -> Self {
        // SAFETY: the caller's; what the mask leaves out is not accessed.
        Self(unsafe { _mm512_maskz_loadu_epi64(half_lanes(blocks), from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's; the instruction takes any alignment.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, blocks: usize) {
        // SAFETY: the caller's; what the mask leaves out is not accessed.
        unsafe { _mm512_mask_storeu_epi64(to.cast(), half_lanes(blocks), self.0) };
    }

    #[inline(always)]
    unsafe fn gather(cpu: Vaes512, from: *const u8, offsets: &[usize; WIDEST]) -> Self {
        // SAFETY: the caller's, for each place.
        let [a, b, c, d] = offsets.map(|offset| unsafe { load_at(cpu.into(), from, offset, 0) });
        // SAFETY: the proof.
        Self(unsafe { join([a, b, c, d].map(Xmm::into)) })
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *mut u8, offsets: &[usize; WIDEST]) {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        let blocks = unsafe { split(self.0) };
        for (block, offset) in blocks.map(Xmm).into_iter().zip(offsets) {
            // SAFETY: the caller's, for each place.
            unsafe { store_at(block, to, *offset, 0) };
        }
    }

    #[inline(always)]
    unsafe fn gather_line(
        cpu: Vaes512,
        from: *const u8,
        offsets: &[usize; WIDEST],
    ) -> [Self; LINE] {
        // SAFETY: the caller's, for each place.
        Self::transpose(offsets.map(|offset| unsafe { load_at(cpu, from, offset, 0) }))
    }

    #[inline(always)]
    unsafe fn scatter_line(line: [Self; LINE], to: *mut u8, offsets: &[usize; WIDEST]) {
        for (register, offset) in Self::transpose(line).into_iter().zip(offsets) {
            // SAFETY: the caller's, for each place.
            unsafe { store_at(register, to, *offset, 0) };
        }
    }

    #[inline(always)]
    fn pin(self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { pin(self.0) })
    }

    two_operands! {
        encrypt = _mm512_aesenc_epi128;
        encrypt_last = _mm512_aesenclast_epi128;
        decrypt = _mm512_aesdec_epi128;
        decrypt_last = _mm512_aesdeclast_epi128;
        add_bytes = _mm512_add_epi8;
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { _mm512_ternarylogic_epi64::<0b1001_0110>(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn follow(self, before: Self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { _mm512_alignr_epi64::<6>(self.0, before.0) })
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
    fn begin<const ROUND: usize>(cpu: Vaes512, first: __m128i, tweaks: &mut [Self; GROUP]) {
        match ROUND {
            1 | 2 => tweaks[ROUND - 1] = Self::times_powers(cpu, first, ROUND - 1),
            3 | 4 => tweaks[ROUND - 1] = tweaks[ROUND - 3].times_x8::<1, 15>(),
            5 | 6 => tweaks[ROUND - 1] = tweaks[ROUND - 5].times_x8::<2, 14>(),
            7 | 8 => tweaks[ROUND - 1] = tweaks[ROUND - 7].times_x8::<3, 13>(),
            _ => {}
        }
    }

    #[inline(always)]
    fn advance<const ROUND: usize>(now: &[Self; GROUP], next: &mut [Self; GROUP], _: &mut Self) {
        if let 1..=GROUP = ROUND {
            next[ROUND - 1] = now[ROUND - 1].times_x8::<4, 12>();
        }
    }
}

impl Zmm {
    /// [`transpose`]
    #[inline(always)]
    fn transpose(registers: [Self; 4]) -> [Self; 4] {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        unsafe { transpose(registers.map(|register| register.0)) }.map(Self)
    }

    /// Register `i` of the first group's tweaks, of which there are two made in this way.
    #[inline(always)]
    fn times_powers(cpu: Vaes512, first: __m128i, i: usize) -> Self {
        let powers = &POWERS.0[i];
        // SAFETY: the array is a register long.
        let powers = unsafe { Self::load(cpu, powers.as_ptr().cast()) };
        // SAFETY: the proof.
        Self(unsafe { times_powers(Self::splat(cpu, first).0, powers.0) })
    }

    /// Multiplies by x^8 to the power of `BYTES`; `REST` is what that lacks of 16.
    #[inline(always)]
    fn times_x8<const BYTES: i32, const REST: i32>(self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { times_x8::<BYTES, REST>(self.0) })
    }
}

/// The mask of so many blocks, which are fewer than four: two bits each.
#[inline(always)]
fn half_lanes(blocks: usize) -> u8 {
    (1 << (2 * blocks)) - 1
}

impl BitXor for Zmm {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }
}

impl Zeroize for Zmm {
    #[inline(always)]
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// [`Lanes::pin`]
#[inline]
#[target_feature(enable = "avx512f")]
fn pin(mut register: __m512i) -> __m512i {
    // SAFETY: no instruction is there.
    unsafe { asm!("/* {0} */", inout(zmm_reg) register, options(nomem, nostack, preserves_flags)) };
    register
}

/// A register of four blocks.
#[inline]
#[target_feature(enable = "avx512f")]
fn join([a, b, c, d]: [__m128i; 4]) -> __m512i {
    let joined = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b);
    _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(joined, c), d)
}

/// The blocks of a register.
#[inline]
#[target_feature(enable = "avx512f")]
fn split(blocks: __m512i) -> [__m128i; 4] {
    [
        _mm512_castsi512_si128(blocks),
        _mm512_extracti32x4_epi32::<1>(blocks),
        _mm512_extracti32x4_epi32::<2>(blocks),
        _mm512_extracti32x4_epi32::<3>(blocks),
    ]
}

/// Makes rows of columns: register i has the ith block of each.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // Two even lanes of each operand, or two odd ones.
    const EVEN: i32 = 0b10_00_10_00;
    const ODD: i32 = 0b11_01_11_01;
    let even_ab = _mm512_shuffle_i32x4::<EVEN>(a, b);
    let odd_ab = _mm512_shuffle_i32x4::<ODD>(a, b);
    let even_cd = _mm512_shuffle_i32x4::<EVEN>(c, d);
    let odd_cd = _mm512_shuffle_i32x4::<ODD>(c, d);
    [
        _mm512_shuffle_i32x4::<EVEN>(even_ab, even_cd),
        _mm512_shuffle_i32x4::<EVEN>(odd_ab, odd_cd),
        _mm512_shuffle_i32x4::<ODD>(even_ab, even_cd),
        _mm512_shuffle_i32x4::<ODD>(odd_ab, odd_cd),
    ]
}

/// [`Lanes::reverse_bytes`]
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn reverse_bytes(blocks: __m512i) -> __m512i {
    let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm512_shuffle_epi8(blocks, _mm512_broadcast_i32x4(order))
}

/// [`Lanes::add_small`]. Only lower halves can wrap, the upper ones of `small` being zero; a mask has the bit of the upper
/// half above the one of the lower.
#[inline]
#[target_feature(enable = "avx512f")]
fn add_small(numbers: __m512i, small: __m512i) -> __m512i {
    let sum = _mm512_add_epi64(numbers, small);
    let wrapped = _mm512_cmplt_epu64_mask(sum, small);
    _mm512_mask_add_epi64(sum, wrapped << 1, sum, _mm512_set1_epi64(1))
}

/// Multiplies tweaks by the powers of x below 64 that the lower halves of the lanes have: each half by itself; then the
/// product of the upper one is moved to its place, and what that moves out comes back in below. Shifts would need the
/// port that AES needs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
fn times_powers(tweaks: __m512i, powers: __m512i) -> __m512i {
    let lower = _mm512_clmulepi64_epi128::<0x00>(tweaks, powers);
    let upper = _mm512_clmulepi64_epi128::<0x01>(tweaks, powers);
    let back = _mm512_clmulepi64_epi128::<0x01>(upper, _mm512_set1_epi64(0x87));
    _mm512_ternarylogic_epi64::<0b1001_0110>(lower, _mm512_bslli_epi128::<8>(upper), back)
}

/// The powers of x for [`times_powers`], a register in a row.
#[repr(align(64))]
struct Powers([[[u64; 2]; 4]; 2]);

static POWERS: Powers = Powers([
    [[1, 0], [1 << 1, 0], [1 << 2, 0], [1 << 3, 0]],
    [[1 << 4, 0], [1 << 5, 0], [1 << 6, 0], [1 << 7, 0]],
]);

/// Multiplies tweaks by x^8 to the power of `BYTES`, at most four: the bytes shifted out come back in below, times
/// x^7 + x^2 + x + 1. `REST` is what `BYTES` lacks of 16.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
fn times_x8<const BYTES: i32, const REST: i32>(tweaks: __m512i) -> __m512i {
    let out = _mm512_bsrli_epi128::<REST>(tweaks);
    let back = _mm512_clmulepi64_epi128::<0x00>(out, _mm512_set1_epi64(0x87));
    _mm512_xor_si512(_mm512_bslli_epi128::<BYTES>(tweaks), back)
}
