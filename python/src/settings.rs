//! What else decides what a program computes: model, preset, options.

use crate::error::error;
use crate::names;
use crate::numbers;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};
use xfjit::config::{Forms, QuirkSet};
use xfjit::repro::options;
use xfjit::{Config, Emulator, Generation, Model};

/// Numbers that an option has at most: more than any does.
const MOST: usize = 64;

/// What a caller says about the configuration.
pub(crate) struct Settings<'a, 'py> {
    pub(crate) model: Option<&'a str>,
    pub(crate) preset: Option<&'a str>,
    pub(crate) options: Option<&'a Bound<'py, PyAny>>,
    /// Whether something is computed. Who only reads or writes words has no model.
    pub(crate) computes: bool,
}

impl Settings<'_, '_> {
    /// The configuration for a generation, every output on.
    pub(crate) fn config(&self, generation: Generation) -> PyResult<Config> {
        let mut config = match (self.preset, self.model) {
            (None, model) => Config::new(generation).model(names::model(model.unwrap_or("hw"))?),
            (Some(preset), None) => {
                let emulator: Emulator = preset.parse().map_err(error)?;
                Config::like(emulator, generation).map_err(error)?
            }
            (Some(_), Some(_)) => {
                return Err(error("a preset sets its own model: give preset or model, not both"));
            }
        };
        for (name, value) in numbers::given("options", self.options)? {
            let name = name.extract::<String>()?;
            set(&mut config, &name, &value)?;
            // What an emulator computes differently is none of the chip's arithmetic.
            match config.model {
                Model::Hw if self.computes && Forms::row(&name).is_some() => {
                    return Err(error(format_args!(
                        "option {name} has no effect in the model hw, which is the chip's arithmetic; it is for the model ieee"
                    )));
                }
                Model::Hw | Model::Ieee => {}
            }
        }
        Ok(config)
    }
}

/// Sets an option, by the name that it has in test files and on the command line.
fn set(config: &mut Config, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    // How outputs lie in memory is decided here.
    let known = || options::all().filter(|(name, _)| *name != "layout");
    let Some((_, values)) = known().find(|(known, _)| *known == name) else {
        let names: Vec<&str> = known().map(|(name, _)| name).collect();
        return Err(error(format_args!("`{name}` is not an option: {}", names.join(", "))));
    };
    if !options::matters(name, config.generation) {
        let generation = config.generation.name();
        return Err(error(format_args!("{generation} has no option {name}")));
    }
    let written = words(name, value)?;
    let all: Vec<&str> = std::iter::once(name).chain(written.iter().map(String::as_str)).collect();
    options::set(config, &all).ok_or_else(|| {
        let (written, values) = (written.join(","), values.join(", "));
        error(format_args!("option {name}: `{written}` is not one of its values: {values}"))
    })
}

/// A value as it is written: text as it is, what is true or false as yes or no, numbers, several of them.
fn words(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    // Numbers of numpy's own, and what is true or false, as Python's.
    let is_scalar = value.hasattr("dtype")? && value.getattr("shape")?.len()? == 0;
    let value = if is_scalar { &value.call_method0("item")? } else { value };
    if value.is_instance_of::<PyBool>() {
        return Ok(vec![if value.is_truthy()? { "yes" } else { "no" }.to_owned()]);
    }
    if value.is_instance_of::<PyString>() {
        return Ok(value.extract::<String>()?.split(',').map(str::to_owned).collect());
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(vec![number(name, value)?]);
    }
    let items = numbers::items(name, value, MOST)?;
    items.iter().map(|item| number(name, item)).collect()
}

/// A number as the option is written: bits in hexadecimal, all else in decimal.
fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let number = numbers::word(name, value)?;
    Ok(if name == "branch_bits" { format!("{number:x}") } else { number.to_string() })
}
