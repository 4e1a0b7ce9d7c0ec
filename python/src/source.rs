//! Programs as they are given: text or words.

use crate::arrays::{self, Array};
use crate::error::{assembly, error};
use crate::names;
use crate::numbers;
use crate::settings::Settings;
use numpy::{PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyMemoryView, PyString};
use xfjit::asm::{self, Passes, gl, words};
use xfjit::isa::{self, Reading, WORDS_PER_SLOT};
use xfjit::text::ParseErrors;
use xfjit::{Config, Generation};

/// A program, and what decides what it computes.
pub(crate) struct Source {
    pub(crate) program: isa::Program,
    pub(crate) config: Config,
    /// What rows of constants hold, of an OpenGL program.
    pub(crate) bindings: Vec<gl::Row>,
}

/// How a program is made shorter. Without a wish that depends on whether its language knows pairs, as for the command.
fn passes(pair: Option<bool>, is_opengl: bool) -> Passes {
    if pair.unwrap_or(is_opengl) { Passes::ALL } else { Passes::NONE }
}

/// Reads a program. Words start at slot 0 of program memory, and the program in slot `start`; a text says so itself.
pub(crate) fn read(
    source: &Bound<'_, PyAny>,
    chip: Option<&str>,
    start: Option<usize>,
    pair: Option<bool>,
    settings: &Settings<'_, '_>,
) -> PyResult<Source> {
    let generation = chip.map(names::generation).transpose()?;
    if let Ok(text) = source.cast::<PyString>() {
        if start.is_some() {
            return Err(error("start is for words; in text, use .start"));
        }
        return text_of(source.py(), &text.extract::<String>()?, generation, pair, settings);
    }
    let generation = generation.unwrap_or_default();
    let config = settings.config(generation)?;
    let words = words_of(generation, source)?;
    let program = isa::decode_as(generation, config.reading(), &words, start.unwrap_or(0)).map_err(error)?;
    let program = asm::pair(generation, config.reading(), &program, passes(pair, false)).program;
    Ok(Source { program, config, bindings: Vec::new() })
}

fn text_of(
    py: Python<'_>,
    text: &str,
    generation: Option<Generation>,
    pair: Option<bool>,
    settings: &Settings<'_, '_>,
) -> PyResult<Source> {
    let wrong = |errors: ParseErrors| assembly(py, text, &errors);
    if gl::is_opengl(text) {
        let gl::Assembled { program, generation, language, rows } =
            gl::assemble(generation, text, passes(pair, true)).map_err(wrong)?;
        let mut config = settings.config(generation)?;
        if config.reading() != Reading::default() {
            let message = "mode, paired and branch_test are for the chips' own instructions";
            return Err(error(format_args!("{message}; this is an OpenGL program")));
        }
        config.constant_writes |= language == gl::Language::Vsp10;
        return Ok(Source { program, config, bindings: rows });
    }
    let config = settings.config(generation.unwrap_or_default())?;
    let parsed = asm::parse_with_passes(config.generation, config.reading(), text, passes(pair, false));
    let (program, reading) = parsed.map_err(wrong)?;
    Ok(Source { program, config: config.read_as(reading), bindings: Vec::new() })
}

/// The bytes of an object that has bytes, as `bytearray` and `memoryview` do. As a list they would be words of one byte each, which is
/// another program.
fn bytes_of<'py>(source: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if let Ok(array) = source.cast::<PyUntypedArray>() {
        let is_bytes = array.dtype().is_equiv_to(&numpy::dtype::<u8>(source.py()));
        return if is_bytes { Ok(Some(source.call_method0("tobytes")?.cast_into()?)) } else { Ok(None) };
    }
    let view = match PyMemoryView::from(source) {
        Ok(view) => view,
        Err(reason) if reason.is_instance_of::<PyTypeError>(source.py()) => return Ok(None),
        Err(reason) => return Err(reason),
    };
    let format: String = view.getattr("format")?.extract()?;
    if format.trim_start_matches(['@', '=', '<', '>', '!']) != "B" {
        return Ok(None);
    }
    Ok(Some(view.call_method0("tobytes")?.cast_into()?))
}

