//! Wiping what no destructor knows of, and what a failure leaves behind.

use std::hint::black_box;

use zeroize::Zeroize;

use crate::error::Error;

/// Runs work on secrets, then overwrites the stack that it used: a key schedule that is returned by value, registers that
/// are spilled, and buffers of other crates leave copies there.
pub(crate) fn scrubbed<T>(work: impl FnOnce() -> T) -> T {
    let result = in_frame_of_its_own(work);
    scrub::<{ 16 * 1024 }>();
    result
}

/// Overwrites the stack below the caller's frame, where kernels worked.
pub(crate) fn scrub_stack() {
    scrub::<{ 8 * 1024 }>();
}

/// Overwrites so many bytes of the stack below the caller's frame. They are twice what is used in a release build, by the
/// deepest kernel or by what sets a key.
#[inline(never)]
fn scrub<const LEN: usize>() {
    #[cfg(feature = "test-hooks")]
    if crate::test_hooks::stack_is_left() {
        return;
    }
    let mut stack = [0u8; LEN];
    black_box(&mut stack);
}

/// Keeps the locals of `work` below the frame that scrubs.
#[inline(never)]
fn in_frame_of_its_own<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Fills `out`, or leaves it zero where that fails or panics: half a key is worse than none.
pub(crate) fn fill_or_zero(
    out: &mut [u8],
    fill: impl FnOnce(&mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut room = Room { out, complete: false };
    fill(room.out)?;
    room.complete = true;
    Ok(())
}

/// Room that is zeroed unless it was filled.
struct Room<'a> {
    out: &'a mut [u8],
    complete: bool,
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        if !self.complete {
            self.out.zeroize();
        }
    }
}
