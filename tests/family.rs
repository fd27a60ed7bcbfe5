//! Every known answer of hashes, HMAC, IV generators, sector chains and the anti-forensic splitter, and their rules.
//!
//! With a backend's name and `!` in `QCRYPTO_BACKENDS` that one must give the answers, but for ciphers that it lacks.

mod common;

use common::backends::demanded;
use common::bytes::{from_hex, hex, sha256};
use common::vectors::{self, Record};
use inout::InOutBuf;
use qcrypto::afsplit;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;
use qcrypto::hash::{self, Hash};
use qcrypto::hmac::Hmac;
use qcrypto::ivgen::IvGen;
use qcrypto::random;

/// The hash that a field names.
fn hash_field(record: &Record, field: &str) -> HashAlgorithm {
    let name = record.text(field).expect("a name");
    HashAlgorithm::ALL.into_iter().find(|hash| hash.name() == name).expect("a hash")
}

/// The cipher that a field names.
fn cipher_field(record: &Record, field: &str) -> CipherAlgorithm {
    let name = record.text(field).expect("a name");
    CipherAlgorithm::ALL.into_iter().find(|cipher| cipher.name() == name).expect("a cipher")
}

fn bytes(record: &Record, field: &str) -> Vec<u8> {
    record.bytes(field).expect("hex")
}

fn number(record: &Record, field: &str) -> u64 {
    record.number(field).expect("a number")
}

fn digest(algorithm: HashAlgorithm, message: &[u8]) -> Vec<u8> {
    let mut digest = vec![0; algorithm.digest_len()];
    hash::digest(algorithm, message, &mut digest).expect("nothing is wrong");
    digest
}

#[test]
fn hashes() {
    let (mut count, mut lacking) = (0, 0);
    for algorithm in HashAlgorithm::ALL {
        for record in vectors::read(&format!("hash/{}.txt", algorithm.name())) {
            assert_eq!(hash_field(&record, "alg"), algorithm);
            count += 1;
            if lacks_hash(algorithm) {
                lacking += 1;
                continue;
            }
            let (message, expected) = (bytes(&record, "msg"), bytes(&record, "md"));
            assert_eq!(digest(algorithm, &message), expected, "{:?}", record.text("id"));

            let mut pieces = Hash::new(algorithm).expect("nothing is wrong");
            let mut found = vec![0; expected.len()];
            for piece in message.chunks(61) {
                pieces.update(piece).expect("nothing is wrong");
            }
            pieces.finalize(&mut found).expect("nothing is wrong");
            assert_eq!(found, expected, "{:?} in pieces", record.text("id"));
        }
    }
    println!("hash: {} answered, {lacking} of hashes that are lacking", count - lacking);
    assert_eq!(count, 1113);
}

/// SHAVS section 6.4: each digest is of the three before it.
#[test]
fn monte_carlo() {
    let mut count = 0;
    for record in vectors::read("hash/sha-monte.txt") {
        let algorithm = hash_field(&record, "alg");
        let mut last = [(); 3].map(|()| bytes(&record, "seed"));
        for _ in 0..1000 {
            last = [last[1].clone(), last[2].clone(), digest(algorithm, &last.concat())];
        }
        assert_eq!(last[2], bytes(&record, "md"), "{:?}", record.text("id"));
        count += 1;
    }
    println!("hash, Monte Carlo: {count} answered");
    assert_eq!(count, 280);
}

#[test]
fn hmacs() {
    let (mut count, mut lacking) = (0, 0);
    for algorithm in HashAlgorithm::ALL {
        for record in vectors::read(&format!("hmac/hmac-{}.txt", algorithm.name())) {
            count += 1;
            if lacks_hash(algorithm) {
                lacking += 1;
                continue;
            }
            let (message, mac) = (bytes(&record, "msg"), bytes(&record, "mac"));
            let mut hmac = Hmac::new(algorithm, &bytes(&record, "key")).expect("any key");
            let valid = record.text("result") == Ok("valid");
            // The second time it is the same object, restarted, fed in two pieces.
            for cut in [0, message.len() / 2] {
                let mut found = vec![0; algorithm.digest_len()];
                hmac.update(&message[..cut]).expect("nothing is wrong");
                hmac.update(&message[cut..]).expect("nothing is wrong");
                hmac.finish(&mut found).expect("nothing is wrong");
                assert!(mac.len() == found.len() || record.flag("truncated") || !valid);
                assert_eq!(found[..mac.len()] == mac, valid, "{:?}", record.text("id"));
            }
        }
    }
    println!("hmac: {} answered, {lacking} of hashes that are lacking", count - lacking);
    assert_eq!(count, 563);
}

/// Whether the backend that the environment demands lacks a hash.
fn lacks_hash(algorithm: HashAlgorithm) -> bool {
    !Hash::supports(algorithm) && demanded().is_some()
}

/// Whether the backend that the environment demands lacks the cipher of an ESSIV record.
fn is_lacking(record: &Record) -> bool {
    record.text("ivgen") == Ok("essiv")
        && !Cipher::supports(cipher_field(record, "cipher"), CipherMode::Ecb)
        && demanded().is_some()
}

