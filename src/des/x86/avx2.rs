//! AVX2: a byte shuffle looks 32 bytes up in a table of 16, so that four of them and the two bits that are left make an
//! S-box of 32 blocks.

use std::arch::x86_64::*;

use cipher::InOutBuf;
use cipher::consts::U32;
use zeroize::Zeroizing;

use super::super::tables::{PLACES, SOURCES, SUMMED_BOXES};
use super::super::{Block, Rounds, final_permutation, initial_permutation};
use super::{Instructions, PLANES};
use crate::cpu::Avx2;

/// Blocks side by side.
const BLOCKS: usize = 32;

type HalfBlocks = [__m256i; PLANES];

/// The planes of one block: those of the left half, then those of the right.
type Row = [u8; 2 * PLANES];

/// These instructions.
pub(crate) enum Shuffles {}

impl Instructions for Shuffles {
    type Cpu = Avx2;
    type Blocks = U32;

    fn crypt<const KEYS: usize>(
        _: Avx2,
        passes: &Rounds<[u32; PLANES], KEYS>,
        mut blocks: InOutBuf<'_, '_, Block>,
    ) {
        let mut rows = Zeroizing::new([[0; 2 * PLANES]; BLOCKS]);
        for start in (0..blocks.len()).step_by(BLOCKS) {
            let (input, _) = blocks.get_in()[start..].as_chunks::<BLOCKS>();
            for (row, block) in rows.iter_mut().zip(&input[0]) {
                *row = planes(u64::from_be_bytes(block.0));
            }
            // SAFETY: the token proves that the CPU has the features that the function is compiled for.
            unsafe { all_passes(passes, &mut rows) };
            let (output, _) = blocks.get_out()[start..].as_chunks_mut::<BLOCKS>();
            for (block, row) in output[0].iter_mut().zip(&*rows) {
                block.0 = block_of(row).to_be_bytes();
            }
        }
    }
}

/// The planes of a block: the permutation IP and the selection E.
fn planes(block: u64) -> Row {
    let (left, right) = initial_permutation(block);
    let mut row = Row::default();
    for (planes, half) in row.as_chunks_mut::<PLANES>().0.iter_mut().zip([left, right]) {
        let [g1, g3, g5, g7] = (half.rotate_left(1) & 0x3f3f_3f3f).to_be_bytes();
        let [g0, g2, g4, g6] = (half.rotate_right(3) & 0x3f3f_3f3f).to_be_bytes();
        *planes = [g0, g1, g2, g3, g4, g5, g6, g7];
    }
    row
}

/// The inverse of [`planes`], from the four bits in the middle of each.
fn block_of(row: &Row) -> u64 {
    let half = |[g0, g1, g2, g3, g4, g5, g6, g7]: [u8; PLANES]| {
        let high = u32::from_be_bytes([g0, g2, g4, g6]) << 3 & 0xf0f0_f0f0;
        high | u32::from_be_bytes([g1, g3, g5, g7]) >> 1 & 0x0f0f_0f0f
    };
    let (halves, _) = row.as_chunks();
    final_permutation(half(halves[0]), half(halves[1]))
}

#[target_feature(enable = "avx2")]
fn all_passes<const KEYS: usize>(passes: &Rounds<[u32; PLANES], KEYS>, rows: &mut [Row; BLOCKS]) {
    let planes = transpose(load(rows));
    let mut l: HalfBlocks = std::array::from_fn(|plane| planes[plane]);
    let mut r: HalfBlocks = std::array::from_fn(|plane| planes[PLANES + plane]);
    for rounds in passes {
        for [first, second] in rounds.as_chunks().0 {
            round(&mut l, &r, first);
            round(&mut r, &l, second);
        }
        (l, r) = (r, l);
    }
    let both = [l, r];
    store(transpose(std::array::from_fn(|plane| both.as_flattened()[plane])), rows);
}

/// Adds the function f of one half to the other.
#[inline]
#[target_feature(enable = "avx2")]
fn round(to: &mut HalfBlocks, from: &HalfBlocks, key: &[u32; PLANES]) {
    let mut results = *from;
    for (number, plane) in results.iter_mut().enumerate() {
        let key = _mm256_set1_epi32(key[number].cast_signed());
        *plane = s_box(number, _mm256_xor_si256(*plane, key));
    }
    let turned = results.map(|result| _mm256_srli_epi16::<1>(result));
    for (number, plane) in to.iter_mut().enumerate() {
        for (source, (bit, left)) in SOURCES[number].into_iter().zip(PLACES[number]) {
            let result = if left == 0 { results[source] } else { turned[source] };
            let bit = _mm256_set1_epi8(bit.cast_signed());
            *plane = _mm256_xor_si256(*plane, _mm256_and_si256(result, bit));
        }
    }
}

/// An S-box, with the bits of its result in places of their own.
#[inline]
#[target_feature(enable = "avx2")]
fn s_box(number: usize, places: __m256i) -> __m256i {
    let look_up = |table: usize| {
        let table: &[u8; 16] = &SUMMED_BOXES[number][table];
        // SAFETY: the table has the 16 bytes that are read, which need no alignment.
        let table = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
        _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), places)
    };
    let is_set = |bit: i8| {
        let bit = _mm256_set1_epi8(bit);
        _mm256_cmpeq_epi8(_mm256_and_si256(places, bit), bit)
    };
    let (one, other) = (is_set(0x10), is_set(0x20));
    let with_other = _mm256_xor_si256(look_up(2), _mm256_and_si256(look_up(3), one));
    let without = _mm256_xor_si256(look_up(0), _mm256_and_si256(look_up(1), one));
    _mm256_xor_si256(without, _mm256_and_si256(with_other, other))
}

/// Rows of sixteen blocks in one half of the registers, of as many in the other.
#[inline]
#[target_feature(enable = "avx2")]
fn load(rows: &[Row; BLOCKS]) -> [__m256i; 16] {
    let (first, second) = rows.split_at(16);
    let row = |row: &Row| {
        // SAFETY: a row has the 16 bytes that are read, which need no alignment.
        unsafe { _mm_loadu_si128(row.as_ptr().cast()) }
    };
    std::array::from_fn(|number| _mm256_set_m128i(row(&second[number]), row(&first[number])))
}

/// The inverse of [`load`].
#[inline]
#[target_feature(enable = "avx2")]
fn store(registers: [__m256i; 16], rows: &mut [Row; BLOCKS]) {
    let (first, second) = rows.split_at_mut(16);
    for ((both, first), second) in registers.into_iter().zip(first).zip(second) {
        let (lower, upper) = (_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
        // SAFETY: a row has the 16 bytes that are written, which need no alignment.
        unsafe { _mm_storeu_si128(first.as_mut_ptr().cast(), lower) };
        // SAFETY: as above.
        unsafe { _mm_storeu_si128(second.as_mut_ptr().cast(), upper) };
    }
}

/// Sixteen by sixteen bytes the other way round, in each half of the registers: four times, rows are interleaved with
/// those that lie eight further on.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(mut rows: [__m256i; 16]) -> [__m256i; 16] {
    for _ in 0..4 {
        let (first, second) = rows.split_at(8);
        rows = std::array::from_fn(|number| {
            let (a, b) = (first[number / 2], second[number / 2]);
            if number % 2 == 0 { _mm256_unpacklo_epi8(a, b) } else { _mm256_unpackhi_epi8(a, b) }
        });
    }
    rows
}
