//! Every algorithm in every mode against straightforward code over the same cipher crates: the modes are ours, and
//! these are written from the standards without a thought for speed. XTS is compared with the crate `xts-mode`.

mod common;

use cipher::array::Array;
use cipher::consts::U16;
use cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use common::bytes::Random;
use common::calls::{self, Direction, key_len};
use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;
use xts_mode::Xts128;

/// One test an algorithm and group of modes, so that they run side by side and a failure names what failed.
macro_rules! algorithms {
    ($($name:ident $algorithm:ident $cipher:ty, $($xts:ident)?;)*) => {
        mod chaining {
            use super::*;
            $(#[test]
            fn $name() {
                chaining_modes_agree::<$cipher>(CipherAlgorithm::$algorithm);
            })*
        }
        mod xts {
            use super::*;
            $($(#[test]
            fn $name() {
                $xts::<$cipher>(CipherAlgorithm::$algorithm);
            })?)*
        }
    };
}

algorithms! {
    aes_128 Aes128 aes::Aes128, xts_agrees;
    aes_192 Aes192 aes::Aes192, xts_agrees;
    aes_256 Aes256 aes::Aes256, xts_agrees;
    des Des des::Des, ;
    triple_des TripleDes des::TdesEde3, ;
    cast5 Cast5 cast5::Cast5, ;
    serpent_128 Serpent128 serpent::Serpent, xts_agrees;
    serpent_192 Serpent192 serpent::Serpent, xts_agrees;
    serpent_256 Serpent256 serpent::Serpent, xts_agrees;
    twofish_128 Twofish128 twofish::Twofish, xts_agrees;
    twofish_192 Twofish192 twofish::Twofish, xts_agrees;
    twofish_256 Twofish256 twofish::Twofish, xts_agrees;
    sm4 Sm4 sm4::Sm4, xts_agrees;
}

/// Lengths in blocks, all up to one and some beyond that a pass does not divide, in groups that share a key.
///
/// Fewer unless the slow tests are asked for, because the crates are slow, Twofish most of all.
fn lengths(all: usize, random: &mut Random) -> Vec<Vec<usize>> {
    let is_patient = std::env::var_os("QCRYPTO_TEST_SLOW").is_some();
    let (all, beyond) = if is_patient { (all, 1800) } else { (all.min(80), 300) };
    let beyond = [(); 4].map(|()| all + 1 + random.below(beyond));
    let lengths: Vec<_> = (0..=all).chain(beyond).collect();
    lengths.chunks(24).map(<[_]>::to_vec).collect()
}

fn xts_agrees<C>(algorithm: CipherAlgorithm)
where
    C: KeyInit + BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt,
{
    let mut random = Random::new();
    for group in lengths(256, &mut random) {
        let key = random.bytes(key_len(algorithm, CipherMode::Xts));
        let reference = xts_mode_keyed::<C>(&key);
        let mut cipher = calls::new(algorithm, CipherMode::Xts, &key);
        for blocks in group {
            let iv = random.bytes(16);
            let input = random.bytes(16 * blocks);
            cipher.set_iv(&iv).expect("16 bytes");
            for direction in Direction::BOTH {
                let expected = xts_mode(&reference, &iv, direction, &input);
                for call in [Direction::apart, Direction::in_place] {
                    // No IV is set between the calls: each starts the same data unit.
                    let output = call(direction, &mut cipher, &input).expect("whole blocks");
                    assert!(output == expected, "{algorithm:?}, {blocks} blocks: {direction:?}");
                }
            }
        }
    }
}

/// Data key first, tweak key second.
fn xts_mode_keyed<C: KeyInit + BlockCipherEncrypt<BlockSize = U16>>(key: &[u8]) -> Xts128<C> {
    let (data, tweak) = key.split_at(key.len() / 2);
    Xts128::new(keyed(data), keyed(tweak))
}

/// The crate has no answer for an empty data unit: it panics.
fn xts_mode<C>(xts: &Xts128<C>, iv: &[u8], direction: Direction, data: &[u8]) -> Vec<u8>
where
    C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt,
{
    let mut data = data.to_vec();
    let iv = Array::try_from(iv).expect("16 bytes");
    match direction {
        _ if data.is_empty() => (),
        Direction::Encrypt => xts.encrypt_sector(&mut data, iv),
        Direction::Decrypt => xts.decrypt_sector(&mut data, iv),
    }
    data
}

fn chaining_modes_agree<C>(algorithm: CipherAlgorithm)
where
    C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt,
{
    let mut random = Random::new();
    for group in lengths(96, &mut random) {
        let key = random.bytes(algorithm.key_len());
        let reference = keyed::<C>(&key);
        for mode in [CipherMode::Ecb, CipherMode::Cbc, CipherMode::Ctr] {
            let mut cipher = calls::new(algorithm, mode, &key);
            for &blocks in &group {
                mode_agrees(&reference, &mut cipher, (algorithm, mode), blocks, &mut random);
            }
        }
    }
}

