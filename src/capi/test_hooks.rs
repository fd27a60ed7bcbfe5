//! The C door to [`crate::test_hooks`].

use std::ffi::c_uint;

use crate::test_hooks::{Fault, arm};

/// Arms a fault for the next call on this thread: 1 a panic at entry, 2 a panic midway, 3 a failure midway, else none.
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_test_arm(fault: c_uint) {
    let faults = [Fault::PanicAtEntry, Fault::PanicMidway, Fault::FailMidway];
    arm(faults.into_iter().find(|&known| known as c_uint == fault));
}
