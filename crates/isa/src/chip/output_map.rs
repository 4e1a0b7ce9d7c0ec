//! How the rasteriser reads Curie's output registers: a map from attributes of a vertex to registers or components of
//! registers (rankine_curie.md 1.5 and 2.6). The layout of its bits is inferred there. The default is what drivers write.

/// Words of the map: methods 0x1fc4 to 0x1fd4.
pub const WORDS: usize = 5;

/// Bits of the mask: method 0x1ff4.
pub const MASK: u32 = (1 << 22) - 1;

/// One attribute: where it is in the map, and which bit of the mask leaves it on.
#[derive(Clone, Copy, Debug)]
struct Entry {
    word: usize,
    low: u32,
    /// Whether it is one component. If so, two bits below the register's number select it.
    is_scalar: bool,
    enable: u32,
}

/// A list macro: one line per attribute.
macro_rules! attributes {
    ($($attribute:ident $name:literal $word:literal $low:literal $kind:ident $enable:literal;)*) => {
        /// An attribute of a finished vertex other than its position, which is register 0.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum VertexAttribute { $(#[doc = $name] $attribute),* }

        impl VertexAttribute {
            /// Every one.
            pub const ALL: &[VertexAttribute] = &[$(VertexAttribute::$attribute),*];

            /// The name in texts.
            pub const fn name(self) -> &'static str {
                match self { $(VertexAttribute::$attribute => $name),* }
            }

            /// The attribute that has this name.
            pub fn from_name(name: &str) -> Option<VertexAttribute> {
                match name { $($name => Some(VertexAttribute::$attribute),)* _ => None }
            }

            const fn entry(self) -> Entry {
                match self {
                    $(VertexAttribute::$attribute => {
                        Entry { word: $word, low: $low, is_scalar: attributes!(@ $kind), enable: $enable }
                    }),*
                }
            }
        }
    };
    (@ row) => { false };
    (@ one) => { true };
}

attributes! {
    // attribute  name     word bit  kind  bit of the mask
    Colour0      "col0"    0    0    row   0;
    Colour1      "col1"    0    4    row   1;
    Back0        "bfc0"    0    8    row   2;
    Back1        "bfc1"    0    12   row   3;
    Fog          "fog"     0    16   one   4;
    PointSize    "psz"     0    22   one   5;
    Tex0         "tex0"    1    0    row   14;
    Tex1         "tex1"    1    4    row   15;
    Tex2         "tex2"    1    8    row   16;
    Tex3         "tex3"    1    12   row   17;
    Tex4         "tex4"    1    16   row   18;
    Tex5         "tex5"    1    20   row   19;
    Tex6         "tex6"    1    24   row   20;
    Tex7         "tex7"    1    28   row   21;
    Tex8         "tex8"    2    0    row   12;
    Tex9         "tex9"    2    4    row   13;
    Clip0        "clip0"   3    0    one   6;
    Clip1        "clip1"   3    8    one   7;
    Clip2        "clip2"   3    16   one   8;
    Clip3        "clip3"   4    0    one   9;
    Clip4        "clip4"   4    8    one   10;
    Clip5        "clip5"   4    16   one   11;
}

/// Where an attribute is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a whole register.
    Register(u8),
    /// In a component of a register.
    Component(u8, u8),
}

impl Place {
    /// The register.
    pub const fn register(self) -> u8 {
        match self {
            Place::Register(register) | Place::Component(register, _) => register,
        }
    }
}

/// A map, and which attributes are on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OutputMap {
    /// The words of methods 0x1fc4 to 0x1fd4.
    pub words: [u32; WORDS],
    /// The mask of method 0x1ff4.
    pub mask: u32,
}

impl Default for OutputMap {
    /// The map that drivers write, with every attribute on.
    fn default() -> OutputMap {
        OutputMap { words: OutputMap::WRITTEN, mask: MASK }
    }
}

impl OutputMap {
    /// The map that drivers write (rankine_curie.md 2.6): o1 to o4 are colours, o5.x is fog, o6.x is the point size, and o7 to o15 are texture
    /// coordinates 0 to 8. o6 is also the ninth one, and the rest of o5 and o6 are clip distances.
    pub const WRITTEN: [u32; WORDS] = [0x0614_4321, 0xedcb_a987, 0x0000_006f, 0x0017_1615, 0x001b_1a19];

