//! crypto/hash.h

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

use libc::iovec;

use super::buffers::{for_each_part, one_part};
use super::error::CError;
use super::object::Object;
use super::qapi_types_crypto::HashAlgoArg;
use super::results::{
    ByteResult, DigestBuffer, Encode, base64 as encode_base64, check_text, hex, put_text,
};
use super::{catch, report};
use crate::algorithm::HashAlgorithm;
use crate::error::Error;
use crate::hash::Hash;

/// Length of an MD5 digest in bytes
pub const QCRYPTO_HASH_DIGEST_LEN_MD5: usize = 16;
/// Length of a SHA-1 digest in bytes
pub const QCRYPTO_HASH_DIGEST_LEN_SHA1: usize = 20;
/// Length of a SHA-224 digest in bytes
pub const QCRYPTO_HASH_DIGEST_LEN_SHA224: usize = 28;
/// Length of a SHA-256 digest in bytes
pub const QCRYPTO_HASH_DIGEST_LEN_SHA256: usize = 32;
/// Length of a SHA-384 digest in bytes
pub const QCRYPTO_HASH_DIGEST_LEN_SHA384: usize = 48;
/// Length of a SHA-512 digest in bytes
pub const QCRYPTO_HASH_DIGEST_LEN_SHA512: usize = 64;
/// Length of a RIPEMD-160 digest in bytes
pub const QCRYPTO_HASH_DIGEST_LEN_RIPEMD160: usize = 20;
/// Length of an SM3 digest in bytes
pub const QCRYPTO_HASH_DIGEST_LEN_SM3: usize = 32;

/// QCryptoHash:
/// @alg: the algorithm it was made for
/// @opaque: always NULL
/// @driver: always NULL
///
/// A hash that is fed piece by piece. The fields are for reading; what follows them is private.
///
/// It may be used from any thread, by one thread at a time; different objects are independent.
#[repr(C)]
pub struct QCryptoHash {
    /// the algorithm it was made for
    pub alg: HashAlgoArg,
    /// always NULL
    pub opaque: *mut c_void,
    /// always NULL
    pub driver: *mut c_void,
}

/// What a `QCryptoHash *` points to.
type Handle = Object<QCryptoHash, Hash>;

/// qcrypto_hash_supports:
/// @alg: the hash algorithm
///
/// Determine if @alg is available. Values that are no algorithm give 0.
///
/// Returns: 1 if the algorithm is available, 0 otherwise
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_hash_supports(alg: HashAlgoArg) -> c_int {
    let supported = || Ok(algorithm(alg).is_ok_and(Hash::supports));
    c_int::from(catch(supported).unwrap_or(false))
}

/// qcrypto_hash_digest_len:
/// @alg: the hash algorithm
///
/// Get the length of the digests of @alg.
///
/// Returns: the length in bytes, 0 if @alg is no algorithm
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_hash_digest_len(alg: HashAlgoArg) -> usize {
    catch(|| Ok(algorithm(alg)?.digest_len())).unwrap_or(0)
}

/// qcrypto_hash_bytesv:
/// @alg: the hash algorithm
/// @iov: the parts of the message
/// @niov: the number of parts
/// @result: (out): where the digest goes
/// @resultlen: (inout): the length of @result in bytes
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Hash a message in parts. If @resultlen is 0 on entry, @result is set to memory that the caller frees with free(), and
/// @resultlen to its length. If it is the digest's length, @result points to that much room, which is filled. Any other
/// value is an error. The same rule holds for every function here that takes @result and @resultlen.
///
/// Sources: RFC 1321 (MD5), FIPS 180-4 (SHA), ISO/IEC 10118-3 (RIPEMD-160), GB/T 32905-2016 (SM3).
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_bytesv(
    alg: HashAlgoArg,
    iov: *const iovec,
    niov: usize,
    result: *mut *mut u8,
    resultlen: *mut usize,
    errp: *mut *mut CError,
) -> c_int {
    let work = || {
        let len = algorithm(alg)?.digest_len();
        // SAFETY: the caller vouches for both pointers, as the header asks.
        let result = unsafe { ByteResult::new(result, resultlen, "hash", len) }?;
        // SAFETY: the caller vouches for the parts, as the header asks.
        unsafe { with_digest(alg, iov, niov, |digest| result.put(digest)) }
    };
    report(catch(work).map(|()| 0), -1, errp, c"qcrypto_hash_bytesv")
}

