//! Flipper as a device: bytes of commands in, vertices as arrays out.

use crate::arrays;
use crate::error::error;
use crate::numbers;
use crate::transformed;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyList};
use std::sync::Arc;
use xfjit::chip::flipper::opcode::Primitive;
use xfjit::chip::flipper::{input, output};
use xfjit::config::{FlipperQuirks, ProcessorQuirks, QuirkSet};
use xfjit::flipper::{
    Budget, Call, Console, Cull, Dialect, Drawn, Element, FlipperUnit, Layout, Memory, Output, Source, Stored,
};
use xfjit::runtime::state::Row;
use xfjit::{Engine, Options};

/// The vertex part of the GameCube's or the Wii's graphics chip.
///
/// ``Flipper(dialect="spec", *, console="gamecube", quirks=None, held=32)``: the dialects are ``spec``, ``dolphin-sw``,
/// ``dolphin-jit`` and ``dolphin``. ``quirks`` is a dictionary of choices, by name, that override the dialect's. Drawing commands of
/// at most ``held`` vertices, 0 to 256, wait for others of their call; the output is the same.
#[pyclass(module = "xfjit")]
pub(crate) struct Flipper {
    /// In a box, since objects of Python are aligned less.
    unit: Box<FlipperUnit>,
}

// Python aligns objects to twice the size of a pointer.
const _: () = assert!(align_of::<Flipper>() <= 2 * size_of::<usize>());

/// What a call without memory has.
const NO_MEMORY: &[u8] = &[];

/// The names of attributes, by their registers.
pub(crate) const ATTRIBUTES: [&str; input::MATRICES] = [
    "position", "normal", "tangent", "binormal", "colour0", "colour1", "tex0", "tex1", "tex2", "tex3",
    "tex4", "tex5", "tex6", "tex7",
];

/// One of several things by its name.
fn named<T: Copy>(what: &str, name: &str, all: &[T], text: impl Fn(T) -> &'static str) -> PyResult<T> {
    all.iter().copied().find(|&one| text(one) == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&one| text(one)).collect();
        error(format_args!("`{name}` is not a {what}: {}", names.join(", ")))
    })
}

/// The byte of a drawing command.
fn opcode(primitive: &str, formats: &Bound<'_, PyAny>) -> PyResult<u8> {
    let primitive = named("primitive", primitive, &Primitive::ALL, Primitive::name)?;
    let formats = numbers::integer("formats", formats, 0, 7)?;
    Ok(0x80 | (primitive as u8) << 3 | formats as u8)
}

fn vertices(count: &Bound<'_, PyAny>) -> PyResult<u16> {
    Ok(numbers::integer("count", count, 0, u16::MAX.into())? as u16)
}

/// Rows as an array: floats, or integers.
pub(crate) fn array<'py>(py: Python<'py>, rows: &[Row], are_integers: bool) -> PyResult<Bound<'py, PyAny>> {
    let array = arrays::rows(py, rows)?;
    if are_integers { array.call_method1("view", ("uint32",)) } else { Ok(array) }
}

/// A draw as a dictionary.
fn drawn<'py>(py: Python<'py>, drawn: &Drawn<'_>) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    made.set_item("kind", "draw")?;
    made.set_item("primitive", drawn.primitive.name())?;
    made.set_item("given", drawn.given)?;
    made.set_item("count", drawn.vertices.count)?;
    let outputs = PyDict::new(py);
    for (register, name) in output::NAMES.iter().enumerate() {
        let rows: Option<Vec<Row>> =
            (0..drawn.vertices.count).map(|at| drawn.vertices.register(at, register as u8)).collect();
        let is_there = drawn.vertices.count > 0;
        if let Some(rows) = rows.filter(|_| is_there) {
            let are_integers = matches!(register, output::COLOUR..output::TEXCOORD | output::FLAGS);
            outputs.set_item(name, array(py, &rows, are_integers)?)?;
        }
    }
    made.set_item("outputs", outputs)?;
    let triangles = drawn.triangles().map(|triangle| {
        let [a, b, c] = triangle.vertices;
        (a, b, c, triangle.is_back, triangle.is_rejected)
    });
    made.set_item("triangles", triangles.collect::<Vec<_>>())?;
    let told = drawn.disagreement;
    let all = [
        ("colours", told.colours),
        ("normals", told.normals),
        ("texcoords", told.texcoords),
        ("matrices", told.matrices),
        ("positions", told.positions),
    ];
    let differ: Vec<&str> = all.iter().filter(|(_, differs)| *differs).map(|(name, _)| *name).collect();
    made.set_item("disagreement", differ)?;
    Ok(made)
}

