//! `xfjit coverage`: which rows of the project's tables no input of a corpus reaches.

use crate::args::{Coverage as Args, Format, Global};
use crate::fail::{Failure, note};
use crate::table::Table;
use crate::text::Flaw;
use crate::{files, progress};
use std::io::Write;
use std::path::{Path, PathBuf};
use xfjit_testing::coverage::{Corpus, Coverage};

/// Reports what a corpus reaches. Rows that nothing reaches are no failure: some of them nothing can.
pub fn run(args: &Args, global: &Global) -> Result<(), Failure> {
    let mut inputs: Vec<(Corpus, PathBuf)> = Vec::new();
    let mut others = 0;
    for path in &args.corpora {
        if let Err(error) = std::fs::metadata(path) {
            return Err(Failure::unreadable(files::name(path), &error));
        }
        for file in files::tree(path)? {
            match corpus_of(&file) {
                Some(corpus) => inputs.push((corpus, file)),
                None => others += 1,
            }
        }
    }
    if inputs.is_empty() {
        let flaw = Flaw::new("holds no inputs of a known kind").help(KINDS);
        return Err(Failure::input(files::name(&args.corpora[0]), flaw));
    }
    let mut coverage = Coverage::new();
    let bar = progress::bar(inputs.len() as u64, "compiling", global.quiet);
    for (corpus, file) in inputs {
        others += u64::from(coverage.input(corpus, &files::read(&file)?).is_err());
        bar.inc(1);
    }
    bar.finish_and_clear();
    if others > 0 {
        note(format_args!("{others} files hold nothing that can be compiled"));
    }
    write(&coverage, args.missing, global)
}

const KINDS: &str = "known kinds are test files (.xf) and the corpora of the fuzz targets asm, decode, fixed, ir, program and transform, in \
                     directories of these names";

/// The kind of a file: by its ending, else by the directories that it is in.
fn corpus_of(file: &Path) -> Option<Corpus> {
    let directories = file.ancestors().skip(1).filter_map(|path| path.file_name()?.to_str());
    std::iter::once(files::extension(file).as_str()).chain(directories).find_map(Corpus::named)
}

fn write(coverage: &Coverage, lists: bool, global: &Global) -> Result<(), Failure> {
    let mut out = files::stdout();
    let mut table = Table::new(["table", ">rows", ">reached", ">missing"]);
    for (name, rows) in &coverage.tables {
        let reached = rows.values().filter(|count| **count > 0).count();
        let numbers = [rows.len(), reached, rows.len() - reached].map(|number| number.to_string());
        table.row([name.clone()].into_iter().chain(numbers));
    }
    match global.format {
        Format::Json => {
            let tables = serde_json::json!(coverage.tables);
            let value = serde_json::json!({ "schema": "xfjit.coverage.1", "inputs": coverage.inputs, "tables": tables });
            writeln!(out, "{value}")?;
        }
        Format::Csv => {
            let mut rows = Table::new(["table", "row", ">inputs"]);
            for (name, table) in &coverage.tables {
                table
                    .iter()
                    .for_each(|(row, count)| rows.row([name.clone(), row.clone(), count.to_string()]));
            }
            rows.write_csv(&mut out)?;
        }
        Format::Text => {
            if !global.quiet {
                table.write(&mut out)?;
            }
            let mut missing = 0;
            for (name, row) in coverage.missing() {
                missing += 1;
                if lists {
                    writeln!(out, "{name}: {row}")?;
                }
            }
            writeln!(
                out,
                "{} programs, configurations and functions reach all rows but {missing}",
                coverage.inputs
            )?;
        }
    }
    Ok(out.flush()?)
}
