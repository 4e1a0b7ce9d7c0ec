//! Cases of Flipper's transform unit: words of the unit, vertices, and what comes out.
//!
//! The lines `reset` and `xf ADDR:WORD..` change the unit for all cases behind them. A case is `case N`, `cache` with the vectors
//! that vertices without any have, pairs of `v` and `out`, and, of three vertices, `back B rej R`.

use super::lines::{FileFlaw, Source, words_of};
use crate::chip::flipper::memory::Memory;
use crate::chip::flipper::transform::{Transform, Vertices};
use crate::chip::flipper::triangle::{is_back, is_rejected};
use crate::chip::flipper::{input, output, registers, rows};
use crate::front::flipper::Setup;
use crate::repro::FlipperCase;
use crate::text::{Flaw, Line, Word};
use xfjit_runtime::state::{ATTRIBUTES, Context, Row};

/// A vertex with its configuration, and what must come out of it.
#[derive(Clone, Debug)]
pub struct FlipperVertex {
    /// Where the vertex stands in the file.
    pub line: usize,
    /// Configuration, constants, the vertex.
    pub case: FlipperCase,
    /// Register, component, and the word that it must be. Any NaN is any other.
    pub expected: Vec<(usize, usize, u32)>,
}

/// A case.
#[derive(Clone, Debug)]
pub struct FlipperGolden {
    /// Where it stands in the file.
    pub line: usize,
    /// Its number.
    pub number: usize,
    /// Its vertices.
    pub vertices: Vec<FlipperVertex>,
    /// Of three vertices: whether the triangle shows its back, and whether it is rejected.
    pub triangle: Option<[bool; 2]>,
    /// The viewport's scale of y.
    scale: u32,
}

/// A component that is not what it must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlipperWrong {
    /// The output register.
    pub register: usize,
    /// The component.
    pub component: usize,
    /// What it must be.
    pub expected: u32,
    /// What it is.
    pub got: u32,
}

impl FlipperVertex {
    /// The vertex so many times.
    pub fn vertices(&self, count: usize) -> FlipperCase {
        let mut case = self.case.clone();
        case.attributes.iter_mut().for_each(|rows| *rows = vec![rows[0]; count]);
        case
    }

    /// What is wrong with a vertex, given the registers that have come out.
    pub fn wrong(&self, got: impl Fn(usize) -> Row) -> Option<FlipperWrong> {
        self.expected.iter().find_map(|&(register, component, expected)| {
            let got = got(register)[component];
            let same = got == expected || f32::from_bits(got).is_nan() && f32::from_bits(expected).is_nan();
            (!same).then_some(FlipperWrong { register, component, expected, got })
        })
    }
}

impl FlipperGolden {
    /// Whether the triangle is what it must be, given clip position and clip mask of each vertex.
    pub fn is_triangle_right(&self, vertices: &[(Row, u32)]) -> bool {
        let Some(expected) = self.triangle else { return true };
        let [a, b, c] = vertices else { return false };
        let back = is_back([a.0, b.0, c.0], self.scale);
        expected == [back, is_rejected([a.1, b.1, c.1])]
    }
}

/// The cases of a file.
#[derive(Debug)]
pub struct FlipperCases {
    source: Source,
    memory: Memory,
}

/// `KEY:WORD:WORD..`
struct Keyed<'a> {
    key: &'a str,
    words: Vec<u32>,
}

impl<'a> Keyed<'a> {
    fn parse(word: &Word<'a>) -> Result<Self, Flaw> {
        let mut parts = word.text.split(':');
        let key = parts.next().unwrap_or_default();
        let words: Option<Vec<u32>> = parts.map(|part| u32::from_str_radix(part, 16).ok()).collect();
        match words {
            Some(words) => Ok(Keyed { key, words }),
            None => Err(Flaw::word(word, "needs hexadecimal words behind colons")),
        }
    }

    /// So many words.
    fn exactly<const N: usize>(&self, word: &Word<'_>) -> Result<[u32; N], Flaw> {
        self.words[..]
            .try_into()
            .map_err(|_| Flaw::word(word, format!("needs {N} words: is the file cut short?")))
    }
}

/// The number behind a letter, if it is below 8.
fn numbered(key: &str, letter: char) -> Option<usize> {
    key.strip_prefix(letter)?.parse().ok().filter(|&number| number < 8)
}

/// What a key of vertices means that names a vector.
fn vector(key: &str) -> Option<usize> {
    match key {
        "p" => Some(input::POSITION),
        "n" => Some(input::NORMAL),
        "T" => Some(input::TANGENT),
        "B" => Some(input::BINORMAL),
        _ => None,
    }
}

