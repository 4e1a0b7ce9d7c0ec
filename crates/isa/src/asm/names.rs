//! Names of registers and mnemonics in the assembler text (kelvin.md 3, rankine_curie.md 2.6 and 2.7).

use std::fmt;

use crate::isa::Generation;
use crate::isa::op::{ScaOp, VecOp};

/// Names of each output register of Kelvin; the first is printed, all are read.
const KELVIN_OUTPUTS: &[&[&str]] = &[
    &["oPos", "oHPOS"],
    &["o1"],
    &["o2"],
    &["oD0", "oCOL0"],
    &["oD1", "oCOL1"],
    &["oFog", "oFOGC"],
    &["oPts", "oPSIZ"],
    &["oB0", "oBFC0"],
    &["oB1", "oBFC1"],
    &["oT0", "oTEX0"],
    &["oT1", "oTEX1"],
    &["oT2", "oTEX2"],
    &["oT3", "oTEX3"],
    &["o13"],
    &["o14"],
    &["o15"],
];

/// Names of Rankine's outputs (rankine_curie.md 2.6).
const RANKINE_OUTPUTS: &[&[&str]] = &[
    &["oPos", "oHPOS"],
    &["oB0", "oBFC0"],
    &["oB1", "oBFC1"],
    &["oD0", "oCOL0"],
    &["oD1", "oCOL1"],
    &["oFog", "oFOGC"],
    &["oPts", "oPSIZ"],
    &["o7"],
    &["oT0", "oTEX0"],
    &["oT1", "oTEX1"],
    &["oT2", "oTEX2"],
    &["oT3", "oTEX3"],
    &["oT4", "oTEX4"],
    &["oT5", "oTEX5"],
    &["oT6", "oTEX6"],
    &["oT7", "oTEX7"],
    &["o16"],
    &["oClp0"],
    &["oClp1"],
    &["oClp2"],
    &["oClp3"],
    &["oClp4"],
    &["oClp5"],
];

/// Names of Curie's outputs, by the output map that drivers set up (rankine_curie.md 2.6). The fog and point size registers
/// hold clip distances in y, z and w.
const CURIE_OUTPUTS: &[&[&str]] = &[
    &["oPos", "oHPOS"],
    &["oD0", "oCOL0"],
    &["oD1", "oCOL1"],
    &["oB0", "oBFC0"],
    &["oB1", "oBFC1"],
    &["oFog", "oFOGC"],
    &["oPts", "oPSIZ"],
    &["oT0", "oTEX0"],
    &["oT1", "oTEX1"],
    &["oT2", "oTEX2"],
    &["oT3", "oTEX3"],
    &["oT4", "oTEX4"],
    &["oT5", "oTEX5"],
    &["oT6", "oTEX6"],
    &["oT7", "oTEX7"],
    &["oT8", "oTEX8"],
];

/// Names of each output register.
pub(super) const fn outputs(generation: Generation) -> &'static [&'static [&'static str]] {
    match generation {
        Generation::Kelvin => KELVIN_OUTPUTS,
        Generation::Rankine => RANKINE_OUTPUTS,
        Generation::Curie => CURIE_OUTPUTS,
    }
}

/// The output register that has this name.
pub fn output_number(generation: Generation, name: &str) -> Option<usize> {
    outputs(generation).iter().position(|names| names.contains(&name))
}

/// The other name of an input register in the assembler text (`iNormal`), which says what it usually holds;
/// `None` if there is no usual content.
pub fn input_name(generation: Generation, register: usize) -> Option<&'static str> {
    inputs(generation).get(register).copied().filter(|name| !name.is_empty())
}

/// Names of the input registers that have a customary use, none where there is none; `v0` to `v15` are printed.
pub(super) const fn inputs(generation: Generation) -> [&'static str; 16] {
    match generation {
        Generation::Kelvin => [
            "iPos",
            "iWeight",
            "iNormal",
            "iDiffuse",
            "iSpecular",
            "iFog",
            "iPts",
            "iBackDiffuse",
            "iBackSpecular",
            "iTex0",
            "iTex1",
            "iTex2",
            "iTex3",
            "",
            "",
            "",
        ],
        Generation::Rankine | Generation::Curie => [
            "iPos",
            "iWeight",
            "iNormal",
            "iDiffuse",
            "iSpecular",
            "iFog",
            "iPts",
            "",
            "iTex0",
            "iTex1",
            "iTex2",
            "iTex3",
            "iTex4",
            "iTex5",
            "iTex6",
            "iTex7",
        ],
    }
}

