//! Flipper as a device: the handle, its registers, its states and recordings.

use crate::engine::xfjit_engine;
use crate::exclusive::{Entered, Exclusive};
use crate::export::functions;
use crate::flipper_layout::{layout, refused, xfjit_flipper_element};
use crate::flipper_options::{Choices, choices, xfjit_flipper_options};
use crate::handle::handle;
use crate::lent::LentMut;
use crate::sink::{Sink, not_taken, tell_end, xfjit_record};
use crate::status::{Failure, XFJIT_E_BUSY, XFJIT_E_STATE, argument, call, count, xfjit_status};
use crate::table::record;
use std::ffi::c_void;
use std::io;
use xfjit::capture::FlipperWriter;
use xfjit::flipper::FlipperUnit;

handle! { FLIPPER =
    /// The vertex part of the GameCube's or the Wii's graphics chip as a device: it takes bytes of commands and returns finished vertices.
    /// Only one call at a time may use it. A second call returns XFJIT_E_BUSY.
    Owned xfjit_flipper(b"xfflip01", "flipper") { state: Exclusive<State> }
}

record! {
    TRIANGLE;
    /// A triangle of a draw.
    struct xfjit_flipper_triangle {
        /// The positions of its vertices among those of the draw.
        vertices: [u32; 3],
        /// XFJIT_FLIPPER_BACK, XFJIT_FLIPPER_REJECTED, or-ed.
        flags: u32,
    }
}

impl std::fmt::Debug for xfjit_flipper_triangle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {:#x}", self.vertices, self.flags)
    }
}

/// A unit, how its draws leave, and where what happens to it is recorded.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) unit: FlipperUnit,
    /// Whether triangles are wanted.
    pub(crate) triangles: bool,
    /// The triangles of a draw: memory of the next one.
    pub(crate) found: Vec<xfjit_flipper_triangle>,
    recording: Option<FlipperWriter<Sink>>,
}

impl State {
    /// Hands over what has been recorded since the last time; if it is not taken, the recording is over, and its taker knows.
    pub(crate) fn hand_over(&mut self) {
        let _ = self.take_recorded();
    }

    fn take_recorded(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.recording else { return Ok(()) };
        let taken = writer.take(&mut self.unit);
        if taken.is_err() {
            self.forget_recording();
        }
        taken
    }

    fn forget_recording(&mut self) {
        self.recording = None;
        self.unit.recorded();
    }
}

/// What is inside of a handle, for one call.
pub(crate) fn enter<'a>(flipper: &'a LentMut<'_, xfjit_flipper>) -> Result<Entered<'a, State>, Failure> {
    let busy = || Failure::new(XFJIT_E_BUSY, "another call is using this flipper");
    flipper.handle()?.state.enter().ok_or_else(busy)
}

/// The number of a register of the command processor.
fn register(number: u32) -> Result<u8, Failure> {
    u8::try_from(number)
        .map_err(|_| argument(format_args!("there is no register {number:#x}; they are 0 to 0xff")))
}

/// The address of a word of the transform unit.
fn address(number: u32) -> Result<u16, Failure> {
    u16::try_from(number)
        .map_err(|_| argument(format_args!("there is no address {number:#x}; they are 0 to 0xffff")))
}

