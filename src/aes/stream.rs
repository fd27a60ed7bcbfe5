//! A call's data, cut into groups of registers.
//!
//! The buffers are reached through raw pointers alone, because input and output may be one buffer. What a kernel loads
//! and stores is bounded here: a group is made only of blocks that are there, and covers no byte besides.

use std::marker::PhantomData;
use std::slice;

use inout::InOutBuf;

use super::lanes::{LINE, Lanes, WIDEST};
use crate::kernel::Sectors;

/// Bytes of a block.
pub(super) const BLOCK: usize = 16;

/// The blocks of a call that are yet to be worked on.
pub(super) struct Stream<'i, 'o> {
    from: *const u8,
    to: *mut u8,
    blocks: usize,
    data: PhantomData<InOutBuf<'i, 'o, u8>>,
}

impl<'i, 'o> Stream<'i, 'o> {
    /// All of `data`, whose length callers checked to be whole blocks.
    #[inline(always)]
    pub(super) fn new(data: InOutBuf<'i, 'o, u8>) -> Self {
        let blocks = data.len() / BLOCK;
        debug_assert_eq!(blocks * BLOCK, data.len(), "data ends within a block");
        let (from, to) = data.into_raw();
        Self { from, to, blocks, data: PhantomData }
    }

    /// Blocks left.
    #[inline(always)]
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Takes `M` registers of blocks, if as many are left.
    #[inline(always)]
    pub(super) fn take<L: Lanes, const M: usize>(
        &mut self,
        cpu: L::Cpu,
    ) -> Option<Whole<'i, 'o, L, M>> {
        let blocks = M * L::BLOCKS;
        (self.blocks >= blocks).then(|| {
            let (from, to) = self.advance(blocks);
            Whole { cpu, from, to, data: PhantomData }
        })
    }

    /// Takes the blocks left, if there are some, but fewer than a register's.
    #[inline(always)]
    pub(super) fn take_part<L: Lanes>(&mut self, cpu: L::Cpu) -> Option<Part<'i, 'o, L>> {
        let blocks = self.blocks;
        (0 < blocks && blocks < L::BLOCKS).then(|| {
            let (from, to) = self.advance(blocks);
            Part { cpu, from, to, blocks, data: PhantomData }
        })
    }

    /// Takes so many blocks, which are left, as a stream of their own.
    #[inline(always)]
    pub(super) fn split(&mut self, blocks: usize) -> Self {
        let (from, to) = self.advance(blocks);
        Self { from, to, blocks, data: PhantomData }
    }

    /// Where the next `blocks` begin, which are left no more.
    #[inline(always)]
    fn advance(&mut self, blocks: usize) -> (*const u8, *mut u8) {
        assert!(blocks <= self.blocks);
        let at = (self.from, self.to);
        self.blocks -= blocks;
        // SAFETY: as many blocks are left in the input, so the sum stays within it or at its end.
        self.from = unsafe { self.from.add(blocks * BLOCK) };
        // SAFETY: the output is as long as the input.
        self.to = unsafe { self.to.add(blocks * BLOCK) };
        at
    }

    /// The last block of the input, if any is left.
    #[inline(always)]
    pub(super) fn last_input(&self) -> Option<[u8; BLOCK]> {
        let before = self.blocks.checked_sub(1)?;
        // SAFETY: so many whole blocks stand before the last one.
        let last = unsafe { self.from.add(before * BLOCK) };
        // SAFETY: the last block is left, thus there to be read; bytes have no alignment.
        Some(unsafe { last.cast::<[u8; BLOCK]>().read() })
    }
}

/// `M` registers of input and where their output goes.
pub(super) trait Group<L: Lanes, const M: usize> {
    /// The CPU's proof, as the registers need it.
    fn cpu(&self) -> L::Cpu;

    /// Blocks in the group.
    fn blocks(&self) -> usize;

    /// Input register `i`.
    fn load(&self, i: usize) -> L;

    /// The input one block before register `i`, which is not the first.
    fn load_before(&self, i: usize) -> L;

    /// Output register `i`.
    fn store(&mut self, i: usize, value: L);
}

/// A group of full registers.
pub(super) struct Whole<'i, 'o, L: Lanes, const M: usize> {
    cpu: L::Cpu,
    from: *const u8,
    to: *mut u8,
    data: PhantomData<InOutBuf<'i, 'o, u8>>,
}

impl<L: Lanes, const M: usize> Group<L, M> for Whole<'_, '_, L, M> {
    #[inline(always)]
    fn cpu(&self) -> L::Cpu {
        self.cpu
    }

    #[inline(always)]
    fn blocks(&self) -> usize {
        M * L::BLOCKS
    }

    #[inline(always)]
    fn load(&self, i: usize) -> L {
        assert!(i < M);
        // SAFETY: the group has M registers of input.
        let from = unsafe { self.from.add(i * L::BLOCKS * BLOCK) };
        // SAFETY: so this one is there to be read.
        unsafe { L::load(self.cpu, from) }
    }

    #[inline(always)]
    fn load_before(&self, i: usize) -> L {
        assert!(0 < i && i < M);
        // SAFETY: the group has M registers of input, and at least one block before this one.
        let from = unsafe { self.from.add(i * L::BLOCKS * BLOCK - BLOCK) };
        // SAFETY: the register ends a block before the end of register i, which is there to be read.
        unsafe { L::load(self.cpu, from) }
    }

    #[inline(always)]
    fn store(&mut self, i: usize, value: L) {
        assert!(i < M);
        // SAFETY: the group has M registers of output.
        let to = unsafe { self.to.add(i * L::BLOCKS * BLOCK) };
        // SAFETY: so this one is there to be written.
        unsafe { value.store(to) };
    }
}

