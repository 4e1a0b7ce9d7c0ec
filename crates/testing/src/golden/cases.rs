//! Fixed-function cases: state, a vertex, and what comes out. What their lines mean is told in
//! [`super`].

use super::lines::{FileFlaw, Source};
use super::{GoldenCase, GoldenFlaw};
use crate::text::{self, Flaw, Line};

/// One case.
#[derive(Clone, Debug)]
pub struct FixedCase {
    /// Where it stands in the file.
    pub line: usize,
    /// What it says.
    pub golden: GoldenCase,
}

/// The cases of a file.
#[derive(Debug)]
pub struct FixedCases(pub(super) Source);

impl FixedCases {
    /// The name of the file.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    fn case(&mut self) -> Result<Option<FixedCase>, Flaw> {
        let mut lines: Vec<(usize, String)> = Vec::new();
        while lines.is_empty() || !self.0.continues_with(&["case"]) {
            let Some(line) = self.0.line() else { break };
            lines.push((line.number, line.text.to_owned()));
        }
        let Some(&(line, _)) = lines.first() else { return Ok(None) };
        let texts: Vec<&str> = lines.iter().map(|(_, text)| &text[..]).collect();
        let golden = GoldenCase::parse(&texts).map_err(|flaw| placed(&lines, flaw))?;
        Ok(Some(FixedCase { line, golden }))
    }
}

/// A flaw with its place in the file.
fn placed(lines: &[(usize, String)], GoldenFlaw { line, word, message }: GoldenFlaw) -> Flaw {
    let Some((number, text)) = lines.get(line) else { return Flaw::new(message) };
    let line = Line { number: *number, text };
    match word.and_then(|word| text::words(line, &[], &[]).nth(word)) {
        Some(word) => Flaw::word(&word, message),
        None => Flaw::line(&line, message),
    }
}

impl Iterator for FixedCases {
    type Item = Result<FixedCase, FileFlaw>;

    fn next(&mut self) -> Option<Self::Item> {
        let case = self.case();
        self.0.item(case)
    }
}
