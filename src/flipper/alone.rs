//! What a host requests from a unit outside of its stream: fetched vertices, transformed vertices, and whether a draw can be seen.

use super::column::Of;
use super::command::{Draw, Incomplete};
use super::fetch::Fetch;
use super::in_place::Copied;
use super::layout::{Call, Layout, LayoutError, Source};
use super::memory::Memory;
use super::output::{Drawn, Output};
use super::plan::constant;
use super::processor::Budget;
use super::unit::FlipperUnit;
use xfjit_isa::chip::flipper::registers::{MATRIX_INDEX_A, MATRIX_INDICES};
use xfjit_isa::chip::flipper::transform::Vertices;
use xfjit_isa::chip::flipper::triangle;
use xfjit_runtime::batch::{Inputs, StreamError};

/// The faces that a host does not draw, besides those that are outside.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cull {
    /// Triangles that show their front face.
    pub front: bool,
    /// Triangles that show their back face.
    pub back: bool,
}

impl From<Incomplete> for LayoutError {
    fn from(Incomplete { needed }: Incomplete) -> LayoutError {
        LayoutError::Incomplete { needed }
    }
}

impl Drawn<'_> {
    /// Stores all vertices in a layout of outputs. Outputs that the unit does not send are zeros.
    ///
    /// # Errors
    /// A layout with attributes, or memory that does not hold the vertices. On an error, nothing is stored.
    pub fn store(&self, layout: &Layout, to: &mut [u8]) -> Result<(), LayoutError> {
        layout.check_sources(true)?;
        layout.check(self.vertices.count, to)?;
        layout.store_outputs(&self.vertices, to);
        Ok(())
    }
}

impl FlipperUnit {
    /// Takes bytes of a stream in pieces of any size: the beginning of a command waits in the unit for its rest. Returns how many bytes it
    /// has taken: all of them, unless the budget is used up. In that case pass the others again, or an empty piece if only a display list
    /// remains.
    ///
    /// Saved states include the waiting bytes.
    pub fn feed<'m>(
        &mut self,
        bytes: &[u8],
        memory: impl Into<Memory<'m>>,
        Budget(mut left): Budget,
        mut take: impl FnMut(Output<'_>),
    ) -> usize {
        let memory = memory.into();
        let mut taken = 0;
        loop {
            let waiting = std::mem::take(&mut self.fifo.waiting);
            if waiting.is_empty() {
                taken += self.run_within(&bytes[taken..], memory, &mut left, &mut take);
                if left == 0 {
                    return taken;
                }
                self.fifo.waiting.extend_from_slice(&bytes[taken..]);
                self.fifo.needed = self.fifo.processor.needed(&self.fifo.waiting);
                return bytes.len();
            }
            let used = self.run_within(&waiting, memory, &mut left, &mut take);
            self.fifo.waiting = waiting;
            self.fifo.waiting.drain(..used);
            let waits = self.fifo.waiting.len();
            self.fifo.needed = self.fifo.processor.needed(&self.fifo.waiting);
            if left == 0 {
                return taken;
            }
            if waits > 0 {
                if taken == bytes.len() {
                    return taken;
                }
                let missing = self.fifo.needed.saturating_sub(waits).max(1);
                let more = missing.min(bytes.len() - taken);
                self.fifo.waiting.extend_from_slice(&bytes[taken..taken + more]);
                taken += more;
            }
        }
    }

    /// The number of bytes that wait for the rest of their command.
    pub fn waiting(&self) -> usize {
        self.fifo.waiting.len()
    }

    /// Whether the unit can run without further bytes, because a budget ended inside a list.
    pub fn is_in_list(&self) -> bool {
        self.fifo.processor.is_in_list()
    }

    /// The number of bytes in a vertex of a drawing command, with the current registers.
    pub fn vertex_size(&self, opcode: u8) -> usize {
        let registers = &self.fifo.processor.registers;
        super::vertex::size(registers.vcd, registers.vats[usize::from(opcode & 7)])
    }

