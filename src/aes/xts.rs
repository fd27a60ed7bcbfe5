//! The body of the XTS kernels (IEEE 1619-2018 section 5), from 128 to 512 bits wide.
//!
//! A group of registers has its tweaks in a buffer; between the rounds of the group the tweaks of the next are made, in a
//! second buffer. Both are wiped before the kernel returns. Multiplying a tweak by a power of x is shifts and a
//! carry-less product, never a branch.
//!
//! A short call waits mostly for its first tweak: the IV goes through all rounds of AES before any data can. So the
//! encryption of the next IV in order is begun here too, early enough that it costs next to nothing beside the data, and
//! kept in the handle's [`Iv`], which says when it is worth it.

use inout::InOutBuf;

use super::arch::{Base, Block, One};
use super::key::{Key, Schedule};
use super::lanes::{
    Beside, GROUP, Lanes, Nothing, block, bytes, encrypt_alone, first_key, in_reach, last_round,
    middle_rounds, number, opaque_mut,
};
use super::stream::{Cut, Group, Stream};
use crate::iv::Iv;
use crate::kernel::XtsKey;

/// XTS over one data unit.
#[inline(always)]
pub(super) fn encrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &XtsKey<Key<P, N>>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    let cpu = key.cpu().into();
    let first = first_tweak(cpu.into(), &key.tweak.encrypt, iv);
    unit::<L, N, false>(cpu, &key.data.encrypt, first, Stream::new(data));
}

/// The inverse of [`encrypt`]. Tweaks are made by encryption here too.
#[inline(always)]
pub(super) fn decrypt<L: Lanes, P: Copy + Into<L::Cpu>, const N: usize>(
    key: &XtsKey<Key<P, N>>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) {
    let cpu = key.cpu().into();
    let first = first_tweak(cpu.into(), &key.tweak.encrypt, iv);
    unit::<L, N, true>(cpu, &key.data.decrypt, first, Stream::new(data));
}

/// The encrypted IV: kept from an earlier call, or made now. Also makes the next one, if the handle expects its use:
/// nothing waits for that, so it runs beside the data.
#[inline(always)]
fn first_tweak<const N: usize>(cpu: Base, keys: &Schedule<N>, iv: &mut Iv) -> Block {
    let first = match iv.tweak() {
        Some(tweak) => One::splat(cpu, block(tweak)),
        None => {
            let tweak = encrypt_alone(cpu, keys, One::splat(cpu, number(iv.number())));
            iv.keep_tweak(bytes(tweak));
            tweak
        }
    };
    if let Some(unit) = iv.expected_unit() {
        let tweak = encrypt_alone(cpu, keys, One::splat(cpu, number(unit)));
        iv.keep_next_tweak(bytes(tweak));
    }
    first.into()
}

/// One data unit. `first` is the tweak of its first block.
#[inline(always)]
fn unit<L: Lanes, const N: usize, const DECRYPT: bool>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    first: Block,
    mut stream: Stream<'_, '_>,
) {
    let tweaks = first_tweaks::<L>(cpu, first);
    if L::IS_SPACIOUS && stream.blocks() <= GROUP * L::BLOCKS {
        // Short enough that the tweaks never leave the registers.
        return end::<L, N, DECRYPT>(cpu, keys, stream, &tweaks);
    }
    let mut buffers = [tweaks; 2];
    let [now, next] = opaque_mut(&mut buffers);
    let (mut now, mut next) = (now, next);
    go_on::<L, N, DECRYPT>(cpu, keys, &mut stream, &mut now, &mut next);
    end::<L, N, DECRYPT>(cpu, keys, stream, now);
    wipe(&mut buffers);
}

/// Data units in a row, with the tweak of each one's first block.
///
/// A unit that ends in a full group, as all do whose length is a multiple of 512, leaves no gap before the next: the
/// first tweaks of that are made beside the group.
#[inline(always)]
pub(super) fn units<L: Lanes, const N: usize, const DECRYPT: bool>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    mut cut: Cut<'_, '_, '_>,
) {
    let Some((first, mut stream)) = cut.next() else { return };
    let mut buffers = [first_tweaks::<L>(cpu, block(first)); 2];
    let [now, next] = opaque_mut(&mut buffers);
    let (mut now, mut next) = (now, next);
    loop {
        go_on::<L, N, DECRYPT>(cpu, keys, &mut stream, &mut now, &mut next);
        let Some((first, following)) = cut.next() else { break };
        let first = block(first);
        if let Some(group) = stream.take::<L, GROUP>(cpu) {
            let mut beside = Begin { cpu, first, next: opaque_mut(next) };
            pass::<L, _, N, GROUP, DECRYPT>(keys, group, opaque_mut(now), &mut beside);
        } else {
            end::<L, N, DECRYPT>(cpu, keys, stream, now);
            *next = first_tweaks(cpu, first);
        }
        std::mem::swap(&mut now, &mut next);
        stream = following;
    }
    end::<L, N, DECRYPT>(cpu, keys, stream, now);
    wipe(&mut buffers);
}

