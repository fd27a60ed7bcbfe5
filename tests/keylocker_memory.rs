//! With Key Locker no copy of a key, nor any part of its schedule, is in memory once the object is made.
//!
//! A process of its own makes an object, wipes what the test itself had of the key and looks through all memory that can
//! be written. What it looks for it only ever holds masked, or it would find its own.

#![cfg(all(
    target_arch = "x86_64",
    not(aes_backend = "soft"),
    feature = "keylocker",
    feature = "test-hooks"
))]
#![allow(unsafe_code, reason = "calls the C interface, and writes what must not be optimized away")]

mod common;

use std::collections::HashSet;
use std::ffi::CString;
use std::fs::{self, File};
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::ptr;

use common::bytes::{Random, from_hex, hex};
use common::calls::key_len;
use common::keylocker::signal::{OwnStack, WHOLE, is_needed, start};
use common::run_part;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::capi::cipher::{
    QCryptoCipher, qcrypto_cipher_decrypt, qcrypto_cipher_encrypt, qcrypto_cipher_free,
};
use qcrypto::capi::extensions::qcrypto_cipher_new_with;
use qcrypto::test_hooks;

/// What every byte is masked with.
const MASK: u8 = 0x5a;

/// How the object is made, and what of the key must be found after that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Case {
    /// With Key Locker, which leaves nothing, even where the compiler puts the key on the stack.
    KeyLocker,
    /// The same without the wipe of the stack.
    NoWipe,
    /// With the native backend, whose object has the schedule.
    Native,
    /// With Key Locker, and a copy of the key in memory that was freed.
    Freed,
    /// With Key Locker, and a copy of half a key on the stack.
    Stack,
}

impl Case {
    const ALL: [Self; 5] = [Self::KeyLocker, Self::NoWipe, Self::Native, Self::Freed, Self::Stack];

    fn backend(self) -> &'static str {
        if self == Self::Native { "native" } else { "keylocker" }
    }
}

/// Runs a case in a process of its own; whether it found nothing.
fn is_clean(case: Case, algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
    let mut random = Random::new();
    let key = random.bytes(key_len(algorithm, mode));
    let keys = key.chunks(algorithm.key_len());
    let secrets: Vec<u8> = keys.flat_map(schedule).collect();
    let masked = |bytes: &[u8]| hex(&bytes.iter().map(|byte| byte ^ MASK).collect::<Vec<_>>());
    let variables = [
        ("QCRYPTO_TEST_CASE", format!("{case:?}")),
        ("QCRYPTO_TEST_PAIR", format!("{} {}", algorithm as u32, mode as u32)),
        ("QCRYPTO_TEST_KEY", masked(&key)),
        ("QCRYPTO_TEST_SECRETS", masked(&secrets)),
    ];
    let status = run_part("part_scan", &variables);
    match status.code() {
        Some(CLEAN) => true,
        Some(FOUND) => false,
        _ => panic!("{status}"),
    }
}

#[test]
fn nothing_is_left_of_a_key() {
    if !is_needed() {
        return;
    }
    for algorithm in [CipherAlgorithm::Aes128, CipherAlgorithm::Aes256] {
        for mode in CipherMode::ALL {
            assert!(is_clean(Case::KeyLocker, algorithm, mode), "{algorithm:?}-{mode:?}");
        }
    }
}

/// Controls: a key schedule, copies, and a build without the wipe are found.
#[test]
fn what_is_left_is_found() {
    if !is_needed() {
        return;
    }
    for case in [Case::Native, Case::Freed, Case::Stack, Case::NoWipe] {
        assert!(!is_clean(case, CipherAlgorithm::Aes256, CipherMode::Xts), "{case:?}");
    }
}

/// Exit statuses of the process, apart from those of a failed test.
const CLEAN: i32 = 0;
const FOUND: i32 = 3;

#[test]
#[ignore = "a part of the others"]
fn part_scan() {
    let variable = |name: &str| std::env::var(name).expect("set by the other process");
    let case = variable("QCRYPTO_TEST_CASE");
    let case = Case::ALL.into_iter().find(|known| format!("{known:?}") == case).expect("known");
    let pair = variable("QCRYPTO_TEST_PAIR");
    let (algorithm, mode) = pair.split_once(' ').expect("two numbers");
    let scan = Scan::new(&from_hex(&variable("QCRYPTO_TEST_SECRETS")));

    start(WHOLE);
    let mut stack = OwnStack::new();
    let masked = from_hex(&variable("QCRYPTO_TEST_KEY"));
    assert_eq!(scan.run("before anything"), 0);

    let mut key = vec![0; masked.len()];
    unmask(&masked, &mut key);
    test_hooks::spill_keys(true);
    test_hooks::leave_stack(case == Case::NoWipe);
    let backend = CString::new(case.backend()).expect("no NUL");
    // SAFETY: a string, a key of its length, and nobody who asks for the reason.
    let cipher = unsafe {
        qcrypto_cipher_new_with(
            backend.as_ptr(),
            algorithm.parse().expect("a number"),
            mode.parse().expect("a number"),
            key.as_ptr(),
            key.len(),
            ptr::null_mut(),
        )
    };
    assert!(!cipher.is_null());
    wipe(&mut key);
    stack.wipe();
    let mut half = [0; 16];
    match case {
        // In one piece, which the compiler would not care for.
        Case::Stack => unmask(&masked[16..32], black_box(&mut half)),
        Case::Freed => {
            let mut copy = Box::new([0; 900]);
            unmask(&masked[..32], &mut copy[500..][..32]);
        }
        _ => {}
    }
    let mut found = scan.run("with the object");
    wipe(black_box(&mut half));

    for crypt in [qcrypto_cipher_encrypt, qcrypto_cipher_decrypt] {
        use_once(cipher, crypt);
        stack.wipe();
    }
    found += scan.run("after its use");
    // SAFETY: made above and not used any more.
    unsafe { qcrypto_cipher_free(cipher) };
    found += scan.run("without the object");
    std::process::exit(if found == 0 { CLEAN } else { FOUND });
}

