//! Names of Kelvin's registers and mnemonics in the assembler text (kelvin.md 3).

use super::op::{ScaOp, VecOp};

/// Names of each output register; the first is printed, all are read.
pub(super) const OUTPUTS: [&[&str]; 16] = [
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

/// Names of the input registers that have a customary use; `v0` to `v15` are printed.
pub(super) const INPUTS: [&str; 13] = [
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
];

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
    /// MAX of a source and its negation.
    Abs,
    Nop,
    End,
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

/// Of `candidates`, the one that `word` may be a slip of.
pub(super) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = if word.chars().count() < 4 { 1 } else { 2 };
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
