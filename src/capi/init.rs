//! crypto/init.h

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::c_int;

use super::error::CError;

/// qcrypto_init:
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Kept for callers of QEMU's: everything works without it, and it may be called any number of times.
///
/// Returns: 0
#[expect(unused_variables, reason = "nothing can fail")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_init(errp: *mut *mut CError) -> c_int {
    0
}
