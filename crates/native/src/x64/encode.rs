//! Instructions as bytes.
//!
//! The [`table`](super::table) has a row for each instruction that code here is made of; there is no other way to write one. iced's encoder, which knows all of the architecture, takes some 400 instructions for one of ours, a sixth of all that compiling
//! takes, a millisecond for its tables when the first program of a process is compiled, and 0.1 MB. Tests encode each row both ways, with
//! every register and kind of address, and with combinations at random; where `asm` decodes again, it compares what is written here.

use iced_x86::{Code, Instruction, MemoryOperand, OpKind, Register};

/// How the bytes of an instruction begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Prefix {
    /// With REX, where it is needed.
    Legacy,
    Vex,
    Evex,
}

/// Where an instruction has its operands, in their order; immediates come last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// It has none.
    Alone,
    RegRm,
    RmReg,
    RegVexRm,
    /// A digit stands for the register.
    VexRm(u8),
    Rm(u8),
    /// In the opcode.
    Opcode,
    /// The displacement of a place from the end of the instruction.
    Branch,
}

/// The immediate of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Immediate {
    None,
    Byte,
    /// A byte that is extended with its sign to 64 bits.
    Signed,
    Word,
    /// No number: the register of a fourth operand, in the upper half of a byte.
    Register,
}

/// A form of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Form {
    pub(super) prefix: Prefix,
    /// The opcodes that its own is among: 0 those of one byte, then those behind 0F, 0F 38, 0F 3A.
    pub(super) map: u8,
    /// What stands for a mandatory prefix: 66, F3, F2.
    pub(super) mandatory: u8,
    pub(super) is_wide: bool,
    /// 128 bits, 256, 512.
    pub(super) length: u8,
    pub(super) opcode: u8,
    pub(super) shape: Shape,
    pub(super) immediate: Immediate,
    /// Whether memory may stand in for the operand of ModRM.
    pub(super) has_memory: bool,
    /// Of how many bytes displacements of one byte are a multiple, as its logarithm: for vectors, and for an element that is read for
    /// all lanes.
    pub(super) unit: u8,
    pub(super) element: u8,
}

/// Bytes of the longest instruction of these forms, and room for what is written at a time.
const LONGEST: usize = 16;

/// An instruction in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoded {
    bytes: [u8; LONGEST],
    length: usize,
    /// Where its displacement of four bytes is, or that of a place; at the beginning if it has none.
    pub(super) displacement: usize,
}

impl Encoded {
    #[inline]
    fn put(&mut self, byte: u8) {
        self.bytes[self.length % LONGEST] = byte;
        self.length += 1;
    }

    #[inline]
    fn put_word(&mut self, word: u32) {
        for byte in word.to_le_bytes() {
            self.put(byte);
        }
    }

    /// Appends it to others; returns how many bytes it has.
    #[inline]
    pub(super) fn append_to(&self, code: &mut Vec<u8>) -> usize {
        let end = code.len() + self.length;
        code.extend_from_slice(&self.bytes);
        code.truncate(end);
        self.length
    }
}

/// An operand as instructions have them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Register(Register),
    Memory(MemoryOperand),
    Immediate(u32),
}

/// The operands by where they are encoded.
#[derive(Default)]
struct Fields {
    reg: u8,
    /// That of the prefix.
    vex: u8,
    /// That of ModRM, if it is a register.
    rm: u8,
    memory: Option<MemoryOperand>,
    immediate: u32,
    /// The register in the place of an immediate.
    last: u8,
    mask: u8,
    clears: bool,
}

