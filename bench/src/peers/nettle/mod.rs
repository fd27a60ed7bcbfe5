//! Nettle.
#![expect(unsafe_code, reason = "calls a C library")]

mod cipher;
mod hash;

use std::ffi::{c_int, c_uint, c_void};
use std::rc::Rc;

use super::{CipherEngine, Derivation, Digest, Library, Opened, Refusal, SectorEngine, dynamic};
use crate::algorithm::{Disk, Hash, Spec};

type SetKey = unsafe extern "C" fn(*mut c_void, *const u8);
/// Whole blocks one by one: ECB.
type Bulk = unsafe extern "C" fn(*const c_void, usize, *mut u8, *const u8);
/// CBC or CTR over any cipher.
type Chain = unsafe extern "C" fn(*const c_void, Bulk, usize, *mut u8, usize, *mut u8, *const u8);
/// CBC of one cipher.
type AesChain = unsafe extern "C" fn(*const c_void, *mut u8, usize, *mut u8, *const u8);
/// XTS over any cipher; decryption needs the tweak's way round too.
type XtsEncrypt =
    unsafe extern "C" fn(*const c_void, *const c_void, Bulk, *const u8, usize, *mut u8, *const u8);
type XtsDecrypt = unsafe extern "C" fn(
    *const c_void,
    *const c_void,
    Bulk,
    Bulk,
    *const u8,
    usize,
    *mut u8,
    *const u8,
);
/// XTS of one cipher.
type AesXts = unsafe extern "C" fn(*const c_void, *const u8, usize, *mut u8, *const u8);

/// `struct nettle_cipher`, whose sizes make us independent of those in the headers: they change with the major.
#[repr(C)]
#[derive(Clone, Copy)]
struct Description {
    name: *const u8,
    context_size: c_uint,
    block_size: c_uint,
    key_size: c_uint,
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    encrypt: Bulk,
    decrypt: Bulk,
}

type SetKeyOfLength = unsafe extern "C" fn(*mut c_void, usize, *const u8);
type Update = unsafe extern "C" fn(*mut c_void, usize, *const u8);
type Derive = unsafe extern "C" fn(usize, *const u8, c_uint, usize, *const u8, usize, *mut u8);
type TakePart = unsafe extern "C" fn(*mut c_void, usize, *mut u8);
type TakeWhole = unsafe extern "C" fn(*mut c_void, *mut u8);

/// Takes the digest. Up to Nettle 3 the caller says how much of it is wanted; since 4 it is always the whole.
#[repr(C)]
#[derive(Clone, Copy)]
union Taker {
    part: TakePart,
    whole: TakeWhole,
}

/// `struct nettle_hash`.
#[repr(C)]
#[derive(Clone, Copy)]
struct HashDescription {
    name: *const u8,
    context_size: c_uint,
    digest_size: c_uint,
    block_size: c_uint,
    init: unsafe extern "C" fn(*mut c_void),
    update: Update,
    digest: Taker,
}

/// `struct nettle_mac`.
#[repr(C)]
#[derive(Clone, Copy)]
struct MacDescription {
    name: *const u8,
    context_size: c_uint,
    digest_size: c_uint,
    key_size: c_uint,
    set_key: SetKey,
    update: Update,
    digest: Taker,
}

