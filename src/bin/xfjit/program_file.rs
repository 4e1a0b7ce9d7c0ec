//! Program files: assembler text, microcode as hexadecimal text, or raw microcode.

use crate::args::Format;
use crate::fail::Failure;
use crate::files;
use crate::text::{self, Flaw, Word};
use std::path::Path;

const SEPARATORS: &[char] = &[','];
const COMMENTS: &[&str] = &["#", ";", "//"];

/// Slots of the largest program memory, Curie's. A file that holds more is no program.
const SLOTS: usize = 544;

/// What a program file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramFile {
    /// Assembler text.
    Assembler(String),
    /// Microcode: four words a slot as uploaded.
    Words(Vec<[u32; 4]>),
}

/// Reads a program file; its content tells what it is.
pub fn read(path: &Path) -> Result<ProgramFile, Failure> {
    let bytes = files::read(path)?;
    recognise(bytes).map_err(|flaw| Failure::input(files::name(path), flaw))
}

/// Reads a file that must hold microcode.
pub fn read_words(path: &Path) -> Result<Vec<[u32; 4]>, Failure> {
    let fail = |flaw| Failure::input(files::name(path), flaw);
    let bytes = files::read(path)?;
    match String::from_utf8(bytes) {
        Ok(text) if text.trim_start().starts_with('{') => json(&text).map_err(fail),
        Ok(text) if !text.contains('\0') => hex(&text).map_err(fail),
        Ok(text) => raw(text.as_bytes()).map_err(fail),
        Err(error) => raw(error.as_bytes()).map_err(fail),
    }
}

/// Microcode in one of the output formats; as text it is what [`read`] takes.
pub fn write(words: &[[u32; 4]], format: Format) -> String {
    let slots = words.iter().map(|slot| slot.map(|word| format!("{word:08x}")));
    match format {
        Format::Text => slots.map(|slot| slot.join(" ") + "\n").collect(),
        Format::Csv => std::iter::once("d0,d1,d2,d3\n".to_string())
            .chain(slots.map(|slot| slot.join(",") + "\n"))
            .collect(),
        Format::Json => {
            let slots: Vec<[String; 4]> = slots.collect();
            format!("{}\n", serde_json::json!({ "schema": "xfjit.microcode.1", "slots": slots }))
        }
    }
}

/// Text whose first word is hexadecimal is microcode, other text is assembler, and what is no text is raw microcode.
pub fn recognise(bytes: Vec<u8>) -> Result<ProgramFile, Flaw> {
    let text = match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => text,
        Ok(text) => return raw(text.as_bytes()).map(ProgramFile::Words),
        Err(error) => return raw(error.as_bytes()).map(ProgramFile::Words),
    };
    if text.trim_start().starts_with('{') {
        return json(&text).map(ProgramFile::Words);
    }
    let first = text::lines(&text).flat_map(|line| text::words(line, SEPARATORS, COMMENTS)).next();
    match first {
        None => Err(Flaw::new("holds no program")),
        Some(word) if text::pattern(word.text).is_some() => hex(&text).map(ProgramFile::Words),
        Some(_) => Ok(ProgramFile::Assembler(text)),
    }
}

/// Microcode as text: words of eight hexadecimal digits (`0x` before them is fine), four a slot.
fn hex(text: &str) -> Result<Vec<[u32; 4]>, Flaw> {
    let mut slots = Vec::new();
    let mut slot = [0; 4];
    let mut filled = 0;
    let mut last: Option<Word<'_>> = None;
    for word in text::lines(text).flat_map(|line| text::words(line, SEPARATORS, COMMENTS)) {
        let Some(value) = text::pattern(word.text) else {
            let message =
                format!("slot {}: `{}` is not a hexadecimal word", slots.len(), text::clip(word.text));
            return Err(Flaw::word(&word, message).help("a slot is four words of eight hexadecimal digits"));
        };
        slot[filled] = value;
        filled += 1;
        last = Some(word);
        if filled == 4 {
            slots.push(slot);
            filled = 0;
            if slots.len() > SLOTS {
                return Err(Flaw::word(&word, format!("slot {SLOTS} is more than any chip has")));
            }
        }
    }
    match last {
        Some(word) if filled > 0 => {
            Err(Flaw::word(&word, format!("slot {} has {filled} words, a slot has 4", slots.len())))
        }
        Some(_) => Ok(slots),
        None => Err(Flaw::new("holds no program")),
    }
}

