//! What the operations of an instruction read, by which index, and where its branch goes.

use std::ops::Range;

use super::{Extra, Operand, Operation, Register, Units};
use crate::isa::Generation;
use crate::isa::op::Slot;
use crate::isa::{AddressComponent, Bank, Branch, Insn, Source, Unit};
use crate::text::Problem;

/// Fills in sources, the registers that they share, and what operations take beside them.
pub(super) fn fit(generation: Generation, insn: &mut Insn, units: &Units<'_>) -> Result<(), Problem> {
    let mut reads = Reads { generation, insn, operands: [None, None, None], address: None };
    for (unit, operation) in [(Unit::Vec, units.vec.first()), (Unit::Sca, units.sca.first())] {
        let Some(operation) = operation else { continue };
        let slots = match unit {
            Unit::Vec => reads.insn.vec.reads(),
            Unit::Sca => reads.insn.sca.reads(),
        };
        for (&slot, operand) in slots.iter().zip(&operation.sources) {
            reads.add(unit, slot, operand)?;
        }
        reads.extra(operation)?;
    }
    reads.registers()?;
    for operation in units.vec.iter().chain(&units.sca) {
        if let Some(destination) = &operation.destination
            && let Some(index) = destination.index
        {
            reads.index(index.reg, Some(index.component), &destination.span)?;
        }
    }
    let (reg, component) = reads.address.unwrap_or_default();
    reads.insn.address = AddressComponent { reg, component: component.unwrap_or(0) };
    Ok(())
}

/// The sources of an instruction under construction.
struct Reads<'a> {
    generation: Generation,
    insn: &'a mut Insn,
    operands: [Option<&'a Operand>; 3],
    /// The address register looked at, and the component if it matters.
    address: Option<(u8, Option<u8>)>,
}

impl<'a> Reads<'a> {
    /// Puts a unit's operand into a slot; the other unit may share it.
    fn add(&mut self, unit: Unit, slot: Slot, operand: &'a Operand) -> Result<(), Problem> {
        let bank = match operand.register {
            Register::None if slot != Slot::C && self.generation == Generation::Kelvin => {
                let problem = Problem::new(
                    operand.span.clone(),
                    "only the last source of ADD and MAD, and sources of scalar operations, can be `_`",
                );
                return Err(problem);
            }
            Register::None => Bank::None,
            Register::Temp(reg) => Bank::Temp(reg),
            Register::Input { .. } => Bank::Input,
            Register::Constant { .. } => Bank::Constant,
        };
        let Operand { swizzle, absolute, negate, .. } = *operand;
        let mut source = Source { bank, swizzle, absolute, negate };
        if let Some(other) = self.operands[slot as usize] {
            let shared = self.insn.source(slot);
            // The vector unit came first: it keeps the components that it reads.
            let theirs = self.insn.read_by(Unit::Vec, slot);
            let ours = self.insn.read_by(unit, slot);
            let agree = |c: usize| !theirs.has(c) || shared.swizzle.0[c] == source.swizzle.0[c];
            let same_register = other.register == operand.register
                && other.absolute == operand.absolute
                && other.negate == operand.negate;
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

    /// What an operation takes beside sources.
    fn extra(&mut self, operation: &Operation) -> Result<(), Problem> {
        match operation.extra {
            Extra::None => {}
            Extra::Address(reg) => self.index(reg, None, &operation.span)?,
            Extra::Index(AddressComponent { reg, component }) => {
                self.index(reg, Some(component), &operation.span)?;
            }
            Extra::Texture(unit) => self.insn.texture = unit,
            Extra::Jump { target, boolean } => {
                let (bit, polarity) = boolean.unwrap_or_default();
                self.insn.branch = Branch { target, bit, polarity, ..self.insn.branch };
            }
        }
        Ok(())
    }

    /// A look at an address register.
    fn index(&mut self, reg: u8, component: Option<u8>, span: &Range<usize>) -> Result<(), Problem> {
        let (other, before) = *self.address.get_or_insert((reg, component));
        if other != reg || before.is_some_and(|before| component.is_some_and(|c| c != before)) {
            let message = "an instruction can use only one component of one address register";
            return Err(Problem::new(span.clone(), message));
        }
        self.address = Some((reg, before.or(component)));
        Ok(())
    }

    /// Fills in the registers that all sources share.
    fn registers(&mut self) -> Result<(), Problem> {
        let mut input = None;
        let mut constant = None;
        for operand in self.operands.into_iter().flatten() {
            let fail = |message: String| {
                let problem = Problem::new(operand.span.clone(), message);
                Err(problem.help("copy one of them to a temporary first"))
            };
            let index = match operand.register {
                Register::None | Register::Temp(_) => None,
                Register::Input { n, index } => {
                    match input.replace((n, index.is_some())) {
                        Some((_, other)) if other != index.is_some() => {
                            return fail(
                                "v[a0.x + n] and v[n] cannot be read by the same instruction".to_owned(),
                            );
                        }
                        Some((other, _)) if other != n => {
                            return fail(format!(
                                "an instruction can read only one input, but this one reads v{other} and v{n}"
                            ));
                        }
                        _ => (self.insn.input, self.insn.input_indexed) = (n, index.is_some()),
                    }
                    index
                }
                Register::Constant { row, index } => {
                    match constant.replace((row, index.is_some())) {
                        Some((_, other)) if other != index.is_some() => {
                            return fail(
                                "c[a0 + n] and c[n] cannot be read by the same instruction".to_owned(),
                            );
                        }
                        Some((other, _)) if other != row => {
                            return fail(format!(
                                "an instruction can read only one constant row, but this one reads rows {other} and {row}"
                            ));
                        }
                        _ => (self.insn.constant, self.insn.indexed) = (row, index.is_some()),
                    }
                    index
                }
            };
            if let Some(index) = index {
                self.index(index.reg, Some(index.component), &operand.span)?;
            }
        }
        Ok(())
    }
}