dynamic::functions! {
    /// What is used of Nettle's headers.
    struct Functions {
        nettle_version_major: unsafe extern "C" fn() -> c_int,
        nettle_version_minor: unsafe extern "C" fn() -> c_int,
        nettle_aes128: *const Description,
        nettle_aes192: *const Description,
        nettle_aes256: *const Description,
        nettle_cast128: *const Description,
        nettle_serpent128: *const Description,
        nettle_serpent192: *const Description,
        nettle_serpent256: *const Description,
        nettle_twofish128: *const Description,
        nettle_twofish192: *const Description,
        nettle_twofish256: *const Description,
        nettle_cbc_encrypt: Chain,
        nettle_cbc_decrypt: Chain,
        nettle_ctr_crypt: Chain,
    }
    optional {
        nettle_sm4: *const Description,
        nettle_cbc_aes128_encrypt: AesChain,
        nettle_cbc_aes192_encrypt: AesChain,
        nettle_cbc_aes256_encrypt: AesChain,
        nettle_xts_encrypt_message: XtsEncrypt,
        nettle_xts_decrypt_message: XtsDecrypt,
        nettle_xts_aes128_set_encrypt_key: SetKey,
        nettle_xts_aes128_set_decrypt_key: SetKey,
        nettle_xts_aes128_encrypt_message: AesXts,
        nettle_xts_aes128_decrypt_message: AesXts,
        nettle_xts_aes256_set_encrypt_key: SetKey,
        nettle_xts_aes256_set_decrypt_key: SetKey,
        nettle_xts_aes256_encrypt_message: AesXts,
        nettle_xts_aes256_decrypt_message: AesXts,
        nettle_md5: *const HashDescription,
        nettle_sha1: *const HashDescription,
        nettle_sha224: *const HashDescription,
        nettle_sha256: *const HashDescription,
        nettle_sha384: *const HashDescription,
        nettle_sha512: *const HashDescription,
        nettle_ripemd160: *const HashDescription,
        nettle_sm3: *const HashDescription,
        nettle_hmac_md5: *const MacDescription,
        nettle_hmac_sha1: *const MacDescription,
        nettle_hmac_sha224: *const MacDescription,
        nettle_hmac_sha256: *const MacDescription,
        nettle_hmac_sha384: *const MacDescription,
        nettle_hmac_sha512: *const MacDescription,
        nettle_hmac_ripemd160: *const MacDescription,
        nettle_hmac_sm3: *const MacDescription,
        nettle_hmac_md5_set_key: SetKeyOfLength,
        nettle_hmac_sha1_set_key: SetKeyOfLength,
        nettle_hmac_sha224_set_key: SetKeyOfLength,
        nettle_hmac_sha256_set_key: SetKeyOfLength,
        nettle_hmac_sha384_set_key: SetKeyOfLength,
        nettle_hmac_sha512_set_key: SetKeyOfLength,
        nettle_hmac_ripemd160_set_key: SetKeyOfLength,
        nettle_hmac_sm3_set_key: SetKeyOfLength,
        nettle_pbkdf2_hmac_sha1: Derive,
        nettle_pbkdf2_hmac_sha256: Derive,
        nettle_pbkdf2_hmac_sha384: Derive,
        nettle_pbkdf2_hmac_sha512: Derive,
    }
}

pub(super) struct Nettle {
    functions: Functions,
    major: c_int,
}

pub(super) fn open() -> Result<Opened<Nettle>, String> {
    let library = dynamic::open(&["libnettle.so.8", "libnettle.so.9"])?;
    // SAFETY: the declarations are those of the headers of Nettle 3 and 4; that it is one of them is checked below,
    // by functions that every version has, before anything else is called.
    let functions = unsafe { Functions::load(library)? };
    // SAFETY: no arguments, nothing to go wrong.
    let (major, minor) =
        unsafe { ((functions.nettle_version_major)(), (functions.nettle_version_minor)()) };
    if !(3..=4).contains(&major) {
        return Err(format!("version {major}.{minor}: its interface is not known here"));
    }
    Ok(Opened {
        library: Nettle { functions, major },
        name: "nettle",
        version: format!("{major}.{minor}"),
    })
}

impl Library for Nettle {
    fn cipher(self: Rc<Self>, spec: Spec) -> Result<Box<dyn CipherEngine>, Refusal> {
        super::cipher::open::<cipher::Cipher>(self, spec)
    }

    fn sectors(self: Rc<Self>, disk: Disk) -> Result<Box<dyn SectorEngine>, Refusal> {
        super::sectors::one_by_one::<cipher::Cipher>(self, disk)
    }

    fn hash(self: Rc<Self>, hash: Hash) -> Result<Box<dyn Digest>, Refusal> {
        Ok(Box::new(hash::Keeping::hash(self, hash)?))
    }

    fn hmac(self: Rc<Self>, hash: Hash, key: &[u8]) -> Result<Box<dyn Digest>, Refusal> {
        Ok(Box::new(hash::Keeping::hmac(self, hash, key)?))
    }

    fn pbkdf2(self: Rc<Self>, hash: Hash) -> Result<Box<dyn Derivation>, Refusal> {
        Ok(Box::new(hash::Pbkdf2::new(self, hash)?))
    }
}

/// A context of Nettle's: no version asks for more than this alignment.
#[repr(align(16))]
#[derive(Clone, Copy)]
struct Lane {
    _bytes: [u8; 16],
}

struct Context(Vec<Lane>);

impl Context {
    /// Zeroes, for the library to make something of.
    fn new(size: usize) -> Self {
        Self(vec![Lane { _bytes: [0; 16] }; size.div_ceil(size_of::<Lane>())])
    }

    fn get(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }

    fn get_mut(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}
