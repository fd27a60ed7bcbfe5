//! Block ciphers of Nettle, and their keys.

use std::ffi::c_void;

use inout::InOutBuf;

use super::Opened;
use super::memory::Memory;
use crate::algorithm::CipherAlgorithm;
use crate::sys::nettle as sys;

/// Bytes of a context of DES or 3DES, for which the library has no description: twice those of Nettle 3's 3DES.
const DES_CONTEXT_LEN: usize = 2 * size_of::<[u32; sys::DES3_CONTEXT_WORDS]>();

/// What there is to know of a block cipher.
pub(super) struct BlockCipher {
    context_len: usize,
    set_keys: SetKeys,
    encrypt: sys::Blocks,
    decrypt: sys::Blocks,
}

enum SetKeys {
    /// To encrypt and to decrypt.
    Apart(sys::SetKey, sys::SetKey),
    /// For both, with an opinion on the key. A weak one is set all the same, and parity is not looked at.
    Alike(sys::SetAnyKey),
}

impl BlockCipher {
    /// What the library has of an algorithm, if it has it as we know it.
    pub(super) fn find(library: &Opened, algorithm: CipherAlgorithm) -> Option<Self> {
        use CipherAlgorithm as A;
        let functions = &library.functions;
        let described = match algorithm {
            A::Aes128 => functions.nettle_aes128,
            A::Aes192 => functions.nettle_aes192,
            A::Aes256 => functions.nettle_aes256,
            A::Des => {
                return Some(Self {
                    context_len: DES_CONTEXT_LEN,
                    set_keys: SetKeys::Alike(functions.nettle_des_set_key?),
                    encrypt: functions.nettle_des_encrypt?,
                    decrypt: functions.nettle_des_decrypt?,
                });
            }
            A::TripleDes => {
                return Some(Self {
                    context_len: DES_CONTEXT_LEN,
                    set_keys: SetKeys::Alike(functions.nettle_des3_set_key?),
                    encrypt: functions.nettle_des3_encrypt?,
                    decrypt: functions.nettle_des3_decrypt?,
                });
            }
            A::Cast5 => functions.nettle_cast128,
            A::Serpent128 => functions.nettle_serpent128,
            A::Serpent192 => functions.nettle_serpent192,
            A::Serpent256 => functions.nettle_serpent256,
            A::Twofish128 => functions.nettle_twofish128,
            A::Twofish192 => functions.nettle_twofish192,
            A::Twofish256 => functions.nettle_twofish256,
            A::Sm4 => functions.nettle_sm4,
        };
        Self::described(described?, algorithm)
    }

    fn described(cipher: &sys::Cipher, algorithm: CipherAlgorithm) -> Option<Self> {
        let is_ours = cipher.key_size as usize == algorithm.key_len()
            && cipher.block_size as usize == algorithm.block_len();
        is_ours.then_some(Self {
            context_len: cipher.context_size as usize,
            set_keys: SetKeys::Apart(cipher.set_encrypt_key, cipher.set_decrypt_key),
            encrypt: cipher.encrypt,
            decrypt: cipher.decrypt,
        })
    }

    /// Sets a key of the algorithm's length to encrypt.
    pub(super) fn encrypting(&self, key: &[u8]) -> Key {
        self.keyed(key, self.encrypt, |(to_encrypt, _)| to_encrypt)
    }

    /// Sets a key of the algorithm's length to decrypt.
    pub(super) fn decrypting(&self, key: &[u8]) -> Key {
        self.keyed(key, self.decrypt, |(_, to_decrypt)| to_decrypt)
    }

    fn keyed(
        &self,
        key: &[u8],
        function: sys::Blocks,
        pick: impl Fn((sys::SetKey, sys::SetKey)) -> sys::SetKey,
    ) -> Key {
        let mut context = Memory::new(self.context_len);
        match self.set_keys {
            SetKeys::Apart(to_encrypt, to_decrypt) => {
                let set_key = pick((to_encrypt, to_decrypt));
                // SAFETY: the context is as large as the cipher's must be, and the caller vouches for the key's length.
                unsafe { set_key(context.get_mut(), key.as_ptr()) };
            }
            SetKeys::Alike(set_key) => {
                // SAFETY: as above.
                unsafe { set_key(context.get_mut(), key.as_ptr()) };
            }
        }
        Key { context, function }
    }
}

/// A key that is set for one direction.
pub(super) struct Key {
    context: Memory,
    function: sys::Blocks,
}

impl Key {
    /// What the library's modes ask for: a context, and the function that it is of. The context is only read.
    pub(super) fn parts(&self) -> (*const c_void, sys::Blocks) {
        (self.context.get(), self.function)
    }

    /// Runs the cipher over whole blocks, each by itself.
    pub(super) fn run(&self, data: InOutBuf<'_, '_, u8>) {
        let len = data.len();
        let (from, to) = data.into_raw();
        // SAFETY: the context is one of the function's. Each buffer has `len` bytes, whole blocks, and they are the same
        // or disjoint, which the library allows.
        unsafe { (self.function)(self.context.get(), len, to, from) };
    }
}
