//! XF level to host level: each primitive expands into the machine operations of its *recipe*.
//!
//! A recipe is a plain function over the IR builder, written so that it can be compared line by line with its golden
//! function in [`xfjit_runtime::num`]. It may be wrong for rare operands if it raises a guard for them: the group
//! then runs again in the interpreter (invariant I5: recipe equals golden, or the guard is raised).
//!
//! Under the model `ieee` products are plain float products. The zero rule and the canonical NaN are speculated: code
//! assumes that there are no NaNs, and guards this wherever the bits of a NaN or the zero rule would be observable (MIN,
//! MAX, comparisons, RCC, LIT, EXP, LOG, ARL, outputs, constants). A NaN propagates through sums, products and quotients
//! until it reaches such a guard; an output that is a quotient of two computed values is made canonical instead.
//!
//! Under the model `hw` products are float products in an environment that truncates and flushes denormals. It differs
//! from the chip in the sign of a zero product, corrected only where it is observable (`zero`), and in the bits of a
//! NaN, guarded unless only sums read the product: they raise a guard for NaN themselves.

// A new variant must not fall into an arm that was written without it.
#![warn(clippy::wildcard_enum_match_arm)]

mod compare;
mod explog;
mod fetch;
mod ieee;
mod known;
mod lt;
mod mfu;
mod mul;
mod recip;
mod round;
mod slow;
mod sum;
mod zero;

use crate::ir::build::Builder;
use crate::ir::func::{Func, Inst, Level, Value};
use crate::ir::imm::{Element, Passed};
use crate::ir::numbers;
use crate::ir::ops::{Arithmetic, At, Effect, Function, Indexed, Kind, Load, Op};
use crate::ir::origin::Origin;
use crate::machine::Machine;
use known::Known;
use mfu::Wave;
use sum::Addition;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::Model;
pub(crate) use zero::sign_matters;

/// Which recipes a function gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Those for ordinary operands: few operations, and a guard for the others.
    Quick,
    /// Those that are right for every operand, for groups in which the quick path has raised a guard. There is none of functions of
    /// the lighting engine ([`has_slow_path`]).
    Slow,
}

/// Whether a function has a slow path: the lighting engine's operations and conversions of outputs have no such recipes.
pub fn has_slow_path(func: &Func) -> bool {
    func.order().all(|value| !matches!(func.inst(value).op.kind(), Kind::Lighting(_) | Kind::Leaving(_)))
}

/// Expands every XF operation by the recipes of the quick path.
pub fn run(func: &Func, machine: &Machine) -> Func {
    run_within(func, machine, Path::Quick, usize::MAX).expect("without a limit nothing is over it")
}

/// Expands every XF operation, unless more than `most` instructions come out. The result is the same for all machines that have
/// the same operations ([`Machine::has_magnitudes`], [`Machine::has_fused`]).
pub fn run_within(func: &Func, machine: &Machine, path: Path, most: usize) -> Option<Func> {
    FpEnv::Default.within(|| expand(func, machine, path, most))
}

/// Operations that a primitive becomes, about.
const HOST_OPERATIONS: usize = 6;

fn expand(func: &Func, machine: &Machine, path: Path, most: usize) -> Option<Func> {
    let is_serial = func.is_serial();
    let mut legalizer = Legalizer {
        f: Builder::sharing(func.like(Level::Host), is_serial),
        is_serial,
        path,
        has_magnitudes: machine.has_magnitudes,
        has_fused: machine.has_fused,
        known: Known::default(),
        pending_nan_guards: [None; 2],
        pending_numbers: None,
    };
    legalizer.f.reserve(most.min(HOST_OPERATIONS * func.order().count()));
    let signed = sign_matters(func);
    let only_summed = zero::only_summed(func);
    let is_aligned = path == Path::Quick && func.numerics.model == Model::Hw;
    let numbers = is_aligned.then(|| numbers::numbers(func));
    let last_block = func.blocks().len() as u32 - 1;
    let mut new = vec![Value::NONE; func.insts.len()];
    for value in func.order() {
        let inst = func.inst(value);
        let args = inst.args.map(|arg| if arg == Value::NONE { arg } else { new[arg.index()] });
        let demand = Demand {
            zero_sign: signed[value.index()],
            only_summed: only_summed[value.index()],
            addition: numbers.as_ref().map_or(Addition::Aligned, |numbers| Addition::of(func, numbers, inst)),
        };
        legalizer.f.set_origin(func.origin(value).of(inst.op));
        new[value.index()] = if inst.op == Op::Block {
            legalizer.block(inst.imm, last_block)
        } else {
            legalizer.expand(Inst { args, ..*inst }, demand)
        };
        if numbers.as_ref().is_some_and(|numbers| numbers[value.index()].span.is_some()) {
            legalizer.mark_ordinary(new[value.index()]);
        }
        if legalizer.f.func().insts.len() > most {
            return None;
        }
    }
    legalizer.flush_nan_guards();
    legalizer.flush_numbers();
    Some(legalizer.f.finish())
}

