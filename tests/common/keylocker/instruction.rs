//! The instructions, as far as a compiler makes them: F3, REX or not, 0F 38, opcode, ModRM. Other prefixes do not occur.

use super::handle::Size;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// LOADIWKEY, for privilege level 0.
    LoadWrappingKey,
    /// ENCODEKEY: restrictions in a register, the key in XMM0 and XMM1.
    Encode { size: Size, to: usize, restrictions: usize },
    /// One block, in an XMM register.
    One { size: Size, decrypt: bool, register: usize, handle: u64 },
    /// Eight blocks, in XMM0 to XMM7.
    Eight { size: Size, decrypt: bool, handle: u64 },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    pub operation: Operation,
    /// Bytes that it takes.
    pub len: u64,
}

/// Reads the instruction whose bytes `code` gives one by one. `address` is where it begins, `registers` are the general
/// ones in the order of their numbers.
pub fn decode(
    code: impl Iterator<Item = u8>,
    address: u64,
    registers: &[u64; 16],
) -> Option<Instruction> {
    let mut reader = Reader { code, len: 0 };
    let mut rex = 0;
    let mut byte = reader.byte()?;
    if byte != 0xf3 {
        return None;
    }
    byte = reader.byte()?;
    if byte & 0xf0 == 0x40 {
        rex = byte;
        byte = reader.byte()?;
    }
    if byte != 0x0f || reader.byte()? != 0x38 {
        return None;
    }
    let opcode = reader.byte()?;
    let mod_rm = reader.byte()?;
    let reg = usize::from(mod_rm >> 3 & 7) | usize::from(rex >> 2 & 1) << 3;
    let rm = usize::from(mod_rm & 7) | usize::from(rex & 1) << 3;

    if mod_rm >> 6 == 3 {
        let operation = match opcode {
            0xdc => Operation::LoadWrappingKey,
            0xfa => Operation::Encode { size: Size::Aes128, to: reg, restrictions: rm },
            0xfb => Operation::Encode { size: Size::Aes256, to: reg, restrictions: rm },
            _ => return None,
        };
        return Some(Instruction { operation, len: reader.len });
    }
    let handle = reader.memory(mod_rm, rex, address, registers)?;
    let operation = match (opcode, reg & 7) {
        (0xdc..=0xdf, _) => Operation::One {
            size: if opcode < 0xde { Size::Aes128 } else { Size::Aes256 },
            decrypt: opcode & 1 == 1,
            register: reg,
            handle,
        },
        (0xd8, 0..=3) => Operation::Eight {
            size: if reg & 7 < 2 { Size::Aes128 } else { Size::Aes256 },
            decrypt: reg & 1 == 1,
            handle,
        },
        _ => return None,
    };
    Some(Instruction { operation, len: reader.len })
}

struct Reader<C> {
    code: C,
    len: u64,
}

impl<C: Iterator<Item = u8>> Reader<C> {
    fn byte(&mut self) -> Option<u8> {
        self.len += 1;
        self.code.next()
    }

    /// A displacement of so many bytes, with its sign.
    fn displacement(&mut self, bytes: usize) -> Option<u64> {
        let mut value = 0_u32;
        for i in 0..bytes {
            value |= u32::from(self.byte()?) << (8 * i);
        }
        let unused = 32 - 8 * u32::try_from(bytes).ok()?;
        let value = (value << unused).cast_signed() >> unused;
        Some(i64::from(value).cast_unsigned())
    }

    /// The address of a memory operand (Intel SDM volume 2A, section 2.1.5).
    fn memory(&mut self, mod_rm: u8, rex: u8, address: u64, registers: &[u64; 16]) -> Option<u64> {
        let register = |number: u8, extension: u8| {
            registers[usize::from(number & 7) | usize::from(extension & 1) << 3]
        };
        let (mode, rm) = (mod_rm >> 6, mod_rm & 7);
        if mode == 0 && rm == 5 {
            // Relative to the next instruction, which begins behind this.
            let displacement = self.displacement(4)?;
            return Some(address.wrapping_add(self.len).wrapping_add(displacement));
        }
        let mut base = None;
        let mut index = 0;
        if rm == 4 {
            let sib = self.byte()?;
            if sib & 7 != 5 || mode != 0 {
                base = Some(register(sib, rex));
            }
            let is_none = sib >> 3 & 7 == 4 && rex >> 1 & 1 == 0;
            if !is_none {
                index = register(sib >> 3, rex >> 1) << (sib >> 6);
            }
        } else {
            base = Some(register(rm, rex));
        }
        let displacement = match (mode, base) {
            (1, _) => self.displacement(1)?,
            (2, _) | (_, None) => self.displacement(4)?,
            _ => 0,
        };
        Some(base.unwrap_or(0).wrapping_add(index).wrapping_add(displacement))
    }
}
