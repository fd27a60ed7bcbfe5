//! Key Locker for CPUs that have none: its instructions, of which each raises SIGILL, done by the signal's handler.
//!
//! The handles are those of Intel's document 343965: a key encrypted with AES-256-GCM-SIV (RFC 8452) under the wrapping
//! key itself, with no nonce. Nothing of a key is kept here, so that a search through memory finds what others keep.

#![allow(unsafe_code, reason = "a signal handler that changes registers")]

use std::cell::Cell;
use std::sync::RwLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use aes::{Aes128, Aes256};
use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use polyval::Polyval;
use polyval::universal_hash::UniversalHash;
use zeroize::{Zeroize, Zeroizing};

type Block = [u8; 16];

/// What LOADIWKEY would load: the integrity key, and the encryption key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WrappingKey {
    pub integrity: Block,
    pub encryption: [u8; 32],
}

/// The wrapping key in force.
static WRAPPING_KEY: RwLock<WrappingKey> =
    RwLock::new(WrappingKey { integrity: [0x1e; 16], encryption: [0xac; 32] });

/// Instructions until the wrapping key is lost; below zero, never.
static LOSE_AFTER: AtomicI64 = AtomicI64::new(-1);

/// Instructions that were emulated.
static EMULATED: AtomicU64 = AtomicU64::new(0);

/// Puts another wrapping key in force and returns the one before.
pub fn load(key: WrappingKey) -> WrappingKey {
    std::mem::replace(&mut *WRAPPING_KEY.write().expect("not poisoned"), key)
}

/// Has the wrapping key change after so many more instructions.
pub fn lose_after(instructions: i64) {
    LOSE_AFTER.store(instructions, Ordering::SeqCst);
}

/// How many instructions were emulated so far.
pub fn emulated() -> u64 {
    EMULATED.load(Ordering::SeqCst)
}

impl WrappingKey {
    /// The tag of a message of whole blocks, section 4 of RFC 8452 from the record's keys on.
    pub fn tag(
        &self,
        nonce: &[u8; 12],
        additional: &Block,
        message: &[Block],
        bits: [u64; 2],
    ) -> Block {
        let mut hash = Polyval::new(&self.integrity.into());
        let mut lengths = [0; 16];
        lengths[..8].copy_from_slice(&bits[0].to_le_bytes());
        lengths[8..].copy_from_slice(&bits[1].to_le_bytes());
        if bits[0] != 0 {
            hash.update(&[(*additional).into()]);
        }
        for block in message {
            hash.update(&[(*block).into()]);
        }
        hash.update(&[lengths.into()]);
        let mut tag: Block = hash.finalize().into();
        tag.iter_mut().zip(nonce).for_each(|(tag, nonce)| *tag ^= nonce);
        tag[15] &= 0x7f;
        let mut block = tag.into();
        Aes256::new(&self.encryption.into()).encrypt_block(&mut block);
        block.into()
    }

    /// Encrypts or decrypts blocks, counting from a tag.
    pub fn count(&self, tag: &Block, blocks: &mut [Block]) {
        let cipher = Aes256::new(&self.encryption.into());
        let mut counter = *tag;
        counter[15] |= 0x80;
        for block in blocks {
            let mut keystream = counter.into();
            cipher.encrypt_block(&mut keystream);
            block.iter_mut().zip(keystream.iter()).for_each(|(byte, key)| *byte ^= key);
            keystream.as_mut_slice().zeroize();
            let low = u32::from_le_bytes(counter[..4].try_into().expect("4")).wrapping_add(1);
            counter[..4].copy_from_slice(&low.to_le_bytes());
        }
    }

