//! Forms: where emulators compute differently from the model `ieee`. Each difference has a name, and so has each of its forms.
//! `front/forms.rs` implements them, and `interp/forms.rs` does so a second time.

/// Products, including those of MAD, DST and the dot products.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Products {
    /// According to the rules of arithmetic.
    Rules,
    /// Products of floats, without a rule for zeros.
    Plain,
    /// Plain, but infinite products, and infinite sums of dot products, become the greatest finite number with their sign.
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
    /// RCC is RCP of an operand whose magnitude is at least 5.42101e-20; RCP of -0 is +infinity.
    Operand,
    /// RCC from 5.42101e-20 to 1.884467e19; results above become 2^64. Results below, including zeros, are negative unless the operand is a
    /// positive number.
    Decimal,
}

/// ARL, ARR, ARA, and the rows that sums with an address name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Addresses {
    /// Clamped to the range of the register.
    Clamped,
    /// As integers of 32 bits; rows, including those without an address, wrap at 512.
    Wrapped,
    /// ARL truncates to integers of 32 bits.
    Truncated,
    /// ARL writes nothing.
    Never,
}

/// The value of oPos that r12 reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReadBack {
    /// The components that have been written; 0 before.
    Written,
    /// The whole of oPos after the last write to it; 0 before.
    Whole,
    /// The current oPos, so w is 1 before it is written.
    Output,
}

/// Where components of the vector result go if the scalar unit writes them to the same output.
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
    /// Results of the scalar unit go to the output whose number is that of the row, modulo 16.
    ScalarElsewhere,
    /// Results of both units go to that output.
    Elsewhere,
}

/// The number of rows of constants.
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
    /// Bochs' calls of the GNU C library, to the bit. Only the interpreter implements these, and the other two libraries.
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
