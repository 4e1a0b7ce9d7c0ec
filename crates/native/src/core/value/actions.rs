//! What each instruction does with values: once for all visits.

use super::super::decode::{Decoded, Step};
use super::super::places::Place;
use super::moves::{Move, Pattern, words};
use super::state::ELEMENTS;
use super::tags::computes;
use crate::ir::func::{Func, Value};
use crate::lines::Lines;
use iced_x86::{
    FlowControl, Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, OpAccess, OpKind,
    Register,
};

/// A place of values, and how many words of it an instruction accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    None,
    Vector {
        number: u8,
        words: u8,
    },
    Mask(u8),
    Integer(u8),
    /// The [`Memory`] of the instruction.
    Memory,
}

/// The memory operand of an instruction: bytes, for all lanes the same if they are `spread`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub(super) place: Place,
    pub(super) bytes: u8,
    pub(super) spread: bool,
}

/// Operands of an instruction that computes.
pub(super) type Operands = [Operand; 6];

/// What an instruction does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// Nothing with values.
    None,
    /// Moves words.
    Move { to: Operand, from: [Operand; 2], pattern: Pattern },
    /// Computes what its operation is for. What it `forgets` does not matter to the result, unless it is an operand.
    Compute { read: Operands, written: [Operand; 2], forgets: bool },
}

/// The operation that an instruction is for, and what it does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deed {
    pub(super) piece: Option<Value>,
    pub(super) action: Action,
    pub(super) memory: Memory,
}

impl Deed {
    /// How many words of an operand are accessed.
    pub(super) fn words(&self, operand: Operand) -> usize {
        match operand {
            Operand::Vector { words, .. } => words.into(),
            Operand::Memory => usize::from(self.memory.bytes).div_ceil(size_of::<u32>()).clamp(1, ELEMENTS),
            Operand::Integer(_) => 2,
            Operand::Mask(_) | Operand::None => 1,
        }
    }
}

/// The operation of each instruction, in their order.
fn pieces<'a>(code: &'a Decoded, lines: &'a Lines) -> impl Iterator<Item = Option<Value>> + 'a {
    let mut pieces = lines.pieces().iter().peekable();
    let mut current = None;
    code.steps.iter().map(move |step| {
        while let Some(&(_, value)) = pieces.next_if(|&&(at, _)| u64::from(at) <= step.insn.ip()) {
            current = value;
        }
        current
    })
}

/// What all instructions do.
pub(super) fn deeds(code: &Decoded, bytes: &[u8], places: &[Place], lines: &Lines, func: &Func) -> Vec<Deed> {
    let mut factory = InstructionInfoFactory::new();
    let steps = code.steps.iter().zip(places).zip(pieces(code, lines));
    let deed = |((step, &place), piece): ((&Step, &Place), Option<Value>)| {
        // Those of a literal are for whoever reads it.
        let piece = piece.filter(|&value| value.index() < func.insts.len() && !func.is_literal(value));
        let action = match step.flow {
            FlowControl::Next => action(&step.insn, bytes, place, piece, func, &mut factory),
            _ => Action::None,
        };
        let memory =
            Memory { place, bytes: step.insn.memory_size().size() as u8, spread: step.insn.is_broadcast() };
        Deed { piece, action, memory }
    };
    steps.map(deed).collect()
}

fn action(
    insn: &Instruction,
    bytes: &[u8],
    place: Place,
    piece: Option<Value>,
    func: &Func,
    factory: &mut InstructionInfoFactory,
) -> Action {
    use Mnemonic as M;
    if matches!(insn.mnemonic(), M::Nop | M::Endbr64 | M::Vzeroupper | M::Push | M::Pop) {
        return Action::None;
    }
    let literal = match place {
        Place::Literals(at) => bytes.get(at as usize..at as usize + insn.memory_size().size()),
        _ => None,
    };
    // Operations that compute may be nothing but a permutation.
    let is_pure = piece.is_some_and(|value| computes(func.inst(value).op));
    if let Some(moved) = Move::of(insn, literal).filter(|moved| moved.is_plain || !is_pure) {
        let at = |number: u32| operand(insn, number);
        return Action::Move { to: at(moved.to), from: moved.from.map(at), pattern: moved.pattern };
    }
    computation(insn, factory)
}

fn operand(insn: &Instruction, number: u32) -> Operand {
    match insn.op_kind(number) {
        OpKind::Register => register(insn.op_register(number)),
        OpKind::Memory => Operand::Memory,
        _ => Operand::None,
    }
}

fn register(register: Register) -> Operand {
    if register.is_vector_register() {
        Operand::Vector { number: register.number() as u8, words: words(register) as u8 }
    } else if register.is_k() {
        Operand::Mask(register.number() as u8)
    } else if register.is_gpr() {
        Operand::Integer(register.full_register().number() as u8)
    } else {
        Operand::None
    }
}

fn computation(insn: &Instruction, factory: &mut InstructionInfoFactory) -> Action {
    let mut read = [Operand::None; 6];
    let mut written = [Operand::None; 2];
    let info = factory.info_options(insn, InstructionInfoOptions::NO_MEMORY_USAGE);
    let (mut reads, mut writes) = (read.iter_mut(), written.iter_mut());
    let forgotten = forgotten(insn);
    if let Some(source) = forgotten
        && let Some(next) = reads.next()
    {
        *next = register(source);
    }
    for used in info.used_registers() {
        let place = register(used.register());
        let access = used.access();
        let is_source = matches!(
            access,
            OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        let is_result = matches!(
            access,
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        if is_source
            && forgotten != Some(used.register())
            && let Some(next) = reads.next()
        {
            *next = place;
        }
        if is_result && let Some(next) = writes.next() {
            *next = place;
        }
    }
    let memory = (0..insn.op_count()).find(|&number| insn.op_kind(number) == OpKind::Memory);
    if let Some(number) = memory.filter(|_| insn.mnemonic() != Mnemonic::Lea) {
        let is_stored = number == 0 && info.op0_access() != OpAccess::Read;
        let next = if is_stored { writes.next() } else { reads.next() };
        if let Some(next) = next {
            *next = Operand::Memory;
        }
    }
    Action::Compute { read, written, forgets: forgotten.is_some() }
}

/// The register whose contents do not matter to the result, since it is both sources.
fn forgotten(insn: &Instruction) -> Option<Register> {
    use Mnemonic as M;
    let count = insn.op_count();
    let has_immediate = count > 0 && insn.op_kind(count - 1) == OpKind::Immediate8;
    let last = count.checked_sub(if has_immediate { 2 } else { 1 }).filter(|last| *last > 0)?;
    let [a, b] = [last, last - 1].map(|number| (insn.op_kind(number), insn.op_register(number)));
    let forgets = match insn.mnemonic() {
        M::Xor | M::Sub | M::Xorps | M::Xorpd | M::Pxor | M::Vxorps | M::Vxorpd | M::Vpxor | M::Vpxord => {
            true
        }
        M::Psubd | M::Vpsubd | M::Pcmpeqb | M::Pcmpeqw | M::Pcmpeqd | M::Pcmpeqq => true,
        M::Vpcmpeqb | M::Vpcmpeqw | M::Vpcmpeqd | M::Vpcmpeqq => true,
        M::Vpternlogd | M::Vpternlogq => matches!(insn.immediate8(), 0 | 0xff),
        _ => false,
    };
    (forgets && a == b && a.0 == OpKind::Register).then_some(a.1)
}
