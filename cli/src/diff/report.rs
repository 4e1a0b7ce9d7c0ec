//! What came of a comparison, on standard output.

use super::comparison::{Column, Comparison, Kind};
use crate::args::{Format, Global};
use crate::campaign::Record;
use crate::fail::Failure;
use crate::files;
use crate::table::Table;
use std::io::Write;
use xfjit::backend::Runs;

/// What is counted of a backend besides its mismatches, by the name in a record and the one in a table.
const COUNTED: [(&str, &str); 3] =
    [("groups", ">groups"), ("deopt_groups", ">deoptimised groups"), ("refused", ">refused")];

/// A table and a line below it, or the value that says the same.
pub(super) fn write<K: Kind>(
    comparison: &Comparison<K>,
    record: &Record,
    global: &Global,
) -> Result<(), Failure> {
    let mut out = files::stdout();
    match global.format {
        Format::Json => writeln!(out, "{}", json(comparison, record))?,
        Format::Csv => table(comparison, record).write_csv(&mut out)?,
        Format::Text => {
            if !global.quiet {
                table(comparison, record).write(&mut out)?;
            }
            writeln!(out, "{}", line(comparison, record))?;
        }
    }
    Ok(out.flush()?)
}

/// Groups that the first native code has left to the interpreter: the evaluator and wide code guard the same vertices, and are not
/// counted again.
fn deopt_groups<K: Kind>(comparison: &Comparison<K>, record: &Record) -> u64 {
    let natives = || comparison.columns.iter().filter(|column| column.backend.runs() == Runs::Native);
    let first = natives().next().map(|column| column.backend.name());
    let counted = natives().filter(|column| Some(column.backend.name()) == first);
    let groups = counted.map(|column| record.counts.of(column.group, column.backend.name(), "deopt_groups"));
    groups.fold(0, u64::saturating_add)
}

fn line<K: Kind>(comparison: &Comparison<K>, record: &Record) -> String {
    let [cases, vertices, mismatches] =
        [K::PLURAL, "vertices", "mismatches"].map(|name| record.counts.get(name));
    let deopts = deopt_groups(comparison, record);
    let plural = K::PLURAL;
    format!("{cases} {plural}, {vertices} vertices, {mismatches} mismatches, {deopts} deoptimised groups")
}

fn table<K: Kind>(comparison: &Comparison<K>, record: &Record) -> Table {
    let differ = format!(">{} that differ", K::PLURAL);
    let titles = COUNTED.iter().map(|(_, title)| *title);
    let mut table = Table::new([K::GROUPS, "backend", &differ].into_iter().chain(titles));
    for Column { group, backend } in &comparison.columns {
        let names = ["mismatches"].into_iter().chain(COUNTED.map(|(name, _)| name));
        let numbers = names.map(|name| record.counts.of(group, backend.name(), name).to_string());
        table.row([*group, backend.name()].map(str::to_owned).into_iter().chain(numbers));
    }
    table
}

fn json<K: Kind>(comparison: &Comparison<K>, record: &Record) -> serde_json::Value {
    let runs = comparison.columns.iter().map(|Column { group, backend }| {
        let mut run = serde_json::json!({ K::GROUPS: group, "backend": backend.name() });
        for name in ["mismatches"].into_iter().chain(COUNTED.map(|(name, _)| name)) {
            run[name] = record.counts.of(group, backend.name(), name).into();
        }
        run
    });
    let runs: Vec<serde_json::Value> = runs.collect();
    let mut value = serde_json::json!({
        "schema": K::SCHEMA, "seed": comparison.seed, "deopt_groups": deopt_groups(comparison, record), "runs": runs,
    });
    for counted in [K::PLURAL, "vertices", "mismatches"] {
        value[counted] = record.counts.get(counted).into();
    }
    value
}
