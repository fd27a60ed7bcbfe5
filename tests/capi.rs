//! The C functions as C calls them: raw pointers, numbers that are no enum values, and `errp` in all its forms.

#![allow(unsafe_code, reason = "C functions are called, and buffers overlap on purpose")]

mod common;

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::{offset_of, size_of};
use std::ptr::{null, null_mut};

use common::bytes::{d1, from_hex, hex, k, sha256};
use common::calls::{Direction, key_len, pairs};
use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::capi::cipher::{
    QCryptoCipher, qcrypto_cipher_decrypt, qcrypto_cipher_encrypt, qcrypto_cipher_free,
    qcrypto_cipher_get_block_len, qcrypto_cipher_get_iv_len, qcrypto_cipher_get_key_len,
    qcrypto_cipher_new, qcrypto_cipher_setiv, qcrypto_cipher_supports,
};
use qcrypto::capi::error::{CError, error_copy, error_free, error_get_class, error_get_pretty};
use qcrypto::capi::extensions::{qcrypto_cipher_get_backend, qcrypto_version};

const AES_128: c_uint = 0;
const AES_256: c_uint = 2;
const CAST5: c_uint = 5;
const DES: c_uint = 3;
const ECB: c_uint = 0;
const CBC: c_uint = 1;
const XTS: c_uint = 2;
const CTR: c_uint = 3;

/// Numbers that name no algorithm; all but the first name no mode either.
const NO_ENUM: [c_uint; 5] = [9, 13, 99, i32::MAX.cast_unsigned(), u32::MAX];

/// An `Error *` of the library's own implementation, which is the one in this program.
struct OwnedError(*mut CError);

impl OwnedError {
    fn text(&self) -> &str {
        // SAFETY: the object is NULL or alive, as is the text for as long as it.
        let text = unsafe { error_get_pretty(self.0) };
        // SAFETY: a C string; see above.
        unsafe { CStr::from_ptr(text) }.to_str().expect("ASCII")
    }
}

impl Drop for OwnedError {
    fn drop(&mut self) {
        // SAFETY: nobody else has it.
        unsafe { error_free(self.0) }
    }
}

/// Calls with an `errp` and without one, which must end alike; returns the result and the text, "" for no error.
fn with_and_without_errp<T: PartialEq + std::fmt::Debug>(
    call: impl Fn(*mut *mut CError) -> T,
) -> (T, String) {
    let mut error = OwnedError(null_mut());
    let result = call(&raw mut error.0);
    assert_eq!(call(null_mut()), result, "NULL as errp changes the result");
    (result, error.text().to_owned())
}

/// What a call returned, or the text of its error. One does not come with the other.
fn outcome(call: impl FnOnce(*mut *mut CError) -> c_int) -> Result<(), String> {
    let mut error = OwnedError(null_mut());
    match (call(&raw mut error.0), error.0.is_null()) {
        (0, true) => Ok(()),
        (-1, false) => Err(error.text().to_owned()),
        (returned, unset) => panic!("returned {returned}, error unset: {unset}"),
    }
}

/// A C object, freed at the end.
struct Object(*mut QCryptoCipher);

impl Object {
    fn new(alg: c_uint, mode: c_uint, key: &[u8]) -> Self {
        // SAFETY: the key is as long as is said.
        let object = unsafe { qcrypto_cipher_new(alg, mode, key.as_ptr(), key.len(), null_mut()) };
        assert!(!object.is_null());
        Self(object)
    }

    fn set_iv(&self, iv: &[u8]) -> Result<(), String> {
        // SAFETY: the object is alive, the IV as long as is said.
        outcome(|errp| unsafe { qcrypto_cipher_setiv(self.0, iv.as_ptr(), iv.len(), errp) })
    }

    /// # Safety
    /// The buffers are NULL or good for `len` bytes, unless the call is refused before it looks.
    unsafe fn call(
        &self,
        direction: Direction,
        input: *const u8,
        output: *mut u8,
        len: usize,
    ) -> Result<(), String> {
        // SAFETY: the caller's promise; the object is NULL or alive.
        outcome(|errp| unsafe {
            function(direction)(self.0, input.cast(), output.cast(), len, errp)
        })
    }

