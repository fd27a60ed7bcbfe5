//! Builds the C bodies of the variadic functions and tells the linker what the shared library must be like.

fn main() {
    println!("cargo:rerun-if-changed=src/capi/variadic.c");
    cc::Build::new()
        .file("src/capi/variadic.c")
        .std("c99")
        .warnings(true)
        .extra_warnings(true)
        .compile("qcrypto_variadic");

    // The digit is the ABI's, not the version's: it changes with the first incompatible change of the exports.
    for arg in [
        "-Wl,-soname,libqcrypto.so.0",
        // Rust keeps thread-local destructors in the library: it must outlive every thread that used it.
        "-Wl,-z,nodelete",
        "-Wl,-z,relro,-z,now",
        "-Wl,-z,noexecstack",
    ] {
        println!("cargo:rustc-cdylib-link-arg={arg}");
    }
}
