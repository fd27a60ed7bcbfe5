//! Wiping what no destructor knows of.

use std::hint::black_box;

/// Overwrites the stack below the caller's frame, where key expansion and kernels ran: a key schedule that is returned
/// by value, and registers that are spilled, leave copies there. The size is several times what the deepest of them takes
/// in a release build.
#[inline(never)]
pub(crate) fn scrub_stack() {
    let mut stack = [0u8; 8 * 1024];
    black_box(&mut stack);
}
