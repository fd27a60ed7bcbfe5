//! Key Locker in user space, so that what uses it can be tested on CPUs that have none.
//!
//! A CPU without the instructions raises a signal where one stands. The handler here does what the instruction would have
//! done to the registers, and goes on behind it. It belongs to the tests: no build of the library contains it.
//!
//! With `keylocker` first in `QCRYPTO_BACKENDS` every test program starts it before anything else runs, so the tests of
//! ciphers can be run on that backend like on any other.

pub mod handle;
pub mod instruction;
#[allow(unsafe_code, reason = "reads what the interrupted program points to")]
pub mod machine;
#[allow(unsafe_code, reason = "a signal handler")]
pub mod signal;
