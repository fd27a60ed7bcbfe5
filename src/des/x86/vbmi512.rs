//! AVX-512 with byte permutations (VBMI) and affine maps (GFNI): an instruction looks 64 bytes up in a table of 64, which is
//! an S-box of 64 blocks.

use std::arch::x86_64::*;

use cipher::InOutBuf;
use cipher::consts::U64;

use super::super::tables::{SOURCES, SPREAD_BOXES};
use super::super::{Block, Rounds};
use super::{Instructions, PLANES};
use crate::cpu::Vbmi512;

/// Blocks side by side.
const BLOCKS: usize = 64;

type HalfBlocks = [__m512i; PLANES];

/// These instructions.
pub(crate) enum Vbmi {}

impl Instructions for Vbmi {
    type Cpu = Vbmi512;
    type Blocks = U64;

    fn crypt<const KEYS: usize>(
        _: Vbmi512,
        passes: &Rounds<[u32; PLANES], KEYS>,
        mut blocks: InOutBuf<'_, '_, Block>,
    ) {
        for start in (0..blocks.len()).step_by(BLOCKS) {
            let (input, _) = blocks.get_in()[start..].as_chunks();
            // SAFETY: the token proves that the CPU has the features that the functions are compiled for.
            let mut halves = unsafe { load(&input[0]) };
            // SAFETY: as above.
            unsafe { all_passes(passes, &mut halves) };
            let (output, _) = blocks.get_out()[start..].as_chunks_mut();
            // SAFETY: as above.
            unsafe { store(halves, &mut output[0]) };
        }
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn all_passes<const KEYS: usize>(
    passes: &Rounds<[u32; PLANES], KEYS>,
    [left, right]: &mut [HalfBlocks; 2],
) {
    let (mut l, mut r) = (*left, *right);
    for rounds in passes {
        for [first, second] in rounds.as_chunks().0 {
            round(&mut l, &r, first);
            round(&mut r, &l, second);
        }
        (l, r) = (r, l);
    }
    (*left, *right) = (l, r);
}

/// Adds the function f of one half to the other.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn round(to: &mut HalfBlocks, from: &HalfBlocks, key: &[u32; PLANES]) {
    let mut places = *from;
    for (places, key) in places.iter_mut().zip(key) {
        *places = _mm512_xor_si512(*places, _mm512_set1_epi32(key.cast_signed()));
    }
    for (number, plane) in to.iter_mut().enumerate() {
        for s_box in SOURCES[number] {
            let table: &[u8; 64] = &SPREAD_BOXES.0[s_box][number];
            // SAFETY: the table has the 64 bytes that are read, which need no alignment.
            let table = unsafe { _mm512_loadu_si512(table.as_ptr().cast()) };
            *plane = _mm512_xor_si512(*plane, _mm512_permutexvar_epi8(places[s_box], table));
        }
    }
}

/// Which bytes of a block go where, in each of the eight blocks of a register.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn reorder(blocks: __m512i, order: [u8; 8]) -> __m512i {
    let second = i64::from_le_bytes(order.map(|place| place + 8));
    let order = _mm_set_epi64x(second, i64::from_le_bytes(order));
    _mm512_shuffle_epi8(blocks, _mm512_broadcast_i32x4(order))
}

/// A matrix of bits the other way round, in each of the eight blocks of a register: byte i of the result has, from the
/// highest bit on, bit `bits[i]` of each byte.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn pick_bits(blocks: __m512i, bits: [u8; 8]) -> __m512i {
    let bits = i64::from_le_bytes(bits.map(|bit| 1 << bit));
    _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(bits), blocks)
}

/// The planes of the halves of some blocks, after the permutation IP.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn load(blocks: &[Block; BLOCKS]) -> [HalfBlocks; 2] {
    let (rows, _) = blocks.as_chunks::<8>();
    let bytes = transpose(std::array::from_fn(|row| {
        let row: &[Block; 8] = &rows[row];
        // SAFETY: eight blocks have the 64 bytes that are read, which need no alignment.
        let row = unsafe { _mm512_loadu_si512(row.as_ptr().cast()) };
        // A byte of the permuted block is a bit of every byte, that of the last byte first.
        let row = pick_bits(reorder(row, [7, 6, 5, 4, 3, 2, 1, 0]), [6, 4, 2, 0, 7, 5, 3, 1]);
        transpose_bytes(row)
    }));
    let [l0, l1, l2, l3, r0, r1, r2, r3] = bytes;
    [select([l0, l1, l2, l3]), select([r0, r1, r2, r3])]
}

