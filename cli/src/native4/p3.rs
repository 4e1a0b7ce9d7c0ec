//! P3_lit8: eight point lights with attenuation, after P1's transform.

use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_div_ps, _mm_max_ps, _mm_mul_ps, _mm_or_ps, _mm_set1_ps, _mm_sqrt_ps, _mm_sub_ps,
};

use super::Constants;
use super::lanes::*;

struct Uniforms {
    clip: [[__m128; 4]; 4],
    eye: [[__m128; 4]; 3],
    ambient: [__m128; 4],
    zero: __m128,
    lights: [Light; 8],
}

struct Light {
    position: [__m128; 4],
    attenuation: [__m128; 4],
    colour: [__m128; 4],
}

/// The loop over all vertices.
#[target_feature(enable = "avx,sse4.1")]
pub(super) fn run(constants: &Constants, inputs: &[Input<3>], outputs: &mut [Output]) -> Option<usize> {
    let [red, green, blue, alpha] = constants[7];
    if f32::from_bits(constants[8][0]).is_nan() {
        return Some(0);
    }
    let uniforms = Uniforms {
        clip: [
            splat_row(&constants[0]),
            splat_row(&constants[1]),
            splat_row(&constants[2]),
            splat_row(&constants[3]),
        ],
        eye: [splat_row(&constants[4]), splat_row(&constants[5]), splat_row(&constants[6])],
        ambient: [splat(red), splat(green), splat(blue), splat(canonical(alpha))],
        zero: splat(constants[8][0]),
        lights: [
            light(constants, 16),
            light(constants, 19),
            light(constants, 22),
            light(constants, 25),
            light(constants, 28),
            light(constants, 31),
            light(constants, 34),
            light(constants, 37),
        ],
    };
    groups(inputs, outputs, |input, output| group(&uniforms, input, output))
}

/// The light whose three constants start at `first`.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn light(constants: &Constants, first: usize) -> Light {
    Light {
        position: splat_row(&constants[first]),
        attenuation: splat_row(&constants[first + 1]),
        colour: splat_row(&constants[first + 2]),
    }
}

#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn group(uniforms: &Uniforms, input: &Input<3>, output: &mut Output) -> bool {
    let position = load_lanes(input, 0);
    let [x, y, z] = &uniforms.eye;
    let eye = [dot4(&position, x), dot4(&position, y), dot4(&position, z)];
    let normal = load_lanes(input, 1);
    let normal = [dot3(&normal, x), dot3(&normal, y), dot3(&normal, z)];
    let normal = scaled(&normal, reciprocal_root(dot3(&normal, &normal)));

    let [mut red, mut green, mut blue, alpha] = uniforms.ambient;
    for light in &uniforms.lights {
        let to_light = [
            _mm_sub_ps(light.position[0], eye[0]),
            _mm_sub_ps(light.position[1], eye[1]),
            _mm_sub_ps(light.position[2], eye[2]),
        ];
        let square = dot3(&to_light, &to_light);
        let inverse = reciprocal_root(square);
        let distance = _mm_mul_ps(square, inverse);
        let [constant, linear, quadratic, _] = light.attenuation;
        let loss = _mm_add_ps(constant, _mm_mul_ps(distance, linear));
        let loss = _mm_add_ps(loss, _mm_mul_ps(square, quadratic));
        let gain = _mm_div_ps(_mm_set1_ps(1.0), loss);
        // This way round a NaN passes, as it does in the program's MAX, and is found in the colour.
        let incidence = _mm_max_ps(uniforms.zero, dot3(&normal, &scaled(&to_light, inverse)));
        let amount = _mm_mul_ps(incidence, gain);
        red = _mm_add_ps(red, _mm_mul_ps(amount, light.colour[0]));
        green = _mm_add_ps(green, _mm_mul_ps(amount, light.colour[1]));
        blue = _mm_add_ps(blue, _mm_mul_ps(amount, light.colour[2]));
    }
    store_rows(output, 1, transpose([red, green, blue, alpha]));

    let [x, y, z, w] = &uniforms.clip;
    let position = [dot4(&position, x), dot4(&position, y), dot4(&position, z), dot4(&position, w)];
    store_rows(output, 0, transpose(position));
    let texture = pass_rows(input, 2);
    store_rows(output, 2, texture);
    any(_mm_or_ps(any_nan([red, green, blue, blue]), _mm_or_ps(any_nan(position), any_nan(texture))))
}

/// RSQ of a sum of squares, which has no sign to remove: two roundings.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn reciprocal_root(square: __m128) -> __m128 {
    _mm_div_ps(_mm_set1_ps(1.0), _mm_sqrt_ps(square))
}

#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn scaled(vector: &[__m128; 3], by: __m128) -> [__m128; 3] {
    [_mm_mul_ps(vector[0], by), _mm_mul_ps(vector[1], by), _mm_mul_ps(vector[2], by)]
}
