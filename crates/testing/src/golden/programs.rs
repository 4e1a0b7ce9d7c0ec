//! Whole programs: `bank`, `vertex`, `program`, `bools` and `expect` lines.

use super::console::{self, Picture};
use super::lines::{FileFlaw, Source, hex_words, index, words_of};
use super::uses::{self, Choice};
use crate::chip::Generation;
use crate::config::Arithmetic;
use crate::text::{self, Flaw, Line, Word, clip};
use std::collections::BTreeMap;
use xfjit_runtime::num::Model;

/// Most constant banks and vertices of a file.
const MOST: usize = 1 << 16;
/// The first words of the lines that belong to a program.
const OF_A_PROGRAM: [&str; 6] = {
    let [bytes, over, words, xfctx] = console::KEYWORDS;
    ["expect", "bools", bytes, over, words, xfctx]
};
/// Most slots that any generation has.
const SLOTS: usize = Generation::Curie.slots();

/// How the first line of a file ends whose results pictures of a console show, after `from`.
const FROM_CONSOLE: [&str; 4] = ["pictures", "of", "a", "console"];

/// The first line of a file: `# rankine programs, model hw, arith modern`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Whose microcode.
    pub generation: Generation,
    /// Arithmetic model.
    pub model: Model,
    /// Arithmetic rules; Kelvin has only the legacy ones.
    pub arithmetic: Arithmetic,
    /// Whether the results are what pictures of a console show, rather than computed.
    pub from_console: bool,
}

impl Header {
    pub(super) fn parse(line: &Line<'_>) -> Result<Header, Flaw> {
        let words: Vec<Word<'_>> = text::words(*line, &[','], &[]).collect();
        let mut header = Header {
            generation: Generation::Kelvin,
            model: Model::Hw,
            arithmetic: Arithmetic::Legacy,
            from_console: false,
        };
        let mut has_model = false;
        let mut rest = words.iter().skip(1);
        while let Some(word) = rest.next() {
            let unknown =
                |word: &Word<'_>| Flaw::word(word, format!("`{}` is not known here", clip(word.text)));
            match word.text {
                "programs" => {}
                "from" if rest.clone().map(|word| word.text).eq(FROM_CONSOLE) => {
                    header.from_console = true;
                    break;
                }
                "model" | "arith" => {
                    let Some(value) = rest.next() else {
                        return Err(Flaw::word(word, format!("`{}` needs a value", word.text)));
                    };
                    match (word.text, value.text) {
                        ("model", name) => {
                            header.model = Model::from_name(name).ok_or_else(|| unknown(value))?;
                        }
                        ("arith", "legacy") => header.arithmetic = Arithmetic::Legacy,
                        ("arith", "modern") => header.arithmetic = Arithmetic::Modern,
                        _ => return Err(unknown(value)),
                    }
                    has_model |= word.text == "model";
                }
                name => header.generation = Generation::from_name(name).ok_or_else(|| unknown(word))?,
            }
        }
        if has_model { Ok(header) } else { Err(Flaw::line(line, "names no model (hw, ieee)")) }
    }
}

/// Components that an output register must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedOutput {
    /// Register number.
    pub register: usize,
    /// Bit 3 is x, bit 0 is w; the others are not compared.
    pub mask: u8,
    /// x y z w.
    pub words: [u32; 4],
}

/// What one vertex must come out as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Where it stands in the file.
    pub line: usize,
    /// Constants: the argument of [`Programs::bank`].
    pub bank: usize,
    /// Inputs: the argument of [`Programs::vertex`].
    pub vertex: usize,
    /// Registers that count.
    pub outputs: Vec<ExpectedOutput>,
}

/// One program and its expectations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCase {
    /// Where it stands in the file.
    pub line: usize,
    /// The number in the file.
    pub number: usize,
    /// Four words a slot, as uploaded.
    pub words: Vec<[u32; 4]>,
    /// Branch bits (Curie), else 0.
    pub bools: u32,
    /// Choices about unknown behaviour that the results depend on.
    pub uses: Vec<Choice>,
    /// What must come out, component by component.
    pub expectations: Vec<Expectation>,
    /// What pictures show. There is a picture or an expectation.
    pub pictures: Vec<Picture>,
}

/// The programs of a file. Banks and vertices stand before the programs that use them.
#[derive(Debug)]
pub struct Programs {
    header: Header,
    source: Source,
    banks: BTreeMap<usize, Vec<[u32; 4]>>,
    vertices: BTreeMap<usize, Box<[[u32; 4]; 16]>>,
}

impl Programs {
    pub(super) fn new(header: Header, source: Source) -> Programs {
        Programs { header, source, banks: BTreeMap::new(), vertices: BTreeMap::new() }
    }