    fn apart(&self, direction: Direction, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        assert_eq!(input.len(), output.len());
        // SAFETY: two slices of that length.
        unsafe { self.call(direction, input.as_ptr(), output.as_mut_ptr(), input.len()) }
    }

    fn in_place(&self, direction: Direction, buffer: &mut [u8]) -> Result<(), String> {
        let pointer = buffer.as_mut_ptr();
        // SAFETY: one slice of that length.
        unsafe { self.call(direction, pointer, pointer, buffer.len()) }
    }

    /// The ciphertext of whole blocks.
    fn encrypted(&self, input: &[u8]) -> Vec<u8> {
        let mut output = vec![0; input.len()];
        self.apart(Direction::Encrypt, input, &mut output).expect("whole blocks");
        output
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: NULL or alive, and nobody else has it.
        unsafe { qcrypto_cipher_free(self.0) }
    }
}

type Crypt = unsafe extern "C" fn(
    *mut QCryptoCipher,
    *const c_void,
    *mut c_void,
    usize,
    *mut *mut CError,
) -> c_int;

fn function(direction: Direction) -> Crypt {
    match direction {
        Direction::Encrypt => qcrypto_cipher_encrypt,
        Direction::Decrypt => qcrypto_cipher_decrypt,
    }
}

/// The text with which qcrypto_cipher_new refuses, "" where it does not.
fn refusal_of_new(alg: c_uint, mode: c_uint, key: *const u8, nkey: usize) -> String {
    let (made, text) = with_and_without_errp(|errp| {
        // SAFETY: each test passes a key as long as it says, or one that must be refused unread.
        let object = unsafe { qcrypto_cipher_new(alg, mode, key, nkey, errp) };
        // SAFETY: NULL or just made.
        unsafe { qcrypto_cipher_free(object) };
        !object.is_null()
    });
    assert_eq!(made, text.is_empty());
    text
}

#[test]
fn public_fields_lie_where_callers_read_them() {
    assert_eq!(offset_of!(QCryptoCipher, alg), 0);
    assert_eq!(offset_of!(QCryptoCipher, mode), 4);
    assert_eq!(offset_of!(QCryptoCipher, driver), 8);
    assert_eq!(size_of::<QCryptoCipher>(), 16);
    let object = Object::new(AES_256, CTR, &k(32));
    // SAFETY: the object is alive.
    let fields = unsafe { &*object.0 };
    assert_eq!((fields.alg, fields.mode), (AES_256, CTR));
    assert!(fields.driver.is_null());
}

#[test]
fn a_vector_through_the_c_functions() {
    let iv = from_hex("08070605040302010000000000000000");
    let object = Object::new(AES_256, XTS, &k(64));
    object.set_iv(&iv).expect("16 bytes");
    let ct = object.encrypted(&d1(512));
    assert_eq!(sha256(&ct), "c424260c80f93556cf6c6b3123a47ef20ec9248dff8741d645c6b7ebf3ee3e4b");

    let mut buffer = ct.clone();
    object.in_place(Direction::Decrypt, &mut buffer).expect("whole blocks");
    assert_eq!(buffer, d1(512));
    object.in_place(Direction::Encrypt, &mut buffer).expect("whole blocks");
    assert_eq!(buffer, ct);
}

#[test]
fn questions_about_every_pair() {
    for (algorithm, mode) in pairs() {
        let (alg, number) = (algorithm as c_uint, mode as c_uint);
        assert_eq!(qcrypto_cipher_get_block_len(alg), algorithm.block_len());
        assert_eq!(qcrypto_cipher_get_key_len(alg), algorithm.key_len());
        assert_eq!(qcrypto_cipher_get_iv_len(alg, number), mode.iv_len(algorithm));

        let key = k(key_len(algorithm, mode));
        let refusal = refusal_of_new(alg, number, key.as_ptr(), key.len());
        let wanted = match algorithm {
            _ if mode != CipherMode::Xts || algorithm.block_len() == 16 => "",
            CipherAlgorithm::Cast5 => "Unsupported cipher algorithm cast5-128 with xts mode",
            _ => "XTS mode not compatible with DES/3DES",
        };
        assert_eq!(refusal, wanted, "{algorithm:?}-{mode:?}");
        assert_eq!(qcrypto_cipher_supports(alg, number), wanted.is_empty());
    }
}