/// qcrypto_hash_bytes:
/// @alg: the hash algorithm
/// @buf: the message
/// @len: the length of @buf in bytes
/// @result: (out): where the digest goes
/// @resultlen: (inout): the length of @result in bytes
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Hash a message, with the rule of qcrypto_hash_bytesv() for the result.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_bytes(
    alg: HashAlgoArg,
    buf: *const c_void,
    len: usize,
    result: *mut *mut u8,
    resultlen: *mut usize,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: one part, which the caller vouches for like the rest.
    unsafe { qcrypto_hash_bytesv(alg, &one_part(buf, len), 1, result, resultlen, errp) }
}

/// qcrypto_hash_digestv:
/// @alg: the hash algorithm
/// @iov: the parts of the message
/// @niov: the number of parts
/// @digest: (out): the digest as lower-case hexadecimal; the caller frees it with free()
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Hash a message in parts.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_digestv(
    alg: HashAlgoArg,
    iov: *const iovec,
    niov: usize,
    digest: *mut *mut c_char,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: the caller's promises, passed on.
    let work = || unsafe { text_of_parts(alg, iov, niov, digest, "digest", hex) };
    report(catch(work).map(|()| 0), -1, errp, c"qcrypto_hash_digestv")
}

/// qcrypto_hash_updatev:
/// @hash: the object
/// @iov: the parts to add
/// @niov: the number of parts
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Add to the message. An error after the digest was taken.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_updatev(
    hash: *mut QCryptoHash,
    iov: *const iovec,
    niov: usize,
    errp: *mut *mut CError,
) -> c_int {
    let work = |hash: &mut Hash| {
        hash.check_running()?;
        // SAFETY: the caller vouches for the parts, as the header asks.
        unsafe { for_each_part(iov, niov, |part| hash.update(part)) }
    };
    // SAFETY: as the header asks, the object is alive and in no other thread's use.
    unsafe { Handle::run(hash, "hash", errp, c"qcrypto_hash_updatev", work) }
}

/// qcrypto_hash_update:
/// @hash: the object
/// @buf: the bytes to add
/// @len: the length of @buf in bytes
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Add to the message. An error after the digest was taken.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_update(
    hash: *mut QCryptoHash,
    buf: *const c_void,
    len: usize,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: one part, which the caller vouches for like the rest.
    unsafe { qcrypto_hash_updatev(hash, &one_part(buf, len), 1, errp) }
}

/// qcrypto_hash_finalize_digest:
/// @hash: the object
/// @digest: (out): the digest as lower-case hexadecimal; the caller frees it with free()
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Take the digest, which can be done once. The object is still to be freed.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_finalize_digest(
    hash: *mut QCryptoHash,
    digest: *mut *mut c_char,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: the caller's promises, passed on.
    let work = |hash: &mut Hash| unsafe { finalize_text(hash, digest, "digest", hex) };
    // SAFETY: as the header asks, the object is alive and in no other thread's use.
    unsafe { Handle::run(hash, "hash", errp, c"qcrypto_hash_finalize_digest", work) }
}

/// qcrypto_hash_finalize_base64:
/// @hash: the object
/// @base64: (out): the digest in base64 (RFC 4648 section 4); the caller frees it with free()
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Take the digest, which can be done once. The object is still to be freed.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_finalize_base64(
    hash: *mut QCryptoHash,
    base64: *mut *mut c_char,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: the caller's promises, passed on.
    let work = |hash: &mut Hash| unsafe { finalize_text(hash, base64, "base64", encode_base64) };
    // SAFETY: as the header asks, the object is alive and in no other thread's use.
    unsafe { Handle::run(hash, "hash", errp, c"qcrypto_hash_finalize_base64", work) }
}

/// qcrypto_hash_finalize_bytes:
/// @hash: the object
/// @result: (out): where the digest goes
/// @result_len: (inout): the length of @result in bytes
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Take the digest, which can be done once, with the rule of qcrypto_hash_bytesv() for the result. A refused length leaves the
/// digest to be taken. The object is still to be freed.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_finalize_bytes(
    hash: *mut QCryptoHash,
    result: *mut *mut u8,
    result_len: *mut usize,
    errp: *mut *mut CError,
) -> c_int {
    let work = |hash: &mut Hash| {
        hash.check_running()?;
        let len = hash.algorithm().digest_len();
        // SAFETY: the caller vouches for both pointers, as the header asks.
        let result = unsafe { ByteResult::new(result, result_len, "hash", len) }?;
        finalize(hash, |digest| result.put(digest))
    };
    // SAFETY: as the header asks, the object is alive and in no other thread's use.
    unsafe { Handle::run(hash, "hash", errp, c"qcrypto_hash_finalize_bytes", work) }
}

