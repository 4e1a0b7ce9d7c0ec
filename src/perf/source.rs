//! The text of a program with a line for each place that code comes from.

use std::collections::BTreeMap;
use xfjit_core::front::Microcode;
use xfjit_core::shader::Shader;
use xfjit_ir::ir::origin::{Origin, Place};
use xfjit_isa::asm;

/// The listing of a program.
#[derive(Debug)]
pub(super) struct Source {
    name: String,
    text: String,
    lines: BTreeMap<Place, u32>,
}

impl Source {
    /// Of a shader with the origins that its code has. The first line is for what belongs to no place; instructions follow, each behind
    /// the number of its slot, then parts of a configuration.
    pub(super) fn new(name: String, shader: &Shader, origins: impl IntoIterator<Item = Origin>) -> Source {
        let mut source = Source { text: String::new(), name, lines: BTreeMap::new() };
        let head = format!("; {}: the begin and end of vertex groups", source.name);
        let mut count = 0;
        source.push(&mut count, None, &head);
        if let Some(Microcode { program, config }) = shader.made_of::<Microcode>() {
            let listing = asm::listing_as(config.generation, config.reading(), program);
            for line in &listing.before {
                source.push(&mut count, None, line);
            }
            for (slot, text) in (program.first..).zip(&listing.slots) {
                if let Some(label) = &text.label {
                    source.push(&mut count, None, &format!("{label}:"));
                }
                let place = u16::try_from(slot).ok().map(Place::Slot);
                source.push(&mut count, place, &format!("{slot:3}: {}", text.text));
            }
        }
        let mut places: Vec<Place> = origins.into_iter().filter_map(Origin::place).collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            if !source.lines.contains_key(&place) {
                source.push(&mut count, Some(place), &place.to_string());
            }
        }
        source
    }

    fn push(&mut self, count: &mut u32, place: Option<Place>, line: &str) {
        *count += 1;
        self.text += line;
        self.text.push('\n');
        if let Some(place) = place {
            self.lines.insert(place, *count);
        }
    }

    /// The name of the program.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The listing.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The line of what comes from somewhere, counted from 1.
    pub(super) fn line(&self, origin: Origin) -> u32 {
        origin.place().and_then(|place| self.lines.get(&place)).copied().unwrap_or(1)
    }
}
