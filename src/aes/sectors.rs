//! The bodies of the kernels over sectors, each of which has an IV of its own.
//!
//! What one sector waits for, the CPU does beside the sectors around it. XTS encrypts the numbers of all sectors before
//! the data, as if they were data themselves; CBC encrypts many sectors side by side, since a chain leaves most of the
//! CPU idle; the other modes only lose what lies between two calls.

use inout::InOutBuf;

use super::key::{Key, Schedule};
use super::lanes::{
    GROUP, LINE, Lanes, Nothing, block, first_key, in_reach, last_round, middle_rounds, opaque_mut,
    zero,
};
use super::stream::{Abreast, BLOCK, Cut, Stream};
use super::{modes, xts};
use crate::kernel::{Sectors, XtsKey};

/// XTS, a data unit a sector.
#[inline(always)]
pub(super) fn xts_encrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &XtsKey<Key<P, N>>,
    sectors: Sectors<'_, '_, '_>,
) {
    let cpu = key.cpu().into();
    encrypt_ivs::<L, N>(cpu, &key.tweak.encrypt, sectors.ivs);
    xts::units::<L, N, false>(cpu, &key.data.encrypt, Cut::new(sectors));
}

/// The inverse of [`xts_encrypt`].
#[inline(always)]
pub(super) fn xts_decrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &XtsKey<Key<P, N>>,
    sectors: Sectors<'_, '_, '_>,
) {
    let cpu = key.cpu().into();
    encrypt_ivs::<L, N>(cpu, &key.tweak.encrypt, sectors.ivs);
    xts::units::<L, N, true>(cpu, &key.data.decrypt, Cut::new(sectors));
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
///
/// A line of each sector is read at a time, and what became of it is written, while the lines before or after are
/// worked on. Large sectors all begin at the same place of a page, so that the cache can hold but a few of them: block
/// by block, each line would be fetched several times.
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
    let mut chains = [L::splat(cpu, zero()); M];
    for (i, chain) in chains.iter_mut().enumerate() {
        *chain = ivs.load(i, 0);
    }
    let in_lines = blocks / LINE * LINE;
    if in_lines > 0 {
        lines(cpu, keys, in_lines, &mut chains, &mut sectors);
    }
    for number in in_lines..blocks {
        let mut data = chains;
        for (i, block) in data.iter_mut().enumerate() {
            *block = sectors.load(i, number);
        }
        extend(cpu, keys, &mut chains, &data);
        for (i, block) in chains.into_iter().enumerate() {
            sectors.store(i, number, block);
        }
    }
}

/// The first blocks of chains, so many that they are whole lines. Where a line was put aside, its ciphertext takes its
/// place: no plaintext is left there.
#[inline(always)]
fn lines<L: Lanes, const N: usize, const M: usize>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    blocks: usize,
    chains: &mut [L; M],
    sectors: &mut Abreast<'_, '_, L, M>,
) {
    let mut buffers = [[[chains[0]; LINE]; M]; 2];
    let [now, other] = opaque_mut(&mut buffers);
    let (mut now, mut other) = (now, other);
    for (i, line) in now.iter_mut().enumerate() {
        *line = sectors.load_line(i, 0);
    }
    for start in (0..blocks).step_by(LINE) {
        for number in 0..LINE {
            let mut data = *chains;
            for (block, line) in data.iter_mut().zip(&*now) {
                *block = line[number];
            }
            extend(cpu, keys, chains, &data);
            for (line, chain) in now.iter_mut().zip(&*chains) {
                line[number] = *chain;
            }
            let part = number * M / LINE..(number + 1) * M / LINE;
            for (i, line) in part.clone().zip(&mut other[part]) {
                if start > 0 {
                    sectors.store_line(i, start - LINE, *line);
                }
                if start + LINE < blocks {
                    *line = sectors.load_line(i, start + LINE);
                }
            }
        }
        std::mem::swap(&mut now, &mut other);
    }
    for (i, line) in other.iter().enumerate() {
        sectors.store_line(i, blocks - LINE, *line);
    }
}

/// Encrypts the next block of each chain, which then ends with that.
#[inline(always)]
fn extend<L: Lanes, const N: usize, const M: usize>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    chains: &mut [L; M],
    blocks: &[L; M],
) {
    let keys = in_reach::<L, N>(keys);
    let first = first_key(cpu, keys);
    for (chain, block) in chains.iter_mut().zip(blocks) {
        *chain = chain.xor3(first, *block);
    }
    middle_rounds::<L, _, N, M, false>(cpu, keys, chains, &mut Nothing);
    let last = L::splat(cpu, keys[N - 1]);
    for chain in chains {
        *chain = last_round::<L, N, false>(cpu, keys, *chain, last);
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
