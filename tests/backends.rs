//! Libraries as backends: what each has, that all agree with the native one, and the rules that none may break.
//!
//! With a backend's name and `!` in `QCRYPTO_BACKENDS` it is that one which is tested.

#![allow(unsafe_code, reason = "C functions are called")]

mod common;

#[cfg(feature = "test-hooks")]
use common::backends::LIBRARIES;
use common::backends::{libraries, list, new_with, set};
use common::bytes::{Random, k};
use common::calls::{self, Direction, FILL, key_len, pairs};
use inout::InOutBuf;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;
use qcrypto::hash::Hash;

/// The algorithms that a library of Debian 12 does not have.
fn lacking(backend: &str) -> &'static [CipherAlgorithm] {
    match backend {
        "gcrypt" => &[CipherAlgorithm::Twofish192],
        // As the kernel of Debian 12 is configured.
        "nettle" | "afalg" => &[CipherAlgorithm::Sm4],
        // Handles are of keys of AES with 128 and 256 bits.
        "keylocker" => &[
            CipherAlgorithm::Aes192,
            CipherAlgorithm::Des,
            CipherAlgorithm::TripleDes,
            CipherAlgorithm::Cast5,
            CipherAlgorithm::Serpent128,
            CipherAlgorithm::Serpent192,
            CipherAlgorithm::Serpent256,
            CipherAlgorithm::Twofish128,
            CipherAlgorithm::Twofish192,
            CipherAlgorithm::Twofish256,
            CipherAlgorithm::Sm4,
        ],
        _ => &[],
    }
}

/// Newer versions may have more.
#[test]
fn what_each_has() {
    for backend in &libraries().collect::<Vec<_>>() {
        let (mut has, mut lacks) = (0, 0);
        for (algorithm, mode) in pairs() {
            let exists = mode != CipherMode::Xts || algorithm.block_len() == 16;
            let found = new_with(backend, algorithm, mode, &k(key_len(algorithm, mode))).is_some();
            assert!(exists || !found, "{backend} {algorithm:?}-{mode:?}");
            assert!(
                found || !exists || lacking(backend).contains(&algorithm),
                "{backend} has no {algorithm:?}-{mode:?}"
            );
            *(if found { &mut has } else { &mut lacks }) += 1;
        }
        println!("{backend}: {has} pairs, {lacks} missing");
    }
}

/// Short, around the edges of passes and batches, and long.
fn lengths(random: &mut Random) -> Vec<usize> {
    let mut lengths = vec![0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 256];
    lengths.extend([100, 600].map(|beyond| 1 + random.below(beyond)));
    lengths
}

#[test]
fn all_agree_with_native() {
    for backend in &libraries().collect::<Vec<_>>() {
        agrees(backend);
    }
}

fn agrees(backend: &str) {
    let mut random = Random::new();
    for (algorithm, mode) in pairs() {
        for blocks in lengths(&mut random) {
            let key = random.bytes(key_len(algorithm, mode));
            let Some(mut other) = new_with(backend, algorithm, mode, &key) else {
                break;
            };
            let mut native = new_with("native", algorithm, mode, &key).expect("it has all");
            let what = format!("{} {}-{}, {blocks} blocks", backend, algorithm.name(), mode.name());
            for direction in Direction::BOTH {
                agree(
                    &mut random,
                    direction,
                    &mut native,
                    &mut other,
                    (algorithm, mode),
                    blocks,
                    &what,
                );
            }
        }
    }
}

/// One data unit or chain in one direction, whole, in place and in several calls, and what the next call starts from.
fn agree(
    random: &mut Random,
    direction: Direction,
    native: &mut Cipher,
    other: &mut Cipher,
    (algorithm, mode): (CipherAlgorithm, CipherMode),
    blocks: usize,
    what: &str,
) {
    let iv = random.bytes(mode.iv_len(algorithm));
    let input = random.bytes(blocks * algorithm.block_len());
    let set_iv = |cipher: &mut Cipher| {
        if mode != CipherMode::Ecb {
            cipher.set_iv(&iv).expect("a block");
        }
    };
    set_iv(native);
    let wanted = direction.apart(native, &input).expect("whole blocks");
    let next = direction.apart(native, &input).expect("whole blocks");
    for call in [Direction::apart, Direction::in_place] {
        set_iv(other);
        assert!(call(direction, other, &input) == Ok(wanted.clone()), "{what} {direction:?}");
        assert!(
            call(direction, other, &input) == Ok(next.clone()),
            "{what} {direction:?}, the next call"
        );
    }
    if mode != CipherMode::Xts {
        set_iv(other);
        let parts = random.split(blocks).into_iter().map(|part| part * algorithm.block_len());
        assert!(
            direction.split(other, &input, parts) == Ok(wanted),
            "{what} {direction:?} in parts"
        );
    }
}

