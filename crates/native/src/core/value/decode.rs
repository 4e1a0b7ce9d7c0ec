//! Machine code as the checker of values sees it: what each instruction reads, writes and copies, and what may follow it.

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, MemorySize, Mnemonic,
    OpAccess, OpKind, Register,
};
use std::collections::BTreeMap;

use super::super::note::Place;

/// What may run after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    Next,
    Jump(u32),
    Branch(u32),
    End,
}

/// A memory operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Memory {
    /// The register that the address is made of, if it is one.
    pub(super) base: Option<u8>,
    /// Whether another register is part of the address.
    pub(super) is_indexed: bool,
    /// The displacement, or the place in the code if that is the base.
    pub(super) at: i32,
    pub(super) bytes: i32,
    pub(super) is_read: bool,
    pub(super) is_written: bool,
    /// Whether it is a constant behind the code.
    pub(super) is_constant: bool,
}

/// Where a copied vector or word of 64 bits comes from, or goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Where {
    Place(Place),
    General(u8),
    Memory(Memory),
}

/// What an instruction does with what it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// It copies it.
    Copy(Where, Where),
    /// It does not look at it: the result is always these words.
    Literal(u64),
    /// Anything else.
    Compute,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) at: u32,
    pub(super) next: u32,
    pub(super) flow: Flow,
    pub(super) action: Action,
    pub(super) reads: Vec<Place>,
    pub(super) writes: Vec<Place>,
    /// General registers that it writes, as a mask of their numbers.
    pub(super) generals: u16,
    pub(super) memory: Option<Memory>,
    pub(super) insn: Instruction,
}

/// The number of the stack pointer.
pub(super) const STACK: u8 = 4;

/// All instructions that the entry leads to, by their place; nothing if one is not decoded, or leads nobody knows where.
pub(super) fn decode(bytes: &[u8], vector: usize) -> Result<BTreeMap<u32, Step>, u32> {
    let mut factory = InstructionInfoFactory::new();
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    let mut steps = BTreeMap::new();
    let mut open = vec![0u32];
    while let Some(mut at) = open.pop() {
        while !steps.contains_key(&at) {
            decoder.set_position(at as usize).map_err(|_| at)?;
            decoder.set_ip(at.into());
            let insn = decoder.decode();
            let step = step(insn, bytes, vector, &mut factory).ok_or(at)?;
            let (flow, next) = (step.flow, step.next);
            steps.insert(at, step);
            match flow {
                Flow::Next => at = next,
                Flow::Jump(target) => at = target,
                Flow::Branch(target) => {
                    open.push(target);
                    at = next;
                }
                Flow::End => break,
            }
        }
    }
    Ok(steps)
}

fn step(
    insn: Instruction,
    bytes: &[u8],
    vector: usize,
    factory: &mut InstructionInfoFactory,
) -> Option<Step> {
    let flow = match insn.flow_control() {
        FlowControl::Next => Flow::Next,
        FlowControl::UnconditionalBranch => Flow::Jump(insn.near_branch_target() as u32),
        FlowControl::ConditionalBranch => Flow::Branch(insn.near_branch_target() as u32),
        FlowControl::Return | FlowControl::Exception => Flow::End,
        _ => return None,
    };
    let info = factory.info(&insn);
    let mut step = Step {
        at: insn.ip() as u32,
        next: insn.next_ip() as u32,
        flow,
        action: Action::Compute,
        reads: Vec::new(),
        writes: Vec::new(),
        generals: 0,
        memory: info.used_memory().first().and_then(|_| memory(&insn, factory_access(info))),
        insn,
    };
    // It clears upper halves, which nothing reads.
    if insn.mnemonic() == Mnemonic::Vzeroupper {
        return Some(step);
    }
    for used in info.used_registers() {
        let (register, access) = (used.register(), used.access());
        if register.is_gpr() {
            if is_write(access) {
                step.generals |= 1 << register.full_register().number();
            }
            continue;
        }
        let Some(place) = place(register) else { continue };
        if is_read(access) {
            step.reads.push(place);
        }
        if is_write(access) {
            step.writes.push(place);
        }
    }
    step.action = action(&step, bytes, vector);
    if sets_all(&insn) {
        let is_merged = insn.op_mask() != Register::None && !insn.zeroing_masking();
        step.reads.retain(|read| matches!(read, Place::Mask(_)) || is_merged);
    }
    Some(step)
}

/// How the memory operand of an instruction is accessed.
fn factory_access(info: &iced_x86::InstructionInfo) -> OpAccess {
    info.used_memory().first().map_or(OpAccess::None, |used| used.access())
}

fn memory(insn: &Instruction, access: OpAccess) -> Option<Memory> {
    let has_one = (0..insn.op_count()).any(|operand| insn.op_kind(operand) == OpKind::Memory);
    if !has_one || access == OpAccess::NoMemAccess {
        return None;
    }
    let is_constant = insn.is_ip_rel_memory_operand();
    let base = insn.memory_base();
    let size =
        if insn.is_broadcast() { insn.memory_size().element_size() } else { insn.memory_size().size() };
    Some(Memory {
        base: base.is_gpr64().then(|| base.number() as u8),
        is_indexed: insn.memory_index() != Register::None,
        at: insn.memory_displacement64() as i32,
        bytes: if insn.memory_size() == MemorySize::Unknown { 64 } else { size as i32 },
        is_read: is_read(access),
        is_written: is_write(access),
        is_constant,
    })
}

