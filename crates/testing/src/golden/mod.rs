//! Golden cases of the fixed function: state, a vertex, and what it must come out as.
//!
//! A case is a record of lines: `case N chip NAME`, `mode`, the memories `xfctx`, `ltctx` and `ltc0` to `ltc3`, the
//! attributes `vab`, and one or more lines `out` (`expect.rs`). All words are hexadecimal. What is compared bit for bit and
//! what within a range is said by the words of the `out` lines alone.

pub mod cases;
pub mod celsius;
pub mod console;
pub mod emulators;
mod expect;
pub mod files;
pub mod flipper;
pub mod flipper_fetch;
mod lines;
pub mod ops;
pub mod programs;
pub mod uses;

pub use expect::{Expectation, Wrong};

use crate::chip::Pipeline;
use crate::chip::memory::{Ram, rows};
use crate::chip::mode::Mode;
use crate::front::fixed::Setup;
use crate::repro::FixedCase;
use std::fmt;
use xfjit_runtime::state::{ATTRIBUTES, Context, Row};

/// A case.
#[derive(Clone, Debug)]
pub struct GoldenCase {
    /// Its number in the file.
    pub number: usize,
    /// Configuration, state, and the vertex.
    pub case: FixedCase,
    /// What must hold of the vertex.
    pub expected: Vec<Expectation>,
}

/// Why lines are no case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoldenFlaw {
    /// The line, counted from 0; the number of lines if one is missing.
    pub line: usize,
    /// The word of the line, counted from 0, if it is one.
    pub word: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for GoldenFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line + 1, self.message)
    }
}

impl std::error::Error for GoldenFlaw {}

/// The lines that hold memories: keyword, memory, and the slots that files list of each family.
const STATE: [(&str, Ram, [usize; 4]); 6] = [
    ("xfctx", Ram::Xfctx, [60, 96, 156, 156]),
    ("ltctx", Ram::Ltctx, [48, 74, 56, 56]),
    ("ltc0", Ram::Ltc(0), [3, 4, 0, 0]),
    ("ltc1", Ram::Ltc(1), [19, 20, 21, 21]),
    ("ltc2", Ram::Ltc(2), [12, 15, 13, 13]),
    ("ltc3", Ram::Ltc(3), [12, 14, 15, 15]),
];

/// Words that are longer are quoted in part.
const QUOTED: usize = 40;

