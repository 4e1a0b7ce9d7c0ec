//! Vertices as a table in text.

use super::layout::register;
use super::{Attribute, INPUTS, Vertices};
use crate::text::{self, Flaw, Word, clip};

const SEPARATORS: &[char] = &[',', ';'];
const COMMENTS: &[&str] = &["#", "//"];
const COLUMNS: &str = "the first line must name the columns, for example `v0 v2.xyz v9.x v9.y`";

/// The first line names the columns: `v3` (four numbers), `v3.xyz` (three) or `v3.x` (one). Each further line is a
/// vertex. Empty lines and comments (`#`, `//`) are passed over.
pub fn parse(bytes: &[u8]) -> Result<Vertices, Flaw> {
    let text = text::decode(bytes)?;
    let mut columns: Vec<(usize, usize)> = Vec::new();
    let mut vertices = Vertices::default();
    let mut row = Vec::new();
    for line in text::lines(&text) {
        row.clear();
        row.extend(text::words(line, SEPARATORS, COMMENTS));
        if row.is_empty() {
            continue;
        }
        if columns.is_empty() {
            (columns, vertices.attributes) = header(&row)?;
            continue;
        }
        if row.len() != columns.len() {
            let message = format!(
                "vertex {} has {} numbers, but the first line names {}",
                vertices.count,
                row.len(),
                columns.len()
            );
            return Err(Flaw::line(&line, message));
        }
        // Room for the whole vertex first: columns may come in any order.
        for attribute in vertices.attributes.iter_mut().flatten() {
            let length = attribute.words.len() + attribute.components;
            attribute.words.resize(length, 0);
        }
        for (word, &(register, component)) in row.iter().zip(&columns) {
            let bits = text::bits(word)?;
            if let Some(attribute) = &mut vertices.attributes[register] {
                let start = attribute.words.len() - attribute.components;
                attribute.words[start + component] = bits;
            }
        }
        vertices.count += 1;
    }
    if columns.is_empty() {
        return Err(Flaw::new("is empty").help(COLUMNS));
    }
    Ok(vertices)
}

type Header = (Vec<(usize, usize)>, [Option<Attribute>; INPUTS]);

fn header(words: &[Word<'_>]) -> Result<Header, Flaw> {
    let mut columns = Vec::new();
    for word in words {
        let (name, components) = word.text.split_once('.').unwrap_or((word.text, "xyzw"));
        let bad = || Flaw::word(word, format!("`{}` does not name columns", clip(word.text))).help(COLUMNS);
        let register = register(name).ok_or_else(bad)?;
        if components.is_empty() {
            return Err(bad());
        }
        for letter in components.chars() {
            let component = "xyzw".find(letter).ok_or_else(bad)?;
            if columns.contains(&(register, component)) {
                return Err(Flaw::word(word, format!("v{register}.{letter} is named twice")));
            }
            columns.push((register, component));
        }
    }
    let mut attributes: [Option<Attribute>; INPUTS] = Default::default();
    for (register, slot) in attributes.iter_mut().enumerate() {
        let has = |component| columns.contains(&(register, component));
        let components = (0..4).filter(|&component| has(component)).count();
        if let Some(missing) = (0..components).find(|&component| !has(component)) {
            let message =
                format!("v{register} has components after {0}, but no {0}", &"xyzw"[missing..=missing]);
            return Err(Flaw::line(&words[0].line, message));
        }
        if components > 0 {
            *slot = Some(Attribute { words: Vec::new(), components });
        }
    }
    Ok((columns, attributes))
}
