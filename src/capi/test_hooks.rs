//! The C door to [`crate::test_hooks`].

use std::ffi::c_uint;

use crate::test_hooks::{Fault, arm, force_block_xts};

/// Arms a fault for the next call on this thread: 1 a panic at entry, 2 a panic midway, 3 a failure midway, else none.
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_test_arm(fault: c_uint) {
    let faults = [Fault::PanicAtEntry, Fault::PanicMidway, Fault::FailMidway];
    arm(faults.into_iter().find(|&known| known as c_uint == fault));
}

/// Makes objects of this thread run our XTS over a library's block cipher, also where the library has its own.
#[unsafe(no_mangle)]
pub extern "C" fn qcrypto_test_force_block_xts(force: bool) {
    force_block_xts(force);
}
