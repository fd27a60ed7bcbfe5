//! crypto/cipher.h

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::{c_int, c_uint, c_void};

use inout::InOutBuf;

use super::buffers::{bytes, in_out};
use super::error::CError;
use super::object::Object;
use super::qapi_types_crypto::{CipherAlgoArg, CipherModeArg};
use super::{catch, report};
use crate::algorithm::{CipherAlgorithm, CipherMode};
use crate::cipher::Cipher;
use crate::error::Error;

/// QCryptoCipherDriver:
///
/// Opaque. The name is kept for sources that mention it.
pub struct QCryptoCipherDriver {
    _opaque: [u8; 0],
}

/// QCryptoCipher:
/// @alg: the algorithm it was made for
/// @mode: the mode it was made for
/// @driver: always NULL
///
/// A keyed cipher in one mode. The fields are for reading; what follows them is private.
///
/// One object encrypts and decrypts, sharing one IV. It may be used from any thread, by one thread at a time, but for
/// qcrypto_cipher_encrypt_sectors() and qcrypto_cipher_decrypt_sectors(); different objects are independent. It must
/// not be used on both sides of a fork.
#[repr(C)]
pub struct QCryptoCipher {
    /// the algorithm it was made for
    pub alg: CipherAlgoArg,
    /// the mode it was made for
    pub mode: CipherModeArg,
    /// always NULL
    pub driver: *const QCryptoCipherDriver,
}

/// What a `QCryptoCipher *` points to.
pub(super) type Handle = Object<QCryptoCipher, Cipher>;

/// qcrypto_cipher_supports:
/// @alg: the cipher algorithm
/// @mode: the cipher mode
///
/// Determine if @alg is available in @mode. True exactly when qcrypto_cipher_new() with a key of the right length
/// succeeds. Values that are no algorithm or mode give false.
///
/// Returns: true if the pair is available, false otherwise
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_cipher_supports(alg: CipherAlgoArg, mode: CipherModeArg) -> bool {
    let supported = || {
        let (algorithm, mode) = pair(alg, mode)?;
        Ok(Cipher::supports(algorithm, mode))
    };
    catch(supported).unwrap_or(false)
}

/// qcrypto_cipher_get_block_len:
/// @alg: the cipher algorithm
///
/// Get the block length of @alg: 8 for DES, 3DES and CAST5-128, else 16.
///
/// Returns: the length in bytes, 0 if @alg is no algorithm
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_cipher_get_block_len(alg: CipherAlgoArg) -> usize {
    catch(|| Ok(algorithm(alg)?.block_len())).unwrap_or(0)
}

/// qcrypto_cipher_get_key_len:
/// @alg: the cipher algorithm
///
/// Get the key length of @alg. XTS takes two keys of this length, one after the other.
///
/// Returns: the length in bytes, 0 if @alg is no algorithm
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_cipher_get_key_len(alg: CipherAlgoArg) -> usize {
    catch(|| Ok(algorithm(alg)?.key_len())).unwrap_or(0)
}

/// qcrypto_cipher_get_iv_len:
/// @alg: the cipher algorithm
/// @mode: the cipher mode
///
/// Get the length that qcrypto_cipher_setiv() takes: one block, or 0 in ECB, which has no IV.
///
/// Returns: the length in bytes, 0 if @alg is no algorithm or @mode no mode
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_cipher_get_iv_len(alg: CipherAlgoArg, mode: CipherModeArg) -> usize {
    let iv_len = || {
        let (algorithm, mode) = pair(alg, mode)?;
        Ok(mode.iv_len(algorithm))
    };
    catch(iv_len).unwrap_or(0)
}

/// qcrypto_cipher_new:
/// @alg: the cipher algorithm
/// @mode: the cipher mode
/// @key: the key; it is copied, so the caller may wipe its own
/// @nkey: the length of @key in bytes: qcrypto_cipher_get_key_len(), or twice that in XTS
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Make a cipher object. In XTS the data key comes first, then the tweak key; equal halves are accepted, and so are
/// weak DES keys, because old volumes and VNC need them. DES parity bits are ignored. XTS is for ciphers of 16-byte
/// blocks.
///
/// The IV is all zero until qcrypto_cipher_setiv().
///
/// Sources: FIPS 197, FIPS 46-3, SP 800-67, RFC 2144, GB/T 32907-2016 and the Serpent and Twofish submissions to the AES
/// process for the ciphers; SP 800-38A section 6 for ECB, CBC and CTR; IEEE 1619-2018 section 5 for XTS.
///
/// Returns: (transfer full): the object, to be given to qcrypto_cipher_free(), or NULL on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_cipher_new(
    alg: CipherAlgoArg,
    mode: CipherModeArg,
    key: *const u8,
    nkey: usize,
    errp: *mut *mut CError,
) -> *mut QCryptoCipher {
    // SAFETY: the caller vouches for the key.
    let object = unsafe { new(alg, mode, key, nkey, Cipher::new) };
    report(object, std::ptr::null_mut(), errp, c"qcrypto_cipher_new")
}

