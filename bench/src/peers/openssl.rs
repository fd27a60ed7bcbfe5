//! OpenSSL 3 and later: EVP with the cipher fetched once, the key set once, and nothing but the IV set again.
#![expect(unsafe_code, reason = "calls a C library")]
#![expect(non_snake_case, reason = "the library's own names")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::rc::Rc;

use super::{Keyed, Opened, Refusal, dynamic};
use crate::algorithm::{Algorithm, Direction, Mode, Spec};

type EvpCipher = *mut c_void;
type Context = *mut c_void;
type Init = unsafe extern "C" fn(Context, EvpCipher, *const u8, *const u8, *const c_void) -> c_int;
type Update = unsafe extern "C" fn(Context, *mut u8, *mut c_int, *const u8, c_int) -> c_int;

const VERSION_STRING: c_int = 6;

dynamic::functions! {
    /// What is used of `openssl/evp.h` and its neighbours.
    struct Functions {
        OpenSSL_version: unsafe extern "C" fn(c_int) -> *const c_char,
        OSSL_PROVIDER_load: unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void,
        EVP_CIPHER_fetch: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> EvpCipher,
        EVP_CIPHER_free: unsafe extern "C" fn(EvpCipher),
        EVP_CIPHER_CTX_new: unsafe extern "C" fn() -> Context,
        EVP_CIPHER_CTX_free: unsafe extern "C" fn(Context),
        EVP_CIPHER_CTX_set_padding: unsafe extern "C" fn(Context, c_int) -> c_int,
        EVP_EncryptInit_ex2: Init,
        EVP_DecryptInit_ex2: Init,
        EVP_EncryptUpdate: Update,
        EVP_DecryptUpdate: Update,
        ERR_get_error: unsafe extern "C" fn() -> std::ffi::c_ulong,
        ERR_reason_error_string: unsafe extern "C" fn(std::ffi::c_ulong) -> *const c_char,
        ERR_clear_error: unsafe extern "C" fn(),
    }
    optional {}
}

pub(super) struct OpenSsl {
    functions: Functions,
    /// Fetching costs more than a short encryption, so callers who care do it once.
    fetched: RefCell<BTreeMap<Spec, EvpCipher>>,
}

pub(super) fn open() -> Result<Opened<OpenSsl>, String> {
    // SAFETY: the declarations are those of OpenSSL 3's headers, which 4 has kept.
    let functions =
        unsafe { Functions::load(dynamic::open(&["libcrypto.so.3", "libcrypto.so.4"])?)? };
    // SAFETY: NUL-terminated names, the default library context. DES and CAST5 are in the legacy provider; without it
    // they are merely missing.
    unsafe {
        for provider in [c"default", c"legacy"] {
            (functions.OSSL_PROVIDER_load)(ptr::null_mut(), provider.as_ptr());
        }
        (functions.ERR_clear_error)();
    }
    // SAFETY: a static string for any argument.
    let version = unsafe { dynamic::text((functions.OpenSSL_version)(VERSION_STRING)) };
    Ok(Opened {
        library: OpenSsl { functions, fetched: RefCell::default() },
        name: "OpenSSL",
        version,
    })
}

impl OpenSsl {
    fn fetch(&self, spec: Spec) -> Result<EvpCipher, Refusal> {
        if let Some(cipher) = self.fetched.borrow().get(&spec) {
            return Ok(*cipher);
        }
        let name = name(spec).ok_or_else(|| Refusal::Unsupported("no such cipher".to_owned()))?;
        let name = CString::new(name).expect("names have no NUL");
        // SAFETY: a NUL-terminated name, the default library context and no properties.
        let cipher = unsafe {
            (self.functions.EVP_CIPHER_fetch)(ptr::null_mut(), name.as_ptr(), ptr::null())
        };
        if cipher.is_null() {
            return Err(Refusal::Unsupported(self.complain()));
        }
        self.fetched.borrow_mut().insert(spec, cipher);
        Ok(cipher)
    }

    fn check(&self, code: c_int) -> Result<(), String> {
        if code == 1 { Ok(()) } else { Err(self.complain()) }
    }

    /// The oldest error of the queue, which is emptied.
    #[cold]
    fn complain(&self) -> String {
        // SAFETY: a code from the library gives NULL or a static string.
        let reason = unsafe {
            let reason = dynamic::text((self.functions.ERR_reason_error_string)((self
                .functions
                .ERR_get_error)(
            )));
            (self.functions.ERR_clear_error)();
            reason
        };
        if reason.is_empty() { "failed without a reason".to_owned() } else { reason }
    }
}

