//! How `ieee` and the presets of emulators come to their results: operations on floats, each rounded to the nearest one.

use super::*;
use xfjit::Config;
use xfjit::config::{Library, Products, Reciprocals};

/// Bits of an exact number that lie below a significand of 24: those that a row shows, at least.
const BELOW: u32 = 24;
/// Bits below the significand of the greatest addend in which a sum is exact; what lies lower only says that something is there.
const GUARDS: u32 = 64;

/// The way to each component of a result, which is `computed`: what a C library has computed is taken from there.
pub fn of(function: Function, config: &Config, [a, b, c]: [u32; 3], computed: &[u32]) -> Vec<Part> {
    let rules = config.numerics().rules;
    let forms = config.heard();
    let products = forms.products;
    let whole = Part::new("");
    match function {
        Function::Mul => vec![mul(whole, rules, products, ("A", a), ("B", b))],
        Function::Add => vec![add(whole, ("A", a), ("B", b))],
        Function::Mad => {
            let product = mul(whole, rules, products, ("A", a), ("B", b));
            let result = product.result;
            vec![add(product, ("A × B", result), ("C", c))]
        }
        Function::Sum => {
            let [a, b, c] =
                [a, b, c].map(|bits| mul(Part::new(""), rules, products, ("", bits), ("", ONE)).result);
            let mut part = whole;
            part.step(
                "Products",
                "Each number is multiplied by 1, which makes every NaN the canonical one. Then two are added, and the third to their sum.",
                Vec::new(),
            );
            let first = add(part, ("A", a), ("B", b));
            let result = first.result;
            let sum = add(first, ("A + B", result), ("C", c));
            vec![if products == Products::Saturated { finite(sum) } else { sum }]
        }
        Function::Rcp => vec![rcp(whole, forms.reciprocals, a)],
        Function::Rsq => vec![rsq(whole, rules, a)],
        Function::Exp | Function::Log | Function::Lit if forms.library != Library::Chip => {
            library(function, forms.library, computed)
        }
        // The chip's tables serve both models.
        Function::Exp | Function::Log | Function::Lit => super::of(function, rules, [a, b, c]),
    }
}

/// The product of two floats.
fn mul(part: Part, rules: Rules, form: Products, a: (&str, u32), b: (&str, u32)) -> Part {
    let ((name_a, a), (name_b, b)) = (a, b);
    let zero = a << 1 == 0 || b << 1 == 0;
    let is_undefined = is_nan(a) || is_nan(b) || zero && (is_infinite(a) || is_infinite(b));
    if is_undefined && zero && form == Products::Rules && rules.zero_rule() {
        return part.rule("The product would be a NaN, and an operand is zero: +0.", 0);
    }
    if is_undefined {
        return part.rule("An operand is a NaN, or zero meets infinity: the canonical NaN.", CANONICAL_NAN);
    }
    let sign = (a ^ b) & SIGN;
    if zero {
        return part.rule("An operand is zero: a zero with the sign of the product.", sign);
    }
    if is_infinite(a) || is_infinite(b) {
        return part.rule("An operand is infinite: infinity with the sign of the product.", sign | INFINITY);
    }
    let (x, y) = (Magnitude::of(a), Magnitude::of(b));
    let mut part = part;
    let row = |name: &str, bits: u32, magnitude: Magnitude| {
        let says = format!("significand {:06x}, exponent field {}", magnitude.value, exponent(bits));
        Bits::new(name).signed(is_negative(bits)).add(magnitude.value as u64, 24, Kind::Kept).says(says)
    };
    part.step(
        "Significands",
        "24 bits each. A denormal has no leading one, and counts as what it is.",
        vec![row(name_a, a, x), row(name_b, b, y)],
    );
    let product = Magnitude { value: x.value * y.value, scale: x.scale + y.scale };
    let part = product.rounded(part, "Product", is_negative(a ^ b));
    if form == Products::Saturated { finite(part) } else { part }
}

/// The greatest finite number in place of an infinite result.
fn finite(part: Part) -> Part {
    if !is_infinite(part.result) {
        return part;
    }
    let result = part.result & SIGN | MAX_FINITE;
    part.rule("This emulator makes an infinite result the greatest finite number with its sign.", result)
}

