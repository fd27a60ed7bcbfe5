//! CAST-128, also called CAST5 (RFC 2144), with keys of 128 bits: several blocks side by side. Table look-ups depend on key
//! and data: this is not constant time.

mod boxes;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use cipher::consts::{U4, U8};
use cipher::{Array, InOut, InOutBuf};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::wide::{SideBySide, Wide};
use boxes::{BOXES, KEY_BOXES};

const ROUNDS: usize = 16;

type Block = Array<u8, U8>;

/// A key that is set.
pub(crate) struct Cast5 {
    /// The masking keys Km1 to Km16.
    masks: [u32; ROUNDS],
    /// The rotation keys Kr1 to Kr16.
    rotations: [u32; ROUNDS],
}

/// Behind the traits of the cipher crates.
pub(crate) type Portable = Wide<Cast5>;

impl Drop for Cast5 {
    fn drop(&mut self) {
        self.masks.zeroize();
        self.rotations.zeroize();
    }
}

impl ZeroizeOnDrop for Cast5 {}

impl Portable {
    /// Room for a key.
    pub(crate) const fn blank() -> Self {
        Self(Cast5::blank())
    }

    /// Sets a key of 16 bytes.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        self.0.expand(key);
    }
}

/// The bytes x0 to xF of the key schedule, and z0 to zF behind them.
struct Schedule(Zeroizing<[u8; 32]>);

/// Where the bytes z begin.
const Z: usize = 16;

/// How a word of the key schedule is made: the S-boxes S5 to S8 of four bytes, and one of them of a fifth.
type Recipe = [usize; 5];

/// The words of z, each with the word of x that is added. The fifth byte goes through S7, S8, S5 and S6.
const TO_Z: [(usize, Recipe); 4] = [
    (0x0, [0xd, 0xf, 0xc, 0xe, 0x8]),
    (0x8, [Z, Z + 0x2, Z + 0x1, Z + 0x3, 0xa]),
    (0xc, [Z + 0x7, Z + 0x6, Z + 0x5, Z + 0x4, 0x9]),
    (0x4, [Z + 0xa, Z + 0x9, Z + 0xb, Z + 0x8, 0xb]),
];

/// The words of x, likewise.
const TO_X: [(usize, Recipe); 4] = [
    (Z + 0x8, [Z + 0x5, Z + 0x7, Z + 0x4, Z + 0x6, Z]),
    (Z, [0x0, 0x2, 0x1, 0x3, Z + 0x2]),
    (Z + 0x4, [0x7, 0x6, 0x5, 0x4, Z + 0x1]),
    (Z + 0xc, [0xa, 0x9, 0xb, 0x8, Z + 0x3]),
];

/// Four subkeys made of z or of x, at first and later. The fifth byte goes through S5, S6, S7 and S8.
const EARLY_OF_Z: [Recipe; 4] = [
    [Z + 0x8, Z + 0x9, Z + 0x7, Z + 0x6, Z + 0x2],
    [Z + 0xa, Z + 0xb, Z + 0x5, Z + 0x4, Z + 0x6],
    [Z + 0xc, Z + 0xd, Z + 0x3, Z + 0x2, Z + 0x9],
    [Z + 0xe, Z + 0xf, Z + 0x1, Z, Z + 0xc],
];
const EARLY_OF_X: [Recipe; 4] = [
    [0x3, 0x2, 0xc, 0xd, 0x8],
    [0x1, 0x0, 0xe, 0xf, 0xd],
    [0x7, 0x6, 0x8, 0x9, 0x3],
    [0x5, 0x4, 0xa, 0xb, 0x7],
];
const LATE_OF_Z: [Recipe; 4] = [
    [Z + 0x3, Z + 0x2, Z + 0xc, Z + 0xd, Z + 0x9],
    [Z + 0x1, Z, Z + 0xe, Z + 0xf, Z + 0xc],
    [Z + 0x7, Z + 0x6, Z + 0x8, Z + 0x9, Z + 0x2],
    [Z + 0x5, Z + 0x4, Z + 0xa, Z + 0xb, Z + 0x6],
];
const LATE_OF_X: [Recipe; 4] = [
    [0x8, 0x9, 0x7, 0x6, 0x3],
    [0xa, 0xb, 0x5, 0x4, 0x7],
    [0xc, 0xd, 0x3, 0x2, 0x8],
    [0xe, 0xf, 0x1, 0x0, 0xd],
];

