//! crypto/hmac.h

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use libc::iovec;

use super::buffers::{bytes, for_each_part, one_part};
use super::error::CError;
use super::hash::algorithm;
use super::object::Object;
use super::qapi_types_crypto::HashAlgoArg;
use super::results::{ByteResult, DigestBuffer, check_text, hex, put_text};
use super::{catch, report};
use crate::algorithm::HashAlgorithm;
use crate::error::Error;
use crate::hmac::Hmac;

/// QCryptoHmac:
/// @alg: the hash it was made for
/// @opaque: always NULL
/// @driver: always NULL
///
/// A keyed HMAC. The fields are for reading; what follows them is private.
///
/// It may be used from any thread, by one thread at a time; different objects are independent.
#[repr(C)]
pub struct QCryptoHmac {
    /// the hash it was made for
    pub alg: HashAlgoArg,
    /// always NULL
    pub opaque: *mut c_void,
    /// always NULL
    pub driver: *mut c_void,
}

/// What a `QCryptoHmac *` points to.
type Handle = Object<QCryptoHmac, Hmac>;

/// qcrypto_hmac_supports:
/// @alg: the hash algorithm
///
/// Determine if HMAC with @alg is available. Values that are no algorithm give false.
///
/// Returns: true if it is available, false otherwise
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_hmac_supports(alg: HashAlgoArg) -> bool {
    catch(|| Ok(algorithm(alg).is_ok_and(Hmac::supports))).unwrap_or(false)
}

/// qcrypto_hmac_new:
/// @alg: the hash algorithm
/// @key: the key; it is copied, so the caller may wipe its own; may be NULL if @nkey is 0
/// @nkey: the length of @key in bytes, anything
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Make an HMAC object. Source: FIPS 198-1.
///
/// Returns: (transfer full): the object, to be given to qcrypto_hmac_free(), or NULL on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hmac_new(
    alg: HashAlgoArg,
    key: *const u8,
    nkey: usize,
    errp: *mut *mut CError,
) -> *mut QCryptoHmac {
    let new = || {
        let algorithm = algorithm(alg)?;
        // SAFETY: the caller vouches for that many bytes at `key`.
        Hmac::new(algorithm, unsafe { bytes(key, nkey, "key") }?)
    };
    let public = QCryptoHmac { alg, opaque: null_mut(), driver: null_mut() };
    let object = catch(new).map(|hmac| Handle::give(public, hmac));
    report(object, null_mut(), errp, c"qcrypto_hmac_new")
}

/// qcrypto_hmac_free:
/// @hmac: (transfer full): the object, or NULL
///
/// Free an object and wipe its key and state. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hmac_free(hmac: *mut QCryptoHmac) {
    // SAFETY: as the header asks, the object comes from qcrypto_hmac_new() and is given up.
    unsafe { Handle::free(hmac) };
}

/// qcrypto_hmac_bytesv:
/// @hmac: the object
/// @iov: the parts to add to the message
/// @niov: the number of parts
/// @result: (out): where the HMAC goes
/// @resultlen: (inout): the length of @result in bytes, or NULL: more of the message is to come
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Add to the message and, unless @resultlen is NULL, give the HMAC of all that was added, with the rule of
/// qcrypto_hash_bytesv() for the result. The object then starts over with the same key. After a refused length
/// what was added stays added, as in QEMU: the one refusal that changes something.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hmac_bytesv(
    hmac: *mut QCryptoHmac,
    iov: *const iovec,
    niov: usize,
    result: *mut *mut u8,
    resultlen: *mut usize,
    errp: *mut *mut CError,
) -> c_int {
    let work = |hmac: &mut Hmac| {
        let len = hmac.algorithm().digest_len();
        let result = (!resultlen.is_null()).then(|| {
            // SAFETY: the caller vouches for both pointers, as the header asks.
            unsafe { ByteResult::new(result, resultlen, "hmac", len) }
        });
        if let Some(Err(error @ Error::Null(_))) = result {
            return Err(error);
        }
        // SAFETY: the caller vouches for the parts, as the header asks.
        unsafe { for_each_part(iov, niov, |part| hmac.update(part)) }?;
        match result {
            None => Ok(()),
            Some(result) => {
                let result = result?;
                finish(hmac, |mac| result.put(mac))
            }
        }
    };
    // SAFETY: as the header asks, the object is alive and in no other thread's use.
    unsafe { Handle::run(hmac, "hmac", errp, c"qcrypto_hmac_bytesv", work) }
}

/// qcrypto_hmac_bytes:
/// @hmac: the object
/// @buf: the bytes to add to the message
/// @len: the length of @buf in bytes
/// @result: (out): where the HMAC goes
/// @resultlen: (inout): the length of @result in bytes, or NULL: more of the message is to come
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// As qcrypto_hmac_bytesv(), with one part.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hmac_bytes(
    hmac: *mut QCryptoHmac,
    buf: *const c_void,
    len: usize,
    result: *mut *mut u8,
    resultlen: *mut usize,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: one part, which the caller vouches for like the rest.
    unsafe { qcrypto_hmac_bytesv(hmac, &one_part(buf, len), 1, result, resultlen, errp) }
}

/// qcrypto_hmac_digestv:
/// @hmac: the object
/// @iov: the parts to add to the message
/// @niov: the number of parts
/// @digest: (out): the HMAC as lower-case hexadecimal; the caller frees it with free()
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Add to the message and give the HMAC of all that was added. The object then starts over with the same key.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hmac_digestv(
    hmac: *mut QCryptoHmac,
    iov: *const iovec,
    niov: usize,
    digest: *mut *mut c_char,
    errp: *mut *mut CError,
) -> c_int {
    let work = |hmac: &mut Hmac| {
        check_text(digest, "digest")?;
        // SAFETY: the caller vouches for the parts, as the header asks.
        unsafe { for_each_part(iov, niov, |part| hmac.update(part)) }?;
        // SAFETY: the caller vouches for `digest`, as the header asks.
        finish(hmac, |mac| unsafe { put_text(digest, mac, hex) })
    };
    // SAFETY: as the header asks, the object is alive and in no other thread's use.
    unsafe { Handle::run(hmac, "hmac", errp, c"qcrypto_hmac_digestv", work) }
}

/// qcrypto_hmac_digest:
/// @hmac: the object
/// @buf: the bytes to add to the message
/// @len: the length of @buf in bytes
/// @digest: (out): the HMAC as lower-case hexadecimal; the caller frees it with free()
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// As qcrypto_hmac_digestv(), with one part.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_hmac_digest(
    hmac: *mut QCryptoHmac,
    buf: *const c_void,
    len: usize,
    digest: *mut *mut c_char,
    errp: *mut *mut CError,
) -> c_int {
    // SAFETY: one part, which the caller vouches for like the rest.
    unsafe { qcrypto_hmac_digestv(hmac, &one_part(buf, len), 1, digest, errp) }
}

/// Hands the HMAC of an object to `put`.
fn finish(hmac: &mut Hmac, put: impl FnOnce(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
    let mut buffer = DigestBuffer::new([0; HashAlgorithm::MAX_DIGEST_LEN]);
    let mac = &mut buffer[..hmac.algorithm().digest_len()];
    hmac.finish(mac)?;
    put(mac)
}
