//! Microcode in files: hexadecimal text with one slot a line, and binary words of either byte order.
//!
//! Text: words of one to eight hexadecimal digits, with or without `0x`, separated by white space or commas; comments run
//! from `;`, `#` or `//` to the end of the line. A line that is not empty holds whole slots.

use std::fmt;

use super::lex::{Kind, Token, tokens};
use crate::isa::{Generation, WORDS_PER_SLOT};
use crate::text::{MAX_ERRORS, ParseErrors, Problem};

/// The words of a hexadecimal text. Reports up to [`MAX_ERRORS`] errors.
pub fn parse_hex(generation: Generation, text: &str) -> Result<Vec<u32>, ParseErrors> {
    let tokens = tokens(text);
    let mut words = Vec::new();
    let mut problems: Vec<Problem> = tokens
        .split(|token| token.kind == Kind::Newline)
        .filter_map(|line| hex_line(text, line, &mut words).err())
        .take(MAX_ERRORS)
        .collect();
    let (slots, limit) = (words.len() / WORDS_PER_SLOT, generation.slots());
    let whole = if words.is_empty() {
        Err("the text holds no words".to_owned())
    } else if slots > limit {
        Err(format!("{slots} slots exceed the {limit} of XFPR"))
    } else {
        Ok(())
    };
    if let Err(message) = whole
        && problems.is_empty()
    {
        problems.push(Problem::new(text.len()..text.len(), message));
    }
    if problems.is_empty() {
        return Ok(words);
    }
    Err(problems.into_iter().map(|problem| problem.locate(text)).collect())
}

/// Adds the words of a line.
fn hex_line(text: &str, line: &[Token], words: &mut Vec<u32>) -> Result<(), Problem> {
    let mut count = 0;
    let mut last = 0..0;
    for Token { kind, span } in line {
        match kind {
            Kind::Word | Kind::Number | Kind::Mark(_) if *kind != Kind::Mark(',') => {
                let word = hex_word(&text[span.clone()]);
                words.push(word.map_err(|message| Problem::new(span.clone(), message))?);
                count += 1;
                last = span.clone();
            }
            _ => {}
        }
    }
    let per_slot = WORDS_PER_SLOT;
    if count % per_slot == 0 {
        return Ok(());
    }
    let plural = if count == 1 { "" } else { "s" };
    let message = format!("the line ends after {count} word{plural}; a slot has {per_slot}");
    let problem = Problem::new(last, message);
    Err(if count + 1 == per_slot {
        problem.help("where the first word was left out because it is never used, write 00000000 for it")
    } else {
        problem
    })
}

fn hex_word(piece: &str) -> Result<u32, String> {
    let digits = piece.strip_prefix("0x").or_else(|| piece.strip_prefix("0X")).unwrap_or(piece);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(format!("`{piece}` is not a hexadecimal word"));
    }
    if digits.len() > 8 {
        return Err(format!("`{piece}` has more than 8 digits"));
    }
    u32::from_str_radix(digits, 16).map_err(|_| format!("`{piece}` is not a hexadecimal word"))
}

/// Hexadecimal text of `words`, one slot a line.
pub fn print_hex(words: &[u32]) -> String {
    let mut out = String::new();
    for slot in words.chunks(WORDS_PER_SLOT) {
        let slot: Vec<String> = slot.iter().map(|word| format!("{word:08x}")).collect();
        out += &slot.join(" ");
        out.push('\n');
    }
    out
}

/// Byte order of a binary file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Endian {
    /// Least significant byte first, as PCs and the Xbox store words.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
}

/// Why bytes are not microcode. The file is wrong, or it is not the file that was meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BytesError {
    /// There are no bytes: an empty file.
    Empty,
    /// The last slot is cut short: a truncated file, or one of another kind.
    Truncated {
        /// Bytes given.
        bytes: usize,
        /// Bytes of a slot.
        slot: usize,
    },
    /// More slots than XFPR has: most likely a file of another kind.
    TooManySlots {
        /// Slots given.
        slots: usize,
        /// Slots of XFPR.
        limit: usize,
    },
}

impl fmt::Display for BytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BytesError::Empty => write!(f, "the file is empty"),
            BytesError::Truncated { bytes, slot } => {
                let rest = bytes % slot;
                write!(f, "the last slot, at byte {}, has {rest} of its {slot} bytes", bytes - rest)
            }
            BytesError::TooManySlots { slots, limit } => {
                write!(f, "{slots} slots exceed the {limit} of XFPR")
            }
        }
    }
}

