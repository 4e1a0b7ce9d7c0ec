//! Four codes at once become a row. Of x86-64 with what each has (SSE2), since compilers do not see how to swap the bytes of shorts, or
//! where to begin; elsewhere in plain Rust, which says what it is. One unit test compares both.

use std::array::from_fn;
use xfjit_runtime::encoding::Encoding;
use xfjit_runtime::format::Format;
use xfjit_runtime::state::Row;

/// What four codes become: numbers, or words as they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    /// What numbers are multiplied by.
    scale: f32,
    /// Bits of the products that are kept.
    keep: Row,
    /// What stands where none are.
    rest: Row,
}

impl Lanes {
    /// Those of elements of a format: numbers are whole ones over a power of two, and what an element lacks is the encoding's default.
    pub(super) fn of(format: Format) -> Lanes {
        let own = |lane: usize| lane < usize::from(format.components);
        let lacking = format.encoding.default_row();
        Lanes {
            scale: f32::from_bits((127 - u32::from(format.fraction)) << 23),
            keep: from_fn(|lane| if own(lane) { u32::MAX } else { 0 }),
            rest: from_fn(|lane| if own(lane) { 0 } else { lacking[lane] }),
        }
    }
}

/// How the fields of a number become bytes: each comes into a word of 16 bits, of which the first is the lowest of 64, and is
/// multiplied there. The upper half of the product is the field's bits, and behind them the uppermost of them once more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    /// A field's bits, and bits to the left that take it into its word.
    moves: [(u64, i32); 4],
    /// A factor and a shift to the right that take all of them at once; none if the copies that the product is a sum of would overlap.
    at_once: Option<(u64, u32)>,
    /// The bits of the fields in their words.
    masks: u64,
    factors: u64,
}

impl Fields {
    /// Those of an encoding of colours.
    pub(super) const fn of(encoding: Encoding) -> Fields {
        let count = encoding.most() as usize;
        let (mut moves, mut masks, mut factors) = ([(0, 0); 4], 0, 0);
        let (mut lane, mut right) = (0, 0);
        while lane < count {
            let field = encoding.field(lane);
            // As high as the field is in the number, but no higher than a product of 16 bits allows.
            let most = 16 - 2 * field.bits;
            let lowest = if field.shift < most { field.shift } else { most };
            let word = 16 * lane as u32;
            let ones = (1 << field.bits) - 1;
            moves[lane] = (ones << field.shift, (word + lowest) as i32 - field.shift as i32);
            right = if right < -moves[lane].1 { -moves[lane].1 } else { right };
            masks |= ones << (word + lowest);
            factors |= (((1 << (16 - field.bits)) + (1 << most)) >> lowest) << word;
            lane += 1;
        }
        let (mut lane, mut factor) = (0, 0);
        let (mut are_apart, mut end) = (true, 0);
        while lane < count {
            let at = moves[lane].1 + right;
            are_apart &= at >= end;
            end = at + 8 * encoding.unit() as i32;
            factor |= 1 << at;
            lane += 1;
        }
        let at_once = if are_apart { Some((factor, right as u32)) } else { None };
        Fields { moves, at_once, masks, factors }
    }

