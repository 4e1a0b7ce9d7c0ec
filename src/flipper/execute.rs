//! Draws through the engine: the one place that knows how vertices become outputs.

use super::command::Draw;
use super::memory::Memory;
use super::output::{Disagreement, Drawn};
use super::plan::{Fetched, Plan, canonical};
use super::quirks::Dialect;
use super::registers::Registers;
use crate::backend::Worker;
use crate::chip::flipper::memory::Memory as Words;
use crate::chip::flipper::transform::{Transform, Vertices};
use crate::chip::flipper::vat::Vat;
use crate::chip::flipper::vcd::Vcd;
use crate::chip::flipper::{output, registers as xf, rows};
use crate::config::FlipperQuirks;
use crate::engine::{Engine, Handles, Program};
use crate::front::flipper::Setup;
use crate::shader::Shader;
use crate::xf::{Form, UnitStats, Vertices as Sent, register_list};
use std::ops::Range;
use std::sync::Arc;
use xfjit_runtime::batch::Outputs;
use xfjit_runtime::constants::Constants;
use xfjit_runtime::state::Row;

/// Handles that a unit keeps beside the cache of the engine: scenes have some dozens of configurations.
const KEPT: usize = 128;

/// What decides a plan.
type Format = (Vcd, Vat, Dialect);

/// Runs draws.
#[derive(Debug)]
pub(super) struct Executor {
    engine: Arc<Engine>,
    worker: Worker,
    quirks: FlipperQuirks,
    /// Registers that are asked for.
    asked: u32,
    words: Words,
    /// The words as rows of constants.
    rows: Vec<Row>,
    plans: Handles<Format, Plan>,
    programs: Handles<Setup, Handle>,
    /// The plan of the last draw, and what has decided it as it was written.
    plan: Option<(Format, usize)>,
    /// The handle in force, if nothing that decides it but the form of vertices has changed since.
    program: Option<(Vertices, usize)>,
    fetched: Fetched,
    /// What the last draw has made; of vertices that it did not have the memory is kept.
    made: Vec<u32>,
    pub(super) stats: UnitStats,
}

/// A handle.
#[derive(Debug)]
struct Handle {
    mask: u32,
    /// The same as a list.
    sent: ([u8; 32], usize),
    program: Arc<Program>,
}

impl Executor {
    pub(super) fn new(engine: Arc<Engine>, quirks: FlipperQuirks) -> Executor {
        let mut executor = Executor {
            engine,
            worker: Worker::new(),
            quirks,
            asked: u32::MAX,
            words: Words::new(),
            rows: vec![[0; 4]; rows::ROWS],
            plans: Handles::new(KEPT),
            programs: Handles::new(KEPT),
            plan: None,
            program: None,
            fetched: Fetched::default(),
            made: Vec::new(),
            stats: UnitStats::default(),
        };
        executor.touch(0..xf::END);
        executor
    }

    /// Which registers leave, beside what triangles are decided by.
    pub(super) fn set_outputs(&mut self, mask: u32) {
        self.asked = mask;
        self.program = None;
    }

    /// The words of the transform unit.
    pub(super) fn words(&self) -> &Words {
        &self.words
    }

    /// Loads words of the transform unit.
    pub(super) fn load(&mut self, address: u16, words: &[u32]) {
        if self.words.write(address, words) {
            let behind = address.saturating_add(words.len().min(xf::END.into()) as u16);
            self.touch(address..behind.min(xf::END));
        }
    }

    /// Some words have changed.
    fn touch(&mut self, changed: Range<u16>) {
        rows::update(&self.words, &mut self.rows, changed.clone());
        let channels = changed.contains(&xf::CHANNELS);
        if channels || Transform::is_selected_by(&changed) {
            self.program = None;
        }
    }

    /// Runs the vertices of a drawing command. What it tells is memory of the next draw.
    pub(super) fn draw(
        &mut self,
        registers: &Registers,
        draw: &Draw<'_>,
        memory: Memory<'_>,
        dialect: Dialect,
    ) -> Drawn<'_> {
        let plan = self.plan((registers.vcd, registers.vats[draw.vat()], dialect));
        let at = self.program(Vertices::of_vcd(registers.vcd.lo));
        let (_, plan) = &self.plans[plan];
        let (_, Handle { mask, sent: (list, count), program }) = &self.programs[at];
        plan.fetch_live(program.live_inputs(), draw, &registers.arrays, memory, &mut self.fetched);
        let form = Form::Registers(*mask);
        let length = form.words() * self.fetched.count();
        if self.made.len() < length {
            self.made.resize(length, 0);
        }
        let words = &mut self.made[..length];
        let inputs = self.fetched.inputs(registers);
        let mut constants = Constants::read_only(&self.rows);
        let outputs = Outputs::interleaved(words, &list[..*count]);
        match program.run_on(&mut self.worker, &mut constants, &inputs, &outputs) {
            Ok(outcome) => self.stats.count(outcome),
            Err(error) => {
                debug_assert!(false, "columns hold every vertex of the draw: {error}");
                words.fill(0);
                self.stats.dropped += inputs.count as u64;
            }
        }
        self.stats.batches += 1;
        self.stats.vertices += inputs.count as u64;
        Drawn {
            primitive: draw.primitive(),
            given: draw.count,
            vertices: Sent { form, count: inputs.count, words },
            disagreement: Disagreement::new(registers, draw.vat(), &self.words),
            scale: self.words.word(xf::VIEWPORT + 1),
            keeps_rejected: xf::REJECT_OFF.of(self.words.word(xf::CLIP_DISABLE)) != 0,
        }
    }

    /// The plan of vertices.
    fn plan(&mut self, format: Format) -> usize {
        if let Some((known, at)) = self.plan
            && known == format
        {
            return at;
        }
        let (vcd, vat, dialect) = format;
        let key = (vcd, canonical(vcd, vat, dialect), dialect);
        let at = self.plans.find(&key).unwrap_or_else(|| self.plans.keep(key, Plan::new(vcd, vat, dialect)));
        self.plan = Some((format, at));
        at
    }

    /// The handle of the configuration in force, for vertices of a form.
    fn program(&mut self, vertices: Vertices) -> usize {
        if let Some((known, at)) = self.program
            && known == vertices
        {
            return at;
        }
        let transform = Transform::new(&self.words, vertices);
        let setup = Setup::new(transform).quirks(self.quirks);
        // A channel that does not leave may be what a coordinate is made of: it is no output, and still computed then.
        let channels = xf::CHANNEL_COUNT.of(self.words.word(xf::CHANNELS)).min(2);
        let hidden = (3 & !((1 << channels) - 1)) << output::COLOUR;
        let decisive = 1 << output::CLIP | 1 << output::FLAGS;
        let mask = setup.outputs() & (self.asked & !hidden | decisive);
        let setup = setup.live_outputs(mask).canonical();
        let at = self.programs.find(&setup).unwrap_or_else(|| {
            self.stats.resolved += 1;
            let program = self.engine.shader(&Shader::from(setup));
            self.programs.keep(setup, Handle { mask, sent: register_list(mask), program })
        });
        self.program = Some((vertices, at));
        at
    }
}
