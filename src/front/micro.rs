//! Microcode to IR: what an instruction means, for the compiler.
//!
//! Registers are tracked as four values each, so a swizzle or mask only picks values. The interpreter
//! ([`crate::interp`]) says the same a second time on purpose: it is what this is tested against.

use crate::config::{AddressBias, Config, FogWrite};
use crate::ir::build::Builder;
use crate::ir::func::{Func, Inst, Level, Value};
use crate::ir::ops::Op;
use crate::isa::op::{ScaOp, VecOp};
use crate::isa::{Bank, Insn, Mask, OutTarget, Program, Source, TempWrite, Unit};
use xfjit_runtime::num::Model;
use xfjit_runtime::state::{DEFAULT_ROW, OUTPUTS};

/// Four components of a register.
type Quad = [Value; 4];

/// The oPos register, which R12 reads back.
const POSITION: u8 = 0;
/// The fog register, see [`FogWrite`].
const FOG: u8 = 5;
/// oPos as a source (kelvin.md 2).
const READ_BACK: u8 = 12;
/// Temporaries of the largest generation.
const TEMPS: usize = 48;

/// Lowers a program. Outputs that `config` does not name live are not written.
pub fn lower(program: &Program, config: &Config) -> Func {
    let window = config.access.window(config.generation);
    let mut lowering = Lowering::new(Builder::plain(Func::new(Level::Xf, config.numerics(), window)), config);
    for insn in &program.insns {
        lowering.insn(insn);
    }
    lowering.finish()
}

/// The machine's state as values.
struct Lowering<'a> {
    f: Builder,
    config: &'a Config,
    zero: Value,
    one: Value,
    temps: Vec<Quad>,
    /// What R12 reads: oPos, but +0 before the first write.
    position: Quad,
    /// A0.x as an integer.
    address: Value,
    outputs: [Option<Quad>; OUTPUTS],
    /// Constants written so far, in order of the first write.
    stores: Vec<(u16, Quad)>,
}

impl<'a> Lowering<'a> {
    fn new(mut f: Builder, config: &'a Config) -> Self {
        let zero = f.bits(0);
        let one = f.bits(0x3f80_0000);
        Lowering {
            f,
            config,
            zero,
            one,
            temps: vec![[zero; 4]; TEMPS],
            position: [zero; 4],
            address: zero,
            outputs: [None; OUTPUTS],
            stores: Vec::new(),
        }
    }

    /// One instruction: all reads before all writes (kelvin.md 2).
    fn insn(&mut self, insn: &Insn) {
        let sources = std::array::from_fn(|slot| self.read(insn, &insn.src[slot]));
        let vec = self.vector(insn.vec, &sources);
        let sca = self.scalar(insn.sca, sources[2]);
        if insn.vec == VecOp::Arl {
            self.address = self.arl(sources[0][0]);
        }
        for unit in self.config.write_order.units() {
            let result = match unit {
                Unit::Vec => vec,
                Unit::Sca => sca,
            };
            if !self.config.write_order.drops(insn, unit) {
                self.write_temp(insn.temp_write(unit), result);
            }
            let Some(out) = insn.out.filter(|out| !out.mask(unit).is_empty()) else { continue };
            match out.target {
                OutTarget::Output(register) => self.write_output(register, out.mask(unit), result),
                OutTarget::Constant(row) if self.config.constant_writes => {
                    self.write_constant(row, out.mask(unit), result)
                }
                OutTarget::Constant(_) => {}
            }
        }
    }

    fn vector(&mut self, op: VecOp, &[a, b, c]: &[Quad; 3]) -> Quad {
        match op {
            VecOp::Nop | VecOp::Arl | VecOp::Arr | VecOp::Ara | VecOp::Txl => [self.zero; 4],
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
            VecOp::Sfl => [self.zero; 4],
            VecOp::Sgt => self.each(|f, i| f.sgt(a[i], b[i])),
            VecOp::Sle => self.each(|f, i| f.sle(a[i], b[i])),
            VecOp::Sne => self.each(|f, i| f.sne(a[i], b[i])),
            VecOp::Str => [self.one; 4],
            VecOp::Ssg => self.each(|f, i| f.ssg(a[i])),
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
            _ => [self.zero; 4],
        }
    }

    fn each(&mut self, mut op: impl FnMut(&mut Builder, usize) -> Value) -> Quad {
        std::array::from_fn(|i| op(&mut self.f, i))
    }

