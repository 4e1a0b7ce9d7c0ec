//! P4_skin: a position and a normal blended over four bones that each vertex selects, then one light.

use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_castsi128_ps, _mm_cmpgt_epi32, _mm_cvttps_epi32, _mm_extract_epi32, _mm_max_ps,
    _mm_mul_ps, _mm_or_ps, _mm_or_si128, _mm_set1_epi32,
};

use super::Constants;
use super::lanes::*;

/// The bones' first row.
const BONES: usize = 20;

/// The greatest offset that is taken here: all bits set, so that a mask keeps every offset within the constants.
const LAST: usize = 127;

struct Uniforms<'a> {
    constants: &'a Constants,
    clip: [[__m128; 4]; 4],
    one: __m128,
    zero: __m128,
    light: [__m128; 4],
    ambient: __m128,
    diffuse: __m128,
}

/// The loop over all vertices.
#[target_feature(enable = "avx,sse4.1")]
pub(super) fn run(constants: &Constants, inputs: &[Input<5>], outputs: &mut [Output]) -> Option<usize> {
    if f32::from_bits(constants[8][0]).is_nan() {
        return Some(0);
    }
    let uniforms = Uniforms {
        constants,
        clip: [
            splat_row(&constants[0]),
            splat_row(&constants[1]),
            splat_row(&constants[2]),
            splat_row(&constants[3]),
        ],
        one: splat(constants[8][1]),
        zero: splat(constants[8][0]),
        light: splat_row(&constants[9]),
        ambient: load(&constants[10]),
        diffuse: load(&constants[11]),
    };
    groups(inputs, outputs, |input, output| group(&uniforms, input, output))
}

#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn group(uniforms: &Uniforms, input: &Input<5>, output: &mut Output) -> bool {
    let (position, weights) = (load_lanes(input, 0), load_lanes(input, 1));
    let (normal, offsets) = (load_lanes(input, 2), load_lanes(input, 3));
    let (first, first_flags) = bone(uniforms, offsets[0], weights[0], &position, &normal);
    let (second, second_flags) = bone(uniforms, offsets[1], weights[1], &position, &normal);
    let sums = added(&second, &first);
    let (third, third_flags) = bone(uniforms, offsets[2], weights[2], &position, &normal);
    let sums = added(&third, &sums);
    let (fourth, fourth_flags) = bone(uniforms, offsets[3], weights[3], &position, &normal);
    let sums = added(&fourth, &sums);
    let flags = _mm_or_ps(_mm_or_ps(first_flags, second_flags), _mm_or_ps(third_flags, fourth_flags));
    let [x, normal_x, y, normal_y, z, normal_z] = sums;
    let blended = [x, y, z, uniforms.one];
    let [x, y, z, w] = &uniforms.clip;
    let position = [dot4(&blended, x), dot4(&blended, y), dot4(&blended, z), dot4(&blended, w)];
    store_rows(output, 0, transpose(position));

    // This way round a NaN passes, as it does in the program's MAX, and is found in the colour.
    let amount = _mm_max_ps(uniforms.zero, dot3(&[normal_x, normal_y, normal_z], &uniforms.light));
    let [a, b, c, d] = spread(amount);
    let colour = [shade(uniforms, a), shade(uniforms, b), shade(uniforms, c), shade(uniforms, d)];
    store_rows(output, 1, colour);
    let texture = pass_rows(input, 4);
    store_rows(output, 2, texture);
    let flags = _mm_or_ps(flags, any_nan(position));
    any(_mm_or_ps(flags, _mm_or_ps(any_nan(colour), any_nan(texture))))
}

/// Position and normal (x of both, then y, then z) through the bones that four vertices select, times their weights; and
/// the lanes whose offset is not one of a bone.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn bone(
    uniforms: &Uniforms,
    offset: __m128,
    weight: __m128,
    position: &[__m128; 4],
    normal: &[__m128; 4],
) -> ([__m128; 6], __m128) {
    let row = _mm_cvttps_epi32(offset);
    // Only the sign bits of the flags count, and what does not convert is negative.
    let outside = _mm_or_si128(_mm_cmpgt_epi32(row, _mm_set1_epi32(LAST as i32)), row);
    let outside = _mm_or_ps(_mm_castsi128_ps(outside), offset);
    let a = _mm_extract_epi32::<0>(row) as usize & LAST;
    let b = _mm_extract_epi32::<1>(row) as usize & LAST;
    let c = _mm_extract_epi32::<2>(row) as usize & LAST;
    let d = _mm_extract_epi32::<3>(row) as usize & LAST;
    let x = gather(uniforms.constants, [a, b, c, d]);
    let (position_x, normal_x) = (dot4(position, &x), dot3(normal, &x));
    let y = gather(uniforms.constants, [a + 1, b + 1, c + 1, d + 1]);
    let (position_y, normal_y) = (dot4(position, &y), dot3(normal, &y));
    let z = gather(uniforms.constants, [a + 2, b + 2, c + 2, d + 2]);
    let (position_z, normal_z) = (dot4(position, &z), dot3(normal, &z));
    let products = [
        _mm_mul_ps(position_x, weight),
        _mm_mul_ps(normal_x, weight),
        _mm_mul_ps(position_y, weight),
        _mm_mul_ps(normal_y, weight),
        _mm_mul_ps(position_z, weight),
        _mm_mul_ps(normal_z, weight),
    ];
    (products, outside)
}

#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn added(a: &[__m128; 6], b: &[__m128; 6]) -> [__m128; 6] {
    [
        _mm_add_ps(a[0], b[0]),
        _mm_add_ps(a[1], b[1]),
        _mm_add_ps(a[2], b[2]),
        _mm_add_ps(a[3], b[3]),
        _mm_add_ps(a[4], b[4]),
        _mm_add_ps(a[5], b[5]),
    ]
}

/// One bone row of each vertex, as lane vectors.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn gather(constants: &Constants, [a, b, c, d]: [usize; 4]) -> [__m128; 4] {
    transpose([
        load(&constants[BONES + a]),
        load(&constants[BONES + b]),
        load(&constants[BONES + c]),
        load(&constants[BONES + d]),
    ])
}

/// The colour of one vertex.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn shade(uniforms: &Uniforms, amount: __m128) -> __m128 {
    _mm_add_ps(_mm_mul_ps(amount, uniforms.diffuse), uniforms.ambient)
}
