//! A product plus a number, rounded once to nearest, from integer and plain float operations.
//!
//! [`f64::mul_add`] and [`f32::mul_add`] are calls of the system's library where the target has no such instruction, and that of mingw
//! rounds wrongly. What decides about bits must not depend on who has linked it.

/// The least exponent: that of the last bit of denormals.
const LEAST: i32 = -1074;

/// Bits of a double that are stored.
const STORED: u32 = 52;

/// The sign, the exponent of the last bit, and the bits of a number that is finite.
fn parts(x: f64) -> (bool, i32, u64) {
    let bits = x.to_bits();
    let (field, stored) = ((bits >> STORED) as i32 & 0x7ff, bits & ((1 << STORED) - 1));
    let hidden = u64::from(field != 0) << STORED;
    (x.is_sign_negative(), field.max(1) - 1 + LEAST, stored | hidden)
}

/// A number that is not 0, with its first bit in bit 125, so that a sum of two has room.
struct Wide {
    exponent: i32,
    bits: u128,
}

impl Wide {
    fn new(exponent: i32, bits: u128) -> Self {
        let up = bits.leading_zeros() as i32 - 2;
        Wide { exponent: exponent - up, bits: bits << up }
    }

    /// The bits with another exponent, which is not less. Where bits are lost that are not 0, the last one tells of them.
    fn at(&self, exponent: i32) -> u128 {
        let down = exponent.abs_diff(self.exponent);
        let kept = self.bits.checked_shr(down).unwrap_or(0);
        kept | u128::from(kept.checked_shl(down) != Some(self.bits))
    }
}

/// `x * y + z` of doubles, rounded once to nearest even.
pub(super) fn double(x: f64, y: f64, z: f64) -> f64 {
    if x == 0.0 || y == 0.0 || !x.is_finite() || !y.is_finite() {
        // The product is exact.
        return x * y + z;
    }
    if z == 0.0 {
        return x * y;
    }
    if !z.is_finite() {
        return z;
    }
    let ((x_sign, x_exponent, x_bits), (y_sign, y_exponent, y_bits)) = (parts(x), parts(y));
    let (z_sign, z_exponent, z_bits) = parts(z);
    let sign = x_sign != y_sign;
    let product = Wide::new(x_exponent + y_exponent, u128::from(x_bits) * u128::from(y_bits));
    let addend = Wide::new(z_exponent, z_bits.into());
    // Bits are lost of the lesser one alone, and only if it is lesser by so much that the last bit of the sum is not rounded to.
    let exponent = product.exponent.max(addend.exponent);
    let (product, addend) = (product.at(exponent), addend.at(exponent));
    if sign == z_sign {
        rounded(sign, exponent, product + addend)
    } else if product == addend {
        0.0
    } else {
        rounded(sign == (product > addend), exponent, product.abs_diff(addend))
    }
}

/// A number whose last bit has an exponent, to nearest even.
fn rounded(sign: bool, exponent: i32, bits: u128) -> f64 {
    let sign = u64::from(sign) << 63;
    let length = (u128::BITS - bits.leading_zeros()) as i32;
    let last = (exponent + length - 1 - STORED as i32).max(LEAST);
    let down = last - exponent;
    let kept = if down <= 0 {
        (bits << -down) as u64
    } else {
        let kept = bits.checked_shr(down as u32).unwrap_or(0);
        let rest = bits - kept.checked_shl(down as u32).unwrap_or(0);
        let half = 1u128.checked_shl(down as u32 - 1).unwrap_or(u128::MAX);
        kept as u64 + u64::from(rest > half || rest == half && kept & 1 != 0)
    };
    // The first bit of a normal number, and what is carried out of it, count up the exponent's field.
    let infinite = 0x7ff << STORED;
    let field = (last - LEAST).min(0x7ff) as u64;
    f64::from_bits(sign | ((field << STORED) + kept).min(infinite))
}

/// `x * y + z` of floats, rounded once to nearest even.
pub(super) fn single(x: f32, y: f32, z: f32) -> f32 {
    // Exact: twice 24 bits.
    let (product, z) = (f64::from(x) * f64::from(y), f64::from(z));
    let (sum, rest) = two_sum(product, z);
    let bits = sum.to_bits();
    // Of a sum that is not exact the last bit is made to tell of it (rounding to odd), with which rounding again is rounding once: Boldo
    // and Melquiond, "Emulation of a FMA and correctly rounded sums" (2008). The rest of what is not finite is a NaN.
    if bits & 1 != 0 || rest == 0.0 || rest.is_nan() {
        return sum as f32;
    }
    let is_below = (rest < 0.0) != sum.is_sign_negative();
    f64::from_bits(if is_below { bits - 1 } else { bits + 1 }) as f32
}

/// `x - y * z` where that is a double: what a quotient of floats or a root of one leaves.
pub(super) fn remainder(x: f64, y: f64, z: f64) -> f64 {
    // Halves of a factor, whose products are exact: Dekker, "A Floating-Point Technique for Extending the Available Precision" (1971).
    let halves = |x: f64| {
        let scaled = f64::from((1 << 27) + 1) * x;
        let upper = scaled - (scaled - x);
        (upper, x - upper)
    };
    let product = y * z;
    let ((y, y_low), (z, z_low)) = (halves(y), halves(z));
    let rest = ((y * z - product) + y * z_low + y_low * z) + y_low * z_low;
    (x - product) - rest
}

/// A sum and what its rounding leaves.
pub(super) fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let shadow = sum - x;
    (sum, (x - (sum - shadow)) + (y - shadow))
}

#[cfg(test)]
mod tests;
