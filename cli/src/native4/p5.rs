//! P5_seed35: two-sided lighting from a point light, compiled code of a shading language.
//!
//! The chain of SLT, SGE and ABS asks whether light and viewer are on different sides of the surface, and drops the light
//! if so. With `0 <= c0.x < 1` (the shading language's zero) that is: the two signs differ. Other constants take the slow
//! path.

use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_and_ps, _mm_andnot_ps, _mm_cmpgt_ps, _mm_cmplt_ps, _mm_div_ps, _mm_mul_ps,
    _mm_or_ps, _mm_set1_ps, _mm_sqrt_ps, _mm_sub_ps, _mm_xor_ps,
};

use super::Constants;
use super::lanes::*;

struct Uniforms {
    clip: [__m128; 4],
    eye: [[__m128; 4]; 4],
    normal: [[__m128; 4]; 4],
    light: [__m128; 4],
    zero: __m128,
    minus_zero: __m128,
    /// c8 and c9 with w such that the colour's w is 1.
    ambient: __m128,
    diffuse: __m128,
}

/// The loop over all vertices.
#[target_feature(enable = "avx,sse4.1")]
pub(super) fn run(constants: &Constants, inputs: &[Input<3>], outputs: &mut [Output]) -> Option<usize> {
    let zero = f32::from_bits(constants[0][0]);
    if !(0.0..1.0).contains(&zero) {
        return Some(0);
    }
    let (eye, normal) = (lane_matrix(constants, 1), lane_matrix(constants, 5));
    let uniforms = Uniforms {
        clip: matrix(constants, 11),
        eye,
        normal,
        light: splat_row(&constants[10]),
        zero: _mm_set1_ps(zero),
        minus_zero: _mm_set1_ps(-zero),
        ambient: load(&[constants[8][0], constants[8][1], constants[8][2], 1.0f32.to_bits()]),
        diffuse: load(&[constants[9][0], constants[9][1], constants[9][2], 0]),
    };
    groups(inputs, outputs, |input, output| group(&uniforms, input, output))
}

/// The rows, each component in all lanes, of the matrix whose columns are four constants from `first` on.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn lane_matrix(constants: &Constants, first: usize) -> [[__m128; 4]; 4] {
    let [x, y, z, w] = [constants[first], constants[first + 1], constants[first + 2], constants[first + 3]];
    [
        [splat(x[0]), splat(y[0]), splat(z[0]), splat(w[0])],
        [splat(x[1]), splat(y[1]), splat(z[1]), splat(w[1])],
        [splat(x[2]), splat(y[2]), splat(z[2]), splat(w[2])],
        [splat(x[3]), splat(y[3]), splat(z[3]), splat(w[3])],
    ]
}

#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn group(uniforms: &Uniforms, input: &Input<3>, output: &mut Output) -> bool {
    let position = load_lanes(input, 0);
    let [x, y, z, w] = &uniforms.eye;
    let eye = [dot4(&position, x), dot4(&position, y), dot4(&position, z), dot4(&position, w)];
    let light = [
        _mm_sub_ps(uniforms.light[0], eye[0]),
        _mm_sub_ps(uniforms.light[1], eye[1]),
        _mm_sub_ps(uniforms.light[2], eye[2]),
        _mm_sub_ps(uniforms.light[3], eye[3]),
    ];
    // The sum of squares has no sign: RSQ's absolute value changes nothing.
    let square = dot4(&light, &light);
    let scale = _mm_div_ps(_mm_set1_ps(1.0), _mm_sqrt_ps(square));
    let light = [_mm_mul_ps(scale, light[0]), _mm_mul_ps(scale, light[1]), _mm_mul_ps(scale, light[2])];

    let normal = load_lanes(input, 1);
    let [x, y, z, _] = &uniforms.normal;
    let normal = [dot3(&normal, x), dot3(&normal, y), dot3(&normal, z)];
    // The program negates the viewer's side: here its comparisons are turned instead.
    let away = dot3(&normal, &eye);
    let lit = dot3(&normal, &light);
    let below = _mm_xor_ps(_mm_cmpgt_ps(away, uniforms.minus_zero), _mm_cmplt_ps(lit, uniforms.zero));
    let above = _mm_xor_ps(_mm_cmplt_ps(away, uniforms.minus_zero), _mm_cmpgt_ps(lit, uniforms.zero));
    let differ = _mm_or_ps(below, above);
    // `|lit| - |lit| * differ`, so that an infinity is not lost.
    let lit_size = _mm_andnot_ps(_mm_set1_ps(-0.0), lit);
    let amount = _mm_sub_ps(lit_size, _mm_and_ps(lit_size, differ));

    let base = pass_rows(input, 2);
    store_rows(output, 2, base);
    let [a, b, c, d] = spread(amount);
    let colour = [
        shade(uniforms, a, base[0]),
        shade(uniforms, b, base[1]),
        shade(uniforms, c, base[2]),
        shade(uniforms, d, base[3]),
    ];
    store_rows(output, 1, colour);
    let position = combine_rows(&uniforms.clip, input, 0);
    store_rows(output, 0, position);
    // A NaN of the vertex colour is one of the result, too.
    any(_mm_or_ps(unordered(away, lit), _mm_or_ps(any_nan(position), any_nan(colour))))
}

/// The colour of one vertex; its w is that of `base`.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn shade(uniforms: &Uniforms, amount: __m128, base: __m128) -> __m128 {
    _mm_mul_ps(base, _mm_add_ps(_mm_mul_ps(amount, uniforms.diffuse), uniforms.ambient))
}