    /// The fields of a number in their words; of other bits some.
    #[inline(always)]
    fn moved(&self, number: u64) -> u64 {
        if let Some((factor, right)) = self.at_once {
            return number.wrapping_mul(factor) >> right;
        }
        self.moves.iter().fold(0, |words, &(own, left)| {
            let field = number & own;
            words | if left < 0 { field >> -left } else { field << left }
        })
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use plain::{bytes, fields, shorts, signed_bytes, signed_shorts, whole, words};
#[cfg(target_arch = "x86_64")]
pub(super) use sse2::{bytes, fields, shorts, signed_bytes, signed_shorts, whole, words};

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the language does not know that every x86-64 has SSE2")]
mod sse2 {
    use super::{Fields, Lanes};
    use std::arch::x86_64::*;
    use xfjit_runtime::state::Row;

    #[inline(always)]
    fn row(numbers: __m128i, lanes: &Lanes) -> Row {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            bits(_mm_castps_si128(_mm_mul_ps(_mm_cvtepi32_ps(numbers), _mm_set1_ps(lanes.scale))), lanes)
        }
    }

    #[inline(always)]
    fn bits(bits: __m128i, lanes: &Lanes) -> Row {
        // SAFETY: every x86-64 has SSE2, and a row is 16 bytes.
        unsafe {
            let [keep, rest] = [&lanes.keep, &lanes.rest].map(|row| _mm_loadu_si128(row.as_ptr().cast()));
            let mut row = [0; 4];
            _mm_storeu_si128(row.as_mut_ptr().cast(), _mm_or_si128(_mm_and_si128(bits, keep), rest));
            row
        }
    }

    /// With the bytes of each short exchanged.
    #[inline(always)]
    fn swapped(shorts: __m128i) -> __m128i {
        // SAFETY: every x86-64 has SSE2.
        unsafe { _mm_or_si128(_mm_slli_epi16::<8>(shorts), _mm_srli_epi16::<8>(shorts)) }
    }

    /// Bytes, as numbers.
    #[inline(always)]
    pub(crate) fn bytes(bytes: &[u8; 4], lanes: &Lanes) -> Row {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let (bytes, zero) = (_mm_cvtsi32_si128(i32::from_le_bytes(*bytes)), _mm_setzero_si128());
            row(_mm_unpacklo_epi16(_mm_unpacklo_epi8(bytes, zero), zero), lanes)
        }
    }

