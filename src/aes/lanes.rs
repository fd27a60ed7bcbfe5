//! A register of blocks, and the rounds of AES over several of them.

use std::arch::asm;
use std::mem;
use std::ops::BitXor;

use zeroize::Zeroize;

use super::arch::{self, Base, Block};
use super::key::Schedule;
use super::stream::BLOCK;

/// Registers in flight at a time: enough for the pipelines of every CPU so far, and what 16 registers have room for.
pub(super) const GROUP: usize = 8;

/// Blocks in the widest register.
pub(super) const WIDEST: usize = 4;

/// Blocks in a cache line.
pub(super) const LINE: usize = 4;

/// A register of one or more blocks.
///
/// The first value takes a proof of the CPU to make and others come from it, so whoever has one may use it: that is why
/// most of the methods are safe.
pub(super) trait Lanes: Copy + Zeroize + BitXor<Output = Self> {
    /// The proof that the CPU has the register's instructions.
    type Cpu: Copy + Into<Base>;

    /// Blocks in the register.
    const BLOCKS: usize;

    /// Whether there are 32 registers, enough to hold a whole schedule or a group's tweaks beside the data.
    const IS_SPACIOUS: bool;

    /// Whether a round begins with the addition of its key, as Arm has it, rather than end with that, as Intel has it.
    const KEY_COMES_FIRST: bool;

    /// The block in every lane.
    fn splat(cpu: Self::Cpu, block: Block) -> Self;

    /// Reads a register's bytes, at any alignment.
    ///
    /// # Safety
    /// [`Self::BLOCKS`] blocks can be read at `from`.
    unsafe fn load(cpu: Self::Cpu, from: *const u8) -> Self;

    /// Reads fewer blocks and leaves the other lanes zero.
    ///
    /// # Safety
    /// As many blocks can be read at `from`, at least one and fewer than [`Self::BLOCKS`].
    unsafe fn load_part(cpu: Self::Cpu, from: *const u8, blocks: usize) -> Self;

    /// Writes the register, at any alignment.
    ///
    /// # Safety
    /// [`Self::BLOCKS`] blocks can be written at `to`.
    unsafe fn store(self, to: *mut u8);

    /// Writes the first lanes.
    ///
    /// # Safety
    /// As many blocks can be written at `to`, at least one and fewer than [`Self::BLOCKS`].
    unsafe fn store_part(self, to: *mut u8, blocks: usize);

    /// Reads a block from each of several places, at any alignment.
    ///
    /// # Safety
    /// A block can be read at each of the first [`Self::BLOCKS`] offsets from `from`.
    unsafe fn gather(cpu: Self::Cpu, from: *const u8, offsets: &[usize; WIDEST]) -> Self;

    /// Writes each lane to a place of its own.
    ///
    /// # Safety
    /// A block can be written at each of the first [`Self::BLOCKS`] offsets from `to`.
    unsafe fn scatter(self, to: *mut u8, offsets: &[usize; WIDEST]);

    /// Reads a line from each of several places: register j has the jth block of each.
    ///
    /// # Safety
    /// A line can be read at each of the first [`Self::BLOCKS`] offsets from `from`.
    unsafe fn gather_line(
        cpu: Self::Cpu,
        from: *const u8,
        offsets: &[usize; WIDEST],
    ) -> [Self; LINE];

    /// Writes lines as [`Lanes::gather_line`] reads them.
    ///
    /// # Safety
    /// A line can be written at each of the first [`Self::BLOCKS`] offsets from `to`.
    unsafe fn scatter_line(line: [Self; LINE], to: *mut u8, offsets: &[usize; WIDEST]);

    /// The same register, of which the compiler no longer knows what it holds: what uses it is not moved before this.
    fn pin(self) -> Self;

    /// A round of encryption in each lane.
    fn encrypt(self, key: Self) -> Self;

    /// The last round of encryption, which mixes no columns.
    fn encrypt_last(self, key: Self) -> Self;

    /// A round of the equivalent inverse cipher.
    fn decrypt(self, key: Self) -> Self;

