//! The state of the CPU, and what instructions do to it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use aes::{Aes128, Aes256};
use cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};

use super::handle::{BLOCK, CPL0_ONLY, NO_DECRYPTION, NO_ENCRYPTION, Size, WrappingKey};
use super::instruction::Operation;

/// The zero flag, and all that instructions clear besides it: carry, parity, adjust, sign and overflow.
const ZERO_FLAG: u64 = 1 << 6;
const FLAGS: u64 = ZERO_FLAG | 1 | 1 << 2 | 1 << 4 | 1 << 7 | 1 << 11;

/// How many instructions of each kind ran.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    pub encode: usize,
    pub one: usize,
    pub eight: usize,
}

/// One CPU for all threads. Tests may change what they like of it.
pub struct Machine {
    pub wrapping_key: WrappingKey,
    /// The restrictions that handles may have.
    pub restrictions: u32,
    /// Loses the wrapping key when so many more instructions have used a handle.
    pub lose_after: Option<usize>,
    /// A bit of the handle that flips on its way from memory.
    pub flip: Option<usize>,
    /// Whether what comes out is wrong by a bit.
    pub is_faulty: bool,
    pub counts: Counts,
    /// The restrictions of the handles made.
    pub encoded: [u32; 4],
}

/// Taken by the signal handler too, which nothing in here can call: a thread that holds it runs no such instruction.
static MACHINE: Mutex<Machine> = Mutex::new(Machine {
    wrapping_key: Machine::FIRST_KEY,
    restrictions: CPL0_ONLY | NO_ENCRYPTION | NO_DECRYPTION,
    lose_after: None,
    flip: None,
    is_faulty: false,
    counts: Counts { encode: 0, one: 0, eight: 0 },
    encoded: [0; 4],
});

/// The registers that instructions use.
pub(super) struct Registers<'a> {
    pub(super) general: [u64; 16],
    pub(super) flags: u64,
    pub(super) xmm: [&'a mut [u32; 4]; 16],
}

/// How an instruction ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Done,
    /// #GP
    ProtectionFault,
}

impl Machine {
    const FIRST_KEY: WrappingKey = WrappingKey {
        integrity: *b"integrity of it ",
        encryption: *b"encrypts keys and nothing else. ",
    };

    /// The one there is. No test runs an instruction while it holds this.
    pub fn get() -> MutexGuard<'static, Self> {
        MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another wrapping key, which knows no handle made before.
    pub fn lose(&mut self) {
        self.wrapping_key.encryption[0] ^= 1;
        self.wrapping_key.integrity[0] ^= 1;
    }

    pub(super) fn run(&mut self, operation: Operation, registers: &mut Registers<'_>) -> End {
        match operation {
            Operation::LoadWrappingKey => End::ProtectionFault,
            Operation::Encode { size, to, restrictions } => {
                let restrictions = registers.general[restrictions] as u32;
                if restrictions & !self.restrictions != 0 {
                    return End::ProtectionFault;
                }
                self.encoded[self.counts.encode % self.encoded.len()] = restrictions;
                self.counts.encode += 1;
                let mut key = [0; 32];
                registers.read(&mut key[..size.key_len()]);
                let handle = self.wrapping_key.wrap(size, restrictions, &key[..size.key_len()]);
                registers.write(0, &handle[..size.handle_len()]);
                registers.write(4, &[0; 3 * BLOCK]);
                // No backup forbidden, no random wrapping key.
                registers.general[to] = 0;
                registers.flags &= !FLAGS;
                End::Done
            }
            Operation::One { size, decrypt, register, handle } => {
                self.counts.one += 1;
                self.crypt(size, decrypt, handle, register, 1, registers)
            }
            Operation::Eight { size, decrypt, handle } => {
                self.counts.eight += 1;
                self.crypt(size, decrypt, handle, 0, 8, registers)
            }
        }
    }

    /// Blocks in registers from `first` on.
    fn crypt(
        &mut self,
        size: Size,
        decrypt: bool,
        handle: u64,
        first: usize,
        blocks: usize,
        registers: &mut Registers<'_>,
    ) -> End {
        match self.lose_after {
            Some(0) => {
                self.lose_after = None;
                self.lose();
            }
            Some(left) => self.lose_after = Some(left - 1),
            None => {}
        }
        let mut bytes = [0; 64];
        // SAFETY: the interrupted program means to read a handle there. If it cannot, this ends as it would have.
        unsafe {
            let handle = std::ptr::with_exposed_provenance::<u8>(handle as usize);
            handle.copy_to_nonoverlapping(bytes.as_mut_ptr(), size.handle_len());
        }
        if let Some(bit) = self.flip {
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        registers.flags &= !FLAGS;
        let forbidding = CPL0_ONLY | if decrypt { NO_DECRYPTION } else { NO_ENCRYPTION };
        match self.wrapping_key.unwrap(size, &bytes) {
            Some((key, restrictions)) if restrictions & forbidding == 0 => {
                for register in &mut registers.xmm[first..first + blocks] {
                    aes(&key[..size.key_len()], decrypt, register);
                    register[0] ^= u32::from(self.is_faulty);
                }
            }
            _ => registers.flags |= ZERO_FLAG,
        }
        End::Done
    }
}

/// One block of AES.
fn aes(key: &[u8], decrypt: bool, register: &mut [u32; 4]) {
    let mut block = [0; BLOCK];
    for (part, word) in block.chunks_exact_mut(4).zip(*register) {
        part.copy_from_slice(&word.to_le_bytes());
    }
    let mut block = Array(block);
    match (<&[u8; 16]>::try_from(key), <&[u8; 32]>::try_from(key), decrypt) {
        (Ok(key), _, false) => Aes128::new(key.into()).encrypt_block(&mut block),
        (Ok(key), _, true) => Aes128::new(key.into()).decrypt_block(&mut block),
        (_, Ok(key), false) => Aes256::new(key.into()).encrypt_block(&mut block),
        (_, Ok(key), true) => Aes256::new(key.into()).decrypt_block(&mut block),
        _ => {}
    }
    for (word, part) in register.iter_mut().zip(block.chunks_exact(4)) {
        *word = part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
}

impl Registers<'_> {
    /// The bytes of XMM0 and those after it.
    fn read(&self, bytes: &mut [u8]) {
        let words = self.xmm.iter().flat_map(|register| register.iter());
        for (part, word) in bytes.chunks_exact_mut(4).zip(words) {
            part.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Sets XMM registers from `first` on.
    fn write(&mut self, first: usize, bytes: &[u8]) {
        let words = self.xmm[first..].iter_mut().flat_map(|register| register.iter_mut());
        for (word, part) in words.zip(bytes.chunks_exact(4)) {
            *word = part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
    }
}
