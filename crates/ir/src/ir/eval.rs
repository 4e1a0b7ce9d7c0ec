//! Evaluates a function of either level, one vertex at a time: to bisect a mismatch, and as a backend.
//!
//! If the XF level differs from the interpreter, lowering is wrong. If the host level differs from the XF level and no
//! guard was raised, a recipe is wrong. If machine code differs from the host level, code generation is wrong.

use super::backend::{HostEffects, HostLoads};
use super::func::{Func, Inst, Value};
use super::host;
use super::imm::{Column, Element, Immediate, Passed};
use super::ops::{Double, Indexed, Kind, Op};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::{DEFAULT_ROW, OUTPUTS, Row};

/// The result of one vertex.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Output registers; those that were not written hold (0, 0, 0, 1).
    pub outputs: [Row; OUTPUTS],
    /// Constants to be written, in order: those that the vertex has written ([`Op::Written`]). The others are stored as they were.
    pub stores: Vec<(usize, Row)>,
    /// A guard was raised: the other fields are invalid.
    pub guarded: bool,
}

/// The working memory of the evaluator. Reused from vertex to vertex, it allocates only to grow.
#[derive(Debug)]
pub struct Workspace {
    words: Vec<u32>,
    doubles: Vec<u64>,
    cells: Vec<u32>,
    outcome: Outcome,
    /// Constants that the vertex has not written.
    unwritten: Vec<usize>,
    /// Which guards were raised, if that is asked for.
    raised: Option<Vec<(Value, Option<Value>)>>,
}

/// The number of values of the largest function of the fixed function, before optimisation.
pub const FIXED_VALUES: usize = 1 << 14;

impl Default for Workspace {
    /// With capacity for every function of the fixed function.
    fn default() -> Self {
        Workspace::new(FIXED_VALUES)
    }
}

impl Workspace {
    /// With capacity for functions of this number of values.
    pub fn new(values: usize) -> Self {
        Workspace {
            words: Vec::with_capacity(values),
            doubles: Vec::with_capacity(values),
            cells: Vec::new(),
            outcome: Outcome { outputs: [DEFAULT_ROW; OUTPUTS], stores: Vec::new(), guarded: false },
            unwritten: Vec::new(),
            raised: None,
        }
    }
}

/// Runs one vertex; constants are read, not written. An attribute is its value; of a function of the host level it is what lies
/// in memory ([`Inputs::fetch_stored`](xfjit_runtime::batch::Inputs::fetch_stored)).
///
/// # Panics
/// If the function is not one that [`verify`](super::verify::verify) admits.
pub fn run(func: &Func, constants: &[Row], attribute: impl Fn(usize) -> Row) -> Outcome {
    let mut workspace = Workspace::new(func.insts.len());
    run_in(&mut workspace, func, constants, attribute);
    workspace.outcome
}

/// [`run`] in a given workspace. Functions without blocks allocate nothing if it is large enough.
pub fn run_in<'m>(
    workspace: &'m mut Workspace,
    func: &Func,
    constants: &[Row],
    attribute: impl Fn(usize) -> Row,
) -> &'m Outcome {
    FpEnv::Default.within(|| run_here(workspace, func, constants, attribute))
}

fn run_here<'m>(
    workspace: &'m mut Workspace,
    func: &Func,
    constants: &[Row],
    attribute: impl Fn(usize) -> Row,
) -> &'m Outcome {
    // Old values need no clearing: operands are defined before they are used.
    workspace.words.resize(func.insts.len(), 0);
    workspace.doubles.resize(func.insts.len(), 0);
    workspace.cells.clear();
    workspace.cells.resize(func.cells(), 0);
    workspace.outcome.outputs = [DEFAULT_ROW; OUTPUTS];
    workspace.outcome.stores.clear();
    workspace.outcome.guarded = false;
    workspace.unwritten.clear();
    let Workspace { words, doubles, cells, outcome, unwritten, raised } = workspace;
    let mut evaluation =
        Evaluation { func, constants, attribute, words, doubles, cells, outcome, unwritten, raised };
    evaluation.run();
    if !unwritten.is_empty() {
        outcome.stores.retain(|(row, _)| !unwritten.contains(row));
    }
    outcome
}

/// The guards that one vertex raises, all of them, in the order of the function; with a guard that found a NaN, the value that is
/// one.
///
/// # Panics
/// As [`run`].
pub fn raised(
    func: &Func,
    constants: &[Row],
    attribute: impl Fn(usize) -> Row,
) -> Vec<(Value, Option<Value>)> {
    let mut workspace = Workspace::new(func.insts.len());
    workspace.raised = Some(Vec::new());
    run_in(&mut workspace, func, constants, attribute);
    workspace.raised.unwrap_or_default()
}

