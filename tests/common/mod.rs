//! What several tests need.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

use std::fs;
use std::path::Path;

/// The root of the source tree.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
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
