//! Fits the operations of one line into one instruction, or says which limit of the hardware forbids it: one operation
//! per unit, one temporary per result, one output port, one input register, one row of constants, source C shared by
//! both units, and r1 as the only temporary of a paired scalar result.

use std::ops::Range;

use super::error::Problem;
use super::insn::{Bank, Insn, Mask, OutTarget, OutWrite, Source, Swizzle, TempWrite, Unit};
use super::kelvin::PAIRED_TEMP;
use super::op::{ScaOp, Slot, VecOp};

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
    Input(u8),
    Constant { row: u16, indexed: bool },
}

/// A source operand.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) register: Register,
    pub(super) swizzle: Swizzle,
    pub(super) negate: bool,
    pub(super) span: Range<usize>,
}

/// A register that can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Temp(u8),
    Out(OutTarget),
    Address,
}

/// A destination.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    pub(super) target: Target,
    pub(super) mask: Mask,
    pub(super) span: Range<usize>,
}

/// One operation of the text.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) operator: Operator,
    pub(super) span: Range<usize>,
    /// Absent from NOP alone.
    pub(super) destination: Option<Destination>,
    pub(super) sources: Vec<Operand>,
}

/// The operations of a line by unit; more than one only where the destinations differ.
#[derive(Default)]
struct Units<'a> {
    vec: Vec<&'a Operation>,
    sca: Vec<&'a Operation>,
}

/// The instruction, without END.
pub(super) fn assemble(operations: &[Operation]) -> Result<Insn, Problem> {
    let units = assign(operations)?;
    let mut insn = Insn::NOP;
    if let Some(first) = units.vec.first() {
        insn.vec = match first.operator {
            Operator::Vec(op) => op,
            _ => VecOp::Mov,
        };
    }
    if let Some(first) = units.sca.first() {
        insn.sca = match first.operator {
            Operator::Sca(op) => op,
            _ => ScaOp::Mov,
        };
    }
    destinations(&mut insn, Unit::Vec, &units.vec)?;
    destinations(&mut insn, Unit::Sca, &units.sca)?;

    let mut reads = Reads { insn, operands: [None, None, None] };
    if let Some(first) = units.vec.first() {
        for (&slot, operand) in insn.vec.reads().iter().zip(&first.sources) {
            reads.add(Unit::Vec, slot, operand)?;
        }
    }
    if let Some(first) = units.sca.first() {
        for (&slot, operand) in insn.sca.reads().iter().zip(&first.sources) {
            reads.add(Unit::Sca, slot, operand)?;
        }
    }
    Ok(reads.registers()?.canonical())
}

/// Whether both operations compute the same result.
fn same_result(a: &Operation, b: &Operation) -> bool {
    let same = |(a, b): (&Operand, &Operand)| {
        a.register == b.register && a.swizzle == b.swizzle && a.negate == b.negate
    };
    a.operator == b.operator
        && a.sources.len() == b.sources.len()
        && a.sources.iter().zip(&b.sources).all(same)
}

/// Whether `operation` adds only a destination to what the unit does.
fn joins(unit: &[&Operation], operation: &Operation) -> bool {
    let is_temp = |operation: &Operation| {
        matches!(operation.destination, Some(Destination { target: Target::Temp(_), .. }))
    };
    unit.iter().all(|other| same_result(other, operation) && is_temp(other) != is_temp(operation))
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
        "a result goes to at most one temporary and one output or constant".to_owned()
    } else {
        format!("the {name} unit already has an operation in this instruction")
    };
    let problem = Problem::new(span, message);
    Err(if same { problem } else { problem.help("put it on a line of its own") })
}