#[test]
fn numbers_that_are_no_enum() {
    let key = k(64);
    for number in NO_ENUM {
        assert_eq!(
            refusal_of_new(AES_128, number, key.as_ptr(), 16),
            format!("Cipher mode {} out of range", number.cast_signed())
        );
        assert!(!qcrypto_cipher_supports(AES_128, number));
        assert_eq!(qcrypto_cipher_get_iv_len(AES_128, number), 0);
    }
    for number in NO_ENUM.into_iter().skip(1) {
        // The algorithm is looked at before the mode and the key.
        for (mode, key) in [(ECB, key.as_ptr()), (XTS, key.as_ptr()), (number, null())] {
            assert_eq!(
                refusal_of_new(number, mode, key, 16),
                format!("Cipher algorithm {} out of range", number.cast_signed())
            );
        }
        assert!(!qcrypto_cipher_supports(number, ECB));
        assert!(!qcrypto_cipher_supports(number, number));
        assert_eq!(qcrypto_cipher_get_block_len(number), 0);
        assert_eq!(qcrypto_cipher_get_key_len(number), 0);
        assert_eq!(qcrypto_cipher_get_iv_len(number, CBC), 0);
    }
    // The first number past the end of the modes.
    assert_eq!(refusal_of_new(AES_128, 4, key.as_ptr(), 16), "Cipher mode 4 out of range");
}

#[test]
fn key_lengths_are_checked_before_the_key_is_read() {
    let cases = [
        (AES_256, CBC, 16, "Cipher key length 16 should be 32"),
        (AES_256, XTS, 63, "XTS cipher key length should be a multiple of 2"),
        (AES_256, XTS, 32, "Cipher key length 32 should be 64"),
        (AES_128, ECB, 0, "Cipher key length 0 should be 16"),
        (CAST5, ECB, 10, "Cipher key length 10 should be 16"),
        (DES, ECB, usize::MAX, "Cipher key length 18446744073709551615 should be 8"),
        (DES, XTS, 16, "XTS mode not compatible with DES/3DES"),
        (AES_128, XTS, usize::MAX - 1, "Cipher key length 18446744073709551614 should be 32"),
    ];
    for (alg, mode, nkey, text) in cases {
        assert_eq!(refusal_of_new(alg, mode, null(), nkey), text);
    }
    assert_eq!(refusal_of_new(AES_128, ECB, null(), 16), "Argument 'key' is NULL");
    assert_eq!(refusal_of_new(AES_128, ECB, k(16).as_ptr(), 16), "", "control");
}

#[test]
fn null_arguments() {
    let mut buffer = d1(32);
    let pointer = buffer.as_mut_ptr();
    let iv = [0; 16];
    let object = Object::new(AES_128, CBC, &k(16));
    let nothing = Object(null_mut());
    for direction in Direction::BOTH {
        // SAFETY: NULL, or a buffer of that length.
        let call = |object: &Object, input, output, len| unsafe {
            object.call(direction, input, output, len)
        };
        let null_error = |name| Err(format!("Argument '{name}' is NULL"));
        assert_eq!(call(&nothing, pointer, pointer, 32), null_error("cipher"));
        assert_eq!(call(&nothing, null(), null_mut(), 0), null_error("cipher"));
        assert_eq!(call(&object, null(), pointer, 32), null_error("in"));
        assert_eq!(call(&object, pointer, null_mut(), 32), null_error("out"));
        assert_eq!(call(&object, null(), null_mut(), 32), null_error("in"));
        // Nothing to read or write: nothing to point at.
        assert_eq!(call(&object, null(), null_mut(), 0), Ok(()));
        assert_eq!(call(&object, null(), pointer, 0), Ok(()));
        assert_eq!(call(&object, pointer, null_mut(), 0), Ok(()));
        // A length that is refused anyway says so first.
        let partial = "Length 17 must be a multiple of block size 16";
        assert_eq!(call(&object, null(), null_mut(), 17), Err(partial.into()));
    }
    assert_eq!(nothing.set_iv(&iv), Err("Argument 'cipher' is NULL".into()));
    // SAFETY: the object is alive; NULL is never read.
    let set_iv = |niv| outcome(|errp| unsafe { qcrypto_cipher_setiv(object.0, null(), niv, errp) });
    assert_eq!(set_iv(16), Err("Argument 'iv' is NULL".into()));
    assert_eq!(set_iv(0), Err("Expected IV size 16 not 0".into()));
    assert_eq!(set_iv(usize::MAX), Err("Expected IV size 16 not 18446744073709551615".into()));
    // SAFETY: NULL is allowed.
    unsafe { qcrypto_cipher_free(null_mut()) };

    // None of it moved the chain or touched the data.
    assert_eq!(buffer, d1(32));
    assert_eq!(object.encrypted(&buffer), Object::new(AES_128, CBC, &k(16)).encrypted(&buffer));
}

