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
    /// The vertex half of the GameCube's or the Wii's chip as a device: bytes of commands in, finished vertices out. Only one call at a
    /// time may have it; a second one returns XFJIT_E_BUSY.
    Owned xfjit_flipper(b"xfflip01", "flipper") { state: Exclusive<State> }
}

record! {
    TRIANGLE;
    /// A triangle of a draw.
    struct xfjit_flipper_triangle {
        /// Its vertices, by their place among those of the draw.
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
    let busy = || Failure::new(XFJIT_E_BUSY, "another call has this flipper");
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
    /// Makes a unit after reset, all of whose words are zero. `options` may be null: the GameCube's, with the default of each choice. Any
    /// thread.
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
    /// Ends a unit; a null pointer is none. One thread, while no other uses the handle.
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
    /// Declares how the vertices of draws leave: `count` elements of `element_size` bytes, sizeof(xfjit_flipper_element), all of them of
    /// outputs (XFJIT_FLIPPER_OUT). What is in none of them is not computed. `triangles` is not 0 if triangles are wanted too. At first
    /// there are no elements and no triangles. A layout is refused in which 65,535 vertices would take more than 256 MiB. One thread at a
    /// time.
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
    /// Loads a register of the command processor (0 to 0xff), as command 08 does. Bits that it does not have are dropped. One thread
    /// at a time.
    fn xfjit_flipper_load_cp(flipper: *mut xfjit_flipper, number: u32, value: u32) -> xfjit_status {
        call(|| {
            let mut state = enter(&flipper)?;
            state.unit.fifo.processor.registers.load(register(number)?, value);
            Ok(())
        })
    }
    /// Reads a register of the command processor; 0 where there is none. One thread at a time.
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
    /// Loads `count` words of the transform unit (0 to 0xffff), from an address on, as command 10 does. What is not there is dropped. One
    /// thread at a time.
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
    /// Reads `count` words of the transform unit, from an address on; zeros where there are none. One thread at a time.
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
    /// Writes the state, if there is room for it: registers, words, bytes that wait for the rest of their command. Returns how many bytes
    /// that takes, or 0 if something is wrong. One thread at a time.
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
    /// Takes a saved state. Options and layout stay. One thread at a time.
    fn xfjit_flipper_load(flipper: *mut xfjit_flipper, bytes: *const c_void, size: usize) -> xfjit_status {
        call(|| {
            let (mut state, bytes) = (enter(&flipper)?, bytes.bytes());
            // SAFETY: `size` bytes are at `bytes`.
            let bytes = unsafe { bytes.slice(size, "bytes") }?;
            state.unit.restore(bytes).map_err(|error| Failure::new(XFJIT_E_STATE, error))
        })
    }
    /// Records draws from now on, and what they depend on, whatever state the unit is in: `record` is handed bytes of a capture, as by
    /// xfjit_unit_record, and in the end by xfjit_flipper_record_end. A recording that there is goes on no more, and is not ended, even
    /// if this one does not begin because `record` refuses the bytes (XFJIT_E_FILE). Destroying the unit drops what has not been handed
    /// over. One thread at a time.
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
    /// Ends the recording, if there is one: `record` is handed the rest, then a null pointer. XFJIT_E_FILE if it does not take them;
    /// there is no recording any more then, either. One thread at a time.
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
