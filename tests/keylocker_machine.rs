//! The user-space machine that Key Locker is tested on: handles against RFC 8452, instructions as the CPU's manual has them.

#![cfg(all(
    target_arch = "x86_64",
    not(aes_backend = "soft"),
    feature = "keylocker",
    feature = "test-hooks"
))]
#![allow(unsafe_code, reason = "instructions that the CPU may not have")]

mod common;

use std::arch::asm;
use std::arch::x86_64::{
    __m128i, _mm_aesdec128kl_u8, _mm_aesdec256kl_u8, _mm_aesdecwide128kl_u8,
    _mm_aesdecwide256kl_u8, _mm_aesenc128kl_u8, _mm_aesenc256kl_u8, _mm_aesencwide128kl_u8,
    _mm_aesencwide256kl_u8, _mm_encodekey128_u32, _mm_encodekey256_u32,
};
use std::os::unix::process::ExitStatusExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aes::{Aes128, Aes256};
use cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use common::bytes::{Random, from_hex, hex};
use common::keylocker::handle::{CPL0_ONLY, NO_DECRYPTION, NO_ENCRYPTION, Size, WrappingKey};
use common::keylocker::instruction::{Instruction, Operation, decode};
use common::keylocker::machine::Machine;
use common::keylocker::signal::{WHOLE, is_needed, start};
use common::run_part;

/// RFC 8452 appendix C.2: associated data, plaintext, result, of the key and nonce whose derived keys are below.
const RFC_8452: [(&str, &str, &str); 6] = [
    ("", "", "07f5f4169bbf55a8400cd47ea6fd400f"),
    ("", "0100000000000000", "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28"),
    ("", "010000000000000000000000", "9aab2aeb3faa0a34aea8e2b18ca50da9ae6559e48fd10f6e5c9ca17e"),
    (
        "",
        "01000000000000000000000000000000",
        "85a01b63025ba19b7fd3ddfc033b3e76c9eac6fa700942702e90862383c6c366",
    ),
    (
        "",
        "010000000000000000000000000000000200000000000000000000000000000003000000000000000000000000000000",
        "c00d121893a9fa603f48ccc1ca3c57ce7499245ea0046db16c53c7c66fe717e39cf6c748837b61f6ee3adcee17534ed5\
         790bc96880a99ba804bd12c0e6a22cc4",
    ),
    ("01", "0200000000000000", "1de22967237a813291213f267e3b452f02d01ae33e4ec854"),
];

#[test]
fn sealing_of_the_rfc() {
    let keys = WrappingKey {
        integrity: from_hex("b5d3c529dfafac43136d2d11be284d7f").try_into().expect("16 bytes"),
        encryption: from_hex("b914f4742be9e1d7a2f84addbf96dec3456e3c6c05ecc157cdbf0700fedad222")
            .try_into()
            .expect("32 bytes"),
    };
    for (data, plaintext, result) in RFC_8452 {
        let (data, mut text) = (from_hex(data), from_hex(plaintext));
        let tag = keys.tag(3, &data, &text);
        keys.crypt(&tag, &mut text);
        assert_eq!(hex(&[&text[..], &tag].concat()), result);
    }
}

fn wrapping_key(random: &mut Random) -> WrappingKey {
    WrappingKey {
        integrity: random.bytes(16).try_into().expect("16 bytes"),
        encryption: random.bytes(32).try_into().expect("32 bytes"),
    }
}

#[test]
fn handles_give_back_what_they_were_made_of() {
    let mut random = Random::new();
    for size in Size::BOTH {
        for restrictions in 0..8 {
            let (wrapping_key, other) = (wrapping_key(&mut random), wrapping_key(&mut random));
            let key = random.bytes(size.key_len());
            let handle = wrapping_key.wrap(size, restrictions, &key);
            assert_eq!(
                handle[..16],
                (u128::from(restrictions) | (size as u128) << 24).to_le_bytes()
            );
            let (found, found_restrictions) = wrapping_key.unwrap(size, &handle).expect("sound");
            assert_eq!((&found[..size.key_len()], found_restrictions), (&key[..], restrictions));
            assert!(other.unwrap(size, &handle).is_none());
        }
    }
}

#[test]
fn no_bit_of_a_handle_can_change() {
    let mut random = Random::new();
    for size in Size::BOTH {
        let wrapping_key = wrapping_key(&mut random);
        let handle = wrapping_key.wrap(size, NO_DECRYPTION, &random.bytes(size.key_len()));
        for bit in 0..8 * size.handle_len() {
            let mut changed = handle;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(wrapping_key.unwrap(size, &changed).is_none(), "{size:?} bit {bit}");
        }
    }
}

