//! Files of golden vectors: what the hardware model computes for operations, programs and fixed-function state.
//!
//! [`recognise`] recognises a text by its content, and returns an iterator over the cases of its kind. Cases are read one
//! at a time; every error names file and line. The formats:
//!
//! | first line | kind |
//! |---|---|
//! | `kelvin vec MOV ...` | [`Ops`]: one operation a line |
//! | `# kelvin programs, model hw` | [`Programs`] of all generations |
//! | `# kelvin programs, model hw, from pictures of a console` | the same, with a [`Picture`](super::console::Picture) for an expectation |
//! | `# emulator mame release 0.289 ..` | [`EmulatedCases`]: operations and programs, as an emulator computes them |
//! | `op,a_hex,b_hex,...` | [`CelsiusOps`]: fixed-function arithmetic |
//! | `# flipper fetch, dialect spec` | [`FetchCases`]: commands and vertices |
//! | `case 0 chip nv10`, behind comments | [`FixedCases`]: fixed-function state and result |
//! | `# flipper xf, dialect spec` | [`FlipperCases`]: Flipper's transform unit |

use super::cases::FixedCases;
use super::celsius::CelsiusOps;
use super::emulators::EmulatedCases;
use super::flipper::FlipperCases;
use super::flipper_fetch::FetchCases;
use super::ops::{OpRules, Ops};
use super::programs::{Header, Programs};
use crate::chip::Generation;
use crate::testing::text::{self, Flaw, Line, Word};
use std::fmt;

/// An opened file.
#[derive(Debug)]
pub enum VectorFile {
    /// Single operations of the vector and scalar units.
    Ops(Ops),
    /// Whole programs.
    Programs(Programs),
    /// What an emulator makes of programs.
    Emulated(EmulatedCases),
    /// Single operations of the Celsius pipeline.
    CelsiusOps(CelsiusOps),
    /// Fixed-function state, a vertex and its result.
    Fixed(FixedCases),
    /// Commands of Flipper, and the vertices that they hold.
    FlipperFetch(FetchCases),
    /// Words of Flipper's transform unit, vertices and their results.
    Flipper(FlipperCases),
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileFlaw {
    /// The name of the file.
    pub file: String,
    /// What is wrong, and where.
    pub flaw: Flaw,
}

impl fmt::Display for FileFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.flaw)
    }
}

impl std::error::Error for FileFlaw {}

/// Recognises golden vectors by their content.
///
/// # Errors
/// The text does not begin like any of them.
pub fn recognise(name: String, text: String) -> Result<VectorFile, FileFlaw> {
    let fail = |flaw| FileFlaw { file: name.clone(), flaw };
    let Some(first) = first_line(&text) else { return Err(fail(Flaw::new("is empty"))) };
    let Some(form) = form(&text) else {
        let flaw = Flaw::line(&first, "is not the start of a known file of golden vectors").help(
            "known are single operations, programs, emulators' figures, Celsius operations, fixed-function and Flipper cases",
        );
        return Err(fail(flaw));
    };
    Ok(match form {
        Form::FlipperFetch => {
            let dialect = FetchCases::dialect(&first).map_err(fail)?;
            VectorFile::FlipperFetch(FetchCases::new(Source::new(name, text), dialect))
        }
        Form::Programs => {
            let header = Header::parse(&first).map_err(fail)?;
            VectorFile::Programs(Programs::new(header, Source::new(name, text)))
        }
        Form::Emulated => VectorFile::Emulated(EmulatedCases::new(name, text)?),
        Form::Flipper => VectorFile::Flipper(FlipperCases::new(Source::new(name, text))),
        Form::Ops => VectorFile::Ops(Ops(Source::new(name, text))),
        Form::CelsiusOps => VectorFile::CelsiusOps(CelsiusOps::new(Source::new(name, text))),
        Form::Fixed => VectorFile::Fixed(FixedCases(Source::new(name, text))),
    })
}

/// What a file holds.
enum Form {
    FlipperFetch,
    Programs,
    Emulated,
    Flipper,
    Ops,
    CelsiusOps,
    Fixed,
}

/// Whether a text begins as a file of golden vectors.
pub fn is_one(text: &str) -> bool {
    form(text).is_some()
}

fn first_line(text: &str) -> Option<text::Line<'_>> {
    text::lines(text).find(|line| !line.text.trim().is_empty())
}

