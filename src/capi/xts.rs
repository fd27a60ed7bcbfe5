//! crypto/xts.h: XTS over a block cipher of the caller's.
//!
//! QEMU had this until 10.1, as `xts_encrypt()` and `xts_decrypt()`. The header makes those of this one function.

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::{c_int, c_void};

use zeroize::Zeroizing;

use super::buffers::{in_out, room};
use super::error::CError;
use super::{catch, report};
use crate::error::Error;
use crate::xts::stealing::{Direction, crypt_any_length};

/// Bytes of a block.
const BLOCK: usize = 16;

/// QCryptoXtsFunc:
/// @ctx: what the caller of the XTS function gave for it
/// @length: always one block, 16 bytes
/// @dst: room for the result, which may be @src
/// @src: the block to encrypt, or to decrypt
///
/// A block cipher with a key, in one direction.
pub type QCryptoXtsFunc =
    Option<unsafe extern "C" fn(ctx: *const c_void, length: usize, dst: *mut u8, src: *const u8)>;

/// A block cipher of the caller's, in both directions.
#[derive(Clone, Copy)]
struct Functions {
    encrypt: unsafe extern "C" fn(*const c_void, usize, *mut u8, *const u8),
    decrypt: unsafe extern "C" fn(*const c_void, usize, *mut u8, *const u8),
}

/// qcrypto_xts_crypt:
/// @encrypt: true to encrypt, false to decrypt
/// @datactx: what the functions are given for data
/// @tweakctx: what the functions are given for tweaks
/// @encfunc: encrypts a block
/// @decfunc: decrypts a block
/// @iv: 16 bytes: the number of the data unit, little-endian. Then what goes on with the data unit, if @length is a
///   multiple of 16: two calls do what one does over both pieces
/// @length: the length in bytes, at least one block, or 0, which does nothing; what is no multiple of a block is done by
///   ciphertext stealing
/// @dst: room for the result, @length bytes: the same buffer as @src, or one that shares no byte with it
/// @src: the data, @length bytes
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// XTS (IEEE 1619-2018 section 5) over a block cipher of the caller's, with blocks of 16 bytes. For xts_encrypt() and
/// xts_decrypt() of crypto/xts.h; where the cipher is one of this library, qcrypto_cipher_new() has XTS many times as
/// fast.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_xts_crypt(
    encrypt: bool,
    datactx: *const c_void,
    tweakctx: *const c_void,
    encfunc: QCryptoXtsFunc,
    decfunc: QCryptoXtsFunc,
    iv: *mut u8,
    length: usize,
    dst: *mut u8,
    src: *const u8,
    errp: *mut *mut CError,
) -> c_int {
    let direction = if encrypt { Direction::Encrypt } else { Direction::Decrypt };
    let work = || {
        let functions = Functions {
            encrypt: encfunc.ok_or(Error::Null("encfunc"))?,
            decrypt: decfunc.ok_or(Error::Null("decfunc"))?,
        };
        if length == 0 {
            return Ok(0);
        }
        if length < BLOCK {
            return Err(Error::ShortUnit(length));
        }
        // SAFETY: the caller vouches for 16 bytes at `iv`.
        let iv = unsafe { room(iv, BLOCK, "iv") }?;
        // SAFETY: the caller vouches for `length` bytes at each pointer.
        let data = unsafe { in_out(src, dst, length) }?;
        let core = if encrypt { functions.encrypt } else { functions.decrypt };

        let mut tweak = Zeroizing::new([0; BLOCK]);
        tweak.copy_from_slice(iv);
        // SAFETY: the caller vouches for functions that work on blocks with these contexts.
        unsafe { call(functions.encrypt, tweakctx, &mut tweak) };
        let next = crypt_any_length(direction, u128::from_le_bytes(*tweak), data, |block| {
            // SAFETY: as above.
            unsafe { call(core, datactx, block) }
        });
        *tweak = next.to_le_bytes();
        // SAFETY: as above.
        unsafe { call(functions.decrypt, tweakctx, &mut tweak) };
        iv.copy_from_slice(&*tweak);
        Ok(0)
    };
    report(catch(work), -1, errp, c"qcrypto_xts_crypt")
}

/// A caller's function on one block, in place.
///
/// # Safety
/// The function takes `context`, and a block as source and destination.
unsafe fn call(
    function: unsafe extern "C" fn(*const c_void, usize, *mut u8, *const u8),
    context: *const c_void,
    block: &mut [u8; BLOCK],
) {
    let block = block.as_mut_ptr();
    // SAFETY: the caller's promise; the block is good for its 16 bytes.
    unsafe { function(context, BLOCK, block, block) };
}
