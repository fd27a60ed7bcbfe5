//! Ciphers of libgcrypt.

use std::ffi::{CStr, c_int};
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock};

use inout::InOutBuf;
use zeroize::Zeroizing;

use super::Opened;
use crate::algorithm::{CipherAlgorithm, CipherMode};
use crate::backend::carry::{self, Parts};
use crate::backend::direction::Direction;
use crate::backend::units::{self, Units};
use crate::backend::{Context, block_xts_is_forced};
use crate::error::Error;
use crate::iv::Iv;
use crate::sys::gcrypt as sys;
use crate::xts;

/// Bytes that modes other than XTS are given at a time: versions up to 1.12 count some things in 32 bits.
const LIMIT: usize = 1 << 30;

/// Whether the library has the pair. In XTS it is asked for the block cipher, which the tweak needs whoever's XTS it is.
pub(super) fn supports(algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
    let has = |mode| Offer::get().has(algorithm, mode);
    match mode {
        CipherMode::Xts => algorithm.block_len() == 16 && has(CipherMode::Ecb),
        _ => has(mode),
    }
}

/// What the library has.
struct Offer([[bool; CipherMode::ALL.len()]; CipherAlgorithm::ALL.len()]);

impl Offer {
    fn get() -> &'static Self {
        static OFFER: OnceLock<Offer> = OnceLock::new();
        OFFER.get_or_init(|| {
            let probe = |algorithm| CipherMode::ALL.map(|mode| Self::probe(algorithm, mode));
            Self(CipherAlgorithm::ALL.map(probe))
        })
    }

    /// Tries it with a key of no weakness: what is refused in FIPS mode, and where, depends on the version.
    fn probe(algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
        let Ok(library) = Opened::get() else {
            return false;
        };
        let keys = if mode == CipherMode::Xts { 2 } else { 1 };
        let key: Vec<u8> =
            (1..).map(|i: u8| i.wrapping_mul(29)).take(keys * algorithm.key_len()).collect();
        Handle::open(library, algorithm, mode, &key).is_ok()
    }

    fn has(&self, algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
        self.0[algorithm as usize][mode as usize]
    }
}

/// Sets keys. XTS: the data key, then the tweak key.
pub(super) fn open(
    library: &'static Opened,
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error> {
    let handle = |mode, key| Handle::open(library, algorithm, mode, key);
    if mode != CipherMode::Xts {
        let name = match mode {
            CipherMode::Cbc => c"gcrypt/cbc",
            CipherMode::Ctr => c"gcrypt/ctr",
            _ => c"gcrypt/ecb",
        };
        let block_len = algorithm.block_len();
        return Ok(Box::new(Plain {
            name,
            mode,
            block_len,
            handle: Mutex::new(handle(mode, key)?),
        }));
    }
    let (data_key, tweak_key) = key.split_at(key.len() / 2);
    let tweak = handle(CipherMode::Ecb, tweak_key)?;
    let (name, data) = if Offer::get().has(algorithm, mode) && !block_xts_is_forced() {
        (c"gcrypt/xts", Data::Units(handle(mode, key)?))
    } else {
        (c"gcrypt/ecb+xts", Data::Blocks(handle(CipherMode::Ecb, data_key)?))
    };
    Ok(Box::new(Xts { name, handles: Mutex::new(XtsHandles { data, tweak }) }))
}

/// A key in one mode of the library.
struct Handle {
    library: &'static Opened,
    raw: sys::Handle,
}

// SAFETY: the library's handles belong to no thread; one thread at a time uses them.
unsafe impl Send for Handle {}

impl Handle {
    fn open(
        library: &'static Opened,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Self, Error> {
        let functions = &library.functions;
        let number = number(algorithm).ok_or(Error::UnsupportedPair(algorithm, mode))?;
        let mode = match mode {
            CipherMode::Ecb => sys::MODE_ECB,
            CipherMode::Cbc => sys::MODE_CBC,
            CipherMode::Ctr => sys::MODE_CTR,
            CipherMode::Xts => sys::MODE_XTS,
        };
        let mut raw = null_mut();
        // SAFETY: `raw` may be written, and is only read after success.
        let code = unsafe { (functions.gcry_cipher_open)(&raw mut raw, number, mode, 0) };
        library.check("initialize cipher", code)?;
        let handle = Self { library, raw };
        // Old volumes and VNC need weak keys. Versions without the control refuse them below.
        // SAFETY: the handle is open; this control has its value, yes, where others have a length.
        let allowed =
            unsafe { (functions.gcry_cipher_ctl)(raw, sys::SET_ALLOW_WEAK_KEY, null_mut(), 1) };
        // SAFETY: the handle is open, and the key is read for its length.
        let code = unsafe { (functions.gcry_cipher_setkey)(raw, key.as_ptr().cast(), key.len()) };
        let is_weak = code & sys::CODE_MASK == sys::WEAK_KEY;
        // Where weak keys are allowed they are set, and still spoken of. Those of XTS whose halves are equal are not: in
        // FIPS mode no control allows them.
        if !(is_weak && allowed == 0 && mode != sys::MODE_XTS) {
            library.check("set key", code)?;
        }
        Ok(handle)
    }

    /// `gcry_cipher_setiv` or `_setctr`
    fn set(&self, set: sys::SetBytes, bytes: &[u8]) -> Result<(), Error> {
        // SAFETY: the handle is open, and the bytes are read for their length.
        let code = unsafe { set(self.raw, bytes.as_ptr().cast(), bytes.len()) };
        self.library.check("set IV", code)
    }

    /// Whole blocks of the handle's mode.
    fn crypt(&self, direction: Direction, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        let (what, crypt) = match direction {
            Direction::Encrypt => ("encrypt data", self.library.functions.gcry_cipher_encrypt),
            Direction::Decrypt => ("decrypt data", self.library.functions.gcry_cipher_decrypt),
        };
        let len = data.len();
        let (input, output) = data.into_raw();
        // SAFETY: the handle is open and keyed. Each buffer has `len` bytes, and they are the same or disjoint, which the
        // library allows.
        let code = unsafe { crypt(self.raw, output.cast(), len, input.cast(), len) };
        self.library.check(what, code)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: opened by `open`, closed nowhere else. The library wipes it.
        unsafe { (self.library.functions.gcry_cipher_close)(self.raw) }
    }
}

/// A key in ECB, CBC or CTR.
struct Plain {
    name: &'static CStr,
    mode: CipherMode,
    block_len: usize,
    handle: Mutex<Handle>,
}

impl Plain {
    fn crypt(
        &self,
        direction: Direction,
        iv: &mut Iv,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        let handle = self.handle.lock().map_err(|_| Error::Internal)?;
        let functions = &handle.library.functions;
        let set = match self.mode {
            CipherMode::Cbc => Some(functions.gcry_cipher_setiv),
            CipherMode::Ctr => Some(functions.gcry_cipher_setctr),
            CipherMode::Ecb | CipherMode::Xts => None,
        };
        let parts = PlainParts { handle: &handle, direction, set };
        carry::run(self.mode, direction, self.block_len, iv, data, parts)
    }
}

/// A call's use of a handle.
struct PlainParts<'a> {
    handle: &'a Handle,
    direction: Direction,
    /// What takes the IV, in modes that have one.
    set: Option<sys::SetBytes>,
}

