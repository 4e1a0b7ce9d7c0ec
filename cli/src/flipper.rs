//! Configurations of Flipper: files of writes to its registers, and what they say by name.

pub mod loads;
pub mod ring;

use crate::fail::Failure;
use crate::files;
use crate::sort::{self, Wanted};
use crate::text::{self, Flaw, Word};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xfjit::chip::flipper::Console;
use xfjit::chip::flipper::cp::Register as CpRegister;
use xfjit::chip::flipper::memory::Memory;
use xfjit::chip::flipper::registers::{self, Field, LIGHT_WORDS, Register};
use xfjit::chip::flipper::transform::{Transform, Vertices};
use xfjit::chip::flipper::vat;
use xfjit::chip::flipper::vcd::{Attribute, MATRICES, Source, Vcd};
use xfjit::front::flipper::Setup;

/// What the lines of such a file are.
const LINES: &str = "write lines `xf ADDR:WORD:WORD..` and `cp REG:WORD`, all in hexadecimal";

/// The words that were written.
#[derive(Debug, Default)]
pub struct Registers {
    memory: Memory,
    /// Addresses of the transform unit.
    written: BTreeSet<u16>,
    /// Registers of the command processor, by their lowest number.
    cp: BTreeMap<u8, u32>,
}

/// A register, or a row of a memory, by name.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    /// `xf` or `cp`.
    pub unit: &'static str,
    /// Where it is.
    pub address: u16,
    /// Its name.
    pub name: String,
    /// Its words.
    pub words: Vec<u32>,
    /// Its fields, lowest first, with their values.
    pub fields: Vec<(String, Value)>,
    /// Bits of none.
    pub rest: u32,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A bit.
    Flag(bool),
    /// A number.
    Number(u32),
    /// How a vertex has an attribute.
    Source(Source),
    /// Bits of a float.
    Float(u32),
}

impl Registers {
    /// Of a file.
    pub fn read(path: &Path) -> Result<Registers, Failure> {
        let bytes = sort::read(path, Wanted::Registers)?;
        Registers::parse(&bytes).map_err(|flaw| Failure::input(files::name(path), flaw))
    }

    fn parse(bytes: &[u8]) -> Result<Registers, Flaw> {
        let text = text::decode(bytes)?;
        let mut all = Registers::default();
        for line in text::lines(&text) {
            let words: Vec<Word<'_>> = text::words(line, &[], &["#"]).collect();
            let Some((first, writes)) = words.split_first() else { continue };
            let write = match first.text {
                "xf" => Registers::write_xf,
                "cp" => Registers::write_cp,
                _ => return Err(Flaw::word(first, "is not a write").help(LINES)),
            };
            if writes.is_empty() {
                return Err(Flaw::word(first, "writes nothing").help(LINES));
            }
            writes.iter().try_for_each(|word| write(&mut all, word))?;
        }
        if all.written.is_empty() && all.cp.is_empty() {
            return Err(Flaw::new("writes nothing").help(LINES));
        }
        Ok(all)
    }

    fn write_xf(&mut self, word: &Word<'_>) -> Result<(), Flaw> {
        let (address, words) = addressed(word)?;
        let end = address as usize + words.len();
        if end > usize::from(registers::END) {
            return Err(Flaw::word(word, format!("writes past {:x}, the last word", registers::END - 1)));
        }
        // It is below the end.
        let address = address as u16;
        self.memory.write(address, &words);
        self.written.extend(address..end as u16);
        Ok(())
    }

    fn write_cp(&mut self, word: &Word<'_>) -> Result<(), Flaw> {
        let (number, words) = addressed(word)?;
        let ([value], Ok(number)) = (&words[..], u8::try_from(number)) else {
            return Err(Flaw::word(word, "is not a register of two digits with one word").help(LINES));
        };
        let register = CpRegister::of(number);
        self.cp.insert(register.number(), value & register.mask(Console::GameCube));
        Ok(())
    }

    fn vcd(&self) -> Vcd {
        let word = |register: CpRegister| self.cp.get(&register.number()).copied().unwrap_or(0);
        Vcd { lo: word(CpRegister::VcdLo), hi: word(CpRegister::VcdHi) }
    }

    /// The words of the transform unit.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// What vertices hold.
    pub fn vertices(&self) -> Vertices {
        Vertices::of_vcd(self.vcd().lo)
    }

    /// What of them selects code.
    pub fn setup(&self) -> Setup {
        Setup::new(Transform::new(&self.memory, self.vertices()))
    }

    /// What was written, by name: first the command processor's registers.
    pub fn named(&self) -> Vec<Named> {
        let mut all: Vec<Named> = self.cp.iter().map(|(&number, &word)| cp(number, word)).collect();
        let mut done = 0;
        for &address in &self.written {
            if address < done {
                continue;
            }
            let (first, count, name) = place(address);
            done = first + count;
            let words: Vec<u32> = (first..done).map(|address| self.memory.word(address)).collect();
            let (fields, rest) = fields(first, &words);
            all.push(Named { unit: "xf", address: first, name, words, fields, rest });
        }
        all
    }
}

