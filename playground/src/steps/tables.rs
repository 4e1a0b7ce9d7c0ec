//! EXP, LOG and LIT: tables of 32 segments, with a line in each.

use super::*;
use xfjit::runtime::num::fixed_point;
use xfjit::runtime::num::tables::{EXP_BASE, EXP_SLOPE, LOG_BASE, LOG_SLOPE};

/// Fraction bits of the argument of the exponential.
const ARGUMENT: u32 = 13;
/// Fraction bits of the logarithm.
const LOGARITHM: i32 = 26;

/// EXP.x: two to the floor.
pub fn exp_x(t: u32) -> Part {
    let mut part = Part::new("x");
    let p = argument(&mut part, t);
    let floor = p >> ARGUMENT;
    part.step("Floor", format!("The fraction is dropped: {floor}."), Vec::new());
    power(part, i64::from(floor) << ARGUMENT)
}

/// EXP.y: what the floor leaves.
pub fn exp_y(t: u32) -> Part {
    let part = Part::new("y");
    let e = exponent(t);
    if is_nan(t) {
        return part.rule("A NaN passes as it is.", t);
    }
    if e == 0 || e >= 150 {
        return part.rule("The operand is zero, a denormal, or so large that it has no fraction: +0.", 0);
    }
    if !is_negative(t) && e < 127 {
        return part.rule("The operand lies between 0 and 1: it is its own fraction.", t);
    }
    if e < 104 {
        return part.rule("The operand is negative and its magnitude is below 2^−23: 1.", ONE);
    }
    let mut part = part;
    let scale = (150 - e).min(23) as u32;
    let magnitude = significand(t).div_ceil(1 << (127 - e).max(0));
    let two = if is_negative(t) { magnitude.wrapping_neg() } else { magnitude };
    let rest = two & ((1 << scale) - 1);
    part.step(
        "Fixed point",
        format!("The significand is an integer over 2^{scale}; a negative one is rounded up in magnitude, and complemented."),
        vec![Bits::new("integer").add(u64::from(two >> scale), 8, Kind::Cut).add(rest.into(), scale, Kind::Kept).says(format!("{rest:x} over 2^{scale}"))],
    );
    let result = from_fixed(rest.into(), scale as i32);
    part.step(
        "Result",
        "What lies above the point is dropped. The rest, as a float:",
        vec![Bits::number("result", result)],
    );
    Part { result, ..part }
}

/// EXP.z: two to the operand, about.
pub fn exp_z(t: u32) -> Part {
    let mut part = Part::new("z");
    if is_nan(t) {
        return part.rule("The operand is a NaN: the result is the canonical NaN.", CANONICAL_NAN);
    }
    let p = argument(&mut part, t);
    power(part, p.into())
}

/// LOG, all of it.
pub fn log(rules: Rules, t: u32) -> Vec<Part> {
    let parts = ["x", "y", "z"].map(Part::new);
    if rules.sees_signs() && is_negative(t) {
        return parts
            .map(|part| {
                part.rule(
                    "The sign bit is set: the canonical NaN under these rules, for −0, too.",
                    CANONICAL_NAN,
                )
            })
            .into();
    }
    if is_nan(t) {
        return match rules.log_keeps_nans() {
            true => parts
                .map(|part| part.rule("The operand is a NaN: it passes without its sign.", t & !SIGN))
                .into(),
            false => {
                parts.map(|part| part.rule("The operand is a NaN: the canonical NaN.", CANONICAL_NAN)).into()
            }
        };
    }
    let [x, y, mut z] = parts;
    if is_zero(t) {
        let text = "The operand is zero, or a denormal: −infinity.";
        let y = y.rule("The operand is zero, or a denormal: 1.", ONE);
        return vec![x.rule(text, SIGN | INFINITY), y, z.rule(text, SIGN | INFINITY)];
    }
    if is_infinite(t) {
        let text = "The operand is infinite: +infinity.";
        return vec![
            x.rule(text, INFINITY),
            y.rule("The operand is infinite: 1.", ONE),
            z.rule(text, INFINITY),
        ];
    }
    let e = exponent(t) - 127;
    let x = x.rule(
        format!("The exponent field is {}; less 127 it is {e}, as a float.", exponent(t)),
        from_fixed(e.into(), 0),
    );
    let y =
        y.rule("The significand as a number from 1 to 2: the exponent field becomes 127.", ONE | fraction(t));
    let value = logarithm(&mut z, t);
    let result = from_fixed(value, LOGARITHM);
    z.step("Result", "As a float, truncated:", vec![Bits::number("result", result)]);
    vec![x, y, Part { result, ..z }]
}

/// LIT.y: the diffuse coefficient.
pub fn lit_y(x: u32) -> Part {
    match is_negative(x) {
        true => Part::new("y").rule("The sign bit of x is set: 0.", 0),
        false => Part::new("y").rule("The sign bit of x is clear: x as it is.", x),
    }
}

