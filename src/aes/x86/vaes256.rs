//! VAES with AVX2: two blocks in a 256-bit register.

use std::arch::asm;
use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_set_epi8, _mm_set_epi64x, _mm_shuffle_epi32,
    _mm_storeu_si128, _mm256_add_epi8, _mm256_add_epi64, _mm256_aesdec_epi128,
    _mm256_aesdeclast_epi128, _mm256_aesenc_epi128, _mm256_aesenclast_epi128, _mm256_and_si256,
    _mm256_blend_epi32, _mm256_broadcastsi128_si256, _mm256_bslli_epi128, _mm256_castsi256_si128,
    _mm256_clmulepi64_epi128, _mm256_cmpgt_epi64, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_permute2x128_si256, _mm256_set_m128i, _mm256_set1_epi16, _mm256_set1_epi64x,
    _mm256_shuffle_epi8, _mm256_sllv_epi64, _mm256_srlv_epi64, _mm256_storeu_si256,
    _mm256_sub_epi64, _mm256_unpackhi_epi16, _mm256_unpackhi_epi32, _mm256_xor_si256,
    _mm256_zextsi128_si256,
};
use std::ops::BitXor;

use zeroize::Zeroize;

use super::aesni::Xmm;
use crate::aes::key::Key;
use crate::aes::lanes::{GROUP, LINE, Lanes, WIDEST, load_at, store_at, two_operands};
use crate::aes::{modes, sectors, xts};
use crate::cpu::{Aesni, Vaes256};
use crate::kernel::{Directions, Kernels, XtsKey};

impl<P: Copy + Into<Vaes256> + Into<Aesni>, const N: usize> Kernels<Key<P, N>> {
    /// Every mode on 256-bit registers, but for CBC encryption, whose chain gains nothing from width.
    pub(crate) const fn vaes256() -> Self {
        Self {
            name: c"native/vaes256",
            ecb: Directions::new(ecb_encrypt, ecb_decrypt),
            cbc: Directions { decrypt: cbc_decrypt, ..Self::aesni().cbc }
                .with_sectors(Some(cbc_encrypt_sectors), Some(cbc_decrypt_sectors)),
            ctr: Directions::new(ctr, ctr).with_sectors(Some(ctr_sectors), Some(ctr_sectors)),
            xts: Some(
                Directions::new(xts_encrypt, xts_decrypt)
                    .with_sectors(Some(xts_encrypt_sectors), Some(xts_decrypt_sectors)),
            ),
        }
    }
}

kernels! { Vaes256, "aes,pclmulqdq,ssse3,sse4.1,sse4.2,avx2,vaes,vpclmulqdq":
    data {
        ecb_encrypt: Key<P, N> = modes::ecb_encrypt::<Ymm, P, N>;
        ecb_decrypt: Key<P, N> = modes::ecb_decrypt::<Ymm, P, N>;
        cbc_decrypt: Key<P, N> = modes::cbc_decrypt::<Ymm, P, N>;
        ctr: Key<P, N> = modes::ctr::<Ymm, P, N>;
        xts_encrypt: XtsKey<Key<P, N>> = xts::encrypt::<Ymm, P, N>;
        xts_decrypt: XtsKey<Key<P, N>> = xts::decrypt::<Ymm, P, N>;
    }
    sectors {
        cbc_encrypt_sectors: Key<P, N> = sectors::cbc_encrypt::<Ymm, P, N>;
        cbc_decrypt_sectors: Key<P, N> = sectors::cbc_decrypt::<Ymm, P, N>;
        ctr_sectors: Key<P, N> = sectors::ctr::<Ymm, P, N>;
        xts_encrypt_sectors: XtsKey<Key<P, N>> = sectors::xts_encrypt::<Ymm, P, N>;
        xts_decrypt_sectors: XtsKey<Key<P, N>> = sectors::xts_decrypt::<Ymm, P, N>;
    }
}

/// Two blocks.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Ymm(__m256i);

impl Lanes for Ymm {
    type Cpu = Vaes256;

