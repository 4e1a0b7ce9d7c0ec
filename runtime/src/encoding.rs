//! Encodings of vertex attributes: what the codes in memory mean.
//!
//! The chips have eight (`FORMAT` of their vertex arrays: UB_D3D, S1, F, F16, UB_OGL, S32K, CMP, UB256). The others are those of graphics
//! APIs, and the colours of Flipper (flipper.md 1.4). The functions are integer arithmetic, so they are the same on every host and in every
//! floating-point environment; generated code (`legalize/fetch.rs` of the library) equals them for every code.

use crate::registers::{ATTRIBUTES, DEFAULT_ROW, Row};

/// Calls `$reader!` with the encodings: `Name = "text", shape, sign, meaning, "description";`
macro_rules! for_each_encoding { ($reader:ident) => { $reader! {
    // name  text       shape     codes     meaning
    Float   = "f",       Each32, Unsigned, Bits,          "F: words that are floats already.";
    Half    = "f16",     Each16, Unsigned, Half,          "F16: half floats.";
    S1      = "s1",      Each16, Signed,   ShortFraction, "S1: shorts, normalised as the chip does.";
    S32k    = "s32k",    Each16, Signed,   Number,        "S32K: shorts as whole numbers.";
    UbOgl   = "ub_ogl",  Each8,  Unsigned, ByteFraction,  "UB_OGL: bytes, normalised as the chip does; a colour has red first.";
    UbD3d   = "ub_d3d",  Bgra,   Unsigned, ByteFraction,  "UB_D3D: like UB_OGL, for a colour whose bytes are blue, green, red, alpha.";
    Ub256   = "ub256",   Each8,  Unsigned, Number,        "UB256: bytes as whole numbers.";
    Cmp     = "cmp",     Packed, Signed,   Quotient,      "CMP: three signed fields of a word, 11, 11 and 10 bits, normalised.";
    Snorm16 = "snorm16", Each16, Signed,   Quotient,      "Shorts, normalised as programming interfaces do.";
    Unorm16 = "unorm16", Each16, Unsigned, Quotient,      "Unsigned shorts, normalised.";
    U16     = "u16",     Each16, Unsigned, Number,        "Unsigned shorts as whole numbers.";
    Snorm8  = "snorm8",  Each8,  Signed,   Quotient,      "Signed bytes, normalised.";
    Unorm8  = "unorm8",  Each8,  Unsigned, Quotient,      "Bytes, normalised as programming interfaces do.";
    S8      = "s8",      Each8,  Signed,   Number,        "Signed bytes as whole numbers.";
    Rgb565  = "rgb565",  Rgb565, Unsigned, Colour,        "RGB565: a colour in a half, red in its upper five bits.";
    Rgba4   = "rgba4",   Rgba4,  Unsigned, Colour,        "RGBA4: a colour in a half, red in its upper four bits.";
    Rgba6   = "rgba6",   Rgba6,  Unsigned, Colour,        "RGBA6: a colour in 24 bits, red in the upper six.";
    Rgba8   = "rgba8",   Each8,  Unsigned, Colour,        "RGBA8, and with three components RGB8: a colour in bytes, red first.";
} } }

/// Where the codes of an element are.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Consecutive words.
    Each32,
    /// Halves of words.
    Each16,
    /// Bytes.
    Each8,
    /// Four bytes, the third of which is x, the first z.
    Bgra,
    /// Fields of a word: from the lowest bit on 11, 11 and 10 bits.
    Packed,
    /// Fields of a half: from the highest bit on 5, 6 and 5 bits.
    Rgb565,
    /// Fields of a half: from the highest bit on four bits each.
    Rgba4,
    /// Fields of three bytes: from the highest bit on six bits each.
    Rgba6,
}

/// Whether a code is a two's complement number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Yes.
    Signed,
    /// No.
    Unsigned,
}

/// The meaning of a code: the function that converts it to a float.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The bits of the float.
    Bits,
    /// [`half`].
    Half,
    /// [`number`].
    Number,
    /// [`byte_fraction`].
    ByteFraction,
    /// [`short_fraction`].
    ShortFraction,
    /// [`quotient`] of the greatest code.
    Quotient,
    /// [`colour`]. Alpha is 255 if the format has none.
    Colour,
}

/// The place of a code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The word of the element, 0..=3; words are those of a little-endian host.
    pub word: usize,
    /// Its lowest bit in the word.
    pub shift: u32,
    /// The number of its bits.
    pub bits: u32,
}

