//! `docs/DEPARTURES.md`, made of the tables.

use crate::departures::{Departure, WEIGHTS};
use crate::table::{Evidence, Table};
use std::fmt::Write as _;

const HEAD: &str = "\
# Where xfjit departs from the documents

xfjit began with five documents. They make some hundreds of statements about the hardware. The tables of `tests/statements`
have each statement with its lines, in our own words, and with a test that fails if the statement does not hold. This page lists the statements without
such a test: *departures*, where xfjit does something else for a reason, and *gaps*, where it does nothing, or where no test can tell.
`tests/statements/main.rs` makes this page from the tables, and checks that no line of a document is forgotten and that every test exists.

";

/// The page.
pub(crate) fn page(tables: &[Table], departures: &[Departure]) -> String {
    let mut page = HEAD.to_owned();
    page += "| document | lines | left out | statements | tested | departures | gaps |\n|---|---|---|---|---|---|---|\n";
    for table in tables {
        let left: usize = table.left.iter().map(|(lines, _)| lines.1 - lines.0 + 1).sum();
        let count = |of: fn(&Evidence) -> bool| {
            table.statements.iter().filter(|statement| of(&statement.evidence)).count()
        };
        let Table { document, title, lines, statements, .. } = table;
        let _ = writeln!(
            page,
            "| {document}: {title} | {lines} | {left} | {} | {} | {} | {} |",
            statements.len(),
            count(|evidence| matches!(evidence, Evidence::Tests(_))),
            count(|evidence| matches!(evidence, Evidence::Departs(_))),
            count(|evidence| matches!(evidence, Evidence::Gap(_))),
        );
    }
    page += "\n## Departures\n\n";
    list(&mut page, tables, departures.iter().filter(|departure| !departure.is_gap));
    page += "## Gaps\n\n";
    for (weight, about) in WEIGHTS {
        let of_weight = |gap: &&Departure| gap.is_gap && gap.weight == weight;
        if departures.iter().any(|gap| of_weight(&gap)) {
            let _ = writeln!(page, "**Of {weight}.** {about}\n");
            list(&mut page, tables, departures.iter().filter(of_weight));
        }
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

fn list<'a>(page: &mut String, tables: &[Table], departures: impl Iterator<Item = &'a Departure>) {
    *page += "| name | the documents | xfjit | why | lines |\n|---|---|---|---|---|\n";
    for departure in departures {
        let Departure { name, says, does, why, .. } = departure;
        let places =
            tables.iter().filter_map(|table| places(table, departure)).collect::<Vec<_>>().join("; ");
        let _ = writeln!(page, "| `{name}` | {says} | {does} | {why} | {places} |");
    }
    page.push('\n');
}

/// The lines of a document whose statements have a departure.
fn places(table: &Table, departure: &Departure) -> Option<String> {
    let named = table.named(departure.is_gap).filter(|(name, _)| *name == departure.name);
    let mut lines: Vec<String> = named.map(|(_, statement)| statement.lines.to_string()).collect();
    lines.dedup();
    (!lines.is_empty()).then(|| format!("{}: {}", table.document, lines.join(", ")))
}
