//! One vertex, slot by slot, and one operation.

use crate::config::{Wanted, xfjit_config};
use crate::constants::ConstantRows;
use crate::export::functions;
use crate::extent::{apart, extent};
use crate::program::xfjit_program;
use crate::sized::Sized32;
use crate::status::{Failure, argument, call, xfjit_status};
use crate::table::{constants, record};
use std::cell::RefCell;
use std::ffi::c_void;
use xfjit::Config;
use xfjit::front::Microcode;
use xfjit::interp::{
    End, STACK, StackEntry, Stepper, TEMPS, VertexState, scalar_operation, vector_operation,
};
use xfjit::isa::{ScaOp, VecOp};
use xfjit::runtime::state::{ATTRIBUTES, OUTPUTS, Row};
use xfjit::runtime::texture::Textures;

constants! {
    /// Whether the program has ended, and why (xfjit_vertex.ended).
    ENDS: u32;
    /// It has not ended.
    XFJIT_RUNS = 0;
    /// It ended by END, by a return without a call, or at a slot without an instruction.
    XFJIT_ENDED = 1;
    /// It ended by its timeout.
    XFJIT_ENDED_TIMEOUT = 2;
    /// It ended by a stack fault: the stack was too deep, or its top entry was of the wrong kind.
    XFJIT_ENDED_STACK = 3;
}

constants! {
    /// The units (xfjit_op).
    UNITS: u32;
    /// The vector unit.
    XFJIT_UNIT_VECTOR = 0;
    /// The scalar unit.
    XFJIT_UNIT_SCALAR = 1;
}

record! {
    VERTEX;
    /// The state of a vertex between two slots. The caller may change everything between steps. Rows are four floats as bits.
    struct xfjit_vertex {
        /// sizeof(xfjit_vertex)
        size: u32,
        /// The slot that runs next, counted from the beginning of program memory.
        slot: u32,
        /// The number of slots that may still run.
        left: u32,
        /// XFJIT_RUNS, or how the program has ended; then nothing more runs.
        ended: u32,
        /// Input registers.
        input: [[u32; 4]; 16],
        /// Temporaries. Kelvin's R12 is the readable copy of oPos.
        temp: [[u32; 4]; 48],
        /// Output registers, as written so far.
        output: [[u32; 4]; 24],
        /// Condition registers: the values that last set them.
        codes: [[u32; 4]; 2],
        /// Address registers; Kelvin has only the first component of the first.
        address: [[i32; 4]; 2],
        /// The number of entries on the call stack, 8 at most.
        depth: u32,
        /// The kind of each entry: an address register (1), or the slot after a call (0).
        stack_kind: [u32; 8],
        /// The value of each entry: an address register, or the slot as the first number.
        stack: [[i32; 4]; 8],
        /// 0
        reserved: u32,
    }
}

impl Sized32 for xfjit_vertex {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_vertex";
    const ZERO: Self = Self::ZERO;
}

const _: () = assert!(STACK == 8 && TEMPS == 48 && OUTPUTS == 24 && ATTRIBUTES == 16);

fn recorded(state: &VertexState) -> xfjit_vertex {
    let VertexState { inputs, temps, outputs, address, codes, stack, slot, left, ended } = state;
    let mut vertex = xfjit_vertex {
        slot: u32::try_from(*slot).unwrap_or(u32::MAX),
        left: *left,
        ended: match ended {
            None => XFJIT_RUNS,
            Some(End::Done) => XFJIT_ENDED,
            Some(End::Timeout) => XFJIT_ENDED_TIMEOUT,
            Some(End::Stack) => XFJIT_ENDED_STACK,
        },
        input: *inputs,
        temp: *temps,
        output: *outputs,
        codes: *codes,
        address: *address,
        depth: stack.len() as u32,
        ..xfjit_vertex::ZERO
    };
    for (at, entry) in stack.iter().enumerate() {
        (vertex.stack_kind[at], vertex.stack[at]) = match *entry {
            StackEntry::Return(slot) => (0, [slot as i32, 0, 0, 0]),
            StackEntry::Address(register) => (1, register),
        };
    }
    vertex
}

fn state_of(vertex: &xfjit_vertex) -> Result<VertexState, Failure> {
    let depth = vertex.depth as usize;
    if depth > STACK {
        return Err(argument(format_args!("xfjit_vertex.depth is {depth}; it is at most {STACK}")));
    }
    if vertex.reserved != 0 {
        return Err(argument("xfjit_vertex.reserved is not 0"));
    }
    let entries = vertex.stack_kind.iter().zip(&vertex.stack).take(depth);
    let stack = entries.map(|(kind, values)| match (kind, usize::try_from(values[0])) {
        (0, Ok(slot)) => Ok(StackEntry::Return(slot)),
        (1, _) => Ok(StackEntry::Address(*values)),
        _ => Err(argument("xfjit_vertex.stack has an entry that is neither a slot nor an address register")),
    });
    Ok(VertexState {
        inputs: vertex.input,
        temps: vertex.temp,
        outputs: vertex.output,
        address: vertex.address,
        codes: vertex.codes,
        stack: stack.collect::<Result<_, _>>()?,
        slot: vertex.slot as usize,
        left: vertex.left,
        ended: match vertex.ended {
            XFJIT_RUNS => None,
            XFJIT_ENDED => Some(End::Done),
            XFJIT_ENDED_TIMEOUT => Some(End::Timeout),
            XFJIT_ENDED_STACK => Some(End::Stack),
            other => return Err(argument(format_args!("xfjit_vertex.ended is {other}"))),
        },
    })
}