/// A handle is of one size, even if it is as long as one of the other.
#[test]
fn a_handle_of_the_other_size_is_refused() {
    let mut random = Random::new();
    let wrapping_key = wrapping_key(&mut random);
    let short = wrapping_key.wrap(Size::Aes128, 0, &random.bytes(16));
    let long = wrapping_key.wrap(Size::Aes256, 0, &random.bytes(32));
    assert!(wrapping_key.unwrap(Size::Aes256, &short).is_none());
    assert!(wrapping_key.unwrap(Size::Aes128, &long).is_none());
}

/// Registers 0, 1, 2 ... hold 0x1000, 0x2000, 0x3000 ..., and the code is at 0x100000.
fn decoded(code: &str) -> Option<Instruction> {
    let registers = std::array::from_fn(|number| (number as u64 + 1) << 12);
    decode(from_hex(code).into_iter(), 0x10_0000, &registers)
}

/// As an assembler encodes them.
#[test]
fn instructions_are_told_apart() {
    use Operation::{Eight, Encode, LoadWrappingKey, One};
    let (small, large) = (Size::Aes128, Size::Aes256);
    let one = |size, decrypt, register, handle| One { size, decrypt, register, handle };
    let eight = |size, decrypt, handle| Eight { size, decrypt, handle };
    let instructions = [
        // encodekey128 eax, ecx; encodekey256 edx, r9d; encodekey256 r10d, ebx
        ("f30f38fac1", Encode { size: small, to: 0, restrictions: 1 }),
        ("f3410f38fbd1", Encode { size: large, to: 2, restrictions: 9 }),
        ("f3440f38fbd3", Encode { size: large, to: 10, restrictions: 3 }),
        // loadiwkey xmm1, xmm2
        ("f30f38dcca", LoadWrappingKey),
        // aesenc128kl xmm0, [rax]; aesdec128kl xmm9, [r9]; aesenc256kl xmm3, [rdi + 0x40]
        ("f30f38dc00", one(small, false, 0, 0x1000)),
        ("f3450f38dd09", one(small, true, 9, 0xa000)),
        ("f30f38de5f40", one(large, false, 3, 0x8040)),
        // aesdec256kl xmm1, [rbp - 0x80]; [rsi + 0x12345678]; [r13 + 0]; [rip - 0x10]
        ("f30f38df4d80", one(large, true, 1, 0x5f80)),
        ("f30f38df8e78563412", one(large, true, 1, 0x1234_c678)),
        ("f3410f38df4d00", one(large, true, 1, 0xe000)),
        ("f30f38df0df0ffffff", one(large, true, 1, 0xf_fff9)),
        // aesencwide128kl [rsp]; [rsp + 8]; [r12]; [rax + 4 rcx]; [rbx + 8 r12 + 1]; [2 rdx + 0x10]; [0x20]
        ("f30f38d80424", eight(small, false, 0x5000)),
        ("f30f38d8442408", eight(small, false, 0x5008)),
        ("f3410f38d80424", eight(small, false, 0xd000)),
        ("f30f38d80488", eight(small, false, 0x9000)),
        ("f3420f38d844e301", eight(small, false, 0x6_c001)),
        ("f30f38d8045510000000", eight(small, false, 0x6010)),
        ("f30f38d8042520000000", eight(small, false, 0x20)),
        // aesdecwide128kl, aesencwide256kl and aesdecwide256kl [rdx]
        ("f30f38d80a", eight(small, true, 0x3000)),
        ("f30f38d812", eight(large, false, 0x3000)),
        ("f30f38d81a", eight(large, true, 0x3000)),
    ];
    for (code, operation) in instructions {
        let len = code.len() as u64 / 2;
        assert_eq!(decoded(code), Some(Instruction { operation, len }), "{code}");
        assert_eq!(decoded(&code[..code.len() - 2]), None, "{code} cut short");
    }
    // ud2, aesenc without F3, the wide group beyond its members and on a register, another opcode.
    for code in ["0f0b90909090", "660f38dcc1", "f30f38d822", "f30f38d8c1", "f30f38d900"] {
        assert_eq!(decoded(code), None, "{code}");
    }
}

