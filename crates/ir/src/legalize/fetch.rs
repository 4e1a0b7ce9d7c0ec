//! Attributes as they lie in memory: what the layout says becomes loads and conversions.
//!
//! A conversion gives exactly the bits of [`Encoding::value`], in either floating-point environment. What makes it so is said at
//! each: a product that has no more than 24 bits, a conversion of an integer that small, or integer arithmetic.

use super::Legalizer;
use crate::ir::func::{Inst, Value};
use crate::ir::imm::Element;
use xfjit_runtime::encoding::{Encoding, Field, Meaning, Sign};
use xfjit_runtime::format::{ByteOrder, Format};
use xfjit_runtime::fpenv::FpEnv;

impl Legalizer {
    /// A component of an attribute.
    pub(super) fn input(&mut self, inst: Inst) -> Value {
        let Element { row, component } = inst.immediate();
        let format = self.f.func().inputs.format(row);
        if component >= usize::from(format.components) {
            return self.f.bits(format.encoding.default_row()[component]);
        }
        let mut field = format.encoding.field(component);
        let mut word = self.f.input(Element { row, component: field.word });
        if format.order == ByteOrder::Swapped {
            word = self.f.swap(word);
            // The halves of a word change places; three bytes come to the upper ones.
            match format.encoding.unit() {
                2 => field.shift ^= 16,
                3 => field.shift += 8,
                _ => {}
            }
        }
        let value = self.value(format, field, word);
        let meaning = format.encoding.meaning();
        if meaning != Meaning::Bits {
            self.known.normal.insert(value);
        }
        let is_guarded = meaning == Meaning::Half && self.f.func().env() == FpEnv::Default;
        if is_guarded || !matches!(meaning, Meaning::Bits | Meaning::Half) {
            self.known.finite.insert(value);
        }
        value
    }

    /// The value of a code, see [`Encoding::value`].
    fn value(&mut self, format: Format, field: Field, word: Value) -> Value {
        let encoding = format.encoding;
        match encoding.meaning() {
            Meaning::Bits => word,
            Meaning::Half => self.half(field, word),
            Meaning::Number if format.fraction == 0 => {
                let number = self.number(format, field, word);
                self.f.cvt_f(number)
            }
            Meaning::Number => {
                let (number, shift) = self.shifted(format, field, word);
                self.scaled(number, 1.0, shift + u32::from(format.fraction))
            }
            Meaning::ByteFraction => {
                let (number, shift) = self.shifted(format, field, word);
                self.byte_fraction(number, shift)
            }
            Meaning::ShortFraction => self.short_fraction(field, word),
            Meaning::Quotient => {
                let shifted = self.shifted(format, field, word);
                self.quotient(shifted, encoding, field.bits)
            }
            Meaning::Colour => self.repeated(format, field, word),
        }
    }

    /// A number that has no more than 24 bits, times a factor of few, divided by a power of two: exact.
    fn scaled(&mut self, number: Value, factor: f32, shift: u32) -> Value {
        let number = self.f.cvt_f(number);
        let factor = self.f.float(factor / (1_u64 << shift) as f32);
        self.f.fmul(number, factor)
    }

    /// A code whose bits are repeated until they are eight, as a number.
    fn repeated(&mut self, format: Format, field: Field, word: Value) -> Value {
        let Field { shift, bits, .. } = field;
        let number = match bits {
            8 => self.code(format, field, word),
            // Twice the same is 17 times as much.
            4 => {
                let (number, shift) = self.shifted(format, field, word);
                return self.scaled(number, 17.0, shift);
            }
            _ => {
                let above = 32 - shift - bits;
                let high = if above == 0 { word } else { self.f.shl(word, above) };
                let mask = self.f.bits(!(u32::MAX >> bits));
                let high = self.f.and(high, mask);
                let again = self.f.shr(high, bits);
                let repeated = self.f.or(high, again);
                self.f.shr(repeated, 24)
            }
        };
        self.f.cvt_f(number)
    }

