//! How an arithmetic comes to its result, step by step: a chip by the rules of docs/NUMERICS.md, `ieee` and presets as [`floats`] says. A
//! test compares the end of the steps with the library's functions.

pub mod floats;
mod product;
mod reciprocal;
mod sum;
mod tables;

use crate::float;
use crate::numbers::Function;
use serde_json::{Value, json};
use xfjit::runtime::num::bits::{FRACTION, INFINITY, MAX_FINITE, ONE, SIGN};
use xfjit::runtime::num::rules::Overflow;
use xfjit::runtime::num::{CANONICAL_NAN, Rules};

/// What a bit of a row is; the page has a look for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A sign.
    Sign,
    /// Of an exponent.
    Exponent,
    /// Of a significand, or what stays of a number.
    Kept,
    /// A guard bit.
    Guard,
    /// Dropped.
    Cut,
    /// A zero that alignment has shifted in, or a place that nothing has.
    Empty,
}

impl Kind {
    const fn letter(self) -> char {
        match self {
            Kind::Sign => 's',
            Kind::Exponent => 'e',
            Kind::Kept => 'k',
            Kind::Guard => 'g',
            Kind::Cut => 'c',
            Kind::Empty => '-',
        }
    }
}

/// A row of bits, those of one step under each other.
#[derive(Default)]
pub struct Bits {
    label: String,
    sign: &'static str,
    /// `0`, `1`, or a space.
    bits: String,
    /// The letter of each bit's kind.
    kinds: String,
    /// What it says, for those who do not see it.
    says: String,
}

impl Bits {
    fn new(label: impl Into<String>) -> Bits {
        Bits { label: label.into(), ..Bits::default() }
    }

    fn signed(self, is_negative: bool) -> Bits {
        Bits { sign: if is_negative { "−" } else { "+" }, ..self }
    }

    /// Adds the lowest bits of a number, the highest first.
    fn add(mut self, value: u64, count: u32, kind: Kind) -> Bits {
        for bit in (0..count).rev() {
            self.bits.push(if value >> bit & 1 == 0 { '0' } else { '1' });
            self.kinds.push(kind.letter());
        }
        self
    }

    /// Adds places in which nothing is.
    fn gap(mut self, count: u32) -> Bits {
        self.bits.extend(std::iter::repeat_n(' ', count as usize));
        self.kinds.extend(std::iter::repeat_n(Kind::Empty.letter(), count as usize));
        self
    }

    fn says(self, says: impl Into<String>) -> Bits {
        Bits { says: says.into(), ..self }
    }

    /// A number with its fields.
    fn number(label: impl Into<String>, bits: u32) -> Bits {
        let text = float::text(bits);
        Bits::new(label)
            .add(u64::from(bits >> 31), 1, Kind::Sign)
            .add(u64::from(bits >> 23 & 0xff), 8, Kind::Exponent)
            .add(u64::from(bits & FRACTION), 23, Kind::Kept)
            .says(format!("{text}, bits {bits:08x}"))
    }
}

/// A step: what the chip does, and the bits that result.
pub struct Step {
    title: &'static str,
    text: String,
    rows: Vec<Bits>,
}

/// The way to one component of a result.
pub struct Part {
    /// The name of the component; none where there is only one.
    pub component: &'static str,
    /// The steps.
    pub steps: Vec<Step>,
    /// The end.
    pub result: u32,
}

impl Part {
    fn new(component: &'static str) -> Part {
        Part { component, steps: Vec::new(), result: 0 }
    }

    fn step(&mut self, title: &'static str, text: impl Into<String>, rows: Vec<Bits>) {
        self.steps.push(Step { title, text: text.into(), rows });
    }

    /// Ends with a rule for special operands.
    fn rule(mut self, text: impl Into<String>, result: u32) -> Part {
        self.step("Rule", text, vec![Bits::number("result", result)]);
        Part { result, ..self }
    }