macro_rules! define_encodings { ($($name:ident = $text:literal, $shape:ident, $sign:ident, $meaning:ident, $doc:literal;)*) => {
    /// The memory layout of an attribute's codes, and their meaning.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    #[repr(u8)]
    pub enum Encoding { $(#[doc = $doc] $name),* }

    impl Encoding {
        /// Every encoding.
        pub const ALL: &[Encoding] = &[$(Encoding::$name),*];

        /// Its name in texts.
        pub const fn text(self) -> &'static str {
            match self { $(Encoding::$name => $text),* }
        }

        /// Where its codes are.
        #[doc(hidden)]
        pub const fn shape(self) -> Shape {
            match self { $(Encoding::$name => Shape::$shape),* }
        }

        /// Whether its codes are signed.
        pub const fn sign(self) -> Sign {
            match self { $(Encoding::$name => Sign::$sign),* }
        }

        /// What its codes mean.
        pub const fn meaning(self) -> Meaning {
            match self { $(Encoding::$name => Meaning::$meaning),* }
        }
    }
} }
for_each_encoding!(define_encodings);

impl Encoding {
    /// The encoding with this name.
    pub fn from_text(text: &str) -> Option<Encoding> {
        Encoding::ALL.iter().copied().find(|encoding| encoding.text() == text)
    }

    /// The most components that an element has.
    #[inline]
    pub const fn most(self) -> u8 {
        match self.shape() {
            Shape::Each32 | Shape::Each16 | Shape::Each8 | Shape::Bgra | Shape::Rgba4 | Shape::Rgba6 => 4,
            Shape::Packed | Shape::Rgb565 => 3,
        }
    }

    /// The fewest components of an element: CMP always has all three.
    #[inline]
    pub const fn least(self) -> u8 {
        match self.shape() {
            Shape::Packed => 3,
            _ => 1,
        }
    }

    /// The components of an element whose size is this, in a vertex array's format or a caller's count. Sizes count the units in
    /// memory, and CMP is one word: its size is 1 on the Xbox (1760 of Kelvin: type 6 comes with size 1 from the driver, and no
    /// other is known), and means three components. None if there is no such element.
    #[inline]
    pub const fn components(self, size: u8) -> Option<u8> {
        match (self.shape(), size) {
            (Shape::Packed, 1) => Some(self.most()),
            _ if size >= self.least() && size <= self.most() => Some(size),
            _ => None,
        }
    }

    /// The bytes of an element with this number of components.
    #[inline]
    pub const fn bytes(self, components: u8) -> usize {
        match self.shape() {
            Shape::Each32 => 4 * components as usize,
            Shape::Each16 => 2 * components as usize,
            Shape::Each8 => components as usize,
            Shape::Bgra | Shape::Packed => 4,
            Shape::Rgb565 | Shape::Rgba4 => 2,
            Shape::Rgba6 => 3,
        }
    }

    /// The size in bytes of the units that a byte order applies to.
    #[inline]
    pub const fn unit(self) -> usize {
        match self.shape() {
            Shape::Each32 | Shape::Packed => 4,
            Shape::Rgba6 => 3,
            Shape::Each16 | Shape::Rgb565 | Shape::Rgba4 => 2,
            Shape::Each8 | Shape::Bgra => 1,
        }
    }

    /// The place of a component's code; the component is below [`Encoding::most`].
    pub const fn field(self, component: usize) -> Field {
        match self.shape() {
            Shape::Each32 => Field { word: component, shift: 0, bits: 32 },
            Shape::Each16 => Field { word: component / 2, shift: 16 * (component as u32 % 2), bits: 16 },
            Shape::Each8 => Field { word: 0, shift: 8 * component as u32, bits: 8 },
            Shape::Bgra => Field { word: 0, shift: [16, 8, 0, 24][component], bits: 8 },
            Shape::Packed => {
                Field { word: 0, shift: 11 * component as u32, bits: if component < 2 { 11 } else { 10 } }
            }
            Shape::Rgb565 => {
                Field { word: 0, shift: [11, 5, 0][component], bits: if component == 1 { 6 } else { 5 } }
            }
            Shape::Rgba4 => Field { word: 0, shift: 12 - 4 * component as u32, bits: 4 },
            Shape::Rgba6 => Field { word: 0, shift: 18 - 6 * component as u32, bits: 6 },
        }
    }

    /// The greatest code of this many bits, which is 1.0 if the encoding is normalised.
    pub const fn greatest(self, bits: u32) -> u32 {
        match self.sign() {
            Sign::Signed => (1 << (bits - 1)) - 1,
            Sign::Unsigned => u32::MAX >> (32 - bits),
        }
    }

    /// The value of a code, as a float.
    pub const fn value(self, code: u32, bits: u32) -> u32 {
        let number_of = match self.sign() {
            Sign::Signed => (code << (32 - bits)) as i32 >> (32 - bits),
            Sign::Unsigned => code as i32,
        };
        match self.meaning() {
            Meaning::Bits => code,
            Meaning::Half => half(code),
            Meaning::Number => number(number_of),
            Meaning::ByteFraction => byte_fraction(code),
            Meaning::ShortFraction => short_fraction(number_of),
            Meaning::Quotient => quotient(number_of, self.greatest(bits)),
            Meaning::Colour => colour(code, bits),
        }
    }

    /// The values of components that an element lacks: (0, 0, 0, 1) (kelvin.md 3), and for colours of whole numbers (0, 0, 0, 255)
    /// (flipper.md 1.4).
    pub const fn default_row(self) -> Row {
        match self.meaning() {
            Meaning::Colour => const { [0, 0, 0, number(255)] },
            _ => DEFAULT_ROW,
        }
    }
}

/// The meanings of the codes of all attributes: encodings, and bits of fraction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Encodings {
    codes: [u8; ATTRIBUTES],
    fractions: [u8; ATTRIBUTES],
}

