//! crypto/afsplit.h

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
use crate::afsplit::{self, split_len};

/// qcrypto_afsplit_encode:
/// @hash: the hash of the diffuser
/// @blocklen: the length of the key in bytes, not 0; it need not be a multiple of the digest's
/// @stripes: the number of parts, not 0
/// @in: the key, @blocklen bytes
/// @out: room for the parts, @blocklen * @stripes bytes, which share no byte with @in
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Split a key into parts all of which are needed to put it together again. All but the last are random. Source: LUKS1
/// On-Disk Format Specification 1.2.3, section 2.4.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_afsplit_encode(
    hash: HashAlgoArg,
    blocklen: usize,
    stripes: u32,
    r#in: *const u8,
    out: *mut u8,
    errp: *mut *mut CError,
) -> c_int {
    let encode = || {
        let hash = algorithm(hash)?;
        let len = split_len(blocklen, stripes)?;
        disjoint(r#in, blocklen, out, len)?;
        // SAFETY: the caller vouches for that many bytes at `in`.
        let block = unsafe { bytes(r#in, blocklen, "in") }?;
        // SAFETY: the caller vouches for that much room at `out`, and it shares no byte with `in`.
        let split = unsafe { room(out, len, "out") }?;
        afsplit::encode(hash, stripes, block, split)
    };
    report(catch(encode).map(|()| 0), -1, errp, c"qcrypto_afsplit_encode")
}

/// qcrypto_afsplit_decode:
/// @hash: the hash of the diffuser
/// @blocklen: the length of the key in bytes, not 0
/// @stripes: the number of parts, not 0
/// @in: the parts, @blocklen * @stripes bytes
/// @out: room for the key, @blocklen bytes, which share no byte with @in
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Put a key together from its parts.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_afsplit_decode(
    hash: HashAlgoArg,
    blocklen: usize,
    stripes: u32,
    r#in: *const u8,
    out: *mut u8,
    errp: *mut *mut CError,
) -> c_int {
    let decode = || {
        let hash = algorithm(hash)?;
        let len = split_len(blocklen, stripes)?;
        disjoint(r#in, len, out, blocklen)?;
        // SAFETY: the caller vouches for that many bytes at `in`.
        let split = unsafe { bytes(r#in, len, "in") }?;
        // SAFETY: the caller vouches for that much room at `out`, and it shares no byte with `in`.
        let block = unsafe { room(out, blocklen, "out") }?;
        afsplit::decode(hash, stripes, split, block)
    };
    report(catch(decode).map(|()| 0), -1, errp, c"qcrypto_afsplit_decode")
}
