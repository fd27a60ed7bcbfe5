//! The AES kernels of every level of this CPU, against each other's common reference: the generic kernels over the `aes`
//! crate, the `xts-mode` crate, and known answers.
//!
//! Each test runs once a level. A level that the CPU lacks is skipped aloud, and the name of the kernel that served is
//! checked each time a key is set.

use std::io::Write;

use cipher::{Array, BlockCipherEncrypt, KeyInit};
use inout::InOutBuf;
use sha2::{Digest, Sha256};
use xts_mode::Xts128;

use super::Cipher;
use crate::algorithm::{CipherAlgorithm, CipherMode};
use crate::cpu::Level;
use crate::guarded_tests::{Guarded, PAGE};

/// Bytes of a block.
pub(super) const BLOCK: usize = 16;

/// More than two of the longest groups, each cut that the kernels make of a length, and then some.
const BLOCKS: usize = 256;

const AES: [CipherAlgorithm; 3] =
    [CipherAlgorithm::Aes128, CipherAlgorithm::Aes192, CipherAlgorithm::Aes256];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Encrypt,
    Decrypt,
}

pub(super) const DIRECTIONS: [Direction; 2] = [Direction::Encrypt, Direction::Decrypt];

/// Runs a test on each level that this CPU has; or on the one that `tools/test-in-bochs` is there for.
fn each_level(test: impl Fn(Level)) {
    if let Ok(name) = std::env::var("QCRYPTO_TEST_LEVEL") {
        test(Level::named(&name).expect("this CPU has the level to test"));
        return;
    }
    for &name in Level::NAMES {
        match Level::named(name) {
            Some(level) => test(level),
            // Past the test harness, which shows what is printed only where a test fails.
            None => writeln!(std::io::stderr(), "SKIPPED: this CPU or build has no {name}")
                .expect("stderr takes a line"),
        }
    }
}

/// Runs a test on each level, algorithm, mode and direction.
pub(super) fn each_kernel(test: impl Fn(Level, CipherAlgorithm, CipherMode, Direction)) {
    each_level(|level| {
        for algorithm in AES {
            for mode in CipherMode::ALL {
                for direction in DIRECTIONS {
                    test(level, algorithm, mode, direction);
                }
            }
        }
    });
}

/// A keyed cipher, after a look at what serves it.
pub(super) fn cipher(
    level: Level,
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    key: &[u8],
) -> Cipher {
    let cipher = Cipher::new_at(level, algorithm, mode, key).expect("AES in every mode");
    assert_eq!(cipher.backend().to_str(), Ok(&*format!("native/{}", level.name())));
    cipher
}

/// The test key of all known answers here: byte i is 3 i + 1.
pub(super) fn key(algorithm: CipherAlgorithm, mode: CipherMode) -> Vec<u8> {
    let keys = if mode == CipherMode::Xts { 2 } else { 1 };
    bytes(keys * algorithm.key_len(), |i| 3 * i + 1)
}

/// The data `D1`: byte i is 7 i + 3.
fn d1(len: usize) -> Vec<u8> {
    bytes(len, |i| 7 * i + 3)
}

/// The data `D2`, which does not repeat after 256 bytes: byte i is 7 i + 3 + (i >> 8).
fn d2(len: usize) -> Vec<u8> {
    bytes(len, |i| 7 * i + 3 + (i >> 8))
}

fn bytes(len: usize, byte: impl Fn(usize) -> usize) -> Vec<u8> {
    (0..len).map(|i| (byte(i) & 0xff) as u8).collect()
}

pub(super) fn set_iv(cipher: &mut Cipher, iv: &[u8; BLOCK]) {
    if cipher.mode != CipherMode::Ecb {
        cipher.set_iv(iv).expect("an IV of one block");
    }
}

fn run(cipher: &mut Cipher, direction: Direction, data: InOutBuf<'_, '_, u8>) {
    match direction {
        Direction::Encrypt => cipher.encrypt(data),
        Direction::Decrypt => cipher.decrypt(data),
    }
    .expect("whole blocks");
}

pub(super) fn in_place(cipher: &mut Cipher, direction: Direction, data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    run(cipher, direction, InOutBuf::from(&mut data[..]));
    data
}

fn out_of_place(cipher: &mut Cipher, direction: Direction, data: &[u8]) -> Vec<u8> {
    let mut output = vec![0xa5; data.len()];
    run(cipher, direction, InOutBuf::new(data, &mut output).expect("one length"));
    output
}

