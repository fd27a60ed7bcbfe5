//! The functions it picks by CPU where it has them, the generic ones elsewhere. None of them can fail.
#![expect(unsafe_code, reason = "calls a C library")]

use std::rc::Rc;

use super::{
    AesChain, AesXts, Bulk, Chain, Context, Description, Nettle, SetKey, XtsDecrypt, XtsEncrypt,
};
use crate::algorithm::{Algorithm, Direction, Mode, Spec};
use crate::peers::Refusal;
use crate::peers::cipher::{Keyed, keep_iv};

impl Nettle {
    fn describe(&self, algorithm: Algorithm) -> Result<Description, Refusal> {
        let functions = &self.functions;
        let described = match algorithm {
            Algorithm::Aes128 => Some(functions.nettle_aes128),
            Algorithm::Aes192 => Some(functions.nettle_aes192),
            Algorithm::Aes256 => Some(functions.nettle_aes256),
            Algorithm::Cast5 => Some(functions.nettle_cast128),
            Algorithm::Serpent128 => Some(functions.nettle_serpent128),
            Algorithm::Serpent192 => Some(functions.nettle_serpent192),
            Algorithm::Serpent256 => Some(functions.nettle_serpent256),
            Algorithm::Twofish128 => Some(functions.nettle_twofish128),
            Algorithm::Twofish192 => Some(functions.nettle_twofish192),
            Algorithm::Twofish256 => Some(functions.nettle_twofish256),
            Algorithm::Sm4 => functions.nettle_sm4,
            // Nettle has both, but does not describe them, and without a description there is no context size.
            Algorithm::Des | Algorithm::TripleDes => None,
        };
        let described = described
            .ok_or_else(|| Refusal::Unsupported("not described by the library".to_owned()))?;
        // SAFETY: the address of a constant of the library, which `self` keeps open.
        Ok(unsafe { *described })
    }

    fn aes_cbc(&self, algorithm: Algorithm) -> Option<AesChain> {
        match algorithm {
            Algorithm::Aes128 => self.functions.nettle_cbc_aes128_encrypt,
            Algorithm::Aes192 => self.functions.nettle_cbc_aes192_encrypt,
            Algorithm::Aes256 => self.functions.nettle_cbc_aes256_encrypt,
            _ => None,
        }
    }

    fn aes_xts(&self, algorithm: Algorithm) -> Option<AesXtsFunctions> {
        let functions = &self.functions;
        match algorithm {
            Algorithm::Aes128 => Some(AesXtsFunctions {
                set_encrypt_key: functions.nettle_xts_aes128_set_encrypt_key?,
                set_decrypt_key: functions.nettle_xts_aes128_set_decrypt_key?,
                encrypt: functions.nettle_xts_aes128_encrypt_message?,
                decrypt: functions.nettle_xts_aes128_decrypt_message?,
            }),
            Algorithm::Aes256 => Some(AesXtsFunctions {
                set_encrypt_key: functions.nettle_xts_aes256_set_encrypt_key?,
                set_decrypt_key: functions.nettle_xts_aes256_set_decrypt_key?,
                encrypt: functions.nettle_xts_aes256_encrypt_message?,
                decrypt: functions.nettle_xts_aes256_decrypt_message?,
            }),
            _ => None,
        }
    }
}

/// A context with its key.
///
/// # Safety
/// `size` is that of the context `set_key` fills, and `key` is as long as it expects.
unsafe fn keyed(size: usize, set_key: SetKey, key: &[u8]) -> Context {
    let mut context = Context::new(size);
    // SAFETY: the memory is as large as the caller says it must be, and aligned.
    unsafe { set_key(context.get_mut(), key.as_ptr()) };
    context
}

struct AesXtsFunctions {
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    encrypt: AesXts,
    decrypt: AesXts,
}

/// The functions that serve, chosen with the key.
enum Serve {
    Ecb { encrypt: Bulk, decrypt: Bulk },
    CbcAes { encrypt: AesChain, decrypt: Chain, block: Bulk },
    Cbc { encrypt: Chain, decrypt: Chain, forward: Bulk, backward: Bulk },
    Ctr { crypt: Chain, block: Bulk },
    XtsAes { encrypt: AesXts, decrypt: AesXts },
    Xts { encrypt: XtsEncrypt, decrypt: XtsDecrypt, forward: Bulk, backward: Bulk, tweak: Context },
}

pub(super) struct Cipher {
    serve: Serve,
    encryption: Context,
    decryption: Context,
    iv: [u8; 16],
    block_len: usize,
    /// Keeps the functions above where they are.
    _library: Rc<Nettle>,
}

impl Keyed for Cipher {
    type Library = Nettle;

