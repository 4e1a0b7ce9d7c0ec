//! The operations, as one table: text, operands, level, immediate, meaning.

use super::host;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::{self, Numerics};

/// At which level of the IR an operation may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// XF level: a primitive of the chip.
    Xf,
    /// Host level: a machine operation.
    Host,
    /// Either.
    Both,
}

/// What the immediate of an instruction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Imm {
    /// Not used, 0.
    None,
    /// A 32-bit pattern.
    Bits,
    /// A bit count, 0..=31.
    Shift,
    /// `register * 4 + component` of an IBUF register.
    Input,
    /// `row * 4 + component` of an XFCTX row.
    Ctx,
    /// A component, 0..=3.
    Component,
    /// `table * 4 + column`, see [`host::table_imm`].
    Table,
    /// A TBUF register.
    Output,
    /// An XFCTX row.
    Row,
    /// A TBUF register * 256 + an IBUF register.
    Copy,
    /// An IBUF register.
    Register,
    /// A block.
    Block,
    /// A cell.
    Cell,
}

/// Calls `$reader!` with the rows: `Name = "text", operands, level, immediate, meaning, "description";`
///
/// `[meaning]` is the golden function of a primitive or the scalar function of a machine operation (in braces: of one
/// that takes its immediate); it is empty where
/// [`super::eval`] and the code generators deal with the operation themselves.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_ir_op { ($reader:ident) => { $reader! {
    // name     text     operands level immediate meaning       description
    Const    = "const",       0, Both, Bits,      [],            "the immediate";
    Input    = "input",       0, Both, Input,     [],            "component of an attribute";
    Ctx      = "ctx",         0, Both, Ctx,       [],            "component of a constant";
    CtxRel   = "ctx_rel",     1, Xf,   Ctx,       [],            "component of constant row + operand; 0 outside the window";
    Gather   = "gather",      1, Host, Component, [],            "component of the constant row with the operand's number";
    Table    = "table",       1, Host, Table,     {host::table},            "entry of a table, its row is the operand";
    Output   = "output",      4, Both, Output,    [],            "effect: write an output register";
    Store    = "store",       4, Both, Row,       [],            "effect: write a constant at the end of the vertex";
    Block    = "block",       0, Both, Block,     [],            "begins a block; all ones in the lanes that run it";
    Goto     = "goto",        1, Both, Block,     [],            "effect: the block's lanes in the mask go on at the block named";
    Get      = "get",         0, Both, Cell,      [],            "what a cell holds";
    Set      = "set",         1, Both, Cell,      [],            "effect: what the cell holds from the next block on";
    Guard    = "guard",       1, Both, None,      [],            "effect: deoptimise the group if the operand is not 0";
    BigGuard = "big_guard",   1, Host, None,      [],            "effect: deoptimise the group if this exponent field is above the range of the recipes";
    SmallGuard = "small_guard", 1, Host, None,    [],            "effect: deoptimise the group if the greatest exponent of the addends of a sum, the operand plus 1, is non-zero but below the range of the recipe";
    RowGuard = "row_guard",   0, Host, Register,  [],            "effect: deoptimise the group if an attribute holds a NaN";
    RowCopy  = "row_copy",    0, Host, Copy,      [],            "effect: write an attribute to an output register";

    Mul      = "mul",         2, Xf,   None, [num::mul],          "product";
    Sum2     = "sum2",        2, Xf,   None, [num::sum2],         "sum of two";
    Sum3     = "sum3",        3, Xf,   None, [num::sum3],         "sum of three";
    Sum4     = "sum4",        4, Xf,   None, [num::sum4],         "sum of four";
    Min      = "min",         2, Xf,   None, [num::min],          "lesser";
    Max      = "max",         2, Xf,   None, [num::max],          "greater";
    Slt      = "slt",         2, Xf,   None, [num::slt],          "1.0 if less, else 0.0";
    Sge      = "sge",         2, Xf,   None, [num::sge],          "1.0 if greater or equal, else 0.0";
    Seq      = "seq",         2, Xf,   None, [num::seq],          "1.0 if equal, else 0.0";
    Sne      = "sne",         2, Xf,   None, [num::sne],          "1.0 if not equal, else 0.0";
    Sgt      = "sgt",         2, Xf,   None, [num::sgt],          "1.0 if greater, else 0.0";
    Sle      = "sle",         2, Xf,   None, [num::sle],          "1.0 if less or equal, else 0.0";
    Ssg      = "ssg",         1, Xf,   None, [num::ssg],          "sign as 1.0, 0.0 or -1.0";
    Flr      = "flr",         1, Xf,   None, [num::flr],          "greatest integer not above";
    Frc      = "frc",         1, Xf,   None, [num::frc],          "the operand less its floor";
    Saturate = "saturate",    1, Xf,   None, [num::saturate],     "clamped to 0.0 .. 1.0";
    Rcp      = "rcp",         1, Xf,   None, [num::rcp],          "reciprocal";
    Rcc      = "rcc",         1, Xf,   None, [num::rcc],          "clamped reciprocal";
    Rsq      = "rsq",         1, Xf,   None, [num::rsq],          "reciprocal square root";
    ExpX     = "exp_x",       1, Xf,   None, [num::exp_x],        "EXP.x, 2 to the integer part";
    ExpY     = "exp_y",       1, Xf,   None, [num::exp_y],        "EXP.y, fraction";
    ExpZ     = "exp_z",       1, Xf,   None, [num::exp_z],        "EXP.z, approximate power of 2";
    LogX     = "log_x",       1, Xf,   None, [num::log_x],        "LOG.x, exponent";
    LogY     = "log_y",       1, Xf,   None, [num::log_y],        "LOG.y, mantissa";
    LogZ     = "log_z",       1, Xf,   None, [num::log_z],        "LOG.z, approximate logarithm";
    LitY     = "lit_y",       1, Xf,   None, [num::lit_y],        "LIT.y, diffuse coefficient";
    LitZ     = "lit_z",       3, Xf,   None, [num::lit_z],        "LIT.z, specular coefficient of x, y, w";
    Lg2      = "lg2",         1, Xf,   None, [num::lg2],          "logarithm to base 2";
    Ex2      = "ex2",         1, Xf,   None, [num::ex2],          "power of 2";
    Sin      = "sin",         1, Xf,   None, [num::sin],          "sine";
    Cos      = "cos",         1, Xf,   None, [num::cos],          "cosine";
    Canonical = "canonical",  1, Xf,   None, [num::canonical],  "a NaN becomes the canonical one, in the model ieee";
    IsLess   = "is_less",     1, Xf,   None, [host::is_less],    "all ones where the condition code is less";
    IsEqual  = "is_equal",    1, Xf,   None, [host::is_equal],   "all ones where the condition code is equal";
    IsGreater = "is_greater", 1, Xf,   None, [host::is_greater], "all ones where the condition code is greater";
    IsNegative = "is_negative", 1, Xf, None, [host::is_negative], "all ones where the sign bit is set";
    Arl      = "arl",         1, Xf,   None, [host::arl],         "integer floor, as A0 holds it";
    Arr      = "arr",         1, Xf,   None, [host::arr],         "nearest integer, halves to even, as A0 holds it";

    // Of the lighting engine: operands and results are left-aligned 22-bit numbers, their low ten bits zero.
    LtMul    = "lt_mul",      2, Xf,   None, [host::lt_mul],      "product of LT's vector unit";
    LtAdd    = "lt_add",      2, Xf,   None, [host::lt_add],      "sum of two of LT's vector unit";
    LtAdd3   = "lt_add3",     3, Xf,   None, [host::lt_add3],     "sum of three of LT's vector unit";
    LtRcp    = "lt_rcp",      1, Xf,   None, [host::lt_rcp],      "reciprocal of LT";
    LtRsq    = "lt_rsq",      1, Xf,   None, [host::lt_rsq],      "reciprocal square root of LT";
    LtClamp  = "lt_clamp",    1, Xf,   None, [host::lt_clamp],    "clamp of the point size to 0.0 .. 1.0";
    LtsMul   = "lts_mul",     2, Xf,   None, [host::lts_mul],     "product of LT's scalar unit";
    LtsAdd   = "lts_add",     2, Xf,   None, [host::lts_add],     "sum of LT's scalar unit";
    // From 32 bits to LT's 22, and to what leaves the unit.
    XfToLt   = "xf_to_lt",    1, Xf,   None, [host::xf_to_lt],    "rounded to 22 bits";
    LtcLoad  = "ltc_load",    1, Xf,   None, [host::ltc_load],    "a constant as Celsius loads it into LTC";
    Fog      = "fog",         1, Xf,   None, [host::fog],         "a fog factor as it leaves the unit";
    Window   = "window",      1, Xf,   None, [host::window],      "window coordinate, truncated to 1/16";
    Squash   = "squash",      1, Xf,   None, [host::squash],      "exponent fields 0xfe and 0xff become that of 2^127";
    Colour   = "colour",      1, Xf,   None, [host::colour],      "colour component as an integer, 0..=255";
    PointSize = "point_size", 1, Xf,   None, [host::point_size],  "point size as the rasteriser's integer of 9 bits";
    PointEighths = "point_eighths", 1, Xf, None, [host::point_eighths], "point size in eighths of a pixel, an integer up to 511";
    Depth    = "depth",       1, Xf,   None, [host::depth],       "depth, clamped: +0 if the sign is set";
    InverseW = "inverse_w",   1, Xf,   None, [host::inverse_w],   "1/w as it leaves the unit";
    ClampW   = "clamp_w",     1, Xf,   None, [host::clamp_w],     "magnitude clamped to 2^-64 .. 2^64";
    ClampedW = "clamped_w",   1, Xf,   None, [host::clamped_w],   "the same, clamped to 2^-64 from below";

    Iadd     = "iadd",        2, Both, None, [host::iadd],        "integer sum";
    Isub     = "isub",        2, Host, None, [host::isub],        "integer difference";
    Imul     = "imul",        2, Host, None, [host::imul],        "low word of the integer product";
    MulShr   = "mulshr",      2, Host, Shift, {host::mulshr},     "low word of (signed 64-bit product >> immediate)";
    And      = "and",         2, Both, None, [host::and],         "bitwise and";
    AndNot   = "andnot",      2, Both, None, [host::andnot],      "first operand and not the second";
    Or       = "or",          2, Both, None, [host::or],          "bitwise or";
    Xor      = "xor",         2, Both, None, [host::xor],         "bitwise exclusive or";
    Shl      = "shl",         1, Host, Shift, {host::shl},        "shift left";
    Shr      = "shr",         1, Host, Shift, {host::shr},        "logical shift right";
    Sar      = "sar",         1, Host, Shift, {host::sar},        "arithmetic shift right";
    Ieq      = "ieq",         2, Both, None, [host::ieq],         "all ones if equal as integers";
    Igt      = "igt",         2, Both, None, [host::igt],         "all ones if greater as signed integers";
    Imin     = "imin",        2, Both, None, [host::imin],        "lesser signed integer";
    Imax     = "imax",        2, Both, None, [host::imax],        "greater signed integer";
    Umin     = "umin",        2, Host, None, [host::umin],        "lesser unsigned integer";
    Select   = "select",      3, Both, None, [host::select],      "bits of the second operand where the first is 1, else of the third";

    Fadd     = "fadd",        2, Host, None, [host::fadd],        "float sum";
    Fsub     = "fsub",        2, Host, None, [host::fsub],        "float difference";
    Fmul     = "fmul",        2, Host, None, [host::fmul],        "float product";
    Fdiv     = "fdiv",        2, Host, None, [host::fdiv],        "float quotient";
    Fsqrt    = "fsqrt",       1, Host, None, [host::fsqrt],       "float square root";
    Ffloor   = "ffloor",      1, Host, None, [host::ffloor],      "greatest integral float not above";
    Fmin     = "fmin",        2, Host, None, [host::fmin],        "first if it is less, else second";
    Fmax     = "fmax",        2, Host, None, [host::fmax],        "first if it is greater, else second";
    Feq      = "feq",         2, Host, None, [host::feq],         "all ones if equal";
    Flt      = "flt",         2, Host, None, [host::flt],         "all ones if less";
    Fle      = "fle",         2, Host, None, [host::fle],         "all ones if less or equal";
    Funord   = "funord",      2, Host, None, [host::funord],      "all ones if either is a NaN";
    Promote  = "promote",     1, Host, None, [],                "float to double";
    Dadd     = "dadd",        2, Host, None, [],                "double sum";
    Dsub     = "dsub",        2, Host, None, [],                "double difference";
    Dmul     = "dmul",        2, Host, None, [],                "double product";
    Dlow     = "dlow",        1, Host, None, [],                "low word of a double";
    CvtF     = "cvt_f",       1, Both, None, [host::cvt_f],       "signed integer to float";
    CvtI     = "cvt_i",       1, Host, None, [host::cvt_i],       "float to signed integer, truncating; the operand is in range";
} } }

