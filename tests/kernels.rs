//! `QCRYPTO_CPU` chooses the kernels of a whole process: this test program starts itself once for each level.

mod common;

use std::env;

use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::cipher::Cipher;

/// Set in the program that a test started, to the name of the kernels that it should see.
const EXPECTED: &str = "QCRYPTO_TEST_EXPECTED";

/// What serves AES in every mode; one name for all.
fn backend() -> String {
    let mut names: Vec<_> = CipherMode::ALL
        .into_iter()
        .map(|mode| {
            let keys = if mode == CipherMode::Xts { 2 } else { 1 };
            let cipher = Cipher::new(CipherAlgorithm::Aes256, mode, &vec![7; keys * 32]);
            cipher.expect("AES in every mode").backend().to_string_lossy().into_owned()
        })
        .collect();
    names.dedup();
    assert_eq!(names.len(), 1, "{names:?}");
    names.remove(0)
}

/// Whether this program was started by a test, in which case it looks and has no other tests to run.
fn is_child() -> bool {
    let Ok(expected) = env::var(EXPECTED) else { return false };
    assert_eq!(backend(), expected);
    true
}

/// Runs `test` of this program again with a value of `QCRYPTO_CPU`, and says whether it saw these kernels.
fn sees(test: &str, value: Option<&str>, expected: &str) -> bool {
    let mut command = common::this_program();
    command.args(["--exact", test]).env(EXPECTED, expected).env_remove("QCRYPTO_CPU");
    if let Some(value) = value {
        command.env("QCRYPTO_CPU", value);
    }
    command.output().expect("the test program starts").status.success()
}

/// The levels of this machine and build, lowest first.
fn levels() -> Vec<&'static str> {
    #[allow(unused_mut, reason = "some architectures have no other")]
    let mut levels = vec!["portable"];
    #[cfg(all(target_arch = "x86_64", not(aes_backend = "soft")))]
    {
        use std::arch::is_x86_feature_detected as detected;
        if detected!("aes") && detected!("pclmulqdq") && detected!("sse4.2") {
            levels.push("aesni");
            if detected!("avx2") && detected!("vaes") && detected!("vpclmulqdq") {
                levels.push("vaes256");
                if detected!("avx512bw") && detected!("avx512dq") && detected!("avx512vl") {
                    levels.push("vaes512");
                }
            }
        }
    }
    #[cfg(all(target_arch = "aarch64", target_endian = "little", not(aes_backend = "soft")))]
    if std::arch::is_aarch64_feature_detected!("aes") {
        levels.push("aarch64-ce");
    }
    levels
}

#[test]
fn the_highest_level_serves() {
    if is_child() {
        return;
    }
    // Where 512 bits slow the CPU down, it is the one below.
    let mut highest = levels();
    let is_wide = highest.last() == Some(&"vaes512");
    let serves = |level| sees("the_highest_level_serves", None, &format!("native/{level}"));
    assert!(highest.pop().is_some_and(serves) || (is_wide && highest.pop().is_some_and(serves)));
    assert!(!sees("the_highest_level_serves", None, "native/none"), "the child looks at nothing");
}

#[test]
fn the_environment_lowers_the_level() {
    if is_child() {
        return;
    }
    for level in levels() {
        let expected = format!("native/{level}");
        assert!(sees("the_environment_lowers_the_level", Some(level), &expected), "{level}");
    }
}

#[test]
fn the_environment_never_raises_the_level() {
    if is_child() {
        return;
    }
    let levels = levels();
    let highest = format!("native/{}", levels.last().expect("the portable one, at least"));
    for name in ["portable", "aesni", "vaes256", "vaes512", "aarch64-ce", "", "VAES256", "none"] {
        if !levels.contains(&name) {
            let test = "the_environment_never_raises_the_level";
            assert!(sees(test, Some(name), &highest), "{name}");
        }
    }
}
