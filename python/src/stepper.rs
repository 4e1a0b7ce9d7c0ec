//! One vertex, slot by slot.

use crate::arrays::{self, Array};
use crate::error::error;
use crate::names;
use crate::numbers;
use crate::program::Program;
use crate::vertices::Vertices;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use std::sync::Arc;
use xfjit::interp::{End, StackEntry, VertexState};
use xfjit::runtime::state::{ATTRIBUTES, Context, DEFAULT_ROW, Row};
use xfjit::runtime::texture::Textures;
use xfjit::{Config, Generation, asm, interp, isa};

/// A vertex between two slots of a program. It executes the program slot by slot.
///
/// ``Stepper(program, inputs=None, constants=None)``: inputs are the registers of one vertex: an array (registers,
/// components), or a dictionary as for :meth:`Program.run`.
#[pyclass(module = "xfjit")]
pub(crate) struct Stepper {
    program: Arc<isa::Program>,
    config: Config,
    state: VertexState,
    outputs: Vec<Row>,
    /// In a box, since it is aligned as objects of Python are not.
    context: Box<Context>,
}

// Python aligns objects to twice the size of a pointer.
const _: () = assert!(align_of::<Stepper>() <= 2 * size_of::<usize>());

/// Slots that run before a stepper looks for signals.
const PIECE: u32 = 1 << 20;

/// A register of a vertex.
enum Register {
    Input(usize),
    Temp(usize),
    Output(usize),
    Constant(usize),
    Address(usize),
    Code(usize),
}

impl Stepper {
    /// Lets the library do something with the vertex.
    fn with<T>(&mut self, act: impl FnOnce(&mut interp::Stepper<'_>, &mut Context) -> T) -> T {
        let mut stepper = interp::Stepper::new(&self.program, &self.config, &self.state);
        let result = act(&mut stepper, &mut self.context);
        self.state = stepper.state();
        self.outputs = stepper.outputs()[..self.config.generation.outputs()].to_vec();
        result
    }

    /// Takes a state over: what the library clamps is clamped.
    fn settle(&mut self) {
        self.with(|_, _| ());
    }

    /// The number of temporaries, R12 of Kelvin among them: the readable copy of oPos.
    fn temporaries(&self) -> usize {
        let Config { generation, .. } = self.config;
        generation.temps() + usize::from(generation == Generation::Kelvin)
    }

    /// The register of a name: `v3`, `R3`, `oPos` or `o0`, `c12`, `A0`, `CC0`, in either case.
    fn register(&self, name: &str) -> PyResult<Register> {
        let generation = self.config.generation;
        let lower = name.to_ascii_lowercase();
        let number = |prefix: &str, limit: usize| {
            let digits = lower.strip_prefix(prefix)?;
            numbers::digits(digits).filter(|&number| number < limit)
        };
        let found = number("v", ATTRIBUTES)
            .map(Register::Input)
            .or_else(|| number("r", self.temporaries()).map(Register::Temp))
            .or_else(|| number("cc", self.state.codes.len()).map(Register::Code))
            .or_else(|| number("c", self.config.rows()).map(Register::Constant))
            .or_else(|| number("a", self.state.address.len()).map(Register::Address));
        if let Some(register) = found {
            return Ok(register);
        }
        if lower.starts_with('o') {
            return names::output_of(generation, name)
                .map(Register::Output)
                .map_err(|error| PyKeyError::new_err(error.to_string()));
        }
        let generation = generation.name();
        Err(PyKeyError::new_err(format!("{generation} has no register `{name}`")))
    }
}

/// How a program has ended.
fn end(end: End) -> &'static str {
    match end {
        End::Done => "done",
        End::Timeout => "timeout",
        End::Stack => "stack",
    }
}

/// Rows for registers, all of them.
fn registers(what: &str, given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Row>> {
    let rows = Array::words(what, given)?.rows(what, "the vertex", count)?;
    if rows.len() != count {
        return Err(error(format_args!("{what}: there are {count} registers, not {}", rows.len())));
    }
    Ok(rows)
}

/// Four of something.
fn four<'py>(what: &str, value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let needed = || PyTypeError::new_err(format!("{what}: four numbers are needed"));
    let items = numbers::items(what, value, 4);
    let items = items.map_err(|reason| numbers::instead(value.py(), reason, needed))?;
    if items.len() == 4 { Ok(items) } else { Err(needed()) }
}

