//! The XF unit as a device: it takes commands and returns finished vertices.
//!
//! ```
//! use std::sync::Arc;
//! use xfjit::xf::{Chip, Command, Output, Type, XfUnit};
//! use xfjit::{asm, Engine, Generation, Options, isa};
//!
//! let engine = Arc::new(Engine::new(Options::default()));
//! let mut unit = XfUnit::new(engine, Chip::Nv2a);
//!
//! // A program: the position, moved by a constant.
//! let program = asm::parse(Generation::Kelvin, "ADD oPos, v0, c[96]").unwrap();
//! for (slot, words) in isa::encode(Generation::Kelvin, &program).chunks(4).enumerate() {
//!     unit.command(Command::pair(Type::Xfpr, slot as u16, 0, [words[0], words[1]]));
//!     unit.command(Command::pair(Type::Xfpr, slot as u16, 2, [words[2], words[3]]));
//! }
//! // XFMODE: B selects programs and full access to constants, A the start slot.
//! unit.command(Command::pair(Type::Mode, 0, 0, [2 << 30 | 1 << 18, 0]));
//! unit.command(Command::pair(Type::Mode, 0, 2, [0, 0]));
//! // A constant: it takes effect with its fourth word.
//! let one = 1.0f32.to_bits();
//! unit.command(Command::pair(Type::Xfctx, 96, 0, [one, one]));
//! unit.command(Command::pair(Type::Xfctx, 96, 2, [one, 0]));
//!
//! // Two vertices. Components that are not written are 0, 0 and 1.
//! for x in [1.0f32, 2.0] {
//!     unit.command(Command::word(Type::Vab, 0, 0, x.to_bits()));
//!     unit.vertex();
//! }
//! let mut positions = Vec::new();
//! unit.drain(|output| {
//!     if let Output::Vertices(vertices) = output {
//!         positions.extend((0..vertices.count).filter_map(|i| vertices.register(i, 0)));
//!     }
//! });
//! assert_eq!(positions.iter().map(|row| row.map(f32::from_bits)).collect::<Vec<_>>(),
//!     [[2.0, 1.0, 1.0, 1.0], [3.0, 1.0, 1.0, 1.0]]);
//! ```
//!
//! Emulators that fetch vertex arrays themselves pass them whole to [`XfUnit::draw`]. Emulators that see FE3D methods may use
//! [`methods::Methods`]. `docs/XF.md` lists every rule, and says which of them are known.

mod after_program;
mod batch;
mod command;
mod draw;
mod execute;
mod fixed;
mod item;
pub mod methods;
mod mode;
mod output;
mod pass;
mod pipe;
mod ram;
mod rdi;
mod register;
mod snapshot;
pub mod trace;
mod vab;

pub use after_program::{Behind, Choices, Unwritten};
pub use command::{Command, CommandError, Payload, Type};
pub use draw::MOST_VERTICES;
pub use execute::UnitStats;
pub(crate) use output::register_list;
pub use output::{Form, Output, Vertices};
pub use pipe::ReadError;
pub use ram::initial_constants;
pub use rdi::{RdiError, Space};
pub use register::Register;
pub use snapshot::RestoreError;
pub use trace::Trace;
pub use vab::celsius;
pub use xfjit_isa::chip::{Chip, Family, Sizes};

use crate::engine::Engine;
use batch::Batch;
use execute::Executor;
use item::Item;
use output::Queue;
use ram::{Change, Ram};
use register::Registers;
use std::sync::Arc;
use vab::Vab;
use xfjit_core::shader::Cancel;
use xfjit_isa::chip::Generation;
use xfjit_isa::chip::output_map::OutputMap;
use xfjit_isa::config::{Config, FixedQuirks};
use xfjit_isa::isa::convert::kelvin_slot_to_rankine;
use xfjit_runtime::batch::StreamError;
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::list::IndexList;
use xfjit_runtime::state::{ATTRIBUTES, Row};
use xfjit_runtime::texture::{Texture, TextureError};

/// Vertices that a unit collects before it runs them.
pub const BATCH: usize = batch::CAPACITY;

