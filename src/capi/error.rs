//! qapi/error.h: making Error objects, and the default Error implementation.
//!
//! The layout of `struct Error` is private to whoever makes one and differs between QEMU versions, so entry points
//! never build one: [`raise`] calls `error_setg_internal` by name. In a program that defines QEMU's error_* set, those
//! are the host's, whose functions then read and free the objects too. In every other program they are the ones here.
//! What makes that work:
//! - the set is exported and complete, so a program gets all of it from one place;
//! - calls go through the symbol table (`raise` calls the declared, not the defined, function), and `&error_abort` and
//!   `&error_fatal` are compared by address through the global offset table, so an executable's own definitions win;
//! - in the static archive these symbols are weak.
//!
//! Stable Rust cannot define variadic functions. Those here are naked functions that jump to C bodies in `variadic.c`,
//! which format the text and come back to the functions at the end of this file.

#![allow(
    clippy::missing_safety_doc,
    missing_docs,
    reason = "the contract of each stands in include/qapi/error.h"
)]

use std::arch::{global_asm, naked_asm};
use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::io::Write;
use std::process::abort;
use std::ptr::null_mut;

use crate::error::Error;

/// `ERROR_CLASS_GENERIC_ERROR` of QAPI.
const GENERIC_ERROR: c_uint = 0;

/// The default `struct Error`.
#[derive(Clone)]
pub struct CError {
    message: CString,
    class: c_uint,
    source: *const c_char,
    line: c_int,
    function: *const c_char,
    hint: Vec<u8>,
}

/// An object of this address as `errp` makes an error end the process by abort().
#[unsafe(no_mangle)]
pub static mut error_abort: *mut CError = null_mut();

/// An object of this address as `errp` makes an error end the process by exit(1).
#[unsafe(no_mangle)]
pub static mut error_fatal: *mut CError = null_mut();

/// The same functions by declaration: the host's where it has them. The definitions below are never called directly.
mod host {
    use super::{CError, c_char, c_int};

    #[allow(improper_ctypes, reason = "C never looks into an Error")]
    unsafe extern "C" {
        pub(super) fn error_setg_internal(
            errp: *mut *mut CError,
            src: *const c_char,
            line: c_int,
            func: *const c_char,
            fmt: *const c_char,
            ...
        );
    }
}

/// Makes the host's Error object of a reason, unless `errp` is NULL. Does not return for `&error_abort` and
/// `&error_fatal`.
pub(super) fn raise(errp: *mut *mut CError, line: u32, function: &'static CStr, error: &Error) {
    if errp.is_null() {
        return;
    }
    let text = CString::new(error.to_string()).unwrap_or_default();
    // SAFETY: the format takes one string and gets one; source and function are static, as the host may keep them;
    // `errp` is the entry point's argument, which C promises to be NULL, one of the two special addresses, or a pointer
    // to an Error pointer.
    unsafe {
        host::error_setg_internal(
            errp,
            c"libqcrypto".as_ptr(),
            line.cast_signed(),
            function.as_ptr(),
            c"%s".as_ptr(),
            text.as_ptr(),
        );
    }
}

/// The jump to a function, and nothing else.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
macro_rules! jump {
    () => {
        "jmp {}"
    };
}
#[cfg(any(target_arch = "aarch64", target_arch = "arm", target_arch = "loongarch64"))]
macro_rules! jump {
    () => {
        "b {}"
    };
}
#[cfg(target_arch = "riscv64")]
macro_rules! jump {
    () => {
        "tail {}"
    };
}
#[cfg(target_arch = "s390x")]
macro_rules! jump {
    () => {
        "jg {}"
    };
}

