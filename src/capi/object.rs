//! Objects that C holds: public fields that QEMU's sources read, then a Rust value.

use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::CError;
use super::{catch, report};
use crate::error::Error;

/// What a pointer to a public struct `P` of ours points to.
#[repr(C)]
pub(super) struct Object<P, T> {
    public: P,
    value: T,
    /// Set by a panic, which may have cost the value its invariants: every later call is refused.
    dead: AtomicBool,
}

impl<P: 'static, T: 'static> Object<P, T> {
    /// A new object, for C to keep until it gives it to [`Object::free`], on whatever thread.
    pub(super) fn give(public: P, value: T) -> *mut P
    where
        T: Send,
    {
        Box::into_raw(Box::new(Self { public, value, dead: AtomicBool::new(false) })).cast::<P>()
    }

    /// Frees an object; NULL is allowed.
    ///
    /// # Safety
    /// The pointer is NULL or comes from [`Object::give`] of this type, and the caller gives it up.
    pub(super) unsafe fn free(object: *mut P) {
        if object.is_null() {
            return;
        }
        // SAFETY: `give` made it as a Box<Self>, and the caller gives it up.
        let object = unsafe { Box::from_raw(object.cast::<Self>()) };
        let free = move || {
            drop(object);
            Ok(())
        };
        // Nobody can be told; the guard still keeps a panic from reaching C.
        let _ = catch(free);
    }

    /// The value of an object, or None for NULL.
    ///
    /// # Safety
    /// The pointer is NULL or comes from [`Object::give`] of this type, and nobody changes the object while the result
    /// lives.
    pub(super) unsafe fn get<'a>(object: *const P) -> Option<&'a T>
    where
        T: Sync,
    {
        // SAFETY: the caller's promise; `give` makes every object as a Self.
        unsafe { object.cast::<Self>().as_ref() }.map(|object| &object.value)
    }

    /// Runs `work` on the value of an object, and reports as functions returning int do. A panic leaves the object
    /// dead. `name` is the argument's.
    ///
    /// # Safety
    /// The pointer is NULL or comes from [`Object::give`] of this type, and nobody else uses the object during the call.
    #[track_caller]
    pub(super) unsafe fn run(
        object: *mut P,
        name: &'static str,
        errp: *mut *mut CError,
        function: &'static CStr,
        work: impl FnOnce(&mut T) -> Result<(), Error>,
    ) -> c_int {
        // SAFETY: the caller's promise; `give` makes every object as a Self.
        let result = match unsafe { object.cast::<Self>().as_mut() } {
            None => Err(Error::Null(name)),
            Some(object) => guarded(&object.dead, name, || work(&mut object.value)),
        };
        report(result.map(|()| 0), -1, errp, function)
    }

    /// As [`Object::run`], for work that changes nothing and that several threads may do at once.
    ///
    /// # Safety
    /// The pointer is NULL or comes from [`Object::give`] of this type, and nobody changes the object during the call.
    #[track_caller]
    pub(super) unsafe fn run_shared(
        object: *const P,
        name: &'static str,
        errp: *mut *mut CError,
        function: &'static CStr,
        work: impl FnOnce(&T) -> Result<(), Error>,
    ) -> c_int
    where
        T: Sync,
    {
        // SAFETY: the caller's promise; `give` makes every object as a Self.
        let result = match unsafe { object.cast::<Self>().as_ref() } {
            None => Err(Error::Null(name)),
            Some(object) => guarded(&object.dead, name, || work(&object.value)),
        };
        report(result.map(|()| 0), -1, errp, function)
    }
}

/// Runs the work of a call unless the object is dead, and leaves it dead where that is a panic. Nothing is written
/// otherwise: the mark lies in memory that threads share.
#[inline(always)]
fn guarded(
    dead: &AtomicBool,
    name: &'static str,
    work: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    if dead.load(Ordering::Relaxed) {
        return Err(Error::Dead(name));
    }
    let result = catch(work);
    if result == Err(Error::Internal) {
        dead.store(true, Ordering::Relaxed);
    }
    result
}
