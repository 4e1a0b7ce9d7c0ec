//! Numbers of Python, and several of them, as the library's: nothing is rounded, and what does not fit is the library's error.

use crate::error::{Error, error};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyMapping, PyString, PyTuple};

/// A whole number from `least` to `most`, of anything that says it is one.
pub(crate) fn integer(what: &str, any: &Bound<'_, PyAny>, least: i64, most: i64) -> PyResult<i64> {
    let beyond = || error(format_args!("{what}: the number must be {least} to {most}"));
    match any.extract::<i64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) => Err(beyond()),
        Err(reason) if reason.is_instance_of::<PyOverflowError>(any.py()) => Err(beyond()),
        Err(reason) => Err(reason),
    }
}

/// What something that is not as it should be is told as: in other words if it was of the wrong kind or beyond what there is; an
/// exception of the caller's own as it is.
pub(crate) fn instead(py: Python<'_>, reason: PyErr, words: impl FnOnce() -> PyErr) -> PyErr {
    let is_ours = reason.is_instance_of::<PyTypeError>(py)
        || reason.is_instance_of::<PyOverflowError>(py)
        || reason.is_instance_of::<Error>(py);
    if is_ours { words() } else { reason }
}

/// A slot, which may be beyond every program.
pub(crate) fn slot(what: &str, any: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(integer(what, any, 0, u32::MAX.into())? as usize)
}

/// A word.
pub(crate) fn word(what: &str, any: &Bound<'_, PyAny>) -> PyResult<u32> {
    Ok(integer(what, any, 0, u32::MAX.into())? as u32)
}

/// A number that is a float of 32 bits, as its bits.
pub(crate) fn float(what: &str, any: &Bound<'_, PyAny>) -> PyResult<u32> {
    let rounds = || {
        let number =
            any.str().map_or_else(|_| "the number".to_owned(), |text| text.to_string_lossy().into_owned());
        error(format_args!("{what}: {number} is not a float of 32 bits; numpy.float32 rounds"))
    };
    let number: f64 = any.extract().map_err(|reason: PyErr| {
        let is_number =
            |any: &Bound<'_, PyAny>| Ok::<_, PyErr>(any.hasattr("__float__")? || any.hasattr("__index__")?);
        if reason.is_instance_of::<PyOverflowError>(any.py()) {
            rounds()
        } else if reason.is_instance_of::<PyTypeError>(any.py()) && matches!(is_number(any), Ok(false)) {
            PyTypeError::new_err(format!("{what}: a number is needed, not {}", kind(any)))
        } else {
            reason
        }
    })?;
    let float = number as f32;
    let is_kept = f64::from(float) == number && (!any.is_instance_of::<PyInt>() || any.eq(number)?);
    if is_kept || number.is_nan() { Ok(float.to_bits()) } else { Err(rounds()) }
}

/// What is in a list or something like it, up to so many: how long it says to be does not matter.
pub(crate) fn items<'py>(
    what: &str,
    any: &Bound<'py, PyAny>,
    most: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if any.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!("{what}: a list is needed, not text")));
    }
    let mut items = Vec::new();
    for item in any.try_iter()? {
        if items.len() == most {
            return Err(error(format_args!("{what}: there are more than {most}")));
        }
        items.push(item?);
    }
    Ok(items)
}

/// What a mapping has at a key.
type Entry<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// What is in a dictionary or another mapping now: whoever looks at a key may change it.
pub(crate) fn entries<'py>(what: &str, mapping: &Bound<'py, PyAny>) -> PyResult<Vec<Entry<'py>>> {
    let items: Bound<'py, PyList> = match mapping.cast::<PyDict>() {
        Ok(dictionary) => dictionary.items(),
        Err(_) => match mapping.cast::<PyMapping>() {
            Ok(mapping) => mapping.items()?,
            Err(_) => {
                let found = kind(mapping);
                return Err(PyTypeError::new_err(format!("{what}: a dictionary is needed, not {found}")));
            }
        },
    };
    let entry = |item: Bound<'py, PyAny>| {
        let pair = item.cast_into::<PyTuple>()?;
        Ok((pair.get_item(0)?, pair.get_item(1)?))
    };
    items.iter().map(entry).collect()
}

/// What is in a mapping, if there is one.
pub(crate) fn given<'py>(what: &str, mapping: Option<&Bound<'py, PyAny>>) -> PyResult<Vec<Entry<'py>>> {
    mapping.map_or_else(|| Ok(Vec::new()), |mapping| entries(what, mapping))
}

/// Whether something has items, as lists and iterators do.
pub(crate) fn is_many(any: &Bound<'_, PyAny>) -> PyResult<bool> {
    // Numbers of numpy's own have the methods of arrays.
    if any.hasattr("dtype")? && any.hasattr("shape")? {
        return Ok(any.getattr("shape")?.len()? > 0);
    }
    Ok(any.hasattr("__iter__")? || any.hasattr("__getitem__")?)
}

/// What something is, for people.
pub(crate) fn kind(any: &Bound<'_, PyAny>) -> String {
    any.get_type().name().map_or_else(|_| "that".to_owned(), |name| name.to_string())
}

/// The number behind a letter: digits and nothing else.
pub(crate) fn digits(text: &str) -> Option<usize> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}
