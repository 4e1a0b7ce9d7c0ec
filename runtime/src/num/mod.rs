//! Golden arithmetic of the XF unit: bits in, bits out, scalar, one early return per rule.
//!
//! Every function takes and returns raw 32-bit patterns; [`Numerics`] selects the model and the rules. The interpreter
//! executes these functions, constant folding calls them, and every vector recipe is proved equal to one of them.
//! They expect the IEEE default environment ([`crate::fpenv`]), which the caller sets.

#![forbid(unsafe_code)]

mod address;
pub mod bits;
mod canonical;
mod compare;
pub mod condition;
pub mod convert;
mod explog;
pub mod ieee;
pub mod lt;
pub mod lts;
mod mfu;
mod product;
mod recip;
mod round;
pub mod rules;
mod saturate;
mod sum;
#[doc(hidden)]
pub mod tables;

pub use address::{ara, arl, arr};
pub use canonical::canonical;
pub use compare::{max, min, seq, sge, sgt, sle, slt, sne, ssg};
#[doc(hidden)]
pub use explog::fixed_point;
pub use explog::{exp_x, exp_y, exp_z, lit_y, lit_z, log_x, log_y, log_z};
pub use mfu::{cos, ex2, lg2, sin};
pub use product::mul;
pub use recip::{rcc, rcp, rsq};
pub use round::{flr, frc};
pub use rules::Rules;
pub use saturate::saturate;
pub use sum::{sum2, sum3, sum4};

/// The arithmetic that a program runs with (docs/NUMERICS.md, "Two models").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Model {
    /// The chip's arithmetic, bit for bit.
    Hw,
    /// IEEE binary32, rounded to nearest even. Operations run in the chip's order, and use its zero rule and
    /// its tables.
    Ieee,
}

impl Model {
    /// Both.
    pub const ALL: &[Model] = &[Model::Hw, Model::Ieee];

    /// The name in texts and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Hw => "hw",
            Model::Ieee => "ieee",
        }
    }

    /// The model that has this name.
    pub fn from_name(name: &str) -> Option<Model> {
        Model::ALL.iter().copied().find(|model| model.name() == name)
    }
}

/// An arithmetic: the model and, within it, the unit's rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Numerics {
    /// The chip's arithmetic or IEEE's.
    pub model: Model,
    /// The unit's revision and rule set.
    pub rules: Rules,
}

/// The NaN that the unit produces (kelvin.md 4.1).
pub const CANONICAL_NAN: u32 = 0x7fff_ffff;
