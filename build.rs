//! Builds what stable Rust cannot say, in C, and tells the linker what the shared library must be like.

fn main() {
    // The variadic functions, and weak references.
    let sources = ["src/capi/variadic.c", "src/sys/loader.c"];
    for source in sources {
        println!("cargo:rerun-if-changed={source}");
    }
    cc::Build::new()
        .files(sources)
        .std("c99")
        .warnings(true)
        .extra_warnings(true)
        .compile("qcrypto_c");

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
