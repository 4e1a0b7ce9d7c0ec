//! What a shader was made of, as lines of text: words rather than instructions, so that it is what a guest uploads.
//!
//! ```text
//! gen kelvin
//! model hw
//! option write_order vector_dropped
//! live_outputs 00000201
//! start 0
//! 00000000 0020001b 0836106c 2070f801
//! ```
//!
//! The fixed function has the line `fixed` with a chip and the words of XFMODE in place of `gen`, and neither `start` nor
//! slots. Options are those of [test files](super). Attributes that are no rows have a line `inputs` with their layout, as in the
//! text of IR.

use super::read::mode;
use super::{options, upload};
use std::fmt::Write;
use std::sync::Arc;
use xfjit_core::front::Microcode;
use xfjit_core::front::fixed::Setup;
use xfjit_core::shader::Shader;
use xfjit_ir::ir::layout;
use xfjit_isa::config::Config;
use xfjit_isa::isa::{self, Generation};
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::num::Model;

/// The lines of a shader; `None` if there is no text for it, or none that gives the same one.
pub(crate) fn lines(shader: &Shader) -> Option<String> {
    let mut text = String::new();
    write(&mut text, shader)?;
    write_inputs(&mut text, shader)?;
    let read = self::shader(&text).ok()?;
    (read.canonical() == shader.canonical()).then_some(text)
}

fn write(text: &mut String, shader: &Shader) -> Option<()> {
    if let Some(Microcode { program, config }) = shader.made_of() {
        write!(text, "gen {}\nmodel {}\n", config.generation.name(), config.model.name()).ok()?;
        options::write(text, config).ok()?;
        let (words, start) = upload(config, program);
        write!(text, "live_outputs {:08x}\nstart {start}\n", config.live_outputs).ok()?;
        for slot in words.chunks(isa::WORDS_PER_SLOT) {
            writeln!(text, "{}", hex(slot)).ok()?;
        }
    } else {
        let setup = shader.made_of::<Setup>()?;
        let name = setup.mode.pipeline().name();
        write!(text, "fixed {name} {}\nmodel {}\n", hex(setup.mode.words()), setup.model.name()).ok()?;
        options::write_fixed(text, setup).ok()?;
        writeln!(text, "live_outputs {:08x}", setup.live_outputs).ok()?;
    }
    Some(())
}

/// A line of the layout of attributes, if they are no rows.
fn write_inputs(text: &mut String, shader: &Shader) -> Option<()> {
    if !shader.inputs().is_rows() {
        text.push_str("inputs");
        layout::write(text, &shader.inputs()).ok()?;
        text.push('\n');
    }
    Some(())
}

/// The words of a line; of one that has more than any line can mean, no more than tells that.
fn fields(line: &str) -> Vec<&str> {
    const MOST: usize = 1024;
    line.split_whitespace().take(MOST).collect()
}

fn hex(words: &[u32]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
    words.join(" ")
}

/// The shader of such lines.
///
/// # Errors
/// What is wrong with them.
pub(crate) fn shader(text: &str) -> Result<Shader, String> {
    let (mut lines, mut inputs) = (text.lines(), InputLayout::ROWS);
    let first = lines.next().unwrap_or_default();
    let flaw = |line: &str| format!("`{line}` is not understood");
    match first.split_once(' ') {
        Some(("gen", name)) => {
            let generation = Generation::ALL.iter().find(|generation| generation.name() == name);
            let mut config = Config::new(*generation.ok_or_else(|| flaw(first))?);
            let (mut start, mut slots) = (0, Vec::new());
            for line in lines {
                let fields = fields(line);
                let understood = match fields[..] {
                    ["model", name] => Model::from_name(name).map(|model| config.model = model),
                    ["option", ref words @ ..] => options::set(&mut config, words),
                    ["live_outputs", mask] => word(mask).map(|mask| config.live_outputs = mask),
                    ["inputs", ref words @ ..] => layout::read(words).map(|read| inputs = read),
                    ["start", slot] => slot.parse().ok().map(|slot| start = slot),
                    [a, b, c, d] if slots.len() < most_words(config.generation) => {
                        let words: Option<Vec<u32>> = [a, b, c, d].into_iter().map(word).collect();
                        words.map(|words| slots.extend(words))
                    }
                    _ => None,
                };
                understood.ok_or_else(|| flaw(line))?;
            }
            let program = isa::decode_as(config.generation, config.reading(), &slots, start);
            let program = program.map_err(|error| error.to_string())?;
            Ok(Microcode::shader(&Arc::new(program), &config).with_inputs(inputs))
        }
        Some(("fixed", words)) => {
            let mut setup = Setup::new(mode(words)?);
            for line in lines {
                let fields = fields(line);
                let understood = match fields[..] {
                    ["model", name] => Model::from_name(name).map(|model| setup.model = model),
                    ["option", ref words @ ..] => options::set_fixed(&mut setup, words),
                    ["inputs", ref words @ ..] => layout::read(words).map(|read| inputs = read),
                    ["live_outputs", mask] => word(mask).map(|mask| setup.live_outputs = mask),
                    _ => None,
                };
                understood.ok_or_else(|| flaw(line))?;
            }
            Ok(Shader::from(setup).with_inputs(inputs))
        }
        _ => Err(flaw(first)),
    }
}

fn word(text: &str) -> Option<u32> {
    (text.len() == 8).then(|| u32::from_str_radix(text, 16).ok())?
}

fn most_words(generation: Generation) -> usize {
    generation.slots() * isa::WORDS_PER_SLOT
}
