//! The programs instruction by instruction on one vertex, with every rule of the `ieee` model spelled out: what the SIMD
//! forms must equal bit for bit. Also what settles the groups that they leave.

use super::Constants;
use super::lit;

type Row = [u32; 4];

/// The one NaN that arithmetic makes.
const NAN: u32 = 0x7fff_ffff;

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
const W: usize = 3;

/// One vertex: its outputs, in stream order.
pub(super) type Program = fn(&Constants, &[Row]) -> [Row; 3];

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn bits(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

fn is_nan(word: u32) -> bool {
    f(word).is_nan()
}

fn output(row: Row) -> Row {
    row.map(|word| bits(f(word)))
}

fn mul(a: u32, b: u32) -> u32 {
    let product = f(a) * f(b);
    if product.is_nan() && (f(a) == 0.0 || f(b) == 0.0) { 0 } else { bits(product) }
}

fn add(a: u32, b: u32) -> u32 {
    bits(f(a) + f(b))
}

fn neg(a: u32) -> u32 {
    a ^ 0x8000_0000
}

fn mad(a: u32, b: u32, c: u32) -> u32 {
    add(mul(a, b), c)
}

fn dp3(a: Row, b: Row) -> u32 {
    add(add(mul(a[X], b[X]), mul(a[Y], b[Y])), mul(a[Z], b[Z]))
}

fn dp4(a: Row, b: Row) -> u32 {
    add(dp3(a, b), mul(a[W], b[W]))
}

fn rcp(a: u32) -> u32 {
    bits(1.0 / f(a))
}

fn rsq(a: u32) -> u32 {
    bits(1.0 / f(a).abs().sqrt())
}

fn max(a: u32, b: u32) -> u32 {
    if f(a) < f(b) { b } else { a }
}

fn abs(a: u32) -> u32 {
    max(a, neg(a))
}

fn truth(flag: bool) -> u32 {
    bits(f32::from(u8::from(flag)))
}

fn slt(a: u32, b: u32) -> u32 {
    truth(f(a) < f(b))
}

fn sge(a: u32, b: u32) -> u32 {
    truth(f(a) >= f(b))
}

fn scale(row: Row, by: u32) -> Row {
    row.map(|word| mul(word, by))
}

fn mad_row(row: Row, by: u32, plus: Row) -> Row {
    std::array::from_fn(|i| mad(row[i], by, plus[i]))
}

fn fixed_point(w: u32) -> i64 {
    let (exponent, magnitude) = ((w >> 23) & 0xff, i64::from((w & 0x7f_ffff) | 0x80_0000));
    let negative = w >> 31 != 0;
    let value = match exponent {
        0xff if is_nan(w) => return 0x7fff_ffff,
        0..104 => return 0,
        145.. => 0x7fff_ffff,
        137.. => magnitude << (exponent - 137),
        _ if negative => (magnitude + (1 << (137 - exponent)) - 1) >> (137 - exponent),
        _ => magnitude >> (137 - exponent),
    };
    if negative { -value } else { value }
}

/// y and z of LIT.
pub(super) fn lit(x: u32, y: u32, w: u32) -> (u32, u32) {
    let denormal = |word: u32| word & 0x7f80_0000 == 0;
    if x >> 31 != 0 {
        return (0, 0);
    }
    let z = if denormal(x) {
        0
    } else if denormal(w) {
        0x3f80_0000
    } else if is_nan(y) || is_nan(w) {
        NAN
    } else if y >> 31 != 0 || denormal(y) {
        if w >> 31 != 0 { 0x7f80_0000 } else { 0 }
    } else if y == 0x7f80_0000 {
        if w >> 31 != 0 { 0 } else { 0x7f80_0000 }
    } else {
        let (a, b) = lit::LOG_SEGMENTS[(y >> 18 & 31) as usize];
        let fraction = i64::from(a * 256 + b * (y >> 10 & 255));
        let log = fraction + ((i64::from(y >> 23) - 127) << 26);
        let power = (log * fixed_point(w).clamp(-0x10_0000, 0xf_ffff)) >> 26;
        let (a, b) = lit::EXP_SEGMENTS[(power >> 8 & 31) as usize];
        match power >> 13 {
            ..=-127 => 0,
            128.. => 0x7f80_0000,
            whole => (((whole + 127) as u32) << 23) | (a * 256 + b * (power as u32 & 255)) << 1,
        }
    };
    (x, z)
}

/// P1_mvp.
pub(super) fn p1(c: &Constants, v: &[Row]) -> [Row; 3] {
    let [v0, v3, v8] = [v[0], v[1], v[2]];
    [[dp4(c[0], v0), dp4(c[1], v0), dp4(c[2], v0), dp4(c[3], v0)], output(v3), output(v8)]
}

/// P2_lit.
pub(super) fn p2(c: &Constants, v: &[Row]) -> [Row; 3] {
    let [v0, v2, v8] = [v[0], v[1], v[2]];
    let position = [dp4(c[0], v0), dp4(c[1], v0), dp4(c[2], v0), dp4(c[3], v0)];
    let mut r0 = [dp3(c[4], v2), dp3(c[5], v2), dp3(c[6], v2), 0];
    r0[W] = dp3(r0, r0);
    r0[W] = rsq(r0[W]);
    let r0 = scale(r0, r0[W]);
    let (y, z) = lit(dp3(r0, c[8]), dp3(r0, c[9]), c[10][W]);
    let r4 = mad_row(c[11], y, c[12]);
    let mut colour = mad_row(c[13], z, r4);
    colour[W] = c[11][W];
    [position, output(colour), output(v8)]
}

/// P3_lit8.
pub(super) fn p3(c: &Constants, v: &[Row]) -> [Row; 3] {
    let [v0, v2, v8] = [v[0], v[1], v[2]];
    let position = [dp4(c[0], v0), dp4(c[1], v0), dp4(c[2], v0), dp4(c[3], v0)];
    let r1 = [dp4(c[4], v0), dp4(c[5], v0), dp4(c[6], v0), 0];
    let mut r2 = [dp3(c[4], v2), dp3(c[5], v2), dp3(c[6], v2), 0];
    r2[W] = dp3(r2, r2);
    r2[W] = rsq(r2[W]);
    let r2 = scale(r2, r2[W]);
    let mut r7 = c[7];
    for light in c[16..40].chunks_exact(3) {
        let r3: Row = std::array::from_fn(|i| add(light[0][i], neg(r1[i])));
        let square = dp3(r3, r3);
        let r4 = rsq(square);
        let r3 = scale(r3, r4);
        let r5 = [0x3f80_0000, mul(square, r4), square, r4];
        let r5 = rcp(dp3(r5, light[1]));
        let r6 = max(dp3(r2, r3), c[8][X]);
        let r6 = mul(r6, r5);
        let sum = mad_row(light[2], r6, r7);
        r7 = [sum[X], sum[Y], sum[Z], r7[W]];
    }
    [position, output(r7), output(v8)]
}

/// P4_skin; where an offset is not one of a bone the nearest stands in.
pub(super) fn p4(c: &Constants, v: &[Row]) -> [Row; 3] {
    let [v0, v1, v2, v5, v8] = [v[0], v[1], v[2], v[3], v[4]];
    let (mut r2, mut r3) = ([0; 4], [0; 4]);
    for bone in 0..4 {
        let a0 = f(v5[bone]).floor().clamp(0.0, 169.0) as usize;
        let r0 = [dp4(c[a0 + 20], v0), dp4(c[a0 + 21], v0), dp4(c[a0 + 22], v0), 0];
        let r1 = [dp3(c[a0 + 20], v2), dp3(c[a0 + 21], v2), dp3(c[a0 + 22], v2), 0];
        if bone == 0 {
            (r2, r3) = (scale(r0, v1[bone]), scale(r1, v1[bone]));
        } else {
            (r2, r3) = (mad_row(r0, v1[bone], r2), mad_row(r1, v1[bone], r3));
        }
    }
    r2[W] = c[8][Y];
    let position = [dp4(c[0], r2), dp4(c[1], r2), dp4(c[2], r2), dp4(c[3], r2)];
    let r4 = max(dp3(r3, c[9]), c[8][X]);
    [position, output(mad_row(c[11], r4, c[10])), output(v8)]
}

/// P5_seed35.
pub(super) fn p5(c: &Constants, v: &[Row]) -> [Row; 3] {
    let [v0, v2, v3] = [v[0], v[1], v[2]];
    let mut r0 = scale(c[2], v0[Y]);
    r0 = mad_row(c[1], v0[X], r0);
    r0 = mad_row(c[3], v0[Z], r0);
    let r2 = mad_row(c[4], v0[W], r0);
    let mut r1: Row = std::array::from_fn(|i| add(neg(r2[i]), c[10][i]));
    let size = rsq(dp4(r1, r1));
    r0 = scale(c[6], v2[Y]);
    r0 = mad_row(c[5], v2[X], r0);
    r0 = mad_row(c[7], v2[Z], r0);
    r1 = scale(r1, size);
    let c0 = c[0][X];
    r0[W] = dp3(r0, r2.map(neg));
    r0[X] = dp3(r0, r1);
    r0[Y] = slt(r0[W], c0);
    r0[Z] = slt(c0, r0[W]);
    r0[W] = add(r0[Z], neg(r0[Y]));
    r0[Z] = slt(r0[X], c0);
    r0[Y] = slt(c0, r0[X]);
    r0[Y] = add(r0[Y], neg(r0[Z]));
    r0[Y] = add(r0[Y], neg(r0[W]));
    r0[Y] = abs(r0[Y]);
    r0[Y] = sge(c0, r0[Y]);
    r0[Y] = abs(r0[Y]);
    r0[X] = abs(r0[X]);
    r0[Y] = sge(c0, r0[Y]);
    let amount = mad(neg(r0[X]), r0[Y], r0[X]);
    r0 = scale(c[12], v0[Y]);
    r1 = scale(c[9], amount);
    r0 = mad_row(c[11], v0[X], r0);
    r1 = std::array::from_fn(|i| add(r1[i], c[8][i]));
    r0 = mad_row(c[13], v0[Z], r0);
    let mut colour: Row = std::array::from_fn(|i| mul(v3[i], r1[i]));
    colour[W] = v3[W];
    [mad_row(c[14], v0[W], r0), output(colour), output(v3)]
}