    const BLOCKS: usize = 2;

    const IS_SPACIOUS: bool = false;

    const KEY_COMES_FIRST: bool = false;

    #[inline(always)]
    fn splat(_: Vaes256, block: __m128i) -> Self {
        // SAFETY: the proof.
        Self(unsafe { _mm256_broadcastsi128_si256(block) })
    }

    #[inline(always)]
    unsafe fn load(_: Vaes256, from: *const u8) -> Self {
        // SAFETY: the caller's; the instruction takes any alignment.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_part(_: Vaes256, from: *const u8, _: usize) -> Self {
        // SAFETY: the caller's: more than none and fewer than two is one.
        let block = unsafe { _mm_loadu_si128(from.cast()) };
        // SAFETY: the proof.
        Self(unsafe { _mm256_zextsi128_si256(block) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's; the instruction takes any alignment.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, _: usize) {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        let block = unsafe { _mm256_castsi256_si128(self.0) };
        // SAFETY: the caller's: more than none and fewer than two is one.
        unsafe { _mm_storeu_si128(to.cast(), block) };
    }

    #[inline(always)]
    unsafe fn gather(cpu: Vaes256, from: *const u8, offsets: &[usize; WIDEST]) -> Self {
        // SAFETY: the caller's.
        let low: Xmm = unsafe { load_at(cpu.into(), from, offsets[0], 0) };
        // SAFETY: the caller's.
        let high: Xmm = unsafe { load_at(cpu.into(), from, offsets[1], 0) };
        // SAFETY: the proof.
        Self(unsafe { _mm256_set_m128i(high.into(), low.into()) })
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *mut u8, offsets: &[usize; WIDEST]) {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        let low = Xmm(unsafe { _mm256_castsi256_si128(self.0) });
        // SAFETY: as above.
        let high = Xmm(unsafe { _mm256_extracti128_si256::<1>(self.0) });
        // SAFETY: the caller's.
        unsafe { store_at(low, to, offsets[0], 0) };
        // SAFETY: the caller's.
        unsafe { store_at(high, to, offsets[1], 0) };
    }

    #[inline(always)]
    unsafe fn gather_line(
        cpu: Vaes256,
        from: *const u8,
        offsets: &[usize; WIDEST],
    ) -> [Self; LINE] {
        // SAFETY: the caller's, for each half of a line at the first place.
        let [a, b] = [0, 1].map(|i| unsafe { load_at(cpu, from, offsets[0], i) });
        // SAFETY: the same at the second.
        let [c, d] = [0, 1].map(|i| unsafe { load_at(cpu, from, offsets[1], i) });
        let [first, second] = Self::transpose([a, c]);
        let [third, fourth] = Self::transpose([b, d]);
        [first, second, third, fourth]
    }

    #[inline(always)]
    unsafe fn scatter_line(line: [Self; LINE], to: *mut u8, offsets: &[usize; WIDEST]) {
        for (i, half) in line.as_chunks().0.iter().enumerate() {
            for (register, offset) in Self::transpose(*half).into_iter().zip(offsets) {
                // SAFETY: the caller's, for each half of a line at both places.
                unsafe { store_at(register, to, *offset, i) };
            }
        }
    }

    #[inline(always)]
    fn pin(self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { pin(self.0) })
    }

    two_operands! {
        encrypt = _mm256_aesenc_epi128;
        encrypt_last = _mm256_aesenclast_epi128;
        decrypt = _mm256_aesdec_epi128;
        decrypt_last = _mm256_aesdeclast_epi128;
        add_bytes = _mm256_add_epi8;
    }

    #[inline(always)]
    fn follow(self, before: Self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { _mm256_permute2x128_si256::<0x21>(before.0, self.0) })
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
    fn begin<const ROUND: usize>(cpu: Vaes256, first: __m128i, tweaks: &mut [Self; GROUP]) {
        if let 1..=GROUP = ROUND {
            tweaks[ROUND - 1] = Self::times_powers(cpu, first, ROUND - 1);
        }
    }

    /// The first half from the second half of the group at hand, then the second half from that.
    ///
    /// A carry-less product for each register, as the other widths have it, is simpler and faster on Intel's cores (AES-128
    /// by up to a tenth), but not on AMD's Zen 3, where a product costs as much as three shuffles; and of the two it is
    /// Zen 3 that has nothing wider than this.
    #[inline(always)]
    fn advance<const ROUND: usize>(
        now: &[Self; GROUP],
        next: &mut [Self; GROUP],
        carry: &mut Self,
    ) {
        match ROUND {
            1 => *carry = Self::carries([now[4], now[5], now[6], now[7]]),
            2 => next[0] = now[4].times_x8::<0>(*carry),
            3 => {
                next[1] = now[5].times_x8::<1>(*carry);
                next[2] = now[6].times_x8::<2>(*carry);
            }
            4 => next[3] = now[7].times_x8::<3>(*carry),
            5 => *carry = Self::carries([next[0], next[1], next[2], next[3]]),
            6 => next[4] = next[0].times_x8::<0>(*carry),
            7 => {
                next[5] = next[1].times_x8::<1>(*carry);
                next[6] = next[2].times_x8::<2>(*carry);
            }
            8 => next[7] = next[3].times_x8::<3>(*carry),
            _ => {}
        }
    }
}

impl Ymm {
    /// Register `i` of the first group's tweaks.
    #[inline(always)]
    fn times_powers(cpu: Vaes256, first: __m128i, i: usize) -> Self {
        let tweak = Self::splat(cpu, first);
        let swapped = Self::splat(cpu, swap_halves(first));
        let Powers { left, right } = powers(cpu, i);
        // SAFETY: the proof.
        Self(unsafe { times_powers(tweak.0, swapped.0, left.0, right.0) })
    }