/// An XF unit.
///
/// Any sequence of calls is defined. Memory grows only with output that has not been drained.
#[derive(Debug)]
pub struct XfUnit {
    ram: Ram,
    registers: Registers,
    vab: Vab,
    /// The passthrough slot; on Curie, where VAB has none, a register in its place (UNKNOWN: how Curie gathers words).
    pass: Row,
    rdi: rdi::Staging,
    batch: Batch,
    /// The index list of a draw.
    list: IndexList,
    queue: Queue,
    executor: Executor,
    /// Pending vertices may write constants: no write is without effect then.
    constant_writes: bool,
    recording: Option<Vec<Item>>,
}

impl XfUnit {
    /// Creates a unit in its state after reset, with all memories zero (UNKNOWN: what they hold on silicon). Units may share an engine.
    pub fn new(engine: Arc<Engine>, chip: Chip) -> Self {
        let generation = chip.family().microcode().unwrap_or(Generation::Kelvin);
        XfUnit {
            ram: Ram::new(chip),
            registers: Registers::new(chip),
            vab: Vab::new(chip),
            pass: [0; 4],
            rdi: rdi::Staging::default(),
            batch: Batch::new(),
            list: IndexList::new(),
            queue: Queue::default(),
            executor: Executor::new(engine, chip, Config::new(generation)),
            constant_writes: false,
            recording: None,
        }
    }

    /// Sets the model of arithmetic, and the choices for unknown behaviour of the chip. Commands decide everything else (access to
    /// constants, outputs, arithmetic rules, timeout ...); the layout of outputs is rows.
    #[must_use]
    pub fn with_config(mut self, config: Config) -> Self {
        self.flush();
        self.executor.set_base(config);
        self
    }

    /// Sets the choices for unknown behaviour of the chip's fixed function.
    #[must_use]
    pub fn with_fixed_quirks(mut self, quirks: FixedQuirks) -> Self {
        self.flush();
        self.executor.set_fixed_quirks(quirks);
        self
    }

    /// Limits the work of a batch or a draw, see [`Worker::set_slot_budget`](xfjit_core::backend::Worker::set_slot_budget). Vertices that
    /// do not run any more are output as zeros, and [`UnitStats::dropped`] counts them.
    pub fn set_slot_budget(&mut self, slots: Option<u64>) {
        self.flush();
        self.executor.set_slot_budget(slots);
    }

    /// Begins one draw of this many vertices, whatever the number of its parts: they share one slot budget and one overtime. Pass the
    /// returned value to [`XfUnit::end_draw`].
    #[doc(hidden)]
    pub fn begin_draw(&mut self, vertices: usize) -> bool {
        self.flush();
        self.executor.worker().begin_call(vertices)
    }

    /// Ends what [`XfUnit::begin_draw`] has begun.
    #[doc(hidden)]
    pub fn end_draw(&mut self, begun: bool) {
        self.executor.worker().end_call(begun);
    }

    /// Limits the overtime of a batch or a draw, see [`Worker::set_overtime`](xfjit_core::backend::Worker::set_overtime), which also gives
    /// the default. [`XfUnit::set_slot_budget`] says what happens to vertices that do not run any more.
    pub fn set_overtime(&mut self, slots: Option<u64>) {
        self.flush();
        self.executor.worker().set_overtime(slots);
    }

    /// Lets another thread cancel batches and draws, see [`Worker::set_cancel`](xfjit_core::backend::Worker::set_cancel).
    /// [`XfUnit::set_slot_budget`] says what happens to vertices that do not run any more. Commands still have their effect, but run no
    /// vertices while the flag is raised.
    pub fn set_cancel(&mut self, cancel: Option<Cancel>) {
        self.flush();
        self.executor.worker().set_cancel(cancel);
    }

    /// The chip of the unit.
    pub fn chip(&self) -> Chip {
        self.ram.chip
    }

    /// The counters of the unit.
    pub fn stats(&self) -> UnitStats {
        self.executor.stats
    }