/// One thing that leaves, as a dictionary.
fn told<'py>(py: Python<'py>, output: &Output<'_>) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    let (kind, fields): (&str, &[(&str, u32)]) = match output {
        Output::Drawn(draw) => return drawn(py, draw),
        Output::LoadBp(register, value) => ("bp", &[("register", u32::from(*register)), ("value", *value)]),
        Output::Call(address, bytes) => ("call", &[("address", *address), ("bytes", *bytes)]),
        Output::InvalidateVertices => ("invalidate", &[]),
        Output::Unknown(byte) => ("unknown", &[("byte", u32::from(*byte))]),
    };
    made.set_item("kind", kind)?;
    for (name, value) in fields {
        made.set_item(name, value)?;
    }
    Ok(made)
}

/// What leaves, as far as Python has room for it: the first exception ends the list.
struct Collected<'py> {
    py: Python<'py>,
    list: PyResult<Bound<'py, PyList>>,
}

impl Collected<'_> {
    fn take(&mut self, output: &Output<'_>) {
        let Ok(list) = &self.list else { return };
        if let Err(reason) = told(self.py, output).and_then(|made| list.append(made)) {
            self.list = Err(reason);
        }
    }
}

/// Chooses by name among the quirks of both halves.
fn choose(
    (processor, transform): (&mut ProcessorQuirks, &mut FlipperQuirks),
    name: &str,
    value: &str,
) -> PyResult<()> {
    let values =
        |all: &[&str]| error(format_args!("quirk {name}: `{value}` is not one of {}", all.join(", ")));
    if let Some(quirk) = ProcessorQuirks::TABLE.iter().find(|quirk| quirk.name == name) {
        return if (quirk.set)(processor, value) { Ok(()) } else { Err(values(quirk.values)) };
    }
    if let Some(quirk) = FlipperQuirks::TABLE.iter().find(|quirk| quirk.name == name) {
        return if (quirk.set)(transform, value) { Ok(()) } else { Err(values(quirk.values)) };
    }
    let transform = FlipperQuirks::TABLE.iter().map(|quirk| quirk.name);
    let names: Vec<&str> = transform.chain(ProcessorQuirks::TABLE.iter().map(|quirk| quirk.name)).collect();
    Err(error(format_args!("`{name}` is not a quirk of Flipper: {}", names.join(", "))))
}

#[pymethods]
impl Flipper {
    #[new]
    #[pyo3(signature = (dialect = "spec", *, console = "gamecube", quirks = None, held = None))]
    fn new(
        dialect: &str,
        console: &str,
        quirks: Option<&Bound<'_, PyAny>>,
        held: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Flipper> {
        let dialect = named("dialect", dialect, &Dialect::ALL, Dialect::name)?;
        let console = named("console", console, &Console::ALL, Console::name)?;
        let (mut processor, mut transform) = (dialect.processor(), dialect.transform());
        for (name, value) in numbers::given("quirks", quirks)? {
            let (name, value) = (name.extract::<String>()?, value.extract::<String>()?);
            choose((&mut processor, &mut transform), &name, &value)?;
        }
        let engine = Arc::new(Engine::new(Options::default()));
        let mut unit = Box::new(FlipperUnit::new(engine, processor, transform).of_console(console));
        if let Some(held) = held {
            unit.set_held(numbers::integer("held", held, 0, FlipperUnit::MOST_HELD.into())? as u16);
        }
        Ok(Flipper { unit })
    }

    /// Loads a register of the command processor. Bits that the register lacks are dropped.
    fn load_cp(&mut self, number: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let number = numbers::integer("number", number, 0, 0xff)? as u8;
        self.unit.fifo.processor.registers.load(number, numbers::word("value", value)?);
        Ok(())
    }

    /// Reads a register of the command processor. Registers that do not exist read as 0.
    fn read_cp(&self, number: &Bound<'_, PyAny>) -> PyResult<u32> {
        let number = numbers::integer("number", number, 0, 0xff)? as u8;
        Ok(self.unit.fifo.processor.registers.read(number))
    }

    /// Loads words of the transform unit, as integers or floats, beginning at an address. Words for addresses that do not exist
    /// are dropped.
    fn load_xf(&mut self, first: &Bound<'_, PyAny>, words: &Bound<'_, PyAny>) -> PyResult<()> {
        let first = numbers::integer("first", first, 0, 0xffff)? as u16;
        let most = usize::from(u16::MAX - first) + 1;
        if let Some(bits) = arrays::bits("words", words, most)? {
            self.unit.load(first, &bits);
            return Ok(());
        }
        let word = |item: &Bound<'_, PyAny>| {
            // (Floats of numpy's own are no floats of Python's, but for one.)
            let is_float = item.is_instance_of::<PyFloat>()
                || !item.hasattr("__index__")? && item.hasattr("__float__")?;
            if is_float { numbers::float("words", item) } else { numbers::word("words", item) }
        };
        let items = numbers::items("words", words, most)?;
        let words: Vec<u32> = items.iter().map(word).collect::<PyResult<_>>()?;
        self.unit.load(first, &words);
        Ok(())
    }