impl Drop for OpenSsl {
    fn drop(&mut self) {
        for cipher in self.fetched.take().into_values() {
            // SAFETY: fetched by us, and every context that used it is gone: contexts keep the library alive.
            unsafe { (self.functions.EVP_CIPHER_free)(cipher) };
        }
    }
}

/// One direction: a context cannot be turned round without setting its key again.
struct OneWay {
    library: Rc<OpenSsl>,
    context: Context,
    init: Init,
    update: Update,
}

impl OneWay {
    fn new(
        library: &Rc<OpenSsl>,
        spec: Spec,
        key: &[u8],
        direction: Direction,
    ) -> Result<Self, Refusal> {
        let cipher = library.fetch(spec)?;
        let functions = &library.functions;
        let (init, update) = match direction {
            Direction::Encrypt => (functions.EVP_EncryptInit_ex2, functions.EVP_EncryptUpdate),
            Direction::Decrypt => (functions.EVP_DecryptInit_ex2, functions.EVP_DecryptUpdate),
        };
        // SAFETY: no arguments; NULL is checked.
        let context = unsafe { (functions.EVP_CIPHER_CTX_new)() };
        if context.is_null() {
            return Err(Refusal::Failed(library.complain()));
        }
        let one_way = Self { library: Rc::clone(library), context, init, update };
        let iv = [0; 16];
        // SAFETY: the context is new, the key has the length the cipher's name says, and the IV that of any block.
        let keyed = unsafe { init(context, cipher, key.as_ptr(), iv.as_ptr(), ptr::null()) };
        library.check(keyed).map_err(Refusal::Failed)?;
        // With padding, decryption would hold the last block back. Encryption without a final call does not care,
        // and there the setting would only make every later init dearer.
        if direction == Direction::Decrypt && matches!(spec.mode, Mode::Ecb | Mode::Cbc) {
            // SAFETY: the context has its cipher.
            let set = unsafe { (functions.EVP_CIPHER_CTX_set_padding)(context, 0) };
            library.check(set).map_err(Refusal::Failed)?;
        }
        Ok(one_way)
    }

    #[inline]
    fn set_iv(&mut self, iv: &[u8]) -> Result<(), String> {
        // SAFETY: the context has its cipher and key, and the IV is as long as the mode wants it.
        let code = unsafe {
            (self.init)(self.context, ptr::null_mut(), ptr::null(), iv.as_ptr(), ptr::null())
        };
        self.library.check(code)
    }

    #[inline]
    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        let len = c_int::try_from(input.len()).map_err(|_| "more than an int counts".to_owned())?;
        let mut written = 0;
        // SAFETY: the context has its cipher, key and IV; both buffers have `len` bytes, and a multiple of the block
        // makes no more output than input.
        let code = unsafe {
            (self.update)(self.context, output.as_mut_ptr(), &raw mut written, input.as_ptr(), len)
        };
        self.library.check(code)?;
        if written == len { Ok(()) } else { Err(format!("wrote {written} of {len} bytes")) }
    }
}

impl Drop for OneWay {
    fn drop(&mut self) {
        // SAFETY: made by `new` and freed nowhere else.
        unsafe { (self.library.functions.EVP_CIPHER_CTX_free)(self.context) }
    }
}

pub(super) struct Cipher {
    encryption: OneWay,
    decryption: OneWay,
}

impl Keyed for Cipher {
    type Library = OpenSsl;

    fn new(library: &Rc<OpenSsl>, spec: Spec, key: &[u8]) -> Result<Self, Refusal> {
        Ok(Self {
            encryption: OneWay::new(library, spec, key, Direction::Encrypt)?,
            decryption: OneWay::new(library, spec, key, Direction::Decrypt)?,
        })
    }

    fn set_iv(&mut self, direction: Direction, iv: &[u8]) -> Result<(), String> {
        match direction {
            Direction::Encrypt => self.encryption.set_iv(iv),
            Direction::Decrypt => self.decryption.set_iv(iv),
        }
    }

    fn encrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.encryption.update(input, output)
    }

    fn decrypt(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        self.decryption.update(input, output)
    }
}

/// OpenSSL's name, where it may have the cipher at all.
fn name(spec: Spec) -> Option<String> {
    let algorithm = match spec.algorithm {
        Algorithm::Aes128 => "AES-128",
        Algorithm::Aes192 => "AES-192",
        Algorithm::Aes256 => "AES-256",
        Algorithm::Des => "DES",
        Algorithm::TripleDes => "DES-EDE3",
        Algorithm::Cast5 => "CAST5",
        Algorithm::Sm4 => "SM4",
        _ => return None,
    };
    Some(format!("{algorithm}-{}", spec.mode.name().to_uppercase()))
}
