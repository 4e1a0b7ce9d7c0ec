//! Flipper's vertex half as a device: it takes commands and returns finished vertices.

use super::command::{Draw, Incomplete};
use super::execute::Executor;
use super::fifo::{Fifo, Progress};
use super::held::MOST;
use super::layout::{Layout, LayoutError};
use super::memory::Memory;
use super::output::Output;
use super::processor::{Budget, Sink};
use super::record::Recorder;
use super::registers::{NormalCache, Registers};
use super::storing::{Outlet, Storing};
use super::trace::{Item, Trace};
use crate::engine::Engine;
use crate::shader::Cancel;
use crate::xf::UnitStats;
use std::sync::Arc;
use xfjit_isa::chip::flipper::Console;
use xfjit_isa::chip::flipper::memory::Memory as Words;
use xfjit_isa::config::FlipperQuirks;
use xfjit_isa::config::{Dialect, ProcessorQuirks as Quirks};

/// The command processor with everything that brings it commands, and the transform unit.
///
/// ```
/// use std::sync::Arc;
/// use xfjit::chip::flipper::output;
/// use xfjit::config::FlipperQuirks;
/// use xfjit::flipper::{Budget, FlipperUnit, Output, Quirks};
/// use xfjit::{Engine, Options};
///
/// let engine = Arc::new(Engine::new(Options::default()));
/// let mut unit = FlipperUnit::new(engine, Quirks::default(), FlipperQuirks::SPEC);
/// let one = 1.0f32.to_bits();
/// let mut stream = Vec::new();
/// // Vertices have a position: three bytes each.
/// stream.extend([8, 0x50, 0, 0, 2, 0, 8, 0x70, 0, 0, 0, 1]);
/// // The position's matrix, its first row alone: x, and 1.
/// stream.extend([0x10, 0, 3, 0, 0]);
/// [one, 0, 0, one].iter().for_each(|word| stream.extend(word.to_be_bytes()));
/// // Two points.
/// stream.extend([0xb8, 0, 2, 5, 0, 0, 6, 0, 0]);
/// let mut seen = Vec::new();
/// let used = unit.run(&stream, &[], Budget::NONE, |output| {
///     if let Output::Drawn(drawn) = output {
///         let eye = |at| drawn.vertices.register(at, output::EYE as u8).map(|[x, ..]| f32::from_bits(x));
///         seen.extend((0..drawn.vertices.count).filter_map(eye));
///     }
/// });
/// assert_eq!((used, seen), (stream.len(), vec![6.0, 7.0]));
/// ```
///
/// Any stream has a defined result, and nothing outside of the lent memory is read.
#[derive(Debug)]
pub struct FlipperUnit {
    /// The command processor: its registers and rings. [`FlipperUnit::run_fifo`] runs the blocks in its ring.
    pub fifo: Fifo,
    pub(super) executor: Executor,
    storing: Storing,
    recorder: Option<Recorder>,
    cancel: Option<Cancel>,
    was_cancelled: bool,
}

impl FlipperUnit {
    /// Creates a unit in its state after reset, with all words zero (UNKNOWN: what they hold on the console). Units may share an engine.
    pub fn new(engine: Arc<Engine>, quirks: Quirks, arithmetic: FlipperQuirks) -> FlipperUnit {
        let (fifo, executor) = (Fifo::new(quirks), Executor::new(engine, arithmetic));
        let storing = Storing::default();
        FlipperUnit { fifo, executor, storing, recorder: None, cancel: None, was_cancelled: false }
    }

    /// Sets the console whose addresses the unit has; the default is the GameCube. UNKNOWN: pointers of rings on the Wii; here they have
    /// the bits of the GameCube's.
    #[must_use]
    pub fn of_console(mut self, console: Console) -> FlipperUnit {
        self.fifo.processor.registers.console = console;
        self
    }

    /// Sets which registers of [`xfjit_isa::chip::flipper::output`] are output, as a mask; at first all are. Those that decide about
    /// triangles are always output. Outputs that are not requested are not computed.
    pub fn set_outputs(&mut self, mask: u32) {
        self.executor.set_outputs(mask);
    }

    /// Sets how the vertices of draws are stored for the host ([`Drawn::stored`](super::Drawn::stored)); at first they are not stored.
    /// Draws that run together are stored together, if each vertex fits into the bytes from one to the next. Outputs that the unit does not
    /// send ([`FlipperUnit::set_outputs`]) are zeros.
    ///
    /// # Errors
    /// A layout with attributes, or one for which draws would take more than [`Layout::MOST_KEPT`] bytes. On an error, the previous layout
    /// stays.
    pub fn set_layout(&mut self, layout: Layout) -> Result<(), LayoutError> {
        layout.check_sources(true)?;
        layout.check_width()?;
        self.storing = Storing::new(layout);
        Ok(())
    }

