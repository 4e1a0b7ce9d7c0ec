//! docs/isa/kelvin.md says what the code does.

use super::{Fields, SourceFields};
use crate::asm::parse;
use crate::isa::Generation;

const DOC: &str = include_str!("../../../../../docs/isa/kelvin.md");

/// The cells of the document's table rows.
fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    DOC.lines().filter(|line| line.starts_with('|')).map(|line| line.split('|').map(str::trim).collect())
}

#[test]
fn the_layout_tables_are_those_of_the_code() {
    for field in Fields::FIELDS.iter().chain(SourceFields::FIELDS) {
        let (lo, hi) = (field.lo.to_string(), field.hi.to_string());
        let found = rows().any(|row| {
            row.get(1..4) == Some(&[field.name, &lo, &hi]) && row.iter().rev().nth(1) == Some(&field.meaning)
        });
        assert!(found, "{field:?}");
    }
}

#[test]
fn the_example_assembles_but_for_its_last_line() {
    let start = DOC.find("; transform").unwrap();
    let text = &DOC[start..][..DOC[start..].find("```").unwrap()];
    let errors = parse(Generation::Kelvin, text).unwrap_err();
    assert_eq!(errors.len(), 1, "{}", errors[0].render(text));
    assert_eq!(errors[0].line, text.lines().count());
}
