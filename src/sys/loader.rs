//! `dlfcn.h`, POSIX.1-2017, by weak references: `loader.c` says why.

use std::ffi::{c_char, c_int, c_void};

/// The functions of the dynamic loader, each NULL in a program that has none.
#[repr(C)]
pub(crate) struct Loader {
    pub(crate) dlopen: Option<unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void>,
    pub(crate) dlsym: Option<unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void>,
    pub(crate) dlerror: Option<unsafe extern "C" fn() -> *mut c_char>,
}

unsafe extern "C" {
    /// A constant.
    pub(crate) static qcrypto_loader: Loader;
}
