//! Batches through the engine: the one place that knows how vertices become outputs.

use super::after_program::{Choices, Plan, Tbuf};
use super::fixed::Fixed;
use super::mode::{self, Execution};
use super::output::{Form, Queue, register_list};
use super::ram::Ram;
use super::register::Registers;
use super::vab::Vertices;
use crate::engine::{Engine, Finder, Handles, Program};
use std::num::NonZeroUsize;
use std::sync::Arc;
use xfjit_core::backend::Outcome;
use xfjit_core::backend::Worker;
use xfjit_core::shader::Faults;
use xfjit_isa::chip::Chip;
use xfjit_isa::config::{Config, FixedQuirks, Viewport};
use xfjit_isa::isa::WORDS_PER_SLOT;
use xfjit_runtime::batch::{Attribute, Inputs, Layout, Outputs, StreamError};
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::state::Row;
use xfjit_runtime::texture::{Copied, Textures, UNITS};

/// Handles that a unit keeps beside the cache of the engine.
const KEPT: usize = 16;
/// Programs that a unit finds again by their words, when XFPR has been written.
const FOUND: NonZeroUsize = NonZeroUsize::new(64).expect("it is not zero");
/// What runs where the start slot is behind the last one: nothing. UNKNOWN: what the unit does there.
const NOTHING: [u32; WORDS_PER_SLOT] = [0; WORDS_PER_SLOT];

/// Counters of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct UnitStats {
    /// Batches handed to the engine.
    pub batches: u64,
    /// Vertices in them.
    pub vertices: u64,
    /// Vertex state programs run.
    pub state_programs: u64,
    /// Groups of vertices that native code left to run again.
    pub deopt_groups: u64,
    /// Vertices whose program did not end as it should.
    pub faults: Faults,
    /// Batches that differed, if the engine runs two back ends in lockstep.
    pub mismatches: u64,
    /// Vertices that did not run because their batch was out of time or cancelled
    /// ([`XfUnit::set_slot_budget`](super::XfUnit::set_slot_budget)), or because memory was missing
    /// ([`XfUnit::reserve`](super::XfUnit::reserve)); and bundles for which memory was missing.
    pub dropped: u64,
    /// Requests for a handle to the engine.
    pub resolved: u64,
    /// Vertices that code has read in the guest's memory, instead of in columns (Flipper).
    pub in_place: u64,
}

impl UnitStats {
    /// Adds what became of a batch.
    pub(crate) fn count(&mut self, outcome: Outcome) {
        self.deopt_groups += outcome.deopt_groups;
        self.faults += outcome.faults;
        self.mismatches += outcome.mismatches;
    }
}

/// Runs batches.
#[derive(Debug)]
pub(super) struct Executor {
    finder: Finder,
    worker: Worker,
    /// Model, and choices where the chip's behaviour is not known.
    base: Config,
    handles: Handles<Key, Handle>,
    /// The handle of vertices and what is done behind it, if nothing that decides them has changed since.
    current: Option<(usize, Plan)>,
    fixed: Option<Fixed>,
    pub(super) choices: Choices,
    pub(super) tbuf: Tbuf,
    /// What TXL looks at.
    pub(super) textures: [Option<Copied>; UNITS],
    pub(super) stats: UnitStats,
}

/// Textures of a unit, for a batch.
fn lent(textures: &[Option<Copied>; UNITS]) -> Textures<'_> {
    Textures::Units(std::array::from_fn(|unit| textures[unit].as_ref().map(Copied::texture)))
}

/// What decides a handle beside XFPR: start slot, configuration, and how attributes lie in memory.
type Key = (usize, Config, InputLayout);

/// A handle.
#[derive(Debug)]
struct Handle {
    program: Arc<Program>,
    /// The registers that a vertex sends.
    sent: ([u8; 32], usize),
}

impl Executor {
    pub(super) fn new(engine: Arc<Engine>, chip: Chip, base: Config) -> Self {
        Executor {
            finder: Finder::new(engine, FOUND),
            worker: Worker::new(),
            base,
            handles: Handles::new(KEPT),
            current: None,
            fixed: Fixed::new(chip),
            choices: Choices::default(),
            tbuf: Tbuf::new(),
            textures: Default::default(),
            stats: UnitStats::default(),
        }
    }

    pub(super) fn set_slot_budget(&mut self, slots: Option<u64>) {
        self.worker.set_slot_budget(slots);
    }

    pub(super) fn worker(&mut self) -> &mut Worker {
        &mut self.worker
    }

