//! What code generators tell of their code: what of its contract is not the function's.

/// A calling convention of x86-64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Convention {
    /// Of Linux, the BSDs and macOS.
    SystemV,
    /// Of Windows.
    Windows,
}

/// What an argument of an entry counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    Groups,
    Vertices,
}

/// How it is known that the rows of constants and of tables are there which lanes name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowNumbers {
    /// Bounds of vectors are followed through the code.
    Followed,
    /// The verifier of the function has bounded them, and nothing but lanes of vectors names rows. So instructions that only compute
    /// vectors need not be looked at, which are most of the code for wide ones.
    Verified,
}

/// What of the contract is the code's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "only code for x86-64 is checked against it")
)]
pub(crate) struct Shape {
    /// Vertices of a group.
    pub(crate) lanes: usize,
    /// The fewest vertices of a group: one, if the last one may be shorter; else as many as there are lanes.
    pub(crate) fewest: usize,
    /// What the third argument counts, and the fourth.
    pub(crate) counts: [Unit; 2],
    /// Bytes of its caller's stack that a call uses, its return address among them.
    pub(crate) stack_bytes: usize,
    pub(crate) convention: Convention,
    pub(crate) row_numbers: RowNumbers,
    /// Whether upper halves of vector registers are cleared on leaving.
    pub(crate) clears_upper_halves: bool,
}

impl Shape {
    /// Whether the last group may have fewer vertices than lanes.
    pub(crate) const fn has_tails(&self) -> bool {
        self.fewest < self.lanes
    }
}
