//! Formats of components and colours, with their rows in the table of encodings, which says what their bytes
//! mean (flipper.md 1.4).

use xfjit_runtime::format::{ByteOrder, Encoding, Format};

/// A component of a position, a normal or a texture coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Component {
    /// An unsigned byte.
    U8,
    /// A signed byte.
    S8,
    /// An unsigned short.
    U16,
    /// A signed short.
    S16,
    /// A float, whose bits are copied unchanged.
    F32,
}

impl Component {
    /// All of them, by code.
    pub const ALL: [Component; 5] =
        [Component::U8, Component::S8, Component::U16, Component::S16, Component::F32];

    /// The component for a field of three bits. The reserved code 5 is a float, because games use it. UNKNOWN: 6 and 7,
    /// which are taken to be floats, too.
    pub const fn from_code(code: u32) -> Component {
        match code & 7 {
            0 => Component::U8,
            1 => Component::S8,
            2 => Component::U16,
            3 => Component::S16,
            _ => Component::F32,
        }
    }

    /// The meaning of its codes.
    pub const fn encoding(self) -> Encoding {
        match self {
            Component::U8 => Encoding::Ub256,
            Component::S8 => Encoding::S8,
            Component::U16 => Encoding::U16,
            Component::S16 => Encoding::S32k,
            Component::F32 => Encoding::Float,
        }
    }

    /// The format of `count` components with `fraction` bits of fraction. Floats ignore the fraction.
    pub const fn format(self, count: u8, fraction: u8) -> Format {
        big_endian(self.encoding(), count, fraction)
    }

    /// Bytes of one.
    pub const fn bytes(self) -> usize {
        self.encoding().bytes(1)
    }

    /// How many bits of fraction a component of a normal has. The table of formats has no influence on it. UNKNOWN: the
    /// values of unsigned components, which the SDK does not allow.
    pub const fn normal_shift(self) -> u32 {
        match self {
            Component::U8 => 7,
            Component::S8 => 6,
            Component::U16 => 15,
            Component::S16 => 14,
            Component::F32 => 0,
        }
    }
}

/// The format of a colour in memory, most significant bit first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Colour {
    /// Five, six and five bits.
    Rgb565,
    /// Three bytes.
    Rgb8,
    /// Four bytes, the last of which is ignored.
    Rgb8x,
    /// Four bits each.
    Rgba4,
    /// Six bits each, in three bytes.
    Rgba6,
    /// Four bytes.
    Rgba8,
}

impl Colour {
    /// All of them, by code.
    pub const ALL: [Colour; 6] =
        [Colour::Rgb565, Colour::Rgb8, Colour::Rgb8x, Colour::Rgba4, Colour::Rgba6, Colour::Rgba8];

    /// The colour format for a field of three bits. UNKNOWN: the reserved codes 6 and 7. Here they are the last format that
    /// exists, as for components.
    pub const fn from_code(code: u32) -> Colour {
        let code = (code & 7) as usize;
        Colour::ALL[if code < 6 { code } else { 5 }]
    }

    /// The layout of its components in memory: red, green, blue, and for some formats alpha.
    pub const fn format(self) -> Format {
        let (encoding, components) = match self {
            Colour::Rgb565 => (Encoding::Rgb565, 3),
            Colour::Rgb8 | Colour::Rgb8x => (Encoding::Rgba8, 3),
            Colour::Rgba4 => (Encoding::Rgba4, 4),
            Colour::Rgba6 => (Encoding::Rgba6, 4),
            Colour::Rgba8 => (Encoding::Rgba8, 4),
        };
        big_endian(encoding, components, 0)
    }

    /// Bytes of one.
    pub const fn bytes(self) -> usize {
        match self {
            Colour::Rgb8x => Colour::Rgba8.bytes(),
            _ => self.format().bytes(),
        }
    }
}

/// Components as the chip has them in memory.
const fn big_endian(encoding: Encoding, components: u8, fraction: u8) -> Format {
    let order = ByteOrder::BIG;
    Format { encoding, components, order, fraction }.canonical()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a code of so many bits is of 255, its upper bits repeated below: rounded down, and up where it comes near.
    fn scaled(code: u32, bits: u32) -> u8 {
        let repeated = (0..8).fold(0, |value, bit| {
            // Bit 7 - `bit` of the result is that bit of the code, over and over.
            value << 1 | code >> (bits - 1 - bit % bits) & 1
        });
        repeated as u8
    }

    /// A field of a bit string, counted from its first bit.
    fn field(bytes: &[u8], first: usize, bits: usize) -> u32 {
        (first..first + bits)
            .fold(0, |value, bit| value << 1 | u32::from(bytes[bit / 8] >> (7 - bit % 8) & 1))
    }

    /// Red, green, blue and alpha of one.
    fn bytes_of(colour: Colour, element: &[u8]) -> [u8; 4] {
        colour.format().read(element).map(|number| f32::from_bits(number) as u8)
    }

    fn check(colour: Colour, widths: &[usize], codes: impl Iterator<Item = u32>) {
        for code in codes {
            let bytes = &code.to_be_bytes()[4 - colour.bytes()..];
            let (mut want, mut first) = ([255; 4], 0);
            for (value, &bits) in want.iter_mut().zip(widths) {
                *value = scaled(field(bytes, first, bits), bits as u32);
                first += bits;
            }
            assert_eq!(bytes_of(colour, bytes), want, "{colour:?} {code:x}");
        }
    }

    #[test]
    fn every_code_of_every_colour() {
        check(Colour::Rgb565, &[5, 6, 5], 0..1 << 16);
        check(Colour::Rgba4, &[4; 4], 0..1 << 16);
        // The four fields do not meet: all values of each, and of each pair of neighbours.
        let pairs = (0..3).flat_map(|at| (0..1 << 12).map(move |code: u32| code << (6 * at)));
        check(Colour::Rgba6, &[6; 4], pairs.clone().chain(pairs.map(|code| code ^ 0xff_ffff)));
        let bytes = (0..4).flat_map(|at| (0..1 << 8).map(move |code: u32| code << (8 * at) ^ 0x1234_5678));
        check(Colour::Rgb8, &[8; 3], bytes.clone().map(|code| code & 0xff_ffff));
        check(Colour::Rgb8x, &[8; 3], bytes.clone());
        check(Colour::Rgba8, &[8; 4], bytes);
    }

    #[test]
    fn colours_that_are_known() {
        assert_eq!(bytes_of(Colour::Rgb565, &[0xf8, 0]), [255, 0, 0, 255]);
        assert_eq!(bytes_of(Colour::Rgb565, &[0x12, 0x34]), [0x10, 0x45, 0xa5, 255]);
        assert_eq!(bytes_of(Colour::Rgba8, &[0x11, 0x22, 0x33, 0x44]), [0x11, 0x22, 0x33, 0x44]);
        assert_eq!(bytes_of(Colour::Rgb8x, &[0x20, 0x30, 0x80, 0x99]), [0x20, 0x30, 0x80, 255]);
    }

    /// All of them, against quotients: the nearest number of 255ths but for five and six bits, whose are one beside at times.
    #[test]
    fn every_code_of_six_bits() {
        check(Colour::Rgba6, &[6; 4], 0..1 << 24);
    }
}
