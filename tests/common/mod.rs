//! What several tests need.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

#[allow(unsafe_code, reason = "C functions are called")]
pub mod backends;
pub mod bytes;
pub mod calls;
#[cfg(all(
    target_arch = "x86_64",
    not(aes_backend = "soft"),
    feature = "keylocker",
    feature = "test-hooks"
))]
pub mod keylocker;
pub mod rust_source;
pub mod vectors;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// This test program, to be run again. Where it is another architecture's, `QCRYPTO_TEST_EMULATOR` is what runs it and that
/// one's arguments.
pub fn this_program() -> Command {
    let program = std::env::current_exe().expect("a test program has a path");
    let emulator = std::env::var("QCRYPTO_TEST_EMULATOR").unwrap_or_default();
    let mut words = emulator.split_whitespace();
    let Some(emulator) = words.next() else { return Command::new(program) };
    let mut command = Command::new(emulator);
    command.args(words).arg(program);
    command
}

/// Runs an ignored test of this program in a process of its own, with these variables and the backends left alone. What it
/// prints is shown where this test fails.
pub fn run_part(name: &str, variables: &[(&str, String)]) -> ExitStatus {
    let mut command = this_program();
    command.args(["--exact", name, "--include-ignored", "--nocapture"]);
    command
        .env_remove("QCRYPTO_BACKENDS")
        .envs(variables.iter().map(|(name, value)| (name, value)));
    let output = command.output().expect("it runs");
    println!("{}", String::from_utf8_lossy(&output.stdout));
    println!("{}", String::from_utf8_lossy(&output.stderr));
    output.status
}

/// The root of the source tree.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file of the source tree.
pub fn read(path: &str) -> String {
    let file = root().join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files under a folder of the source tree with this extension, paths relative to the folder, sorted.
pub fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let root = root().join(folder);
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the source tree") {
            let path = entry.expect("an entry of the source tree").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path.strip_prefix(&root).expect("it lies under the root").to_owned());
            }
        }
    }
    files.sort();
    files
}

/// Compares a generated file with the one checked in. With `UPDATE_EXPECT=1` in the environment, writes it instead.
pub fn expect_file(path: &str, content: &str) {
    let file = root().join(path);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, content).expect("the source tree can be written");
        return;
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == content,
        "{path} is out of date; UPDATE_EXPECT=1 cargo test writes it anew:\n{content}"
    );
}