fn destinations(insn: &mut Insn, unit: Unit, operations: &[&Operation]) -> Result<(), Problem> {
    let paired = !matches!(insn.vec, VecOp::Nop);
    for operation in operations {
        let Some(Destination { target, mask, span }) = operation.destination.clone() else { continue };
        if (target == Target::Address) != (unit == Unit::Vec && insn.vec == VecOp::Arl) {
            let message = match target {
                Target::Address => "only ARL writes a0",
                _ => "ARL writes only a0",
            };
            return Err(Problem::new(span, message));
        }
        match (target, unit) {
            (Target::Address, _) => insn.address_dst = TempWrite { reg: 0, mask: Mask(8) },
            (Target::Temp(reg), Unit::Vec) => insn.vec_dst = TempWrite { reg, mask },
            (Target::Temp(reg), Unit::Sca) if paired && reg != PAIRED_TEMP => {
                let message = format!(
                    "beside a vector operation the scalar result can only go to r{PAIRED_TEMP}, not r{reg}"
                );
                return Err(Problem::new(span, message)
                    .help(format!("write r{PAIRED_TEMP}, or put the operation on a line of its own")));
            }
            (Target::Temp(reg), Unit::Sca) => insn.sca_dst = TempWrite { reg, mask },
            (Target::Out(_), _) if insn.out.is_some() => {
                let message = "an instruction writes only one output or constant, with one unit's result";
                return Err(Problem::new(span, message));
            }
            (Target::Out(target), from) => insn.out = Some(OutWrite::new(target, mask, from)),
        }
    }
    Ok(())
}

/// The sources of an instruction under construction.
struct Reads<'a> {
    insn: Insn,
    operands: [Option<&'a Operand>; 3],
}

impl<'a> Reads<'a> {
    /// Puts a unit's operand into a slot; the other unit may share it.
    fn add(&mut self, unit: Unit, slot: Slot, operand: &'a Operand) -> Result<(), Problem> {
        let bank = match operand.register {
            Register::None if slot != Slot::C => {
                let problem = Problem::new(
                    operand.span.clone(),
                    "only the last source of ADD and MAD and those of scalar operations can be `_`",
                );
                return Err(problem);
            }
            Register::None => Bank::None,
            Register::Temp(reg) => Bank::Temp(reg),
            Register::Input(_) => Bank::Input,
            Register::Constant { .. } => Bank::Constant,
        };
        let mut source = Source { bank, swizzle: operand.swizzle, negate: operand.negate, ..Source::UNUSED };
        if let Some(other) = self.operands[slot as usize] {
            let shared = self.insn.source(slot);
            // The vector unit came first: it keeps the components that it reads.
            let theirs = self.insn.read_by(Unit::Vec, slot);
            let ours = self.insn.read_by(unit, slot);
            let agree = |c: usize| !theirs.has(c) || shared.swizzle.0[c] == source.swizzle.0[c];
            let same_register = other.register == operand.register && other.negate == operand.negate;
            if !same_register || !ours.components().all(agree) {
                let problem = Problem::new(
                    operand.span.clone(),
                    "the scalar operation and the last source of the vector operation must be the same operand",
                );
                return Err(problem.help("the units share source C; put one operation on a line of its own"));
            }
            for c in theirs.components() {
                source.swizzle.0[c] = shared.swizzle.0[c];
            }
        }
        self.insn.src[slot as usize] = source;
        self.operands[slot as usize] = Some(operand);
        Ok(())
    }

    /// Fills in the registers that all sources share.
    fn registers(mut self) -> Result<Insn, Problem> {
        let mut input = None;
        let mut constant = None;
        for operand in self.operands.into_iter().flatten() {
            let fail = |message: String| {
                let problem = Problem::new(operand.span.clone(), message);
                Err(problem.help("copy one of them to a temporary first"))
            };
            match operand.register {
                Register::None | Register::Temp(_) => {}
                Register::Input(n) => match input.replace(n) {
                    Some(other) if other != n => {
                        return fail(format!("an instruction reads only one input, here v{other} and v{n}"));
                    }
                    _ => self.insn.input = n,
                },
                Register::Constant { row, indexed } => match constant.replace((row, indexed)) {
                    Some((_, other)) if other != indexed => {
                        return fail("c[a0 + n] and c[n] cannot be read by the same instruction".to_owned());
                    }
                    Some((other, _)) if other != row => {
                        return fail(format!(
                            "an instruction reads only one constant, here rows {other} and {row}"
                        ));
                    }
                    _ => (self.insn.constant, self.insn.indexed) = (row, indexed),
                },
            }
        }
        Ok(self.insn)
    }
}
