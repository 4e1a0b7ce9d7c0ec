//! Constant rows as text.

use crate::fail::Failure;
use crate::files;
use crate::text::{self, Flaw, Word, clip};
use std::path::Path;

const SEPARATORS: &[char] = &[',', ';', '='];
const COMMENTS: &[&str] = &["#", "//"];
const FORM: &str = "a line is `c[12] = 1.0 2.0 3.0 4.0`, or four numbers for the row after the last one";

/// All constant rows of a generation, as the microcode numbers them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// x y z w; rows that the file leaves out are zero.
    pub rows: Vec<[u32; 4]>,
    /// Which rows the file gives.
    pub given: Vec<bool>,
}

/// Reads a file of constants for a generation with `rows` rows.
pub fn constants(path: &Path, rows: usize) -> Result<Constants, Failure> {
    let bytes = files::read(path)?;
    parse(&bytes, rows).map_err(|flaw| Failure::input(files::name(path), flaw))
}

/// Reads constants from bytes. A line is `c[12] = 1.0 2.0 3.0 4.0`, `c12: ...`, or just numbers, four for each row
/// from the one after the last (from row 0 at the start). A row may be set again: the last line counts.
pub fn parse(bytes: &[u8], rows: usize) -> Result<Constants, Flaw> {
    let text = text::decode(bytes)?;
    let mut constants = Constants { rows: vec![[0; 4]; rows], given: vec![false; rows] };
    let mut next = 0;
    let mut any = false;
    for line in text::lines(&text) {
        let words: Vec<Word<'_>> = text::words(line, SEPARATORS, COMMENTS).collect();
        let Some(first) = words.first() else { continue };
        any = true;
        let numbers = match row_name(first)? {
            Some(row) => {
                next = row;
                &words[1..]
            }
            None => &words[..],
        };
        if let Some(empty) = numbers.iter().find(|number| number.text.is_empty()) {
            text::bits(empty)?;
        }
        if numbers.is_empty() || !numbers.len().is_multiple_of(4) {
            let message = format!("a row has 4 numbers, this line has {}", numbers.len());
            return Err(Flaw::line(&line, message).help(FORM));
        }
        for four in numbers.chunks_exact(4) {
            let Some(row) = constants.rows.get_mut(next) else {
                return Err(Flaw::word(first, format!("row {next} does not exist: there are {rows} rows")));
            };
            for (slot, word) in row.iter_mut().zip(four) {
                *slot = text::bits(word)?;
            }
            constants.given[next] = true;
            next += 1;
        }
    }
    if any { Ok(constants) } else { Err(Flaw::new("has no constants").help(FORM)) }
}

/// The row that `c[12]`, `c12` or `c12:` names; None if it names none.
fn row_name(word: &Word<'_>) -> Result<Option<usize>, Flaw> {
    let Some(name) = word.text.strip_prefix(['c', 'C']) else { return Ok(None) };
    if text::pattern(word.text).is_some() {
        // Neither a row nor a number: `bits` says what it might be.
        return text::bits(word).map(|_| None);
    }
    let name = name.strip_suffix(':').unwrap_or(name);
    let digits = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    match digits.parse::<usize>() {
        Ok(row) if digits.bytes().all(|b| b.is_ascii_digit()) => Ok(Some(row)),
        _ => Err(Flaw::word(word, format!("`{}` is not a constant row", clip(word.text))).help(FORM)),
    }
}
