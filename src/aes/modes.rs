//! The bodies of the ECB, CBC and CTR kernels (SP 800-38A).

use cipher::consts::U16;
use inout::InOutBuf;

use super::arch::{Base, Block, One};
use super::key::{Key, Schedule};
use super::lanes::{
    GROUP, Lanes, Nothing, block, bytes, first_key, in_reach, last_round, middle_rounds, number,
};
use super::stream::{BLOCK, Group, Stream};
use crate::iv::Iv;

/// A mode that goes over the data once, a group at a time.
trait Pass<L: Lanes> {
    /// Works on the next group.
    fn group<const M: usize>(&mut self, group: impl Group<L, M>);
}

/// Runs a mode over a whole call: full groups, then what is left by halves.
#[inline(always)]
fn run<L: Lanes>(cpu: L::Cpu, mut stream: Stream<'_, '_>, pass: &mut impl Pass<L>) {
    while let Some(group) = stream.take::<L, GROUP>(cpu) {
        pass.group(group);
    }
    if let Some(group) = stream.take::<L, 4>(cpu) {
        pass.group(group);
    }
    if let Some(group) = stream.take::<L, 2>(cpu) {
        pass.group(group);
    }
    if let Some(group) = stream.take::<L, 1>(cpu) {
        pass.group(group);
    }
    if let Some(group) = stream.take_part::<L>(cpu) {
        pass.group(group);
    }
}

/// ECB in one direction.
struct Ecb<'k, const N: usize, const DECRYPT: bool> {
    keys: &'k Schedule<N>,
}

impl<L: Lanes, const N: usize, const DECRYPT: bool> Pass<L> for Ecb<'_, N, DECRYPT> {
    #[inline(always)]
    fn group<const M: usize>(&mut self, mut group: impl Group<L, M>) {
        let cpu = group.cpu();
        let keys = in_reach::<L, N>(self.keys);
        let first = first_key(cpu, keys);
        let mut data = [first; M];
        for (i, block) in data.iter_mut().enumerate() {
            *block = group.load(i) ^ first;
        }
        middle_rounds::<L, _, N, M, DECRYPT>(cpu, keys, &mut data, &mut Nothing);
        let last = L::splat(cpu, keys[N - 1]);
        for (i, block) in data.into_iter().enumerate() {
            group.store(i, last_round::<L, N, DECRYPT>(cpu, keys, block, last));
        }
    }
}

/// Encrypts blocks, each by itself.
#[inline(always)]
pub(super) fn encrypt_blocks<L: Lanes, const N: usize>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    stream: Stream<'_, '_>,
) {
    run::<L>(cpu, stream, &mut Ecb::<N, false> { keys });
}

/// ECB encryption.
#[inline(always)]
pub(super) fn ecb_encrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &Key<P, N>,
    _iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    encrypt_blocks::<L, N>(key.cpu().into(), &key.encrypt, Stream::new(data));
}

/// ECB decryption.
#[inline(always)]
pub(super) fn ecb_decrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &Key<P, N>,
    _iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    let mut pass = Ecb::<N, true> { keys: &key.decrypt };
    run::<L>(key.cpu().into(), Stream::new(data), &mut pass);
}

/// CBC encryption, a chain by nature: one block after the other, at the latency of the rounds.
///
/// Between two blocks stands nothing but rounds: the last of one block has the next plaintext and the first round key
/// folded into its key, so it yields the next block ready for its first round.
#[inline(always)]
pub(super) fn cbc_encrypt<P: Copy + Into<Base>, const N: usize>(
    key: &Key<P, N>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    let cpu = key.cpu().into();
    let keys = &key.encrypt;
    let first = first_key(cpu, keys);
    let last = One::splat(cpu, keys[N - 1]);
    let mut stream = Stream::new(data);

    let Some(mut group) = stream.take::<One, 1>(cpu) else { return };
    let mut state = [One::splat(cpu, number(iv.number())) ^ first ^ group.load(0)];
    loop {
        middle_rounds::<One, _, N, 1, false>(cpu, keys, &mut state, &mut Nothing);
        let Some(following) = stream.take::<One, 1>(cpu) else { break };
        let entering = following.load(0) ^ first;
        state[0] = last_round::<One, N, false>(cpu, keys, state[0], last ^ entering);
        group.store(0, state[0] ^ entering);
        group = following;
    }
    let ciphertext = last_round::<One, N, false>(cpu, keys, state[0], last);
    group.store(0, ciphertext);
    iv.block::<U16>().0 = bytes(ciphertext);
}

/// CBC decryption.
struct CbcDecrypt<'k, L, const N: usize> {
    keys: &'k Schedule<N>,
    /// A register that ends with the ciphertext block before the next group.
    before: L,
}