/// Numbers without pattern, the same in every run: splitmix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(super) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.below(256) as u8).collect()
    }

    pub(super) fn iv(&mut self) -> [u8; BLOCK] {
        self.bytes(BLOCK).try_into().expect("one block")
    }
}

#[test]
fn every_block_count_in_place_and_not() {
    let data = Random(1).bytes(BLOCKS * BLOCK);
    let iv = Random(2).iv();
    each_kernel(|level, algorithm, mode, direction| {
        let key = key(algorithm, mode);
        let mut reference = cipher(Level::Portable, algorithm, mode, &key);
        set_iv(&mut reference, &iv);
        // Of a longer message, what a shorter one gives is the beginning, in every mode.
        let expected = in_place(&mut reference, direction, &data);
        let mut cipher = cipher(level, algorithm, mode, &key);
        for blocks in 0..=BLOCKS {
            let len = blocks * BLOCK;
            for crypt in [in_place, out_of_place] {
                set_iv(&mut cipher, &iv);
                let output = crypt(&mut cipher, direction, &data[..len]);
                assert_eq!(output, expected[..len], "{level:?} {direction:?} {blocks} blocks");
            }
        }
    });
}

#[test]
fn long_data_cut_at_random() {
    let mut random = Random(3);
    let data = random.bytes(5000 * BLOCK);
    let iv = random.iv();
    each_kernel(|level, algorithm, mode, direction| {
        let key = key(algorithm, mode);
        let mut reference = cipher(Level::Portable, algorithm, mode, &key);
        let mut cipher = cipher(level, algorithm, mode, &key);
        let mut random = Random(4);
        for _ in 0..3 {
            let len = BLOCK * (257 + random.below(4700));
            set_iv(&mut reference, &iv);
            let expected = in_place(&mut reference, direction, &data[..len]);
            set_iv(&mut cipher, &iv);
            assert_eq!(out_of_place(&mut cipher, direction, &data[..len]), expected);
            if mode == CipherMode::Xts {
                continue;
            }
            // CBC and CTR go on where the last call ended, at whatever point that is.
            set_iv(&mut cipher, &iv);
            let mut output = Vec::new();
            while output.len() < len {
                let rest = &data[output.len()..len];
                let piece = (BLOCK * random.below(90)).min(rest.len());
                output.extend(in_place(&mut cipher, direction, &rest[..piece]));
            }
            assert_eq!(output, expected, "{level:?} {direction:?} in pieces");
        }
    });
}

#[test]
fn every_alignment() {
    let data = Random(5).bytes(70 * BLOCK);
    let iv = Random(6).iv();
    each_kernel(|level, algorithm, mode, direction| {
        let key = key(algorithm, mode);
        let mut reference = cipher(Level::Portable, algorithm, mode, &key);
        set_iv(&mut reference, &iv);
        let expected = in_place(&mut reference, direction, &data);
        let mut cipher = cipher(level, algorithm, mode, &key);
        for blocks in [1, 2, 3, 15, 70] {
            let len = blocks * BLOCK;
            let mut input = vec![0; len + BLOCK];
            let mut output = vec![0; len + BLOCK];
            for from in 0..BLOCK {
                input[from..from + len].copy_from_slice(&data[..len]);
                for to in 0..BLOCK {
                    output.fill(0xa5);
                    let target = &mut output[to..to + len];
                    let buffers = InOutBuf::new(&input[from..from + len], target);
                    set_iv(&mut cipher, &iv);
                    run(&mut cipher, direction, buffers.expect("one length"));
                    assert_eq!(output[to..to + len], expected[..len], "{level:?} {from} to {to}");
                    assert!(output[..to].iter().all(|&byte| byte == 0xa5));
                    assert!(output[to + len..].iter().all(|&byte| byte == 0xa5));
                }
            }
        }
    });
}

