//! Constant rows as text: by number, and what programs of OpenGL bind them to by name.

use crate::fail::Failure;
use crate::files;
use crate::sort::{self, Wanted};
use crate::text::{self, Flaw, Word, clip};
use std::path::Path;
use xfjit::asm::gl::{self, Row, State};

const SEPARATORS: &[char] = &[',', ';', '='];
const COMMENTS: &[&str] = &["#", "//"];
const FORM: &str = "a line is `c[12] = 1.0 2.0 3.0 4.0`, or four numbers for the row after the last one";

/// All constant rows of a generation, as the microcode numbers them, and a state of OpenGL.
#[derive(Clone, Debug)]
pub struct Constants {
    /// x y z w; rows that the file leaves out are zero.
    pub rows: Vec<[u32; 4]>,
    /// Which rows the file gives by number.
    pub given: Vec<bool>,
    /// What the file gives by name.
    pub state: State,
    /// Rows that hold what has a name, in the order of the file.
    pub named: Vec<Row>,
}

impl Constants {
    /// What there is without a file.
    pub fn none(rows: usize) -> Constants {
        Constants {
            rows: vec![[0; 4]; rows],
            given: vec![false; rows],
            state: State::new(),
            named: Vec::new(),
        }
    }
}

/// Reads a file of constants for a generation with `rows` rows.
pub fn constants(path: &Path, rows: usize) -> Result<Constants, Failure> {
    let bytes = sort::read(path, Wanted::Constants)?;
    parse(&bytes, rows).map_err(|flaw| Failure::input(files::name(path), flaw))
}

/// Reads constants from bytes. A line is `c[12] = 1.0 2.0 3.0 4.0`, `c12: ...`, or just numbers, four for each row
/// from the one after the last (from row 0 at the start). `mvp = ...` and `program.env[2] = ...` give a value to what
/// programs of OpenGL bind ([`State::set`]), and `c[12] = mvp` puts it into rows. What is set again is what the last line
/// says.
pub fn parse(bytes: &[u8], rows: usize) -> Result<Constants, Flaw> {
    let text = text::decode(bytes)?;
    let mut constants = Constants::none(rows);
    let mut next = 0;
    let mut any = false;
    for line in text::lines(&text) {
        let words: Vec<Word<'_>> = text::words(line, SEPARATORS, COMMENTS).collect();
        let Some(first) = words.first() else { continue };
        any = true;
        if is_name(first) {
            let bits = words[1..].iter().map(text::bits).collect::<Result<Vec<u32>, Flaw>>()?;
            let name = first.text.strip_suffix(':').unwrap_or(first.text);
            constants.state.set(name, &bits).map_err(|error| wrong_name(first, &error))?;
            continue;
        }
        let numbers = match row_name(first)? {
            Some(row) => {
                next = row;
                &words[1..]
            }
            None => &words[..],
        };
        if let [name] = numbers
            && is_name(name)
        {
            let bindings = gl::bindings(name.text).map_err(|error| wrong_name(name, &error))?;
            for binding in bindings {
                let row = next_row(next, rows).ok_or_else(|| no_row(first, next, rows))?;
                constants.given[next] = false;
                constants.named.retain(|named| named.row != row);
                constants.named.push(Row { row, binding });
                next += 1;
            }
            continue;
        }
        if let Some(empty) = numbers.iter().find(|number| number.text.is_empty()) {
            text::bits(empty)?;
        }
        if numbers.is_empty() || !numbers.len().is_multiple_of(4) {
            let message = format!("a row has 4 numbers, but this line has {}", numbers.len());
            return Err(Flaw::line(&line, message).help(FORM));
        }
        for four in numbers.chunks_exact(4) {
            let number = next_row(next, rows).ok_or_else(|| no_row(first, next, rows))?;
            constants.named.retain(|named| named.row != number);
            let row = &mut constants.rows[next];
            for (slot, word) in row.iter_mut().zip(four) {
                *slot = text::bits(word)?;
            }
            constants.given[next] = true;
            next += 1;
        }
    }
    if any { Ok(constants) } else { Err(Flaw::new("has no constants").help(FORM)) }
}

/// The number of a row, if there is one.
fn next_row(row: usize, rows: usize) -> Option<u16> {
    u16::try_from(row).ok().filter(|_| row < rows)
}

fn no_row(word: &Word<'_>, row: usize, rows: usize) -> Flaw {
    Flaw::word(word, format!("row {row} does not exist; there are {rows} rows"))
}

fn wrong_name(word: &Word<'_>, error: &gl::StateError) -> Flaw {
    let help = "use the names of ARB_vertex_program: mvp, modelview, light[0].position, program.env[3]";
    Flaw::word(word, format!("`{}`: {error}", clip(word.text))).help(help)
}

/// Whether a word is neither a number nor a row.
fn is_name(word: &Word<'_>) -> bool {
    let text = word.text;
    let is_row = text
        .strip_prefix(['c', 'C'])
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !is_row
        && text.parse::<f32>().is_err()
        && text::pattern(text).is_none()
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
