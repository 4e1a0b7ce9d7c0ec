//! What is known of values at the XF level as numbers, whatever attributes and constants are: signs, and which bits may be set.

use super::func::{Func, Inst, Value};
use super::ops::{Arithmetic, Function, Kind, Lighting, Load, Op};
use xfjit_runtime::num::bits::{EXPONENT, FRACTION, INFINITY, SIGN};
use xfjit_runtime::num::rules::Order;
use xfjit_runtime::num::{Model, Numerics};

/// What is known of a value.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    /// The sign bit is 0, that of a NaN included.
    pub(crate) positive: bool,
    /// It is not -0.
    pub(crate) unsigned_zero: bool,
    /// It is a zero of either sign, above zero, or a NaN.
    pub(crate) at_least_zero: bool,
    /// The bits that may be set; then it is finite.
    pub(crate) span: Option<Span>,
}

/// Bits of a magnitude, by their weights: any from 2^`least` to 2^`most` may be set, and no other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) least: i32,
    pub(crate) most: i32,
}

impl Span {
    /// What comparisons make: 0, 1 and -1.
    pub(crate) const UNIT: Span = Span { least: 0, most: 0 };

    fn of_bits(bits: u32) -> Option<Self> {
        let (exponent, fraction) = ((bits & EXPONENT) >> 23, bits & FRACTION);
        match exponent {
            // Zeros have no bits. Of denormal numbers rules differ.
            0 => (fraction == 0).then_some(Span::UNIT),
            0xff => None,
            _ => {
                let most = exponent as i32 - 127;
                Some(Span { least: most - 23 + (fraction | 1 << 23).trailing_zeros() as i32, most })
            }
        }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Span { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// That of a result, whose lowest bits may have been dropped; none where it might be no normal number.
    fn of_result(self) -> Option<Self> {
        (-126..=126).contains(&self.least).then_some(self).filter(|span| span.most <= 126)
    }
}

impl Number {
    const POSITIVE: Number = Number { positive: true, unsigned_zero: true, at_least_zero: true, span: None };

    fn of_bits(bits: u32) -> Self {
        let positive = bits & SIGN == 0;
        let at_least_zero = positive || bits == SIGN || bits & !SIGN > INFINITY;
        Number { positive, unsigned_zero: bits != SIGN, at_least_zero, span: Span::of_bits(bits) }
    }

    /// What is known of its sign where it is a number.
    fn sign_alone(self) -> Self {
        Number { at_least_zero: self.at_least_zero, ..Number::default() }
    }

    /// That of one of two.
    fn either(self, other: Self) -> Self {
        Number {
            positive: self.positive && other.positive,
            unsigned_zero: self.unsigned_zero && other.unsigned_zero,
            at_least_zero: self.at_least_zero && other.at_least_zero,
            span: self.span.zip(other.span).map(|(a, b)| a.union(b)),
        }
    }
}

/// The facts of all values of a function of the XF level.
pub(crate) fn numbers(func: &Func) -> Vec<Number> {
    let mut numbers = vec![Number::default(); func.insts.len()];
    for value in func.order() {
        let of = |arg: Value| numbers.get(arg.index()).copied().unwrap_or_default();
        numbers[value.index()] = number(func, value, of);
    }
    numbers
}

fn number(func: &Func, value: Value, of: impl Fn(Value) -> Number) -> Number {
    let inst = func.inst(value);
    let [a, b, c, _] = inst.args;
    match inst.op.kind() {
        Kind::Load(Load::Const) => Number::of_bits(inst.imm),
        Kind::Arithmetic(op) => arithmetic(func.numerics, op, inst, of),
        Kind::Function(op) => match op {
            Function::LitY | Function::LitZ => Number::POSITIVE,
            Function::ExpX | Function::ExpZ | Function::Ex2 | Function::LogY => Number::POSITIVE,
            // A NaN passes unchanged.
            Function::ExpY => Number { positive: false, ..Number::POSITIVE },
            // Denormals pass, too, and count as zeros.
            Function::Saturate => {
                Number { at_least_zero: func.numerics.model == Model::Hw, ..Number::default() }
            }
            Function::LogX | Function::LogZ | Function::Lg2 | Function::Sin | Function::Cos => {
                Number::default()
            }
            Function::IsLess | Function::IsEqual | Function::IsGreater | Function::IsNegative => {
                Number::default()
            }
            Function::Arl | Function::Arr => Number::default(),
        },
        Kind::Lighting(op) => match op {
            Lighting::LtMul | Lighting::LtsMul => product(inst, of).sign_alone(),
            Lighting::LtAdd | Lighting::LtAdd3 | Lighting::LtsAdd => sum(Model::Hw, inst, of).sign_alone(),
            Lighting::LtClamp => Number::POSITIVE.sign_alone(),
            // They may make an infinity of a NaN, with its sign.
            Lighting::XfToLt | Lighting::LtcLoad => {
                Number { at_least_zero: of(a).positive, ..Number::default() }
            }
            Lighting::LtRcp | Lighting::LtRsq => Number::default(),
        },
        Kind::Pure(_) if inst.op == Op::And && func.literal(b) == Some(!SIGN) => {
            Number { span: of(a).span, ..Number::POSITIVE }
        }
        Kind::Pure(_) if func.negated(value).is_some() => Number { span: of(a).span, ..Number::default() },
        Kind::Pure(_) if inst.op == Op::Select && is_mask(func.inst(a).op) => of(b).either(of(c)),
        Kind::Load(_) | Kind::Effect(_) | Kind::Pure(_) | Kind::Double(_) => Number::default(),
        Kind::Indexed(_) | Kind::Leaving(_) => Number::default(),
    }
}

fn arithmetic(numerics: Numerics, op: Arithmetic, inst: &Inst, of: impl Fn(Value) -> Number) -> Number {
    let [a, b, ..] = inst.args;
    match op {
        Arithmetic::Mul => product(inst, of),
        Arithmetic::Sum2 | Arithmetic::Sum3 | Arithmetic::Sum4 => sum(numerics.model, inst, of),
        // Where an operand is a NaN, the result may be one, which recipes guard.
        Arithmetic::Slt
        | Arithmetic::Sge
        | Arithmetic::Seq
        | Arithmetic::Sne
        | Arithmetic::Sgt
        | Arithmetic::Sle => Number { span: Some(Span::UNIT), ..Number::POSITIVE },
        Arithmetic::Ssg => Number { span: Some(Span::UNIT), ..Number::default() },
        // Leaked bits of a denormal number may underflow.
        Arithmetic::Frc if numerics.model == Model::Ieee || !numerics.rules.denormals_leak() => {
            Number::POSITIVE
        }
        Arithmetic::Rsq if !numerics.rules.sees_signs() => Number::POSITIVE,
        Arithmetic::Min => of(a).either(of(b)),
        Arithmetic::Max => {
            let order = (numerics.model == Model::Hw).then(|| numerics.rules.order());
            let both = of(a).either(of(b));
            let is_positive = of(a).positive || order == Some(Order::Integers) && of(b).positive;
            // A NaN makes another, where it is not a number of the order.
            let is_one = order == Some(Order::Numbers) && (of(a).at_least_zero || of(b).at_least_zero);
            match is_positive {
                // An operand that is not less than +0.
                true => Number { span: both.span, ..Number::POSITIVE },
                false => Number { at_least_zero: is_one || both.at_least_zero, ..both },
            }
        }
        Arithmetic::Canonical => of(a),
        Arithmetic::Flr | Arithmetic::Frc | Arithmetic::Rcp | Arithmetic::Rcc | Arithmetic::Rsq => {
            Number::default()
        }
    }
}

/// The NaN that arithmetic makes has no sign.
fn product(inst: &Inst, of: impl Fn(Value) -> Number) -> Number {
    let [a, b, ..] = inst.args;
    let (x, y) = (of(a), of(b));
    let span = x.span.zip(y.span).and_then(|(x, y)| {
        // A single bit moves those of the other factor.
        let carry = i32::from(x.least < x.most && y.least < y.most);
        Span { least: x.least + y.least, most: x.most + y.most + carry }.of_result()
    });
    let positive = a == b || x.positive && y.positive;
    Number {
        positive,
        unsigned_zero: positive,
        at_least_zero: positive || x.at_least_zero && y.at_least_zero,
        span,
    }
}

fn sum(model: Model, inst: &Inst, of: impl Fn(Value) -> Number) -> Number {
    let addends = || inst.operands().iter().map(|&addend| of(addend));
    let span = addends().map(|addend| addend.span).reduce(|a, b| Some(a?.union(b?))).flatten();
    let carried = span.map(|span| Span {
        most: span.most + inst.operands().len().next_power_of_two().ilog2() as i32,
        ..span
    });
    Number {
        positive: addends().all(|addend| addend.positive),
        // Numbers of different signs cancel to +0. Those of the chip that underflow keep their sign.
        unsigned_zero: model == Model::Ieee && addends().any(|addend| addend.unsigned_zero),
        at_least_zero: addends().all(|addend| addend.at_least_zero),
        span: carried.and_then(Span::of_result),
    }
}

/// Whether results are all ones or all zeros.
fn is_mask(op: Op) -> bool {
    op.compares() || matches!(op, Op::IsLess | Op::IsEqual | Op::IsGreater | Op::IsNegative)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Builder;
    use crate::ir::func::Level;
    use crate::ir::imm::Element;
    use crate::ir::ops::{At, Imm};
    use xfjit_runtime::fpenv::FpEnv;
    use xfjit_runtime::num::Rules;
    use xfjit_runtime::num::bits::ONE;

    /// Of all kinds: zeros, denormal and normal numbers, infinities and NaNs, of both signs.
    const MAGNITUDES: [u32; 15] = [
        0,
        1,
        0x7f_ffff,
        0x80_0000,
        0x0d80_0001,
        0x33ff_ffff,
        0x3eff_fc00,
        ONE,
        0x3fa0_0000,
        0x4040_0000,
        0x4b7f_ffff,
        0x7f7f_ffff,
        INFINITY,
        0x7f80_0001,
        0x7fff_ffff,
    ];

    /// Whether a word is what is known of it.
    fn holds(known: Number, word: u32) -> bool {
        let is_nan = word & !SIGN > INFINITY;
        let is_below_zero = !is_nan && word & SIGN != 0 && word & EXPONENT != 0;
        let fits = |span: Span| {
            let bits = Span::of_bits(word).map(|bits| word & !SIGN == 0 || bits.union(span) == span);
            bits == Some(true)
        };
        (!known.positive || word & SIGN == 0)
            && (!known.unsigned_zero || word != SIGN)
            && (!known.at_least_zero || !is_below_zero)
            && known.span.is_none_or(fits)
    }

    /// Facts about a word, all of them or some.
    fn facts(word: u32) -> [Number; 4] {
        let all = Number::of_bits(word);
        let none = Number::default();
        [
            all,
            all.sign_alone(),
            Number { span: all.span.map(|span| span.union(Span::UNIT)), ..none },
            Number { positive: all.positive, at_least_zero: all.at_least_zero, ..none },
        ]
    }

    #[test]
    fn what_is_known_of_results_is_true_of_the_golden_functions() {
        let words: Vec<u32> = MAGNITUDES.into_iter().flat_map(|bits| [bits, bits | SIGN]).collect();
        let mut told = 0;
        let primitives =
            Op::ALL.iter().filter(|op| op.at() != At::Host && op.imm() == Imm::None && op.operands() > 0);
        for &op in primitives.filter(|op| !op.has_effect()) {
            let environments = [(Model::Hw, FpEnv::Truncate), (Model::Ieee, FpEnv::Default)];
            for ((model, env), rules) in
                environments.into_iter().flat_map(|pair| Rules::ALL.map(|rules| (pair, rules)))
            {
                let numerics = Numerics { model, rules };
                let mut f = Builder::plain(Func::new(Level::Xf, numerics, 0..1));
                let inputs = Element::of_row(0).map(|at| f.input(at));
                let result = f.push(Inst::new(op, 0, &inputs[..op.operands()]));
                let func = f.finish();
                // All pairs; of three and four operands each is that of a pair.
                for (&x, &y) in words.iter().flat_map(|x| words.iter().map(move |y| (x, y))) {
                    let operands = if op == Op::Select {
                        [if x & 1 == 0 { 0 } else { !0 }, x, y, x]
                    } else {
                        [x, y, x, y]
                    };
                    let operands = operands.map(|word| if op.is_short() { word & !0x3ff } else { word });
                    let Some(word) = op.evaluate(numerics, env, 0, operands) else { continue };
                    // A comparison of a NaN is one, which recipes guard.
                    if word & !SIGN > INFINITY
                        && rules.order() == Order::Numbers
                        && model == Model::Hw
                        && number(&func, result, |_| Number::default()).span.is_some()
                    {
                        continue;
                    }
                    for facts in (0..4).map(|which| operands.map(|word| facts(word)[which])) {
                        let known = number(&func, result, |arg| {
                            inputs
                                .iter()
                                .position(|&input| input == arg)
                                .map_or(Number::default(), |place| facts[place])
                        });
                        assert!(
                            holds(known, word),
                            "{} {numerics:?} {operands:08x?}: {word:08x} is not {known:?}",
                            op.text()
                        );
                        told += usize::from(known != Number::default());
                    }
                }
            }
        }
        assert!(told > 100_000, "{told}");
    }

    #[test]
    fn literals_and_negations_are_known() {
        for (bits, least, most) in
            [(ONE, 0, 0), (0x4040_0000, 0, 1), (0x3fa0_0000, -2, 0), (0, 0, 0), (0x33ff_ffff, -47, -24)]
        {
            assert_eq!(Number::of_bits(bits).span, Some(Span { least, most }), "{bits:08x}");
        }
        for bits in [1, INFINITY, 0x7fc0_0000] {
            assert_eq!(Number::of_bits(bits).span, None);
        }
        let mut f =
            Builder::plain(Func::new(Level::Xf, Numerics { model: Model::Hw, rules: Rules::Kelvin }, 0..1));
        let inputs = Element::of_row(0).map(|at| f.input(at));
        let truth = f.push(Inst::new(Op::Slt, 0, &inputs[..2]));
        let [sign, magnitude] = [SIGN, !SIGN].map(|bits| f.bits(bits));
        let [negated, absolute] = [f.xor(truth, sign), f.and(inputs[2], magnitude)];
        let sum = f.push(Inst::new(Op::Sum2, 0, &[truth, negated]));
        let sum = f.push(Inst::new(Op::Sum2, 0, &[sum, negated]));
        let square = f.push(Inst::new(Op::Mul, 0, &[inputs[3], inputs[3]]));
        let numbers = numbers(&f.finish());
        let of = |value: Value| numbers[value.index()];
        assert_eq!(of(truth), Number { span: Some(Span::UNIT), ..Number::POSITIVE });
        assert_eq!(of(negated), Number { span: Some(Span::UNIT), ..Number::default() });
        assert_eq!(of(sum).span, Some(Span { least: 0, most: 2 }));
        assert_eq!([of(absolute), of(square)], [Number::POSITIVE; 2]);
        assert_eq!(of(inputs[0]), Number::default());
    }
}