/// The result of one operation.
fn operate(config: &Config, unit: u32, opcode: u32, operands: &[Row; 3]) -> Result<Row, Failure> {
    let code = u8::try_from(opcode).ok();
    let result = match unit {
        XFJIT_UNIT_VECTOR => code
            .and_then(|code| VecOp::from_code(config.generation, code))
            .and_then(|op| vector_operation(config, op, operands)),
        XFJIT_UNIT_SCALAR => code
            .and_then(|code| ScaOp::from_code(config.generation, code))
            .and_then(|op| scalar_operation(config, op, operands)),
        other => return Err(argument(format_args!("there is no unit {other}"))),
    };
    result.ok_or_else(|| argument(format_args!("unit {unit} has no operation {opcode:#x} with a result")))
}

thread_local! {
    /// The record that this thread has named last to [`xfjit_op`], and its meaning: to read a record takes longer than an operation.
    static LAST: RefCell<Option<(xfjit_config, Config)>> = const { RefCell::new(None) };
}

/// Calls `body` with the meaning of a record.
fn with_config<R>(
    given: &xfjit_config,
    body: impl FnOnce(&Config) -> Result<R, Failure>,
) -> Result<R, Failure> {
    LAST.with_borrow_mut(|last| match last {
        Some((known, config)) if known == given => body(config),
        _ => {
            let config = Wanted::of(given)?.config;
            body(&last.insert((*given, config)).1)
        }
    })
}

functions! {
    FUNCTIONS;
    /// Sets a vertex to the beginning of a program. The caller sets size and input first. Any thread.
    fn xfjit_vertex_reset(program: *const xfjit_program, vertex: *mut xfjit_vertex) -> xfjit_status {
        call(|| {
            let (program, given) = (program.handle()?, vertex.record()?);
            let Microcode { program, config } = program.microcode()?;
            let state = VertexState::new(program, config, given.input);
            vertex.room()?.fill(&recorded(&state));
            Ok(())
        })
    }
    /// Executes at most `slots` slots of a program for a vertex, as the interpreter does; 4294967295 runs the whole program. It stops where
    /// the program ends, and records that in the vertex. Constants and dirty bytes are as for xfjit_run_rows. Any thread.
    fn xfjit_step(program: *const xfjit_program, vertex: *mut xfjit_vertex, constants: *mut c_void, constant_rows: usize, dirty: *mut u8, slots: u32) -> xfjit_status {
        call(|| {
            let (program, given) = (program.handle()?, vertex.record()?);
            let needs = program.get().needs();
            // SAFETY: so many rows are at `constants`, which are written only if the program writes constants, and a byte for each that the
            // generation has at `dirty`, unless it is null.
            let constants = unsafe { ConstantRows::new(constants.as_ptr(), constant_rows, dirty.as_ptr()) };
            let (rows, noted) = constants.ranges(needs)?;
            let written = extent(vertex.as_ptr(), 1, "vertex")?;
            apart(&rows, "constants", &written, "the vertex")?;
            apart(&noted, "dirty", &written, "the vertex")?;
            let mut constants = constants.lend(needs)?;
            let Microcode { program, config } = program.microcode()?;
            let state = state_of(&given)?;
            let mut stepper = Stepper::new(program, config, &state);
            let mut steps = 0;
            while steps < slots && stepper.step(&mut constants, &Textures::NONE).is_none() {
                steps += 1;
            }
            let mut state = stepper.state();
            if state.ended.is_some() {
                state.outputs = stepper.outputs();
            }
            vertex.room()?.fill(&recorded(&state));
            Ok(())
        })
    }
    /// Computes one operation of a unit (XFJIT_UNIT_*), given its opcode. `operands` are three operands of four words each; the operation
    /// reads those that it has. `result` receives four words. Operations without a result (branches, address operations) return
    /// XFJIT_E_ARGUMENT. Any thread.
    fn xfjit_op(config: *const xfjit_config, unit: u32, opcode: u32, operands: *const c_void, result: *mut c_void) -> xfjit_status {
        call(|| {
            let result = result.rows();
            result.check("result")?;
            let (config, operands) = (config.record()?, operands.rows());
            // SAFETY: three operands are at `operands`.
            let operands = unsafe { operands.slice(3, "operands") }?;
            let operands = [operands[0], operands[1], operands[2]];
            let row = with_config(&config, |config| operate(config, unit, opcode, &operands))?;
            // SAFETY: one row is at `result`. The operands, which may be there, too, have been copied.
            unsafe { result.slice(1, "result") }?.fill(row);
            Ok(())
        })
    }
}