/// The generator of a record, if its rule is one of QEMU's.
fn ivgen(record: &Record) -> Option<IvGen> {
    let essiv = |cipher, hash| {
        let ivgen = IvGen::essiv(cipher, hash, &bytes(record, "key"));
        Some(ivgen.expect("a digest as long as a key"))
    };
    match record.text("ivgen").expect("a rule") {
        "plain" => Some(IvGen::plain()),
        "plain64" => Some(IvGen::plain64()),
        "essiv" => essiv(cipher_field(record, "cipher"), hash_field(record, "hash")),
        // As a disk layer picks it: the member of AES's family whose key is as long as the digest.
        "essiv:sha256" => essiv(CipherAlgorithm::Aes256, HashAlgorithm::Sha256),
        _ => None,
    }
}

#[test]
fn iv_generators() {
    let mut count = 0;
    for record in vectors::read("ivgen/ivgen.txt") {
        count += 1;
        if is_lacking(&record) {
            continue;
        }
        let expected = bytes(&record, "iv");
        let mut found = vec![0xa5; expected.len()];
        let ivgen = ivgen(&record).expect("all rules of this file are QEMU's");
        ivgen.calculate(number(&record, "sector"), &mut found).expect("nothing is wrong");
        assert_eq!(found, expected, "{:?}", record.text("id"));
    }
    assert_eq!(count, 121);
}

/// Zeros, encrypted sector by sector. The rules `null` and `plain64be` are not QEMU's.
#[test]
fn sector_chains() {
    let mut count = 0;
    for record in vectors::read("ivgen/sector-chains.txt") {
        let Some(ivgen) = ivgen(&record) else { continue };
        let algorithm = cipher_field(&record, "alg");
        let mode = record.text("mode").expect("a mode");
        let mode = CipherMode::ALL.into_iter().find(|known| known.name() == mode).expect("a mode");
        let mut cipher =
            Cipher::new(algorithm, mode, &bytes(&record, "key")).expect("a key of its length");
        let size = |field| usize::try_from(number(&record, field)).expect("fits");
        let mut data = vec![0; size("length")];
        let mut sector = number(&record, "iv-first");
        let mut iv = vec![0; mode.iv_len(algorithm)];
        for piece in data.chunks_mut(size("sector-size")) {
            ivgen.calculate(sector, &mut iv).expect("nothing is wrong");
            cipher.set_iv(&iv).expect("an IV of its length");
            cipher.encrypt(InOutBuf::from(piece)).expect("whole blocks");
            sector = sector.wrapping_add(number(&record, "iv-step"));
        }
        assert_eq!(Ok(&*sha256(&data)), record.text("ct-sha256"), "{:?}", record.text("id"));
        count += 1;
    }
    assert_eq!(count, 15);
}

#[test]
fn anti_forensic_splits() {
    let mut count = 0;
    for record in vectors::read("afsplit/afsplit.txt") {
        let expected = bytes(&record, "key");
        let mut found = vec![0; expected.len()];
        let stripes = u32::try_from(number(&record, "stripes")).expect("fits");
        let hash = hash_field(&record, "alg");
        let split = bytes(&record, "split");
        afsplit::decode(hash, stripes, &split, &mut found).expect("nothing is wrong");
        assert_eq!(found, expected, "{:?}", record.text("id"));

        let mut again = vec![0; split.len()];
        afsplit::encode(hash, stripes, &expected, &mut again).expect("nothing is wrong");
        assert!(stripes == 1 || again != split, "random stripes came out the same");
        afsplit::decode(hash, stripes, &again, &mut found).expect("nothing is wrong");
        assert_eq!(found, expected, "{:?} and back", record.text("id"));
        count += 1;
    }
    assert_eq!(count, 92);
}

#[test]
fn splits_of_nothing_are_refused() {
    for (block_len, stripes) in [(0, 4), (16, 0), (usize::MAX, 2), (1 << 62, 2)] {
        let refused = Err(Error::AfSplit { block_len, stripes });
        assert_eq!(afsplit::split_len(block_len, stripes), refused);
    }
}

#[test]
fn a_digest_is_taken_once() {
    let mut hash = Hash::new(HashAlgorithm::Sha256).expect("nothing is wrong");
    hash.update(b"abc").expect("nothing is wrong");
    let mut digest = [0; 32];
    hash.finalize(&mut digest).expect("nothing is wrong");
    let expected = from_hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(hex(&digest), hex(&expected));
    assert_eq!(hash.update(b"d"), Err(Error::HashFinished));
    assert_eq!(hash.finalize(&mut digest), Err(Error::HashFinished));
    assert_eq!(hash.check_running(), Err(Error::HashFinished));
}

#[test]
fn essiv_wants_a_digest_as_long_as_a_key() {
    let refused = IvGen::essiv(CipherAlgorithm::Aes256, HashAlgorithm::Sha1, &[0; 32]);
    assert_eq!(refused.err(), Some(Error::KeyLength { given: 20, expected: 32 }));
}

#[test]
fn random_bytes_differ() {
    let mut both = [[0; 32]; 2];
    both.iter_mut().for_each(|bytes| random::fill(bytes).expect("the kernel has some"));
    assert_ne!(both[0], both[1]);
}