/// The inverse of [`load`].
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn store(halves: [HalfBlocks; 2], blocks: &mut [Block; BLOCKS]) {
    let [[l0, l1, l2, l3], [r0, r1, r2, r3]] = halves.map(|planes| unselect(planes));
    let rows = transpose([l0, l1, l2, l3, r0, r1, r2, r3]);
    for (row, blocks) in rows.into_iter().zip(blocks.as_chunks_mut::<8>().0) {
        let row = reorder(transpose_bytes(row), [4, 0, 5, 1, 6, 2, 7, 3]);
        let row = pick_bits(row, [0, 1, 2, 3, 4, 5, 6, 7]);
        // SAFETY: eight blocks have the 64 bytes that are written, which need no alignment.
        unsafe { _mm512_storeu_si512(blocks.as_mut_ptr().cast(), row) };
    }
}

/// Moves the bits of every byte: those under the mask to the right, or to the left where `right` is negative.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn shift<const RIGHT: i32, const MASK: u8>(bytes: __m512i) -> __m512i {
    // The row of the highest bit comes in the lowest byte.
    let matrix = const {
        let mut matrix = 0_u64;
        let mut bit = 0;
        while bit < 8 {
            let from = bit + RIGHT;
            if from >= 0 && from < 8 && MASK >> from & 1 == 1 {
                matrix |= 1 << (8 * (7 - bit) + from);
            }
            bit += 1;
        }
        matrix.cast_signed()
    };
    _mm512_gf2p8affine_epi64_epi8::<0>(bytes, _mm512_set1_epi64(matrix))
}

/// The selection E: four planes of bytes become eight of six bits.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn select(bytes: [__m512i; 4]) -> HalfBlocks {
    std::array::from_fn(|number| {
        let byte = bytes[number / 2];
        if number % 2 == 0 {
            let before = bytes[(number / 2 + 3) % 4];
            _mm512_xor_si512(shift::<-5, 0x01>(before), shift::<3, 0xf8>(byte))
        } else {
            let after = bytes[(number / 2 + 1) % 4];
            _mm512_xor_si512(shift::<-1, 0x1f>(byte), shift::<7, 0x80>(after))
        }
    })
}

/// The inverse of [`select`]: the four bits in the middle of each plane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn unselect(planes: HalfBlocks) -> [__m512i; 4] {
    std::array::from_fn(|byte| {
        let (high, low) = (planes[2 * byte], planes[2 * byte + 1]);
        _mm512_xor_si512(shift::<-3, 0x1e>(high), shift::<1, 0x1e>(low))
    })
}

/// Eight by eight bytes of a register the other way round.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn transpose_bytes(rows: __m512i) -> __m512i {
    const ORDER: [u8; 64] = {
        let mut order = [0; 64];
        let mut place = 0;
        while place < 64 {
            order[place] = (place % 8 * 8 + place / 8) as u8;
            place += 1;
        }
        order
    };
    // SAFETY: the order has the 64 bytes that are read, which need no alignment.
    let order = unsafe { _mm512_loadu_si512(ORDER.as_ptr().cast()) };
    _mm512_permutexvar_epi8(order, rows)
}

/// Eight registers by eight runs of bytes the other way round: each step exchanges a bit of the number of a row with one of
/// the number of a column.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn transpose([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> [__m512i; 8] {
    let ([a, b], [c, d]) = (by_one(a, b), by_one(c, d));
    let ([e, f], [g, h]) = (by_one(e, f), by_one(g, h));
    let ([a, c], [b, d]) = (by_two(a, c), by_two(b, d));
    let ([e, g], [f, h]) = (by_two(e, g), by_two(f, h));
    let ([a, e], [b, f]) = (by_four(a, e), by_four(b, f));
    let ([c, g], [d, h]) = (by_four(c, g), by_four(d, h));
    [a, b, c, d, e, f, g, h]
}

/// Exchanges the second of each two columns of one row with the first of the other.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn by_one(a: __m512i, b: __m512i) -> [__m512i; 2] {
    [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)]
}

/// Exchanges the second two of each four.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn by_two(a: __m512i, b: __m512i) -> [__m512i; 2] {
    let firsts = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
    let seconds = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
    [_mm512_permutex2var_epi64(a, firsts, b), _mm512_permutex2var_epi64(a, seconds, b)]
}

/// Exchanges the second four.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,gfni")]
fn by_four(a: __m512i, b: __m512i) -> [__m512i; 2] {
    [_mm512_shuffle_i64x2::<0b0100_0100>(a, b), _mm512_shuffle_i64x2::<0b1110_1110>(a, b)]
}
