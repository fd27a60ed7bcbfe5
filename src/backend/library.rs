//! Libraries that are opened at run time.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::NonNull;

use crate::sys::loader::{Loader, qcrypto_loader};

/// A library that stays open: objects that use it may outlive everything else.
pub(super) struct Library {
    loader: &'static Loader,
    handle: NonNull<c_void>,
}

// SAFETY: the loader's handles are for all threads.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Opens the first of `names` that the loader finds; the error is the loader's of the last.
    ///
    /// With local scope: it is not for this library to make names known to everybody. One that the program has opened
    /// already is shared with it.
    pub(super) fn open(names: &[&CStr]) -> Result<Self, String> {
        // SAFETY: a constant, whatever else the program does.
        let loader = unsafe { &qcrypto_loader };
        let (Some(dlopen), Some(dlerror)) = (loader.dlopen, loader.dlerror) else {
            return Err("a static program cannot open libraries".to_owned());
        };
        let mut reason = String::new();
        for name in names {
            // SAFETY: the name is a C string. The libraries named here run nothing when they are loaded but their own
            // set-up, which asks nothing of the program.
            let handle = unsafe { dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
            if let Some(handle) = NonNull::new(handle) {
                return Ok(Self { loader, handle });
            }
            // SAFETY: no arguments.
            let error = unsafe { dlerror() };
            // SAFETY: the text is this thread's, and stays until its next call of the loader.
            reason = unsafe { text(error) };
        }
        Err(reason)
    }

    /// What a name stands for in the library.
    pub(super) fn find(&self, name: &str) -> Option<NonNull<c_void>> {
        let name = CString::new(name).ok()?;
        // SAFETY: the handle is open, and the name a C string.
        NonNull::new(unsafe { self.loader.dlsym?(self.handle.as_ptr(), name.as_ptr()) })
    }
}

/// A C string of a library's, copied; empty for NULL.
///
/// # Safety
/// `text` is NULL or points to a NUL-terminated string that stays as it is during the call.
pub(super) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not NULL, and the caller vouches for the rest.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