/// Without an errp the same calls fail in silence.
#[test]
fn null_errp() {
    let object = Object::new(AES_128, ECB, &k(16));
    let mut buffer = d1(32);
    let pointer = buffer.as_mut_ptr().cast::<c_void>();
    for direction in Direction::BOTH {
        for (object, len) in [(object.0, 17), (null_mut(), 16)] {
            // SAFETY: 32 bytes are there; the object is alive or NULL.
            let call = |errp| unsafe { function(direction)(object, pointer, pointer, len, errp) };
            assert_eq!(with_and_without_errp(call).0, -1);
        }
    }
    // SAFETY: the object is alive.
    let set_iv = |errp| unsafe { qcrypto_cipher_setiv(object.0, pointer.cast(), 16, errp) };
    assert_eq!(with_and_without_errp(set_iv), (-1, "Setting IV is not supported".into()));
    assert_eq!(buffer, d1(32));
}

/// QEMU asserts that `*errp` is NULL; the default set keeps the error that is there, whose loss would hide a cause.
#[test]
fn the_first_error_is_kept() {
    let object = Object::new(AES_128, ECB, &k(16));
    let mut buffer = d1(32);
    let pointer = buffer.as_mut_ptr().cast::<c_void>();
    let mut error = OwnedError(null_mut());
    let mut call = |len| {
        // SAFETY: 32 bytes are there; the object is alive.
        unsafe { qcrypto_cipher_encrypt(object.0, pointer, pointer, len, &raw mut error.0) }
    };
    assert_eq!([call(17), call(18), call(16)], [-1, -1, 0]);
    assert_eq!(error.text(), "Length 17 must be a multiple of block size 16");
}

#[test]
fn errors_are_objects_of_their_own() {
    let mut error = OwnedError(null_mut());
    // SAFETY: no key is read, as there is no such algorithm.
    unsafe { qcrypto_cipher_new(99, ECB, null(), 0, &raw mut error.0) };
    // SAFETY: the object is alive.
    let copy = OwnedError(unsafe { error_copy(error.0) });
    // SAFETY: the object is alive.
    let class = unsafe { error_get_class(error.0) };
    assert_eq!(class, 0, "ERROR_CLASS_GENERIC_ERROR");
    drop(error);
    assert_eq!(copy.text(), "Cipher algorithm 99 out of range");
}

/// Buffers that share some bytes are refused at every distance, and nothing is written; those that share all or none
/// give the same bytes.
#[test]
fn overlap_at_every_distance() {
    const LEN: usize = 64;
    for direction in Direction::BOTH {
        for mode in [ECB, CBC, CTR, XTS] {
            let key = if mode == XTS { k(32) } else { k(16) };
            let mut expected = vec![0; LEN];
            let fresh = Object::new(AES_128, mode, &key);
            fresh.apart(direction, &d1(3 * LEN)[LEN..2 * LEN], &mut expected).expect("apart");

            for start in 0..=2 * LEN {
                let mut memory = d1(3 * LEN);
                let object = Object::new(AES_128, mode, &key);
                let base = memory.as_mut_ptr();
                let input = base.wrapping_add(LEN).cast_const();
                let output = base.wrapping_add(start);
                // SAFETY: both lie in the memory, which is three times as long.
                let result = unsafe { object.call(direction, input, output, LEN) };
                let distance = start.abs_diff(LEN);
                if distance == 0 || distance >= LEN {
                    assert_eq!(result, Ok(()), "distance {distance}");
                } else {
                    let text = "Input and output overlap without being the same buffer";
                    assert_eq!(result, Err(text.into()), "distance {distance}");
                    assert_eq!(memory, d1(3 * LEN), "written at distance {distance}");
                    // The refused call did not move the chain: the next one is the first.
                    object.in_place(direction, &mut memory[LEN..2 * LEN]).expect("in place");
                    memory.copy_within(LEN..2 * LEN, start);
                }
                assert_eq!(memory[start..][..LEN], expected, "mode {mode}, distance {distance}");
            }
        }
    }
}

