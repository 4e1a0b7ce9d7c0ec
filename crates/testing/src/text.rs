//! Text that users write: words with their places, numbers, and what to say when one is wrong.
//!
//! Every reader of the command line takes bytes and returns a [`Flaw`] on the first thing it cannot accept. A flaw
//! knows its place and quotes the line, but not the file: the caller that opened it adds the name.

use std::borrow::Cow;
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
            // A word of no characters is an empty cell: the mark stands where it should be.
            length: word.text.chars().count().max(1),
            text: word.line.text.to_string(),
        };
        Flaw { place: Some(place), ..Flaw::new(message) }
    }

    /// This flaw with advice.
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

/// The words of a line, up to a comment mark: what stands between white space and the given separators. A cell between
/// two separators in which nothing stands, or before the first one, is an empty word; nothing behind the last one is none.
pub fn words<'a>(
    line: Line<'a>,
    separators: &'static [char],
    comments: &'static [&'static str],
) -> impl Iterator<Item = Word<'a>> {
    let end = comments.iter().filter_map(|mark| line.text.find(mark)).min().unwrap_or(line.text.len());
    let mut position = 0;
    // A separator stands before this place, or the line's start.
    let mut fresh = true;
    std::iter::from_fn(move || {
        loop {
            let rest = line.text.get(position..end)?;
            let start = position + rest.find(|c: char| !c.is_whitespace())?;
            let rest = &line.text[start..end];
            let length =
                rest.find(|c: char| c.is_whitespace() || separators.contains(&c)).unwrap_or(rest.len());
            if length > 0 {
                (position, fresh) = (start + length, false);
                return Some(Word { line, start, text: &rest[..length] });
            }
            position = start + rest.chars().next().map_or(0, char::len_utf8);
            if std::mem::replace(&mut fresh, true) {
                return Some(Word { line, start, text: "" });
            }
        }
    })
}

impl<'a> Word<'a> {
    /// The part of the word from byte `from` up to byte `to`, with its place; empty if there is no such part.
    pub fn part(&self, from: usize, to: usize) -> Word<'a> {
        Word { line: self.line, start: self.start + from, text: self.text.get(from..to).unwrap_or("") }
    }
}

/// A number as its 32 bits: `0x` and up to eight hexadecimal digits are the bits themselves, all else is a decimal
/// number, rounded to the nearest float.
pub fn bits(word: &Word<'_>) -> Result<u32, Flaw> {
    let text = word.text;
    if text.is_empty() {
        return Err(Flaw::word(word, "this cell is empty").help("write 0 where 0 is meant"));
    }
    let has_prefix = text.starts_with("0x") || text.starts_with("0X");
    if has_prefix && let Some(bits) = pattern(text) {
        return Ok(bits);
    }
    match text.parse::<f32>() {
        // `inf` is a value, 1e99 is a mistake.
        Ok(value) if !(value.is_infinite() && text.contains(|c: char| c.is_ascii_digit())) => {
            Ok(value.to_bits())
        }
        Ok(_) if pattern(text).is_none() => {
            Err(Flaw::word(word, format!("`{}` is larger than any float", clip(text)))
                .help("the largest is 3.4028235e38; `inf` is infinity"))
        }
        _ if !has_prefix && pattern(text).is_some() => {
            Err(Flaw::word(word, format!("`{text}` is not a decimal number"))
                .help(format!("a 32-bit pattern needs 0x: 0x{text}")))
        }
        _ => Err(Flaw::word(word, format!("`{}` is not a number", clip(text)))
            .help("write a decimal number (1.5, -2e3) or a 32-bit pattern (0x3fc00000)")),
    }
}

/// A word of microcode: exactly eight hexadecimal digits, or `0x` and up to eight.
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

/// Text fit to be quoted in a message: short, and escaped by [`plain`].
pub fn clip(text: &str) -> String {
    cut(&plain(text), 40)
}

/// The first characters of a text, and dots if it has more.
pub fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}

/// Text without power over a terminal: control characters, and those that turn the direction of writing or cannot be
/// seen, as escapes; the line feed is left.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => plain.push(c),
            _ if is_hidden(c) => plain.extend(c.escape_default()),
            _ => plain.push(c),
        }
    }
    plain
}

/// Control characters, and those of the Unicode category Cf that a text of ours can do without.
pub fn is_hidden(c: char) -> bool {
    let formats = ['\u{ad}', '\u{61c}', '\u{feff}'];
    let ranges =
        ['\u{200b}'..='\u{200f}', '\u{2028}'..='\u{202e}', '\u{2060}'..='\u{206f}', '\u{fff9}'..='\u{fffb}'];
    c.is_control() || formats.contains(&c) || ranges.iter().any(|range| range.contains(&c))
}

/// Whether bytes are a text by their looks, so that what is wrong with them can be told as with a text. Bytes that are
/// not UTF-8 do not make a text binary: people write comments in other encodings.
pub fn is_text(bytes: &[u8]) -> bool {
    if bytes.starts_with(BOM) || is_utf16(bytes) {
        return true;
    }
    let is_space = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c);
    let printable = bytes.iter().filter(|byte| (0x20..0x7f).contains(*byte) || is_space(byte)).count();
    let has_controls = bytes.iter().any(|byte| *byte < 0x20 && !is_space(byte));
    match std::str::from_utf8(bytes) {
        Ok(_) if !bytes.contains(&0) => true,
        // Latin-1 and its kin. What could be whole slots of microcode must look like a text in half of its bytes.
        Err(_) if !has_controls && (!bytes.len().is_multiple_of(16) || 2 * printable >= bytes.len()) => true,
        _ => 8 * printable >= 7 * bytes.len(),
    }
}

