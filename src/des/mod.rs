//! DES and 3DES (FIPS 46-3), keying option by the key: several blocks side by side, each S-box and the permutation behind it
//! one look-up. Table look-ups depend on key and data: this is not constant time.

mod tables;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use cipher::consts::{U4, U8};
use cipher::{Array, InOut, InOutBuf};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::wide::{SideBySide, Wide};
use tables::TURNED_BOXES;

/// Rounds of one pass of DES.
const ROUNDS: usize = 16;

type Block = Array<u8, U8>;

/// Something for each round of the passes with each key.
type Rounds<T, const KEYS: usize> = [[T; ROUNDS]; KEYS];

/// A key that is set: one of DES, or three that DES goes through to and fro.
pub(crate) struct Des<const KEYS: usize> {
    /// The subkeys in the order of encryption and of decryption, as [`split`] makes them.
    rounds: [Rounds<[u32; 2], KEYS>; 2],
}

/// Behind the traits of the cipher crates.
pub(crate) type Portable<const KEYS: usize> = Wide<Des<KEYS>>;

impl<const KEYS: usize> Drop for Des<KEYS> {
    fn drop(&mut self) {
        self.rounds.zeroize();
    }
}

impl<const KEYS: usize> ZeroizeOnDrop for Des<KEYS> {}

impl<const KEYS: usize> Portable<KEYS> {
    /// Room for a key.
    pub(crate) const fn blank() -> Self {
        Self(Des::blank())
    }

    /// Sets a key of eight bytes for each pass.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        self.0.expand(&schedule(key));
    }
}

impl<const KEYS: usize> Des<KEYS> {
    const fn blank() -> Self {
        Self { rounds: [[[[0; 2]; ROUNDS]; KEYS]; 2] }
    }

    fn expand(&mut self, schedules: &[Rounds<[u8; 8], KEYS>; 2]) {
        let subkeys = schedules.as_flattened().as_flattened();
        for (words, groups) in
            self.rounds.as_flattened_mut().as_flattened_mut().iter_mut().zip(subkeys)
        {
            *words = split(*groups);
        }
    }
}

/// The subkeys in the order of encryption and of decryption, in groups of six bits. Every second pass is a decryption.
fn schedule<const KEYS: usize>(key: &[u8]) -> Zeroizing<[Rounds<[u8; 8], KEYS>; 2]> {
    let mut schedules = Zeroizing::new([[[[0; 8]; ROUNDS]; KEYS]; 2]);
    let [forward, backward] = &mut *schedules;
    for (number, (rounds, key)) in forward.iter_mut().zip(key.as_chunks().0).enumerate() {
        *rounds = tables::subkeys(*key);
        if number % 2 == 1 {
            rounds.reverse();
        }
    }
    *backward = *forward;
    backward.as_flattened_mut().reverse();
    schedules
}

/// The groups of odd and of even number, as those of a half block lie when it is turned: that of the last S-box lowest.
fn split([g0, g1, g2, g3, g4, g5, g6, g7]: [u8; 8]) -> [u32; 2] {
    [u32::from_be_bytes([g1, g3, g5, g7]), u32::from_be_bytes([g0, g2, g4, g6])]
}

/// All passes over some blocks, which go through the rounds side by side.
#[inline(always)]
fn crypt<const KEYS: usize, const N: usize>(
    passes: &Rounds<[u32; 2], KEYS>,
    blocks: [Block; N],
) -> [Block; N] {
    let mut halves = blocks.map(|block| {
        let (left, right) = initial_permutation(u64::from_be_bytes(block.0));
        [left.rotate_left(1), right.rotate_left(1)]
    });
    for rounds in passes {
        for [first, second] in rounds.as_chunks().0 {
            for [left, right] in &mut halves {
                *left ^= f(*right, *first);
            }
            for [left, right] in &mut halves {
                *right ^= f(*left, *second);
            }
        }
        halves = halves.map(|[left, right]| [right, left]);
    }
    halves.map(|[left, right]| {
        let block = final_permutation(left.rotate_right(1), right.rotate_right(1));
        Array(block.to_be_bytes())
    })
}

/// [`crypt`], for whole groups of blocks.
fn crypt_groups<const KEYS: usize>(
    passes: &Rounds<[u32; 2], KEYS>,
    blocks: InOutBuf<'_, '_, Block>,
) {
    for mut group in blocks.into_chunks::<U4>().0 {
        *group.get_out() = Array(crypt(passes, group.get_in().0));
    }
}

