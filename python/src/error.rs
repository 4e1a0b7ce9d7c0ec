//! The library's errors as exceptions, with the library's words.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::fmt::Display;
use xfjit::text::ParseError;

create_exception!(xfjit, Error, PyValueError, "What the library refuses, in its words.");
create_exception!(
    xfjit,
    AssemblyError,
    Error,
    "A text that is not a program. `errors` has (line, column, message, help) of each place."
);

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<Error>())?;
    module.add("AssemblyError", module.py().get_type::<AssemblyError>())
}

/// An error in the library's words.
pub(crate) fn error(what: impl Display) -> PyErr {
    Error::new_err(what.to_string())
}

/// The errors of a text: each with its line, as the command prints them.
pub(crate) fn assembly(py: Python<'_>, text: &str, errors: &[ParseError]) -> PyErr {
    let rendered: Vec<String> = errors.iter().map(|error| error.render(text)).collect();
    let exception = AssemblyError::new_err(rendered.join("\n").trim_end().to_owned());
    let places: Vec<(usize, usize, &str, Option<&str>)> = errors
        .iter()
        .map(|error| (error.line, error.column, error.message.as_str(), error.help.as_deref()))
        .collect();
    match exception.value(py).setattr("errors", places) {
        Ok(()) => exception,
        Err(other) => other,
    }
}
