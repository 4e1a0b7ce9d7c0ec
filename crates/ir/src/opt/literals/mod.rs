//! Rows of constants as literals, and what literal operands spare.
//!
//! Functions of the XF level only: there the golden functions fold what literals alone decide. What one literal operand decides by itself
//! is written here, for each model and set of rules: products with 0, addends of 0, products with 1. A rule holds for every bit pattern of
//! the other operand, or raises a guard; under which rules it does is stated beside it, and `tests/fold` compares with the golden functions.
//!
//! **The sign of a zero.** Under `ieee` a product with 0 has the sign of its factors, and a sum of zeros is -0 if all of them are. So `x *
//! 0` becomes 0 only where no user sees that sign, which a walk backwards finds out (`demand.rs`). A sum sees it of none of its addends if
//! one of the others, its *anchor*, is never -0 (`ir/numbers.rs`). The anchor keeps its bits, or two addends could each rely on the other.
//! Under `hw` a product with 0 is +0, and no sum sees the sign.

mod demand;

use super::dce;
use crate::ir::build::Builder;
use crate::ir::func::{Func, Inst, Level, Value};
use crate::ir::imm::Element;
use crate::ir::ops::{Arithmetic, Kind, Op};
use demand::{Demand, LEAST};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::bits::{EXPONENT, ONE, SIGN};
use xfjit_runtime::num::{Model, Rules};
use xfjit_runtime::state::Row;

/// Each round finds what the one before has laid open; more than these find hardly anything.
const ROUNDS: usize = 4;

/// The function for constants of which `row` tells some: where it reads these, it has literals, and nothing that they make needless. It
/// equals the function that it was, bit for bit, or raises a guard.
#[must_use]
pub fn bind(func: &Func, row: impl Fn(usize) -> Option<Row>) -> Func {
    debug_assert_eq!(func.level, Level::Xf);
    FpEnv::Default.within(|| {
        let mut bound = dce::run(rebuild(func, |_, inst| {
            let at: Option<Element> = (inst.op == Op::Ctx).then(|| inst.immediate());
            let literal = at.and_then(|at| Some(row(at.row)?[at.component]));
            Rewritten::Inst(literal.map_or(inst, |word| Inst::new(Op::Const, word, &[])))
        }));
        for _ in 0..ROUNDS {
            let next = reduce(&bound);
            let is_done = next.body.len() == bound.body.len();
            bound = next;
            if is_done {
                break;
            }
        }
        super::checked("literals", bound)
    })
}

/// What an instruction becomes.
enum Rewritten {
    Inst(Inst),
    Value(Value),
}

/// Rebuilds a function, with folding; `rewrite` has each instruction with its new operands.
fn rebuild(func: &Func, mut rewrite: impl FnMut(&mut Reducer, Inst) -> Rewritten) -> Func {
    let mut builder = Builder::sharing(func.like(func.level), func.is_serial());
    builder.reserve(func.insts.len());
    let mut reducer =
        Reducer { f: builder, model: func.numerics.model, rules: func.numerics.rules, at: Value::NONE };
    let mut new = vec![Value::NONE; func.insts.len()];
    for value in func.order() {
        let inst = func.inst(value);
        let args = inst.args.map(|arg| if arg == Value::NONE { arg } else { new[arg.index()] });
        reducer.f.set_origin(func.origin(value));
        reducer.at = value;
        new[value.index()] = match rewrite(&mut reducer, Inst { args, ..*inst }) {
            Rewritten::Inst(inst) => reducer.f.push(inst),
            Rewritten::Value(value) => value,
        };
    }
    reducer.f.finish()
}

/// One round of all rules.
fn reduce(func: &Func) -> Func {
    let demand = Demand::of(func);
    dce::run(rebuild(func, |reducer, inst| match inst.op.kind() {
        Kind::Arithmetic(Arithmetic::Mul) => reducer.product(inst, &demand),
        Kind::Arithmetic(Arithmetic::Sum2 | Arithmetic::Sum3 | Arithmetic::Sum4) => {
            reducer.sum(inst, &demand)
        }
        Kind::Load(_) if demand.assumed.contains(&reducer.at) => {
            let value = reducer.f.push(inst);
            reducer.require_positive(value);
            Rewritten::Value(value)
        }
        Kind::Load(_) | Kind::Effect(_) | Kind::Pure(_) | Kind::Double(_) => Rewritten::Inst(inst),
        Kind::Indexed(_) | Kind::Arithmetic(_) | Kind::Function(_) => Rewritten::Inst(inst),
        Kind::Lighting(_) | Kind::Leaving(_) => Rewritten::Inst(inst),
    }))
}

