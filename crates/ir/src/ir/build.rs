//! Building functions, with value numbering and folding.

use super::fold;
use super::func::{Func, Inst, Value};
use super::imm::{Column, Element, Immediate, Passed, immediate};
use super::ops::{At, Op};
use super::origin::Origin;
use crate::for_each_ir_op;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use xfjit_runtime::lookup::Table;

/// Appends instructions to the body of a function.
///
/// A *sharing* builder returns the same value for equal pure instructions and folds constants. So rebuilding a function
/// through it is the value numbering pass.
#[derive(Debug)]
pub struct Builder {
    func: Func,
    numbers: Option<FxHashMap<Inst, Value>>,
    uniform: Vec<bool>,
    serial: bool,
    /// The mask of lanes that run the current block; `None` if all do.
    active: Option<Value>,
    origin: Origin,
}

impl Builder {
    /// A builder that appends every instruction unchanged.
    pub fn plain(func: Func) -> Self {
        Builder {
            func,
            numbers: None,
            uniform: Vec::new(),
            serial: false,
            active: None,
            origin: Origin::NONE,
        }
    }

    /// A builder that shares equal values and folds. `serial`: the program writes constants, so reading one is not uniform.
    pub fn sharing(func: Func, serial: bool) -> Self {
        let numbers = Some(FxHashMap::default());
        Builder { func, numbers, uniform: Vec::new(), serial, active: None, origin: Origin::NONE }
    }

    /// Makes room for so many more instructions.
    pub fn reserve(&mut self, instructions: usize) {
        self.func.insts.reserve(instructions);
        self.func.body.reserve(instructions);
        if let Some(numbers) = &mut self.numbers {
            numbers.reserve(instructions);
            self.uniform.reserve(instructions);
        }
    }

    /// The function built so far.
    pub fn func(&self) -> &Func {
        &self.func
    }

    /// The finished function.
    pub fn finish(self) -> Func {
        self.func
    }

    /// Where the next instructions come from; returns where the last ones came from.
    pub fn set_origin(&mut self, origin: Origin) -> Origin {
        std::mem::replace(&mut self.origin, origin)
    }

    /// Where the next instructions come from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether a value depends on constants only.
    pub fn is_uniform(&self, value: Value) -> bool {
        self.uniform[value.index()]
    }

    /// The bits of a value that is a literal constant.
    pub fn literal(&self, value: Value) -> Option<u32> {
        self.func.literal(value)
    }

    /// The mask of lanes that run the current block; `None` if all do.
    pub fn active(&self) -> Option<Value> {
        self.active
    }

    /// Begins a block. Values of the previous block are not shared any more, unless they are uniform.
    pub fn block(&mut self, number: u32) -> Value {
        let marker = self.append(Inst::new(Op::Block, number, &[]));
        if let Some(numbers) = &mut self.numbers {
            // Doubles are computed again in each block that reads them. So are primitives: the guards of their recipes
            // hold only for the lanes of one block.
            let stays = |op: Op| !op.makes_double() && op.at() != At::Xf;
            numbers.retain(|inst, value| self.uniform[value.index()] && stays(inst.op));
        }
        self.active = Some(marker);
        marker
    }

    /// Declares the current block to be the last, which all lanes run.
    pub fn meet(&mut self) {
        self.active = None;
    }

    /// Appends an instruction, or returns an existing value that equals it.
    pub fn push(&mut self, inst: Inst) -> Value {
        if inst.op == Op::Block {
            return self.block(inst.imm);
        }
        if inst.op.has_effect() || self.numbers.is_none() {
            return self.append(inst);
        }
        let inst = match fold::simplify(&self.func, inst) {
            fold::Simple::Value(value) => return value,
            fold::Simple::Inst(inst) => inst,
        };
        let next = Value(self.func.insts.len() as u32);
        if let Some(numbers) = &mut self.numbers {
            match numbers.entry(inst) {
                Entry::Occupied(known) => return *known.get(),
                Entry::Vacant(place) => _ = place.insert(next),
            }
        }
        self.append(inst)
    }

    fn append(&mut self, inst: Inst) -> Value {
        let value = Value(self.func.insts.len() as u32);
        let uniform = inst.is_uniform(self.serial, |arg| self.uniform[arg.index()]);
        self.uniform.push(uniform);
        self.func.insts.push(inst);
        self.func.origins.push(self.origin);
        self.func.body.push(value);
        value
    }

    /// A literal.
    pub fn bits(&mut self, bits: u32) -> Value {
        self.push(Inst::new(Op::Const, bits, &[]))
    }

    /// A literal given as a float.
    pub fn float(&mut self, value: f32) -> Value {
        self.bits(value.to_bits())
    }

    /// Entry of a table.
    pub fn table(&mut self, table: Table, column: u32, row: Value) -> Value {
        let column = Column { table, column: column as usize };
        self.push(Inst::new(Op::Table, column.pack(), &[row]))
    }

    /// A component of an attribute.
    pub fn input(&mut self, at: Element) -> Value {
        self.push(Inst::new(Op::Input, at.pack(), &[]))
    }

