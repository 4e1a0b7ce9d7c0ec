//! Rows of four components, four of them at a time: loads, stores, transposes, tests for NaN, and the loop over groups.
//!
//! A *row* is one float4 of one vertex as it lies in memory. A *lane vector* holds one component of four vertices.
//! Every function here is safe to call where the CPU features are known to be there; nothing takes a pointer.

use std::arch::asm;
use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_cmpunord_ps, _mm_loadu_ps, _mm_movehl_ps, _mm_movelh_ps, _mm_movemask_ps,
    _mm_mul_ps, _mm_or_ps, _mm_set1_ps, _mm_shuffle_ps, _mm_storeu_ps, _mm_unpackhi_ps, _mm_unpacklo_ps,
};

use super::Constants;

/// One float4 of one vertex, as bits.
pub(super) type Row = [u32; 4];

/// A group of four vertices, each with its attributes.
pub(super) type Input<const ATTRIBUTES: usize> = [[Row; ATTRIBUTES]; 4];

/// What a group writes: all programs of the set have three outputs.
pub(super) type Output = [[Row; 3]; 4];

/// A row as it lies in memory.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn load(row: &Row) -> __m128 {
    // SAFETY: the sixteen bytes are those of `row`; the load needs no alignment.
    unsafe { _mm_loadu_ps(row.as_ptr().cast()) }
}

/// A row that passes through. Without the barrier the compiler joins copies of neighbouring rows to 256-bit moves,
/// and loads the row a second time for the test.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn pass(row: &Row) -> __m128 {
    let mut value = load(row);
    // SAFETY: the template is empty; it only hides from the compiler where the register's value comes from.
    unsafe { asm!("/* {0} */", inout(xmm_reg) value, options(pure, nomem, nostack, preserves_flags)) };
    value
}

/// One attribute of four vertices that passes through.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn pass_rows<const ATTRIBUTES: usize>(input: &Input<ATTRIBUTES>, attribute: usize) -> [__m128; 4] {
    let [a, b, c, d] = input;
    [pass(&a[attribute]), pass(&b[attribute]), pass(&c[attribute]), pass(&d[attribute])]
}

/// One attribute of four vertices, as lane vectors.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn load_lanes<const ATTRIBUTES: usize>(
    input: &Input<ATTRIBUTES>,
    attribute: usize,
) -> [__m128; 4] {
    let [a, b, c, d] = input;
    transpose([load(&a[attribute]), load(&b[attribute]), load(&c[attribute]), load(&d[attribute])])
}

/// One output of four vertices, from rows.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn store_rows(output: &mut Output, register: usize, rows: [__m128; 4]) {
    for (vertex, row) in output.iter_mut().zip(rows) {
        store(&mut vertex[register], row);
    }
}

/// The row back to memory.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn store(row: &mut Row, value: __m128) {
    // SAFETY: the sixteen bytes are those of `row`; the store needs no alignment. (Extracting the lanes would be safe, but
    // the compiler then stores in pieces.)
    unsafe { _mm_storeu_ps(row.as_mut_ptr().cast(), value) };
}

/// One word in all four lanes.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn splat(word: u32) -> __m128 {
    _mm_set1_ps(f32::from_bits(word))
}

/// Each component of a row in all four lanes.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn splat_row(row: &Row) -> [__m128; 4] {
    [splat(row[0]), splat(row[1]), splat(row[2]), splat(row[3])]
}

/// Rows to lane vectors, or back.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn transpose([a, b, c, d]: [__m128; 4]) -> [__m128; 4] {
    let (ab_low, ab_high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
    let (cd_low, cd_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
    [
        _mm_movelh_ps(ab_low, cd_low),
        _mm_movehl_ps(cd_low, ab_low),
        _mm_movelh_ps(ab_high, cd_high),
        _mm_movehl_ps(cd_high, ab_high),
    ]
}

/// Lanes in which either value is NaN.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn unordered(a: __m128, b: __m128) -> __m128 {
    _mm_cmpunord_ps(a, b)
}

/// A constant that reaches an output as it is: a NaN is the one NaN there is.
pub(super) fn canonical(word: u32) -> u32 {
    if f32::from_bits(word).is_nan() { 0x7fff_ffff } else { word }
}

/// Lanes in which any of four values is NaN.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn any_nan([a, b, c, d]: [__m128; 4]) -> __m128 {
    _mm_or_ps(_mm_cmpunord_ps(a, b), _mm_cmpunord_ps(c, d))
}

/// Whether any lane is flagged.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn any(flags: __m128) -> bool {
    _mm_movemask_ps(flags) != 0
}

/// Three-component product sum `(xx + yy) + zz`, in that order; a fourth component is ignored.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn dot3<const A: usize, const B: usize>(a: &[__m128; A], b: &[__m128; B]) -> __m128 {
    const { assert!(A >= 3 && B >= 3) };
    let sum = _mm_add_ps(_mm_mul_ps(a[0], b[0]), _mm_mul_ps(a[1], b[1]));
    _mm_add_ps(sum, _mm_mul_ps(a[2], b[2]))
}

/// Four-component product sum `((xx + yy) + zz) + ww`, in that order.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn dot4(a: &[__m128; 4], b: &[__m128; 4]) -> __m128 {
    _mm_add_ps(dot3(a, b), _mm_mul_ps(a[3], b[3]))
}

/// Each lane in all four lanes of a vector of its own.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn spread(value: __m128) -> [__m128; 4] {
    [
        _mm_shuffle_ps::<0b00_00_00_00>(value, value),
        _mm_shuffle_ps::<0b01_01_01_01>(value, value),
        _mm_shuffle_ps::<0b10_10_10_10>(value, value),
        _mm_shuffle_ps::<0b11_11_11_11>(value, value),
    ]
}

/// Runs `group` over groups of vertices up to the first for which it says that plain IEEE arithmetic does not settle
/// the result; returns that one's index. (No call in the loop: it would push the constants out of their registers.)
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn groups<const ATTRIBUTES: usize>(
    inputs: &[Input<ATTRIBUTES>],
    outputs: &mut [Output],
    group: impl Fn(&Input<ATTRIBUTES>, &mut Output) -> bool,
) -> Option<usize> {
    for (index, (input, output)) in inputs.iter().zip(outputs).enumerate() {
        if group(input, output) {
            return Some(index);
        }
    }
    None
}

/// Four constants from `first` on, as rows.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn matrix(constants: &Constants, first: usize) -> [__m128; 4] {
    [
        load(&constants[first]),
        load(&constants[first + 1]),
        load(&constants[first + 2]),
        load(&constants[first + 3]),
    ]
}

/// One attribute of four vertices through a matrix held by columns, as rows.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn combine_rows<const ATTRIBUTES: usize>(
    columns: &[__m128; 4],
    input: &Input<ATTRIBUTES>,
    attribute: usize,
) -> [__m128; 4] {
    let [a, b, c, d] = input;
    [
        combine(columns, &a[attribute]),
        combine(columns, &b[attribute]),
        combine(columns, &c[attribute]),
        combine(columns, &d[attribute]),
    ]
}

/// The sum of four columns weighted by the components of a row: `((x*c0 + y*c1) + z*c2) + w*c3`.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn combine(columns: &[__m128; 4], row: &Row) -> __m128 {
    dot4(&splat_row(row), columns)
}