    pub(super) fn set_base(&mut self, base: Config) {
        self.base = Config { generation: self.base.generation, layout: Layout::Rows, ..base };
        self.mode_changed();
    }

    /// Sets the quirks of the fixed function.
    pub(super) fn set_fixed_quirks(&mut self, quirks: FixedQuirks) {
        if let Some(fixed) = &mut self.fixed {
            fixed.set_quirks(quirks);
        }
    }

    /// XFMODE, XTRA or a register has changed.
    pub(super) fn mode_changed(&mut self) {
        self.current = None;
        if let Some(fixed) = &mut self.fixed {
            fixed.mode_changed();
        }
    }

    /// XFPR has changed.
    pub(super) fn program_changed(&mut self) {
        self.handles.clear();
        self.current = None;
    }

    /// Runs vertices, whose outputs go to the queue. The caller has checked that the streams hold them; what VAB holds
    /// is put in where it is read.
    ///
    /// # Errors
    /// They do not, or memory is missing. Then nothing waits in the queue.
    pub(super) fn run(
        &mut self,
        ram: &mut Ram,
        registers: &Registers,
        (inputs, held, layout): Vertices<'_, '_, '_>,
        queue: &mut Queue,
    ) -> Result<(), StreamError> {
        let Executor { finder, worker, base, stats, fixed, tbuf, .. } = self;
        let outcome = match (mode::execution(ram, registers), fixed) {
            (Execution::Fixed, Some(fixed)) => {
                let engine = (&**finder.engine(), base.model, &mut stats.resolved);
                let outcome =
                    fixed.run(engine, worker, (ram, registers), (inputs, held, layout), (queue, tbuf))?;
                stats.dropped += outcome.out_of_time.map_or(0, |done| (inputs.count - done) as u64);
                outcome
            }
            (Execution::Fixed, None) | (Execution::Program(_) | Execution::Nothing, _) => {
                self.run_program(ram, registers, (inputs, held, layout), queue)?
            }
        };
        self.stats.batches += 1;
        self.stats.vertices += inputs.count as u64;
        self.stats.count(outcome);
        Ok(())
    }

    fn run_program(
        &mut self,
        ram: &mut Ram,
        registers: &Registers,
        (inputs, held, layout): Vertices<'_, '_, '_>,
        queue: &mut Queue,
    ) -> Result<Outcome, StreamError> {
        let (at, plan) = self.program((ram, registers), layout);
        let (_, config, _) = &self.handles[at].0;
        if let (Some(fixed), true) = (&mut self.fixed, plan.given != 0) {
            fixed.reserve(inputs.count)?;
        }
        let form = Form::Registers(config.live_outputs);
        let words = queue.room(form, inputs.count)?;
        if plan.given == 0 || !config.constant_writes {
            let count = inputs.count;
            let outcome = self.run_behind((at, plan), ram, (inputs, held, layout), words)?;
            queue.publish(form, count);
            return Ok(outcome);
        }
        // The fixed function reads what the program has written for the vertex before.
        let layout = InputLayout::ROWS;
        let (at, plan) = self.program((ram, registers), layout);
        let width = words.len() / inputs.count.max(1);
        let mut outcome = Outcome::default();
        // They share the limits of the batch.
        let call = self.worker.begin_call(inputs.count);
        for position in 0..inputs.count {
            let mut vertex = Inputs::new(1);
            for (register, attribute) in vertex.attributes.iter_mut().enumerate() {
                if held.mask >> register & 1 == 0 {
                    *attribute = Attribute::Constant(inputs.fetch(register, position));
                }
            }
            let words = &mut words[width * position..][..width];
            match self.run_behind((at, plan), ram, (&mut vertex, held, layout), words) {
                Ok(one) => outcome.add(&one),
                Err(error) => {
                    self.worker.end_call(call);
                    return Err(error);
                }
            }
        }
        self.worker.end_call(call);
        queue.publish(form, inputs.count);
        Ok(outcome)
    }

    /// The handle of the program in force, and what stands behind it.
    fn program(&mut self, (ram, registers): (&Ram, &Registers), layout: InputLayout) -> (usize, Plan) {
        let (at, plan) = match self.current {
            Some((at, plan)) if self.handles[at].0.2 == layout => (at, plan),
            Some(_) | None => {
                let config = mode::config(&self.base, ram, registers);
                let start = mode::first_slot(ram, registers, mode::start(ram, registers));
                let at = self.handle(ram, start, config, layout);
                (at, self.plan(at, ram))
            }
        };
        self.current = Some((at, plan));
        (at, plan)
    }