impl Form {
    /// An instruction with these operands, and its bytes. The mask is none, or those of a vector's elements that are written; others
    /// are left alone, or cleared. Nothing if an operand is one that the form has no place for.
    #[inline]
    pub(super) fn make(
        &self,
        code: Code,
        operands: impl Iterator<Item = Operand>,
        mask: Register,
        clears: bool,
    ) -> Option<(Instruction, Encoded)> {
        let mut instruction = Instruction::default();
        instruction.set_code(code);
        let mut fields = Fields::default();
        if mask != Register::None {
            instruction.set_op_mask(mask);
            instruction.set_zeroing_masking(clears);
            (fields.mask, fields.clears) = (mask.number() as u8, clears);
        }
        for (place, operand) in operands.enumerate() {
            let at = place as u32;
            match operand {
                Operand::Register(register) => {
                    instruction.set_op_register(at, register);
                    *self.field(place, &mut fields)? = register.number() as u8;
                }
                Operand::Memory(memory) => {
                    if !self.takes_memory(place) {
                        return None;
                    }
                    instruction.set_op_kind(at, OpKind::Memory);
                    instruction.set_memory_base(memory.base);
                    instruction.set_memory_index(memory.index);
                    instruction.set_memory_index_scale(memory.scale);
                    instruction.set_memory_displ_size(memory.displ_size);
                    instruction.set_memory_displacement64(memory.displacement as u64);
                    instruction.set_is_broadcast(memory.is_broadcast);
                    fields.memory = Some(memory);
                }
                Operand::Immediate(word) => {
                    fields.immediate = word;
                    match self.immediate {
                        Immediate::None | Immediate::Register => return None,
                        Immediate::Byte => {
                            instruction.set_op_kind(at, OpKind::Immediate8);
                            instruction.set_immediate8(u8::try_from(word).ok()?);
                        }
                        Immediate::Signed => {
                            instruction.set_op_kind(at, OpKind::Immediate8to64);
                            instruction.set_immediate8to64(i8::try_from(word).ok()?.into());
                        }
                        Immediate::Word => {
                            instruction.set_op_kind(at, OpKind::Immediate32);
                            instruction.set_immediate32(word);
                        }
                    }
                }
            }
        }
        Some((instruction, self.encode(&fields)?))
    }

    /// A jump, to a place that is not known yet.
    pub(super) fn jump(&self, code: Code) -> Option<(Instruction, Encoded)> {
        let mut instruction = Instruction::default();
        instruction.set_code(code);
        instruction.set_op0_kind(OpKind::NearBranch64);
        Some((instruction, self.encode(&Fields::default())?))
    }

