//! The commands of a unit of NVIDIA's. A draw is a row of vertices between which nothing is written but attributes; what they make, and
//! where they come from, the unit is not told.

use super::lines::Lines;
use super::write::{Draw, Place, Writer, ranges};
use crate::capture::UnitItems;
use crate::fail::Failure;
use std::collections::{BTreeMap, BTreeSet};
use xfjit::chip::mode::{Mode, Name};
use xfjit::runtime::state::Row;
use xfjit::xf::trace::Item;
use xfjit::xf::{Chip, Command, Payload, Register, Type};

/// What is kept from item to item.
struct State {
    chip: Chip,
    mode: [Row; 2],
    /// Curie's, which has no mode.
    start: u32,
    execution: u32,
    /// Rows of constants that have been written since the last draw.
    constants: BTreeSet<u16>,
    /// Of each attribute the components that have been written since then, x lowest.
    written: BTreeMap<u16, u8>,
    /// Where a draw began, and how many vertices it has.
    open: Option<(Place, u64)>,
}

/// The components that a command writes.
fn components(command: &Command) -> u8 {
    match command.payload {
        Payload::Word(_) => 1 << (command.word & 3),
        Payload::Pair(_) => 3 << (command.word & 2),
    }
}

impl State {
    /// What transforms the vertices.
    fn by(&self) -> String {
        let Some(pipeline) = self.chip.xfmode() else {
            return match self.execution & 3 == 0 && self.chip.pipeline().is_some() {
                true => "the fixed function".to_owned(),
                false => format!("a program from slot {}", self.start),
            };
        };
        let mode = Mode::from_vectors(pipeline, &self.mode);
        match mode.runs_programs() {
            true => format!("a program from slot {}", mode.get(Name::ProgramStart) | self.start & !0xff),
            false => "the fixed function".to_owned(),
        }
    }

    /// Ends a draw, if one has begun.
    fn end(&mut self, writer: &mut Writer<'_>) -> Result<(), Failure> {
        let Some((place, vertices)) = self.open.take() else { return Ok(()) };
        let letters = |mask: u8| -> String {
            "xyzw"
                .chars()
                .enumerate()
                .filter(|(at, _)| mask >> at & 1 != 0)
                .map(|(_, letter)| letter)
                .collect()
        };
        let written = std::mem::take(&mut self.written);
        let constants = ranges(std::mem::take(&mut self.constants));
        let draw = Draw {
            vertices,
            format: written.iter().map(|(slot, &mask)| format!("v{slot}.{}", letters(mask))).collect(),
            by: Some(self.by()),
            constants: (!constants.is_empty()).then_some(constants),
            ..Draw::default()
        };
        writer.draw(place, "", draw)
    }

    fn take(&mut self, item: &Item) {
        match item {
            Item::Command(command) => self.command(command),
            Item::Set(Register::Start, value) => self.start = *value,
            Item::Set(Register::Execution, value) => self.execution = *value,
            _ => {}
        }
    }

    fn command(&mut self, command: &Command) {
        match command.kind {
            Type::Vab => *self.written.entry(command.slot).or_default() |= components(command),
            Type::Xfctx => _ = self.constants.insert(command.slot),
            Type::Mode => {
                let Some(row) = self.mode.get_mut(usize::from(command.slot)) else { return };
                match command.payload {
                    Payload::Word(word) => row[usize::from(command.word & 3)] = word,
                    Payload::Pair(words) => {
                        let first = usize::from(command.word & 2);
                        row[first..first + 2].copy_from_slice(&words);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Lists the items of a unit.
pub(super) fn list(items: &UnitItems<'_>, mut lines: Lines, writer: &mut Writer<'_>) -> Result<(), Failure> {
    let mut state = State {
        chip: items.chip(),
        mode: [[0; 4]; 2],
        start: 0,
        execution: Register::Execution.reset(),
        constants: BTreeSet::new(),
        written: BTreeMap::new(),
        open: None,
    };
    items.each(|item| {
        let place = lines.next();
        let is_attribute = matches!(item, Item::Command(Command { kind: Type::Vab, .. }));
        match item {
            Item::Vertex => state.open.get_or_insert((place, 0)).1 += 1,
            _ if is_attribute => {}
            _ => state.end(writer)?,
        }
        state.take(item);
        let text = item.to_string();
        let (name, arguments) = text.split_once(' ').unwrap_or((&text, ""));
        writer.command(place, name, arguments)
    })?;
    state.end(writer)
}
