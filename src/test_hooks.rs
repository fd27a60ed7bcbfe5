//! Forced faults, for the tests alone: compiled in by the feature `test-hooks`, which no installed build has.

use std::cell::Cell;
#[cfg(feature = "keylocker")]
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

/// What a test pretends.
#[cfg(feature = "keylocker")]
static KEY_LOCKER: OnceLock<(u32, u32)> = OnceLock::new();

/// Makes detection believe, once and for all, that the CPU has Key Locker and says this of it in the registers EAX and
/// EBX of CPUID leaf 19H.
#[cfg(feature = "keylocker")]
pub fn pretend_key_locker(eax: u32, ebx: u32) {
    KEY_LOCKER.get_or_init(|| (eax, ebx));
}

/// What [`pretend_key_locker`] was told.
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft"), feature = "keylocker"))]
pub(crate) fn key_locker() -> Option<(u32, u32)> {
    KEY_LOCKER.get().copied()
}

#[cfg(feature = "keylocker")]
thread_local! {
    static KEYS_ARE_SPILLED: Cell<bool> = const { Cell::new(false) };
}

thread_local! {
    static STACK_IS_LEFT: Cell<bool> = const { Cell::new(false) };
}

/// Makes this thread put keys for Key Locker on the stack on their way, as a compiler may that is short of registers.
#[cfg(feature = "keylocker")]
pub fn spill_keys(spill: bool) {
    KEYS_ARE_SPILLED.set(spill);
}

/// Puts a key on the stack if [`spill_keys`] is in force.
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft"), feature = "keylocker"))]
#[inline(never)]
pub(crate) fn spill(key: &[u8]) {
    if KEYS_ARE_SPILLED.get() {
        // So deep that later calls do not overwrite it by chance.
        let mut frame = [0; 4096];
        frame[..key.len()].copy_from_slice(key);
        std::hint::black_box(&mut frame);
    }
}

/// Makes this thread leave the stack as a build would that does not wipe it.
pub fn leave_stack(leave: bool) {
    STACK_IS_LEFT.set(leave);
}

/// Whether [`leave_stack`] is in force.
pub(crate) fn stack_is_left() -> bool {
    STACK_IS_LEFT.get()
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