impl std::error::Error for BytesError {}

/// The words of a binary file.
pub fn from_bytes(generation: Generation, endian: Endian, bytes: &[u8]) -> Result<Vec<u32>, BytesError> {
    let slot = 4 * WORDS_PER_SLOT;
    let (slots, limit) = (bytes.len() / slot, generation.slots());
    if bytes.is_empty() {
        return Err(BytesError::Empty);
    }
    if !bytes.len().is_multiple_of(slot) {
        return Err(BytesError::Truncated { bytes: bytes.len(), slot });
    }
    if slots > limit {
        return Err(BytesError::TooManySlots { slots, limit });
    }
    let (words, _) = bytes.as_chunks::<4>();
    Ok(words
        .iter()
        .map(|&word| match endian {
            Endian::Little => u32::from_le_bytes(word),
            Endian::Big => u32::from_be_bytes(word),
        })
        .collect())
}

/// The bytes of a binary file.
pub fn to_bytes(endian: Endian, words: &[u32]) -> Vec<u8> {
    words
        .iter()
        .flat_map(|word| match endian {
            Endian::Little => word.to_le_bytes(),
            Endian::Big => word.to_be_bytes(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::ParseError;

    const GEN: Generation = Generation::Kelvin;

    fn errors(text: &str) -> Vec<String> {
        parse_hex(GEN, text).unwrap_err().iter().map(ParseError::to_string).collect()
    }

    #[test]
    fn words_are_separated_by_space_or_commas() {
        let text = "\u{feff}; a program\n00000000 0x1,0XFFFFFFFF,\tdeadBEEF # one\r\n\n// two\n0,0,0,0,";
        assert_eq!(parse_hex(GEN, text).unwrap(), [0, 1, u32::MAX, 0xdeadbeef, 0, 0, 0, 0]);
    }

    #[test]
    fn text_that_is_no_microcode_is_an_error() {
        assert_eq!(errors("; nothing\n"), ["2:1: the text holds no words"]);
        assert_eq!(errors("0 0 0 0\n0 0 MOV 0"), ["2:5: `MOV` is not a hexadecimal word"]);
        assert_eq!(
            errors("0 0 0 0x\n0 0 0 123456789"),
            ["1:7: `0x` is not a hexadecimal word", "2:7: `123456789` has more than 8 digits"]
        );
        assert_eq!(errors("0 0 +1 0"), ["1:5: `+` is not a hexadecimal word"]);
        assert_eq!(errors(&"0 0 0 0\n".repeat(137)), ["138:1: 137 slots exceed the 136 of XFPR"]);
        assert_eq!(errors(&"x\n".repeat(100)).len(), MAX_ERRORS);
    }

    #[test]
    fn a_line_holds_whole_slots() {
        let error = &parse_hex(GEN, "0 0 0 0\n0020061B 0836106C 2070F818").unwrap_err()[0];
        assert_eq!(error.to_string(), "2:19: the line ends after 3 words; a slot has 4");
        assert!(error.help.is_some());
        assert_eq!(errors("0"), ["1:1: the line ends after 1 word; a slot has 4"]);
    }

    #[test]
    fn bytes_that_are_no_microcode_are_errors() {
        let message =
            |bytes: usize| from_bytes(GEN, Endian::Little, &vec![0; bytes]).unwrap_err().to_string();
        assert_eq!(message(0), "the file is empty");
        assert_eq!(message(37), "the last slot, at byte 32, has 5 of its 16 bytes");
        assert_eq!(message(16 * 137), "137 slots exceed the 136 of XFPR");
    }

    #[test]
    fn bytes_have_the_order_asked_for() {
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(from_bytes(GEN, Endian::Little, &bytes).unwrap()[0], 0x03020100);
        assert_eq!(from_bytes(GEN, Endian::Big, &bytes).unwrap()[0], 0x00010203);
    }

    proptest! {
        #[test]
        fn both_formats_give_the_words_back(slots in prop::collection::vec(any::<[u32; 4]>(), 1..136)) {
            let words = slots.concat();
            prop_assert_eq!(&parse_hex(GEN, &print_hex(&words)).unwrap(), &words);
            for endian in [Endian::Little, Endian::Big] {
                prop_assert_eq!(&from_bytes(GEN, endian, &to_bytes(endian, &words)).unwrap(), &words);
            }
        }

        #[test]
        fn any_text_is_words_or_errors(text: String) {
            if let Err(errors) = parse_hex(GEN, &text) {
                for error in errors {
                    error.render(&text);
                }
            }
        }
    }
}
