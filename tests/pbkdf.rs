//! PBKDF2: the known answers, a naive implementation beside it, and the public faults L7 and L8.

mod common;

use std::thread;
use std::time::{Duration, Instant};

use common::bytes::from_hex;
use common::vectors;
use hmac::{Hmac, KeyInit, Mac};
use qcrypto::algorithm::HashAlgorithm;
use qcrypto::pbkdf::{count_iterations, pbkdf2};

fn algorithm(name: &str) -> HashAlgorithm {
    HashAlgorithm::ALL.into_iter().find(|hash| hash.name() == name).expect("a hash")
}

fn derive(
    hash: HashAlgorithm,
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    len: usize,
) -> Vec<u8> {
    let mut out = vec![0; len];
    pbkdf2(hash, password, salt, iterations, &mut out).expect("nothing is wrong with the input");
    out
}

/// RFC 8018 section 5.2, word for word.
fn naive<M: KeyInit + Mac>(password: &[u8], salt: &[u8], iterations: u64, len: usize) -> Vec<u8> {
    let prf = |message: &[u8]| {
        let mac = <M as KeyInit>::new_from_slice(password).expect("a key of any length");
        mac.chain_update(message).finalize().into_bytes().to_vec()
    };
    let mut out = Vec::new();
    for number in 1_u32.. {
        if out.len() >= len {
            break;
        }
        let mut link = prf(&[salt, &number.to_be_bytes()].concat());
        let mut sum = link.clone();
        for _ in 1..iterations {
            link = prf(&link);
            for (sum, link) in sum.iter_mut().zip(&link) {
                *sum ^= link;
            }
        }
        out.extend(sum);
    }
    out.truncate(len);
    out
}

fn naive_with(
    hash: HashAlgorithm,
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    len: usize,
) -> Vec<u8> {
    let naive = match hash {
        HashAlgorithm::Md5 => naive::<Hmac<md5::Md5>>,
        HashAlgorithm::Sha1 => naive::<Hmac<sha1::Sha1>>,
        HashAlgorithm::Sha224 => naive::<Hmac<sha2::Sha224>>,
        HashAlgorithm::Sha256 => naive::<Hmac<sha2::Sha256>>,
        HashAlgorithm::Sha384 => naive::<Hmac<sha2::Sha384>>,
        HashAlgorithm::Sha512 => naive::<Hmac<sha2::Sha512>>,
        HashAlgorithm::Ripemd160 => naive::<Hmac<ripemd::Ripemd160>>,
        HashAlgorithm::Sm3 => naive::<Hmac<sm3::Sm3>>,
    };
    naive(password, salt, iterations, len)
}

/// Bytes that differ from one another, and between two seeds.
fn bytes(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|n| (n as u8).wrapping_mul(167).wrapping_add(seed)).collect()
}

/// Every record of the known answers; those that take seconds only if asked for and at the CPU's own level.
#[test]
fn known_answers() {
    let is_set = |name| std::env::var_os(name).is_some();
    let patient = is_set("QCRYPTO_TEST_SLOW") && !is_set("QCRYPTO_CPU");
    let mut count = 0;
    for name in ["sha1", "sha224", "sha256", "sha384", "sha512"] {
        for record in vectors::read(&format!("kdf/pbkdf2-{name}.txt")) {
            let slow = record.flag("slow");
            if slow && !patient {
                continue;
            }
            let dk = record.bytes("dk").expect("hex");
            let found = derive(
                algorithm(record.text("alg").expect("a hash")),
                &record.bytes("password").expect("hex"),
                &record.bytes("salt").expect("hex"),
                record.number("iterations").expect("a number"),
                dk.len(),
            );
            assert_eq!(found, dk, "{:?}", record.text("id"));
            count += 1;
        }
    }
    if patient {
        assert_eq!(count, 230);
    } else {
        assert!(count >= 220, "only {count} records");
    }
}

/// `QCRYPTO_CPU` is read once, so the known answers at a lower level need a process of their own.
#[test]
fn known_answers_at_lower_levels() {
    for level in ["portable", "aesni"] {
        let mut command = common::this_program();
        command.args(["--exact", "known_answers", "every_length"]).env("QCRYPTO_CPU", level);
        let output = command.output().expect("this test runs again");
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && report.contains("2 passed"), "{level}: {report}");
    }
}

#[test]
fn every_length() {
    for hash in HashAlgorithm::ALL {
        let full = naive_with(hash, b"password", b"salt", 3, 300);
        for len in 0..=300 {
            assert_eq!(derive(hash, b"password", b"salt", 3, len), full[..len], "{hash:?} {len}");
        }
    }
}