    /// A code as an unsigned number.
    fn code(&mut self, format: Format, Field { word: index, shift, bits }: Field, word: Value) -> Value {
        let f = &mut self.f;
        let low = if shift == 0 { word } else { f.shr(word, shift) };
        // Behind an element are zeros.
        let end = shift + bits;
        if end == 32 || 32 * index + end as usize == 8 * format.bytes() {
            return low;
        }
        let mask = f.bits(u32::MAX >> (32 - bits));
        f.and(low, mask)
    }

    /// A code as a number.
    fn number(&mut self, format: Format, field: Field, word: Value) -> Value {
        match format.encoding.sign() {
            Sign::Unsigned => self.code(format, field, word),
            Sign::Signed => self.signed(field, word),
        }
    }

    /// A code as a number of two's complement.
    fn signed(&mut self, Field { shift, bits, .. }: Field, word: Value) -> Value {
        let above = 32 - shift - bits;
        let high = if above == 0 { word } else { self.f.shl(word, above) };
        self.f.sar(high, 32 - bits)
    }

    /// A code as a number times a power of two, and the logarithm of that: where it is, if it need not be moved. It has no more
    /// than 24 bits from its highest to its lowest that is set.
    fn shifted(&mut self, format: Format, field: Field, word: Value) -> (Value, u32) {
        let Field { shift, bits, .. } = field;
        match format.encoding.sign() {
            Sign::Unsigned if shift > 0 && shift + bits < 32 => {
                let mask = self.f.bits((u32::MAX >> (32 - bits)) << shift);
                (self.f.and(word, mask), shift)
            }
            Sign::Signed if shift == 0 => (self.f.shl(word, 32 - bits), 32 - bits),
            Sign::Unsigned | Sign::Signed => (self.number(format, field, word), 0),
        }
    }

    /// A byte times 0x010101 / 2^24, which has no more than 24 bits; 255, of which that is the float below 1.0, is 1.0. It is the
    /// sum of two products, of which the lesser one's factor is greater by so much that only the sum of 255 is another one. (Under
    /// truncation the quotient by 255 would do, too; four divisions of a colour take as long.)
    fn byte_fraction(&mut self, number: Value, shift: u32) -> Value {
        // A unit of the sum of 255, cut off; half of it, rounded.
        let above = match self.f.func().env() {
            FpEnv::Truncate => 1.0 / 65_535.0,
            FpEnv::Default => 1.0 / 131_072.0,
        };
        let f = &mut self.f;
        let number = f.cvt_f(number);
        let unit = 1.0 / (1u32 << shift) as f32;
        let factor = f.float(unit / 256.0);
        let most = f.fmul(number, factor);
        let factor = f.float((257.0 * (1.0 + above)) as f32 / 16_777_216.0 * unit);
        let rest = f.fmul(number, factor);
        f.fadd(most, rest)
    }

    /// 2v + 1 times 0x10001 / 2^32, truncated; the ends of the range are 1.0. It is the quotient by 65535, cut off.
    fn short_fraction(&mut self, field: Field, word: Value) -> Value {
        let env = self.f.func().env();
        let high = self.high_half(field, word);
        let f = &mut self.f;
        // The odd number, times 2^15.
        let one = f.bits(0x8000);
        let odd = f.or(high, one);
        let number = f.cvt_f(odd);
        match env {
            FpEnv::Truncate => {
                let divisor = f.float(65_535.0 * 32_768.0);
                f.fdiv(number, divisor)
            }
            // The sum would be the product but for its rounding. What is taken from the lesser addend, half a unit of the
            // sum and a little more, and what its factor is greater by, bring every sum down but that of the ends.
            FpEnv::Default => {
                let unit = 1.0 / 2_147_483_648.0;
                let scale = f.float(unit);
                let scaled = f.fmul(number, scale);
                let half = f.bits(0x80ff);
                let less = f.isub(number, half);
                let factor = f.float((1.0 + 1.0 / 32_768.0) / 65_536.0 * unit);
                let less = f.fmul(less, factor);
                f.fadd(scaled, less)
            }
        }
    }

