//! Vertices of xfjit_run_rows, which have the same number of bytes each, and all registers one after the other.

use crate::constants::ConstantRows;
use crate::draw::Arguments;
use crate::extent::{apart, range_of};
use crate::indices::Lists;
use crate::lent::{self, Lent, LentMut};
use crate::program::xfjit_program;
use crate::repeat::Description;
use crate::status::{Failure, argument};
use std::cell::Cell;
use std::ffi::c_void;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Output, Outputs, StreamError, registers};
use xfjit::runtime::bound::Needs;
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::ATTRIBUTES;

/// Registers of a vertex where all lie in a row, in and out.
const REGISTERS: usize = 16;
const _: () = assert!(REGISTERS == ATTRIBUTES);

/// Bytes of a vertex.
const VERTEX: usize = 16 * REGISTERS;

/// What xfjit_run_rows is given.
pub(crate) struct Vertices<'call> {
    constants: ConstantRows<'call>,
    input: Lent<'call, u8>,
    output: LentMut<'call, u8>,
    count: usize,
}

/// What is said of vertices.
pub(crate) type VertexWords = [usize; 6];

/// Memory of vertices, that which is read and that which is written.
type Memory<'a> = (&'a [u8], &'a [Cell<u8>]);

impl<'call> Vertices<'call> {
    /// # Safety
    /// The description of the function says that so many vertices are at each pointer.
    pub(crate) unsafe fn new(
        constants: ConstantRows<'call>,
        input: Lent<'call, c_void>,
        output: LentMut<'call, c_void>,
        count: usize,
    ) -> Self {
        Vertices { constants, input: input.bytes(), output: output.bytes(), count }
    }

    #[inline]
    fn said(&self) -> VertexWords {
        let [rows, row_count, dirty] = self.constants.words();
        [rows, row_count, dirty, self.input.as_ptr().addr(), self.output.as_ptr().addr(), self.count]
    }

    /// Constants, which a program may write, and the rest of what programs with these needs run on.
    #[inline]
    fn split(&mut self, needs: &Needs) -> Result<(ConstantRows<'_>, Memory<'_>), Failure> {
        let bytes = self.count.checked_mul(VERTEX);
        let bytes = bytes.ok_or_else(|| argument("count exceeds the address space"))?;
        let read_bytes = if needs.inputs == 0 { 0 } else { bytes };
        // SAFETY: so many vertices are at `input`, as whoever made this has read in the description, until the call returns.
        let read = unsafe { lent::slice(self.input.as_ptr(), read_bytes, "input") }?;
        // SAFETY: so many are at `output`, likewise; a `LentMut` promises that they are nobody else's.
        let written = unsafe { lent::cells(self.output.as_ptr(), bytes, "output") }?;
        Ok((self.constants.reborrow(), (read, written)))
    }

    /// Makes of streams that are at their defaults those of such memory.
    #[inline]
    fn bind<'a>(
        needs: &Needs,
        (read, written): Memory<'a>,
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
}

impl Description for Vertices<'_> {
    type Words = VertexWords;

    #[inline]
    fn count(&self) -> usize {
        self.count
    }

    fn words(&self, _: &Needs) -> Option<VertexWords> {
        Some(self.said())
    }

    #[inline]
    fn says(&self, words: &VertexWords) -> bool {
        self.said() == *words
    }

    fn arguments<'a>(
        &'a mut self,
        program: &xfjit_program,
        _: &'a mut Lists,
    ) -> Result<Arguments<'a>, Failure> {
        let (needs, count) = (program.get().needs(), self.count);
        if needs.layout != Layout::Rows {
            return Err(StreamError::WrongLayout.into());
        }
        let (constants, memory) = self.split(needs)?;
        let (read, written) = (range_of(memory.0), range_of(memory.1));
        let (rows, noted) = constants.ranges(needs)?;
        apart(&written, "output", &read, "input")?;
        apart(&written, "output", &rows, "constants")?;
        apart(&noted, "dirty", &written, "output")?;
        if needs.writes_constants {
            apart(&rows, "constants", &read, "input")?;
            apart(&noted, "dirty", &read, "input")?;
        }
        let (mut inputs, mut outputs) = (Inputs::new(count), Outputs::none(Layout::Rows));
        if program.keep_outputs {
            outputs = outputs.keeping();
        }
        Vertices::bind(needs, memory, &mut inputs, &mut outputs);
        Ok(Arguments { constants: constants.lend(needs)?, inputs, outputs })
    }

    #[inline]
    unsafe fn checked_constants(&mut self, needs: &Needs) -> Result<Constants<'_>, Failure> {
        // SAFETY: the words of vertices are those of their constants, too, and the checks lend these.
        unsafe { self.constants.reborrow().lend_checked(needs) }
    }

    #[inline]
    fn inputs<'a>(&[.., count]: &VertexWords) -> Inputs<'a> {
        Inputs::new(count)
    }

    #[inline]
    unsafe fn checked_arguments<'a>(
        &'a mut self,
        needs: &Needs,
        _: &VertexWords,
        inputs: &mut Inputs<'a>,
        outputs: &mut Outputs<'a>,
    ) -> Result<Constants<'a>, Failure> {
        let (constants, memory) = self.split(needs)?;
        Vertices::bind(needs, memory, inputs, outputs);
        // SAFETY: the words of vertices are those of their constants, too, and the checks lend these.
        unsafe { constants.lend_checked(needs) }
    }
}
