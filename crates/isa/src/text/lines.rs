//! Texts of one item a line, words between spaces, comments behind `#` or `;`: the traces of devices.

use super::{MAX_ERRORS, ParseError, ParseErrors};
use std::ops::Range;
use xfjit_runtime::fpenv::FpEnv;

/// One line of a text.
pub struct Line<'a> {
    /// From 0.
    number: usize,
    /// Byte offset in the text.
    start: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    /// Reads each line of a text.
    ///
    /// # Errors
    /// Up to [`MAX_ERRORS`] lines that are wrong.
    pub fn each(
        text: &'a str,
        mut read: impl FnMut(&Line<'a>) -> Result<(), ParseError>,
    ) -> Result<(), ParseErrors> {
        let mut errors = Vec::new();
        let mut start = 0;
        for (number, line) in text.split('\n').enumerate() {
            let line = Line { number, start, text: line };
            start += line.text.len() + 1;
            if let Err(error) = read(&line) {
                errors.push(error);
                if errors.len() == MAX_ERRORS {
                    break;
                }
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors.into()) }
    }

    /// The end of a text.
    pub fn end(text: &'a str) -> Line<'a> {
        Line { number: text.split('\n').count() - 1, start: text.len(), text: "" }
    }

    /// The words up to a comment, with their places in the line.
    pub fn words(&self) -> Vec<Word<'a>> {
        let text = &self.text[..self.text.find(['#', ';']).unwrap_or(self.text.len())];
        let mut words = Vec::new();
        let mut at = 0;
        for piece in text.split(char::is_whitespace) {
            if !piece.is_empty() {
                words.push(Word { text: piece, span: at..at + piece.len() });
            }
            at += piece.len();
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
        words
    }

    /// What is wrong with a part of it.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>, help: Option<&str>) -> ParseError {
        ParseError {
            line: self.number + 1,
            column: self.text[..span.start].chars().count() + 1,
            span: self.start + span.start..self.start + span.end,
            message: message.into(),
            help: help.map(str::to_owned),
        }
    }
}

/// A word of a line.
pub struct Word<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its bytes in the line.
    pub span: Range<usize>,
}

/// What is wrong with a word, and what to do about it.
pub type Flaw = (String, Option<&'static str>);

/// The words behind the first.
pub struct Arguments<'a, 'b> {
    line: &'b Line<'a>,
    /// Those that have not been taken.
    pub rest: &'b [Word<'a>],
    /// Where the last word ended.
    end: usize,
}

impl<'a, 'b> Arguments<'a, 'b> {
    /// Those of a line whose first word is another's.
    pub fn behind(line: &'b Line<'a>, words: &'b [Word<'a>]) -> Option<(&'b Word<'a>, Self)> {
        let (first, rest) = words.split_first()?;
        Some((first, Arguments { line, rest, end: first.span.end }))
    }

    /// The next word, as something.
    pub fn next<T>(
        &mut self,
        what: &str,
        read: impl Fn(&'a str) -> Result<T, Flaw>,
    ) -> Result<T, ParseError> {
        let Some((word, rest)) = self.rest.split_first() else {
            return Err(self.line.error(self.end..self.end, format!("{what} is missing"), None));
        };
        (self.rest, self.end) = (rest, word.span.end);
        read(word.text).map_err(|(message, help)| self.line.error(word.span.clone(), message, help))
    }

    /// There are no more.
    pub fn finish(&self) -> Result<(), ParseError> {
        match self.rest.first() {
            Some(word) => Err(self.line.error(word.span.clone(), "nothing more is expected here", None)),
            None => Ok(()),
        }
    }
}

/// A number: decimal, or hexadecimal after `0x`.
pub fn number(text: &str) -> Result<u32, Flaw> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let value = match digits {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            u32::from_str_radix(digits, 16).ok()
        }
        Some(_) => None,
        None if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        None => None,
    };
    value.ok_or_else(|| {
        (format!("`{text}` is not a number"), Some("decimal, or hexadecimal after 0x, below 2^32"))
    })
}

/// A word that needs no 0x.
pub fn hexadecimal(text: &str) -> Result<u32, Flaw> {
    let help = "up to eight hexadecimal digits, with 0x before them or without";
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let is_hexadecimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let word = if is_hexadecimal { u32::from_str_radix(digits, 16).ok() } else { None };
    word.ok_or_else(|| (format!("`{text}` is not a word"), Some(help)))
}

/// A word, as its bits or as the float that it is.
pub fn word(text: &str) -> Result<u32, Flaw> {
    let help = "write 0x and up to eight hexadecimal digits, or a decimal number with a point";
    let wrong = || (format!("`{text}` is not a word"), Some(help));
    match text {
        "0" => Ok(0),
        _ if text.starts_with("0x") || text.starts_with("0X") => hexadecimal(text).map_err(|_| wrong()),
        // Without a point it could be either: 10000000 is a pattern and a number. Reading rounds, and not as the
        // caller's environment has it.
        _ if text.contains('.') => {
            FpEnv::Default.within(|| text.parse::<f32>().map(f32::to_bits).map_err(|_| wrong()))
        }
        _ => Err(wrong()),
    }
}
