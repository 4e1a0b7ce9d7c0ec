//! Runs a function of either level, one vertex at a time: to bisect a mismatch, and as a backend of its own.
//!
//! If this at the XF level differs from the interpreter, lowering is wrong; if the host level differs from the XF
//! level where no guard was raised, a recipe is; if machine code differs from the host level, code generation is.

use super::func::{Func, Value};
use super::host;
use super::ops::Op;
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
        let env = func.env();
        let inst = func.inst(value);
        let x = inst.args.map(|arg| if arg == Value::NONE { 0 } else { self.lane[arg.index()] });
        let imm = inst.imm as usize;
        let double = |operand: usize| self.wide[inst.args[operand].index()];
        let result = match inst.op {
            Op::Const => inst.imm,
            Op::Input => (self.attribute)(imm / 4)[imm % 4],
            Op::Ctx => self.context.row(imm / 4)[imm % 4],
            Op::CtxRel => {
                let row = i64::from(x[0] as i32) + (imm / 4) as i64;
                let inside = row >= i64::from(func.window.start) && row < i64::from(func.window.end);
                if inside { self.context.row(row as usize)[imm % 4] } else { 0 }
            }
            Op::Gather => self.context.row(x[0] as usize)[imm],
            Op::Block => u32::MAX,
            Op::Get => self.cells[imm],
            Op::Set => return self.cells[imm] = x[0],
            // The walk over the blocks looks at its mask.
            Op::Goto => return,
            Op::Output => return self.outcome.outputs[imm] = x,
            Op::Store => return self.outcome.stores.push((imm, x)),
            Op::Guard => return self.outcome.guarded |= x[0] != 0,
            Op::BigGuard => return self.outcome.guarded |= host::big_guard(func.numerics, x[0]),
            Op::SmallGuard => return self.outcome.guarded |= host::small_guard(x[0]),
            Op::Promote => return self.wide[value.index()] = host::promote(env, x[0]),
            Op::Dadd => return self.wide[value.index()] = host::dadd(env, double(0), double(1)),
            Op::Dsub => return self.wide[value.index()] = host::dsub(env, double(0), double(1)),
            Op::Dmul => return self.wide[value.index()] = host::dmul(env, double(0), double(1)),
            Op::Dlow => double(0) as u32,
            Op::RowGuard => {
                let row = (self.attribute)(imm);
                return self.outcome.guarded |= row.iter().any(|&word| word & 0x7fff_ffff > 0x7f80_0000);
            }
            Op::RowCopy => return self.outcome.outputs[imm >> 8] = (self.attribute)(imm & 255),
            op => match op.evaluate(func.numerics, env, inst.imm, x) {
                Some(bits) => bits,
                None => unreachable!("{} has a meaning of its own above", op.text()),
            },
        };
        self.lane[value.index()] = result;
    }
}
