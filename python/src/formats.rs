//! Vertex formats.

use crate::arrays::{self, Array};
use crate::error::error;
use pyo3::prelude::*;
use xfjit::runtime::format::{ByteOrder, Encoding, Format};

/// The format of a text, as `s1:3`.
pub(crate) fn format(text: &str, order: &str) -> PyResult<Format> {
    let format = Format::from_text(text).ok_or_else(|| {
        let names: Vec<&str> = Encoding::ALL.iter().map(|encoding| encoding.text()).collect();
        let names = names.join(", ");
        error(format_args!(
            "`{text}` is not a format such as s1:3: an encoding ({names}) and 1 to 4 components"
        ))
    })?;
    let is_host = match order {
        "little" => cfg!(target_endian = "little"),
        "big" => cfg!(target_endian = "big"),
        _ => return Err(error(format_args!("`{order}` is not a byte order: little, big"))),
    };
    let order = if is_host { ByteOrder::Host } else { ByteOrder::Swapped };
    Ok(Format { order, ..format })
}

/// Elements as bytes, and how many of them there are in each row.
pub(crate) fn elements<'py>(what: &str, format: Format, data: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
    let array = Array::bytes(what, data)?;
    let needed = format.bytes();
    let (name, components) = (format.encoding.text(), format.components);
    match array.shape() {
        [_, width] if *width >= needed => Ok(array),
        shape => Err(error(format_args!(
            "{what} must be bytes of the shape (n, {needed}) for {name}:{components}, or wider, not {shape:?}"
        ))),
    }
}

/// The values of elements, a float4 each. Bytes without rows are elements that follow each other.
#[pyfunction]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    format: &str,
    data: &Bound<'py, PyAny>,
    byteorder: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let format = self::format(format, byteorder)?;
    let width = format.bytes();
    let whole = Array::bytes("data", data)?;
    let rows = match *whole.shape() {
        [bytes] if bytes % width != 0 => {
            return Err(error(format_args!(
                "data: {bytes} bytes are not a whole number of elements of {width} bytes"
            )));
        }
        [bytes] => &data.call_method1("reshape", ((bytes / width, width),))?,
        _ => data,
    };
    let array = elements("data", format, rows)?;
    let count = array.shape()[0];
    let (bytes, stride) = array.stream("data", 0)?;
    let (result, mut memory) = arrays::empty(py, &[count, 4])?;
    let rows = memory.bytes_mut()?;
    py.detach(|| {
        for (vertex, row) in rows.chunks_exact_mut(16).enumerate() {
            arrays::put(row, &[format.read(&bytes[vertex * stride..])]);
        }
    });
    drop(memory);
    Ok(result)
}