impl Schedule {
    fn of(key: &[u8]) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        bytes[..Z].copy_from_slice(key);
        Self(bytes)
    }

    /// Sixteen subkeys.
    fn half(&mut self, subkeys: &mut [u32; ROUNDS]) {
        let (fours, _) = subkeys.as_chunks_mut();
        self.advance(Z, &TO_Z);
        fours[0] = self.subkeys(&EARLY_OF_Z);
        self.advance(0, &TO_X);
        fours[1] = self.subkeys(&EARLY_OF_X);
        self.advance(Z, &TO_Z);
        fours[2] = self.subkeys(&LATE_OF_Z);
        self.advance(0, &TO_X);
        fours[3] = self.subkeys(&LATE_OF_X);
    }

    /// Replaces x or z, which begins at `to`.
    fn advance(&mut self, to: usize, recipes: &[(usize, Recipe); 4]) {
        for (number, (from, recipe)) in recipes.iter().enumerate() {
            let from = self.0[*from..].first_chunk().expect("four bytes");
            let word = u32::from_be_bytes(*from) ^ self.mix(recipe, (number + 2) % 4);
            self.0[to + 4 * number..][..4].copy_from_slice(&word.to_be_bytes());
        }
    }

    fn subkeys(&self, recipes: &[Recipe; 4]) -> [u32; 4] {
        std::array::from_fn(|number| self.mix(&recipes[number], number))
    }

    fn mix(&self, [places @ .., fifth]: &Recipe, fifth_box: usize) -> u32 {
        let of = |number: usize, place: usize| KEY_BOXES[number][usize::from(self.0[place])];
        let four = places.iter().enumerate().map(|(number, place)| of(number, *place));
        four.fold(of(fifth_box, *fifth), |sum, word| sum ^ word)
    }
}

/// The function of a round, of which there are three types that take turns, section 2.2.
#[inline(always)]
fn f(kind: usize, half: u32, mask: u32, rotation: u32) -> u32 {
    let mixed = match kind {
        0 => mask.wrapping_add(half),
        1 => mask ^ half,
        _ => mask.wrapping_sub(half),
    };
    let [a, b, c, d] = mixed.rotate_left(rotation).to_be_bytes().map(usize::from);
    let [s1, s2, s3, s4] = &BOXES;
    let (a, b, c, d) = (s1[a], s2[b], s3[c], s4[d]);
    match kind {
        0 => (a ^ b).wrapping_sub(c).wrapping_add(d),
        1 => a.wrapping_sub(b).wrapping_add(c) ^ d,
        _ => (a.wrapping_add(b) ^ c).wrapping_sub(d),
    }
}

impl Cast5 {
    const fn blank() -> Self {
        Self { masks: [0; ROUNDS], rotations: [0; ROUNDS] }
    }

    /// The key schedule, section 2.4.
    fn expand(&mut self, key: &[u8]) {
        let mut bytes = Schedule::of(key);
        bytes.half(&mut self.masks);
        bytes.half(&mut self.rotations);
        self.rotations.iter_mut().for_each(|rotation| *rotation &= 31);
    }

    /// A round of all blocks.
    #[inline(always)]
    fn round<const N: usize>(&self, halves: &mut [[u32; 2]; N], number: usize) {
        let (mask, rotation) = (self.masks[number], self.rotations[number]);
        for [left, right] in halves {
            *left ^= f(number % 3, *right, mask, rotation);
            (*left, *right) = (*right, *left);
        }
    }

    #[inline(always)]
    fn encrypt_some<const N: usize>(&self, blocks: [Block; N]) -> [Block; N] {
        let mut halves = blocks.map(halves);
        for number in 0..ROUNDS {
            self.round(&mut halves, number);
        }
        halves.map(exchanged)
    }

    #[inline(always)]
    fn decrypt_some<const N: usize>(&self, blocks: [Block; N]) -> [Block; N] {
        let mut halves = blocks.map(halves);
        for number in (0..ROUNDS).rev() {
            self.round(&mut halves, number);
        }
        halves.map(exchanged)
    }
}

fn halves(block: Block) -> [u32; 2] {
    let halves = block.0.as_chunks().0;
    std::array::from_fn(|half| u32::from_be_bytes(halves[half]))
}

/// A block of halves that change places in the end.
fn exchanged([left, right]: [u32; 2]) -> Block {
    let block = u64::from(right) << 32 | u64::from(left);
    Array(block.to_be_bytes())
}

impl SideBySide for Cast5 {
    type BlockSize = U8;
    // While one waits for its look-ups, the others compute.
    type Blocks = U4;

    const GROUP: usize = 4;

    fn encrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        for mut group in blocks.into_chunks::<U4>().0 {
            *group.get_out() = Array(self.encrypt_some(group.get_in().0));
        }
    }

    fn decrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        for mut group in blocks.into_chunks::<U4>().0 {
            *group.get_out() = Array(self.decrypt_some(group.get_in().0));
        }
    }

    fn encrypt_one(&self, mut block: InOut<'_, '_, Block>) {
        [*block.get_out()] = self.encrypt_some([block.clone_in()]);
    }

    fn decrypt_one(&self, mut block: InOut<'_, '_, Block>) {
        [*block.get_out()] = self.decrypt_some([block.clone_in()]);
    }
}

#[cfg(test)]
mod tests {
    use cipher::consts::U8;
    use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit, ParBlocksSizeUser};

    use super::Portable;
    use crate::wide::tests::agrees;

    /// Holds keys against the crate's.
    pub(super) fn agree<C>(new: impl Fn(&[u8]) -> C)
    where
        C: BlockCipherEncrypt<BlockSize = U8> + BlockCipherDecrypt + ParBlocksSizeUser,
    {
        for seed in 0..20_usize {
            let key: [u8; 16] = std::array::from_fn(|i| (i * i + i * (seed * 58 + 37)) as u8);
            agrees(&new(&key), &cast5::Cast5::new(&key.into()));
        }
    }

    #[test]
    fn agrees_with_the_crate() {
        agree(|key| {
            let mut own = Portable::blank();
            own.expand(key);
            own
        });
    }
}
