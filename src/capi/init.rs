//! crypto/init.h

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::c_int;

use super::error::CError;
use super::{catch, report};
use crate::backend;

/// qcrypto_init:
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Open the libraries of the backends in use (see qcrypto_set_backends()), for programs that lock themselves in later
/// and could not open them then. Everything works without it, and it may be called any number of times, from any thread.
///
/// Returns: 0 on success; -1 if none of the backends in use is available, which takes a list that ends in "!"
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_init(errp: *mut *mut CError) -> c_int {
    report(catch(backend::open_all).map(|()| 0), -1, errp, c"qcrypto_init")
}
