//! Runs of disk sectors in one call, on one object from any number of threads.
//!
//! The sectors of a run are numbered, and each has the IV that a generator makes of its number; the IV that the object
//! carries has no part in it. A run goes to the backend in batches, whose IVs are made together and lie side by side
//! on the stack. So there is nothing to lock and nothing to allocate, and nothing that threads share is written, but
//! when a call fails midway: then the object is dead for all of them, and calls under way complete.

use inout::InOutBuf;
use zeroize::Zeroize;

use super::{Cipher, Output};
use crate::backend::Context;
use crate::error::Error;
use crate::iv::{self, Iv};
use crate::kernel::Sectors;

/// Sectors whose IVs are made together: enough that kernels start and end seldom, and few enough for the stack.
const BATCH: usize = 128;

/// A run that is so short is not worth the room for more: a page of 512-byte sectors.
const SHORT: usize = 8;

/// What makes the IVs of sectors from their numbers.
pub trait SectorIvs {
    /// The one length of its IVs in bytes, or None where it makes them of the length that is asked for.
    fn iv_len(&self) -> Option<usize>;

    /// Whether numbers of more than 64 bits have an IV, because only their lower bits count.
    fn wraps(&self) -> bool;

    /// Makes the IVs of the sectors numbered `first`, `first + step` and so on, one after the other, each `iv_len`
    /// bytes. Sums wrap at 64 bits.
    ///
    /// # Errors
    /// The backend of the generator's cipher failed.
    fn make(&self, first: u64, step: u64, iv_len: usize, ivs: &mut [u8]) -> Result<(), Error>;
}

/// How data consists of sectors.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The number of the first sector.
    pub first: u64,
    /// What is added to the number from a sector to the next. With 0 all have the same IV.
    pub step: u64,
    /// The length of a sector in bytes.
    pub sector_size: usize,
}

/// What a backend does with a run.
#[derive(Clone, Copy)]
struct Direction {
    /// With sectors that have IVs.
    sectors: fn(&dyn Context, Sectors<'_, '_, '_>) -> Result<(), Error>,
    /// With all data at once, in a mode without IV.
    whole: fn(&dyn Context, &mut Iv, InOutBuf<'_, '_, u8>) -> Result<(), Error>,
}

const ENCRYPT: Direction = Direction {
    sectors: |context, sectors| context.encrypt_sectors(sectors),
    whole: |context, iv, data| context.encrypt(iv, data),
};

const DECRYPT: Direction = Direction {
    sectors: |context, sectors| context.decrypt_sectors(sectors),
    whole: |context, iv, data| context.decrypt(iv, data),
};

impl Cipher {
    /// Encrypts the sectors of a run, each from the IV that `ivs` makes of its number, as setting that IV and
    /// encrypting it would. ECB has no IV and asks for none.
    ///
    /// # Errors
    /// What [`Cipher::check_sectors`] refuses changes nothing. A failure midway zeroes the output and ends the object.
    pub fn encrypt_sectors(
        &self,
        ivs: Option<&dyn SectorIvs>,
        run: Run,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        self.run_sectors(ivs, run, data, ENCRYPT)
    }

    /// Decrypts the sectors of a run; else as [`Cipher::encrypt_sectors`].
    ///
    /// # Errors
    /// As [`Cipher::encrypt_sectors`].
    pub fn decrypt_sectors(
        &self,
        ivs: Option<&dyn SectorIvs>,
        run: Run,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        self.run_sectors(ivs, run, data, DECRYPT)
    }

    /// Refuses a run that cannot be worked on as `len` bytes of data.
    ///
    /// # Errors
    /// Parts of blocks or sectors, no generator where the mode needs one, one made for another cipher, numbers that it
    /// has no IV for, or a dead object.
    pub fn check_sectors(
        &self,
        ivs: Option<&dyn SectorIvs>,
        run: Run,
        len: usize,
    ) -> Result<(), Error> {
        self.check_alive()?;
        let Run { first, step, sector_size } = run;
        let block_len = self.algorithm.block_len();
        if sector_size == 0 || !sector_size.is_multiple_of(block_len) {
            return Err(Error::SectorSize { size: sector_size, block_len });
        }
        if !len.is_multiple_of(sector_size) {
            return Err(Error::PartialSector { len, sector_size });
        }
        let expected = self.mode.iv_len(self.algorithm);
        if expected == 0 {
            return Ok(());
        }
        let ivs = ivs.ok_or(Error::Null("ivgen"))?;
        if let Some(made) = ivs.iv_len().filter(|&made| made != expected) {
            return Err(Error::IvGenLength { made, expected });
        }
        let count = len / sector_size;
        if ivs.wraps() || are_numbered(first, step, count) {
            Ok(())
        } else {
            Err(Error::SectorRange { first, step, count })
        }
    }