macro_rules! meaning {
    ([], $count:tt, $at:ident, $n:expr, $env:expr, $imm:expr, $x:expr) => { None };
    ({$f:path}, 1, $at:ident, $n:expr, $env:expr, $imm:expr, $x:expr) => { Some($f($imm, $x[0])) };
    ({$f:path}, 2, $at:ident, $n:expr, $env:expr, $imm:expr, $x:expr) => { Some($f($imm, $x[0], $x[1])) };
    ([$f:path], $count:tt, Xf, $n:expr, $env:expr, $imm:expr, $x:expr) => { Some(meaning!(@ $f, $count, $n, $x)) };
    ([$f:path], $count:tt, $at:ident, $n:expr, $env:expr, $imm:expr, $x:expr) => { Some(meaning!(@ $f, $count, $env, $x)) };
    (@ $f:path, 1, $env:expr, $x:expr) => { $f($env, $x[0]) };
    (@ $f:path, 2, $env:expr, $x:expr) => { $f($env, $x[0], $x[1]) };
    (@ $f:path, 3, $env:expr, $x:expr) => { $f($env, $x[0], $x[1], $x[2]) };
    (@ $f:path, 4, $env:expr, $x:expr) => { $f($env, $x[0], $x[1], $x[2], $x[3]) };
}

