//! A host written in Rust that has the crate as an rlib: by the Rust functions, and by QEMU's prototypes, declared here
//! again as a host that is part C would have them. `Error` is the library's own there: an rlib's symbols are not weak.

#![allow(unsafe_code, reason = "C functions are called")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

use inout::InOutBuf;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::cipher::Cipher;

/// FIPS 197, appendix C.1
const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const PLAIN: [u8; 16] = [
    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
];
const EXPECTED: [u8; 16] = [
    0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a,
];

mod prototypes {
    use super::{c_char, c_int, c_uint, c_void};

    unsafe extern "C" {
        pub(super) fn qcrypto_cipher_new(
            alg: c_uint,
            mode: c_uint,
            key: *const u8,
            nkey: usize,
            errp: *mut *mut c_void,
        ) -> *mut c_void;
        pub(super) fn qcrypto_cipher_encrypt(
            cipher: *mut c_void,
            input: *const c_void,
            output: *mut c_void,
            len: usize,
            errp: *mut *mut c_void,
        ) -> c_int;
        pub(super) fn qcrypto_cipher_free(cipher: *mut c_void);
        pub(super) fn error_get_pretty(error: *const c_void) -> *const c_char;
        pub(super) fn error_free(error: *mut c_void);
    }
}

#[test]
fn by_rust() {
    let mut cipher = Cipher::new(CipherAlgorithm::Aes128, CipherMode::Ecb, &KEY).expect("a key");
    let mut block = PLAIN;
    cipher.encrypt(InOutBuf::from(&mut block[..])).expect("a block");
    assert_eq!(block, EXPECTED);
    let refused = cipher.encrypt(InOutBuf::from(&mut block[..15])).expect_err("part of a block");
    assert_eq!(refused.to_string(), "Length 15 must be a multiple of block size 16");
}

#[test]
fn by_prototypes() {
    let mut block = PLAIN;
    let mut error = null_mut();
    // SAFETY: the key is as long as is said.
    let cipher = unsafe { prototypes::qcrypto_cipher_new(0, 0, KEY.as_ptr(), 16, &raw mut error) };
    assert!(!cipher.is_null() && error.is_null());
    let at = (&raw mut block).cast::<c_void>();
    // SAFETY: the object is alive, the block as long as is said.
    let status = unsafe { prototypes::qcrypto_cipher_encrypt(cipher, at, at, 16, &raw mut error) };
    assert_eq!((status, block), (0, EXPECTED));
    // SAFETY: as above.
    let status = unsafe { prototypes::qcrypto_cipher_encrypt(cipher, at, at, 15, &raw mut error) };
    assert_eq!((status, block), (-1, EXPECTED));
    // SAFETY: the call that was refused set it.
    let text = unsafe { prototypes::error_get_pretty(error) };
    // SAFETY: the Error's text lives as long as it.
    let text = unsafe { CStr::from_ptr(text) }.to_str().expect("ASCII").to_owned();
    assert_eq!(text, "Length 15 must be a multiple of block size 16");
    // SAFETY: nobody uses either again.
    unsafe { prototypes::error_free(error) };
    // SAFETY: as above.
    unsafe { prototypes::qcrypto_cipher_free(cipher) };
}
