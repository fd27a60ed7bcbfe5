//! What the CPU can run: detected once, proved by tokens.
//!
//! A token is a value, mostly of no size, that only detection makes. Code that holds one may run the instructions it names,
//! so a kernel whose key carries a token cannot be reached on a CPU without them. Detection is the standard library's,
//! which also asks whether the operating system saves the wide registers; that of Key Locker is ours, which says what is
//! missing.
//!
//! `QCRYPTO_CPU` in the environment, the name of a [`Level`], lowers the level for tests and for comparison; it raises it
//! where a CPU has a level that makes it slower, never above what it has. It is read once. A name that is no level's is ignored, and so is the variable in a program that runs with
//! more rights than its caller (setuid): who starts such a program must not choose its code.

use std::sync::OnceLock;

#[cfg(all(target_arch = "aarch64", target_endian = "little", not(aes_backend = "soft")))]
pub(crate) use aarch64::Aarch64Ce;
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
pub(crate) use aes::{Aesni, Gfni512, Vaes256, Vaes512};
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft"), feature = "keylocker"))]
pub(crate) use key_locker::KeyLocker;
#[cfg(target_arch = "x86_64")]
pub(crate) use vector::{Avx2, Avx512, Shani, Vbmi512};

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
    /// The Cryptographic Extension of ARMv8-A.
    #[cfg(all(target_arch = "aarch64", target_endian = "little", not(aes_backend = "soft")))]
    Aarch64Ce(Aarch64Ce),
}

impl Level {
    /// The names of the architecture's levels, lowest first. Those of another are no levels here.
    pub(crate) const NAMES: &[&str] = if cfg!(target_arch = "x86_64") {
        &["portable", "aesni", "vaes256", "vaes512"]
    } else if cfg!(all(target_arch = "aarch64", target_endian = "little")) {
        &["portable", "aarch64-ce"]
    } else {
        &["portable"]
    };

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
            #[cfg(all(
                target_arch = "aarch64",
                target_endian = "little",
                not(aes_backend = "soft")
            ))]
            Self::Aarch64Ce(_) => "aarch64-ce",
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
    number(name).is_some_and(|number| number <= highest().unwrap_or(Level::NAMES.len()))
}

/// The level that `QCRYPTO_CPU` names, as a place in [`Level::NAMES`].
fn highest() -> Option<usize> {
    static HIGHEST: OnceLock<Option<usize>> = OnceLock::new();
    *HIGHEST.get_or_init(|| environment("QCRYPTO_CPU").as_deref().and_then(number))
}

fn number(name: &str) -> Option<usize> {
    Level::NAMES.iter().position(|&level| level == name)
}

/// The levels this CPU has, lowest first.
fn available() -> impl Iterator<Item = Level> {
    #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
    let detected = [
        Aesni::detect().map(Level::Aesni),
        Vaes256::detect().map(Level::Vaes256),
        Vaes512::get().map(Level::Vaes512),
    ];
    #[cfg(all(target_arch = "aarch64", target_endian = "little", not(aes_backend = "soft")))]
    let detected = [Aarch64Ce::detect().map(Level::Aarch64Ce)];
    #[cfg(any(
        not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))),
        aes_backend = "soft"
    ))]
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

/// The token of the AES kernels of AArch64.
#[cfg(all(target_arch = "aarch64", target_endian = "little", not(aes_backend = "soft")))]
mod aarch64 {
    use std::arch::is_aarch64_feature_detected as detected;

    /// Proof of the AES instructions of ARMv8-A's Cryptographic Extension, and of NEON.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Aarch64Ce(());

    impl Aarch64Ce {
        pub(super) fn detect() -> Option<Self> {
            (detected!("neon") && detected!("aes")).then_some(Self(()))
        }
    }
}

/// The tokens of the AES kernels of x86.
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
mod aes {
    use std::arch::is_x86_feature_detected as detected;
    use std::arch::x86_64::__cpuid;

    /// Proof of AES-NI and of the instructions of its time: SSE4.2 and carry-less multiplication.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Aesni(());

    /// Proof of AES and carry-less multiplication on 256-bit registers, with AVX2.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Vaes256(Aesni);

