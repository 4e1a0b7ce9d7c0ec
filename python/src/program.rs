//! Programs, prepared.

use crate::arrays::{self, Array, Memory};
use crate::error::error;
use crate::names;
use crate::numbers;
use crate::settings::Settings;
use crate::signals;
use crate::source::{self, Source};
use crate::vertices::{List, Vertices};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyString};
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;
use xfjit::asm::gl;
use xfjit::backend::{Backend, Interp};
use xfjit::front::Microcode;
use xfjit::runtime::state::Context;
use xfjit::shader::Cancel;
use xfjit::{Config, Engine, Options, Worker, asm, isa};

/// Who runs programs, by the names that callers use; each has an engine, and so a cache, for the whole process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Auto,
    Native,
    Interpreter,
    Reference,
}

impl Who {
    const ALL: [(&str, Who); 4] = [
        ("auto", Who::Auto),
        ("native", Who::Native),
        ("interpreter", Who::Interpreter),
        ("reference", Who::Reference),
    ];

    fn from_name(name: &str) -> PyResult<Who> {
        let found = Who::ALL.iter().find(|(known, _)| *known == name);
        found.map(|&(_, who)| who).ok_or_else(|| {
            let names = Who::ALL.map(|(name, _)| name).join(", ");
            error(format_args!("`{name}` is not a backend: {names}"))
        })
    }

    fn backend(self) -> PyResult<Arc<dyn Backend>> {
        Ok(match self {
            Who::Auto => xfjit::engine::default_backend(),
            #[cfg(feature = "jit")]
            Who::Native => Arc::new(xfjit::Jit::host().map_err(error)?),
            #[cfg(not(feature = "jit"))]
            Who::Native => return Err(error("this build has no native code")),
            Who::Interpreter => Arc::new(Interp::Batched),
            Who::Reference => Arc::new(Interp::Single),
        })
    }

    fn engine(self) -> PyResult<Arc<Engine>> {
        let make = || {
            let backend = self.backend()?;
            Ok(Arc::new(Engine::new(Options::default().with(|options| options.backend = backend))))
        };
        let Some(mut place) = tried(&ENGINES[self as usize]) else { return make() };
        let process = std::process::id();
        match &*place {
            Some(kept) if kept.process == process => Ok(Arc::clone(&kept.engine)),
            _ => {
                let engine = make()?;
                if !HAS_ENDED.load(Ordering::Relaxed) {
                    let kept = Kept { process, engine: Arc::clone(&engine) };
                    // The locks within that of another process may be held as well, so nobody looks into it.
                    std::mem::forget(place.replace(kept));
                }
                Ok(engine)
            }
        }
    }
}

/// A lock, if somebody gives it back: a process that was forked has those that other threads held, and nobody to give them back.
fn tried<T>(lock: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    /// A lock here is held for some milliseconds at most.
    const TRIES: usize = 100;
    (0..TRIES).find_map(|number| {
        if number > 0 {
            thread::sleep(Duration::from_micros(200));
        }
        lock.try_lock().ok()
    })
}

/// An engine, and the process that has made it.
struct Kept {
    process: u32,
    engine: Arc<Engine>,
}

/// The engine of each back end.
static ENGINES: [Mutex<Option<Kept>>; Who::ALL.len()] = [const { Mutex::new(None) }; Who::ALL.len()];

/// Whether the process ends: engines are not kept any more.
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Lets go of the engines at the end of the process. What they have outside of it goes with them: the file that others attach to.
/// Threads that still run have handles of their own.
#[pyfunction]
pub(crate) fn end() {
    HAS_ENDED.store(true, Ordering::Relaxed);
    for place in &ENGINES {
        let kept = place.try_lock().ok().and_then(|mut place| place.take());
        if let Some(kept) = kept {
            match kept.process == std::process::id() {
                true => drop(kept),
                false => std::mem::forget(kept),
            }
        }
    }
}

/// Memory for runs, of threads that run nothing just now. All programs share it: of many programs few run at a time.
static WORKERS: Mutex<Vec<Worker>> = Mutex::new(Vec::new());

/// Workers that are kept at most: as many as threads may run at a time on most machines.
const MOST_WORKERS: usize = 8;

fn worker() -> Worker {
    let known = WORKERS.try_lock().ok().and_then(|mut workers| workers.pop());
    known.unwrap_or_else(|| {
        // Arrays are whole or an error: who studies a program waits for it.
        let mut worker = Worker::new();
        worker.set_overtime(None);
        worker
    })
}

