//! What QEMU has not: runs of sectors in one call.

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::{c_int, c_void};

use inout::InOutBuf;

use super::buffers::in_out;
use super::cipher::{Handle, QCryptoCipher};
use super::error::CError;
use super::ivgen::{self, QCryptoIVGen};
use crate::cipher::Cipher;
use crate::cipher::sectors::{Run, SectorIvs};
use crate::error::Error;

/// qcrypto_cipher_encrypt_sectors:
/// @cipher: the object
/// @ivgen: what makes the IV of each sector; may be NULL in ECB, which has no IV
/// @first_sector: the number of the first sector
/// @iv_step: what is added to the number from one sector to the next
/// @sector_size: the length of a sector in bytes, a multiple of the block length
/// @in: the plaintext, @len bytes
/// @out: room for the ciphertext, @len bytes: the same buffer as @in, or one that shares no byte with it
/// @len: the length in bytes, a multiple of @sector_size; 0 does nothing and allows NULL buffers
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Encrypt a run of sectors. The result is that of qcrypto_ivgen_calculate() with the number of the sector,
/// qcrypto_cipher_setiv() and qcrypto_cipher_encrypt() for one sector after the other, but sectors are worked on
/// together: that is faster where they are short, and in CBC many times as fast.
///
/// Sector i of the run, from 0, has the number @first_sector + i * @iv_step. Where sectors are longer than 512 bytes,
/// dm-crypt numbers them in units of 512 bytes, @iv_step being @sector_size / 512, or, with its option
/// iv_large_sectors, one by one, @iv_step being 1. Numbers wrap as the generator has it: those of plain at 32 bits.
/// With plain64 and essiv, a run whose last number exceeds 64 bits is an error. The generator must fit the cipher:
/// essiv makes IVs of the block length of the cipher that it was made with, and no others.
///
/// The IV of @cipher is neither used nor changed. **Any number of threads may be in these two functions at once with
/// the same @cipher and @ivgen**, but no other function may use the @cipher meanwhile.
///
/// A refused call writes nothing and changes nothing. A call that fails midway zeroes all of @out, also where it is
/// @in, and the @cipher then refuses every later call, from whatever thread; calls under way in other threads go on.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_cipher_encrypt_sectors(
    cipher: *const QCryptoCipher,
    ivgen: *mut QCryptoIVGen,
    first_sector: u64,
    iv_step: u64,
    sector_size: usize,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
    errp: *mut *mut CError,
) -> c_int {
    let run = Run { first: first_sector, step: iv_step, sector_size };
    let work = |cipher: &Cipher| {
        // SAFETY: as the header asks, the generator is alive, and the caller vouches for `len` bytes at each pointer.
        unsafe { crypt(cipher, ivgen, run, r#in, out, len, Cipher::encrypt_sectors) }
    };
    // SAFETY: as the header asks, the object is alive, and other threads use it for sectors at most.
    unsafe { Handle::run_shared(cipher, "cipher", errp, c"qcrypto_cipher_encrypt_sectors", work) }
}

/// qcrypto_cipher_decrypt_sectors:
/// @cipher: the object
/// @ivgen: what makes the IV of each sector; may be NULL in ECB, which has no IV
/// @first_sector: the number of the first sector
/// @iv_step: what is added to the number from one sector to the next
/// @sector_size: the length of a sector in bytes, a multiple of the block length
/// @in: the ciphertext, @len bytes
/// @out: room for the plaintext, @len bytes: the same buffer as @in, or one that shares no byte with it
/// @len: the length in bytes, a multiple of @sector_size; 0 does nothing and allows NULL buffers
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Decrypt a run of sectors, in all else as qcrypto_cipher_encrypt_sectors().
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_cipher_decrypt_sectors(
    cipher: *const QCryptoCipher,
    ivgen: *mut QCryptoIVGen,
    first_sector: u64,
    iv_step: u64,
    sector_size: usize,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
    errp: *mut *mut CError,
) -> c_int {
    let run = Run { first: first_sector, step: iv_step, sector_size };
    let work = |cipher: &Cipher| {
        // SAFETY: as the header asks, the generator is alive, and the caller vouches for `len` bytes at each pointer.
        unsafe { crypt(cipher, ivgen, run, r#in, out, len, Cipher::decrypt_sectors) }
    };
    // SAFETY: as the header asks, the object is alive, and other threads use it for sectors at most.
    unsafe { Handle::run_shared(cipher, "cipher", errp, c"qcrypto_cipher_decrypt_sectors", work) }
}

/// One direction of the cipher over sectors.
type Direction =
    fn(&Cipher, Option<&dyn SectorIvs>, Run, InOutBuf<'_, '_, u8>) -> Result<(), Error>;

/// Checks numbers and pointers, then runs one direction of the cipher.
///
/// # Safety
/// `ivgen` is NULL or an object that is alive; `input` can be read and `output` written for `len` bytes, unless either
/// is NULL.
unsafe fn crypt(
    cipher: &Cipher,
    ivgen: *mut QCryptoIVGen,
    run: Run,
    input: *const c_void,
    output: *mut c_void,
    len: usize,
    direction: Direction,
) -> Result<(), Error> {
    // SAFETY: the caller's promise; nobody ever changes a generator.
    let ivgen = unsafe { ivgen::Handle::get(ivgen.cast()) };
    let ivs = ivgen.map(|ivgen| ivgen as &dyn SectorIvs);
    cipher.check_sectors(ivs, run, len)?;
    if len == 0 {
        return Ok(());
    }
    // SAFETY: the caller's promise, passed on.
    direction(cipher, ivs, run, unsafe { in_out(input.cast(), output.cast(), len) }?)
}
