//! Execution units, and which of them an operation takes.

use crate::isa::{ScaOp, VecOp};

/// An execution unit (000: 183-192).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    /// MLU: products.
    Products,
    /// ALU: sums, comparisons, and other simple operations.
    Sums,
    /// ILU: reciprocals and reciprocal roots; powers and logarithms of few bits.
    Inverses,
    /// MFU: EX2, LG2, SIN, COS.
    Functions,
}

impl Unit {
    /// Every unit.
    pub const ALL: [Unit; 4] = [Unit::Products, Unit::Sums, Unit::Inverses, Unit::Functions];
}

/// What operations have in common of which the rates are known together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rate {
    /// Of the multiplier.
    Products,
    /// Of the adder.
    Sums,
    /// Of reciprocals and reciprocal roots.
    Inverses,
    /// Of EXP, LOG and LIT.
    Tables,
    /// Of the multi-function unit.
    Functions,
}

impl Rate {
    /// Every rate.
    pub const ALL: [Rate; 5] = [Rate::Products, Rate::Sums, Rate::Inverses, Rate::Tables, Rate::Functions];

    /// The unit that it is a rate of.
    pub const fn unit(self) -> Unit {
        match self {
            Rate::Products => Unit::Products,
            Rate::Sums => Unit::Sums,
            Rate::Inverses | Rate::Tables => Unit::Inverses,
            Rate::Functions => Unit::Functions,
        }
    }
}

/// What an operation of the vector unit takes. That copies and address registers pass through the adder is a reading of "other
/// simple operations" (000: 187).
pub(super) const fn of_vector(op: VecOp) -> &'static [Rate] {
    use VecOp::*;
    match op {
        // What a texture unit does is none of these.
        Nop | Txl => &[],
        Mul | Dst => &[Rate::Products],
        Mad | Dp3 | Dph | Dp4 => &[Rate::Products, Rate::Sums],
        Mov | Add | Min | Max | Slt | Sge | Arl | Frc | Flr | Seq | Sfl | Sgt | Sle | Sne | Str | Ssg
        | Arr | Ara => &[Rate::Sums],
    }
}

/// What an operation of the scalar unit takes. UNKNOWN: whether a copy takes the ILU; here it does not.
pub(super) const fn of_scalar(op: ScaOp) -> &'static [Rate] {
    use ScaOp::*;
    match op {
        Rcp | Rcc | Rsq => &[Rate::Inverses],
        // The lecture has all three in the special functional unit (004: 642-646); LIT is a power of a logarithm.
        Exp | Log | Lit => &[Rate::Tables],
        Lg2 | Ex2 | Sin | Cos => &[Rate::Functions],
        Nop | Mov | BraIndirect | Bra | CalIndirect | Cal | Ret | Brb | Clb | Pusha | Popa => &[],
    }
}
