//! qapi/qapi-types-crypto.h: the enums under their C names.
//!
//! They exist for the header. Entry points take the numbers as `c_uint`: an enum argument from C can hold any integer,
//! which a Rust enum must not. Unit tests tie these numbers to those of [`crate::algorithm`].

#![allow(non_camel_case_types, missing_docs, reason = "QAPI's own names, each saying what it is")]

use std::ffi::c_uint;

/// An argument of type `QCryptoCipherAlgo`.
pub type CipherAlgoArg = c_uint;

/// An argument of type `QCryptoCipherMode`.
pub type CipherModeArg = c_uint;

/// An argument of type `QCryptoHashAlgo`.
pub type HashAlgoArg = c_uint;

/// An argument of type `QCryptoIVGenAlgo`.
pub type IvGenAlgoArg = c_uint;

/// QCryptoHashAlgo:
///
/// The supported algorithms for computing content digests. The numbers are those of QEMU since 2.7.
#[derive(Clone, Copy)]
#[repr(C)]
pub enum QCryptoHashAlgo {
    QCRYPTO_HASH_ALGO_MD5 = 0,
    QCRYPTO_HASH_ALGO_SHA1 = 1,
    QCRYPTO_HASH_ALGO_SHA224 = 2,
    QCRYPTO_HASH_ALGO_SHA256 = 3,
    QCRYPTO_HASH_ALGO_SHA384 = 4,
    QCRYPTO_HASH_ALGO_SHA512 = 5,
    QCRYPTO_HASH_ALGO_RIPEMD160 = 6,
    QCRYPTO_HASH_ALGO_SM3 = 7,
    QCRYPTO_HASH_ALGO__MAX = 8,
}

/// QCryptoCipherAlgo:
///
/// The supported algorithms for content encryption ciphers. The numbers are those of QEMU since 2.9.
#[derive(Clone, Copy)]
#[repr(C)]
pub enum QCryptoCipherAlgo {
    QCRYPTO_CIPHER_ALGO_AES_128 = 0,
    QCRYPTO_CIPHER_ALGO_AES_192 = 1,
    QCRYPTO_CIPHER_ALGO_AES_256 = 2,
    QCRYPTO_CIPHER_ALGO_DES = 3,
    QCRYPTO_CIPHER_ALGO_3DES = 4,
    QCRYPTO_CIPHER_ALGO_CAST5_128 = 5,
    QCRYPTO_CIPHER_ALGO_SERPENT_128 = 6,
    QCRYPTO_CIPHER_ALGO_SERPENT_192 = 7,
    QCRYPTO_CIPHER_ALGO_SERPENT_256 = 8,
    QCRYPTO_CIPHER_ALGO_TWOFISH_128 = 9,
    QCRYPTO_CIPHER_ALGO_TWOFISH_192 = 10,
    QCRYPTO_CIPHER_ALGO_TWOFISH_256 = 11,
    QCRYPTO_CIPHER_ALGO_SM4 = 12,
    QCRYPTO_CIPHER_ALGO__MAX = 13,
}

/// QCryptoCipherMode:
///
/// The supported modes for content encryption ciphers. The numbers are those of QEMU since 2.8.
#[derive(Clone, Copy)]
#[repr(C)]
pub enum QCryptoCipherMode {
    QCRYPTO_CIPHER_MODE_ECB = 0,
    QCRYPTO_CIPHER_MODE_CBC = 1,
    QCRYPTO_CIPHER_MODE_XTS = 2,
    QCRYPTO_CIPHER_MODE_CTR = 3,
    QCRYPTO_CIPHER_MODE__MAX = 4,
}

/// QCryptoIVGenAlgo:
///
/// The supported rules for generating initialization vectors. The numbers are those of QEMU since 2.6.
#[derive(Clone, Copy)]
#[repr(C)]
pub enum QCryptoIVGenAlgo {
    QCRYPTO_IV_GEN_ALGO_PLAIN = 0,
    QCRYPTO_IV_GEN_ALGO_PLAIN64 = 1,
    QCRYPTO_IV_GEN_ALGO_ESSIV = 2,
    QCRYPTO_IV_GEN_ALGO__MAX = 3,
}