macro_rules! define_ops { ($($name:ident = $text:literal, $count:tt, $at:ident, $imm:ident, $meaning:tt, $doc:literal;)*) => {
    /// An operation of the IR.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    #[repr(u8)]
    pub enum Op { $(#[doc = $doc] $name),* }

    impl Op {
        /// Every operation, in table order.
        pub const ALL: &[Op] = &[$(Op::$name),*];

        /// Its name in the text form.
        pub const fn text(self) -> &'static str {
            match self { $(Op::$name => $text),* }
        }

        /// How many operands it takes.
        pub const fn operands(self) -> usize {
            match self { $(Op::$name => $count),* }
        }

        /// Where it may stand.
        pub const fn at(self) -> At {
            match self { $(Op::$name => At::$at),* }
        }

        /// What its immediate is.
        pub const fn imm(self) -> Imm {
            match self { $(Op::$name => Imm::$imm),* }
        }

        /// Its result for one lane, if that follows from operands alone. Expects the IEEE default environment
        /// ([`FpEnv::Default`]), as all golden functions do.
        #[inline]
        pub fn evaluate(self, n: Numerics, env: FpEnv, imm: u32, x: [u32; 4]) -> Option<u32> {
            match self {
                $(Op::$name => meaning!($meaning, $count, $at, n, env, imm, x),)*
            }
        }
    }
} }
for_each_ir_op!(define_ops);

impl Op {
    /// Whether the operation does something beside computing a result; such instructions have no result.
    pub const fn has_effect(self) -> bool {
        matches!(
            self,
            Op::Output
                | Op::Store
                | Op::Guard
                | Op::BigGuard
                | Op::SmallGuard
                | Op::RowGuard
                | Op::RowCopy
                | Op::Goto
                | Op::Set
        )
    }

    /// Whether it deoptimises the group for what it looks at, and may stand anywhere behind that.
    pub const fn is_guard(self) -> bool {
        matches!(self, Op::Guard | Op::BigGuard | Op::SmallGuard)
    }

    /// Whether the operation must stay though nothing may read it.
    pub const fn is_kept(self) -> bool {
        self.has_effect() || matches!(self, Op::Block)
    }

    /// Whether the result is a double: 64 bits in each lane. Doubles never cross from the prologue to the body.
    pub const fn is_wide(self) -> bool {
        matches!(self, Op::Promote | Op::Dadd | Op::Dsub | Op::Dmul)
    }

    /// Whether the operands are doubles.
    pub const fn takes_wide(self) -> bool {
        matches!(self, Op::Dadd | Op::Dsub | Op::Dmul | Op::Dlow)
    }

    /// Whether it is arithmetic of the lighting engine: operands and result are numbers of 22 bits, left-aligned.
    pub const fn is_short(self) -> bool {
        use Op::{LtAdd, LtAdd3, LtClamp, LtMul, LtRcp, LtRsq, LtsAdd, LtsMul};
        matches!(self, LtMul | LtAdd | LtAdd3 | LtRcp | LtRsq | LtClamp | LtsMul | LtsAdd)
    }

    /// Whether its result is always such a number.
    pub const fn makes_short(self) -> bool {
        self.is_short() || matches!(self, Op::XfToLt | Op::LtcLoad)
    }

    /// The operation with this name.
    pub fn from_text(text: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.text() == text)
    }
}