impl Encodings {
    /// All attributes are floats.
    pub const FLOATS: Encodings = Encodings { codes: [0; ATTRIBUTES], fractions: [0; ATTRIBUTES] };

    /// Whether all attributes are floats.
    #[inline]
    pub const fn are_floats(self) -> bool {
        u128::from_ne_bytes(self.codes) == 0
    }

    /// The encoding of an attribute.
    #[inline]
    pub const fn of(self, register: usize) -> Encoding {
        Encoding::ALL[self.codes[register] as usize]
    }

    /// The bits of fraction of an attribute ([`crate::format::Format::fraction`]).
    #[inline]
    pub const fn fraction(self, register: usize) -> u8 {
        self.fractions[register]
    }

    /// Sets the encoding and the bits of fraction of an attribute.
    #[must_use]
    #[inline]
    pub const fn with(mut self, register: usize, encoding: Encoding, fraction: u8) -> Self {
        self.codes[register] = encoding as u8;
        self.fractions[register] = fraction;
        self
    }
}

const ONE: u32 = 0x3f80_0000;

/// `magnitude * 2^exponent` with a sign, truncated to 24 bits; in the range of floats that are not denormal.
const fn truncated(negative: bool, magnitude: u64, exponent: i32) -> u32 {
    if magnitude == 0 {
        return 0;
    }
    let top = magnitude.ilog2() as i32;
    let significand = if top > 23 { magnitude >> (top - 23) } else { magnitude << (23 - top) };
    let field = (top + exponent + 127) as u32;
    (negative as u32) << 31 | field << 23 | significand as u32 & 0x7f_ffff
}

/// Converts a half to a float, exactly. Infinities and NaNs keep their fraction: a half's NaN becomes a float's. UNKNOWN: whether the chip
/// has them; else 0x7c00 would be 65536.0.
pub const fn half(code: u32) -> u32 {
    let (negative, field, fraction) = (code & 0x8000 != 0, code >> 10 & 31, code & 0x3ff);
    let sign = (negative as u32) << 31;
    match field {
        0 if fraction == 0 => sign,
        0 => truncated(negative, fraction as u64, -24),
        31 => sign | 0x7f80_0000 | fraction << 13,
        _ => sign | (field + 112) << 23 | fraction << 13,
    }
}

/// Converts a whole number of up to 24 bits to a float, exactly, including -32768. (NV10, the first chip, and only this chip, makes -0 of
/// -32768: fixed_function.md 1.8. This is not modelled.)
pub const fn number(number: i32) -> u32 {
    truncated(number < 0, number.unsigned_abs() as u64, 0)
}

/// A byte as IDX normalises it: times 0x010101 / 2^24, and 255 is 1.0 (fixed_function.md 1.8). This is the quotient by 255, truncated after
/// 24 bits of fraction.
pub const fn byte_fraction(code: u32) -> u32 {
    if code == 255 { ONE } else { truncated(false, code as u64 * 0x01_0101, -24) }
}

/// A short as IDX normalises it: the magnitude of 2v + 1, times 0x10001 / 2^32, truncated to 24 bits; the sign of v. Both
/// ends of the range are 1.0 (fixed_function.md 1.8). No code is 0.0.
pub const fn short_fraction(number: i32) -> u32 {
    let magnitude = (2 * number + 1).unsigned_abs() as u64;
    let negative = number < 0;
    if magnitude == 0xffff {
        return (negative as u32) << 31 | ONE;
    }
    truncated(negative, magnitude * 0x1_0001, -32)
}

/// The quotient of a number and the greatest of its kind, rounded to nearest, at least -1.0: as graphics APIs define it. There are no ties:
/// quotients by 2^n - 1 are periodic. UNKNOWN: how the chip normalises CMP; with this its zero is 0.0, as a normal needs it.
pub const fn quotient(number: i32, greatest: u32) -> u32 {
    let magnitude = number.unsigned_abs() as u64;
    let negative = number < 0;
    if magnitude == 0 {
        return 0;
    }
    if magnitude >= greatest as u64 {
        return (negative as u32) << 31 | ONE;
    }
    // At least 28 bits of the quotient, of which those behind the 24th round.
    let quotient = (magnitude << 44) / greatest as u64;
    let below = quotient.ilog2() - 24;
    truncated(negative, quotient + (1 << below), -44)
}

/// A code of four to eight bits of a colour as a whole number of eight: its bits, repeated (flipper.md 1.4). 0 and 255 are its ends.
pub const fn colour(code: u32, bits: u32) -> u32 {
    let repeated = code << bits | code;
    number((repeated >> (2 * bits - 8)) as i32)
}

#[cfg(test)]
mod tests;
