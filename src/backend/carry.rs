//! What CBC and CTR carry from call to call, for backends that are told the IV with every call.

use inout::InOutBuf;

use super::direction::Direction;
use crate::algorithm::CipherMode;
use crate::error::Error;
use crate::iv::{self, Iv};

/// What runs whole blocks of a mode, a part of the data at a time.
pub(super) trait Parts {
    /// Takes as much of the input as it will do next, and says how many bytes that is: whole blocks, at least one.
    fn take(&mut self, iv: &[u8], input: &[u8]) -> Result<usize, Error>;

    /// Does the part that was just taken.
    fn run(&mut self, iv: &[u8], part: InOutBuf<'_, '_, u8>) -> Result<(), Error>;
}

/// Runs ECB, CBC or CTR over data of any length, and leaves in `iv` what the next call starts from. In ECB it is left
/// alone.
pub(super) fn run(
    mode: CipherMode,
    direction: Direction,
    block_len: usize,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
    mut parts: impl Parts,
) -> Result<(), Error> {
    let mut rest = data;
    while !rest.is_empty() {
        let len = parts.take(&iv.bytes()[..block_len], rest.get_in())?;
        let (mut part, after) = rest.split_at(len);
        rest = after;
        // In place, the ciphertext is gone after decryption.
        let mut last = [0; iv::MAX_LEN];
        let last = &mut last[..block_len];
        if direction == Direction::Decrypt {
            last.copy_from_slice(&part.get_in()[len - block_len..]);
        }
        parts.run(&iv.bytes()[..block_len], part.reborrow())?;
        if direction == Direction::Encrypt {
            last.copy_from_slice(&part.get_out()[len - block_len..]);
        }
        match mode {
            CipherMode::Cbc => iv.set(last),
            CipherMode::Ctr => iv.count(block_len, len / block_len),
            CipherMode::Ecb | CipherMode::Xts => {}
        }
    }
    Ok(())
}