fn keep(worker: Worker) {
    if let Ok(mut workers) = WORKERS.try_lock()
        && workers.len() < MOST_WORKERS
    {
        workers.push(worker);
    }
}

/// Slots of all vertices of a run from which on it looks for signals: it then takes some tens of milliseconds, and a thread that begins takes
/// a few at most, if the machine is busy.
const LONG_IN_NATIVE_CODE: usize = 1 << 25;
const LONG_IN_THE_INTERPRETER: usize = 1 << 21;

/// The slots that a vertex of a program with branches is taken to execute: more than most do, and fewer than it may.
const LOOPS: usize = 1 << 13;

/// What constants are called that a run writes.
const WRITTEN: &str = "constants, which the program writes";

/// Numbers of one name of a state, and names of outputs, at most: more than any has.
const MOST_NUMBERS: usize = 1024;

/// A program with a configuration, compiled by one of the back ends.
///
/// ``Program(source, chip=None, *, model=None, preset=None, options=None, start=None, outputs=None, backend="auto",
/// pair=None)``: the source is text (in the assembler's or in an OpenGL language), or words (an array of ``uint32``, bytes, a list).
#[pyclass(frozen, module = "xfjit")]
pub(crate) struct Program {
    pub(crate) decoded: Arc<isa::Program>,
    pub(crate) config: Config,
    bindings: Vec<gl::Row>,
    who: Who,
    prepared: Arc<xfjit::Program>,
    /// The registers that a run gives, with their names.
    outputs: Vec<(u8, String)>,
}

// Python aligns objects to twice the size of a pointer.
const _: () = assert!(align_of::<Program>() <= 2 * size_of::<usize>());

impl Program {
    fn prepare(
        py: Python<'_>,
        decoded: Arc<isa::Program>,
        config: Config,
        bindings: Vec<gl::Row>,
        who: Who,
    ) -> PyResult<Self> {
        let generation = config.generation;
        let outputs: Vec<(u8, String)> = (0..generation.outputs())
            .filter(|&register| config.live_outputs >> register & 1 != 0)
            .map(|register| (register as u8, names::output(generation, register)))
            .collect();
        let engine = who.engine()?;
        let prepared = py.detach(|| engine.decoded(isa::Program::clone(&decoded), &config));
        if let (Who::Native, Some(refusal)) = (who, prepared.refusal()) {
            return Err(error(refusal));
        }
        Ok(Program { decoded, config, bindings, who, prepared, outputs })
    }

    /// Constants as a caller gives them, from row 0 on; the others are zero.
    pub(crate) fn context(&self, constants: Option<&Bound<'_, PyAny>>) -> PyResult<Context> {
        match constants {
            None => self.bound(None),
            Some(constants) => {
                let (whose, most) = (self.config.generation.name(), self.config.rows());
                self.filled(&Array::words("constants", constants)?.rows("constants", whose, most)?)
            }
        }
    }

    fn filled(&self, rows: &[[u32; 4]]) -> PyResult<Context> {
        let mut context = Context::new(self.config.rows());
        let (given, limit) = (rows.len(), context.rows().len());
        if given > limit {
            let generation = self.config.generation.name();
            return Err(error(format_args!("constants: {given} rows, {generation} has {limit}")));
        }
        context.rows_mut()[..given].copy_from_slice(rows);
        Ok(context)
    }

    /// What the program says about its constants, with a state of OpenGL.
    fn bound(&self, state: Option<&Bound<'_, PyAny>>) -> PyResult<Context> {
        let mut values = gl::State::new();
        for (name, value) in numbers::given("constants", state)? {
            let name: String = name.extract()?;
            let words = words(&name, &value)?;
            values.set(&name, &words).map_err(|reason| error(format_args!("{name}: {reason}")))?;
        }
        let mut context = Context::new(self.config.rows());
        for gl::Row { row, binding } in &self.bindings {
            let value = values.value(binding).map_err(|reason| error(format_args!("{binding}: {reason}")))?;
            context.set_row(usize::from(*row), value.unwrap_or_default());
        }
        Ok(context)
    }

    /// Whether the time of a vertex is unknown before it runs.
    fn has_branches(&self) -> bool {
        self.decoded.insns.iter().any(|insn| insn.sca.is_branch())
    }

