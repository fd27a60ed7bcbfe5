//! Inputs on which other libraries have gone wrong in public, with the answers that several agree on.
//!
//! The shapes are those of published faults, named where each is used; answers were computed with two independent
//! implementations. Whether out-of-place and in-place calls agree is asked each time.

mod common;

use common::bytes::{d1, d2, from_hex, hex, k, sec, sha256};
use common::calls::{Direction, new, new_at};
use qcrypto::algorithm::CipherAlgorithm::{
    self, Aes128, Aes192, Aes256, Cast5, Des, Serpent256, Sm4, TripleDes, Twofish256,
};
use qcrypto::algorithm::CipherMode::{Cbc, Ctr, Ecb, Xts};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;

const ZERO_IV: &str = "00000000000000000000000000000000";

/// The ciphertext, which must be the same in place.
fn encrypt(cipher: &mut dyn FnMut() -> Cipher, data: &[u8]) -> Vec<u8> {
    let apart = Direction::Encrypt.apart(&mut cipher(), data).expect("whole blocks");
    let in_place = Direction::Encrypt.in_place(&mut cipher(), data).expect("whole blocks");
    assert!(apart == in_place, "in place it differs");
    let back = Direction::Decrypt.in_place(&mut cipher(), &apart).expect("whole blocks");
    assert!(back == data, "decryption does not give it back");
    apart
}

/// XTS with the key of the cases.
fn xts(algorithm: CipherAlgorithm, iv: &str, data: &[u8]) -> Vec<u8> {
    let key = k(2 * algorithm.key_len());
    encrypt(&mut || new_at(algorithm, Xts, &key, &from_hex(iv)), data)
}

/// CTR with any key.
fn ctr(algorithm: CipherAlgorithm, key: &[u8], counter: &str, data: &[u8]) -> Vec<u8> {
    encrypt(&mut || new_at(algorithm, Ctr, key, &from_hex(counter)), data)
}

/// An encrypted tweak whose bits 63 and 127 are set: the first doubling carries across both lanes. One block, which
/// some refused, is among the lengths.
#[test]
fn xts_tweak_carries() {
    let iv = "01000000000000000000000000000000";
    let blocks = "9654fe19ab47c7d9b99939807a4eafb4f5dc45d5baff7bd5e9746967de11604b\
                  2efadcb658c640e7f81bf0676983b5ed";
    for len in [16, 32, 48] {
        assert_eq!(hex(&xts(Aes128, iv, &d1(len))), blocks[..2 * len], "{len}");
    }
    assert_eq!(
        sha256(&xts(Aes128, iv, &d1(512))),
        "f66e3520f5c8583c0063aefeb0b1bb524cbbc958b4258df98507fcf58b752cf6"
    );
    // Bit 63 alone.
    assert_eq!(
        hex(&xts(Aes128, ZERO_IV, &d1(32))),
        "45e179e76468f645ed4df6e0d8c19ae4d06fcc7b797a920e0f8036e013f7cab4"
    );
}

/// libgcrypt counts the data unit up and QEMU's own XTS went on in it; nettle and we do neither.
#[test]
fn xts_does_not_advance() {
    let mut cipher = new_at(Aes128, Xts, &k(32), &from_hex("fe000000000000000000000000000000"));
    let answers = [(); 3]
        .map(|()| hex(&Direction::Encrypt.apart(&mut cipher, &d1(32)).expect("whole blocks")));
    assert_eq!(answers, ["92e6bf5427f1aaf894b12fc2a997dc55d32a71374bfa6f6d4bd7406bcc008420"; 3]);
    // libgcrypt's second answer is that of the next data unit.
    assert_eq!(
        hex(&xts(Aes128, "ff000000000000000000000000000000", &d1(32))),
        "a2b71169cd5a5cf7b4d573cf558f8c691845f2c96ac271b0a36226701eaf6b8e"
    );
}

/// libgcrypt and OpenSSL refuse more than 2^20 blocks, and so does IEEE 1619. We do not: QEMU's nettle build never did.
#[test]
fn xts_of_a_huge_data_unit() {
    const LIMIT: usize = 16 << 20;
    let data: Vec<u8> = (0..LIMIT + 16)
        .map(|i| ((i as u32).wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0])
        .collect();
    let iv = from_hex("05000000000000000000000000000000");
    let mut cipher = new_at(Aes256, Xts, &k(64), &iv);
    let mut buffer = Direction::Encrypt.apart(&mut cipher, &data[..LIMIT]).expect("whole blocks");
    assert_eq!(sha256(&buffer), "403305c55f88cc0d1a68c92a7c28e5a0145065f0cc572557c21d6bb658034969");

    // One block more is the same data unit, one block longer.
    let longer = Direction::Encrypt.apart(&mut cipher, &data).expect("whole blocks");
    assert!(longer[..LIMIT] == buffer);
    buffer = Direction::Decrypt.in_place(&mut cipher, &longer).expect("whole blocks");
    assert!(buffer == data);
}