impl GoldenCase {
    /// The lines of each case of a file, without its comments.
    pub fn records(text: &str) -> Vec<Vec<&str>> {
        let mut records: Vec<Vec<&str>> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            match records.last_mut() {
                Some(record) if !line.starts_with("case ") => record.push(line),
                _ => records.push(vec![line]),
            }
        }
        records
    }

    /// Reads the lines of one case.
    ///
    /// # Errors
    /// The first line or word that is none.
    pub fn parse(lines: &[&str]) -> Result<GoldenCase, GoldenFlaw> {
        let mut reader = Reader { lines, next: 0 };
        let head = reader.line("case")?;
        let number = head.get(1).and_then(|word| word.parse().ok());
        let number = number.ok_or_else(|| reader.flaw("names no number".to_owned()))?;
        let pipeline = match head.get(2..4) {
            Some(&["chip", name]) => Pipeline::from_name(name),
            _ => None,
        };
        let known = "names no chip (nv10, nv15, nv20, nv2a, nv30, nv40): is the file cut short?";
        let pipeline = pipeline.ok_or_else(|| reader.flaw(known.to_owned()))?;
        // Pictures do not show everything.
        let complete = head[3] != "nv2a";
        let mode = reader.words("mode", pipeline.words())?;
        let family = pipeline.family() as usize;
        let mut context = Context::new(rows(pipeline));
        for (keyword, ram, slots) in STATE {
            if slots[family] == 0 {
                continue;
            }
            let width = ram.components();
            let words = reader.words(keyword, slots[family] * width)?;
            for (slot, value) in words.chunks(width).enumerate() {
                let mut row = [0; 4];
                row[..width].copy_from_slice(value);
                if let Some(at) = ram.row(pipeline, slot) {
                    context.set_row(at, row);
                }
            }
        }
        let count = match pipeline {
            Pipeline::Celsius(_) => 7,
            Pipeline::Kelvin => 13,
            Pipeline::Rankine | Pipeline::Curie => 16,
        };
        let words = reader.words("vab", 4 * count)?;
        let mut attributes: [Vec<Row>; ATTRIBUTES] = std::array::from_fn(|_| vec![[0; 4]]);
        for (attribute, row) in attributes.iter_mut().zip(words.as_chunks().0) {
            attribute[0] = *row;
        }
        let setup = Setup::new(Mode::new(pipeline, &mode));
        let mut expected = Vec::new();
        while expected.is_empty() || reader.next < lines.len() {
            let words = reader.line("out")?;
            let flaw = |(word, message)| GoldenFlaw { line: reader.next - 1, word: Some(word + 1), message };
            expected.append(&mut expect::parse(pipeline, &words[1..]).map_err(flaw)?);
        }
        let named = expected.iter().fold(0, |mask, expectation| mask | expectation.registers());
        if complete && named != setup.outputs() {
            let message = format!(
                "has the registers {named:x}, but the mode outputs {:x}: is the file truncated?",
                setup.outputs()
            );
            return Err(reader.flaw(message));
        }
        Ok(GoldenCase { number, case: FixedCase { setup, context, attributes }, expected })
    }

    /// The case with so many vertices, all the same.
    pub fn vertices(&self, count: usize) -> FixedCase {
        let mut case = self.case.clone();
        case.attributes.iter_mut().for_each(|rows| *rows = vec![rows[0]; count]);
        case
    }

    /// What is wrong with a vertex, given the registers that have come out.
    pub fn wrong(&self, got: impl Fn(u8) -> Option<Row>) -> Option<Wrong> {
        self.expected.iter().find_map(|expectation| expectation.wrong(&got))
    }
}

struct Reader<'a> {
    lines: &'a [&'a str],
    next: usize,
}

impl<'a> Reader<'a> {
    /// A flaw of the line that was read last.
    fn flaw(&self, message: String) -> GoldenFlaw {
        GoldenFlaw { line: self.next.saturating_sub(1), word: None, message }
    }

    /// The words of the next line, which must begin with the keyword.
    fn line(&mut self, keyword: &str) -> Result<Vec<&'a str>, GoldenFlaw> {
        let Some(line) = self.lines.get(self.next) else {
            let message =
                format!("ends inside a case, where `{keyword}` is expected: the file was cut short");
            return Err(GoldenFlaw { line: self.next, word: None, message });
        };
        self.next += 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&first) if first == keyword => Ok(words),
            first => {
                let first = clip(first.copied().unwrap_or_default());
                let message = format!("expected `{keyword}`, found `{first}`");
                Err(GoldenFlaw { line: self.next - 1, word: Some(0), message })
            }
        }
    }

    /// So many words of eight digits behind a keyword.
    fn words(&mut self, keyword: &str, count: usize) -> Result<Vec<u32>, GoldenFlaw> {
        let words = self.line(keyword)?;
        if words.len() != count + 1 {
            let message = format!("needs {count} words, has {}: is the file cut short?", words.len() - 1);
            return Err(self.flaw(message));
        }
        let word = |(index, word): (usize, &&str)| {
            pattern(word).ok_or_else(|| GoldenFlaw {
                line: self.next - 1,
                word: Some(index),
                message: format!("`{}` is not a word of eight hexadecimal digits", clip(word)),
            })
        };
        words.iter().enumerate().skip(1).map(word).collect()
    }
}

/// Eight hexadecimal digits.
fn pattern(word: &str) -> Option<u32> {
    let digits = word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if digits { u32::from_str_radix(word, 16).ok() } else { None }
}

fn clip(word: &str) -> String {
    word.chars().take(QUOTED).flat_map(char::escape_debug).collect()
}
