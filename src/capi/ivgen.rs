//! crypto/ivgen.h

#![allow(
    clippy::missing_safety_doc,
    reason = "the header's contract stands in the @argument lines"
)]

use std::ffi::c_int;
use std::ptr::null_mut;

use super::buffers::{bytes, room};
use super::error::CError;
use super::object::Object;
use super::qapi_types_crypto::{CipherAlgoArg, HashAlgoArg, IvGenAlgoArg};
use super::{catch, report};
use super::{cipher, hash};
use crate::algorithm::{CipherAlgorithm, HashAlgorithm, IvGenAlgorithm};
use crate::error::Error;
use crate::ivgen::IvGen;

/// QCryptoIVGen:
///
/// What makes the IV of a sector from its number. Opaque. Any number of threads may use one object at a time.
pub struct QCryptoIVGen {
    _opaque: [u8; 0],
}

/// The numbers that an object was made with, used or not.
#[repr(C)]
pub(super) struct Numbers {
    algorithm: IvGenAlgoArg,
    cipher: CipherAlgoArg,
    hash: HashAlgoArg,
}

/// What a `QCryptoIVGen *` points to.
pub(super) type Handle = Object<Numbers, IvGen>;

/// qcrypto_ivgen_new:
/// @alg: the rule
/// @cipheralg: with essiv, the cipher that encrypts sector numbers; else ignored
/// @hash: with essiv, the hash that makes that cipher's key; else ignored
/// @key: with essiv, the disk's key, which is not kept; else ignored, may be NULL
/// @nkey: the length of @key in bytes
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Make a generator by one of the rules of Linux's dm-crypt: plain, the low 32 bits of the sector number,
/// little-endian; plain64, all 64 bits; essiv, the 64-bit number, encrypted by @cipheralg in ECB with the hash of the
/// disk's key, cut to the key length of @cipheralg. A digest shorter than that is an error.
///
/// Returns: (transfer full): the object, to be given to qcrypto_ivgen_free(), or NULL on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_ivgen_new(
    alg: IvGenAlgoArg,
    cipheralg: CipherAlgoArg,
    hash: HashAlgoArg,
    key: *const u8,
    nkey: usize,
    errp: *mut *mut CError,
) -> *mut QCryptoIVGen {
    let new = || match IvGenAlgorithm::from_number(alg).ok_or(Error::IvGenOutOfRange(alg))? {
        IvGenAlgorithm::Plain => Ok(IvGen::plain()),
        IvGenAlgorithm::Plain64 => Ok(IvGen::plain64()),
        IvGenAlgorithm::Essiv => {
            let cipher = cipher::algorithm(cipheralg)?;
            let hash = hash::algorithm(hash)?;
            // SAFETY: the caller vouches for that many bytes at `key`.
            IvGen::essiv(cipher, hash, unsafe { bytes(key, nkey, "key") }?)
        }
    };
    let numbers = Numbers { algorithm: alg, cipher: cipheralg, hash };
    let object = catch(new).map(|ivgen| Handle::give(numbers, ivgen).cast::<QCryptoIVGen>());
    report(object, null_mut(), errp, c"qcrypto_ivgen_new")
}

/// qcrypto_ivgen_calculate:
/// @ivgen: the object
/// @sector: the number of the sector
/// @iv: room for the IV
/// @niv: the length of @iv in bytes; what is longer than the rule gives is filled with zeros, a shorter one is cut
/// @errp: pointer to a NULL-initialised Error pointer, or NULL, &error_abort, &error_fatal
///
/// Make the IV of a sector.
///
/// Returns: 0 on success, -1 on error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_ivgen_calculate(
    ivgen: *mut QCryptoIVGen,
    sector: u64,
    iv: *mut u8,
    niv: usize,
    errp: *mut *mut CError,
) -> c_int {
    let calculate = || {
        // SAFETY: as the header asks, the object is alive; nobody ever changes one.
        let ivgen = unsafe { Handle::get(ivgen.cast()) }.ok_or(Error::Null("ivgen"))?;
        // SAFETY: the caller vouches for that much room at `iv`.
        ivgen.calculate(sector, unsafe { room(iv, niv, "iv") }?)
    };
    report(catch(calculate).map(|()| 0), -1, errp, c"qcrypto_ivgen_calculate")
}

/// qcrypto_ivgen_get_algorithm:
/// @ivgen: the object
///
/// Returns: the rule it was made with; QCRYPTO_IV_GEN_ALGO__MAX for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_ivgen_get_algorithm(ivgen: *mut QCryptoIVGen) -> IvGenAlgoArg {
    // SAFETY: as the header asks, the object is alive; nobody ever changes one.
    unsafe { ivgen.cast::<Numbers>().as_ref() }
        .map_or(IvGenAlgorithm::COUNT, |ivgen| ivgen.algorithm)
}

/// qcrypto_ivgen_get_cipher:
/// @ivgen: the object
///
/// Returns: the cipher it was made with, used or not; QCRYPTO_CIPHER_ALGO__MAX for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_ivgen_get_cipher(ivgen: *mut QCryptoIVGen) -> CipherAlgoArg {
    // SAFETY: as the header asks, the object is alive; nobody ever changes one.
    unsafe { ivgen.cast::<Numbers>().as_ref() }.map_or(CipherAlgorithm::COUNT, |ivgen| ivgen.cipher)
}

/// qcrypto_ivgen_get_hash:
/// @ivgen: the object
///
/// Returns: the hash it was made with, used or not; QCRYPTO_HASH_ALGO__MAX for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_ivgen_get_hash(ivgen: *mut QCryptoIVGen) -> HashAlgoArg {
    // SAFETY: as the header asks, the object is alive; nobody ever changes one.
    unsafe { ivgen.cast::<Numbers>().as_ref() }.map_or(HashAlgorithm::COUNT, |ivgen| ivgen.hash)
}

/// qcrypto_ivgen_free:
/// @ivgen: (transfer full): the object, or NULL
///
/// Free an object and wipe its key. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qcrypto_ivgen_free(ivgen: *mut QCryptoIVGen) {
    // SAFETY: as the header asks, the object comes from qcrypto_ivgen_new() and is given up.
    unsafe { Handle::free(ivgen.cast()) };
}
