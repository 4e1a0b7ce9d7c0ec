//! Values of a function, by number.

/// The result of an instruction: one 32-bit component across all lanes. The number of the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value(pub u32);

impl Value {
    /// The operand of an instruction that has fewer than four.
    pub const NONE: Value = Value(u32::MAX);

    /// Number of the instruction.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
