//! What came of golden vectors, on standard output.

use crate::args::{Format, Global};
use crate::campaign::Record;
use crate::fail::Failure;
use crate::files;
use crate::table::Table;
use std::io::Write;

/// What is counted of a file and a backend, by the name in a record and the one in a table.
const COLUMNS: [(&str, &str); 4] = [
    ("cases", ">cases"),
    ("failed", ">failed"),
    ("guarded_groups", ">guarded groups"),
    ("refused", ">refused"),
];

/// A table and a line below it, or the value that says the same.
pub(super) fn write(record: &Record, global: &Global) -> Result<(), Failure> {
    let mut out = files::stdout();
    let counts = &record.counts;
    let files = counts.groups.iter();
    let runs =
        || files.clone().flat_map(|(file, backends)| backends.keys().map(move |backend| (file, backend)));
    let mut table = Table::new(["file", "backend"].into_iter().chain(COLUMNS.map(|(_, title)| title)));
    for (file, backend) in runs() {
        let numbers = COLUMNS.map(|(name, _)| counts.of(file, backend, name).to_string());
        table.row([file.clone(), backend.clone()].into_iter().chain(numbers));
    }
    let [passed, failed] = ["passed", "failed"].map(|name| counts.get(name));
    match global.format {
        Format::Json => {
            let run = |(file, backend): (&String, &String)| {
                let mut run = serde_json::json!({ "file": file, "backend": backend });
                COLUMNS.iter().for_each(|(name, _)| run[*name] = counts.of(file, backend, name).into());
                run
            };
            let runs: Vec<serde_json::Value> = runs().map(run).collect();
            let value = serde_json::json!({
                "schema": "xfjit.vectors.1", "passed": passed, "failed": failed, "runs": runs,
            });
            writeln!(out, "{value}")?;
        }
        Format::Csv => table.write_csv(&mut out)?,
        Format::Text => {
            if !global.quiet && runs().next().is_some() {
                table.write(&mut out)?;
            }
            writeln!(out, "{passed} passed, {failed} failed")?;
        }
    }
    Ok(out.flush()?)
}
