//! A text in one of three notations, and the program that it is.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use xfjit::asm::gl::{self, Row};
use xfjit::asm::{self, Passes, words};
use xfjit::config::Arithmetic;
use xfjit::isa::{self, Program};
use xfjit::text::ParseErrors;
use xfjit::{Config, Generation, Model};

/// Bytes of a program's text at most.
const MOST_TEXT: usize = 1 << 16;

/// A program, as the page asks about it.
#[derive(Deserialize, Clone)]
pub struct Asked {
    /// In any notation.
    pub text: String,
    /// Whose words: the name of a generation.
    pub generation: String,
    /// Whether it is made shorter.
    #[serde(default)]
    pub pair: bool,
    /// Rankine and Curie: legacy rules instead of modern ones.
    #[serde(default)]
    pub legacy: bool,
}

/// In which form a text is.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    /// The project's own assembly language.
    Native,
    /// A language of OpenGL.
    OpenGl,
    /// Hexadecimal words.
    Words,
}

impl Notation {
    /// Of a text, whatever it is.
    pub fn of(text: &str) -> Notation {
        if gl::is_opengl(text) {
            return Notation::OpenGl;
        }
        let line =
            |line: &str| line.find([';', '#']).into_iter().chain(line.find("//")).min().unwrap_or(line.len());
        let mut any = false;
        let is_word = |word: &str| {
            let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
            let is_hex =
                |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            digits.map_or(word.len() == 8 && is_hex(word), is_hex)
        };
        let all = text.lines().map(|text| &text[..line(text)]).all(|text| {
            let mut words =
                text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
            words.all(|word| {
                any = true;
                is_word(word)
            })
        });
        if any && all { Notation::Words } else { Notation::Native }
    }
}

/// A program, and what its text says of it.
pub struct Read {
    /// The instructions.
    pub program: Arc<Program>,
    /// The chip as it is set up for the program, with the outputs that it writes.
    pub config: Config,
    /// The form of the text.
    pub notation: Notation,
    /// What rows of constants hold, of a program of OpenGL.
    pub rows: Vec<Row>,
}

/// What is wrong with a text, as the page has it.
pub fn errors(text: &str, errors: &ParseErrors) -> Value {
    let all = errors.iter().map(|error| {
        let marked =
            text.get(error.span.clone()).map_or(0, |span| span.chars().take_while(|&c| c != '\n').count());
        json!({
            "line": error.line, "column": error.column, "length": marked.max(1), "message": error.message,
            "help": error.help,
            // As editors count: units of UTF-16 before it, and in it.
            "from": text.get(..error.span.start).unwrap_or(text).encode_utf16().count(),
            "units": text.get(error.span.clone()).unwrap_or("").encode_utf16().count(),
        })
    });
    let count = errors.len();
    json!({ "error": format!("the text has {count} error{}", if count == 1 { "" } else { "s" }), "errors": all.collect::<Vec<_>>() })
}

/// An error without a place.
pub fn error(message: impl Into<String>) -> Value {
    json!({ "error": message.into() })
}

impl Asked {
    /// Reads the program.
    ///
    /// # Errors
    /// What is wrong with it, as an answer.
    pub fn read(&self) -> Result<Read, Value> {
        if self.text.len() > MOST_TEXT {
            return Err(error(format!("the program is longer than {MOST_TEXT} bytes")));
        }
        let name = &self.generation;
        let generation =
            Generation::from_name(name).ok_or_else(|| error(format!("there is no generation {name:?}")))?;
        let wrong = |flaws: ParseErrors| errors(&self.text, &flaws);
        let notation = Notation::of(&self.text);
        let passes = if self.pair { Passes::ALL } else { Passes::NONE };
        let mut config = Config::new(generation);
        let mut rows = Vec::new();
        let program = match notation {
            Notation::OpenGl => {
                let assembled = gl::assemble(Some(generation), &self.text, passes).map_err(wrong)?;
                config.constant_writes = assembled.language == gl::Language::Vsp10;
                rows = assembled.rows;
                assembled.program
            }
            Notation::Native => {
                let (program, reading) =
                    asm::parse_with_passes(generation, config.reading(), &self.text, passes)
                        .map_err(wrong)?;
                config = config.read_as(reading);
                program
            }
            Notation::Words => {
                let words = words::parse_hex(generation, &self.text).map_err(wrong)?;
                let program = isa::decode_as(generation, config.reading(), &words, 0)
                    .map_err(|flaw| error(flaw.to_string()))?;
                asm::pair(generation, config.reading(), &program, passes).program
            }
        };
        if program.insns.is_empty() {
            return Err(error("the program has no instruction"));
        }
        if self.legacy {
            config.arithmetic = Arithmetic::Legacy;
        }
        let live = config.written_outputs(&program) & ((1 << generation.outputs()) - 1);
        Ok(Read { program: Arc::new(program), config: config.live_outputs(live), notation, rows })
    }
}

impl Read {
    /// Whose instructions.
    pub fn generation(&self) -> Generation {
        self.config.generation
    }

    /// The configuration under another model.
    pub fn under(&self, model: Model) -> Config {
        self.config.clone().model(model)
    }

    /// Whether vertices may part.
    pub fn has_branches(&self) -> bool {
        self.program.insns.iter().any(|insn| insn.sca.is_branch())
    }
}

/// The generations, with the chips that people know them by.
pub fn generations() -> Value {
    Generation::ALL
        .iter()
        .map(|&generation| {
            let known = match generation {
                Generation::Kelvin => "GeForce 3 and 4, Xbox",
                Generation::Rankine => "GeForce 5",
                Generation::Curie => "GeForce 6 and 7, PlayStation 3",
            };
            json!({ "name": generation.name(), "known": known, "slots": generation.slots(), "rows": generation.constants() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart() {
        let words = "0x401f9c6c, 0x0040000d ; c\n8106c083 60403f80";
        assert_eq!(Notation::of(words), Notation::Words);
        assert_eq!(Notation::of("MOV oPos, v0"), Notation::Native);
        assert_eq!(Notation::of(" !!VP1.1\nEND"), Notation::OpenGl);
        assert_eq!(Notation::of("; nothing\n"), Notation::Native);
        assert_eq!(Notation::of("deadbee"), Notation::Native);
    }
}