impl<L: Lanes, const N: usize> Pass<L> for CbcDecrypt<'_, L, N> {
    #[inline(always)]
    fn group<const M: usize>(&mut self, mut group: impl Group<L, M>) {
        let cpu = group.cpu();
        let keys = in_reach::<L, N>(self.keys);
        let first = first_key(cpu, keys);
        let mut data = [first; M];
        for (i, block) in data.iter_mut().enumerate() {
            *block = group.load(i) ^ first;
        }
        // In place the output overwrites the ciphertext. What is needed of it later is read before that: the last
        // register here, and below each register's chaining before the one in front is written.
        let chaining = group.load(0).follow(self.before);
        self.before = group.load(M - 1);
        middle_rounds::<L, _, N, M, true>(cpu, keys, &mut data, &mut Nothing);
        let last = L::splat(cpu, keys[N - 1]);
        for i in (1..M).rev() {
            let chaining = group.load_before(i);
            group.store(i, last_round::<L, N, true>(cpu, keys, data[i], last ^ chaining));
        }
        group.store(0, last_round::<L, N, true>(cpu, keys, data[0], last ^ chaining));
    }
}

/// Decrypts a chain that begins with the block `start`.
#[inline(always)]
pub(super) fn decrypt_chain<L: Lanes, const N: usize>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    start: Block,
    stream: Stream<'_, '_>,
) {
    let before = L::splat(cpu, start);
    run::<L>(cpu, stream, &mut CbcDecrypt { keys, before });
}

/// CBC decryption.
#[inline(always)]
pub(super) fn cbc_decrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &Key<P, N>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    let stream = Stream::new(data);
    let Some(chain) = stream.last_input() else { return };
    decrypt_chain::<L, N>(key.cpu().into(), &key.decrypt, number(iv.number()), stream);
    iv.block::<U16>().0 = chain;
}

/// CTR.
///
/// The counter is no secret, so the way it is made may depend on it: nearly always the last byte alone changes within a
/// group, and one addition a register makes all of its counters. Else the addition is the full one, of 128 bits.
struct Ctr<'k, L, const N: usize> {
    keys: &'k Schedule<N>,
    counter: u128,
    /// The counter as a block, in every lane.
    block: L,
}

impl<L: Lanes, const N: usize> Pass<L> for Ctr<'_, L, N> {
    #[inline(always)]
    fn group<const M: usize>(&mut self, mut group: impl Group<L, M>) {
        let cpu = group.cpu();
        let keys = in_reach::<L, N>(self.keys);
        let first = first_key(cpu, keys);
        let blocks = group.blocks();
        let in_a_byte = |last: u8| usize::from(last) + blocks <= 1 << u8::BITS;
        let mut data = [first; M];
        if in_a_byte(self.counter as u8) {
            for (i, block) in data.iter_mut().enumerate() {
                *block = self.block.add_bytes(ordinals(cpu, i * L::BLOCKS)) ^ first;
            }
        } else {
            let number = self.block.reverse_bytes();
            for (i, block) in data.iter_mut().enumerate() {
                let ordinals = ordinals::<L>(cpu, i * L::BLOCKS).reverse_bytes();
                *block = number.add_small(ordinals).reverse_bytes() ^ first;
            }
        }
        self.advance(cpu, blocks);
        middle_rounds::<L, _, N, M, false>(cpu, keys, &mut data, &mut Nothing);
        let last = L::splat(cpu, keys[N - 1]);
        for (i, block) in data.into_iter().enumerate() {
            let input = group.load(i);
            group.store(i, last_round::<L, N, false>(cpu, keys, block, last ^ input));
        }
    }
}

impl<L: Lanes, const N: usize> Ctr<'_, L, N> {
    /// Counts the blocks of a group, of which there are at most as many as there are [`ORDINALS`].
    #[inline(always)]
    fn advance(&mut self, cpu: L::Cpu, blocks: usize) {
        let after = self.counter.wrapping_add(blocks as u128);
        self.block = if self.counter >> 8 == after >> 8 {
            self.block.add_bytes(L::splat(cpu, block(&ORDINALS.0[blocks])))
        } else {
            L::splat(cpu, number(after.to_be()))
        };
        self.counter = after;
    }
}

/// Big-endian numbers as long as a block.
#[repr(align(64))]
struct Numbers([[u8; BLOCK]; GROUP * 4 + 1]);

/// 0, 1, 2 ... up to the most blocks in a group.
static ORDINALS: Numbers = {
    let mut numbers = [[0; BLOCK]; GROUP * 4 + 1];
    let mut i = 0;
    while i < numbers.len() {
        numbers[i][BLOCK - 1] = i as u8;
        i += 1;
    }
    Numbers(numbers)
};

/// A register of the ordinals from `first` on.
#[inline(always)]
fn ordinals<L: Lanes>(cpu: L::Cpu, first: usize) -> L {
    let ordinals = &ORDINALS.0[first..first + L::BLOCKS];
    // SAFETY: the slice is a register long.
    unsafe { L::load(cpu, ordinals.as_ptr().cast()) }
}

/// Adds the keystream from `counter` on, and returns the counter after it.
#[inline(always)]
pub(super) fn add_keystream<L: Lanes, const N: usize>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    counter: u128,
    stream: Stream<'_, '_>,
) -> u128 {
    let block = L::splat(cpu, number(counter.to_be()));
    let mut pass = Ctr { keys, counter, block };
    run::<L>(cpu, stream, &mut pass);
    pass.counter
}

/// CTR, the same in both directions.
#[inline(always)]
pub(super) fn ctr<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &Key<P, N>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    let counter = u128::from_be(iv.number());
    let after = add_keystream::<L, N>(key.cpu().into(), &key.encrypt, counter, Stream::new(data));
    iv.block::<U16>().0 = after.to_be_bytes();
}
