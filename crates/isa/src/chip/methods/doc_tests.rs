//! Method numbers are those of docs/XF.md, line by line.

use super::{Bits, METHODS, Method, What};
use crate::chip::Family;
use std::collections::BTreeSet;

const DOCUMENT: &str = include_str!("../../../../../docs/XF.md");
const CELSIUS: &str = include_str!("../../../../../docs/spec/fixed_function.md");
const LATER: [&str; 2] = [
    include_str!("../../../../../docs/spec/kelvin.md"),
    include_str!("../../../../../docs/spec/rankine_curie.md"),
];

/// Fields that objects of a family have, and where their bits are in the value.
fn fields(fields: &[Bits], class: Family) -> String {
    let text = |bits: &Bits| match bits.width {
        1 => format!("{} {}", bits.low, bits.name),
        width => format!("{}-{} {}", bits.low, bits.low + width - 1, bits.name),
    };
    let has = |bits: &&Bits| class.pipeline().is_none_or(|pipeline| pipeline.place(bits.name).is_some());
    fields.iter().filter(has).map(text).collect::<Vec<_>>().join(", ")
}

/// A method as the document has it: number, dwords, what they do.
fn line(method: &Method, class: Family) -> String {
    let what = match method.what {
        What::Program => "program".to_owned(),
        What::Constant => "constants".to_owned(),
        What::ProgramPointer => "load slot of programs".to_owned(),
        What::ConstantPointer => "load row of constants".to_owned(),
        What::Start => "start slot".to_owned(),
        What::Parameter => "attribute 0 of state programs".to_owned(),
        What::Launch => "run a state program from a slot".to_owned(),
        What::Execution => fields(super::EXECUTION, class),
        What::Fields(bits) => fields(bits, class),
        What::Xtra(vector) => format!("XTRA {vector}"),
        What::Timeout => "timeout".to_owned(),
        What::BranchBits => "branch bits".to_owned(),
        What::OutputMap(word) => format!("output map {word}"),
        What::OutputMask => "output mask".to_owned(),
        What::InputMask => "input mask".to_owned(),
        What::Memory(ram, slot) => format!("{} {slot:#x}", ram.name()),
    };
    format!("{:#x} {} {what}", method.first, method.words)
}

/// Lines of a family in the document; those that do not begin with a number belong to the one before.
fn documented(class: Family) -> BTreeSet<String> {
    let section = DOCUMENT.split("## Methods\n").nth(1).expect("there is one");
    let section = section.split("\n## ").next().unwrap_or(section);
    let start = format!("```text\n{}\n", class.name());
    let block = section.split(&start).nth(1).expect("the family has a table");
    let block = block.split("```").next().unwrap_or(block);
    let mut lines: Vec<String> = Vec::new();
    for text in block.lines() {
        match lines.last_mut() {
            Some(last) if text.starts_with(' ') => *last = format!("{last} {}", text.trim()),
            _ => lines.push(text.to_owned()),
        }
    }
    let count = lines.len();
    let lines: BTreeSet<String> = lines.into_iter().collect();
    assert_eq!(lines.len(), count, "a line stands there twice");
    lines
}

#[test]
fn the_document_lists_the_methods_of_every_object() {
    for &class in Family::ALL {
        let of_class = METHODS.iter().filter(|method| method.classes.contains(&class));
        let known: BTreeSet<String> = of_class.map(|method| line(method, class)).collect();
        let documented = documented(class);
        let lines = |of: &BTreeSet<String>, without: &BTreeSet<String>| {
            of.difference(without).map(|line| format!("\n{line}")).collect::<String>()
        };
        let (missing, wrong) = (lines(&known, &documented), lines(&documented, &known));
        assert!(missing.is_empty() && wrong.is_empty(), "{class:?}: missing:{missing}\nnot known:{wrong}");
    }
}

/// Words of a text that are hexadecimal numbers, with or without 0x.
fn numbers(text: &str) -> BTreeSet<u32> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter_map(|word| u32::from_str_radix(word.strip_prefix("0x").unwrap_or(word), 16).ok()).collect()
}

#[test]
fn the_evidence_names_every_number() {
    let (celsius, later) = (numbers(CELSIUS), numbers(&LATER.concat()));
    for method in METHODS {
        let known = if method.classes == [Family::Celsius] { &celsius } else { &later };
        assert!(known.contains(&method.first), "{:#x}", method.first);
    }
}