    fn run_sectors(
        &self,
        ivs: Option<&dyn SectorIvs>,
        run: Run,
        data: InOutBuf<'_, '_, u8>,
        direction: Direction,
    ) -> Result<(), Error> {
        self.check_sectors(ivs, run, data.len())?;
        if data.is_empty() {
            return Ok(());
        }
        let mut output = Output { data, complete: false, dead: &self.dead };
        let data = output.data.reborrow();
        match self.mode.iv_len(self.algorithm) {
            0 => (direction.whole)(&*self.context, &mut Iv::default(), data)?,
            iv_len => {
                let ivs = ivs.ok_or(Error::Null("ivgen"))?;
                let count = data.len() / run.sector_size;
                if count <= SHORT {
                    self.run_batches::<SHORT>(ivs, iv_len, run, data, direction)?;
                } else {
                    self.run_batches::<BATCH>(ivs, iv_len, run, data, direction)?;
                }
            }
        }
        output.finish()
    }

    fn run_batches<const N: usize>(
        &self,
        generator: &dyn SectorIvs,
        iv_len: usize,
        run: Run,
        data: InOutBuf<'_, '_, u8>,
        direction: Direction,
    ) -> Result<(), Error> {
        let mut batch = Ivs { room: [[0; iv::MAX_LEN]; N], used: 0 };
        let mut first = run.first;
        let mut rest = data;
        let mut left = rest.len() / run.sector_size;
        while left > 0 {
            let count = left.min(N);
            let (data, after) = rest.split_at(count * run.sector_size);
            let ivs = batch.of_len(count * iv_len);
            generator.make(first, run.step, iv_len, ivs)?;
            let sectors = Sectors { ivs, iv_len, data, sector_len: run.sector_size };
            (direction.sectors)(&*self.context, sectors)?;
            first = first.wrapping_add(run.step.wrapping_mul(count as u64));
            left -= count;
            rest = after;
        }
        Ok(())
    }
}

/// The IVs of a batch, or what a backend made of them.
struct Ivs<const N: usize> {
    room: [[u8; iv::MAX_LEN]; N],
    /// What was ever written to.
    used: usize,
}

impl<const N: usize> Ivs<N> {
    fn of_len(&mut self, len: usize) -> &mut [u8] {
        self.used = self.used.max(len);
        &mut self.room.as_flattened_mut()[..len]
    }
}

impl<const N: usize> Drop for Ivs<N> {
    fn drop(&mut self) {
        self.room.as_flattened_mut()[..self.used].zeroize();
    }
}

/// Whether the numbers of so many sectors fit 64 bits.
fn are_numbered(first: u64, step: u64, count: usize) -> bool {
    let Some(steps) = count.checked_sub(1) else { return true };
    let distance = step.checked_mul(steps as u64);
    distance.and_then(|distance| first.checked_add(distance)).is_some()
}

#[cfg(test)]
mod tests {
    use super::are_numbered;

    #[test]
    fn ranges_that_overflow() {
        assert!(are_numbered(u64::MAX, u64::MAX, 0));
        assert!(are_numbered(u64::MAX, u64::MAX, 1));
        assert!(are_numbered(u64::MAX, 0, usize::MAX));
        assert!(are_numbered(u64::MAX - 1, 1, 2));
        assert!(!are_numbered(u64::MAX, 1, 2));
        assert!(are_numbered(u64::MAX - 16, 8, 3));
        assert!(!are_numbered(u64::MAX - 15, 8, 3));
        assert!(are_numbered(1, u64::MAX - 1, 2));
        assert!(!are_numbered(0, u64::MAX, 3));
    }
}
