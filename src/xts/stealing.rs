//! XTS over a caller's block function, for data units of any length from one block on: what does not end at a block
//! boundary is made by ciphertext stealing (IEEE 1619-2018 sections 5.3.2 and 5.4.2).

use std::convert::Infallible;

use inout::InOutBuf;
use zeroize::{Zeroize, Zeroizing};

use super::{BLOCK, crypt, skip};

/// Which way a data unit goes: the last two tweaks change places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Plaintext to ciphertext
    Encrypt,
    /// Ciphertext to plaintext
    Decrypt,
}

/// Runs the block function over a data unit of at least one block whose first tweak is `tweak`. Returns the tweak of the
/// block that would come next.
pub(crate) fn crypt_any_length(
    direction: Direction,
    tweak: u128,
    data: InOutBuf<'_, '_, u8>,
    mut core: impl FnMut(&mut [u8; BLOCK]),
) -> u128 {
    let len = data.len();
    // A last block that is cut takes the whole one before it along.
    let before = if len.is_multiple_of(BLOCK) { len } else { (len / BLOCK - 1) * BLOCK };
    let (whole, rest) = data.split_at(before);
    let Ok(()) = crypt(tweak, whole, |blocks| {
        blocks.as_chunks_mut().0.iter_mut().for_each(&mut core);
        Ok::<_, Infallible>(())
    });
    let mut next = skip(tweak, before / BLOCK);
    if !rest.is_empty() {
        let tweaks = [next, skip(next, 1)];
        steal(direction, tweaks, rest, core);
        next = skip(next, 2);
    }
    next
}

/// The last whole block of a data unit and the part of a block after it. The whole one, once done, gives the part its
/// first bytes and takes its place with the rest of them behind the part.
fn steal(
    direction: Direction,
    tweaks: [u128; 2],
    mut data: InOutBuf<'_, '_, u8>,
    mut core: impl FnMut(&mut [u8; BLOCK]),
) {
    let (first_tweak, second_tweak) = match direction {
        Direction::Encrypt => (tweaks[0], tweaks[1]),
        Direction::Decrypt => (tweaks[1], tweaks[0]),
    };
    let part = data.len() - BLOCK;
    let mut first = Zeroizing::new([0; BLOCK]);
    let mut second = Zeroizing::new([0; BLOCK]);
    first.copy_from_slice(&data.get_in()[..BLOCK]);
    mask(&mut first, first_tweak, &mut core);
    second[..part].copy_from_slice(&data.get_in()[BLOCK..]);
    second[part..].copy_from_slice(&first[part..]);
    mask(&mut second, second_tweak, &mut core);
    data.get_out()[..BLOCK].copy_from_slice(&*second);
    data.get_out()[BLOCK..].copy_from_slice(&first[..part]);
}

/// One block: the block function between two additions of the tweak.
fn mask(block: &mut [u8; BLOCK], tweak: u128, mut core: impl FnMut(&mut [u8; BLOCK])) {
    let mut bytes = tweak.to_le_bytes();
    InOutBuf::from(block.as_mut_slice()).xor_in2out(&bytes);
    core(block);
    InOutBuf::from(block.as_mut_slice()).xor_in2out(&bytes);
    bytes.zeroize();
}