impl Parts for PlainParts<'_> {
    fn take(&mut self, _iv: &[u8], input: &[u8]) -> Result<usize, Error> {
        Ok(input.len().min(LIMIT))
    }

    fn run(&mut self, iv: &[u8], part: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        if let Some(set) = self.set {
            self.handle.set(set, iv)?;
        }
        self.handle.crypt(self.direction, part)
    }
}

impl Context for Plain {
    fn name(&self) -> &CStr {
        self.name
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.crypt(Direction::Encrypt, iv, data)
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.crypt(Direction::Decrypt, iv, data)
    }
}

/// The two keys of XTS.
struct Xts {
    name: &'static CStr,
    handles: Mutex<XtsHandles>,
}

struct XtsHandles {
    data: Data,
    /// The tweak key in ECB.
    tweak: Handle,
}

/// What the data goes through.
enum Data {
    /// The library's own XTS, which makes its tweaks itself.
    Units(Handle),
    /// The data key in ECB.
    Blocks(Handle),
}

impl XtsHandles {
    fn crypt(
        &self,
        direction: Direction,
        iv: &Iv,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        match &self.data {
            Data::Units(handle) => {
                units::run(iv, data, OwnUnits { handle, tweak: &self.tweak, direction })
            }
            Data::Blocks(handle) => {
                let mut tweak = Zeroizing::new(*iv.bytes());
                self.tweak.crypt(Direction::Encrypt, tweak.as_mut_slice().into())?;
                let tweak = u128::from_le_bytes(*tweak);
                xts::crypt(tweak, data, |blocks| handle.crypt(direction, blocks.into()))
            }
        }
    }
}

/// A call's use of the library's own XTS.
struct OwnUnits<'a> {
    handle: &'a Handle,
    tweak: &'a Handle,
    direction: Direction,
}

impl Units for OwnUnits<'_> {
    /// 2^20 blocks, the limit of IEEE 1619.
    fn limit(&self) -> usize {
        16 << 20
    }

    fn unit(&mut self, number: &[u8], data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.handle.set(self.handle.library.functions.gcry_cipher_setiv, number)?;
        self.handle.crypt(self.direction, data)
    }

    fn tweak(&mut self, direction: Direction, block: &mut [u8]) -> Result<(), Error> {
        self.tweak.crypt(direction, block.into())
    }
}

impl Context for Xts {
    fn name(&self) -> &CStr {
        self.name
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.handles.lock().map_err(|_| Error::Internal)?.crypt(Direction::Encrypt, iv, data)
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.handles.lock().map_err(|_| Error::Internal)?.crypt(Direction::Decrypt, iv, data)
    }
}

/// `GCRY_CIPHER_*`. There is no Twofish with 192 bits.
fn number(algorithm: CipherAlgorithm) -> Option<c_int> {
    use CipherAlgorithm as A;
    Some(match algorithm {
        A::Aes128 => 7,
        A::Aes192 => 8,
        A::Aes256 => 9,
        A::Des => 302,
        A::TripleDes => 2,
        A::Cast5 => 3,
        A::Serpent128 => 304,
        A::Serpent192 => 305,
        A::Serpent256 => 306,
        A::Twofish128 => 303,
        A::Twofish192 => return None,
        A::Twofish256 => 10,
        A::Sm4 => 318,
    })
}