fn place(register: Register) -> Option<Place> {
    let number = register.number() as u8;
    if register.is_vector_register() {
        Some(Place::Vector(number))
    } else {
        register.is_k().then_some(Place::Mask(number))
    }
}

pub(super) fn is_read(access: OpAccess) -> bool {
    use OpAccess::{CondRead, Read, ReadCondWrite, ReadWrite};
    matches!(access, Read | CondRead | ReadWrite | ReadCondWrite)
}

pub(super) fn is_write(access: OpAccess) -> bool {
    use OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
    matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)
}

/// Whether an instruction makes all ones, wherever a mask lets it, of whatever its operands are.
fn sets_all(insn: &Instruction) -> bool {
    let is_table = matches!(insn.mnemonic(), Mnemonic::Vpternlogd | Mnemonic::Vpternlogq);
    is_table && insn.immediate8() == 0xff
}

/// What an instruction does, given the code that it stands in and how many bytes a vector of all lanes has.
fn action(step: &Step, bytes: &[u8], vector: usize) -> Action {
    use Mnemonic as M;
    let insn = &step.insn;
    if insn.op_mask() != Register::None {
        return Action::Compute;
    }
    if sets_all(insn) {
        return Action::Literal(!0);
    }
    let count = insn.op_count();
    let is_register = |operand: u32| insn.op_kind(operand) == OpKind::Register;
    let is_same = count >= 2
        && is_register(count - 1)
        && is_register(count - 2)
        && insn.op_register(count - 1) == insn.op_register(count - 2)
        && insn.op_register(0).is_vector_register();
    match insn.mnemonic() {
        M::Pxor | M::Vpxor | M::Vpxord | M::Vpxorq | M::Xorps | M::Vxorps | M::Xorpd | M::Vxorpd
            if is_same =>
        {
            Action::Literal(0)
        }
        M::Pcmpeqd | M::Vpcmpeqd | M::Pcmpeqb | M::Pcmpeqw | M::Pcmpeqq if is_same => Action::Literal(!0),
        M::Movaps | M::Movups | M::Movapd | M::Movupd | M::Movdqa | M::Movdqu => copy(step, bytes, vector),
        M::Vmovaps | M::Vmovups | M::Vmovapd | M::Vmovupd | M::Vmovdqa | M::Vmovdqu => {
            copy(step, bytes, vector)
        }
        M::Vmovdqa32 | M::Vmovdqa64 | M::Vmovdqu8 | M::Vmovdqu16 | M::Vmovdqu32 | M::Vmovdqu64 => {
            copy(step, bytes, vector)
        }
        M::Vbroadcastss | M::Vpbroadcastd if is_register(0) && !is_register(1) => spread(step, bytes, vector),
        M::Vmovss if !is_register(0) => copy_word(step),
        M::Mov if insn.code() == Code::Mov_r64_rm64 || insn.code() == Code::Mov_rm64_r64 => {
            copy_general(step)
        }
        _ => Action::Compute,
    }
}

/// The words of a constant, if it is the same two words again and again.
fn literal(bytes: &[u8], memory: Memory, vector: usize) -> Option<u64> {
    let at = memory.at as usize;
    let bytes = bytes.get(at..at + memory.bytes as usize)?;
    let whole: Vec<u8> = if bytes.len() < 8 { bytes.repeat(8 / bytes.len()) } else { bytes.to_vec() };
    let first: [u8; 8] = whole.get(..8)?.try_into().ok()?;
    let is_alike = whole.chunks(8).all(|chunk| chunk == first) && vector >= bytes.len();
    is_alike.then(|| u64::from_le_bytes(first))
}

fn copy(step: &Step, bytes: &[u8], vector: usize) -> Action {
    let insn = &step.insn;
    let whole = |operand: u32| -> Option<Where> {
        if insn.op_kind(operand) == OpKind::Register {
            let register = insn.op_register(operand);
            return (register.size() == vector).then(|| place(register).map(Where::Place)).flatten();
        }
        step.memory.filter(|memory| memory.bytes as usize == vector).map(Where::Memory)
    };
    match (whole(1), whole(0)) {
        (Some(Where::Memory(memory)), Some(_)) if memory.is_constant => {
            literal(bytes, memory, vector).map_or(Action::Compute, Action::Literal)
        }
        (Some(from), Some(to)) => Action::Copy(from, to),
        _ => Action::Compute,
    }
}

/// A word that comes to all lanes.
fn spread(step: &Step, bytes: &[u8], vector: usize) -> Action {
    let register = step.insn.op0_register();
    match (step.memory, place(register)) {
        (Some(memory), Some(to)) if register.size() == vector => {
            if memory.is_constant {
                return literal(bytes, memory, vector).map_or(Action::Compute, Action::Literal);
            }
            Action::Copy(Where::Memory(memory), Where::Place(to))
        }
        _ => Action::Compute,
    }
}

/// The first lane, which is stored for all.
fn copy_word(step: &Step) -> Action {
    match (step.memory, place(step.insn.op1_register())) {
        (Some(memory), Some(from)) => Action::Copy(Where::Place(from), Where::Memory(memory)),
        _ => Action::Compute,
    }
}

fn copy_general(step: &Step) -> Action {
    let insn = &step.insn;
    let side = |operand: u32| match insn.op_kind(operand) {
        OpKind::Register => Some(Where::General(insn.op_register(operand).number() as u8)),
        _ => step.memory.map(Where::Memory),
    };
    match (side(1), side(0)) {
        (Some(from), Some(to)) => Action::Copy(from, to),
        _ => Action::Compute,
    }
}
