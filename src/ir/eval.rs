//! Runs a function of either level, one vertex at a time: to bisect a mismatch, and as a backend of its own.
//!
//! If this at the XF level differs from the interpreter, lowering is wrong; if the host level differs from the XF
//! level where no guard was raised, a recipe is; if machine code differs from the host level, code generation is.

use super::backend::{HostEffects, HostLoads};
use super::func::{Func, Inst, Value};
use super::host;
use super::imm::{Column, Element, Immediate, Passed};
use super::ops::{Double, Indexed, Kind};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::{Context, DEFAULT_ROW, OUTPUTS, Row};

/// What one vertex did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Output registers; those that were not written hold (0, 0, 0, 1).
    pub outputs: [Row; OUTPUTS],
    /// Constants to be written, in order.
    pub stores: Vec<(usize, Row)>,
    /// A guard was raised: nothing else of this is valid.
    pub guarded: bool,
}

/// What the evaluator works in; kept from vertex to vertex, it allocates only to grow.
#[derive(Debug)]
pub struct Memory {
    lane: Vec<u32>,
    wide: Vec<u64>,
    cells: Vec<u32>,
    outcome: Outcome,
}

/// Values of the largest function that the fixed function becomes, as the reference runs it.
pub const FIXED_VALUES: usize = 1 << 14;

impl Default for Memory {
    /// Room for whatever the fixed function becomes.
    fn default() -> Self {
        Memory::new(FIXED_VALUES)
    }
}

impl Memory {
    /// Room for functions of so many values.
    pub fn new(values: usize) -> Self {
        Memory {
            lane: Vec::with_capacity(values),
            wide: Vec::with_capacity(values),
            cells: Vec::new(),
            outcome: Outcome { outputs: [DEFAULT_ROW; OUTPUTS], stores: Vec::new(), guarded: false },
        }
    }
}

/// Runs one vertex; constants are read, not written.
///
/// # Panics
/// If the function is not one that [`verify`](super::verify::verify) admits.
pub fn run(func: &Func, context: &Context, attribute: impl Fn(usize) -> Row) -> Outcome {
    let mut memory = Memory::new(func.insts.len());
    run_in(&mut memory, func, context, attribute);
    memory.outcome
}

/// [`run`] in memory that is there. Functions without blocks allocate nothing there, if it is large enough.
pub fn run_in<'m>(
    memory: &'m mut Memory,
    func: &Func,
    context: &Context,
    attribute: impl Fn(usize) -> Row,
) -> &'m Outcome {
    FpEnv::Default.within(|| run_here(memory, func, context, attribute))
}

fn run_here<'m>(
    memory: &'m mut Memory,
    func: &Func,
    context: &Context,
    attribute: impl Fn(usize) -> Row,
) -> &'m Outcome {
    // What a value held before is not seen: operands are defined before they are used.
    memory.lane.resize(func.insts.len(), 0);
    memory.wide.resize(func.insts.len(), 0);
    memory.cells.clear();
    memory.cells.resize(func.cells(), 0);
    memory.outcome.outputs = [DEFAULT_ROW; OUTPUTS];
    memory.outcome.stores.clear();
    memory.outcome.guarded = false;
    let Memory { lane, wide, cells, outcome } = memory;
    let mut machine = Machine { func, context, attribute, lane, wide, cells, outcome };
    machine.run();
    outcome
}

impl<A: Fn(usize) -> Row> Machine<'_, A> {
    fn run(&mut self) {
        let (func, machine) = (self.func, self);
        func.prologue.iter().for_each(|&value| machine.step(value));
        if !func.has_blocks() {
            return func.body.iter().for_each(|&value| machine.step(value));
        }
        let uniform = func.uniform();
        func.body.iter().filter(|value| uniform[value.index()]).for_each(|&value| machine.step(value));
        let blocks = func.blocks();
        let mut number = 0;
        while let Some(block) = blocks.get(number) {
            let own = func.body[block.range.clone()].iter().filter(|value| !uniform[value.index()]);
            own.for_each(|&value| machine.step(value));
            let taken =
                func.gotos(block.range.clone()).filter(|(_, mask)| machine.lane[mask.index()] != 0).last();
            number = taken.map_or(number + 1, |(target, _)| target);
        }
    }
}

/// A vertex in flight.
struct Machine<'a, A> {
    func: &'a Func,
    context: &'a Context,
    attribute: A,
    lane: &'a mut [u32],
    wide: &'a mut [u64],
    cells: &'a mut [u32],
    outcome: &'a mut Outcome,
}