#[cfg(test)]
mod tests {
    use super::QCryptoCipherAlgo as Algo;
    use super::QCryptoCipherMode as Mode;
    use super::QCryptoHashAlgo as Hash;
    use super::QCryptoIVGenAlgo as IvGen;
    use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm, IvGenAlgorithm};

    #[test]
    fn numbers_agree_with_the_core() {
        use CipherAlgorithm as A;
        let pairs = [
            (Algo::QCRYPTO_CIPHER_ALGO_AES_128, A::Aes128),
            (Algo::QCRYPTO_CIPHER_ALGO_AES_192, A::Aes192),
            (Algo::QCRYPTO_CIPHER_ALGO_AES_256, A::Aes256),
            (Algo::QCRYPTO_CIPHER_ALGO_DES, A::Des),
            (Algo::QCRYPTO_CIPHER_ALGO_3DES, A::TripleDes),
            (Algo::QCRYPTO_CIPHER_ALGO_CAST5_128, A::Cast5),
            (Algo::QCRYPTO_CIPHER_ALGO_SERPENT_128, A::Serpent128),
            (Algo::QCRYPTO_CIPHER_ALGO_SERPENT_192, A::Serpent192),
            (Algo::QCRYPTO_CIPHER_ALGO_SERPENT_256, A::Serpent256),
            (Algo::QCRYPTO_CIPHER_ALGO_TWOFISH_128, A::Twofish128),
            (Algo::QCRYPTO_CIPHER_ALGO_TWOFISH_192, A::Twofish192),
            (Algo::QCRYPTO_CIPHER_ALGO_TWOFISH_256, A::Twofish256),
            (Algo::QCRYPTO_CIPHER_ALGO_SM4, A::Sm4),
        ];
        assert_eq!(pairs.len(), Algo::QCRYPTO_CIPHER_ALGO__MAX as usize);
        for (c, core) in pairs {
            assert_eq!(c as u32, core as u32);
        }

        let pairs = [
            (Mode::QCRYPTO_CIPHER_MODE_ECB, CipherMode::Ecb),
            (Mode::QCRYPTO_CIPHER_MODE_CBC, CipherMode::Cbc),
            (Mode::QCRYPTO_CIPHER_MODE_XTS, CipherMode::Xts),
            (Mode::QCRYPTO_CIPHER_MODE_CTR, CipherMode::Ctr),
        ];
        assert_eq!(pairs.len(), Mode::QCRYPTO_CIPHER_MODE__MAX as usize);
        for (c, core) in pairs {
            assert_eq!(c as u32, core as u32);
        }

        let pairs = [
            (Hash::QCRYPTO_HASH_ALGO_MD5, HashAlgorithm::Md5),
            (Hash::QCRYPTO_HASH_ALGO_SHA1, HashAlgorithm::Sha1),
            (Hash::QCRYPTO_HASH_ALGO_SHA224, HashAlgorithm::Sha224),
            (Hash::QCRYPTO_HASH_ALGO_SHA256, HashAlgorithm::Sha256),
            (Hash::QCRYPTO_HASH_ALGO_SHA384, HashAlgorithm::Sha384),
            (Hash::QCRYPTO_HASH_ALGO_SHA512, HashAlgorithm::Sha512),
            (Hash::QCRYPTO_HASH_ALGO_RIPEMD160, HashAlgorithm::Ripemd160),
            (Hash::QCRYPTO_HASH_ALGO_SM3, HashAlgorithm::Sm3),
        ];
        assert_eq!(pairs.len(), Hash::QCRYPTO_HASH_ALGO__MAX as usize);
        for (c, core) in pairs {
            assert_eq!(c as u32, core as u32);
        }

        let pairs = [
            (IvGen::QCRYPTO_IV_GEN_ALGO_PLAIN, IvGenAlgorithm::Plain),
            (IvGen::QCRYPTO_IV_GEN_ALGO_PLAIN64, IvGenAlgorithm::Plain64),
            (IvGen::QCRYPTO_IV_GEN_ALGO_ESSIV, IvGenAlgorithm::Essiv),
        ];
        assert_eq!(pairs.len(), IvGen::QCRYPTO_IV_GEN_ALGO__MAX as usize);
        for (c, core) in pairs {
            assert_eq!(c as u32, core as u32);
        }
    }
}