/// The counter is as wide as the block, and wraps.
#[test]
fn counters_wrap() {
    for backend in &libraries().collect::<Vec<_>>() {
        for algorithm in CipherAlgorithm::ALL {
            let key = k(algorithm.key_len());
            let Some(mut other) = new_with(backend, algorithm, CipherMode::Ctr, &key) else {
                continue;
            };
            let mut native = calls::new(algorithm, CipherMode::Ctr, &key);
            let mut iv = vec![0xff; algorithm.block_len()];
            for last in [0xff, 0xfe, 0xf0, 0x80] {
                *iv.last_mut().expect("a block") = last;
                let input = vec![FILL; 40 * algorithm.block_len()];
                native.set_iv(&iv).expect("a block");
                let wanted = Direction::Encrypt.apart(&mut native, &input);
                other.set_iv(&iv).expect("a block");
                assert!(
                    Direction::Encrypt.apart(&mut other, &input) == wanted,
                    "{backend} {algorithm:?}"
                );
                let next = Direction::Encrypt.apart(&mut native, &input);
                assert!(
                    Direction::Encrypt.apart(&mut other, &input) == next,
                    "{backend} {algorithm:?}"
                );
            }
        }
    }
}

/// libgcrypt refuses data units above 2^20 blocks; QEMU's nettle does not, and so must nobody here.
#[test]
fn data_units_above_the_limit_of_the_standard() {
    let (algorithm, mode) = (CipherAlgorithm::Aes128, CipherMode::Xts);
    let key = k(32);
    let input = Random::new().bytes((33 << 20) + 32);
    for backend in &libraries().collect::<Vec<_>>() {
        for direction in Direction::BOTH {
            let [wanted, found] = ["native", backend].map(|backend| {
                let mut cipher = new_with(backend, algorithm, mode, &key).expect("AES");
                cipher.set_iv(&[0xfe; 16]).expect("16 bytes");
                let mut data = input.clone();
                direction.call(&mut cipher, InOutBuf::from(&mut data[..])).expect("whole blocks");
                data
            });
            assert!(found == wanted, "{backend} {direction:?}");
        }
    }
}

/// Old volumes and VNC have keys that a library may think weak.
#[test]
fn weak_keys() {
    let zeros = [0; 64];
    let ones = [1; 64];
    for backend in &libraries().collect::<Vec<_>>() {
        for (algorithm, mode) in pairs() {
            for key in [&zeros, &ones, &[0xff; 64]] {
                let key = &key[..key_len(algorithm, mode)];
                let Some(mut other) = new_with(backend, algorithm, mode, key) else {
                    continue;
                };
                let mut native = calls::new(algorithm, mode, key);
                let wanted = Direction::Encrypt.apart(&mut native, &zeros);
                assert!(
                    Direction::Encrypt.apart(&mut other, &zeros) == wanted,
                    "{backend} {algorithm:?}-{mode:?}"
                );
            }
        }
    }
}

/// Parity bits of DES are not looked at.
#[test]
fn parity_is_ignored() {
    for backend in &libraries().collect::<Vec<_>>() {
        for algorithm in [CipherAlgorithm::Des, CipherAlgorithm::TripleDes] {
            let key = k(algorithm.key_len());
            let flipped: Vec<u8> = key.iter().map(|byte| byte ^ 1).collect();
            let [one, two] = [&key, &flipped].map(|key| {
                let mut cipher = new_with(backend, algorithm, CipherMode::Ecb, key)?;
                Some(Direction::Encrypt.apart(&mut cipher, &[FILL; 64]))
            });
            assert!(one == two, "{backend} {algorithm:?}");
        }
    }
}

#[test]
fn refusals_change_nothing() {
    for backend in &libraries().collect::<Vec<_>>() {
        for mode in [CipherMode::Cbc, CipherMode::Ctr, CipherMode::Xts] {
            let mut cipher = new_with(
                backend,
                CipherAlgorithm::Aes256,
                mode,
                &k(key_len(CipherAlgorithm::Aes256, mode)),
            )
            .expect("AES");
            let first = Direction::Encrypt.apart(&mut cipher, &[1; 64]).expect("whole blocks");
            cipher.set_iv(&[0; 16]).expect("16 bytes");
            for len in [1, 8, 15, 17, 33] {
                let refusal = Error::PartialBlock { len, block_len: 16 };
                assert_eq!(Direction::Encrypt.apart(&mut cipher, &vec![1; len]), Err(refusal));
            }
            assert_eq!(cipher.set_iv(&[0; 8]), Err(Error::IvLength { expected: 16, given: 8 }));
            assert_eq!(Direction::Encrypt.apart(&mut cipher, &[]), Ok(Vec::new()));
            assert!(
                Direction::Encrypt.apart(&mut cipher, &[1; 64]) == Ok(first),
                "{backend} {mode:?}"
            );
        }
        let key = k(16);
        let mut ecb =
            new_with(backend, CipherAlgorithm::Aes128, CipherMode::Ecb, &key).expect("AES");
        assert_eq!(ecb.set_iv(&[0; 16]), Err(Error::IvNotSupported));
        let short =
            Cipher::new_with(backend, CipherAlgorithm::Aes128, CipherMode::Ecb, &key[1..]).err();
        assert_eq!(short, Some(Error::KeyLength { given: 15, expected: 16 }));
    }
}