/// The sum of two floats.
fn add(mut part: Part, (name_a, a): (&str, u32), (name_b, b): (&str, u32)) -> Part {
    if is_nan(a) || is_nan(b) {
        return part.rule("An addend is a NaN: the canonical NaN.", CANONICAL_NAN);
    }
    match (is_infinite(a), is_infinite(b)) {
        (true, true) if a != b => {
            return part.rule("There are infinities of both signs: the canonical NaN.", CANONICAL_NAN);
        }
        (true, _) => return part.rule("An addend is infinite, and so is the sum.", a),
        (_, true) => return part.rule("An addend is infinite, and so is the sum.", b),
        (false, false) => {}
    }
    let scale = Magnitude::of(a).scale.max(Magnitude::of(b).scale);
    let aligned = |bits: u32| {
        let magnitude = Magnitude::of(bits);
        let (wide, shift) = (magnitude.value << GUARDS, (scale - magnitude.scale) as u32);
        let kept = wide.checked_shr(shift).unwrap_or(0);
        // A bit that says that something lies lower.
        let is_more = kept.checked_shl(shift).unwrap_or(0) != wide;
        let value = kept | u128::from(is_more);
        if is_negative(bits) { -(value as i128) } else { value as i128 }
    };
    let row = |name: &str, bits: u32| {
        let value = aligned(bits).unsigned_abs() >> (GUARDS - BELOW);
        Bits::new(name)
            .signed(is_negative(bits))
            .gap(1)
            .add((value >> BELOW) as u64, 24, Kind::Kept)
            .add(value as u64, BELOW, Kind::Guard)
            .says(format!("{} at the common exponent", float::text(bits)))
    };
    part.step(
        "Alignment",
        "Each significand lies where its exponent says. Nothing is dropped before the sum is complete.",
        vec![row(name_a, a), row(name_b, b)],
    );
    let sum = aligned(a) + aligned(b);
    if sum == 0 {
        let (text, result) = match a & b & SIGN {
            0 => ("The sum is exactly zero: +0.", 0),
            _ => ("Both are −0, and so is the sum.", SIGN),
        };
        return part.rule(text, result);
    }
    let sum_of = Magnitude { value: sum.unsigned_abs(), scale: scale - GUARDS as i32 };
    sum_of.rounded(part, "Sum", sum < 0)
}

/// The quotient of 1 and a float.
fn rcp(mut part: Part, form: Reciprocals, a: u32) -> Part {
    let a = match (a, form) {
        (SIGN, Reciprocals::Operand) => {
            part.step("Operand", "This emulator takes −0 for +0.", Vec::new());
            0
        }
        _ => a,
    };
    quotient(part, a)
}

fn quotient(part: Part, a: u32) -> Part {
    if is_nan(a) {
        return part.rule("The operand is a NaN: the canonical NaN.", CANONICAL_NAN);
    }
    if a << 1 == 0 {
        return part.rule("The operand is zero: infinity with its sign.", a & SIGN | INFINITY);
    }
    if is_infinite(a) {
        return part.rule("The operand is infinite: a zero with its sign.", a & SIGN);
    }
    let Magnitude { value, scale } = Magnitude::of(a);
    let one = 1u128 << 100;
    let quotient = (one / value) | u128::from(!one.is_multiple_of(value));
    Magnitude { value: quotient, scale: -100 - scale }.rounded(part, "Quotient", is_negative(a))
}

/// The quotient of 1 and a root, each rounded.
fn rsq(mut part: Part, rules: Rules, a: u32) -> Part {
    if is_nan(a) {
        return part.rule("The operand is a NaN: the canonical NaN.", CANONICAL_NAN);
    }
    if is_negative(a) && !rules.sees_signs() {
        part.step("Magnitude", "The sign is dropped.", Vec::new());
    }
    let a = if rules.sees_signs() { a } else { a & !SIGN };
    if is_negative(a) && a != SIGN {
        return part.rule("The operand is negative: the canonical NaN.", CANONICAL_NAN);
    }
    if a << 1 == 0 || is_infinite(a) {
        part.step("Root", "The root of zero or infinity is the operand.", Vec::new());
        return quotient(part, a);
    }
    let Magnitude { value, scale } = Magnitude::of(a);
    // A root of some fifty bits, whose exponent is half of an even one.
    let shift = 78 + (scale & 1) as u32;
    let wide = value << shift;
    let root = wide.isqrt();
    let root = Magnitude { value: root | u128::from(root * root != wide), scale: (scale - shift as i32) / 2 };
    let part = root.rounded(part, "Root", false);
    let result = part.result;
    quotient(part, result)
}

/// An exact number without its sign: `value` times two to `scale`. Its lowest bit may stand for all that lies lower.
#[derive(Clone, Copy)]
struct Magnitude {
    value: u128,
    scale: i32,
}

impl Magnitude {
    /// Of a finite float.
    fn of(bits: u32) -> Magnitude {
        let value = if exponent(bits) == 0 { fraction(bits) } else { significand(bits) };
        Magnitude { value: value.into(), scale: exponent(bits).max(1) - 150 }
    }

