//! 2^x, log2 x and x^w of floats as the GNU C library has them from its version 2.28 on, on hosts that round to nearest.
//!
//! Those functions are not correctly rounded, so no exact reference has their bits: they compute in double precision what a short table and
//! a polynomial of low degree give, whose error is about 2^-26 of the result, and round that to a float. So it is done here; tables and
//! polynomials were computed for this file:
//!
//! - 2^x is 2^n 2^(i/32) 2^r, where r lies within a 64th of 0: a cubic polynomial with the constant 1, of least relative error.
//! - log2 x is k + log2 c + log2(1 + r), where x = 2^k z and z lies between 0.699 and 1.398. This range, which begins at the float
//!   `3f330000`, has sixteen parts of 2^19 floats each, with a point c in each and r = z / c - 1. The polynomial has no constant, and the
//!   least relative error on an interval about 0: degree 4, but 5 for x^w, which is 2^(w log2 x).
//!
//! The points are the middles of the parts, but 1 in the part that has it, so that the logarithm is exact there, and
//! one beside the middle in the next. Where this one lies, and on which intervals the polynomials are the best ones, was found by comparing
//! results with the library's: those of 2^x and log2 x are equal for every float, those of x^w in all but 1 of 25 million random pairs
//! (docs/NUMERICS.md, "What the presets give").

#[cfg(test)]
mod tests;

/// Parts between a power of two and the next one, of the exponential and of the logarithm, as powers of two.
const EXP_BITS: u32 = 5;
const LOG_BITS: u32 = 4;

/// 2^(i/32), bits of doubles.
const EXP_TABLE: [u64; 1 << EXP_BITS] = [
    0x3ff0_0000_0000_0000,
    0x3ff0_59b0_d315_8574,
    0x3ff0_b558_6cf9_890f,
    0x3ff1_1301_d012_5b51,
    0x3ff1_72b8_3c7d_517b,
    0x3ff1_d487_3168_b9aa,
    0x3ff2_387a_6e75_6238,
    0x3ff2_9e9d_f51f_dee1,
    0x3ff3_06fe_0a31_b715,
    0x3ff3_71a7_373a_a9cb,
    0x3ff3_dea6_4c12_3422,
    0x3ff4_4e08_6061_892d,
    0x3ff4_bfda_d536_2a27,
    0x3ff5_342b_569d_4f82,
    0x3ff5_ab07_dd48_5429,
    0x3ff6_247e_b03a_5585,
    0x3ff6_a09e_667f_3bcd,
    0x3ff7_1f75_e8ec_5f74,
    0x3ff7_a114_73eb_0187,
    0x3ff8_2589_994c_ce13,
    0x3ff8_ace5_422a_a0db,
    0x3ff9_3737_b0cd_c5e5,
    0x3ff9_c491_82a3_f090,
    0x3ffa_5503_b23e_255d,
    0x3ffa_e89f_995a_d3ad,
    0x3ffb_7f76_f2fb_5e47,
    0x3ffc_199b_dd85_529c,
    0x3ffc_b720_dcef_9069,
    0x3ffd_5818_dcfb_a487,
    0x3ffd_fc97_337b_9b5f,
    0x3ffe_a4af_a2a4_90da,
    0x3fff_5076_5b6e_4540,
];

/// The points of the logarithm's parts, and bits of their logarithms.
const LOG_TABLE: [(f64, u64); 1 << LOG_BITS] = [
    (0.714_843_75, 0xbfde_fec6_1b01_1f85),
    (0.746_093_75, 0xbfdb_0b67_f4f4_6810),
    (0.777_343_75, 0xbfd7_418a_cebb_f18f),
    (0.808_593_75, 0xbfd3_9de8_e155_9f6f),
    (0.839_843_75, 0xbfd0_1d9b_bcfa_61d4),
    (0.871_093_75, 0xbfc9_7c1c_b13c_7ec1),
    (0.902_343_75, 0xbfc2_f9e3_2d5b_fdd1),
    (0.933_593_75, 0xbfb9_60ca_f9ab_b7ca),
    (0.964_843_75, 0xbfaa_6f9c_377d_d31b),
    (1.0, 0),
    (1.053_423_3, 0x3fb3_38c9_e095_dfa0),
    (1.117_187_5, 0x3fc4_76a9_f983_f74d),
    (1.179_687_5, 0x3fce_840b_e74e_6a4d),
    (1.242_187_5, 0x3fd4_0646_3b1b_0449),
    (1.304_687_5, 0x3fd8_8e9c_72e0_b226),
    (1.367_187_5, 0x3fdc_e0a4_923a_587d),
];

