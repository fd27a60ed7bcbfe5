//! libqcrypto, as any C caller has it: from outside, by its exported functions.
#![expect(unsafe_code, reason = "calls a C library")]

mod cipher;
mod hash;
mod sectors;

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::rc::Rc;

use super::cipher::Keyed;
use super::{
    Absent, CipherEngine, Crew, Derivation, Digest, Family, Found, Implementation, Library,
    Refusal, SectorEngine, Title, dynamic,
};
use crate::algorithm::{Algorithm, Disk, Hash, Mode, Named, Spec};
use crate::clock::Clock;

use cipher::Cipher;

/// What the loader is asked for where no `--lib` names a file.
const DEFAULT_LIBRARY: &str = "libqcrypto.so.0";

type Handle = *mut c_void;
type Error = *mut c_void;
type Crypt = unsafe extern "C" fn(Handle, *const c_void, *mut c_void, usize, *mut Error) -> c_int;

type Supports = unsafe extern "C" fn(c_uint) -> bool;
type HashBytes = unsafe extern "C" fn(
    c_uint,
    *const c_void,
    usize,
    *mut *mut u8,
    *mut usize,
    *mut Error,
) -> c_int;
type HmacBytes = unsafe extern "C" fn(
    Handle,
    *const c_void,
    usize,
    *mut *mut u8,
    *mut usize,
    *mut Error,
) -> c_int;
type NewIvGen =
    unsafe extern "C" fn(c_uint, c_uint, c_uint, *const u8, usize, *mut Error) -> Handle;
type Derive = unsafe extern "C" fn(
    c_uint,
    *const u8,
    usize,
    *const u8,
    usize,
    u64,
    *mut u8,
    usize,
    *mut Error,
) -> c_int;

dynamic::functions! {
    /// What is used of `qcrypto.h`.
    struct Functions {
        error_get_pretty: unsafe extern "C" fn(Error) -> *const c_char,
        error_free: unsafe extern "C" fn(Error),
        qcrypto_cipher_supports: unsafe extern "C" fn(c_uint, c_uint) -> bool,
        qcrypto_cipher_get_block_len: unsafe extern "C" fn(c_uint) -> usize,
        qcrypto_cipher_get_key_len: unsafe extern "C" fn(c_uint) -> usize,
        qcrypto_cipher_get_iv_len: unsafe extern "C" fn(c_uint, c_uint) -> usize,
        qcrypto_cipher_new: unsafe extern "C" fn(c_uint, c_uint, *const u8, usize, *mut Error) -> Handle,
        qcrypto_cipher_free: unsafe extern "C" fn(Handle),
        qcrypto_cipher_setiv: unsafe extern "C" fn(Handle, *const u8, usize, *mut Error) -> c_int,
        qcrypto_cipher_encrypt: Crypt,
        qcrypto_cipher_decrypt: Crypt,
    }
    optional {
        qcrypto_hash_supports: Supports,
        qcrypto_hash_digest_len: unsafe extern "C" fn(c_uint) -> usize,
        qcrypto_hash_bytes: HashBytes,
        qcrypto_hmac_supports: Supports,
        qcrypto_hmac_new: unsafe extern "C" fn(c_uint, *const u8, usize, *mut Error) -> Handle,
        qcrypto_hmac_free: unsafe extern "C" fn(Handle),
        qcrypto_hmac_bytes: HmacBytes,
        qcrypto_pbkdf2_supports: Supports,
        qcrypto_pbkdf2: Derive,
        qcrypto_ivgen_new: NewIvGen,
        qcrypto_ivgen_free: unsafe extern "C" fn(Handle),
        qcrypto_cipher_encrypt_sectors: sectors::Crypt,
        qcrypto_cipher_decrypt_sectors: sectors::Crypt,
        qcrypto_version: unsafe extern "C" fn() -> *const c_char,
        qcrypto_list_backends: unsafe extern "C" fn() -> *mut c_char,
        qcrypto_cipher_get_backend: unsafe extern "C" fn(Handle) -> *const c_char,
        qcrypto_cipher_new_with:
            unsafe extern "C" fn(*const c_char, c_uint, c_uint, *const u8, usize, *mut Error) -> Handle,
    }
}

