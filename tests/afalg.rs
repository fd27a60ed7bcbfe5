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

/// The default room of sockets in both directions, until this is dropped.
struct Buffers([String; 2]);

impl Buffers {
    const PATHS: [&str; 2] = ["/proc/sys/net/core/rmem_default", "/proc/sys/net/core/wmem_default"];

    fn of(sizes: [&str; 2]) -> Self {
        let before = Self::PATHS.map(|path| std::fs::read_to_string(path).expect("a number"));
        Self::set(&sizes);
        Self(before)
    }

    fn set(sizes: &[impl AsRef<[u8]>; 2]) {
        for (path, size) in Self::PATHS.iter().zip(sizes) {
            std::fs::write(path, size).expect("root may");
        }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        Self::set(&self.0);
    }
}

/// Where an administrator has made buffers small, long data comes out the same, wherever in a page it begins. That XTS
/// starts anew in the middle of what does not fit, the kernel would not say.
#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn small_buffers() {
    let input = Random::new().bytes(200_000);
    for sizes in [
        ["4608", "4608"],
        ["4608", "212992"],
        ["20000", "212992"],
        ["65536", "212992"],
        ["70000", "212992"],
        ["212992", "20000"],
    ] {
        let _buffers = Buffers::of(sizes);
        for mode in CipherMode::ALL {
            let key = k(calls::key_len(CipherAlgorithm::Aes256, mode));
            let [mut native, mut afalg] = ["native", "afalg"].map(|backend| {
                new_with(backend, CipherAlgorithm::Aes256, mode, &key).expect("it has AES")
            });
            for offset in [0, 7, 16, 1000] {
                let input = &input[offset..][..150_000];
                let wanted = Direction::Encrypt.in_place(&mut native, input);
                let mut data = vec![0; 4096 + offset + input.len()];
                let start = data.as_ptr().align_offset(4096) + offset;
                let data = &mut data[start..][..input.len()];
                data.copy_from_slice(input);
                let result = Direction::Encrypt.call(&mut afalg, InOutBuf::from(&mut *data));
                assert_eq!(result, Ok(()), "{mode:?} {sizes:?} {offset}");
                assert!(*data == wanted.expect("whole blocks"), "{mode:?} {sizes:?} {offset}");
            }
        }
    }
}

/// What the tweak key by itself rests on where ECB is refused: XTS with equal halves decrypts zeros in data unit n to n
/// xor its encryption.
#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn equal_halves_give_the_block_cipher() {
    let mut random = Random::new();
    for algorithm in CipherAlgorithm::ALL {
        let key = random.bytes(algorithm.key_len());
        let keys = [&key[..], &key].concat();
        let Some(mut xts) = new_with("afalg", algorithm, CipherMode::Xts, &keys) else {
            continue;
        };
        let mut ecb = new_with("afalg", algorithm, CipherMode::Ecb, &key).expect("as well");
        let number = random.bytes(16);
        xts.set_iv(&number).expect("a block");
        let zeros = Direction::Decrypt.apart(&mut xts, &[0; 16]).expect("a block");
        let found: Vec<u8> = zeros.iter().zip(&number).map(|(a, b)| a ^ b).collect();
        assert_eq!(Direction::Encrypt.apart(&mut ecb, &number), Ok(found), "{algorithm:?}");
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

/// A program that has no descriptor left hears so, and has the backend again when it has one.
#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn no_descriptor_left() {
    let new = |mode| {
        let key = k(calls::key_len(CipherAlgorithm::Serpent128, mode));
        Cipher::new_with("afalg", CipherAlgorithm::Serpent128, mode, &key)
    };
    let full =
        Error::Exhausted { what: "open AF_ALG socket", reason: "Too many open files".into() };
    let mut files: Vec<_> =
        std::iter::from_fn(|| std::fs::File::open("/proc/self/stat").ok()).collect();
    // Nobody asked for this pair before: that it is there is not known yet.
    assert_eq!(new(CipherMode::Cbc).err().as_ref(), Some(&full));
    // Nor does the next of a list serve in silence.
    assert!(set(c"afalg"));
    let listed = Cipher::new(CipherAlgorithm::Serpent128, CipherMode::Cbc, &k(16));
    assert_eq!(listed.err().as_ref(), Some(&full));
    assert!(set(c"afalg!"));
    // Each time one more is free, as many as XTS takes but one.
    for _ in 0..4 {
        assert_eq!(new(CipherMode::Xts).err().as_ref(), Some(&full));
        files.pop();
    }
    assert!(new(CipherMode::Xts).is_ok());
    drop(files);
    assert!(new(CipherMode::Cbc).is_ok());
}

/// Debian's kernel has all hashes but SM3.
#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn hashes_that_are_there() {
    for algorithm in HashAlgorithm::ALL {
        let is_there = algorithm != HashAlgorithm::Sm3;
        assert_eq!(Hash::supports(algorithm), is_there, "{algorithm:?}");
        assert_eq!(Hmac::supports(algorithm), is_there, "{algorithm:?}");
    }
}

/// Keys that the kernel pads, hashes or would refuse.
#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn hmac_keys_of_any_length() {
    let key = Random::new().bytes(200_000);
    let mac = |algorithm: HashAlgorithm, key: &[u8]| {
        let mut mac = vec![0; algorithm.digest_len()];
        let mut hmac = Hmac::new(algorithm, key).expect("any key");
        hmac.update(b"abc").and_then(|()| hmac.finish(&mut mac)).expect("nothing is wrong");
        mac
    };
    for algorithm in HashAlgorithm::ALL.into_iter().filter(|&hash| Hash::supports(hash)) {
        for len in [0, 1, 63, 64, 65, 127, 128, 129, 4096, 20_480, 20_481, 200_000] {
            let [wanted, found] = [c"native!", c"afalg!"].map(|list| {
                assert!(set(list));
                mac(algorithm, &key[..len])
            });
            assert_eq!(found, wanted, "{algorithm:?}, a key of {len}");
        }
    }
}

/// PBKDF2 is left to the next backend.
#[test]
#[ignore = "needs a kernel with AF_ALG"]
fn no_pbkdf2() {
    assert!(Hash::supports(HashAlgorithm::Sha256), "the environment demands afalg alone");
    assert!(!pbkdf::supports(HashAlgorithm::Sha256));
}