/// Words: of an array, of bytes (the least significant first), of lists.
fn words_of(generation: Generation, source: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    if let Some(bytes) = bytes_of(source)? {
        return words::from_bytes(generation, words::Endian::Little, bytes.as_bytes()).map_err(error);
    }
    if source.is_instance_of::<PyUntypedArray>() {
        // Words are decoded, so a copy of those that do not follow each other costs nothing that counts.
        let array = source.py().import("numpy")?.call_method1("ascontiguousarray", (source,))?;
        let words = Array::codes("words", &array)?;
        return arrays::collected(words.all()?.as_chunks().0.iter().map(|&word| u32::from_ne_bytes(word)));
    }
    if !numbers::is_many(source)? {
        let found = numbers::kind(source);
        let known = "a text, or words: an array of numpy.uint32, bytes, or a list";
        return Err(PyTypeError::new_err(format!("a program is {known}; not {found}")));
    }
    list(source)
}

/// Words of a list, or of a list of slots.
fn list(source: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    // One slot more than any chip has, which is then told.
    const MOST: usize = WORDS_PER_SLOT * (Generation::Curie.slots() + 1);
    let mut words = Vec::new();
    for item in numbers::items("words", source, MOST)? {
        // (Arrays have an `__index__`, too: those without an axis use it.)
        let is_array = item.is_instance_of::<PyUntypedArray>();
        if item.is_instance_of::<PyInt>() || !is_array && item.hasattr("__index__")? {
            words.push(numbers::word("a word", &item)?);
            continue;
        }
        if !numbers::is_many(&item)? {
            let found = numbers::kind(&item);
            return Err(PyTypeError::new_err(format!(
                "words: a number or a slot of four is needed, not {found}"
            )));
        }
        if bytes_of(&item)?.is_some() {
            return Err(PyTypeError::new_err("words: bytes are a whole program, not a slot in a list"));
        }
        let slot = numbers::items("a slot", &item, WORDS_PER_SLOT)?;
        if slot.len() != WORDS_PER_SLOT {
            return Err(PyTypeError::new_err(format!("a slot has four words, not {}", slot.len())));
        }
        for word in slot {
            words.push(numbers::word("a word", &word)?);
        }
    }
    Ok(words)
}

/// The words of a program, a row for each slot from slot 0 on.
pub(crate) fn words_array<'py>(
    py: Python<'py>,
    config: &Config,
    program: &isa::Program,
) -> PyResult<Bound<'py, PyAny>> {
    let mut words = vec![0; WORDS_PER_SLOT * program.first];
    words.extend(isa::encode_as(config.generation, config.reading(), program));
    let slots = words.len() / WORDS_PER_SLOT;
    let array = numpy::PyArray1::from_vec(py, words);
    Ok(array.reshape([slots, WORDS_PER_SLOT])?.into_any())
}

/// The words of a text, a row of four for each slot from slot 0 on. ``pair`` makes the program shorter: operations of both units share a slot,
/// results that nothing reads are left out, and what it computes stays the same to the bit. By default OpenGL programs are made shorter, and
/// others are not.
#[pyfunction]
#[pyo3(signature = (text, chip=None, *, options=None, pair=None))]
pub(crate) fn assemble<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyString>,
    chip: Option<&str>,
    options: Option<&Bound<'py, PyAny>>,
    pair: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let settings = Settings { model: None, preset: None, options, computes: false };
    let Source { program, config, .. } = read(text.as_any(), chip, None, pair, &settings)?;
    words_array(py, &config, &program)
}

/// The text of words that start at slot 0, of the program that starts in slot ``start``.
#[pyfunction]
#[pyo3(signature = (words, chip=None, *, start=None, options=None))]
pub(crate) fn disassemble(
    words: &Bound<'_, PyAny>,
    chip: Option<&str>,
    start: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    if words.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("disassemble takes words; assemble takes a text"));
    }
    let settings = Settings { model: None, preset: None, options, computes: false };
    let start = start.map(|start| numbers::slot("start", start)).transpose()?;
    let Source { program, config, .. } = read(words, chip, start, None, &settings)?;
    Ok(asm::print_as(config.generation, config.reading(), &program))
}