// The C bodies, in the order of this file.
unsafe extern "C" {
    fn qcrypto_variadic_setg();
    fn qcrypto_variadic_setg_errno();
    fn qcrypto_variadic_set();
    fn qcrypto_variadic_setg_file_open();
    fn qcrypto_variadic_propagate_prepend();
    fn qcrypto_variadic_vprepend();
    fn qcrypto_variadic_prepend();
    fn qcrypto_variadic_append_hint();
    fn qcrypto_variadic_reportf();
    fn qcrypto_variadic_warn_reportf();
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_setg_internal() {
    naked_asm!(jump!(), sym qcrypto_variadic_setg)
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_setg_errno_internal() {
    naked_asm!(jump!(), sym qcrypto_variadic_setg_errno)
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_set_internal() {
    naked_asm!(jump!(), sym qcrypto_variadic_set)
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_setg_file_open_internal() {
    naked_asm!(jump!(), sym qcrypto_variadic_setg_file_open)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_propagate(dst_errp: *mut *mut CError, local_err: *mut CError) {
    // SAFETY: the caller hands over an object of this implementation, or NULL.
    if let Some(error) = unsafe { take(local_err) } {
        // SAFETY: `dst_errp` as the caller passed it.
        unsafe { put(dst_errp, error) };
    }
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_propagate_prepend() {
    naked_asm!(jump!(), sym qcrypto_variadic_propagate_prepend)
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_vprepend() {
    naked_asm!(jump!(), sym qcrypto_variadic_vprepend)
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_prepend() {
    naked_asm!(jump!(), sym qcrypto_variadic_prepend)
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_append_hint() {
    naked_asm!(jump!(), sym qcrypto_variadic_append_hint)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_get_pretty(err: *const CError) -> *const c_char {
    // SAFETY: the caller passes a live object of this implementation, or NULL.
    unsafe { err.as_ref() }.map_or(c"".as_ptr(), |error| error.message.as_ptr())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_get_class(err: *const CError) -> c_uint {
    // SAFETY: the caller passes a live object of this implementation, or NULL.
    unsafe { err.as_ref() }.map_or(GENERIC_ERROR, |error| error.class)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_copy(err: *const CError) -> *mut CError {
    // SAFETY: the caller passes a live object of this implementation, or NULL.
    unsafe { err.as_ref() }.map_or(null_mut(), |error| Box::into_raw(Box::new(error.clone())))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_free(err: *mut CError) {
    // SAFETY: the caller hands over an object of this implementation, or NULL.
    drop(unsafe { take(err) });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_free_or_abort(errp: *mut *mut CError) {
    // SAFETY: the caller passes a pointer to an Error pointer.
    let taken = unsafe { errp.as_mut() }.map(|slot| std::mem::replace(slot, null_mut()));
    // SAFETY: the slot owned its object and no longer refers to it.
    if taken.and_then(|error| unsafe { take(error) }).is_none() {
        abort();
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_report_err(err: *mut CError) {
    // SAFETY: the caller hands over an object of this implementation, or NULL.
    if let Some(error) = unsafe { take(err) } {
        error.report("", c"");
    }
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn error_reportf_err() {
    naked_asm!(jump!(), sym qcrypto_variadic_reportf)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn warn_report_err(err: *mut CError) {
    // SAFETY: the caller hands over an object of this implementation, or NULL.
    if let Some(error) = unsafe { take(err) } {
        error.report("warning: ", c"");
    }
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warn_reportf_err() {
    naked_asm!(jump!(), sym qcrypto_variadic_warn_reportf)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn warn_report_err_once_cond(printed: *mut bool, err: *mut CError) -> bool {
    // SAFETY: the caller hands over an object of this implementation, or NULL.
    let error = unsafe { take(err) };
    // SAFETY: the caller passes a flag of its own, or NULL.
    let first = unsafe { printed.as_mut() }.is_none_or(|printed| !std::mem::replace(printed, true));
    if let (true, Some(error)) = (first, error) {
        error.report("warning: ", c"");
    }
    first
}

// The way back from the C bodies. They are Rust functions under names that C can link and a shared library does not
// export, which `no_mangle` alone cannot give.
macro_rules! hidden {
    ($name:literal, $function:path) => {
        global_asm!(
            concat!(".globl ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            jump!(),
            concat!(".size ", $name, ", . - ", $name),
            sym $function
        );
    };
}
hidden!("qcrypto_error_set_text", set_text);
hidden!("qcrypto_error_prepend_text", prepend_text);
hidden!("qcrypto_error_append_hint_text", append_hint_text);
hidden!("qcrypto_error_report_text", report_text);

/// Makes an error of a formatted text. `os_errno` 0 adds nothing.
unsafe extern "C" fn set_text(
    errp: *mut *mut CError,
    src: *const c_char,
    line: c_int,
    func: *const c_char,
    class: c_uint,
    os_errno: c_int,
    text: *const c_char,
) {
    // SAFETY: variadic.c passes a C string that lives until this returns.
    let text = with_errno(unsafe { CStr::from_ptr(text) }.to_bytes().to_vec(), os_errno);
    // SAFETY: `errp` as the caller passed it.
    unsafe { put(errp, CError::new(text, class, src, line, func)) };
}

/// Puts a formatted text before the message of the error that `errp` points to, if there is one.
unsafe extern "C" fn prepend_text(errp: *const *mut CError, text: *const c_char) {
    // SAFETY: the caller of the variadic function passes a pointer to an Error pointer, or NULL.
    if let Some(error) = unsafe { pointee(errp) } {
        // SAFETY: variadic.c passes a C string that lives until this returns.
        error.prepend(unsafe { CStr::from_ptr(text) });
    }
}

/// Adds a formatted text to the hint of the error that `errp` points to, if there is one.
unsafe extern "C" fn append_hint_text(errp: *const *mut CError, text: *const c_char) {
    // SAFETY: the caller of the variadic function passes a pointer to an Error pointer, or NULL.
    if let Some(error) = unsafe { pointee(errp) } {
        // SAFETY: variadic.c passes a C string that lives until this returns.
        error.hint.extend_from_slice(unsafe { CStr::from_ptr(text) }.to_bytes());
    }
}

/// Prints an error after a formatted text, as a warning or not, and frees it.
unsafe extern "C" fn report_text(err: *mut CError, warning: bool, text: *const c_char) {
    // SAFETY: the caller of the variadic function hands over an object of this implementation, or NULL.
    if let Some(error) = unsafe { take(err) } {
        // SAFETY: variadic.c passes a C string that lives until this returns.
        let text = unsafe { CStr::from_ptr(text) };
        error.report(if warning { "warning: " } else { "" }, text);
    }
}

/// Puts an error where `errp` says. The first error is kept where there is one already.
///
/// # Safety
/// `errp` is NULL, `&error_abort`, `&error_fatal` or a pointer to an Error pointer.
unsafe fn put(errp: *mut *mut CError, error: CError) {
    if errp.is_null() {
        return;
    }
    if errp == &raw mut error_abort {
        error.abort();
    }
    if errp == &raw mut error_fatal {
        error.report("", c"");
        std::process::exit(1);
    }
    // SAFETY: not NULL and not special, so it points to an Error pointer.
    let slot = unsafe { &mut *errp };
    if slot.is_null() {
        *slot = Box::into_raw(Box::new(error));
    }
}

/// The error that `errp` points to, if it points to one.
///
/// # Safety
/// `errp` is NULL or points to an Error pointer, and its object is one of this implementation that nobody else uses
/// while the result lives.
unsafe fn pointee<'a>(errp: *const *mut CError) -> Option<&'a mut CError> {
    // SAFETY: the caller's promise.
    let error = *unsafe { errp.as_ref() }?;
    // SAFETY: the caller's promise.
    unsafe { error.as_mut() }
}

/// Takes over an object that C gives up.
///
/// # Safety
/// `err` is NULL or an object of this implementation that nobody uses any more.
unsafe fn take(err: *mut CError) -> Option<CError> {
    // SAFETY: every object is made by Box::into_raw in this file, and the caller gives this one up.
    (!err.is_null()).then(|| *unsafe { Box::from_raw(err) })
}

/// Appends what an errno means, as strerror() words it, unless it is 0. A text is bytes: it may hold a file name.
fn with_errno(mut text: Vec<u8>, os_errno: c_int) -> Vec<u8> {
    if os_errno == 0 {
        return text;
    }
    let mut buffer = [0; 256];
    // SAFETY: strerror_r() takes any number, and writes a C string no longer than the buffer.
    unsafe { libc::strerror_r(os_errno, buffer.as_mut_ptr(), buffer.len()) };
    // SAFETY: the buffer holds a C string: strerror_r()'s, or none, the buffer being zero.
    let meaning = unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_bytes();
    text.extend_from_slice(b": ");
    text.extend_from_slice(meaning);
    text
}

impl CError {
    fn new(
        text: Vec<u8>,
        class: c_uint,
        source: *const c_char,
        line: c_int,
        function: *const c_char,
    ) -> Self {
        let message = CString::new(text).unwrap_or_default();
        Self { message, class, source, line, function, hint: Vec::new() }
    }

    fn prepend(&mut self, text: &CStr) {
        let both = [text.to_bytes(), self.message.to_bytes()].concat();
        self.message = CString::new(both).unwrap_or_default();
    }

    /// Prints `program: prefix text message`, then the hint, on stderr. A stderr that cannot be written is no reason to
    /// fail.
    fn report(&self, prefix: &str, text: &CStr) {
        let mut line = program_name();
        line.extend_from_slice(prefix.as_bytes());
        line.extend_from_slice(text.to_bytes());
        line.extend_from_slice(self.message.to_bytes());
        line.push(b'\n');
        line.extend_from_slice(&self.hint);
        let _ = std::io::stderr().write_all(&line);
    }

    fn abort(&self) -> ! {
        // SAFETY: the maker of the error passed C strings that stay, __func__ and __FILE__, or NULL.
        let function = unsafe { lossy(self.function) };
        // SAFETY: as above.
        let source = unsafe { lossy(self.source) };
        let line = self.line;
        let _ = writeln!(std::io::stderr(), "Unexpected error in {function}() at {source}:{line}:");
        self.report("", c"");
        abort();
    }
}

/// A C string for printing.
///
/// # Safety
/// `text` is NULL or a C string.
unsafe fn lossy(text: *const c_char) -> String {
    if text.is_null() {
        return "?".into();
    }
    // SAFETY: not NULL, so a C string.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into()
}

/// `program: `, as programs begin their messages, or nothing where the name is not known.
fn program_name() -> Vec<u8> {
    let name = std::env::args_os().next().and_then(|path| {
        std::path::Path::new(&path).file_name().map(std::ffi::OsStr::to_os_string)
    });
    name.map_or_else(Vec::new, |name| [name.as_encoded_bytes(), b": "].concat())
}
