//! The fixed function behind the unit: XFMODE as a set-up of its front end, the memories as rows of its context, and its
//! registers as the words that Celsius sends.

use super::after_program::{Plan, Tbuf};
use super::mode::{fixed_mode, xfmode_of};
use super::output::{Form, MOST_WORDS, Queue, register_list, resize};
use super::ram::Ram;
use super::register::{Register, Registers};
use super::vab::Vertices;
use crate::engine::{Engine, Handles, Program};
use std::sync::Arc;
use xfjit_core::backend::{Outcome, Worker};
use xfjit_core::front::fixed::Setup;
use xfjit_core::shader::Shader;
use xfjit_isa::chip::Outputs as Places;
use xfjit_isa::chip::memory;
use xfjit_isa::chip::{Chip, Pipeline};
use xfjit_isa::config::FixedQuirks;
use xfjit_runtime::batch::{Layout, Outputs, StreamError};
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::num::Model;
use xfjit_runtime::state::{Context, Row};

/// Handles that a unit keeps beside the cache of the engine.
const KEPT: usize = 16;

/// Where the point size stands in its word: in place, as in the number that it comes from.
const POINT_SIZE_SHIFT: u32 = 12;

/// Runs batches through the fixed function.
#[derive(Debug)]
pub(super) struct Fixed {
    pipeline: Pipeline,
    /// The memories as the code reads them; up to date but for what [`Ram`] calls dirty.
    context: Box<Context>,
    handles: Handles<(Setup, InputLayout), Handle>,
    /// The handle in force, if nothing that decides it has changed since it was found.
    current: Option<usize>,
    /// Registers of a batch of Celsius, before they are packed.
    rows: Vec<u32>,
    /// The choices where the behaviour of the chip is not known.
    quirks: FixedQuirks,
}

#[derive(Debug)]
struct Handle {
    /// Registers that come out.
    mask: u32,
    /// Registers that come out, as a list.
    sent: ([u8; 32], usize),
    program: Arc<Program>,
}

impl Fixed {
    /// For a chip that has it.
    pub(super) fn new(chip: Chip) -> Option<Self> {
        let pipeline = chip.pipeline()?;
        let context = Box::new(Context::new(memory::rows(pipeline)));
        let (handles, quirks) = (Handles::new(KEPT), FixedQuirks::SPEC);
        Some(Fixed { pipeline, context, handles, current: None, rows: Vec::new(), quirks })
    }

    pub(super) fn set_quirks(&mut self, quirks: FixedQuirks) {
        self.quirks = quirks;
        self.mode_changed();
    }

    /// XFMODE or a register has changed.
    pub(super) fn mode_changed(&mut self) {
        self.current = None;
    }

    /// Runs vertices; the caller has checked that the streams hold them. Counts the handles asked for.
    pub(super) fn run(
        &mut self,
        (engine, model, resolved): (&Engine, Model, &mut u64),
        worker: &mut Worker,
        (ram, registers): (&mut Ram, &Registers),
        (inputs, held, layout): Vertices<'_, '_, '_>,
        (queue, tbuf): (&mut Queue, &mut Tbuf),
    ) -> Result<Outcome, StreamError> {
        let at = match self.current {
            Some(at) if self.handles.get(at).is_some_and(|((_, known), _)| *known == layout) => at,
            Some(_) | None => self.handle(engine, (self.setup(ram, registers, model), layout), resolved),
        };
        self.current = Some(at);
        self.update(ram);
        let (_, Handle { mask, sent: (ref list, count), ref program }) = self.handles[at];
        held.fill(inputs, program.live_inputs());
        let celsius = matches!(self.pipeline, Pipeline::Celsius(_));
        let form = if celsius { Form::Celsius } else { Form::Fixed(mask) };
        let room = queue.room(form, inputs.count)?;
        // Celsius sends other words than its registers.
        let registers = if celsius {
            resize(&mut self.rows, inputs.count * Form::Fixed(mask).words())?;
            &mut self.rows[..]
        } else {
            &mut room[..]
        };
        let mut outputs = Outputs::interleaved(registers, &list[..count]);
        let outcome = program.run(worker, &mut self.context, inputs, &mut outputs)?;
        // What a batch out of time has not run is nothing that stays anywhere.
        let done = outcome.out_of_time.unwrap_or(inputs.count);
        let (sent, rest) = room.split_at_mut(form.words() * done);
        rest.fill(0);
        if celsius {
            for (rows, packed) in self.rows.chunks_exact(4 * count).zip(sent.as_chunks_mut().0) {
                *packed = pack(mask, rows.as_chunks().0);
            }
        } else {
            tbuf.leave_fixed(self.pipeline, &list[..count], sent.as_chunks().0);
        }
        queue.publish(form, inputs.count);
        Ok(outcome)
    }

