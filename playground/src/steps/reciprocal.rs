//! Reciprocals: a seed from a table, and two steps of Newton's in fixed point.

use super::*;
use xfjit::runtime::num::rules::Seeds;
use xfjit::runtime::num::tables::{RCP_V1, RCP_V2, RSQ_V1, RSQ_V2};

/// One over a number.
pub fn rcp(mut part: Part, rules: Rules, a: u32) -> Part {
    let sign = a & SIGN;
    if is_nan(a) {
        return part.rule("The operand is a NaN: the result is the canonical NaN.", CANONICAL_NAN);
    }
    if is_zero(a) {
        return part.rule(
            "The operand is zero, or a denormal: the result is infinity with its sign.",
            sign | INFINITY,
        );
    }
    if fraction(a) == 0 {
        let field = 0xfe - exponent(a);
        let result = if field <= 0 { sign } else { sign | (field as u32) << 23 };
        let text = format!(
            "The operand is a power of two, or infinity: no table is needed. The exponent field is 254 − {} = {field}.",
            exponent(a)
        );
        return part.rule(text, result);
    }
    let table = match rules.seeds() {
        Seeds::V1 => &RCP_V1,
        Seeds::V2 => &RCP_V2,
    };
    let index = (fraction(a) >> 17) as usize;
    let (f, s0) = (u64::from(significand(a)), u64::from(table[index]));
    part.step(
        "Seed",
        format!("The upper six fraction bits are {index}; the table has s0 = {s0} there. F is the significand, 24 bits."),
        vec![
            Bits::new("F")
                .add(1, 1, Kind::Kept)
                .add(index as u64, 6, Kind::Guard)
                .add(u64::from(fraction(a) & 0x1_ffff), 17, Kind::Kept)
                .says(format!("{f:06x}, index {index}")),
            Bits::new("s0").gap(1).add(s0, 7, Kind::Kept).gap(16).says(format!("{s0}")),
        ],
    );
    let s1 = (((1 << 31) - s0 * f) * s0) >> 24;
    part.step(
        "First step",
        format!("s1 = ((2^31 − s0 × F) × s0) >> 24 = {s1}"),
        vec![Bits::new("s1").add(s1, 16, Kind::Kept).gap(8).says(format!("{s1:x}"))],
    );
    let s2 = (((1 << 37) - s1 * f) * s1) >> 25;
    part.step(
        "Second step",
        format!("s2 = ((2^37 − s1 × F) × s1) >> 25 = {s2}. Its lower 23 bits are the fraction."),
        vec![Bits::new("s2").add(s2, 24, Kind::Kept).says(format!("{s2:06x}"))],
    );
    let field = 0xfd - exponent(a);
    let (text, result) = match field {
        ..=0 => (
            format!("The exponent field would be 253 − {} = {field}: a zero with the sign.", exponent(a)),
            sign,
        ),
        _ => (
            format!("The exponent field is 253 − {} = {field}.", exponent(a)),
            sign | (field as u32) << 23 | s2 as u32 & FRACTION,
        ),
    };
    part.step("Result", text, vec![Bits::number("result", result)]);
    Part { result, ..part }
}

/// One over the root of a number, or of its magnitude.
pub fn rsq(mut part: Part, rules: Rules, a: u32) -> Part {
    if is_nan(a) {
        return part.rule("The operand is a NaN: the result is the canonical NaN.", CANONICAL_NAN);
    }
    if is_zero(a) {
        return match rules.sees_signs() {
            true => part.rule(
                "The operand is zero, or a denormal: the result is infinity with its sign.",
                a & SIGN | INFINITY,
            ),
            false => part.rule("The operand is zero, or a denormal: the result is +infinity.", INFINITY),
        };
    }
    if is_negative(a) && rules.sees_signs() {
        return part.rule(
            "The operand is negative: the result is the canonical NaN under these rules.",
            CANONICAL_NAN,
        );
    }
    if is_infinite(a) {
        return part.rule("The operand is infinite: the result is +0.", 0);
    }
    if is_negative(a) {
        part.step("Magnitude", "The sign is dropped.", Vec::new());
    }
    let is_even = exponent(a) & 1 == 0;
    let field = 0x7e - (exponent(a) - if is_even { 0x80 } else { 0x7f }) / 2;
    if rules.exact_roots() && !is_even && fraction(a) == 0 {
        return part
            .rule("The operand is an even power of two: the result is exact.", ((field + 1) as u32) << 23);
    }
    let table = match rules.seeds() {
        Seeds::V1 => &RSQ_V1,
        Seeds::V2 => &RSQ_V2,
    };
    let top = (fraction(a) >> 17) as usize;
    let index = top + if is_even { 64 } else { 0 };
    let (f, s0) = (u64::from(significand(a)) << u32::from(is_even), u64::from(table[index]));
    let parity = if is_even { "even, so 64 is added to the index, and F is doubled" } else { "odd" };
    part.step(
        "Seed",
        format!("The exponent field {} is {parity}. The upper six fraction bits are {top}; the table has s0 = {s0} at {index}.", exponent(a)),
        vec![
            Bits::new("F")
                .gap(u32::from(!is_even))
                .add(1, 1, Kind::Kept)
                .add(top as u64, 6, Kind::Guard)
                .add(f & ((1 << (17 + u32::from(is_even))) - 1), 17 + u32::from(is_even), Kind::Kept)
                .says(format!("{f:07x}, index {index}")),
            Bits::new("s0").gap(1).add(s0, 8, Kind::Kept).gap(16).says(format!("{s0}")),
        ],
    );
    let s1 = ((3 * (1 << 37) - s0 * s0 * f) * s0) >> 32;
    part.step(
        "First step",
        format!("s1 = ((3 × 2^37 − s0² × F) × s0) >> 32 = {s1}"),
        vec![Bits::new("s1").gap(1).add(s1, 16, Kind::Kept).gap(8).says(format!("{s1:x}"))],
    );
    let s2 = ((3 * (1 << 49) - s1 * s1 * f) * s1) >> 39;
    part.step(
        "Second step",
        format!("s2 = ((3 × 2^49 − s1² × F) × s1) >> 39 = {s2}. Its lower 23 bits are the fraction."),
        vec![Bits::new("s2").gap(1).add(s2, 24, Kind::Kept).says(format!("{s2:06x}"))],
    );
    let result = (field as u32) << 23 | s2 as u32 & FRACTION;
    part.step("Result", format!("The exponent field is {field}."), vec![Bits::number("result", result)]);
    Part { result, ..part }
}
