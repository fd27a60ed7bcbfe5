//! AES by Key Locker: the CPU holds the key, and memory a handle that is good for nothing elsewhere.
//!
//! A handle stops working when the CPU's wrapping key is lost, in a suspend or a migration that does not restore it. A call
//! that meets that fails, and its object with it: the key is not there to go on without. Modes are run over a few blocks
//! at a time in a buffer of our own, so that what a refused handle leaves never reaches the caller.

use std::ffi::CStr;
use std::sync::OnceLock;

use inout::InOutBuf;
use zeroize::Zeroizing;

use super::direction::Direction;
use super::{Backend, Context, HashContext};
use crate::aes::x86::keylocker::{BLOCK, Handle, Refused, WIDE};
use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::cpu::KeyLocker;
use crate::error::Error;
use crate::iv::Iv;
use crate::xts;

pub(super) struct KeyLockerBackend;

/// The proof that it works, or why not: found out once.
fn proof() -> Result<KeyLocker, &'static str> {
    static PROOF: OnceLock<Result<KeyLocker, &str>> = OnceLock::new();
    *PROOF.get_or_init(|| KeyLocker::detect().and_then(self_test))
}

/// FIPS 197 appendix C.1 and C.3, one block and eight: a CPU whose wrapping key was never set refuses its own handles.
fn self_test(cpu: KeyLocker) -> Result<KeyLocker, &'static str> {
    const PLAINTEXT: u128 = 0xffeeddccbbaa99887766554433221100;
    const CIPHERTEXTS: [(usize, u128); 2] =
        [(16, 0x5ac5b47080b7cdd830047b6ad8e0c469), (32, 0x8960494b9049fceabf456751cab7a28e)];
    let key: [u8; 32] = std::array::from_fn(|i| i as u8);
    for (len, ciphertext) in CIPHERTEXTS {
        let handle = Handle::new(cpu, &key[..len]);
        let mut blocks = [PLAINTEXT.to_le_bytes(); WIDE + 1];
        let encrypted = handle.encrypt(&mut blocks);
        if encrypted.is_err() || blocks != [ciphertext.to_le_bytes(); WIDE + 1] {
            return Err("the CPU's wrapping key does not work");
        }
        if handle.decrypt(&mut blocks).is_err() || blocks != [PLAINTEXT.to_le_bytes(); WIDE + 1] {
            return Err("the CPU's wrapping key does not work");
        }
    }
    Ok(cpu)
}

