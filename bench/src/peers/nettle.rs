//! Nettle: the functions it picks by CPU where it has them, the generic ones elsewhere. None of them can fail.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_int, c_uint, c_void};
use std::rc::Rc;

use super::{Keyed, Opened, Refusal, dynamic, keep_iv};
use crate::algorithm::{Algorithm, Direction, Mode, Spec};

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
    }
}

pub(super) struct Nettle(Functions);

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
    Ok(Opened { library: Nettle(functions), name: "nettle", version: format!("{major}.{minor}") })
}

impl Nettle {
    fn describe(&self, algorithm: Algorithm) -> Result<Description, Refusal> {
        let functions = &self.0;
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
            Algorithm::Aes128 => self.0.nettle_cbc_aes128_encrypt,
            Algorithm::Aes192 => self.0.nettle_cbc_aes192_encrypt,
            Algorithm::Aes256 => self.0.nettle_cbc_aes256_encrypt,
            _ => None,
        }
    }

    fn aes_xts(&self, algorithm: Algorithm) -> Option<AesXtsFunctions> {
        let functions = &self.0;
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

struct AesXtsFunctions {
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    encrypt: AesXts,
    decrypt: AesXts,
}

/// A context of Nettle's: no version asks for more than this alignment.
#[repr(align(16))]
#[derive(Clone, Copy)]
struct Lane {
    _bytes: [u8; 16],
}

struct Context(Vec<Lane>);

impl Context {
    /// # Safety
    /// `size` is that of the context `set_key` fills, and `key` is as long as it expects.
    unsafe fn new(size: usize, set_key: SetKey, key: &[u8]) -> Self {
        let mut lanes = vec![Lane { _bytes: [0; 16] }; size.div_ceil(size_of::<Lane>())];
        // SAFETY: the memory is as large as the caller says it must be, and aligned.
        unsafe { set_key(lanes.as_mut_ptr().cast(), key.as_ptr()) };
        Self(lanes)
    }

    fn get(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }
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
                    decrypt: library.0.nettle_cbc_decrypt,
                    block: described.decrypt,
                },
                None => Serve::Cbc {
                    encrypt: library.0.nettle_cbc_encrypt,
                    decrypt: library.0.nettle_cbc_decrypt,
                    forward: described.encrypt,
                    backward: described.decrypt,
                },
            },
            Mode::Ctr => Serve::Ctr { crypt: library.0.nettle_ctr_crypt, block: described.encrypt },
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
            encryption: unsafe { Context::new(size, set_encrypt_key, key) },
            // SAFETY: as above.
            decryption: unsafe { Context::new(size, set_decrypt_key, key) },
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
            (self.0.nettle_xts_encrypt_message, self.0.nettle_xts_decrypt_message)
        else {
            return Err(Refusal::Unsupported("no XTS before version 3.5".to_owned()));
        };
        let tweak_key = &key[key.len() / 2..];
        // SAFETY: the size is the description's, and `new` has compared the key's length with it.
        let tweak = unsafe {
            Context::new(described.context_size as usize, described.set_encrypt_key, tweak_key)
        };
        Ok(Serve::Xts {
            encrypt,
            decrypt,
            forward: described.encrypt,
            backward: described.decrypt,
            tweak,
        })
    }
}
