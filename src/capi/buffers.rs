//! C's pointers and lengths as Rust's slices, checked.

use std::ffi::c_void;

use inout::InOutBuf;
use libc::iovec;

use crate::error::Error;

/// The caller's buffers as one thing, since in place there must never be two slices over one buffer.
///
/// # Safety
/// `input` can be read and `output` written for `len` bytes for as long as the result lives, unless either is NULL.
pub(super) unsafe fn in_out<'a>(
    input: *const u8,
    output: *mut u8,
    len: usize,
) -> Result<InOutBuf<'a, 'a, u8>, Error> {
    check(input, len, "in")?;
    check(output, len, "out")?;
    if input.addr() != output.addr() {
        disjoint(input, len, output, len)?;
    }
    // SAFETY: neither pointer is NULL, both are good for `len` bytes by the caller's promise, `len` fits an isize, and
    // the ranges are equal or disjoint.
    Ok(unsafe { InOutBuf::from_raw(input, output, len) })
}

/// Refuses ranges that share a byte.
pub(super) fn disjoint(
    input: *const u8,
    input_len: usize,
    output: *const u8,
    output_len: usize,
) -> Result<(), Error> {
    if input_len == 0 || output_len == 0 {
        return Ok(());
    }
    let (input, output) = (input.addr(), output.addr());
    let apart =
        if input <= output { output - input >= input_len } else { input - output >= output_len };
    if apart { Ok(()) } else { Err(Error::Overlap) }
}

/// The bytes at a pointer, which may be NULL if there are none.
///
/// # Safety
/// `data` can be read for `len` bytes for as long as the result lives, unless it is NULL.
pub(super) unsafe fn bytes<'a>(
    data: *const u8,
    len: usize,
    argument: &'static str,
) -> Result<&'a [u8], Error> {
    if len == 0 {
        return Ok(&[]);
    }
    check(data, len, argument)?;
    // SAFETY: not NULL, good for `len` bytes by the caller's promise, and `len` fits an isize.
    Ok(unsafe { std::slice::from_raw_parts(data, len) })
}

/// The room at a pointer, which may be NULL if there is none.
///
/// # Safety
/// `data` can be written for `len` bytes, and is used by nobody else for as long as the result lives, unless it is NULL.
pub(super) unsafe fn room<'a>(
    data: *mut u8,
    len: usize,
    argument: &'static str,
) -> Result<&'a mut [u8], Error> {
    if len == 0 {
        return Ok(&mut []);
    }
    check(data, len, argument)?;
    // SAFETY: not NULL, good for `len` bytes and not shared by the caller's promise, and `len` fits an isize.
    Ok(unsafe { std::slice::from_raw_parts_mut(data, len) })
}

/// Calls `take` with each part of a message in turn, once all of them are known to be sound.
///
/// # Safety
/// `iov` can be read for `niov` elements, unless it is NULL, and each element's base for its length, unless it is NULL.
pub(super) unsafe fn for_each_part(
    iov: *const iovec,
    niov: usize,
    mut take: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    if niov == 0 {
        return Ok(());
    }
    check(iov, niov.saturating_mul(size_of::<iovec>()), "iov")?;
    // SAFETY: not NULL, good for `niov` elements by the caller's promise, and their size fits an isize.
    let parts = unsafe { std::slice::from_raw_parts(iov, niov) };
    for part in parts {
        if part.iov_len != 0 {
            check(part.iov_base.cast_const(), part.iov_len, "iov")?;
        }
    }
    for part in parts {
        let base = part.iov_base.cast_const().cast::<u8>();
        // SAFETY: the caller's promise.
        take(unsafe { bytes(base, part.iov_len, "iov") }?)?;
    }
    Ok(())
}

/// A message in one part as `iovec`, which the functions for several parts take.
pub(super) fn one_part(data: *const c_void, len: usize) -> iovec {
    iovec { iov_base: data.cast_mut(), iov_len: len }
}

/// Refuses NULL, and lengths that no object in memory has.
fn check<T>(data: *const T, len: usize, argument: &'static str) -> Result<(), Error> {
    if data.is_null() {
        return Err(Error::Null(argument));
    }
    if isize::try_from(len).is_err() {
        return Err(Error::TooLong(len));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::disjoint;
    use crate::error::Error;

    #[test]
    fn overlap() {
        let memory = [0u8; 64];
        let at = |offset: usize| memory[offset..].as_ptr();
        assert_eq!(disjoint(at(0), 16, at(16), 16), Ok(()));
        assert_eq!(disjoint(at(16), 16, at(0), 16), Ok(()));
        assert_eq!(disjoint(at(0), 17, at(16), 16), Err(Error::Overlap));
        assert_eq!(disjoint(at(16), 1, at(0), 17), Err(Error::Overlap));
        assert_eq!(disjoint(at(8), 16, at(8), 16), Err(Error::Overlap));
        assert_eq!(disjoint(at(8), 0, at(0), 16), Ok(()));
        assert_eq!(disjoint(at(0), 16, at(8), 0), Ok(()));
    }
}
