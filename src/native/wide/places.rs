//! A symbolic check of where values are. It runs the *emitted* instructions, decoded again, on registers and scratch memory that hold
//! names of values instead of numbers, part by part; and it compares what they hold with what the emitter said that it reads.
//!
//! So a register that is overwritten while its value is still read, a spill that goes to a wrong slot or to one in use, and a read
//! before the definition are found without running the code, for any data. What is not seen: whether the instructions of an operation
//! compute it, and what they do with temporary registers; that is what the comparison of bits is for.

use super::asm::Source;
use super::emit::SCRATCH_MEMORY;
use super::registers::Part;
use super::trace::{Note, Trace};
use crate::ir::func::{Func, Value};
use crate::ir::ops::Kind;
use iced_x86::{Code, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use rustc_hash::FxHashMap;

/// What is wrong, before the instruction of this number.
pub(super) type Fault = (usize, String);

/// Names in scratch memory, by offset: what is there, and how many bytes of it.
type Memory = FxHashMap<i32, (Part, i32)>;

struct Check<'a> {
    func: &'a Func,
    registers: [Option<Part>; 32],
    masks: [Option<Value>; 8],
    memory: Memory,
    /// Memory at the beginning of each part of the body: what the prologue has left and no part overwrites.
    left: Memory,
    /// The value whose instructions run, and registers that it has been said to read, to write, and that it has written.
    running: Option<Value>,
    claimed: u32,
    bound: u32,
    written: u32,
    /// The same of mask registers, and the operands that have been read so far.
    bound_masks: u8,
    written_masks: u8,
    read: Vec<Value>,
    ran: bool,
    /// Registers that values may be in.
    room: usize,
}

/// Checks instructions that were emitted for a function, with what the emitter said of them.
pub(super) fn check(func: &Func, code: &[Instruction], trace: &Trace) -> Result<(), Fault> {
    let notes = &trace.notes;
    let last = notes
        .iter()
        .filter_map(|(_, note)| if let Note::Bind(_, register) = note { Some(*register) } else { None });
    let room = last.max().map_or(0, |last| usize::from(last) + 1);
    let mut check = Check {
        func,
        registers: [None; 32],
        masks: [None; 8],
        memory: Memory::default(),
        left: Memory::default(),
        running: None,
        claimed: 0,
        bound: 0,
        written: 0,
        bound_masks: 0,
        written_masks: 0,
        read: Vec::new(),
        ran: false,
        room,
    };
    let body = notes.iter().filter(|(_, note)| *note == Note::Begin).nth(1).map_or(code.len(), |&(at, _)| at);
    let mut factory = InstructionInfoFactory::new();
    let (mut next, mut parts) = (0, 0);
    for (number, instruction) in code.iter().enumerate() {
        while let Some(&(at, note)) = notes.get(next).filter(|&&(at, _)| at <= number) {
            if note == Note::Begin {
                if parts == 1 {
                    check.left = std::mem::take(&mut check.memory);
                    code[body..].iter().filter_map(stored).for_each(|range| forget(&mut check.left, range));
                }
                parts += 1;
            }
            check.note(note).map_err(|why| (at, why))?;
            next += 1;
        }
        check.instruction(instruction, &mut factory).map_err(|why| (number, why))?;
    }
    for &(at, note) in &notes[next..] {
        check.note(note).map_err(|why| (at, why))?;
    }
    Ok(())
}

/// The bytes of scratch memory that an instruction stores to, and the register.
fn stored(instruction: &Instruction) -> Option<(i32, i32)> {
    let is_store = instruction.op0_kind() == OpKind::Memory && instruction.memory_base() == SCRATCH_MEMORY;
    is_store.then(|| {
        let at = instruction.memory_displacement64() as i32;
        (at, instruction.memory_size().size() as i32)
    })
}

/// Forgets what was where a vector or a word is stored.
fn forget(memory: &mut Memory, (at, size): (i32, i32)) {
    memory.retain(|&other, &mut (_, bytes)| other + bytes <= at || at + size <= other);
}

fn is_read(access: OpAccess) -> bool {
    use OpAccess::{CondRead, Read, ReadCondWrite, ReadWrite};
    matches!(access, Read | CondRead | ReadWrite | ReadCondWrite)
}

fn is_write(access: OpAccess) -> bool {
    use OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
    matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)
}

fn number(register: Register) -> Option<usize> {
    (register.is_xmm() || register.is_ymm() || register.is_zmm()).then(|| register.number())
}