/// X1: nothing is read or written outside of the buffers, whatever the length.
#[test]
fn nothing_outside_the_buffers() {
    let data = Random(7).bytes(PAGE);
    let iv = Random(8).iv();
    each_kernel(|level, algorithm, mode, direction| {
        let key = key(algorithm, mode);
        let mut reference = cipher(Level::Portable, algorithm, mode, &key);
        set_iv(&mut reference, &iv);
        let expected = in_place(&mut reference, direction, &data);
        let mut cipher = cipher(level, algorithm, mode, &key);
        let mut input = Guarded::new();
        let mut output = Guarded::new();
        for len in (BLOCK..=PAGE).step_by(BLOCK) {
            for at_end in [false, true] {
                let from = input.edge(len, at_end);
                from.copy_from_slice(&data[..len]);
                let to = output.edge(len, at_end);
                set_iv(&mut cipher, &iv);
                run(&mut cipher, direction, InOutBuf::new(from, to).expect("one length"));
                assert_eq!(to, &expected[..len], "{level:?} {direction:?} {len}");
                set_iv(&mut cipher, &iv);
                run(&mut cipher, direction, InOutBuf::from(&mut *from));
                assert_eq!(from, &expected[..len], "{level:?} {direction:?} {len} in place");
            }
        }
    });
}

/// The `xts-mode` crate over a cipher of the `aes` crate.
fn xts_mode<C: KeyInit + BlockCipherEncrypt<BlockSize = cipher::consts::U16>>(
    key: &[u8],
) -> (C, C) {
    let (data, tweak) = key.split_at(key.len() / 2);
    let new = |key| C::new_from_slice(key).expect("a key of the cipher's length");
    (new(data), new(tweak))
}

/// XTS by the `xts-mode` crate.
fn by_xts_mode(
    algorithm: CipherAlgorithm,
    direction: Direction,
    key: &[u8],
    iv: &[u8; BLOCK],
    data: &[u8],
) -> Vec<u8> {
    macro_rules! crypt {
        ($cipher:ty) => {{
            let (first, second) = xts_mode::<$cipher>(key);
            let xts = Xts128::new(first, second);
            let mut data = data.to_vec();
            match direction {
                Direction::Encrypt => xts.encrypt_sector(&mut data, Array(*iv)),
                Direction::Decrypt => xts.decrypt_sector(&mut data, Array(*iv)),
            }
            data
        }};
    }
    match algorithm {
        CipherAlgorithm::Aes128 => crypt!(aes::Aes128),
        CipherAlgorithm::Aes192 => crypt!(aes::Aes192),
        CipherAlgorithm::Aes256 => crypt!(aes::Aes256),
        _ => unreachable!("the tests are of AES"),
    }
}

/// An IV for each state of the two top bits of the encrypted tweak's halves, which are what carries.
fn ivs_by_tweak(algorithm: CipherAlgorithm, key: &[u8]) -> [[u8; BLOCK]; 4] {
    let mut ecb = cipher(Level::Portable, algorithm, CipherMode::Ecb, &key[key.len() / 2..]);
    let mut ivs = [None; 4];
    for number in 0..u128::MAX {
        let iv = number.to_le_bytes();
        let tweak = in_place(&mut ecb, Direction::Encrypt, &iv);
        let top_bits = usize::from(tweak[15] >> 7) << 1 | usize::from(tweak[7] >> 7);
        ivs[top_bits].get_or_insert(iv);
        if ivs.iter().all(Option::is_some) {
            break;
        }
    }
    ivs.map(|iv| iv.expect("found above"))
}

#[test]
fn xts_agrees_with_another_implementation() {
    let data = Random(9).bytes(BLOCKS * BLOCK);
    each_level(|level| {
        for algorithm in AES {
            let key = key(algorithm, CipherMode::Xts);
            let mut cipher = cipher(level, algorithm, CipherMode::Xts, &key);
            for iv in ivs_by_tweak(algorithm, &key) {
                for direction in DIRECTIONS {
                    let expected = by_xts_mode(algorithm, direction, &key, &iv, &data);
                    for blocks in (1..=66).chain([127, 128, 129, 255, 256]) {
                        set_iv(&mut cipher, &iv);
                        let output = out_of_place(&mut cipher, direction, &data[..blocks * BLOCK]);
                        assert_eq!(output, expected[..blocks * BLOCK], "{level:?} {blocks} blocks");
                    }
                }
            }
        }
    });
}