    /// Proof of AES and carry-less multiplication on 512-bit registers, with AVX-512 F, VL, BW and DQ.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Vaes512(Vaes256);

    /// Proof of affine maps and inversion of bytes (GFNI), besides what the level has.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Gfni512(());

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
        /// The proof, where the CPU is no slower for it or `QCRYPTO_CPU` asks for it.
        pub(super) fn get() -> Option<Self> {
            // The leaf is there where the instructions are.
            let is_asked_for = || super::highest() == super::number("vaes512");
            Self::detect().filter(|_| !slows_down(__cpuid(1).eax) || is_asked_for())
        }

        fn detect() -> Option<Self> {
            let narrower = Vaes256::detect()?;
            let found = detected!("avx512f")
                && detected!("avx512vl")
                && detected!("avx512bw")
                && detected!("avx512dq");
            found.then_some(Self(narrower))
        }

        /// The proof of GFNI, where the CPU has that too.
        pub(crate) fn with_gfni(self) -> Option<Gfni512> {
            detected!("gfni").then_some(Gfni512(()))
        }
    }

    /// Whether work on 512 bits lowers the clock of such a CPU, by its signature (Intel's manual, volume 2A, CPUID), and
    /// with it all else that the core does. Ice Lake and Tiger Lake do as much AES on 256 bits, which two of their ports
    /// have and one has on 512 (Intel's optimization manual, Ice Lake client microarchitecture). Older ones have no VAES.
    fn slows_down(signature: u32) -> bool {
        let family = (signature >> 8) & 0xf;
        let model = ((signature >> 12) & 0xf0) | ((signature >> 4) & 0xf);
        family == 6 && matches!(model, 0x6a | 0x6c | 0x7d | 0x7e | 0x8c | 0x8d | 0x9d)
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
    #[cfg(test)]
    mod tests {
        use super::slows_down;

        #[test]
        fn cores_that_slow_down() {
            let ice_lake = [0x606a6, 0x606c1, 0x706e5, 0x706d1];
            let tiger_lake = [0x806c1, 0x806d1];
            assert!(ice_lake.into_iter().chain(tiger_lake).all(slows_down));
            let rocket_lake = 0xa0671;
            let (sapphire_rapids, granite_rapids) = (0x806f8, 0xa06d1);
            let (zen4, zen5) = (0xa10f11, 0xb00f21);
            assert!(
                ![rocket_lake, sapphire_rapids, granite_rapids, zen4, zen5]
                    .into_iter()
                    .any(slows_down)
            );
        }
    }
}

/// The token of Key Locker. It has no level: it is chosen as a backend of its own.
#[cfg(all(target_arch = "x86_64", not(aes_backend = "soft"), feature = "keylocker"))]
mod key_locker {
    use std::arch::x86_64::{__cpuid_count, __get_cpuid_max, CpuidResult};

    /// Proof of Key Locker and of its instructions for eight blocks, enabled by the operating system.
    #[derive(Clone, Copy)]
    pub(crate) struct KeyLocker {
        can_forbid_decryption: bool,
    }

    impl KeyLocker {
        /// The proof, or what is missing.
        pub(crate) fn detect() -> Result<Self, &'static str> {
            #[cfg(feature = "test-hooks")]
            if let Some((eax, ebx)) = crate::test_hooks::key_locker() {
                return Cpuid::of_a_cpu_with(eax, ebx).key_locker();
            }
            Cpuid::read().key_locker()
        }

