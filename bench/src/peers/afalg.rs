//! The kernel's ciphers through AF_ALG: a socket a key, a request and an answer a call.

use std::io::IoSlice;
use std::os::fd::{AsRawFd, OwnedFd};
use std::rc::Rc;

use nix::errno::Errno;
use nix::libc::{ALG_OP_DECRYPT, ALG_OP_ENCRYPT, c_int};
use nix::sys::socket::sockopt::AlgSetKey;
use nix::sys::socket::{
    AddressFamily, AlgAddr, ControlMessage, MsgFlags, SockFlag, SockType, accept4, bind, recv,
    sendmsg, setsockopt, socket,
};

use super::cipher::{self, Keyed};
use super::{CipherEngine, Library, Opened, Refusal};
use crate::algorithm::{Algorithm, Direction, Named, Spec};

/// One answer of the kernel's never spans more: beyond it XTS starts anew in the middle and nobody says so.
const LARGEST_REQUEST: usize = 65_536;

pub(super) struct Kernel;

pub(super) fn open() -> Result<Opened<Kernel>, String> {
    transform_socket().map_err(|error| format!("socket(AF_ALG): {}", error.desc()))?;
    let release =
        nix::sys::utsname::uname().map(|name| name.release().to_string_lossy().into_owned());
    Ok(Opened {
        library: Kernel,
        name: "AF_ALG",
        version: format!("Linux {}", release.unwrap_or_default()),
    })
}

impl Library for Kernel {
    fn cipher(self: Rc<Self>, spec: Spec) -> Result<Box<dyn CipherEngine>, Refusal> {
        cipher::open::<Cipher>(self, spec)
    }
}

fn transform_socket() -> nix::Result<OwnedFd> {
    socket(AddressFamily::Alg, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None)
}

pub(super) struct Cipher {
    requests: OwnedFd,
    /// Where the key is set; requests fail once it is closed.
    _transform: OwnedFd,
    /// Goes with the next request.
    iv: Option<Vec<u8>>,
}

impl Keyed for Cipher {
    type Library = Kernel;

    fn new(_library: &Rc<Kernel>, spec: Spec, key: &[u8]) -> Result<Self, Refusal> {
        let failed = |error: Errno| Refusal::Failed(error.desc().to_owned());
        let transform = transform_socket().map_err(failed)?;
        let address = AlgAddr::new("skcipher", &name(spec));
        // Any errno can mean that there is no such cipher: some kernels hide what an ordinary user may not use.
        bind(transform.as_raw_fd(), &address)
            .map_err(|error| Refusal::Unsupported(error.desc().to_owned()))?;
        setsockopt(&transform, AlgSetKey::default(), &key.to_vec()).map_err(failed)?;
        let requests = accept4(&transform, SockFlag::SOCK_CLOEXEC).map_err(failed)?;
        Ok(Self { requests, _transform: transform, iv: None })
    }

    fn set_iv(&mut self, _direction: Direction, iv: &[u8]) -> Result<(), String> {
        let next = self.iv.get_or_insert_default();
        next.clear();
        next.extend_from_slice(iv);
        Ok(())
    }

    fn encrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.request(ALG_OP_ENCRYPT, input, output)
    }

    fn decrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.request(ALG_OP_DECRYPT, input, output)
    }
}

impl Cipher {
    fn request(&mut self, operation: c_int, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        if input.len() > LARGEST_REQUEST {
            return Err(format!("more than {LARGEST_REQUEST} bytes do not fit one request"));
        }
        let iv = self.iv.take();
        let operation = ControlMessage::AlgSetOp(&operation);
        let control = iv.as_deref().map(ControlMessage::AlgSetIv);
        let messages: Vec<_> = [Some(operation), control].into_iter().flatten().collect();
        let data = [IoSlice::new(input)];
        // Neither call waits: for more than was taken, or than is there, that would be for ever.
        let requests = self.requests.as_raw_fd();
        let failed = |error: Errno| error.desc().to_owned();
        let sent = sendmsg::<()>(requests, &data, &messages, MsgFlags::MSG_DONTWAIT, None)
            .map_err(failed)?;
        let received = recv(requests, output, MsgFlags::MSG_DONTWAIT).map_err(failed)?;
        if (sent, received) == (input.len(), input.len()) {
            Ok(())
        } else {
            Err(format!("{sent} bytes went and {received} came of {}", input.len()))
        }
    }
}

/// The kernel's name: the key's length says the rest.
fn name(spec: Spec) -> String {
    let algorithm = match spec.algorithm {
        Algorithm::Aes128 | Algorithm::Aes192 | Algorithm::Aes256 => "aes",
        Algorithm::Des => "des",
        Algorithm::TripleDes => "des3_ede",
        Algorithm::Cast5 => "cast5",
        Algorithm::Serpent128 | Algorithm::Serpent192 | Algorithm::Serpent256 => "serpent",
        Algorithm::Twofish128 | Algorithm::Twofish192 | Algorithm::Twofish256 => "twofish",
        Algorithm::Sm4 => "sm4",
    };
    format!("{}({algorithm})", spec.mode.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Mode;

    #[test]
    fn names() {
        assert_eq!(name(Spec { algorithm: Algorithm::Aes256, mode: Mode::Xts }), "xts(aes)");
        assert_eq!(
            name(Spec { algorithm: Algorithm::TripleDes, mode: Mode::Cbc }),
            "cbc(des3_ede)"
        );
    }
}