/// `ADDR:WORD:WORD..`
fn addressed(word: &Word<'_>) -> Result<(u32, Vec<u32>), Flaw> {
    let digits = |part: &str| {
        let plain = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        if plain { u32::from_str_radix(part, 16).ok() } else { None }
    };
    let numbers: Option<Vec<u32>> = word.text.split(':').map(digits).collect();
    match numbers.as_deref() {
        Some(&[address, ref words @ ..]) if !words.is_empty() && address < 0x1_0000 => {
            Ok((address, words.to_vec()))
        }
        _ => Err(Flaw::word(word, "is not an address followed by words after colons").help(LINES)),
    }
}

/// What an address of the transform unit belongs to: its first address, how many words it has, its name.
fn place(address: u16) -> (u16, u16, String) {
    let rows = [
        (registers::POSITION_MATRICES, 4, "matrix"),
        (registers::NORMAL_MATRICES, 3, "normal_matrix"),
        (registers::POST_MATRICES, 4, "post_matrix"),
    ];
    for (range, width, name) in rows {
        if range.contains(&address) {
            let row = (address - range.start) / width;
            return (range.start + row * width, width, format!("{name}[{row}]"));
        }
    }
    if registers::LIGHTS.contains(&address) {
        let (light, word) = ((address - registers::LIGHTS.start) / LIGHT_WORDS, address % LIGHT_WORDS);
        let parts = [
            (registers::LIGHT_COLOUR, 1, "colour"),
            (registers::LIGHT_ANGLE, 3, "angle"),
            (registers::LIGHT_DISTANCE, 3, "distance"),
            (registers::LIGHT_POSITION, 3, "position"),
            (registers::LIGHT_DIRECTION, 3, "direction"),
        ];
        if let Some((first, count, part)) = parts.into_iter().rfind(|(first, ..)| *first <= word) {
            return (address - word + first, count, format!("light[{light}].{part}"));
        }
    }
    match Register::at(address) {
        Some((register, _)) if register.count == 1 => (address, 1, register.name.to_owned()),
        Some((register, number)) => (address, 1, format!("{}[{number}]", register.name)),
        None => (address, 1, "; no register".to_owned()),
    }
}

/// The fields of a register, and the bits of none; of rows and of registers that are one number that.
fn fields(address: u16, words: &[u32]) -> (Vec<(String, Value)>, u32) {
    let is_float = |address: u16| match Register::at(address) {
        Some((register, _)) => [registers::VIEWPORT, registers::PROJECTION].contains(&register.address),
        None => {
            let in_light =
                registers::LIGHTS.contains(&address) && address % LIGHT_WORDS >= registers::LIGHT_ANGLE;
            let matrices =
                [registers::POSITION_MATRICES, registers::NORMAL_MATRICES, registers::POST_MATRICES];
            in_light || matrices.iter().any(|range| range.contains(&address))
        }
    };
    let Some((register, _)) = Register::at(address).filter(|(register, _)| !register.fields.is_empty())
    else {
        if !is_float(address) {
            return (Vec::new(), 0);
        }
        let names: &[&str] = if words.len() == 1 { &["value"] } else { &["x", "y", "z", "w"] };
        let floats = names.iter().zip(words).map(|(name, &word)| ((*name).to_owned(), Value::Float(word)));
        return (floats.collect(), 0);
    };
    split(register.fields, words[0])
}

/// The fields of a word, and the bits of none.
fn split(fields: &[Field], word: u32) -> (Vec<(String, Value)>, u32) {
    let value = |field: &Field| match field.bits {
        1 => Value::Flag(field.of(word) != 0),
        _ => Value::Number(field.of(word)),
    };
    let named = fields.iter().map(|field| (field.name.to_owned(), value(field))).collect();
    (named, fields.iter().fold(word, |rest, field| field.set(rest, 0)))
}

