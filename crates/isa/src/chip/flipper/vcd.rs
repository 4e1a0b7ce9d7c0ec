//! Which attributes a vertex has: the vertex descriptor, one for all tables of formats (flipper.md 1.2, 1.3).

/// An attribute, which a vertex holds itself or reads from an array. Attributes follow the matrix indices in a vertex, in
/// this order, and they have the numbers of their arrays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Attribute {
    /// Two or three components.
    Position,
    /// Three components, or nine with tangent and binormal.
    Normal,
    /// 0 or 1.
    Colour(u8),
    /// 0 to 7: one or two components.
    Texcoord(u8),
}

impl Attribute {
    /// All of them.
    pub const ALL: [Attribute; 12] = [
        Attribute::Position,
        Attribute::Normal,
        Attribute::Colour(0),
        Attribute::Colour(1),
        Attribute::Texcoord(0),
        Attribute::Texcoord(1),
        Attribute::Texcoord(2),
        Attribute::Texcoord(3),
        Attribute::Texcoord(4),
        Attribute::Texcoord(5),
        Attribute::Texcoord(6),
        Attribute::Texcoord(7),
    ];

    /// Its array.
    #[inline]
    pub const fn array(self) -> usize {
        match self {
            Attribute::Position => 0,
            Attribute::Normal => 1,
            Attribute::Colour(number) => 2 + number as usize % 2,
            Attribute::Texcoord(number) => 4 + number as usize % 8,
        }
    }
}

/// How a vertex holds an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// Not at all.
    Absent,
    /// The vertex has the attribute's bytes.
    Direct,
    /// The vertex has a byte, which is an index into the array.
    Index8,
    /// The vertex has a big-endian short, which is an index into the array.
    Index16,
}

impl Source {
    /// By its code.
    pub const ALL: [Source; 4] = [Source::Absent, Source::Direct, Source::Index8, Source::Index16];

    /// Bytes of an index, if it is one.
    #[inline]
    pub const fn index_bytes(self) -> Option<usize> {
        match self {
            Source::Absent | Source::Direct => None,
            Source::Index8 => Some(1),
            Source::Index16 => Some(2),
        }
    }
}

/// How many matrix indices a vertex may have: one for the position, and eight for texture coordinates.
pub const MATRICES: usize = 9;

/// The two registers of the vertex descriptor.
///
/// ```text
/// lo   bit 0 position's matrix index | 1-8 texture coordinates' | 10:9 position | 12:11 normal | 14:13, 16:15 colours
/// hi   1:0 first texture coordinate .. 15:14 eighth
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Vcd {
    /// VCD_LO.
    pub lo: u32,
    /// VCD_HI.
    pub hi: u32,
}

impl Vcd {
    /// The bits that VCD_LO has.
    pub const LO: u32 = 0x1_ffff;
    /// The bits that VCD_HI has.
    pub const HI: u32 = 0xffff;

    /// Which register an attribute is in, and its lowest bit.
    const fn place(attribute: Attribute) -> (bool, u32) {
        match attribute.array() {
            array @ 0..4 => (false, MATRICES as u32 + 2 * array as u32),
            array => (true, 2 * (array as u32 - 4)),
        }
    }

    /// How a vertex holds an attribute.
    #[inline]
    pub const fn source(self, attribute: Attribute) -> Source {
        let (is_high, at) = Vcd::place(attribute);
        Source::ALL[((if is_high { self.hi } else { self.lo }) >> at & 3) as usize]
    }

    /// The attributes that a vertex has, in its order.
    pub fn attributes(self) -> impl Iterator<Item = Attribute> {
        self.sources().map(|(array, _)| Attribute::ALL[array])
    }

    /// The arrays of a vertex's attributes ([`Attribute::array`]), and how the vertex holds each. Each draw
    /// calls this, so it visits only attributes that the vertex has.
    #[inline]
    pub fn sources(self) -> impl Iterator<Item = (usize, Source)> {
        let sources = (self.lo & Vcd::LO) >> MATRICES | (self.hi & Vcd::HI) << 8;
        let mut left = (sources | sources >> 1) & 0x55_5555;
        std::iter::from_fn(move || {
            let at = left.trailing_zeros();
            left &= left.checked_sub(1)?;
            Some((at as usize / 2, Source::ALL[(sources >> at & 3) as usize]))
        })
    }

    /// Returns the descriptor with a different source for one attribute.
    #[must_use]
    pub const fn with(mut self, attribute: Attribute, source: Source) -> Vcd {
        let (is_high, at) = Vcd::place(attribute);
        let word = if is_high { &mut self.hi } else { &mut self.lo };
        *word = *word & !(3 << at) | (source as u32) << at;
        self
    }

    /// Whether a vertex has a matrix index: 0 is the position's, k + 1 that of texture coordinate k.
    #[inline]
    pub const fn has_matrix(self, number: usize) -> bool {
        number < MATRICES && self.lo >> number & 1 != 0
    }

    /// How many it has.
    #[inline]
    pub const fn matrices(self) -> usize {
        (self.lo & ((1 << MATRICES) - 1)).count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_those_that_have_a_source() {
        for number in 0..1 << 12 {
            let sources = Attribute::ALL.into_iter().enumerate().map(|(at, attribute)| {
                let source = if number >> at & 1 != 0 { Source::ALL[1 + at % 3] } else { Source::Absent };
                (attribute, source)
            });
            let bare = Vcd { lo: !Vcd::LO | 0x1ff, hi: !Vcd::HI };
            let vcd = sources.clone().fold(bare, |vcd, (attribute, source)| vcd.with(attribute, source));
            let there =
                sources.filter(|(_, source)| *source != Source::Absent).map(|(attribute, _)| attribute);
            assert!(vcd.attributes().eq(there), "{vcd:x?}");
        }
    }
}
