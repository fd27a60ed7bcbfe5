//! The system calls, behind a trait, so that tests can put a kernel in their place that fails on demand.

use std::io::IoSlice;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::{
    AddressFamily, AlgAddr, ControlMessage, MsgFlags, SockFlag, SockType, accept4, bind,
    getsockopt, recv, sendmsg, setsockopt, socket,
    sockopt::{AlgSetKey, RcvBuf, SndBuf},
};
use nix::sys::utsname::uname;

/// The message goes on.
const MORE: MsgFlags = MsgFlags::from_bits_retain(libc::MSG_MORE);

/// What a request does, for ciphers.
#[derive(Clone, Copy)]
pub(super) struct Operation<'a> {
    pub(super) encrypt: bool,
    /// Nothing in ECB.
    pub(super) iv: Option<&'a [u8]>,
}

/// A kernel with AF_ALG sockets. Every call may fail with EINTR, and none waits.
pub(super) trait Kernel: Send + Sync + 'static {
    type Descriptor: Send + Sync;

    /// A transform of an algorithm.
    fn transform(&self, kind: &str, name: &str) -> nix::Result<Self::Descriptor>;

    /// Gives a transform its key, before there are operations on it.
    fn set_key(&self, transform: &Self::Descriptor, key: &[u8]) -> nix::Result<()>;

    /// An operation on a transform.
    fn operation(&self, transform: &Self::Descriptor) -> nix::Result<Self::Descriptor>;

    /// Bytes that an operation has room for, those it takes and those it gives.
    fn buffer(&self, operation: &Self::Descriptor) -> nix::Result<usize>;

    /// Sends data, and says how much of it was taken. `more`: a message goes on after it.
    fn send(
        &self,
        descriptor: &Self::Descriptor,
        operation: Option<Operation<'_>>,
        data: &[u8],
        more: bool,
    ) -> nix::Result<usize>;

    /// Fetches a result, and says how long it is.
    fn receive(&self, descriptor: &Self::Descriptor, result: &mut [u8]) -> nix::Result<usize>;
}

/// The kernel that this program runs on.
#[derive(Clone, Copy)]
pub(super) struct Linux;

impl Kernel for Linux {
    type Descriptor = OwnedFd;

    fn transform(&self, kind: &str, name: &str) -> nix::Result<OwnedFd> {
        let descriptor = unbound()?;
        bind(descriptor.as_raw_fd(), &AlgAddr::new(kind, name))?;
        Ok(descriptor)
    }

    fn set_key(&self, transform: &OwnedFd, key: &[u8]) -> nix::Result<()> {
        setsockopt(transform, AlgSetKey::default(), &key)
    }

    fn operation(&self, transform: &OwnedFd) -> nix::Result<OwnedFd> {
        accept4(transform, SockFlag::SOCK_CLOEXEC)
    }

    fn buffer(&self, operation: &OwnedFd) -> nix::Result<usize> {
        Ok(getsockopt(operation, SndBuf)?.min(getsockopt(operation, RcvBuf)?))
    }

    fn send(
        &self,
        descriptor: &OwnedFd,
        operation: Option<Operation<'_>>,
        data: &[u8],
        more: bool,
    ) -> nix::Result<usize> {
        let direction = operation.map(|operation| {
            if operation.encrypt { libc::ALG_OP_ENCRYPT } else { libc::ALG_OP_DECRYPT }
        });
        let iv = operation.and_then(|operation| operation.iv);
        let messages: Vec<_> = direction
            .iter()
            .map(ControlMessage::AlgSetOp)
            .chain(iv.map(ControlMessage::AlgSetIv))
            .collect();
        let mut flags = MsgFlags::MSG_DONTWAIT;
        flags.set(MORE, more);
        sendmsg::<()>(descriptor.as_raw_fd(), &[IoSlice::new(data)], &messages, flags, None)
    }

    fn receive(&self, descriptor: &OwnedFd, result: &mut [u8]) -> nix::Result<usize> {
        recv(descriptor.as_raw_fd(), result, MsgFlags::MSG_DONTWAIT)
    }
}

impl Linux {
    /// Whether it has AF_ALG for this program.
    pub(super) fn probe(self) -> nix::Result<()> {
        unbound().map(drop)
    }

    /// Its name and release.
    pub(super) fn release(self) -> String {
        uname().map_or_else(
            |_| "Linux".to_owned(),
            |names| format!("Linux {}", names.release().to_string_lossy()),
        )
    }
}

/// A socket that is no transform yet.
fn unbound() -> nix::Result<OwnedFd> {
    socket(AddressFamily::Alg, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None)
}
