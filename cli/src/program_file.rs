//! Program files: assembler text, microcode as hexadecimal text, or raw microcode.

use crate::args::{ByteOrder, Format};
use crate::byte_order;
use crate::fail::{Failure, note, warning};
use crate::text::{self, Flaw, Line, Word};
use xfjit::{Generation, isa};

const SEPARATORS: &[char] = &[','];
const COMMENTS: &[&str] = &["#", ";", "//"];

/// Slots of the largest program memory, Curie's. A file that holds more is no program.
const SLOTS: usize = Generation::Curie.slots();

/// What a program file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramFile {
    /// Assembler text.
    Assembler(String),
    /// Microcode.
    Words(Microcode),
}

/// Microcode: four words a slot as uploaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Microcode {
    /// From slot 0 on; those before `first` are zeros.
    pub words: Vec<[u32; 4]>,
    /// The first slot that the file gives.
    pub first: usize,
    /// Where the program starts, if the file says so.
    pub start: Option<usize>,
    /// It was raw words.
    pub is_raw: bool,
}

impl Microcode {
    /// A program's canonical words, for a chip that reads them in that way.
    pub fn of(generation: Generation, reading: isa::Reading, program: &isa::Program) -> Microcode {
        let words = isa::encode_as(generation, reading, program);
        Microcode::new(words.as_chunks::<4>().0, program.first, Some(program.start))
    }

    /// Slots from one on.
    pub fn new(slots: &[[u32; 4]], first: usize, start: Option<usize>) -> Microcode {
        let before = vec![[0; 4]; first.min(SLOTS)];
        Microcode { words: [&before, slots].concat(), first, start, is_raw: false }
    }

    /// The slots that the file gives.
    fn slots(&self) -> &[[u32; 4]] {
        self.words.get(self.first..).unwrap_or_default()
    }

    /// What says where the slots go and where the program starts, as assembler text does; empty if both are slot 0.
    pub fn directives(&self) -> Vec<String> {
        let first = (self.first != 0).then(|| format!(".first {}", self.first));
        let start = self.start.filter(|&start| start != 0 || self.first != 0);
        first.into_iter().chain(start.map(|start| format!(".start {start}"))).collect()
    }
}

/// How raw words are read.
#[derive(Clone, Copy, Debug)]
pub struct Raw {
    /// The order asked for; None tells it by what the words mean.
    pub order: Option<ByteOrder>,
    /// Whose microcode it is.
    pub generation: Generation,
}

/// Reads the content of a program file, which tells what it is.
pub fn read(name: &str, bytes: &[u8], how: Raw) -> Result<ProgramFile, Failure> {
    recognise(name, bytes, how).map_err(|flaw| Failure::input(name, flaw))
}

/// Reads the content of a file, which must be microcode.
pub fn read_words(name: &str, bytes: &[u8], how: Raw) -> Result<Microcode, Failure> {
    let read = || {
        if !text::is_text(bytes) {
            return raw(name, bytes, how);
        }
        let text = text::decode(bytes)?;
        if text.trim_start().starts_with('{') { json(&text) } else { hex(&text) }
    };
    read().map_err(|flaw| Failure::input(name, flaw))
}

/// Microcode in one of the output formats; as text and JSON it is what [`read`] takes.
pub fn write(microcode: &Microcode, format: Format) -> Result<String, Failure> {
    let slots = microcode.slots().iter().map(|slot| slot.map(|word| format!("{word:08x}")));
    let directives = microcode.directives();
    Ok(match format {
        Format::Text => {
            let before = directives.iter().map(|line| format!("{line}\n"));
            before.chain(slots.map(|slot| slot.join(" ") + "\n")).collect()
        }
        Format::Csv => {
            holds_no(&directives, "--format csv")?;
            let header = std::iter::once("d0,d1,d2,d3\n".to_string());
            header.chain(slots.map(|slot| slot.join(",") + "\n")).collect()
        }
        Format::Json => {
            let slots: Vec<[String; 4]> = slots.collect();
            let start = microcode.start.unwrap_or(microcode.first);
            let value = serde_json::json!({
                "schema": "xfjit.microcode.1", "first": microcode.first, "start": start, "slots": slots,
            });
            format!("{value}\n")
        }
    })
}

/// Microcode as raw words.
pub fn write_raw(microcode: &Microcode, order: ByteOrder) -> Result<Vec<u8>, Failure> {
    holds_no(&microcode.directives(), "--binary")?;
    let bytes = |word: &u32| match order {
        ByteOrder::Little => word.to_le_bytes(),
        ByteOrder::Big => word.to_be_bytes(),
    };
    Ok(microcode.slots().as_flattened().iter().flat_map(bytes).collect())
}

