//! Errors of the text formats: the place in the text, what is wrong, and what to do about it.

pub mod lines;

use std::fmt;
use std::ops::Range;

/// The most errors that one reading of a text reports.
pub const MAX_ERRORS: usize = 20;

/// An error in a text. This is the fault of its author.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The bytes of the text that are at fault; empty at its end.
    pub span: Range<usize>,
    /// Line of the span's start, from 1.
    pub line: usize,
    /// Column of the span's start in characters, from 1.
    pub column: usize,
    /// What is wrong: one lower-case sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl ParseError {
    /// `line:column: message`, the line of `text` with the span underlined, and the help. `text` is what was read.
    pub fn render(&self, text: &str) -> String {
        let line = text.lines().nth(self.line - 1).unwrap_or("");
        let before = line.chars().take(self.column - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let after = line.chars().count().saturating_sub(self.column - 1);
        let marked = text.get(self.span.clone()).map_or(0, |s| s.chars().count());
        let carets = "^".repeat(marked.min(after).max(1));
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        let mut out = format!("{self}\n{gutter} |\n{number} | {line}\n{gutter} | {indent}{carets}\n");
        if let Some(help) = &self.help {
            out += &format!("{gutter} = help: {help}\n");
        }
        out
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// The errors in a text, in its order: at least one, at most [`MAX_ERRORS`]. It dereferences to a slice of them, and is an error itself,
/// with a line for each, so `?` passes it on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseErrors(Vec<ParseError>);

impl ParseErrors {
    /// The errors.
    pub fn into_vec(self) -> Vec<ParseError> {
        self.0
    }

    /// All errors as [`ParseError::render`] writes them, separated by empty lines. `text` is what was read.
    pub fn render(&self, text: &str) -> String {
        let rendered: Vec<String> = self.iter().map(|error| error.render(text)).collect();
        rendered.join("\n")
    }
}

impl From<Vec<ParseError>> for ParseErrors {
    fn from(errors: Vec<ParseError>) -> ParseErrors {
        ParseErrors(errors)
    }
}

impl FromIterator<ParseError> for ParseErrors {
    fn from_iter<T: IntoIterator<Item = ParseError>>(errors: T) -> ParseErrors {
        ParseErrors(errors.into_iter().collect())
    }
}

impl std::ops::Deref for ParseErrors {
    type Target = [ParseError];

    fn deref(&self) -> &[ParseError] {
        &self.0
    }
}

impl IntoIterator for ParseErrors {
    type Item = ParseError;
    type IntoIter = std::vec::IntoIter<ParseError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a ParseErrors {
    type Item = &'a ParseError;
    type IntoIter = std::slice::Iter<'a, ParseError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Display for ParseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.iter().enumerate() {
            write!(f, "{}{error}", if at == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseErrors {}

/// An error in a text of lines that machines write and people read: line and message.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineError {
    /// Line, from 1; 0 for the text as a whole.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for LineError {}

/// An error before its line is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Its bytes in the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// An error without advice.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem { span, message: message.into(), help: None }
    }

    /// The error with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// Finds the line in `text`.
    pub fn locate(self, text: &str) -> ParseError {
        let before = text.get(..self.span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ParseError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            span: self.span,
            message: self.message,
            help: self.help,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_span_is_underlined() {
        let text = "MOV r0, v0\n\tMOV é13, v0";
        let error = Problem::new(16..20, "no such register").help("use r0").locate(text);
        assert_eq!(error.to_string(), "2:6: no such register");
        assert_eq!(
            error.render(text),
            "2:6: no such register\n  |\n2 | \tMOV é13, v0\n  | \t    ^^^\n  = help: use r0\n"
        );
    }

    #[test]
    fn an_error_at_the_end_has_one_caret() {
        let error = Problem::new(3..3, "something is missing").locate("MOV");
        assert_eq!(error.render("MOV"), "1:4: something is missing\n  |\n1 | MOV\n  |    ^\n");
        let error = Problem::new(0..0, "nothing here").locate("");
        assert_eq!(error.render(""), "1:1: nothing here\n  |\n1 | \n  | ^\n");
    }
}