    /// Reserves memory for the output of this many commands, of which `bundles` pass words through, and triggers. With it, no output is
    /// [dropped](UnitStats::dropped) because memory is missing. Without it, memory is allocated when it is needed.
    ///
    /// # Errors
    /// [`StreamError::OutOfMemory`].
    pub fn reserve(&mut self, commands: usize, bundles: usize, vertices: usize) -> Result<(), StreamError> {
        if let Some(items) = &mut self.recording {
            items.try_reserve(commands.saturating_add(vertices))?;
        }
        self.queue.reserve(vertices.saturating_add(self.batch.count()), bundles)
    }

    /// Executes a write command. Bits of slot and word that an address does not have are ignored.
    ///
    /// Inlined, so that a command which the caller has just made is not written to memory and read back.
    #[inline(always)]
    pub fn command(&mut self, command: Command) {
        let command = command.wired(self.ram.chip.family());
        if self.recording.is_some() {
            self.note(command);
        }
        if command.kind == Type::Vab {
            self.write_vab(&command);
        } else {
            self.execute_other(command);
        }
    }

    /// Executes a write command that FE has wrapped.
    ///
    /// # Errors
    /// The address belongs to something else. On an error, nothing has happened.
    pub fn wrapped(&mut self, address: u32, payload: Payload) -> Result<(), CommandError> {
        self.command(Command::wrapped(self.ram.chip.family(), address, payload)?);
        Ok(())
    }

    /// Starts a vertex with the current attributes of VAB. They do not include the passthrough slot.
    #[inline]
    pub fn vertex(&mut self) {
        if let Some(items) = &mut self.recording {
            items.push(Item::Vertex);
        }
        if self.batch.push(&self.vab.rows) {
            self.flush();
        }
    }

    /// Writes a register that commands do not reach. Bits that the chip lacks are dropped.
    pub fn set(&mut self, register: Register, value: u32) {
        if !register.matters(self.ram.chip) {
            return;
        }
        if let Some(items) = &mut self.recording {
            items.push(Item::Set(register, value));
        }
        let value = value & register.bits(self.ram.chip);
        if self.get(register) == value {
            return;
        }
        self.flush();
        match register {
            Register::Start => mode::set_start(&mut self.ram, &mut self.registers, value),
            register => self.registers.set(register, value),
        }
        self.mode_changed();
    }

    /// Sets the texture of a texture unit, which is copied, or removes it. TXL reads it; only Curie's programs use TXL. Without a texture
    /// they read (0, 0, 0, 1) (UNKNOWN). Textures of a draw's own inputs take precedence. Textures are the guest's memory, so states and
    /// recordings do not include them. Units from 4 on do not exist.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use xfjit::{Engine, Options};
    /// use xfjit::runtime::texture::{Texel, Texture};
    /// use xfjit::xf::{Chip, XfUnit};
    ///
    /// let mut unit = XfUnit::new(Arc::new(Engine::new(Options::default())), Chip::Nv43);
    /// let heights: Vec<u8> = [0.5f32, 1.5].into_iter().flat_map(f32::to_ne_bytes).collect();
    /// unit.set_texture(0, Some(&Texture::new(&heights, Texel::One, 2, 1, 8)?))?;
    /// # Ok::<(), xfjit::runtime::texture::TextureError>(())
    /// ```
    ///
    /// # Errors
    /// [`TextureError::Memory`] if there is no memory for the copy. Then the unit has the texture that it had.
    pub fn set_texture(&mut self, number: usize, texture: Option<&Texture<'_>>) -> Result<(), TextureError> {
        let copy = texture.map(Texture::copied).transpose()?;
        self.flush();
        if let Some(kept) = self.executor.textures.get_mut(number) {
            *kept = copy;
        }
        Ok(())
    }

    /// Reads a register that commands do not reach; 0 if the chip lacks it.
    pub fn get(&self, register: Register) -> u32 {
        match register {
            Register::Start => mode::start(&self.ram, &self.registers) as u32,
            register => self.registers.get(register),
        }
    }

    /// The generation of the programs that transform vertices, according to XFMODE or the execution mode; none if the fixed function or
    /// nothing transforms them.
    pub fn generation(&self) -> Option<Generation> {
        match mode::execution(&self.ram, &self.registers) {
            mode::Execution::Program(generation) => Some(generation),
            mode::Execution::Fixed | mode::Execution::Nothing => None,
        }
    }

