//! Memory for the library's contexts.

use std::ffi::c_void;

use zeroize::{DefaultIsZeroes, Zeroizing};

/// A cache line: no context asks for a wider alignment.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Line {
    _bytes: [u128; 4],
}

impl DefaultIsZeroes for Line {}

/// A context, which holds a key or part of a message: it stays where it is, and is wiped when it is dropped.
pub(super) struct Memory(Zeroizing<Box<[Line]>>);

impl Memory {
    /// Zeroes, for the library to make something of: at least `len` bytes.
    pub(super) fn new(len: usize) -> Self {
        Self(Zeroizing::new(vec![Line::default(); len.div_ceil(size_of::<Line>())].into()))
    }

    pub(super) fn get(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }

    pub(super) fn get_mut(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}