        /// Whether the CPU makes handles that can encrypt and not decrypt.
        pub(crate) fn can_forbid_decryption(self) -> bool {
            self.can_forbid_decryption
        }
    }

    /// What the CPU says of itself, as far as it matters here (Intel SDM volume 2A, CPUID).
    #[derive(Clone, Copy)]
    struct Cpuid {
        /// The highest leaf. Those above it repeat the content of another.
        max_leaf: u32,
        /// Leaf 7, subleaf 0.
        features: CpuidResult,
        /// Leaf 19H.
        key_locker: CpuidResult,
    }

    impl Cpuid {
        const FEATURES: u32 = 7;
        const KEY_LOCKER: u32 = 0x19;

        #[allow(unused_unsafe, reason = "newer compilers know that these are safe")]
        fn read() -> Self {
            // SAFETY: every x86-64 CPU has the instruction, whatever the leaf.
            let leaf = |leaf| unsafe { __cpuid_count(leaf, 0) };
            // SAFETY: as above.
            let (max_leaf, _) = unsafe { __get_cpuid_max(0) };
            Self { max_leaf, features: leaf(Self::FEATURES), key_locker: leaf(Self::KEY_LOCKER) }
        }

        fn key_locker(self) -> Result<KeyLocker, &'static str> {
            let bit = |register: u32, bit: u32| register >> bit & 1 == 1;
            if self.max_leaf < Self::KEY_LOCKER || !bit(self.features.ecx, 23) {
                return Err("this CPU has no Key Locker");
            }
            // Reads as one only while CR4.KL is set, which is the operating system's to do.
            if !bit(self.key_locker.ebx, 0) {
                return Err("the operating system has not enabled Key Locker");
            }
            if !bit(self.key_locker.ebx, 2) {
                return Err("this CPU's Key Locker has no instructions for eight blocks");
            }
            Ok(KeyLocker { can_forbid_decryption: bit(self.key_locker.eax, 2) })
        }

        /// A CPU that has Key Locker, with these registers of its leaf.
        #[cfg(any(test, feature = "test-hooks"))]
        fn of_a_cpu_with(eax: u32, ebx: u32) -> Self {
            let features = CpuidResult { eax: 0, ebx: 0, ecx: 1 << 23, edx: 0 };
            let key_locker = CpuidResult { eax, ebx, ecx: 0, edx: 0 };
            Self { max_leaf: Self::KEY_LOCKER, features, key_locker }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::Cpuid;

        /// What is missing, or whether decryption can be forbidden.
        fn answer(cpuid: Cpuid) -> Result<bool, &'static str> {
            cpuid.key_locker().map(|cpu| cpu.can_forbid_decryption())
        }

        /// K4
        #[test]
        fn what_is_missing_is_told() {
            let all = Cpuid::of_a_cpu_with(0b111, 0b1_0101);
            assert_eq!(answer(all), Ok(true));
            assert_eq!(answer(Cpuid { max_leaf: 0x20, ..all }), Ok(true));
            assert_eq!(answer(Cpuid::of_a_cpu_with(0b011, 0b101)), Ok(false));

            let none = Err("this CPU has no Key Locker");
            assert_eq!(answer(Cpuid { max_leaf: 0x18, ..all }), none);
            let mut features = all.features;
            features.ecx = !(1 << 23);
            assert_eq!(answer(Cpuid { features, ..all }), none);

            let off = Err("the operating system has not enabled Key Locker");
            assert_eq!(answer(Cpuid::of_a_cpu_with(0b111, 0b1_0100)), off);
            let narrow = Err("this CPU's Key Locker has no instructions for eight blocks");
            assert_eq!(answer(Cpuid::of_a_cpu_with(0b111, 0b1_0001)), narrow);
        }

        /// It looks at the same bits, and says only yes or no.
        #[test]
        fn the_standard_library_agrees() {
            use std::arch::is_x86_feature_detected as detected;
            let found = Cpuid::read().key_locker().is_ok();
            assert_eq!(found, detected!("kl") && detected!("widekl"));
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

    /// Proof of permutations of bytes (AVX-512 VBMI) and affine maps of them (GFNI), besides [`Avx512`]. In use from the
    /// level `vaes512` on.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Vbmi512(());

    impl Vbmi512 {
        /// The proof, where the CPU has them and `QCRYPTO_CPU` leaves them in use.
        pub(crate) fn get() -> Option<Self> {
            static PROOF: OnceLock<Option<Vbmi512>> = OnceLock::new();
            *PROOF.get_or_init(|| Self::detect().filter(|_| allows("vaes512")))
        }

        pub(crate) fn detect() -> Option<Self> {
            Avx512::detect()?;
            (detected!("avx512vbmi") && detected!("gfni")).then_some(Self(()))
        }
    }
}