/// A build of libqcrypto, and which of its backends is meant.
pub(super) struct Build {
    functions: Rc<Functions>,
    /// None: whatever `qcrypto_cipher_new` chooses.
    backend: Option<CString>,
    way: Way,
}

/// How sectors are gone over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By a call for a run; threads share an object.
    Together,
    /// By a call for each sector; threads have an object each.
    Apart,
}

/// A row for each build as a caller gets it, and for ciphers one for each further backend that is `wanted` and at hand.
pub(super) fn find(
    found: &mut Found,
    files: &[String],
    wanted: &dyn Fn(&str) -> bool,
    family: Family,
) -> Result<(), String> {
    if files.is_empty() {
        match open(DEFAULT_LIBRARY) {
            Ok(functions) => add(found, "libqcrypto", &functions, wanted, family),
            Err(reason) => found.absent.push(Absent { name: "libqcrypto".to_owned(), reason }),
        }
    }
    for file in files {
        let functions =
            open(file).map_err(|reason| format!("cannot use --lib {file}: {reason}"))?;
        let name =
            if files.len() == 1 { "libqcrypto".to_owned() } else { format!("libqcrypto {file}") };
        add(found, &name, &functions, wanted, family);
    }
    Ok(())
}

fn open(file: &str) -> Result<Rc<Functions>, String> {
    // The loader looks for a name without a slash in its own directories, which is meant for the default alone.
    let path = if file == DEFAULT_LIBRARY || file.contains('/') {
        file.to_owned()
    } else {
        format!("./{file}")
    };
    // SAFETY: the declarations are those of qcrypto.h, whose soname changes when they do.
    let functions = unsafe { Functions::load(dynamic::open(&[&path])?)? };
    functions.check_lengths()?;
    Ok(Rc::new(functions))
}

fn add(
    found: &mut Found,
    name: &str,
    functions: &Rc<Functions>,
    wanted: &dyn Fn(&str) -> bool,
    family: Family,
) {
    let mut one = |name: &str, way, clock| {
        let library = Rc::new(Build { functions: Rc::clone(functions), backend: None, way });
        let title = functions.title(name, clock);
        found.implementations.push(Implementation { title, library });
    };
    match family {
        Family::Ciphers => {}
        // They are the library's own, whatever backend serves the ciphers.
        Family::Hashes => return one(name, Way::Together, Clock::Thread),
        Family::Sectors => {
            one(name, Way::Together, Clock::Thread);
            return one(&format!("{name}, a call each"), Way::Apart, Clock::Thread);
        }
        Family::Threads => {
            one(&format!("{name}, one object"), Way::Together, Clock::Process);
            return one(&format!("{name}, an object each"), Way::Apart, Clock::Process);
        }
    }
    let mut add = |name: &str, backend: Option<CString>| -> Option<String> {
        let way = Way::Together;
        let library = Rc::new(Build { functions: Rc::clone(functions), backend, way });
        let kernel = match Cipher::new(&library, PROBE, &[0; 16]) {
            Ok(cipher) => cipher.kernel(),
            Err(Refusal::Unsupported(reason) | Refusal::Failed(reason)) => {
                found.absent.push(Absent { name: name.to_owned(), reason });
                return None;
            }
        };
        // The kernel may hand the work to another thread of its own.
        let clock = if kernel.starts_with("afalg") { Clock::Wall } else { Clock::Thread };
        found.implementations.push(Implementation { title: functions.title(name, clock), library });
        Some(kernel)
    };
    let default = add(name, None).unwrap_or_default();
    let is_default = |backend: &str| default.split('/').next() == Some(backend);
    for backend in
        functions.backends().into_iter().filter(|backend| wanted(backend) && !is_default(backend))
    {
        add(&format!("{name} ({backend})"), CString::new(backend).ok());
    }
}

impl Library for Build {
    fn cipher(self: Rc<Self>, spec: Spec) -> Result<Box<dyn CipherEngine>, Refusal> {
        super::cipher::open::<Cipher>(self, spec)
    }

