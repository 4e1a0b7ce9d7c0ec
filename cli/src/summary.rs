//! `xfjit summary`: records of campaigns, added up.

use crate::args::{Format, Global, Summary};
use crate::campaign::{Counts, Record};
use crate::fail::{Failure, remark};
use crate::files;
use crate::table::Table;
use std::collections::BTreeSet;
use std::io::Write;

/// Adds records up and reports the sum. It fails if one of them has found a difference, as its campaign did.
pub fn run(args: &Summary, global: &Global) -> Result<(), Failure> {
    let mut sum: Option<Record> = None;
    for path in &args.files {
        let record = Record::read(path)?;
        match &mut sum {
            Some(sum) => sum.add(record).map_err(|flaw| Failure::input(files::name(path), flaw))?,
            None => sum = Some(record),
        }
    }
    let Some(sum) = sum.map(Record::joined) else {
        return Err(Failure::Usage("no records are given".to_owned()));
    };
    if let Some(directory) = &args.findings {
        files::writable(directory)?;
        sum.findings.iter().try_for_each(|finding| finding.write(directory))?;
    }
    write(&sum, global)?;
    if sum.failed == 0 { Ok(()) } else { Err(Failure::Mismatch) }
}

/// The record as JSON, or what is in it for people.
fn write(sum: &Record, global: &Global) -> Result<(), Failure> {
    let mut out = files::stdout();
    match global.format {
        Format::Json => write!(out, "{}", sum.text()?)?,
        Format::Csv => table(sum).write_csv(&mut out)?,
        Format::Text => {
            sum.findings.iter().for_each(remark);
            if !global.quiet {
                table(sum).write(&mut out)?;
            }
            writeln!(out, "{}", line(sum))?;
        }
    }
    Ok(out.flush()?)
}

/// A row for each back end of each group; one of all, where a campaign has no groups, as that of test files.
fn table(sum: &Record) -> Table {
    let Counts { groups, total } = &sum.counts;
    let mut rows: Vec<_> = groups
        .iter()
        .flat_map(|(group, backends)| {
            backends.iter().map(move |(backend, numbers)| (group.as_str(), backend.as_str(), numbers))
        })
        .collect();
    if rows.is_empty() && !total.is_empty() {
        rows.push(("all", "all", total));
    }
    let names: BTreeSet<&str> =
        rows.iter().flat_map(|(.., numbers)| numbers.keys().map(String::as_str)).collect();
    let titles: Vec<String> = names.iter().map(|name| format!(">{}", name.replace('_', " "))).collect();
    let mut table = Table::new(["group", "backend"].into_iter().chain(titles.iter().map(String::as_str)));
    for (group, backend, numbers) in rows {
        let number = |name: &&str| numbers.get(*name).copied().unwrap_or(0).to_string();
        table.row([group.to_owned(), backend.to_owned()].into_iter().chain(names.iter().map(number)));
    }
    table
}

/// What is done of which work, and all numbers.
fn line(sum: &Record) -> String {
    let parts: Vec<String> =
        sum.done.iter().map(|done| format!("{} of part {}", done.units, done.shard)).collect();
    let numbers: Vec<String> =
        sum.counts.total.iter().map(|(name, count)| format!("{count} {}", name.replace('_', " "))).collect();
    let numbers = if numbers.is_empty() { "nothing yet".to_owned() } else { numbers.join(", ") };
    format!("{} {}: {numbers} ({})", sum.question.command, sum.fingerprint(), parts.join(", "))
}
