//! crypto/random.h

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::{c_int, c_void};

use super::buffers::room;
use super::error::CError;
use super::{catch, report};
use crate::random;

/// qcrypto_random_bytes:
/// @buf: room for the bytes; may be NULL if @buflen is 0
/// @buflen: the length of @buf in bytes
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Fill @buf with bytes from the kernel's random number generator, getrandom(), asked anew each time: nothing is kept that
/// a fork could double. Works before qcrypto_init().
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_random_bytes(
    buf: *mut c_void,
    buflen: usize,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: the caller vouches for that much room at `buf`.
    let fill = || random::fill(unsafe { room(buf.cast(), buflen, "buf") }?);
    report(catch(fill).map(|()| 0), -1, errp, c"qcrypto_random_bytes")
}

/// qcrypto_random_init:
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Kept for callers of QEMU's; there is nothing to initialise.
///
/// Returns: 0
#[expect(unused_variables, reason = "nothing can fail")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_random_init(errp: *mut *mut CError) -> c_int {
    0
}
