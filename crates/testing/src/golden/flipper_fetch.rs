//! Vertices that Flipper's command processor decodes: commands and memory, and what comes out.
//!
//! A case begins with `case N`, from registers that are all zero. `mem ADDRESS BYTES` is memory, `fifo BYTES` the stream, lines
//! joined. The lines behind it are what comes out, in order: `draw OP count N size S out M` and M lines `v`, whose words are named
//! by what they are; `xf ADDRESS:WORD..`, `bp REGISTER:VALUE`, `dl ADDRESS:BYTES`; `used N` bytes of the stream, and `cache` for
//! what is kept of normals, as far as it is known.

use super::lines::{FileFlaw, Source, words_of};
use crate::chip::flipper::vcd::{Attribute, Source as From, Vcd};
use crate::text::{self, Flaw, Line, Word};
use std::fmt::Write as _;
use xfjit::flipper::{Budget, Dialect, Draw, Fetch, Memory, Processor, Quirks, Registers, Sink, Vertex};

/// A case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FetchCase {
    /// Its number in the file.
    pub number: usize,
    /// The lines of what comes out, with where they stand.
    pub expected: Vec<(usize, String)>,
    memory: Vec<(u32, Vec<u8>)>,
    stream: Vec<u8>,
    dialect: Dialect,
}

/// The first line that is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FetchDifference {
    /// Where it stands.
    pub line: usize,
    /// What should come out.
    pub expected: String,
    /// What does.
    pub got: String,
}

/// A whole guest memory: 64 MB, zeros but for what a case writes.
#[derive(Debug)]
pub struct GuestMemory(Vec<u8>);

impl Default for GuestMemory {
    fn default() -> Self {
        GuestMemory(vec![0; 1 << 26])
    }
}

/// Who decodes the vertices of a draw.
pub type Decoder<'a> = dyn FnMut(&Registers, &Draw<'_>, Memory<'_>) -> Vec<Vertex> + 'a;

/// The reference, one vertex after the other.
pub fn reference(dialect: Dialect) -> impl FnMut(&Registers, &Draw<'_>, Memory<'_>) -> Vec<Vertex> {
    move |registers, draw, memory| {
        let fetch = Fetch::new(registers, draw.vat(), memory, dialect);
        let vertices = (0..usize::from(draw.count)).map(|number| fetch.vertex(draw.vertex(number)));
        vertices.filter(|(_, is_there)| *is_there).map(|(vertex, _)| vertex).collect()
    }
}

/// What comes out, as lines.
struct Lines<'a, 'b> {
    lines: Vec<String>,
    decode: &'a mut Decoder<'b>,
}

fn words(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(":")
}

/// A vertex as a line has it: what it has.
fn line(vcd: Vcd, has_tangents: bool, vertex: &Vertex) -> String {
    let mut line = "v".to_owned();
    let mut put = |name: &str, text: &str| _ = write!(line, " {name}:{text}");
    for number in (0..vertex.matrices.len()).filter(|&number| vcd.has_matrix(number)) {
        let name = if number == 0 { "m".to_owned() } else { format!("t{}", number - 1) };
        put(&name, &format!("{:02x}", vertex.matrices[number]));
    }
    for attribute in Attribute::ALL.into_iter().filter(|&one| vcd.source(one) != From::Absent) {
        match attribute {
            Attribute::Position => put("p", &words(&vertex.position)),
            Attribute::Normal => {
                let count = if has_tangents { 3 } else { 1 };
                for (name, normal) in ["n", "T", "B"].iter().zip(&vertex.normals[..count]) {
                    put(name, &words(normal));
                }
            }
            Attribute::Colour(number) => {
                put(&format!("c{number}"), &words(&[vertex.colours[usize::from(number)]]));
            }
            Attribute::Texcoord(number) => {
                put(&format!("x{number}"), &words(&vertex.texcoords[usize::from(number)]));
            }
        }
    }
    line
}

impl Sink for Lines<'_, '_> {
    fn load_xf(&mut self, address: u16, loaded: &[u32]) {
        self.lines.push(format!("xf {address:04x}:{}", words(loaded)));
    }

    fn load_bp(&mut self, register: u8, value: u32) {
        self.lines.push(format!("bp {register:02x}:{value:06x}"));
    }

    fn call(&mut self, address: u32, bytes: u32) {
        self.lines.push(format!("dl {address:08x}:{bytes:08x}"));
    }

    fn draw(&mut self, registers: &Registers, draw: &Draw<'_>, memory: Memory<'_>) {
        let vertices = (self.decode)(registers, draw, memory);
        let Draw { opcode, count, size, .. } = draw;
        self.lines.push(format!("draw {opcode:02x} count {count} size {size} out {}", vertices.len()));
        let has_tangents = registers.vats[draw.vat()].has_tangents();
        self.lines.extend(vertices.iter().map(|vertex| line(registers.vcd, has_tangents, vertex)));
    }
}

