//! CAST-128 on AVX-512: half a block of sixteen blocks in a register, tables looked up by gathers.

use std::arch::x86_64::*;

use cipher::consts::{U8, U32};
use cipher::{InOut, InOutBuf};
use zeroize::ZeroizeOnDrop;

use super::boxes::BOXES;
use super::{Block, Cast5, ROUNDS};
use crate::cpu::Avx512;
use crate::wide::{SideBySide, Wide};

/// Blocks in a register.
const BLOCKS: usize = 16;

/// Groups of blocks side by side: while one waits for its gathers, the other computes.
const GROUPS: usize = 2;

/// Half of each block, or both halves.
type Half = __m512i;
type Halves = [Half; 2];

/// A key, and proof that the CPU has the instructions.
pub(crate) struct Gathering {
    key: Cast5,
    cpu: Avx512,
}

/// Behind the traits of the cipher crates.
pub(crate) type Wide512 = Wide<Gathering>;

impl ZeroizeOnDrop for Gathering {}

impl Wide512 {
    /// Room for a key.
    pub(crate) const fn blank(cpu: Avx512) -> Self {
        Self(Gathering { key: Cast5::blank(), cpu })
    }

    /// Sets a key of 16 bytes.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        self.0.key.expand(key);
    }
}

impl SideBySide for Gathering {
    type BlockSize = U8;
    type Blocks = U32;

    const GROUP: usize = GROUPS * BLOCKS;

    fn encrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        crypt(self.cpu, &self.key, std::array::from_fn(|round| round), blocks);
    }

    fn decrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        crypt(self.cpu, &self.key, std::array::from_fn(|round| ROUNDS - 1 - round), blocks);
    }

    fn encrypt_one(&self, block: InOut<'_, '_, Block>) {
        self.key.encrypt_one(block);
    }

    fn decrypt_one(&self, block: InOut<'_, '_, Block>) {
        self.key.decrypt_one(block);
    }
}

/// The rounds in an order, over whole groups of blocks.
fn crypt(_: Avx512, key: &Cast5, rounds: [usize; ROUNDS], mut blocks: InOutBuf<'_, '_, Block>) {
    for start in (0..blocks.len()).step_by(GROUPS * BLOCKS) {
        let (input, _) = blocks.get_in()[start..].as_chunks();
        // SAFETY: the token proves that the CPU has the features that the functions are compiled for.
        let mut groups = unsafe { load(&input[0], &input[1]) };
        // SAFETY: as above.
        unsafe { all_rounds(key, rounds, &mut groups) };
        let (output, _) = blocks.get_out()[start..].as_chunks_mut();
        for (halves, blocks) in groups.into_iter().zip(output) {
            // SAFETY: as above.
            unsafe { store(halves, blocks) };
        }
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn all_rounds(key: &Cast5, rounds: [usize; ROUNDS], groups: &mut [Halves; GROUPS]) {
    let mut halves = *groups;
    for number in rounds {
        let mask = _mm512_set1_epi32(key.masks[number].cast_signed());
        let rotation = _mm512_set1_epi32(key.rotations[number].cast_signed());
        for [left, right] in &mut halves {
            *left = _mm512_xor_si512(*left, f(number % 3, *right, mask, rotation));
            (*left, *right) = (*right, *left);
        }
    }
    *groups = halves;
}

/// The function of a round.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn f(kind: usize, half: Half, mask: Half, rotation: Half) -> Half {
    let mixed = match kind {
        0 => _mm512_add_epi32(mask, half),
        1 => _mm512_xor_si512(mask, half),
        _ => _mm512_sub_epi32(mask, half),
    };
    let mixed = _mm512_rolv_epi32(mixed, rotation);
    let byte = _mm512_set1_epi32(0xff);
    let a = gather(0, _mm512_srli_epi32::<24>(mixed));
    let b = gather(1, _mm512_and_si512(_mm512_srli_epi32::<16>(mixed), byte));
    let c = gather(2, _mm512_and_si512(_mm512_srli_epi32::<8>(mixed), byte));
    let d = gather(3, _mm512_and_si512(mixed, byte));
    match kind {
        0 => _mm512_add_epi32(_mm512_sub_epi32(_mm512_xor_si512(a, b), c), d),
        1 => _mm512_xor_si512(_mm512_add_epi32(_mm512_sub_epi32(a, b), c), d),
        _ => _mm512_sub_epi32(_mm512_xor_si512(_mm512_add_epi32(a, b), c), d),
    }
}

/// An S-box of places that are bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn gather(s_box: usize, places: __m512i) -> Half {
    let table: &[u32; 256] = &BOXES[s_box];
    // SAFETY: the places are bytes, and the table has a word for each.
    unsafe { _mm512_i32gather_epi32::<4>(places, table.as_ptr().cast()) }
}

/// The halves of some blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn load(first: &[Block; BLOCKS], second: &[Block; BLOCKS]) -> [Halves; GROUPS] {
    [first, second].map(|blocks| {
        let (rows, _) = blocks.as_chunks::<8>();
        let row = |row: usize| {
            let row: &[Block; 8] = &rows[row];
            // SAFETY: eight blocks have the 64 bytes that are read, which need no alignment.
            swap_bytes(unsafe { _mm512_loadu_si512(row.as_ptr().cast()) })
        };
        let left = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        let right = _mm512_add_epi32(left, _mm512_set1_epi32(1));
        [left, right].map(|places| _mm512_permutex2var_epi32(row(0), places, row(1)))
    })
}

/// Blocks of halves that change places in the end.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn store([left, right]: Halves, blocks: &mut [Block; BLOCKS]) {
    let first = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    let second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    for (blocks, places) in blocks.as_chunks_mut::<8>().0.iter_mut().zip([first, second]) {
        let row = swap_bytes(_mm512_permutex2var_epi32(right, places, left));
        // SAFETY: eight blocks have the 64 bytes that are written, which need no alignment.
        unsafe { _mm512_storeu_si512(blocks.as_mut_ptr().cast(), row) };
    }
}

/// Words are big-endian in memory.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn swap_bytes(words: __m512i) -> __m512i {
    let order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(order))
}

#[cfg(test)]
mod tests {
    use super::super::tests::agree;
    use super::Wide512;
    use crate::cpu;

    #[test]
    fn agrees_with_the_crate() {
        match cpu::Avx512::detect() {
            Some(cpu) => agree(|key| {
                let mut own = Wide512::blank(cpu);
                own.expand(key);
                own
            }),
            None => eprintln!("SKIPPED: this CPU or build has no AVX-512"),
        }
    }
}
