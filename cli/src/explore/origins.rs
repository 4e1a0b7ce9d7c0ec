//! What instructions come from: slots with their fields, or parts of a configuration.

use super::stages::All;
use crate::registers;
use crate::subject::Subject;
use crate::table;
use serde::Serialize;
use xfjit::{Config, asm};
use xfjit_ir::ir::origin::Place as Origin;
use xfjit_isa::isa::{self, Generation, Program, fields, layout};
use xfjit_isa::timing::{Path, Pipeline, Report};

/// A field of a slot.
#[derive(Serialize)]
pub struct Field {
    name: &'static str,
    /// Its lowest bit, and one past its highest.
    lo: u32,
    hi: u32,
    meaning: String,
    /// It is a part of the field before.
    inner: bool,
    has_inner: bool,
}

/// A slot, or a part of a configuration.
#[derive(Serialize)]
pub struct Place {
    /// Short.
    name: String,
    /// In a sentence.
    label: String,
    /// The instruction, or what a part takes.
    text: String,
    words: Vec<u32>,
    /// By field.
    values: Vec<u32>,
    /// Sentences.
    facts: Vec<String>,
    /// The document that has the rules, and its section.
    rule: Option<String>,
}

/// The fields of a slot, from the highest bit down; behind a source its parts.
pub fn fields(generation: Generation) -> Vec<Field> {
    let layout = layout::layout(generation);
    let mut all = Vec::new();
    let field = |of: &fields::Field, at: u32, inner: bool, has_inner: bool| Field {
        name: of.name,
        lo: of.lo + at,
        hi: of.hi + at,
        meaning: of.meaning.replace(", see `SourceFields`", "").replace('`', ""),
        inner,
        has_inner,
    };
    for of in layout.slot.iter().rev() {
        let is_source = of.name.starts_with("src_");
        all.push(field(of, 0, false, is_source));
        if is_source {
            all.extend(layout.source.iter().rev().map(|part| field(part, of.lo, true, false)));
        }
    }
    all
}

/// The slots of a program.
pub fn slots(program: &Program, config: &Config) -> Vec<Place> {
    let generation = config.generation;
    let fields = fields(generation);
    let words = isa::encode_as(generation, config.reading(), program);
    let has_branches = program.insns.iter().any(|insn| insn.sca.is_branch());
    // Where vertices part it takes vertices to tell.
    let report = (!has_branches).then(|| {
        let path = Path::straight(generation, config.reading(), program);
        Report::new(&Pipeline::of(generation.family()), &[path])
    });
    let slot = |(at, (words, insn)): (usize, (&[u32], &isa::Insn))| {
        let number = program.first + at;
        let words: [u32; isa::WORDS_PER_SLOT] = std::array::from_fn(|word| words[word]);
        let all = layout::slot_bits(generation, words);
        let cost = report.as_ref().and_then(|report| report.slots.get(&number).map(|cost| (report, cost)));
        let facts = match cost {
            _ if has_branches => Vec::new(),
            None => vec!["It is not executed.".to_owned()],
            Some((report, cost)) => {
                let of_vertex = |clocks: u64| clocks as f64 / report.vertices.max(1.0);
                let (results, units) = (of_vertex(cost.waits.results), of_vertex(cost.waits.units));
                let busy = if units > 0.0 { format!(" and {units:.2} for a unit") } else { String::new() };
                vec![format!(
                    "On the chip: 1 clock, plus {results:.2} clocks of waiting for results{busy}, with three vertices at a time."
                )]
            }
        };
        Place {
            name: number.to_string(),
            label: format!("Slot {number}"),
            text: asm::print_insn(generation, insn) + if insn.end { " + END" } else { "" },
            words: words.to_vec(),
            values: fields
                .iter()
                .map(|field| (all >> field.lo) as u32 & (u32::MAX >> (32 - (field.hi - field.lo))))
                .collect(),
            facts,
            rule: Some(opcodes(generation)),
        }
    };
    words.chunks_exact(isa::WORDS_PER_SLOT).zip(&program.insns).enumerate().map(slot).collect()
}

/// A part of a configuration.
pub fn part(origin: Origin, operations: usize) -> Place {
    let name = origin.to_string();
    Place {
        label: capital(&name),
        name,
        text: format!("{} of the chip", table::count(operations, "operation")),
        words: Vec::new(),
        values: Vec::new(),
        facts: Vec::new(),
        rule: None,
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The rules of a generation's operations: a document of the project, and a section of it.
fn opcodes(generation: Generation) -> String {
    format!("docs/isa/{}.md, Opcodes", generation.name())
}

/// What the page says at its top.
pub fn facts(subject: &Subject, all: &All) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let list = |prefix: &str, registers: Vec<usize>| {
        let names: Vec<String> = registers.iter().map(|register| format!("{prefix}{register}")).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(" ") }
    };
    if let Some((program, config)) = &subject.program {
        facts.push(("chip", config.generation.name().to_owned()));
        facts.push(("slots", program.insns.len().to_string()));
        let read = registers::read(program);
        facts.push(("reads", list("v", (0..16).filter(|register| read >> register & 1 != 0).collect())));
        let masks = registers::written(program);
        let written = (0..config.generation.outputs()).filter(|&register| !masks[register].is_empty());
        let names: Vec<String> =
            written.map(|register| registers::output_name(config.generation, register)).collect();
        facts.push(("writes", if names.is_empty() { "nothing".to_owned() } else { names.join(" ") }));
    }
    facts.push(("model", all.model().name().to_owned()));
    let code: Vec<String> = all.bytes().map(|(name, bytes)| format!("{name} {bytes}")).collect();
    facts.push(("bytes of code", code.join(", ")));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_where_pages_say() {
        for &generation in Generation::ALL {
            let rule = opcodes(generation);
            let (file, section) = rule.split_once(", ").unwrap();
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
            let text = std::fs::read_to_string(path).unwrap();
            let mut headings = text.lines().filter_map(|line| line.strip_prefix("## "));
            assert!(headings.any(|heading| heading.starts_with(section)), "{rule}");
        }
    }

    #[test]
    fn fields_say_what_words_are() {
        for &generation in Generation::ALL {
            let program = asm::parse(generation, "MUL r1.xyz, v2, c[3]\nMOV o0, r1").unwrap();
            let all = fields(generation);
            let slots = slots(&program, &Config::new(generation));
            for slot in &slots {
                // Fields that are no parts of others make up the words again.
                let sum = all.iter().zip(&slot.values).filter(|(field, _)| !field.inner);
                let sum: u128 = sum.map(|(field, &value)| u128::from(value) << field.lo).sum();
                let words = slot.words.iter().fold(0, |bits: u128, &word| bits << 32 | u128::from(word));
                assert_eq!(sum, words, "{generation:?} {}", slot.text);
                // And so do parts, of what they are parts of.
                for (at, field) in all.iter().enumerate().filter(|(_, field)| field.has_inner) {
                    let parts =
                        all[at + 1..].iter().zip(&slot.values[at + 1..]).take_while(|(part, _)| part.inner);
                    let sum: u32 = parts.map(|(part, &value)| value << (part.lo - field.lo)).sum();
                    assert_eq!(sum, slot.values[at], "{generation:?} {}", field.name);
                }
            }
        }
    }
}
