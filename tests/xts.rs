//! `qcrypto_xts_crypt()`: every known answer of XTS, those of ciphertext stealing too, over block functions made of ECB.

#![allow(unsafe_code, reason = "a C function is called that calls back")]

mod common;

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use common::vectors::{self, Record};
use inout::InOutBuf;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::capi::error::{CError, error_free, error_get_pretty};
use qcrypto::capi::xts::{QCryptoXtsFunc, qcrypto_xts_crypt};
use qcrypto::cipher::Cipher;

/// Files of known answers, and how many records each has, all of which have an answer here.
const FILES: [(&str, usize); 4] = [
    ("aes-xts.txt", 2445),
    ("serpent-xts.txt", 209),
    ("sm4-xts.txt", 12),
    ("twofish-xts.txt", 207),
];

/// What the block functions are given.
type Context = RefCell<Cipher>;

fn with_block(
    context: *const c_void,
    length: usize,
    dst: *mut u8,
    src: *const u8,
    work: impl FnOnce(&mut Cipher, InOutBuf<'_, '_, u8>),
) {
    assert_eq!(length, 16, "callers of old did whole blocks only");
    // SAFETY: every test hands a context of this type through.
    let cipher = unsafe { &*context.cast::<Context>() };
    // SAFETY: a block each, the same one or apart.
    let block = unsafe { InOutBuf::from_raw(src, dst, length) };
    work(&mut cipher.borrow_mut(), block);
}

unsafe extern "C" fn encrypt(context: *const c_void, length: usize, dst: *mut u8, src: *const u8) {
    with_block(context, length, dst, src, |cipher, block| cipher.encrypt(block).expect("a block"));
}

unsafe extern "C" fn decrypt(context: *const c_void, length: usize, dst: *mut u8, src: *const u8) {
    with_block(context, length, dst, src, |cipher, block| cipher.decrypt(block).expect("a block"));
}

/// The two block ciphers of an XTS key.
fn contexts(algorithm: CipherAlgorithm, key: &[u8]) -> (Context, Context) {
    let (data, tweak) = key.split_at(key.len() / 2);
    let open = |key| RefCell::new(Cipher::new(algorithm, CipherMode::Ecb, key).expect("a key"));
    (open(data), open(tweak))
}

/// A call on one buffer, which `iv` goes along with.
fn in_place(encrypts: bool, (data, tweak): &(Context, Context), iv: &mut [u8], buffer: &mut [u8]) {
    let mut error: *mut CError = null_mut();
    // SAFETY: all buffers are as long as is said, and the contexts are what the functions take.
    let status = unsafe {
        qcrypto_xts_crypt(
            encrypts,
            (&raw const *data).cast(),
            (&raw const *tweak).cast(),
            Some(encrypt),
            Some(decrypt),
            iv.as_mut_ptr(),
            buffer.len(),
            buffer.as_mut_ptr(),
            buffer.as_ptr(),
            &raw mut error,
        )
    };
    assert!(status == 0 && error.is_null());
}

fn check(record: &Record) {
    let name = record.text("alg").expect("alg");
    let algorithm = CipherAlgorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name);
    let bytes = |name| record.bytes(name).expect(name);
    let contexts = contexts(algorithm.expect("an algorithm"), &bytes("key"));
    for (encrypts, input, output) in [(true, "pt", "ct"), (false, "ct", "pt")] {
        let mut buffer = bytes(input);
        in_place(encrypts, &contexts, &mut bytes("iv"), &mut buffer);
        assert!(buffer == bytes(output), "{}: {output}", record.text("id").expect("id"));
        // In two calls: the IV carries the data unit on.
        let mut buffer = bytes(input);
        if buffer.len() >= 48 {
            let mut iv = bytes("iv");
            let (first, second) = buffer.split_at_mut(32);
            in_place(encrypts, &contexts, &mut iv, first);
            in_place(encrypts, &contexts, &mut iv, second);
            assert!(buffer == bytes(output), "{}: in pieces", record.text("id").expect("id"));
        }
    }
}

#[test]
fn every_answer() {
    for (file, count) in FILES {
        let records = vectors::read(&format!("cipher/{file}"));
        records.iter().for_each(check);
        assert_eq!(records.len(), count, "{file}");
    }
}

/// What a refused call says; it must leave everything as it was.
fn refusal(functions: [QCryptoXtsFunc; 2], iv: bool, length: usize, shift: usize) -> String {
    let contexts = contexts(CipherAlgorithm::Aes128, &[7; 32]);
    let (mut buffer, mut number) = ([0xa5; 64], [0x5a; 16]);
    let mut error: *mut CError = null_mut();
    // SAFETY: no more than 64 bytes are spoken of, or the length is refused.
    let status = unsafe {
        qcrypto_xts_crypt(
            true,
            (&raw const contexts.0).cast(),
            (&raw const contexts.1).cast(),
            functions[0],
            functions[1],
            if iv { number.as_mut_ptr() } else { null_mut() },
            length,
            buffer.as_mut_ptr().wrapping_add(shift),
            buffer.as_ptr(),
            &raw mut error,
        )
    };
    assert!(status == -1 && buffer == [0xa5; 64] && number == [0x5a; 16]);
    // SAFETY: the refused call set it.
    let text = unsafe { error_get_pretty(error) };
    // SAFETY: the text lives as long as the Error.
    let text = unsafe { CStr::from_ptr(text) }.to_str().expect("ASCII").to_owned();
    // SAFETY: nobody else has it.
    unsafe { error_free(error) };
    text
}

#[test]
fn refusals() {
    let both: [QCryptoXtsFunc; 2] = [Some(encrypt), Some(decrypt)];
    assert_eq!(refusal(both, true, 1, 0), "Length 1 is less than block size 16");
    assert_eq!(refusal(both, true, 15, 0), "Length 15 is less than block size 16");
    assert_eq!(refusal(both, false, 16, 0), "Argument 'iv' is NULL");
    assert_eq!(refusal([None, both[1]], true, 16, 0), "Argument 'encfunc' is NULL");
    assert_eq!(refusal([both[0], None], true, 16, 0), "Argument 'decfunc' is NULL");
    assert_eq!(
        refusal(both, true, 32, 16),
        "Input and output overlap without being the same buffer"
    );
    assert!(refusal(both, true, usize::MAX, 0).ends_with("is larger than any object in memory"));
}

#[test]
fn nothing_to_do() {
    // SAFETY: length 0 allows NULL.
    let status = unsafe {
        qcrypto_xts_crypt(
            false,
            null_mut(),
            null_mut(),
            Some(encrypt),
            Some(decrypt),
            null_mut(),
            0,
            null_mut(),
            null_mut(),
            null_mut(),
        )
    };
    assert_eq!(status, 0);
}