/// How a text begins.
fn form(text: &str) -> Option<Form> {
    let first = first_line(text)?;
    let words: Vec<&str> = first.text.split_whitespace().collect();
    // Comments may stand before the first case.
    let mut starts = text.lines().filter_map(|line| line.split_whitespace().next());
    match words[..] {
        ["#", "flipper", "fetch,", "dialect", ..] => Some(Form::FlipperFetch),
        ["#", generation, "programs,", ..] if Generation::from_name(generation).is_some() => {
            Some(Form::Programs)
        }
        ["#", "emulator", ..] => Some(Form::Emulated),
        ["#", "flipper", "xf,", ..] => Some(Form::Flipper),
        [rules, ..] if OpRules::from_name(rules).is_some() => Some(Form::Ops),
        [word, ..] if word.starts_with("op,") => Some(Form::CelsiusOps),
        _ if starts.find(|word| !word.starts_with('#')) == Some("case") => Some(Form::Fixed),
        _ => None,
    }
}

/// The lines of a file, one after the other.
#[derive(Debug)]
pub(super) struct Source {
    name: String,
    text: String,
    /// Byte offset and number of the next line.
    next: usize,
    number: usize,
    /// The last `# uses` line that has been skipped, with its number.
    pub(super) uses: Option<(usize, String)>,
}

impl Source {
    pub(super) fn new(name: String, text: String) -> Source {
        Source { name, text, next: 0, number: 0, uses: None }
    }

    /// The name of the file.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Moves to the next line that is neither empty nor a comment, and gives its length with the line end.
    pub(super) fn advance(&mut self) -> Option<usize> {
        loop {
            let rest = self.text.get(self.next..).filter(|rest| !rest.is_empty())?;
            let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
            let line = rest[..length].trim_start();
            if !line.is_empty() && !line.starts_with('#') {
                return Some(length);
            }
            if line.starts_with("# uses ") {
                self.uses = Some((self.number + 1, line.trim_end().to_owned()));
            }
            self.next += length;
            self.number += 1;
        }
    }

    /// Whether the next line starts with one of the words.
    pub(super) fn continues_with(&mut self, words: &[&str]) -> bool {
        self.advance().is_some_and(|length| {
            let first = self.text[self.next..self.next + length].split_whitespace().next();
            first.is_some_and(|first| words.contains(&first))
        })
    }

    /// The next line that is neither empty nor a comment.
    pub(super) fn line(&mut self) -> Option<Line<'_>> {
        let length = self.advance()?;
        let start = self.next;
        self.next += length;
        self.number += 1;
        Some(Line { number: self.number, text: self.text[start..start + length].trim_end() })
    }

    /// What an iterator over the file's cases returns. Behind an error the file has nothing more.
    pub(super) fn item<T>(&mut self, case: Result<Option<T>, Flaw>) -> Option<Result<T, FileFlaw>> {
        case.map_err(|flaw| {
            self.next = self.text.len();
            self.fail(flaw)
        })
        .transpose()
    }

    pub(super) fn fail(&self, flaw: Flaw) -> FileFlaw {
        FileFlaw { file: self.name.clone(), flaw }
    }
}

/// A line's words.
pub(super) fn words_of<'a>(line: Line<'a>) -> Vec<Word<'a>> {
    text::words(line, &[], &[]).collect()
}

/// Exactly `N` words of eight hexadecimal digits.
pub(super) fn hex_words<const N: usize>(line: &Line<'_>, words: &[Word<'_>]) -> Result<[u32; N], Flaw> {
    if words.len() != N {
        let message = format!("needs {N} words, has {}: is the file cut short?", words.len());
        return Err(Flaw::line(line, message));
    }
    let mut values = [0; N];
    for (value, word) in values.iter_mut().zip(words) {
        *value = text::hex(word)?;
    }
    Ok(values)
}

/// A decimal number below `limit`.
pub(super) fn index(line: &Line<'_>, word: Option<&Word<'_>>, limit: usize) -> Result<usize, Flaw> {
    let Some(word) = word else { return Err(Flaw::line(line, "needs a number: is the file cut short?")) };
    match word.text.parse::<usize>() {
        Ok(value) if value < limit => Ok(value),
        _ => Err(Flaw::word(word, format!("`{}` is not a number below {limit}", text::clip(word.text)))),
    }
}
