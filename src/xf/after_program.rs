//! What stands behind a program: registers that it leaves alone, and on Kelvin those of the fixed function's stages that
//! act on what a program writes, as captures of a console show (console_facts.md).
//!
//! ```text
//! program -> registers not written: what the last vertex left
//!         -> registers that the fixed function gives: LIGHTING, POINT_PARAMS, radial fog
//!         -> TBUF: left for later programs
//!         -> gates of the secondary colour -> squash of window x and y -> sent
//! ```
//! Everything is defined vertex by vertex; it cannot be seen how vertices are cut into batches.

use super::XfUnit;
use super::item::Item;
use xfjit_isa::chip::Outputs;
use xfjit_isa::chip::mode::{FogCoord, Mode, Name};
use xfjit_isa::chip::{Chip, Generation, Pipeline};
use xfjit_runtime::batch::registers;
use xfjit_runtime::num::convert::squash;
use xfjit_runtime::state::{DEFAULT_ROW, OUTPUTS, Row};

/// The value of an output register that no instruction of a program names.
///
/// UNKNOWN: components that a program leaves out of a register that it writes, or that it does not reach; they are 0, 0, 0, 1 here.
/// UNKNOWN: Rankine and Curie; here as Kelvin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Unwritten {
    /// The value that the last vertex before it left, whether a program or the fixed function wrote it. Captures show this.
    #[default]
    Held,
    /// (0, 0, 0, 1), as emulators have it.
    Default,
}

/// Whether stages of the fixed function act after Kelvin's programs. UNKNOWN: Rankine and Curie; no stage acts there.
///
/// - The gates of the secondary colour: without SPECULAR_ENABLE it is (0, 0, 0, 1), without ALPHA_FROM_MATERIAL_SPECULAR its alpha is 1.
///   UNKNOWN: the colour of back faces; it passes.
/// - LIGHTING: colours are the fixed function's, by the first matrix alone; a byte as the number that becomes it.
/// - POINT_PARAMS: the point size is the fixed function's, in pixels (captures show that there is an effect. UNKNOWN:
///   that it is this one).
/// - Radial fog: the fog distance is the fixed function's (captures show that it is not the program's. UNKNOWN: what it
///   is).
/// - Window x and y whose magnitude is 2^127 or more become 2^127.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Behind {
    /// They act.
    #[default]
    Captured,
    /// Only the stages whose effect captures show: gates, lights, squash. Point size and fog are the program's.
    Shown,
    /// No stage acts: registers are output as programs write them.
    Nothing,
}

/// Choices of a unit where documents leave the behaviour open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct Choices {
    /// Registers that a program does not write.
    pub unwritten: Unwritten,
    /// Stages after Kelvin's programs.
    pub behind: Behind,
}

impl Choices {
    /// Returns these choices with another value for registers that a program does not write.
    #[must_use]
    pub const fn unwritten(self, unwritten: Unwritten) -> Self {
        Choices { unwritten, ..self }
    }

    /// Returns these choices with other stages after Kelvin's programs.
    #[must_use]
    pub const fn behind(self, behind: Behind) -> Self {
        Choices { behind, ..self }
    }
}

/// 2^127, the least magnitude that is squashed.
const GREAT: u32 = 0x7f00_0000;
/// Bytes of colours as the nearest floats, which become these bytes again.
const COLOURS: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as f32 / 255.0).to_bits();
        byte += 1;
    }
    table
};

/// Output registers as the last vertex left them. UNKNOWN: what a reset leaves; (0, 0, 0, 1) here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tbuf(pub(super) [Row; OUTPUTS]);

impl Tbuf {
    pub(super) fn new() -> Self {
        Tbuf([DEFAULT_ROW; OUTPUTS])
    }

    /// Takes what the last vertex of a batch has left in the registers of a list.
    pub(super) fn leave(&mut self, list: &[u8], rows: &[Row]) {
        let Some(last) = rows.len().checked_sub(list.len()) else { return };
        for (&register, row) in list.iter().zip(&rows[last..]) {
            self.0[usize::from(register) % OUTPUTS] = *row;
        }
    }

    /// Leaves what the fixed function computed.
    pub(super) fn leave_fixed(&mut self, pipeline: Pipeline, list: &[u8], rows: &[Row]) {
        let Some(last) = rows.len().checked_sub(list.len()) else { return };
        for (&register, &row) in list.iter().zip(&rows[last..]) {
            self.0[usize::from(register) % OUTPUTS] = as_program(pipeline, register, row);
        }
    }
}

/// A register of the fixed function as a program would have written it.
fn as_program(pipeline: Pipeline, register: u8, row: Row) -> Row {
    let places = Outputs::of(pipeline);
    let [x, rest @ ..] = row;
    if places.front.contains(&register) || places.back.contains(&register) {
        return row.map(|byte| COLOURS[(byte & 0xff) as usize]);
    }
    if register == places.point_size && pipeline == Pipeline::Kelvin {
        let [y, z, w] = rest;
        // An integer of nine bits: both operations are exact.
        return [(x as f32 / 8.0).to_bits(), y, z, w];
    }
    row
}

