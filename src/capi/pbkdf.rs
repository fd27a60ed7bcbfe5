//! crypto/pbkdf.h

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::c_int;

use super::buffers::{bytes, disjoint, room};
use super::error::CError;
use super::hash::algorithm;
use super::qapi_types_crypto::HashAlgoArg;
use super::{catch, report};
use crate::pbkdf;

/// qcrypto_pbkdf2_supports:
/// @hash: the hash algorithm
///
/// Determine if PBKDF2 with HMAC and @hash is available. Values that are no algorithm give false.
///
/// Returns: true if it is available, false otherwise
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_pbkdf2_supports(hash: HashAlgoArg) -> bool {
    catch(|| Ok(algorithm(hash).is_ok_and(pbkdf::supports))).unwrap_or(false)
}

/// qcrypto_pbkdf2:
/// @hash: the hash algorithm
/// @key: the password; may be NULL if @nkey is 0
/// @nkey: the length of @key in bytes
/// @salt: the salt; may be NULL if @nsalt is 0
/// @nsalt: the length of @salt in bytes
/// @iterations: the number of iterations, at least 1
/// @out: room for the derived key, which shares no byte with @key and @salt
/// @nout: the length of @out in bytes; 0 does nothing
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Derive a key from a password. Source: RFC 8018 section 5.2, with HMAC and @hash as the pseudorandom function. The time taken is in
/// proportion to @iterations and to the number of digests that make up @nout bytes.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_pbkdf2(
    hash: HashAlgoArg,
    key: *const u8,
    nkey: usize,
    salt: *const u8,
    nsalt: usize,
    iterations: u64,
    out: *mut u8,
    nout: usize,
    errp: *mut *mut CError,
) -> c_int {
    let derive = || {
        let hash = algorithm(hash)?;
        disjoint(key, nkey, out, nout)?;
        disjoint(salt, nsalt, out, nout)?;
        // SAFETY: the caller vouches for that many bytes at `key`.
        let key = unsafe { bytes(key, nkey, "key") }?;
        // SAFETY: the caller vouches for that many bytes at `salt`.
        let salt = unsafe { bytes(salt, nsalt, "salt") }?;
        // SAFETY: the caller vouches for that much room at `out`, and it shares no byte with the two others.
        let out = unsafe { room(out, nout, "out") }?;
        pbkdf::pbkdf2(hash, key, salt, iterations, out)
    };
    report(catch(derive).map(|()| 0), -1, errp, c"qcrypto_pbkdf2")
}

/// qcrypto_pbkdf2_count_iters:
/// @hash: the hash algorithm
/// @key: a password of the length to be used; may be NULL if @nkey is 0
/// @nkey: the length of @key in bytes
/// @salt: a salt of the length to be used; may be NULL if @nsalt is 0
/// @nsalt: the length of @salt in bytes
/// @nout: the length in bytes of the key to be derived
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Measure how many iterations qcrypto_pbkdf2() does in a second of the calling thread's processor time. Takes about
/// half a second; where that clock stands still, time on the wall is measured.
///
/// Returns: iterations per second, at least 1, or (uint64_t)-1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_pbkdf2_count_iters(
    hash: HashAlgoArg,
    key: *const u8,
    nkey: usize,
    salt: *const u8,
    nsalt: usize,
    nout: usize,
    errp: *mut *mut CError,
) -> u64 {
    let count = || {
        let hash = algorithm(hash)?;
        // SAFETY: the caller vouches for that many bytes at `key`.
        let key = unsafe { bytes(key, nkey, "key") }?;
        // SAFETY: the caller vouches for that many bytes at `salt`.
        let salt = unsafe { bytes(salt, nsalt, "salt") }?;
        pbkdf::count_iterations(hash, key, salt, nout)
    };
    report(catch(count), u64::MAX, errp, c"qcrypto_pbkdf2_count_iters")
}