/// What the users of a value depend on, and what a sum's addends allow.
#[derive(Clone, Copy)]
struct Demand {
    /// Some user distinguishes +0 from -0.
    zero_sign: bool,
    /// Only sums use the value, directly or negated.
    only_summed: bool,
    /// How a sum is made.
    addition: Addition,
}

/// The builder, and the facts about the values built so far.
struct Legalizer {
    f: Builder,
    /// Whether the function writes constants.
    is_serial: bool,
    path: Path,
    /// [`Machine::has_magnitudes`]
    has_magnitudes: bool,
    /// [`Machine::has_fused`]
    has_fused: bool,
    known: Known,
    /// A varying and a uniform value that still need a NaN guard. Two values share one comparison.
    pending_nan_guards: [Option<(Value, Origin)>; 2],
    /// The greatest exponent field of constants that are still to be tested.
    pending_numbers: Option<Value>,
}

impl Legalizer {
    /// Begins a block. Facts that rest on a guard hold only in the lanes that ran it, those of the previous block.
    fn block(&mut self, number: u32, last: u32) -> Value {
        self.flush_nan_guards();
        self.flush_numbers();
        self.known.leave_block();
        let marker = self.f.block(number);
        if number == last {
            self.f.meet();
        }
        marker
    }

    /// Expands an instruction whose operands have been expanded. Each primitive has its arm in the match of its kind.
    fn expand(&mut self, inst: Inst, demand: Demand) -> Value {
        debug_assert_ne!(inst.op.at(), At::Host, "{} at the level of the chip", inst.op.text());
        match inst.op.kind() {
            Kind::Load(Load::Input) => self.input(inst),
            Kind::Load(_) | Kind::Pure(_) | Kind::Double(_) => self.unchanged(inst),
            Kind::Effect(effect) => self.effect(effect, inst),
            Kind::Indexed(Indexed::CtxRel) => self.relative(inst),
            Kind::Arithmetic(op) => match (self.path, self.f.func().numerics.model) {
                (Path::Quick, Model::Hw) => self.hw(op, inst.args, demand),
                (Path::Quick, Model::Ieee) => self.ieee(op, inst.args),
                (Path::Slow, Model::Hw) => self.slow_hw(op, inst.args),
                (Path::Slow, Model::Ieee) => self.slow_ieee(op, inst.args),
            },
            Kind::Function(op) => match self.path {
                Path::Quick => self.function(op, inst.args),
                Path::Slow => self.slow_function(op, inst.args),
            },
            Kind::Lighting(op) => self.lighting(op, inst.args, demand),
            Kind::Leaving(op) => self.leaving(op, inst.args[0]),
        }
    }

    fn effect(&mut self, effect: Effect, inst: Inst) -> Value {
        match effect {
            Effect::Output => self.output(inst),
            Effect::Store => {
                self.require_visible(&inst.args);
                self.f.push(inst)
            }
            // `known.raw` does not follow values through cells, so a NaN with host bits is guarded here. Under `ieee` all
            // readers of the cell guard NaNs.
            Effect::Set => {
                if self.known.raw.contains(&inst.args[0]) {
                    self.require_ordered(inst.args[0]);
                }
                self.f.push(inst)
            }
            Effect::Goto | Effect::Guard | Effect::BigGuard | Effect::SmallGuard => self.unchanged(inst),
            Effect::Written | Effect::RowGuard | Effect::RowCopy => self.unchanged(inst),
        }
    }

