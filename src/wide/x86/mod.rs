//! Blocks of 16 bytes in registers that hold one word of several blocks: a file per width.

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod sse2;

use cipher::array::Array;
use cipher::consts::U16;

type Block = Array<u8, U16>;
