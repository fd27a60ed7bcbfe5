//! Modes of Nettle. None of them can fail.

use std::ffi::CStr;

use inout::InOutBuf;
use zeroize::Zeroizing;

use super::Opened;
use super::block::{BlockCipher, Key};
use crate::algorithm::{CipherAlgorithm, CipherMode};
use crate::backend::{Context, block_xts_is_forced};
use crate::error::Error;
use crate::iv::Iv;
use crate::sys::nettle as sys;
use crate::xts;

/// Whether the library has the cipher: every mode is there for each.
pub(super) fn supports(algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
    let exists = mode != CipherMode::Xts || algorithm.block_len() == 16;
    let has = |library| BlockCipher::find(library, algorithm).is_some();
    exists && Opened::get().is_ok_and(has)
}

/// Sets keys. XTS: the data key, then the tweak key.
pub(super) fn open(
    library: &'static Opened,
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error> {
    let functions = &library.functions;
    let block_len = algorithm.block_len();
    let cipher =
        BlockCipher::find(library, algorithm).ok_or(Error::UnsupportedPair(algorithm, mode))?;
    Ok(match mode {
        CipherMode::Ecb => {
            Box::new(Ecb { encrypt: cipher.encrypting(key), decrypt: cipher.decrypting(key) })
        }
        CipherMode::Cbc => Box::new(Cbc {
            block_len,
            encrypt: cbc_encrypt(library, algorithm),
            decrypt: functions.nettle_cbc_decrypt,
            encrypt_key: cipher.encrypting(key),
            decrypt_key: cipher.decrypting(key),
        }),
        CipherMode::Ctr => Box::new(Ctr {
            block_len,
            crypt: functions.nettle_ctr_crypt,
            key: cipher.encrypting(key),
        }),
        CipherMode::Xts if block_len != 16 => return Err(Error::XtsWithDes),
        CipherMode::Xts => {
            let (data, tweak) = key.split_at(key.len() / 2);
            let keys = XtsKeys {
                encrypt: cipher.encrypting(data),
                decrypt: cipher.decrypting(data),
                tweak: cipher.encrypting(tweak),
            };
            match functions.nettle_xts_encrypt_message.zip(functions.nettle_xts_decrypt_message) {
                Some((encrypt, decrypt)) if !block_xts_is_forced() => {
                    Box::new(XtsUnits { encrypt, decrypt, keys })
                }
                _ => Box::new(XtsBlocks(keys)),
            }
        }
    })
}

struct Ecb {
    encrypt: Key,
    decrypt: Key,
}

impl Context for Ecb {
    fn name(&self) -> &CStr {
        c"nettle/ecb"
    }

    fn encrypt(&self, _iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.encrypt.run(data);
        Ok(())
    }

    fn decrypt(&self, _iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.decrypt.run(data);
        Ok(())
    }
}

struct Cbc {
    block_len: usize,
    encrypt: CbcEncrypt,
    decrypt: sys::Chain,
    encrypt_key: Key,
    decrypt_key: Key,
}

/// CBC can encrypt but one block after the other, where a call for each costs more than AES itself.
enum CbcEncrypt {
    /// Calls the cipher for each block.
    Any(sys::Chain),
    /// Has the cipher in it.
    Aes(sys::AesChain),
}

/// The fastest that the library has. Those with AES in them came with 3.8.
fn cbc_encrypt(library: &Opened, algorithm: CipherAlgorithm) -> CbcEncrypt {
    let functions = &library.functions;
    let aes = match algorithm {
        CipherAlgorithm::Aes128 => functions.nettle_cbc_aes128_encrypt,
        CipherAlgorithm::Aes192 => functions.nettle_cbc_aes192_encrypt,
        CipherAlgorithm::Aes256 => functions.nettle_cbc_aes256_encrypt,
        _ => None,
    };
    aes.map_or(CbcEncrypt::Any(functions.nettle_cbc_encrypt), CbcEncrypt::Aes)
}

impl Context for Cbc {
    fn name(&self) -> &CStr {
        c"nettle/cbc"
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        match self.encrypt {
            CbcEncrypt::Any(run) => chain(run, &self.encrypt_key, self.block_len, iv, data),
            CbcEncrypt::Aes(run) => {
                let (context, _) = self.encrypt_key.parts();
                with_iv(self.block_len, iv, |iv| {
                    let len = data.len();
                    let (from, to) = data.into_raw();
                    // SAFETY: the context is one of this cipher. The IV is a block and may be written; the data is as
                    // in `chain`.
                    unsafe { run(context, iv, len, to, from) };
                });
            }
        }
        Ok(())
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        chain(self.decrypt, &self.decrypt_key, self.block_len, iv, data);
        Ok(())
    }
}

struct Ctr {
    block_len: usize,
    crypt: sys::Chain,
    key: Key,
}

impl Context for Ctr {
    fn name(&self) -> &CStr {
        c"nettle/ctr"
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        chain(self.crypt, &self.key, self.block_len, iv, data);
        Ok(())
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.encrypt(iv, data)
    }
}

/// Runs CBC or CTR over whole blocks.
fn chain(run: sys::Chain, key: &Key, block_len: usize, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) {
    let (context, function) = key.parts();
    with_iv(block_len, iv, |iv| {
        let len = data.len();
        let (from, to) = data.into_raw();
        // SAFETY: the context is one of the function's, whose blocks have the length given. The IV is a block and may be
        // written. Each buffer has `len` bytes, whole blocks, and they are the same or disjoint, which the library allows.
        unsafe { run(context, function, block_len, iv, len, to, from) };
    });
}

/// Lends the IV to a mode of the library, which leaves in it what the next call starts from.
fn with_iv(block_len: usize, iv: &mut Iv, run: impl FnOnce(*mut u8)) {
    let mut block = Zeroizing::new(*iv.bytes());
    run(block.as_mut_ptr());
    iv.set(&block[..block_len]);
}

struct XtsKeys {
    encrypt: Key,
    decrypt: Key,
    tweak: Key,
}

/// The library's own XTS. Its functions for AES do the same, with keys that they ask to be allowed to write to.
struct XtsUnits {
    encrypt: sys::XtsEncrypt,
    decrypt: sys::XtsDecrypt,
    keys: XtsKeys,
}

impl Context for XtsUnits {
    fn name(&self) -> &CStr {
        c"nettle/xts"
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        let (context, function) = self.keys.encrypt.parts();
        let (tweak_context, _) = self.keys.tweak.parts();
        let len = data.len();
        let (from, to) = data.into_raw();
        // SAFETY: both contexts are those of the function, whose blocks have 16 bytes, and so has the IV. Each buffer has
        // `len` bytes, whole blocks and not none, and they are the same or disjoint, which the library allows.
        unsafe {
            (self.encrypt)(context, tweak_context, function, iv.bytes().as_ptr(), len, to, from);
        }
        Ok(())
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        let (context, backward) = self.keys.decrypt.parts();
        let (tweak_context, forward) = self.keys.tweak.parts();
        let iv = iv.bytes().as_ptr();
        let len = data.len();
        let (from, to) = data.into_raw();
        // SAFETY: as in `encrypt`, with a function for each context.
        unsafe {
            (self.decrypt)(context, tweak_context, backward, forward, iv, len, to, from);
        }
        Ok(())
    }
}

/// Our XTS over the library's block cipher.
struct XtsBlocks(XtsKeys);

impl XtsBlocks {
    fn crypt(&self, key: &Key, iv: &Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        let mut tweak = Zeroizing::new(*iv.bytes());
        self.0.tweak.run(tweak.as_mut_slice().into());
        xts::crypt(u128::from_le_bytes(*tweak), data, |blocks| {
            key.run(blocks.into());
            Ok(())
        })
    }
}

impl Context for XtsBlocks {
    fn name(&self) -> &CStr {
        c"nettle/ecb+xts"
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.crypt(&self.0.encrypt, iv, data)
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.crypt(&self.0.decrypt, iv, data)
    }
}