    /// An operation that is the same at both levels.
    fn unchanged(&mut self, inst: Inst) -> Value {
        let is_raw = inst.operands().iter().any(|arg| self.known.raw.contains(arg));
        let value = self.f.push(inst);
        if matches!(inst.op, Op::Or | Op::And)
            && inst.operands().iter().all(|arg| self.known.masks.contains(arg))
        {
            self.known.masks.insert(value);
        }
        if is_raw {
            self.known.raw.insert(value);
        }
        if self.is_masked(&inst) && self.is_normal(inst.args[0]) {
            self.known.normal.insert(value);
        }
        if self.is_small_integer(&inst) {
            self.known.ordered.insert(value);
        }
        let same = if self.is_masked(&inst) { Some(inst.args[0]) } else { self.same_but_fraction(&inst) };
        if same.is_some_and(|same| self.is_finite(same)) {
            self.known.finite.insert(value);
        }
        value
    }

    /// Expands arithmetic of the model `hw`; that of the model `ieee` is in [`Legalizer::ieee`].
    fn hw(&mut self, op: Arithmetic, args: [Value; 4], demand: Demand) -> Value {
        let [a, b, ..] = args;
        match op {
            Arithmetic::Mul => self.mul(a, b, demand),
            Arithmetic::Sum2 => self.aligned_sum(&args[..2], demand),
            Arithmetic::Sum3 => self.aligned_sum(&args[..3], demand),
            Arithmetic::Sum4 => self.aligned_sum(&args, demand),
            Arithmetic::Min | Arithmetic::Max | Arithmetic::Slt | Arithmetic::Sge => {
                self.compare(a, b, |l| l.compared(op, a, b))
            }
            Arithmetic::Seq | Arithmetic::Sne | Arithmetic::Sgt | Arithmetic::Sle => {
                self.compare(a, b, |l| l.compared(op, a, b))
            }
            Arithmetic::Ssg => self.ssg(a),
            Arithmetic::Flr => self.flr(a, demand),
            Arithmetic::Frc => self.frc(a),
            Arithmetic::Rcp => self.rcp(a),
            Arithmetic::Rcc => self.rcc_hw(a),
            Arithmetic::Rsq => self.rsq_hw(a),
            Arithmetic::Canonical => a,
        }
    }

    /// Expands a primitive with one recipe for both models.
    pub(super) fn function(&mut self, op: Function, args: [Value; 4]) -> Value {
        let [a, b, c, _] = args;
        match op {
            Function::Saturate => self.saturate(a),
            Function::ExpX => self.with_ordered(a, Self::exp_x),
            Function::ExpY => self.with_ordered(a, Self::exp_y),
            Function::ExpZ => self.with_ordered(a, Self::exp_z),
            Function::LogX => self.logarithm(a, Self::log_x),
            Function::LogY => self.logarithm(a, Self::log_y),
            Function::LogZ => self.logarithm(a, Self::log_z),
            Function::LitY => self.with_ordered(a, Self::lit_y),
            Function::LitZ => self.lit_z(a, b, c),
            Function::Lg2 => self.lg2(a),
            Function::Ex2 => self.ex2(a),
            Function::Sin => self.quarter_wave(Wave::Sine, a),
            Function::Cos => self.quarter_wave(Wave::Cosine, a),
            Function::IsLess => self.condition(a, |f, zero| f.flt(a, zero)),
            Function::IsEqual => self.condition(a, |f, zero| f.feq(a, zero)),
            Function::IsGreater => self.condition(a, |f, zero| f.flt(zero, a)),
            Function::IsNegative => {
                self.require_visible(&[a]);
                let mask = self.f.sar(a, 31);
                self.known.masks.insert(mask);
                mask
            }
            Function::Arl => self.arl(a),
            Function::Arr => self.arr(a),
        }
    }

