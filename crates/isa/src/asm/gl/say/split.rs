//! An instruction as statements: one operation with one destination each, in an order in which none reads what one before it writes.

use super::Unsaid;
use crate::isa::op::Effect;
use crate::isa::{Bank, CodeWrite, Insn, Mask, OutTarget, Test, Unit};

/// Where a statement's result goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum To {
    Temp(u8),
    Output(u8),
    Constant(u16),
    /// An address register.
    Address(u8),
    /// Condition codes alone.
    Codes,
    /// The next slot.
    Flow,
}

/// One operation with one destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Statement {
    pub(super) unit: Unit,
    pub(super) to: To,
    pub(super) mask: Mask,
    /// The condition register that takes the signs of these components.
    pub(super) code: Option<u8>,
}

/// The statements of an instruction; none if it does nothing.
pub(super) fn split(insn: &Insn) -> Result<Vec<Statement>, Unsaid> {
    let mut left = Vec::new();
    for unit in [Unit::Vec, Unit::Sca] {
        destinations(insn, unit, &mut left);
    }
    if left.iter().enumerate().any(|(at, one)| left[at + 1..].iter().any(|other| one.meets(other))) {
        return Err(Unsaid::Both);
    }
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_free = |&at: &usize| {
            let others = left.iter().enumerate().filter(|(other, _)| *other != at);
            others.into_iter().all(|(_, other)| !other.reads(insn, &left[at]))
        };
        // A branch is taken last.
        let next = (0..left.len()).filter(is_free).min_by_key(|&at| left[at].to == To::Flow);
        let next = next.filter(|&at| left[at].to != To::Flow || left.len() == 1);
        ordered.push(left.remove(next.ok_or(Unsaid::Circle)?));
    }
    Ok(ordered)
}

/// What an operation writes, each with a statement of its own.
fn destinations(insn: &Insn, unit: Unit, to: &mut Vec<Statement>) {
    let effect = match unit {
        Unit::Vec => insn.vec.effect(),
        Unit::Sca => insn.sca.effect(),
    };
    let statement = |to, mask| Statement { unit, to, mask, code: None };
    let first = to.len();
    match effect {
        Effect::Nothing => return,
        Effect::Flow => return to.push(statement(To::Flow, Mask::NONE)),
        Effect::Address if insn.address_from() == Some(unit) && !insn.address_dst.mask.is_empty() => {
            to.push(statement(To::Address(insn.address_dst.reg), insn.address_dst.mask));
        }
        Effect::Address => {}
        Effect::Value => {
            if let Some(out) = insn.out.filter(|out| !out.mask(unit).is_empty()) {
                let place = match out.target {
                    OutTarget::Output(register) => To::Output(register),
                    OutTarget::Constant(row) => To::Constant(row),
                };
                to.push(statement(place, out.mask(unit)));
            }
            let temp = insn.temp_write(unit);
            if !temp.mask.is_empty() {
                to.push(statement(To::Temp(temp.reg), temp.mask));
            }
        }
    }
    let Some(CodeWrite { reg, mask, .. }) = insn.code.filter(|code| code.from == unit) else { return };
    match to[first..].iter_mut().rev().find(|statement| statement.mask == mask) {
        Some(statement) => statement.code = Some(reg),
        None => to.push(Statement { code: Some(reg), ..statement(To::Codes, mask) }),
    }
}

impl Statement {
    /// Whether both write one component of one register.
    fn meets(&self, other: &Statement) -> bool {
        self.to == other.to && self.to != To::Codes && self.mask.0 & other.mask.0 != 0
    }

    /// Whether it reads something that another one writes.
    fn reads(&self, insn: &Insn, other: &Statement) -> bool {
        let sources = || self.sources(insn);
        let by_index = sources().any(|(bank, _)| match bank {
            Bank::Input => insn.input_indexed,
            Bank::Constant => insn.indexed,
            _ => false,
        });
        let indexes =
            by_index || matches!(self.to, To::Output(_)) && insn.output_indexed || self.reads_address(insn);
        let condition = match self.to {
            To::Flow => insn.branch.condition,
            _ => insn.condition,
        };
        let tests = |code| condition.test != Test::Tr && condition.reg == code;
        other.code.is_some_and(tests)
            || match other.to {
                To::Temp(register) => {
                    sources().any(|(bank, mask)| bank == Bank::Temp(register) && mask & other.mask.0 != 0)
                }
                To::Constant(row) => sources()
                    .any(|(bank, _)| bank == Bank::Constant && (insn.indexed || insn.constant == row)),
                To::Address(register) => indexes && insn.address.reg == register,
                To::Output(_) | To::Codes | To::Flow => false,
            }
    }

    /// Whether its operation takes an address register as such.
    fn reads_address(&self, insn: &Insn) -> bool {
        use crate::isa::op::Takes;
        match self.unit {
            Unit::Vec => insn.vec.takes() == Takes::Address,
            Unit::Sca => insn.sca.takes() == Takes::Address,
        }
    }

    /// The registers that its operation reads, and the components, whatever of the result goes somewhere.
    fn sources<'a>(&self, insn: &'a Insn) -> impl Iterator<Item = (Bank, u8)> + 'a {
        let slots = match self.unit {
            Unit::Vec => insn.vec.reads(),
            Unit::Sca => insn.sca.reads(),
        };
        let unit = self.unit;
        slots.iter().map(move |&slot| {
            let source = insn.source(slot);
            let read = insn.read_by(unit, slot).components();
            let mask = read.fold(0, |mask, component| mask | 8 >> (source.swizzle.0[component] & 3));
            (source.bank, mask)
        })
    }
}
