//! What the CPU can run: detected once, proved by tokens.
//!
//! A token is a value of no size that only detection makes. Code that holds one may run the instructions it names, so a
//! kernel whose key carries a token cannot be reached on a CPU without them. Detection is the standard library's, which
//! also asks whether the operating system saves the wide registers.
//!
//! `QCRYPTO_CPU` in the environment, the name of a [`Level`], lowers the level for tests and for comparison; it never
//! raises it. It is read once. A name that is no level's is ignored, and so is the variable in a program that runs with
//! more rights than its caller (setuid): who starts such a program must not choose its code.

use std::sync::OnceLock;

#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
pub(crate) use aes::{Aesni, Vaes256, Vaes512};
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft"), feature = "keylocker"))]
pub(crate) use key_locker::KeyLocker;
#[cfg(target_arch = "x86_64")]
pub(crate) use vector::{Avx2, Avx512, Shani};

/// A set of kernels, named by the instructions they need, lowest first. Each includes those before it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// Whatever the compiler was told the target has. The `aes` crate looks for AES instructions itself.
    Portable,
    /// AES-NI on 128-bit registers.
    #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
    Aesni(Aesni),
    /// VAES on 256-bit registers.
    #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
    Vaes256(Vaes256),
    /// VAES on 512-bit registers.
    #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
    Vaes512(Vaes512),
}

impl Level {
    /// The names of all levels, wherever they exist, lowest first.
    pub(crate) const NAMES: [&str; 4] = ["portable", "aesni", "vaes256", "vaes512"];

    /// What `QCRYPTO_CPU` calls it, also the last part of the kernels' names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
            Self::Aesni(_) => "aesni",
            #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
            Self::Vaes256(_) => "vaes256",
            #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
            Self::Vaes512(_) => "vaes512",
        }
    }

    /// The level of this name, if this CPU has it.
    #[cfg(test)]
    pub(crate) fn named(name: &str) -> Option<Self> {
        available().find(|level| level.name() == name)
    }
}

/// The level that new keys are served on: the highest that the CPU has and `QCRYPTO_CPU` allows.
pub(crate) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    let highest = || available().filter(|level| allows(level.name())).last();
    *LEVEL.get_or_init(|| highest().unwrap_or(Level::Portable))
}

/// Whether `QCRYPTO_CPU` leaves the level of this name in use.
fn allows(name: &str) -> bool {
    static HIGHEST: OnceLock<usize> = OnceLock::new();
    let number = |name: &str| Level::NAMES.iter().position(|&level| level == name);
    let highest = *HIGHEST.get_or_init(|| {
        environment("QCRYPTO_CPU").as_deref().and_then(number).unwrap_or(Level::NAMES.len())
    });
    number(name).is_some_and(|number| number <= highest)
}

/// The levels this CPU has, lowest first.
fn available() -> impl Iterator<Item = Level> {
    #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
    let detected = [
        Aesni::detect().map(Level::Aesni),
        Vaes256::detect().map(Level::Vaes256),
        Vaes512::detect().map(Level::Vaes512),
    ];
    #[cfg(not(all(target_arch = "x86_64", not(aes_backend = "soft"))))]
    let detected: [Option<Level>; 0] = [];
    std::iter::once(Level::Portable).chain(detected.into_iter().flatten())
}

/// What a variable of the environment says; nothing in a program that runs with more rights than its caller.
pub(crate) fn environment(variable: &str) -> Option<String> {
    if is_privileged() { None } else { std::env::var(variable).ok() }
}

/// Whether the program runs with more rights than its caller has.
fn is_privileged() -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: getauxval has no preconditions; an entry it does not know is 0.
    return unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    #[cfg(not(target_os = "linux"))]
    return false;
}

/// The tokens of the AES kernels of x86.
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
mod aes {
    use std::arch::is_x86_feature_detected as detected;

    /// Proof of AES-NI and of the instructions of its time: SSE4.2 and carry-less multiplication.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Aesni(());

    /// Proof of AES and carry-less multiplication on 256-bit registers, with AVX2.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Vaes256(Aesni);

    /// Proof of AES and carry-less multiplication on 512-bit registers, with AVX-512 F, VL, BW and DQ.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Vaes512(Vaes256);

    impl Aesni {
        pub(super) fn detect() -> Option<Self> {
            let found = detected!("aes")
                && detected!("pclmulqdq")
                && detected!("ssse3")
                && detected!("sse4.1")
                && detected!("sse4.2");
            found.then_some(Self(()))
        }
    }

    impl Vaes256 {
        pub(super) fn detect() -> Option<Self> {
            let narrower = Aesni::detect()?;
            let found = detected!("avx2") && detected!("vaes") && detected!("vpclmulqdq");
            found.then_some(Self(narrower))
        }
    }