/// The end of the data: a group of one register that is not full.
pub(super) struct Part<'i, 'o, L: Lanes> {
    cpu: L::Cpu,
    from: *const u8,
    to: *mut u8,
    /// More than none and fewer than a register's.
    blocks: usize,
    data: PhantomData<InOutBuf<'i, 'o, u8>>,
}

impl<L: Lanes> Group<L, 1> for Part<'_, '_, L> {
    #[inline(always)]
    fn cpu(&self) -> L::Cpu {
        self.cpu
    }

    #[inline(always)]
    fn blocks(&self) -> usize {
        self.blocks
    }

    #[inline(always)]
    fn load(&self, _: usize) -> L {
        // SAFETY: so many blocks are there to be read, and they are fewer than a register's.
        unsafe { L::load_part(self.cpu, self.from, self.blocks) }
    }

    #[inline(always)]
    fn load_before(&self, _: usize) -> L {
        unreachable!("a group of one has no second register")
    }

    #[inline(always)]
    fn store(&mut self, _: usize, value: L) {
        // SAFETY: so many blocks are there to be written, and they are fewer than a register's.
        unsafe { value.store_part(self.to, self.blocks) };
    }
}

/// Sectors one after the other.
pub(super) struct Cut<'v, 'i, 'o> {
    ivs: slice::Iter<'v, [u8; BLOCK]>,
    stream: Stream<'i, 'o>,
    /// Blocks in a sector.
    blocks: usize,
}

impl<'v, 'i, 'o> Cut<'v, 'i, 'o> {
    #[inline(always)]
    pub(super) fn new(sectors: Sectors<'v, 'i, 'o>) -> Self {
        let (ivs, _) = sectors.ivs.as_chunks();
        let blocks = sectors.sector_len / BLOCK;
        Self { ivs: ivs.iter(), stream: Stream::new(sectors.data), blocks }
    }

    /// The next sector and its IV.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(&'v [u8; BLOCK], Stream<'i, 'o>)> {
        let iv = self.ivs.next()?;
        Some((iv, self.stream.split(self.blocks)))
    }
}

/// So many registers of sectors side by side, a sector in each lane. Where there are fewer sectors than lanes, the
/// lanes at the end go over the last sector with it: they read, make and write the same.
pub(super) struct Abreast<'i, 'o, L: Lanes, const M: usize> {
    cpu: L::Cpu,
    from: *const u8,
    to: *mut u8,
    /// Where the sector of each lane begins.
    offsets: [[usize; WIDEST]; M],
    /// Blocks in a sector.
    blocks: usize,
    data: PhantomData<InOutBuf<'i, 'o, u8>>,
}

impl<'i, 'o, L: Lanes, const M: usize> Abreast<'i, 'o, L, M> {
    /// The first sectors of a stream of whole sectors, at most so many as there are lanes.
    #[inline(always)]
    pub(super) fn take(cpu: L::Cpu, stream: &mut Stream<'i, 'o>, blocks: usize) -> Self {
        let sectors = (stream.blocks() / blocks).min(M * L::BLOCKS);
        let last = sectors.checked_sub(1).expect("no sector is left");
        let (from, to) = stream.advance(sectors * blocks);
        let mut offsets = [[0; WIDEST]; M];
        for (i, lanes) in offsets.iter_mut().enumerate() {
            for (lane, offset) in lanes[..L::BLOCKS].iter_mut().enumerate() {
                *offset = (i * L::BLOCKS + lane).min(last) * blocks * BLOCK;
            }
        }
        Self { cpu, from, to, offsets, blocks, data: PhantomData }
    }

    /// The block of this number in each sector of register `i`.
    #[inline(always)]
    pub(super) fn load(&self, i: usize, block: usize) -> L {
        assert!(block < self.blocks);
        // SAFETY: less than a sector is added to where the first one begins.
        let from = unsafe { self.from.add(block * BLOCK) };
        // SAFETY: each offset leads to the same block of a sector that was taken from the stream.
        unsafe { L::gather(self.cpu, from, &self.offsets[i]) }
    }

    /// A line from the block of this number on in each sector of register `i`.
    #[inline(always)]
    pub(super) fn load_line(&self, i: usize, block: usize) -> [L; LINE] {
        assert!(block + LINE <= self.blocks);
        // SAFETY: less than a sector is added to where the first one begins.
        let from = unsafe { self.from.add(block * BLOCK) };
        // SAFETY: each offset leads to the same line of a sector that was taken from the stream.
        unsafe { L::gather_line(self.cpu, from, &self.offsets[i]) }
    }

    /// Writes a line from the block of this number on in each sector of register `i`.
    #[inline(always)]
    pub(super) fn store_line(&mut self, i: usize, block: usize, line: [L; LINE]) {
        assert!(block + LINE <= self.blocks);
        // SAFETY: less than a sector is added to where the first one begins.
        let to = unsafe { self.to.add(block * BLOCK) };
        // SAFETY: each offset leads to the same line of a sector that was taken from the stream.
        unsafe { L::scatter_line(line, to, &self.offsets[i]) };
    }

    /// Writes the block of this number in each sector of register `i`.
    #[inline(always)]
    pub(super) fn store(&mut self, i: usize, block: usize, value: L) {
        assert!(block < self.blocks);
        // SAFETY: less than a sector is added to where the first one begins.
        let to = unsafe { self.to.add(block * BLOCK) };
        // SAFETY: each offset leads to the same block of a sector that was taken from the stream.
        unsafe { value.scatter(to, &self.offsets[i]) };
    }
}
