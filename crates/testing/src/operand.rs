//! Operands as a hardware person would choose them.

use super::choices::Choices;
use xfjit_runtime::num::bits::{FRACTION, SIGN};
use xfjit_runtime::state::Row;

/// How far from everyday numbers operands stray.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temper {
    /// Finite and of moderate size: native code runs without leaving anything to the interpreter.
    Ordinary,
    /// Ordinary but for one operand in sixteen.
    Mixed,
    /// Every corner of the number space: NaNs with and without payload, infinities, denormals, ties.
    Wild,
}

/// Bounds of the ranges that rules and tables distinguish.
const LANDMARKS: &[u32] = &[
    0x0000_0000, // zero
    0x0000_0001, // least denormal
    0x007f_ffff, // greatest denormal
    0x0080_0000, // least normal number
    0x1f80_0000, // 2^-64, lower bound of RCC
    0x33ff_ffff, // just below 2^-23, where EXP stops to see a fraction
    0x3400_0000,
    0x3f7f_ffff,
    0x3f80_0000, // one
    0x3f80_0001,
    0x42ff_ffff, // about 127.99999, the bound of LIT's power
    0x4300_0000,
    0x437f_0000, // 255, the upper bound of A0
    0x4380_0000,
    0x4b00_0000, // 2^23: no fraction from here on
    0x4eff_ffff, // just below 2^31
    0x4f00_0000,
    0x5f80_0000, // 2^64
    0x7e80_0000, // 2^126: reciprocals below the least normal number begin
    0x7f7f_ffff, // greatest finite number
    0x7f80_0000, // infinity
    0x7f80_0001, // signalling NaN
    0x7fc0_0000, // NaN
    0x7fff_ffff, // the canonical NaN
];

/// A finite number of moderate size.
fn ordinary(c: &mut Choices<'_>) -> u32 {
    let sign = c.below(2) << 31;
    match c.below(8) {
        0 => c.pick(&[0x3f80_0000, 0, 0x3f00_0000, 0x4000_0000, 0x4120_0000, 0x3dcc_cccd]) | sign,
        // Small integers, as addresses and powers are.
        1 => (c.below(12) as f32).to_bits() | sign,
        2..=5 => (123 + c.below(8)) << 23 | c.word() & FRACTION | sign,
        6 => (107 + c.below(41)) << 23 | c.word() & FRACTION | sign,
        _ => (c.below(1 << 16) as f32 / 65_536.0).to_bits() | sign,
    }
}

/// A number from the corners.
fn wild(c: &mut Choices<'_>) -> u32 {
    let sign = c.below(2) << 31;
    let fraction = c.word() & FRACTION;
    sign | match c.below(12) {
        0 => c.pick(LANDMARKS),
        1 => c.pick(LANDMARKS).wrapping_add(c.below(5)).wrapping_sub(2) & !SIGN,
        2 => fraction >> c.below(24),               // a denormal, or zero
        3 => (1 + c.below(24)) << 23 | fraction,    // products of it underflow
        4 => (230 + c.below(25)) << 23 | fraction,  // products of it overflow
        5 => 0x7f80_0000 | fraction >> c.below(24), // a NaN, or infinity
        6 => c.below(255) << 23,                    // zero fraction
        7 => (c.below(700) as f32).to_bits(),       // an address, perhaps out of range
        // Beside the segment bounds of the look-up tables, which are indexed by up to seven leading bits.
        8 => ((c.below(255) << 23 | c.below(128) << 16).wrapping_add(c.below(3)).wrapping_sub(1)) & !SIGN,
        9 => ((c.below(1 << 20) as f32 / 8_192.0).to_bits().wrapping_add(c.below(3)).wrapping_sub(1)) & !SIGN,
        10 => c.word() & !SIGN,
        _ => ordinary(c) & !SIGN,
    }
}

/// One operand.
pub fn word(c: &mut Choices<'_>, temper: Temper) -> u32 {
    match temper {
        Temper::Ordinary => ordinary(c),
        Temper::Mixed if c.below(16) < 15 => ordinary(c),
        Temper::Mixed | Temper::Wild => wild(c),
    }
}

/// Four operands that may meet in a sum: cancelling, or with exponents close to each other.
pub fn row(c: &mut Choices<'_>, temper: Temper) -> Row {
    let mut row: Row = std::array::from_fn(|_| word(c, temper));
    match c.below(8) {
        0 => row[1] = row[0] ^ SIGN,
        1 => row[2] = (row[1] ^ SIGN).wrapping_add(c.below(3)).wrapping_sub(1),
        2 => {
            let exponent = (row[0] >> 23 & 255).clamp(30, 220);
            for word in &mut row {
                *word = *word & !(255 << 23) | (exponent + c.below(31) - 15) << 23;
            }
        }
        3 => row[3] = row[0],
        4 => row[3] = 0x3f80_0000,
        _ => {}
    }
    row
}
