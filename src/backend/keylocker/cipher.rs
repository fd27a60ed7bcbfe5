//! Handles in the modes.

use std::ffi::CStr;

use inout::InOutBuf;

use crate::aes::x86::keylocker::{self as kernels, AES_128, AES_256, Handle, Kernel, Refused, Use};
use crate::algorithm::{CipherAlgorithm, CipherMode};
use crate::backend::Context;
use crate::cpu::KeyLocker;
use crate::error::Error;
use crate::iv::Iv;
use crate::kernel::XtsKey;

/// Whether there are handles of the algorithm's keys: all modes run over them, and AES-192 has none.
pub(super) fn supports(algorithm: CipherAlgorithm) -> bool {
    matches!(algorithm, CipherAlgorithm::Aes128 | CipherAlgorithm::Aes256)
}

/// Makes handles of keys. XTS: the data key, then the tweak key.
///
/// With what is supported, this cannot fail: the next of the chosen backends would serve, and the key be in memory after
/// all.
pub(super) fn open(
    cpu: KeyLocker,
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    key: &[u8],
) -> Result<Box<dyn Context>, Error> {
    #[cfg(feature = "test-hooks")]
    crate::test_hooks::spill(key);
    match algorithm {
        CipherAlgorithm::Aes128 => Ok(keyed::<AES_128>(cpu, mode, key)),
        CipherAlgorithm::Aes256 => Ok(keyed::<AES_256>(cpu, mode, key)),
        _ => Err(Error::UnsupportedPair(algorithm, mode)),
    }
}

/// Handles with the kernels of their mode.
fn keyed<const LEN: usize>(cpu: KeyLocker, mode: CipherMode, key: &[u8]) -> Box<dyn Context> {
    let handle = |key, purpose| Handle::<LEN>::new(cpu, key, purpose);
    match mode {
        CipherMode::Ecb => Box::new(Keyed {
            name: c"keylocker/ecb",
            key: handle(key, Use::Both),
            encrypt: kernels::ecb_encrypt,
            decrypt: kernels::ecb_decrypt,
        }),
        CipherMode::Cbc => Box::new(Keyed {
            name: c"keylocker/cbc",
            key: handle(key, Use::Both),
            encrypt: kernels::cbc_encrypt,
            decrypt: kernels::cbc_decrypt,
        }),
        CipherMode::Ctr => Box::new(Keyed {
            name: c"keylocker/ctr",
            key: handle(key, Use::Encryption),
            encrypt: kernels::ctr,
            decrypt: kernels::ctr,
        }),
        CipherMode::Xts => {
            let (data, tweak) = key.split_at(key.len() / 2);
            Box::new(Keyed {
                name: c"keylocker/xts",
                key: XtsKey {
                    data: handle(data, Use::Both),
                    tweak: handle(tweak, Use::Encryption),
                },
                encrypt: kernels::xts_encrypt,
                decrypt: kernels::xts_decrypt,
            })
        }
    }
}

/// A key's handles and the two kernels of its mode.
struct Keyed<K> {
    name: &'static CStr,
    key: K,
    encrypt: Kernel<K>,
    decrypt: Kernel<K>,
}

impl<K: Send + Sync> Context for Keyed<K> {
    fn name(&self) -> &CStr {
        self.name
    }

    fn encrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        (self.encrypt)(&self.key, iv, data).map_err(|Refused| refusal("encrypt data"))
    }

    fn decrypt(&self, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        (self.decrypt)(&self.key, iv, data).map_err(|Refused| refusal("decrypt data"))
    }
}

/// What it means to the user: nothing else that happens to handles is likely.
#[cold]
fn refusal(what: &'static str) -> Error {
    Error::Library { what, reason: "Key Locker has lost the key".into() }
}
