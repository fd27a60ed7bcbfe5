//! XTS data units that are longer than a backend takes at once.

use inout::InOutBuf;
use zeroize::Zeroizing;

use super::direction::Direction;
use crate::error::Error;
use crate::iv::{self, Iv};
use crate::xts;

/// What has an XTS of its own, and the tweak key by itself.
pub(super) trait Units {
    /// Bytes of a data unit that it takes at most: whole blocks.
    fn limit(&self) -> usize;

    /// Does a data unit of this number, no longer than the limit.
    fn unit(&mut self, number: &[u8], data: InOutBuf<'_, '_, u8>) -> Result<(), Error>;

    /// Runs the tweak key's cipher over one block.
    fn tweak(&mut self, direction: Direction, block: &mut [u8]) -> Result<(), Error>;
}

/// Runs a data unit of any length. What is beyond the limit goes on as a unit whose number encrypts to the tweak that is
/// due there, so that the whole is one unit.
pub(super) fn run(iv: &Iv, data: InOutBuf<'_, '_, u8>, mut units: impl Units) -> Result<(), Error> {
    let limit = units.limit();
    let mut number = Zeroizing::new(*iv.bytes());
    let mut rest = data;
    loop {
        let len = rest.len().min(limit);
        let (part, after) = rest.split_at(len);
        units.unit(&*number, part)?;
        if after.is_empty() {
            return Ok(());
        }
        rest = after;
        units.tweak(Direction::Encrypt, &mut *number)?;
        let tweak = xts::skip(u128::from_le_bytes(*number), limit / iv::MAX_LEN);
        *number = tweak.to_le_bytes();
        units.tweak(Direction::Decrypt, &mut *number)?;
    }
}
