//! A symbolic check of where values are. It runs the *emitted* instructions, decoded again, on registers and scratch memory that hold
//! names of values instead of numbers, part by part; and it compares what they hold with what the emitter said that it reads.
//!
//! So a register that is overwritten while its value is still read, a spill that goes to a wrong slot or to one in use, and a read
//! before the definition are found without running the code, for any data, and so is a constant of another row. What is not seen: whether the instructions of an operation
//! compute it, and what they do with temporary registers; that is what the comparison of bits is for.

use super::super::core::alloc::Part;
use super::asm::Source;
use super::emit::{ROWS, SCRATCH_MEMORY};
use super::trace::{Note, Trace};
use crate::ir::func::{Func, Value};
use crate::ir::imm::Element;
use crate::ir::ops::{Kind, Op};
use iced_x86::{Code, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use rustc_hash::FxHashMap;
use xfjit_runtime::state::row_offset;

/// What is wrong, before the instruction of this number.
pub(super) type Fault = (usize, String);

/// Names in scratch memory, by offset: what is there, and how many bytes of it.
type Memory = FxHashMap<i32, (Part, i32)>;

struct Check<'a> {
    func: &'a Func,
    state: State,
    /// Where groups of fewer vertices go elsewhere, and where they come back.
    forks: Vec<(State, Option<State>)>,
    /// Memory at the beginning of each part of the body: what the prologue has left and no part overwrites.
    left: Memory,
    ran: bool,
    /// Words that are in registers all the time.
    literals: [Option<u32>; 32],
    /// Registers that values may be in.
    room: usize,
}

/// What is where at a place of the code.
#[derive(Clone, Default)]
struct State {
    registers: [Option<Part>; 32],
    masks: [Option<Value>; 8],
    memory: Memory,
    /// The value whose instructions run, and registers that it has been said to read, to write, and that it has written.
    running: Option<Value>,
    claimed: u32,
    bound: u32,
    written: u32,
    /// Mask registers that it has been said to write, and the operands that have been read so far.
    bound_masks: u8,
    written_masks: u8,
    read: Vec<Value>,
    /// Where the constants are that it has been said to read in place, or that it is.
    constants: Vec<i32>,
}

