//! The rules of the cipher, the same on every backend: lengths, IVs, what a refused call leaves, what is supported.

mod common;

use std::collections::BTreeSet;

use common::bytes::{d1, from_hex, k};
use common::calls::{Direction, key_len, new, new_at, pairs, supported_pairs};
use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;

/// A key of the cases, of the pair's length.
fn key(algorithm: CipherAlgorithm, mode: CipherMode) -> Vec<u8> {
    k(key_len(algorithm, mode))
}

/// An IV with no symmetry, of the pair's length.
fn iv(algorithm: CipherAlgorithm, mode: CipherMode) -> Vec<u8> {
    from_hex("a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")[..mode.iv_len(algorithm)].to_vec()
}

/// A cipher with that key and, where the mode has one, that IV.
fn cipher(algorithm: CipherAlgorithm, mode: CipherMode) -> Cipher {
    let mut cipher = new(algorithm, mode, &key(algorithm, mode));
    if mode != CipherMode::Ecb {
        cipher.set_iv(&iv(algorithm, mode)).expect("one block");
    }
    cipher
}

#[test]
fn lengths_and_names_are_qemus() {
    // Key and block length in bytes, in the order of the numbers.
    let wanted = [
        ("aes-128", 16, 16),
        ("aes-192", 24, 16),
        ("aes-256", 32, 16),
        ("des", 8, 8),
        ("3des", 24, 8),
        ("cast5-128", 16, 8),
        ("serpent-128", 16, 16),
        ("serpent-192", 24, 16),
        ("serpent-256", 32, 16),
        ("twofish-128", 16, 16),
        ("twofish-192", 24, 16),
        ("twofish-256", 32, 16),
        ("sm4", 16, 16),
    ];
    let found = CipherAlgorithm::ALL.map(|a| (a.name(), a.key_len(), a.block_len()));
    assert_eq!(found, wanted);
    assert_eq!(CipherMode::ALL.map(CipherMode::name), ["ecb", "cbc", "xts", "ctr"]);
    for (algorithm, mode) in pairs() {
        let wanted = if mode == CipherMode::Ecb { 0 } else { algorithm.block_len() };
        assert_eq!(mode.iv_len(algorithm), wanted, "{algorithm:?}-{mode:?}");
    }
}