/// The groups of a data unit before its end. `now` has the tweaks of the one at hand, and in the end those of the end.
#[inline(always)]
fn go_on<'t, L: Lanes, const N: usize, const DECRYPT: bool>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    stream: &mut Stream<'_, '_>,
    now: &mut &'t mut [L; GROUP],
    next: &mut &'t mut [L; GROUP],
) {
    while stream.blocks() > GROUP * L::BLOCKS {
        let Some(group) = stream.take::<L, GROUP>(cpu) else { break };
        let tweaks = opaque_mut(*now);
        let mut beside = Advance { now: tweaks, next: opaque_mut(*next), carry: tweaks[0] };
        pass::<L, _, N, GROUP, DECRYPT>(keys, group, tweaks, &mut beside);
        std::mem::swap(now, next);
    }
}

/// Overwrites the tweaks.
#[inline(always)]
fn wipe<L: Lanes>(buffers: &mut [[L; GROUP]; 2]) {
    for tweak in buffers.as_flattened_mut() {
        tweak.zeroize();
    }
}

/// The tweaks of the first group of a data unit, at once.
#[inline(always)]
fn first_tweaks<L: Lanes>(cpu: L::Cpu, first: Block) -> [L; GROUP] {
    let mut tweaks = [L::splat(cpu, first); GROUP];
    macro_rules! parts {
        ($($round:literal)*) => { $(L::begin::<$round>(cpu, first, &mut tweaks);)* };
    }
    parts!(1 2 3 4 5 6 7 8);
    tweaks
}

/// The end of a data unit, at most one group, whose tweaks are there.
#[inline(always)]
fn end<L: Lanes, const N: usize, const DECRYPT: bool>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    mut stream: Stream<'_, '_>,
    tweaks: &[L; GROUP],
) {
    if let Some(group) = stream.take::<L, GROUP>(cpu) {
        return pass::<L, _, N, GROUP, DECRYPT>(keys, group, tweaks, &mut Nothing);
    }
    let mut tweaks = &tweaks[..];
    if let Some(group) = stream.take::<L, 4>(cpu) {
        pass::<L, _, N, 4, DECRYPT>(keys, group, take(&mut tweaks), &mut Nothing);
    }
    if let Some(group) = stream.take::<L, 2>(cpu) {
        pass::<L, _, N, 2, DECRYPT>(keys, group, take(&mut tweaks), &mut Nothing);
    }
    if let Some(group) = stream.take::<L, 1>(cpu) {
        pass::<L, _, N, 1, DECRYPT>(keys, group, take(&mut tweaks), &mut Nothing);
    }
    if let Some(group) = stream.take_part::<L>(cpu) {
        pass::<L, _, N, 1, DECRYPT>(keys, group, take(&mut tweaks), &mut Nothing);
    }
}

/// The next `M` tweaks, which are left no more.
#[inline(always)]
fn take<'t, L, const M: usize>(tweaks: &mut &'t [L]) -> &'t [L; M] {
    let (first, rest) =
        tweaks.split_first_chunk().expect("fewer registers than a group's are left");
    *tweaks = rest;
    first
}

/// One group.
#[inline(always)]
fn pass<L: Lanes, B: Beside, const N: usize, const M: usize, const DECRYPT: bool>(
    keys: &Schedule<N>,
    mut group: impl Group<L, M>,
    tweaks: &[L; M],
    beside: &mut B,
) {
    let cpu = group.cpu();
    let keys = in_reach::<L, N>(keys);
    let first = first_key(cpu, keys);
    let mut data = [first; M];
    for (i, block) in data.iter_mut().enumerate() {
        *block = group.load(i).xor3(tweaks[i], first);
    }
    middle_rounds::<L, B, N, M, DECRYPT>(cpu, keys, &mut data, beside);
    let last = L::splat(cpu, keys[N - 1]);
    for (i, block) in data.into_iter().enumerate() {
        group.store(i, last_round::<L, N, DECRYPT>(cpu, keys, block, tweaks[i] ^ last));
    }
}

/// Makes the tweaks of the next group beside the rounds of the one at hand.
struct Advance<'t, L> {
    now: &'t [L; GROUP],
    next: &'t mut [L; GROUP],
    carry: L,
}

impl<L: Lanes> Beside for Advance<'_, L> {
    #[inline(always)]
    fn round<const ROUND: usize>(&mut self) {
        L::advance::<ROUND>(self.now, self.next, &mut self.carry);
    }
}

/// Makes the first tweaks of the next data unit beside the rounds of the last group of the one at hand.
struct Begin<'t, L: Lanes> {
    cpu: L::Cpu,
    first: Block,
    next: &'t mut [L; GROUP],
}

impl<L: Lanes> Beside for Begin<'_, L> {
    #[inline(always)]
    fn round<const ROUND: usize>(&mut self) {
        L::begin::<ROUND>(self.cpu, self.first, self.next);
    }
}
