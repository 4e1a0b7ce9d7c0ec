//! An instruction as statements: one operation with one destination each, in an order in which none reads what one before it writes.

use super::gl::Unsaid;
use crate::isa::op::{Effect, ScaOp, VecOp};
use crate::isa::uses::{Place, Uses};
use crate::isa::{CodeWrite, Insn, Mask, OutTarget, OutWrite, TempWrite, Unit};

/// Where a statement's result goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::asm) enum To {
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
pub(in crate::asm) struct Statement {
    pub(in crate::asm) unit: Unit,
    pub(in crate::asm) to: To,
    pub(in crate::asm) mask: Mask,
    /// The condition register that takes the signs of these components.
    pub(in crate::asm) code: Option<u8>,
}

/// The statements of an instruction; none if it does nothing.
pub(in crate::asm) fn split(insn: &Insn) -> Result<Vec<Statement>, Unsaid> {
    let mut left = Vec::new();
    for unit in [Unit::Vec, Unit::Sca] {
        destinations(insn, unit, &mut left);
    }
    if left.iter().enumerate().any(|(at, one)| left[at + 1..].iter().any(|other| one.meets(other))) {
        return Err(Unsaid::Both);
    }
    if left.iter().any(|one| one.to == To::Codes && insn.address_from() == Some(one.unit)) {
        return Err(Unsaid::Operation("update of condition codes alone by an address"));
    }
    // Nothing reads oPos back: the read-back has no name.
    let mut left: Vec<(Statement, Uses)> =
        left.into_iter().map(|one| (one, Uses::new(&one.alone(insn), false))).collect();
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_free = |&at: &usize| {
            let mut others = left.iter().enumerate().filter(|(other, _)| *other != at);
            others.all(|(_, (_, other))| !reads(other, &left[at].1))
        };
        // A branch is taken last.
        let next = (0..left.len()).filter(is_free).min_by_key(|&at| left[at].0.to == To::Flow);
        let next = next.filter(|&at| left[at].0.to != To::Flow || left.len() == 1);
        ordered.push(left.remove(next.ok_or(Unsaid::Circle)?).0);
    }
    Ok(ordered)
}

/// What an operation writes, each with a statement of its own.
pub(in crate::asm) fn destinations(insn: &Insn, unit: Unit, to: &mut Vec<Statement>) {
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

    /// The instruction with this operation and this destination alone.
    fn alone(&self, insn: &Insn) -> Insn {
        let from = self.unit;
        let mut alone = match from {
            Unit::Vec => Insn { sca: ScaOp::Nop, ..*insn },
            Unit::Sca => Insn { vec: VecOp::Nop, ..*insn },
        };
        if !matches!(self.to, To::Temp(_)) {
            (alone.vec_dst, alone.sca_dst) = (TempWrite::default(), TempWrite::default());
        }
        if !matches!(self.to, To::Address(_)) {
            alone.address_dst = TempWrite::default();
        }
        alone.out = match self.to {
            To::Output(_) | To::Constant(_) => insn.out.map(|out| OutWrite::new(out.target, self.mask, from)),
            To::Temp(_) | To::Address(_) | To::Codes | To::Flow => None,
        };
        alone.code = self.code.map(|reg| CodeWrite { reg, mask: self.mask, from });
        alone.canonical()
    }
}

/// Whether the second one writes something that the first one reads.
fn reads(first: &Uses, second: &Uses) -> bool {
    let is_read = |&(place, mask): &(Place, Mask)| {
        second.writes.iter().any(|write| write.place == place && write.mask.0 & mask.0 != 0)
    };
    first.reads.iter().any(is_read)
}
