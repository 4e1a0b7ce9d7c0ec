//! docs/isa/rankine.md and docs/isa/curie.md say what the code does.

use super::Generation;
use super::fields::Field;
use super::op::{ScaOp, Slot, VecOp};
use super::{curie, rankine};

const RANKINE: &str = include_str!("../../docs/isa/rankine.md");
const CURIE: &str = include_str!("../../docs/isa/curie.md");

/// The cells of a document's table rows.
fn rows(doc: &'static str) -> Vec<Vec<&'static str>> {
    let tables = doc.lines().filter(|line| line.starts_with('|'));
    tables.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

fn has_layout(doc: &'static str, fields: &[Field]) {
    let rows = rows(doc);
    for field in fields {
        let (lo, hi) = (field.lo.to_string(), field.hi.to_string());
        let is =
            |row: &Vec<&str>| row.starts_with(&[field.name, &lo, &hi]) && row.last() == Some(&field.meaning);
        assert!(rows.iter().any(is), "{field:?}");
    }
}

fn has_opcodes(doc: &'static str, generation: Generation) {
    let vec = VecOp::ALL.iter().map(|op| ("vector", op.mnemonic(), op.code(), op.reads(), op.since()));
    let sca = ScaOp::ALL.iter().map(|op| ("scalar", op.mnemonic(), op.code(), op.reads(), op.since()));
    let letter = |slot: &Slot| ["A", "B", "C"][*slot as usize];
    let (rows, mut count) = (rows(doc), 0);
    for (unit, mnemonic, code, reads, since) in vec.chain(sca) {
        if since > generation {
            continue;
        }
        count += 1;
        let (code, reads) = (format!("0x{code:02x}"), reads.iter().map(letter).collect::<Vec<_>>().join(","));
        let row = [unit, mnemonic, &code, &reads];
        assert!(rows.iter().any(|cells| cells.starts_with(&row)), "{row:?}");
    }
    let listed = rows.iter().filter(|row| matches!(row[0], "vector" | "scalar")).count();
    assert_eq!(listed, count);
}

#[test]
fn rankines_tables_are_those_of_the_code() {
    has_layout(RANKINE, rankine::Fields::FIELDS);
    has_opcodes(RANKINE, Generation::Rankine);
}

#[test]
fn curies_tables_are_those_of_the_code() {
    has_layout(CURIE, curie::Fields::FIELDS);
    has_layout(CURIE, curie::SourceFields::FIELDS);
    has_opcodes(CURIE, Generation::Curie);
}