/// [`crypt`], for one block.
fn crypt_one<const KEYS: usize>(passes: &Rounds<[u32; 2], KEYS>, mut block: InOut<'_, '_, Block>) {
    [*block.get_out()] = crypt(passes, [block.clone_in()]);
}

/// The function f of a half block that is turned to the left by one, which its result is too.
#[inline(always)]
fn f(half: u32, [odd, even]: [u32; 2]) -> u32 {
    let [s0, s1, s2, s3, s4, s5, s6, s7] = &TURNED_BOXES;
    let place = |byte: u8| usize::from(byte & 0x3f);
    let [g1, g3, g5, g7] = (half ^ odd).to_be_bytes().map(place);
    let [g0, g2, g4, g6] = (half.rotate_right(4) ^ even).to_be_bytes().map(place);
    s0[g0] ^ s1[g1] ^ s2[g2] ^ s3[g3] ^ s4[g4] ^ s5[g5] ^ s6[g6] ^ s7[g7]
}

/// The halves of a block after the permutation IP, which is five exchanges of bits between them.
#[inline(always)]
fn initial_permutation(block: u64) -> (u32, u32) {
    let (left, right) = ((block >> 32) as u32, block as u32);
    let (left, right) = exchange(left, right, 4, 0x0f0f_0f0f);
    let (left, right) = exchange(left, right, 16, 0x0000_ffff);
    let (right, left) = exchange(right, left, 2, 0x3333_3333);
    let (right, left) = exchange(right, left, 8, 0x00ff_00ff);
    exchange(left, right, 1, 0x5555_5555)
}

/// The inverse of [`initial_permutation`].
#[inline(always)]
fn final_permutation(left: u32, right: u32) -> u64 {
    let (left, right) = exchange(left, right, 1, 0x5555_5555);
    let (right, left) = exchange(right, left, 8, 0x00ff_00ff);
    let (right, left) = exchange(right, left, 2, 0x3333_3333);
    let (left, right) = exchange(left, right, 16, 0x0000_ffff);
    let (left, right) = exchange(left, right, 4, 0x0f0f_0f0f);
    u64::from(left) << 32 | u64::from(right)
}

/// Exchanges the bits of `b` under the mask with those that lie `shift` higher in `a`.
#[inline(always)]
fn exchange(a: u32, b: u32, shift: u32, mask: u32) -> (u32, u32) {
    let differing = (a >> shift ^ b) & mask;
    (a ^ differing << shift, b ^ differing)
}

impl<const KEYS: usize> SideBySide for Des<KEYS> {
    type BlockSize = U8;
    // While one waits for its look-ups, the others compute.
    type Blocks = U4;

    const GROUP: usize = 4;

    fn encrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        crypt_groups(&self.rounds[0], blocks);
    }

    fn decrypt(&self, blocks: InOutBuf<'_, '_, Block>) {
        crypt_groups(&self.rounds[1], blocks);
    }

    fn encrypt_one(&self, block: InOut<'_, '_, Block>) {
        crypt_one(&self.rounds[0], block);
    }

    fn decrypt_one(&self, block: InOut<'_, '_, Block>) {
        crypt_one(&self.rounds[1], block);
    }
}

#[cfg(test)]
mod tests {
    use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit, ParBlocksSizeUser};

    use super::Portable;
    use crate::wide::tests::agrees;

    /// Holds DES and 3DES against the crate's, with keys of which some halves and passes are equal.
    pub(super) fn agree<D, T>(des: impl Fn(&[u8]) -> D, triple: impl Fn(&[u8]) -> T)
    where
        D: BlockCipherEncrypt<BlockSize = cipher::consts::U8> + BlockCipherDecrypt,
        D: ParBlocksSizeUser,
        T: BlockCipherEncrypt<BlockSize = cipher::consts::U8> + BlockCipherDecrypt,
        T: ParBlocksSizeUser,
    {
        for seed in 0..8_usize {
            let key: Vec<u8> = (0..24)
                .map(|i| (i * i * 3 * seed + 7 * i * (seed & 4) + seed * 29) as u8)
                .collect();
            let reference = des::Des::new_from_slice(&key[..8]).expect("a key length");
            agrees(&des(&key[..8]), &reference);
            let reference = des::TdesEde3::new_from_slice(&key).expect("a key length");
            agrees(&triple(&key), &reference);
        }
    }

    #[test]
    fn agrees_with_the_crate() {
        agree(
            |key| {
                let mut own = Portable::<1>::blank();
                own.expand(key);
                own
            },
            |key| {
                let mut own = Portable::<3>::blank();
                own.expand(key);
                own
            },
        );
    }
}
