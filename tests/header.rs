//! `include/qcrypto.h` is what cbindgen makes of `src/capi`.

mod common;

use cbindgen::{Builder, Config};

/// The files whose items make the header, in the header's order. `error.rs` is not among them: qapi/error.h is written
/// by hand, for its macros and variadic functions.
const SOURCES: [&str; 12] = [
    "src/capi/qapi_types_crypto.rs",
    "src/capi/init.rs",
    "src/capi/random.rs",
    "src/capi/cipher.rs",
    "src/capi/hash.rs",
    "src/capi/hmac.rs",
    "src/capi/pbkdf.rs",
    "src/capi/ivgen.rs",
    "src/capi/afsplit.rs",
    "src/capi/extensions.rs",
    "src/capi/sectors.rs",
    "src/capi/xts.rs",
];

#[test]
fn header_is_up_to_date() {
    let config = Config::from_root_or_default(common::root());
    let builder = SOURCES.iter().fold(Builder::new().with_config(config), |builder, source| {
        builder.with_src(common::root().join(source))
    });
    let mut header = Vec::new();
    builder.generate().expect("src/capi parses").write(&mut header);
    common::expect_file("include/qcrypto.h", &String::from_utf8(header).expect("UTF-8"));
}