impl<A: Fn(usize) -> Row> Evaluation<'_, A> {
    fn run(&mut self) {
        let (func, evaluation) = (self.func, self);
        func.prologue.iter().for_each(|&value| evaluation.step(value));
        if !func.has_blocks() {
            return func.body.iter().for_each(|&value| evaluation.step(value));
        }
        let uniform = func.uniform();
        func.body.iter().filter(|value| uniform[value.index()]).for_each(|&value| evaluation.step(value));
        let blocks = func.blocks();
        let mut number = 0;
        while let Some(block) = blocks.get(number) {
            let own = func.body[block.range.clone()].iter().filter(|value| !uniform[value.index()]);
            own.for_each(|&value| evaluation.step(value));
            let taken = func
                .gotos(block.range.clone())
                .filter(|(_, mask)| evaluation.words[mask.index()] != 0)
                .last();
            number = taken.map_or(number + 1, |(target, _)| target);
        }
    }
}

/// The evaluation of one vertex.
struct Evaluation<'a, A> {
    func: &'a Func,
    constants: &'a [Row],
    attribute: A,
    words: &'a mut [u32],
    doubles: &'a mut [u64],
    cells: &'a mut [u32],
    outcome: &'a mut Outcome,
    unwritten: &'a mut Vec<usize>,
    raised: &'a mut Option<Vec<(Value, Option<Value>)>>,
}

impl<A: Fn(usize) -> Row> Evaluation<'_, A> {
    /// A constant; (0, 0, 0, 0) out of range.
    fn row(&self, index: usize) -> Row {
        self.constants.get(index).copied().unwrap_or_default()
    }

    fn step(&mut self, value: Value) {
        let func = self.func;
        let inst = func.inst(value);
        if let Kind::Double(op) = inst.op.kind() {
            return self.double(op, value, inst);
        }
        let x = inst.args.map(|arg| if arg == Value::NONE { 0 } else { self.words[arg.index()] });
        let operands = &x[..inst.op.operands()];
        let result = match inst.op.kind() {
            Kind::Load(load) => load.apply(self, inst.imm, operands),
            Kind::Effect(effect) => {
                effect.apply(self, inst.imm, operands);
                return self.note_guard(value, inst);
            }
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
        self.words[value.index()] = result;
    }

    /// Notes a guard that was raised just now, if that is asked for.
    #[inline]
    fn note_guard(&mut self, value: Value, inst: &Inst) {
        if self.raised.is_some() && std::mem::take(&mut self.outcome.guarded) {
            let nan = self.nan(inst);
            self.raised.iter_mut().for_each(|raised| raised.push((value, nan)));
        }
    }

    /// The operand that is a NaN, of the comparison that a guard looks at.
    fn nan(&self, guard: &Inst) -> Option<Value> {
        let mut mask = self.func.inst(*guard.operands().first()?);
        // In the lanes of a block.
        while mask.op == Op::And {
            let compared = mask.operands().iter().map(|&arg| self.func.inst(arg));
            mask = compared.into_iter().find(|inst| matches!(inst.op, Op::Funord | Op::And))?;
        }
        let is_nan = |value: &&Value| self.words[value.index()] & 0x7fff_ffff > 0x7f80_0000;
        (mask.op == Op::Funord).then(|| mask.operands().iter().find(is_nan).copied())?
    }

    fn double(&mut self, op: Double, value: Value, inst: &Inst) {
        let env = self.func.env();
        let at = |operand: usize| inst.args[operand].index();
        let double = |operand: usize| self.doubles[at(operand)];
        self.doubles[value.index()] = match op {
            Double::Promote => host::promote(env, self.words[at(0)]),
            Double::Dadd => host::dadd(env, double(0), double(1)),
            Double::Dsub => host::dsub(env, double(0), double(1)),
            Double::Dmul => host::dmul(env, double(0), double(1)),
            Double::Dfma => host::dfma(env, double(0), double(1), double(2)),
            Double::Dlow => return self.words[value.index()] = double(0) as u32,
        };
    }

    /// A constant of the window, or 0.
    fn indexed(&self, index: u32, at: Element) -> u32 {
        let row = i64::from(index as i32) + at.row as i64;
        let inside = row >= i64::from(self.func.window.start) && row < i64::from(self.func.window.end);
        if inside { self.row(row as usize)[at.component] } else { 0 }
    }
}

impl<A: Fn(usize) -> Row> HostLoads for Evaluation<'_, A> {
    type Operand = u32;
    type Result = u32;

    fn bits(&mut self, bits: u32) -> u32 {
        bits
    }

    fn input(&mut self, at: Element) -> u32 {
        (self.attribute)(at.row)[at.component]
    }

    fn ctx(&mut self, at: Element) -> u32 {
        self.row(at.row)[at.component]
    }

    fn gather(&mut self, row: u32, component: usize) -> u32 {
        self.row(row as usize)[component]
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

impl<A: Fn(usize) -> Row> HostEffects for Evaluation<'_, A> {
    type Operand = u32;

    fn output(&mut self, x: u32, y: u32, z: u32, w: u32, register: usize) {
        self.outcome.outputs[register] = [x, y, z, w];
    }

    fn store(&mut self, x: u32, y: u32, z: u32, w: u32, row: usize) {
        self.outcome.stores.push((row, [x, y, z, w]));
    }

    fn written(&mut self, mask: u32, row: usize) {
        if mask == 0 {
            self.unwritten.push(row);
        }
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