    /// Reads words of the transform unit, beginning at an address. Addresses that do not exist read as zeros.
    fn read_xf(&self, first: &Bound<'_, PyAny>, count: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        let first = numbers::integer("first", first, 0, 0xffff)? as usize;
        let count = numbers::integer("count", count, 0, 0x10000)? as usize;
        let held = self.unit.words().words();
        Ok((first..first + count).map(|at| held.get(at).copied().unwrap_or(0)).collect())
    }

    /// Runs bytes of commands and returns the output. Pieces may have any size.
    #[pyo3(signature = (stream, memory = NO_MEMORY, second = NO_MEMORY))]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        stream: &[u8],
        memory: &[u8],
        second: &[u8],
    ) -> PyResult<Bound<'py, PyList>> {
        let mut seen = Collected { py, list: Ok(PyList::empty(py)) };
        self.unit.feed(stream, Memory::new(memory, second), Budget::NONE, |output| seen.take(&output));
        seen.list
    }

    /// Runs bytes of commands until a budget is used up. The budget counts bytes of commands and vertices. Returns the output,
    /// and how many bytes the unit took. Pass the others again; an empty stream continues a display list (``in_list``).
    #[pyo3(signature = (stream, budget, memory = NO_MEMORY, second = NO_MEMORY))]
    fn run_some<'py>(
        &mut self,
        py: Python<'py>,
        stream: &[u8],
        budget: &Bound<'_, PyAny>,
        memory: &[u8],
        second: &[u8],
    ) -> PyResult<(Bound<'py, PyList>, usize)> {
        let budget = Budget(numbers::integer("budget", budget, 1, i64::MAX)?.cast_unsigned());
        let mut seen = Collected { py, list: Ok(PyList::empty(py)) };
        let taken = self.unit.feed(stream, Memory::new(memory, second), budget, |output| seen.take(&output));
        Ok((seen.list?, taken))
    }

    /// True if the last budget ended inside a display list.
    #[getter]
    fn in_list(&self) -> bool {
        self.unit.is_in_list()
    }

    /// Transforms vertices from arrays with the words of the transform unit. Returns arrays by the names of outputs, as for a
    /// draw. Attributes are arrays of floats by name, with the shape (vertices, 1 to 4); colours are numbers from 0 to 255.
    /// ``matrices`` are bytes with the shape (vertices, 9): the matrix index of the position and those of the texture
    /// coordinates. Without them, the unit's registers decide. The unit does not change.
    fn transform<'py>(
        &mut self,
        py: Python<'py>,
        attributes: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        transformed::transform(py, &mut self.unit, attributes)
    }

    /// Runs one drawing command by itself, and returns the draw.
    #[pyo3(signature = (primitive, formats, count, vertices, memory = NO_MEMORY, second = NO_MEMORY))]
    #[expect(clippy::too_many_arguments, reason = "they are those of a function of Python, by name")]
    fn draw<'py>(
        &mut self,
        py: Python<'py>,
        primitive: &str,
        formats: &Bound<'_, PyAny>,
        count: &Bound<'_, PyAny>,
        vertices: &[u8],
        memory: &[u8],
        second: &[u8],
    ) -> PyResult<Bound<'py, PyAny>> {
        let (opcode, count) = (opcode(primitive, formats)?, self::vertices(count)?);
        let mut seen = Collected { py, list: Ok(PyList::empty(py)) };
        let memory = Memory::new(memory, second);
        let drawn = self.unit.draw(opcode, count, vertices, memory, |output| seen.take(&output));
        drawn.map_err(|incomplete| error(format_args!("the vertices need {} bytes", incomplete.needed)))?;
        seen.list?.get_item(0)
    }

    /// Returns the vertices of a drawing command as they are before the transform unit: arrays by the names of attributes.
    #[pyo3(signature = (primitive, formats, count, vertices, memory = NO_MEMORY, second = NO_MEMORY))]
    #[expect(clippy::too_many_arguments, reason = "they are those of a function of Python, by name")]
    fn fetch<'py>(
        &mut self,
        py: Python<'py>,
        primitive: &str,
        formats: &Bound<'_, PyAny>,
        count: &Bound<'_, PyAny>,
        vertices: &[u8],
        memory: &[u8],
        second: &[u8],
    ) -> PyResult<Bound<'py, PyDict>> {
        let (opcode, count) = (opcode(primitive, formats)?, self::vertices(count)?);
        // A plane of rows for each attribute, and one for the nine matrix indices.
        let plane = 16 * usize::from(count);
        let mut elements: Vec<Element> = (0..input::MATRICES)
            .map(|register| Element {
                source: Source::Attribute(register as u8),
                stored: Stored::F32,
                components: 4,
                offset: plane * register,
                stride: 16,
            })
            .collect();
        let matrices = plane * input::MATRICES;
        elements.extend((0..9).map(|number| Element {
            source: Source::Matrix(number),
            stored: Stored::U8,
            components: 1,
            offset: matrices + usize::from(number),
            stride: 9,
        }));
        let layout = Layout::new(&elements).map_err(error)?;
        let mut bytes = arrays::zeros(layout.bytes(count.into()).unwrap_or(0))?;
        let call = Call { opcode, count, bytes: vertices, memory: Memory::new(memory, second) };
        let stored = self.unit.fetch(&call, &layout, &mut bytes).map_err(error)?;
        let made = PyDict::new(py);
        for (register, name) in ATTRIBUTES.iter().enumerate() {
            let rows = arrays::get(&bytes[plane * register..][..16 * stored]);
            made.set_item(name, array(py, &rows, false)?)?;
        }
        let numpy = py.import("numpy")?;
        let indices = PyBytes::new(py, &bytes[matrices..][..9 * stored]);
        let indices = numpy.call_method1("frombuffer", (indices, "uint8"))?;
        made.set_item("matrices", indices.call_method1("reshape", ((stored, 9),))?)?;
        Ok(made)
    }

    /// Returns True if a drawing command shows nothing: each of its triangles is outside the view, or shows a face that is not
    /// drawn.
    #[pyo3(signature = (primitive, formats, count, vertices, memory = NO_MEMORY, second = NO_MEMORY, *, front = false, back = false))]
    #[expect(clippy::too_many_arguments, reason = "they are those of a function of Python, by name")]
    fn culled(
        &mut self,
        primitive: &str,
        formats: &Bound<'_, PyAny>,
        count: &Bound<'_, PyAny>,
        vertices: &[u8],
        memory: &[u8],
        second: &[u8],
        front: bool,
        back: bool,
    ) -> PyResult<bool> {
        let (opcode, count) = (opcode(primitive, formats)?, self::vertices(count)?);
        let call = Call { opcode, count, bytes: vertices, memory: Memory::new(memory, second) };
        let culled = self.unit.is_culled(&call, Cull { front, back });
        culled.map_err(|incomplete| error(format_args!("the vertices need {} bytes", incomplete.needed)))
    }

    /// Returns the state as bytes.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.unit.save())
    }

    /// Loads a saved state. Dialect, console and quirks stay unchanged.
    fn restore(&mut self, state: &[u8]) -> PyResult<()> {
        self.unit.restore(state).map_err(error)
    }

    /// Starts to record draws, and everything that they depend on.
    fn record(&mut self) {
        self.unit.record();
    }

    /// Ends a recording, and returns it as the text of a trace. Returns None if there is no recording.
    fn recorded(&mut self) -> Option<String> {
        self.unit.recorded().map(|trace| trace.to_string())
    }
}
