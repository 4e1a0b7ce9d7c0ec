//! The XF unit as a device: one test per rule of the documents (fixed_function.md 7, the IDX2XF, VAB, passthrough slot
//! and RDI sections of the XF overview), named after it; and random command streams.

mod addresses;
mod attributes;
mod behind;
mod curie;
mod document;
mod execution;
mod fixed;
mod memories;
mod methods;
mod nv40;
mod passthrough;
mod rdi;
mod readback;
mod states;
mod streams;
mod traces;

use std::sync::{Arc, OnceLock};
pub(crate) use xfjit::runtime::num::bits::{ONE, TWO};
use xfjit::runtime::state::Row;
use xfjit::xf::{Chip, Command, Output, Type, XfUnit};
use xfjit::{Engine, Generation, Options, asm, isa};

pub(crate) const THREE: u32 = 0x4040_0000;

/// Chips with programs, one of each family.
pub(crate) const PROGRAMMABLE: [Chip; 3] = [Chip::Nv2a, Chip::Nv30, Chip::Nv40];

/// Chips whose programs can write constants.
pub(crate) const WRITING: [Chip; 2] = [Chip::Nv2a, Chip::Nv30];

pub(crate) fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    Arc::clone(ENGINE.get_or_init(|| Arc::new(Engine::new(Options::default()))))
}

pub(crate) fn unit(chip: Chip) -> XfUnit {
    XfUnit::new(engine(), chip)
}

/// Writes a whole vector.
pub(crate) fn vector(unit: &mut XfUnit, kind: Type, slot: u16, [x, y, z, w]: Row) {
    unit.command(Command::pair(kind, slot, 0, [x, y]));
    unit.command(Command::pair(kind, slot, 2, [z, w]));
}

pub(crate) fn word(unit: &mut XfUnit, kind: Type, slot: u16, word: u8, value: u32) {
    unit.command(Command::word(kind, slot, word, value));
}

pub(crate) fn generation(chip: Chip) -> Generation {
    chip.family().microcode().expect("a chip with programs")
}

/// Assembles a program into XFPR, from a slot on.
pub(crate) fn load(unit: &mut XfUnit, slot: u16, text: &str) {
    let generation = generation(unit.chip());
    let program = asm::parse(generation, text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    for (slot, words) in (slot..).zip(isa::encode(generation, &program).as_chunks::<4>().0) {
        vector(unit, Type::Xfpr, slot, *words);
    }
}

/// Selects programs: start slot 0, full access to constants, modern arithmetic, no viewport transform.
pub(crate) fn run_programs(unit: &mut XfUnit, constant_writes: bool) {
    let b = 2 << 30 | u32::from(constant_writes) << 29 | 1 << 18;
    match unit.chip() {
        Chip::Nv20 | Chip::Nv2a | Chip::Nv25 => vector(unit, Type::Mode, 0, [b, 0, 0, 0]),
        Chip::Nv30 | Chip::Nv34 | Chip::Nv35 => {
            vector(unit, Type::Mode, 0, [0, 0, b | 3 << 30 | 3 << 16, 0]);
        }
        _ => {
            unit.set(xfjit::xf::Register::Execution, 0x111);
        }
    }
}

/// A unit that copies v0 to oPos.
pub(crate) fn copying(chip: Chip) -> XfUnit {
    let mut unit = unit(chip);
    load(&mut unit, 0, "MOV o0, v0");
    run_programs(&mut unit, false);
    unit.set(xfjit::xf::Register::Outputs, 1);
    unit
}

/// What has come out: a row per register and vertex, or the two words of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    Row(Row),
    Bundle([u32; 2]),
}

pub(crate) fn seen(unit: &mut XfUnit) -> Vec<Seen> {
    let mut all = Vec::new();
    unit.drain(|output| match output {
        Output::Vertices(vertices) => {
            all.extend(vertices.words.as_chunks::<4>().0.iter().map(|&row| Seen::Row(row)));
        }
        Output::Bundle(words) => all.push(Seen::Bundle(words)),
    });
    all
}

/// The rows that have come out, where nothing else has.
pub(crate) fn rows(unit: &mut XfUnit) -> Vec<Row> {
    let rows = seen(unit).into_iter().map(|seen| match seen {
        Seen::Row(row) => row,
        Seen::Bundle(words) => panic!("an unexpected bundle {words:08x?}"),
    });
    rows.collect()
}
