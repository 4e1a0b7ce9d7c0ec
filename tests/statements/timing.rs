//! What the chip's time rests on (`crates/isa/src/timing`): lines that its parameters cite are statements of the documents.

use crate::table::{Evidence, Lines, Statement, Table};
use crate::tables;
use xfjit_isa::timing::{Grade, PARAMETERS};

/// A source of a parameter, `000: 181-182; 002: 82-83`, as documents and their lines.
fn cited(source: &str) -> Vec<(&str, &str)> {
    source
        .split("; ")
        .filter(|cite| !cite.is_empty())
        .map(|cite| cite.split_once(": ").expect("DOCUMENT: LINES"))
        .collect()
}

/// The statements that lines make: of these lines, or of some of them.
fn statements<'a>(tables: &'a [Table], document: &str, lines: &str) -> Vec<&'a Statement> {
    let table = tables.iter().find(|table| table.document == document).expect("a document");
    let Lines(first, last) = Lines::parse(lines).expect("lines");
    let within = |statement: &&Statement| first <= statement.lines.0 && statement.lines.1 <= last;
    table.statements.iter().filter(within).collect()
}

#[test]
fn parameters_cite_statements() {
    let tables = tables();
    let mut documented = 0;
    for parameter in PARAMETERS {
        for choice in parameter.choices {
            for (document, lines) in cited(choice.source) {
                let found = statements(&tables, document, lines);
                let place = format!("{} cites {document}: {lines}", parameter.name);
                assert!(!found.is_empty(), "{place}, which is no statement");
                // What a document says of the chip's time fails a test of the model if it is not so.
                let holds = |statement: &&Statement| match &statement.evidence {
                    Evidence::Tests(tests) => {
                        tests.iter().any(|test| test.starts_with("crates/isa/src/timing/"))
                    }
                    Evidence::Departs(_) | Evidence::Gap(_) => false,
                };
                if choice.grade == Grade::Documented {
                    documented += 1;
                    assert!(found.iter().any(holds), "{place}, of which no test of the model makes sure");
                }
            }
        }
    }
    assert!(documented >= 16, "{documented}");
}

#[test]
fn sources_are_read() {
    assert_eq!(cited("000: 181-182; 004: 9"), [("000", "181-182"), ("004", "9")]);
    assert_eq!(cited(""), []);
}
