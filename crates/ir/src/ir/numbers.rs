//! What is known of the signs of values under the model `ieee`.

use crate::ir::func::{Func, Inst, Value};
use crate::ir::imm::Element;
use crate::ir::ops::{Arithmetic, Function, Kind, Load};
use xfjit_runtime::num::Rules;
use xfjit_runtime::num::bits::{INFINITY, SIGN};

/// 2^-64. An attribute that is assumed to be positive is at least this.
pub(super) const LEAST: u32 = 0x1f80_0000;

/// What is known of a value, whatever attributes and constants are.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Fact {
    /// The sign bit is 0, that of a NaN included.
    pub(super) positive: bool,
    /// It is not -0.
    pub(super) unsigned_zero: bool,
}

impl Fact {
    const POSITIVE: Fact = Fact { positive: true, unsigned_zero: true };

    fn of_bits(bits: u32) -> Self {
        Fact { positive: bits & SIGN == 0, unsigned_zero: bits != SIGN }
    }
}

/// The facts of all values of a function of the XF level.
pub(super) fn facts(func: &Func) -> Vec<Fact> {
    let mut facts = vec![Fact::default(); func.insts.len()];
    for value in func.order() {
        let of = |arg: Value| facts.get(arg.index()).copied().unwrap_or_default();
        facts[value.index()] = fact(func.inst(value), func.numerics.rules, of);
    }
    facts
}

fn fact(inst: &Inst, rules: Rules, of: impl Fn(Value) -> Fact) -> Fact {
    let [a, b, ..] = inst.args;
    match inst.op.kind() {
        Kind::Load(Load::Const) => Fact::of_bits(inst.imm),
        Kind::Arithmetic(op) => match op {
            // The NaN that arithmetic makes has no sign.
            Arithmetic::Mul if a == b || of(a).positive && of(b).positive => Fact::POSITIVE,
            Arithmetic::Sum2 | Arithmetic::Sum3 | Arithmetic::Sum4 => Fact {
                positive: inst.operands().iter().all(|&arg| of(arg).positive),
                // Numbers of different signs cancel to +0.
                unsigned_zero: inst.operands().iter().any(|&arg| of(arg).unsigned_zero),
            },
            Arithmetic::Slt | Arithmetic::Sge | Arithmetic::Seq | Arithmetic::Sne => Fact::POSITIVE,
            Arithmetic::Sgt | Arithmetic::Sle | Arithmetic::Frc => Fact::POSITIVE,
            Arithmetic::Rsq if !rules.sees_signs() => Fact::POSITIVE,
            // The first operand, or one that is greater.
            Arithmetic::Max if of(a).positive => Fact::POSITIVE,
            Arithmetic::Canonical => of(a),
            Arithmetic::Mul | Arithmetic::Min | Arithmetic::Max | Arithmetic::Ssg => Fact::default(),
            Arithmetic::Flr | Arithmetic::Rcp | Arithmetic::Rcc | Arithmetic::Rsq => Fact::default(),
        },
        Kind::Function(Function::LitY) => Fact::POSITIVE,
        Kind::Load(_) | Kind::Effect(_) | Kind::Pure(_) | Kind::Double(_) => Fact::default(),
        Kind::Indexed(_) | Kind::Function(_) | Kind::Lighting(_) | Kind::Leaving(_) => Fact::default(),
    }
}

/// The attribute that an addend is, perhaps times a literal, if the addend would not be -0 were the attribute at least [`LEAST`].
pub(super) fn would_be_anchor(func: &Func, addend: Value) -> Option<Value> {
    let inst = func.inst(addend);
    if is_last_component(inst) {
        return Some(addend);
    }
    if inst.op.kind() != Kind::Arithmetic(Arithmetic::Mul) {
        return None;
    }
    let [a, b, ..] = inst.args;
    [(a, b), (b, a)].into_iter().find_map(|(attribute, factor)| {
        let literal = func.inst(factor);
        let is_literal = literal.op.kind() == Kind::Load(Load::Const);
        // A product of numbers of at least 2^-64 is no zero.
        let is_seen = literal.imm == 0 || (LEAST..=INFINITY).contains(&(literal.imm & !SIGN));
        (is_last_component(func.inst(attribute)) && is_literal && is_seen).then_some(attribute)
    })
}

/// The w of positions is 1 or a weight; other components are 0 and negative as often as not.
fn is_last_component(inst: &Inst) -> bool {
    inst.op.kind() == Kind::Load(Load::Input) && inst.immediate::<Element>().component == 3
}