/// The float at which the logarithm's range begins.
const LOG_BEGIN: u32 = 0x3f33_0000;

/// A polynomial without its constant: the factors of x, x^2 and so on, bits of doubles.
type Polynomial<const N: usize> = [u64; N];

/// (2^r - 1) on -1/64 .. 1/64.
const EXP: Polynomial<3> = [0x3fe6_2e42_ff0c_52d6, 0x3fce_bfce_50fa_c500, 0x3fac_6af8_4b91_5487];
/// log2(1 + r) on [`LOG_INTERVAL`].
const LOG: Polynomial<4> =
    [0x3ff7_1547_5f35_c8b3, 0xbfe7_1547_9ff9_1b7e, 0x3fde_cabf_496c_fdd4, 0xbfd7_12b7_1a85_dd6f];
/// log2(1 + r) on [`POW_INTERVAL`].
const POW: Polynomial<5> = [
    0x3ff7_1547_652a_b7c2,
    0xbfe7_1547_48bf_94d5,
    0x3fde_c70a_6d05_f6f7,
    0xbfd7_1969_94cc_1a77,
    0x3fd2_7614_711c_2973,
];
/// See [`LOG`].
#[cfg(test)]
const LOG_INTERVAL: (f64, f64) = (-0.027_687_1, 0.028_350_8);
/// See [`POW`].
#[cfg(test)]
const POW_INTERVAL: (f64, f64) = (-0.0287, 0.029_256_25);

/// The power of two.
pub(super) fn exp2(x: f32) -> f32 {
    exponential(f64::from(x)) as f32
}

/// The logarithm: of zeros -infinity, of negative numbers NaN.
pub(super) fn log2(x: f32) -> f32 {
    if x == 0.0 {
        return f32::NEG_INFINITY;
    }
    if x < 0.0 || x.is_nan() {
        return f32::NAN;
    }
    if x.is_infinite() {
        return x;
    }
    let (r, whole) = reduced(x);
    let [a, b, c, d] = LOG.map(f64::from_bits);
    let square = r * r;
    (((d * square + (c * r + b)) * square) + (a * r + whole)) as f32
}

/// The power of a base that is not negative, or a NaN.
pub(super) fn pow(x: f32, w: f32) -> f32 {
    let is_signalling = |x: f32| x.is_nan() && x.to_bits() & 0x40_0000 == 0;
    if (w == 0.0 || x == 1.0) && !is_signalling(x) && !is_signalling(w) {
        return 1.0;
    }
    if x.is_nan() || w.is_nan() {
        return f32::NAN;
    }
    if x == 0.0 || x.is_infinite() || w.is_infinite() {
        let is_great = (x > 1.0) == (w > 0.0);
        return if is_great { f32::INFINITY } else { 0.0 };
    }
    let (r, whole) = reduced(x);
    let [a, b, c, d, e] = POW.map(f64::from_bits);
    let square = r * r;
    let last = (e * r + d) * (square * square);
    let logarithm = last + ((c * r + b) * square + (a * r + whole));
    exponential(f64::from(w) * logarithm) as f32
}

/// The power of two, in double precision within the range of floats.
fn exponential(x: f64) -> f64 {
    /// A number is rounded to parts when this has been added.
    const SHIFT: f64 = (3u64 << 51 >> EXP_BITS) as f64;
    if x >= 128.0 {
        return f64::INFINITY;
    }
    if x <= -150.0 {
        return 0.0;
    }
    if x.is_nan() {
        return x;
    }
    let shifted = x + SHIFT;
    let (parts, r) = (shifted.to_bits(), x - (shifted - SHIFT));
    let part = EXP_TABLE[(parts % (1 << EXP_BITS)) as usize];
    let scale = f64::from_bits(part.wrapping_add(parts >> EXP_BITS << 52));
    let [a, b, c] = EXP.map(f64::from_bits);
    ((c * r + b) * (r * r) + (a * r + 1.0)) * scale
}

/// What the logarithm of a positive number is made of: the distance to a point, and the logarithm of that.
fn reduced(x: f32) -> (f64, f64) {
    let (bits, scale) =
        if x < f32::MIN_POSITIVE { ((x * 8_388_608.0).to_bits(), 23) } else { (x.to_bits(), 0) };
    let distance = bits.wrapping_sub(LOG_BEGIN);
    let (point, logarithm) = LOG_TABLE[(distance >> (23 - LOG_BITS) & 15) as usize];
    let power = (distance as i32 >> 23) - scale;
    let z = f32::from_bits(bits.wrapping_sub(distance & 0xff80_0000));
    (f64::from(z) * (1.0 / point) - 1.0, f64::from_bits(logarithm) + f64::from(power))
}
