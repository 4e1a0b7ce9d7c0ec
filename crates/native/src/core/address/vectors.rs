//! Bounds of the lanes of vectors of four words: as far as numbers of rows are made of them.

use super::word::{Base, Word};

/// What is known of the lanes of a vector register's lowest 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Vector {
    /// None of them, as a number, is greater.
    AtMost(u32),
    /// If one names a row, the verifier has bounded it.
    Verified,
    /// What the caller has in the lowest eight bytes of the register of this number.
    Caller(u8),
}

impl Vector {
    /// Anything.
    pub(super) const ANY: Vector = Vector::AtMost(u32::MAX);

    /// The greatest number that a lane may be.
    pub(super) fn most(self) -> u32 {
        match self {
            Vector::AtMost(most) => most,
            Vector::Verified | Vector::Caller(_) => u32::MAX,
        }
    }

    /// What is known of a vector of which nothing is known but this.
    #[cfg_attr(
        not(any(target_arch = "aarch64", feature = "cross")),
        allow(dead_code, reason = "only code for AArch64 asks")
    )]
    pub(super) fn or(self, unknown: Vector) -> Vector {
        if unknown == Vector::Verified { unknown } else { self }
    }

    /// Different bounds become none, so that loops come to an end.
    pub(super) fn meet(self, other: Self) -> Self {
        if self == other { self } else { Vector::ANY }
    }

    /// A lane of it.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only code for x86-64 has it"))]
    pub(super) fn lane(self) -> Word {
        match self {
            Vector::Verified => Word::at(Base::Verified),
            Vector::AtMost(_) | Vector::Caller(_) => Word::number(0, self.most().into()),
        }
    }

    /// Two lanes of it.
    pub(super) fn pair(self) -> Word {
        match self {
            Vector::Verified => Word::at(Base::VerifiedPair),
            Vector::AtMost(_) | Vector::Caller(_) => {
                Word { base: Base::Pair, low: 0, high: self.most().into() }
            }
        }
    }
}
