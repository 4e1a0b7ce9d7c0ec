//! What emulators compute otherwise than the model `ieee` does: each thing has a name, and so have the forms that it comes in. What each
//! does stands in `front/forms.rs` and, a second time, in `interp/forms.rs`.

/// Products, those of MAD, DST and the dot products too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Products {
    /// As the rules of arithmetic have them.
    Rules,
    /// Products of floats: no rule for zeros.
    Plain,
    /// Plain, but infinite ones, and infinite sums of dot products, are the greatest finite number with their sign.
    Saturated,
}

/// MIN and MAX of two zeros and of NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extremes {
    /// `a < b ? a : b` and `a < b ? b : a`.
    Less,
    /// `a < b ? a : b` and `a > b ? a : b`.
    Either,
    /// `b < a ? b : a` and `a < b ? b : a`, but the number beside a NaN: `fmin` and `fmax`.
    Numbers,
}

/// SLT and SGE of two zeros and of NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparisons {
    /// Zeros are equal, and of NaN either is 0.
    Floats,
    /// -0 is below +0, and SGE is 1 less SLT.
    Signed,
}

/// SSG of NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SignOfNan {
    /// 0.
    Zero,
    /// 1.
    One,
}

/// RCP and RCC.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reciprocals {
    /// RCC is RCP with its magnitude clamped to 2^-64 and 2^64.
    Clamped,
    /// RCC is RCP.
    Unclamped,
    /// RCC is RCP of an operand whose magnitude is 5.42101e-20 at least; RCP of -0 is infinite without a sign.
    Operand,
    /// RCC up to 1.884467e19 and from 5.42101e-20 on; what is above is 2^64, and what is below, zeros among them, is negative
    /// unless the operand is a positive number.
    Decimal,
}

/// ARL, ARR, ARA, and the rows that sums with an address name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Addresses {
    /// Clamped to the range of the register.
    Clamped,
    /// As integers of 32 bits; rows, those without an address too, wrap at 512.
    Wrapped,
    /// ARL truncates to integers of 32 bits.
    Truncated,
    /// ARL writes nothing.
    Never,
}

/// What is read of oPos.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReadBack {
    /// Components as they have been written, 0 before.
    Written,
    /// All of oPos as it stands behind the last write to it, 0 before.
    Whole,
    /// oPos as it stands, so that w is 1 before it is written.
    Output,
}

/// Where the vector result's components go that the scalar unit writes to the same output, too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BothOutputs {
    /// There.
    There,
    /// To oPos.
    Position,
}

/// Where results for rows of constants go.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConstantResults {
    /// There.
    There,
    /// Those of the scalar unit to the output whose number is that of the row, modulo 16.
    ScalarElsewhere,
    /// Those of both units to that output.
    Elsewhere,
}

/// How many rows of constants there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RowCount {
    /// The chip's.
    Chip,
    /// 512, whatever the chip has.
    Most,
}

/// EXP, LOG, LIT, LG2 and EX2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Library {
    /// The chip's tables.
    Chip,
    /// Bochs' calls of the GNU C library, to the bit. As with the other two only the interpreter has them.
    Bochs,
    /// MAME's.
    Mame,
    /// nv2a_vsh_cpu's.
    Nv2aVshCpu,
}

/// SIN and COS.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Waves {
    /// Of the operand.
    Computed,
    /// 0.5.
    Half,
}
