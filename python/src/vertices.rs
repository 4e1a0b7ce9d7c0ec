//! The vertices of a run, where the caller has them.

use crate::arrays::{self, Array, Hull};
use crate::error::error;
use crate::formats;
use crate::numbers;
use numpy::PyUntypedArray;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyTuple};
use xfjit::runtime::batch::{Attribute, Inputs};
use xfjit::runtime::format::Format;
use xfjit::runtime::indices::Indices;
use xfjit::runtime::state::{ATTRIBUTES, DEFAULT_ROW, Row};

/// Attributes that are arrays, or the same for all vertices.
pub(crate) struct Vertices<'py> {
    pub(crate) count: usize,
    arrays: Vec<Array<'py>>,
    attributes: Vec<(usize, Kind)>,
}

enum Kind {
    Same(Row),
    /// Floats of an array, at a place of its second axis.
    Floats(usize, usize),
    /// Elements of an array of bytes.
    Packed(usize, Format),
}

impl<'py> Vertices<'py> {
    /// Attributes as a caller gives them: an array of the shape (n, k, c), registers v0 to v(k-1) of n vertices, or a
    /// dictionary from registers to arrays (n, c), or (c,) for the same value in all vertices, or tuples of a format and
    /// elements as bytes.
    pub(crate) fn new(inputs: &Bound<'py, PyAny>) -> PyResult<Self> {
        let mut vertices = Vertices { count: 0, arrays: Vec::new(), attributes: Vec::new() };
        // (Arrays are asked first: whether something is a mapping takes longer to tell.)
        let is_mapping = !inputs.is_instance_of::<PyUntypedArray>() && inputs.cast::<PyMapping>().is_ok();
        if !is_mapping {
            let array = Array::words("inputs", inputs)?;
            match *array.shape() {
                [count, registers, width] if registers <= ATTRIBUTES && (1..=4).contains(&width) => {
                    vertices.count = count;
                    vertices.attributes = (0..registers).map(|r| (r, Kind::Floats(0, r))).collect();
                }
                ref shape => {
                    let needed = format_args!("(vertices, registers, components) with at most 16 and 4");
                    return Err(error(format_args!("inputs: the shape must be {needed}, not {shape:?}")));
                }
            }
            vertices.arrays.push(array);
            return Ok(vertices);
        }
        // First what may run code of the caller's, then the arrays.
        let mut given: Vec<(usize, Option<Format>, Bound<'py, PyAny>)> = Vec::new();
        for (key, value) in numbers::entries("inputs", inputs)? {
            let register = number(&key)?;
            if given.iter().any(|&(other, ..)| other == register) {
                return Err(error(format_args!("v{register} is given twice, by its number and by its name")));
            }
            given.push(match value.cast::<PyTuple>() {
                Ok(pair) => {
                    let (text, data): (String, Bound<'py, PyAny>) = pair.extract()?;
                    (register, Some(formats::format(&text, "little")?), data)
                }
                Err(_) => (register, None, value),
            });
        }
        let mut count = None;
        for (register, format, value) in given {
            let name = format!("v{register}");
            let (array, kind) = match format {
                Some(format) => {
                    let array = formats::elements(&name, format, &value)?;
                    (array, Kind::Packed(vertices.arrays.len(), format))
                }
                None => {
                    let array = Array::words(&name, &value)?;
                    let kind = match *array.shape() {
                        [1..=4] => Kind::Same(same(&array)?),
                        [_, 1..=4] => Kind::Floats(vertices.arrays.len(), 0),
                        ref shape => {
                            let message =
                                "the shape must be (vertices, 1 to 4 components), or (components,) for all";
                            return Err(error(format_args!("{name}: {message}, not {shape:?}")));
                        }
                    };
                    (array, kind)
                }
            };
            if !matches!(kind, Kind::Same(_)) {
                let found = array.shape()[0];
                match count {
                    Some(count) if count != found => {
                        return Err(error(format_args!("{name} has {found} vertices, others have {count}")));
                    }
                    _ => count = Some(found),
                }
                vertices.arrays.push(array);
            }
            vertices.attributes.push((register, kind));
        }
        vertices.count = count.unwrap_or(1);
        Ok(vertices)
    }

    /// The memory that a run reads; what is the same for all vertices has been read.
    pub(crate) fn hulls(&self) -> impl Iterator<Item = Hull> {
        self.arrays.iter().map(Array::hull)
    }

    /// The vertices as the library takes them.
    pub(crate) fn inputs(&self) -> PyResult<Inputs<'_>> {
        let mut inputs = Inputs::new(self.count);
        for (register, kind) in &self.attributes {
            let name = format!("v{register}");
            inputs = match *kind {
                Kind::Same(row) => inputs.with(*register, Attribute::Constant(row)),
                Kind::Floats(array, place) => {
                    let array = &self.arrays[array];
                    let (data, stride) = array.stream(&name, place)?;
                    let components = array.shape().last().map_or(0, |&width| width as u8);
                    inputs.with(*register, Attribute::Stream { data, stride, components })
                }
                Kind::Packed(array, format) => {
                    let (data, stride) = self.arrays[array].stream(&name, 0)?;
                    inputs.formatted(*register, data, stride, format)
                }
            };
        }
        Ok(inputs)
    }
}

/// Which vertices a run takes, in its order.
pub(crate) enum List {
    Halves(Vec<u16>),
    Words(Vec<u32>),
}

impl List {
    /// A list as a caller gives it: an array (n,) of `uint16` or `uint32`, contiguous.
    pub(crate) fn new(any: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = Array::indices("indices", any)?;
        if array.shape().len() != 1 {
            return Err(error(format_args!("indices: the shape must be (n,), not {:?}", array.shape())));
        }
        let bytes = array.all()?;
        Ok(match array.item() {
            2 => List::Halves(arrays::collected(
                bytes.as_chunks().0.iter().map(|&half| u16::from_ne_bytes(half)),
            )?),
            _ => List::Words(arrays::collected(
                bytes.as_chunks().0.iter().map(|&word| u32::from_ne_bytes(word)),
            )?),
        })
    }

    pub(crate) fn indices(&self) -> Indices<'_> {
        match self {
            List::Halves(list) => Indices::from(list),
            List::Words(list) => Indices::from(list),
        }
    }
}

/// A register: its number, or `v3`.
fn number(key: &Bound<'_, PyAny>) -> PyResult<usize> {
    let wrong = || PyTypeError::new_err("inputs: the keys are registers, as 3 or \"v3\"");
    let number = match key.extract::<String>() {
        Ok(name) => name.strip_prefix(['v', 'V']).and_then(numbers::digits).ok_or_else(wrong)?,
        Err(_) => key.extract::<usize>().map_err(|reason| numbers::instead(key.py(), reason, wrong))?,
    };
    if number >= ATTRIBUTES {
        let last = ATTRIBUTES - 1;
        return Err(error(format_args!("there is no attribute v{number}; the last one is v{last}")));
    }
    Ok(number)
}

/// One value, with the default of the components that it lacks.
fn same(array: &Array<'_>) -> PyResult<Row> {
    let mut row = DEFAULT_ROW;
    for (word, &bytes) in row.iter_mut().zip(array.all()?.as_chunks::<4>().0) {
        *word = u32::from_ne_bytes(bytes);
    }
    Ok(row)
}