/// A function being rebuilt.
struct Reducer {
    f: Builder,
    model: Model,
    rules: Rules,
    /// The instruction of the old function whose turn it is.
    at: Value,
}

impl Reducer {
    fn product(&mut self, inst: Inst, demand: &Demand) -> Rewritten {
        let [a, b, ..] = inst.args;
        for (literal, factor) in [(a, b), (b, a)] {
            let Some(bits) = self.f.literal(literal) else { continue };
            let is_zero = match self.model {
                // Denormals count as zeros.
                Model::Hw => bits & EXPONENT == 0,
                Model::Ieee => bits & !SIGN == 0,
            };
            if is_zero && self.vanishes(bits, factor, demand) {
                return Rewritten::Value(self.f.bits(0));
            }
            // It would lose the sign of an infinity under rules that drop it.
            let keeps = self.model == Model::Hw && self.rules.signed_infinities();
            if bits == ONE && keeps && !demand.sees_zero(self.at) && self.is_result(factor) {
                return Rewritten::Value(factor);
            }
        }
        Rewritten::Inst(inst)
    }

    /// Whether the product of a factor and a zero is +0, or may be, or is unless a guard is raised.
    fn vanishes(&mut self, zero: u32, factor: Value, demand: &Demand) -> bool {
        match self.model {
            Model::Ieee => {
                let is_exact = zero == 0 && demand.has_positive_factors(self.at);
                self.rules.zero_rule() && (is_exact || !demand.sees_zero(self.at))
            }
            Model::Hw if !self.rules.zero_rule() => {
                self.require_finite(factor);
                true
            }
            Model::Hw if self.rules.nan_wins() => {
                self.require_number(factor);
                true
            }
            Model::Hw => true,
        }
    }

    fn sum(&mut self, inst: Inst, demand: &Demand) -> Rewritten {
        let mut rest = [Value::NONE; 4];
        let mut count = 0;
        for (place, &addend) in inst.operands().iter().enumerate() {
            let is_dropped = match (self.f.literal(addend), self.model) {
                (Some(0 | SIGN), Model::Hw) => true,
                // Any number plus -0 is that number.
                (Some(SIGN), Model::Ieee) => true,
                (Some(0), Model::Ieee) => !demand.sees_addend(self.at, place),
                _ => false,
            };
            if !is_dropped {
                rest[count] = addend;
                count += 1;
            }
        }
        let sees_zero = demand.sees_zero(self.at);
        match count {
            _ if count == inst.op.operands() => Rewritten::Inst(inst),
            // Literals alone are folded, if there is a literal for what they make.
            0 => Rewritten::Inst(inst),
            1 if self.model == Model::Ieee => Rewritten::Value(self.alone(rest[0])),
            1 if !sees_zero && self.is_result(rest[0]) => Rewritten::Value(rest[0]),
            1 => {
                let zero = self.f.bits(0);
                Rewritten::Inst(Inst::new(Op::Sum2, 0, &[rest[0], zero]))
            }
            2 => Rewritten::Inst(Inst::new(Op::Sum2, 0, &rest[..2])),
            _ => Rewritten::Inst(Inst::new(Op::Sum3, 0, &rest[..3])),
        }
    }

    /// The sum of one value under `ieee`: its NaNs are the canonical one.
    fn alone(&mut self, value: Value) -> Value {
        if self.is_result(value) { value } else { self.f.canonical(value) }
    }

    /// Whether a value is a result of arithmetic which the unit makes no other of: under `hw` a sum or a product, never denormal, under
    /// `ieee` any; a NaN is the canonical one.
    fn is_result(&self, value: Value) -> bool {
        let Kind::Arithmetic(op) = self.f.func().inst(value).op.kind() else { return false };
        let is_sum = matches!(op, Arithmetic::Sum2 | Arithmetic::Sum3 | Arithmetic::Sum4);
        self.model == Model::Ieee || is_sum || op == Arithmetic::Mul
    }

    fn require_number(&mut self, value: Value) {
        let is_nan = self.f.funord(value, value);
        self.f.guard(is_nan);
    }

    fn require_finite(&mut self, value: Value) {
        let exponents = self.f.bits(EXPONENT);
        let exponent = self.f.and(value, exponents);
        let is_great = self.f.ieq(exponent, exponents);
        self.f.guard(is_great);
    }

    /// Deoptimises the group if an attribute is not a number of at least [`LEAST`].
    fn require_positive(&mut self, value: Value) {
        let least = self.f.bits(LEAST);
        let is_less = self.f.igt(least, value);
        self.f.guard(is_less);
    }
}
