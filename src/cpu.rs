//! What the CPU can run: detected once, proved by tokens.
//!
//! A token is a value of no size that only detection makes. Code that holds one may run the instructions it names.
//! Detection is the standard library's, which also asks whether the operating system saves the wide registers.
//!
//! `QCRYPTO_CPU` in the environment, the name of a level, lowers the level for tests and for comparison; it never raises
//! it. It is read once. A name that is no level's is ignored, and so is the variable in a program that runs with more
//! rights than its caller (setuid): who starts such a program must not choose its code.

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Shani};

/// The names of the levels, lowest first.
#[cfg(target_arch = "x86_64")]
const NAMES: [&str; 4] = ["portable", "aesni", "vaes256", "vaes512"];

/// Whether `QCRYPTO_CPU` leaves the level of this name in use.
#[cfg(target_arch = "x86_64")]
fn allows(name: &str) -> bool {
    static HIGHEST: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let number = |name: &str| NAMES.iter().position(|&level| level == name);
    let highest =
        *HIGHEST.get_or_init(|| requested().as_deref().and_then(number).unwrap_or(NAMES.len()));
    number(name).is_some_and(|number| number <= highest)
}

/// What `QCRYPTO_CPU` says.
#[cfg(target_arch = "x86_64")]
fn requested() -> Option<String> {
    if is_privileged() {
        return None;
    }
    std::env::var_os("QCRYPTO_CPU")?.into_string().ok()
}

/// Whether the program runs with more rights than its caller has.
#[cfg(target_arch = "x86_64")]
fn is_privileged() -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: getauxval has no preconditions; an entry it does not know is 0.
    return unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    #[cfg(not(target_os = "linux"))]
    return false;
}

/// The tokens of x86.
#[cfg(target_arch = "x86_64")]
mod x86 {
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
}