/// OpenSSL 3 refuses to encrypt under equal halves. The vector is IEEE 1619's first.
#[test]
fn xts_with_equal_halves() {
    let mut cipher = || new(Aes128, Xts, &[0; 32]);
    assert_eq!(
        hex(&encrypt(&mut cipher, &[0; 32])),
        "917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e"
    );
}

/// A 4 KiB sector on one buffer.
#[test]
fn xts_in_place() {
    assert_eq!(
        sha256(&xts(Aes256, ZERO_IV, &sec(4096))),
        "40a6738126e28f78a37100ae260756f49242354731fdd9f4525ce7a9f65fb2b4"
    );
}

/// Every length up to 256 blocks: loops over several blocks went wrong at their ends.
#[test]
fn xts_of_every_length() {
    use sha2::{Digest, Sha256};
    let mut all = Sha256::new();
    let mut cipher = new(Aes256, Xts, &k(64));
    for len in (16..=4096).step_by(16) {
        let ct = Direction::Encrypt.apart(&mut cipher, &d1(len)).expect("whole blocks");
        all.update(Sha256::digest(ct));
    }
    assert_eq!(
        hex(&all.finalize()),
        "be069a4bd33d7c77de0e234d612927354f5c7f27c76c91e896fcf03685c46052"
    );
}

/// Data key first, tweak key second; the sector number little-endian.
#[test]
fn xts_key_and_sector_order() {
    let iv = "08070605040302010000000000000000";
    let ct = xts(Aes256, iv, &d1(512));
    assert_eq!(hex(&ct[..32]), "69831a9d5e104278578bafe22580755c712a84facd06df96c78497b1b4552c2a");
    assert_eq!(sha256(&ct), "c424260c80f93556cf6c6b3123a47ef20ec9248dff8741d645c6b7ebf3ee3e4b");

    // What swapped halves give, to be told from the right answer.
    let swapped = [&k(32)[16..], &k(16)].concat();
    assert_eq!(
        hex(&encrypt(&mut || new(Aes128, Xts, &swapped), &d1(32))),
        "798d4900940f00f654ed896742fbcf3def14d81c7ebbaa5b7aabfd7d80da6564"
    );
}

/// No IV is a zero IV, not an error and not what lay in memory.
#[test]
fn xts_without_an_iv() {
    assert_eq!(
        hex(&encrypt(&mut || new(Aes128, Xts, &k(32)), &d1(32))),
        "45e179e76468f645ed4df6e0d8c19ae4d06fcc7b797a920e0f8036e013f7cab4"
    );
}

/// XTS over ciphers of short blocks once wrote past an IV.
#[test]
fn xts_of_short_blocks_is_refused() {
    let refusal = |algorithm, len| Cipher::new(algorithm, Xts, &k(len)).err();
    assert_eq!(refusal(Cast5, 32), Some(Error::UnsupportedPair(Cast5, Xts)));
    assert_eq!(refusal(Des, 16), Some(Error::XtsWithDes));
    assert_eq!(refusal(TripleDes, 48), Some(Error::XtsWithDes));
}

/// Encryption, decryption and encryption again on one handle: the wrong direction was once wired in.
#[test]
fn xts_serpent_both_ways() {
    let mut cipher = new(Serpent256, Xts, &k(64));
    for _ in 0..2 {
        cipher.set_iv(&[0; 16]).expect("16 bytes");
        let ct = Direction::Encrypt.apart(&mut cipher, &sec(4096)).expect("whole blocks");
        assert_eq!(sha256(&ct), "8d0fe783802d4de57c48f0c0c1fe13b170c009364f568975cfb0478948aa6046");
        cipher.set_iv(&[0; 16]).expect("16 bytes");
        assert_eq!(Direction::Decrypt.apart(&mut cipher, &ct), Ok(sec(4096)));
    }
}

/// A carry too many, one too few, and a counter cut to 32 or 64 bits.
#[test]
fn ctr_carries() {
    let key = from_hex("7e24067817fae0d743d6ce1f32539163");
    let short: Vec<u8> = (0..32).collect();
    assert_eq!(
        hex(&ctr(Aes128, &key, "00000000000000007fffffffffffffff", &short)),
        "a2d459477e6432bd74184b1b5370d2243cdc202bc43583b2a55d288cdbbd1e03"
    );
    assert_eq!(
        hex(&ctr(Aes128, &key, "006cb6dbc0543b59da48d90bffffffff", &short)),
        "fa4b0a5addf52338efbee5c4ff122fef39714fa87a90069c9d2bb8c593f7fa73"
    );
    assert_eq!(
        sha256(&ctr(Aes128, &k(16), "0000000000000000fffffffffffffffe", &d2(1024))),
        "75d9e84554d4fee300a051a3e87de0d5bc33b1024fbd6a6613b30f4b25baf3e8"
    );
}