    impl Vaes512 {
        pub(super) fn detect() -> Option<Self> {
            let narrower = Vaes256::detect()?;
            let found = detected!("avx512f")
                && detected!("avx512vl")
                && detected!("avx512bw")
                && detected!("avx512dq");
            found.then_some(Self(narrower))
        }
    }

    impl From<Vaes256> for Aesni {
        fn from(proof: Vaes256) -> Self {
            proof.0
        }
    }

    impl From<Vaes512> for Vaes256 {
        fn from(proof: Vaes512) -> Self {
            proof.0
        }
    }

    impl From<Vaes512> for Aesni {
        fn from(proof: Vaes512) -> Self {
            proof.0.0
        }
    }
}

/// The token of Key Locker, which has no level: a backend of its own uses it.
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft"), feature = "keylocker"))]
mod key_locker {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    /// Proof of Key Locker's instructions, one block and eight, and that the operating system has them enabled.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct KeyLocker {
        no_decrypt: bool,
    }

    impl KeyLocker {
        #[allow(unused_unsafe, reason = "CPUID is safe to call in later versions of Rust")]
        /// The proof, or what is missing (Intel's Software Developer's Manual, CPUID leaves 07H and 19H).
        pub(crate) fn detect() -> Result<Self, &'static str> {
            #[cfg(feature = "test-hooks")]
            if let Some(no_decrypt) = crate::test_hooks::pretended_key_locker() {
                return Ok(Self { no_decrypt });
            }
            const NONE: &str = "this CPU has no Key Locker";
            // A leaf above the highest has another's values.
            // SAFETY: every CPU of this architecture has CPUID.
            if unsafe { __cpuid(0) }.eax < 0x19 {
                return Err(NONE);
            }
            // SAFETY: as above.
            if unsafe { __cpuid_count(7, 0) }.ecx & 1 << 23 == 0 {
                return Err(NONE);
            }
            // SAFETY: as above.
            let leaf = unsafe { __cpuid(0x19) };
            if leaf.ebx & 1 == 0 {
                return Err("the operating system has not enabled Key Locker");
            }
            if leaf.ebx & 1 << 2 == 0 {
                return Err("this CPU has no wide instructions of Key Locker");
            }
            Ok(Self { no_decrypt: leaf.eax & 1 << 2 != 0 })
        }

        /// Whether a handle can be forbidden to decrypt.
        pub(crate) fn has_no_decrypt(self) -> bool {
            self.no_decrypt
        }
    }
}

/// The tokens of x86's kernels of hashes and of ciphers other than AES. They have no level of their own: they go with one
/// of AES's.
#[cfg(target_arch = "x86_64")]
mod vector {
    use std::arch::is_x86_feature_detected as detected;
    use std::sync::OnceLock;

    use super::allows;

    /// Proof of the SHA extensions, and of SSSE3 and SSE4.1. In use from the level `aesni` on.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Shani(());

    impl Shani {
        /// The proof, where the CPU has them and `QCRYPTO_CPU` leaves them in use.
        pub(crate) fn get() -> Option<Self> {
            static PROOF: OnceLock<Option<Shani>> = OnceLock::new();
            *PROOF.get_or_init(|| Self::detect().filter(|_| allows("aesni")))
        }

        pub(crate) fn detect() -> Option<Self> {
            let found = detected!("sha") && detected!("ssse3") && detected!("sse4.1");
            found.then_some(Self(()))
        }
    }

    /// Proof of AVX2, and of the bit manipulation instructions BMI1 and BMI2. In use from the level `vaes256` on.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Avx2(());

    impl Avx2 {
        /// The proof, where the CPU has them and `QCRYPTO_CPU` leaves them in use.
        pub(crate) fn get() -> Option<Self> {
            static PROOF: OnceLock<Option<Avx2>> = OnceLock::new();
            *PROOF.get_or_init(|| Self::detect().filter(|_| allows("vaes256")))
        }

        pub(crate) fn detect() -> Option<Self> {
            let found = detected!("avx2") && detected!("bmi1") && detected!("bmi2");
            found.then_some(Self(()))
        }
    }
    /// Proof of AVX-512 F, VL, BW and DQ. In use from the level `vaes512` on.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Avx512(());

    impl Avx512 {
        /// The proof, where the CPU has them and `QCRYPTO_CPU` leaves them in use.
        pub(crate) fn get() -> Option<Self> {
            static PROOF: OnceLock<Option<Avx512>> = OnceLock::new();
            *PROOF.get_or_init(|| Self::detect().filter(|_| allows("vaes512")))
        }

        pub(crate) fn detect() -> Option<Self> {
            let found = detected!("avx512f")
                && detected!("avx512vl")
                && detected!("avx512bw")
                && detected!("avx512dq");
            found.then_some(Self(()))
        }
    }
}
