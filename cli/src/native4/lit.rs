//! The power of LIT, `exp2(log2(y) * w)`, as the hardware's tables give it, for an exponent that is the same for all
//! vertices.
//!
//! Both functions are 32 line segments, `a * 256 + b * l` with an eight-bit `l`. The logarithm has 26 fraction bits, the
//! exponent `p` has 13, and so has their product, which is rounded down: with the logarithm split into its whole part E
//! and its fraction F that is `E*p + floor(F*p / 2^26)`, both parts in 32 bits.

use std::arch::x86_64::{
    __m128, __m128i, _mm_add_epi32, _mm_and_si128, _mm_blend_epi16, _mm_castps_si128, _mm_castsi128_ps,
    _mm_cmpgt_epi32, _mm_extract_epi64, _mm_madd_epi16, _mm_max_epi32, _mm_min_epi32, _mm_mul_epi32,
    _mm_mullo_epi32, _mm_set_epi64x, _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_epi32, _mm_shuffle_ps,
    _mm_slli_epi32, _mm_srli_epi32,
};

/// What LIT makes of an exponent, in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Power {
    /// The exponent with 13 fraction bits.
    exponent: __m128i,
    /// The exponent doubled: a factor for the high half of a product.
    doubled: __m128i,
    /// What turns `E*p` with a biased E into the result's biased exponent.
    bias: __m128i,
}

/// LIT.y of an operand x that is not NaN: x, but +0 where the sign is set.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
pub(super) fn diffuse(x: __m128) -> __m128 {
    _mm_castsi128_ps(_mm_max_epi32(_mm_castps_si128(x), _mm_setzero_si128()))
}

impl Power {
    /// For the exponent `w`; none where LIT has a rule of its own (zero, denormal, negative, NaN).
    #[target_feature(enable = "avx,sse4.1")]
    #[inline]
    pub(super) fn new(w: u32) -> Option<Power> {
        let exponent = match w >> 23 {
            1..113 => 0,
            biased @ 113..134 => ((w & 0x7f_ffff) | 0x80_0000) >> (137 - biased),
            134..0xff => 0x10_0000,
            0xff if w == f32::INFINITY.to_bits() => 0x10_0000,
            _ => return None,
        };
        let exponent = exponent.min(0xf_ffff) as i32;
        Some(Power {
            exponent: _mm_set1_epi32(exponent),
            doubled: _mm_set1_epi32(2 * exponent),
            bias: _mm_set1_epi32((127 << 13) - 127 * exponent),
        })
    }

    /// LIT.z of operands x and y that are not NaN, y not +Inf.
    #[target_feature(enable = "avx,sse4.1")]
    #[inline]
    pub(super) fn specular(&self, x: __m128, y: __m128) -> __m128 {
        let (x, y) = (_mm_castps_si128(x), _mm_castps_si128(y));
        // The fraction with 31 bits, so that its product with the doubled exponent has the wanted bits in the high half.
        let (a, b) = look_up(&LOG, _mm_srli_epi32::<18>(y));
        let l = _mm_and_si128(_mm_srli_epi32::<5>(y), _mm_set1_epi32(0xff << 5));
        let fraction = _mm_add_epi32(a, _mm_madd_epi16(b, l));
        let even = _mm_mul_epi32(fraction, self.doubled);
        let odd = _mm_mul_epi32(_mm_shuffle_epi32::<0b11_11_01_01>(fraction), self.doubled);
        let product = _mm_blend_epi16::<0b1100_1100>(_mm_shuffle_epi32::<0b11_11_01_01>(even), odd);
        let whole = _mm_mullo_epi32(_mm_srli_epi32::<23>(y), self.exponent);
        let sum = _mm_add_epi32(_mm_add_epi32(whole, self.bias), product);
        let clamped = _mm_min_epi32(sum, _mm_set1_epi32(255 << 13));

        let (a, b) = look_up(&EXP, _mm_srli_epi32::<8>(clamped));
        let l = _mm_and_si128(clamped, _mm_set1_epi32(0xff));
        let fraction = _mm_add_epi32(a, _mm_madd_epi16(b, l));
        let exponent = _mm_slli_epi32::<23>(_mm_srli_epi32::<13>(clamped));
        // +0 where x or y is not a positive normal, and where the result's exponent is not positive.
        let positive = _mm_cmpgt_epi32(_mm_min_epi32(x, y), _mm_set1_epi32(0x7f_ffff));
        let normal = _mm_cmpgt_epi32(clamped, _mm_set1_epi32((1 << 13) - 1));
        let result = _mm_add_epi32(exponent, fraction);
        _mm_castsi128_ps(_mm_and_si128(result, _mm_and_si128(positive, normal)))
    }
}