/// One test at a time has the machine.
fn machine() -> Option<MutexGuard<'static, ()>> {
    static ONE: Mutex<()> = Mutex::new(());
    if !is_needed() {
        return None;
    }
    start(WHOLE);
    Some(ONE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Eight registers in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(16))]
struct Blocks([u8; 128]);

fn encode(size: Size, restrictions: u32, key: &[u8]) -> [u8; 64] {
    #[target_feature(enable = "kl")]
    fn encode(size: Size, restrictions: u32, key: &[u8]) -> [u8; 64] {
        let half = |half: usize| {
            let bytes: [u8; 16] = key[16 * half..][..16].try_into().expect("16 bytes");
            // SAFETY: any bits are a register.
            unsafe { std::mem::transmute::<[u8; 16], __m128i>(bytes) }
        };
        let mut handle = [0; 64];
        let result = match size {
            // SAFETY: the handle fits.
            Size::Aes128 => unsafe {
                _mm_encodekey128_u32(restrictions, half(0), handle.as_mut_ptr())
            },
            // SAFETY: as above.
            Size::Aes256 => unsafe {
                _mm_encodekey256_u32(restrictions, half(0), half(1), handle.as_mut_ptr())
            },
        };
        assert_eq!(result, 0, "a wrapping key that may be backed up and was not made by the CPU");
        handle
    }
    // SAFETY: the machine runs it.
    unsafe { encode(size, restrictions, key) }
}

/// The blocks after one instruction, on the first of them or all, and whether it refused the handle.
fn crypt(
    size: Size,
    decrypt: bool,
    wide: bool,
    handle: &[u8],
    mut blocks: Blocks,
) -> (Blocks, bool) {
    #[target_feature(enable = "kl,widekl")]
    fn crypt(size: Size, decrypt: bool, wide: bool, handle: &[u8], blocks: &mut Blocks) -> u8 {
        let to = blocks.0.as_mut_ptr().cast::<__m128i>();
        let (from, handle) = (to.cast_const(), handle.as_ptr());
        let wide_run = match (size, decrypt) {
            (Size::Aes128, false) => _mm_aesencwide128kl_u8,
            (Size::Aes128, true) => _mm_aesdecwide128kl_u8,
            (Size::Aes256, false) => _mm_aesencwide256kl_u8,
            (Size::Aes256, true) => _mm_aesdecwide256kl_u8,
        };
        let run = match (size, decrypt) {
            (Size::Aes128, false) => _mm_aesenc128kl_u8,
            (Size::Aes128, true) => _mm_aesdec128kl_u8,
            (Size::Aes256, false) => _mm_aesenc256kl_u8,
            (Size::Aes256, true) => _mm_aesdec256kl_u8,
        };
        if wide {
            // SAFETY: eight registers, and a handle that is at least as long as the size says.
            return unsafe { wide_run(to, from, handle) };
        }
        // SAFETY: aligned and there.
        let first = unsafe { from.read() };
        // SAFETY: as above.
        unsafe { run(to, first, handle) }
    }
    assert!(handle.len() >= size.handle_len());
    // SAFETY: the machine runs it.
    let refused = unsafe { crypt(size, decrypt, wide, handle, &mut blocks) };
    (blocks, refused != 0)
}

/// By the `aes` crate.
fn expected(key: &[u8], decrypt: bool, wide: bool, blocks: Blocks) -> Blocks {
    let mut blocks = blocks;
    let len = if wide { 128 } else { 16 };
    let (parts, _) = Array::slice_as_chunks_mut(&mut blocks.0[..len]);
    match (Aes128::new_from_slice(key), Aes256::new_from_slice(key), decrypt) {
        (Ok(aes), _, false) => aes.encrypt_blocks(parts),
        (Ok(aes), _, true) => aes.decrypt_blocks(parts),
        (_, Ok(aes), false) => aes.encrypt_blocks(parts),
        (_, Ok(aes), true) => aes.decrypt_blocks(parts),
        _ => unreachable!("a length of AES"),
    }
    blocks
}

/// Every instruction that uses a handle: size, direction, width.
fn forms() -> impl Iterator<Item = (Size, bool, bool)> {
    Size::BOTH.into_iter().flat_map(|size| {
        [(false, false), (false, true), (true, false), (true, true)]
            .map(|(decrypt, wide)| (size, decrypt, wide))
    })
}

fn random_blocks(random: &mut Random) -> Blocks {
    Blocks(random.bytes(128).try_into().expect("128 bytes"))
}