#[test]
fn every_iteration_count_password_and_salt_length() {
    const LENGTHS: [usize; 10] = [0, 1, 20, 63, 64, 65, 127, 128, 129, 300];
    for hash in HashAlgorithm::ALL {
        for (n, password_len) in LENGTHS.into_iter().enumerate() {
            for salt_len in LENGTHS {
                let (password, salt) = (bytes(password_len, 1), bytes(salt_len, 2));
                let iterations = 1 + (n + salt_len) as u64 % 5;
                let len = 1 + (7 * password_len + 13 * salt_len) % 200;
                assert_eq!(
                    derive(hash, &password, &salt, iterations, len),
                    naive_with(hash, &password, &salt, iterations, len),
                    "{hash:?} password {password_len} salt {salt_len} x{iterations} -> {len}",
                );
            }
        }
    }
}

/// L8: odd inputs with answers that other libraries agree on.
#[test]
fn odd_inputs() {
    let check = |name, password: &[u8], salt: &[u8], iterations, expected| {
        let expected = from_hex(expected);
        assert_eq!(derive(algorithm(name), password, salt, iterations, expected.len()), expected);
    };
    check(
        "sha256",
        b"",
        b"salt",
        1,
        "f135c27993baf98773c5cdb40a5706ce6a345cde61b000a67858650cd6a324d7",
    );
    check("sha1", &[b'p'; 65], b"salt", 2, "071de0b787c6f0e319d7546faa7e0207eff57ff6");
    check("sha256", b"pass\0word", b"sa\0lt", 4096, "89b69d0516f829893c696226650a8687");
    check(
        "sha512",
        &[b'p'; 129],
        &[b's'; 200],
        3,
        "ea68c654aa82855fde7f6fd49cbd119571c0d0c90d1a90c0e639fec24cd7d709\
         f5435debac9751d90d124d5b571950f48e884843cbf3a77c94e9ef7f204da98c2f",
    );
}

/// L8: no iterations are refused, and the output stays as it was.
#[test]
fn zero_iterations() {
    for hash in HashAlgorithm::ALL {
        let mut out = [7; 40];
        assert!(pbkdf2(hash, b"password", b"salt", 0, &mut out).is_err());
        assert_eq!(out, [7; 40]);
    }
}

#[test]
fn no_output() {
    for hash in HashAlgorithm::ALL {
        assert!(pbkdf2(hash, b"password", b"salt", u64::MAX, &mut []).is_ok());
    }
}

/// L8: a count beyond 32 bits is no smaller count. One that was cut to its low half, which is 2, would be there at once.
#[test]
fn more_than_32_bits_of_iterations() {
    let start = Instant::now();
    let worker = thread::spawn(|| {
        let mut out = [0; 32];
        let _ = pbkdf2(HashAlgorithm::Sha256, b"password", b"salt", (1 << 32) + 2, &mut out);
    });
    while start.elapsed() < Duration::from_millis(200) {
        assert!(!worker.is_finished());
        thread::sleep(Duration::from_millis(20));
    }
    // The worker goes on until the process ends.
}

fn rate(hash: HashAlgorithm, len: usize) -> u64 {
    count_iterations(hash, b"password", &[7; 32], len).expect("nothing is wrong with the input")
}

/// L7: call after call, with any output length, there is a rate, and soon.
#[test]
fn rates_are_never_zero_and_come_soon() {
    for call in 0..20 {
        let hash = HashAlgorithm::ALL[call % HashAlgorithm::ALL.len()];
        let len = [0, 1, 20, 32, 64, 200, 1 << 20, usize::MAX][call / 2 % 8];
        let start = Instant::now();
        let rate = rate(hash, len);
        assert!(rate > 0, "{hash:?} {len}");
        // About a second; a busy machine that has just one more thread to run must not fail.
        assert!(start.elapsed() < Duration::from_secs(5), "{hash:?} {len}: {:?}", start.elapsed());
    }
}

/// L7: the rate is that of the output length asked for. 64 bytes of SHA-1 are four blocks, which take longer than one,
/// though side by side not four times as long.
#[test]
fn rates_follow_the_output_length() {
    let one = rate(HashAlgorithm::Sha1, 20);
    let four = rate(HashAlgorithm::Sha1, 64);
    let many = rate(HashAlgorithm::Sha1, 64 * 1000);
    assert!(four < one * 9 / 10, "{one} and {four} iterations a second");
    assert!(many < four / 100, "{four} and {many} iterations a second");
}

/// L7: threads that keep the CPUs busy take the thread's time away, not its speed.
#[test]
fn rates_beside_busy_threads() {
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let alone = rate(HashAlgorithm::Sha256, 32);
    let threads = 4 * thread::available_parallelism().map_or(1, usize::from);
    let busy = (0..threads).map(|_| {
        let stop = stop.clone();
        thread::spawn(move || while !stop.load(std::sync::atomic::Ordering::Relaxed) {})
    });
    let busy: Vec<_> = busy.collect();
    let start = Instant::now();
    let beside = rate(HashAlgorithm::Sha256, 32);
    let elapsed = start.elapsed();
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    for thread in busy {
        thread.join().expect("it does nothing");
    }
    assert!(beside > alone / 4, "{alone} alone, {beside} beside busy threads");
    assert!(elapsed < Duration::from_secs(5), "{elapsed:?}");
}
