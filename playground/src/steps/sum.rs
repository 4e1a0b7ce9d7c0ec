//! The aligned sum.

use super::*;

/// Bits below the significand of the greatest addend.
const GUARDS: u32 = 5;
/// Places left of the greatest significand: what a sum of four carries over.
const CARRIES: u32 = 2;
/// Places of a row: carries, significand, guards, and what is dropped.
const PLACES: u32 = CARRIES + 24 + GUARDS + 24;

/// The sum of numbers, aligned to the greatest, added once and truncated once.
pub fn aligned(mut part: Part, rules: Rules, addends: &[(&str, u32)]) -> Part {
    let any = |is: &dyn Fn(u32) -> bool| addends.iter().any(|&(_, x)| is(x));
    if any(&is_nan) {
        return part.rule("An addend is a NaN: the sum is the canonical NaN.", CANONICAL_NAN);
    }
    match (any(&|x| x == INFINITY), any(&|x| x == SIGN | INFINITY)) {
        (true, true) => {
            return part
                .rule("There are infinities of both signs: the sum is the canonical NaN.", CANONICAL_NAN);
        }
        (true, false) => return part.rule("An addend is infinite, and so is the sum.", INFINITY),
        (false, true) => return part.rule("An addend is infinite, and so is the sum.", SIGN | INFINITY),
        (false, false) => {}
    }
    let greatest = addends.iter().map(|&(_, x)| exponent(x)).max().unwrap_or(0);
    let magnitude = |x: u32| match is_zero(x) {
        false => significand(x),
        true if rules.denormals_leak() => fraction(x),
        true => 0,
    };
    let mut sum = 0i64;
    let mut rows = Vec::new();
    for &(name, x) in addends {
        let shift = (greatest - exponent(x)) as u32;
        let wide = u64::from(magnitude(x)) << GUARDS;
        let kept = if shift < 32 { wide >> shift } else { 0 };
        sum += if is_negative(x) { -(kept as i64) } else { kept as i64 };
        rows.push(row(name, x, magnitude(x), shift));
    }
    let denormal = addends.iter().any(|&(_, x)| is_zero(x) && fraction(x) != 0);
    let mut text = format!(
        "The greatest exponent field is {greatest}. Every significand is shifted to it. Five guard bits stay below it; what falls out at the \
         right is dropped, and no bit remembers it."
    );
    if denormal {
        text += match rules.denormals_leak() {
            true => " A denormal enters with exponent field 0, which is half of its value.",
            false => " A denormal counts as zero.",
        };
    }
    part.step("Alignment", text, rows);
    let total = sum.unsigned_abs();
    let shown = Bits::new("sum").signed(sum < 0).add(total, CARRIES + 24 + GUARDS, Kind::Kept).gap(24);
    part.step("Sum", "All are added at once, exactly.", vec![shown.says(format!("magnitude {total:08x}"))]);
    if sum == 0 {
        return part.rule("The sum is exactly zero: +0, whatever the signs are.", 0);
    }
    let top = 63 - total.leading_zeros();
    let significand = if top >= 23 { (total >> (top - 23)) as u32 } else { (total << (23 - top)) as u32 };
    let cut = top.saturating_sub(23);
    let dropped = total & ((1 << cut) - 1);
    let lead = CARRIES + 24 + GUARDS - 1 - top;
    let kept = total >> cut;
    let shown = Bits::new("result")
        .signed(sum < 0)
        .gap(lead)
        .add(kept, top + 1 - cut, Kind::Kept)
        .add(dropped, cut, Kind::Cut)
        .gap(24);
    let text = match cut {
        0 => "The leading one is the first of 24 bits; zeros follow what is there.".to_owned(),
        1 => "The 24 bits from the leading one on stay, and the one below is dropped, without rounding."
            .to_owned(),
        _ => format!(
            "The 24 bits from the leading one on stay, and the {cut} below are dropped, without rounding."
        ),
    };
    part.step("Truncation", text, vec![shown.says(format!("kept {significand:06x}, dropped {dropped:x}"))]);
    let field = greatest + top as i32 - (23 + GUARDS as i32);
    part.packed(rules, sum < 0, field, significand)
}

/// An addend where it lies.
fn row(name: &str, x: u32, magnitude: u32, shift: u32) -> Bits {
    let kept_places = 24 + GUARDS;
    let mut bits = Bits::new(name).signed(is_negative(x)).gap(CARRIES);
    for place in 0..PLACES - CARRIES {
        let kind = match place {
            ..24 => Kind::Kept,
            24..29 => Kind::Guard,
            _ => Kind::Cut,
        };
        bits = match place.checked_sub(shift) {
            Some(bit @ 0..24) => bits.add(u64::from(magnitude >> (23 - bit)), 1, kind),
            // What alignment shifts in.
            None if place < kept_places => bits.add(0, 1, Kind::Empty),
            // Below the number, but among the guard bits.
            Some(_) if place < kept_places => bits.add(0, 1, Kind::Guard),
            None | Some(_) => bits.gap(1),
        };
    }
    let wide = u64::from(magnitude) << GUARDS;
    let (kept, lost) = if shift < 32 { (wide >> shift, wide & ((1 << shift) - 1)) } else { (0, wide) };
    let lost = if lost == 0 { "nothing is dropped" } else { "bits are dropped" };
    bits.says(format!("significand {magnitude:06x} shifted right by {shift}, in the sum {kept:08x}, {lost}"))
}