/// Lengths that no object in memory has: refused unread, where an addition could have run over.
#[test]
fn absurd_lengths() {
    let object = Object::new(AES_128, ECB, &k(16));
    let mut buffer = d1(32);
    let pointer = buffer.as_mut_ptr();
    for direction in Direction::BOTH {
        for len in [1 << 63, usize::MAX - 15] {
            // SAFETY: the length is refused.
            let result = unsafe { object.call(direction, pointer, pointer, len) };
            let text = format!("Length {len} is larger than any object in memory");
            assert_eq!(result, Err(text));
        }
    }
    assert_eq!(buffer, d1(32));
}

/// Buffers, keys and IVs at every address modulo 16.
#[test]
fn unaligned_buffers() {
    let (key, iv) = (k(64), from_hex("08070605040302010000000000000000"));
    let right = "c424260c80f93556cf6c6b3123a47ef20ec9248dff8741d645c6b7ebf3ee3e4b";
    for a in 0..16 {
        let at = |bytes: &[u8]| [&vec![0; a], bytes].concat();
        let object = Object::new(AES_256, XTS, &at(&key)[a..]);
        object.set_iv(&at(&iv)[a..]).expect("16 bytes");
        let input = at(&d1(512));
        for b in 0..16 {
            let mut output = vec![0; 512 + 16];
            object.apart(Direction::Encrypt, &input[a..], &mut output[b..][..512]).expect("512");
            assert_eq!(sha256(&output[b..][..512]), right, "in + {a}, out + {b}");
            assert!(output[..b].iter().chain(&output[b + 512..]).all(|&byte| byte == 0));
        }
    }
}

#[test]
fn backend_and_version() {
    let object = Object::new(AES_128, CBC, &k(16));
    // SAFETY: NULL or alive.
    let backend = |object| unsafe { qcrypto_cipher_get_backend(object) };
    // SAFETY: C strings that live as long as the object.
    let text = |text| unsafe { CStr::from_ptr(text) }.to_str().expect("ASCII").to_owned();
    let name = text(backend(object.0));
    assert!(name.starts_with("native/"), "{name}");
    assert_eq!(text(backend(null())), "none");
    assert_eq!(text(qcrypto_version()), env!("CARGO_PKG_VERSION"));
}

/// Control: the pieces above see a difference where there is one.
#[test]
fn differences_are_seen() {
    let first = Object::new(AES_128, CBC, &k(16));
    let once = first.encrypted(&d1(32));
    assert_ne!(first.encrypted(&d1(32)), once, "a call that is not refused moves the chain");
    assert_eq!(hex(&once), hex(&Object::new(AES_128, CBC, &k(16)).encrypted(&d1(32))));
    assert_eq!(with_and_without_errp(|_| 0), (0, String::new()));
    let uneven = |errp: *mut *mut CError| errp.is_null();
    assert!(std::panic::catch_unwind(|| with_and_without_errp(uneven)).is_err());
    assert!(std::panic::catch_unwind(|| outcome(|_| -1)).is_err(), "-1 without an error");
    assert!(std::panic::catch_unwind(|| outcome(|_| 1)).is_err());
}

/// Faults forced through the feature `test-hooks`: C gets an error, no half-written data and no object that goes on.
#[cfg(feature = "test-hooks")]
mod faults {
    use super::*;
    use qcrypto::test_hooks::{Fault, arm};

    const MODES: [c_uint; 4] = [ECB, CBC, XTS, CTR];
    const DEAD: &str = "Object 'cipher' is unusable after an earlier failure";
    const INTERNAL: &str = "internal error";

    fn object(mode: c_uint) -> Object {
        Object::new(AES_128, mode, &k(if mode == XTS { 32 } else { 16 }))
    }

    fn assert_dead(object: &Object) {
        for direction in Direction::BOTH {
            let (input, mut output) = (d1(32), vec![0xa5; 32]);
            assert_eq!(object.apart(direction, &input, &mut output), Err(DEAD.into()));
            assert_eq!(output, [0xa5; 32], "a dead object wrote");
            // SAFETY: nothing is read or written.
            let empty = unsafe { object.call(direction, null(), null_mut(), 0) };
            assert_eq!(empty, Err(DEAD.into()));
        }
        assert_eq!(object.set_iv(&[0; 16]), Err(DEAD.into()));
    }

