//! Headers of Nettle 3.6 and later and 4, whose sonames are libnettle.so.8 and libnettle.so.9.
//!
//! Where contexts differ between the two, their sizes come from the library's own descriptions.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `nettle_set_key_func`, for keys of the one length that is described.
pub(crate) type SetKey = unsafe extern "C" fn(*mut c_void, *const u8);
/// `nettle_des_set_key` and its like, which sets every key and returns whether it is a good one.
pub(crate) type SetAnyKey = unsafe extern "C" fn(*mut c_void, *const u8) -> c_int;
/// `nettle_cipher_func`: whole blocks, to and from.
pub(crate) type Blocks = unsafe extern "C" fn(*const c_void, usize, *mut u8, *const u8);
/// `nettle_cbc_encrypt`, `nettle_cbc_decrypt` and `nettle_ctr_crypt`: cipher, its block length, IV, data.
pub(crate) type Chain =
    unsafe extern "C" fn(*const c_void, Blocks, usize, *mut u8, usize, *mut u8, *const u8);
/// `nettle_cbc_aes128_encrypt` and its like
pub(crate) type AesChain = unsafe extern "C" fn(*const c_void, *mut u8, usize, *mut u8, *const u8);
/// `nettle_xts_encrypt_message`: data and tweak key, the cipher, tweak, data.
pub(crate) type XtsEncrypt = unsafe extern "C" fn(
    *const c_void,
    *const c_void,
    Blocks,
    *const u8,
    usize,
    *mut u8,
    *const u8,
);
/// `nettle_xts_decrypt_message`: the same with the cipher backward for the data, and forward for the tweak.
pub(crate) type XtsDecrypt = unsafe extern "C" fn(
    *const c_void,
    *const c_void,
    Blocks,
    Blocks,
    *const u8,
    usize,
    *mut u8,
    *const u8,
);

/// `struct nettle_cipher`
#[repr(C)]
pub(crate) struct Cipher {
    pub(crate) name: *const c_char,
    pub(crate) context_size: c_uint,
    pub(crate) block_size: c_uint,
    pub(crate) key_size: c_uint,
    pub(crate) set_encrypt_key: SetKey,
    pub(crate) set_decrypt_key: SetKey,
    pub(crate) encrypt: Blocks,
    pub(crate) decrypt: Blocks,
}

/// `uint32_t`s of `struct des3_ctx`: the round keys of three DES keys. DES has the first of them.
pub(crate) const DES3_CONTEXT_WORDS: usize = 3 * 32;

/// `nettle_hash_update_func`
pub(crate) type Update = unsafe extern "C" fn(*mut c_void, usize, *const u8);
/// `nettle_hash_digest_func` of Nettle 3: as much of the digest as the caller says.
pub(crate) type DigestPart = unsafe extern "C" fn(*mut c_void, usize, *mut u8);
/// `nettle_hash_digest_func` of Nettle 4: the whole.
pub(crate) type DigestWhole = unsafe extern "C" fn(*mut c_void, *mut u8);

/// `nettle_hash_digest_func`
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union Digest {
    pub(crate) part: DigestPart,
    pub(crate) whole: DigestWhole,
}

/// `nettle_hmac_md5_set_key` and its like
pub(crate) type SetKeyOfLength = unsafe extern "C" fn(*mut c_void, usize, *const u8);
/// `nettle_pbkdf2`: HMAC that has its key, its functions and digest length, iterations, salt, key. The version's
/// `nettle_hash_digest_func` is handed on as what it is.
pub(crate) type Derive = unsafe extern "C" fn(
    *mut c_void,
    Update,
    DigestPart,
    usize,
    c_uint,
    usize,
    *const u8,
    usize,
    *mut u8,
);