    /// Where an attribute is, if it is on.
    pub const fn place(&self, attribute: VertexAttribute) -> Option<Place> {
        let Entry { word, low, is_scalar, enable } = attribute.entry();
        if self.mask >> enable & 1 == 0 {
            return None;
        }
        let bits = self.words[word] >> low;
        Some(match is_scalar {
            true => Place::Component((bits >> 2 & 15) as u8, (bits & 3) as u8),
            false => Place::Register((bits & 15) as u8),
        })
    }

    /// The registers that the rasteriser reads, as a mask: that of the position, and those of attributes that
    /// are on.
    pub fn registers(&self) -> u32 {
        let places = VertexAttribute::ALL.iter().filter_map(|&attribute| self.place(attribute));
        places.fold(1, |mask, place| mask | 1 << place.register())
    }

    /// An attribute of a vertex, read from its registers through `register`. An attribute that is off or missing is (0, 0, 0, 1), as in
    /// one emulator. If the attribute is one component, the others have these values. UNKNOWN on silicon.
    pub fn value(
        &self,
        attribute: VertexAttribute,
        register: impl FnOnce(u8) -> Option<[u32; 4]>,
    ) -> [u32; 4] {
        const DEFAULT: [u32; 4] = [0, 0, 0, 1.0f32.to_bits()];
        let read = |place: Place| Some((place, register(place.register())?));
        match self.place(attribute).and_then(read) {
            Some((Place::Register(_), row)) => row,
            Some((Place::Component(_, component), row)) => {
                [row[component as usize], DEFAULT[1], DEFAULT[2], DEFAULT[3]]
            }
            None => DEFAULT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::VertexAttribute as Attribute;
    use super::*;

    /// The words that drivers write, read by hand (rankine_curie.md 2.6).
    #[test]
    fn what_drivers_write_is_what_emulators_have() {
        let map = OutputMap::default();
        let whole = [
            (Attribute::Colour0, 1),
            (Attribute::Colour1, 2),
            (Attribute::Back0, 3),
            (Attribute::Back1, 4),
            (Attribute::Tex0, 7),
            (Attribute::Tex7, 14),
            (Attribute::Tex8, 15),
            (Attribute::Tex9, 6),
        ];
        for (attribute, register) in whole {
            assert_eq!(map.place(attribute), Some(Place::Register(register)), "{attribute:?}");
        }
        let parts = [
            (Attribute::Fog, 5, 0),
            (Attribute::PointSize, 6, 0),
            (Attribute::Clip0, 5, 1),
            (Attribute::Clip1, 5, 2),
            (Attribute::Clip2, 5, 3),
            (Attribute::Clip3, 6, 1),
            (Attribute::Clip4, 6, 2),
            (Attribute::Clip5, 6, 3),
        ];
        for (attribute, register, component) in parts {
            assert_eq!(map.place(attribute), Some(Place::Component(register, component)), "{attribute:?}");
        }
        assert_eq!(map.registers(), 0xffff);
    }

    #[test]
    fn no_two_attributes_share_bits() {
        let (mut places, mut mask) = ([0u32; WORDS], 0u32);
        for &attribute in Attribute::ALL {
            let Entry { word, low, is_scalar, enable } = attribute.entry();
            let bits = (if is_scalar { 0x3f } else { 0xf }) << low;
            assert_eq!((places[word] & bits, mask >> enable & 1), (0, 0), "{attribute:?}");
            places[word] |= bits;
            mask |= 1 << enable;
            assert_eq!(Attribute::from_name(attribute.name()), Some(attribute));
        }
        assert_eq!(mask, MASK);
        assert_eq!(Attribute::from_name("pos"), None);
    }

    #[test]
    fn what_is_off_is_the_default() {
        let map = OutputMap { mask: 1 << 4, ..OutputMap::default() };
        assert_eq!(map.registers(), 1 | 1 << 5);
        let one = 1.0f32.to_bits();
        let row = |register: u8| Some([10 * u32::from(register), 2, 3, 4]);
        assert_eq!(map.value(Attribute::Fog, row), [50, 0, 0, one]);
        assert_eq!(map.value(Attribute::Colour0, row), [0, 0, 0, one]);
        assert_eq!(map.value(Attribute::Fog, |_| None), [0, 0, 0, one]);
        let map = OutputMap { words: [0x2 | 0x1b << 16, 0, 0, 0, 0], mask: MASK };
        assert_eq!(map.value(Attribute::Colour0, row), [20, 2, 3, 4]);
        assert_eq!(map.value(Attribute::Fog, row), [4, 0, 0, one]);
    }
}