    fn sectors(self: Rc<Self>, disk: Disk) -> Result<Box<dyn SectorEngine>, Refusal> {
        match self.way {
            Way::Together => Ok(Box::new(sectors::Sectors::new(&self, disk)?)),
            Way::Apart => super::sectors::one_by_one::<Cipher>(self, disk),
        }
    }

    fn crew(
        self: Rc<Self>,
        disk: Disk,
        threads: usize,
        run: usize,
    ) -> Result<Box<dyn Crew>, Refusal> {
        let is_shared = self.way == Way::Together;
        Ok(Box::new(sectors::Threads::new(&self, disk, run, threads, is_shared)?))
    }

    fn hash(self: Rc<Self>, hash: Hash) -> Result<Box<dyn Digest>, Refusal> {
        Ok(Box::new(hash::Plain::new(self, hash)?))
    }

    fn hmac(self: Rc<Self>, hash: Hash, key: &[u8]) -> Result<Box<dyn Digest>, Refusal> {
        Ok(Box::new(hash::Hmac::new(self, hash, key)?))
    }

    fn pbkdf2(self: Rc<Self>, hash: Hash) -> Result<Box<dyn Derivation>, Refusal> {
        Ok(Box::new(hash::Pbkdf2::new(self, hash)?))
    }
}

/// Every backend has this one.
const PROBE: Spec = Spec { algorithm: Algorithm::Aes128, mode: Mode::Ecb };

impl Functions {
    /// A library that counts otherwise than the headers would be given buffers of the wrong size.
    fn check_lengths(&self) -> Result<(), String> {
        for algorithm in Algorithm::ALL.iter().copied() {
            // SAFETY: any number may be asked for.
            let (block, key, iv) = unsafe {
                (
                    (self.qcrypto_cipher_get_block_len)(algorithm as c_uint),
                    (self.qcrypto_cipher_get_key_len)(algorithm as c_uint),
                    (self.qcrypto_cipher_get_iv_len)(algorithm as c_uint, Mode::Cbc as c_uint),
                )
            };
            if (block, key, iv)
                != (algorithm.block_len(), algorithm.key_len(), algorithm.block_len())
            {
                let name = algorithm.name();
                return Err(format!("says of {name}: block {block}, key {key}, IV {iv} bytes"));
            }
        }
        Ok(())
    }

    fn title(&self, name: &str, clock: Clock) -> Title {
        Title { name: name.to_owned(), version: self.version(), ours: true, clock }
    }

    fn version(&self) -> String {
        // SAFETY: no arguments, and the answer is static.
        self.qcrypto_version
            .map_or_else(|| "?".to_owned(), |version| unsafe { dynamic::text(version()) })
    }

    /// Names of the backends this build knows, at hand or not.
    fn backends(&self) -> Vec<String> {
        let (Some(list), Some(_)) = (self.qcrypto_list_backends, self.qcrypto_cipher_new_with)
        else {
            return Vec::new();
        };
        // SAFETY: no arguments; the answer is ours to free, with C's free, when it has been copied.
        let listed = unsafe {
            let listed = list();
            let text = dynamic::text(listed);
            nix::libc::free(listed.cast());
            text
        };
        backend_names(&listed)
    }

    /// The text of an error, which is freed.
    #[cold]
    fn complain(&self, error: Error) -> String {
        if error.is_null() {
            return "failed without an Error".to_owned();
        }
        // SAFETY: made by this library, which therefore reads and frees it, and used nowhere after.
        unsafe {
            let text = dynamic::text((self.error_get_pretty)(error));
            (self.error_free)(error);
            text
        }
    }
}

/// The list has a backend a line, its name first.
fn backend_names(listed: &str) -> Vec<String> {
    let in_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let names = listed.lines().map(|line| {
        let line = line.trim_start_matches(|letter| !in_name(letter));
        line.split(|letter| !in_name(letter)).next().unwrap_or_default().to_owned()
    });
    names.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_the_lines() {
        let listed =
            "native 0.1.0 (in use)\n* gcrypt: 1.10.1\nkeylocker not available: no AESKLE\n\n";
        assert_eq!(backend_names(listed), ["native", "gcrypt", "keylocker"]);
    }
}