/// The letters of the components.
pub(super) const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// The component that a letter names.
pub(super) fn component(letter: char) -> Option<u8> {
    COMPONENTS.iter().position(|&c| c == letter.to_ascii_lowercase()).map(|c| c as u8)
}

/// The scalar MOV, where MOV alone would be taken for the vector one.
pub(super) const SCALAR_MOV: &str = "IMV";

/// What a mnemonic asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mnemonic {
    Vec(VecOp),
    Sca(ScaOp),
    /// MOV, of whichever unit.
    Mov,
    /// ADD with the second source negated.
    Sub,
    /// The absolute value: MAX of a source and its negation on Kelvin, and a MOV where sources have it.
    Abs,
    Nop,
    End,
}

impl Mnemonic {
    /// The first generation that has it.
    pub(super) const fn since(self) -> Generation {
        match self {
            Mnemonic::Vec(op) => op.since(),
            Mnemonic::Sca(op) => op.since(),
            Mnemonic::Mov | Mnemonic::Sub | Mnemonic::Abs | Mnemonic::Nop | Mnemonic::End => {
                Generation::Kelvin
            }
        }
    }
}

/// What stands behind a mnemonic: `MULC1_SAT` updates condition register 1 and saturates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Suffix {
    pub(super) code: Option<u8>,
    pub(super) saturate: bool,
}

impl fmt::Display for Suffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.code {
            None => "",
            Some(0) => "C",
            Some(_) => "C1",
        })?;
        f.write_str(if self.saturate { "_SAT" } else { "" })
    }
}

/// Every mnemonic, in no particular order.
pub(super) fn mnemonics() -> impl Iterator<Item = (&'static str, Mnemonic)> {
    let vec = VecOp::ALL.iter().filter(|op| !matches!(op, VecOp::Nop | VecOp::Mov));
    let sca = ScaOp::ALL.iter().filter(|op| !matches!(op, ScaOp::Nop | ScaOp::Mov));
    vec.map(|&op| (op.mnemonic(), Mnemonic::Vec(op)))
        .chain(sca.map(|&op| (op.mnemonic(), Mnemonic::Sca(op))))
        .chain([
            (VecOp::Mov.mnemonic(), Mnemonic::Mov),
            (SCALAR_MOV, Mnemonic::Sca(ScaOp::Mov)),
            ("SUB", Mnemonic::Sub),
            ("ABS", Mnemonic::Abs),
            ("NOP", Mnemonic::Nop),
            ("END", Mnemonic::End),
        ])
}

/// What a word asks for; a mnemonic on its own goes before one with a suffix (RCC).
pub(super) fn mnemonic(word: &str) -> Option<(Mnemonic, Suffix)> {
    let word = word.to_ascii_uppercase();
    let find = |word: &str| mnemonics().find(|(name, _)| *name == word).map(|(_, mnemonic)| mnemonic);
    let (stem, saturate) = word.strip_suffix("_SAT").map_or((&*word, false), |stem| (stem, true));
    let codes = [("", None), ("C", Some(0)), ("C0", Some(0)), ("C1", Some(1))];
    codes.into_iter().find_map(|(ending, code)| {
        find(stem.strip_suffix(ending)?).map(|mnemonic| (mnemonic, Suffix { code, saturate }))
    })
}

/// The names of the tests, by number.
pub(super) const TESTS: [&str; 8] = ["FL", "LT", "EQ", "LE", "GT", "NE", "GE", "TR"];

/// Of `candidates`, the one that `word` may be a slip of.
pub(super) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    // A name that has nothing in common with the word is none that was meant.
    let allowed = if length < 4 { 1 } else { 2 }.min(length.saturating_sub(1));
    candidates
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(d, _)| d <= allowed)
        .min_by_key(|&(d, _)| d)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete or replace to make one word of the other, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().map(|c| c.to_ascii_lowercase()).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().map(|c| c.to_ascii_lowercase()).enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, &b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
