//! Ciphers of the kernel, type `skcipher`.

use std::ffi::CStr;
use std::sync::Mutex;

use inout::InOutBuf;
use nix::errno::Errno;

use super::kernel::{Kernel, Operation};
use super::tweak::TweakKey;
use super::{Socket, failure, offer, uninterrupted};
use crate::algorithm::{CipherAlgorithm, CipherMode};
use crate::backend::Context;
use crate::backend::carry::{self, Parts};
use crate::backend::direction::Direction;
use crate::backend::units::{self, Units};
use crate::error::Error;
use crate::iv::Iv;

/// Bytes of a request at most. The kernel makes a result by pieces of 16 pages, and wherever the caller's buffer begins,
/// this is on no more. It is less than a socket has room for by default, too.
const LIMIT: usize = 15 * PAGE;

/// The kernel counts a socket's buffer in pages.
const PAGE: usize = 4096;

pub(super) const KIND: &str = "skcipher";

/// Whether the kernel has the pair, and lets this program use it.
pub(super) fn supports(
    kernel: &impl Kernel,
    algorithm: CipherAlgorithm,
    mode: CipherMode,
) -> nix::Result<bool> {
    if mode != CipherMode::Xts {
        return offer::has(kernel, KIND, &name(algorithm, mode));
    }
    Ok(algorithm.block_len() == 16
        && offer::has(kernel, KIND, &name(algorithm, mode))?
        && TweakKey::supports(kernel, algorithm)?)
}

/// Sets keys. XTS: the data key, then the tweak key.
pub(super) fn open<K: Kernel + Copy>(
    kernel: K,
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error> {
    let socket = |mode, key| Socket::open(kernel, KIND, &name(algorithm, mode), Some(key));
    if mode == CipherMode::Xts {
        let tweak = TweakKey::open(kernel, algorithm, &key[key.len() / 2..])?;
        let units = socket(mode, key)?;
        let limit = units.limit()?;
        return Ok(Box::new(Xts(Mutex::new(XtsSockets { units, tweak, limit }))));
    }
    let name = match mode {
        CipherMode::Cbc => c"afalg/cbc",
        CipherMode::Ctr => c"afalg/ctr",
        _ => c"afalg/ecb",
    };
    let socket = socket(mode, key)?;
    let (block_len, limit) = (algorithm.block_len(), socket.limit()?);
    Ok(Box::new(Plain { name, mode, block_len, limit, socket: Mutex::new(socket) }))
}

/// What the kernel calls a pair.
pub(super) fn name(algorithm: CipherAlgorithm, mode: CipherMode) -> String {
    use CipherAlgorithm as A;
    let algorithm = match algorithm {
        A::Aes128 | A::Aes192 | A::Aes256 => "aes",
        A::Des => "des",
        A::TripleDes => "des3_ede",
        A::Cast5 => "cast5",
        A::Serpent128 | A::Serpent192 | A::Serpent256 => "serpent",
        A::Twofish128 | A::Twofish192 | A::Twofish256 => "twofish",
        A::Sm4 => "sm4",
    };
    format!("{}({algorithm})", mode.name())
}

const fn what(direction: Direction) -> &'static str {
    match direction {
        Direction::Encrypt => "encrypt data",
        Direction::Decrypt => "decrypt data",
    }
}

impl<K: Kernel> Socket<K> {
    /// Bytes of a request that the kernel makes in one piece: an administrator may have made the buffers small.
    fn limit(&self) -> Result<usize, Error> {
        let buffer = uninterrupted(|| self.kernel.buffer(&self.operation));
        let buffer = buffer.map_err(failure("open AF_ALG socket"))?;
        Ok((buffer / PAGE * PAGE).clamp(PAGE, LIMIT))
    }

    /// Sends data of a cipher, and says how much the kernel took.
    fn take(&self, direction: Direction, iv: Option<&[u8]>, data: &[u8]) -> Result<usize, Error> {
        let operation = Operation { encrypt: direction == Direction::Encrypt, iv };
        self.send(Some(operation), data, false).map_err(failure(what(direction)))
    }