    /// Whether a run of so many vertices may take so long that somebody wants to end it.
    fn may_take_long(&self, vertices: usize) -> bool {
        let own = self.decoded.insns.len();
        let each = if self.has_branches() { own.max(LOOPS) } else { own };
        let long = if self.is_native() { LONG_IN_NATIVE_CODE } else { LONG_IN_THE_INTERPRETER };
        vertices.saturating_mul(each) >= long
    }

    /// Warns that rows are 0 which the program reads, and neither its text nor the caller has set.
    fn warn_of_constants(&self, py: Python<'_>) -> PyResult<()> {
        let info = self.prepared.info();
        let is_set = |row: usize| self.bindings.iter().any(|bound| usize::from(bound.row) == row);
        let mut missing = info.constants_read.iter().filter(|&row| !is_set(row));
        let Some(first) = missing.next() else { return Ok(()) };
        let others = match missing.count() {
            0 => String::new(),
            1 => " and one more row".to_owned(),
            more => format!(" and {more} more rows"),
        };
        let text = format!(
            "the program reads c[{first}]{others}, and all of them are 0: pass constants (zeros, if that is meant)"
        );
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(text)?, 1)
    }
}

/// The numbers of a state: one, a list or an array of them.
fn words(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    if let Some(bits) = arrays::bits(name, value, MOST_NUMBERS)? {
        return Ok(bits);
    }
    if !numbers::is_many(value)? {
        return Ok(vec![numbers::float(name, value)?]);
    }
    let flat = if value.hasattr("ravel")? { &value.call_method0("ravel")? } else { value };
    let mut words = Vec::new();
    for item in numbers::items(name, flat, MOST_NUMBERS)? {
        // A row of a matrix.
        if numbers::is_many(&item)? {
            let row = match arrays::bits(name, &item, MOST_NUMBERS)? {
                Some(bits) => bits,
                None => {
                    let row = numbers::items(name, &item, MOST_NUMBERS)?;
                    row.iter().map(|number| numbers::float(name, number)).collect::<PyResult<_>>()?
                }
            };
            words.extend(row);
        } else {
            words.push(numbers::float(name, &item)?);
        }
    }
    Ok(words)
}

/// Names of outputs: a list of them, or one text with spaces between them.
fn output_names(names: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(text) = names.cast::<PyString>() {
        return Ok(text.to_cow()?.split_whitespace().map(str::to_owned).collect());
    }
    numbers::items("outputs", names, MOST_NUMBERS)?.iter().map(|name| name.extract()).collect()
}