    /// The last round of the equivalent inverse cipher.
    fn decrypt_last(self, key: Self) -> Self;

    /// The exclusive or of three.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }

    /// The lanes moved up by one, the last lane of `before` entering below.
    fn follow(self, before: Self) -> Self;

    /// Each lane with its bytes in reverse order.
    fn reverse_bytes(self) -> Self;

    /// The sum of each two bytes, modulo 256.
    fn add_bytes(self, other: Self) -> Self;

    /// The sum of the 128-bit little-endian number in each lane and one of less than 64 bits, modulo 2^128.
    fn add_small(self, small: Self) -> Self;

    /// XTS: a part of making the tweaks of the first group of a data unit, whose first block has the tweak `first`.
    /// `ROUND` 1 to 8, in this order, make all.
    fn begin<const ROUND: usize>(cpu: Self::Cpu, first: Block, tweaks: &mut [Self; GROUP]);

    /// XTS: a part of making the tweaks of the group after the one at hand. `ROUND` 1 to 8, in this order, make all.
    ///
    /// `carry` is whatever one part leaves for the next.
    fn advance<const ROUND: usize>(now: &[Self; GROUP], next: &mut [Self; GROUP], carry: &mut Self);
}

/// Methods of [`Lanes`] that are one instruction over two registers.
macro_rules! two_operands {
    ($($name:ident = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: a value of this type exists only where the CPU has the instructions.
            Self(unsafe { $intrinsic(self.0, other.0) })
        }
    )*};
}
pub(super) use two_operands;

/// Reads register `i` of a row of them that begins at an offset.
///
/// # Safety
/// It can be read there.
#[inline(always)]
pub(super) unsafe fn load_at<L: Lanes>(cpu: L::Cpu, from: *const u8, offset: usize, i: usize) -> L {
    // SAFETY: the caller's.
    let place = unsafe { from.add(offset + i * L::BLOCKS * BLOCK) };
    // SAFETY: the caller's.
    unsafe { L::load(cpu, place) }
}

/// Writes register `i` of a row of them that begins at an offset.
///
/// # Safety
/// It can be written there.
#[inline(always)]
pub(super) unsafe fn store_at<L: Lanes>(register: L, to: *mut u8, offset: usize, i: usize) {
    // SAFETY: the caller's.
    let place = unsafe { to.add(offset + i * L::BLOCKS * BLOCK) };
    // SAFETY: the caller's.
    unsafe { register.store(place) };
}

/// Work done between the rounds of a group, in the slots of the CPU that the rounds leave free.
pub(super) trait Beside {
    /// The part that goes with a round, from 1.
    fn round<const ROUND: usize>(&mut self);
}

/// No such work.
pub(super) struct Nothing;

impl Beside for Nothing {
    #[inline(always)]
    fn round<const ROUND: usize>(&mut self) {}
}

/// All rounds between the first key addition and the last round, written out: the loop must not stay one.
#[inline(always)]
pub(super) fn middle_rounds<L, B, const N: usize, const M: usize, const DECRYPT: bool>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    data: &mut [L; M],
    beside: &mut B,
) where
    L: Lanes,
    B: Beside,
{
    macro_rules! rounds {
        ($($round:literal)*) => {$(
            round::<L, N, M, $round, DECRYPT>(cpu, keys, data);
            beside.round::<$round>();
        )*};
    }
    rounds!(1 2 3 4 5 6 7 8 9);
    if N > 11 {
        rounds!(10 11);
    }
    if N > 13 {
        rounds!(12 13);
    }
}

/// What is added to a block before its rounds: the first round key, unless the first round does that.
#[inline(always)]
pub(super) fn first_key<L: Lanes, const N: usize>(cpu: L::Cpu, keys: &Schedule<N>) -> L {
    L::splat(cpu, if L::KEY_COMES_FIRST { zero() } else { keys[0] })
}