#[test]
fn instructions_are_aes() {
    let Some(_machine) = machine() else { return };
    let mut random = Random::new();
    for (size, decrypt, wide) in forms() {
        for _ in 0..20 {
            let key = random.bytes(size.key_len());
            let blocks = random_blocks(&mut random);
            let handle = encode(size, 0, &key);
            let found = crypt(size, decrypt, wide, &handle, blocks);
            assert_eq!(found, (expected(&key, decrypt, wide, blocks), false));
        }
    }
}

#[test]
fn a_refusal_changes_nothing() {
    let Some(_machine) = machine() else { return };
    let mut random = Random::new();
    for (size, decrypt, wide) in forms() {
        let handle = encode(size, 0, &random.bytes(size.key_len()));
        let blocks = random_blocks(&mut random);
        for bit in 0..8 * size.handle_len() {
            let mut changed = handle;
            changed[bit / 8] ^= 1 << (bit % 8);
            let found = crypt(size, decrypt, wide, &changed, blocks);
            assert!(found == (blocks, true), "{size:?} {decrypt} {wide} bit {bit}");
        }
        let other = if size == Size::Aes128 { Size::Aes256 } else { Size::Aes128 };
        assert_eq!(crypt(other, decrypt, wide, &handle, blocks), (blocks, true));
    }
}

#[test]
fn restrictions_hold() {
    let Some(_machine) = machine() else { return };
    let mut random = Random::new();
    for (size, decrypt, wide) in forms() {
        let key = random.bytes(size.key_len());
        let blocks = random_blocks(&mut random);
        for restrictions in 0..8 {
            let handle = encode(size, restrictions, &key);
            let forbidding = CPL0_ONLY | if decrypt { NO_DECRYPTION } else { NO_ENCRYPTION };
            let (found, refused) = crypt(size, decrypt, wide, &handle, blocks);
            assert_eq!(refused, restrictions & forbidding != 0);
            let wanted = if refused { blocks } else { expected(&key, decrypt, wide, blocks) };
            assert_eq!(found, wanted);
        }
    }
}

#[test]
fn a_lost_wrapping_key_can_come_back() {
    let Some(_machine) = machine() else { return };
    let mut random = Random::new();
    let key = random.bytes(32);
    let blocks = random_blocks(&mut random);
    let run = |handle: &[u8]| crypt(Size::Aes256, false, true, handle, blocks);
    let handle = encode(Size::Aes256, 0, &key);
    let sound = run(&handle);
    let saved = Machine::get().wrapping_key;
    Machine::get().lose();
    assert_eq!(run(&handle), (blocks, true));
    let made_since = encode(Size::Aes256, 0, &key);
    assert_ne!(made_since, handle);
    assert_eq!(run(&made_since), sound);
    Machine::get().wrapping_key = saved;
    assert_eq!(run(&handle), sound);
    assert_eq!(run(&made_since), (blocks, true));
}

/// The zero flag says whether a handle was refused, and the other arithmetic flags are clear.
#[test]
fn flags() {
    const ALL: u64 = 0x8d5;
    const ZERO: u64 = 0x40;
    #[target_feature(enable = "kl")]
    fn flags_after(handle: &[u8; 64]) -> u64 {
        let flags: u64;
        // SAFETY: pushes and pops as much, and reads the handle.
        unsafe {
            asm!(
                "push {all}", "popfq",
                "aesenc256kl xmm0, [{handle}]",
                "pushfq", "pop {flags}",
                all = const ALL,
                handle = in(reg) handle.as_ptr(),
                flags = lateout(reg) flags,
                out("xmm0") _,
            );
        }
        flags & ALL
    }
    let Some(_machine) = machine() else { return };
    let mut handle = encode(Size::Aes256, 0, &[7; 32]);
    // SAFETY: the machine runs it.
    assert_eq!(unsafe { flags_after(&handle) }, 0);
    handle[40] ^= 1;
    // SAFETY: as above.
    assert_eq!(unsafe { flags_after(&handle) }, ZERO);
}