    /// Sets after how many vertices, drawn in one configuration and one format, the unit gets code that reads them in place; `u64::MAX`:
    /// never. Before that, and for elements that are not whole in memory, the unit copies them into columns. After a thirty-second of that
    /// number, drawn in small draws with loads of matrices between them, it gets code for vertices with an index of their matrix
    /// ([`FlipperUnit::set_held`]). The output is the same.
    pub fn set_hot(&mut self, vertices: u64) {
        self.executor.set_hot(vertices);
    }

    /// The most vertices that are held.
    pub const MOST_HELD: u32 = MOST as u32;

    /// Sets up to how many vertices a drawing command is held: 32 at first, at most [`FlipperUnit::MOST_HELD`]; 0: none is held. Held
    /// commands that follow each other within one call, in one configuration, run together: before any other output, before any load that
    /// they would see, and after the last command of the call. The output and its order are the same. A unit with a flag
    /// ([`FlipperUnit::set_cancel`]) holds nothing.
    pub fn set_held(&mut self, vertices: u16) {
        self.executor.set_held(vertices);
    }

    /// Lets another thread end calls that run commands ([`FlipperUnit::run`], [`FlipperUnit::feed`], [`FlipperUnit::run_fifo`]). They check
    /// the flag before each command, and end as if their budget were used up, so nothing is lost. A drawing command is not divided; it has
    /// at most 65,535 vertices.
    pub fn set_cancel(&mut self, cancel: Option<Cancel>) {
        self.cancel = cancel;
    }

    /// Whether the flag has ended the last call that ran commands.
    pub fn was_cancelled(&self) -> bool {
        self.was_cancelled
    }

    /// The counters of the unit. Batches are draws.
    pub fn stats(&self) -> UnitStats {
        self.executor.stats
    }

    /// The words of the transform unit.
    pub fn words(&self) -> &Words {
        self.executor.words()
    }

    /// Loads words of the transform unit, outside of the commands. Words for addresses that do not exist are dropped.
    pub fn load(&mut self, address: u16, words: &[u32]) {
        self.executor.load(address, words);
    }

    /// Runs the commands of a stream, as [`Processor::run`](super::Processor::run) does, and passes on the output. Returns how many bytes
    /// it has used; an incomplete command is not used.
    pub fn run<'m>(
        &mut self,
        stream: &[u8],
        memory: impl Into<Memory<'m>>,
        budget: Budget,
        take: impl FnMut(Output<'_>),
    ) -> usize {
        self.run_within(stream, memory.into(), &mut { budget.0 }, take)
    }