    /// A code of 16 bits in the upper half of a word, with zeros below.
    fn high_half(&mut self, field: Field, word: Value) -> Value {
        if field.shift == 0 {
            return self.f.shl(word, 16);
        }
        let mask = self.f.bits(0xffff_0000);
        self.f.and(word, mask)
    }

    /// A number divided by the greatest of its kind, rounded to nearest.
    fn quotient(&mut self, (number, shift): (Value, u32), encoding: Encoding, bits: u32) -> Value {
        let env = self.f.func().env();
        let greatest = encoding.greatest(bits);
        let f = &mut self.f;
        let number = match encoding.sign() {
            Sign::Unsigned => number,
            Sign::Signed => {
                let least = f.bits(greatest.wrapping_neg() << shift);
                f.imax(number, least)
            }
        };
        let number = f.cvt_f(number);
        let divisor = f.float((greatest << shift) as f32);
        let quotient = f.fdiv(number, divisor);
        match env {
            FpEnv::Default => quotient,
            // A quotient by 2^n - 1 is periodic: the bit behind the significand, which rounds it, is that n places above.
            FpEnv::Truncate => {
                let above = f.shr(quotient, greatest.count_ones() - 1);
                let one = f.bits(1);
                let up = f.and(above, one);
                f.iadd(quotient, up)
            }
        }
    }

    /// A half: its exponent has another bias, and if that is the greatest it is a float's greatest. What is denormal becomes
    /// normal.
    fn half(&mut self, field: Field, word: Value) -> Value {
        match self.f.func().env() {
            FpEnv::Default => self.scaled_half(field, word),
            FpEnv::Truncate => self.flushed_half(field, word),
        }
    }

    /// Where denormals count, a half is a float of the same fields, times 2^112. Infinities and NaNs are left to the fallback.
    fn scaled_half(&mut self, field: Field, word: Value) -> Value {
        self.require_finite_halves(word);
        let high = if field.shift == 0 { self.f.shl(word, 16) } else { word };
        let f = &mut self.f;
        let moved = f.sar(high, 3);
        let fields = f.bits(0x8fff_e000);
        let moved = f.and(moved, fields);
        let scale = f.bits((112 + 127) << 23);
        f.fmul(moved, scale)
    }

    /// Deoptimises the group if one of the two halves of a word is an infinity or a NaN: a carry leaves its exponent field.
    fn require_finite_halves(&mut self, word: Value) {
        if !self.known.finite_halves.insert(word) {
            return;
        }
        let f = &mut self.f;
        let exponents = f.bits(0x7c00_7c00);
        let exponents = f.and(word, exponents);
        let units = f.bits(0x0400_0400);
        let sums = f.iadd(exponents, units);
        let carries = f.bits(0x8000_8000);
        let carries = f.and(sums, carries);
        f.guard(carries);
    }

    /// Where they do not, that gives 0 for a denormal half, whose fraction is a number then; of greater halves the bits as a
    /// number are less.
    fn flushed_half(&mut self, field: Field, word: Value) -> Value {
        let high = if field.shift == 0 { self.f.shl(word, 16) } else { word };
        let f = &mut self.f;
        let sign = f.bits(0x8000_0000);
        let sign = f.and(high, sign);
        let mask = f.bits(0x7fff);
        let magnitude = if field.shift == 0 { word } else { f.shr(word, 16) };
        let magnitude = f.and(magnitude, mask);
        let moved = f.shl(magnitude, 13);
        let scale = f.bits((112 + 127) << 23);
        let normal = f.fmul(moved, scale);
        let number = f.cvt_f(magnitude);
        let unit = f.float(1.0 / 16_777_216.0);
        let denormal = f.fmul(number, unit);
        let value = f.fmax(normal, denormal);
        let most = f.bits(0x7bff);
        let is_special = f.igt(magnitude, most);
        let above = f.bits(112 << 23);
        let above = f.and(is_special, above);
        let value = f.or(value, above);
        f.or(value, sign)
    }
}