/// qcrypto_hash_new:
/// @alg: the hash algorithm
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Start a hash that is fed piece by piece.
///
/// Returns: (transfer full): the object, to be given to qcrypto_hash_free(), or NULL on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_new(
    alg: HashAlgoArg,
    errp: *mut *mut CError,
) -> *mut QCryptoHash {
    let public = QCryptoHash { alg, opaque: null_mut(), driver: null_mut() };
    let object = catch(|| Hash::new(algorithm(alg)?)).map(|hash| Handle::give(public, hash));
    report(object, null_mut(), errp, c"qcrypto_hash_new")
}

/// qcrypto_hash_free:
/// @hash: (transfer full): the object, or NULL
///
/// Free an object and wipe its state, whether or not the digest was taken. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_free(hash: *mut QCryptoHash) {
    // SAFETY: as the header asks, the object comes from qcrypto_hash_new() and is given up.
    unsafe { Handle::free(hash) };
}

/// qcrypto_hash_digest:
/// @alg: the hash algorithm
/// @buf: the message
/// @len: the length of @buf in bytes
/// @digest: (out): the digest as lower-case hexadecimal; the caller frees it with free()
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Hash a message.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_digest(
    alg: HashAlgoArg,
    buf: *const c_void,
    len: usize,
    digest: *mut *mut c_char,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: one part, which the caller vouches for like the rest.
    unsafe { qcrypto_hash_digestv(alg, &one_part(buf, len), 1, digest, errp) }
}

/// qcrypto_hash_base64v:
/// @alg: the hash algorithm
/// @iov: the parts of the message
/// @niov: the number of parts
/// @base64: (out): the digest in base64 (RFC 4648 section 4); the caller frees it with free()
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Hash a message in parts.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_base64v(
    alg: HashAlgoArg,
    iov: *const iovec,
    niov: usize,
    base64: *mut *mut c_char,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: the caller's promises, passed on.
    let work = || unsafe { text_of_parts(alg, iov, niov, base64, "base64", encode_base64) };
    report(catch(work).map(|()| 0), -1, errp, c"qcrypto_hash_base64v")
}

/// qcrypto_hash_base64:
/// @alg: the hash algorithm
/// @buf: the message
/// @len: the length of @buf in bytes
/// @base64: (out): the digest in base64 (RFC 4648 section 4); the caller frees it with free()
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Hash a message.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hash_base64(
    alg: HashAlgoArg,
    buf: *const c_void,
    len: usize,
    base64: *mut *mut c_char,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: one part, which the caller vouches for like the rest.
    unsafe { qcrypto_hash_base64v(alg, &one_part(buf, len), 1, base64, errp) }
}

/// The number as what it names.
pub(super) fn algorithm(alg: c_uint) -> Result<HashAlgorithm, Error> {
    HashAlgorithm::from_number(alg).ok_or(Error::HashOutOfRange(alg))
}

/// Hands the digest of a message in parts to `put`.
///
/// # Safety
/// As [`for_each_part`].
unsafe fn with_digest(
    alg: c_uint,
    iov: *const iovec,
    niov: usize,
    put: impl FnOnce(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut hash = Hash::new(algorithm(alg)?)?;
    // SAFETY: the caller's promise, passed on.
    unsafe { for_each_part(iov, niov, |part| hash.update(part)) }?;
    finalize(&mut hash, put)
}

/// Hands the digest of an object to `put`.
fn finalize(hash: &mut Hash, put: impl FnOnce(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
    let mut buffer = DigestBuffer::new([0; HashAlgorithm::MAX_DIGEST_LEN]);
    let digest = &mut buffer[..hash.algorithm().digest_len()];
    hash.finalize(digest)?;
    put(digest)
}

/// The digest of a message in parts, as a text.
///
/// # Safety
/// As [`for_each_part`]; `result` can be written, unless it is NULL.
unsafe fn text_of_parts(
    alg: c_uint,
    iov: *const iovec,
    niov: usize,
    result: *mut *mut c_char,
    argument: &'static str,
    encode: Encode,
) -> Result<(), Error> {
    check_text(result, argument)?;
    // SAFETY: the caller's promise for `result`, passed on.
    let put = |digest: &[u8]| unsafe { put_text(result, digest, encode) };
    // SAFETY: the caller's promise for the parts, passed on.
    unsafe { with_digest(alg, iov, niov, put) }
}

/// The digest of an object, as a text.
///
/// # Safety
/// `result` can be written, unless it is NULL.
unsafe fn finalize_text(
    hash: &mut Hash,
    result: *mut *mut c_char,
    argument: &'static str,
    encode: Encode,
) -> Result<(), Error> {
    check_text(result, argument)?;
    // SAFETY: the caller's promise, passed on.
    finalize(hash, |digest| unsafe { put_text(result, digest, encode) })
}
