//! The bodies of the kernels over sectors, each of which has an IV of its own.
//!
//! What one sector waits for, the CPU does beside the sectors around it. XTS encrypts the numbers of all sectors before
//! the data, as if they were data themselves; CBC encrypts many sectors side by side, since a chain leaves most of the
//! CPU idle; the other modes only lose what lies between two calls.

use std::slice;

use inout::InOutBuf;

use super::key::{Key, Schedule};
use super::lanes::{GROUP, Lanes, Nothing, block, in_reach, last_round, middle_rounds};
use super::stream::{Abreast, BLOCK, Stream};
use super::{modes, xts};
use crate::kernel::{Sectors, XtsKey};

/// Sectors one after the other.
struct Cut<'v, 'i, 'o> {
    ivs: slice::Iter<'v, [u8; BLOCK]>,
    stream: Stream<'i, 'o>,
    /// Blocks in a sector.
    blocks: usize,
}

impl<'v, 'i, 'o> Cut<'v, 'i, 'o> {
    #[inline(always)]
    fn new(sectors: Sectors<'v, 'i, 'o>) -> Self {
        let (ivs, _) = sectors.ivs.as_chunks();
        let blocks = sectors.sector_len / BLOCK;
        Self { ivs: ivs.iter(), stream: Stream::new(sectors.data), blocks }
    }

    /// The next sector and its IV.
    #[inline(always)]
    fn next(&mut self) -> Option<(&'v [u8; BLOCK], Stream<'i, 'o>)> {
        let iv = self.ivs.next()?;
        Some((iv, self.stream.split(self.blocks)))
    }
}

/// XTS, a data unit a sector.
#[inline(always)]
pub(super) fn xts_encrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &XtsKey<Key<P, N>>,
    sectors: Sectors<'_, '_, '_>,
) {
    let cpu = key.cpu().into();
    encrypt_ivs::<L, N>(cpu, &key.tweak.encrypt, sectors.ivs);
    let mut cut = Cut::new(sectors);
    while let Some((tweak, stream)) = cut.next() {
        xts::unit::<L, N, false>(cpu, &key.data.encrypt, block(tweak), stream);
    }
}

/// The inverse of [`xts_encrypt`].
#[inline(always)]
pub(super) fn xts_decrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &XtsKey<Key<P, N>>,
    sectors: Sectors<'_, '_, '_>,
) {
    let cpu = key.cpu().into();
    encrypt_ivs::<L, N>(cpu, &key.tweak.encrypt, sectors.ivs);
    let mut cut = Cut::new(sectors);
    while let Some((tweak, stream)) = cut.next() {
        xts::unit::<L, N, true>(cpu, &key.data.decrypt, block(tweak), stream);
    }
}

/// Makes the first tweak of every sector, where its IV was.
#[inline(always)]
fn encrypt_ivs<L: Lanes, const N: usize>(cpu: L::Cpu, keys: &Schedule<N>, ivs: &mut [u8]) {
    modes::encrypt_blocks::<L, N>(cpu, keys, Stream::new(InOutBuf::from(ivs)));
}

/// CBC encryption, a chain in each lane of a group of registers.
#[inline(always)]
pub(super) fn cbc_encrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &Key<P, N>,
    sectors: Sectors<'_, '_, '_>,
) {
    let cpu = key.cpu().into();
    let keys = &key.encrypt;
    let blocks = sectors.sector_len / BLOCK;
    let mut ivs = Stream::new(InOutBuf::from(sectors.ivs));
    let mut data = Stream::new(sectors.data);
    loop {
        // As few registers as there is use for: what waits for its own rounds has no time for those of idle lanes.
        let left = ivs.blocks().div_ceil(L::BLOCKS);
        match left {
            0 => return,
            1 => chains::<L, N, 1>(cpu, keys, blocks, &mut ivs, &mut data),
            2 => chains::<L, N, 2>(cpu, keys, blocks, &mut ivs, &mut data),
            3..=4 => chains::<L, N, 4>(cpu, keys, blocks, &mut ivs, &mut data),
            _ => chains::<L, N, GROUP>(cpu, keys, blocks, &mut ivs, &mut data),
        }
    }
}

/// The next chains, as many as `M` registers have lanes.
#[inline(always)]
fn chains<L: Lanes, const N: usize, const M: usize>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    blocks: usize,
    ivs: &mut Stream<'_, '_>,
    data: &mut Stream<'_, '_>,
) {
    let ivs = Abreast::<L, M>::take(cpu, ivs, 1);
    let mut sectors = Abreast::<L, M>::take(cpu, data, blocks);
    let mut state = [L::splat(cpu, keys[0]); M];
    for (i, chain) in state.iter_mut().enumerate() {
        *chain = ivs.load(i, 0);
    }
    for number in 0..sectors.blocks() {
        let keys = in_reach::<L, N>(keys);
        let first = L::splat(cpu, keys[0]);
        for (i, chain) in state.iter_mut().enumerate() {
            *chain = chain.xor3(first, sectors.load(i, number));
        }
        middle_rounds::<L, _, N, M, false>(cpu, keys, &mut state, &mut Nothing);
        let last = L::splat(cpu, keys[N - 1]);
        for (i, chain) in state.iter_mut().enumerate() {
            *chain = last_round::<L, false>(*chain, last);
            sectors.store(i, number, *chain);
        }
    }
}

/// CBC decryption.
#[inline(always)]
pub(super) fn cbc_decrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &Key<P, N>,
    sectors: Sectors<'_, '_, '_>,
) {
    let cpu = key.cpu().into();
    let mut cut = Cut::new(sectors);
    while let Some((iv, stream)) = cut.next() {
        modes::decrypt_chain::<L, N>(cpu, &key.decrypt, block(iv), stream);
    }
}

/// CTR, the same in both directions.
#[inline(always)]
pub(super) fn ctr<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &Key<P, N>,
    sectors: Sectors<'_, '_, '_>,
) {
    let cpu = key.cpu().into();
    let mut cut = Cut::new(sectors);
    while let Some((iv, stream)) = cut.next() {
        modes::add_keystream::<L, N>(cpu, &key.encrypt, u128::from_be_bytes(*iv), stream);
    }
}