/// Objects of their own on eight threads, made and freed all the while.
#[test]
fn threads() {
    for backend in &libraries().collect::<Vec<_>>() {
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || {
                    for turn in 0..200_u8 {
                        let key = [thread ^ turn; 64];
                        let mut other =
                            new_with(backend, CipherAlgorithm::Aes256, CipherMode::Xts, &key)
                                .expect("AES");
                        let mut native = calls::new(CipherAlgorithm::Aes256, CipherMode::Xts, &key);
                        let wanted = Direction::Decrypt.apart(&mut native, &[turn; 512]);
                        assert!(
                            Direction::Decrypt.apart(&mut other, &[turn; 512]) == wanted,
                            "{backend}"
                        );
                    }
                });
            }
        });
    }
}

/// The library's own XTS, and ours over its block cipher.
#[cfg(feature = "test-hooks")]
#[test]
fn either_xts() {
    let mut random = Random::new();
    for backend in &libraries().filter(|name| LIBRARIES.contains(&&**name)).collect::<Vec<_>>() {
        for algorithm in CipherAlgorithm::ALL {
            let key = random.bytes(2 * algorithm.key_len());
            let new = |forced| {
                qcrypto::test_hooks::force_block_xts(forced);
                let cipher = new_with(backend, algorithm, CipherMode::Xts, &key);
                qcrypto::test_hooks::force_block_xts(false);
                cipher
            };
            let (Some(mut own), Some(mut ours)) = (new(false), new(true)) else {
                continue;
            };
            assert_eq!(own.backend().to_str(), Ok(&*format!("{backend}/xts")));
            assert_eq!(ours.backend().to_str(), Ok(&*format!("{backend}/ecb+xts")));
            for blocks in lengths(&mut random) {
                for direction in Direction::BOTH {
                    let pair = (algorithm, CipherMode::Xts);
                    agree(&mut random, direction, &mut own, &mut ours, pair, blocks, "ecb+xts");
                }
            }
        }
    }
}

/// In FIPS mode libgcrypt refuses most; what it refuses is not supported, and the rest works.
#[test]
fn fips_mode() {
    if !libraries().any(|name| name == "gcrypt") {
        return;
    }
    let status = common::this_program()
        .args(["--exact", "in_fips_mode", "--include-ignored"])
        .env("LIBGCRYPT_FORCE_FIPS_MODE", "1")
        .status();
    assert!(status.expect("it runs").success());
}

#[test]
#[ignore = "a part of fips_mode"]
fn in_fips_mode() {
    let state = &list()["gcrypt"];
    assert!(state.ends_with(" in FIPS mode"), "{state}");
    let has = |algorithm, mode| {
        new_with("gcrypt", algorithm, mode, &k(key_len(algorithm, mode))).is_some()
    };
    let found: Vec<_> = pairs().filter(|&(algorithm, mode)| has(algorithm, mode)).collect();
    assert!(found.contains(&(CipherAlgorithm::Aes256, CipherMode::Xts)), "{found:?}");
    assert!(!found.contains(&(CipherAlgorithm::Serpent256, CipherMode::Xts)), "{found:?}");
    let mut random = Random::new();
    for (algorithm, mode) in found {
        let key = random.bytes(key_len(algorithm, mode));
        let mut other = new_with("gcrypt", algorithm, mode, &key).expect("it was there");
        let mut native = calls::new(algorithm, mode, &key);
        agree(
            &mut random,
            Direction::Encrypt,
            &mut native,
            &mut other,
            (algorithm, mode),
            40,
            "FIPS",
        );
    }
    // L9: what is said to be supported can be made, and nothing else can.
    assert!(set(c"gcrypt!"));
    for (algorithm, mode) in pairs() {
        let made = Cipher::new(algorithm, mode, &k(key_len(algorithm, mode))).is_ok();
        assert_eq!(Cipher::supports(algorithm, mode), made, "{algorithm:?}-{mode:?}");
    }
    for algorithm in HashAlgorithm::ALL {
        assert_eq!(Hash::supports(algorithm), Hash::new(algorithm).is_ok(), "{algorithm:?}");
    }
    assert!(Hash::supports(HashAlgorithm::Sha256) && !Hash::supports(HashAlgorithm::Md5));
    // Equal halves are a weak key that is not set: an object with it would fail later.
    let equal =
        Cipher::new_with("gcrypt", CipherAlgorithm::Aes256, CipherMode::Xts, &[7; 64]).err();
    assert!(matches!(equal, Some(Error::Library { what: "set key", .. })), "{equal:?}");
}
