//! Buffers at the ends of pages, for the tests of kernels.

pub(crate) const PAGE: usize = 4096;

/// Two pages between two that cannot be touched: an access outside of the pages ends the test program.
pub(crate) struct Guarded {
    pages: *mut libc::c_void,
}

impl Guarded {
    pub(crate) const LEN: usize = 2 * PAGE;

    pub(crate) fn new() -> Self {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let all = Self::LEN + 2 * PAGE;
        // SAFETY: a new mapping, at an address of the kernel's choice.
        let pages = unsafe { libc::mmap(std::ptr::null_mut(), all, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(pages, libc::MAP_FAILED);
        // SAFETY: within the mapping made above.
        let inner = unsafe { pages.byte_add(PAGE) };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: so are these pages, which nothing refers to yet.
        assert_eq!(unsafe { libc::mprotect(inner, Self::LEN, access) }, 0);
        Self { pages }
    }

    /// The last bytes before the page that ends it, or the first after the page that begins it.
    pub(crate) fn edge(&mut self, len: usize, at_end: bool) -> &mut [u8] {
        assert!(len <= Self::LEN);
        let offset = PAGE + if at_end { Self::LEN - len } else { 0 };
        // SAFETY: within the mapping.
        let edge = unsafe { self.pages.byte_add(offset) };
        // SAFETY: those bytes can be read and written, were zeroed by the kernel, and are borrowed with `self`.
        unsafe { std::slice::from_raw_parts_mut(edge.cast(), len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made by `new`, to which no reference is left.
        assert_eq!(unsafe { libc::munmap(self.pages, Self::LEN + 2 * PAGE) }, 0);
    }
}
