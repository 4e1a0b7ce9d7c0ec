//! What code generators tell of their code: what of its contract is not the function's.

/// How calls end ([`xfjit_runtime::abi::Entry`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    not(all(target_arch = "x86_64", feature = "wide")),
    allow(dead_code, reason = "Cranelift's code goes back")
)]
pub(crate) enum Ends {
    /// With a group that ends with the last vertex: no call has fewer vertices than lanes.
    Whole,
    /// With a group of as many vertices as remain.
    Short,
    /// With a group that ends with the last vertex. Calls of fewer vertices than lanes have one group, whose lanes share them.
    Back,
}

/// The processors that code is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "elsewhere there is none for x86-64"))]
pub(crate) enum Processor {
    X86_64,
    Aarch64,
}

/// How it is known that the rows of constants and of tables are there which lanes name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowNumbers {
    /// Bounds of vectors are followed through the code.
    Followed,
    /// The verifier of the function has bounded them, and nothing but lanes of vectors names rows. So instructions that only compute
    /// vectors need not be looked at, which are most of the code for wide ones.
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "wide")),
        allow(dead_code, reason = "Cranelift's code may compute the numbers elsewhere")
    )]
    Verified,
}

/// What of the contract is the code's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "only code for x86-64 is checked against all of it")
)]
pub(crate) struct Shape {
    /// What it is for.
    pub(crate) processor: Processor,
    /// Vertices of a group.
    pub(crate) lanes: usize,
    pub(crate) ends: Ends,
    /// Bytes of its caller's stack that a call uses, its return address among them.
    pub(crate) stack_bytes: usize,
    pub(crate) row_numbers: RowNumbers,
    /// Whether upper halves of vector registers are cleared on leaving.
    pub(crate) clears_upper_halves: bool,
}

impl Shape {
    /// The fewest vertices of a call, and from the first one of a group on.
    pub(crate) const fn fewest(&self) -> usize {
        match self.ends {
            Ends::Whole => self.lanes,
            Ends::Short | Ends::Back => 1,
        }
    }

    /// Whether the last group of a call ends with the last vertex, though that of the group before is not the one before its first.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) const fn goes_back(&self) -> bool {
        !matches!(self.ends, Ends::Short)
    }
}
