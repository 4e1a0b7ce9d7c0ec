//! P2_lit: one infinite light, diffuse and specular, after P1's transform.

use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_cmpnlt_ps, _mm_div_ps, _mm_mul_ps, _mm_or_ps, _mm_set1_ps, _mm_sqrt_ps,
};

use super::Constants;
use super::lanes::*;
use super::lit::{self, Power};

struct Uniforms {
    matrix: [__m128; 4],
    normal: [[__m128; 4]; 3],
    light: [__m128; 4],
    half: [__m128; 4],
    power: Power,
    diffuse: [__m128; 4],
    ambient: [__m128; 4],
    specular: [__m128; 4],
    alpha: __m128,
}

/// The loop over all vertices.
#[target_feature(enable = "avx,sse4.1")]
pub(super) fn run(constants: &Constants, inputs: &[Input<3>], outputs: &mut [Output]) -> Option<usize> {
    let Some(power) = Power::new(constants[10][3]) else { return Some(0) };
    let uniforms = Uniforms {
        matrix: transpose(matrix(constants, 0)),
        normal: [splat_row(&constants[4]), splat_row(&constants[5]), splat_row(&constants[6])],
        light: splat_row(&constants[8]),
        half: splat_row(&constants[9]),
        power,
        diffuse: splat_row(&constants[11]),
        ambient: splat_row(&constants[12]),
        specular: splat_row(&constants[13]),
        alpha: splat(canonical(constants[11][3])),
    };
    groups(inputs, outputs, |input, output| group(&uniforms, input, output))
}

#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn group(uniforms: &Uniforms, input: &Input<3>, output: &mut Output) -> bool {
    let normal = load_lanes(input, 1);
    let [x, y, z] = &uniforms.normal;
    let (x, y, z) = (dot3(&normal, x), dot3(&normal, y), dot3(&normal, z));
    // The sum of squares has no sign: RSQ's absolute value changes nothing.
    let square = dot3(&[x, y, z], &[x, y, z]);
    let scale = _mm_div_ps(_mm_set1_ps(1.0), _mm_sqrt_ps(square));
    let eye = [_mm_mul_ps(x, scale), _mm_mul_ps(y, scale), _mm_mul_ps(z, scale)];
    let (x, y) = (dot3(&eye, &uniforms.light), dot3(&eye, &uniforms.half));
    let (diffuse, specular) = (lit::diffuse(x), uniforms.power.specular(x, y));

    let red = shade(uniforms, 0, diffuse, specular);
    let green = shade(uniforms, 1, diffuse, specular);
    let blue = shade(uniforms, 2, diffuse, specular);
    store_rows(output, 1, transpose([red, green, blue, uniforms.alpha]));
    let lighting = _mm_or_ps(any_nan([red, green, blue, x]), _mm_cmpnlt_ps(y, _mm_set1_ps(f32::INFINITY)));

    let position = combine_rows(&uniforms.matrix, input, 0);
    store_rows(output, 0, position);
    let texture = pass_rows(input, 2);
    store_rows(output, 2, texture);
    any(_mm_or_ps(lighting, _mm_or_ps(any_nan(position), any_nan(texture))))
}

/// One component of the colour.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn shade(uniforms: &Uniforms, component: usize, diffuse: __m128, specular: __m128) -> __m128 {
    let base = _mm_add_ps(_mm_mul_ps(diffuse, uniforms.diffuse[component]), uniforms.ambient[component]);
    _mm_add_ps(_mm_mul_ps(specular, uniforms.specular[component]), base)
}
