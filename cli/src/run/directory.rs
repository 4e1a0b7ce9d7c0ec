//! `xfjit run DIRECTORY`: all test files in it, on every back end.

use crate::args::{Campaign, Format, Global};
use crate::backends;
use crate::campaign::{self, Finding, Outcome, Question, Words, Work, digest};
use crate::fail::Failure;
use crate::files;
use crate::sort::{self, Wanted};
use crate::text::Flaw;
use std::io::Write;
use std::path::Path;
use xfjit_testing::filetest::{Bless, check_text};

/// Test files, each a unit.
struct Tests(Vec<(String, String)>);

/// Runs the test files of a directory.
pub(super) fn run(directory: &Path, campaign: &Campaign, global: &Global) -> Result<(), Failure> {
    let mut tests = Vec::new();
    for path in files::tree(directory)?.iter().filter(|path| files::extension(path) == "xf") {
        tests.push((files::name(path), sort::read_text(path, Wanted::Test)?));
    }
    if tests.is_empty() {
        return Err(Failure::input(
            files::name(directory),
            Flaw::new("is a directory without test files (.xf)").help(files::DIRECTORY),
        ));
    }
    let digests: Vec<[String; 2]> =
        tests.iter().map(|(name, text)| [name.clone(), digest(text.as_bytes())]).collect();
    let question = Question::new("run", [("files", serde_json::json!(digests))]);
    let (total, tests) = (tests.len() as u64, Tests(tests));
    let words = Words { doing: "testing", units: "test files", differing: "test files", shown: 20 };
    let record = campaign::conduct(&tests, question, Some(total), &words, (campaign, None), global)?;
    let [passed, failed] = ["passed", "failed"].map(|name| record.counts.get(name));
    let mut out = files::stdout();
    match global.format {
        Format::Json => {
            let value = serde_json::json!({ "schema": "xfjit.tests.1", "passed": passed, "failed": failed });
            writeln!(out, "{value}")?;
        }
        Format::Csv => writeln!(out, "passed,failed\n{passed},{failed}")?,
        Format::Text => writeln!(out, "{passed} test files as expected on every back end, {failed} not")?,
    }
    out.flush()?;
    backends::note_missing();
    if failed == 0 { Ok(()) } else { Err(Failure::Mismatch) }
}

impl Work for Tests {
    type Hands = ();
    type Difference = String;

    fn hands(&self) {}

    fn unit(&self, unit: u64, (): &mut ()) -> Result<Outcome<String>, Failure> {
        let mut outcome = Outcome::default();
        let Some((name, text)) = self.0.get(unit as usize) else { return Ok(outcome) };
        let difference = check_text(text, Bless::No).err();
        outcome.failed = difference.is_some().into();
        outcome.counts.add("passed", difference.is_none().into());
        outcome.counts.add("failed", outcome.failed);
        outcome.differences.extend(difference.map(|what| format!("{name}: {what}")));
        Ok(outcome)
    }

    fn finding(&self, unit: u64, difference: String, (): &mut ()) -> Finding {
        let what = difference.lines().map(str::to_owned).collect();
        Finding { unit, what, exhibit: None, reproduce: None }
    }
}
