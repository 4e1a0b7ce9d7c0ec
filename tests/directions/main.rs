//! Arrows between the modules of the library point one way: each imports what stands above it in the table of
//! docs/DESIGN.md, section 2, and nothing else.

mod scan;

use scan::{Arrow, Sources};
use std::collections::BTreeSet;

const DESIGN: &str = include_str!("../../docs/DESIGN.md");

/// Arrows that the table does not have, and what must go before they do.
const KNOWN: &[(&str, &str)] = &[];

/// A line of the table: a module, and what it imports.
struct Row {
    module: String,
    imports: Vec<String>,
}

/// The table of the section: rows of `| name | imports | what it is |`.
fn table(document: &str) -> Vec<Row> {
    let section = document.split("\n## 2. ").nth(1).expect("there is a section 2");
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    rows.map(|row| {
        let (module, rest) = row.split_once('`').expect("a name ends");
        let imports = rest.split('|').nth(1).expect("a second cell");
        Row { module: module.to_owned(), imports: names(imports) }
    })
    .collect()
}

#[test]
fn the_table_has_no_circle() {
    let mut above = BTreeSet::new();
    for Row { module, imports } in table(DESIGN) {
        for import in &imports {
            assert!(above.contains(import), "`{module}` imports `{import}`, which does not stand above it");
        }
        assert!(above.insert(module.clone()), "`{module}` stands there twice");
    }
    assert!(above.len() > 10, "the table has been found");
}

#[test]
fn every_module_stands_in_the_table() {
    let table = table(DESIGN);
    for module in Sources::read().modules() {
        let found = table.iter().any(|row| row.module == *module);
        assert!(found, "`{module}` is missing in the table of docs/DESIGN.md, section 2");
    }
}

#[test]
fn modules_import_what_the_table_says() {
    let table = table(DESIGN);
    let is_drawn = |from: &str, to: &str| {
        table.iter().any(|row| row.module == from && row.imports.iter().any(|import| import == to))
    };
    let arrows = Sources::read().arrows();
    assert!(arrows.len() > 30, "the arrows have been found");
    let wrong: Vec<String> = arrows
        .iter()
        .filter(|Arrow { from, to, .. }| {
            let known = KNOWN.iter().any(|&(known_from, known_to)| from == known_from && to == known_to);
            !is_drawn(from, to) && !known
        })
        .map(|Arrow { from, to, file }| format!("{file}: `{from}` imports `{to}`"))
        .collect();
    assert!(wrong.is_empty(), "docs/DESIGN.md, section 2, does not have:\n{}", wrong.join("\n"));
    for &(from, to) in KNOWN {
        assert!(!is_drawn(from, to), "`{from}` -> `{to}` is in the table: it is no exception");
    }
}

/// Names at the root are for users; inside, each thing has one path.
#[test]
fn nothing_below_the_tests_uses_what_the_root_exports_again() {
    let found = Sources::read().re_exports_used();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
