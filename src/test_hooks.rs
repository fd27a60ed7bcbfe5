//! Forced faults, for the tests alone: compiled in by the feature `test-hooks`, which no installed build has.

use std::cell::Cell;

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
