//! Forced faults, for the tests alone: compiled in by the feature `test-hooks`, which no installed build has.

use std::cell::Cell;
use std::sync::OnceLock;

use crate::error::Error;

/// A fault that the next call on this thread meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Fault {
    /// A panic before the call does anything.
    PanicAtEntry = 1,
    /// A panic after the backend has written its output.
    PanicMidway = 2,
    /// A backend that fails after it has written its output.
    FailMidway = 3,
}

thread_local! {
    static NEXT: Cell<Option<Fault>> = const { Cell::new(None) };
}

thread_local! {
    static BLOCK_XTS: Cell<bool> = const { Cell::new(false) };
}

/// Makes objects of this thread run our XTS over a library's block cipher where the library has an XTS of its own, as
/// if it were too old for that.
pub fn force_block_xts(force: bool) {
    BLOCK_XTS.set(force);
}

/// Whether [`force_block_xts`] is in force.
#[cfg(any(feature = "gcrypt", feature = "nettle"))]
pub(crate) fn block_xts_is_forced() -> bool {
    BLOCK_XTS.get()
}

/// Whether there is a Key Locker, and whether it can forbid a handle to decrypt.
static KEY_LOCKER: OnceLock<bool> = OnceLock::new();

/// Makes the backend believe in a Key Locker, whose instructions a test emulates. For good: it looks once.
pub fn pretend_key_locker(no_decrypt: bool) {
    KEY_LOCKER.get_or_init(|| no_decrypt);
}

/// What [`pretend_key_locker`] was told.
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft"), feature = "keylocker"))]
pub(crate) fn pretended_key_locker() -> Option<bool> {
    KEY_LOCKER.get().copied()
}

/// Arms a fault for the next call on this thread, or disarms it.
pub fn arm(fault: Option<Fault>) {
    NEXT.set(fault);
}

/// Whether this fault was armed, which it then no longer is.
fn take(fault: Fault) -> bool {
    let hit = NEXT.get() == Some(fault);
    if hit {
        NEXT.set(None);
    }
    hit
}

/// Panics if this fault was armed.
pub(crate) fn strike(fault: Fault) {
    assert!(!take(fault), "forced by a test");
}

/// Where a backend may have failed: panics, fails or passes.
pub(crate) fn midway() -> Result<(), Error> {
    strike(Fault::PanicMidway);
    if take(Fault::FailMidway) { Err(Error::Internal) } else { Ok(()) }
}
