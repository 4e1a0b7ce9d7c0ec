//! Draws through the engine: the one place that knows how vertices become outputs.

use super::command::Draw;
use super::held::{Held, Indexed, SMALL};
use super::in_place::Copied;
use super::memory::Memory;
use super::output::{Disagreement, Drawn};
use super::plan::{Fetched, Plan, canonical};
use super::registers::Registers;
use crate::engine::{Engine, Handles, Program};
use crate::xf::{Form, UnitStats, Vertices as Sent, register_list};
use std::ops::Range;
use std::sync::Arc;
use xfjit_core::backend::Worker;
use xfjit_core::front::flipper::Setup;
use xfjit_core::shader::Shader;
use xfjit_isa::chip::flipper::memory::Memory as Words;
use xfjit_isa::chip::flipper::transform::{Transform, Vertices};
use xfjit_isa::chip::flipper::vat::Vat;
use xfjit_isa::chip::flipper::vcd::Vcd;
use xfjit_isa::chip::flipper::{output, registers as xf, rows};
use xfjit_isa::config::Dialect;
use xfjit_isa::config::FlipperQuirks;
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::state::Row;

/// Handles that a unit keeps beside the cache of the engine: scenes have some dozens of configurations.
const KEPT: usize = 128;

/// Layouts of vertices that are kept with a handle.
const KEPT_LAYOUTS: usize = 16;

/// Vertices of a handle in one layout from which on there is code that reads them where they lie. Compiling it takes as long as what so
/// many save (2 to 4 ms; some 2 ns for a vertex).
const HOT: u64 = 1 << 20;

/// What decides a plan.
type Format = (Vcd, Vat, Dialect);

/// Runs draws.
#[derive(Debug)]
pub(super) struct Executor {
    pub(super) engine: Arc<Engine>,
    pub(super) worker: Worker,
    quirks: FlipperQuirks,
    /// Registers that are asked for.
    asked: u32,
    pub(super) words: Words,
    /// The words as rows of constants.
    pub(super) rows: Vec<Row>,
    pub(super) plans: Handles<Format, Plan>,
    pub(super) programs: Handles<Setup, Handle>,
    /// The plan of the last draw, and what has decided it as it was written.
    pub(super) plan: Option<(Format, usize)>,
    /// The handle in force, if nothing that decides it but the form of vertices has changed since.
    pub(super) program: Option<(Vertices, usize)>,
    /// Which of the handle's layouts the plan's vertices have, if that has been looked for since either changed.
    place: Option<Option<usize>>,
    /// From how many vertices on they are read where they lie.
    pub(super) hot: u64,
    /// Columns of the draw that is run, or of those that are held.
    pub(super) fetched: Fetched,
    pub(super) copied: Copied,
    /// What the last draw has made; of vertices that it did not have the memory is kept.
    pub(super) made: Vec<u32>,
    /// Up to how many vertices draws are held.
    pub(super) most_held: u16,
    pub(super) held: Held,
    pub(super) stats: UnitStats,
}

/// A handle.
#[derive(Debug)]
pub(super) struct Handle {
    /// Registers that come out.
    pub(super) mask: u32,
    /// A list of these.
    pub(super) sent: ([u8; 32], usize),
    pub(super) program: Arc<Program>,
    /// Programs for vertices where they lie.
    placed: Vec<Placed>,
    pub(super) indexed: Indexed,
}

/// Code of a configuration that reads vertices where they lie.
#[derive(Debug)]
struct Placed {
    layout: InputLayout,
    /// Vertices that have been drawn.
    vertices: u64,
    /// If there have been enough.
    program: Option<Arc<Program>>,
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
            place: None,
            hot: HOT,
            fetched: Fetched::default(),
            copied: Copied::default(),
            made: Vec::new(),
            most_held: SMALL,
            held: Held::default(),
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

    /// From how many vertices of a configuration on those of one layout are read where they lie.
    pub(super) fn set_hot(&mut self, vertices: u64) {
        self.hot = vertices;
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
        let place = self.place(plan, at, draw.count);
        let (_, plan) = &self.plans[plan];
        let (_, Handle { mask, sent: (list, count), program, placed, .. }) = &self.programs[at];
        let (live, list) = (program.live_inputs(), &list[..*count]);
        let form = Form::Registers(*mask);
        let length = form.words() * usize::from(draw.count);
        if self.made.len() < length {
            self.made.resize(length, 0);
        }
        let in_place = place.and_then(|place| placed[place].program.as_ref());
        let in_place = in_place.filter(|program| program.is_native()).and_then(|program| {
            plan.lend(live, (registers, draw, memory), &mut self.copied, |inputs| {
                let outputs = Outputs::interleaved(&mut self.made[..form.words() * inputs.count], list);
                let mut constants = Constants::read_only(&self.rows);
                match program.run_on(&mut self.worker, &mut constants, inputs, &outputs) {
                    Ok(outcome) => Some((outcome, inputs.count)),
                    // An element that is not in memory whole; or no memory to verify the batch.
                    Err(error) => {
                        let is_known =
                            matches!(error, StreamError::InputTooShort { .. } | StreamError::OutOfMemory);
                        debug_assert!(is_known, "{error}");
                        None
                    }
                }
            })
        });
        let count = match in_place {
            Some((outcome, count)) => {
                self.stats.count(outcome);
                self.stats.in_place += count as u64;
                count
            }
            None => {
                plan.fetch_live(live, draw, &registers.arrays, memory, &mut self.fetched);
                let inputs = self.fetched.inputs_of(live, &registers.normals, 0..self.fetched.count());
                let words = &mut self.made[..form.words() * inputs.count];
                let mut constants = Constants::read_only(&self.rows);
                let outputs = Outputs::interleaved(words, list);
                match program.run_on(&mut self.worker, &mut constants, &inputs, &outputs) {
                    Ok(outcome) => self.stats.count(outcome),
                    Err(error) => {
                        debug_assert!(
                            error == StreamError::OutOfMemory,
                            "columns hold every vertex of the draw: {error}"
                        );
                        words.fill(0);
                        self.stats.dropped += inputs.count as u64;
                    }
                }
                inputs.count
            }
        };
        self.stats.batches += 1;
        self.stats.vertices += count as u64;
        let words = &self.made[..form.words() * count];
        Drawn {
            primitive: draw.primitive(),
            given: draw.count,
            vertices: Sent { form, count, words },
            disagreement: Disagreement::new(registers, draw.vat(), &self.words),
            stored: Some(&[]),
            scale: self.words.word(xf::VIEWPORT + 1),
            keeps_rejected: xf::REJECT_OFF.of(self.words.word(xf::CLIP_DISABLE)) != 0,
        }
    }

