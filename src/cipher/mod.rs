//! A cipher object: algorithm x mode x key on one backend, and the IV it carries from call to call.
//!
//! The rules that hold whatever backend serves live here: lengths, refusals that change nothing, and failures that
//! leave neither half-written output nor an object that goes on.

#[cfg(test)]
#[allow(unsafe_code, reason = "buffers between pages that cannot be touched")]
mod kernel_tests;
pub mod sectors;
#[cfg(test)]
mod sectors_tests;

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};

use inout::InOutBuf;
use zeroize::Zeroize;

use crate::algorithm::{CipherAlgorithm, CipherMode};
use crate::backend::{self, Context};
use crate::error::Error;
use crate::iv::Iv;
use crate::scrub::{scrub_stack, scrubbed};

/// A keyed cipher in one mode. One object encrypts and decrypts, sharing one IV; one thread uses it at a time, but for
/// [`sectors`], which have IVs of their own.
pub struct Cipher {
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    context: Box<dyn Context>,
    iv: Iv,
    /// Written when a call fails midway, and never else: threads that share the object only read it.
    dead: AtomicBool,
}

impl Cipher {
    /// Whether [`Cipher::new`] succeeds for this pair with a key of the right length.
    pub fn supports(algorithm: CipherAlgorithm, mode: CipherMode) -> bool {
        backend::supports(algorithm, mode)
    }

    /// Refuses a key length that the algorithm and mode do not take, in bytes.
    ///
    /// # Errors
    /// Says what the length should be, or that XTS and the cipher do not go together.
    pub fn check_key_len(
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        len: usize,
    ) -> Result<(), Error> {
        let keys = if mode == CipherMode::Xts {
            if matches!(algorithm, CipherAlgorithm::Des | CipherAlgorithm::TripleDes) {
                return Err(Error::XtsWithDes);
            }
            if !len.is_multiple_of(2) {
                return Err(Error::XtsKeyOdd);
            }
            2
        } else {
            1
        };
        let expected = keys * algorithm.key_len();
        if len == expected { Ok(()) } else { Err(Error::KeyLength { given: len, expected }) }
    }

    /// Expands a key. XTS takes the data key followed by the tweak key, which may be equal. The IV is zero.
    ///
    /// # Errors
    /// A key of the wrong length, or a pair that no chosen backend supports.
    pub fn new(algorithm: CipherAlgorithm, mode: CipherMode, key: &[u8]) -> Result<Self, Error> {
        Self::check_key_len(algorithm, mode, key.len())?;
        let context = scrubbed(|| backend::open(algorithm, mode, key));
        Ok(Self {
            algorithm,
            mode,
            context: context?,
            iv: Iv::default(),
            dead: AtomicBool::new(false),
        })
    }

