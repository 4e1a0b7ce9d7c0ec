//! Running batches.

use crate::again::{self, Batch, Given};
use crate::batch::{Lent, Ran, outcome_of, xfjit_batch, xfjit_outcome};
use crate::draw;
use crate::indices::Lists;
use crate::memory;
use crate::program::xfjit_program;
use crate::record;
use crate::status::{
    Failure, XFJIT_E_CONSTANTS, XFJIT_E_INPUT, XFJIT_E_MEMORY, XFJIT_E_OUTPUT, argument, call, xfjit_status,
};
use crate::table::functions;
use crate::worker::{self, Working, xfjit_worker};
use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Range;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Output, Outputs, StreamError, registers};
use xfjit::runtime::bound::Needs;
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::{ATTRIBUTES, Row};

/// Registers of a vertex where all lie in a row, in and out.
const REGISTERS: usize = 16;
const _: () = assert!(REGISTERS == ATTRIBUTES);

/// What is wrong with streams.
#[cold]
pub(crate) fn refused(error: StreamError) -> Failure {
    let status = match error {
        StreamError::NoSuchOutput { .. }
        | StreamError::NoPlace { .. }
        | StreamError::OutputTooShort { .. }
        | StreamError::PlanesOverlap { .. }
        | StreamError::WrongLayout => XFJIT_E_OUTPUT,
        StreamError::WrongContext { .. }
        | StreamError::ConstantsAreReadOnly
        | StreamError::TooFewDirtyBytes { .. } => XFJIT_E_CONSTANTS,
        StreamError::OutOfMemory => XFJIT_E_MEMORY,
        _ => XFJIT_E_INPUT,
    };
    Failure::new(status, error)
}

/// Constants of the caller, which has as many as are needed ([`constants_lie`]).
///
/// # Safety
/// The pointers are null or point to so many rows and bytes, which nobody else uses if they are written.
#[inline]
pub(crate) unsafe fn known_constants<'a>(
    needs: &Needs,
    rows: *mut c_void,
    dirty: *mut u8,
) -> Result<Constants<'a>, Failure> {
    if !needs.writes_constants {
        // SAFETY: as the caller says.
        let rows = unsafe { memory::slice(rows.cast::<Row>(), needs.rows, "constants") }?;
        return Ok(Constants::read_only(rows));
    }
    // SAFETY: as the caller says.
    unsafe { written_constants(needs, rows, dirty) }
}

#[cold]
fn too_few(needed: usize, given: usize) -> Failure {
    let text = format_args!("the program needs {needed} rows of constants, there are {given}");
    Failure::new(XFJIT_E_CONSTANTS, text)
}

/// Those that the program writes.
///
/// # Safety
/// As for [`known_constants`].
unsafe fn written_constants<'a>(
    needs: &Needs,
    rows: *mut c_void,
    dirty: *mut u8,
) -> Result<Constants<'a>, Failure> {
    let words = rows.cast::<Row>();
    // SAFETY: as the caller says.
    let constants = Constants::new(unsafe { memory::slice_mut(words, needs.rows, "constants") }?);
    if dirty.is_null() {
        return Ok(constants);
    }
    // SAFETY: as the caller says.
    Ok(constants.noting(unsafe { memory::slice_mut(dirty, needs.rows, "dirty") }?))
}

/// Whether two pieces of memory have a byte in common.
#[inline]
pub(crate) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// That what is read and what is written are not the same memory.
#[inline]
pub(crate) fn apart(
    written: &Range<usize>,
    what: &str,
    read: &Range<usize>,
    other: &str,
) -> Result<(), Failure> {
    if overlap(written, read) {
        return Err(Failure::new(XFJIT_E_OUTPUT, format_args!("{what} and {other} overlap")));
    }
    Ok(())
}

/// Where the constants lie that a program needs, and the bytes in which it notes those that it writes; they can be there, and are
/// apart.
#[inline]
pub(crate) fn constants_lie(
    needs: &Needs,
    rows: *mut c_void,
    given: usize,
    dirty: *mut u8,
) -> Result<(Range<usize>, Range<usize>), Failure> {
    if given < needs.rows {
        return Err(too_few(needs.rows, given));
    }
    let rows = memory::extent(rows.cast::<Row>(), needs.rows, "constants")?;
    if !needs.writes_constants || dirty.is_null() {
        return Ok((rows, 0..0));
    }
    let noted = memory::extent(dirty, needs.rows, "dirty")?;
    apart(&noted, "dirty", &rows, "constants")?;
    Ok((rows, noted))
}

/// Rows of constants are words, wherever they lie.
const _: () = assert!(align_of::<Row>() == 4);

/// Vertices of the same number of bytes, all registers of each one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Vertices {
    constants: *mut c_void,
    constant_rows: usize,
    dirty: *mut u8,
    input: *const c_void,
    output: *mut c_void,
    count: usize,
}

/// Bytes of a vertex.
const VERTEX: usize = 16 * REGISTERS;

impl Vertices {
    fn words(&self) -> [usize; 6] {
        let Vertices { constants, constant_rows, dirty, input, output, count } = self;
        [constants.addr(), *constant_rows, dirty.addr(), input.addr(), output.addr(), *count]
    }

