//! Instructions to IR: the semantics of each instruction, except branches, which [`super::flow`] lowers.
//!
//! RegisterValues are tracked as four values each, so a swizzle or mask only picks values. The interpreter
//! ([`crate::interp`]) implements the same semantics independently, as the reference in tests.

use super::registers::{Quad, Register, RegisterValues};
use crate::chip::programs::{POSITION, POSITION_READ_BACK};
use crate::config::{
    AddressBias, AddressNan, Addresses, Config, FogWrite, Forms, ReadBack, SaturateNan, Viewport,
};
use crate::ir::build::Builder;
use crate::ir::func::{Func, Inst, Level, Value};
use crate::ir::imm::Element;
use crate::ir::ops::Op;
use crate::ir::origin::{Origin, Topic};
use crate::isa::kelvin::FOG;
use crate::isa::op::{Integers, Kind, ScaOp, VecOp};
use crate::isa::{Bank, Condition, Generation, Insn, Mask, OutTarget, Program, Source, Test, Unit};
use xfjit_runtime::num::Model;
use xfjit_runtime::state::{ATTRIBUTES, OUTPUTS};

/// The effect of an instruction on the call stack, except for return slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stack {
    /// None.
    Kept,
    /// Pushes the address register as the entry at this depth.
    Push(u32),
    /// Pops the entry at this depth into the address register.
    Pop(u32),
    /// As `Push`, at the depth of each lane.
    PushAtDepth,
    /// As `Pop`, at the depth of each lane.
    PopAtDepth,
}