    /// Exchanges the upper lane of the first with the lower lane of the second.
    #[inline(always)]
    fn transpose([a, b]: [Self; 2]) -> [Self; 2] {
        [
            // SAFETY: a value of this type exists only where the CPU has the instructions.
            Self(unsafe { _mm256_permute2x128_si256::<0x20>(a.0, b.0) }),
            // SAFETY: as above.
            Self(unsafe { _mm256_permute2x128_si256::<0x31>(a.0, b.0) }),
        ]
    }

    /// What a multiplication by x^8 moves from the upper end to the lower in four registers.
    #[inline(always)]
    fn carries([a, b, c, d]: [Self; 4]) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { carries([a.0, b.0, c.0, d.0]) })
    }

    /// Multiplies by x^8, with the `I`th share of [`Ymm::carries`].
    #[inline(always)]
    fn times_x8<const I: i64>(self, carries: Self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { times_x8::<I>(self.0, carries.0) })
    }
}

impl BitXor for Ymm {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: a value of this type exists only where the CPU has the instructions.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
}

impl Zeroize for Ymm {
    #[inline(always)]
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// The block with its halves exchanged.
#[inline(always)]
fn swap_halves(block: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_shuffle_epi32::<0b01_00_11_10>(block) }
}

/// [`Lanes::pin`]
#[inline]
#[target_feature(enable = "avx2")]
fn pin(mut register: __m256i) -> __m256i {
    // SAFETY: no instruction is there.
    unsafe { asm!("/* {0} */", inout(ymm_reg) register, options(nomem, nostack, preserves_flags)) };
    register
}

/// [`Lanes::reverse_bytes`]
#[inline]
#[target_feature(enable = "avx2")]
fn reverse_bytes(blocks: __m256i) -> __m256i {
    let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm256_shuffle_epi8(blocks, _mm256_broadcastsi128_si256(order))
}