impl State {
    /// What this state, at the end of a tail, lacks of that in which all other groups come to the same place.
    fn lacks(&self, other: &State, fork: &State) -> Option<String> {
        let differs = |register: &usize| {
            let [own, other] = [self, other].map(|state| state.registers[*register]);
            other.is_some() && own != other
        };
        if let Some(register) = (0..32).find(differs) {
            return Some(format!("register {register} has {:?}", self.registers[register]));
        }
        if (0..8).any(|mask| other.masks[mask].is_some() && self.masks[mask] != other.masks[mask]) {
            return Some("a mask is another".to_owned());
        }
        if other.memory.iter().any(|(at, part)| self.memory.get(at) != Some(part)) {
            return Some("scratch memory is another".to_owned());
        }
        let missing = other.written & !fork.written & !self.written;
        (missing != 0).then(|| format!("registers {missing:#x} have not been written"))
    }
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
        state: State::default(),
        forks: Vec::new(),
        left: Memory::default(),
        ran: false,
        literals: [None; 32],
        room,
    };
    let body = notes.iter().filter(|(_, note)| *note == Note::Begin).nth(1).map_or(code.len(), |&(at, _)| at);
    let mut factory = InstructionInfoFactory::new();
    let (mut next, mut parts) = (0, 0);
    for (number, instruction) in code.iter().enumerate() {
        while let Some(&(at, note)) = notes.get(next).filter(|&&(at, _)| at <= number) {
            if note == Note::Begin {
                if parts == 1 {
                    check.left = std::mem::take(&mut check.state.memory);
                    let stores =
                        code[body..].iter().filter(|insn| !tells_lanes(insn, room)).filter_map(stored);
                    stores.for_each(|range| forget(&mut check.left, range));
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

/// Where among the constants an instruction reads, if it is the same place for all lanes.
pub(super) fn constant_read(instruction: &Instruction) -> Option<i32> {
    let reads = (1..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory);
    let is_one = instruction.memory_base() == ROWS && instruction.memory_index() == Register::None;
    (reads && is_one).then(|| instruction.memory_displacement64() as i32)
}

/// Whether an instruction stores the lanes in which guards were raised, on leaving: nothing reads what was there.
fn tells_lanes(instruction: &Instruction, room: usize) -> bool {
    let is_value = |register: Register| number(register).is_none_or(|register| register < room);
    stored(instruction).is_some_and(|(at, _)| at == 0) && !is_value(instruction.op1_register())
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
            Note::Fork(number) => {
                assert_eq!(number, self.forks.len(), "they are numbered");
                self.forks.push((self.state.clone(), None));
            }
            Note::Join(number) => self.forks[number].1 = Some(self.state.clone()),
            Note::Tail(number, _) => self.state = self.forks[number].0.clone(),
            Note::TailEnd(number) => {
                let (fork, join) = &self.forks[number];
                let join = join.as_ref().expect("each has its join before");
                if let Some(why) = self.state.lacks(join, fork) {
                    return Err(format!("at the end of tail {number} {why}"));
                }
            }
            Note::Begin => {
                (self.state.registers, self.state.masks) = ([None; 32], [None; 8]);
                self.state.memory = self.left.clone();
            }
            Note::Run(value) => {
                self.between();
                self.state.running = Some(value);
                self.state.constants.extend(self.constant(value));
            }
            Note::Ran => {
                let func = self.func;
                if self.state.bound & !self.state.written != 0
                    || self.state.bound_masks & !self.state.written_masks != 0
                {
                    return Err(format!("{:?} has not been written", self.state.running));
                }
                let operands = self.state.running.map_or(&[][..], |value| func.inst(value).operands());
                if let Some(missing) = operands
                    .iter()
                    .find(|&&value| self.ran && !func.is_literal(value) && !self.state.read.contains(&value))
                {
                    return Err(format!("{:?} has not read {missing:?}", self.state.running));
                }
                self.between();
            }
            Note::BindMask(value, register) => {
                self.state.masks[register.number()] = Some(value);
                self.state.bound_masks |= 1 << register.number();
            }
            Note::Bind(part, register) => {
                let place = &mut self.state.registers[usize::from(register)];
                let fetches = |value: Value| matches!(self.func.inst(value).op.kind(), Kind::Load(_));
                let is_made = self.state.running.is_some_and(|value| value == part.value || fetches(value));
                if *place != Some(part) && !is_made {
                    return Err(format!("{part:?} is not what is in register {register}: {place:?}"));
                }
                *place = Some(part);
                self.state.bound |= 1 << register;
            }
            Note::Literal(word, register) => self.literals[usize::from(register)] = Some(word),
            Note::Read(part, source) => {
                self.state.read.push(part.value);
                let found = match source {
                    Source::Register(register) if self.has_literal(register, part.value) => return Ok(()),
                    Source::Register(register) => {
                        self.state.claimed |= 1 << register;
                        self.state.registers[usize::from(register)]
                    }
                    Source::Memory(base, at) | Source::Scalar(base, at) if base == SCRATCH_MEMORY => {
                        self.state.memory.get(&at).map(|&(part, _)| part)
                    }
                    Source::Scalar(ROWS, at) if self.constant(part.value) == Some(at) => {
                        self.state.constants.push(at);
                        return Ok(());
                    }
                    Source::Memory(..) | Source::Scalar(..) => None,
                    // Literals, which are where they are.
                    Source::Constant(..) | Source::ScalarConstant(_) => return Ok(()),
                };
                if found != Some(part) {
                    return Err(format!("{part:?} is read in {source:?}, which holds {found:?}"));
                }
            }
        }
        Ok(())
    }

    /// Whether a register has a value all the time.
    fn has_literal(&self, register: u8, value: Value) -> bool {
        let inst = self.func.inst(value);
        inst.op == Op::Const && self.literals[usize::from(register)] == Some(inst.imm)
    }

    /// Between two operations nothing stays in temporary registers.
    fn between(&mut self) {
        self.state.registers[self.room..].fill(None);
        self.state.running = None;
        (self.state.claimed, self.state.bound, self.state.written) = (0, 0, 0);
        (self.state.bound_masks, self.state.written_masks, self.ran) = (0, 0, false);
        self.state.read.clear();
        self.state.constants.clear();
    }

    /// Where a value is among the constants, if it is one.
    fn constant(&self, value: Value) -> Option<i32> {
        let inst = self.func.inst(value);
        let at: Element = (inst.op == Op::Ctx).then(|| inst.immediate())?;
        Some(row_offset(at.row) + 4 * at.component as i32)
    }

    /// Mask registers: which of those with a value are read, and which have it no more.
    fn mask(&mut self, register: usize, access: OpAccess) {
        if is_read(access) {
            self.state.read.extend(self.state.masks[register]);
        }
        if is_write(access) {
            self.state.written_masks |= 1 << register;
            if self.state.bound_masks >> register & 1 == 0 {
                self.state.masks[register] = None;
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
            let is_known = (self.state.claimed | self.state.written) >> register & 1 != 0;
            if reads && register < self.room && !is_known && !is_spill {
                return Err(format!(
                    "register {register} is read, which no operand is in: {:?}",
                    self.state.running
                ));
            }
        }
        if let Some(at) = constant_read(instruction)
            && !self.state.constants.contains(&at)
        {
            return Err(format!("a constant at {at} is read, which is no operand: {:?}", self.state.running));
        }
        if let Some((at, size)) = stored(instruction) {
            forget(&mut self.state.memory, (at, size));
            if let Some(part) = moved {
                self.state.memory.insert(at, (part, size));
            }
        }
        for (register, access) in used() {
            if is_write(access) {
                if let Some(word) = self.literals[register] {
                    return Err(format!("register {register} is written, which holds {word:#x}"));
                }
                self.state.written |= 1 << register;
                // What is said to be its result stays it: which of several writes is the last is not seen.
                if self.state.bound >> register & 1 == 0 {
                    self.state.registers[register] = moved;
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
                self.state.memory.get(&(instruction.memory_displacement64() as i32)).map(|&(part, _)| part)
            }
            OpKind::Register => {
                number(instruction.op1_register()).and_then(|from| self.state.registers[from])
            }
            _ => None,
        }
    }
}