    #[test]
    fn failing_midway_zeroes_the_output() {
        for fault in [Fault::PanicMidway, Fault::FailMidway] {
            for (mode, direction) in MODES.into_iter().flat_map(|m| Direction::BOTH.map(|d| (m, d)))
            {
                let apart = object(mode);
                let (input, mut output) = (d1(64), vec![0xa5; 64]);
                arm(Some(fault));
                assert_eq!(apart.apart(direction, &input, &mut output), Err(INTERNAL.into()));
                assert_eq!(output, [0; 64], "{fault:?}, mode {mode}");
                assert_eq!(input, d1(64));
                assert_dead(&apart);

                let in_place = object(mode);
                let mut memory = d1(96);
                arm(Some(fault));
                let result = in_place.in_place(direction, &mut memory[16..80]);
                assert_eq!(result, Err(INTERNAL.into()));
                assert_eq!(memory[16..80], [0; 64], "{fault:?}, mode {mode}");
                assert_eq!((&memory[..16], &memory[80..]), (&d1(96)[..16], &d1(96)[80..]));
                assert_dead(&in_place);
            }
        }
    }

    #[test]
    fn a_panic_at_entry_writes_nothing_and_kills() {
        for (mode, direction) in MODES.into_iter().flat_map(|m| Direction::BOTH.map(|d| (m, d))) {
            let object = object(mode);
            let mut buffer = d1(64);
            arm(Some(Fault::PanicAtEntry));
            assert_eq!(object.in_place(direction, &mut buffer), Err(INTERNAL.into()));
            assert_eq!(buffer, d1(64));
            assert_dead(&object);
        }
        let object = object(CBC);
        arm(Some(Fault::PanicAtEntry));
        assert_eq!(object.set_iv(&[0; 16]), Err(INTERNAL.into()));
        assert_dead(&object);
    }

    #[test]
    fn a_panic_in_the_other_entries() {
        let mut error = OwnedError(null_mut());
        let key = k(16);
        arm(Some(Fault::PanicAtEntry));
        // SAFETY: a key of 16 bytes.
        let object =
            unsafe { qcrypto_cipher_new(AES_128, ECB, key.as_ptr(), key.len(), &raw mut error.0) };
        assert!(object.is_null());
        assert_eq!(error.text(), INTERNAL);

        arm(Some(Fault::PanicAtEntry));
        assert!(!qcrypto_cipher_supports(AES_128, ECB));
        assert!(qcrypto_cipher_supports(AES_128, ECB), "the next call is sound again");

        let object = Object::new(AES_128, ECB, &key);
        arm(Some(Fault::PanicAtEntry));
        drop(object);
    }

    /// NULL as errp: the failure is still one, and the object is still dead.
    #[test]
    fn a_failure_that_nobody_asks_about() {
        let object = object(CTR);
        let mut buffer = d1(32);
        let pointer = buffer.as_mut_ptr().cast::<c_void>();
        arm(Some(Fault::PanicMidway));
        // SAFETY: 32 bytes; the object is alive.
        let result = unsafe { qcrypto_cipher_encrypt(object.0, pointer, pointer, 32, null_mut()) };
        assert_eq!((result, &buffer[..]), (-1, &[0; 32][..]));
        assert_dead(&object);
    }

    /// A fault that is armed stays for a call that reaches it: a refused one and an empty one do not, and the object
    /// lives.
    #[test]
    fn a_refusal_is_no_failure() {
        let object = object(CBC);
        let mut buffer = d1(40);
        arm(Some(Fault::PanicMidway));
        let partial = "Length 40 must be a multiple of block size 16";
        assert_eq!(object.in_place(Direction::Encrypt, &mut buffer), Err(partial.into()));
        assert_eq!(object.in_place(Direction::Encrypt, &mut []), Ok(()));
        arm(None);
        assert_eq!(buffer, d1(40));
        assert_eq!(object.encrypted(&d1(32)), Object::new(AES_128, CBC, &k(16)).encrypted(&d1(32)));
    }
}