fn mode_agrees<C: BlockCipherEncrypt + BlockCipherDecrypt>(
    reference: &C,
    cipher: &mut Cipher,
    (algorithm, mode): (CipherAlgorithm, CipherMode),
    blocks: usize,
    random: &mut Random,
) {
    let block_len = algorithm.block_len();
    let input = random.bytes(blocks * block_len);
    let iv = first_block(mode, blocks, block_len, random);
    let parts: Vec<_> = random.split(blocks).iter().map(|part| part * block_len).collect();
    for direction in Direction::BOTH {
        let expected = by_the_book(reference, mode, &iv, direction, &input);
        let mut check = |call: &dyn Fn(&mut Cipher) -> Result<Vec<u8>, Error>| {
            if mode != CipherMode::Ecb {
                cipher.set_iv(&iv).expect("a block");
            }
            assert!(
                call(cipher).as_ref() == Ok(&expected),
                "{algorithm:?}-{mode:?}, {blocks} blocks: {direction:?}, parts {parts:?}"
            );
        };
        check(&|cipher| direction.apart(cipher, &input));
        check(&|cipher| direction.in_place(cipher, &input));
        check(&|cipher| direction.split(cipher, &input, parts.iter().copied()));
    }
}

/// A random IV. In CTR two of three have a run of ones at their end, so that a carry crosses a random number of bytes
/// while the data lasts: 32 and 64 bits among them, and the whole block, which wraps.
fn first_block(mode: CipherMode, blocks: usize, len: usize, random: &mut Random) -> Vec<u8> {
    let mut iv = random.bytes(len);
    if mode == CipherMode::Ctr && random.below(3) > 0 {
        let ones = [4, 8, len, 1 + random.below(len)][random.below(4)];
        iv[len - ones..].fill(0xff);
        let back = random.below(blocks.clamp(1, 255));
        iv[len - 1] -= u8::try_from(back).expect("below 256");
    }
    iv
}

/// SP 800-38A sections 6.1, 6.2 and 6.5, block by block.
fn by_the_book<C: BlockCipherEncrypt + BlockCipherDecrypt>(
    cipher: &C,
    mode: CipherMode,
    iv: &[u8],
    direction: Direction,
    data: &[u8],
) -> Vec<u8> {
    let encrypted = |block: &[u8]| {
        let mut block = Block::<C>::try_from(block).expect("a block");
        cipher.encrypt_block(&mut block);
        block.to_vec()
    };
    let decrypted = |block: &[u8]| {
        let mut block = Block::<C>::try_from(block).expect("a block");
        cipher.decrypt_block(&mut block);
        block.to_vec()
    };
    let mut output = Vec::new();
    let mut state = iv.to_vec();
    for block in data.chunks(C::block_size()) {
        let result = match (mode, direction) {
            (CipherMode::Ecb, Direction::Encrypt) => encrypted(block),
            (CipherMode::Ecb, Direction::Decrypt) => decrypted(block),
            (CipherMode::Cbc, Direction::Encrypt) => {
                state = encrypted(&xor(block, &state));
                state.clone()
            }
            (CipherMode::Cbc, Direction::Decrypt) => {
                xor(&decrypted(block), &std::mem::replace(&mut state, block.to_vec()))
            }
            (CipherMode::Ctr, _) => {
                let keystream = encrypted(&state);
                state = plus_one(&state);
                xor(block, &keystream)
            }
            (CipherMode::Xts, _) => unreachable!("xts-mode is the reference"),
        };
        output.extend(result);
    }
    output
}

fn keyed<C: KeyInit>(key: &[u8]) -> C {
    C::new_from_slice(key).expect("a key of the right length")
}

fn xor(left: &[u8], right: &[u8]) -> Vec<u8> {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).map(|(left, right)| left ^ right).collect()
}

/// The block as one big-endian number, plus one.
fn plus_one(block: &[u8]) -> Vec<u8> {
    match block.len() {
        8 => u64::from_be_bytes(block.try_into().expect("8")).wrapping_add(1).to_be_bytes().into(),
        _ => {
            u128::from_be_bytes(block.try_into().expect("16")).wrapping_add(1).to_be_bytes().into()
        }
    }
}

/// Control: the references tell a right answer from the classic wrong ones.
#[test]
fn wrong_answers_differ() {
    use CipherMode::{Cbc, Ctr, Ecb};
    use Direction::{Decrypt, Encrypt};
    let mut random = Random::new();
    let key = random.bytes(32);
    let data = random.bytes(64);
    let iv = random.bytes(16);

    let xts =
        |key: &[u8], iv: &[u8]| xts_mode(&xts_mode_keyed::<aes::Aes128>(key), iv, Encrypt, &data);
    let right = xts(&key, &iv);
    assert_ne!(right, xts(&[&key[16..], &key[..16]].concat(), &iv), "halves swapped");
    assert_ne!(right, xts(&key, &iv.iter().rev().copied().collect::<Vec<_>>()), "IV reversed");

    let aes = keyed::<aes::Aes256>(&key);
    let mut wraps = iv.clone();
    wraps[12..].fill(0xff);
    let mut wrapped = wraps.clone();
    wrapped[12..].fill(0);
    let right = by_the_book(&aes, Ctr, &wraps, Encrypt, &data);
    let no_carry = by_the_book(&aes, Ctr, &wrapped, Encrypt, &data[16..]);
    assert_ne!(right[16..], no_carry, "a 32-bit counter");

    for mode in [Ecb, Cbc, Ctr] {
        let there = by_the_book(&aes, mode, &iv, Encrypt, &data);
        assert_eq!(by_the_book(&aes, mode, &iv, Decrypt, &there), data, "{mode:?}");
    }
}
