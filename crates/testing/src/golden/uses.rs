//! `# uses` lines: the choices about unknown hardware behaviour that the results of the next program depend on.

use crate::text::{self, Flaw, Line, clip};

macro_rules! choices { ($($name:ident = $word:literal, $meaning:literal;)*) => {
    /// A choice that a file's results depend on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Choice { $(#[doc = $meaning] $name),* }

    impl Choice {
        /// Every choice.
        pub const ALL: &[Choice] = &[$(Choice::$name),*];

        /// Its name in the file.
        pub const fn name(self) -> &'static str {
            match self { $(Choice::$name => $word),* }
        }
    }
} }

choices! {
    AddressNan = "arl_nan", "NaN becomes the address 0.";
    AddressInfinity = "arl_inf", "Infinities become the least and the greatest address.";
    AddressDenormal = "arl_denorm", "Denormal numbers become the address 0, whatever their sign.";
    SaturatedAddress = "sat_addr", "Addresses are not saturated.";
    DirectRow = "const_direct_oor", "A row of constants that does not exist is (0, 0, 0, 0), read directly.";
    IndexedRow = "const_rel_oor", "A row of constants out of range is (0, 0, 0, 0), read by an index.";
    SamePlace = "same_place", "Where both units write a component, the scalar unit wins.";
    PairedCodes = "rk_cc_both", "Of two operations in a word of Rankine the vector unit's result sets the condition codes.";
    OwnCodes = "cc_same_word", "A branch tests the condition codes as they were before its own word.";
    BooleanBranch = "brb_en0", "BRB and CLB look at their boolean alone.";
    PopaRegister = "popa_dst_sca", "POPA writes the address register that the scalar destination names.";
    NopFields = "nop_garbage", "An operation that does nothing writes nothing and sets no condition codes.";
    Output7 = "out7", "Rankine's output register 7 exists.";
    ClipOutputs = "out_clip", "Rankine's output registers 17 to 22 exist.";
}

/// The choices that a `# uses` line names, given with its number.
pub(super) fn read(line: Option<&(usize, String)>) -> Result<Vec<Choice>, Flaw> {
    let Some((number, text)) = line else { return Ok(Vec::new()) };
    let words = text::words(Line { number: *number, text }, &[], &[]).skip(2);
    words
        .map(|word| {
            let found = Choice::ALL.iter().copied().find(|choice| choice.name() == word.text);
            found.ok_or_else(|| {
                let names: Vec<&str> = Choice::ALL.iter().map(|choice| choice.name()).collect();
                Flaw::word(&word, format!("`{}` is not a known choice", clip(word.text)))
                    .help(format!("known are {}", names.join(", ")))
            })
        })
        .collect()
}
