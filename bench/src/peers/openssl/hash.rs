//! EVP with the hash fetched once and the context used again: dearer to set up than one call, and cheaper to repeat.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr;
use std::rc::Rc;

use super::{Context, OpenSsl};
use crate::algorithm::Hash;
use crate::peers::Refusal;
use crate::peers::hash::{Derivation, Digest, Room, narrow};

/// A hash that was fetched.
struct Method {
    library: Rc<OpenSsl>,
    method: *mut c_void,
    len: usize,
}

impl Method {
    fn fetch(library: Rc<OpenSsl>, hash: Hash) -> Result<Self, Refusal> {
        // SAFETY: a NUL-terminated name, the default library context and no properties.
        let method = unsafe {
            (library.functions.EVP_MD_fetch)(ptr::null_mut(), name(hash).as_ptr(), ptr::null())
        };
        if method.is_null() {
            return Err(Refusal::Unsupported(library.complain()));
        }
        Ok(Self { library, method, len: hash.digest_len() })
    }
}

impl Drop for Method {
    fn drop(&mut self) {
        // SAFETY: fetched by us, and contexts keep their own reference.
        unsafe { (self.library.functions.EVP_MD_free)(self.method) }
    }
}

pub(super) struct Plain {
    method: Method,
    context: Context,
}

impl Plain {
    pub(super) fn new(library: Rc<OpenSsl>, hash: Hash) -> Result<Self, Refusal> {
        let method = Method::fetch(library, hash)?;
        // SAFETY: no arguments; NULL is checked.
        let context = unsafe { (method.library.functions.EVP_MD_CTX_new)() };
        if context.is_null() {
            return Err(Refusal::Failed(method.library.complain()));
        }
        let plain = Self { method, context };
        plain.init(plain.method.method).map_err(Refusal::Failed)?;
        Ok(plain)
    }

    /// NULL stands for the method it already has.
    #[inline]
    fn init(&self, method: *mut c_void) -> Result<(), String> {
        let library = &self.method.library;
        // SAFETY: the context is open and has its method, or is given it now.
        let code =
            unsafe { (library.functions.EVP_DigestInit_ex2)(self.context, method, ptr::null()) };
        library.check(code)
    }
}

impl Digest for Plain {
    fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String> {
        let Method { library, len, .. } = &self.method;
        let mut written: c_uint = 0;
        self.init(ptr::null_mut())?;
        // SAFETY: the context has been initialised, and the message is read for the length given.
        let updated = unsafe {
            (library.functions.EVP_DigestUpdate)(
                self.context,
                message.as_ptr().cast(),
                message.len(),
            )
        };
        library.check(updated)?;
        // SAFETY: as above; no digest is longer than EVP_MAX_MD_SIZE, which is the size of the room.
        let done = unsafe {
            (library.functions.EVP_DigestFinal_ex)(
                self.context,
                room.as_mut_ptr(),
                &raw mut written,
            )
        };
        library.check(done)?;
        wrote(written as usize, *len)
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        // SAFETY: made by `new` and freed nowhere else.
        unsafe { (self.method.library.functions.EVP_MD_CTX_free)(self.context) }
    }
}

/// `OSSL_PARAM`.
#[repr(C)]
pub(super) struct Parameter {
    key: *const c_char,
    data_type: c_uint,
    data: *const c_void,
    data_size: usize,
    return_size: usize,
}

impl Parameter {
    const UTF8_STRING: c_uint = 4;
    const UNMODIFIED: usize = usize::MAX;

    fn text(key: &'static CStr, value: &'static CStr) -> Self {
        Self {
            key: key.as_ptr(),
            data_type: Self::UTF8_STRING,
            data: value.as_ptr().cast(),
            data_size: value.count_bytes(),
            return_size: Self::UNMODIFIED,
        }
    }

    fn end() -> Self {
        Self { key: ptr::null(), data_type: 0, data: ptr::null(), data_size: 0, return_size: 0 }
    }
}

pub(super) struct Hmac {
    library: Rc<OpenSsl>,
    context: Context,
    len: usize,
}