impl<A: Fn(usize) -> Row> Machine<'_, A> {
    fn step(&mut self, value: Value) {
        let func = self.func;
        let inst = func.inst(value);
        if let Kind::Double(op) = inst.op.kind() {
            return self.double(op, value, inst);
        }
        let x = inst.args.map(|arg| if arg == Value::NONE { 0 } else { self.lane[arg.index()] });
        let operands = &x[..inst.op.operands()];
        let result = match inst.op.kind() {
            Kind::Load(load) => load.apply(self, inst.imm, operands),
            Kind::Effect(effect) => return effect.apply(self, inst.imm, operands),
            Kind::Indexed(Indexed::CtxRel) => self.indexed(x[0], inst.immediate()),
            Kind::Pure(_)
            | Kind::Double(_)
            | Kind::Arithmetic(_)
            | Kind::Function(_)
            | Kind::Lighting(_)
            | Kind::Leaving(_) => {
                let result = inst.op.evaluate(func.numerics, func.env(), inst.imm, x);
                result.unwrap_or_else(|| unreachable!("{} has a meaning in the table", inst.op.text()))
            }
        };
        self.lane[value.index()] = result;
    }

    fn double(&mut self, op: Double, value: Value, inst: &Inst) {
        let env = self.func.env();
        let at = |operand: usize| inst.args[operand].index();
        let double = |operand: usize| self.wide[at(operand)];
        self.wide[value.index()] = match op {
            Double::Promote => host::promote(env, self.lane[at(0)]),
            Double::Dadd => host::dadd(env, double(0), double(1)),
            Double::Dsub => host::dsub(env, double(0), double(1)),
            Double::Dmul => host::dmul(env, double(0), double(1)),
            Double::Dlow => return self.lane[value.index()] = double(0) as u32,
        };
    }

    /// A constant of the window, or 0.
    fn indexed(&self, index: u32, at: Element) -> u32 {
        let row = i64::from(index as i32) + at.row as i64;
        let inside = row >= i64::from(self.func.window.start) && row < i64::from(self.func.window.end);
        if inside { self.context.row(row as usize)[at.component] } else { 0 }
    }
}

impl<A: Fn(usize) -> Row> HostLoads for Machine<'_, A> {
    type Operand = u32;
    type Result = u32;

    fn bits(&mut self, bits: u32) -> u32 {
        bits
    }

    fn input(&mut self, at: Element) -> u32 {
        (self.attribute)(at.row)[at.component]
    }

    fn ctx(&mut self, at: Element) -> u32 {
        self.context.row(at.row)[at.component]
    }

    fn gather(&mut self, row: u32, component: usize) -> u32 {
        self.context.row(row as usize)[component]
    }

    fn table(&mut self, row: u32, column: Column) -> u32 {
        host::table(column.pack(), row)
    }

    fn block(&mut self, _: usize) -> u32 {
        u32::MAX
    }

    fn get(&mut self, cell: usize) -> u32 {
        self.cells[cell]
    }
}

impl<A: Fn(usize) -> Row> HostEffects for Machine<'_, A> {
    type Operand = u32;

    fn output(&mut self, x: u32, y: u32, z: u32, w: u32, register: usize) {
        self.outcome.outputs[register] = [x, y, z, w];
    }

    fn store(&mut self, x: u32, y: u32, z: u32, w: u32, row: usize) {
        self.outcome.stores.push((row, [x, y, z, w]));
    }

    /// The walk over the blocks looks at its mask.
    fn goto(&mut self, _: u32, _: usize) {}

    fn set(&mut self, a: u32, cell: usize) {
        self.cells[cell] = a;
    }

    fn guard(&mut self, mask: u32) {
        self.outcome.guarded |= mask != 0;
    }

    fn big_guard(&mut self, exponent: u32) {
        self.outcome.guarded |= host::big_guard(self.func.numerics, exponent);
    }

    fn small_guard(&mut self, less: u32) {
        self.outcome.guarded |= host::small_guard(less);
    }

    fn row_guard(&mut self, attribute: usize) {
        let row = (self.attribute)(attribute);
        self.outcome.guarded |= row.iter().any(|&word| word & 0x7fff_ffff > 0x7f80_0000);
    }

    fn row_copy(&mut self, passed: Passed) {
        self.outcome.outputs[passed.output] = (self.attribute)(passed.attribute);
    }
}