/// An error for a form in which there is no place for directives.
fn holds_no(directives: &[String], form: &str) -> Result<(), Failure> {
    if directives.is_empty() {
        return Ok(());
    }
    let directives = directives.join("` and `");
    Err(Failure::Usage(format!("{form} cannot hold `{directives}`; use --format text or json")))
}

/// Text whose first word is hexadecimal is microcode, other text is assembler, and what is no text is raw microcode.
pub fn recognise(name: &str, bytes: &[u8], how: Raw) -> Result<ProgramFile, Flaw> {
    if !text::is_text(bytes) {
        return raw(name, bytes, how).map(ProgramFile::Words);
    }
    let text = text::decode(bytes)?;
    if text.trim_start().starts_with('{') {
        return json(&text).map(ProgramFile::Words);
    }
    let mut lines = text::lines(&text).map(cells).filter(|words| !words.is_empty()).peekable();
    if lines.peek().is_none() {
        return Err(Flaw::new("holds no program"));
    }
    let code = lines.find(|words| !words[0].text.starts_with('.'));
    if code.is_some_and(|words| text::pattern(words[0].text).is_some() || is_header(&words)) {
        return hex(&text).map(ProgramFile::Words);
    }
    drop(lines);
    Ok(ProgramFile::Assembler(text.into_owned()))
}