    /// Signed bytes.
    #[inline(always)]
    pub(crate) fn signed_bytes(bytes: &[u8; 4], lanes: &Lanes) -> Row {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let bytes = _mm_cvtsi32_si128(i32::from_le_bytes(*bytes));
            let shorts = _mm_unpacklo_epi8(bytes, bytes);
            row(_mm_srai_epi32::<24>(_mm_unpacklo_epi16(shorts, shorts)), lanes)
        }
    }

    /// Big-endian shorts.
    #[inline(always)]
    pub(crate) fn shorts(bytes: &[u8; 8], lanes: &Lanes) -> Row {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let shorts = swapped(_mm_cvtsi64_si128(i64::from_le_bytes(*bytes)));
            row(_mm_unpacklo_epi16(shorts, _mm_setzero_si128()), lanes)
        }
    }

    /// Signed ones.
    #[inline(always)]
    pub(crate) fn signed_shorts(bytes: &[u8; 8], lanes: &Lanes) -> Row {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let shorts = swapped(_mm_cvtsi64_si128(i64::from_le_bytes(*bytes)));
            row(_mm_srai_epi32::<16>(_mm_unpacklo_epi16(shorts, shorts)), lanes)
        }
    }

    /// Big-endian words, as they are.
    #[inline(always)]
    pub(crate) fn words(bytes: &[u8; 16], lanes: &Lanes) -> Row {
        // SAFETY: every x86-64 has SSE2, and these are 16 bytes.
        unsafe {
            let shorts = swapped(_mm_loadu_si128(bytes.as_ptr().cast()));
            bits(_mm_shufflehi_epi16::<0xb1>(_mm_shufflelo_epi16::<0xb1>(shorts)), lanes)
        }
    }

    /// The bytes of whole numbers from 0 to 255.
    #[inline(always)]
    pub(crate) fn whole(row: &Row) -> [u8; 4] {
        // SAFETY: every x86-64 has SSE2, and a row is 16 bytes.
        unsafe {
            let numbers = _mm_cvttps_epi32(_mm_castsi128_ps(_mm_loadu_si128(row.as_ptr().cast())));
            let shorts = _mm_packs_epi32(numbers, numbers);
            _mm_cvtsi128_si32(_mm_packus_epi16(shorts, shorts)).to_le_bytes()
        }
    }

    /// Fields of a number, as bytes.
    #[inline(always)]
    pub(crate) fn fields(number: u64, fields: &Fields, lanes: &Lanes) -> Row {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let factors = _mm_cvtsi64_si128(fields.factors as i64);
            let words = fields.moved(number) & fields.masks;
            let products = _mm_mullo_epi16(_mm_cvtsi64_si128(words as i64), factors);
            row(_mm_unpacklo_epi16(_mm_srli_epi16::<8>(products), _mm_setzero_si128()), lanes)
        }
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain {
    use super::{Fields, Lanes};
    use std::array::from_fn;
    use xfjit_runtime::state::Row;

    #[inline(always)]
    fn row(numbers: [i32; 4], lanes: &Lanes) -> Row {
        bits(numbers.map(|number| (number as f32 * lanes.scale).to_bits()), lanes)
    }

    #[inline(always)]
    fn bits(bits: Row, lanes: &Lanes) -> Row {
        from_fn(|lane| bits[lane] & lanes.keep[lane] | lanes.rest[lane])
    }

    #[inline(always)]
    fn short(bytes: &[u8; 8], lane: usize) -> u16 {
        u16::from_be_bytes([bytes[2 * lane], bytes[2 * lane + 1]])
    }

    /// Bytes, as numbers.
    #[inline(always)]
    pub(crate) fn bytes(bytes: &[u8; 4], lanes: &Lanes) -> Row {
        row(bytes.map(i32::from), lanes)
    }

    /// Signed bytes.
    #[inline(always)]
    pub(crate) fn signed_bytes(bytes: &[u8; 4], lanes: &Lanes) -> Row {
        row(bytes.map(|byte| i32::from(byte as i8)), lanes)
    }

    /// Big-endian shorts.
    #[inline(always)]
    pub(crate) fn shorts(bytes: &[u8; 8], lanes: &Lanes) -> Row {
        row(from_fn(|lane| short(bytes, lane).into()), lanes)
    }

    /// Signed ones.
    #[inline(always)]
    pub(crate) fn signed_shorts(bytes: &[u8; 8], lanes: &Lanes) -> Row {
        row(from_fn(|lane| (short(bytes, lane) as i16).into()), lanes)
    }

    /// Big-endian words, as they are.
    #[inline(always)]
    pub(crate) fn words(bytes: &[u8; 16], lanes: &Lanes) -> Row {
        bits(from_fn(|lane| u32::from_be_bytes(from_fn(|byte| bytes[4 * lane + byte]))), lanes)
    }

    /// The bytes of whole numbers from 0 to 255.
    #[inline(always)]
    pub(crate) fn whole(row: &Row) -> [u8; 4] {
        row.map(|number| f32::from_bits(number) as u8)
    }

    /// Fields of a number, as bytes.
    #[inline(always)]
    pub(crate) fn fields(number: u64, fields: &Fields, lanes: &Lanes) -> Row {
        let words = fields.moved(number) & fields.masks;
        let word = |words: u64, lane: usize| u32::from((words >> (16 * lane)) as u16);
        let product = |lane| word(words, lane) * word(fields.factors, lane);
        row(from_fn(|lane| (product(lane) as u16 >> 8).into()), lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xfjit_testing::Choices;

    #[test]
    fn both_ways_are_the_same() {
        let mut c = Choices::seed(41);
        for _ in 0..5000 {
            let encoding = [Encoding::S32k, Encoding::Rgba8][c.below(2) as usize];
            let format = Format::host(encoding, 1 + c.below(4) as u8);
            let lanes = Lanes::of(format.with_fraction(c.below(32) as u8).canonical());
            let bytes: [u8; 16] =
                std::array::from_fn(|_| [0, 0x7f, 0x80, 0xff, c.word() as u8][c.below(5) as usize]);
            let (four, eight) = (bytes.first_chunk().expect("4"), bytes.first_chunk().expect("8"));
            assert_eq!(super::bytes(four, &lanes), plain::bytes(four, &lanes));
            assert_eq!(signed_bytes(four, &lanes), plain::signed_bytes(four, &lanes));
            assert_eq!(shorts(eight, &lanes), plain::shorts(eight, &lanes));
            assert_eq!(signed_shorts(eight, &lanes), plain::signed_shorts(eight, &lanes));
            assert_eq!(words(&bytes, &lanes), plain::words(&bytes, &lanes));
            let numbers = four.map(|byte| f32::from(byte).to_bits());
            assert_eq!([whole(&numbers), plain::whole(&numbers)], [*four; 2]);
            for encoding in [Encoding::Rgb565, Encoding::Rgba4, Encoding::Rgba6] {
                let (number, own) = (u64::from_le_bytes(*eight) & 0xff_ffff, &Fields::of(encoding));
                assert_eq!(fields(number, own, &lanes), plain::fields(number, own, &lanes));
            }
        }
    }
}
