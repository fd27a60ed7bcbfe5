//! The signal that an unknown instruction raises, and the registers of who ran it.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Once;

use qcrypto::test_hooks::pretend_key_locker;

use super::instruction::decode;
use super::machine::{End, Machine, Registers};

/// General registers in the order of their numbers, as indices of the signal frame.
const GENERAL: [c_int; 16] = [
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

/// Bytes of an instruction at most.
const MAX_LEN: usize = 15;

/// Makes the library believe in Key Locker, and the instructions work.
///
/// `leaf_19` is what CPUID says of it in EAX and EBX; what the machine can do is another matter.
pub fn start(leaf_19: (u32, u32)) {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        pretend_key_locker(leaf_19.0, leaf_19.1);
        // SAFETY: all zero is a valid value.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = on_unknown_instruction as *const () as usize;
        // On the thread's own stack but where a test has set up another: the alternate one of the standard library has
        // no room for this.
        action.sa_flags = libc::SA_SIGINFO;
        // SAFETY: a handler with this signature, which nobody else has set.
        assert_eq!(unsafe { libc::sigaction(libc::SIGILL, &raw const action, ptr::null_mut()) }, 0);
    });
}

/// Whether instructions come here at all: a CPU that has them runs them itself, and what tests do to the machine has no
/// effect. Such a test is skipped aloud.
pub fn is_needed() -> bool {
    use std::io::Write;
    let is_needed = !std::arch::is_x86_feature_detected!("kl");
    if !is_needed {
        writeln!(std::io::stderr(), "SKIPPED: this CPU or build has no need to emulate Key Locker")
            .expect("standard error");
    }
    is_needed
}

/// All of it: handles with every restriction, enabled by the operating system, with instructions for eight blocks.
pub const WHOLE: (u32, u32) = (0b111, 0b101);

/// Starts the machine if the environment asks for the backend, before the test program's `main`: so no test has to know.
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = {
    extern "C" fn start_if_wanted() {
        let list = std::env::var("QCRYPTO_BACKENDS").unwrap_or_default();
        if list.starts_with("keylocker") {
            start(WHOLE);
        }
    }
    start_if_wanted
};

extern "C" fn on_unknown_instruction(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the frame, which nobody else refers to while this runs.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    match execute(context) {
        Some(End::Done) => {}
        // Back to the same instruction, without this handler.
        None => end_by(libc::SIGILL),
        Some(End::ProtectionFault) => {
            end_by(libc::SIGSEGV);
            // SAFETY: no preconditions.
            unsafe { libc::raise(libc::SIGSEGV) };
        }
    }
}

fn end_by(signal: c_int) {
    // SAFETY: no handler of ours is needed any more.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// Does what the instruction does, if it is one of Key Locker's.
fn execute(context: &mut libc::ucontext_t) -> Option<End> {
    let state = &mut context.uc_mcontext;
    let general = GENERAL.map(|index| state.gregs[index as usize].cast_unsigned());
    let address = state.gregs[libc::REG_RIP as usize].cast_unsigned();
    let code = (0..MAX_LEN).map(|offset| {
        let byte = ptr::with_exposed_provenance::<u8>(address as usize + offset);
        // SAFETY: the CPU read this far when it did not know the instruction; what is decoded needs no more than that.
        unsafe { byte.read() }
    });
    let instruction = decode(code, address, &general)?;

    // SAFETY: the frame has this part wherever there are XMM registers.
    let vector = unsafe { &mut *state.fpregs };
    let mut registers = Registers {
        general,
        flags: state.gregs[libc::REG_EFL as usize].cast_unsigned(),
        xmm: vector._xmm.each_mut().map(|register| &mut register.element),
    };
    let end = Machine::get().run(instruction.operation, &mut registers);
    if end == End::Done {
        let Registers { general, flags, .. } = registers;
        for (index, value) in GENERAL.into_iter().zip(general) {
            state.gregs[index as usize] = value.cast_signed();
        }
        state.gregs[libc::REG_EFL as usize] = flags.cast_signed();
        state.gregs[libc::REG_RIP as usize] = (address + instruction.len).cast_signed();
        // SAFETY: the frame's own.
        unsafe { mark_xmm_in_use(state.fpregs) };
    }
    Some(end)
}

/// Makes the kernel restore the XMM registers: where all were zero before, the frame says that there is nothing in them.
///
/// # Safety
/// The vector state of a signal frame.
unsafe fn mark_xmm_in_use(state: *mut libc::_libc_fpstate) {
    /// Where the frame says that the state is an extended one, and how.
    const MAGIC_AT: usize = 464;
    const MAGIC: u32 = 0x4650_5853;
    /// The bit map of what is in use (XSTATE_BV), and the bit of the XMM registers.
    const IN_USE_AT: usize = 512;
    const XMM: u64 = 1 << 1;
    let magic = state.wrapping_byte_add(MAGIC_AT).cast::<u32>();
    let in_use = state.wrapping_byte_add(IN_USE_AT).cast::<u64>();
    // SAFETY: within the 512 bytes that are always there.
    if unsafe { magic.read() } == MAGIC {
        // SAFETY: the magic number says that the extended part follows.
        unsafe { *in_use |= XMM };
    }
}

/// A stack for the handler alone, so that what it leaves is not on the stack of the thread it interrupts.
pub struct OwnStack {
    memory: Vec<u8>,
}

impl OwnStack {
    /// For this thread, which ends with it.
    pub fn new() -> Self {
        let mut memory = vec![0_u8; 256 << 10];
        let stack =
            libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: memory.len() };
        // SAFETY: memory that lives as long as its user.
        assert_eq!(unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) }, 0);
        // SAFETY: all zero is a valid value.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: asks for the handler that `start` has set.
        unsafe { libc::sigaction(libc::SIGILL, ptr::null(), &raw mut action) };
        action.sa_flags |= libc::SA_ONSTACK;
        // SAFETY: the same handler.
        assert_eq!(unsafe { libc::sigaction(libc::SIGILL, &raw const action, ptr::null_mut()) }, 0);
        Self { memory }
    }

    /// Overwrites what handlers left, none of which runs now.
    pub fn wipe(&mut self) {
        for byte in &mut self.memory {
            // SAFETY: a byte of our own; the compiler must not think that nobody reads it.
            unsafe { ptr::from_mut(byte).write_volatile(0) };
        }
    }
}
