//! Who sees the sign of a zero.

use crate::ir::func::{Func, Inst, Value};
use crate::ir::imm::Element;
use crate::ir::numbers::{Number, numbers};
use crate::ir::ops::{Arithmetic, Function, Kind, Load, Op};
use crate::ir::properties::Zeros;
use crate::legalize;
use std::collections::BTreeSet;
use xfjit_runtime::num::Model;
use xfjit_runtime::num::bits::{INFINITY, SIGN};

/// 2^-64. An attribute that is assumed to be positive is at least this.
pub(super) const LEAST: u32 = 0x1f80_0000;

/// For each value, and each addend of a sum, whether +0 and -0 are told apart.
pub(super) struct Demand {
    sees: Vec<bool>,
    /// Of sums: the addend that is not -0, and keeps its bits. The others' signs are not seen.
    anchors: Vec<Option<u8>>,
    /// Attributes that anchors take to be positive: a guard has to make sure.
    pub(super) assumed: BTreeSet<Value>,
    /// Products of which no factor has a sign.
    positive: Vec<bool>,
}

impl Demand {
    pub(super) fn of(func: &Func) -> Self {
        let mut demand = Demand {
            sees: vec![false; func.insts.len()],
            anchors: vec![None; func.insts.len()],
            assumed: BTreeSet::new(),
            positive: vec![false; func.insts.len()],
        };
        match func.numerics.model {
            Model::Hw => demand.sees = legalize::sign_matters(func),
            Model::Ieee => demand.walk(func),
        }
        demand
    }

    /// Whether some user of a value tells +0 from -0.
    pub(super) fn sees_zero(&self, value: Value) -> bool {
        self.sees[value.index()]
    }

    /// Whether it makes a difference to the users of a sum which zero an addend is.
    pub(super) fn sees_addend(&self, sum: Value, place: usize) -> bool {
        let is_anchor = |anchor: u8| usize::from(anchor) == place;
        self.sees_zero(sum) && self.anchors[sum.index()].is_none_or(is_anchor)
    }

    /// Whether no factor of a product has a sign.
    pub(super) fn has_positive_factors(&self, product: Value) -> bool {
        self.positive[product.index()]
    }

    fn walk(&mut self, func: &Func) {
        let numbers = numbers(func);
        let order: Vec<Value> = func.order().collect();
        for &value in order.iter().rev() {
            let inst = func.inst(value);
            let sees = self.sees_zero(value);
            if matches!(
                inst.op.kind(),
                Kind::Arithmetic(Arithmetic::Sum2 | Arithmetic::Sum3 | Arithmetic::Sum4)
            ) && sees
            {
                self.anchors[value.index()] = self.anchor(func, &numbers, inst);
                for (place, &arg) in inst.operands().iter().enumerate() {
                    self.sees[arg.index()] |= self.sees_addend(value, place);
                }
                continue;
            }
            for (place, arg) in inst.operands().iter().enumerate() {
                self.sees[arg.index()] |= sees_operand(func, inst, place, sees);
            }
        }
        let is_positive = |arg: &Value| numbers[arg.index()].positive || self.assumed.contains(arg);
        for value in order {
            let inst = func.inst(value);
            if inst.op == Op::Mul {
                self.positive[value.index()] = inst.operands().iter().all(is_positive);
            }
        }
    }

    /// The place of an addend that is not -0: best a literal that stays anyway, last one that could be dropped.
    fn anchor(&mut self, func: &Func, numbers: &[Number], sum: &Inst) -> Option<u8> {
        let addends = || sum.operands().iter().enumerate();
        let is_unsigned = |arg: Value| numbers[arg.index()].unsigned_zero;
        let stays = |arg: Value| func.literal(arg).is_some_and(|bits| bits & !SIGN != 0);
        let by = |is_it: &dyn Fn(Value) -> bool| {
            addends().find(|&(_, &arg)| is_it(arg)).map(|(place, _)| place as u8)
        };
        let known = by(&stays)
            .or_else(|| by(&|arg| func.literal(arg).is_none() && is_unsigned(arg)))
            .or_else(|| by(&is_unsigned));
        if known.is_some() {
            return known;
        }
        // Only for what it spares.
        let is_zero = |arg: Value| func.literal(arg).is_some_and(|bits| bits & !SIGN == 0);
        let spares = |arg: Value| {
            let inst = func.inst(arg);
            inst.op.kind() == Kind::Arithmetic(Arithmetic::Mul)
                && inst.operands().iter().any(|&arg| is_zero(arg))
        };
        let (place, attribute) = addends()
            .find_map(|(place, &arg)| Some((place, would_be_anchor(func, arg)?)))
            .filter(|&(anchor, _)| addends().any(|(place, &arg)| place != anchor && spares(arg)))?;
        self.assumed.insert(attribute);
        Some(place as u8)
    }
}

/// Whether it makes a difference which zero an operand is, given whether it does of the result.
fn sees_operand(func: &Func, inst: &Inst, place: usize, sees: bool) -> bool {
    let rules = func.numerics.rules;
    let by_table = || match inst.op.properties().zeros {
        Zeros::Added | Zeros::Hidden => false,
        Zeros::Kept | Zeros::Passed => sees,
        Zeros::First => sees || place > 0,
        Zeros::Seen | Zeros::Compared => true,
        Zeros::Signed => rules.sees_signs(),
    };
    match inst.op.kind() {
        Kind::Arithmetic(op) => match op {
            Arithmetic::Mul | Arithmetic::Sum2 | Arithmetic::Sum3 | Arithmetic::Sum4 => sees,
            // Zeros of both signs are equal: the same operand is chosen.
            Arithmetic::Min | Arithmetic::Max | Arithmetic::Flr | Arithmetic::Canonical => sees,
            Arithmetic::Slt | Arithmetic::Sge | Arithmetic::Seq | Arithmetic::Sne => false,
            Arithmetic::Sgt | Arithmetic::Sle | Arithmetic::Ssg | Arithmetic::Frc => false,
            Arithmetic::Rcp | Arithmetic::Rcc => true,
            Arithmetic::Rsq => rules.sees_signs(),
        },
        Kind::Function(Function::Saturate) => sees,
        // A mask, or what is chosen.
        Kind::Pure(_) if place == 0 && inst.op == Op::Select => true,
        Kind::Load(_) | Kind::Effect(_) | Kind::Pure(_) | Kind::Double(_) | Kind::Indexed(_) => by_table(),
        Kind::Function(_) | Kind::Lighting(_) | Kind::Leaving(_) => by_table(),
    }
}

/// The attribute that an addend is, perhaps times a literal, if the addend would not be -0 were the attribute at least [`LEAST`].
fn would_be_anchor(func: &Func, addend: Value) -> Option<Value> {
    let inst = func.inst(addend);
    if is_last_component(inst) {
        return Some(addend);
    }
    if inst.op.kind() != Kind::Arithmetic(Arithmetic::Mul) {
        return None;
    }
    let [a, b, ..] = inst.args;
    [(a, b), (b, a)].into_iter().find_map(|(attribute, factor)| {
        // A product of numbers of at least 2^-64 is no zero.
        let is_seen = |bits: u32| bits == 0 || (LEAST..=INFINITY).contains(&(bits & !SIGN));
        let is_factor = func.literal(factor).is_some_and(is_seen);
        (is_last_component(func.inst(attribute)) && is_factor).then_some(attribute)
    })
}

/// The w of positions is 1 or a weight; other components are 0 and negative as often as not.
fn is_last_component(inst: &Inst) -> bool {
    inst.op.kind() == Kind::Load(Load::Input) && inst.immediate::<Element>().component == 3
}