impl Backend for KeyLockerBackend {
    fn name(&self) -> &'static str {
        "keylocker"
    }

    fn version(&self) -> Result<&str, &str> {
        proof().map(|_| "AES-128 and AES-256")
    }

    /// There are no handles of keys of 192 bits.
    fn supports(&self, algorithm: CipherAlgorithm, _mode: CipherMode) -> bool {
        matches!(algorithm, CipherAlgorithm::Aes128 | CipherAlgorithm::Aes256) && proof().is_ok()
    }

    fn open(
        &self,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Box<dyn Context>, Error> {
        let cpu = proof().map_err(|_| Error::UnsupportedPair(algorithm, mode))?;
        Ok(match mode {
            CipherMode::Ecb => {
                Box::new(Keyed { name: c"keylocker/ecb", run: ecb, key: Handle::new(cpu, key) })
            }
            CipherMode::Cbc => {
                Box::new(Keyed { name: c"keylocker/cbc", run: cbc, key: Handle::new(cpu, key) })
            }
            CipherMode::Ctr => Box::new(Keyed {
                name: c"keylocker/ctr",
                run: ctr,
                key: Handle::encrypting(cpu, key),
            }),
            CipherMode::Xts => {
                let (data, tweak) = key.split_at(key.len() / 2);
                let key = XtsHandles {
                    data: Handle::new(cpu, data),
                    tweak: Handle::encrypting(cpu, tweak),
                };
                Box::new(Keyed { name: c"keylocker/xts", run: xts, key })
            }
        })
    }

    fn supports_hash(&self, _algorithm: HashAlgorithm) -> bool {
        false
    }

    fn hash(&self, algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>, Error> {
        Err(Error::UnsupportedHash(algorithm))
    }

    fn hmac(&self, algorithm: HashAlgorithm, _key: &[u8]) -> Result<Box<dyn HashContext>, Error> {
        Err(Error::UnsupportedHmac(algorithm))
    }

    fn pbkdf2(
        &self,
        algorithm: HashAlgorithm,
        _password: &[u8],
        _salt: &[u8],
        _iterations: u64,
        _out: &mut [u8],
    ) -> Result<(), Error> {
        Err(Error::UnsupportedPbkdf(algorithm))
    }
}

/// A mode over handles.
type Run<K> = fn(&K, Direction, &mut Iv, InOutBuf<'_, '_, u8>) -> Result<(), Refused>;

/// The handles of a key, in one mode.
struct Keyed<K> {
    name: &'static CStr,
    run: Run<K>,
    key: K,
}

struct XtsHandles {
    data: Handle,
    tweak: Handle,
}

impl<K: Send + Sync> Context for Keyed<K> {
    fn name(&self) -> &CStr {
        self.name
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        (self.run)(&self.key, Direction::Encrypt, iv, data)
            .map_err(|Refused| refusal("encrypt data"))
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        (self.run)(&self.key, Direction::Decrypt, iv, data)
            .map_err(|Refused| refusal("decrypt data"))
    }
}

#[cold]
fn refusal(what: &'static str) -> Error {
    Error::Library { what, reason: "Key Locker has lost the key".into() }
}

impl Handle {
    fn crypt(&self, direction: Direction, blocks: &mut [[u8; BLOCK]]) -> Result<(), Refused> {
        match direction {
            Direction::Encrypt => self.encrypt(blocks),
            Direction::Decrypt => self.decrypt(blocks),
        }
    }
}

/// Blocks of a group.
type Group = [[u8; BLOCK]; WIDE];

/// Takes a group of blocks at a time from the input to the output, by way of a buffer in which `work` changes them.
fn for_each_group(
    data: InOutBuf<'_, '_, u8>,
    mut work: impl FnMut(&mut [[u8; BLOCK]]) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let mut buffer = Zeroizing::new(Group::default());
    let mut rest = data;
    while !rest.is_empty() {
        let len = rest.len().min(WIDE * BLOCK);
        let (mut part, after) = rest.split_at(len);
        rest = after;
        let blocks = &mut buffer[..len / BLOCK];
        blocks.as_flattened_mut().copy_from_slice(part.get_in());
        work(blocks)?;
        part.get_out().copy_from_slice(blocks.as_flattened());
    }
    Ok(())
}

/// `to ^= from`
fn xor(to: &mut [u8], from: &[u8]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to ^= from);
}

fn ecb(
    key: &Handle,
    direction: Direction,
    _iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    for_each_group(data, |blocks| key.crypt(direction, blocks))
}

fn cbc(
    key: &Handle,
    direction: Direction,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    let mut chain = *iv.bytes();
    for_each_group(data, |blocks| {
        match direction {
            Direction::Encrypt => {
                for block in blocks {
                    xor(block, &chain);
                    key.encrypt(std::slice::from_mut(block))?;
                    chain = *block;
                }
            }
            Direction::Decrypt => {
                let mut ciphertext = Group::default();
                let ciphertext = &mut ciphertext[..blocks.len()];
                ciphertext.copy_from_slice(blocks);
                key.decrypt(blocks)?;
                for (block, next) in blocks.iter_mut().zip(ciphertext) {
                    xor(block, &chain);
                    chain = *next;
                }
            }
        }
        Ok(())
    })?;
    iv.set(&chain);
    Ok(())
}

fn ctr(
    key: &Handle,
    _direction: Direction,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    for_each_group(data, |blocks| {
        let mut keystream = Zeroizing::new(Group::default());
        let keystream = &mut keystream[..blocks.len()];
        for block in &mut *keystream {
            *block = *iv.bytes();
            iv.count(BLOCK, 1);
        }
        key.encrypt(keystream)?;
        xor(blocks.as_flattened_mut(), keystream.as_flattened());
        Ok(())
    })
}

fn xts(
    key: &XtsHandles,
    direction: Direction,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    let mut first = Zeroizing::new([*iv.bytes()]);
    key.tweak.encrypt(&mut *first)?;
    let mut tweak = Zeroizing::new(u128::from_le_bytes(first[0]));
    for_each_group(data, |blocks| {
        let mut tweaks = Zeroizing::new(Group::default());
        for bytes in tweaks.iter_mut() {
            *bytes = tweak.to_le_bytes();
            *tweak = xts::double(*tweak);
        }
        xor(blocks.as_flattened_mut(), tweaks.as_flattened());
        key.data.crypt(direction, blocks)?;
        xor(blocks.as_flattened_mut(), tweaks.as_flattened());
        Ok(())
    })
}
