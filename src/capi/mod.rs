//! The C names, one file per QEMU header, same order inside: check, call, convert.
//!
//! Every entry point that does any work runs it inside [`catch`], so that no panic ever unwinds into C, and ends in
//! [`report`], which turns what the Rust side says into QEMU's return convention.

pub mod afsplit;
mod buffers;
pub mod cipher;
pub mod error;
pub mod extensions;
pub mod hash;
pub mod hmac;
pub mod init;
pub mod ivgen;
mod object;
pub mod pbkdf;
pub mod qapi_types_crypto;
pub mod random;
mod results;
pub mod sectors;
#[cfg(feature = "test-hooks")]
pub mod test_hooks;
pub mod xts;

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

use crate::error::Error;
use error::{CError, raise};

/// Runs the work of an entry point. A panic becomes [`Error::Internal`]: a virtual machine gets an I/O error, not a
/// SIGABRT. The caller marks the object that the work was on as dead.
fn catch<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(|| {
        #[cfg(feature = "test-hooks")]
        crate::test_hooks::strike(crate::test_hooks::Fault::PanicAtEntry);
        work()
    }))
    .unwrap_or_else(|payload| {
        // Dropping a payload may panic again, here outside of every guard.
        std::mem::forget(payload);
        Err(Error::Internal)
    })
}

/// Returns the result, or makes the host's Error object of its reason and returns `failure`.
///
/// `function` is the C name of the entry point; with the caller's line it is what `&error_abort` prints.
#[track_caller]
fn report<T>(
    result: Result<T, Error>,
    failure: T,
    errp: *mut *mut CError,
    function: &'static CStr,
) -> T {
    result.unwrap_or_else(|error| {
        raise(errp, Location::caller().line(), function, &error);
        failure
    })
}