/// `struct nettle_hash`
#[repr(C)]
pub(crate) struct Hash {
    pub(crate) name: *const c_char,
    pub(crate) context_size: c_uint,
    pub(crate) digest_size: c_uint,
    pub(crate) block_size: c_uint,
    pub(crate) init: unsafe extern "C" fn(*mut c_void),
    pub(crate) update: Update,
    pub(crate) digest: Digest,
}

/// `struct nettle_mac`
#[repr(C)]
pub(crate) struct Mac {
    pub(crate) name: *const c_char,
    pub(crate) context_size: c_uint,
    pub(crate) digest_size: c_uint,
    pub(crate) key_size: c_uint,
    pub(crate) set_key: SetKey,
    pub(crate) update: Update,
    pub(crate) digest: Digest,
}

// SAFETY: constants of the library, with a pointer to another.
unsafe impl Sync for Cipher {}
// SAFETY: as above.
unsafe impl Sync for Hash {}
// SAFETY: as above.
unsafe impl Sync for Mac {}

super::functions! {
    /// What says which version it is, the same in every one.
    pub(crate) struct Version {
        nettle_version_major: unsafe extern "C" fn() -> c_int,
        nettle_version_minor: unsafe extern "C" fn() -> c_int,
    }
    optional {}
}

super::functions! {
    /// What is used of the library. Ciphers and hashes are left out by some builds, and came with later versions.
    pub(crate) struct Functions {
        nettle_cbc_encrypt: Chain,
        nettle_cbc_decrypt: Chain,
        nettle_ctr_crypt: Chain,
        nettle_pbkdf2: Derive,
    }
    optional {
        nettle_aes128: &'static Cipher,
        nettle_aes192: &'static Cipher,
        nettle_aes256: &'static Cipher,
        nettle_cast128: &'static Cipher,
        nettle_serpent128: &'static Cipher,
        nettle_serpent192: &'static Cipher,
        nettle_serpent256: &'static Cipher,
        nettle_twofish128: &'static Cipher,
        nettle_twofish192: &'static Cipher,
        nettle_twofish256: &'static Cipher,
        nettle_sm4: &'static Cipher,
        nettle_des_set_key: SetAnyKey,
        nettle_des_encrypt: Blocks,
        nettle_des_decrypt: Blocks,
        nettle_des3_set_key: SetAnyKey,
        nettle_des3_encrypt: Blocks,
        nettle_des3_decrypt: Blocks,
        nettle_cbc_aes128_encrypt: AesChain,
        nettle_cbc_aes192_encrypt: AesChain,
        nettle_cbc_aes256_encrypt: AesChain,
        nettle_xts_encrypt_message: XtsEncrypt,
        nettle_xts_decrypt_message: XtsDecrypt,
        nettle_md5: &'static Hash,
        nettle_sha1: &'static Hash,
        nettle_sha224: &'static Hash,
        nettle_sha256: &'static Hash,
        nettle_sha384: &'static Hash,
        nettle_sha512: &'static Hash,
        nettle_ripemd160: &'static Hash,
        nettle_sm3: &'static Hash,
        nettle_hmac_md5: &'static Mac,
        nettle_hmac_sha1: &'static Mac,
        nettle_hmac_sha224: &'static Mac,
        nettle_hmac_sha256: &'static Mac,
        nettle_hmac_sha384: &'static Mac,
        nettle_hmac_sha512: &'static Mac,
        nettle_hmac_ripemd160: &'static Mac,
        nettle_hmac_sm3: &'static Mac,
        nettle_hmac_md5_set_key: SetKeyOfLength,
        nettle_hmac_sha1_set_key: SetKeyOfLength,
        nettle_hmac_sha224_set_key: SetKeyOfLength,
        nettle_hmac_sha256_set_key: SetKeyOfLength,
        nettle_hmac_sha384_set_key: SetKeyOfLength,
        nettle_hmac_sha512_set_key: SetKeyOfLength,
        nettle_hmac_ripemd160_set_key: SetKeyOfLength,
        nettle_hmac_sm3_set_key: SetKeyOfLength,
    }
}
