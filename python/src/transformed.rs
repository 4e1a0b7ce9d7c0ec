//! Vertices from arrays through Flipper's transform unit alone.

use crate::arrays::{self, Array};
use crate::error::error;
use crate::flipper::{ATTRIBUTES, array};
use crate::numbers;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xfjit::chip::flipper::transform::Vertices;
use xfjit::chip::flipper::vcd::MATRICES;
use xfjit::chip::flipper::{input, output};
use xfjit::flipper::{Element, FlipperUnit, Layout, Source, Stored};
use xfjit::runtime::batch::{Attribute, Inputs};
use xfjit::runtime::state::Row;

/// Every matrix index.
const ALL_MATRICES: u16 = (1 << MATRICES) - 1;

/// Rows of an array of floats, of which a vertex has one to four: missing ones are 0, 0, 0, 1.
fn rows(what: &str, array: &Array<'_>) -> PyResult<Vec<Row>> {
    let &[count, width @ 1..=4] = array.shape() else {
        let shape = array.shape();
        return Err(error(format_args!("{what}: the shape must be (vertices, 1 to 4), not {shape:?}")));
    };
    let (bytes, stride) = array.stream(what, 0)?;
    let row = |vertex: usize| {
        let mut row = [0, 0, 0, 1f32.to_bits()];
        let words = bytes[vertex * stride..].as_chunks::<4>().0.iter().take(width);
        row.iter_mut().zip(words).for_each(|(to, word)| *to = u32::from_ne_bytes(*word));
        row
    };
    Ok((0..count).map(row).collect())
}

/// Matrix indices as the unit takes them: four in a word, from its lowest byte on.
fn indices(array: &Array<'_>) -> PyResult<Vec<Row>> {
    let &[count, MATRICES] = array.shape() else {
        let shape = array.shape();
        return Err(error(format_args!("matrices: the shape must be (vertices, {MATRICES}), not {shape:?}")));
    };
    let (bytes, stride) = array.stream("matrices", 0)?;
    let row = |vertex: usize| {
        let mut own = [0; 16];
        own[..MATRICES].copy_from_slice(&bytes[vertex * stride..][..MATRICES]);
        std::array::from_fn(|word| u32::from_le_bytes(std::array::from_fn(|byte| own[4 * word + byte])))
    };
    Ok((0..count).map(row).collect())
}

/// What the unit makes of attributes, arrays by their names: arrays by the names of outputs.
pub(crate) fn transform<'py>(
    py: Python<'py>,
    unit: &mut FlipperUnit,
    attributes: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut columns: Vec<(usize, Vec<Row>)> = Vec::new();
    for (name, value) in numbers::entries(attributes)? {
        let name: String = name.extract()?;
        let column = if name == "matrices" {
            (input::MATRICES, indices(&Array::bytes(&name, &value)?)?)
        } else {
            let register = ATTRIBUTES.iter().position(|&own| own == name).ok_or_else(|| {
                error(format_args!("`{name}` is not an attribute: {}, matrices", ATTRIBUTES.join(", ")))
            })?;
            (register, rows(&name, &Array::words(&name, &value)?)?)
        };
        if let Some((_, other)) = columns.first()
            && other.len() != column.1.len()
        {
            let (count, own) = (other.len(), column.1.len());
            return Err(error(format_args!("{name}: there are {own} vertices, of other attributes {count}")));
        }
        columns.push(column);
    }
    let count = columns.first().map_or(0, |(_, rows)| rows.len());
    let has = |register: usize| columns.iter().any(|&(own, _)| own == register);
    let mut inputs = Inputs::new(count);
    for register in 0..inputs.attributes.len() {
        inputs.attributes[register] = Attribute::Constant([0; 4]);
    }
    for (register, rows) in &columns {
        inputs = inputs.with(*register, Attribute::rows(rows));
    }
    let vertices = Vertices {
        matrices: if has(input::MATRICES) { ALL_MATRICES } else { 0 },
        colours: [has(input::COLOUR), has(input::COLOUR + 1)],
    };
    let plane = 16 * count;
    let is_whole = |register: usize| matches!(register, output::COLOUR..output::TEXCOORD | output::FLAGS);
    let elements: Vec<Element> = (0..output::COUNT)
        .map(|register| Element {
            source: Source::Output(register as u8),
            stored: if is_whole(register) { Stored::U32 } else { Stored::F32 },
            components: 4,
            offset: plane * register,
            stride: 16,
        })
        .collect();
    let layout = Layout::new(&elements).map_err(error)?;
    let mut bytes = vec![0; layout.bytes(count).unwrap_or(0)];
    unit.transform(vertices, &inputs, &layout, &mut bytes).map_err(error)?;
    let made = PyDict::new(py);
    for (register, name) in output::NAMES.iter().enumerate() {
        let rows = arrays::get(&bytes[plane * register..][..plane]);
        made.set_item(name, array(py, &rows, is_whole(register))?)?;
    }
    Ok(made)
}