    /// Deoptimises the group if one of these values, whose bits become observable, may be a NaN made by the host.
    fn require_visible(&mut self, values: &[Value]) {
        for &value in values {
            let may_differ = self.speculates() || self.known.raw.contains(&value);
            if may_differ && !self.known.chosen.contains(&value) {
                self.require_ordered(value);
            }
        }
    }

    /// A constant row at base plus A0. Out of range reads reach the row of zeros behind the window; in a function that writes
    /// constants, which has none ([`Func::reads_zero_row`]), they reach the last row, and nothing of it remains.
    fn relative(&mut self, inst: Inst) -> Value {
        let window = self.f.func().window.clone();
        let at: Element = inst.immediate();
        let has_zero_row = !self.is_serial;
        let f = &mut self.f;
        let length = u32::from(window.end - window.start);
        let Some(last) = length.checked_sub(u32::from(!has_zero_row)) else { return f.bits(0) };
        let base = f.bits((at.row as u32).wrapping_sub(u32::from(window.start)));
        let last = f.bits(last);
        let start = f.bits(window.start.into());
        let distance = f.iadd(inst.args[0], base);
        let nearest = f.umin(distance, last);
        let row = f.iadd(nearest, start);
        let component = f.gather(at.component, row);
        if has_zero_row {
            return component;
        }
        let is_inside = f.ieq(distance, nearest);
        f.and(component, is_inside)
    }

    /// Writes an output register. If the operands are the four components of one attribute, the row is copied.
    fn output(&mut self, inst: Inst) -> Value {
        let input = |value: Value| {
            let inst = self.f.func().inst(value);
            (inst.op == Op::Input).then(|| inst.immediate::<Element>())
        };
        let inputs = inst.args.map(input);
        let row = inputs[0].map(|first| first.row);
        let is_row = |row: &_| inputs == Element::of_row(*row).map(Some);
        // On the slow path the NaNs of the model `ieee` become canonical here, which the quick path guards.
        let chooses_nans = self.path == Path::Slow && self.f.func().numerics.model == Model::Ieee;
        let Some(attribute) = row.filter(|row| is_row(row) && !chooses_nans) else {
            self.require_visible(&inst.args);
            let args = if chooses_nans { inst.args.map(|arg| self.canonical_nan(arg)) } else { inst.args };
            return self.f.push(Inst { args, ..inst });
        };
        if self.speculates() {
            self.f.row_guard(attribute);
        }
        self.f.row_copy(Passed { attribute, output: inst.immediate() })
    }

    /// Whether recipes assume that there are no NaNs, and guard this where a NaN would be observable.
    fn speculates(&self) -> bool {
        self.path == Path::Quick && self.f.func().numerics.model == Model::Ieee
    }

    /// Deoptimises the group if `value` is a NaN.
    fn require_ordered(&mut self, value: Value) {
        let is_number = self.f.literal(value).is_some_and(|bits| bits & 0x7fff_ffff <= 0x7f80_0000);
        if is_number || self.is_finite(value) || !self.known.ordered.insert(value) {
            return;
        }
        let place = usize::from(self.f.is_uniform(value) && self.f.active().is_none());
        match self.pending_nan_guards[place].take() {
            None => self.pending_nan_guards[place] = Some((value, self.f.origin())),
            Some((other, origin)) => self.guard_unordered(other, value, origin),
        }
    }

    fn guard_unordered(&mut self, a: Value, b: Value, origin: Origin) {
        let before = self.f.set_origin(origin);
        let mask = self.f.funord(a, b);
        self.f.guard(mask);
        self.f.set_origin(before);
    }

    fn flush_nan_guards(&mut self) {
        for place in 0..self.pending_nan_guards.len() {
            if let Some((value, origin)) = self.pending_nan_guards[place].take() {
                self.guard_unordered(value, value, origin);
            }
        }
    }

    /// Marks the result of a recipe that never makes a NaN from ordered operands.
    fn mark_ordered(&mut self, value: Value) -> Value {
        self.known.ordered.insert(value);
        value
    }
}
