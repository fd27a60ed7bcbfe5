//! Twofish (Schneier, Kelsey, Whiting, Wagner, Hall, Ferguson: "Twofish: A 128-Bit Block Cipher", 1998).
//!
//! A key's S-boxes and the matrix behind them become four tables of words when the key is set, which the crate `twofish`
//! works out anew for each block. Blocks go through the rounds side by side. Table look-ups depend on key and data: this
//! is not constant time.

mod tables;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use cipher::consts::{U4, U16};
use cipher::{Array, InOut, InOutBuf};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::wide::{SideBySide, Wide};
use tables::{MDS_COLUMNS, Q, rs_product};

const ROUNDS: usize = 16;

type Block = Array<u8, U16>;

/// The words that whitening takes of the subkeys, before the rounds and after them.
const WHITENING: usize = 4;

/// Which of q0 and q1 a byte goes through, for each place in the word. The row is the step: a first one for keys of 256
/// bits, one for those of 192 bits and more, two that all keys have, and the last, behind which there is no key.
const STEPS: [[usize; 4]; 5] =
    [[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 1, 0]];

/// A key that is set.
pub(crate) struct Twofish {
    /// The function g, by the bytes of its argument. A key is moved before it is expanded: on the stack these would push
    /// what follows beyond the part that is overwritten afterwards.
    g: Box<[[u32; 256]; 4]>,
    /// The subkeys: eight of whitening, then two a round.
    subkeys: [u32; 2 * WHITENING + 2 * ROUNDS],
}

/// Behind the traits of the cipher crates.
pub(crate) type Portable = Wide<Twofish>;

impl Drop for Twofish {
    fn drop(&mut self) {
        self.g.zeroize();
        self.subkeys.zeroize();
    }
}

impl ZeroizeOnDrop for Twofish {}

impl Portable {
    /// Room for a key.
    pub(crate) fn blank() -> Self {
        Self(Twofish::blank())
    }

    /// Sets a key of 16, 24 or 32 bytes.
    pub(crate) fn expand(&mut self, key: &[u8]) {
        self.0.expand(key);
    }
}

impl Twofish {
    fn blank() -> Self {
        let g = vec![[0; 256]; 4].try_into().expect("four tables");
        Self { g, subkeys: [0; 2 * WHITENING + 2 * ROUNDS] }
    }

    /// The key schedule, section 4.3.
    fn expand(&mut self, key: &[u8]) {
        let mut words = Words::default();
        let pairs = key.len() / 8;
        for (pair, bytes) in key.as_chunks().0.iter().enumerate() {
            let [a, b, c, d, e, f, g, h] = *bytes;
            words.even[pair] = [a, b, c, d];
            words.odd[pair] = [e, f, g, h];
            words.boxes[pairs - 1 - pair] = rs_product(*bytes);
        }
        for (place, table) in self.g.iter_mut().enumerate() {
            for (byte, entry) in (0..=u8::MAX).zip(table) {
                *entry = MDS_COLUMNS[place][usize::from(s_box(&words.boxes[..pairs], place, byte))];
            }
        }
        for (number, [even, odd]) in (0_u8..).step_by(2).zip(self.subkeys.as_chunks_mut().0) {
            let a = h(&words.even[..pairs], number);
            let b = h(&words.odd[..pairs], number + 1).rotate_left(8);
            *even = a.wrapping_add(b);
            *odd = even.wrapping_add(b).rotate_left(9);
        }
    }

    fn g(&self, [a, b, c, d]: [u8; 4]) -> u32 {
        let [t0, t1, t2, t3] = &*self.g;
        t0[usize::from(a)] ^ t1[usize::from(b)] ^ t2[usize::from(c)] ^ t3[usize::from(d)]
    }

    /// The function F of a round, section 4.2.
    #[inline(always)]
    fn f(&self, r0: u32, r1: u32, [k0, k1]: [u32; 2]) -> (u32, u32) {
        let t0 = self.g(r0.to_le_bytes());
        let [a, b, c, d] = r1.to_le_bytes();
        let t1 = self.g([d, a, b, c]);
        let sum = t0.wrapping_add(t1);
        (sum.wrapping_add(k0), sum.wrapping_add(t1).wrapping_add(k1))
    }

    fn round_keys(&self) -> &[[u32; 2]; ROUNDS] {
        let keys = self.subkeys[2 * WHITENING..].as_chunks().0;
        keys.try_into().expect("two words a round")
    }

    fn whitening(&self) -> (&[u32], &[u32]) {
        self.subkeys[..2 * WHITENING].split_at(WHITENING)
    }

