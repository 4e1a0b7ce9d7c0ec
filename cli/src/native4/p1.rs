//! P1_mvp: a position through a 4x4 matrix; colour and texture coordinates pass.
//!
//! Two forms. *By lanes* is what a compiler of such programs makes: components of four vertices side by side, so rows are
//! transposed in and out. *By rows* is what suits this program: with the matrix held by columns,
//! `((x*c0 + y*c1) + z*c2) + w*c3` on whole rows is the same four sums in the same order, and a broadcast from memory
//! costs less than a transpose.

use std::arch::x86_64::{__m128, _mm_or_ps};

use super::Constants;
use super::lanes::*;

/// By rows: the loop over all groups.
#[target_feature(enable = "avx,sse4.1")]
pub(super) fn run(constants: &Constants, inputs: &[Input<3>], outputs: &mut [Output]) -> Option<usize> {
    let columns = transpose(matrix(constants, 0));
    groups(inputs, outputs, |input, output| {
        let position = combine_rows(&columns, input, 0);
        store_rows(output, 0, position);
        finish(input, output, position)
    })
}

/// By lanes: the loop over all groups.
#[target_feature(enable = "avx,sse4.1")]
pub(super) fn run_lanes(constants: &Constants, inputs: &[Input<3>], outputs: &mut [Output]) -> Option<usize> {
    let x = splat_row(&constants[0]);
    let y = splat_row(&constants[1]);
    let z = splat_row(&constants[2]);
    let w = splat_row(&constants[3]);
    groups(inputs, outputs, |input, output| {
        let from = load_lanes(input, 0);
        let position = [dot4(&from, &x), dot4(&from, &y), dot4(&from, &z), dot4(&from, &w)];
        store_rows(output, 0, transpose(position));
        finish(input, output, position)
    })
}

/// What passes through; says whether anything is NaN.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn finish(input: &Input<3>, output: &mut Output, position: [__m128; 4]) -> bool {
    let (colour, texture) = (pass_rows(input, 1), pass_rows(input, 2));
    store_rows(output, 1, colour);
    store_rows(output, 2, texture);
    any(_mm_or_ps(any_nan(position), _mm_or_ps(any_nan(colour), any_nan(texture))))
}
