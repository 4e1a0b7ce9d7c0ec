//! Fits the operations of one line into one instruction, or says which limit of the hardware forbids it: one operation
//! per unit, one temporary per result, one output port, one input register, one row of constants, one index, one test,
//! source C shared by both units, and r1 as the only temporary of a paired scalar result before Curie.

use std::ops::Range;

use super::names::Suffix;
use crate::isa::op::{ScaOp, Slot, VecOp};
use crate::isa::{AddressComponent, Condition, Insn, Mask, OutTarget, Swizzle};
use crate::isa::{Generation, Reading};
use crate::text::Problem;

mod destinations;
mod sources;

/// What an operation of the text asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Vec(VecOp),
    Sca(ScaOp),
    /// MOV, of whichever unit.
    Mov,
    Nop,
}

/// A register that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Register {
    None,
    Temp(u8),
    Input { n: u8, index: Option<AddressComponent> },
    Constant { row: u16, index: Option<AddressComponent> },
}

/// A source operand.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) register: Register,
    pub(super) swizzle: Swizzle,
    pub(super) absolute: bool,
    pub(super) negate: bool,
    pub(super) span: Range<usize>,
}

/// A register that can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Temp(u8),
    Out(OutTarget),
    Address(u8),
    /// The condition register that the suffix of the mnemonic names.
    Codes,
    /// Where POPA pops to if nothing is written.
    Nowhere,
}

/// A destination.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    pub(super) target: Target,
    pub(super) mask: Mask,
    /// Of outputs.
    pub(super) index: Option<AddressComponent>,
    pub(super) span: Range<usize>,
}

/// What some operations take beside sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extra {
    None,
    /// A whole address register: ARA and PUSHA.
    Address(u8),
    /// A component of an address register: BRAI and CALI.
    Index(AddressComponent),
    /// A texture unit: TXL.
    Texture(u8),
    /// A slot, and for BRB and CLB the boolean constant and the value it must have.
    Jump {
        target: u16,
        boolean: Option<(u8, bool)>,
    },
}

/// One operation of the text.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) operator: Operator,
    pub(super) suffix: Suffix,
    pub(super) span: Range<usize>,
    /// Absent from operations without a result.
    pub(super) destination: Option<Destination>,
    /// Of the write or the branch.
    pub(super) condition: Condition,
    pub(super) sources: Vec<Operand>,
    pub(super) extra: Extra,
}

/// The operations of a line by unit; more than one only where the destinations differ.
#[derive(Default)]
struct Units<'a> {
    vec: Vec<&'a Operation>,
    sca: Vec<&'a Operation>,
}

/// The instruction, without END.
pub(super) fn assemble(
    generation: Generation,
    reading: Reading,
    operations: &[Operation],
) -> Result<Insn, Problem> {
    let units = assign(operations)?;
    let mut insn = Insn::NOP;
    if let Some(first) = units.vec.first() {
        insn.vec = match first.operator {
            Operator::Vec(op) => op,
            Operator::Sca(_) | Operator::Mov | Operator::Nop => VecOp::Mov,
        };
    }
    if let Some(first) = units.sca.first() {
        insn.sca = match first.operator {
            Operator::Sca(op) => op,
            Operator::Vec(_) | Operator::Mov | Operator::Nop => ScaOp::Mov,
        };
    }
    destinations::fit(generation, reading, &mut insn, &units)?;
    sources::fit(generation, &mut insn, &units)?;
    Ok(insn.canonical())
}

/// Whether the words of an instruction say all of it. What gets here and does not fit shares bits with something else.
pub(super) fn check(
    generation: Generation,
    reading: Reading,
    insn: &Insn,
    span: &Range<usize>,
) -> Result<(), Problem> {
    let words = crate::isa::encode_insn(generation, reading, insn);
    let read_back = crate::isa::decode_insn(generation, reading, words);
    if read_back == *insn {
        return Ok(());
    }
    let branches = insn.sca.names_slot();
    let message = if branches && !insn.read(Slot::C).is_empty() {
        "the branch target uses the bits of the last source's swizzle in ADD and MAD"
    } else if insn.sca == ScaOp::Popa {
        "POPA writes an address register, unless the paired operation does"
    } else {
        "this combination of operations has no encoding"
    };
    let problem = Problem::new(span.clone(), message);
    Err(if branches { problem.help("put the branch on a line of its own") } else { problem })
}

/// Whether both operations compute the same result.
fn same_result(a: &Operation, b: &Operation) -> bool {
    let same = |(a, b): (&Operand, &Operand)| {
        a.register == b.register && a.swizzle == b.swizzle && a.absolute == b.absolute && a.negate == b.negate
    };
    a.operator == b.operator
        && a.extra == b.extra
        && a.sources.len() == b.sources.len()
        && a.sources.iter().zip(&b.sources).all(same)
}

/// Whether both operations write the same kind of register.
fn same_kind(a: &Operation, b: &Operation) -> bool {
    let kind = |operation: &Operation| {
        operation.destination.as_ref().map(|destination| std::mem::discriminant(&destination.target))
    };
    kind(a) == kind(b)
}

/// Whether `operation` adds only a destination to what the unit does.
fn joins(unit: &[&Operation], operation: &Operation) -> bool {
    unit.iter().all(|other| same_result(other, operation) && !same_kind(other, operation))
}

/// Decides which unit does what. Only MOV is open: it goes to the vector unit where that is free or already does the
/// same, and else to the scalar unit.
fn assign(operations: &[Operation]) -> Result<Units<'_>, Problem> {
    let mut units = Units::default();
    for operation in operations {
        match operation.operator {
            Operator::Vec(_) => add(&mut units.vec, operation, "vector")?,
            Operator::Sca(_) => add(&mut units.sca, operation, "scalar")?,
            Operator::Mov | Operator::Nop => {}
        }
    }
    for operation in operations.iter().filter(|operation| operation.operator == Operator::Mov) {
        if joins(&units.vec, operation) {
            units.vec.push(operation);
        } else {
            add(&mut units.sca, operation, "scalar")?;
        }
    }
    Ok(units)
}

fn add<'a>(unit: &mut Vec<&'a Operation>, operation: &'a Operation, name: &str) -> Result<(), Problem> {
    if joins(unit, operation) {
        unit.push(operation);
        return Ok(());
    }
    let same = unit.iter().all(|other| same_result(other, operation));
    let span = match &operation.destination {
        Some(destination) if same => destination.span.clone(),
        _ => operation.span.clone(),
    };
    let message = if same {
        "a result can be written to at most one temporary and one output or constant".to_owned()
    } else {
        format!("the {name} unit already has an operation in this instruction")
    };
    let problem = Problem::new(span, message);
    Err(if same { problem } else { problem.help("put it on a line of its own") })
}