/// What [`write`] makes as JSON; a slot may also be an object with `words`, as disassemblies have it.
fn json(text: &str) -> Result<Vec<[u32; 4]>, Flaw> {
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
        return Err(Flaw::new(format!("holds {} slots, more than any chip has", slots.len())));
    }
    let slot = |(number, slot): (usize, &serde_json::Value)| {
        let words = slot.as_array().or_else(|| slot["words"].as_array());
        let words = words.filter(|words| words.len() == 4);
        let words = words.ok_or_else(|| Flaw::new(format!("slot {number} has no four words")))?;
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
    slots.iter().enumerate().map(slot).collect()
}

/// Microcode as little-endian words.
fn raw(bytes: &[u8]) -> Result<Vec<[u32; 4]>, Flaw> {
    let (slots, rest) = bytes.as_chunks::<16>();
    if !rest.is_empty() {
        let message = format!("slot {} has {} bytes, a slot has 16", slots.len(), rest.len());
        return Err(Flaw::new(message).help("raw microcode is four little-endian words a slot"));
    }
    if slots.is_empty() {
        return Err(Flaw::new("holds no program"));
    }
    if slots.len() > SLOTS {
        return Err(Flaw::new(format!("holds {} slots, more than any chip has", slots.len())));
    }
    let word =
        |slot: &[u8; 16], i: usize| u32::from_le_bytes([slot[i], slot[i + 1], slot[i + 2], slot[i + 3]]);
    Ok(slots.iter().map(|slot| [word(slot, 0), word(slot, 4), word(slot, 8), word(slot, 12)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<ProgramFile, Flaw> {
        recognise(text.as_bytes().to_vec())
    }

    #[test]
    fn the_content_tells_what_a_file_is() {
        let slot = [0, 0x00ec_001b, 0x0836_186c, 0x2070_0801];
        let words = ProgramFile::Words(vec![slot]);
        assert_eq!(read("# one\n00000000 0x00ec001b, 0836186c\n20700801 ; end\n"), Ok(words.clone()));
        assert_eq!(recognise(slot.iter().flat_map(|word| word.to_le_bytes()).collect()), Ok(words));
        let text = "; comment\nMOV oPos, v0\n";
        assert_eq!(read(text), Ok(ProgramFile::Assembler(text.to_string())));
    }

    #[test]
    fn errors_name_the_slot() {
        for (text, expected) in [
            ("", "holds no program"),
            ("; nothing\n", "holds no program"),
            (
                "00000000 00000000 00000000 00000000\n00000000 zebra\n",
                "line 2, column 10: slot 1: `zebra` is not a hexadecimal word",
            ),
            ("00000000 00000000 00000000\n", "line 1, column 19: slot 0 has 3 words, a slot has 4"),
            ("00000000 123456789\n", "line 1, column 10: slot 0: `123456789` is not a hexadecimal word"),
            (&"00000000 ".repeat(4 * 545), "line 1, column 19612: slot 544 is more than any chip has"),
            (&"\0".repeat(16 * 545), "holds 545 slots, more than any chip has"),
            ("\0\0\0", "slot 0 has 3 bytes, a slot has 16"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), expected);
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = recognise(bytes);
        }

        #[test]
        fn arbitrary_words_never_panic(text in "([0-9a-f]{7,9}[ ,\n;]){0,20}") {
            let _ = read(&text);
        }
    }
}