/// The wrap of all 128 bits, in one call, in 64, and in three of which one is a bulk run.
#[test]
fn ctr_wraps_and_goes_on() {
    let counter = "fffffffffffffffffffffffffffffffd";
    let right = "f1ece114cfb9ac07b2fd84bae5ac51558b302b769e818003b657ce7fd4cab382";
    let whole = ctr(Aes128, &k(16), counter, &d2(1024));
    assert_eq!(
        (hex(&whole[..16]).as_str(), sha256(&whole).as_str()),
        ("e6e827aac36ac38496e1b43dca83ed90", right)
    );
    for calls in [vec![16; 64], vec![16, 496, 512]] {
        let mut cipher = new(Aes128, Ctr, &k(16));
        // The last IV counts, also when another was set and not used.
        cipher.set_iv(&[0xff; 16]).expect("16 bytes");
        cipher.set_iv(&from_hex(counter)).expect("16 bytes");
        let split = Direction::Encrypt.split(&mut cipher, &d2(1024), calls).expect("whole blocks");
        assert_eq!(sha256(&split), right);
    }
}

/// Counters that are not palindromes, over more blocks than any kernel takes at once.
#[test]
fn ctr_byte_order() {
    let counter = "000000000000000000000000000000fe";
    let ct = ctr(Serpent256, &k(32), counter, &d2(1024));
    assert_eq!(hex(&ct[..16]), "763952626d5616d2ab8fe5e5dbf6d107");
    assert_eq!(sha256(&ct), "cfebbab1215c245cc836da09a96b090e4e1c5167579cf3c7d05ce321c4e30fe5");
    assert_eq!(
        sha256(&ctr(Aes256, &k(32), counter, &d2(1024))),
        "366e36794069ebbf507dee30584930ddcfea757fa2573d980b73e27a42671964"
    );
}

/// QEMU's AF_ALG glue sends the first IV again with every call.
#[test]
fn cbc_goes_on() {
    let iv = from_hex("a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
    let new = || new_at(Aes128, Cbc, &k(16), &iv);
    let pieces = || (0..1024).step_by(48).map(|start| 48.min(1024 - start));
    let whole = encrypt(&mut { new }, &d2(1024));
    let split = Direction::Encrypt.split(&mut new(), &d2(1024), pieces());
    assert_eq!(sha256(&whole), "9dcfa05848996e0cfbdf15eafa26fa5a9b0ddfc7e43246f512c4bbcbcb02dfa0");
    assert_eq!(split.as_ref(), Ok(&whole));
    assert_eq!(Direction::Decrypt.split(&mut new(), &whole, pieces()), Ok(d2(1024)));
}

/// VNC passwords of 7-bit characters have the wrong parity.
#[test]
fn des_parity() {
    let flipped = |key: &[u8]| key.iter().map(|byte| byte ^ 1).collect::<Vec<_>>();
    let key = from_hex("133457799bbcdff1");
    for (algorithm, key) in [(Des, key.clone()), (TripleDes, key.repeat(3))] {
        for key in [flipped(&key), key] {
            let ct = encrypt(&mut || new(algorithm, Ecb, &key), &from_hex("0123456789abcdef"));
            assert_eq!(hex(&ct), "85e813540f0ab405");
        }
    }
}

/// VNC reverses the bits of each password byte, which is the caller's job: DES here is plain DES.
#[test]
fn vnc_key() {
    let mut key = [0; 8];
    for (byte, character) in key.iter_mut().zip(b"123456") {
        *byte = character.reverse_bits();
    }
    assert_eq!(hex(&key), "8c4ccc2cac6c0000");
    let challenge: Vec<u8> = (0..16).collect();
    assert_eq!(
        hex(&encrypt(&mut || new(Des, Ecb, &key), &challenge)),
        "4e77e4979af45288597c5958414fe9c7"
    );
}

/// Two byte orders of Serpent are in the wild.
#[test]
fn byte_order_of_every_family() {
    let answers = [
        (Serpent256, "d5961d6f2e9ab0dbc8dd0c7413b070dbcae37bb5dc466c8817f525de8912f070"),
        (Twofish256, "2d066d23bd4ea6d18a100d418406158c2f1e416116c35114faf4c78fe5ed5e41"),
        (Sm4, "ee5fe2cfd0d1567fb82d48eac11ea977ee18d3d0eee7e1144fec43f608d86b47"),
        (Cast5, "24ff225e39d8345d539c2f6c19a4a9ef"),
        (TripleDes, "819785eb9137a8d96158469206e5e4f0"),
        (Des, "e018fe4c77a07991ee2b3a04892ae24a"),
        (Aes128, "626942b54a8943b103ce05ad09042483"),
        (Aes192, "0a735eb1f607b38a7c1a3212c0efeef9"),
        (Aes256, "788ffaa3220595317f639ffb9a275673"),
    ];
    for (algorithm, answer) in answers {
        let key = k(algorithm.key_len());
        let ct = encrypt(&mut || new(algorithm, Ecb, &key), &d1(answer.len() / 2));
        assert_eq!(hex(&ct), answer, "{algorithm:?}");
    }
}

/// Control: neither the answers nor the way here hide a wrong input.
#[test]
fn one_bit_is_seen() {
    let right = xts(Aes128, ZERO_IV, &d1(32));
    let mut data = d1(32);
    data[31] ^= 1;
    let wrong = xts(Aes128, ZERO_IV, &data);
    assert_eq!(right[..16], wrong[..16]);
    assert_ne!(right[16..], wrong[16..]);
    assert_ne!(sha256(&right), sha256(&wrong));
}