    /// Runs commands as far as a budget goes, and tells what is left of it.
    pub(super) fn run_within(
        &mut self,
        stream: &[u8],
        memory: Memory<'_>,
        left: &mut u64,
        take: impl FnMut(Output<'_>),
    ) -> usize {
        self.within(memory, take, |fifo, sink| fifo.processor.run_within(stream, memory, sink, left))
    }

    /// Runs the commands of blocks in the ring, as [`Fifo::run`] does, and passes on the output.
    pub fn run_fifo<'m>(
        &mut self,
        memory: impl Into<Memory<'m>>,
        budget: Budget,
        take: impl FnMut(Output<'_>),
    ) -> Progress {
        let memory = memory.into();
        self.within(memory, take, |fifo, sink| fifo.run(memory, sink, budget))
    }

    /// Runs a single drawing command, 0x80 to 0xbf; of another opcode the upper two bits are taken to be these. The unit then keeps the normals
    /// of its last vertex.
    ///
    /// # Errors
    /// The command has fewer bytes than its vertices. On an error, nothing has happened.
    pub fn draw<'m>(
        &mut self,
        opcode: u8,
        count: u16,
        bytes: &[u8],
        memory: impl Into<Memory<'m>>,
        take: impl FnMut(Output<'_>),
    ) -> Result<(), Incomplete> {
        let memory = memory.into();
        let opcode = 0x80 | opcode & 0x3f;
        self.within(memory, take, |fifo, sink| {
            let draw = Draw::new(&fifo.processor.registers, opcode, count, bytes)?;
            fifo.processor.draw(&draw, memory, sink);
            Ok(())
        })
    }

    /// Records everything that draws depend on from now on, and draws.
    pub fn record(&mut self) {
        self.recorder = Some(Recorder::default());
    }

    /// Ends the recording, if one is in progress.
    pub fn recorded(&mut self) -> Option<Trace> {
        let mut recorder = self.recorder.take()?;
        recorder.note_state(&self.fifo.processor.registers, self.executor.words());
        Some(recorder.into_trace())
    }

    /// Passes on what has been recorded since the last call, so a recording of any length needs only memory for what happens between calls,
    /// and for the guest's memory. [`FlipperUnit::recorded`] returns the rest.
    pub fn drain_recorded(&mut self, take: impl FnMut(&Item)) {
        if let Some(recorder) = &mut self.recorder {
            recorder.drain(take);
        }
    }

    pub(super) fn hand_on_bp(&mut self, register: u8, value: u32, take: impl FnMut(Output<'_>)) {
        self.split(Memory::default(), take).1.load_bp(register, value);
    }

    pub(super) fn hand_on_invalidation(&mut self, take: impl FnMut(Output<'_>)) {
        self.split(Memory::default(), take).1.invalidate_vertices();
    }

    /// Runs commands. Behind them nothing is held any more, and the registers have all that is kept.
    fn within<'a, T: FnMut(Output<'_>), R>(
        &'a mut self,
        memory: Memory<'a>,
        take: T,
        run: impl FnOnce(&mut Fifo, &mut Handing<'a, T>) -> R,
    ) -> R {
        let (fifo, mut sink) = self.split(memory, take);
        let result = run(fifo, &mut sink);
        let normals = sink.finish();
        fifo.processor.registers.keep(normals);
        result
    }

    fn split<'a, T: FnMut(Output<'_>)>(
        &'a mut self,
        memory: Memory<'a>,
        take: T,
    ) -> (&'a mut Fifo, Handing<'a, T>) {
        let FlipperUnit { fifo, executor, storing, recorder, cancel, was_cancelled } = self;
        let dialect = fifo.processor.quirks.dialect;
        *was_cancelled = false;
        // The caller's function may have panicked.
        executor.clear_held();
        let (recorder, cancel) = (recorder.as_mut(), cancel.as_ref());
        let outlet = Outlet { memory, storing, take };
        (fifo, Handing { executor, recorder, cancel, was_cancelled, dialect, outlet })
    }
}

/// What the commands of one call are handed to.
struct Handing<'a, T> {
    executor: &'a mut Executor,
    recorder: Option<&'a mut Recorder>,
    cancel: Option<&'a Cancel>,
    was_cancelled: &'a mut bool,
    dialect: Dialect,
    outlet: Outlet<'a, T>,
}

impl<T: FnMut(Output<'_>)> Handing<'_, T> {
    /// Runs the draws that are held, and hands them on.
    fn run_held(&mut self) {
        self.executor.run_held(&mut self.outlet);
    }

    /// Does so at the end of a call, and tells what is kept of normals that the registers do not have yet.
    fn finish(mut self) -> NormalCache {
        self.run_held();
        self.executor.late_normals().unwrap_or_default()
    }

    /// Hands on something that is no draw.
    fn hand_on(&mut self, output: Output<'_>) {
        self.run_held();
        (self.outlet.take)(output);
    }
}

impl<T: FnMut(Output<'_>)> Sink for Handing<'_, T> {
    fn load_xf(&mut self, address: u16, words: &[u32]) {
        self.executor.load_between(address, words, &mut self.outlet);
    }

    fn load_bp(&mut self, register: u8, value: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.note_bp(register, value);
        }
        self.hand_on(Output::LoadBp(register, value));
    }

    fn call(&mut self, address: u32, bytes: u32) {
        self.hand_on(Output::Call(address, bytes));
    }

    fn invalidate_vertices(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.note_invalidation();
        }
        self.hand_on(Output::InvalidateVertices);
    }

    fn unknown(&mut self, byte: u8) {
        self.hand_on(Output::Unknown(byte));
    }

    fn is_cancelled(&mut self) -> bool {
        *self.was_cancelled |= self.cancel.is_some_and(Cancel::is_cancelled);
        *self.was_cancelled
    }

    fn settle(&mut self, registers: &Registers, draw: &Draw<'_>) -> Option<NormalCache> {
        // The flag is looked at before each command, and what leaves with one may raise it. What is recorded has all that is kept.
        match self.cancel.is_none() && self.recorder.is_none() {
            true => self.executor.settle(registers, draw, self.dialect, &mut self.outlet),
            false => None,
        }
    }

    fn draw(&mut self, registers: &Registers, draw: &Draw<'_>, memory: Memory<'_>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.note_state(registers, self.executor.words());
            recorder.note_draw(registers, draw, memory, self.dialect);
        }
        match self.executor.holds() {
            true => self.executor.hold(registers, draw, self.dialect, &mut self.outlet),
            false => self.outlet.draw(self.executor.draw(registers, draw, memory, self.dialect)),
        }
    }

    fn puts_off_normals(&self) -> bool {
        self.executor.holds()
    }
}