/// A component of an address register.
fn address(what: &str, value: &Bound<'_, PyAny>) -> PyResult<i32> {
    Ok(numbers::integer(what, value, i32::MIN.into(), i32::MAX.into())? as i32)
}

/// One row: an array of four floats or of their bits, or four numbers.
fn row(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Row> {
    if value.hasattr("dtype")? {
        let array = Array::words(what, &value.call_method1("reshape", (1, -1))?)?;
        return match array.shape() {
            [1, 4] => Ok(array.rows(what, "a register", 1)?[0]),
            _ => Err(error(format_args!("{what}: four components are needed"))),
        };
    }
    let items = four(what, value)?;
    let mut row = [0; 4];
    for (word, item) in row.iter_mut().zip(&items) {
        *word = numbers::float(what, item)?;
    }
    Ok(row)
}

#[pymethods]
impl Stepper {
    #[new]
    #[pyo3(signature = (program, inputs=None, constants=None))]
    fn new(
        program: &Bound<'_, Program>,
        inputs: Option<&Bound<'_, PyAny>>,
        constants: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let program = program.get();
        let mut attributes = [DEFAULT_ROW; ATTRIBUTES];
        if let Some(inputs) = inputs {
            // Registers of the one vertex, without an axis of vertices.
            let is_one = inputs.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() == 2);
            let vertices = if is_one { &inputs.get_item(inputs.py().None())? } else { inputs };
            let vertices = Vertices::new(vertices)?;
            if vertices.count != 1 {
                let count = vertices.count;
                return Err(error(format_args!("inputs: a stepper takes one vertex, not {count}")));
            }
            let inputs = vertices.inputs()?;
            inputs.check(u16::MAX).map_err(error)?;
            attributes = std::array::from_fn(|register| inputs.fetch(register, 0));
        }
        let (decoded, config) = (Arc::clone(&program.decoded), program.config.clone());
        let state = VertexState::new(&decoded, &config, attributes);
        let context = Box::new(program.context(constants)?);
        let mut stepper = Stepper { program: decoded, config, state, outputs: Vec::new(), context };
        stepper.settle();
        Ok(stepper)
    }

    /// Executes one slot. If the program has ended, returns how: ``done``, ``timeout`` or ``stack``.
    fn step(&mut self) -> Option<&'static str> {
        let ended = self.with(|stepper, context| stepper.step(&mut context.constants(), &Textures::NONE));
        ended.map(end)
    }

    /// Executes the rest of the program, and returns how it has ended.
    fn run(&mut self, py: Python<'_>) -> PyResult<&'static str> {
        loop {
            // What is left says how long it may take. Slot by slot it takes longer, but can be interrupted.
            let is_long = self.state.left > PIECE;
            let ended = py.detach(|| {
                self.with(|stepper, context| {
                    let mut constants = context.constants();
                    match is_long {
                        true => (0..PIECE).find_map(|_| stepper.step(&mut constants, &Textures::NONE)),
                        false => Some(stepper.run(&mut constants, &Textures::NONE)),
                    }
                })
            });
            if let Some(ended) = ended {
                return Ok(end(ended));
            }
            py.check_signals()?;
        }
    }

    /// The slot that runs next, counted from the beginning of program memory. If you set it, a program that has ended goes on there.
    #[getter]
    fn slot(&self) -> usize {
        self.state.slot
    }

    #[setter]
    fn set_slot(slf: &Bound<'_, Self>, slot: &Bound<'_, PyAny>) -> PyResult<()> {
        let slot = numbers::slot("slot", slot)?;
        let mut stepper = slf.try_borrow_mut()?;
        // Who says where the program goes on wants it to go on.
        (stepper.state.slot, stepper.state.ended) = (slot, None);
        Ok(())
    }

    /// The number of slots that may still run.
    #[getter]
    fn left(&self) -> u32 {
        self.state.left
    }

    #[setter]
    fn set_left(slf: &Bound<'_, Self>, left: &Bound<'_, PyAny>) -> PyResult<()> {
        let left = numbers::word("left", left)?;
        slf.try_borrow_mut()?.state.left = left;
        Ok(())
    }

    /// How the program has ended (``done``, ``timeout``, ``stack``), or None.
    #[getter]
    fn ended(&self) -> Option<&'static str> {
        self.state.ended.map(end)
    }

    /// The instruction that runs next.
    #[getter]
    fn instruction(&self) -> Option<String> {
        if self.state.ended.is_some() {
            return None;
        }
        let insn = self.program.insns.get(self.state.slot.checked_sub(self.program.first)?)?;
        Some(asm::print_insn(self.config.generation, insn))
    }

    /// The call stack, the newest entry last: ``("return", [slot])`` or ``("address", [four integers])``.
    #[getter]
    fn stack(&self) -> Vec<(&'static str, Vec<i64>)> {
        let entry = |entry: &StackEntry| match *entry {
            StackEntry::Return(slot) => ("return", vec![slot as i64]),
            StackEntry::Address(register) => ("address", register.map(i64::from).to_vec()),
        };
        self.state.stack.iter().map(entry).collect()
    }

    /// The input registers, one row for each. This and the other register arrays are read-only; assign a whole array to change
    /// them.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::frozen(py, &self.state.inputs)
    }

    #[setter]
    fn set_inputs(&mut self, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        self.state.inputs.copy_from_slice(&registers("inputs", rows, ATTRIBUTES)?);
        Ok(())
    }

    /// The temporaries. Kelvin's include R12, the readable copy of oPos.
    #[getter]
    fn temps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::frozen(py, &self.state.temps[..self.temporaries()])
    }

    #[setter]
    fn set_temps(&mut self, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = registers("temps", rows, self.temporaries())?;
        self.state.temps[..rows.len()].copy_from_slice(&rows);
        self.settle();
        Ok(())
    }

    /// The output registers, as the program has written them so far.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::frozen(py, &self.outputs)
    }

    #[setter]
    fn set_outputs(&mut self, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = registers("outputs", rows, self.outputs.len())?;
        self.state.outputs[..rows.len()].copy_from_slice(&rows);
        self.settle();
        Ok(())
    }

    /// The rows of constants.
    #[getter]
    fn constants<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrays::frozen(py, self.context.rows())
    }

    #[setter]
    fn set_constants(&mut self, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = registers("constants", rows, self.context.rows().len())?;
        self.context.rows_mut().copy_from_slice(&rows);
        Ok(())
    }

    /// The first component of the first address register. Kelvin has no other.
    #[getter]
    fn a0(&self) -> i32 {
        self.state.address[0][0]
    }

    #[setter]
    fn set_a0(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = address("a0", value)?;
        let mut stepper = slf.try_borrow_mut()?;
        stepper.state.address[0][0] = value;
        stepper.settle();
        Ok(())
    }

    /// Reads or writes a register by its assembler name, in upper or lower case: ``v0``, ``R1``, ``c3``, ``oPos`` or ``o0``;
    /// ``A0`` and ``CC0``.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let row = match self.register(name)? {
            Register::Input(register) => self.state.inputs[register],
            Register::Temp(register) => self.state.temps[register],
            Register::Output(register) => self.outputs[register],
            Register::Constant(row) => self.context.row(row),
            Register::Code(register) => self.state.codes[register],
            Register::Address(register) => {
                let words = self.state.address[register].map(i32::cast_unsigned);
                return arrays::frozen(py, &[words])?.get_item(0)?.call_method1("view", ("int32",));
            }
        };
        arrays::frozen(py, &[row])?.get_item(0)
    }

    /// Whether there is a register of this name.
    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.extract::<String>().is_ok_and(|name| self.register(&name).is_ok())
    }

    // Numbers are looked at before the vertex is: whoever gives them may look at it, too.
    fn __setitem__(slf: &Bound<'_, Self>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let register = slf.try_borrow()?.register(name)?;
        let row = match register {
            Register::Address(_) => {
                let mut row = [0; 4];
                for (word, item) in row.iter_mut().zip(&four(name, value)?) {
                    *word = address(name, item)?.cast_unsigned();
                }
                row
            }
            _ => row(name, value)?,
        };
        let mut stepper = slf.try_borrow_mut()?;
        match register {
            Register::Input(register) => stepper.state.inputs[register] = row,
            Register::Temp(register) => stepper.state.temps[register] = row,
            Register::Output(register) => stepper.state.outputs[register] = row,
            Register::Constant(number) => stepper.context.set_row(number, row),
            Register::Code(register) => stepper.state.codes[register] = row,
            Register::Address(register) => stepper.state.address[register] = row.map(u32::cast_signed),
        }
        stepper.settle();
        Ok(())
    }

    fn __repr__(&self) -> String {
        let at = match (self.state.ended, self.instruction()) {
            (Some(reason), _) => format!("ended ({})", end(reason)),
            (None, Some(text)) => format!("slot {}: {text}", self.state.slot),
            (None, None) => format!("slot {}", self.state.slot),
        };
        format!("<xfjit.Stepper: {at}>")
    }
}
