//! Sets of components.

/// A set of components; bit 3 is x, bit 0 is w, as in the microcode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mask(pub u8);

impl Mask {
    /// No component.
    pub const NONE: Mask = Mask(0);
    /// All four components.
    pub const ALL: Mask = Mask(15);

    /// Whether component `c` (0 = x .. 3 = w) is in the set.
    #[inline]
    pub const fn has(self, c: usize) -> bool {
        self.0 >> (3 - c) & 1 != 0
    }

    /// Whether no component is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The components in the set, x first.
    #[inline]
    pub fn components(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&c| self.has(c))
    }
}