/// What is to be done behind a program under a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Plan {
    /// Registers sent that no instruction writes.
    unwritten: u32,
    /// Registers sent that the fixed function gives.
    pub(super) given: u32,
    /// What the secondary colour becomes.
    gate: Gate,
    /// Whether x and y are squashed.
    squashes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Gate {
    #[default]
    Open,
    /// Alpha is 1.
    Opaque,
    /// (0, 0, 0, 1).
    Shut,
}

impl Plan {
    /// The plan of registers `sent` of a program that writes `written`; `mode` is Kelvin's.
    pub(super) fn new(choices: Choices, sent: u32, written: u32, mode: Option<&Mode>) -> Plan {
        let unwritten = match choices.unwritten {
            Unwritten::Held => sent & !written,
            Unwritten::Default => 0,
        };
        let mode =
            mode.filter(|mode| choices.behind != Behind::Nothing && mode.pipeline() == Pipeline::Kelvin);
        let Some(mode) = mode else { return Plan { unwritten, ..Plan::default() } };
        let places = Outputs::of(Pipeline::Kelvin);
        let mut given = 0;
        if mode.has(Name::Lighting) {
            given |= 1 << places.front[0] | 1 << places.front[1];
            if mode.has(Name::TwoSide) {
                given |= 1 << places.back[0] | 1 << places.back[1];
            }
        }
        let guesses = choices.behind == Behind::Captured;
        if guesses && mode.has(Name::PointParams) {
            given |= 1 << places.point_size;
        }
        if guesses && mode.fog() == Some(FogCoord::Radial) {
            given |= 1 << places.fog;
        }
        let gate = match (mode.has(Name::SpecularEnable), mode.has(Name::SpecularAlpha)) {
            (false, _) => Gate::Shut,
            (true, false) => Gate::Opaque,
            (true, true) => Gate::Open,
        };
        Plan { unwritten, given: given & sent, gate, squashes: true }
    }

    /// The mode of the fixed function that gives registers: skinning has no effect on them.
    pub(super) fn mode(mode: &Mode) -> Mode {
        mode.with(Name::Weight, 0)
    }

    /// Finishes vertices: `rows` are the registers of `list`, vertex after vertex, `given` those of the plan's mask.
    pub(super) fn finish(&self, tbuf: &mut Tbuf, list: &[u8], rows: &mut [Row], given: &[Row]) {
        let count = list.len();
        let at = |register: usize| list.iter().position(|&other| usize::from(other) == register);
        for register in registers(self.unwritten & !self.given) {
            let held = tbuf.0[register % OUTPUTS];
            // That is what backends leave.
            if held == DEFAULT_ROW {
                continue;
            }
            if let Some(at) = at(register) {
                rows.iter_mut().skip(at).step_by(count).for_each(|row| *row = held);
            }
        }
        let width = self.given.count_ones() as usize;
        for (from, register) in registers(self.given).enumerate() {
            let Some(at) = at(register) else { continue };
            let given = given.iter().skip(from).step_by(width);
            for (row, &given) in rows.iter_mut().skip(at).step_by(count).zip(given) {
                *row = as_program(Pipeline::Kelvin, register as u8, given);
            }
        }
        tbuf.leave(list, rows);
        let places = Outputs::of(Pipeline::Kelvin);
        if let (Some(at), true) = (at(usize::from(places.front[1])), self.gate != Gate::Open) {
            for row in rows.iter_mut().skip(at).step_by(count) {
                match self.gate {
                    Gate::Shut => *row = DEFAULT_ROW,
                    Gate::Open | Gate::Opaque => row[3] = DEFAULT_ROW[3],
                }
            }
        }
        if let (Some(at), true) = (at(usize::from(places.position)), self.squashes) {
            let great = |word: u32| word & !(1 << 31) >= GREAT;
            // Looked for first, without a branch: there is hardly ever one.
            let any = rows.iter().skip(at).step_by(count);
            if any.fold(false, |any, row| any | great(row[0]) | great(row[1])) {
                for row in rows.iter_mut().skip(at).step_by(count) {
                    row[0] = squash(row[0]);
                    row[1] = squash(row[1]);
                }
            }
        }
    }
}

/// How many output registers a unit keeps: those of its programs.
pub(super) fn kept(chip: Chip) -> usize {
    chip.family().microcode().map_or(0, Generation::outputs)
}

impl XfUnit {
    /// Sets the choices about what happens after a program, where documents leave it open.
    #[must_use]
    pub fn with_choices(mut self, choices: Choices) -> Self {
        self.flush();
        self.executor.choices = choices;
        self.executor.mode_changed();
        self
    }

    /// Returns an output register as the last vertex left it, whether a program or the fixed function wrote it, with numbers as programs
    /// write them. Registers that are not sent are not kept. (0, 0, 0, 1) if the register does not exist.
    pub fn tbuf(&mut self, register: usize) -> Row {
        self.flush();
        self.executor.tbuf.0.get(register).copied().unwrap_or(DEFAULT_ROW)
    }

    /// Sets what an output register holds. Does nothing if the register does not exist.
    pub fn set_tbuf(&mut self, register: usize, row: Row) {
        self.flush();
        let kept = self.executor.tbuf.0.get_mut(..kept(self.ram.chip));
        let Some(held) = kept.and_then(|rows| rows.get_mut(register)) else { return };
        *held = row;
        if let Some(items) = &mut self.recording {
            items.push(Item::Tbuf(register as u8, row));
        }
    }
}
