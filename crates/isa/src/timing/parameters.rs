//! What the model of a vertex unit is made of: the one table.
//!
//! Documents are numbered as in docs/DEPARTURES.md: 000 and 001 are the XF overview, 002 is an older version of it, 004 is the
//! lecture on the GeForce 3. `tests/statements` checks that lines which a documented value cites are statements of theirs.

use super::grade::Grade::*;
use super::values::{Choice, Parameter};
use crate::chip::Family::*;

/// A list macro: a parameter with its unit, the values that it can have and those that are plausible, and below a line for each group
/// of chips with the value, its grade and source.
macro_rules! parameters { ($(
    $key:ident $name:literal, $unit:literal, $allowed:expr, $plausible:expr, $meaning:literal;
        $([$($family:ident)*] $value:literal $grade:ident $source:literal $why:literal;)*
)*) => {
    /// The rows of the table.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub(super) enum Key { $($key),* }

    /// Every parameter.
    pub static PARAMETERS: &[Parameter] = &[$(Parameter {
        name: $name,
        unit: $unit,
        meaning: $meaning,
        allowed: $allowed,
        plausible: $plausible,
        choices: &[$(Choice {
            families: &[$($family),*],
            value: $value,
            grade: $grade,
            source: $source,
            why: $why,
        }),*],
    }),*];
} }

parameters! {
    // Vertices.
    Vertices "vertices", "vertices", 1..=256, 1..=6, "that are worked on at a time";
        [Kelvin Rankine Curie] 3 Documented "000: 181-182; 001: 91; 002: 82-83" "";
    Registers "registers", "files", 1..=256, 1..=6, "of temporaries (XFREG); a vertex that is worked on has one";
        [Kelvin Rankine Curie] 3 Documented "002: 119-120" "";
    Ibuf "ibuf", "buffers", 1..=512, 3..=12, "of attributes (IBUF); a vertex has one of each kind from the copy of its attributes until it has left";
        [Kelvin Rankine] 6 Documented "000: 164-165; 002: 110-111" "";
        [Curie] 6 Unknown "000: 164-165" "the overview has question marks there; as before";
    Tbuf "tbuf", "buffers", 1..=512, 3..=12, "of outputs (TBUF)";
        [Kelvin Rankine] 6 Documented "000: 164-165; 002: 113-114" "";
        [Curie] 6 Unknown "000: 164-165" "as for ibuf";
    Wbuf "wbuf", "buffers", 1..=512, 3..=12, "of results for LT (WBUF); a vertex has one whether or not it uses it";
        [Kelvin] 6 Documented "000: 164-165; 002: 116-117" "";
    Vbuf "vbuf", "buffers", 1..=512, 3..=12, "of the same form (VBUF)";
        [Kelvin] 6 Documented "000: 164-165; 002: 116-117" "";
    Ubuf "ubuf", "buffers", 1..=512, 3..=12, "that Rankine has instead of these two (UBUF)";
        [Rankine] 6 Documented "000: 164-165" "";
    Launch "launch", "vertices", 1..=256, 1..=3, "that begin together: this many wait for each other";
        [Kelvin Rankine Curie] 1 Unknown "" "each begins as soon as it can";

    // The way in and out.
    Arrive "arrive", "clocks", 0..=64, 0..=2, "until an attribute that changes has arrived in VAB";
        [Kelvin Rankine Curie] 0 Unknown "000: 247-248" "commands carry one or two words, and how many come in a clock is not known: each vertex arrives at once";
    Copy "copy", "clocks", 0..=64, 0..=4, "to copy an attribute that changes from VAB to IBUF";
        [Kelvin Rankine Curie] 1 Hypothesised "000: 272-276; 004: 292; 004: 296" "most internal paths have 128 bits, one vector; every attribute that a program reads is taken to change with each vertex";
    Leave "leave", "clocks", 0..=64, 0..=4, "for an output to leave TBUF, in the order of vertices";
        [Kelvin Rankine Curie] 1 Hypothesised "000: 272-276" "as for copy; every output that a program writes is sent";

    // Instructions.
    Issue "issue", "clocks", 1..=64, 1..=2, "from an instruction to the next one, of whichever vertex";
        [Kelvin Rankine Curie] 1 Documented "004: 627" "";
    Stages "stages", "stages", 2..=64, 5..=9, "of the pipeline: registers are read in the first one and written in the last one";
        [Kelvin Rankine Curie] 5 Hypothesised "004: 672; 004: 674; 004: 676; 004: 678" "the lecture assumes two of execution among five, and says that there are more";
    Delay "delay", "clocks", 0..=64, 0..=2, "from the clock that writes a result to the clock in which an instruction that reads it goes on";
        [Kelvin Rankine Curie] 0 Hypothesised "004: 693" "as drawn; 1 if registers are written before they are read in a clock, 2 if they are read before";
    Texture "texture", "clocks", 0..=4096, 0..=64, "by which a texel comes later than another result";
        [Curie] 0 Unknown "" "no document has the time of a texture look-up";
    Branch "branch", "clocks", 0..=62, 0..=3, "by which a branch is decided before the last stage";
        [Rankine Curie] 0 Unknown "" "in its last stage; the thread's next instruction begins then";
    Hold "hold", "(0 or 1)", 0..=1, 0..=1, "1: an instruction that waits keeps the first stage, and all others wait, too; 0: its vertex is passed over";
        [Kelvin Rankine Curie] 1 Hypothesised "004: 689-691" "the lecture draws it this way for a single vertex";
    Components "components", "(0 or 1)", 0..=1, 0..=1, "1: a read of a component waits for that component; 0: it waits for the last write to the register";
        [Kelvin Rankine Curie] 1 Unknown "" "a wait for r0.x does not hold up reads of r0.y";

    // Execution units: clocks from an operation that takes one to the next.
    Mlu "mlu", "clocks", 1..=64, 1..=2, "of the multiplier for MUL, MAD, DST and dot products";
        [Kelvin Rankine Curie] 1 Documented "000: 183-184" "";
    Alu "alu", "clocks", 1..=64, 1..=2, "of the adder for sums, dot products, comparisons and copies";
        [Kelvin Rankine Curie] 1 Documented "000: 185-186" "";
    Ilu "ilu", "clocks", 1..=64, 1..=4, "of the inverse unit for RCP, RCC and RSQ";
        [Kelvin Rankine Curie] 2 Documented "000: 188-189; 001: 94" "";
    IluTables "ilu-tables", "clocks", 1..=64, 1..=4, "of the inverse unit for EXP, LOG and LIT";
        [Kelvin Rankine Curie] 2 Hypothesised "000: 189-190" "it is the same unit; how long it takes for these is not said";
    Mfu "mfu", "clocks", 1..=64, 1..=4, "of the multi-function unit for LG2, EX2, SIN and COS";
        [Rankine Curie] 1 Unknown "000: 191-192" "as any instruction";
}
