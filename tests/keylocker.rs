//! Key Locker, its instructions emulated: handles, what a lost wrapping key does, and where keys are not.
//!
//! The known answers and the comparison of backends run on the emulator too: `QCRYPTO_BACKENDS=keylocker!`.

#![cfg(all(feature = "test-hooks", target_arch = "x86_64", not(aes_backend = "soft")))]
#![allow(unsafe_code, reason = "instructions are run by themselves, and memory is searched")]

mod common;

use std::arch::x86_64::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

use common::backends::{list, new_with};
use common::bytes::{Random, from_hex, k};
use common::calls::{self, Direction};
use common::keylocker::{WrappingKey, emulated, install, load, lose_after};
use inout::InOutBuf;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;
use zeroize::Zeroize;

/// The emulator, which has one wrapping key for all: one test at a time.
fn emulator() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    install(true);
    lose_after(-1);
    guard
}

fn array<const N: usize>(hex: &str) -> [u8; N] {
    from_hex(hex).try_into().expect("so many bytes")
}

/// RFC 8452 appendix C.2, its first two messages, with the record's keys that it states.
#[test]
fn the_construct_is_that_of_rfc_8452() {
    let keys = WrappingKey {
        integrity: array("b5d3c529dfafac43136d2d11be284d7f"),
        encryption: array("b914f4742be9e1d7a2f84addbf96dec3456e3c6c05ecc157cdbf0700fedad222"),
    };
    let nonce = array("030000000000000000000000");
    let empty = keys.tag(&nonce, &[0; 16], &[], [0, 0]);
    assert_eq!(empty, array("07f5f4169bbf55a8400cd47ea6fd400f"));

    let mut message = [array("01000000000000000000000000000000")];
    let tag = keys.tag(&nonce, &[0; 16], &message, [0, 64]);
    assert_eq!(tag, array("843122130f7364b761e0b97427e3df28"));
    keys.count(&tag, &mut message);
    assert_eq!(message[0][..8], from_hex("c2ef328e5c71c83b"));
}

#[test]
fn the_list_tells_of_it() {
    let _one = emulator();
    assert_eq!(list()["keylocker"], "available, AES-128 and AES-256");
    for mode in CipherMode::ALL {
        let key = k(calls::key_len(CipherAlgorithm::Aes192, mode));
        let lacks = Cipher::new_with("keylocker", CipherAlgorithm::Aes192, mode, &key).err();
        assert!(matches!(lacks, Some(Error::BackendLacks { .. })), "{lacks:?}");
    }
}

fn object(mode: CipherMode) -> Cipher {
    let key = k(calls::key_len(CipherAlgorithm::Aes256, mode));
    let mut cipher = new_with("keylocker", CipherAlgorithm::Aes256, mode, &key).expect("AES-256");
    if mode != CipherMode::Ecb {
        cipher.set_iv(&[7; 16]).expect("a block");
    }
    cipher
}

const OTHER: WrappingKey = WrappingKey { integrity: [1; 16], encryption: [2; 32] };

/// A call that must fail, with an output that must be zero then, also in place.
fn expect_lost(cipher: &mut Cipher, direction: Direction, in_place: bool) {
    let input = vec![0xa5; 512];
    let mut output = input.clone();
    let result = if in_place {
        direction.call(cipher, InOutBuf::from(&mut output[..]))
    } else {
        direction.call(cipher, InOutBuf::new(&input, &mut output).expect("equal lengths"))
    };
    let text = result.expect_err("the wrapping key is lost").to_string();
    assert!(text.ends_with("crypt data: Key Locker has lost the key"), "{text}");
    assert!(output.iter().all(|&byte| byte == 0), "{direction:?}");
    assert_eq!(direction.apart(cipher, &input), Err(Error::Dead("cipher")));
}

#[test]
fn a_lost_wrapping_key_ends_the_object() {
    let _one = emulator();
    for mode in CipherMode::ALL {
        for direction in Direction::BOTH {
            for in_place in [false, true] {
                let (mut used, mut unused) = (object(mode), object(mode));
                let wanted = direction.apart(&mut unused, &[3; 512]);
                unused = object(mode);
                let before = load(OTHER);
                expect_lost(&mut used, direction, in_place);
                load(before);
                // Restored, it serves those who did not notice, and new objects.
                assert_eq!(direction.apart(&mut used, &[3; 512]), Err(Error::Dead("cipher")));
                assert!(direction.apart(&mut unused, &[3; 512]) == wanted);
                assert!(direction.apart(&mut object(mode), &[3; 512]) == wanted);
            }
        }
    }
}

#[test]
fn a_wrapping_key_lost_midway() {
    let _one = emulator();
    for mode in CipherMode::ALL {
        for direction in Direction::BOTH {
            // 512 bytes take four wide instructions, in CBC encryption 32 of one block, in XTS one more for the tweak.
            for after in 1..4 {
                for in_place in [false, true] {
                    let mut cipher = object(mode);
                    let before = load(OTHER);
                    load(before);
                    lose_after(after);
                    expect_lost(&mut cipher, direction, in_place);
                    load(before);
                }
            }
        }
    }
}

/// Encrypts a block with a handle of 64 bytes; the zero flag.
#[target_feature(enable = "kl,widekl")]
fn encrypts_256(handle: &[u8; 64], block: &mut __m128i) -> u8 {
    // SAFETY: a handle's bytes, and one register.
    unsafe { _mm_aesenc256kl_u8(block, *block, handle.as_ptr()) }
}

