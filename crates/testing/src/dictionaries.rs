//! Dictionaries of the fuzz targets that read texts and blocks: words from the tables that readers have, so none is forgotten.

use crate::capture;
use crate::ir::Op;
use crate::isa::op::{ScaOp, VecOp};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// What assembler texts have besides mnemonics.
const ASM: &[&str] = &[
    "!!VP1.0",
    "!!VP1.1",
    "!!VP2.0",
    "!!VP3.0",
    "!!ARBvp1.0",
    "OPTION",
    "PARAM",
    "ATTRIB",
    "TEMP",
    "ADDRESS",
    "OUTPUT",
    "ALIAS",
    "END",
    ".start",
    ".noend",
    "state.matrix.mvp",
    "state.light[0]",
    "program.env[",
    "program.local[",
    "vertex.position",
    "result.position",
    "oPos",
    "oD0",
    "oT0",
    "oFog",
    "oPts",
    "r0",
    "v0",
    "c[",
    "a0.x",
    "cc",
    "_sat",
    ".xyzw",
    "|",
];
/// What texts of functions have besides operations.
const IR: &[&str] = &[
    "func host hw kelvin window 0..192 {",
    "func xf hw kelvin window 0..192 {",
    "func xf ieee kelvin window 0..192 {",
    "prologue:",
    "body:",
    "%0",
    "v0.x",
    "c[0].x",
    "7f800000",
    "}",
];

/// A word as libFuzzer reads it.
fn entry(word: &[u8]) -> String {
    let text = |&byte: &u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    format!("\"{}\"\n", word.iter().map(text).collect::<String>())
}

fn dictionary(target: &str) -> String {
    let mnemonics = || {
        let vec = VecOp::ALL.iter().map(|op| op.mnemonic());
        vec.chain(ScaOp::ALL.iter().map(|op| op.mnemonic())).chain(ASM.iter().copied())
    };
    let words: BTreeSet<&[u8]> = match target {
        "asm" => mnemonics().map(str::as_bytes).collect(),
        "ir" => Op::ALL.iter().map(|op| op.text()).chain(IR.iter().copied()).map(str::as_bytes).collect(),
        _ => [&capture::MAGIC[..], b"CHIP", b"note", b"UNIT", b"FLIP", b"PROG", b"name", b"CALL", b"END "]
            .into(),
    };
    words.iter().map(|word| entry(word)).collect()
}

#[test]
fn dictionaries_have_every_word_of_the_tables() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/oss-fuzz");
    for target in ["asm", "ir", "capture"] {
        let (file, want) = (directory.join(format!("{target}.dict")), dictionary(target));
        if std::env::var_os("XFJIT_BLESS").is_some() {
            fs::write(&file, &want).expect("it is written");
        }
        let got = fs::read_to_string(&file).expect("there is a dictionary").replace("\r\n", "\n");
        assert!(got == want, "{}: XFJIT_BLESS=1 writes it", file.display());
    }
}
