//! Emulators' forms in IR: operations that a [`Forms`] changes. All others are lowered as the chip's ([`super::micro`]).
//!
//! No primitive is made for them: a form is an operation of the host, or a primitive with other operands. What a form would have to do for
//! the sake of rare operands raises a guard: the interpreter ([`crate::interp`]) runs the group, which has the meaning a second time.
//! Operands that recipes take for NaNs may be zeros under a rule for them, so who looks at a NaN guards it.

use super::micro::Lowering;
use super::registers::Quad;
use crate::config::{
    Addresses, Comparisons, Extremes, Forms, Library, Products, Reciprocals, SignOfNan, Waves,
};
use crate::ir::func::Value;
use crate::isa::Mask;
use crate::isa::op::{ScaOp, VecOp};
use xfjit_runtime::num::bits::{ONE, SIGN};

/// Infinity.
const INFINITE: u32 = 0x7f80_0000;
/// 5.42101e-20 and 1.884467e19, between which nv2a_vsh_cpu's RCC lets results pass, and 2^64.
const DECIMAL: (u32, u32, u32) = (0x1f7f_fffd, 0x5f82_c2dc, 0x5f80_0000);
/// A half.
const HALF: u32 = 0x3f00_0000;

impl Lowering<'_> {
    /// The vector unit's result where a form changes it, in the components of the mask.
    pub(super) fn vector_form(
        &mut self,
        forms: Forms,
        op: VecOp,
        &[a, b, c]: &[Quad; 3],
        mask: Mask,
    ) -> Option<Quad> {
        let has_products =
            matches!(op, VecOp::Mul | VecOp::Mad | VecOp::Dp3 | VecOp::Dph | VecOp::Dp4 | VecOp::Dst);
        if has_products && forms.products != Products::Rules {
            return Some(self.with_products(forms.products, op, [a, b, c], mask));
        }
        match (op, forms.extremes) {
            (VecOp::Max, Extremes::Either) => return Some(self.each(|f, i| f.max(b[i], a[i]))),
            (VecOp::Min | VecOp::Max, Extremes::Numbers) => {
                return Some(self.each(|f, i| {
                    let is_least = op == VecOp::Min;
                    let picked = if is_least { f.min(b[i], a[i]) } else { f.max(a[i], b[i]) };
                    let no_number = f.funord(a[i], a[i]);
                    f.select(no_number, b[i], picked)
                }));
            }
            _ => {}
        }
        if matches!(op, VecOp::Slt | VecOp::Sge) && forms.comparisons == Comparisons::Signed {
            return Some(self.each(|f, i| {
                let (sign, zero, one) = (f.bits(SIGN), f.bits(0), f.bits(ONE));
                let (below, above) = (f.ieq(a[i], sign), f.ieq(b[i], zero));
                let zeros = f.and(below, above);
                let (less, zeros) = (f.slt(a[i], b[i]), f.and(zeros, one));
                let less = f.or(less, zeros);
                if op == VecOp::Slt { less } else { f.xor(less, one) }
            }));
        }
        if op == VecOp::Ssg && forms.sign_of_nan == SignOfNan::One {
            return Some(self.each(|f, i| {
                let (sign, no_number, one) = (f.ssg(a[i]), f.funord(a[i], a[i]), f.bits(ONE));
                f.select(no_number, one, sign)
            }));
        }
        None
    }

    /// An operation with products.
    fn with_products(&mut self, form: Products, op: VecOp, [a, b, c]: [Quad; 3], mask: Mask) -> Quad {
        let saturates = form == Products::Saturated;
        if op == VecOp::Dst {
            let product = self.product(a[1], b[1]);
            if saturates && mask.components().any(|c| c == 1) {
                self.guard_infinite(&[product]);
            }
            return [self.one(), product, a[2], b[3]];
        }
        let mut products: Quad = std::array::from_fn(|i| self.product(a[i], b[i]));
        if matches!(op, VecOp::Mul | VecOp::Mad) {
            if saturates {
                let written: Vec<Value> = mask.components().map(|c| products[c]).collect();
                self.guard_infinite(&written);
            }
            return if op == VecOp::Mul { products } else { self.each(|f, i| f.sum2(products[i], c[i])) };
        }
        if op == VecOp::Dph {
            products[3] = b[3];
        }
        let [x, y, z, w] = products;
        let sum = if op == VecOp::Dp3 { self.f.sum3(x, y, z) } else { self.f.sum4(x, y, z, w) };
        // An infinite product makes the sum infinite, or a NaN.
        if saturates && !mask.is_empty() {
            self.guard_infinite(&[sum]);
        }
        [sum; 4]
    }

    /// A product of floats.
    fn product(&mut self, a: Value, b: Value) -> Value {
        let product = self.f.fmul(a, b);
        self.f.canonical(product)
    }

    /// Raises the guard where one of these is infinite or a NaN: their sum is then, too.
    fn guard_infinite(&mut self, values: &[Value]) {
        let Some((&first, rest)) = values.split_first() else { return };
        let total = rest.iter().fold(first, |total, &value| self.f.fadd(total, value));
        let (sign, greatest) = (self.f.bits(SIGN), self.f.bits(INFINITE - 1));
        let magnitude = self.f.andnot(total, sign);
        let beyond = self.f.igt(magnitude, greatest);
        self.f.guard(beyond);
    }

    /// The scalar unit's result where a form changes it, in the components of the mask.
    pub(super) fn scalar_form(&mut self, forms: Forms, op: ScaOp, c: Quad, mask: Mask) -> Option<Quad> {
        if op.is_exponential() && forms.library != Library::Chip {
            // Only the interpreter has a library.
            if !mask.is_empty() {
                let all = self.f.bits(u32::MAX);
                self.f.guard(all);
            }
            return Some([self.zero(); 4]);
        }
        let result = match (op, forms.reciprocals) {
            (ScaOp::Sin | ScaOp::Cos, _) if forms.waves == Waves::Half => self.f.bits(HALF),
            (ScaOp::Rcc, Reciprocals::Unclamped) => self.f.rcp(c[0]),
            (ScaOp::Rcp, Reciprocals::Operand) => {
                let operand = self.without_negative_zero(c[0]);
                self.f.rcp(operand)
            }
            (ScaOp::Rcc, Reciprocals::Operand) => {
                let operand = self.without_negative_zero(c[0]);
                let f = &mut self.f;
                let (sign, least) = (f.bits(SIGN), f.bits(DECIMAL.0));
                let (sign, magnitude) = (f.and(operand, sign), f.andnot(operand, sign));
                let magnitude = f.imax(magnitude, least);
                let operand = f.or(magnitude, sign);
                f.rcp(operand)
            }
            (ScaOp::Rcc, Reciprocals::Decimal) => self.decimal(c[0]),
            _ => return None,
        };
        Some([result; 4])
    }

    /// The sum with +0, which is +0 for -0.
    fn without_negative_zero(&mut self, a: Value) -> Value {
        let zero = self.zero();
        self.f.sum2(a, zero)
    }

    /// RCC of [`Reciprocals::Decimal`].
    fn decimal(&mut self, a: Value) -> Value {
        let no_number = self.f.funord(a, a);
        self.f.guard(no_number);
        let f = &mut self.f;
        let reciprocal = f.rcp(a);
        let [sign, least, most, instead, nothing] =
            [SIGN, DECIMAL.0, DECIMAL.1, DECIMAL.2, 0].map(|bits| f.bits(bits));
        let magnitude = f.andnot(reciprocal, sign);
        let raised = f.imax(magnitude, least);
        let beyond = f.igt(raised, most);
        let clamped = f.select(beyond, instead, raised);
        // Of what is no positive number zeros are left.
        let vanishes = f.ieq(magnitude, nothing);
        let signed = f.or(reciprocal, vanishes);
        let signed = f.and(signed, sign);
        f.or(clamped, signed)
    }

    /// ARL's integer where a form changes it, of an operand that has its bias.
    pub(super) fn address_form(&mut self, form: Addresses, operand: Value) -> Option<Value> {
        let integral = match form {
            Addresses::Wrapped => self.f.flr(operand),
            Addresses::Truncated => operand,
            Addresses::Clamped | Addresses::Never => return None,
        };
        let no_number = self.f.funord(operand, operand);
        self.f.guard(no_number);
        let f = &mut self.f;
        // -2^31 and 2^31.
        let (least, beyond, zero) = (f.bits(0xcf00_0000), f.bits(0x4f00_0000), f.bits(0));
        let (above, below) = (f.fle(least, integral), f.flt(integral, beyond));
        let inside = f.and(above, below);
        let operand = f.select(inside, integral, zero);
        let (integer, outside) = (f.cvt_i(operand), f.bits(SIGN));
        Some(f.select(inside, integer, outside))
    }

    /// What ARA adds, where nothing clamps addresses.
    pub(super) fn summand(&mut self, a: Value) -> Value {
        if !self.config().has_wide_addresses() {
            return a;
        }
        let (least, most) = (self.f.bits(-1i32.wrapping_shl(30) as u32), self.f.bits(1 << 30));
        let raised = self.f.imax(a, least);
        self.f.imin(raised, most)
    }
}