/// One round over all registers of the group.
#[inline(always)]
fn round<L: Lanes, const N: usize, const M: usize, const ROUND: usize, const DECRYPT: bool>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    data: &mut [L; M],
) {
    let keys = in_reach::<L, N>(keys);
    let key = L::splat(cpu, keys[if L::KEY_COMES_FIRST { ROUND - 1 } else { ROUND }]);
    for block in data {
        *block = if DECRYPT { block.decrypt(key) } else { block.encrypt(key) };
        *block = block.pin();
    }
}

/// The last round, with the last key; `key` may have more folded in than that.
#[inline(always)]
pub(super) fn last_round<L: Lanes, const N: usize, const DECRYPT: bool>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    block: L,
    key: L,
) -> L {
    let last = |key| if DECRYPT { block.decrypt_last(key) } else { block.encrypt_last(key) };
    if L::KEY_COMES_FIRST { last(L::splat(cpu, keys[N - 2])) ^ key } else { last(key) }
}

/// Encrypts one register of blocks, nothing else being in flight.
#[inline(always)]
pub(super) fn encrypt_alone<L: Lanes, const N: usize>(
    cpu: L::Cpu,
    keys: &Schedule<N>,
    blocks: L,
) -> L {
    let mut data = [blocks ^ first_key(cpu, keys)];
    middle_rounds::<L, _, N, 1, false>(cpu, keys, &mut data, &mut Nothing);
    last_round::<L, N, false>(cpu, keys, data[0], L::splat(cpu, keys[N - 1]))
}

/// The schedule, read again from memory where the registers cannot hold it.
///
/// Without this the compiler reads the round keys once, before the loop over the groups, and spills most of them: reading
/// them from the schedule costs nothing, and spills are copies of the key that nobody wipes.
#[inline(always)]
pub(super) fn in_reach<L: Lanes, const N: usize>(keys: &Schedule<N>) -> &Schedule<N> {
    if L::IS_SPACIOUS { keys } else { opaque(keys) }
}

/// The same reference, of which the compiler no longer knows what it refers to.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "the address is hidden, nothing is accessed")]
pub(super) fn opaque<T>(reference: &T) -> &T {
    let mut address: *const T = reference;
    // SAFETY: no instruction is there; the compiler must suppose that the address changed.
    unsafe { asm!("/* {0} */", inout(reg) address, options(nomem, nostack, preserves_flags)) };
    // SAFETY: it did not.
    unsafe { &*address }
}

/// As [`opaque`], for a buffer that should stay in memory, where it can be wiped, rather than go into registers.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "the address is hidden, nothing is accessed")]
pub(super) fn opaque_mut<T>(reference: &mut T) -> &mut T {
    let mut address: *mut T = reference;
    // SAFETY: no instruction is there; the compiler must suppose that the address changed.
    unsafe { asm!("/* {0} */", inout(reg) address, options(nomem, nostack, preserves_flags)) };
    // SAFETY: it did not.
    unsafe { &mut *address }
}

/// A block in a register.
#[inline(always)]
pub(super) fn block(bytes: &[u8; BLOCK]) -> Block {
    // SAFETY: as many bytes, at any alignment.
    unsafe { bytes.as_ptr().cast::<Block>().read_unaligned() }
}

/// The bytes of a block in a register.
#[inline(always)]
pub(super) fn bytes(block: impl Into<Block>) -> [u8; BLOCK] {
    // SAFETY: as many bytes, and nothing but bytes.
    unsafe { mem::transmute::<Block, [u8; BLOCK]>(block.into()) }
}

/// A block of zeros.
#[inline(always)]
pub(super) fn zero() -> Block {
    arch::join(0, 0)
}

/// A little-endian number as a block in a register, by way of two general ones.
///
/// An IV is mostly written by halves. A CPU that reads both at once soon after waits until the stores are done, and all
/// those before them; the halves it can have at once.
#[inline(always)]
pub(super) fn number(value: u128) -> Block {
    let mut low = value as u64;
    // SAFETY: no instruction is there. Without this, the compiler makes one load of the two.
    unsafe { asm!("/* {0} */", inout(reg) low, options(nomem, nostack, preserves_flags)) };
    arch::join(low, (value >> 64) as u64)
}
