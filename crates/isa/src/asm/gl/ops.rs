//! The opcodes of the languages, as one table.

use super::super::assemble::Operator;
use super::super::names::Suffix;
use super::language::{ARB, Sets, V10, V11, V20, V30};
use crate::isa::op::{ScaOp, VecOp};

/// What stands behind an opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A destination and this many swizzled sources.
    Vector(usize),
    /// A destination and this many sources of one component.
    Scalar(usize),
    /// A destination and two sources that nobody reads; they may be left out.
    Unread,
    /// An address register and a source.
    Address,
    /// An address register and another.
    AddressSum,
    /// A destination, a source, and four components, `0` or `1` with signs.
    Swizzle,
    /// A destination, a source, a texture unit and a target.
    Texture,
    /// A label.
    Jump,
    /// Nothing.
    Return,
    /// An address register that is read.
    Push,
    /// An address register that is written.
    Pop,
}

/// What an opcode does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// One operation of the chip.
    Plain(Operator),
    /// The second source is negated.
    Subtract,
    /// The source without its sign.
    Absolute,
    /// The cross product.
    Cross,
    /// The first source to the power of the second.
    Power,
    /// Components of the source, 0.0 and 1.0, with signs.
    Swizzle,
    /// A look-up.
    Texture(Lookup),
}

/// How the level of detail and the coordinates of a look-up are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lookup {
    /// Level 0.
    Base,
    /// Level 0, coordinates divided by w.
    Projected,
    /// The level in w.
    Level,
}

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Opcode {
    pub(super) name: &'static str,
    /// Instruction sets that have it.
    pub(super) sets: Sets,
    pub(super) form: Form,
    pub(super) action: Action,
}

const fn vec(name: &'static str, sets: Sets, sources: usize, op: VecOp) -> Opcode {
    Opcode { name, sets, form: Form::Vector(sources), action: Action::Plain(Operator::Vec(op)) }
}

const fn sca(name: &'static str, sets: Sets, op: ScaOp) -> Opcode {
    Opcode { name, sets, form: Form::Scalar(1), action: Action::Plain(Operator::Sca(op)) }
}

const fn plain(name: &'static str, sets: Sets, form: Form, operator: Operator) -> Opcode {
    Opcode { name, sets, form, action: Action::Plain(operator) }
}

const fn other(name: &'static str, sets: Sets, form: Form, action: Action) -> Opcode {
    Opcode { name, sets, form, action }
}

/// Every opcode.
#[rustfmt::skip]
pub(super) const OPCODES: &[Opcode] = &[
    plain("MOV", V10 | ARB, Form::Vector(1), Operator::Mov),
    plain("LIT", V10 | ARB, Form::Vector(1), Operator::Sca(ScaOp::Lit)),
    vec("MUL", V10 | ARB, 2, VecOp::Mul),
    vec("ADD", V10 | ARB, 2, VecOp::Add),
    vec("MAD", V10 | ARB, 3, VecOp::Mad),
    vec("DP3", V10 | ARB, 2, VecOp::Dp3),
    vec("DP4", V10 | ARB, 2, VecOp::Dp4),
    vec("DST", V10 | ARB, 2, VecOp::Dst),
    vec("MIN", V10 | ARB, 2, VecOp::Min),
    vec("MAX", V10 | ARB, 2, VecOp::Max),
    vec("SLT", V10 | ARB, 2, VecOp::Slt),
    vec("SGE", V10 | ARB, 2, VecOp::Sge),
    sca("RCP", V10 | ARB, ScaOp::Rcp),
    sca("RSQ", V10 | ARB, ScaOp::Rsq),
    sca("EXP", V10 | ARB, ScaOp::Exp),
    sca("LOG", V10 | ARB, ScaOp::Log),
    plain("ARL", V10 | ARB, Form::Address, Operator::Vec(VecOp::Arl)),

    vec("DPH", V11 | ARB, 2, VecOp::Dph),
    other("SUB", V11 | ARB, Form::Vector(2), Action::Subtract),
    other("ABS", V11 | ARB, Form::Vector(1), Action::Absolute),
    sca("RCC", V11 | V20, ScaOp::Rcc),

    vec("FLR", V20 | ARB, 1, VecOp::Flr),
    vec("FRC", V20 | ARB, 1, VecOp::Frc),
    sca("EX2", V20 | ARB, ScaOp::Ex2),
    sca("LG2", V20 | ARB, ScaOp::Lg2),
    sca("SIN", V20, ScaOp::Sin),
    sca("COS", V20, ScaOp::Cos),
    vec("SEQ", V20, 2, VecOp::Seq),
    vec("SGT", V20, 2, VecOp::Sgt),
    vec("SLE", V20, 2, VecOp::Sle),
    vec("SNE", V20, 2, VecOp::Sne),
    plain("SFL", V20, Form::Unread, Operator::Vec(VecOp::Sfl)),
    plain("STR", V20, Form::Unread, Operator::Vec(VecOp::Str)),
    vec("SSG", V20, 1, VecOp::Ssg),
    plain("ARR", V20, Form::Address, Operator::Vec(VecOp::Arr)),
    plain("ARA", V20, Form::AddressSum, Operator::Vec(VecOp::Ara)),
    plain("BRA", V20, Form::Jump, Operator::Sca(ScaOp::Bra)),
    plain("CAL", V20, Form::Jump, Operator::Sca(ScaOp::Cal)),
    plain("RET", V20, Form::Return, Operator::Sca(ScaOp::Ret)),

    plain("PUSHA", V30, Form::Push, Operator::Sca(ScaOp::Pusha)),
    plain("POPA", V30, Form::Pop, Operator::Sca(ScaOp::Popa)),
    other("TEX", V30, Form::Texture, Action::Texture(Lookup::Base)),
    other("TXP", V30, Form::Texture, Action::Texture(Lookup::Projected)),
    // The level that a bias adds to is 0: vertices have no derivatives.
    other("TXB", V30, Form::Texture, Action::Texture(Lookup::Level)),
    other("TXL", V30, Form::Texture, Action::Texture(Lookup::Level)),

    other("XPD", ARB, Form::Vector(2), Action::Cross),
    other("POW", ARB, Form::Scalar(2), Action::Power),
    other("SWZ", ARB, Form::Swizzle, Action::Swizzle),
];

impl Opcode {
    /// Whether it takes the suffixes of condition codes and saturation.
    pub(super) const fn has_result(&self) -> bool {
        !matches!(self.form, Form::Jump | Form::Return | Form::Push | Form::Pop)
    }

    /// The header of the first language that has it.
    pub(super) const fn origin(&self) -> &'static str {
        match self.sets {
            sets if sets & V10 != 0 => "!!VP1.0",
            sets if sets & V11 != 0 => "!!VP1.1",
            sets if sets & ARB != 0 => "!!ARBvp1.0",
            sets if sets & V20 != 0 => "!!VP2.0",
            _ => "!!VP3.0",
        }
    }
}

/// What a word asks for; an opcode on its own goes before one with a suffix (RCC).
pub(super) fn find(word: &str) -> Option<(&'static Opcode, Suffix)> {
    let exactly = |name: &str| OPCODES.iter().find(|opcode| opcode.name == name);
    let (stem, saturate) = word.strip_suffix("_SAT").map_or((word, false), |stem| (stem, true));
    let codes = [("", None), ("C", Some(0)), ("C0", Some(0)), ("C1", Some(1))];
    codes.into_iter().find_map(|(ending, code)| {
        exactly(stem.strip_suffix(ending)?).map(|opcode| (opcode, Suffix { code, saturate }))
    })
}