type Crypt = unsafe extern "C" fn(
    *mut QCryptoCipher,
    *const std::ffi::c_void,
    *mut std::ffi::c_void,
    usize,
    *mut *mut qcrypto::capi::error::CError,
) -> std::ffi::c_int;

fn use_once(cipher: *mut QCryptoCipher, crypt: Crypt) {
    let mut data = [1; 560];
    let buffer = data.as_mut_ptr();
    // SAFETY: an object and a buffer that are there, of whole blocks.
    let status =
        unsafe { crypt(cipher, buffer.cast(), buffer.cast(), data.len(), ptr::null_mut()) };
    assert_eq!(status, 0);
}

/// Byte by byte, so that no register holds more of it.
fn unmask(masked: &[u8], to: &mut [u8]) {
    for (masked, to) in masked.iter().zip(to) {
        // SAFETY: a byte of our own.
        unsafe { ptr::from_mut(to).write_volatile(masked ^ MASK) };
    }
}

fn wipe(bytes: &mut [u8]) {
    for byte in bytes {
        // SAFETY: a byte of our own.
        unsafe { ptr::from_mut(byte).write_volatile(0) };
    }
}

/// Looks for any eight bytes of the secrets that stand together there, at any address.
struct Scan {
    masked: HashSet<[u8; Self::LEN]>,
    /// Which two bytes one of them begins with: few enough that this is quick.
    beginnings: Vec<bool>,
}

impl Scan {
    const LEN: usize = 8;
    const CHUNK: usize = 1 << 20;

    fn new(masked: &[u8]) -> Self {
        let (parts, rest) = masked.as_chunks();
        assert!(!parts.is_empty() && rest.is_empty());
        let mut beginnings = vec![false; 1 << 16];
        parts.iter().for_each(|part| beginnings[Self::beginning(part)] = true);
        Self { masked: parts.iter().copied().collect(), beginnings }
    }

    fn beginning(part: &[u8; Self::LEN]) -> usize {
        usize::from(u16::from_le_bytes([part[0], part[1]]))
    }

    /// Goes over everything that can be written, prints what it finds, and says how often that was.
    fn run(&self, when: &str) -> usize {
        let memory = File::open("/proc/self/mem").expect("this process");
        let maps = fs::read_to_string("/proc/self/maps").expect("this process");
        let mut chunk = vec![0; Self::CHUNK];
        let mut found = 0;
        let mut scanned = 0;
        for line in maps.lines() {
            let mut fields = line.split(' ');
            let (range, access) = (fields.next().expect("a range"), fields.next());
            if !access.is_some_and(|access| access.starts_with("rw")) {
                continue;
            }
            let (start, end) = range.split_once('-').expect("two addresses");
            let number = |text| u64::from_str_radix(text, 16).expect("an address");
            let (mut at, end) = (number(start), number(end));
            while at + (Self::LEN as u64) <= end {
                let len = Self::CHUNK.min((end - at) as usize);
                let chunk = &mut chunk[..len];
                memory.read_exact_at(chunk, at).expect("it can be read");
                for (offset, window) in chunk.windows(Self::LEN).enumerate() {
                    let window: &[u8; Self::LEN] = window.try_into().expect("as long as that");
                    let window = window.map(|byte| byte ^ MASK);
                    if self.beginnings[Self::beginning(&window)] && self.masked.contains(&window) {
                        println!("{when}: at {:x} in {line}", at + offset as u64);
                        found += 1;
                    }
                }
                scanned += len;
                at += (len - Self::LEN + 1) as u64;
            }
        }
        println!("{when}: found {found} times in {scanned} bytes");
        found
    }
}

/// The round keys of AES (FIPS 197 section 5.2), of which the first are the key itself. Those of decryption begin and end
/// with two of them.
fn schedule(key: &[u8]) -> Vec<u8> {
    let key_words = key.len() / 4;
    let mut words: Vec<[u8; 4]> = key.as_chunks().0.to_vec();
    let mut constant = 1;
    for i in key_words..4 * (key_words + 7) {
        let mut word = words[i - 1];
        if i % key_words == 0 {
            word.rotate_left(1);
            word = word.map(s_box);
            word[0] ^= constant;
            constant = product(constant, 2);
        } else if key_words > 6 && i % key_words == 4 {
            word = word.map(s_box);
        }
        words.push(std::array::from_fn(|byte| word[byte] ^ words[i - key_words][byte]));
    }
    words.concat()
}

/// Section 5.1.1: the inverse, which is the power 254, and an affine map.
fn s_box(byte: u8) -> u8 {
    let inverse = (0..254).fold(1, |power, _| product(power, byte));
    (0..5).fold(0x63, |sum, turns| sum ^ inverse.rotate_left(turns))
}

/// Section 4.2
fn product(a: u8, b: u8) -> u8 {
    (0..8).rev().fold(0, |sum: u8, bit| {
        let doubled = sum << 1 ^ if sum >> 7 == 1 { 0x1b } else { 0 };
        doubled ^ if b >> bit & 1 == 1 { a } else { 0 }
    })
}

/// FIPS 197 appendix A.1 and A.3.
#[test]
fn schedules_of_the_standard() {
    let last = |key: &str| {
        let schedule = schedule(&from_hex(key));
        hex(&schedule[schedule.len() - 4..])
    };
    assert_eq!(last("2b7e151628aed2a6abf7158809cf4f3c"), "b6630ca6");
    let key = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
    assert_eq!(last(key), "706c631e");
}
