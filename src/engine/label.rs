//! Labels of programs: what a host calls them.

use std::error::Error;
use std::fmt;

/// The most bytes of a program's label.
pub const MOST_LABEL: usize = 255;

/// Why a text cannot be a program's label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LabelError {
    /// It has this many bytes, more than [`MOST_LABEL`].
    Long(usize),
    /// It contains this character, which would not stay within a line of text.
    Character(char),
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LabelError::Long(bytes) => write!(f, "a label of {bytes} bytes, more than {MOST_LABEL}"),
            LabelError::Character(character) => {
                write!(
                    f,
                    "a label contains U+{:04X}, which no line of text may contain",
                    u32::from(character)
                )
            }
        }
    }
}

impl Error for LabelError {}

/// Whether a label can show something that it is not: it ends a line, controls a terminal, or turns the direction of what follows.
pub(crate) fn misleads(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a text may be a label of a program ([`Program::set_label`](super::Program::set_label)).
///
/// # Errors
/// What is wrong with it.
pub fn check_label(label: &str) -> Result<(), LabelError> {
    match label.chars().find(|&character| misleads(character)) {
        _ if label.len() > MOST_LABEL => Err(LabelError::Long(label.len())),
        Some(character) => Err(LabelError::Character(character)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_lines() {
        for label in ["", "skinning", "Licht #2; Größe", "\u{5149}", &"x".repeat(MOST_LABEL)] {
            assert_eq!(check_label(label), Ok(()), "{label}");
        }
        assert_eq!(check_label(&"ö".repeat(128)), Err(LabelError::Long(256)));
        for character in ['\0', '\n', '\t', '\u{1b}', '\u{7f}', '\u{9b}', '\u{2028}', '\u{202e}', '\u{2066}']
        {
            assert_eq!(check_label(&format!("a{character}b")), Err(LabelError::Character(character)));
        }
        assert_eq!(
            LabelError::Character('\n').to_string(),
            "a label contains U+000A, which no line of text may contain"
        );
    }
}