    /// A handle of a key of one or two blocks.
    fn wrap(&self, restrictions: u32, key: &[Block]) -> [Block; 4] {
        let mut handle = [[0; 16]; 4];
        let kind = (key.len() as u32 - 1) << 24;
        handle[0][..4].copy_from_slice(&(restrictions | kind).to_le_bytes());
        handle[1] = self.tag(&[0; 12], &handle[0], key, [128, 128 * key.len() as u64]);
        let tag = handle[1];
        handle[2..][..key.len()].copy_from_slice(key);
        self.count(&tag, &mut handle[2..][..key.len()]);
        handle
    }

    /// The key of a handle of so many blocks of key, to be used in a direction; None where it is refused.
    fn unwrap(&self, handle: &[Block], decrypts: bool) -> Option<Zeroizing<[Block; 2]>> {
        let (additional, tag, wrapped) = (&handle[0], &handle[1], &handle[2..]);
        let header = u128::from_le_bytes(*additional);
        let kind = (wrapped.len() as u128 - 1) << 24;
        let forbidden = if decrypts { 0b101 } else { 0b011 };
        if header & !0b111 != kind || header & forbidden != 0 {
            return None;
        }
        let mut key = Zeroizing::new([[0; 16]; 2]);
        let blocks = &mut key[..wrapped.len()];
        blocks.copy_from_slice(wrapped);
        self.count(tag, blocks);
        let wanted = self.tag(&[0; 12], additional, blocks, [128, 128 * blocks.len() as u64]);
        (wanted == *tag).then_some(key)
    }
}

/// Runs AES with a key of one or two blocks.
fn aes(key: &[Block], decrypts: bool, blocks: &mut [Block]) {
    let each = |run: &dyn Fn(&mut cipher::Array<u8, cipher::consts::U16>)| {
        for block in blocks {
            let mut array = (*block).into();
            run(&mut array);
            *block = array.into();
        }
    };
    match (key, decrypts) {
        ([key], false) => each(&|block| Aes128::new(&(*key).into()).encrypt_block(block)),
        ([key], true) => each(&|block| Aes128::new(&(*key).into()).decrypt_block(block)),
        (key, _) => {
            let mut whole = Zeroizing::new([0; 32]);
            whole.copy_from_slice(key.as_flattened());
            let cipher = Aes256::new(&(*whole).into());
            if decrypts {
                each(&|block| cipher.decrypt_block(block));
            } else {
                each(&|block| cipher.encrypt_block(block));
            }
        }
    }
}

/// The general registers in the order of the instructions' encoding.
const REGISTERS: [libc::c_int; 16] = [
    libc::REG_RAX,
    libc::REG_RCX,
    libc::REG_RDX,
    libc::REG_RBX,
    libc::REG_RSP,
    libc::REG_RBP,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
];

/// An instruction that stands at a place.
struct Instruction {
    len: usize,
    opcode: u8,
    /// The register field, and with a register as operand its number.
    reg: usize,
    operand: Operand,
}

enum Operand {
    Register(usize),
    Address(u64),
}

/// The state of the program at the instruction.
struct Frame<'a> {
    context: &'a mut libc::ucontext_t,
}

