//! Building blocks of the fixed function: rows of the memories, vectors, and the arithmetic of XF and LT.
//!
//! XF computes with four components, LT with three. Where XF lights, its operations stand in for LT's, with 32-bit numbers and without
//! rounding in between: under the model `ieee`, as emulators have it, and on NV40, which has no LT. Output conversions are the same
//! under both models and on all chips.

use super::Setup;
use crate::chip::Lights;
use crate::chip::memory::{self, Ram};
use crate::chip::mode::Mode;
use crate::config::LightingSums;
use crate::ir::build::Builder;
use crate::ir::func::{Func, Level, Value};
use crate::ir::imm::Element;
use crate::ir::origin::{Origin, Topic};
use xfjit_runtime::num::Model;
pub(super) use xfjit_runtime::num::bits::ONE;
use xfjit_runtime::num::bits::SIGN;

/// A vector of LT.
pub(super) type Vec3 = [Value; 3];
/// A vector of XF.
pub(super) type Vec4 = [Value; 4];

/// Bits of an LT number in a 32-bit word.
const LT_BITS: u32 = 0xffff_fc00;

/// The function being built, and its configuration.
pub(super) struct Lowering<'a> {
    pub(super) f: Builder,
    pub(super) setup: &'a Setup,
    pub(super) mode: &'a Mode,
    /// Whose arithmetic lights: LT's where the chip has it and the model is `hw`.
    lights: Lights,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(setup: &'a Setup) -> Self {
        let rows = memory::rows(setup.mode.pipeline()) as u16;
        let f = Builder::plain(Func::new(Level::Xf, setup.numerics(), 0..rows));
        let lights = match setup.model {
            Model::Hw => setup.mode.pipeline().lights(),
            Model::Ieee => Lights::Xf,
        };
        Lowering { f, setup, mode: &setup.mode, lights }
    }

    /// What comes next belongs to a part of the configuration; returns what the last instructions belong to.
    pub(super) fn at(&mut self, topic: Topic, number: usize) -> Origin {
        self.f.set_origin(Origin::part(topic, number))
    }

    // Literals, attributes and memories.

    pub(super) fn one(&mut self) -> Value {
        self.f.bits(ONE)
    }

    pub(super) fn zero(&mut self) -> Value {
        self.f.bits(0)
    }

    /// A vertex attribute.
    pub(super) fn input(&mut self, register: usize) -> Vec4 {
        Element::of_row(register).map(|at| self.f.input(at))
    }

    /// A component of a memory; 0 for a slot that the chip lacks.
    fn memory(&mut self, ram: Ram, slot: usize, component: usize) -> Value {
        match ram.row(self.mode.pipeline(), slot) {
            Some(row) => self.f.ctx(Element { row, component }),
            None => self.zero(),
        }
    }

    /// A row of XFCTX.
    pub(super) fn xfctx(&mut self, slot: usize) -> Vec4 {
        std::array::from_fn(|c| self.memory(Ram::Xfctx, slot, c))
    }

    /// The first rows of XFCTX from a slot on.
    pub(super) fn matrix<const N: usize>(&mut self, slot: usize) -> [Vec4; N] {
        std::array::from_fn(|row| self.xfctx(slot + row))
    }

    /// A row of LTCTX.
    pub(super) fn ltctx(&mut self, slot: usize) -> Vec3 {
        std::array::from_fn(|c| self.lt_memory(Ram::Ltctx, slot, c))
    }

    /// A slot of LTC0 to LTC3.
    pub(super) fn ltc(&mut self, number: u8, slot: usize) -> Value {
        self.lt_memory(Ram::Ltc(number), slot, 0)
    }

    /// A component of a memory of LT, truncated to the 22 bits that the chip's memories hold.
    fn lt_memory(&mut self, ram: Ram, slot: usize, component: usize) -> Value {
        let value = self.memory(ram, slot, component);
        if self.lights == Lights::Xf {
            return value;
        }
        let bits = self.f.bits(LT_BITS);
        self.f.and(value, bits)
    }

    // XF.

    pub(super) fn mul4(&mut self, a: Vec4, b: Vec4) -> Vec4 {
        std::array::from_fn(|c| self.f.mul(a[c], b[c]))
    }

    pub(super) fn mul3(&mut self, a: Vec3, b: Vec3) -> Vec3 {
        std::array::from_fn(|c| self.f.mul(a[c], b[c]))
    }

    pub(super) fn scale4(&mut self, a: Vec4, by: Value) -> Vec4 {
        a.map(|x| self.f.mul(x, by))
    }

    pub(super) fn scale3(&mut self, a: Vec3, by: Value) -> Vec3 {
        a.map(|x| self.f.mul(x, by))
    }

    pub(super) fn add3(&mut self, a: Vec3, b: Vec3) -> Vec3 {
        std::array::from_fn(|c| self.f.sum2(a[c], b[c]))
    }

    pub(super) fn sub(&mut self, a: Value, b: Value) -> Value {
        let b = self.f.neg(b);
        self.f.sum2(a, b)
    }

    pub(super) fn sub3(&mut self, a: Vec3, b: Vec3) -> Vec3 {
        std::array::from_fn(|c| self.sub(a[c], b[c]))
    }

    pub(super) fn dp3(&mut self, a: Vec3, b: Vec3) -> Value {
        let [x, y, z] = self.mul3(a, b);
        self.f.sum3(x, y, z)
    }

    pub(super) fn dp4(&mut self, a: Vec4, b: Vec4) -> Value {
        let [x, y, z, w] = self.mul4(a, b);
        self.f.sum4(x, y, z, w)
    }

    /// Each row of a matrix times a vector.
    pub(super) fn transform4(&mut self, rows: [Vec4; 4], a: Vec4) -> Vec4 {
        rows.map(|row| self.dp4(a, row))
    }

    /// Products of three components with three rows.
    pub(super) fn transform3(&mut self, rows: [Vec4; 3], a: Vec3) -> Vec3 {
        rows.map(|row| self.dp3(a, xyz(row)))
    }

    pub(super) fn cross(&mut self, a: Vec3, b: Vec3) -> Vec3 {
        let left = self.mul3([a[1], a[2], a[0]], [b[2], b[0], b[1]]);
        let right = self.mul3([a[2], a[0], a[1]], [b[1], b[2], b[0]]);
        self.sub3(left, right)
    }

    pub(super) fn abs(&mut self, a: Value) -> Value {
        let sign = self.f.bits(SIGN);
        self.f.andnot(a, sign)
    }

    // The numbers of lighting.

    /// Converts from the numbers of XF to those of lighting.
    pub(super) fn lt(&mut self, a: Value) -> Value {
        match self.lights {
            Lights::Lt => self.f.xf_to_lt(a),
            Lights::Xf => a,
        }
    }

    pub(super) fn lt3(&mut self, a: Vec3) -> Vec3 {
        a.map(|x| self.lt(x))
    }

    pub(super) fn lt_mul3(&mut self, a: Vec3, b: Vec3) -> Vec3 {
        std::array::from_fn(|c| self.lt_mul(a[c], b[c]))
    }

    pub(super) fn lt_scale(&mut self, a: Vec3, by: Value) -> Vec3 {
        a.map(|x| self.lt_mul(by, x))
    }

    pub(super) fn lt_add3(&mut self, a: Vec3, b: Vec3) -> Vec3 {
        std::array::from_fn(|c| self.lt_add(a[c], b[c]))
    }

    /// A sum of the vector unit.
    pub(super) fn lt_add(&mut self, a: Value, b: Value) -> Value {
        self.sum_of(LightingSums::Guarded, a, b)
    }

    /// A sum of a scalar unit.
    pub(super) fn lts_add(&mut self, a: Value, b: Value) -> Value {
        self.sum_of(LightingSums::Unguarded, a, b)
    }

    /// A sum of a unit that adds like this by default.
    fn sum_of(&mut self, by_default: LightingSums, a: Value, b: Value) -> Value {
        match self.sums(by_default) {
            Some(LightingSums::Unguarded) => self.f.lts_add(a, b),
            Some(LightingSums::Wide) => self.wide(|f| f.sum2(a, b)),
            Some(LightingSums::Split | LightingSums::Guarded) => self.f.lt_add(a, b),
            None => self.f.sum2(a, b),
        }
    }

    /// A sum of three of the vector unit.
    fn lt_sum_of(&mut self, a: Value, b: Value, c: Value) -> Value {
        match self.sums(LightingSums::Guarded) {
            Some(LightingSums::Unguarded) => {
                let first = self.f.lts_add(a, b);
                self.f.lts_add(first, c)
            }
            Some(LightingSums::Wide) => self.wide(|f| f.sum3(a, b, c)),
            Some(LightingSums::Split | LightingSums::Guarded) => self.f.lt_add3(a, b, c),
            None => self.f.sum3(a, b, c),
        }
    }

    /// How a unit of LT adds that adds like this where each has its own way; none where XF lights.
    fn sums(&self, by_default: LightingSums) -> Option<LightingSums> {
        let chosen = self.setup.quirks.lighting_sums;
        let sums = if chosen == LightingSums::Split { by_default } else { chosen };
        (self.lights == Lights::Lt).then_some(sums)
    }

    /// A number of XF without the bits that LT's numbers lack.
    fn wide(&mut self, sum: impl FnOnce(&mut Builder) -> Value) -> Value {
        let (sum, bits) = (sum(&mut self.f), self.f.bits(LT_BITS));
        self.f.and(sum, bits)
    }

    /// The sum of the components.
    pub(super) fn lt_sum(&mut self, [x, y, z]: Vec3) -> Value {
        self.lt_sum_of(x, y, z)
    }

    pub(super) fn lt_dp(&mut self, a: Vec3, b: Vec3) -> Value {
        let products = self.lt_mul3(a, b);
        self.lt_sum(products)
    }

    // Masks.

    /// All ones where the sign bit is set, for -0 and NaNs, too.
    pub(super) fn negative(&mut self, a: Value) -> Value {
        self.f.is_negative(a)
    }

    /// `a`, or 0 where the mask is set.
    pub(super) fn unless(&mut self, mask: Option<Value>, a: Value) -> Value {
        match mask {
            Some(mask) => self.f.andnot(a, mask),
            None => a,
        }
    }

    /// The union of two masks.
    pub(super) fn either(&mut self, a: Option<Value>, b: Value) -> Option<Value> {
        Some(match a {
            Some(a) => self.f.or(a, b),
            None => b,
        })
    }
}

/// A list macro: an operation of lighting in each line, what LT does for it, and what XF does in its place.
macro_rules! lighting {
    ($($(#[$doc:meta])* $name:ident($($operand:ident),*) = $lt:ident | $xf:ident;)*) => {
        impl Lowering<'_> {
            $($(#[$doc])* pub(super) fn $name(&mut self, $($operand: Value),*) -> Value {
                match self.lights {
                    Lights::Lt => self.f.$lt($($operand),*),
                    Lights::Xf => self.f.$xf($($operand),*),
                }
            })*
        }
    };
}

// UNKNOWN: with which operations NV40's XF lights. Here each is the one of programs that computes the same in real numbers.
lighting! {
    // LT's vector unit     LT          XF
    lt_mul(a, b)          = lt_mul   | mul;
    lt_rcp(a)             = lt_rcp   | rcp;
    lt_rsq(a)             = lt_rsq   | rsq;
    /// Clamps to 0.0 ..= 1.0.
    lt_clamp(a)           = lt_clamp | saturate;
    // Its scalar units, which round otherwise.
    lts_mul(a, b)         = lts_mul  | mul;
}

/// The first three components.
pub(super) fn xyz([x, y, z, _]: Vec4) -> Vec3 {
    [x, y, z]
}
