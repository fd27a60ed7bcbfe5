//! The kernel as a backend. What takes a kernel with AF_ALG is ignored here and run by `tools/test-in-kernel`, as are the
//! known answers and the comparison of backends.

mod common;

use common::backends::{list, new_with, set};
use common::bytes::{Random, k};
use common::calls::{self, Direction};
use inout::InOutBuf;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;
use qcrypto::hash::{self, Hash};
use qcrypto::hmac::Hmac;
use qcrypto::pbkdf;

/// Where the kernel has none, the list says why, an object of it is refused, and what was to use it uses the next.
#[test]
fn without_af_alg() {
    let state = &list()["afalg"];
    let Some(reason) = state.strip_prefix("not available, ") else {
        assert!(state.contains(", Linux "), "{state}");
        return;
    };
    assert!(reason.starts_with("socket(AF_ALG): "), "{reason}");
    let refusal = Cipher::new_with("afalg", CipherAlgorithm::Aes128, CipherMode::Cbc, &k(16)).err();
    let unavailable = Error::BackendUnavailable { name: "afalg", reason: reason.into() };
    assert_eq!(refusal, Some(unavailable));

    assert!(set(c"afalg"));
    let cipher = calls::new(CipherAlgorithm::Aes128, CipherMode::Cbc, &k(16));
    assert!(cipher.backend().to_bytes().starts_with(b"native/"));
    assert!(set(c"afalg!"));
    assert!(!Cipher::supports(CipherAlgorithm::Aes128, CipherMode::Cbc));
    assert_eq!(
        Hash::new(HashAlgorithm::Sha256).err(),
        Some(Error::UnsupportedHash(HashAlgorithm::Sha256))
    );
}

/// Data longer than a request, in every mode.
#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn a_mebibyte() {
    let input = Random::new().bytes(1 << 20);
    for mode in CipherMode::ALL {
        let key = k(calls::key_len(CipherAlgorithm::Aes256, mode));
        for direction in Direction::BOTH {
            let [wanted, found] = ["native", "afalg"].map(|backend| {
                let cipher = new_with(backend, CipherAlgorithm::Aes256, mode, &key);
                let mut cipher = cipher.expect("it has AES");
                if mode != CipherMode::Ecb {
                    cipher.set_iv(&[0xfe; 16]).expect("a block");
                }
                let mut data = input.clone();
                direction.call(&mut cipher, InOutBuf::from(&mut data[..])).expect("whole blocks");
                data
            });
            assert!(found == wanted, "{mode:?} {direction:?}");
        }
    }
}

/// None, one, two IVs before a call, and calls without one between.
#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn orders_of_setiv() {
    let mut random = Random::new();
    for mode in [CipherMode::Cbc, CipherMode::Ctr, CipherMode::Xts] {
        let key = k(calls::key_len(CipherAlgorithm::Aes128, mode));
        let [mut native, mut afalg] = ["native", "afalg"].map(|backend| {
            new_with(backend, CipherAlgorithm::Aes128, mode, &key).expect("it has AES")
        });
        for turn in 0..200 {
            for _ in 0..random.below(3) {
                let iv = random.bytes(16);
                for cipher in [&mut native, &mut afalg] {
                    cipher.set_iv(&iv).expect("a block");
                }
            }
            let direction = Direction::BOTH[random.below(2)];
            let len = 16 * random.below(9);
            let input = random.bytes(len);
            let [wanted, found] =
                [&mut native, &mut afalg].map(|cipher| direction.in_place(cipher, &input));
            assert!(found == wanted, "{mode:?}, turn {turn}");
        }
    }
}

/// Descriptors of this process.
fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("/proc").count()
}

/// A7: a program that is started meanwhile inherits none.
#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn descriptors_are_closed_on_exec() {
    let flags = || -> Vec<(String, bool)> {
        let entries = std::fs::read_dir("/proc/self/fdinfo").expect("/proc").flatten();
        let is_closed = |info: &str| {
            let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
            let flags = flags.map(|flags| u32::from_str_radix(flags.trim(), 8).expect("octal"));
            flags.is_some_and(|flags| flags & 0o2_000_000 != 0)
        };
        let read = |entry: std::fs::DirEntry| {
            let info = std::fs::read_to_string(entry.path()).ok()?;
            Some((entry.file_name().into_string().expect("a number"), is_closed(&info)))
        };
        entries.filter_map(read).collect()
    };
    let before = flags();
    let _cipher = new_with("afalg", CipherAlgorithm::Aes128, CipherMode::Xts, &k(32)).expect("AES");
    let _hash = Hash::new(HashAlgorithm::Sha256).expect("SHA-256");
    let opened: Vec<_> = flags().into_iter().filter(|entry| !before.contains(entry)).collect();
    assert!(opened.len() >= 6, "{opened:?}");
    assert!(opened.iter().all(|(_, is_closed)| *is_closed), "{opened:?}");
}

#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn ten_thousand_objects_leave_no_descriptor() {
    let before = descriptors();
    for turn in 0..2500 {
        for mode in [CipherMode::Cbc, CipherMode::Xts] {
            let key = k(calls::key_len(CipherAlgorithm::Aes128, mode));
            let mut cipher = new_with("afalg", CipherAlgorithm::Aes128, mode, &key).expect("AES");
            Direction::Encrypt.apart(&mut cipher, &[turn as u8; 32]).expect("whole blocks");
        }
        let mut digest = [0; 32];
        hash::digest(HashAlgorithm::Sha256, b"abc", &mut digest).expect("SHA-256");
        let mut hmac = Hmac::new(HashAlgorithm::Sha256, b"key").expect("SHA-256");
        hmac.finish(&mut digest).expect("SHA-256");
    }
    // Other tests of this program have some open meanwhile.
    assert!(descriptors() <= before + 16, "{before} descriptors became {}", descriptors());
}

/// PBKDF2 is left to the next backend.
#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn no_pbkdf2() {
    assert!(Hash::supports(HashAlgorithm::Sha256), "the environment demands afalg alone");
    assert!(!pbkdf::supports(HashAlgorithm::Sha256));
}
