//! Quirks: behaviour that nobody has verified on silicon, or in which emulators differ. Each question has a name, and so have the
//! hypotheses that answer it.
//!
//! [`table`] has all of them: for programs, for emulators, for the fixed function and for Flipper. A row is everything that configurations, test files, the command
//! line, C, Python, the key of compiled code, random cases and `docs/QUIRKS.md` need to know about a quirk. The code that reads a
//! hypothesis implements its effect.

mod fixed;
mod forms;
mod processor;
mod programs;
mod table;
#[cfg(test)]
mod tests;
mod transform;

pub use fixed::{LightGaps, LightingSums};
pub use forms::{
    Addresses, BothOutputs, Comparisons, ConstantResults, Extremes, Library, Products, ReadBack, Reciprocals,
    RowCount, SignOfNan, Waves,
};
pub use processor::{Interrupt, Ring, Watermarks, Wrap};
pub use programs::{
    AddressBias, AddressNan, EndOnBranch, FogWrite, Indirect, OutOfRange, SaturateNan, WriteOrder,
};
pub use table::{FixedQuirks, FlipperQuirks, Forms, ProcessorQuirks, Quirks};
pub use transform::{Accumulation, Depth, HalfAngle, Storage, ToInteger};

use crate::isa::Generation;

/// One quirk as a row of the table: its name, its hypotheses, and what it can matter to. `Of` is the record that has it as a field.
#[derive(Clone, Copy, Debug)]
pub struct Quirk<Of = Quirks> {
    /// The name of the field, which is also the name of the option.
    pub name: &'static str,
    /// The generations whose programs it can change; none if it is not about programs.
    pub generations: &'static [Generation],
    /// The names of its hypotheses; the default comes first.
    pub values: &'static [&'static str],
    /// How often random cases have each of them.
    pub weights: &'static [u32],
    /// The evidence, with the document.
    pub evidence: &'static str,
    /// Chooses the hypothesis with this name. Returns whether it exists.
    pub set: fn(&mut Of, &str) -> bool,
    /// The name of the chosen hypothesis.
    pub get: fn(&Of) -> &'static str,
}

/// A record of hypotheses, one for each of its quirks.
pub trait QuirkSet: Copy + Default + Sized + 'static {
    /// The title of this record on pages.
    const ABOUT: &'static str;
    /// Its rows of the table.
    const TABLE: &'static [Quirk<Self>];

    /// Chooses a hypothesis by the names of quirk and value. Returns whether both exist.
    fn choose(&mut self, name: &str, value: &str) -> bool {
        Self::row(name).is_some_and(|quirk| (quirk.set)(self, value))
    }

    /// The names of the chosen hypotheses, in the order of the table.
    fn chosen(&self) -> Vec<&'static str> {
        Self::TABLE.iter().map(|quirk| (quirk.get)(self)).collect()
    }

    /// The row with this name.
    fn row(name: &str) -> Option<&'static Quirk<Self>> {
        Self::TABLE.iter().find(|quirk| quirk.name == name)
    }

    /// Returns these choices with the default for each quirk that cannot matter to a generation's programs.
    #[must_use]
    fn of(mut self, generation: Generation) -> Self {
        for quirk in Self::TABLE.iter().filter(|quirk| !quirk.matters(generation)) {
            (quirk.set)(&mut self, quirk.values[0]);
        }
        self
    }
}

impl Quirk {
    /// Every quirk of programs.
    pub const ALL: &'static [Quirk] = Quirks::TABLE;

    /// The quirk with this name.
    pub fn named(name: &str) -> Option<&'static Quirk> {
        Quirks::row(name)
    }
}

impl<Of> Quirk<Of> {
    /// Whether it can change anything for a generation's programs.
    pub fn matters(&self, generation: Generation) -> bool {
        self.generations.contains(&generation)
    }
}