    /// Does something for which other registers leave.
    pub(super) fn with_outputs<R>(&mut self, mask: u32, run: impl FnOnce(&mut Executor) -> R) -> R {
        let asked = std::mem::replace(&mut self.asked, mask);
        (self.program, self.place) = (None, None);
        let result = run(self);
        self.asked = asked;
        // The handle is found again by what decides it: handles may have been dropped meanwhile.
        (self.program, self.place) = (None, None);
        result
    }

    /// How the vertices of a drawing command are read, and memory for that.
    pub(super) fn read(
        &mut self,
        registers: &Registers,
        draw: &Draw<'_>,
        dialect: Dialect,
    ) -> (&Plan, &mut Copied) {
        let plan = self.plan((registers.vcd, registers.vats[draw.vat()], dialect));
        (&self.plans[plan].1, &mut self.copied)
    }

    /// Runs vertices of a form from arrays, and sends some registers of them.
    pub(super) fn transform(
        &mut self,
        vertices: Vertices,
        inputs: &Inputs<'_>,
        outputs: u32,
    ) -> Result<Sent<'_>, StreamError> {
        let (form, outcome) = self.with_outputs(outputs, |executor| {
            let at = executor.program(vertices);
            let Handle { mask, sent: (list, count), program, .. } = &executor.programs[at].1;
            let form = Form::Registers(*mask);
            let length = form.words().checked_mul(inputs.count).ok_or(StreamError::OutOfMemory)?;
            if executor.made.len() < length {
                executor.made.try_reserve(length - executor.made.len())?;
                executor.made.resize(length, 0);
            }
            let mut constants = Constants::read_only(&executor.rows);
            let outputs = Outputs::interleaved(&mut executor.made[..length], &list[..*count]);
            let outcome = program.run_on(&mut executor.worker, &mut constants, inputs, &outputs)?;
            Ok::<_, StreamError>((form, outcome))
        })?;
        self.stats.count(outcome);
        self.stats.batches += 1;
        self.stats.vertices += inputs.count as u64;
        Ok(Sent { form, count: inputs.count, words: &self.made[..form.words() * inputs.count] })
    }

    /// The plan of vertices.
    pub(super) fn plan(&mut self, format: Format) -> usize {
        if let Some((known, at)) = self.plan
            && known == format
        {
            return at;
        }
        self.place = None;
        let (vcd, vat, dialect) = format;
        let key = (vcd, canonical(vcd, vat, dialect), dialect);
        let at = self.plans.find(&key).unwrap_or_else(|| self.plans.keep(key, Plan::new(vcd, vat, dialect)));
        self.plan = Some((format, at));
        at
    }

    /// The handle of the configuration in force, for vertices of a form.
    pub(super) fn program(&mut self, vertices: Vertices) -> usize {
        if let Some((known, at)) = self.program
            && known == vertices
        {
            return at;
        }
        self.place = None;
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
            let (sent, placed, indexed) = (register_list(mask), Vec::new(), Indexed::default());
            self.programs.keep(setup, Handle { mask, sent, program, placed, indexed })
        });
        self.program = Some((vertices, at));
        at
    }

    /// Which of a handle's layouts the vertices of a plan have, of which so many more are drawn; none if nothing would be won.
    fn place(&mut self, plan: usize, at: usize, count: u16) -> Option<usize> {
        let place = match self.place {
            Some(place) => place,
            None => self.find_place(plan, at),
        }?;
        let placed = &mut self.programs[at].1.placed[place];
        placed.vertices = placed.vertices.saturating_add(count.into());
        if placed.vertices < self.hot {
            return None;
        }
        if placed.program.is_none() {
            self.prepare_place(at, place);
        }
        Some(place)
    }

    #[cold]
    fn find_place(&mut self, plan: usize, at: usize) -> Option<usize> {
        let handle = &mut self.programs[at].1;
        let layout = self.plans[plan].1.layout(handle.program.live_inputs());
        let place = if layout.is_rows() || !self.engine.makes_code() {
            None
        } else {
            Some(handle.placed.iter().position(|placed| placed.layout == layout).unwrap_or_else(|| {
                if handle.placed.len() == KEPT_LAYOUTS {
                    handle.placed.clear();
                }
                handle.placed.push(Placed { layout, vertices: 0, program: None });
                handle.placed.len() - 1
            }))
        };
        self.place = Some(place);
        place
    }

    #[cold]
    fn prepare_place(&mut self, at: usize, place: usize) {
        let (setup, handle) = &mut self.programs[at];
        let placed = &mut handle.placed[place];
        self.stats.resolved += 1;
        let program = self.engine.shader(&Shader::from(*setup).with_inputs(placed.layout));
        self.engine.warm(std::slice::from_ref(&program), false);
        placed.program = Some(program);
    }
}
