//! The tweak key of XTS by itself, for data units that take more than one request.

use zeroize::Zeroizing;

use super::cipher::{KIND, name};
use super::kernel::Kernel;
use super::{Socket, failure, offer, uninterrupted};
use crate::algorithm::{CipherAlgorithm, CipherMode};
use crate::backend::direction::Direction;
use crate::error::Error;
use crate::iv::MAX_LEN;

pub(super) enum TweakKey<K: Kernel> {
    Ecb(Socket<K>),
    /// XTS with the tweak key for both of its keys. Linux 7.3 lets any program have that, and few have ECB.
    Xts(Socket<K>),
}

impl<K: Kernel> TweakKey<K> {
    /// Whether the kernel has either for a cipher that it has XTS of. In FIPS mode it refuses equal keys.
    pub(super) fn supports(kernel: &K, algorithm: CipherAlgorithm) -> nix::Result<bool> {
        if offer::has(kernel, KIND, &name(algorithm, CipherMode::Ecb))? {
            return Ok(true);
        }
        let keys = vec![0; 2 * algorithm.key_len()];
        let name = name(algorithm, CipherMode::Xts);
        let set = uninterrupted(|| kernel.transform(KIND, &name))
            .and_then(|transform| uninterrupted(|| kernel.set_key(&transform, &keys)));
        offer::answer(set).map(|answer| answer.is_ok())
    }

    pub(super) fn open(kernel: K, algorithm: CipherAlgorithm, key: &[u8]) -> Result<Self, Error> {
        let ecb = uninterrupted(|| kernel.transform(KIND, &name(algorithm, CipherMode::Ecb)));
        match offer::answer(ecb).map_err(failure("open AF_ALG socket"))? {
            Ok(transform) => Ok(Self::Ecb(Socket::keyed(kernel, transform, Some(key))?)),
            Err(_) => {
                let keys = Zeroizing::new([key, key].concat());
                let name = name(algorithm, CipherMode::Xts);
                Ok(Self::Xts(Socket::open(kernel, KIND, &name, Some(&keys))?))
            }
        }
    }

    /// Runs the key's cipher over one block.
    pub(super) fn crypt(&self, direction: Direction, block: &mut [u8]) -> Result<(), Error> {
        match self {
            Self::Ecb(socket) => socket.whole(direction, None, block.into()),
            Self::Xts(socket) => by_xts(socket, direction, block),
        }
    }
}

/// With E the cipher, D its inverse and T = E(n) the first tweak of data unit n, a block C decrypts to D(C ^ T) ^ T.
/// That of zeros is n ^ T, which gives E(n); in unit 0, whose T is known by that, C = Y ^ T gives D(Y).
fn by_xts<K: Kernel>(
    socket: &Socket<K>,
    direction: Direction,
    block: &mut [u8],
) -> Result<(), Error> {
    let encrypted = |number: &[u8]| {
        let mut tweak = Zeroizing::new([0; MAX_LEN]);
        socket.whole(Direction::Decrypt, Some(number), tweak.as_mut_slice().into())?;
        xor(&mut *tweak, number);
        Ok(tweak)
    };
    match direction {
        Direction::Encrypt => block.copy_from_slice(&*encrypted(block)?),
        Direction::Decrypt => {
            let first = [0; MAX_LEN];
            let tweak = encrypted(&first)?;
            xor(block, &*tweak);
            socket.whole(Direction::Decrypt, Some(&first), block.into())?;
            xor(block, &*tweak);
        }
    }
    Ok(())
}

fn xor(block: &mut [u8], with: &[u8]) {
    block.iter_mut().zip(with).for_each(|(byte, with)| *byte ^= with);
}
