//! Text that users write: words with their places, numbers, and what to say when one is wrong.
//!
//! Every reader of the command line takes bytes and returns a [`Flaw`] on the first thing it cannot accept. A flaw
//! knows its place and quotes the line, but not the file: the caller that opened it adds the name.

use std::fmt;

/// Something wrong with a text or a stream of bytes, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// What is wrong: one lower-case sentence without full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where it is, if a place can be named.
    pub place: Option<Place>,
}

/// A stretch of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line number, from 1.
    pub line: usize,
    /// Characters before the stretch, plus one.
    pub column: usize,
    /// Characters in the stretch; 0 means that the whole line is meant.
    pub length: usize,
    /// The line itself.
    pub text: String,
}

impl Flaw {
    /// A flaw of the whole file.
    pub fn new(message: impl Into<String>) -> Flaw {
        Flaw { message: message.into(), help: None, place: None }
    }

    /// A flaw of one whole line.
    pub fn line(line: &Line<'_>, message: impl Into<String>) -> Flaw {
        let place = Place { line: line.number, column: 1, length: 0, text: line.text.to_string() };
        Flaw { place: Some(place), ..Flaw::new(message) }
    }

    /// A flaw of one word.
    pub fn word(word: &Word<'_>, message: impl Into<String>) -> Flaw {
        let before = word.line.text.get(..word.start).unwrap_or("");
        let place = Place {
            line: word.line.number,
            column: before.chars().count() + 1,
            length: word.text.chars().count(),
            text: word.line.text.to_string(),
        };
        Flaw { place: Some(place), ..Flaw::new(message) }
    }

    /// The same flaw with advice.
    pub fn help(mut self, help: impl Into<String>) -> Flaw {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) if place.length > 0 => {
                write!(f, "line {}, column {}: {}", place.line, place.column, self.message)
            }
            Some(place) => write!(f, "line {}: {}", place.line, self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// One line of a text.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// From 1.
    pub number: usize,
    /// Without its line end.
    pub text: &'a str,
}

/// One word of a line.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// The line it stands on.
    pub line: Line<'a>,
    /// Byte offset in the line.
    pub start: usize,
    /// The word.
    pub text: &'a str,
}

/// The lines of a text; `\n`, `\r\n` and a missing last line end are all fine.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().enumerate().map(|(i, text)| Line { number: i + 1, text })
}

/// The words of a line: what stands between white space and the given separators, up to a comment mark.
pub fn words<'a>(
    line: Line<'a>,
    separators: &'static [char],
    comments: &'static [&'static str],
) -> impl Iterator<Item = Word<'a>> {
    let end = comments.iter().filter_map(|mark| line.text.find(mark)).min().unwrap_or(line.text.len());
    let mut position = 0;
    std::iter::from_fn(move || {
        let is_gap = |c: char| c.is_whitespace() || separators.contains(&c);
        let rest = line.text.get(position..end)?;
        let start = position + rest.find(|c| !is_gap(c))?;
        let rest = &line.text[start..end];
        let text = &rest[..rest.find(is_gap).unwrap_or(rest.len())];
        position = start + text.len();
        Some(Word { line, start, text })
    })
}

impl<'a> Word<'a> {
    /// The part of the word from byte `from` up to byte `to`, with its place; empty if there is no such part.
    pub fn part(&self, from: usize, to: usize) -> Word<'a> {
        Word { line: self.line, start: self.start + from, text: self.text.get(from..to).unwrap_or("") }
    }
}

/// A number as its 32 bits. Exactly eight hexadecimal digits, or `0x` and up to eight, are the bits themselves; all
/// else is a decimal number, rounded to the nearest float. (So `12345678` is a pattern and `12345678.0` a number.)
pub fn bits(word: &Word<'_>) -> Result<u32, Flaw> {
    pattern(word.text).or_else(|| word.text.parse::<f32>().ok().map(f32::to_bits)).ok_or_else(|| {
        Flaw::word(word, format!("`{}` is not a number", clip(word.text)))
            .help("write a decimal number (1.5, -2e3) or a 32-bit pattern (3fc00000 or 0x3fc00000)")
    })
}

/// The value of a bit pattern as [`bits`] defines them.
pub fn pattern(text: &str) -> Option<u32> {
    let prefixed = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let digits = prefixed.unwrap_or(text);
    let length_fits = if prefixed.is_some() { (1..=8).contains(&digits.len()) } else { digits.len() == 8 };
    let all_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    if length_fits && all_hex { u32::from_str_radix(digits, 16).ok() } else { None }
}

/// A word of exactly eight hexadecimal digits.
pub fn hex(word: &Word<'_>) -> Result<u32, Flaw> {
    match word.text.len() {
        8 => pattern(word.text),
        _ => None,
    }
    .ok_or_else(|| {
        Flaw::word(word, format!("`{}` is not a word of eight hexadecimal digits", clip(word.text)))
    })
}

/// Text short enough to be quoted in a message.
pub fn clip(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        return text.to_string();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        lines(text)
            .flat_map(|line| words(line, &[','], &["#", "//"]))
            .map(|w| format!("{}:{} {}", w.line.number, w.start, w.text))
            .collect()
    }

    #[test]
    fn words_know_their_place() {
        assert_eq!(all("a, bc\r\n\n  d,e # f\n//g\nh"), ["1:0 a", "1:3 bc", "3:2 d", "3:4 e", "5:0 h"]);
    }

    fn parse(text: &str) -> Result<u32, Flaw> {
        let line = Line { number: 1, text };
        bits(&Word { line, start: 0, text })
    }

    #[test]
    fn eight_hex_digits_are_a_pattern_and_all_else_is_decimal() {
        assert_eq!(parse("3fc00000"), Ok(0x3fc0_0000));
        assert_eq!(parse("0x1"), Ok(1));
        assert_eq!(parse("12345678"), Ok(0x1234_5678));
        assert_eq!(parse("12345678.0"), Ok(12_345_678f32.to_bits()));
        assert_eq!(parse("1.5"), Ok(0x3fc0_0000));
        assert_eq!(parse("-0"), Ok(0x8000_0000));
        for bad in ["", "0x", "0x123456789", "zzz", "1,2", "++1", "3fc0000g"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_flaw_counts_columns_in_characters() {
        let line = Line { number: 7, text: "\u{e4}\u{f6} x" };
        let word = words(line, &[], &[]).nth(1).unwrap();
        let flaw = bits(&word).unwrap_err();
        assert_eq!(flaw.to_string(), "line 7, column 4: `x` is not a number");
    }
}