/// Sequences of IVs, so that what a handle keeps of the last one and made for the next one comes into play, each call
/// compared with a handle that knows nothing.
#[test]
fn xts_handle_knows_no_other_result_than_a_fresh_one() {
    let data = Random(10).bytes(66 * BLOCK);
    each_level(|level| {
        for algorithm in AES {
            let key = key(algorithm, CipherMode::Xts);
            let mut random = Random(11);
            let mut used = cipher(level, algorithm, CipherMode::Xts, &key);
            let mut unit = u128::MAX - 20;
            for step in 0..600 {
                // In order, repeated, backward, skipping, anywhere, and now and then the same without setiv.
                unit = match random.below(12) {
                    0..=5 => unit.wrapping_add(1),
                    6 | 7 => unit,
                    8 => unit.wrapping_sub(1),
                    9 => unit.wrapping_add(2),
                    10 if step > 60 => u128::from(random.next()) << random.below(64),
                    _ => unit.wrapping_add(1),
                };
                let sets_iv = random.below(8) > 0;
                if sets_iv {
                    set_iv(&mut used, &unit.to_le_bytes());
                }
                unit = used.iv.number();
                let mut fresh = cipher(level, algorithm, CipherMode::Xts, &key);
                set_iv(&mut fresh, &unit.to_le_bytes());
                let direction = DIRECTIONS[random.below(2)];
                let data = &data[..BLOCK * random.below(67)];
                let expected = in_place(&mut fresh, direction, data);
                assert_eq!(in_place(&mut used, direction, data), expected, "{level:?} {unit}");
            }
        }
    });
}

/// CTR, a block at a time, by ECB and an addition of our own.
fn by_ecb(ecb: &mut Cipher, counter: u128, data: &[u8]) -> Vec<u8> {
    let blocks = data.chunks(BLOCK).zip(0..).flat_map(|(block, i)| {
        let counter = counter.wrapping_add(i).to_be_bytes();
        let keystream = in_place(ecb, Direction::Encrypt, &counter);
        block.iter().zip(keystream).map(|(data, key)| data ^ key).collect::<Vec<_>>()
    });
    blocks.collect()
}

#[test]
fn ctr_across_every_carry() {
    let data = Random(12).bytes(70 * BLOCK);
    each_level(|level| {
        for algorithm in AES {
            let key = key(algorithm, CipherMode::Ctr);
            let mut ecb = cipher(Level::Portable, algorithm, CipherMode::Ecb, &key);
            let mut cipher = cipher(level, algorithm, CipherMode::Ctr, &key);
            for bits in [8, 16, 32, 63, 64, 65, 96, 127, 128] {
                let boundary = 1u128.checked_shl(bits).unwrap_or(0);
                for before in [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 69] {
                    let counter = boundary.wrapping_sub(before);
                    set_iv(&mut cipher, &counter.to_be_bytes());
                    let output = out_of_place(&mut cipher, Direction::Encrypt, &data);
                    assert_eq!(output, by_ecb(&mut ecb, counter, &data), "{level:?} {counter:x}");
                    // The counter is where it should be afterwards.
                    let next = in_place(&mut cipher, Direction::Decrypt, &data[..BLOCK]);
                    let counter = counter.wrapping_add(70);
                    assert_eq!(next, by_ecb(&mut ecb, counter, &data[..BLOCK]));
                }
            }
        }
    });
}

fn hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits
        .map(|pair| {
            let pair = std::str::from_utf8(pair).expect("ASCII");
            u8::from_str_radix(pair, 16).expect("two hexadecimal digits")
        })
        .collect()
}

fn iv_of(text: &str) -> [u8; BLOCK] {
    hex(text).try_into().expect("one block")
}

fn sha256(data: &[u8]) -> Vec<u8> {
    Sha256::digest(data).to_vec()
}

/// X2: the first multiplications of the tweak carry in both halves, or in the lower one alone.
#[test]
fn known_xts_carries() {
    each_level(|level| {
        let key = key(CipherAlgorithm::Aes128, CipherMode::Xts);
        let mut cipher = cipher(level, CipherAlgorithm::Aes128, CipherMode::Xts, &key);
        let expected = hex(concat!(
            "9654fe19ab47c7d9b99939807a4eafb4",
            "f5dc45d5baff7bd5e9746967de11604b",
            "2efadcb658c640e7f81bf0676983b5ed"
        ));
        set_iv(&mut cipher, &iv_of("01000000000000000000000000000000"));
        for len in [16, 32, 48] {
            assert_eq!(in_place(&mut cipher, Direction::Encrypt, &d1(len)), expected[..len]);
        }
        assert_eq!(
            sha256(&in_place(&mut cipher, Direction::Encrypt, &d1(512))),
            hex("f66e3520f5c8583c0063aefeb0b1bb524cbbc958b4258df98507fcf58b752cf6")
        );
        set_iv(&mut cipher, &[0; BLOCK]);
        assert_eq!(
            in_place(&mut cipher, Direction::Encrypt, &d1(32)),
            hex("45e179e76468f645ed4df6e0d8c19ae4d06fcc7b797a920e0f8036e013f7cab4")
        );
    });
}

