//! Hashes and HMAC of the kernel, type `hash`.

use nix::errno::Errno;
use zeroize::Zeroizing;

use super::kernel::Kernel;
use super::{Socket, failure, offer};
use crate::algorithm::HashAlgorithm;
use crate::backend::HashContext;
use crate::error::Error;

const KIND: &str = "hash";

/// Bytes of a message that are sent at a time.
const LIMIT: usize = 64 << 10;

/// SHA-384's and SHA-512's.
const LONGEST_BLOCK: usize = 128;

/// Whether the kernel has the hash, and HMAC with it, and lets this program use them.
pub(super) fn supports(kernel: &impl Kernel, algorithm: HashAlgorithm) -> nix::Result<bool> {
    let name = name(algorithm);
    Ok(offer::has(kernel, KIND, name)? && offer::has(kernel, KIND, &format!("hmac({name})"))?)
}

/// Starts a hash.
pub(super) fn hash<K: Kernel>(
    kernel: K,
    algorithm: HashAlgorithm,
) -> Result<Box<dyn HashContext>, Error> {
    let socket = Socket::open(kernel, KIND, name(algorithm), None)?;
    Ok(Box::new(Running(socket)))
}

/// Starts an HMAC with any key. The kernel takes neither an empty one, which is padded with zeros like any other, nor
/// one of many kilobytes, for which its digest stands as for any beyond a block (RFC 2104 section 2).
pub(super) fn hmac<K: Kernel + Copy>(
    kernel: K,
    algorithm: HashAlgorithm,
    key: &[u8],
) -> Result<Box<dyn HashContext>, Error> {
    let mut digest = Zeroizing::new(vec![0; algorithm.digest_len()]);
    let key = match key.len() {
        0 => &[0],
        1..=LONGEST_BLOCK => key,
        _ => {
            let mut running = Running(Socket::open(kernel, KIND, name(algorithm), None)?);
            running.update(key)?;
            running.finish(&mut digest)?;
            &digest[..]
        }
    };
    let socket = Socket::open(kernel, KIND, &format!("hmac({})", name(algorithm)), Some(key))?;
    Ok(Box::new(Running(socket)))
}

/// What the kernel calls a hash.
fn name(algorithm: HashAlgorithm) -> &'static str {
    match algorithm {
        HashAlgorithm::Ripemd160 => "rmd160",
        _ => algorithm.name(),
    }
}

/// A hash or HMAC that is being fed.
struct Running<K: Kernel>(Socket<K>);

impl<K: Kernel> Running<K> {
    fn send(&self, data: &[u8], more: bool) -> Result<(), Error> {
        let sent = self.0.send(None, data, more).map_err(failure("hash data"))?;
        if sent == data.len() { Ok(()) } else { Err(failure("hash data")(Errno::EMSGSIZE)) }
    }
}

impl<K: Kernel> HashContext for Running<K> {
    fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        for part in data.chunks(LIMIT) {
            self.send(part, true)?;
        }
        Ok(())
    }

    fn finish(&mut self, digest: &mut [u8]) -> Result<(), Error> {
        // The end of the message; without any before it, the whole of it.
        self.send(&[], false)?;
        self.0.fetch("hash data", digest)
    }
}