/// [`Lanes::add_small`]. Of unsigned numbers, the sum is the smaller one where it wrapped; the comparison is of signed
/// ones, so both are moved by half the range.
#[inline]
#[target_feature(enable = "avx2")]
fn add_small(numbers: __m256i, small: __m256i) -> __m256i {
    let sum = _mm256_add_epi64(numbers, small);
    let half = _mm256_set1_epi64x(i64::MIN);
    let wrapped = _mm256_cmpgt_epi64(_mm256_xor_si256(small, half), _mm256_xor_si256(sum, half));
    _mm256_sub_epi64(sum, _mm256_bslli_epi128::<8>(wrapped))
}

/// Multiplies tweaks by powers of x below 64, one in each lane: shifts left by `left`, with `right` what that lacks of
/// 64. `swapped` is the tweaks with the halves of the lanes exchanged.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn times_powers(tweaks: __m256i, swapped: __m256i, left: __m256i, right: __m256i) -> __m256i {
    // What leaves a lower half enters the upper, and what leaves that comes back in below.
    let out = _mm256_srlv_epi64(swapped, right);
    let back = _mm256_clmulepi64_epi128::<0x00>(out, _mm256_set1_epi64x(0x87));
    let entering = _mm256_blend_epi32::<0b1100_1100>(back, out);
    _mm256_xor_si256(_mm256_sllv_epi64(tweaks, left), entering)
}

/// The top bytes of four registers' lanes, times x^7 + x^2 + x + 1. Such a product has 15 bits, so one multiplication makes
/// four without their touching. Each is a word, the first one at byte 1: the bytes are in the upper halves of words, and
/// clearing the lower ones takes fewer of the ports that AES needs than shifting them out.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn carries([a, b, c, d]: [__m256i; 4]) -> __m256i {
    let words = _mm256_unpackhi_epi32(_mm256_unpackhi_epi16(a, b), _mm256_unpackhi_epi16(c, d));
    let bytes = _mm256_and_si256(words, _mm256_set1_epi16(0xff << 8));
    _mm256_clmulepi64_epi128::<0x01>(bytes, _mm256_set1_epi64x(0x87))
}

/// Multiplies tweaks by x^8; what comes back in below is word `I` of [`carries`].
#[inline]
#[target_feature(enable = "avx2")]
fn times_x8<const I: i64>(tweaks: __m256i, carries: __m256i) -> __m256i {
    // Bytes 2 I + 1 and 2 I + 2; a selector with its top bit set yields zero.
    let word = _mm_set_epi64x(-1, (-1 << 16) | ((2 * I + 2) << 8) | (2 * I + 1));
    let back = _mm256_shuffle_epi8(carries, _mm256_broadcastsi128_si256(word));
    _mm256_xor_si256(_mm256_bslli_epi128::<1>(tweaks), back)
}

/// By how far to shift each lane's halves for a product by a power of x.
#[derive(Clone, Copy)]
struct Powers {
    /// The exponents.
    left: Ymm,
    /// What they lack of 64.
    right: Ymm,
}

/// Powers of x for register `i` of a group: each lane's exponent is the number of its block in the group.
#[inline(always)]
fn powers(cpu: Vaes256, i: usize) -> Powers {
    let lanes = i * Ymm::BLOCKS..(i + 1) * Ymm::BLOCKS;
    let (left, right) = (&SHIFTS.left[lanes.clone()], &SHIFTS.right[lanes]);
    Powers {
        // SAFETY: the slice is a register long.
        left: unsafe { Ymm::load(cpu, left.as_ptr().cast()) },
        // SAFETY: the slice is a register long.
        right: unsafe { Ymm::load(cpu, right.as_ptr().cast()) },
    }
}

/// The shifts of all blocks of the longest group.
#[repr(align(64))]
struct Shifts {
    left: [[u64; 2]; GROUP * 2],
    right: [[u64; 2]; GROUP * 2],
}

static SHIFTS: Shifts = {
    let mut shifts = Shifts { left: [[0; 2]; GROUP * 2], right: [[0; 2]; GROUP * 2] };
    let mut i = 0;
    while i < GROUP * 2 {
        shifts.left[i] = [i as u64; 2];
        shifts.right[i] = [64 - i as u64; 2];
        i += 1;
    }
    shifts
};
