//! The product.

use super::*;

/// The product of two numbers.
pub fn mul(mut part: Part, rules: Rules, (name_a, a): (&str, u32), (name_b, b): (&str, u32)) -> Part {
    let zero = is_zero(a) || is_zero(b);
    let nan = is_nan(a) || is_nan(b);
    let infinite = is_infinite(a) || is_infinite(b);
    if nan && (rules.nan_wins() || !zero) {
        return part.rule("An operand is a NaN: the product is the canonical NaN.", CANONICAL_NAN);
    }
    if zero && infinite && !rules.zero_rule() {
        return part.rule("Zero times infinity is the canonical NaN under these rules.", CANONICAL_NAN);
    }
    if zero {
        return part.rule("An operand is zero, or a denormal, which counts as zero: the product is +0, whatever the other is.", 0);
    }
    if infinite {
        let sign = if rules.signed_infinities() { (a ^ b) & SIGN } else { 0 };
        let text = match rules.signed_infinities() {
            true => "An operand is infinite: the product is infinity with the sign of the product.",
            false => "An operand is infinite: the product is +infinity, the sign is dropped.",
        };
        return part.rule(text, sign | INFINITY);
    }
    let row = |name: &str, x: u32| {
        Bits::new(name).signed(is_negative(x)).add(significand(x).into(), 24, Kind::Kept).says(format!(
            "significand {:06x}, exponent field {}",
            significand(x),
            exponent(x)
        ))
    };
    part.step(
        "Significands",
        format!(
            "24 bits each, with the leading one. The exponent fields are {} and {}.",
            exponent(a),
            exponent(b)
        ),
        vec![row(name_a, a), row(name_b, b)],
    );
    let product = u64::from(significand(a)) * u64::from(significand(b));
    let carry = (product >> 47) as u32;
    let cut = 23 + carry;
    let kept = (product >> cut) as u32;
    let dropped = product & ((1 << cut) - 1);
    part.step(
        "Product",
        format!(
            "Exact, {} bits. The upper 24 stay, and the lower {cut} are dropped, without rounding.",
            24 + cut
        ),
        vec![
            Bits::new(if name_a.is_empty() { "product".to_owned() } else { format!("{name_a} × {name_b}") })
                .signed(is_negative(a ^ b))
                .gap(1 - carry)
                .add(kept.into(), 24, Kind::Kept)
                .add(dropped, cut, Kind::Cut)
                .says(format!("kept {kept:06x}, dropped {dropped:06x}")),
        ],
    );
    let sum = exponent(a) + exponent(b) - 127 + carry as i32;
    part.packed(rules, is_negative(a ^ b), sum, kept)
}
