//! Conversions of the fixed-function unit: from XF to LT, and from both to the unit's outputs.
//!
//! Evidence: the software model of Celsius (see [`super::lt`]); fixed_function.md 1.8, 4.2 and 4.3. The load of LTC
//! constants was also checked on cards through the methods that set them.

use super::CANONICAL_NAN;
use super::bits::{INFINITY, SIGN, exponent, is_flushed, is_nan, is_negative, sign, significand};
use super::lt::{self, DROPPED, short_significand};

/// An XF number in LT's 22 bits: rounded half up in magnitude by adding bit 9, **unless bits 10..=17 are all ones**
/// (the carry chain ends there), then the low 10 bits are dropped (fixed_function.md 1.8).
#[inline]
pub fn xf_to_lt(x: u32) -> u32 {
    const CARRY_CHAIN: u32 = 0xff << DROPPED;
    let rounded = if x & CARRY_CHAIN == CARRY_CHAIN { x } else { x.wrapping_add(0x200) };
    rounded & !0x3ff
}

/// A constant as Celsius loads it into LTC: zero or denormal: +0; exponent field 255: NaN if bits 9..22 are not all
/// zero, else **+infinity**, sign dropped; else [`xf_to_lt`]. Kelvin and later load by [`xf_to_lt`] alone.
#[inline]
pub fn ltc_load(x: u32) -> u32 {
    if is_flushed(x) {
        return 0;
    }
    if exponent(x) == 255 {
        return if x & 0x007f_fe00 != 0 { lt::NAN } else { INFINITY };
    }
    xf_to_lt(x)
}

/// A colour component as a byte: `floor(x * 255 + 1/2)` of the significand truncated to 14 bits. Sign set (-NaN too):
/// 0; from 1.0 on, +infinity and +NaN: 255. Takes 22-bit and 32-bit numbers alike.
#[inline]
pub fn colour_to_u8(x: u32) -> u8 {
    if is_negative(x) {
        return 0;
    }
    if exponent(x) >= 0x7f {
        return 255;
    }
    if exponent(x) < 0x76 {
        return 0;
    }
    let scale = (127 + 13 - exponent(x)) as u32;
    ((short_significand(x) * 255 + (1 << (scale - 1))) >> scale) as u8
}

/// A point size as the rasteriser's 9-bit field: bits 12..=20 of the number, raw (fixed_function.md 4.3).
#[inline]
pub fn point_size(x: u32) -> u16 {
    (x >> 12 & 0x1ff) as u16
}

/// A point size in pixels as Kelvin's rasteriser takes it: `floor(8 * x)`, at most 511; with the sign set (-NaN too) 0,
/// +infinity and +NaN (UNKNOWN) 511. Captures of an Xbox show it of 192 sizes.
#[inline]
pub fn point_eighths(x: u32) -> u16 {
    const EIGHTH: i32 = 0x7f - 3;
    if is_negative(x) || exponent(x) < EIGHTH {
        return 0;
    }
    let above = (exponent(x) - EIGHTH).min(9);
    ((significand(x) >> (23 - above)) as u16).min(511)
}

/// Output conversion of the fog factor: bit 10 becomes a copy of bit 11; consumers read bits 31..=11
/// (fixed_function.md 4.3).
#[inline]
pub fn fog(x: u32) -> u32 {
    x & !0x400 | x >> 1 & 0x400
}

/// A window coordinate x or y: magnitude truncated to 1/16, and below 1/16 +0 (fixed_function.md 4.2).
#[inline]
pub fn window_coordinate(x: u32) -> u32 {
    if exponent(x) <= 0x7a {
        return 0;
    }
    let below_sixteenth = (0x92 - exponent(x)).max(0) as u32;
    x & !((1 << below_sixteenth) - 1)
}

/// Output conversion of positions and texture coordinates: a number with exponent field 0xfe or 0xff keeps its sign and
/// the top seven exponent bits, so it becomes `±2^127` (fixed_function.md 4.2).
#[inline]
pub fn squash(x: u32) -> u32 {
    if exponent(x) >= 0xfe { x & 0xff00_0000 } else { x }
}

