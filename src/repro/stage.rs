//! The stages of the compiler that a test file can hold as text.

/// A stage whose text a file can hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Canonical words and text of each instruction; XFMODE as named fields.
    Decode,
    /// The IR as lowered.
    Ir,
    /// The IR optimised at the XF level.
    Opt,
    /// The IR at the host level, optimised.
    Host,
    /// The code generator's input, for x86-64.
    Clif,
    /// Machine code for x86-64.
    AsmX8664,
    /// Machine code for AArch64.
    AsmAarch64,
}

impl Stage {
    /// Every stage, in the order of the compiler.
    pub const ALL: &[Stage] =
        &[Stage::Decode, Stage::Ir, Stage::Opt, Stage::Host, Stage::Clif, Stage::AsmX8664, Stage::AsmAarch64];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Decode => "decode",
            Stage::Ir => "ir",
            Stage::Opt => "opt",
            Stage::Host => "host",
            Stage::Clif => "clif",
            Stage::AsmX8664 => "asm-x86_64",
            Stage::AsmAarch64 => "asm-aarch64",
        }
    }

    /// The stage with this name.
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::ALL.iter().copied().find(|stage| stage.name() == name)
    }
}
