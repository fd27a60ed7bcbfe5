//! What CBC and CTR carry from call to call, for backends that are told the IV with every call.

use inout::InOutBuf;

use crate::algorithm::CipherMode;
use crate::error::Error;
use crate::iv::{self, Iv};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Encrypt,
    Decrypt,
}

/// Runs a mode over data of any length, at most `limit` bytes a time, which is a multiple of the block length: `run` gets
/// the IV that its part starts from. Leaves in `iv` what the next call starts from.
///
/// In ECB there is no IV, and it is left alone. XTS has an IV for the whole, so it is not cut in parts here.
pub(super) fn run(
    mode: CipherMode,
    direction: Direction,
    block_len: usize,
    limit: usize,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
    mut run: impl FnMut(&[u8], InOutBuf<'_, '_, u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut rest = data;
    while !rest.is_empty() {
        let len = rest.len().min(limit);
        let (mut part, after) = rest.split_at(len);
        rest = after;
        match mode {
            CipherMode::Ecb | CipherMode::Xts => run(&iv.bytes()[..block_len], part)?,
            CipherMode::Ctr => {
                run(&iv.bytes()[..block_len], part)?;
                iv.count(block_len, len / block_len);
            }
            CipherMode::Cbc => {
                // In place, the ciphertext is gone after decryption.
                let mut last = [0; iv::MAX_LEN];
                let last = &mut last[..block_len];
                if direction == Direction::Decrypt {
                    last.copy_from_slice(&part.get_in()[len - block_len..]);
                }
                run(&iv.bytes()[..block_len], part.reborrow())?;
                if direction == Direction::Encrypt {
                    last.copy_from_slice(&part.get_out()[len - block_len..]);
                }
                iv.set(last);
            }
        }
    }
    Ok(())
}
