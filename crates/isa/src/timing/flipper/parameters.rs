//! What the model of Flipper's transform unit is made of. No document of this project has a rate of it.

use super::super::grade::Grade::*;
use super::super::values::{Choice, Parameter};

/// A list macro: as that of vertex units, for one chip.
macro_rules! parameters { ($(
    $key:ident $name:literal, $unit:literal, $allowed:expr, $plausible:expr, $meaning:literal;
        $value:literal $grade:ident $source:literal $why:literal;
)*) => {
    /// The rows of the table.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub(super) enum Key { $($key),* }

    /// Every parameter of Flipper's transform unit.
    pub static FLIPPER_PARAMETERS: &[Parameter] = &[$(Parameter {
        name: $name,
        unit: $unit,
        meaning: $meaning,
        allowed: $allowed,
        plausible: $plausible,
        choices: &[Choice { families: &[], value: $value, grade: $grade, source: $source, why: $why }],
    }),*];
} }

parameters! {
    Vertex "vertex", "clocks", 1..=127, 2..=8, "from a vertex to the next one at least";
        4 Emulated "Dolphin, CLKS_PER_VTX_OUT, and its pull request 1973" "a constant that nobody there calls measured; 40.5 million vertices a second at 162 MHz are the same (techpowerup.com)";
    Row "row", "clocks", 0..=127, 0..=4, "of the transform engine for a row of a matrix";
        1 Unknown "" "one dot product in each clock";
    Light "light", "clocks", 0..=127, 1..=16, "of the lighting engine for a light of a channel";
        4 Unknown "" "as many as a vertex takes anyway, so that one light costs nothing more";
    Beside "beside", "(0 or 1)", 0..=1, 0..=1, "1: both engines work side by side, on different vertices; 0: one after the other";
        1 Hypothesised "libogc, gx.h, GX_PERF0_XF_XFRM_CLKS and GX_PERF0_XF_LIT_CLKS" "the chip counts the clocks of each by itself";
}