    /// Ends with the nearest float, of two the even one.
    fn rounded(self, mut part: Part, title: &'static str, is_negative: bool) -> Part {
        let sign = if is_negative { SIGN } else { 0 };
        let top = self.value.ilog2() as i32;
        // Denormals have fewer bits.
        let exponent = (top + self.scale).max(-126);
        let cut = exponent - 23 - self.scale;
        let (kept, rest, half) = match cut {
            1.. if cut < 128 => (self.value >> cut, self.value & ((1 << cut) - 1), 1u128 << (cut - 1)),
            ..=0 => (self.value << -cut, 0, 1),
            _ => (0, 1, 2),
        };
        let is_up = rest > half || rest == half && kept & 1 == 1;
        let result = ((exponent + 126) as u32) << 23;
        // The leading one adds to the field, and so does what rounding carries.
        let result = sign | (result + kept as u32 + u32::from(is_up)).min(INFINITY);
        let shown = cut.clamp(0, BELOW as i32) as u32;
        let below = rest.checked_shr((cut - shown as i32).max(0) as u32).unwrap_or(0);
        let row = Bits::new(title.to_lowercase())
            .signed(is_negative)
            .gap(1)
            .add(kept as u64, 24, Kind::Kept)
            .add(below as u64, shown, Kind::Cut)
            .says(format!("kept {kept:06x}, {}", if rest == 0 { "exact" } else { "more bits below" }));
        let way = match (rest, is_up) {
            (0, _) => "It fits exactly.",
            (_, false) if rest == half => {
                "The rest is half of the last place: the even neighbour is the lower one."
            }
            (_, true) if rest == half => {
                "The rest is half of the last place: the even neighbour is the upper one."
            }
            (_, false) => "The rest is less than half of the last place and is dropped.",
            (_, true) => "The rest is more than half of the last place, which is rounded up.",
        };
        let place = match exponent {
            -126 if kept >> 23 == 0 => " It is a denormal, which has fewer bits.",
            _ if result & !SIGN == INFINITY => " It is above the greatest finite number: infinity.",
            _ => "",
        };
        part.step(title, format!("{way}{place}"), vec![row, Bits::number("result", result)]);
        Part { result, ..part }
    }
}

/// What an emulator makes of its C library.
fn library(function: Function, library: Library, computed: &[u32]) -> Vec<Part> {
    let is_mame = library == Library::Mame;
    let cut = if is_mame { " Its lower eight bits are cleared." } else { "" };
    let texts: Vec<(&'static str, String)> = match function {
        Function::Exp => vec![
            ("x", "exp2 of the C library, of floor(A).".to_owned()),
            ("y", "A less floor(A).".to_owned()),
            ("z", format!("exp2 of the C library, of A.{cut}")),
        ],
        Function::Log => vec![
            (
                "x",
                match library {
                    Library::Mame => "The exponent of A; −1 for zero, infinities and NaNs.",
                    Library::Nv2aVshCpu => {
                        "The exponent field less 127, as an unsigned number: below 1 it is 2^32. Zero and infinities: log2 of the C library."
                    }
                    Library::Chip | Library::Bochs => "The floor of log2 of the C library, of |A|.",
                }
                .to_owned(),
            ),
            (
                "y",
                match library {
                    Library::Mame => "A with the exponent of 1, and with its sign; zero, infinities and NaNs pass.",
                    Library::Nv2aVshCpu => "The fraction of A with the exponent of 1; 1 for zero and infinities.",
                    Library::Chip | Library::Bochs => "|A| divided by exp2 of its x; 1 for zero and infinities.",
                }
                .to_owned(),
            ),
            ("z", format!("log2 of the C library, of |A|.{cut}")),
        ],
        _ => vec![
            (
                "y",
                match library {
                    Library::Mame => "A, from 0 to 1; 1 for NaNs.",
                    Library::Nv2aVshCpu => "The greater of A and 0; 0 for NaNs.",
                    Library::Chip | Library::Bochs => "0 if A is less than 0, else A.",
                }
                .to_owned(),
            ),
            (
                "z",
                match library {
                    Library::Mame => {
                        "pow of the C library, of B, or 0 if it is not positive, and C. 0 if A is not positive."
                    }
                    Library::Nv2aVshCpu => {
                        "pow of the C library, of B and of C within ±127.9961. 0 if A or B is not positive."
                    }
                    Library::Chip | Library::Bochs => {
                        "pow of the C library, of B, or 0 if it is negative, and of C within ±128. 0 if A is not positive."
                    }
                }
                .to_owned(),
            ),
        ],
    };
    let parts = texts.into_iter().zip(computed);
    parts.map(|((component, text), &result)| Part::new(component).rule(text, result)).collect()
}