    /// Takes the memory that [`Fixed::give`] needs for so many vertices.
    pub(super) fn reserve(&mut self, vertices: usize) -> Result<(), StreamError> {
        let words = vertices.checked_mul(MOST_WORDS).ok_or(StreamError::OutOfMemory)?;
        Ok(self.rows.try_reserve(words.saturating_sub(self.rows.len()))?)
    }

    /// Registers of the fixed function for vertices that a program transforms, one after the other, and of how many, if not of all.
    pub(super) fn give(
        &mut self,
        (engine, model, resolved): (&Engine, Model, &mut u64),
        worker: &mut Worker,
        ram: &mut Ram,
        (inputs, held, layout): Vertices<'_, '_, '_>,
        live_outputs: u32,
    ) -> Result<(&[u32], Option<usize>), StreamError> {
        let mode = Plan::mode(&xfmode_of(ram, self.pipeline));
        let setup = Setup { model, live_outputs, quirks: self.quirks, ..Setup::new(mode) };
        let at = self.handle(engine, (setup, layout), resolved);
        self.update(ram);
        let (_, Handle { mask, sent: (ref list, count), ref program }) = self.handles[at];
        held.fill(inputs, program.live_inputs());
        resize(&mut self.rows, inputs.count * Form::Fixed(mask).words())?;
        let mut outputs = Outputs::interleaved(&mut self.rows, &list[..count]);
        let outcome = program.run(worker, &mut self.context, inputs, &mut outputs)?;
        Ok((&self.rows, outcome.out_of_time))
    }

    /// What XFMODE and the registers ask for.
    fn setup(&self, ram: &Ram, registers: &Registers, model: Model) -> Setup {
        let mode = fixed_mode(ram, registers, self.pipeline);
        let live_outputs = match self.pipeline {
            Pipeline::Celsius(_) => u32::MAX,
            Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie => registers.get(Register::Outputs),
        };
        let clamps_depth = registers.get(Register::DepthClamp) != 0;
        Setup { mode, model, live_outputs, layout: Layout::Rows, clamps_depth, quirks: self.quirks }
    }

    fn handle(
        &mut self,
        engine: &Engine,
        (setup, layout): (Setup, InputLayout),
        resolved: &mut u64,
    ) -> usize {
        let key = (setup, layout);
        if let Some(at) = self.handles.find(&key) {
            return at;
        }
        *resolved += 1;
        let mask = setup.live_outputs & setup.outputs();
        let sent = register_list(mask);
        let program = engine.shader(&Shader::from(setup).with_inputs(layout));
        self.handles.keep(key, Handle { mask, sent, program })
    }

    /// Copies what has changed in the memories.
    fn update(&mut self, ram: &mut Ram) {
        let (context, pipeline) = (&mut self.context, self.pipeline);
        ram.take_dirty(|ram, slot, row| {
            // Two rows of NV25 and the last of NV40 belong to nothing that is known.
            if let Some(index) = memory::placed(pipeline, ram, slot) {
                context.set_row(index, row);
            }
        });
    }
}

/// The 16 words that Celsius sends (fixed_function.md 4.3). Those whose registers the mode does not put out are 0, and
/// so is the edge flag. UNKNOWN: what the former hold on the chip; the latter is not for XF to know.
fn pack(mask: u32, rows: &[Row]) -> [u32; 16] {
    let places = Places::of(Pipeline::NV15);
    let row = |register: u8| -> Row {
        if mask >> register & 1 == 0 {
            return [0; 4];
        }
        let below = mask & ((1 << register) - 1);
        rows.get(below.count_ones() as usize).copied().unwrap_or_default()
    };
    let [first, second] = [0, 1].map(|unit| row(places.texture + unit));
    let colours = places.front.map(row);
    let mut words = [0; 16];
    [words[0], words[1], words[3]] = [second[0], second[1], second[3]];
    words[2] = row(places.point_size)[0] << POINT_SIZE_SHIFT;
    [words[4], words[5], words[7]] = [first[0], first[1], first[3]];
    words[9] = row(places.fog)[0];
    words[10] = colours[0].iter().rev().fold(0, |word, byte| word << 8 | byte & 0xff);
    words[11] = colours[1][..3].iter().rev().fold(0, |word, byte| word << 8 | byte & 0xff) << 8;
    words[12..].copy_from_slice(&row(places.position));
    words
}
