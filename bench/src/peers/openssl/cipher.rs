//! EVP with the cipher fetched once, the key set once, and nothing but the IV set again.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{CString, c_int};
use std::ptr;
use std::rc::Rc;

use super::{Context, EvpCipher, Init, OpenSsl, Update};
use crate::algorithm::{Algorithm, Direction, Mode, Named, Spec};
use crate::peers::Refusal;
use crate::peers::cipher::Keyed;

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