functions! {
    FUNCTIONS;
    /// Creates a unit in its state after reset, with all words zero. If `options` is null, the console is the GameCube, and each choice has
    /// its default. Any thread.
    fn xfjit_flipper_create(engine: *mut xfjit_engine, options: *const xfjit_flipper_options, flipper: *mut *mut xfjit_flipper) -> xfjit_status {
        call(|| {
            let flipper = flipper.out("flipper")?;
            let engine = engine.handle()?.get();
            let Choices { console, hot, held, transform, processor } = match options.is_null() {
                true => Choices::default(),
                false => choices(&options.record()?)?,
            };
            let mut unit = FlipperUnit::new(engine, processor, transform).of_console(console);
            if let Some(hot) = hot {
                unit.set_hot(hot);
            }
            if let Some(held) = held {
                unit.set_held(held);
            }
            unit.set_outputs(0);
            let state = State { unit, triangles: false, found: Vec::new(), recording: None };
            flipper.give(xfjit_flipper::new(Exclusive::new(state)));
            Ok(())
        })
    }
    /// Destroys a unit. A null pointer has no effect. One thread, while no other uses the handle.
    fn xfjit_flipper_destroy(flipper: *mut xfjit_flipper) -> xfjit_status {
        call(|| {
            if flipper.is_null() {
                return Ok(());
            }
            // Nobody gets in any more.
            enter(&flipper)?.stay();
            flipper.end()
        })
    }
    /// Declares the layout in which draws output their vertices: `count` elements of element_size bytes, sizeof(xfjit_flipper_element). All
    /// elements must be outputs (XFJIT_FLIPPER_OUT). The unit does not compute outputs that are in no element. If `triangles` is not 0,
    /// draws also return triangles. At first there are no elements and no triangles. A layout is refused if 65,535 vertices would take more
    /// than 256 MiB. One thread at a time.
    fn xfjit_flipper_set_layout(flipper: *mut xfjit_flipper, elements: *const xfjit_flipper_element, element_size: u32, count: usize, triangles: i32) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let layout = layout(&elements, element_size, count)?;
            let outputs = layout.outputs();
            state.unit.set_layout(layout).map_err(refused)?;
            state.unit.set_outputs(outputs);
            state.triangles = triangles != 0;
            Ok(())
        })
    }
    /// Loads a register of the command processor (0 to 0xff), as command 08 does. Bits that the register lacks are dropped. One thread at a
    /// time.
    fn xfjit_flipper_load_cp(flipper: *mut xfjit_flipper, number: u32, value: u32) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            state.unit.fifo.processor.registers.load(register(number)?, value);
            Ok(())
        })
    }
    /// Reads a register of the command processor. Registers that do not exist read as 0. One thread at a time.
    fn xfjit_flipper_read_cp(flipper: *mut xfjit_flipper, number: u32, value: *mut u32) -> xfjit_status {
        call(|| {
            let state = enter(&flipper)?;
            let number = register(number)?;
            let held = state.unit.fifo.processor.registers.read(number);
            // SAFETY: there is room for one at `value`.
            unsafe { value.slice(1, "value") }?.fill(held);
            Ok(())
        })
    }
    /// Loads `count` words of the transform unit, beginning at address `first` (0 to 0xffff), as command 10 does. Words for addresses that
    /// do not exist are dropped. One thread at a time.
    fn xfjit_flipper_load_xf(flipper: *mut xfjit_flipper, first: u32, words: *const u32, count: usize) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let first = address(first)?;
            // SAFETY: `count` words are at `words`.
            let words = unsafe { words.slice(count, "words") }?;
            state.unit.load(first, &words[..words.len().min(usize::from(u16::MAX - first) + 1)]);
            Ok(())
        })
    }
    /// Reads `count` words of the transform unit, beginning at address `first`. Addresses that do not exist read as zeros. One thread at a
    /// time.
    fn xfjit_flipper_read_xf(flipper: *mut xfjit_flipper, first: u32, words: *mut u32, count: usize) -> xfjit_status {
        call(|| {
            let state = enter(&flipper)?;
            let first = usize::from(address(first)?);
            // SAFETY: there is room for `count` words at `words`.
            let words = unsafe { words.slice(count, "words") }?;
            let held = state.unit.words().words();
            for (at, word) in words.iter_mut().enumerate() {
                *word = first.checked_add(at).and_then(|at| held.get(at)).copied().unwrap_or(0);
            }
            Ok(())
        })
    }
    /// Writes the state, if it fits: registers, words, and bytes that wait for the rest of their command. Returns the size of the state in
    /// bytes, or 0 on an error. One thread at a time.
    fn xfjit_flipper_save(flipper: *mut xfjit_flipper, bytes: *mut c_void, size: usize) -> usize {
        count(|| {
            let saved = enter(&flipper)?.unit.save();
            if saved.len() <= size {
                // SAFETY: `size` bytes are at `bytes`, which are no fewer.
                unsafe { bytes.bytes().slice(saved.len(), "bytes") }?.copy_from_slice(&saved);
            }
            Ok(saved.len())
        })
    }
    /// Loads a saved state. Options and layout stay unchanged. One thread at a time.
    fn xfjit_flipper_load(flipper: *mut xfjit_flipper, bytes: *const c_void, size: usize) -> xfjit_status {
        call(|| {
            let (mut state, bytes) = (enter(&flipper)?, bytes.bytes());
            // SAFETY: `size` bytes are at `bytes`.
            let bytes = unsafe { bytes.slice(size, "bytes") }?;
            state.unit.restore(bytes).map_err(|error| Failure::new(XFJIT_E_STATE, error))
        })
    }
    /// Records draws from now on, and everything that they depend on, whatever the state of the unit. `record` receives bytes of a capture,
    /// as from xfjit_unit_record, and the rest from xfjit_flipper_record_end. An existing recording is abandoned without its end marker,
    /// even if the new one does not begin because `record` refuses the bytes (XFJIT_E_FILE). Destroying the unit drops bytes that have not
    /// been passed on. One thread at a time.
    fn xfjit_flipper_record(flipper: *mut xfjit_flipper, record: xfjit_record, user: *mut c_void) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            let sink = Sink::new(record, user.as_ptr())?;
            state.forget_recording();
            state.recording = Some(FlipperWriter::new(sink).map_err(not_taken)?);
            state.unit.record();
            state.take_recorded().map_err(not_taken)
        })
    }
    /// Ends the recording, if one is in progress: `record` receives the rest, then a null pointer. Returns XFJIT_E_FILE if `record` refuses
    /// the bytes; the recording ends then, too. One thread at a time.
    fn xfjit_flipper_record_end(flipper: *mut xfjit_flipper) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            state.take_recorded().map_err(not_taken)?;
            let rest = state.unit.recorded();
            let Some(mut writer) = state.recording.take() else { return Ok(()) };
            let mut items = rest.iter().flat_map(|trace| &trace.items);
            items.try_for_each(|item| writer.item(item)).map_err(not_taken)?;
            writer.finish().and_then(|sink| tell_end(&sink)).map_err(not_taken)
        })
    }
}