#[pymethods]
impl Program {
    #[new]
    #[pyo3(signature = (source, chip=None, *, model=None, preset=None, options=None, start=None, outputs=None, backend="auto", pair=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        chip: Option<&str>,
        model: Option<&str>,
        preset: Option<&str>,
        options: Option<&Bound<'_, PyAny>>,
        start: Option<&Bound<'_, PyAny>>,
        outputs: Option<&Bound<'_, PyAny>>,
        backend: &str,
        pair: Option<bool>,
    ) -> PyResult<Self> {
        let who = Who::from_name(backend)?;
        let settings = Settings { model, preset, options, computes: true };
        let start = start.map(|start| numbers::slot("start", start)).transpose()?;
        let Source { program, mut config, bindings } = source::read(source, chip, start, pair, &settings)?;
        let decoded = Arc::new(program);
        config.live_outputs = match outputs {
            None => Microcode::shader(&decoded, &config).info().written_outputs(),
            Some(names) => output_names(names)?
                .iter()
                .map(|name| names::output_of(config.generation, name))
                .try_fold(0, |mask, register| Ok::<_, PyErr>(mask | 1 << register?))?,
        };
        Self::prepare(py, decoded, config, bindings, who)
    }

    /// Returns this program in another model, or on another back end.
    #[pyo3(signature = (*, model=None, backend=None))]
    fn replace(&self, py: Python<'_>, model: Option<&str>, backend: Option<&str>) -> PyResult<Self> {
        let model = model.map_or(Ok(self.config.model), names::model)?;
        let who = backend.map_or(Ok(self.who), Who::from_name)?;
        let config = self.config.clone().model(model);
        Self::prepare(py, Arc::clone(&self.decoded), config, self.bindings.clone(), who)
    }

    /// The chip generation of the microcode: ``kelvin``, ``rankine`` or ``curie``.
    #[getter]
    fn generation(&self) -> &'static str {
        self.config.generation.name()
    }

    /// The arithmetic: ``hw``, which is exact to the bit, or ``ieee``.
    #[getter]
    fn model(&self) -> &'static str {
        self.config.model.name()
    }

    /// The back end that was requested.
    #[getter]
    fn backend(&self) -> &'static str {
        Who::ALL[self.who as usize].0
    }

    /// A label for people, or None: at most 255 bytes of UTF-8 on one line. A label changes nothing that is computed. Equal
    /// programs on one back end share it, as they share their counters.
    #[getter]
    fn label(&self) -> Option<String> {
        self.prepared.label().map(|label| label.to_string())
    }

    #[setter]
    fn set_label(&self, label: Option<&str>) -> PyResult<()> {
        self.prepared.set_label(label.unwrap_or_default()).map_err(error)
    }

    /// The program's text in the assembler's syntax.
    #[getter]
    fn text(&self) -> String {
        asm::print_as(self.config.generation, self.config.reading(), &self.decoded)
    }

    /// The program's words, one row for each slot from slot 0 on.
    #[getter]
    fn words<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        source::words_array(py, &self.config, &self.decoded)
    }

    /// The slot where the program starts.
    #[getter]
    fn start(&self) -> usize {
        self.decoded.start
    }

    /// The slots of program memory whose content matters.
    #[getter]
    fn slots<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let slots = self.prepared.info().slots;
        py.import("builtins")?.call_method1("range", (slots.start, slots.end))
    }

    /// The attributes that the program may read.
    #[getter]
    fn inputs(&self) -> Vec<usize> {
        let mask = self.prepared.info().inputs;
        (0..16).filter(|register| mask >> register & 1 != 0).collect()
    }

    /// The output registers that a run returns, in this order, with the components that the program may write.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let written = self.prepared.info().outputs;
        let outputs = PyDict::new(py);
        for (register, name) in &self.outputs {
            let letters: String =
                written[usize::from(*register)].components().map(|c| ["x", "y", "z", "w"][c]).collect();
            outputs.set_item(name, letters)?;
        }
        Ok(outputs)
    }

    /// The rows of constants that the program may read.
    #[getter]
    fn constants_read(&self) -> Vec<usize> {
        self.prepared.info().constants_read.iter().collect()
    }

    /// The rows of constants that the program may write.
    #[getter]
    fn constants_written(&self) -> Vec<usize> {
        self.prepared.info().constants_written.iter().collect()
    }

    /// What the rows of constants must hold, for an OpenGL program.
    #[getter]
    fn bindings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let bindings = PyDict::new(py);
        for gl::Row { row, binding } in &self.bindings {
            bindings.set_item(row, binding.to_string())?;
        }
        Ok(bindings)
    }

    /// True if native code runs the program.
    #[getter]
    fn is_native(&self) -> bool {
        self.prepared.stats().cost.code_bytes > 0
    }

    /// Why the interpreter runs the program, if it has no native code.
    #[getter]
    fn refusal(&self) -> Option<String> {
        self.prepared.refusal().map(ToString::to_string)
    }

    /// Counters for everything that this process has run of equal programs: batches, vertices, groups of vertices that native
    /// code left to run again, and vertices that ended by timeout or by a stack fault; and the size of the machine code in
    /// bytes, and the compilation time.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.prepared.stats();
        let dictionary = PyDict::new(py);
        dictionary.set_item("batches", stats.batches)?;
        dictionary.set_item("vertices", stats.vertices)?;
        dictionary.set_item("deopt_groups", stats.deopt_groups)?;
        dictionary.set_item("timeouts", stats.faults.timeouts)?;
        dictionary.set_item("stack_faults", stats.faults.stack)?;
        dictionary.set_item("code_bytes", stats.cost.code_bytes)?;
        dictionary.set_item("compile_seconds", stats.cost.compile_time.as_secs_f64())?;
        Ok(dictionary)
    }

    /// Returns all rows of constants. The rows that an OpenGL program binds have the values of its text and of a state; the others are 0.
    ///
    /// The state is a dictionary: ``{"modelview": 4 x 4 array, "program.env[0]": [1, 2, 3], "light[0].diffuse": ...}``; values
    /// that are left out have OpenGL's initial values.
    #[pyo3(signature = (state=None))]
    fn constants<'py>(
        &self,
        py: Python<'py>,
        state: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let context = self.bound(state)?;
        arrays::rows(py, context.rows())
    }

    /// Runs vertices. Returns a dictionary from output registers to arrays (vertices, 4).
    ///
    /// ``inputs``: an array (vertices, registers from v0 on, components), or a dictionary from registers to arrays (vertices, 1
    /// to 4 components), to (components,) for one value in all vertices, or to pairs of a format and bytes (vertices, bytes).
    /// ``constants``: rows from row 0 on. Without them, rows that the text does not set are 0, and the call warns if the program
    /// reads such rows. ``indices``: an index list, an array (n,) of ``uint16`` or ``uint32``; then n vertices run, with the
    /// attributes at these numbers. ``out``: memory for the result, (vertices, registers, 4). All arrays are ``float32``, or
    /// ``uint32`` with the bits of floats. They are read and written in place. ``threads``: run a large batch on this many
    /// threads, at most one for each core; None or 0: on one thread. The results are the same. Programs that write constants or
    /// have loops run on one thread.
    #[pyo3(signature = (inputs, constants=None, *, indices=None, out=None, threads=None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyAny>,
        constants: Option<&Bound<'py, PyAny>>,
        indices: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let threads = threads.map(|threads| numbers::slot("threads", threads)).transpose()?;
        let threads = threads.unwrap_or_default().max(1);
        let vertices = Vertices::new(inputs)?;
        let list = indices.map(List::new).transpose()?;
        if constants.is_none() {
            self.warn_of_constants(py)?;
        }
        let registers: Vec<u8> = self.outputs.iter().map(|&(register, _)| register).collect();
        let writes = self.prepared.needs().writes_constants;
        let mut kept = match constants {
            Some(constants) if writes => {
                let shape = [self.config.rows(), 4];
                Some(Memory::of(WRITTEN, constants, &shape)?)
            }
            _ => None,
        };
        let mut context = match &mut kept {
            Some(kept) => self.filled(&arrays::get(kept.bytes_mut()?))?,
            None => self.context(constants)?,
        };

        let count = list.as_ref().map_or(vertices.count, |list| list.indices().len());
        let shape = [count, registers.len(), 4];
        let (result, mut memory) = match out {
            Some(out) => (out.clone(), Memory::of("out", out, &shape)?),
            None => arrays::empty(py, &shape)?,
        };
        memory.apart_from("out", vertices.hulls().chain(kept.as_ref().map(Memory::hull)))?;
        if let Some(kept) = &kept {
            kept.apart_from(WRITTEN, vertices.hulls())?;
        }
        let mut inputs = vertices.inputs()?;
        if let Some(list) = &list {
            inputs = inputs.indexed(list.indices());
        }
        let bytes = memory.bytes_mut()?;
        let mut worker = worker();
        let cancel = Cancel::new();
        let is_watched = self.may_take_long(count) && signals::is_handler(py)?;
        // A batch that can be cancelled is not divided among threads; those of programs with branches never are.
        if is_watched && (threads == 1 || self.has_branches()) {
            worker.set_cancel(Some(cancel.clone()));
        }
        let run = || {
            let mut outputs = arrays::interleaved(bytes, &registers);
            match threads {
                1 => self.prepared.run(&mut worker, &mut context, &inputs, &mut outputs),
                _ => self.prepared.run_parallel(&mut worker, threads, &mut context, &inputs, &mut outputs),
            }
        };
        let (ran, raised) = match is_watched {
            true => signals::watched(py, &cancel, run),
            false => (py.detach(run), Ok(())),
        };
        worker.set_cancel(None);
        keep(worker);
        ran.map_err(error)?;
        raised?;
        if let Some(kept) = &mut kept {
            arrays::put(kept.bytes_mut()?, context.rows());
        }
        drop(memory);

        let outputs = PyDict::new(py);
        for (at, (_, name)) in self.outputs.iter().enumerate() {
            outputs.set_item(name, result.get_item((PySlice::full(py), at))?)?;
        }
        Ok(outputs)
    }

    fn __repr__(&self) -> String {
        let Program { decoded, config, .. } = self;
        let (generation, model, slots) = (config.generation.name(), config.model.name(), decoded.insns.len());
        let outputs: Vec<&str> = self.outputs.iter().map(|(_, name)| name.as_str()).collect();
        let outputs = outputs.join(", ");
        let label = self.label().map_or_else(String::new, |label| format!(" {label}"));
        format!("<xfjit.Program{label}: {generation}, {model}, {slots} slots, outputs {outputs}>")
    }
}
