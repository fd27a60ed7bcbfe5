//! Libraries opened at run time, and the tables of their functions.
#![expect(
    unsafe_code,
    reason = "opening a library runs its code, and nothing but its header tells a symbol's type"
)]

use std::error::Error;
use std::ffi::{CStr, c_char};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// Opens the first of `names` that the loader finds. RTLD_LOCAL: two libraries that define the same name, say two
/// builds of libqcrypto, each go on using their own.
pub(super) fn open(names: &[&str]) -> Result<Library, String> {
    let mut reason = String::new();
    for name in names {
        // SAFETY: the libraries opened here are crypto libraries whose initialisers do what any program linked with
        // them would let them do before main; this program has one thread and holds no lock meanwhile.
        match unsafe { Library::open(Some(*name), RTLD_NOW | RTLD_LOCAL) } {
            Ok(library) => return Ok(library),
            // The loader's own words are one level down.
            Err(error) => {
                reason = error.source().map_or_else(|| error.to_string(), ToString::to_string)
            }
        }
    }
    Err(reason)
}

/// A symbol's address as a `T`: a function pointer, or a pointer to data.
///
/// # Safety
/// `T` must be a pointer type that fits what the library's header says of `name`, and must not be used after
/// `library` is closed.
pub(super) unsafe fn symbol<T: Copy>(library: &Library, name: &str) -> Option<T> {
    // SAFETY: the caller vouches for the type and for how long it is used.
    unsafe { library.get::<T>(name) }.ok().map(|symbol| *symbol)
}

/// What a missing symbol is called in an error.
pub(super) fn missing(name: &str) -> String {
    format!("has no {name}")
}

/// A C string of a library's, copied; empty for NULL.
///
/// # Safety
/// `text` is NULL or points to a NUL-terminated string that stays as it is during the call.
pub(super) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not NULL, and the caller vouches for the rest.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Declares a library's functions by hand, as a struct of pointers that also keeps the library open. Those under
/// `optional` may be absent from older versions.
macro_rules! functions {
    (
        $(#[$doc:meta])*
        struct $name:ident { $($field:ident: $type:ty,)* }
        optional { $($maybe:ident: $maybe_type:ty,)* }
    ) => {
        $(#[$doc])*
        struct $name {
            $($field: $type,)*
            $($maybe: Option<$maybe_type>,)*
            /// Last, so that nothing above outlives the code it points to.
            _library: libloading::os::unix::Library,
        }

        impl $name {
            /// # Safety
            /// The declarations above are those of the headers `library` was built with.
            unsafe fn load(library: libloading::os::unix::Library) -> Result<Self, String> {
                use $crate::peers::dynamic::{missing, symbol};
                Ok(Self {
                    $(
                        // SAFETY: the caller vouches for the declaration, and the library stays in the same struct.
                        $field: unsafe { symbol::<$type>(&library, stringify!($field)) }
                            .ok_or_else(|| missing(stringify!($field)))?,
                    )*
                    $(
                        // SAFETY: as above.
                        $maybe: unsafe { symbol::<$maybe_type>(&library, stringify!($maybe)) },
                    )*
                    _library: library,
                })
            }
        }
    };
}

pub(super) use functions;