    /// The first line.
    pub fn header(&self) -> Header {
        self.header
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The constant rows of a bank, from row 0. Every bank that an expectation names exists.
    pub fn bank(&self, number: usize) -> &[[u32; 4]] {
        self.banks.get(&number).map_or(&[], |rows| rows)
    }

    /// The input registers of a vertex. Every vertex that an expectation names exists.
    pub fn vertex(&self, number: usize) -> &[[u32; 4]; 16] {
        const NONE: [[u32; 4]; 16] = [[0; 4]; 16];
        self.vertices.get(&number).map_or(&NONE, |registers| registers)
    }

    fn case(&mut self) -> Result<Option<ProgramCase>, Flaw> {
        let mut case: Option<ProgramCase> = None;
        loop {
            // A program ends where the next statement that does not belong to it begins.
            if case.is_some() && !self.source.continues_with(&OF_A_PROGRAM) {
                return case.map(complete).transpose();
            }
            let uses = self.source.continues_with(&["program"]).then(|| self.source.uses.take()).flatten();
            let Some(line) = self.source.line() else { return Ok(None) };
            let words = words_of(line);
            let Some((keyword, rest)) = words.split_first() else { continue };
            let number = |limit| index(&line, rest.first(), limit);
            match (keyword.text, &mut case) {
                ("bank", None) => {
                    let number = free(&line, &self.banks, number(MOST)?)?;
                    self.banks.insert(number, rows(&line, &rest[1..])?);
                }
                ("vertex", None) => {
                    let number = free(&line, &self.vertices, number(MOST)?)?;
                    let words: [u32; 64] = hex_words(&line, &rest[1..])?;
                    let mut registers = Box::new([[0; 4]; 16]);
                    for (register, four) in registers.iter_mut().zip(words.chunks_exact(4)) {
                        register.copy_from_slice(four);
                    }
                    self.vertices.insert(number, registers);
                }
                ("program", None) => {
                    let number = number(usize::MAX)?;
                    let words = rows(&line, &rest[1..])?;
                    if words.len() > SLOTS {
                        let message =
                            format!("program {number} has {} slots, more than any chip", words.len());
                        return Err(Flaw::line(&line, message));
                    }
                    case = Some(ProgramCase {
                        line: line.number,
                        number,
                        words,
                        bools: 0,
                        uses: uses::read(uses.as_ref())?,
                        expectations: Vec::new(),
                        pictures: Vec::new(),
                    });
                }
                ("bools", Some(case)) => [case.bools] = hex_words(&line, rest)?,
                ("expect", Some(case)) => {
                    let [bank, vertex] = bank_and_vertex(&line, rest, &self.banks, &self.vertices)?;
                    let outputs = rest[2..].iter().map(output).collect::<Result<_, _>>()?;
                    case.expectations.push(Expectation { line: line.number, bank, vertex, outputs });
                }
                (keyword, Some(case)) if console::KEYWORDS.contains(&keyword) => {
                    let numbers = bank_and_vertex(&line, rest, &self.banks, &self.vertices)?;
                    case.pictures.push(console::picture(&line, keyword, rest, numbers)?);
                }
                (word, None) if OF_A_PROGRAM.contains(&word) => {
                    return Err(Flaw::word(keyword, format!("`{}` without a program", keyword.text)));
                }
                (other, _) => {
                    return Err(Flaw::word(keyword, format!("`{}` is not known here", clip(other))).help(
                        "known are bank, vertex, program, bools, expect, bytes, over, words and xfctx",
                    ));
                }
            }
        }
    }
}

impl Iterator for Programs {
    type Item = Result<ProgramCase, FileFlaw>;

    fn next(&mut self) -> Option<Self::Item> {
        let case = self.case();
        self.source.item(case)
    }
}

/// A number that has not been given before: programs name banks and vertices of the whole file.
fn free<T>(line: &Line<'_>, known: &BTreeMap<usize, T>, number: usize) -> Result<usize, Flaw> {
    match known.contains_key(&number) {
        true => Err(Flaw::line(line, format!("{number} is there already"))),
        false => Ok(number),
    }
}

/// The bank and the vertex that the first two of a line's words name.
fn bank_and_vertex<B, V>(
    line: &Line<'_>,
    rest: &[Word<'_>],
    banks: &BTreeMap<usize, B>,
    vertices: &BTreeMap<usize, V>,
) -> Result<[usize; 2], Flaw> {
    let bank = index(line, rest.first(), MOST)?;
    let vertex = index(line, rest.get(1), MOST)?;
    for (known, what, word) in
        [(banks.contains_key(&bank), "bank", &rest[0]), (vertices.contains_key(&vertex), "vertex", &rest[1])]
    {
        if !known {
            return Err(Flaw::word(word, format!("{what} {} does not exist", word.text)));
        }
    }
    Ok([bank, vertex])
}

fn complete(case: ProgramCase) -> Result<ProgramCase, Flaw> {
    if case.expectations.is_empty() && case.pictures.is_empty() {
        let message = format!("program {} on line {} has no expectation", case.number, case.line);
        return Err(Flaw::new(format!("{message}: is the file cut short?")));
    }
    Ok(case)
}

/// Groups of four words; at least one.
fn rows(line: &Line<'_>, words: &[Word<'_>]) -> Result<Vec<[u32; 4]>, Flaw> {
    if words.is_empty() || !words.len().is_multiple_of(4) {
        let message = format!("needs a multiple of 4 words, has {}: is the file cut short?", words.len());
        return Err(Flaw::line(line, message));
    }
    words.chunks_exact(4).map(|four| hex_words(line, four)).collect()
}

/// `o3:e:3f800000:00000000:00000000:00000000`
fn output(word: &Word<'_>) -> Result<ExpectedOutput, Flaw> {
    let form = || {
        Flaw::word(word, format!("`{}` is not an expected output", clip(word.text)))
            .help("an expected output is oREGISTER:MASK:X:Y:Z:W, all but the register hexadecimal")
    };
    let parts: Vec<&str> = word.text.split(':').collect();
    let [register, mask, x, y, z, w] = parts[..] else { return Err(form()) };
    let register =
        register.strip_prefix('o').and_then(|number| number.parse().ok()).filter(|&number| number < 32);
    let mask = u8::from_str_radix(mask, 16).ok().filter(|&mask| mask < 16 && parts[1].len() == 1);
    let mut words = [0; 4];
    for (value, text) in words.iter_mut().zip([x, y, z, w]) {
        *value = Some(text).filter(|text| text.len() == 8).and_then(text::pattern).ok_or_else(form)?;
    }
    Ok(ExpectedOutput { register: register.ok_or_else(form)?, mask: mask.ok_or_else(form)?, words })
}
