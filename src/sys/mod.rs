//! Declarations of foreign functions, nothing else.
//!
//! The libraries are opened at run time, so their functions are fields of a struct that is filled by name. What opens
//! them, and every call, is in the backends.

#[cfg(feature = "gcrypt")]
pub(crate) mod gcrypt;
pub(crate) mod loader;
#[cfg(feature = "nettle")]
pub(crate) mod nettle;

/// Declares functions and constants of a library by hand: a struct of pointers with `load`, which looks each up by its
/// name. Those under `optional` may be missing from older versions.
macro_rules! functions {
    (
        $(#[$doc:meta])*
        pub(crate) struct $name:ident { $($field:ident: $type:ty,)* }
        optional { $($maybe:ident: $maybe_type:ty,)* }
    ) => {
        $(#[$doc])*
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
            $(pub(crate) $maybe: Option<$maybe_type>,)*
        }

        impl $name {
            /// Looks up every name; the error is the first that is missing.
            ///
            /// # Safety
            /// What `find` returns for a name is NULL or points to what is declared here, for ever.
            pub(crate) unsafe fn load(
                find: impl Fn(&str) -> Option<std::ptr::NonNull<std::ffi::c_void>>,
            ) -> Result<Self, &'static str> {
                Ok(Self {
                    $(
                        $field: {
                            let found = find(stringify!($field)).ok_or(stringify!($field))?;
                            // SAFETY: a pointer to what the caller vouches for.
                            unsafe { std::mem::transmute_copy::<_, $type>(&found) }
                        },
                    )*
                    $(
                        $maybe: find(stringify!($maybe)).map(|found| {
                            // SAFETY: as above.
                            unsafe { std::mem::transmute_copy::<_, $maybe_type>(&found) }
                        }),
                    )*
                })
            }
        }
    };
}

pub(crate) use functions;