fn cells(line: Line<'_>) -> Vec<Word<'_>> {
    text::words(line, SEPARATORS, COMMENTS).collect()
}

/// The first line of microcode as comma-separated values.
fn is_header(words: &[Word<'_>]) -> bool {
    words.iter().map(|word| word.text).eq(["d0", "d1", "d2", "d3"])
}

/// Microcode as text: words of eight hexadecimal digits (`0x` before them is fine), four a slot; `.first` and `.start`
/// as in assembler text. A line holds whole slots, or one word or two, as all lines of its slot do.
fn hex(text: &str) -> Result<Microcode, Flaw> {
    let mut slots = Vec::new();
    let mut slot: Vec<u32> = Vec::new();
    let (mut first, mut start) = (None, None);
    // Words of each line of a slot that has begun; the last line.
    let mut share = 0;
    let mut last = None;
    for (line, words) in text::lines(text).map(|line| (line, cells(line))) {
        let Some(word) = words.first() else { continue };
        if let ".first" | ".start" = word.text {
            let target = if word.text == ".first" { &mut first } else { &mut start };
            if last.is_some() || target.is_some() {
                let message = format!("{} must come before the first slot, and only once", word.text);
                return Err(Flaw::word(word, message));
            }
            *target = Some(slot_number(&line, &words)?);
            continue;
        }
        if last.is_none() && is_header(&words) {
            continue;
        }
        let values = words.iter().map(|word| {
            text::pattern(word.text).ok_or_else(|| {
                let message =
                    format!("slot {}: `{}` is not a hexadecimal word", slots.len(), text::clip(word.text));
                Flaw::word(word, message).help(FORM)
            })
        });
        let values = values.collect::<Result<Vec<u32>, Flaw>>()?;
        let count = values.len();
        let fits = if slot.is_empty() { count % 4 == 0 || count <= 2 } else { count == share };
        if !fits {
            let message = format!("slot {} has {} words, but a slot has 4", slots.len(), slot.len() + count);
            return Err(Flaw::line(&line, message).help(FORM));
        }
        (share, last) = (count, Some(line));
        for value in values {
            slot.push(value);
            if let [a, b, c, d] = slot[..] {
                slots.push([a, b, c, d]);
                slot.clear();
            }
        }
        if slots.len() > SLOTS {
            return Err(Flaw::line(&line, format!("slot {SLOTS} exceeds the limit of every chip")));
        }
    }
    match last {
        Some(line) if !slot.is_empty() => {
            let message = format!("slot {} has {} words, but a slot has 4", slots.len(), slot.len());
            Err(Flaw::line(&line, message).help(FORM))
        }
        Some(_) => placed(&slots, first.or(start).unwrap_or(0), start),
        None => Err(Flaw::new("holds no program")),
    }
}

const FORM: &str =
    "a slot is four words of eight hexadecimal digits; a line holds whole slots, or one word, or two";

/// The number behind a directive.
fn slot_number(line: &Line<'_>, words: &[Word<'_>]) -> Result<usize, Flaw> {
    match words {
        [_, number] => match number.text.parse() {
            Ok(slot) if slot < SLOTS => Ok(slot),
            _ => {
                let message = format!("`{}` is not a slot below {SLOTS}", text::clip(number.text));
                Err(Flaw::word(number, message))
            }
        },
        _ => Err(Flaw::line(line, "a directive needs the number of a slot, and nothing more")),
    }
}

/// Slots in their place, if that is one.
fn placed(slots: &[[u32; 4]], first: usize, start: Option<usize>) -> Result<Microcode, Flaw> {
    let end = first.saturating_add(slots.len());
    if end > SLOTS {
        return Err(Flaw::new(format!("holds {end} slots, which exceeds the limit of every chip")));
    }
    match start {
        Some(start) if !(first..end).contains(&start) => Err(Flaw::new(format!(
            "starts in slot {start}, but holds slots {first} to {}",
            end.saturating_sub(1)
        ))),
        _ => Ok(Microcode::new(slots, first, start)),
    }
}

/// What [`write`] makes as JSON; a slot may also be an object with `slot` and `words`, as disassemblies have it.
fn json(text: &str) -> Result<Microcode, Flaw> {
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|error| Flaw::new(format!("is not valid JSON: {error}")))?;
    let Some(slots) = value["slots"].as_array() else {
        return Err(Flaw::new("has no list of slots")
            .help("expected {\"slots\": [[\"00000000\", ... four words], ...]}"));
    };
    if slots.is_empty() {
        return Err(Flaw::new("holds no program"));
    }
    if slots.len() > SLOTS {
        return Err(Flaw::new(format!("holds {} slots, which exceeds the limit of every chip", slots.len())));
    }
    let number = |value: &serde_json::Value, what: &str| match value {
        serde_json::Value::Null => Ok(None),
        value => match value.as_u64().and_then(|value| usize::try_from(value).ok()) {
            Some(slot) if slot < SLOTS => Ok(Some(slot)),
            _ => Err(Flaw::new(format!(
                "{what}: {} is not a slot below {SLOTS}",
                text::clip(&value.to_string())
            ))),
        },
    };
    let first = number(&value["first"], "first")?.or(number(&slots[0]["slot"], "slot")?).unwrap_or(0);
    let start = number(&value["start"], "start")?;
    let slot = |(at, slot): (usize, &serde_json::Value)| {
        if number(&slot["slot"], "slot")?.is_some_and(|number| number != first + at) {
            return Err(Flaw::new(format!("slot {} is in the wrong place", first + at)));
        }
        let number = at;
        let words = slot.as_array().or_else(|| slot["words"].as_array());
        let words = words.filter(|words| words.len() == 4);
        let words = words.ok_or_else(|| Flaw::new(format!("slot {number} does not have four words")))?;
        let mut values = [0; 4];
        for (value, word) in values.iter_mut().zip(words) {
            let pattern = word.as_str().and_then(text::pattern);
            *value = pattern.ok_or_else(|| {
                Flaw::new(format!(
                    "slot {number}: {} is not a hexadecimal word",
                    text::clip(&word.to_string())
                ))
            })?;
        }
        Ok(values)
    };
    let slots = slots.iter().enumerate().map(slot).collect::<Result<Vec<_>, _>>()?;
    placed(&slots, first, start)
}

/// Microcode as raw words.
fn raw(name: &str, bytes: &[u8], how: Raw) -> Result<Microcode, Flaw> {
    let (slots, rest) = bytes.as_chunks::<16>();
    if !rest.is_empty() {
        let message = format!("slot {} has {} bytes, but a slot has 16", slots.len(), rest.len());
        return Err(Flaw::new(message).help("raw microcode has four words in each slot"));
    }
    if slots.is_empty() {
        return Err(Flaw::new("holds no program"));
    }
    if slots.len() > SLOTS {
        return Err(Flaw::new(format!("holds {} slots, which exceeds the limit of every chip", slots.len())));
    }
    let little: Vec<[u32; 4]> = slots
        .iter()
        .map(|slot| {
            std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|byte| slot[4 * i + byte])))
        })
        .collect();
    let (words, remark) = byte_order::choose(how.generation, little, how.order);
    if let Some(remark) = remark {
        let tell: fn(String) = if how.order.is_some() { |text| warning(text) } else { |text| note(text) };
        tell(format!("{name}: {remark}"));
    }
    Ok(Microcode { is_raw: true, ..Microcode::new(&words, 0, None) })
}

#[cfg(test)]
mod tests;