    #[inline(always)]
    fn encrypt_some<const N: usize>(&self, blocks: [Block; N]) -> [Block; N] {
        let blocks = &mut blocks.map(words);
        let (before, after) = self.whitening();
        whiten(blocks, before);
        // Two rounds, so that the halves need no exchange.
        for [first, second] in self.round_keys().as_chunks().0 {
            for [r0, r1, r2, r3] in &mut *blocks {
                let (f0, f1) = self.f(*r0, *r1, *first);
                *r2 = (*r2 ^ f0).rotate_right(1);
                *r3 = r3.rotate_left(1) ^ f1;
            }
            for [r0, r1, r2, r3] in &mut *blocks {
                let (f0, f1) = self.f(*r2, *r3, *second);
                *r0 = (*r0 ^ f0).rotate_right(1);
                *r1 = r1.rotate_left(1) ^ f1;
            }
        }
        exchange(blocks);
        whiten(blocks, after);
        blocks.map(bytes)
    }

    #[inline(always)]
    fn decrypt_some<const N: usize>(&self, blocks: [Block; N]) -> [Block; N] {
        let blocks = &mut blocks.map(words);
        let (before, after) = self.whitening();
        whiten(blocks, after);
        exchange(blocks);
        for [first, second] in self.round_keys().as_chunks().0.iter().rev() {
            for [r0, r1, r2, r3] in &mut *blocks {
                let (f0, f1) = self.f(*r2, *r3, *second);
                *r0 = r0.rotate_left(1) ^ f0;
                *r1 = (*r1 ^ f1).rotate_right(1);
            }
            for [r0, r1, r2, r3] in &mut *blocks {
                let (f0, f1) = self.f(*r0, *r1, *first);
                *r2 = r2.rotate_left(1) ^ f0;
                *r3 = (*r3 ^ f1).rotate_right(1);
            }
        }
        whiten(blocks, before);
        blocks.map(bytes)
    }
}

/// The key as the vectors M_e, M_o and S of section 4.3, as many words of each as it has pairs of words.
#[derive(Default)]
struct Words {
    even: Zeroizing<[[u8; 4]; 4]>,
    odd: Zeroizing<[[u8; 4]; 4]>,
    boxes: Zeroizing<[[u8; 4]; 4]>,
}

/// What the byte at one place of a word goes through in the function h, section 4.3.2, up to the matrix.
fn s_box(list: &[[u8; 4]], place: usize, byte: u8) -> u8 {
    let [keyed @ .., last] = &STEPS[STEPS.len() - 1 - list.len()..] else { unreachable!("five") };
    let keyed = keyed.iter().zip(list.iter().rev());
    let byte =
        keyed.fold(byte, |byte, (step, word)| Q[step[place]][usize::from(byte)] ^ word[place]);
    Q[last[place]][usize::from(byte)]
}

/// The function h of a word of four equal bytes, which is all that the subkeys ask of it.
fn h(list: &[[u8; 4]], byte: u8) -> u32 {
    let columns = MDS_COLUMNS.iter().enumerate();
    let products = columns.map(|(place, column)| column[usize::from(s_box(list, place, byte))]);
    products.fold(0, |sum, product| sum ^ product)
}

#[inline(always)]
fn whiten<const N: usize>(blocks: &mut [[u32; 4]; N], keys: &[u32]) {
    for block in blocks {
        block.iter_mut().zip(keys).for_each(|(word, key)| *word ^= key);
    }
}

/// The exchange of halves that the last round does not do.
#[inline(always)]
fn exchange<const N: usize>(blocks: &mut [[u32; 4]; N]) {
    for block in blocks {
        *block = [block[2], block[3], block[0], block[1]];
    }
}

fn words(block: Block) -> [u32; 4] {
    let words = block.0.as_chunks().0;
    std::array::from_fn(|word| u32::from_le_bytes(words[word]))
}

fn bytes(words: [u32; 4]) -> Block {
    let mut block = Block::default();
    for (bytes, word) in block.0.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    block
}

impl SideBySide for Twofish {
    type BlockSize = U16;
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
    use cipher::KeyInit;

    use super::Portable;
    use crate::wide::tests::agrees;

    /// Keys of every length, each with the crate's.
    pub(super) fn each_key(test: impl Fn(&[u8], &twofish::Twofish)) {
        for seed in 0..6_usize {
            let key: Vec<u8> =
                (0..[16, 24, 32][seed % 3]).map(|i| (i * i + 7 * i + seed * 29) as u8).collect();
            test(&key, &twofish::Twofish::new_from_slice(&key).expect("a key length"));
        }
    }

    #[test]
    fn agrees_with_the_crate() {
        each_key(|key, reference| {
            let mut own = Portable::blank();
            own.expand(key);
            agrees(&own, reference);
        });
    }
}
