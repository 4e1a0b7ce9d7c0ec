//! The order of operands: of operations that are one instruction whose operands do not commute.

use super::super::note::{Part, Place};
use super::decode::Step;
use crate::ir::func::{Func, Value};
use crate::ir::ops::Op;
use iced_x86::{Mnemonic, OpKind, Register};

/// The instructions of an operation: it is their first source minus the second, and so on, or the other way round.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "what is not listed commutes, or takes several instructions"
)]
pub(super) fn is_listed(op: Op, mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    match op {
        Op::Isub => matches!(mnemonic, M::Psubd | M::Vpsubd),
        Op::Fsub => matches!(mnemonic, M::Subps | M::Vsubps),
        Op::Fdiv => matches!(mnemonic, M::Divps | M::Vdivps),
        Op::Dsub => matches!(mnemonic, M::Subpd | M::Vsubpd),
        Op::Fmin => matches!(mnemonic, M::Minps | M::Vminps),
        Op::Fmax => matches!(mnemonic, M::Maxps | M::Vmaxps),
        Op::Igt => matches!(mnemonic, M::Pcmpgtd | M::Vpcmpgtd),
        _ => false,
    }
}

/// Whether an instruction of an operation reads operands in their order, where they have one: its first source is not the second operand
/// alone, and a second source in a register not the first operand alone.
pub(super) fn is_kept<'n>(
    func: &Func,
    value: Value,
    step: &Step,
    parts: impl Fn(Place) -> &'n [Part],
) -> bool {
    let inst = func.inst(value);
    let &[a, b] = inst.operands() else { return true };
    if a == b || !is_listed(inst.op, step.insn.mnemonic()) {
        return true;
    }
    let count = step.insn.op_count();
    let is_only = |operand: u32, expected: Value, other: Value| {
        if step.insn.op_kind(operand) != OpKind::Register {
            return true;
        }
        let parts = place(step.insn.op_register(operand)).map_or(&[][..], &parts);
        let has = |value: Value| parts.iter().any(|part| part.value == value);
        has(expected) || !has(other)
    };
    is_only(count - 2, a, b) && is_only(count - 1, b, a)
}

fn place(register: Register) -> Option<Place> {
    register.is_vector_register().then(|| Place::Vector(register.number() as u8))
}
