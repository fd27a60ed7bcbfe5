//! What the kernel offers, asked once.

use std::sync::OnceLock;

use nix::errno::Errno;

use super::kernel::Kernel;
use super::{is_passing, uninterrupted};

/// An answer, once there is one. Where the question could not be asked, nothing is kept.
pub(super) struct Kept<T>(OnceLock<T>);

impl<T> Kept<T> {
    pub(super) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The answer, or None if it cannot be had now.
    pub(super) fn get(&self, ask: impl FnOnce() -> nix::Result<T>) -> Option<&T> {
        if self.0.get().is_none() {
            let answer = ask().ok()?;
            return Some(self.0.get_or_init(|| answer));
        }
        self.0.get()
    }
}

/// Tells a refusal that lasts, which is an answer, from a failure that may pass.
pub(super) fn answer<T>(result: nix::Result<T>) -> nix::Result<Result<T, Errno>> {
    match result {
        Err(errno) if is_passing(errno) => Err(errno),
        result => Ok(result),
    }
}

/// Whether the kernel has an algorithm of a type, and lets this program use it.
pub(super) fn has(kernel: &impl Kernel, kind: &str, name: &str) -> nix::Result<bool> {
    answer(uninterrupted(|| kernel.transform(kind, name))).map(|result| result.is_ok())
}
