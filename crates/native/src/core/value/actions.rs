//! What each instruction does with values: once for all visits.

use super::super::places::Place;
use super::super::steps::{Decoded, Flow, Insn};
use super::held::ELEMENTS;
use super::patterns::Pattern;
use super::tags::computes;
use crate::ir::func::{Func, Value};
use crate::lines::Lines;

/// A place of values, and how many words of it an instruction accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Operand {
    None,
    Vector {
        number: u8,
        words: u8,
    },
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only code for x86-64 has it"))]
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
pub(in super::super) enum Action {
    /// Nothing with values.
    None,
    /// Moves words.
    Move { to: Operand, from: [Operand; 2], pattern: Pattern },
    /// Puts words of its own somewhere.
    #[cfg_attr(
        not(any(target_arch = "aarch64", feature = "cross")),
        allow(dead_code, reason = "only code for AArch64 has words in its instructions")
    )]
    Literal { to: Operand, words: [u32; 4] },
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

/// What instructions of a processor do with values.
pub(in super::super) trait Acts: Insn {
    /// What helps to tell it of one instruction after the other.
    type Reader;

    /// One that has seen nothing.
    fn reader() -> Self::Reader;

    /// What an instruction does that is no jump, and whose memory operand is at a place. Operations that compute (`is_pure`) may be nothing
    /// but a permutation.
    fn action(&self, reader: &mut Self::Reader, bytes: &[u8], place: Place, is_pure: bool) -> Action;

    /// The bytes of its memory operand, and whether all lanes get them.
    fn memory(&self) -> (u8, bool);

    /// Tells a reader that control comes from elsewhere, too.
    fn begin(reader: &mut Self::Reader);
}

/// The operation of each instruction, in their order.
fn pieces<'a, I: Insn>(code: &'a Decoded<I>, lines: &'a Lines) -> impl Iterator<Item = Option<Value>> + 'a {
    let mut pieces = lines.pieces().iter().peekable();
    let mut current = None;
    code.steps.iter().map(move |step| {
        while let Some(&(_, value)) = pieces.next_if(|&&(at, _)| u64::from(at) <= step.insn.at()) {
            current = value;
        }
        current
    })
}

/// What all instructions do.
pub(super) fn deeds<I: Acts>(
    code: &Decoded<I>,
    bytes: &[u8],
    places: &[Place],
    lines: &Lines,
    func: &Func,
) -> Vec<Deed> {
    let mut reader = I::reader();
    let mut heads = code.heads.iter().map(|head| head.step).peekable();
    let mut pieces = pieces(code, lines);
    let mut deeds = Vec::with_capacity(code.steps.len());
    for (number, (step, &place)) in code.steps.iter().zip(places).enumerate() {
        while heads.next_if(|&head| head <= number).is_some() {
            I::begin(&mut reader);
        }
        // Those of a literal are for whoever reads it.
        let piece = pieces.next().flatten();
        let piece = piece.filter(|&value| value.index() < func.insts.len() && !func.is_literal(value));
        let is_pure = piece.is_some_and(|value| computes(func.inst(value).op));
        let action = match step.flow {
            Flow::Next => step.insn.action(&mut reader, bytes, place, is_pure),
            _ => Action::None,
        };
        let (bytes, spread) = step.insn.memory();
        deeds.push(Deed { piece, action, memory: Memory { place, bytes, spread } });
    }
    deeds
}
