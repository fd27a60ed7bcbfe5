//! crypto/cipher.h

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::{CStr, c_int, c_uint, c_void};

use inout::InOutBuf;

use super::error::CError;
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
/// One object encrypts and decrypts, sharing one IV. It may be used from any thread, by one thread at a time;
/// different objects are independent. It must not be used on both sides of a fork.
#[repr(C)]
pub struct QCryptoCipher {
    /// the algorithm it was made for
    pub alg: CipherAlgoArg,
    /// the mode it was made for
    pub mode: CipherModeArg,
    /// always NULL
    pub driver: *const QCryptoCipherDriver,
}

/// What a `QCryptoCipher *` points to: the public fields come first.
#[repr(C)]
pub(super) struct Handle {
    public: QCryptoCipher,
    cipher: Cipher,
}

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
    CipherAlgorithm::from_number(alg).map_or(0, CipherAlgorithm::block_len)
}

/// qcrypto_cipher_get_key_len:
/// @alg: the cipher algorithm
///
/// Get the key length of @alg. XTS takes two keys of this length, one after the other.
///
/// Returns: the length in bytes, 0 if @alg is no algorithm
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_cipher_get_key_len(alg: CipherAlgoArg) -> usize {
    CipherAlgorithm::from_number(alg).map_or(0, CipherAlgorithm::key_len)
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
    pair(alg, mode).map_or(0, |(algorithm, mode)| mode.iv_len(algorithm))
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
    let new = || {
        let (algorithm, mode) = pair(alg, mode)?;
        Cipher::check_key_len(algorithm, mode, nkey)?;
        // SAFETY: the length is a key length, so it is small; the caller vouches for that many bytes at `key`.
        let key = unsafe { bytes(key, nkey, "key") }?;
        Cipher::new(algorithm, mode, key)
    };
    let object = catch(new).map(|cipher| {
        let public = QCryptoCipher { alg, mode, driver: std::ptr::null() };
        Box::into_raw(Box::new(Handle { public, cipher })).cast::<QCryptoCipher>()
    });
    report(object, std::ptr::null_mut(), errp, c"qcrypto_cipher_new")
}

/// qcrypto_cipher_free:
/// @cipher: (transfer full): the object, or NULL
///
/// Free an object and wipe its keys and IV. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_cipher_free(cipher: *mut QCryptoCipher) {
    if cipher.is_null() {
        return;
    }
    // SAFETY: a non-NULL object comes from qcrypto_cipher_new(), which made it as a Box<Handle>, and the caller gives it
    // up.
    let handle = unsafe { Box::from_raw(cipher.cast::<Handle>()) };
    let free = move || {
        drop(handle);
        Ok(())
    };
    // Nobody can be told; the guard still keeps a panic from reaching C.
    let _ = catch(free);
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
    on_object(cipher, errp, c"qcrypto_cipher_encrypt", |cipher| {
        // SAFETY: the caller vouches for `len` bytes at each pointer, as the header asks.
        unsafe { crypt(cipher, r#in, out, len, Cipher::encrypt) }
    })
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
    on_object(cipher, errp, c"qcrypto_cipher_decrypt", |cipher| {
        // SAFETY: the caller vouches for `len` bytes at each pointer, as the header asks.
        unsafe { crypt(cipher, r#in, out, len, Cipher::decrypt) }
    })
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
    on_object(cipher, errp, c"qcrypto_cipher_setiv", |cipher| {
        cipher.check_iv_len(niv)?;
        // SAFETY: the length is an IV length, so it is small; the caller vouches for that many bytes at `iv`.
        cipher.set_iv(unsafe { bytes(iv, niv, "iv") }?)
    })
}

/// The two numbers as what they name.
fn pair(alg: c_uint, mode: c_uint) -> Result<(CipherAlgorithm, CipherMode), Error> {
    let algorithm = CipherAlgorithm::from_number(alg).ok_or(Error::AlgorithmOutOfRange(alg))?;
    let mode = CipherMode::from_number(mode).ok_or(Error::ModeOutOfRange(mode))?;
    Ok((algorithm, mode))
}

/// Runs `work` on the cipher behind an object. A panic in it leaves the object dead.
#[track_caller]
fn on_object(
    object: *mut QCryptoCipher,
    errp: *mut *mut CError,
    function: &'static CStr,
    work: impl FnOnce(&mut Cipher) -> Result<(), Error>,
) -> c_int {
    let work_on_handle = || {
        // SAFETY: a non-NULL object comes from qcrypto_cipher_new(), which made it as a Handle; one thread uses an
        // object at a time, so nobody else refers to it during the call.
        let handle = unsafe { object.cast::<Handle>().as_mut() }.ok_or(Error::Null("cipher"))?;
        let result = catch(|| work(&mut handle.cipher));
        if result == Err(Error::Internal) {
            handle.cipher.kill();
        }
        result
    };
    report(work_on_handle().map(|()| 0), -1, errp, function)
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

/// The caller's buffers as one thing, since in place there must never be two slices over one buffer.
///
/// # Safety
/// `input` can be read and `output` written for `len` bytes for as long as the result lives, unless either is NULL.
unsafe fn in_out<'a>(
    input: *const u8,
    output: *mut u8,
    len: usize,
) -> Result<InOutBuf<'a, 'a, u8>, Error> {
    if input.is_null() {
        return Err(Error::Null("in"));
    }
    if output.is_null() {
        return Err(Error::Null("out"));
    }
    if isize::try_from(len).is_err() {
        return Err(Error::TooLong(len));
    }
    let distance = input.addr().abs_diff(output.addr());
    if distance != 0 && distance < len {
        return Err(Error::Overlap);
    }
    // SAFETY: neither pointer is NULL, both are good for `len` bytes by the caller's promise, `len` fits an isize, and
    // the ranges are equal or disjoint.
    Ok(unsafe { InOutBuf::from_raw(input, output, len) })
}

/// The bytes at a pointer.
///
/// # Safety
/// `data` can be read for `len` bytes for as long as the result lives, unless it is NULL. `len` fits an isize.
unsafe fn bytes<'a>(
    data: *const u8,
    len: usize,
    argument: &'static str,
) -> Result<&'a [u8], Error> {
    if data.is_null() {
        return Err(Error::Null(argument));
    }
    // SAFETY: not NULL, and good for `len` bytes by the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(data, len) })
}

impl Handle {
    /// The cipher behind a non-NULL object.
    ///
    /// # Safety
    /// The object comes from [`qcrypto_cipher_new`], is alive, and nobody changes it while the result lives.
    pub(super) unsafe fn cipher<'a>(object: *const QCryptoCipher) -> Option<&'a Cipher> {
        // SAFETY: the caller's promise; qcrypto_cipher_new() makes every object as a Handle.
        unsafe { object.cast::<Handle>().as_ref() }.map(|handle| &handle.cipher)
    }
}
