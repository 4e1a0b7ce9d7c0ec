//! How sure a figure is.

/// What a figure rests on; the marks are those of docs/NUMERICS.md and docs/spec/README.md.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// A document says so.
    Documented,
    /// An emulator has it, and nobody measured.
    Emulated,
    /// A reading of documents, or an analogy.
    Hypothesised,
    /// Nobody knows; the figure is a choice.
    Unknown,
}

impl Grade {
    /// Every grade, the surest first.
    pub const ALL: [Grade; 4] = [Grade::Documented, Grade::Emulated, Grade::Hypothesised, Grade::Unknown];

    /// As one word.
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Documented => "documented",
            Grade::Emulated => "emulated",
            Grade::Hypothesised => "hypothesised",
            Grade::Unknown => "unknown",
        }
    }

    /// As documents mark it.
    pub const fn mark(self) -> &'static str {
        match self {
            Grade::Documented => "[DOC]",
            Grade::Emulated => "[EMU]",
            Grade::Hypothesised => "[HYP]",
            Grade::Unknown => "UNKNOWN",
        }
    }
}
