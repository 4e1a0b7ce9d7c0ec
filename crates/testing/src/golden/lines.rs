//! The lines of a file of golden vectors, and what is wrong with them.

use crate::text::{self, Flaw, Line, Word};
use std::fmt;

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
