//! The pages of microcode in docs/isa say what the code does.

use super::Generation;
use super::fields::Field;
use super::mask::Mask;
use super::op::{Components, ScaOp, Slot, VecOp};
use super::{curie, native, rankine};

const KELVIN: &str = include_str!("../../../../docs/isa/kelvin.md");
const RANKINE: &str = include_str!("../../../../docs/isa/rankine.md");
const NATIVE: &str = include_str!("../../../../docs/isa/native.md");
const CURIE: &str = include_str!("../../../../docs/isa/curie.md");

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

/// The page of a generation lists the opcodes that it is the first to have.
fn has_opcodes(doc: &'static str, generation: Generation) {
    let read = |slot: Slot, components: Option<Components>| {
        let letter = ["A", "B", "C"][slot as usize];
        match components {
            None => String::new(),
            Some(Components::Written) => letter.to_owned(),
            Some(fixed) => {
                let components = fixed.mask(Mask::NONE).components();
                let names: String = components.map(|c| ['x', 'y', 'z', 'w'][c]).collect();
                format!("{letter}.{names}")
            }
        }
    };
    let sources = |slots: &[Slot], components: &dyn Fn(Slot) -> Option<Components>| {
        slots.iter().map(|&slot| read(slot, components(slot))).collect::<Vec<_>>().join(",")
    };
    let vec = VecOp::ALL.iter().filter(|op| op.since() == generation);
    let vec =
        vec.map(|op| ("vector", op.mnemonic(), op.code(), sources(op.reads(), &|slot| op.components(slot))));
    let sca = ScaOp::ALL.iter().filter(|op| op.since() == generation);
    let sca =
        sca.map(|op| ("scalar", op.mnemonic(), op.code(), sources(op.reads(), &|slot| op.components(slot))));
    let (rows, mut count) = (rows(doc), 0);
    for (unit, mnemonic, code, reads) in vec.chain(sca) {
        count += 1;
        let code = format!("0x{code:02x}");
        let row = [unit, mnemonic, &code, &reads];
        assert!(rows.iter().any(|cells| cells.starts_with(&row)), "{row:?}");
    }
    let listed = rows.iter().filter(|row| matches!(row[0], "vector" | "scalar")).count();
    assert_eq!(listed, count);
}

#[test]
fn kelvins_opcodes_are_those_of_the_code() {
    has_opcodes(KELVIN, Generation::Kelvin);
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

#[test]
fn native_tables_are_those_of_the_code() {
    has_layout(NATIVE, native::Upper::FIELDS);
    let listed = rows(NATIVE).iter().filter(|row| row[1].parse::<u32>().is_ok()).count();
    assert_eq!(listed, native::Upper::FIELDS.len() + 1, "the mark, and the table");
    assert!(rows(NATIVE).iter().any(|row| row.starts_with(&["was_curie", "127", "128"])));
    assert_eq!(native::WAS_CURIE, 1 << (127 - 96));
}