    /// The meaning of Curie's output registers for the rasteriser; on other chips, the mapping that drivers write.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use xfjit::{Engine, Options};
    /// use xfjit::chip::output_map::VertexAttribute;
    /// use xfjit::xf::{Chip, Output, XfUnit};
    ///
    /// let mut unit = XfUnit::new(Arc::new(Engine::new(Options::default())), Chip::Nv43);
    /// unit.vertex();
    /// let map = unit.output_map();
    /// unit.drain(|output| {
    ///     if let Output::Vertices(vertices) = output {
    ///         let fog = map.value(VertexAttribute::Fog, |register| vertices.register(0, register));
    ///         assert_eq!(fog.map(f32::from_bits), [0.0, 0.0, 0.0, 1.0]);
    ///     }
    /// });
    /// ```
    pub fn output_map(&self) -> OutputMap {
        match self.ram.chip.family() {
            Family::Curie => self.registers.output_map(),
            _ => OutputMap::default(),
        }
    }

    /// An attribute in VAB; zero if it does not exist.
    pub fn attribute(&self, slot: usize) -> Row {
        self.vab.rows.get(slot).copied().unwrap_or_default()
    }

    /// The passthrough slot.
    pub fn pass(&self) -> Row {
        self.pass
    }

    /// A vector of XFMODE as written; zero if it does not exist.
    pub fn xfmode(&self, vector: usize) -> Row {
        self.ram.mode.get(vector).copied().unwrap_or_default()
    }

    /// A vector of XTRA; zero if it does not exist.
    pub fn xtra(&self, vector: usize) -> Row {
        self.ram.xtra.get(vector).copied().unwrap_or_default()
    }

    /// An instruction in XFPR, dword 0 first, with the bits that are not stored cleared; zero if the slot does not exist.
    pub fn xfpr(&self, slot: usize) -> Row {
        self.ram.xfpr.as_chunks::<4>().0.get(slot).copied().unwrap_or_default()
    }

    /// A row of XFCTX, after the pending vertices; zero if it does not exist.
    pub fn xfctx(&mut self, row: usize) -> Row {
        self.flush();
        self.ram.xfctx.row(row)
    }

    /// The rows of XFCTX that the chip has, after the pending vertices.
    pub fn constants(&mut self) -> &[Row] {
        self.flush();
        &self.ram.xfctx.rows()[..self.ram.sizes.xfctx]
    }

    /// One byte for each of these rows, after the pending vertices. It becomes 1 when a command, a program or a restored state writes the
    /// row (except that a command may leave it if it writes the same value). The caller clears it.
    pub fn constants_written(&mut self) -> &mut [u8] {
        self.flush();
        &mut self.ram.written[..self.ram.sizes.xfctx]
    }

    /// A row of LTCTX in LT's format, left-aligned; zero if it does not exist.
    pub fn ltctx(&self, row: usize) -> [u32; 3] {
        self.ram.ltctx.get(row).copied().unwrap_or_default()
    }

    /// A word of LTC0 to LTC3 in LT's format, left-aligned; zero if it does not exist.
    pub fn ltc(&self, memory: usize, slot: usize) -> u32 {
        self.ram.ltc.get(memory).and_then(|words| words.get(slot)).copied().unwrap_or_default()
    }

    /// Runs the pending vertices.
    pub fn flush(&mut self) {
        if self.batch.count() == 0 {
            return;
        }
        let (mut inputs, held) = self.batch.inputs(&self.vab.rows);
        let batch = (&mut inputs, held, InputLayout::ROWS);
        let result = self.executor.run(&mut self.ram, &self.registers, batch, &mut self.queue);
        debug_assert!(matches!(result, Ok(()) | Err(StreamError::OutOfMemory)), "columns hold every vertex");
        if result.is_err() {
            self.executor.stats.dropped += self.batch.count() as u64;
        }
        self.batch.clear();
    }

