//! Results that C will free: memory of malloc(), never of Rust's allocator.

use std::ffi::{CString, c_char};
use std::ptr::copy_nonoverlapping;

use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

use crate::algorithm::HashAlgorithm;
use crate::error::Error;

/// Where a digest goes: `*result` and `*len` as the caller passed them. The rule of QEMU: a length of 0 asks for memory
/// of malloc(); the digest's length says that `*result` has room for it; anything else is refused.
pub(super) struct ByteResult {
    result: *mut *mut u8,
    result_len: *mut usize,
    /// The caller's room, or NULL to allocate.
    room: *mut u8,
}

impl ByteResult {
    /// Looks at what the caller wants, and refuses a length that is neither 0 nor `expected`.
    ///
    /// # Safety
    /// Both pointers can be read and written, unless NULL; where `*result_len` is not 0, `*result` has room for it.
    pub(super) unsafe fn new(
        result: *mut *mut u8,
        result_len: *mut usize,
        what: &'static str,
        expected: usize,
    ) -> Result<Self, Error> {
        if result.is_null() {
            return Err(Error::Null("result"));
        }
        // SAFETY: the caller's promise.
        let given = *unsafe { result_len.as_ref() }.ok_or(Error::Null("resultlen"))?;
        if given == 0 {
            return Ok(Self { result, result_len, room: std::ptr::null_mut() });
        }
        if given != expected {
            return Err(Error::ResultLength { what, given, expected });
        }
        // SAFETY: not NULL, and the caller's promise.
        let room = unsafe { *result };
        if room.is_null() {
            return Err(Error::Null("*result"));
        }
        Ok(Self { result, result_len, room })
    }

    /// Hands over the result, which is as long as was expected.
    pub(super) fn put(self, bytes: &[u8]) -> Result<(), Error> {
        if !self.room.is_null() {
            // SAFETY: `new` saw that the caller's room is as long as the result; `bytes` is ours, so they are disjoint.
            unsafe { copy_nonoverlapping(bytes.as_ptr(), self.room, bytes.len()) };
            return Ok(());
        }
        let copy = malloc_copy(bytes)?;
        // SAFETY: `new` saw that it is not NULL; the caller promised that it can be written.
        unsafe { self.result.write(copy) };
        // SAFETY: as above.
        unsafe { self.result_len.write(bytes.len()) };
        Ok(())
    }
}

/// Hands over a digest as a text: memory of malloc() that ends in NUL.
///
/// # Safety
/// `result` can be written, unless it is NULL.
pub(super) unsafe fn put_text(
    result: *mut *mut c_char,
    digest: &[u8],
    encode: Encode,
) -> Result<(), Error> {
    check_text(result, "digest")?;
    let mut buffer = Zeroizing::new([0; MAX_TEXT_LEN + 1]);
    let len = encode(digest, &mut buffer[..MAX_TEXT_LEN])?;
    let text = malloc_copy(&buffer[..=len])?.cast();
    // SAFETY: not NULL, so it can be written by the caller's promise; what it held does not matter.
    unsafe { result.write(text) };
    Ok(())
}

/// Refuses a NULL where a text would go, before any work is done or state is changed for it.
pub(super) fn check_text(result: *mut *mut c_char, argument: &'static str) -> Result<(), Error> {
    if result.is_null() { Err(Error::Null(argument)) } else { Ok(()) }
}

/// A digest of any of the algorithms, wiped when it is done with: it may be a key.
pub(super) type DigestBuffer = Zeroizing<[u8; HashAlgorithm::MAX_DIGEST_LEN]>;

/// Length of the longest text, which is hexadecimal.
const MAX_TEXT_LEN: usize = 2 * HashAlgorithm::MAX_DIGEST_LEN;

/// Writes a digest as a text into room for the longest, and returns the text's length.
pub(super) type Encode = fn(digest: &[u8], text: &mut [u8]) -> Result<usize, Error>;

/// Lower-case hexadecimal.
pub(super) fn hex(digest: &[u8], text: &mut [u8]) -> Result<usize, Error> {
    base16ct::lower::encode(digest, text).map(<[u8]>::len).map_err(|_| Error::Internal)
}

/// RFC 4648 section 4, padded.
pub(super) fn base64(digest: &[u8], text: &mut [u8]) -> Result<usize, Error> {
    Base64::encode(digest, text).map(str::len).map_err(|_| Error::Internal)
}

/// A text in memory of malloc().
pub(super) fn malloc_text(text: &str) -> Result<*mut c_char, Error> {
    let terminated = CString::new(text).map_err(|_| Error::Internal)?;
    Ok(malloc_copy(terminated.as_bytes_with_nul())?.cast())
}

fn malloc_copy(bytes: &[u8]) -> Result<*mut u8, Error> {
    // SAFETY: malloc() takes any size.
    let copy = unsafe { libc::malloc(bytes.len()) }.cast::<u8>();
    if copy.is_null() {
        return Err(Error::NoMemory);
    }
    // SAFETY: fresh memory of that size.
    unsafe { copy_nonoverlapping(bytes.as_ptr(), copy, bytes.len()) };
    Ok(copy)
}