impl FlipperCases {
    pub(super) fn new(source: Source) -> Self {
        FlipperCases { source, memory: Memory::new() }
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    fn case(&mut self) -> Result<Option<FlipperGolden>, Flaw> {
        let mut golden: Option<FlipperGolden> = None;
        let mut cache = [[0; 4]; ATTRIBUTES];
        while golden.is_none() || self.source.continues_with(&["xf", "cache", "v", "out", "back"]) {
            let Some(line) = self.source.line() else { break };
            let words = words_of(line);
            let Some((first, rest)) = words.split_first() else { continue };
            match (first.text, &mut golden) {
                ("reset", None) => self.memory = Memory::new(),
                ("xf", _) => write(&mut self.memory, rest)?,
                ("case", None) => {
                    let number = rest.first().and_then(|word| word.text.parse().ok());
                    let number = number.ok_or_else(|| Flaw::line(&line, "names no number"))?;
                    let (vertices, line) = (Vec::new(), line.number);
                    golden = Some(FlipperGolden { line, number, vertices, triangle: None, scale: 0 });
                }
                ("cache", Some(_)) => {
                    for word in rest {
                        let keyed = Keyed::parse(word)?;
                        let register =
                            vector(keyed.key).ok_or_else(|| Flaw::word(word, "is not a vector"))?;
                        let [x, y, z] = keyed.exactly(word)?;
                        cache[register] = [x, y, z, 0];
                    }
                }
                ("v", Some(golden)) => {
                    let case = vertex(&self.memory, &cache, rest)?;
                    golden.scale = self.memory.word(registers::VIEWPORT + 1);
                    golden.vertices.push(FlipperVertex { line: line.number, case, expected: Vec::new() });
                }
                ("out", Some(golden)) => {
                    let last = golden.vertices.last_mut().filter(|last| last.expected.is_empty());
                    let last = last.ok_or_else(|| Flaw::line(&line, "stands behind no vertex"))?;
                    last.expected = expected(rest)?;
                }
                ("back", Some(golden)) => {
                    let flags = match rest.iter().map(|word| word.text).collect::<Vec<_>>()[..] {
                        [back, "rej", rejected] => [back, rejected].map(|flag| flag.parse::<u8>().ok()),
                        _ => [None; 2],
                    };
                    let [Some(back), Some(rejected)] = flags else {
                        return Err(Flaw::line(&line, "needs `back B rej R`"));
                    };
                    golden.triangle = Some([back != 0, rejected != 0]);
                }
                _ => return Err(Flaw::word(first, "does not stand here")),
            }
        }
        if let Some(golden) = &golden {
            let cut = golden.vertices.iter().any(|vertex| vertex.expected.is_empty());
            if cut || golden.vertices.is_empty() {
                let line = Line { number: golden.line, text: "" };
                return Err(Flaw::line(&line, "a case without what comes out: is the file cut short?"));
            }
        }
        Ok(golden)
    }
}

/// `ADDR:WORD:WORD..`
fn write(memory: &mut Memory, words: &[Word<'_>]) -> Result<(), Flaw> {
    for word in words {
        let keyed = Keyed::parse(word)?;
        let address =
            u16::from_str_radix(keyed.key, 16).map_err(|_| Flaw::word(word, "begins with no address"))?;
        memory.write(address, &keyed.words);
    }
    Ok(())
}

/// A vertex: its own vectors, or those of the cache.
fn vertex(memory: &Memory, cache: &[Row; ATTRIBUTES], words: &[Word<'_>]) -> Result<FlipperCase, Flaw> {
    let mut attributes = *cache;
    let mut vertices = Vertices::default();
    let mut indices = Vec::new();
    for word in words {
        let keyed = Keyed::parse(word)?;
        let index = match keyed.key {
            "m" => Some(0),
            key => numbered(key, 't').map(|number| number + 1),
        };
        if let Some(number) = index {
            let [byte] = keyed.exactly(word)?;
            vertices.matrices |= 1 << number;
            indices.push((number, byte));
        } else if let Some(register) = vector(keyed.key) {
            let [x, y, z] = keyed.exactly(word)?;
            attributes[register] = [x, y, z, 0];
        } else if let Some(number) = numbered(keyed.key, 'c').filter(|&number| number < 2) {
            let [colour] = keyed.exactly(word)?;
            vertices.colours[number] = true;
            attributes[input::COLOUR + number] = rows::colour(colour);
        } else if let Some(number) = numbered(keyed.key, 'x') {
            let [s, t] = keyed.exactly(word)?;
            attributes[input::TEXCOORD + number] = [s, t, 0, 0];
        } else {
            return Err(Flaw::word(word, "is nothing that a vertex has"));
        }
    }
    for (number, byte) in indices {
        let place = vertices.index_byte(number).unwrap_or_default();
        attributes[input::MATRICES][place / 4] |= (byte & 0xff) << (8 * (place % 4));
    }
    let setup = Setup::new(Transform::new(memory, vertices));
    let mut context = Context::new(rows::ROWS);
    rows::fill(memory, context.rows_mut());
    Ok(FlipperCase { setup, context, attributes: attributes.map(|row| vec![row]) })
}

/// What must come out.
fn expected(words: &[Word<'_>]) -> Result<Vec<(usize, usize, u32)>, Flaw> {
    let mut expected = Vec::new();
    for word in words {
        let keyed = match word.text {
            // `clip:MASK` is a word like the others.
            text if text.contains(':') => Keyed::parse(word)?,
            _ => return Err(Flaw::word(word, "needs words behind a colon")),
        };
        let (register, count) = match keyed.key {
            "e" => (output::EYE, 3),
            "N" => (output::NORMAL, 3),
            "T" => (output::TANGENT, 3),
            "B" => (output::BINORMAL, 3),
            "P" => (output::CLIP, 4),
            "S" => (output::SCREEN, 3),
            "clip" => (output::FLAGS, 1),
            key => match (numbered(key, 'x'), numbered(key, 'c')) {
                (Some(number), _) => (output::TEXCOORD + number, 3),
                (_, Some(number)) if number < 2 => {
                    let [colour] = keyed.exactly(word)?;
                    let bytes = colour.to_be_bytes().into_iter().enumerate();
                    expected.extend(bytes.map(|(c, byte)| (output::COLOUR + number, c, u32::from(byte))));
                    continue;
                }
                _ => return Err(Flaw::word(word, "is nothing that comes out")),
            },
        };
        if keyed.words.len() != count {
            return Err(Flaw::word(word, format!("needs {count} words: is the file cut short?")));
        }
        expected.extend(keyed.words.iter().enumerate().map(|(component, &word)| (register, component, word)));
    }
    Ok(expected)
}

impl Iterator for FlipperCases {
    type Item = Result<FlipperGolden, FileFlaw>;

    fn next(&mut self) -> Option<Self::Item> {
        let case = self.case();
        self.source.item(case)
    }
}