/// ENCODEKEY256 overwrites the key, zeroes what the manual says, and leaves the other registers alone.
#[test]
fn registers_of_encoding() {
    #[target_feature(enable = "kl")]
    fn registers(before: &[[u8; 16]; 8]) -> ([[u8; 16]; 8], u32) {
        let mut after = *before;
        let result: u32;
        // SAFETY: reads and writes eight registers in memory.
        unsafe {
            asm!(
                "movdqu xmm0, [{r}]", "movdqu xmm1, [{r} + 16]",
                "movdqu xmm2, [{r} + 32]", "movdqu xmm3, [{r} + 48]",
                "movdqu xmm4, [{r} + 64]", "movdqu xmm5, [{r} + 80]",
                "movdqu xmm6, [{r} + 96]", "movdqu xmm7, [{r} + 112]",
                "encodekey256 {result:e}, {restrictions:e}",
                "movdqu [{r}], xmm0", "movdqu [{r} + 16], xmm1",
                "movdqu [{r} + 32], xmm2", "movdqu [{r} + 48], xmm3",
                "movdqu [{r} + 64], xmm4", "movdqu [{r} + 80], xmm5",
                "movdqu [{r} + 96], xmm6", "movdqu [{r} + 112], xmm7",
                r = in(reg) after.as_mut_ptr(),
                restrictions = in(reg) 0,
                result = out(reg) result,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            );
        }
        (after, result)
    }
    let Some(_machine) = machine() else { return };
    let before: [[u8; 16]; 8] = std::array::from_fn(|i| [i as u8 + 1; 16]);
    // SAFETY: the machine runs it.
    let (after, result) = unsafe { registers(&before) };
    assert_eq!(result, 0);
    assert_eq!(after[..4].as_flattened(), encode(Size::Aes256, 0, before[..2].as_flattened()));
    assert_eq!(after[4..7], [[0; 16]; 3]);
    assert_eq!(after[7], before[7]);
}

/// Where all XMM registers are zero, the kernel does not even look at what a handler leaves in them.
#[test]
fn registers_that_were_all_zero() {
    #[target_feature(enable = "kl,avx")]
    fn encrypted_zero(handle: &[u8; 64]) -> [u8; 16] {
        let mut block = [0; 16];
        // SAFETY: reads the handle and writes the block; every vector register is given up.
        unsafe {
            asm!(
                "vzeroall",
                "aesenc256kl xmm0, [{handle}]",
                "movdqu [{block}], xmm0",
                handle = in(reg) handle.as_ptr(),
                block = in(reg) block.as_mut_ptr(),
                clobber_abi("C"),
            );
        }
        block
    }
    if !std::arch::is_x86_feature_detected!("avx") {
        return;
    }
    let Some(_machine) = machine() else { return };
    let key = [9; 32];
    let handle = encode(Size::Aes256, 0, &key);
    // SAFETY: the machine runs it, and there is AVX.
    let found = unsafe { encrypted_zero(&handle) };
    assert_eq!(found, expected(&key, false, false, Blocks([0; 128])).0[..16]);
}

/// What is wrong ends the program, as it would on the CPU.
#[test]
fn faults() {
    if !is_needed() {
        return;
    }
    for (part, signal) in [
        ("part_reserved_restriction", libc::SIGSEGV),
        ("part_wrapping_key_from_a_program", libc::SIGSEGV),
        ("part_handle_at_no_address", libc::SIGSEGV),
        ("part_unknown_instruction", libc::SIGILL),
    ] {
        assert_eq!(run_part(part, &[]).signal(), Some(signal), "{part}");
    }
}

#[test]
#[ignore = "a part of faults"]
fn part_reserved_restriction() {
    let Some(_machine) = machine() else { return };
    Machine::get().restrictions = CPL0_ONLY | NO_ENCRYPTION;
    encode(Size::Aes128, NO_DECRYPTION, &[0; 16]);
}

#[test]
#[ignore = "a part of faults"]
fn part_wrapping_key_from_a_program() {
    let Some(_machine) = machine() else { return };
    // SAFETY: loadiwkey xmm1, xmm2, which ends here.
    unsafe { asm!(".byte 0xf3, 0x0f, 0x38, 0xdc, 0xca", in("eax") 0) };
}

#[test]
#[ignore = "a part of faults"]
fn part_handle_at_no_address() {
    let Some(_machine) = machine() else { return };
    // SAFETY: aesenc128kl xmm0, [rax], which ends here.
    unsafe { asm!(".byte 0xf3, 0x0f, 0x38, 0xdc, 0x00", in("rax") 16, out("xmm0") _) };
}

#[test]
#[ignore = "a part of faults"]
fn part_unknown_instruction() {
    let Some(_machine) = machine() else { return };
    // SAFETY: ends here.
    unsafe { asm!("ud2") };
}