    /// Puts memory into a batch, which has been found to be there.
    #[inline]
    fn describe<'a>(
        needs: &Needs,
        (read, written): (&'a [u8], &'a [Cell<u8>]),
        inputs: &mut Inputs<'a>,
        outputs: &mut Outputs<'a>,
    ) {
        if inputs.count > 0 {
            for register in registers(needs.inputs) {
                let data = &read[16 * register..];
                inputs.attributes[register] = Attribute::Stream { data, stride: VERTEX, components: 4 };
            }
        }
        for register in registers(needs.outputs & ((1 << REGISTERS) - 1)) {
            let memory = written.get(16 * register..).unwrap_or_default();
            outputs.set(register as u8, Output::shared(memory, VERTEX));
        }
    }

    /// # Safety
    /// So many bytes are there.
    #[inline]
    unsafe fn memory<'a>(&self, needs: &Needs, bytes: usize) -> Result<(&'a [u8], &'a [Cell<u8>]), Failure> {
        let reads = if needs.inputs == 0 { 0 } else { bytes };
        // SAFETY: as the caller says.
        unsafe {
            let read = memory::slice(self.input.cast::<u8>(), reads, "input")?;
            Ok((read, memory::cells(self.output.cast::<u8>(), bytes, "output")?))
        }
    }
}

impl Given for Vertices {
    type Kept = [usize; 6];

    #[inline]
    fn count(&self) -> usize {
        self.count
    }

    fn keep(&self, _: &Needs) -> Option<[usize; 6]> {
        Some(self.words())
    }

    #[inline]
    unsafe fn is_same(
        &self,
        needs: &Needs,
        kept: &[usize; 6],
        renewed: Option<(&mut Inputs<'static>, &mut Outputs<'static>)>,
    ) -> bool {
        if self.words() != *kept {
            return false;
        }
        if let Some((inputs, outputs)) = renewed {
            // SAFETY: as the caller says. So many bytes have been found to be no more than memory holds.
            if let Ok(memory) = unsafe { self.memory(needs, VERTEX * self.count) } {
                Vertices::describe(needs, memory, inputs, outputs);
            }
        }
        true
    }

    unsafe fn lent<'a>(&self, program: &xfjit_program, _: &'a mut Lists) -> Result<Lent<'a>, Failure> {
        let (rows, dirty, needs) = (self.constants, self.dirty, program.get().needs());
        let bytes = self.count.checked_mul(VERTEX);
        let bytes = bytes.ok_or_else(|| argument("count is beyond all memory"))?;
        if needs.layout != Layout::Rows {
            return Err(refused(StreamError::WrongLayout));
        }
        // SAFETY: as the caller says.
        let memory = unsafe { self.memory(needs, bytes) }?;
        let (read, written) = (memory::place_of(memory.0), memory::place_of(memory.1));
        let (lie, noted) = constants_lie(needs, rows, self.constant_rows, dirty)?;
        apart(&written, "output", &read, "input")?;
        apart(&written, "output", &lie, "constants")?;
        apart(&noted, "dirty", &written, "output")?;
        if needs.writes_constants {
            apart(&lie, "constants", &read, "input")?;
            apart(&noted, "dirty", &read, "input")?;
        }
        // SAFETY: as the caller says; what is written is apart from everything else.
        let constants = unsafe { known_constants(needs, rows, dirty) }?;
        let (mut inputs, mut outputs) = (Inputs::new(self.count), Outputs::none(Layout::Rows));
        if program.keep_outputs {
            outputs = outputs.keeping();
        }
        Vertices::describe(needs, memory, &mut inputs, &mut outputs);
        Ok(Lent { constants, inputs, outputs })
    }

    #[inline]
    fn constants(&self) -> (*mut c_void, *mut u8) {
        (self.constants, self.dirty)
    }
}

functions! {
    FUNCTIONS;
    /// Runs a batch, all instances of it. `outcome` may be null. What the program does not need of the batch may be anything. One thread at a time
    /// with a worker; a program may run in any number of them.
    fn xfjit_run(program: *const xfjit_program, worker: *mut xfjit_worker, batch: *const xfjit_batch, outcome: *mut xfjit_outcome) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let ran = unsafe {
                let (mut older, program) = (None, memory::handle(program)?);
                let batch = memory::borrowed(batch, &mut older)?;
                // Before anything is written.
                if !outcome.is_null() {
                    memory::check_record(outcome)?;
                }
                let working = &mut *worker::enter(worker)?;
                if working.recording.is_some() {
                    record::note_batch(program, batch, working);
                }
                if draw::is_draw(batch) {
                    draw::run(program, batch, working)?
                } else {
                    let Working { worker, batches, lists, .. } = working;
                    Ran::new(again::run(&Batch(batch), program, batches, worker, lists)?, batch.count as usize)
                }
            };
            if outcome.is_null() {
                return Ok(());
            }
            // SAFETY: as the caller says.
            unsafe { memory::fill(outcome, &outcome_of(&ran)) }
        })
    }
    /// Runs vertices whose registers lie one after the other, as interpreters have them: `input` and `output` are `count` vertices of 16
    /// rows of four 32-bit words (floats, or their bits) of the host. `constants` are `constant_rows` such rows, of which the
    /// program reads, and perhaps writes, those that its generation has. `dirty` is null or has a byte for each of these, which
    /// becomes 1 when a vertex writes a component of the row. `input` and `output` do not overlap. Outputs that are not wanted are not touched; a
    /// program with outputs above 15 needs xfjit_run. One thread at a time with a worker.
    fn xfjit_run_rows(program: *const xfjit_program, worker: *mut xfjit_worker, constants: *mut c_void, constant_rows: usize, dirty: *mut u8, input: *const c_void, output: *mut c_void, count: usize) -> xfjit_status {
        call(|| {
            let vertices = Vertices { constants, constant_rows, dirty, input, output, count };
            // SAFETY: as the caller says.
            unsafe {
                let program = memory::handle(program)?;
                let working = &mut *worker::enter(worker)?;
                if working.recording.is_some()
                    && let Ok(lent) = vertices.lent(program, &mut Lists::default())
                {
                    record::note_lent(program, lent, working);
                }
                let Working { worker, vertices: known, lists, .. } = working;
                again::run(&vertices, program, known, worker, lists)?;
            }
            Ok(())
        })
    }
}
