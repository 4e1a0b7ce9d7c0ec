//! Values, instructions, functions.

use super::imm::{Immediate, Uses};
use super::ops::{Imm, Op};
use super::origin::{Origin, Origins};
pub use super::value::Value;
use std::ops::Range;
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::{Model, Numerics};

/// One instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inst {
    /// The operation.
    pub op: Op,
    /// Immediate, see [`Op::imm`].
    pub imm: u32,
    /// Operands, followed by [`Value::NONE`].
    pub args: [Value; 4],
}

impl Inst {
    /// An instruction; missing operands are filled up.
    #[inline]
    pub fn new(op: Op, imm: u32, args: &[Value]) -> Self {
        debug_assert_eq!(args.len(), op.operands(), "{}", op.text());
        let mut all = [Value::NONE; 4];
        all[..args.len()].copy_from_slice(args);
        Inst { op, imm, args: all }
    }

    /// The unpacked immediate.
    #[inline]
    pub fn immediate<I: Immediate>(&self) -> I {
        I::unpack(self.imm)
    }

    /// The operands that the operation has.
    #[inline]
    pub fn operands(&self) -> &[Value] {
        &self.args[..self.op.operands()]
    }

    /// Whether the result depends on constants only, given which operands do. In a `serial` program (one that writes
    /// constants) a constant may differ from vertex to vertex.
    #[inline]
    pub fn is_uniform(&self, serial: bool, uniform: impl Fn(Value) -> bool) -> bool {
        let reads_alike = match self.op.imm() {
            Imm::Input | Imm::Register | Imm::Copy | Imm::Output | Imm::Row => false,
            Imm::Block | Imm::Cell => false,
            Imm::Ctx | Imm::Component => !serial,
            Imm::None | Imm::Bits | Imm::Shift | Imm::Table => true,
        };
        reads_alike && self.operands().iter().all(|&arg| uniform(arg))
    }
}

/// The level of a function's operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// Primitives of the chip.
    Xf,
    /// Machine operations.
    Host,
}

/// A program in SSA form: an arena of instructions, and the order in which they run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Func {
    /// The level of its operations.
    pub level: Level,
    /// The arithmetic of the XF level.
    pub numerics: Numerics,
    /// The constant rows that relative reads can reach; reads outside give 0.
    pub window: Range<u16>,
    /// How attributes lie in memory, which [`Op::Input`] reads at the host level. At the XF level it reads their values.
    pub inputs: InputLayout,
    /// All instructions. Those in neither part are dead.
    pub insts: Vec<Inst>,
    /// Where they come from.
    pub origins: Origins,
    /// Runs once per batch; depends on constants only.
    pub prologue: Vec<Value>,
    /// Runs for every group, block by block if it has several ([`super::blocks`]).
    pub body: Vec<Value>,
}

impl Func {
    /// An empty function.
    pub fn new(level: Level, numerics: Numerics, window: Range<u16>) -> Self {
        Func {
            level,
            numerics,
            window,
            inputs: InputLayout::ROWS,
            insts: Vec::new(),
            origins: Origins::default(),
            prologue: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        let order = self.prologue.capacity() + self.body.capacity();
        self.insts.capacity() * size_of::<Inst>() + order * size_of::<Value>() + self.origins.bytes()
    }

    /// An empty function with the same header, at another level.
    pub fn like(&self, level: Level) -> Self {
        Func { inputs: self.inputs, ..Func::new(level, self.numerics, self.window.clone()) }
    }

    /// The instruction that defines a value.
    #[inline]
    pub fn inst(&self, value: Value) -> &Inst {
        &self.insts[value.index()]
    }

    /// The bits of a value that is a literal constant.
    #[inline]
    pub fn literal(&self, value: Value) -> Option<u32> {
        let inst = self.inst(value);
        (inst.op == Op::Const).then_some(inst.imm)
    }

    /// The operand of a negation, if a value is one.
    pub fn negated(&self, value: Value) -> Option<Value> {
        let inst = self.inst(value);
        let by_sign = inst.op == Op::Xor && self.literal(inst.args[1]) == Some(0x8000_0000);
        by_sign.then_some(inst.args[0])
    }

    /// Where an instruction comes from.
    #[inline]
    pub fn origin(&self, value: Value) -> Origin {
        self.origins.get(value)
    }

    /// Whether a value is a literal, a constant or a constant as a double: code can make it wherever it is read.
    #[inline]
    pub fn is_literal(&self, value: Value) -> bool {
        let inst = self.inst(value);
        inst.op == Op::Const || inst.op == Op::Promote && self.inst(inst.args[0]).op == Op::Const
    }

    /// All instructions in the order in which they run.
    #[inline]
    pub fn order(&self) -> impl DoubleEndedIterator<Item = Value> + '_ {
        self.prologue.iter().chain(&self.body).copied()
    }

    /// For each instruction whether it depends on constants only.
    pub fn uniform(&self) -> Vec<bool> {
        let serial = self.is_serial();
        let mut uniform = vec![false; self.insts.len()];
        for value in self.order() {
            let known = |arg: Value| uniform.get(arg.index()) == Some(&true);
            uniform[value.index()] = self.inst(value).is_uniform(serial, known);
        }
        uniform
    }

    /// The floating-point environment that host-level code of this function runs in.
    pub fn env(&self) -> FpEnv {
        match self.numerics.model {
            Model::Hw => FpEnv::Truncate,
            Model::Ieee => FpEnv::Default,
        }
    }

    /// The constant rows that the program writes.
    pub fn stored_rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.order().map(|v| self.inst(v)).filter(|inst| inst.op == Op::Store).map(|inst| inst.imm)
    }

    /// The constant rows of which it tells whether the program has written them; the others of those that it writes it always has.
    pub fn told_rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.order().map(|v| self.inst(v)).filter(|inst| inst.op == Op::Written).map(|inst| inst.imm)
    }

    /// Whether the program writes constants: then every vertex reads the constants that the previous one wrote.
    pub fn is_serial(&self) -> bool {
        self.stored_rows().next().is_some()
    }

    /// Whether host-level code of it reads a row of zeros after the constants: if it has relative reads, which find there
    /// what is out of range. Not if it writes constants, since then each vertex runs on what the previous one wrote.
    pub fn reads_zero_row(&self) -> bool {
        self.order().any(|value| self.inst(value).op == Op::Gather) && !self.is_serial()
    }

    /// The attributes that are read, as a mask of IBUF registers.
    pub fn live_inputs(&self) -> u16 {
        self.live_streams().0
    }

    /// The output registers that are written, as a mask of TBUF registers.
    pub fn live_outputs(&self) -> u32 {
        self.live_streams().1
    }

    /// Both.
    pub fn live_streams(&self) -> (u16, u32) {
        self.streams().fold((0, 0), |(inputs, outputs), uses| {
            let input = uses.attribute.map_or(0, |register| 1 << register);
            (inputs | input, outputs | uses.output.map_or(0, |register| 1 << register))
        })
    }

    /// The streams that instructions name.
    fn streams(&self) -> impl Iterator<Item = Uses> + '_ {
        self.order().map(|value| self.inst(value)).map(|inst| inst.op.imm().uses(inst.imm))
    }
}