/// Makes an object of what `open` makes.
///
/// # Safety
/// `key` can be read for `nkey` bytes, unless it is NULL.
pub(super) unsafe fn new(
    alg: CipherAlgoArg,
    mode: CipherModeArg,
    key: *const u8,
    nkey: usize,
    open: impl FnOnce(CipherAlgorithm, CipherMode, &[u8]) -> Result<Cipher, Error>,
) -> Result<*mut QCryptoCipher, Error> {
    let new = || {
        let (algorithm, mode) = pair(alg, mode)?;
        Cipher::check_key_len(algorithm, mode, nkey)?;
        // SAFETY: the caller vouches for that many bytes at `key`.
        let key = unsafe { bytes(key, nkey, "key") }?;
        open(algorithm, mode, key)
    };
    catch(new)
        .map(|cipher| Handle::give(QCryptoCipher { alg, mode, driver: std::ptr::null() }, cipher))
}

/// qcrypto_cipher_free:
/// @cipher: (transfer full): the object, or NULL
///
/// Free an object and wipe its keys and IV. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_cipher_free(cipher: *mut QCryptoCipher) {
    // SAFETY: as the header asks, the object comes from qcrypto_cipher_new() and is given up.
    unsafe { Handle::free(cipher) };
}

/// qcrypto_cipher_encrypt:
/// @cipher: the object
/// @in: the plaintext, @len bytes
/// @out: room for the ciphertext, @len bytes: the same buffer as @in, or one that shares no byte with it
/// @len: the length in bytes, a multiple of the block length in every mode; 0 does nothing and allows NULL buffers
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Encrypt @len bytes. In CBC and CTR the next call goes on where this one ended. **In XTS every call starts a data
/// unit with the IV last set; it does not advance.** XTS data units above 2^20 blocks (16 MiB) work here; IEEE 1619 does
/// not allow them.
///
/// A refused call (wrong length, NULL, partly overlapping buffers) writes nothing and changes nothing. A call that
/// fails midway zeroes @out, also where it is @in, and the object then refuses every later call.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_cipher_encrypt(
    cipher: *mut QCryptoCipher,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
    errp: *mut *mut CError,
) -> c_int {
    let work = |cipher: &mut Cipher| {
        // SAFETY: the caller vouches for `len` bytes at each pointer, as the header asks.
        unsafe { crypt(cipher, r#in, out, len, Cipher::encrypt) }
    };
    // SAFETY: as the header asks, the object is alive and in no other thread's use.
    unsafe { Handle::run(cipher, "cipher", errp, c"qcrypto_cipher_encrypt", work) }
}

/// qcrypto_cipher_decrypt:
/// @cipher: the object
/// @in: the ciphertext, @len bytes
/// @out: room for the plaintext, @len bytes: the same buffer as @in, or one that shares no byte with it
/// @len: the length in bytes, a multiple of the block length in every mode; 0 does nothing and allows NULL buffers
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Decrypt @len bytes, in all else as qcrypto_cipher_encrypt().
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_cipher_decrypt(
    cipher: *mut QCryptoCipher,
    r#in: *const c_void,
    out: *mut c_void,
    len: usize,
    errp: *mut *mut CError,
) -> c_int {
    let work = |cipher: &mut Cipher| {
        // SAFETY: the caller vouches for `len` bytes at each pointer, as the header asks.
        unsafe { crypt(cipher, r#in, out, len, Cipher::decrypt) }
    };
    // SAFETY: as the header asks, the object is alive and in no other thread's use.
    unsafe { Handle::run(cipher, "cipher", errp, c"qcrypto_cipher_decrypt", work) }
}

/// qcrypto_cipher_setiv:
/// @cipher: the object
/// @iv: the IV; it is copied
/// @niv: the length of @iv in bytes, exactly qcrypto_cipher_get_iv_len()
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Set the IV that the next call starts from: in CBC the first chaining block; in CTR the first counter block, all of
/// it one big-endian number that wraps to zero; in XTS the data unit, which disk layers set to the sector number, 16
/// bytes little-endian. The last call before an encryption or decryption counts. ECB has no IV: an error.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_cipher_setiv(
    cipher: *mut QCryptoCipher,
    iv: *const u8,
    niv: usize,
    errp: *mut *mut CError,
) -> c_int {
    let work = |cipher: &mut Cipher| {
        cipher.check_iv_len(niv)?;
        // SAFETY: the caller vouches for that many bytes at `iv`.
        cipher.set_iv(unsafe { bytes(iv, niv, "iv") }?)
    };
    // SAFETY: as the header asks, the object is alive and in no other thread's use.
    unsafe { Handle::run(cipher, "cipher", errp, c"qcrypto_cipher_setiv", work) }
}

/// The two numbers as what they name.
fn pair(alg: c_uint, mode: c_uint) -> Result<(CipherAlgorithm, CipherMode), Error> {
    let algorithm = algorithm(alg)?;
    let mode = CipherMode::from_number(mode).ok_or(Error::ModeOutOfRange(mode))?;
    Ok((algorithm, mode))
}

/// The number as what it names.
pub(super) fn algorithm(alg: c_uint) -> Result<CipherAlgorithm, Error> {
    CipherAlgorithm::from_number(alg).ok_or(Error::AlgorithmOutOfRange(alg))
}

/// Checks lengths and pointers, then runs one direction of the cipher.
///
/// # Safety
/// `input` can be read and `output` written for `len` bytes, unless either is NULL.
unsafe fn crypt(
    cipher: &mut Cipher,
    input: *const c_void,
    output: *mut c_void,
    len: usize,
    direction: fn(&mut Cipher, InOutBuf<'_, '_, u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    cipher.check_len(len)?;
    if len == 0 {
        return Ok(());
    }
    // SAFETY: the caller's promise, passed on.
    direction(cipher, unsafe { in_out(input.cast(), output.cast(), len) }?)
}