impl Frame<'_> {
    fn register(&mut self, number: usize) -> &mut i64 {
        &mut self.context.uc_mcontext.gregs[REGISTERS[number] as usize]
    }

    fn rip(&mut self) -> &mut i64 {
        &mut self.context.uc_mcontext.gregs[libc::REG_RIP as usize]
    }

    fn flags(&mut self) -> &mut i64 {
        &mut self.context.uc_mcontext.gregs[libc::REG_EFL as usize]
    }

    fn xmm(&mut self, number: usize) -> &mut Block {
        // SAFETY: the kernel saved the registers, of which the 16 first are at a fixed place of this structure.
        let state = unsafe { &mut *self.context.uc_mcontext.fpregs };
        // SAFETY: four words are sixteen bytes.
        unsafe { &mut *(&raw mut state._xmm[number]).cast::<Block>() }
    }

    /// Has the kernel restore the XMM registers, which it leaves out where they were in their first state.
    fn mark_xmm(&mut self) {
        const MAGIC: u32 = 0x4650_5853;
        let state = self.context.uc_mcontext.fpregs.cast::<u8>();
        // SAFETY: the words that the kernel reserves for itself are at the end of the 512 bytes.
        let magic = unsafe { state.wrapping_add(464).cast::<u32>().read_unaligned() };
        if magic == MAGIC {
            // SAFETY: the magic number says that a header follows, which begins with this word.
            let present = unsafe { &mut *state.wrapping_add(512).cast::<u64>() };
            *present |= 0b10;
        }
    }

    /// Decodes what stands at RIP: prefixes, 0F 38, the opcode, and an operand.
    fn decode(&mut self) -> Option<Instruction> {
        let start = *self.rip() as u64;
        let mut at = start;
        let mut next = || {
            // SAFETY: the CPU has just fetched the instruction from here.
            let byte = unsafe { (at as *const u8).read() };
            at += 1;
            byte
        };
        if next() != 0xf3 {
            return None;
        }
        let mut byte = next();
        let rex = if byte & 0xf0 == 0x40 { std::mem::replace(&mut byte, next()) } else { 0 };
        if (byte, next()) != (0x0f, 0x38) {
            return None;
        }
        let (opcode, modrm) = (next(), next());
        let extended = |bit: u8, low: u8| usize::from(low & 7) | usize::from(rex >> bit & 1) << 3;
        let reg = extended(2, modrm >> 3);
        if modrm >> 6 == 3 {
            let len = (at - start) as usize;
            return Some(Instruction {
                len,
                opcode,
                reg,
                operand: Operand::Register(extended(0, modrm)),
            });
        }
        let (mut base, mut index) = (Some(extended(0, modrm)), None);
        if modrm & 7 == 4 {
            let sib = next();
            base = (sib & 7 != 5 || modrm >> 6 != 0).then(|| extended(0, sib));
            let number = extended(1, sib >> 3);
            index = (number != 4).then_some((number, sib >> 6));
        }
        let relative = modrm >> 6 == 0 && modrm & 7 == 5;
        let displacement = match modrm >> 6 {
            1 => i64::from(next().cast_signed()),
            0 if base.is_some() && !relative => 0,
            _ => i64::from(i32::from_le_bytes([next(), next(), next(), next()])),
        };
        let mut address = displacement.cast_unsigned();
        if relative {
            address = address.wrapping_add(at);
        } else if let Some(base) = base {
            address = address.wrapping_add(self.register(base).cast_unsigned());
        }
        if let Some((index, scale)) = index {
            address = address.wrapping_add(self.register(index).cast_unsigned() << scale);
        }
        Some(Instruction {
            len: (at - start) as usize,
            opcode,
            reg,
            operand: Operand::Address(address),
        })
    }

    /// Does the instruction; false where it is none of Key Locker's.
    fn emulate(&mut self) -> bool {
        let Some(instruction) = self.decode() else { return false };
        let done = match (instruction.opcode, &instruction.operand) {
            (opcode @ 0xfa..=0xfb, Operand::Register(restrictions)) => {
                let restrictions = *self.register(*restrictions) as u32;
                self.encode_key(if opcode == 0xfa { 1 } else { 2 }, restrictions, instruction.reg)
            }
            (opcode @ 0xdc..=0xdf, Operand::Address(handle)) => {
                let blocks = if opcode < 0xde { 1 } else { 2 };
                self.crypt(blocks, opcode & 1 == 1, *handle, instruction.reg, 1)
            }
            (0xd8, Operand::Address(handle)) if instruction.reg < 4 => {
                let (reg, handle) = (instruction.reg, *handle);
                self.crypt(1 + reg / 2, reg % 2 == 1, handle, 0, 8)
            }
            _ => false,
        };
        if done {
            *self.rip() += instruction.len as i64;
            EMULATED.fetch_add(1, Ordering::SeqCst);
        }
        done
    }

    /// ENCODEKEY128 and 256: the key is in XMM0 and XMM1, the handle comes to XMM0 and those after it.
    fn encode_key(&mut self, blocks: usize, restrictions: u32, result: usize) -> bool {
        if restrictions & !0b111 != 0 {
            return false;
        }
        let mut key = Zeroizing::new([*self.xmm(0), *self.xmm(1)]);
        let wrapping = *WRAPPING_KEY.read().expect("not poisoned");
        let handle = wrapping.wrap(restrictions, &key[..blocks]);
        key.zeroize();
        for (number, block) in handle[..2 + blocks].iter().enumerate() {
            *self.xmm(number) = *block;
        }
        for number in 4..7 {
            *self.xmm(number) = [0; 16];
        }
        *self.register(result) = 0;
        self.set_flags(false);
        self.mark_xmm();
        true
    }

    /// AESENC128KL and its like, on so many registers.
    fn crypt(
        &mut self,
        key_blocks: usize,
        decrypts: bool,
        handle: u64,
        first: usize,
        count: usize,
    ) -> bool {
        let from = handle as *const Block;
        let handle: [Block; 4] = std::array::from_fn(|block| {
            if block < 2 + key_blocks {
                // SAFETY: what the instruction would read; it faults where the instruction would.
                unsafe { from.wrapping_add(block).read_unaligned() }
            } else {
                [0; 16]
            }
        });
        if LOSE_AFTER.load(Ordering::SeqCst) >= 0 && LOSE_AFTER.fetch_sub(1, Ordering::SeqCst) == 0
        {
            load(WrappingKey { integrity: [0x0d; 16], encryption: [0xd0; 32] });
        }
        let wrapping = *WRAPPING_KEY.read().expect("not poisoned");
        let key = wrapping.unwrap(&handle[..2 + key_blocks], decrypts);
        if let Some(key) = &key {
            let mut blocks = [[0; 16]; 8];
            let blocks = &mut blocks[..count];
            for (number, block) in blocks.iter_mut().enumerate() {
                *block = *self.xmm(first + number);
            }
            aes(&key[..key_blocks], decrypts, blocks);
            for (number, block) in blocks.iter().enumerate() {
                *self.xmm(first + number) = *block;
            }
            self.mark_xmm();
        }
        self.set_flags(key.is_none());
        true
    }

    /// The zero flag says whether a handle was refused; the other flags of arithmetic are clear.
    fn set_flags(&mut self, refused: bool) {
        const ARITHMETIC: i64 = 1 << 11 | 1 << 7 | 1 << 6 | 1 << 4 | 1 << 2 | 1;
        *self.flags() = *self.flags() & !ARITHMETIC | i64::from(refused) << 6;
    }
}

extern "C" fn on_illegal_instruction(
    _signal: libc::c_int,
    _info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel hands a context to a handler with SA_SIGINFO, and nobody else has it.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    if !(Frame { context }).emulate() {
        // SAFETY: the default action, which the instruction meets when it is run again.
        unsafe { libc::signal(libc::SIGILL, libc::SIG_DFL) };
    }
    scrub();
}

/// Overwrites the stack that the handler used for keys.
#[inline(never)]
fn scrub() {
    let stack = Cell::new([0_u8; 16 * 1024]);
    std::hint::black_box(&stack);
}

/// Emulates from now on, and makes the backend believe in it. `no_decrypt`: handles can be forbidden to decrypt.
pub fn install(no_decrypt: bool) {
    // SAFETY: all zero is an action without flags.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_illegal_instruction as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
    // SAFETY: the handler has the type that SA_SIGINFO asks for.
    let result = unsafe { libc::sigaction(libc::SIGILL, &raw const action, std::ptr::null_mut()) };
    assert_eq!(result, 0);
    qcrypto::test_hooks::pretend_key_locker(no_decrypt);
}