impl FetchCase {
    /// Whose decoding.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What comes out of the case with these vertices that is not as it should be.
    pub fn check(&self, memory: &mut GuestMemory, decode: &mut Decoder<'_>) -> Option<FetchDifference> {
        for (address, bytes) in &self.memory {
            memory.0[*address as usize..][..bytes.len()].copy_from_slice(bytes);
        }
        let quirks = Quirks { dialect: self.dialect, ..Quirks::default() };
        let mut processor = Processor::new(quirks);
        let mut lines = Lines { lines: Vec::new(), decode };
        let used = processor.run(&self.stream, &memory.0, &mut lines, Budget::NONE);
        for (address, bytes) in &self.memory {
            memory.0[*address as usize..][..bytes.len()].fill(0);
        }
        let mut got = lines.lines;
        got.push(format!("used {used}"));
        let mut got = got.into_iter();
        for (number, expected) in &self.expected {
            let line = match expected.strip_prefix("cache ") {
                // Those that are listed; others nobody knows.
                Some(listed) => kept(&processor, listed),
                None => got.next().unwrap_or_default(),
            };
            if line != *expected {
                return Some(FetchDifference { line: *number, expected: expected.clone(), got: line });
            }
        }
        let (line, _) = self.expected.last()?;
        got.next().map(|got| FetchDifference { line: *line, expected: String::new(), got })
    }
}

/// The line of what is kept, of the vectors that are listed.
fn kept(processor: &Processor, listed: &str) -> String {
    let mut line = "cache".to_owned();
    for (name, kept) in ["n", "T", "B"].iter().zip(processor.registers.normals) {
        if listed.split_whitespace().any(|word| word.starts_with(&format!("{name}:"))) {
            _ = write!(line, " {name}:{}", kept.map_or_else(String::new, |kept| words(&kept)));
        }
    }
    line
}

/// The cases of a file.
#[derive(Debug)]
pub struct FetchCases {
    source: Source,
    dialect: Dialect,
}

/// Longer streams are none of these files.
const MOST_BYTES: usize = 1 << 20;

impl FetchCases {
    pub(super) fn new(source: Source, dialect: Dialect) -> FetchCases {
        FetchCases { source, dialect }
    }

    /// The dialect that a first line names, if it is one of these files.
    pub(super) fn dialect(line: &Line<'_>) -> Result<Dialect, Flaw> {
        let last = words_of(*line).last().copied();
        let dialect = last.and_then(|word| Dialect::named(word.text));
        dialect.ok_or_else(|| Flaw::line(line, "names no dialect (spec, dolphin-sw, dolphin-jit, dolphin)"))
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    fn case(&mut self) -> Result<Option<FetchCase>, Flaw> {
        let Some(head) = self.source.line() else { return Ok(None) };
        let number = match words_of(head)[..] {
            [case, number] if case.text == "case" => number.text.parse().ok(),
            _ => None,
        };
        let number = number.ok_or_else(|| Flaw::line(&head, "is not `case` and a number"))?;
        let (memory, stream, expected) = Default::default();
        let mut case = FetchCase { number, expected, memory, stream, dialect: self.dialect };
        let mut last = head.number;
        while !self.source.continues_with(&["case"]) {
            let Some(line) = self.source.line() else { break };
            last = line.number;
            let words = words_of(line);
            match words[..] {
                [mem, address, bytes] if mem.text == "mem" => {
                    let (at, bytes) = (text::hex(&address)?, hex_bytes(&bytes)?);
                    if at as usize + bytes.len() > 1 << 26 {
                        return Err(Flaw::word(&address, "is behind the memory of 64 MB"));
                    }
                    case.memory.push((at, bytes));
                }
                [fifo, bytes] if fifo.text == "fifo" => case.stream.append(&mut hex_bytes(&bytes)?),
                _ => case.expected.push((line.number, line.text.to_owned())),
            }
            if case.stream.len() > MOST_BYTES {
                return Err(Flaw::line(&line, "makes the stream too long"));
            }
        }
        if !case.expected.iter().any(|(_, text)| text.starts_with("used ")) {
            let message = format!("the case ends at line {last} without `used`: is the file cut short?");
            return Err(Flaw::new(message));
        }
        Ok(Some(case))
    }
}

/// Bytes as digits.
fn hex_bytes(word: &Word<'_>) -> Result<Vec<u8>, Flaw> {
    let digits = word.text.as_bytes();
    let flaw = || Flaw::word(word, format!("`{}` is not a list of hexadecimal bytes", text::clip(word.text)));
    let value = |digit: u8| (digit as char).to_digit(16).ok_or_else(flaw);
    if !digits.len().is_multiple_of(2) {
        return Err(flaw());
    }
    digits.chunks(2).map(|pair| Ok((value(pair[0])? << 4 | value(pair[1])?) as u8)).collect()
}

impl Iterator for FetchCases {
    type Item = Result<FetchCase, FileFlaw>;

    fn next(&mut self) -> Option<Self::Item> {
        let case = self.case();
        self.source.item(case)
    }
}