/// A register of the command processor.
fn cp(number: u8, word: u32) -> Named {
    let matrix = |k: usize| if k == 0 { "PosMatIdx".to_owned() } else { format!("Tex{}MatIdx", k - 1) };
    let attribute = |attribute: Attribute| match attribute {
        Attribute::Position => "Position".to_owned(),
        Attribute::Normal => "Normal".to_owned(),
        Attribute::Colour(number) => format!("Colour{number}"),
        Attribute::Texcoord(number) => format!("Tex{number}"),
    };
    let sources = |vcd: Vcd, wanted: &[Attribute]| -> Vec<(String, Value)> {
        wanted.iter().map(|&a| (attribute(a), Value::Source(vcd.source(a)))).collect()
    };
    let indices = |address: u16| match Register::at(address) {
        Some((register, _)) => split(register.fields, word),
        None => (Vec::new(), word),
    };
    let number_only = || (vec![("value".to_owned(), Value::Number(word))], 0);
    let (low, high) = Attribute::ALL.split_at(4);
    let (name, (fields, rest)) = match CpRegister::of(number) {
        CpRegister::VcdLo => {
            let vcd = Vcd { lo: word, hi: 0 };
            let mut all: Vec<_> =
                (0..MATRICES).map(|k| (matrix(k), Value::Flag(vcd.has_matrix(k)))).collect();
            all.extend(sources(vcd, low));
            ("vcd_lo".to_owned(), (all, 0))
        }
        CpRegister::VcdHi => ("vcd_hi".to_owned(), (sources(Vcd { lo: 0, hi: word }, high), 0)),
        CpRegister::Vat(which, vat) => {
            let fields = vat::Field::ALL.iter().filter(|field| field.word == usize::from(which));
            let value = |field: &vat::Field| match (word & field.mask()) >> field.at {
                value if field.bits == 1 => Value::Flag(value != 0),
                value => Value::Number(value),
            };
            let all = fields.map(|field| (field.name.to_owned(), value(field))).collect();
            (format!("vat_{}[{vat}]", ["a", "b", "c"][usize::from(which)]), (all, 0))
        }
        CpRegister::MatrixIndexA => ("matrix_index_a".to_owned(), indices(registers::MATRIX_INDEX_A)),
        CpRegister::MatrixIndexB => ("matrix_index_b".to_owned(), indices(registers::MATRIX_INDEX_B)),
        CpRegister::ArrayBase(array) => (format!("array_base[{array}]"), number_only()),
        CpRegister::ArrayStride(array) => (format!("array_stride[{array}]"), number_only()),
        CpRegister::Control(_) => ("control".to_owned(), number_only()),
        CpRegister::Unknown(_) => ("; no register".to_owned(), (Vec::new(), 0)),
    };
    Named { unit: "cp", address: number.into(), name, words: vec![word], fields, rest }
}

impl Value {
    /// Whether there is nothing to tell.
    fn is_zero(self) -> bool {
        matches!(self, Value::Flag(false) | Value::Number(0) | Value::Source(Source::Absent))
    }

    /// As text.
    pub fn text(self) -> String {
        match self {
            Value::Flag(flag) => u8::from(flag).to_string(),
            Value::Number(number) => number.to_string(),
            Value::Source(source) => source_name(source).to_owned(),
            Value::Float(bits) => crate::table::number(f32::from_bits(bits)),
        }
    }

    /// For programs; floats are bits beside their words.
    pub fn json(self) -> serde_json::Value {
        match self {
            Value::Flag(flag) => u8::from(flag).into(),
            Value::Number(number) => number.into(),
            Value::Source(source) => source_name(source).into(),
            Value::Float(bits) => f32::from_bits(bits).into(),
        }
    }
}

fn source_name(source: Source) -> &'static str {
    match source {
        Source::Absent => "absent",
        Source::Direct => "direct",
        Source::Index8 => "index8",
        Source::Index16 => "index16",
    }
}

impl std::fmt::Display for Named {
    /// One line: of fields those that are not 0, a bit by its name alone.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = if self.unit == "cp" { 2 } else { 4 };
        let words: Vec<String> = self.words.iter().map(|word| format!("{word:08x}")).collect();
        write!(f, "{} {:0digits$x} {:<20} {}", self.unit, self.address, self.name, words.join(" "))?;
        for (name, value) in self.fields.iter().filter(|(_, value)| !value.is_zero()) {
            match value {
                Value::Flag(_) => write!(f, " {name}")?,
                value => write!(f, " {name}={}", value.text())?,
            }
        }
        if self.rest != 0 {
            write!(f, " ; no field: {:08x}", self.rest)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_part_of_what_it_belongs_to() {
        for address in 0..registers::END {
            let (first, count, name) = place(address);
            assert!((first..first + count).contains(&address), "{address:x}: {name}");
            assert_eq!(place(first), (first, count, name));
        }
    }

    #[test]
    fn every_bit_of_a_register_is_a_field_s_or_told() {
        for address in registers::REGISTERS..registers::END {
            let (fields, rest) = fields(address, &[u32::MAX]);
            let Some((register, _)) =
                Register::at(address).filter(|(register, _)| !register.fields.is_empty())
            else {
                continue;
            };
            assert_eq!(fields.len(), register.fields.len());
            let held: u32 = register.fields.iter().map(|field| field.bits).sum();
            assert_eq!(held + rest.count_ones(), 32, "{}", register.name);
        }
        for number in 0..=u8::MAX {
            let named = cp(number, CpRegister::of(number).mask(Console::GameCube));
            assert_eq!(named.rest, 0, "{named}");
        }
    }

    #[test]
    fn what_is_no_write_is_pointed_at() {
        for (text, expected) in [
            ("", "writes nothing"),
            ("xf", "writes nothing"),
            ("xf 1009", "is not an address"),
            ("xf 1009:", "is not an address"),
            ("xf +9:1", "is not an address"),
            ("xf 10000:1", "is not an address"),
            ("xf 1057:1:2", "writes past 1057"),
            ("cp 50:1:2", "is not a register"),
            ("cp 100:1", "is not a register"),
            ("bp 1:2", "is not a write"),
        ] {
            let flaw = Registers::parse(text.as_bytes()).expect_err(text);
            assert!(format!("{flaw:?}").contains(expected), "{text}: {flaw:?}");
        }
    }
}
