//! Bit fields as data: one table per layout gives the struct of raw fields, both conversions and the checks.
//!
//! A slot is held as one integer with the word that contains the END bit lowest, so that fields which straddle two
//! dwords are contiguous.

/// One row of a field table: bits `lo..hi`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name, as in the struct of raw fields.
    pub name: &'static str,
    /// Lowest bit.
    pub lo: u32,
    /// One past the highest bit.
    pub hi: u32,
    /// What it says.
    pub meaning: &'static str,
}

impl Field {
    /// The bits of the field, in place.
    pub const fn mask(&self) -> u128 {
        ((1 << (self.hi - self.lo)) - 1) << self.lo
    }
}

/// The bits that `fields` cover; evaluated in constants, so that a table with an overlap does not compile.
pub(crate) const fn cover(fields: &[Field]) -> u128 {
    let mut seen = 0;
    let mut i = 0;
    while i < fields.len() {
        assert!(seen & fields[i].mask() == 0, "two fields overlap");
        seen |= fields[i].mask();
        i += 1;
    }
    seen
}

/// The words of a slot as one integer, of which the last word is lowest.
pub(crate) fn joined(words: [u32; 4]) -> u128 {
    words.into_iter().fold(0, |bits, word| bits << u32::BITS | u128::from(word))
}

/// The words of which such an integer is made.
pub(crate) fn split(bits: u128) -> [u32; 4] {
    [96, 64, 32, 0].map(|shift| (bits >> shift) as u32)
}

/// Defines a struct of raw fields from rows `name: lo .. hi, "meaning";` (at most 16 bits each).
macro_rules! fields { ($(#[$attr:meta])* $name:ident { $($field:ident: $lo:literal .. $hi:literal, $meaning:literal;)* }) => {
    $(#[$attr])*
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct $name { $(#[doc = $meaning] pub $field: u16),* }

    impl $name {
        /// The layout.
        pub const FIELDS: &[$crate::isa::fields::Field] = &[$($crate::isa::fields::Field {
            name: stringify!($field), lo: $lo, hi: $hi, meaning: $meaning,
        }),*];

        /// Every bit that belongs to a field.
        pub const MASK: u128 = $crate::isa::fields::cover(Self::FIELDS);

        /// The fields of `word`; bits outside [`Self::MASK`] are ignored.
        pub const fn unpack(word: u128) -> Self {
            $name { $($field: (word >> $lo) as u16 & (((1u32 << ($hi - $lo)) - 1) as u16)),* }
        }

        /// The word with these fields; bits beyond a field's width are dropped.
        pub const fn pack(self) -> u128 {
            0 $(| ((self.$field as u128) & ((1 << ($hi - $lo)) - 1)) << $lo)*
        }
    }

    const _: () = assert!($name::MASK != 0);
} }
pub(crate) use fields;