    /// Runs vertices through a program and what stands behind it.
    fn run_behind(
        &mut self,
        (at, plan): (usize, Plan),
        ram: &mut Ram,
        (inputs, held, layout): Vertices<'_, '_, '_>,
        words: &mut [u32],
    ) -> Result<Outcome, StreamError> {
        let Executor { finder, worker, base, handles, fixed, tbuf, stats, textures, .. } = self;
        let (mut given, mut had): (&[u32], _) = (&[], None);
        if let (Some(fixed), true) = (fixed, plan.given != 0) {
            let engine = (&**finder.engine(), base.model, &mut stats.resolved);
            (given, had) = fixed.give(engine, worker, ram, (inputs, held, layout), plan.given)?;
        }
        let ((_, config, _), Handle { program, sent: (list, count) }) = &handles[at];
        held.fill(inputs, program.live_inputs());
        // A batch is some hundred bytes: it is copied for the few programs that may look at a texture.
        let textured;
        let inputs = match textures.iter().any(Option::is_some) && inputs.textures.is_none() {
            true => {
                textured = (*inputs).textured(lent(textures));
                &textured
            }
            false => &*inputs,
        };
        let list = &list[..*count];
        let outputs = Outputs::interleaved(words, list);
        let outcome = program.run_on(worker, &mut ram.constants(config.generation), inputs, &outputs)?;
        if config.constant_writes {
            ram.written_by_program();
        }
        // What a batch out of time has not run is nothing that stays anywhere.
        let done = outcome.out_of_time.unwrap_or(inputs.count).min(had.unwrap_or(inputs.count));
        stats.dropped += (inputs.count - done) as u64;
        let (words, rest) = words.split_at_mut(4 * list.len() * done);
        rest.fill(0);
        let given = &given[..given.len() / inputs.count.max(1) * done];
        plan.finish(tbuf, list, words.as_chunks_mut().0, given.as_chunks().0);
        Ok(outcome)
    }

    /// What stands behind the program of a handle.
    fn plan(&self, at: usize, ram: &Ram) -> Plan {
        let ((_, config, _), Handle { program, .. }) = &self.handles[at];
        let written = program.shader().written_outputs();
        let mode = mode::xfmode(ram);
        Plan::new(self.choices, config.live_outputs, written, mode.as_ref())
    }

    /// Runs a vertex state program: v0 is the parameter, there are no outputs, and constants may be written whatever
    /// XFMODE says (kelvin.md 2); Curie's instructions write none. UNKNOWN: what v1 to v15 read; (0, 0, 0, 1) here.
    pub(super) fn run_state_program(
        &mut self,
        ram: &mut Ram,
        registers: &Registers,
        start: usize,
        parameter: Row,
    ) {
        let config = Config {
            constant_writes: true,
            live_outputs: 0,
            viewport: Viewport::Skip,
            ..mode::config(&self.base, ram, registers)
        };
        let start = mode::first_slot(ram, registers, start);
        let generation = config.generation;
        let at = self.handle(ram, start, config, InputLayout::ROWS);
        let inputs = Inputs::new(1).with(0, Attribute::Constant(parameter)).textured(lent(&self.textures));
        let outputs = Outputs::interleaved(&mut [], &[]);
        let program = &self.handles[at].1.program;
        // One constant attribute and no outputs: there is no stream that could be too short.
        let Ok(outcome) = program.run_on(&mut self.worker, &mut ram.constants(generation), &inputs, &outputs)
        else {
            return;
        };
        ram.written_by_program();
        match outcome.out_of_time {
            None => self.stats.state_programs += 1,
            Some(_) => self.stats.dropped += 1,
        }
        self.stats.count(outcome);
    }

    /// The handle of what XFPR holds, by start slot, configuration, and how attributes lie in memory.
    fn handle(&mut self, ram: &Ram, start: usize, config: Config, layout: InputLayout) -> usize {
        let key = (start, config, layout);
        if let Some(at) = self.handles.find(&key) {
            return at;
        }
        self.stats.resolved += 1;
        // Programs of an older generation lie in the first slots.
        let slots = key.1.generation.slots().min(ram.sizes.xfpr);
        let words = &ram.xfpr[..slots * WORDS_PER_SLOT];
        let found = self.finder.find_as(words, start, &key.1, layout).map(Arc::clone);
        let program = found.or_else(|_| self.finder.engine().program(&NOTHING, 0, &key.1));
        let program = program.expect("a slot of zeros is a program of every generation");
        let sent = register_list(key.1.live_outputs);
        self.current = None;
        self.handles.keep(key, Handle { program, sent })
    }
}
