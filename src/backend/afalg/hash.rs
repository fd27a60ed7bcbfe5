//! Hashes and HMAC of the kernel, type `hash`.

use nix::errno::Errno;

use super::kernel::Kernel;
use super::{Socket, failure, uninterrupted};
use crate::algorithm::HashAlgorithm;
use crate::backend::HashContext;
use crate::error::Error;

const KIND: &str = "hash";

/// Bytes of a message that are sent at a time.
const LIMIT: usize = 64 << 10;

/// Whether the kernel has the hash, and HMAC with it, and lets this program use them.
pub(super) fn supports(kernel: &impl Kernel, algorithm: HashAlgorithm) -> bool {
    let name = name(algorithm);
    let has = |name: &str| uninterrupted(|| kernel.transform(KIND, name)).is_ok();
    has(name) && has(&format!("hmac({name})"))
}

/// Starts a hash.
pub(super) fn hash<K: Kernel>(
    kernel: K,
    algorithm: HashAlgorithm,
) -> Result<Box<dyn HashContext>, Error> {
    let socket = Socket::open(kernel, KIND, name(algorithm), None)?;
    Ok(Box::new(Running(socket)))
}

/// Starts an HMAC.
pub(super) fn hmac<K: Kernel>(
    kernel: K,
    algorithm: HashAlgorithm,
    key: &[u8],
) -> Result<Box<dyn HashContext>, Error> {
    // The kernel refuses an empty key, which HMAC pads with zeros like any other (RFC 2104 section 2).
    let key = if key.is_empty() { &[0] } else { key };
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