/// X9: every length up to 4096.
#[test]
fn known_xts_lengths() {
    each_level(|level| {
        let key = key(CipherAlgorithm::Aes256, CipherMode::Xts);
        let mut cipher = cipher(level, CipherAlgorithm::Aes256, CipherMode::Xts, &key);
        let mut digest = Sha256::new();
        for len in (BLOCK..=4096).step_by(BLOCK) {
            digest.update(sha256(&out_of_place(&mut cipher, Direction::Encrypt, &d1(len))));
        }
        assert_eq!(
            digest.finalize().to_vec(),
            hex("be069a4bd33d7c77de0e234d612927354f5c7f27c76c91e896fcf03685c46052")
        );
    });
}

/// C1 and C4: a carry that is none, and one out of the lowest 32 bits.
#[test]
fn known_ctr_blocks() {
    let data: Vec<u8> = (0..32).collect();
    each_level(|level| {
        let key = hex("7e24067817fae0d743d6ce1f32539163");
        let mut cipher = cipher(level, CipherAlgorithm::Aes128, CipherMode::Ctr, &key);
        for (counter, expected) in [
            (
                "00000000000000007fffffffffffffff",
                "a2d459477e6432bd74184b1b5370d2243cdc202bc43583b2a55d288cdbbd1e03",
            ),
            (
                "006cb6dbc0543b59da48d90bffffffff",
                "fa4b0a5addf52338efbee5c4ff122fef39714fa87a90069c9d2bb8c593f7fa73",
            ),
        ] {
            set_iv(&mut cipher, &iv_of(counter));
            assert_eq!(in_place(&mut cipher, Direction::Encrypt, &data), hex(expected));
        }
    });
}

/// C2, C3 and C5 to C7: long runs across carries, whole, block by block and in uneven pieces, in place and not.
#[test]
fn known_ctr_runs() {
    let cases = [
        (
            CipherAlgorithm::Aes128,
            "fffffffffffffffffffffffffffffffd",
            "f1ece114cfb9ac07b2fd84bae5ac51558b302b769e818003b657ce7fd4cab382",
        ),
        (
            CipherAlgorithm::Aes128,
            "0000000000000000fffffffffffffffe",
            "75d9e84554d4fee300a051a3e87de0d5bc33b1024fbd6a6613b30f4b25baf3e8",
        ),
        (
            CipherAlgorithm::Aes256,
            "000000000000000000000000000000fe",
            "366e36794069ebbf507dee30584930ddcfea757fa2573d980b73e27a42671964",
        ),
    ];
    let data = d2(1024);
    each_level(|level| {
        for (algorithm, counter, expected) in cases {
            let mut cipher =
                cipher(level, algorithm, CipherMode::Ctr, &key(algorithm, CipherMode::Ctr));
            for pieces in [vec![1024], vec![BLOCK; 64], vec![16, 496, 512]] {
                for crypt in [in_place, out_of_place] {
                    set_iv(&mut cipher, &iv_of(counter));
                    let mut output = Vec::new();
                    for len in &pieces {
                        let piece = &data[output.len()..][..*len];
                        output.extend(crypt(&mut cipher, Direction::Encrypt, piece));
                    }
                    assert_eq!(sha256(&output), hex(expected), "{level:?} {pieces:?}");
                }
            }
        }
    });
}

/// C9: CBC in pieces.
#[test]
fn known_cbc_chain() {
    let data = d2(1024);
    let iv = std::array::from_fn(|i| 0xa0 + i as u8);
    each_level(|level| {
        let key = key(CipherAlgorithm::Aes128, CipherMode::Cbc);
        let mut cipher = cipher(level, CipherAlgorithm::Aes128, CipherMode::Cbc, &key);
        let mut in_pieces = |direction, data: &[u8]| {
            set_iv(&mut cipher, &iv);
            let pieces = data.chunks(48);
            pieces.flat_map(|piece| in_place(&mut cipher, direction, piece)).collect::<Vec<_>>()
        };
        let ciphertext = in_pieces(Direction::Encrypt, &data);
        assert_eq!(
            sha256(&ciphertext),
            hex("9dcfa05848996e0cfbdf15eafa26fa5a9b0ddfc7e43246f512c4bbcbcb02dfa0")
        );
        assert_eq!(in_pieces(Direction::Decrypt, &ciphertext), data);
    });
}