    fn arl(&mut self, operand: Value) -> Value {
        match self.config.address_bias {
            AddressBias::None => self.f.arl(operand),
            AddressBias::Milli => {
                let bias = self.f.float(0.001);
                let biased = self.f.sum2(operand, bias);
                self.f.arl(biased)
            }
        }
    }

    /// A source operand after swizzle and negation.
    fn read(&mut self, insn: &Insn, source: &Source) -> Quad {
        let register = match source.bank {
            Bank::None => [self.zero; 4],
            Bank::Temp(READ_BACK) => self.position,
            Bank::Temp(register) => self.temps[usize::from(register)],
            Bank::Input => {
                self.each(|f, i| f.push(Inst::new(Op::Input, u32::from(insn.input) * 4 + i as u32, &[])))
            }
            Bank::Constant if insn.indexed => self.relative(insn.constant),
            Bank::Constant => self.constant(insn.constant),
        };
        let picked = source.swizzle.0.map(|component| register[usize::from(component)]);
        if source.negate { picked.map(|value| self.f.neg(value)) } else { picked }
    }

    /// A constant at a fixed row, as this vertex sees it.
    fn constant(&mut self, row: u16) -> Quad {
        if !self.config.access.direct(self.config.generation, row) {
            return [self.zero; 4];
        }
        match self.stores.iter().find(|(stored, _)| *stored == row) {
            Some(&(_, value)) => value,
            None => self.each(|f, i| f.push(Inst::new(Op::Ctx, u32::from(row) * 4 + i as u32, &[]))),
        }
    }

    /// A constant at `base` plus A0.x, as this vertex sees it: rows that it has written shadow memory.
    fn relative(&mut self, base: u16) -> Quad {
        let address = self.address;
        let mut value =
            self.each(|f, i| f.push(Inst::new(Op::CtxRel, u32::from(base) * 4 + i as u32, &[address])));
        let window = self.config.access.window(self.config.generation);
        for (row, stored) in self.stores.clone() {
            if !window.contains(&row) {
                continue;
            }
            let distance = self.f.bits(i32::from(row).wrapping_sub(i32::from(base)) as u32);
            let hit = self.f.ieq(address, distance);
            value = self.each(|f, i| f.select(hit, stored[i], value[i]));
        }
        value
    }

    fn write_temp(&mut self, dst: TempWrite, value: Quad) {
        merge(&mut self.temps[usize::from(dst.reg)], dst.mask, value);
    }

    fn write_output(&mut self, register: u8, mask: Mask, value: Quad) {
        if register == POSITION {
            merge(&mut self.position, mask, value);
        }
        let default = self.default_row();
        let output = self.outputs[usize::from(register)].get_or_insert(default);
        merge(output, mask, value);
        if register == FOG && self.config.fog_write == FogWrite::AnyComponent {
            output[0] = value[0];
        }
    }

    /// Rows that the generation lacks drop what is written to them.
    fn write_constant(&mut self, row: u16, mask: Mask, value: Quad) {
        if usize::from(row) >= self.config.generation.constants() {
            return;
        }
        let mut merged = match self.stores.iter().find(|(stored, _)| *stored == row) {
            Some(&(_, stored)) => stored,
            None => self.each(|f, i| f.push(Inst::new(Op::Ctx, u32::from(row) * 4 + i as u32, &[]))),
        };
        merge(&mut merged, mask, value);
        match self.stores.iter_mut().find(|(stored, _)| *stored == row) {
            Some((_, stored)) => *stored = merged,
            None => self.stores.push((row, merged)),
        }
    }

    /// A NaN that leaves the program in the model `ieee` is the canonical one (architecture: two models).
    fn leaving(&mut self, value: Value) -> Value {
        match self.config.model {
            Model::Hw => value,
            Model::Ieee => self.f.canonical(value),
        }
    }

    fn default_row(&mut self) -> Quad {
        DEFAULT_ROW.map(|bits| self.f.bits(bits))
    }

    /// Output registers in the order of their numbers, then constants.
    fn finish(mut self) -> Func {
        let default = self.default_row();
        for register in 0..self.outputs.len() {
            if self.config.live_outputs >> register & 1 != 0 {
                let value =
                    self.outputs[register].unwrap_or(default).map(|component| self.leaving(component));
                self.f.push(Inst::new(Op::Output, register as u32, &value));
            }
        }
        for (row, value) in std::mem::take(&mut self.stores) {
            self.f.push(Inst::new(Op::Store, u32::from(row), &value));
        }
        self.f.finish()
    }
}

fn merge(register: &mut Quad, mask: Mask, value: Quad) {
    for c in mask.components() {
        register[c] = value[c];
    }
}