impl Check<'_> {
    fn note(&mut self, note: Note) -> Result<(), String> {
        match note {
            Note::Begin => {
                (self.registers, self.masks) = ([None; 32], [None; 8]);
                self.memory = self.left.clone();
            }
            Note::Run(value) => {
                self.between();
                self.running = Some(value);
            }
            Note::Ran => {
                let func = self.func;
                if self.bound & !self.written != 0 || self.bound_masks & !self.written_masks != 0 {
                    return Err(format!("{:?} has not been written", self.running));
                }
                let operands = self.running.map_or(&[][..], |value| func.inst(value).operands());
                if let Some(missing) = operands
                    .iter()
                    .find(|&&value| self.ran && !func.is_literal(value) && !self.read.contains(&value))
                {
                    return Err(format!("{:?} has not read {missing:?}", self.running));
                }
                self.between();
            }
            Note::BindMask(value, register) => {
                self.masks[register.number()] = Some(value);
                self.bound_masks |= 1 << register.number();
            }
            Note::Bind(part, register) => {
                let place = &mut self.registers[usize::from(register)];
                let fetches = |value: Value| matches!(self.func.inst(value).op.kind(), Kind::Load(_));
                let is_made = self.running.is_some_and(|value| value == part.value || fetches(value));
                if *place != Some(part) && !is_made {
                    return Err(format!("{part:?} is not what is in register {register}: {place:?}"));
                }
                *place = Some(part);
                self.bound |= 1 << register;
            }
            Note::Read(part, source) => {
                self.read.push(part.value);
                let found = match source {
                    Source::Register(register) => {
                        self.claimed |= 1 << register;
                        self.registers[usize::from(register)]
                    }
                    Source::Memory(base, at) | Source::Scalar(base, at) if base == SCRATCH_MEMORY => {
                        self.memory.get(&at).map(|&(part, _)| part)
                    }
                    // Constants, which are where they are.
                    Source::Memory(..) | Source::Scalar(..) => return Ok(()),
                    Source::Constant(..) | Source::ScalarConstant(_) => return Ok(()),
                };
                if found != Some(part) {
                    return Err(format!("{part:?} is read in {source:?}, which holds {found:?}"));
                }
            }
        }
        Ok(())
    }

    fn between(&mut self) {
        self.running = None;
        (self.claimed, self.bound, self.written) = (0, 0, 0);
        (self.bound_masks, self.written_masks, self.ran) = (0, 0, false);
        self.read.clear();
    }

    /// Mask registers: which of those with a value are read, and which have it no more.
    fn mask(&mut self, register: usize, access: OpAccess) {
        if is_read(access) {
            self.read.extend(self.masks[register]);
        }
        if is_write(access) {
            self.written_masks |= 1 << register;
            if self.bound_masks >> register & 1 == 0 {
                self.masks[register] = None;
            }
        }
    }

    fn instruction(
        &mut self,
        instruction: &Instruction,
        factory: &mut InstructionInfoFactory,
    ) -> Result<(), String> {
        if instruction.mnemonic() == Mnemonic::Vzeroupper {
            return Ok(());
        }
        self.ran = true;
        let moved = self.moved(instruction);
        let info = factory.info(instruction);
        for used in info.used_registers().iter().filter(|used| used.register().is_k()) {
            self.mask(used.register().number(), used.access());
        }
        let used = || {
            info.used_registers().iter().filter_map(|used| Some((number(used.register())?, used.access())))
        };
        let is_spill = stored(instruction).is_some() && moved.is_some();
        for (register, access) in used() {
            let reads = is_read(access);
            let is_known = (self.claimed | self.written) >> register & 1 != 0;
            if reads && register < self.room && !is_known && !is_spill {
                return Err(format!(
                    "register {register} is read, which no operand is in: {:?}",
                    self.running
                ));
            }
        }
        if let Some((at, size)) = stored(instruction) {
            forget(&mut self.memory, (at, size));
            if let Some(part) = moved {
                self.memory.insert(at, (part, size));
            }
        }
        for (register, access) in used() {
            if is_write(access) {
                self.written |= 1 << register;
                // What is said to be its result stays it: which of several writes is the last is not seen.
                if self.bound >> register & 1 == 0 {
                    self.registers[register] = moved;
                }
            }
        }
        Ok(())
    }

    /// The vector that an instruction copies, if it does nothing else.
    fn moved(&self, instruction: &Instruction) -> Option<Part> {
        let copies = matches!(
            instruction.code(),
            Code::VEX_Vmovups_ymm_ymmm256
                | Code::EVEX_Vmovups_zmm_k1z_zmmm512
                | Code::VEX_Vmovups_ymmm256_ymm
                | Code::EVEX_Vmovups_zmmm512_k1z_zmm
                | Code::EVEX_Vmovss_m32_k1_xmm
                | Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32
        );
        if !copies || instruction.op_mask() != Register::None {
            return None;
        }
        match instruction.op1_kind() {
            OpKind::Memory if instruction.memory_base() == SCRATCH_MEMORY => {
                self.memory.get(&(instruction.memory_displacement64() as i32)).map(|&(part, _)| part)
            }
            OpKind::Register => number(instruction.op1_register()).and_then(|from| self.registers[from]),
            _ => None,
        }
    }
}