    /// Sends what must go as a whole, and fetches its result.
    pub(super) fn whole(
        &self,
        direction: Direction,
        iv: Option<&[u8]>,
        mut data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        if self.take(direction, iv, data.get_in())? != data.len() {
            return Err(failure(what(direction))(Errno::EMSGSIZE));
        }
        self.fetch(what(direction), data.get_out())
    }
}

/// A key in ECB, CBC or CTR.
struct Plain<K: Kernel> {
    name: &'static CStr,
    mode: CipherMode,
    block_len: usize,
    /// Bytes of a request: what the kernel makes in pieces need not come out whole.
    limit: usize,
    socket: Mutex<Socket<K>>,
}

impl<K: Kernel> Plain<K> {
    fn crypt(
        &self,
        direction: Direction,
        iv: &mut Iv,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        let socket = self.socket.lock().map_err(|_| Error::Internal)?;
        let has_iv = self.mode != CipherMode::Ecb;
        let (block_len, limit) = (self.block_len, self.limit);
        let parts = PlainParts { socket: &socket, direction, has_iv, block_len, limit };
        carry::run(self.mode, direction, self.block_len, iv, data, parts)
    }
}

/// A call's use of a socket.
struct PlainParts<'a, K: Kernel> {
    socket: &'a Socket<K>,
    direction: Direction,
    has_iv: bool,
    block_len: usize,
    limit: usize,
}

impl<K: Kernel> Parts for PlainParts<'_, K> {
    /// A kernel that is short of room may take less than it is given.
    fn take(&mut self, iv: &[u8], input: &[u8]) -> Result<usize, Error> {
        let input = &input[..input.len().min(self.limit)];
        let taken = self.socket.take(self.direction, self.has_iv.then_some(iv), input)?;
        if taken == 0 || taken > input.len() || !taken.is_multiple_of(self.block_len) {
            return Err(failure(what(self.direction))(Errno::EMSGSIZE));
        }
        Ok(taken)
    }

    fn run(&mut self, _iv: &[u8], mut part: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.socket.fetch(what(self.direction), part.get_out())
    }
}

impl<K: Kernel> Context for Plain<K> {
    fn name(&self) -> &CStr {
        self.name
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.crypt(Direction::Encrypt, iv, data)
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.crypt(Direction::Decrypt, iv, data)
    }
}

/// Both keys of XTS, and the tweak key by itself.
struct XtsSockets<K: Kernel> {
    units: Socket<K>,
    tweak: TweakKey<K>,
    /// Bytes of a data unit that go in one request.
    limit: usize,
}

struct Xts<K: Kernel>(Mutex<XtsSockets<K>>);

impl<K: Kernel> Xts<K> {
    fn crypt(
        &self,
        direction: Direction,
        iv: &Iv,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        let sockets = self.0.lock().map_err(|_| Error::Internal)?;
        units::run(iv, data, XtsUnits { sockets: &sockets, direction })
    }
}

/// A call's use of the sockets.
struct XtsUnits<'a, K: Kernel> {
    sockets: &'a XtsSockets<K>,
    direction: Direction,
}

impl<K: Kernel> Units for XtsUnits<'_, K> {
    /// One request and one result: a unit that the kernel cuts itself comes out wrong without a word.
    fn limit(&self) -> usize {
        self.sockets.limit
    }

    fn unit(&mut self, number: &[u8], data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.sockets.units.whole(self.direction, Some(number), data)
    }

    fn tweak(&mut self, direction: Direction, block: &mut [u8]) -> Result<(), Error> {
        self.sockets.tweak.crypt(direction, block)
    }
}

impl<K: Kernel> Context for Xts<K> {
    fn name(&self) -> &CStr {
        c"afalg/xts"
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.crypt(Direction::Encrypt, iv, data)
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.crypt(Direction::Decrypt, iv, data)
    }
}