/// UTF-8's byte order mark, which editors of some systems write in front of a text.
const BOM: &[u8] = &[0xef, 0xbb, 0xbf];

/// The text that bytes are: all that the command reads as text goes through here. A byte order mark is no part of it;
/// what is not UTF-8 is read as Latin-1, so that a letter in a comment does no harm, and a reader that meets it elsewhere
/// can name the place.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Flaw> {
    let rest = bytes.strip_prefix(BOM).unwrap_or(bytes);
    if is_utf16(rest) {
        return Err(Flaw::new("is text in UTF-16").help("save it as UTF-8"));
    }
    let text = match std::str::from_utf8(rest) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => rest.iter().map(|&byte| char::from(byte)).collect(),
    };
    let nul = lines(&text).find_map(|line| Some(Word { line, start: line.text.find('\0')?, text: "\0" }));
    match nul {
        Some(nul) => {
            Err(Flaw::word(&nul, "a byte 00 stands here, which no text has").help("is this a binary file?"))
        }
        None => Ok(text),
    }
}

/// A mark of UTF-16, and letters of ASCII behind it.
fn is_utf16(bytes: &[u8]) -> bool {
    let zero = match bytes {
        [0xff, 0xfe, ..] => 1,
        [0xfe, 0xff, ..] => 0,
        _ => return false,
    };
    let units = bytes[2..].chunks_exact(2);
    2 * units.clone().filter(|unit| unit[zero] == 0).count() >= units.len()
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
    fn hexadecimal_needs_its_prefix_and_all_else_is_decimal() {
        assert_eq!(parse("0x3fc00000"), Ok(0x3fc0_0000));
        assert_eq!(parse("0x1"), Ok(1));
        assert_eq!(parse("12345678"), Ok(12_345_678f32.to_bits()));
        assert_eq!(parse("10000000"), Ok(1e7f32.to_bits()));
        assert_eq!(parse("-inf"), Ok(0xff80_0000));
        assert_eq!(parse("12345678.0"), Ok(12_345_678f32.to_bits()));
        assert_eq!(parse("1.5"), Ok(0x3fc0_0000));
        assert_eq!(parse("-0"), Ok(0x8000_0000));
        for bad in ["", "0x", "0x123456789", "zzz", "1,2", "++1", "3fc0000g", "1e99"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        for pattern in ["3fc00000", "3e800000", "c0000000"] {
            let help = parse(pattern).unwrap_err().help;
            assert_eq!(help, Some(format!("a 32-bit pattern needs 0x: 0x{pattern}")));
        }
    }

    #[test]
    fn empty_cells_are_words_of_their_own() {
        assert_eq!(
            all("a,,b\n,c\nd, ,e,\n,\nf g"),
            ["1:0 a", "1:2 ", "1:3 b", "2:0 ", "2:1 c", "3:0 d", "3:3 ", "3:4 e", "4:0 ", "5:0 f", "5:2 g",]
        );
        assert_eq!(parse("").unwrap_err().to_string(), "line 1, column 1: this cell is empty");
    }

    #[test]
    fn texts_come_with_marks_and_in_other_encodings() {
        assert_eq!(decode(b"\xef\xbb\xbfv 1"), Ok("v 1".into()));
        assert_eq!(decode(b"# caf\xe9"), Ok("# caf\u{e9}".into()));
        assert_eq!(decode("# \u{e9}".as_bytes()), Ok("# \u{e9}".into()));
        for utf16 in [&b"\xff\xfev\0 \0"[..], b"\xfe\xff\0v\0 "] {
            assert!(is_text(utf16));
            assert_eq!(decode(utf16).unwrap_err().to_string(), "is text in UTF-16");
        }
        let nul = decode(b"v 1\nv \0 2").unwrap_err().to_string();
        assert_eq!(nul, "line 2, column 3: a byte 00 stands here, which no text has");
        for text in
            [&b"MOV oPos, v0 ; caf\xe9\n"[..], b"; \xcf\xf0\xe8\xe2\xe5\xf2\n", b"MOV oPos, v0\0\n", b""]
        {
            assert!(is_text(text), "{text:?}");
        }
        for binary in [
            &[0x40, 0x1f, 0x9c, 0x6c, 0x81, 0x60, 0x42, 0x9d, 0xc0, 0xc1, 0xc2, 0xc3, 0x41, 0xff, 0xfe, 0xfd],
            &[0; 16],
        ] {
            assert!(!is_text(binary), "{binary:?}");
        }
    }

    #[test]
    fn what_a_file_holds_has_no_power_over_the_terminal() {
        assert_eq!(clip("a\u{1b}[31m\u{7}\u{202e}b"), "a\\u{1b}[31m\\u{7}\\u{202e}b");
        assert_eq!(clip(&"x".repeat(41)), format!("{}...", "x".repeat(40)));
        assert_eq!(plain("a\nb\t\u{e9}"), "a\nb\\t\u{e9}");
    }

    #[test]
    fn a_flaw_counts_columns_in_characters() {
        let line = Line { number: 7, text: "\u{e4}\u{f6} x" };
        let word = words(line, &[], &[]).nth(1).unwrap();
        let flaw = bits(&word).unwrap_err();
        assert_eq!(flaw.to_string(), "line 7, column 4: `x` is not a number");
    }
}