/// The segments that the low five bits of each lane select, as `a` and `b`.
#[target_feature(enable = "avx,sse4.1")]
#[inline]
fn look_up(table: &[i64; 32], index: __m128i) -> (__m128i, __m128i) {
    let (low, high) = (_mm_extract_epi64::<0>(index) as u64, _mm_extract_epi64::<1>(index) as u64);
    let entry = |index: u64| table[(index & 31) as usize];
    let low = _mm_castsi128_ps(_mm_set_epi64x(entry(low >> 32), entry(low)));
    let high = _mm_castsi128_ps(_mm_set_epi64x(entry(high >> 32), entry(high)));
    (
        _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(low, high)),
        _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(low, high)),
    )
}

/// Segments as they are loaded: `a` shifted in the low half, `b` shifted in the high half.
const fn segments(from: [(u32, u32); 32], a_shift: u32, b_shift: u32) -> [i64; 32] {
    let mut table = [0; 32];
    let mut index = 0;
    while index < 32 {
        let (a, b) = from[index];
        table[index] = ((a as i64) << a_shift) | ((b as i64) << (32 + b_shift));
        index += 1;
    }
    table
}

/// Logarithm with 31 fraction bits; its `l` comes shifted by 5.
static LOG: [i64; 32] = segments(LOG_SEGMENTS, 13, 0);

/// Power of two with 23 fraction bits.
static EXP: [i64; 32] = segments(EXP_SEGMENTS, 9, 1);

/// The hardware's segments of log2 over [1, 2): 26 fraction bits.
pub(super) const LOG_SEGMENTS: [(u32, u32); 32] = [
    (0x00000, 0x2db6),
    (0x02db6, 0x2c07),
    (0x059bd, 0x2ad6),
    (0x08493, 0x299a),
    (0x0ae2d, 0x2879),
    (0x0d6a6, 0x277a),
    (0x0fe20, 0x2648),
    (0x12468, 0x2566),
    (0x149ce, 0x2479),
    (0x16e47, 0x2398),
    (0x191df, 0x22c2),
    (0x1b4a1, 0x21f5),
    (0x1d696, 0x2133),
    (0x1f7c9, 0x2076),
    (0x2183f, 0x1fc5),
    (0x23804, 0x1f1a),
    (0x2571e, 0x1e74),
    (0x27592, 0x1dd9),
    (0x2936b, 0x1d40),
    (0x2b0ab, 0x1caf),
    (0x2cd5a, 0x1c22),
    (0x2e97c, 0x1b9e),
    (0x3051a, 0x1b1b),
    (0x32035, 0x1a9e),
    (0x33ad3, 0x1a24),
    (0x354f7, 0x19b2),
    (0x36ea9, 0x1940),
    (0x387e9, 0x18d4),
    (0x3a0bd, 0x186b),
    (0x3b928, 0x1803),
    (0x3d12b, 0x17aa),
    (0x3e8d5, 0x172a),
];

/// The hardware's segments of exp2 over [0, 1): 22 fraction bits.
pub(super) const EXP_SEGMENTS: [(u32, u32); 32] = [
    (0x00000, 0x0167),
    (0x00167, 0x016e),
    (0x002d5, 0x0177),
    (0x0044c, 0x017f),
    (0x005cb, 0x0187),
    (0x00752, 0x0190),
    (0x008e2, 0x0199),
    (0x00a7b, 0x01a1),
    (0x00c1c, 0x01ab),
    (0x00dc7, 0x01b4),
    (0x00f7b, 0x01bd),
    (0x01138, 0x01c7),
    (0x012ff, 0x01d2),
    (0x014d1, 0x01db),
    (0x016ac, 0x01e6),
    (0x01892, 0x01f1),
    (0x01a83, 0x01fb),
    (0x01c7e, 0x0206),
    (0x01e84, 0x0212),
    (0x02096, 0x021e),
    (0x022b4, 0x0229),
    (0x024dd, 0x0235),
    (0x02712, 0x0242),
    (0x02954, 0x024f),
    (0x02ba3, 0x025b),
    (0x02dfe, 0x0269),
    (0x03067, 0x0275),
    (0x032dc, 0x0285),
    (0x03561, 0x0291),
    (0x037f2, 0x02a1),
    (0x03a93, 0x02b1),
    (0x03d44, 0x02bb),
];