#[test]
fn error_texts_are_qemus() {
    let texts = [
        (Error::AlgorithmOutOfRange(99), "Cipher algorithm 99 out of range"),
        (Error::AlgorithmOutOfRange(u32::MAX), "Cipher algorithm -1 out of range"),
        (Error::ModeOutOfRange(9), "Cipher mode 9 out of range"),
        (Error::XtsWithDes, "XTS mode not compatible with DES/3DES"),
        (Error::XtsKeyOdd, "XTS cipher key length should be a multiple of 2"),
        (Error::KeyLength { given: 16, expected: 32 }, "Cipher key length 16 should be 32"),
        (
            Error::UnsupportedPair(CipherAlgorithm::Sm4, CipherMode::Xts),
            "Unsupported cipher algorithm sm4 with xts mode",
        ),
        (Error::UnknownBackend("foo".into()), "Unknown crypto backend 'foo'"),
        (Error::NoBackend, "None of the chosen crypto backends is available"),
        (
            Error::BackendUnavailable { name: "gcrypt", reason: "no such file".into() },
            "Crypto backend 'gcrypt' is not available: no such file",
        ),
        (
            Error::BackendLacks {
                name: "gcrypt",
                algorithm: CipherAlgorithm::Twofish192,
                mode: CipherMode::Ctr,
            },
            "Crypto backend 'gcrypt' does not support cipher algorithm twofish-192 with ctr mode",
        ),
        (
            Error::Library { what: "set key", reason: "Weak encryption key".into() },
            "Cannot set key: Weak encryption key",
        ),
        (
            Error::PartialBlock { len: 17, block_len: 16 },
            "Length 17 must be a multiple of block size 16",
        ),
        (Error::IvLength { expected: 16, given: 8 }, "Expected IV size 16 not 8"),
        (Error::IvNotSupported, "Setting IV is not supported"),
        // QEMU has no words for these: it crashes, or the case cannot come up.
        (Error::Null("in"), "Argument 'in' is NULL"),
        (
            Error::TooLong(usize::MAX),
            "Length 18446744073709551615 is larger than any object in memory",
        ),
        (Error::Overlap, "Input and output overlap without being the same buffer"),
        (Error::Dead("cipher"), "Object 'cipher' is unusable after an earlier failure"),
        (Error::Internal, "internal error"),
    ];
    for (error, text) in texts {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn supports_is_what_new_does() {
    let mut missing = Vec::new();
    for (algorithm, mode) in pairs() {
        let supported = Cipher::supports(algorithm, mode);
        let made = Cipher::new(algorithm, mode, &key(algorithm, mode)).is_ok();
        assert_eq!(supported, made, "{algorithm:?}-{mode:?}");
        if !supported {
            missing.push((algorithm.name(), mode.name()));
        }
    }
    assert_eq!(missing, [("des", "xts"), ("3des", "xts"), ("cast5-128", "xts")]);
}

/// Every other key length is refused, and the text says which one is right.
#[test]
fn key_lengths() {
    for (algorithm, mode) in pairs() {
        let right = key_len(algorithm, mode);
        let xts = mode == CipherMode::Xts;
        for given in 0..=2 * 32 + 2 {
            let wanted = match given {
                _ if xts && algorithm.name().ends_with("des") => Some(Error::XtsWithDes),
                _ if xts && given % 2 == 1 => Some(Error::XtsKeyOdd),
                _ if given != right => Some(Error::KeyLength { given, expected: right }),
                _ if xts && algorithm.block_len() != 16 => {
                    Some(Error::UnsupportedPair(algorithm, mode))
                }
                _ => None,
            };
            let found = Cipher::new(algorithm, mode, &k(given)).err();
            assert_eq!(found, wanted, "{algorithm:?}-{mode:?}: {given} bytes");
        }
    }
}

/// Data of part of a block is refused in every mode, CTR and XTS too, and the object does not notice.
#[test]
fn partial_blocks_change_nothing() {
    for (algorithm, mode) in supported_pairs() {
        let block_len = algorithm.block_len();
        let data = d1(3 * block_len);
        for direction in Direction::BOTH {
            let refused_first = &mut cipher(algorithm, mode);
            for len in (0..data.len()).filter(|len| len % block_len != 0) {
                let wanted = Err(Error::PartialBlock { len, block_len });
                assert_eq!(direction.apart(refused_first, &data[..len]), wanted);
                assert_eq!(direction.in_place(refused_first, &data[..len]), wanted);
            }
            assert_eq!(
                direction.apart(refused_first, &data),
                direction.apart(&mut cipher(algorithm, mode), &data),
                "{algorithm:?}-{mode:?}: {direction:?}"
            );
        }
    }
}

#[test]
fn empty_calls_succeed_and_change_nothing() {
    for (algorithm, mode) in supported_pairs() {
        let data = d1(4 * algorithm.block_len());
        for direction in Direction::BOTH {
            let emptied = &mut cipher(algorithm, mode);
            assert_eq!(direction.apart(emptied, &[]), Ok(vec![]));
            let first = direction.apart(emptied, &data[..32]);
            assert_eq!(direction.in_place(emptied, &[]), Ok(vec![]));
            let second = direction.apart(emptied, &data[32..]);

            let plain = &mut cipher(algorithm, mode);
            assert_eq!(first, direction.apart(plain, &data[..32]));
            assert_eq!(second, direction.apart(plain, &data[32..]), "{algorithm:?}-{mode:?}");
        }
    }
}

#[test]
fn without_setiv_the_iv_is_zero() {
    for (algorithm, mode) in supported_pairs().filter(|&(_, mode)| mode != CipherMode::Ecb) {
        let key = key(algorithm, mode);
        let zero = vec![0; algorithm.block_len()];
        let data = d1(64);
        for direction in Direction::BOTH {
            let none = direction.apart(&mut new(algorithm, mode, &key), &data);
            let set = direction.apart(&mut new_at(algorithm, mode, &key, &zero), &data);
            assert_eq!(none, set, "{algorithm:?}-{mode:?}");
            assert_ne!(none, direction.apart(&mut cipher(algorithm, mode), &data), "control");
        }
    }
}

#[test]
fn iv_lengths() {
    for (algorithm, mode) in supported_pairs() {
        let right = mode.iv_len(algorithm);
        let data = d1(algorithm.block_len());
        let set = &mut cipher(algorithm, mode);
        for given in (0..=33).filter(|&given| given != right || right == 0) {
            let wanted = match mode {
                CipherMode::Ecb => Error::IvNotSupported,
                _ => Error::IvLength { expected: right, given },
            };
            assert_eq!(set.set_iv(&vec![0; given]), Err(wanted), "{algorithm:?}-{mode:?}: {given}");
        }
        // The IV is still the one before the refused ones, and an ECB handle still works.
        assert_eq!(
            Direction::Encrypt.apart(set, &data),
            Direction::Encrypt.apart(&mut cipher(algorithm, mode), &data)
        );
    }
}

#[test]
fn the_last_iv_counts() {
    for (algorithm, mode) in supported_pairs().filter(|&(_, mode)| mode != CipherMode::Ecb) {
        let data = d1(64);
        for direction in Direction::BOTH {
            let fresh = direction.apart(&mut cipher(algorithm, mode), &data);
            let used = &mut cipher(algorithm, mode);
            direction.apart(used, &data).expect("whole blocks");
            used.set_iv(&vec![0xff; algorithm.block_len()]).expect("one block");
            used.set_iv(&iv(algorithm, mode)).expect("one block");
            assert_eq!(direction.apart(used, &data), fresh, "{algorithm:?}-{mode:?}");
        }
    }
}

/// CBC and CTR go on where the last call ended; XTS starts the same data unit again; ECB has nothing to go on from.
#[test]
fn what_a_second_call_starts_from() {
    for (algorithm, mode) in supported_pairs() {
        let data = d1(64);
        for direction in Direction::BOTH {
            let whole = direction.apart(&mut cipher(algorithm, mode), &data).expect("whole blocks");
            let split = &mut cipher(algorithm, mode);
            let first = direction.apart(split, &data[..32]).expect("whole blocks");
            let second = direction.apart(split, &data[32..]).expect("whole blocks");
            let anew = direction.apart(&mut cipher(algorithm, mode), &data[32..]);
            let anew = anew.expect("whole blocks");

            let name = format!("{algorithm:?}-{mode:?}: {direction:?}");
            assert_eq!(first, whole[..32], "{name}");
            match mode {
                CipherMode::Ecb => {
                    assert_eq!((&second, &second[..]), (&anew, &whole[32..]), "{name}")
                }
                CipherMode::Xts => {
                    assert_eq!(second, anew, "{name}");
                    assert_ne!(second, whole[32..], "{name}: a data unit that went on");
                }
                CipherMode::Cbc | CipherMode::Ctr => {
                    assert_eq!(second, whole[32..], "{name}");
                    assert_ne!(second, anew, "{name}: a chain that broke");
                }
            }
        }
    }
}

/// One object works in both directions, sharing one IV: in CBC what an encryption leaves is what a decryption starts
/// from, as in QEMU's nettle build.
#[test]
fn directions_share_the_iv() {
    for (algorithm, mode) in supported_pairs() {
        let (block_len, data) = (algorithm.block_len(), d1(64));
        let both = &mut cipher(algorithm, mode);
        let ct = Direction::Encrypt.apart(both, &data).expect("whole blocks");
        let next = Direction::Decrypt.apart(both, &ct).expect("whole blocks");

        let left = match mode {
            CipherMode::Ecb => None,
            CipherMode::Xts => Some(iv(algorithm, mode)),
            CipherMode::Cbc => Some(ct[64 - block_len..].to_vec()),
            // The first counter ends in a7 or af and has counted the blocks.
            CipherMode::Ctr => {
                let mut counter = iv(algorithm, mode);
                counter[block_len - 1] += u8::try_from(64 / block_len).expect("few");
                Some(counter)
            }
        };
        let alone = &mut new(algorithm, mode, &key(algorithm, mode));
        if let Some(left) = left {
            alone.set_iv(&left).expect("one block");
        }
        assert_eq!(Ok(next), Direction::Decrypt.apart(alone, &ct), "{algorithm:?}-{mode:?}");
    }
}

/// Volumes with equal halves exist, and QEMU opens them.
#[test]
fn equal_xts_halves_are_accepted() {
    for (algorithm, mode) in supported_pairs().filter(|&(_, mode)| mode == CipherMode::Xts) {
        let half = k(algorithm.key_len());
        let mut cipher = new(algorithm, mode, &[&half[..], &half[..]].concat());
        let ct = Direction::Encrypt.apart(&mut cipher, &d1(64)).expect("whole blocks");
        assert_eq!(Direction::Decrypt.apart(&mut cipher, &ct), Ok(d1(64)), "{algorithm:?}");
    }
}

/// FIPS 74 section 3.6: four keys under which encryption is its own inverse and six pairs of which one undoes the
/// other. libgcrypt refuses them; VNC passwords and old volumes have them.
#[test]
fn weak_des_keys_are_accepted() {
    let pairs = [
        ("0101010101010101", "0101010101010101"),
        ("fefefefefefefefe", "fefefefefefefefe"),
        ("e0e0e0e0f1f1f1f1", "e0e0e0e0f1f1f1f1"),
        ("1f1f1f1f0e0e0e0e", "1f1f1f1f0e0e0e0e"),
        ("01fe01fe01fe01fe", "fe01fe01fe01fe01"),
        ("1fe01fe00ef10ef1", "e01fe01ff10ef10e"),
        ("01e001e001f101f1", "e001e001f101f101"),
        ("1ffe1ffe0efe0efe", "fe1ffe1ffe0efe0e"),
        ("011f011f010e010e", "1f011f010e010e01"),
        ("e0fee0fef1fef1fe", "fee0fee0fef1fef1"),
    ];
    let data = d1(16);
    for (first, second) in pairs {
        for (algorithm, times) in [(CipherAlgorithm::Des, 1), (CipherAlgorithm::TripleDes, 3)] {
            let encrypt = |key: &str, data: &[u8]| {
                let mut cipher = new(algorithm, CipherMode::Ecb, &from_hex(key).repeat(times));
                Direction::Encrypt.apart(&mut cipher, data).expect("whole blocks")
            };
            assert_eq!(encrypt(second, &encrypt(first, &data)), data, "{algorithm:?} {first}");
        }
    }
    // Control: other keys are not like that.
    let mut cipher = new(CipherAlgorithm::Des, CipherMode::Ecb, &k(8));
    let once = Direction::Encrypt.apart(&mut cipher, &data).expect("whole blocks");
    assert_ne!(Direction::Encrypt.apart(&mut cipher, &once), Ok(data));
}

/// The lowest bit of each DES key byte is a parity bit, which nobody looks at.
#[test]
fn des_parity_is_ignored() {
    for (algorithm, len) in [(CipherAlgorithm::Des, 8), (CipherAlgorithm::TripleDes, 24)] {
        let encrypt = |key: &[u8]| {
            Direction::Encrypt.apart(&mut new(algorithm, CipherMode::Ecb, key), &d1(16))
        };
        let answers: BTreeSet<_> = (0..len)
            .map(|position| {
                let mut key = k(len);
                key[position] ^= 1;
                encrypt(&key).expect("whole blocks")
            })
            .collect();
        assert_eq!(answers, BTreeSet::from([encrypt(&k(len)).expect("whole blocks")]));

        let mut other = k(len);
        other[0] ^= 2;
        assert_ne!(encrypt(&other), encrypt(&k(len)), "control: the next bit counts");
    }
}

/// Objects go from thread to thread.
#[test]
fn objects_can_move_between_threads() {
    let mut here = cipher(CipherAlgorithm::Aes256, CipherMode::Cbc);
    let first = Direction::Encrypt.apart(&mut here, &d1(32)).expect("whole blocks");
    let there = std::thread::spawn(move || Direction::Encrypt.apart(&mut here, &d1(32)));
    let second = there.join().expect("no panic").expect("whole blocks");

    let twice = d1(32).repeat(2);
    let whole =
        Direction::Encrypt.apart(&mut cipher(CipherAlgorithm::Aes256, CipherMode::Cbc), &twice);
    assert_eq!(whole, Ok([first, second].concat()));
}

/// A backend that fails midway, forced through the feature `test-hooks`: also without the C edge around it, the output
/// is zeroed and the object is dead, whether an error came back or a panic went through.
#[cfg(feature = "test-hooks")]
#[test]
fn failing_midway_zeroes_and_kills() {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use qcrypto::test_hooks::{Fault, arm};

    for (algorithm, mode) in supported_pairs() {
        for direction in Direction::BOTH {
            for fault in [Fault::FailMidway, Fault::PanicMidway] {
                let failing = &mut cipher(algorithm, mode);
                let mut buffer = d1(64);
                arm(Some(fault));
                let result = catch_unwind(AssertUnwindSafe(|| {
                    direction.call(failing, buffer.as_mut_slice().into())
                }));
                assert_eq!(result.is_err(), fault == Fault::PanicMidway);
                assert_eq!(result.unwrap_or(Err(Error::Internal)), Err(Error::Internal));
                assert_eq!(buffer, [0; 64], "{algorithm:?}-{mode:?}: {direction:?}, {fault:?}");

                assert_eq!(direction.apart(failing, &d1(64)), Err(Error::Dead("cipher")));
                assert_eq!(direction.apart(failing, &[]), Err(Error::Dead("cipher")));
                assert_eq!(failing.set_iv(&iv(algorithm, mode)), Err(Error::Dead("cipher")));
            }
        }
    }
}