    /// [`Cipher::new`] on the backend of this name or not at all.
    ///
    /// # Errors
    /// A name that no backend has, a backend that cannot be used here or does not have the pair, a key of the wrong
    /// length.
    pub fn new_with(
        backend: &str,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Self, Error> {
        Self::check_key_len(algorithm, mode, key.len())?;
        let context = scrubbed(|| backend::open_with(backend, algorithm, mode, key));
        Ok(Self {
            algorithm,
            mode,
            context: context?,
            iv: Iv::default(),
            dead: AtomicBool::new(false),
        })
    }

    /// [`Cipher::new`] on a level of this CPU that is not the one chosen for the process.
    #[cfg(test)]
    fn new_at(
        level: crate::cpu::Level,
        algorithm: CipherAlgorithm,
        mode: CipherMode,
        key: &[u8],
    ) -> Result<Self, Error> {
        Self::check_key_len(algorithm, mode, key.len())?;
        let context = backend::open_at(level, algorithm, mode, key)?;
        Ok(Self { algorithm, mode, context, iv: Iv::default(), dead: AtomicBool::new(false) })
    }

    /// What serves, down to the kernel, e.g. `native/portable`.
    pub fn backend(&self) -> &CStr {
        self.context.name()
    }

    /// Sets the IV of the next call: CBC's first chaining block, CTR's first counter, XTS's data unit (the sector,
    /// little-endian).
    ///
    /// # Errors
    /// ECB has no IV; elsewhere it is one block long.
    pub fn set_iv(&mut self, iv: &[u8]) -> Result<(), Error> {
        self.check_iv_len(iv.len())?;
        self.iv.set(iv);
        Ok(())
    }

    /// Refuses an IV length that the algorithm and mode do not take, in bytes.
    ///
    /// # Errors
    /// As [`Cipher::set_iv`].
    pub fn check_iv_len(&self, given: usize) -> Result<(), Error> {
        self.check_alive()?;
        match self.mode.iv_len(self.algorithm) {
            0 => Err(Error::IvNotSupported),
            expected if expected == given => Ok(()),
            expected => Err(Error::IvLength { expected, given }),
        }
    }

    /// Encrypts whole blocks from the input half of `data` to its output half, which may be the same buffer.
    ///
    /// CBC and CTR go on where the last call ended. In XTS every call starts the data unit whose IV was last set.
    ///
    /// # Errors
    /// Part of a block is refused and changes nothing. A failure midway zeroes the output and ends the object.
    // In the caller's code, as the rest of the way to the backend: where the buffers' addresses go through memory from one
    // function to the next, the compiler copies them as one wide value, and the CPU waits with that copy until the narrow
    // stores it was just written with are done, and all of the last call's output before them.
    #[inline(always)]
    pub fn encrypt(&mut self, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.run(data, |context, iv, data| context.encrypt(iv, data))
    }

    /// Decrypts whole blocks; else as [`Cipher::encrypt`].
    ///
    /// # Errors
    /// As [`Cipher::encrypt`].
    #[inline(always)]
    pub fn decrypt(&mut self, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.run(data, |context, iv, data| context.decrypt(iv, data))
    }

    /// Refuses a data length that is not a multiple of the block length, in bytes.
    ///
    /// # Errors
    /// Says what it should be a multiple of, or that the object is dead.
    pub fn check_len(&self, len: usize) -> Result<(), Error> {
        self.check_alive()?;
        let block_len = self.algorithm.block_len();
        if len.is_multiple_of(block_len) {
            Ok(())
        } else {
            Err(Error::PartialBlock { len, block_len })
        }
    }

    #[inline(always)]
    fn run(
        &mut self,
        data: InOutBuf<'_, '_, u8>,
        core: impl Fn(&dyn Context, &mut Iv, InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.check_len(data.len())?;
        if data.is_empty() {
            return Ok(());
        }
        let mut output = Output { data, complete: false, dead: &self.dead };
        core(&*self.context, &mut self.iv, output.data.reborrow())?;
        output.finish()
    }

    fn check_alive(&self) -> Result<(), Error> {
        if self.dead.load(Ordering::Relaxed) { Err(Error::Dead("cipher")) } else { Ok(()) }
    }
}

impl Drop for Cipher {
    /// The key and the IV wipe themselves; what kernels spilled on the stack, nobody knows but the compiler.
    fn drop(&mut self) {
        scrub_stack();
    }
}

/// A call's buffers. Unless the call completes, also when it panics, the output is zeroed and the object dead: in
/// place, half of the output would be plaintext and half ciphertext.
struct Output<'d, 'i, 'o> {
    data: InOutBuf<'i, 'o, u8>,
    complete: bool,
    dead: &'d AtomicBool,
}

impl Output<'_, '_, '_> {
    /// Ends a call whose output is all there.
    #[inline(always)]
    fn finish(mut self) -> Result<(), Error> {
        #[cfg(feature = "test-hooks")]
        crate::test_hooks::midway()?;
        self.complete = true;
        Ok(())
    }
}

impl Drop for Output<'_, '_, '_> {
    fn drop(&mut self) {
        if !self.complete {
            self.dead.store(true, Ordering::Relaxed);
            self.data.get_out().zeroize();
        }
    }
}
