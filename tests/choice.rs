//! The choice of backends, which is the whole process's: one test after the other.

#![allow(unsafe_code, reason = "C functions are called")]

mod common;

use std::ffi::CString;

use common::backends::{libraries, list, set};
use common::bytes::{Random, k};
use common::calls::{key_len, pairs};
use qcrypto::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;
use qcrypto::hash::{self, Hash};
use qcrypto::hmac::Hmac;
use qcrypto::ivgen::IvGen;
use qcrypto::pbkdf;

#[test]
fn choice() {
    if std::env::var_os("QCRYPTO_BACKENDS").is_none() {
        native_is_the_default();
    }
    refusals_change_nothing();
    for backend in &libraries().collect::<Vec<_>>() {
        a_library_serves_what_it_has(backend);
        without_a_last_resort(backend);
        hashes_agree(backend);
    }
}

fn served_by(algorithm: CipherAlgorithm) -> String {
    let cipher =
        Cipher::new(algorithm, CipherMode::Cbc, &k(algorithm.key_len())).expect("it is there");
    let name = cipher.backend().to_str().expect("ASCII");
    name.split('/').next().expect("a name").to_owned()
}

fn native_is_the_default() {
    assert_eq!(served_by(CipherAlgorithm::Aes128), "native");
    assert!(list()["native"].starts_with("in use, "), "{:?}", list());
    assert!(list().values().filter(|state| state.starts_with("in use")).count() == 1);
}

fn refusals_change_nothing() {
    assert!(set(c"native!"));
    for wrong in [c"", c"!", c"gcrypt,foo", c"GCRYPT", c"gcrypt!,native", c"gcrypt;nettle", c"\xff"]
    {
        assert!(!set(wrong), "{wrong:?}");
    }
    assert_eq!(served_by(CipherAlgorithm::Aes128), "native");
    let unknown = Cipher::new_with("foo", CipherAlgorithm::Aes128, CipherMode::Ecb, &k(16)).err();
    assert_eq!(unknown, Some(Error::UnknownBackend("foo".into())));
}

/// Native stands in for what the library lacks.
fn a_library_serves_what_it_has(backend: &str) {
    assert!(set(&CString::new(format!(" {backend} ,{backend}")).expect("no NUL")));
    assert!(list()[backend].starts_with("in use, "), "{:?}", list());
    assert!(list()["native"].starts_with("in use, "), "{:?}", list());
    assert_eq!(served_by(CipherAlgorithm::Aes256), backend);
    for (algorithm, mode) in pairs() {
        let exists = mode != CipherMode::Xts || algorithm.block_len() == 16;
        assert_eq!(Cipher::supports(algorithm, mode), exists);
    }
    let lacking =
        if backend == "gcrypt" { CipherAlgorithm::Twofish192 } else { CipherAlgorithm::Sm4 };
    let missing = Cipher::new_with(backend, lacking, CipherMode::Cbc, &k(lacking.key_len())).err();
    match missing {
        Some(Error::BackendLacks { name, .. }) => {
            assert_eq!((name, &*served_by(lacking)), (backend, "native"));
        }
        other => println!("{backend} has {lacking:?} by now: {other:?}"),
    }
}

/// With `!`, what is supported is what can be made, and nothing else serves.
fn without_a_last_resort(backend: &str) {
    assert!(set(&CString::new(format!("{backend}!")).expect("no NUL")));
    assert!(list()["native"].starts_with("available, "), "{:?}", list());
    for (algorithm, mode) in pairs() {
        let new = Cipher::new(algorithm, mode, &k(key_len(algorithm, mode)));
        assert_eq!(Cipher::supports(algorithm, mode), new.is_ok(), "{algorithm:?}-{mode:?}");
        match new {
            Ok(cipher) => {
                assert!(cipher.backend().to_str().is_ok_and(|name| name.starts_with(backend)))
            }
            Err(Error::XtsWithDes | Error::KeyLength { .. }) => {
                assert_ne!(algorithm.block_len(), 16)
            }
            Err(error) => assert_eq!(error, Error::UnsupportedPair(algorithm, mode)),
        }
    }
}

/// Hash, HMAC, PBKDF2 and ESSIV with the library alone, and with the native backend alone.
fn hashes_agree(backend: &str) {
    let mut random = Random::new();
    for turn in 0..40 {
        let message_len = [random.below(300), 63, 64, 65, 127, 128, 0][turn % 7];
        let key_len = [random.below(200), 0, 64, 65, 128, 129][turn % 6];
        let (message, key) = (random.bytes(message_len), random.bytes(key_len));
        let iterations = 1 + random.below(5) as u64;
        let out_len = random.below(150);
        let [wanted, found] = ["native", backend].map(|backend| {
            assert!(set(&CString::new(format!("{backend}!")).expect("no NUL")));
            HashAlgorithm::ALL.map(|hash| {
                (
                    digest(hash, &message),
                    mac(hash, &key, &message),
                    derive(hash, &key, &message, iterations, out_len),
                )
            })
        });
        assert!(found == wanted, "{backend}: message of {message_len}, key of {key_len} bytes");
    }
    let [wanted, found] = ["native", backend].map(|backend| {
        assert!(set(&CString::new(format!("{backend}!")).expect("no NUL")));
        let mut iv = [0; 16];
        let ivgen = IvGen::essiv(CipherAlgorithm::Aes256, HashAlgorithm::Sha256, &k(32));
        ivgen.expect("a digest as long as the key").calculate(7, &mut iv).expect("an IV");
        iv
    });
    assert_eq!(found, wanted);
}

fn digest(algorithm: HashAlgorithm, message: &[u8]) -> Vec<u8> {
    let mut digest = vec![0; algorithm.digest_len()];
    hash::digest(algorithm, message, &mut digest).expect("all have all hashes");
    let mut again = digest.clone();
    let mut parts = Hash::new(algorithm).expect("it was there");
    message.chunks(7).for_each(|part| parts.update(part).expect("nothing is wrong"));
    parts.finalize(&mut again).expect("nothing is wrong");
    assert_eq!(again, digest);
    digest
}

fn mac(algorithm: HashAlgorithm, key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut hmac = Hmac::new(algorithm, key).expect("any key");
    let mut macs = [(); 2].map(|()| {
        let mut mac = vec![0; algorithm.digest_len()];
        hmac.update(message).expect("nothing is wrong");
        hmac.finish(&mut mac).expect("nothing is wrong");
        mac
    });
    assert_eq!(macs[0], macs[1], "it starts over with the same key");
    std::mem::take(&mut macs[0])
}

fn derive(
    algorithm: HashAlgorithm,
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    len: usize,
) -> Vec<u8> {
    let mut out = vec![0; len];
    pbkdf::pbkdf2(algorithm, password, salt, iterations, &mut out).expect("nothing is wrong");
    assert_eq!(
        pbkdf::pbkdf2(algorithm, password, salt, 0, &mut out.clone()),
        Err(Error::PbkdfIterations)
    );
    out
}