/// The same as a handle of 48 bytes.
#[target_feature(enable = "kl,widekl")]
fn encrypts_128(handle: &[u8; 64], block: &mut __m128i) -> u8 {
    // SAFETY: as above.
    unsafe { _mm_aesenc128kl_u8(block, *block, handle.as_ptr()) }
}

#[target_feature(enable = "kl,widekl")]
fn decrypts_256(handle: &[u8; 64], block: &mut __m128i) -> u8 {
    // SAFETY: as above.
    unsafe { _mm_aesdec256kl_u8(block, *block, handle.as_ptr()) }
}

#[target_feature(enable = "kl,widekl")]
fn wrapped(restrictions: u32) -> [u8; 64] {
    let mut handle = [0; 64];
    let half = _mm_set1_epi8(0x3c);
    // SAFETY: room for the 64 bytes that are written.
    unsafe { _mm_encodekey256_u32(restrictions, half, half, handle.as_mut_ptr()) };
    handle
}

#[test]
fn handles_that_were_changed_are_refused() {
    let _one = emulator();
    // SAFETY: the emulator runs the instructions.
    let handle = unsafe { wrapped(0) };
    // SAFETY: no instruction but SSE2.
    let mut block = unsafe { _mm_setzero_si128() };
    // SAFETY: the emulator.
    assert_eq!(unsafe { encrypts_256(&handle, &mut block) }, 0);
    for bit in 0..8 * handle.len() {
        let mut changed = handle;
        changed[bit / 8] ^= 1 << (bit % 8);
        // SAFETY: the emulator.
        assert_eq!(unsafe { encrypts_256(&changed, &mut block) }, 1, "bit {bit}");
    }
    // SAFETY: the emulator.
    assert_eq!(unsafe { encrypts_128(&handle, &mut block) }, 1, "a handle of the other length");
    // SAFETY: the emulator.
    let encrypting = unsafe { wrapped(0b100) };
    // SAFETY: the emulator.
    assert_eq!(unsafe { encrypts_256(&encrypting, &mut block) }, 0);
    // SAFETY: the emulator.
    assert_eq!(unsafe { decrypts_256(&encrypting, &mut block) }, 1, "it must not decrypt");
}

#[test]
fn threads() {
    let _one = emulator();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let mut random = Random::new();
                for turn in 0..50 {
                    let key = vec![thread ^ turn; 64];
                    let [mut native, mut ours] = ["native", "keylocker"].map(|backend| {
                        new_with(backend, CipherAlgorithm::Aes256, CipherMode::Xts, &key)
                            .expect("AES")
                    });
                    let input = random.bytes(16 * (1 + usize::from(turn)));
                    let wanted = Direction::Encrypt.apart(&mut native, &input);
                    assert!(Direction::Encrypt.apart(&mut ours, &input) == wanted);
                }
            });
        }
    });
    assert!(emulated() > 0);
}

/// How often bytes are in the memory of this process that can be written. They are given complemented, so that the
/// search does not find what it searches for.
fn occurrences(complement: &[u8]) -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("/proc");
    let mut count = 0;
    for line in maps.lines().filter(|line| line.contains(" rw") && !line.contains("[v")) {
        let range = line.split(' ').next().expect("a range");
        let (start, end) = range.split_once('-').expect("two addresses");
        let address = |text| usize::from_str_radix(text, 16).expect("hexadecimal");
        let (start, len) = (address(start), address(end) - address(start));
        // SAFETY: mapped, and readable: the search runs while no other thread unmaps anything.
        let memory = unsafe { std::slice::from_raw_parts(start as *const u8, len) };
        let first = !complement[0];
        let mut at = 0;
        while let Some(found) = memory[at..].iter().position(|&byte| byte == first) {
            at += found + 1;
            let rest = &memory[at - 1..];
            count += usize::from(
                rest.len() >= complement.len()
                    && rest.iter().zip(complement).all(|(byte, other)| *byte == !other),
            );
        }
    }
    count
}

/// The complement of a key that nothing else resembles, and in it what its first round keys begin with: the key.
fn complement(seed: u8) -> Vec<u8> {
    (0..64_u8).map(|i| i.wrapping_mul(167).wrapping_add(seed) ^ i.rotate_left(3)).collect()
}

fn open(backend: &str, complement: &[u8]) -> Cipher {
    let mut key: Vec<u8> = complement.iter().map(|byte| !byte).collect();
    let cipher = new_with(backend, CipherAlgorithm::Aes256, CipherMode::Xts, &key).expect("AES");
    key.zeroize();
    cipher
}

/// In memory there is no half of a half of the key: a schedule begins with it, and ends in other bytes made of it.
#[test]
fn no_key_in_memory() {
    let _one = emulator();
    let found = |complement: &[u8]| complement.chunks(16).map(occurrences).sum::<usize>();

    let secret = complement(11);
    let mut cipher = open("keylocker", &secret);
    assert_eq!(found(&secret), 0, "after new");
    Direction::Encrypt.apart(&mut cipher, &[1; 512]).expect("whole blocks");
    drop(cipher);
    assert_eq!(found(&secret), 0, "after use");

    // Control: what keeps a key is caught.
    let secret = complement(77);
    let native = open("native", &secret);
    assert!(found(&secret) > 0, "a schedule is not seen");
    drop(native);
    let secret = complement(130);
    let kept: Vec<u8> = secret.iter().map(|byte| !byte).collect();
    std::hint::black_box(&kept);
    let _cipher = open("keylocker", &secret);
    assert!(found(&secret) > 0, "a key that was not wiped is not seen");
    drop(kept);
}