    /// Reads the vertices of a drawing command and stores them as they are before the transform unit, in a layout of attributes, as a
    /// vertex loader does. Vertices whose position is left out are not stored. Returns how many are stored. The unit keeps the normals of
    /// the last vertex, as after a draw.
    ///
    /// Attributes that vertices lack are zeros, except a normal, a tangent and a binormal, which are the kept ones.
    ///
    /// # Errors
    /// A layout with outputs, memory that does not hold the vertices of the command, or a command that lacks bytes. On an error, nothing
    /// has happened.
    pub fn fetch(&mut self, call: &Call<'_>, layout: &Layout, to: &mut [u8]) -> Result<usize, LayoutError> {
        let dialect = self.fifo.processor.quirks.dialect;
        let registers = &mut self.fifo.processor.registers;
        let draw = Draw::new(registers, call.opcode, call.count, call.bytes)?;
        layout.check_sources(false)?;
        layout.check(call.count.into(), to)?;
        let (plan, Copied { bytes, rows, .. }) = self.executor.read(registers, &draw, dialect);
        let (bytes, count) = plan.staying(&draw, bytes);
        let vertices = Vertices::of_vcd(registers.vcd.lo);
        let of = Of { vertices: bytes, size: plan.size, arrays: &registers.arrays, memory: call.memory };
        layout.store(to, |source, mut place| {
            let always = match source {
                Source::Attribute(register) => {
                    let register = usize::from(register);
                    if let Some(column) = plan.columns.iter().find(|column| column.register == register) {
                        return column.store(&of, rows, place);
                    }
                    constant(&registers.normals, register)
                }
                Source::Matrix(number) => {
                    let number = usize::from(number);
                    if let Some(at) = vertices.index_byte(number) {
                        let mask = dialect.matrix_mask(number);
                        let own = bytes.chunks_exact(plan.size).map(|vertex| vertex[at] & mask);
                        return place.store(own.map(|index| [index.into(), 0, 0, 0]));
                    }
                    let (register, field) = MATRIX_INDICES[number];
                    let given = registers.matrices[usize::from(register != MATRIX_INDEX_A)];
                    [field.of(given), 0, 0, 0]
                }
                Source::Output(_) => [0; 4],
            };
            place.store(std::iter::repeat_n(always, count));
        });
        let fetch = Fetch::new(registers, draw.vat(), call.memory, dialect);
        let backwards = (0..usize::from(draw.count)).rev().map(|number| draw.vertex(number));
        registers.normals = fetch.kept(registers.normals, backwards);
        Ok(count)
    }

    /// Transforms vertices from arrays with the words of the unit, and stores the outputs in a layout. It uses the inputs for the registers
    /// of [`input`](xfjit_isa::chip::flipper::input); `vertices` says which matrix indices and colours the vertices have. The unit does not
    /// change, and nothing is recorded.
    ///
    /// # Errors
    /// The stream error of an attribute that does not hold the vertices; the layout error of a layout with attributes, or of memory that
    /// does not hold them.
    pub fn transform(
        &mut self,
        vertices: Vertices,
        inputs: &Inputs<'_>,
        layout: &Layout,
        to: &mut [u8],
    ) -> Result<(), TransformError> {
        layout.check_sources(true)?;
        layout.check(inputs.count, to)?;
        let sent = self.executor.transform(vertices, inputs, layout.outputs())?;
        layout.store_outputs(&sent, to);
        Ok(())
    }

    /// Whether nothing of a drawing command can be seen: each of its triangles is rejected, or shows a face that is not drawn. Lines and
    /// points have a width, so they count as visible if there are any. The unit does not change, and nothing is recorded.
    ///
    /// # Errors
    /// The command has fewer bytes than its vertices.
    pub fn is_culled(&mut self, call: &Call<'_>, cull: Cull) -> Result<bool, Incomplete> {
        let FlipperUnit { fifo, executor, .. } = self;
        let registers = &fifo.processor.registers;
        let draw = Draw::new(registers, call.opcode, call.count, call.bytes)?;
        Ok(executor.with_outputs(0, |executor| {
            let drawn = executor.draw(registers, &draw, call.memory, fifo.processor.quirks.dialect);
            let mut triangles = drawn.triangles();
            if triangle::count(drawn.primitive, 3) == 0 {
                return drawn.vertices.count == 0;
            }
            triangles
                .all(|triangle| triangle.is_rejected || if triangle.is_back { cull.back } else { cull.front })
        }))
    }
}

/// Why arrays cannot be transformed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TransformError {
    /// An attribute does not hold the vertices.
    Stream(StreamError),
    /// The layout or its memory is wrong.
    Layout(LayoutError),
}

impl std::fmt::Display for TransformError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TransformError::Stream(error) => error.fmt(f),
            TransformError::Layout(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TransformError {}

impl From<StreamError> for TransformError {
    fn from(error: StreamError) -> Self {
        TransformError::Stream(error)
    }
}

impl From<LayoutError> for TransformError {
    fn from(error: LayoutError) -> Self {
        TransformError::Layout(error)
    }
}