    /// A component of a constant.
    pub fn ctx(&mut self, at: Element) -> Value {
        self.push(Inst::new(Op::Ctx, at.pack(), &[]))
    }

    /// A component of the constant row with the number that a value has.
    pub fn gather(&mut self, component: usize, row: Value) -> Value {
        self.push(Inst::new(Op::Gather, component.pack(), &[row]))
    }

    /// Writes an output register.
    pub fn output(&mut self, register: usize, components: [Value; 4]) -> Value {
        self.push(Inst::new(Op::Output, register.pack(), &components))
    }

    /// Writes a constant at the end of the vertex.
    pub fn store(&mut self, row: usize, components: [Value; 4]) -> Value {
        self.push(Inst::new(Op::Store, row.pack(), &components))
    }

    /// Tells that the vertex has written a constant if `mask` is not zero. A constant that is stored without this always has been.
    pub fn written(&mut self, row: usize, mask: Value) {
        self.push(Inst::new(Op::Written, row.pack(), &[mask]));
    }

    /// Deoptimises the group if an attribute holds a NaN.
    pub fn row_guard(&mut self, attribute: usize) -> Value {
        self.push(Inst::new(Op::RowGuard, attribute.pack(), &[]))
    }

    /// Writes an attribute to an output register.
    pub fn row_copy(&mut self, passed: Passed) -> Value {
        self.push(Inst::new(Op::RowCopy, passed.pack(), &[]))
    }

    /// Deoptimises the group if `mask` is not zero in some lane that runs the block.
    pub fn guard(&mut self, mask: Value) {
        let mask = self.in_active(mask);
        if self.literal(mask) != Some(0) {
            self.push(Inst::new(Op::Guard, 0, &[mask]));
        }
    }

    /// `value` in the lanes that run the block, 0 in the others.
    fn in_active(&mut self, value: Value) -> Value {
        match self.active {
            Some(active) => self.and(value, active),
            None => value,
        }
    }

    /// Deoptimises the group if an exponent field is above the recipes' range, which includes infinities and NaNs.
    pub fn big_guard(&mut self, exponent: Value) {
        let exponent = self.in_active(exponent);
        self.push(Inst::new(Op::BigGuard, 0, &[exponent]));
    }

    /// Deoptimises the group if the largest exponent field of the addends of a sum is non-zero but below the recipe's range.
    pub fn small_guard(&mut self, exponent: Value) {
        let exponent = self.in_active(exponent);
        let minus_one = self.bits(u32::MAX);
        let less = self.iadd(exponent, minus_one);
        self.push(Inst::new(Op::SmallGuard, 0, &[less]));
    }

    /// The value of a cell at the beginning of the block.
    pub fn get(&mut self, cell: u32) -> Value {
        self.push(Inst::new(Op::Get, cell, &[]))
    }

    /// Sets a cell, for the following blocks.
    pub fn set(&mut self, cell: u32, value: Value) {
        self.push(Inst::new(Op::Set, cell, &[value]));
    }

    /// Continues the lanes in the mask at `block`.
    pub fn goto(&mut self, block: u32, mask: Value) {
        self.push(Inst::new(Op::Goto, block, &[mask]));
    }

    /// A literal as a double.
    pub fn double(&mut self, value: f32) -> Value {
        let value = self.float(value);
        self.promote(value)
    }

    /// `-a`, by the sign bit.
    pub fn neg(&mut self, a: Value) -> Value {
        let sign = self.bits(0x8000_0000);
        self.xor(a, sign)
    }

    /// The operand of a negation, if `value` is one.
    pub fn negated(&self, value: Value) -> Option<Value> {
        self.func.negated(value)
    }
}

/// The method of an operation whose arguments are values, and the immediate if there is one.
macro_rules! method {
    ($name:ident $method:ident None ($($arg:ident),*) $doc:literal) => {
        #[doc = concat!("[`Op::", stringify!($name), "`]: ", $doc, ".")]
        pub fn $method(&mut self, $($arg: Value),*) -> Value {
            self.push(Inst::new(Op::$name, 0, &[$($arg),*]))
        }
    };
    ($name:ident $method:ident $imm:ident ($($arg:ident),*) $doc:literal) => {
        #[doc = concat!("[`Op::", stringify!($name), "`]: ", $doc, ".")]
        pub fn $method(&mut self, $($arg: Value,)* immediate: immediate!($imm)) -> Value {
            self.push(Inst::new(Op::$name, immediate.pack(), &[$($arg),*]))
        }
    };
}

/// The methods of a kind; those of loads and effects are written above.
macro_rules! kind {
    (Load $rows:tt) => {};
    (Effect $rows:tt) => {};
    ($kind:ident { $(
        $name:ident = $method:ident $args:tt, $imm:ident, $meaning:tt, $properties:tt, $doc:literal;
    )* }) => {
        $(method!($name $method $imm $args $doc);)*
    };
}

macro_rules! define_methods { ($($kind:ident $rows:tt)*) => {
    /// A method for each operation that computes.
    impl Builder { $(kind!($kind $rows);)* }
} }
for_each_ir_op!(define_methods);
