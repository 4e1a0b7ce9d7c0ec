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
use xfjit_runtime::state::DEFAULT_ROW;

/// 1.0 but for one unit in the last place.
const BELOW_ONE: u32 = 0x3f7f_ffff;
/// Sixteen, in the exponent field of a float.
const SIXTEEN: u32 = 16 << 23;

impl Legalizer {
    /// A component of an attribute.
    pub(super) fn input(&mut self, inst: Inst) -> Value {
        let Element { row, component } = inst.immediate();
        let format = self.f.func().inputs.format(row);
        if component >= usize::from(format.components) {
            return self.f.bits(DEFAULT_ROW[component]);
        }
        let field = format.encoding.field(component);
        let word = self.f.input(Element { row, component: field.word });
        let word = match (format.order, format.encoding.unit()) {
            (ByteOrder::Swapped, 4) => self.swapped(word),
            (ByteOrder::Swapped, 2) => self.halves_swapped(word),
            (ByteOrder::Host | ByteOrder::Swapped, _) => word,
        };
        let value = self.value(format, field, word);
        let meaning = format.encoding.meaning();
        if meaning != Meaning::Bits {
            self.known.normal.insert(value);
        }
        if !matches!(meaning, Meaning::Bits | Meaning::Half) {
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
            Meaning::Number => {
                let number = self.number(format, field, word);
                self.f.cvt_f(number)
            }
            Meaning::ByteFraction => {
                let code = self.code(format, field, word);
                self.byte_fraction(code)
            }
            Meaning::ShortFraction => self.short_fraction(field, word),
            Meaning::Quotient => {
                let number = self.number(format, field, word);
                self.quotient(number, encoding, field.bits)
            }
        }
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

    /// A byte times 0x010101 / 2^24, which has no more than 24 bits; 255, of which that is the float below 1.0, is 1.0.
    fn byte_fraction(&mut self, code: Value) -> Value {
        let f = &mut self.f;
        let number = f.cvt_f(code);
        let factor = f.float(65_793.0 / 16_777_216.0);
        let product = f.fmul(number, factor);
        let below = f.bits(BELOW_ONE);
        let is_one = f.ieq(product, below);
        f.isub(product, is_one)
    }

    /// 2v + 1 times 0x10001 / 2^32, truncated; the ends of the range, of which that is the float below 1.0, are 1.0.
    fn short_fraction(&mut self, field: Field, word: Value) -> Value {
        let env = self.f.func().env();
        let f = &mut self.f;
        // Twice the number, with a lowest bit that becomes 1 whatever it is.
        let above = 16 - field.shift;
        let high = if above == 0 { word } else { f.shl(word, above) };
        let twice = f.sar(high, 15);
        let one = f.bits(1);
        let odd = f.or(twice, one);
        let number = f.cvt_f(odd);
        let product = match env {
            FpEnv::Truncate => {
                let factor = f.float(65_537.0 / 4_294_967_296.0);
                f.fmul(number, factor)
            }
            // The significand has 16 bits, so that what the product adds to it, its upper eight bits, are its lowest.
            FpEnv::Default => {
                let upper = f.shr(number, 16);
                let mask = f.bits(0x7f);
                let upper = f.and(upper, mask);
                let scaled = f.bits(0x80u32.wrapping_sub(SIXTEEN));
                let scaled = f.iadd(number, scaled);
                f.iadd(scaled, upper)
            }
        };
        let magnitude = f.bits(0x7fff_ffff);
        let magnitude = f.and(product, magnitude);
        let below = f.bits(BELOW_ONE);
        let is_one = f.ieq(magnitude, below);
        f.isub(product, is_one)
    }

    /// A number divided by the greatest of its kind, rounded to nearest.
    fn quotient(&mut self, number: Value, encoding: Encoding, bits: u32) -> Value {
        let env = self.f.func().env();
        let greatest = encoding.greatest(bits);
        let f = &mut self.f;
        let number = match encoding.sign() {
            Sign::Unsigned => number,
            Sign::Signed => {
                let least = f.bits(greatest.wrapping_neg());
                f.imax(number, least)
            }
        };
        let number = f.cvt_f(number);
        let divisor = f.float(greatest as f32);
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

    /// A half: its exponent has another bias, and if it is denormal its fraction is a number, of up to ten bits.
    fn half(&mut self, field: Field, word: Value) -> Value {
        let high = if field.shift == 0 { self.f.shl(word, 16) } else { word };
        let f = &mut self.f;
        let sign = f.bits(0x8000_0000);
        let sign = f.and(high, sign);
        let mask = f.bits(0x7fff);
        let magnitude = f.shr(high, 16);
        let magnitude = f.and(magnitude, mask);
        let moved = f.shl(magnitude, 13);
        let bias = f.bits(112 << 23);
        let normal = f.iadd(moved, bias);
        let number = f.cvt_f(magnitude);
        let unit = f.float(1.0 / 16_777_216.0);
        let denormal = f.fmul(number, unit);
        let least = f.bits(0x400);
        let is_denormal = f.igt(least, magnitude);
        let small = f.select(is_denormal, denormal, normal);
        // Infinities and NaNs have the greatest exponent of floats.
        let most = f.bits(0x7bff);
        let is_special = f.igt(magnitude, most);
        let rest = f.and(is_special, bias);
        let value = f.iadd(small, rest);
        f.or(value, sign)
    }

    /// The bytes of a word in the other order.
    fn swapped(&mut self, word: Value) -> Value {
        let f = &mut self.f;
        let (low, high) = (f.shl(word, 24), f.shr(word, 24));
        let (second, mask) = (f.bits(0xff00), f.bits(0x00ff_0000));
        let ends = f.or(low, high);
        let up = f.and(word, second);
        let up = f.shl(up, 8);
        let down = f.and(word, mask);
        let down = f.shr(down, 8);
        let middle = f.or(up, down);
        f.or(ends, middle)
    }

    /// The bytes of each half of a word in the other order.
    fn halves_swapped(&mut self, word: Value) -> Value {
        let f = &mut self.f;
        let mask = f.bits(0x00ff_00ff);
        let up = f.and(word, mask);
        let up = f.shl(up, 8);
        let down = f.shr(word, 8);
        let down = f.and(down, mask);
        f.or(up, down)
    }
}