    /// Ends with an exponent field of any range and a significand.
    fn packed(mut self, rules: Rules, is_negative: bool, exponent: i32, significand: u32) -> Part {
        let sign = if is_negative { SIGN } else { 0 };
        let (text, result) = if exponent <= 0 {
            (
                format!("The exponent field would be {exponent}. What is below 1 is a zero with the sign."),
                sign,
            )
        } else if exponent >= 255 {
            let (what, magnitude) = match rules.overflow() {
                Overflow::Saturates => ("the greatest finite number", MAX_FINITE),
                Overflow::Infinite => ("infinity", INFINITY),
            };
            (
                format!("The exponent field would be {exponent}. What is above 254 is {what} with the sign."),
                sign | magnitude,
            )
        } else {
            (
                format!("The exponent field is {exponent}."),
                sign | (exponent as u32) << 23 | significand & FRACTION,
            )
        };
        self.step("Result", text, vec![Bits::number("result", result)]);
        Part { result, ..self }
    }

    /// As the page has it.
    pub fn shown(&self) -> Value {
        let row = |row: &Bits| json!({ "label": row.label, "sign": row.sign, "bits": row.bits, "kinds": row.kinds, "says": row.says });
        let step = |step: &Step| json!({ "title": step.title, "text": step.text, "rows": step.rows.iter().map(row).collect::<Vec<_>>() });
        json!({ "component": self.component, "result": float::hex(self.result), "steps": self.steps.iter().map(step).collect::<Vec<_>>() })
    }
}

/// The way of a chip to each component of a result.
pub fn of(function: Function, rules: Rules, [a, b, c]: [u32; 3]) -> Vec<Part> {
    let whole = Part::new("");
    match function {
        Function::Mul => vec![product::mul(whole, rules, ("A", a), ("B", b))],
        Function::Add => vec![sum::aligned(whole, rules, &[("A", a), ("B", b)])],
        Function::Mad => {
            let product = product::mul(whole, rules, ("A", a), ("B", b));
            let result = product.result;
            vec![sum::aligned(product, rules, &[("A × B", result), ("C", c)])]
        }
        Function::Sum => {
            let one = |name, bits| (name, product::mul(Part::new(""), rules, ("", bits), ("", ONE)).result);
            let mut part = whole;
            part.step(
                "Products",
                "Each number is multiplied by 1, which changes zeros, denormals and NaNs alone.",
                Vec::new(),
            );
            vec![sum::aligned(part, rules, &[one("A", a), one("B", b), one("C", c)])]
        }
        Function::Rcp => vec![reciprocal::rcp(whole, rules, a)],
        Function::Rsq => vec![reciprocal::rsq(whole, rules, a)],
        Function::Exp => vec![tables::exp_x(a), tables::exp_y(a), tables::exp_z(a)],
        Function::Log => tables::log(rules, a),
        Function::Lit => vec![tables::lit_y(a), tables::lit_z(a, b, c)],
    }
}

fn is_negative(x: u32) -> bool {
    x & SIGN != 0
}

fn exponent(x: u32) -> i32 {
    (x >> 23 & 0xff) as i32
}

fn fraction(x: u32) -> u32 {
    x & FRACTION
}

fn significand(x: u32) -> u32 {
    fraction(x) | 1 << 23
}

fn is_nan(x: u32) -> bool {
    x & !SIGN > INFINITY
}

fn is_infinite(x: u32) -> bool {
    x & !SIGN == INFINITY
}

/// A zero or a denormal.
fn is_zero(x: u32) -> bool {
    exponent(x) == 0
}

/// A fixed-point number as a float, truncated to 24 bits.
fn from_fixed(value: i64, scale: i32) -> u32 {
    if value == 0 {
        return 0;
    }
    let magnitude = value.unsigned_abs();
    let top = 63 - magnitude.leading_zeros() as i32;
    let fraction = if top >= 23 { magnitude >> (top - 23) } else { magnitude << (23 - top) };
    let sign = if value < 0 { SIGN } else { 0 };
    sign | ((127 + top - scale) as u32) << 23 | fraction as u32 & FRACTION
}