    #[inline]
    fn field<'a>(&self, place: usize, fields: &'a mut Fields) -> Option<&'a mut u8> {
        Some(match (self.shape, place) {
            (Shape::RegRm | Shape::RegVexRm, 0) | (Shape::RmReg, 1) => &mut fields.reg,
            (Shape::RegVexRm, 1) | (Shape::VexRm(_), 0) => &mut fields.vex,
            (Shape::RmReg | Shape::Rm(_) | Shape::Opcode, 0) => &mut fields.rm,
            (Shape::RegRm | Shape::VexRm(_), 1) | (Shape::RegVexRm, 2) => &mut fields.rm,
            (Shape::RegVexRm, 3) if self.immediate == Immediate::Register => &mut fields.last,
            _ => return None,
        })
    }

    /// Whether memory may stand in for an operand: that of ModRM.
    #[inline]
    fn takes_memory(&self, place: usize) -> bool {
        self.has_memory
            && match self.shape {
                Shape::RmReg | Shape::Rm(_) => place == 0,
                Shape::RegRm | Shape::VexRm(_) => place == 1,
                Shape::RegVexRm => place == 2,
                Shape::Alone | Shape::Opcode | Shape::Branch => false,
            }
    }

    fn encode(&self, fields: &Fields) -> Option<Encoded> {
        let mut code = Encoded { bytes: [0; LONGEST], length: 0, displacement: 0 };
        let reg = match self.shape {
            Shape::VexRm(digit) | Shape::Rm(digit) => digit,
            _ => fields.reg,
        };
        // Registers of addresses take the bits of ModRM's, and those of an index the next.
        let (base, index) = match &fields.memory {
            Some(memory) => (general(memory.base)?, general(memory.index)?),
            None => (fields.rm, fields.rm >> 1),
        };
        let is_set = |number: u8, bit: u8| number >> bit & 1;
        match self.prefix {
            Prefix::Legacy => {
                let rex = u8::from(self.is_wide) << 3
                    | is_set(reg, 3) << 2
                    | (is_set(index, 3) << 1 & if fields.memory.is_some() { 2 } else { 0 })
                    | is_set(base, 3);
                if rex != 0 {
                    code.put(0x40 | rex);
                }
                if self.map == 1 {
                    code.put(0x0f);
                }
            }
            Prefix::Vex => {
                let index = if fields.memory.is_some() { index } else { 0 };
                let last = (!fields.vex & 15) << 3 | self.length << 2 | self.mandatory;
                if self.map == 1 && !self.is_wide && (base | index) & 8 == 0 {
                    code.put(0xc5);
                    code.put((is_set(reg, 3) ^ 1) << 7 | last);
                } else {
                    code.put(0xc4);
                    let high = is_set(reg, 3) << 7 | is_set(index, 3) << 6 | is_set(base, 3) << 5;
                    code.put(high ^ 0xe0 | self.map);
                    code.put(u8::from(self.is_wide) << 7 | last);
                }
            }
            Prefix::Evex => {
                let high =
                    is_set(reg, 3) << 7 | is_set(index, 3) << 6 | is_set(base, 3) << 5 | is_set(reg, 4) << 4;
                let is_broadcast = fields.memory.as_ref().is_some_and(|memory| memory.is_broadcast);
                code.put(0x62);
                code.put(high ^ 0xf0 | self.map);
                code.put(u8::from(self.is_wide) << 7 | (!fields.vex & 15) << 3 | 4 | self.mandatory);
                code.put(
                    u8::from(fields.clears) << 7
                        | self.length << 5
                        | u8::from(is_broadcast) << 4
                        | (is_set(fields.vex, 4) ^ 1) << 3
                        | fields.mask,
                );
            }
        }
        match self.shape {
            Shape::Opcode => code.put(self.opcode | fields.rm & 7),
            _ => code.put(self.opcode),
        }
        let reg = (reg & 7) << 3;
        match self.shape {
            Shape::Alone | Shape::Opcode => {}
            Shape::Branch => {
                code.displacement = code.length;
                code.put_word(0);
            }
            Shape::RegRm | Shape::RmReg | Shape::RegVexRm | Shape::VexRm(_) | Shape::Rm(_) => {
                match &fields.memory {
                    None => code.put(0xc0 | reg | fields.rm & 7),
                    Some(memory) => self.address(&mut code, reg, memory, base, index)?,
                }
            }
        }
        match self.immediate {
            Immediate::None => {}
            Immediate::Byte | Immediate::Signed => code.put(fields.immediate as u8),
            Immediate::Word => code.put_word(fields.immediate),
            Immediate::Register => code.put(fields.last << 4),
        }
        Some(code)
    }

    /// ModRM with the bits of a register, and the address that it says.
    #[inline]
    fn address(
        &self,
        code: &mut Encoded,
        reg: u8,
        memory: &MemoryOperand,
        base: u8,
        index: u8,
    ) -> Option<()> {
        if memory.base == Register::RIP {
            code.put(reg | 5);
            code.displacement = code.length;
            code.put_word(0);
            return (memory.index == Register::None).then_some(());
        }
        if memory.segment_prefix != Register::None {
            return None;
        }
        let displacement = i32::try_from(memory.displacement).ok()?;
        let unit = match (self.prefix, memory.is_broadcast) {
            (Prefix::Evex, false) => self.unit,
            (Prefix::Evex, true) if self.element != 0 => self.element,
            (Prefix::Legacy | Prefix::Vex, false) => 0,
            // It does not read it so.
            (_, true) => return None,
        };
        let short =
            i8::try_from(displacement >> unit).ok().filter(|&short| i32::from(short) << unit == displacement);
        // Where nothing is added to a base there is no displacement, but for those that mean something else then.
        let (mode, short) = match (memory.displ_size, short) {
            _ if memory.base == Register::None => (0, None),
            (0, _) if displacement != 0 => return None,
            (0, _) if base & 7 != 5 => (0, Some(0)),
            (0 | 1, Some(short)) => (0x40, Some(short)),
            (1, None) => (0x80, None),
            _ => return None,
        };
        let is_plain = memory.index == Register::None
            && base & 7 != 4
            && memory.base != Register::None
            && memory.scale == 1;
        if is_plain {
            code.put(mode | reg | base & 7);
        } else {
            let scale = memory.scale.trailing_zeros() as u8;
            let index = match memory.index {
                Register::None => 4,
                Register::RSP => return None,
                _ => index & 7,
            };
            let base = if memory.base == Register::None { 5 } else { base & 7 };
            code.put(mode | reg | 4);
            code.put(scale << 6 | index << 3 | base);
        }
        match short {
            Some(_) if mode == 0 => {}
            Some(short) => code.put(short as u8),
            None => code.put_word(displacement as u32),
        }
        Some(())
    }
}

/// The number of a register of addresses; 0 if there is none, and for the place of the code.
#[inline]
fn general(register: Register) -> Option<u8> {
    match register {
        Register::None | Register::RIP => Some(0),
        _ => register.is_gpr64().then(|| register.number() as u8),
    }
}

#[cfg(test)]
pub(super) mod tests;