impl Hmac {
    pub(super) fn new(library: Rc<OpenSsl>, hash: Hash, key: &[u8]) -> Result<Self, Refusal> {
        // Only to ask whether there is such a hash: the MAC fetches by name.
        Method::fetch(Rc::clone(&library), hash)?;
        let functions = &library.functions;
        // SAFETY: a NUL-terminated name, the default library context and no properties.
        let mac =
            unsafe { (functions.EVP_MAC_fetch)(ptr::null_mut(), c"HMAC".as_ptr(), ptr::null()) };
        if mac.is_null() {
            return Err(Refusal::Unsupported(library.complain()));
        }
        // SAFETY: fetched just now; the context, if it is not NULL, keeps its own reference.
        let context = unsafe {
            let context = (functions.EVP_MAC_CTX_new)(mac);
            (functions.EVP_MAC_free)(mac);
            context
        };
        if context.is_null() {
            return Err(Refusal::Failed(library.complain()));
        }
        let hmac = Self { library, context, len: hash.digest_len() };
        let parameters = [Parameter::text(c"digest", name(hash)), Parameter::end()];
        hmac.init(Some(key), &parameters).map_err(Refusal::Failed)?;
        Ok(hmac)
    }

    /// Without a key the context starts over with the one it has.
    #[inline]
    fn init(&self, key: Option<&[u8]>, parameters: &[Parameter]) -> Result<(), String> {
        let (key, len) = key.map_or((ptr::null(), 0), |key| (key.as_ptr(), key.len()));
        let parameters = if parameters.is_empty() { ptr::null() } else { parameters.as_ptr() };
        // SAFETY: the context is open, the key is read for the length given, and parameters end in one without a key.
        let code =
            unsafe { (self.library.functions.EVP_MAC_init)(self.context, key, len, parameters) };
        self.library.check(code)
    }
}

impl Digest for Hmac {
    fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String> {
        let library = &self.library;
        let mut written = 0;
        self.init(None, &[])?;
        // SAFETY: the context has been initialised, and the message is read for the length given.
        let updated = unsafe {
            (library.functions.EVP_MAC_update)(self.context, message.as_ptr(), message.len())
        };
        library.check(updated)?;
        // SAFETY: as above, and no more is written than there is room for.
        let done = unsafe {
            (library.functions.EVP_MAC_final)(
                self.context,
                room.as_mut_ptr(),
                &raw mut written,
                room.len(),
            )
        };
        library.check(done)?;
        wrote(written, self.len)
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: made by `new` and freed nowhere else.
        unsafe { (self.library.functions.EVP_MAC_CTX_free)(self.context) }
    }
}

pub(super) struct Pbkdf2(Method);

impl Pbkdf2 {
    pub(super) fn new(library: Rc<OpenSsl>, hash: Hash) -> Result<Self, Refusal> {
        Method::fetch(library, hash).map(Self)
    }
}

impl Derivation for Pbkdf2 {
    fn derive(
        &mut self,
        password: &[u8],
        salt: &[u8],
        iterations: u64,
        key: &mut [u8],
    ) -> Result<(), String> {
        let library = &self.0.library;
        // SAFETY: password and salt are read, and the key written, for the lengths given.
        let code = unsafe {
            (library.functions.PKCS5_PBKDF2_HMAC)(
                password.as_ptr().cast(),
                narrow(password.len())?,
                salt.as_ptr(),
                narrow(salt.len())?,
                narrow(iterations)?,
                self.0.method,
                narrow(key.len())?,
                key.as_mut_ptr(),
            )
        };
        library.check(code)
    }
}

fn wrote(written: usize, len: usize) -> Result<(), String> {
    if written == len { Ok(()) } else { Err(format!("wrote {written} of {len} bytes")) }
}

/// OpenSSL's name.
fn name(hash: Hash) -> &'static CStr {
    match hash {
        Hash::Md5 => c"MD5",
        Hash::Sha1 => c"SHA1",
        Hash::Sha224 => c"SHA224",
        Hash::Sha256 => c"SHA256",
        Hash::Sha384 => c"SHA384",
        Hash::Sha512 => c"SHA512",
        Hash::Ripemd160 => c"RIPEMD160",
        Hash::Sm3 => c"SM3",
    }
}