/// The function being built, and the state of the lowering between instructions.
pub(super) struct Lowering<'a> {
    pub(super) f: Builder,
    pub(super) registers: RegisterValues,
    config: &'a Config,
    forms: Forms,
    zero: Value,
    one: Value,
    /// Constants that the program writes, in order of the first write, and whether this vertex may have written them yet.
    rows: Vec<(u16, bool)>,
    /// Where output registers, and constants, were written last.
    output_origins: [Origin; OUTPUTS],
    row_origins: Vec<Origin>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(program: &Program, config: &'a Config) -> Self {
        let window = config.window();
        let mut f = Builder::plain(Func::new(Level::Xf, config.numerics(), window));
        let rows = written_rows(program, config);
        let (zero, one) = (f.bits(0), f.bits(0x3f80_0000));
        let registers = RegisterValues::new(rows.len());
        let (output_origins, row_origins) = ([Origin::NONE; OUTPUTS], vec![Origin::NONE; rows.len()]);
        let (forms, no_rows) = (config.heard(), Vec::new());
        let mut lowering =
            Lowering { f, registers, config, forms, zero, one, rows: no_rows, output_origins, row_origins };
        for (index, &row) in rows.iter().enumerate() {
            for component in 0..4 {
                let value = lowering.memory(row, component);
                lowering.registers.write(Register::stored(index), component, value);
            }
        }
        lowering.rows = rows.into_iter().map(|row| (row, false)).collect();
        lowering
    }

    /// From here on instructions may run in another order than they are lowered in: any constant may have been written.
    pub(super) fn any_order(&mut self) {
        self.rows.iter_mut().for_each(|(_, written)| *written = true);
    }

    /// Lowers one instruction except for its branch: all reads before all writes (kelvin.md 2).
    pub(super) fn insn(&mut self, insn: &Insn, stack: Stack) {
        let is_indexed = insn.indexed || insn.input_indexed || insn.output_indexed;
        let index = if is_indexed { self.index(insn) } else { self.zero };
        let sources = std::array::from_fn(|slot| self.read(insn, &insn.src[slot], index));
        let condition = self.condition(insn.condition);
        let address = self.address(insn, sources[0], stack);
        let forms = self.forms;
        let vec = match self.vector_form(forms, insn.vec, &sources, self.taken(insn, Unit::Vec)) {
            Some(result) => result,
            None => self.vector(insn.vec, &sources),
        };
        let sca = match self.scalar_form(forms, insn.sca, sources[2], self.taken(insn, Unit::Sca)) {
            Some(result) => result,
            None => self.scalar(insn.sca, sources[2]),
        };
        let [vec, sca] = [vec, sca].map(|result| if insn.saturate { self.saturated(result) } else { result });
        self.push(insn.address.reg, stack);
        let result = |unit: Unit| if unit == Unit::Vec { vec } else { sca };
        for unit in self.config.quirks.write_order.units() {
            if !self.config.quirks.write_order.drops(insn, unit) {
                let write = insn.temp_write(unit);
                self.write(Register::temp(write.reg), write.mask, result(unit), condition);
            }
            for (target, mask) in self.config.targets(insn, unit).into_iter().flatten() {
                match target {
                    OutTarget::Output(register) if insn.output_indexed => {
                        self.write_indexed_output(register, index, mask, result(unit), condition);
                    }
                    OutTarget::Output(register) => self.write_output(register, mask, result(unit), condition),
                    OutTarget::Constant(row) => self.write_constant(row, mask, result(unit), condition),
                }
            }
        }
        let write = insn.address_dst;
        if insn.vec != VecOp::Arl || forms.addresses != Addresses::Never {
            self.write(Register::address(write.reg), write.mask, address, condition);
        }
        if let Some(code) = insn.code {
            let value = match code.from {
                Unit::Vec if insn.address_from() == Some(Unit::Vec) => {
                    self.config.quirks.address_codes.then(|| address.map(|integer| self.f.cvt_f(integer)))
                }
                // UNKNOWN: whether POPA updates them; here never.
                Unit::Sca if insn.sca.kind() == Kind::Pop => None,
                Unit::Vec | Unit::Sca => Some(result(code.from)),
            };
            if let Some(value) = value {
                self.write(Register::code(code.reg), code.mask, value, condition);
            }
        }
    }

    /// The components of a unit's result that some destination takes; oFog may take x whatever the mask says.
    fn taken(&self, insn: &Insn, unit: Unit) -> Mask {
        let written = insn.written(unit);
        let fog = OutTarget::Output(FOG);
        let takes_x = self.config.generation == Generation::Kelvin
            && self.config.quirks.fog_write == FogWrite::AnyComponent
            && self.config.targets(insn, unit).into_iter().flatten().any(|(target, _)| target == fog);
        if takes_x { Mask(written.0 | 8) } else { written }
    }

    fn vector(&mut self, op: VecOp, &[a, b, c]: &[Quad; 3]) -> Quad {
        match op {
            VecOp::Nop | VecOp::Arl | VecOp::Arr | VecOp::Ara | VecOp::Sfl => [self.zero; 4],
            VecOp::Mov => a,
            VecOp::Mul => self.each(|f, i| f.mul(a[i], b[i])),
            VecOp::Add => self.each(|f, i| f.sum2(a[i], c[i])),
            VecOp::Mad => self.each(|f, i| {
                let product = f.mul(a[i], b[i]);
                f.sum2(product, c[i])
            }),
            VecOp::Dp3 => {
                let [x, y, z] = [0, 1, 2].map(|i| self.f.mul(a[i], b[i]));
                [self.f.sum3(x, y, z); 4]
            }
            VecOp::Dph | VecOp::Dp4 => {
                let last = if op == VecOp::Dph { self.one } else { a[3] };
                let [x, y, z] = [0, 1, 2].map(|i| self.f.mul(a[i], b[i]));
                let w = self.f.mul(last, b[3]);
                [self.f.sum4(x, y, z, w); 4]
            }
            VecOp::Dst => [self.one, self.f.mul(a[1], b[1]), a[2], b[3]],
            VecOp::Min => self.each(|f, i| f.min(a[i], b[i])),
            VecOp::Max => self.each(|f, i| f.max(a[i], b[i])),
            VecOp::Slt => self.each(|f, i| f.slt(a[i], b[i])),
            VecOp::Sge => self.each(|f, i| f.sge(a[i], b[i])),
            VecOp::Frc => self.each(|f, i| f.frc(a[i])),
            VecOp::Flr => self.each(|f, i| f.flr(a[i])),
            VecOp::Seq => self.each(|f, i| f.seq(a[i], b[i])),
            VecOp::Sgt => self.each(|f, i| f.sgt(a[i], b[i])),
            VecOp::Sle => self.each(|f, i| f.sle(a[i], b[i])),
            VecOp::Sne => self.each(|f, i| f.sne(a[i], b[i])),
            VecOp::Str => [self.one; 4],
            VecOp::Ssg => self.each(|f, i| f.ssg(a[i])),
            // Only the interpreter samples textures.
            VecOp::Txl => {
                let all = self.f.bits(u32::MAX);
                self.f.guard(all);
                [self.zero; 4]
            }
        }
    }

    fn scalar(&mut self, op: ScaOp, c: Quad) -> Quad {
        let f = &mut self.f;
        match op {
            ScaOp::Mov => c,
            ScaOp::Rcp => [f.rcp(c[0]); 4],
            ScaOp::Rcc => [f.rcc(c[0]); 4],
            ScaOp::Rsq => [f.rsq(c[0]); 4],
            ScaOp::Exp => [f.exp_x(c[0]), f.exp_y(c[0]), f.exp_z(c[0]), self.one],
            ScaOp::Log => [f.log_x(c[0]), f.log_y(c[0]), f.log_z(c[0]), self.one],
            ScaOp::Lit => [self.one, f.lit_y(c[0]), f.lit_z(c[0], c[1], c[3]), self.one],
            ScaOp::Lg2 => [f.lg2(c[0]); 4],
            ScaOp::Ex2 => [f.ex2(c[0]); 4],
            ScaOp::Sin => [f.sin(c[0]); 4],
            ScaOp::Cos => [f.cos(c[0]); 4],
            ScaOp::Nop | ScaOp::BraIndirect | ScaOp::Bra | ScaOp::CalIndirect | ScaOp::Cal => [self.zero; 4],
            ScaOp::Ret | ScaOp::Brb | ScaOp::Clb | ScaOp::Pusha | ScaOp::Popa => [self.zero; 4],
        }
    }

    /// Everything beside the instructions.
    pub(super) fn config(&self) -> &'a Config {
        self.config
    }

    /// +0.
    pub(super) fn zero(&self) -> Value {
        self.zero
    }

    /// 1.0.
    pub(super) fn one(&self) -> Value {
        self.one
    }

    pub(super) fn each(&mut self, mut op: impl FnMut(&mut Builder, usize) -> Value) -> Quad {
        std::array::from_fn(|i| op(&mut self.f, i))
    }

    fn saturated(&mut self, value: Quad) -> Quad {
        let clamped = value.map(|component| self.f.saturate(component));
        match self.config.quirks.saturate_nan {
            SaturateNan::Passes => clamped,
            SaturateNan::Zero => std::array::from_fn(|i| {
                let ordered = self.test_ordered(value[i]);
                self.f.select(ordered, clamped[i], self.zero)
            }),
        }
    }

    /// All ones where the value is not a NaN.
    fn test_ordered(&mut self, value: Value) -> Value {
        let f = &mut self.f;
        let (less, equal, greater) = (f.is_less(value), f.is_equal(value), f.is_greater(value));
        let unequal = f.or(less, greater);
        f.or(unequal, equal)
    }

    /// For each component the mask of lanes in which a condition passes; `None` if it always does.
    fn condition(&mut self, condition: Condition) -> Option<Quad> {
        if condition.test == Test::Tr {
            return None;
        }
        let codes = self.registers.read(&mut self.f, Register::code(condition.reg));
        Some(condition.swizzle.0.map(|from| self.passes(condition.test, codes[usize::from(from)])))
    }

    /// The mask of lanes in which any component passes.
    pub(super) fn any_passes(&mut self, condition: Condition) -> Value {
        match self.condition(condition) {
            None => self.f.bits(u32::MAX),
            Some([x, y, z, w]) => {
                let (xy, zw) = (self.f.or(x, y), self.f.or(z, w));
                self.f.or(xy, zw)
            }
        }
    }

    fn passes(&mut self, test: Test, code: Value) -> Value {
        let f = &mut self.f;
        match test {
            Test::Fl => f.bits(0),
            Test::Tr => f.bits(u32::MAX),
            Test::Lt => f.is_less(code),
            Test::Eq => f.is_equal(code),
            Test::Gt => f.is_greater(code),
            Test::Le | Test::Ge => {
                let unequal = if test == Test::Le { f.is_less(code) } else { f.is_greater(code) };
                let equal = f.is_equal(code);
                f.or(unequal, equal)
            }
            Test::Ne => {
                let (equal, all) = (f.is_equal(code), f.bits(u32::MAX));
                f.xor(equal, all)
            }
        }
    }

    /// The index of an instruction.
    pub(super) fn index(&mut self, insn: &Insn) -> Value {
        let register = Register::address(insn.address.reg);
        self.registers.component(&mut self.f, register, usize::from(insn.address.component & 3))
    }

    /// The result of ARL, ARR, ARA or POPA.
    fn address(&mut self, insn: &Insn, operand: Quad, stack: Stack) -> Quad {
        match insn.vec.kind() {
            Kind::Address(Integers::Floor) => operand.map(|component| self.integer(Op::Arl, component)),
            Kind::Address(Integers::Nearest) => operand.map(|component| self.integer(Op::Arr, component)),
            Kind::Address(Integers::Sums) => {
                let [x, y, z, w] = self.registers.read(&mut self.f, Register::address(insn.address.reg));
                let (xz, yw) = (self.clamped_sum(x, z), self.clamped_sum(y, w));
                [xz, yw, xz, yw]
            }
            Kind::Nothing | Kind::Value | Kind::Texel | Kind::Jump(..) | Kind::Push | Kind::Pop => {
                match stack {
                    Stack::Pop(depth) => self.registers.read(&mut self.f, Register::pushed(depth)),
                    Stack::PopAtDepth => self.popped(),
                    Stack::Kept | Stack::Push(_) | Stack::PushAtDepth => [self.zero; 4],
                }
            }
        }
    }

    fn integer(&mut self, op: Op, operand: Value) -> Value {
        let biased = match self.config.quirks.address_bias {
            AddressBias::Milli if op == Op::Arl => {
                let bias = self.f.float(0.001);
                self.f.sum2(operand, bias)
            }
            AddressBias::Milli | AddressBias::None => operand,
        };
        if op == Op::Arl
            && let Some(integer) = self.address_form(self.forms.addresses, biased)
        {
            return integer;
        }
        let integer = self.f.push(Inst::new(op, 0, &[biased]));
        match self.config.quirks.address_nan {
            AddressNan::Least => {
                let ordered = self.test_ordered(biased);
                let least = self.f.bits(self.config.numerics().rules.address_range().0 as u32);
                self.f.select(ordered, integer, least)
            }
            AddressNan::Zero => integer,
        }
    }

    fn clamped_sum(&mut self, a: Value, b: Value) -> Value {
        let (least, greatest) = self.config.numerics().rules.address_range();
        let (least, greatest) = (self.f.bits(least as u32), self.f.bits(greatest as u32));
        let (a, b) = (self.summand(a), self.summand(b));
        let sum = self.f.iadd(a, b);
        let sum = self.f.imax(sum, least);
        self.f.imin(sum, greatest)
    }

    /// A source operand after swizzle, absolute value and negation.
    fn read(&mut self, insn: &Insn, source: &Source, index: Value) -> Quad {
        let register = match source.bank {
            Bank::None => [self.zero; 4],
            Bank::Temp(POSITION_READ_BACK) if self.reads_output() => {
                self.registers.read(&mut self.f, Register::output(POSITION))
            }
            Bank::Temp(number) => self.registers.read(&mut self.f, Register::temp(number)),
            Bank::Input if insn.input_indexed => self.indexed_input(insn.input, index),
            Bank::Input => self.input(insn.input),
            Bank::Constant if insn.indexed => self.relative(insn.constant, index),
            Bank::Constant => self.constant(insn.constant),
        };
        let mut picked = source.swizzle.0.map(|component| register[usize::from(component)]);
        if source.absolute {
            let sign = self.f.bits(0x8000_0000);
            picked = picked.map(|value| self.f.andnot(value, sign));
        }
        if source.negate { picked.map(|value| self.f.neg(value)) } else { picked }
    }

    fn input(&mut self, register: u8) -> Quad {
        Element::of_row(register.into()).map(|at| self.f.input(at))
    }

    /// Attribute `base` + index; (0, 0, 0, 0) if there is no such attribute.
    fn indexed_input(&mut self, base: u8, index: Value) -> Quad {
        let mut picked = [self.zero; 4];
        for register in 0..ATTRIBUTES as u8 {
            let hit = self.test_distance(index, base.into(), register.into());
            let input = self.input(register);
            picked = self.each(|f, i| f.select(hit, input[i], picked[i]));
        }
        picked
    }

    /// The mask of lanes in which `base` + index is `number`.
    fn test_distance(&mut self, index: Value, base: i32, number: i32) -> Value {
        let distance = self.f.bits((number - base) as u32);
        self.f.ieq(index, distance)
    }

    fn memory(&mut self, row: u16, component: usize) -> Value {
        self.f.ctx(Element { row: row.into(), component })
    }

    /// A constant at a fixed row, as this vertex sees it.
    fn constant(&mut self, row: u16) -> Quad {
        let Some(row) = self.config.direct(row) else { return [self.zero; 4] };
        match self.rows.iter().position(|&(stored, written)| stored == row && written) {
            Some(index) => self.registers.read(&mut self.f, Register::stored(index)),
            None => std::array::from_fn(|component| self.memory(row, component)),
        }
    }

    /// A constant at `base` plus the index, as this vertex sees it: rows that it has written shadow memory.
    fn relative(&mut self, base: u16, index: Value) -> Quad {
        let (base, index) = match self.config.wraps_at() {
            None => (base, index),
            Some(count) => {
                let last = count as u32 - 1;
                let (base, last) = (self.f.bits(base.into()), self.f.bits(last));
                let row = self.f.iadd(index, base);
                (0, self.f.and(row, last))
            }
        };
        let mut value = Element::of_row(base.into()).map(|at| self.f.ctx_rel(index, at));
        let window = self.config.window();
        for position in 0..self.rows.len() {
            let (row, written) = self.rows[position];
            if !written || !window.contains(&row) {
                continue;
            }
            let hit = self.test_distance(index, base.into(), row.into());
            let stored = self.registers.read(&mut self.f, Register::stored(position));
            value = self.each(|f, i| f.select(hit, stored[i], value[i]));
        }
        value
    }

    /// Writes the components in the mask, in lanes where the condition passes.
    fn write(&mut self, register: Register, mask: Mask, value: Quad, condition: Option<Quad>) {
        for c in mask.components() {
            let value = match condition {
                None => value[c],
                Some(holds) => {
                    let old = self.registers.component(&mut self.f, register, c);
                    self.f.select(holds[c], value[c], old)
                }
            };
            self.registers.write(register, c, value);
        }
    }

    fn write_output(&mut self, register: u8, mask: Mask, value: Quad, condition: Option<Quad>) {
        if !self.config.has_output(register) {
            return;
        }
        let mut mask = mask;
        let is_read_back =
            register == POSITION && self.config.reading().reads_position_back(self.config.generation);
        if is_read_back && self.read_back() == ReadBack::Written {
            self.write(Register::temp(POSITION_READ_BACK), mask, value, condition);
        }
        if register == FOG
            && self.config.generation == Generation::Kelvin
            && self.config.quirks.fog_write == FogWrite::AnyComponent
        {
            mask = Mask(mask.0 | 8);
        }
        self.output_origins[usize::from(register)] = self.f.origin();
        self.write(Register::output(register), mask, value, condition);
        if is_read_back && self.read_back() == ReadBack::Whole && !mask.is_empty() {
            let position = self.registers.read(&mut self.f, Register::output(POSITION));
            self.write(Register::temp(POSITION_READ_BACK), Mask::ALL, position, None);
        }
    }

    /// What reads oPos back; a form of Kelvin's programs.
    fn read_back(&self) -> ReadBack {
        match self.config.generation {
            Generation::Kelvin => self.forms.read_back,
            Generation::Rankine | Generation::Curie => ReadBack::Written,
        }
    }

    /// Whether the output itself is read.
    fn reads_output(&self) -> bool {
        self.read_back() == ReadBack::Output
    }

    /// Writes output register `base` + index; if there is no such register, the write is dropped.
    fn write_indexed_output(
        &mut self,
        base: u8,
        index: Value,
        mask: Mask,
        value: Quad,
        condition: Option<Quad>,
    ) {
        for register in 0..self.config.generation.outputs() as u8 {
            let hit = self.test_distance(index, base.into(), register.into());
            let here = match condition {
                None => [hit; 4],
                Some(holds) => self.each(|f, i| f.and(holds[i], hit)),
            };
            self.write_output(register, mask, value, Some(here));
        }
    }

    /// Writes a constant; writes of rows that the generation lacks are dropped.
    fn write_constant(&mut self, row: u16, mask: Mask, value: Quad, condition: Option<Quad>) {
        let Some(index) = self.rows.iter().position(|&(stored, _)| stored == row) else { return };
        self.rows[index].1 = true;
        self.row_origins[index] = self.f.origin();
        self.write(Register::stored(index), mask, value, condition);
        let (register, component) = Register::written(index, self.rows.len());
        let written = match condition {
            None => self.f.bits(u32::MAX),
            Some(holds) => {
                let before = self.registers.component(&mut self.f, register, component);
                mask.components().fold(before, |written, c| self.f.or(written, holds[c]))
            }
        };
        self.registers.write(register, component, written);
    }

    /// Copies the address register to the stack, if the instruction pushes it.
    fn push(&mut self, register: u8, stack: Stack) {
        let depths = match stack {
            Stack::Kept | Stack::Pop(_) | Stack::PopAtDepth => return,
            Stack::Push(depth) => depth..depth + 1,
            Stack::PushAtDepth => 0..super::registers::STACK,
        };
        let pushed = self.registers.read(&mut self.f, Register::address(register));
        for depth in depths {
            let here = (stack == Stack::PushAtDepth).then(|| [self.test_depth(depth); 4]);
            self.write(Register::pushed(depth), Mask::ALL, pushed, here);
        }
    }

    /// The address register on top of each lane's stack.
    fn popped(&mut self) -> Quad {
        let mut popped = [self.zero; 4];
        for depth in 0..super::registers::STACK {
            let here = self.test_depth(depth + 1);
            let entry = self.registers.read(&mut self.f, Register::pushed(depth));
            popped = self.each(|f, i| f.select(here, entry[i], popped[i]));
        }
        popped
    }

    /// The mask of lanes whose stack has `depth` entries.
    pub(super) fn test_depth(&mut self, depth: u32) -> Value {
        let (counters, component) = Register::DEPTH;
        let entries = self.registers.component(&mut self.f, counters, component);
        let depth = self.f.bits(depth);
        self.f.ieq(entries, depth)
    }

    /// An output component: in the model `ieee` a NaN becomes the canonical one (docs/NUMERICS.md, "Two models").
    fn output_component(&mut self, value: Value) -> Value {
        match self.config.model {
            Model::Hw => value,
            Model::Ieee => self.f.canonical(value),
        }
    }

    /// Applies the viewport transform after the program, see [`Viewport`].
    fn position(&mut self) {
        if self.config.viewport == Viewport::Skip || self.config.generation == Generation::Kelvin {
            return;
        }
        self.f.set_origin(Origin::part(Topic::Viewport, 0));
        let position = self.registers.read(&mut self.f, Register::output(POSITION));
        let [scale, translate] = self.config.generation.viewport_rows().map(|row| self.constant(row));
        let reciprocal = self.f.rcc(position[3]);
        for c in 0..3 {
            let scaled = self.f.mul(position[c], scale[c]);
            let divided = self.f.mul(scaled, reciprocal);
            let moved = self.f.sum2(divided, translate[c]);
            self.registers.write(Register::output(POSITION), c, moved);
        }
    }

    /// Writes the output registers in the order of their numbers, then the constants.
    pub(super) fn finish(mut self) -> Func {
        self.position();
        for register in 0..self.config.generation.outputs() as u8 {
            if self.config.live_outputs >> register & 1 != 0 {
                self.f.set_origin(self.output_origins[usize::from(register)]);
                let value = self.registers.read(&mut self.f, Register::output(register));
                let value = value.map(|component| self.output_component(component));
                self.f.output(register.into(), value);
            }
        }
        let rows = std::mem::take(&mut self.rows);
        for (index, &(row, may_be_written)) in rows.iter().enumerate() {
            if !may_be_written {
                continue;
            }
            self.f.set_origin(self.row_origins[index]);
            let value = self.registers.read(&mut self.f, Register::stored(index));
            self.f.store(row.into(), value);
            let (register, component) = Register::written(index, rows.len());
            let written = self.registers.component(&mut self.f, register, component);
            if self.f.literal(written) != Some(u32::MAX) {
                self.f.written(row.into(), written);
            }
        }
        self.f.finish()
    }
}

/// The constants that a program writes, without rows that the generation lacks.
fn written_rows(program: &Program, config: &Config) -> Vec<u16> {
    let mut rows = Vec::new();
    for (target, _) in program.insns.iter().flat_map(|insn| config.all_targets(insn)) {
        if let OutTarget::Constant(row) = target
            && config.constant_writes
            && usize::from(row) < config.rows()
            && !rows.contains(&row)
        {
            rows.push(row);
        }
    }
    rows
}
