//! The text of an [`InputLayout`]: the attributes that are no rows of four words of the host, and what is found through index
//! lists. Rows alone are no text.
//!
//! ```text
//! v0[3] v3[s1:2] swapped index[16] v5.position v6.index[32]
//! ```

use std::fmt::{self, Write};
use xfjit_runtime::format::{ByteOrder, Format, InputLayout};
use xfjit_runtime::indices::{IndexLayout, IndexWidth, Indexing};
use xfjit_runtime::state::ATTRIBUTES;

/// Writes a layout, a space before each word.
pub fn write(f: &mut impl Write, layout: &InputLayout) -> fmt::Result {
    for register in 0..ATTRIBUTES {
        let format = layout.format(register);
        if format != Format::ROW {
            let order = if format.order == ByteOrder::Swapped { " swapped" } else { "" };
            write!(f, " v{register}[{format}]{order}")?;
        }
    }
    let indices = layout.indices();
    if let Some(width) = indices.width() {
        write!(f, " index[{}]", width.bits())?;
    }
    for register in 0..ATTRIBUTES {
        match indices.of(register) {
            Indexing::Position if indices.width().is_some() => write!(f, " v{register}.position")?,
            Indexing::Own(width) => write!(f, " v{register}.index[{}]", width.bits())?,
            Indexing::Position | Indexing::Shared(_) => {}
        }
    }
    Ok(())
}

/// The layout of these words; none if they are no such text.
pub fn read(words: &[&str]) -> Option<InputLayout> {
    let mut layout = InputLayout::ROWS;
    let width =
        |word: &str| IndexWidth::of_bits(word.strip_prefix("index[")?.strip_suffix(']')?.parse().ok()?);
    let shared = words.iter().find_map(|word| width(word));
    let mut indices = shared.map_or(IndexLayout::NONE, IndexLayout::shared);
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        if width(word).is_some() {
            continue;
        }
        if let Some((register, how)) = word.split_once('.') {
            let register =
                register.strip_prefix('v')?.parse().ok().filter(|register| *register < ATTRIBUTES)?;
            let own = if how == "position" { None } else { Some(width(how)?) };
            indices = indices.with(register, own);
            continue;
        }
        let (register, format) = word.strip_prefix('v')?.strip_suffix(']')?.split_once('[')?;
        let register = register.parse().ok().filter(|register| *register < ATTRIBUTES)?;
        let format = Format::from_text(format)?;
        let swapped = words.next_if(|word| **word == "swapped").is_some();
        let order = if swapped { ByteOrder::Swapped } else { ByteOrder::Host };
        layout = layout.with(register, Format { order, ..format });
    }
    Some(layout.indexed(indices))
}