    /// Runs the pending vertices, and passes on everything that XF2VTX has carried since the last call, in order. Call this regularly,
    /// whatever the guest does: output that is not taken is kept.
    pub fn drain(&mut self, take: impl FnMut(Output<'_>)) {
        self.flush();
        self.queue.iter().for_each(take);
        self.queue.clear();
    }

    /// The number of words that wait to be drained, without those of pending vertices.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Discards output that waits to be drained.
    pub fn discard(&mut self) {
        self.flush();
        self.queue.clear();
    }

    /// Records everything from now on. If the unit is not in its state after reset, the recording begins with the items that restore its
    /// state.
    pub fn record(&mut self) {
        self.flush();
        self.recording = Some(self.as_items());
    }

    /// Ends the recording, if one is in progress.
    pub fn recorded(&mut self) -> Option<Trace> {
        self.recording.take().map(|items| Trace { chip: self.ram.chip, items })
    }

    /// Passes on the items that have been recorded since the last call, so a recording of any length needs memory only for these.
    /// [`XfUnit::recorded`] returns the rest.
    pub fn drain_recorded(&mut self, mut take: impl FnMut(&Item)) {
        if let Some(items) = &mut self.recording {
            items.iter().for_each(&mut take);
            items.clear();
        }
    }

    #[cold]
    #[inline(never)]
    fn note(&mut self, command: Command) {
        if let Some(items) = &mut self.recording {
            items.push(Item::Command(command));
        }
    }

    /// VAB: an attribute, or on chips that have it there the passthrough slot. UNKNOWN: writes to slots that do not
    /// exist are dropped.
    #[inline(always)]
    fn write_vab(&mut self, command: &Command) {
        if command.slot < self.vab.attributes() {
            let register = usize::from(command.slot) % ATTRIBUTES;
            self.batch.keep(register, &self.vab.rows[register]);
            self.vab.write(command);
        } else if command.slot == self.vab.attributes() && self.ram.chip.family() != Family::Curie {
            pass::store(&mut self.pass, command);
        }
    }

    #[inline(never)]
    fn execute_other(&mut self, command: Command) {
        let command = &command;
        if !command.kind.exists(self.ram.chip) {
            return pass::store(&mut self.pass, command);
        }
        match command.kind {
            Type::Run => self.run_state_program(command),
            Type::Sync => {
                pass::store(&mut self.pass, command);
                self.flush();
            }
            kind => {
                if !pass::gather(&mut self.pass, command) {
                    return;
                }
                if kind == Type::Passthru {
                    self.flush();
                    if self.queue.bundle([self.pass[0], self.pass[1]]).is_err() {
                        self.executor.stats.dropped += 1;
                    }
                    return;
                }
                self.commit(kind, command.slot);
            }
        }
    }

    /// Sends the passthrough slot to a memory.
    fn commit(&mut self, kind: Type, slot: u16) {
        if self.constant_writes {
            self.flush();
        }
        let Some(change) = self.ram.change(kind, slot, &self.sent(kind)) else { return };
        self.flush();
        self.ram.apply(&change);
        match change {
            Change::Mode(..) | Change::Xtra(..) => self.mode_changed(),
            Change::Xfpr(..) => self.executor.program_changed(),
            Change::Xfctx(..) | Change::Ltctx(..) | Change::Ltc(..) => {}
        }
    }

    /// What a memory of a type is sent: on Rankine instructions of Kelvin's class are translated on their way.
    fn sent(&self, kind: Type) -> Row {
        if kind == Type::Xfpr && self.registers.get(Register::Class) != 0 {
            return kelvin_slot_to_rankine(self.pass);
        }
        self.pass
    }

    fn mode_changed(&mut self) {
        self.constant_writes = mode::constant_writes(&self.ram);
        self.executor.mode_changed();
    }

    /// RUN: the lower bits of the payload are the start slot. UNKNOWN: which word of a pair; the first one here.
    fn run_state_program(&mut self, command: &Command) {
        self.flush();
        let (Payload::Word(start) | Payload::Pair([start, _])) = command.payload;
        let start = start & Register::Start.bits(self.ram.chip);
        self.executor.run_state_program(&mut self.ram, &self.registers, start as usize, self.pass);
    }
}