/// Depth: negative (sign set) becomes +0 where the clamp is on: debug_e bit 22 without bit 30 of the raster bundle
/// (fixed_function.md 4.2).
#[inline]
pub fn depth(z: u32, clamp: bool) -> u32 {
    if clamp && is_negative(z) { 0 } else { z }
}

/// `1/w`: with the clamp on (see [`depth`]) negative numbers and those below 2^-64 become 2^-64; magnitudes from 2^64 on
/// become signed 2^64 with or without the clamp; the low 8 bits are cleared (fixed_function.md 4.2, 4.4).
#[inline]
pub fn inverse_w(w: u32, clamp: bool) -> u32 {
    if clamp && (is_negative(w) || exponent(w) < 0x3f) {
        return 0x1f80_0000;
    }
    if exponent(w) >= 0xbf {
        return sign(w) | 0x5f80_0000;
    }
    w & !0xff
}

/// Kelvin's w: its magnitude clamped to `2^-64 ..= 2^64`, as RCC clamps reciprocals; the sign is kept, for -0, too. A NaN
/// becomes the canonical NaN, as in RCC (fixed_function.md 5.7).
#[inline]
pub fn clamp_w(w: u32) -> u32 {
    if is_nan(w) {
        return CANONICAL_NAN;
    }
    sign(w) | (w & !SIGN).clamp(0x1f80_0000, 0x5f80_0000)
}

/// The output conversion of a position: [`window_coordinate`], [`depth`], [`inverse_w`], then [`squash`] on all four
/// components; last, bit 0 of w becomes the sign of the converted x (fixed_function.md 4.2, 4.4).
#[inline]
pub fn position([x, y, z, w]: [u32; 4], clamp: bool) -> [u32; 4] {
    let fixed = [window_coordinate(x), window_coordinate(y), depth(z, clamp), inverse_w(w, clamp)];
    let [x, y, z, w] = fixed.map(squash);
    [x, y, z, w & !1 | x >> 31]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_to_22_bits_stops_where_the_carry_chain_ends() {
        assert_eq!(xf_to_lt(0x3f80_0200), 0x3f80_0400);
        assert_eq!(xf_to_lt(0x3f83_fe00), 0x3f83_fc00);
        assert_eq!(xf_to_lt(0x3f83_fa00), 0x3f83_fc00);
    }

    #[test]
    fn bytes_are_rounded_half_up() {
        for byte in 0..=255u8 {
            let x = f32::from(byte) / 255.0;
            assert_eq!(colour_to_u8(x.to_bits()), byte);
        }
        assert_eq!([0x7fff_ffff, 0xffff_ffff, 0x7f80_0000, 0x8000_0000].map(colour_to_u8), [255, 0, 255, 0]);
    }

    #[test]
    fn the_sign_of_x_travels_in_w() {
        let (one, minus_two) = (0x3f80_0000, 0xc000_0000);
        assert_eq!(position([minus_two, one, minus_two, one], true), [minus_two, one, 0, one | 1]);
        assert_eq!(position([0xb000_0000, one, minus_two, 0], false), [0, one, minus_two, 0]);
    }

    #[test]
    fn points_have_eighths_of_pixels() {
        for eighths in 0..=511u16 {
            let x = f32::from(eighths) / 8.0;
            assert_eq!([point_eighths(x.to_bits()), point_eighths((x + 0.124).to_bits())], [eighths; 2]);
        }
        let others = [0x8000_0000, 1, 0xffff_ffff, 0x7fff_ffff, 0x7f80_0000, 0x4280_0000, 0xc100_0000];
        assert_eq!(others.map(point_eighths), [0, 0, 0, 511, 511, 511, 0]);
    }

    #[test]
    fn w_keeps_its_sign_in_its_range() {
        let of = [0x8000_0000, 0xff80_0000, 0x0000_0001, 0xffc0_0001, 0x3f80_0001];
        assert_eq!(of.map(clamp_w), [0x9f80_0000, 0xdf80_0000, 0x1f80_0000, 0x7fff_ffff, 0x3f80_0001]);
    }

    #[test]
    fn fog_repeats_its_last_bit() {
        assert_eq!([0x3f80_0800, 0x3f80_0400].map(fog), [0x3f80_0c00, 0x3f80_0000]);
    }
}