    fn new(library: &Rc<Nettle>, spec: Spec, key: &[u8]) -> Result<Self, Refusal> {
        let described = library.describe(spec.algorithm)?;
        if described.key_size as usize != spec.algorithm.key_len() {
            return Err(Refusal::Failed(format!("wants a key of {} bytes", described.key_size)));
        }
        let mut size = described.context_size as usize;
        let (mut set_encrypt_key, mut set_decrypt_key) =
            (described.set_encrypt_key, described.set_decrypt_key);
        let serve = match spec.mode {
            Mode::Ecb => Serve::Ecb { encrypt: described.encrypt, decrypt: described.decrypt },
            Mode::Cbc => match library.aes_cbc(spec.algorithm) {
                Some(encrypt) => Serve::CbcAes {
                    encrypt,
                    decrypt: library.functions.nettle_cbc_decrypt,
                    block: described.decrypt,
                },
                None => Serve::Cbc {
                    encrypt: library.functions.nettle_cbc_encrypt,
                    decrypt: library.functions.nettle_cbc_decrypt,
                    forward: described.encrypt,
                    backward: described.decrypt,
                },
            },
            Mode::Ctr => {
                Serve::Ctr { crypt: library.functions.nettle_ctr_crypt, block: described.encrypt }
            }
            Mode::Xts => match library.aes_xts(spec.algorithm) {
                Some(functions) => {
                    // struct xts_aes*_key: the cipher's context and, behind it, the tweak's.
                    size *= 2;
                    (set_encrypt_key, set_decrypt_key) =
                        (functions.set_encrypt_key, functions.set_decrypt_key);
                    Serve::XtsAes { encrypt: functions.encrypt, decrypt: functions.decrypt }
                }
                None => library.generic_xts(&described, key)?,
            },
        };
        Ok(Self {
            serve,
            // SAFETY: the size comes from the library's own description of this cipher, twice that for the pair of
            // contexts of its XTS, and the key is as long as that description says, checked above; XTS has two.
            encryption: unsafe { keyed(size, set_encrypt_key, key) },
            // SAFETY: as above.
            decryption: unsafe { keyed(size, set_decrypt_key, key) },
            iv: [0; 16],
            block_len: spec.algorithm.block_len(),
            _library: Rc::clone(library),
        })
    }

    fn set_iv(&mut self, _direction: Direction, iv: &[u8]) -> Result<(), String> {
        keep_iv(&mut self.iv, iv);
        Ok(())
    }

    fn encrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        let (context, iv, block_len) =
            (self.encryption.get(), self.iv.as_mut_ptr(), self.block_len);
        let (len, to, from) = (input.len(), output.as_mut_ptr(), input.as_ptr());
        // SAFETY: the context was made for this function by `new`; both buffers have `len` bytes, a multiple of the
        // block; the IV has room for a block.
        unsafe {
            match &self.serve {
                Serve::Ecb { encrypt, .. } => encrypt(context, len, to, from),
                Serve::CbcAes { encrypt, .. } => encrypt(context, iv, len, to, from),
                Serve::Cbc { encrypt, forward, .. } => {
                    encrypt(context, *forward, block_len, iv, len, to, from)
                }
                Serve::Ctr { crypt, block } => crypt(context, *block, block_len, iv, len, to, from),
                Serve::XtsAes { encrypt, .. } => encrypt(context, iv, len, to, from),
                Serve::Xts { encrypt, forward, tweak, .. } => {
                    encrypt(context, tweak.get(), *forward, iv, len, to, from);
                }
            }
        }
        Ok(())
    }

    fn decrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        let (context, iv, block_len) =
            (self.decryption.get(), self.iv.as_mut_ptr(), self.block_len);
        let (len, to, from) = (input.len(), output.as_mut_ptr(), input.as_ptr());
        // SAFETY: as in `encrypt`; CTR decrypts by encrypting the counter.
        unsafe {
            match &self.serve {
                Serve::Ecb { decrypt, .. } => decrypt(context, len, to, from),
                Serve::CbcAes { decrypt, block, .. } => {
                    decrypt(context, *block, block_len, iv, len, to, from)
                }
                Serve::Cbc { decrypt, backward, .. } => {
                    decrypt(context, *backward, block_len, iv, len, to, from)
                }
                Serve::Ctr { crypt, block } => {
                    crypt(self.encryption.get(), *block, block_len, iv, len, to, from)
                }
                Serve::XtsAes { decrypt, .. } => decrypt(context, iv, len, to, from),
                Serve::Xts { decrypt, forward, backward, tweak, .. } => {
                    decrypt(context, tweak.get(), *backward, *forward, iv, len, to, from);
                }
            }
        }
        Ok(())
    }
}

impl Nettle {
    fn generic_xts(&self, described: &Description, key: &[u8]) -> Result<Serve, Refusal> {
        let (Some(encrypt), Some(decrypt)) =
            (self.functions.nettle_xts_encrypt_message, self.functions.nettle_xts_decrypt_message)
        else {
            return Err(Refusal::Unsupported("no XTS before version 3.5".to_owned()));
        };
        let tweak_key = &key[key.len() / 2..];
        // SAFETY: the size is the description's, and `new` has compared the key's length with it.
        let tweak =
            unsafe { keyed(described.context_size as usize, described.set_encrypt_key, tweak_key) };
        Ok(Serve::Xts {
            encrypt,
            decrypt,
            forward: described.encrypt,
            backward: described.decrypt,
            tweak,
        })
    }
}
