//! The native half of the Python package `xfjit`: arguments of Python as the library's types, and back.
//!
//! What users call is in `xfjit/__init__.py` and `xfjit/ops.py`; what is said about functions and classes stands in
//! `xfjit/_native.pyi` and there.

mod arrays;
mod error;
mod flipper;
mod formats;
mod names;
mod numbers;
mod operations;
mod program;
mod settings;
mod signals;
mod source;
mod stepper;
mod transformed;
mod vertices;

use pyo3::prelude::*;

/// The module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    error::add(module)?;
    names::add(module)?;
    operations::add(module)?;
    module.add_class::<program::Program>()?;
    module.add_class::<stepper::Stepper>()?;
    module.add_class::<flipper::Flipper>()?;
    module.add_function(wrap_pyfunction!(source::assemble, module)?)?;
    module.add_function(wrap_pyfunction!(source::disassemble, module)?)?;
    module.add_function(wrap_pyfunction!(formats::decode, module)?)?;
    let end = wrap_pyfunction!(program::end, module)?;
    module.py().import("atexit")?.call_method1("register", (end,))?;
    Ok(())
}