/// LIT.z: the specular coefficient.
pub fn lit_z(x: u32, y: u32, w: u32) -> Part {
    let mut part = Part::new("z");
    if is_negative(x) || is_zero(x) {
        return part.rule("x is zero, a denormal, or has its sign bit set: 0.", 0);
    }
    if is_zero(w) {
        return part.rule("w is zero, or a denormal: 1, whatever y is.", ONE);
    }
    if is_nan(y) || is_nan(w) {
        return part.rule("y or w is a NaN: the canonical NaN.", CANONICAL_NAN);
    }
    if is_negative(y) || is_zero(y) {
        let result = if is_negative(w) { INFINITY } else { 0 };
        return part.rule("y is negative, zero or a denormal: +infinity if w is negative, else 0.", result);
    }
    if is_infinite(y) {
        let result = if is_negative(w) { 0 } else { INFINITY };
        return part.rule("y is infinite: 0 if w is negative, else +infinity.", result);
    }
    let value = logarithm(&mut part, y);
    let exponent = fixed_point(w).clamp(-0x10_0000, 0xf_ffff);
    let p = (value * i64::from(exponent)) >> LOGARITHM;
    part.step(
        "Exponent",
        format!("w in fixed point with {ARGUMENT} fraction bits, clamped to −128 .. 127.99988, is {exponent}. The logarithm times it, cut to {ARGUMENT} fraction bits, is {p}."),
        Vec::new(),
    );
    power(part, p)
}

/// The argument of the exponential, with a step that shows it.
fn argument(part: &mut Part, t: u32) -> i32 {
    let p = fixed_point(t);
    let text = match exponent(t) {
        _ if is_nan(t) => "A NaN counts as the greatest argument.",
        145.. => "The operand is out of range: it counts as the least or the greatest argument.",
        ..104 => "The magnitude is below 2^−23: it counts as 0.",
        _ => {
            "The operand in fixed point with 13 fraction bits; what lies below is dropped, toward minus infinity."
        }
    };
    let is_small = (-0x10_0000..0x10_0000).contains(&p);
    let rows = if is_small { vec![fields(i64::from(p))] } else { Vec::new() };
    part.step("Argument", text, rows);
    p
}

/// An argument by what the table takes of it: floor, segment, offset.
fn fields(p: i64) -> Bits {
    let (floor, segment, offset) = (p >> ARGUMENT, p >> 8 & 31, p & 255);
    Bits::new("floor · segment · offset")
        .add(floor as u64, 8, Kind::Exponent)
        .add(segment as u64, 5, Kind::Guard)
        .add(offset as u64, 8, Kind::Kept)
        .says(format!("floor {floor}, segment {segment}, offset {offset}"))
}

/// Ends with two to a fixed-point number.
fn power(mut part: Part, p: i64) -> Part {
    let floor = p >> ARGUMENT;
    if floor <= -127 {
        return part.rule(format!("The floor is {floor}: below 2^−126 the result is 0."), 0);
    }
    if floor >= 128 {
        return part.rule(format!("The floor is {floor}: from 2^128 on the result is +infinity."), INFINITY);
    }
    let (segment, offset) = ((p >> 8 & 31) as usize, (p & 255) as u32);
    let (base, slope) = (u32::from(EXP_BASE[segment]), u32::from(EXP_SLOPE[segment]));
    let value = (base << 8) + slope * offset;
    part.step(
        "Table",
        format!("Segment {segment} has base {base} and slope {slope}: {base} × 256 + {slope} × {offset} = {value}. Twice that are the fraction's 23 bits."),
        vec![
            fields(p),
            Bits::new("value").add(u64::from(value << 1 & FRACTION), 23, Kind::Kept).says(format!("{:06x}", value << 1 & FRACTION)),
        ],
    );
    let result = ((floor + 127) as u32) << 23 | value << 1 & FRACTION;
    part.step(
        "Result",
        format!("The exponent field is {floor} + 127 = {}.", floor + 127),
        vec![Bits::number("result", result)],
    );
    Part { result, ..part }
}

/// The logarithm of a magnitude with 26 fraction bits, with steps that show it.
fn logarithm(part: &mut Part, x: u32) -> i64 {
    let (segment, offset) = ((fraction(x) >> 18) as usize, fraction(x) >> 10 & 255);
    let (base, slope) = (LOG_BASE[segment], u32::from(LOG_SLOPE[segment]));
    let value = (base << 8) + slope * offset;
    let e = exponent(x) - 127;
    part.step(
        "Logarithm",
        format!(
            "The upper five fraction bits are the segment, {segment}, and eight more the offset, {offset}; the rest is dropped. \
             {base} × 256 + {slope} × {offset} = {value}, over 2^26, and the exponent {e} is added."
        ),
        vec![
            Bits::new("segment · offset · rest")
                .add(segment as u64, 5, Kind::Guard)
                .add(offset.into(), 8, Kind::Kept)
                .add(u64::from(fraction(x) & 0x3ff), 10, Kind::Cut)
                .says(format!("segment {segment}, offset {offset}")),
        ],
    );
    i64::from(value) + (i64::from(e) << LOGARITHM)
}
