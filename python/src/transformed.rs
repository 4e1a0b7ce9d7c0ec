//! Vertices from arrays through Flipper's transform unit alone.

use crate::arrays::{self, Array};
use crate::error::error;
use crate::flipper::ATTRIBUTES;
use crate::numbers;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::Range;
use xfjit::chip::flipper::transform::Vertices;
use xfjit::chip::flipper::vcd::MATRICES;
use xfjit::chip::flipper::{input, output};
use xfjit::flipper::{Element, FlipperUnit, Layout, Source, Stored};
use xfjit::runtime::batch::{Attribute, Inputs};
use xfjit::runtime::state::Row;

/// Every matrix index.
const ALL_MATRICES: u16 = (1 << MATRICES) - 1;

/// Vertices that are taken at a time. What they need beside the caller's arrays does not grow with these.
const AT_A_TIME: usize = 4096;

/// An attribute of the caller's.
struct Column<'py> {
    register: usize,
    array: Array<'py>,
}

impl<'py> Column<'py> {
    fn new(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if name == "matrices" {
            let array = Array::bytes(name, value)?;
            return match *array.shape() {
                [_, MATRICES] => Ok(Column { register: input::MATRICES, array }),
                ref shape => Err(error(format_args!(
                    "matrices: the shape must be (vertices, {MATRICES}), not {shape:?}"
                ))),
            };
        }
        let register = ATTRIBUTES.iter().position(|&own| own == name).ok_or_else(|| {
            error(format_args!("`{name}` is not an attribute: {}, matrices", ATTRIBUTES.join(", ")))
        })?;
        let array = Array::words(name, value)?;
        match *array.shape() {
            [_, 1..=4] => Ok(Column { register, array }),
            ref shape => {
                Err(error(format_args!("{name}: the shape must be (vertices, 1 to 4), not {shape:?}")))
            }
        }
    }

    fn count(&self) -> usize {
        self.array.shape()[0]
    }

    fn name(&self) -> &'static str {
        ATTRIBUTES.get(self.register).copied().unwrap_or("matrices")
    }

    /// Some of its rows, as the unit takes them.
    fn rows(&self, vertices: Range<usize>) -> PyResult<Vec<Row>> {
        let (bytes, stride) = self.array.stream(self.name(), 0)?;
        let width = self.array.shape()[1];
        let row = if self.register == input::MATRICES { indices } else { floats };
        Ok(vertices.map(|vertex| row(&bytes[vertex * stride..][..width * self.array.item()])).collect())
    }
}

/// One to four floats: missing ones are 0, 0, 0, 1.
fn floats(bytes: &[u8]) -> Row {
    let mut row = [0, 0, 0, 1f32.to_bits()];
    let words = bytes.as_chunks::<4>().0;
    row.iter_mut().zip(words).for_each(|(to, word)| *to = u32::from_ne_bytes(*word));
    row
}

/// Matrix indices: four in a word, from its lowest byte on.
fn indices(bytes: &[u8]) -> Row {
    let mut own = [0; 16];
    own[..MATRICES].copy_from_slice(bytes);
    std::array::from_fn(|word| u32::from_le_bytes(std::array::from_fn(|byte| own[4 * word + byte])))
}

/// Whether an output has whole numbers.
fn is_whole(register: usize) -> bool {
    matches!(register, output::COLOUR..output::TEXCOORD | output::FLAGS)
}

/// Outputs of so many vertices, a plane of rows for each.
fn planes(count: usize) -> PyResult<Layout> {
    let elements: Vec<Element> = (0..output::COUNT)
        .map(|register| Element {
            source: Source::Output(register as u8),
            stored: if is_whole(register) { Stored::U32 } else { Stored::F32 },
            components: 4,
            offset: 16 * count * register,
            stride: 16,
        })
        .collect();
    Layout::new(&elements).map_err(error)
}

/// What the unit makes of attributes, arrays by their names: arrays by the names of outputs.
pub(crate) fn transform<'py>(
    py: Python<'py>,
    unit: &mut FlipperUnit,
    attributes: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut columns: Vec<Column<'py>> = Vec::new();
    for (name, value) in numbers::entries("attributes", attributes)? {
        let column = Column::new(&name.extract::<String>()?, &value)?;
        if let Some(other) = columns.first()
            && other.count() != column.count()
        {
            let (name, count, own) = (column.name(), other.count(), column.count());
            return Err(error(format_args!("{name}: there are {own} vertices, of other attributes {count}")));
        }
        columns.push(column);
    }
    let count = columns.first().map_or(0, Column::count);
    let has = |register: usize| columns.iter().any(|column| column.register == register);
    let vertices = Vertices {
        matrices: if has(input::MATRICES) { ALL_MATRICES } else { 0 },
        colours: [has(input::COLOUR), has(input::COLOUR + 1)],
    };
    let mut results =
        (0..output::COUNT).map(|_| arrays::empty(py, &[count, 4])).collect::<PyResult<Vec<_>>>()?;
    for first in (0..count).step_by(AT_A_TIME) {
        py.check_signals()?;
        let part = first..count.min(first + AT_A_TIME);
        let mut inputs = Inputs::new(part.len());
        for register in 0..inputs.attributes.len() {
            inputs.attributes[register] = Attribute::Constant([0; 4]);
        }
        let rows = columns.iter().map(|column| Ok((column.register, column.rows(part.clone())?)));
        let rows = rows.collect::<PyResult<Vec<_>>>()?;
        for (register, rows) in &rows {
            inputs = inputs.with(*register, Attribute::rows(rows));
        }
        let layout = planes(part.len())?;
        let mut bytes = vec![0; layout.bytes(part.len()).unwrap_or(0)];
        unit.transform(vertices, &inputs, &layout, &mut bytes).map_err(error)?;
        let plane = 16 * part.len();
        for ((_, memory), bytes) in results.iter_mut().zip(bytes.chunks_exact(plane)) {
            memory.bytes_mut()?[16 * first..][..plane].copy_from_slice(bytes);
        }
    }
    let made = PyDict::new(py);
    for (register, (name, (array, memory))) in output::NAMES.iter().zip(results).enumerate() {
        drop(memory);
        let array = if is_whole(register) { array.call_method1("view", ("uint32",))? } else { array };
        made.set_item(name, array)?;
    }
    Ok(made)
}
