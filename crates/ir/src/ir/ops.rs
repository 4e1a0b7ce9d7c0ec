//! The table of operations: text, operands, immediate, semantics and properties of each.

use super::host;
pub use super::properties::{At, Imm};
use super::properties::{
    Bound, Form, Makes, MemoryOperand, Order, PLAIN, Properties, Short, Zeros, properties,
};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::{self, Numerics};

/// Calls `$reader!` with the rows, kind by kind: `Kind { Name = method(operands), immediate, meaning, {properties},
/// "description"; }`.
///
/// `method` is the name in the text form, unless `as` gives another, and of the method of [`super::Builder`] and of a
/// back end. `[meaning]` is the golden function of a primitive or the scalar function of a machine operation (in braces:
/// of one that takes its immediate); it is empty where [`super::eval`] and the code generators deal with the operation
/// themselves. The properties are those of [`super::properties`], as many as the heading of the kind names.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_ir_op { ($reader:ident) => { $reader! {
    // Operations that read more than their operands: level, cycles, weight.
    Load {
        Const  = bits() as "const", Bits,      [],            {Both, 1,  1},  "the immediate";
        Input  = input(),           Input,     [],            {Both, 5,  4},  "component of an attribute";
        Ctx    = ctx(),             Ctx,       [],            {Both, 1,  1},  "component of a constant";
        Gather = gather(row),       Component, [],            {Host, 14, 4},  "component of a constant row, its number is the operand";
        Table  = table(row),        Table,     {host::table}, {Host, 14, 4},  "entry of a table, its row is the operand";
        Block  = block(),           Block,     [],            {Both, 1,  12}, "begins a block; all ones in the lanes that run it";
        Get    = get(),             Cell,      [],            {Both, 1,  1},  "value of a cell at the beginning of the block";
    }

    // Operations with an effect and without a result: level, weight.
    Effect {
        Output     = output(x, y, z, w),  Output,   [], {Both, 12}, "effect: write an output register";
        Store      = store(x, y, z, w),   Row,      [], {Both, 8},  "effect: write a constant at the end of the vertex";
        Written    = written(mask),       Row,      [], {Both, 1},  "effect: tell that the vertex has written a constant if the operand is not 0; what stores one and tells nothing always has";
        Goto       = goto(mask),          Block,    [], {Both, 4},  "effect: lanes of the block in the mask continue at another block";
        Set        = set(a),              Cell,     [], {Both, 1},  "effect: set a cell for the following blocks";
        Guard      = guard(mask),         None,     [], {Both, 1},  "effect: deoptimise the group if the operand is not 0";
        BigGuard   = big_guard(exponent), None,     [], {Host, 1},  "effect: deoptimise the group if this exponent field is above the range of the recipes";
        SmallGuard = small_guard(less),   None,     [], {Host, 1},  "effect: deoptimise the group if the greatest exponent of the addends of a sum, the operand plus 1, is non-zero but below the range of the recipe";
        RowGuard   = row_guard(),         Register, [], {Host, 1},  "effect: deoptimise the group if an attribute holds a NaN";
        RowCopy    = row_copy(),          Copy,     [], {Host, 12}, "effect: write an attribute to an output register";
    }

    // Machine operations: level, order, zeros, cycles, weight, memory, result, bound, 22 bits.
    Pure {
        Iadd   = iadd(a, b),         None,  [host::iadd],   {Both, Commutes, Seen,   1,  1, Folds, Bits,    Sum,     Every},   "integer sum";
        Isub   = isub(a, b),         None,  [host::isub],   {Host, Ordered,  Seen,   1,  1, Folds, Bits,    Unknown, Unknown}, "integer difference";
        Imul   = imul(a, b),         None,  [host::imul],   {Host, Commutes, Seen,   4,  1, Folds, Bits,    Unknown, Unknown}, "low word of the integer product";
        MulShr = mulshr(a, b),       Shift, {host::mulshr}, {Host, Commutes, Seen,   8,  8, Loads, Bits,    Unknown, Unknown}, "low word of (signed 64-bit product >> immediate)";
        And    = and(a, b),          None,  [host::and],    {Both, Commutes, Seen,   1,  1, Folds, Bits,    Least,   Either},  "bitwise and";
        AndNot = andnot(a, b),       None,  [host::andnot], {Both, Ordered,  First,  1,  1, Folds, Bits,    Unknown, First},   "first operand and not the second";
        Or     = or(a, b),           None,  [host::or],     {Both, Commutes, Seen,   1,  1, Folds, Bits,    Unknown, Every},   "bitwise or";
        Xor    = xor(a, b),          None,  [host::xor],    {Both, Commutes, Passed, 1,  1, Folds, Bits,    Unknown, Every},   "bitwise exclusive or";
        Shl    = shl(a),             Shift, {host::shl},    {Host, Ordered,  Seen,   1,  1, Folds, Bits,    Unknown, Unknown}, "shift left";
        Shr    = shr(a),             Shift, {host::shr},    {Both, Ordered,  Seen,   1,  1, Folds, Bits,    Shifted, Unknown}, "logical shift right";
        Sar    = sar(a),             Shift, {host::sar},    {Host, Ordered,  Seen,   1,  1, Folds, Bits,    Unknown, Unknown}, "arithmetic shift right";
        Swap   = swap(a),            None,  [host::swap],   {Host, Ordered,  Seen,   1,  2, Loads, Bits,    Unknown, Unknown}, "bytes in the other order";
        Ieq    = ieq(a, b),          None,  [host::ieq],    {Both, Commutes, Seen,   1,  1, Folds, Bits,    Unknown, Unknown}, "all ones if equal as integers";
        Igt    = igt(a, b),          None,  [host::igt],    {Both, Ordered,  Seen,   1,  1, Folds, Bits,    Unknown, Unknown}, "all ones if greater as signed integers";
        Imin   = imin(a, b),         None,  [host::imin],   {Both, Commutes, Seen,   1,  1, Folds, Bits,    Unknown, Every},   "lesser signed integer";
        Imax   = imax(a, b),         None,  [host::imax],   {Both, Commutes, Seen,   1,  1, Folds, Bits,    Unknown, Every},   "greater signed integer";
        Umin   = umin(a, b),         None,  [host::umin],   {Host, Commutes, Seen,   1,  1, Loads, Bits,    Least,   Unknown}, "lesser unsigned integer";
        Select = select(mask, a, b), None,  [host::select], {Both, Ordered,  Passed, 1,  1, Folds, Bits,    Unknown, Chosen},  "bits of the second operand where the first is 1, else of the third";
        Fadd   = fadd(a, b),         None,  [host::fadd],   {Both, Commutes, Seen,   4,  1, Folds, Rounded, Unknown, Unknown}, "float sum";
        Fsub   = fsub(a, b),         None,  [host::fsub],   {Both, Ordered,  Seen,   4,  1, Folds, Rounded, Unknown, Unknown}, "float difference";
        Fmul   = fmul(a, b),         None,  [host::fmul],   {Both, Commutes, Seen,   4,  1, Folds, Rounded, Unknown, Unknown}, "float product";
        Fdiv   = fdiv(a, b),         None,  [host::fdiv],   {Both, Ordered,  Seen,   11, 1, Folds, Rounded, Unknown, Unknown}, "float quotient";
        Fsqrt  = fsqrt(a),           None,  [host::fsqrt],  {Both, Ordered,  Seen,   15, 1, Loads, Rounded, Unknown, Unknown}, "float square root";
        Ffloor = ffloor(a),          None,  [host::ffloor], {Host, Ordered,  Seen,   4,  1, Loads, Bits,    Unknown, Unknown}, "greatest integral float not above";
        Fmin   = fmin(a, b),         None,  [host::fmin],   {Both, Ordered,  Seen,   1,  1, Folds, Bits,    Unknown, Unknown}, "first if it is less, else second";
        Fmax   = fmax(a, b),         None,  [host::fmax],   {Both, Ordered,  Seen,   1,  1, Folds, Bits,    Unknown, Unknown}, "first if it is greater, else second";
        Feq    = feq(a, b),          None,  [host::feq],    {Both, Ordered,  Seen,   1,  1, Loads, Bits,    Unknown, Unknown}, "all ones if equal";
        Flt    = flt(a, b),          None,  [host::flt],    {Both, Ordered,  Seen,   1,  1, Loads, Bits,    Unknown, Unknown}, "all ones if less";
        Fle    = fle(a, b),          None,  [host::fle],    {Both, Ordered,  Seen,   1,  1, Loads, Bits,    Unknown, Unknown}, "all ones if less or equal";
        Funord = funord(a, b),       None,  [host::funord], {Both, Commutes, Seen,   1,  1, Loads, Bits,    Unknown, Unknown}, "all ones if either is a NaN";
        Fmaxmag = fmaxmag(a, b),     None,  [host::fmaxmag], {Host, Commutes, Seen,  2,  10, Loads, Bits,   Unknown, Unknown}, "float of the greater magnitude; neither is a NaN";
        Fminmag = fminmag(a, b),     None,  [host::fminmag], {Host, Commutes, Seen,  2,  10, Loads, Bits,   Unknown, Unknown}, "float of the lesser magnitude; neither is a NaN";
        Fma    = fma(a, b, c),       None,  [host::fma],    {Host, Ordered,  Seen,   4,  1, Folds, Rounded, Unknown, Unknown}, "product of the first two plus the third, rounded once";
        CvtF   = cvt_f(a),           None,  [host::cvt_f],  {Both, Ordered,  Seen,   4,  1, Folds, Rounded, Unknown, Unknown}, "signed integer to float";
        CvtI   = cvt_i(a),           None,  [host::cvt_i],  {Both, Ordered,  Seen,   4,  1, Folds, Bits,    Unknown, Unknown}, "float to signed integer, truncating; the operand is in range";
    }

    // Machine operations on doubles: operands, result, cycles, weight.
    Double {
        Promote = promote(a), None, [], {Word,   Double, 4, 2}, "float to double";
        Dadd    = dadd(a, b), None, [], {Double, Double, 4, 2}, "double sum";
        Dsub    = dsub(a, b), None, [], {Double, Double, 4, 2}, "double difference";
        Dmul    = dmul(a, b), None, [], {Double, Double, 4, 2}, "double product";
        Dfma    = dfma(a, b, c), None, [], {Double, Double, 4, 2}, "product of the first two plus the third, rounded once";
        Dlow    = dlow(a),    None, [], {Double, Word,   4, 2}, "low word of a double";
    }

    // Operations with an address register as index.
    Indexed {
        CtxRel = ctx_rel(index), Ctx, [], {}, "component of constant row + operand; 0 outside the window";
    }

    // Primitives with a recipe for each model: order, zeros.
    Arithmetic {
        Mul       = mul(a, b),        None, [num::mul],       {Commutes, Hidden},   "product";
        Sum2      = sum2(a, b),       None, [num::sum2],      {Commutes, Added},    "sum of two";
        Sum3      = sum3(a, b, c),    None, [num::sum3],      {Ordered,  Added},    "sum of three";
        Sum4      = sum4(a, b, c, d), None, [num::sum4],      {Ordered,  Added},    "sum of four";
        Min       = min(a, b),        None, [num::min],       {Ordered,  Seen},     "lesser";
        Max       = max(a, b),        None, [num::max],       {Ordered,  Seen},     "greater";
        Slt       = slt(a, b),        None, [num::slt],       {Ordered,  Compared}, "1.0 if less, else 0.0";
        Sge       = sge(a, b),        None, [num::sge],       {Ordered,  Compared}, "1.0 if greater or equal, else 0.0";
        Seq       = seq(a, b),        None, [num::seq],       {Ordered,  Compared}, "1.0 if equal, else 0.0";
        Sne       = sne(a, b),        None, [num::sne],       {Ordered,  Compared}, "1.0 if not equal, else 0.0";
        Sgt       = sgt(a, b),        None, [num::sgt],       {Ordered,  Compared}, "1.0 if greater, else 0.0";
        Sle       = sle(a, b),        None, [num::sle],       {Ordered,  Compared}, "1.0 if less or equal, else 0.0";
        Ssg       = ssg(a),           None, [num::ssg],       {Ordered,  Compared}, "sign as 1.0, 0.0 or -1.0";
        Flr       = flr(a),           None, [num::flr],       {Ordered,  Hidden},   "greatest integer not above";
        Frc       = frc(a),           None, [num::frc],       {Ordered,  Hidden},   "the operand less its floor";
        Rcp       = rcp(a),           None, [num::rcp],       {Ordered,  Seen},     "reciprocal";
        Rcc       = rcc(a),           None, [num::rcc],       {Ordered,  Seen},     "clamped reciprocal";
        Rsq       = rsq(a),           None, [num::rsq],       {Ordered,  Signed},   "reciprocal square root";
        Canonical = canonical(a),     None, [num::canonical], {Ordered,  Seen},     "a NaN becomes the canonical one, in the model ieee";
    }

    // Primitives with one recipe for both models: zeros.
    Function {
        Saturate   = saturate(a),    None, [num::saturate],     {Kept},   "clamped to 0.0 .. 1.0";
        ExpX       = exp_x(a),       None, [num::exp_x],        {Hidden}, "EXP.x, 2 to the integer part";
        ExpY       = exp_y(a),       None, [num::exp_y],        {Hidden}, "EXP.y, fraction";
        ExpZ       = exp_z(a),       None, [num::exp_z],        {Hidden}, "EXP.z, approximate power of 2";
        LogX       = log_x(a),       None, [num::log_x],        {Signed}, "LOG.x, exponent";
        LogY       = log_y(a),       None, [num::log_y],        {Signed}, "LOG.y, mantissa";
        LogZ       = log_z(a),       None, [num::log_z],        {Signed}, "LOG.z, approximate logarithm";
        LitY       = lit_y(a),       None, [num::lit_y],        {Hidden}, "LIT.y, diffuse coefficient";
        LitZ       = lit_z(x, y, w), None, [num::lit_z],        {Hidden}, "LIT.z, specular coefficient of x, y, w";
        Lg2        = lg2(a),         None, [num::lg2],          {Hidden}, "logarithm to base 2";
        Ex2        = ex2(a),         None, [num::ex2],          {Hidden}, "power of 2";
        Sin        = sin(a),         None, [num::sin],          {Hidden}, "sine";
        Cos        = cos(a),         None, [num::cos],          {Hidden}, "cosine";
        IsLess     = is_less(a),     None, [host::is_less],     {Hidden}, "all ones where the condition code is less";
        IsEqual    = is_equal(a),    None, [host::is_equal],    {Hidden}, "all ones where the condition code is equal";
        IsGreater  = is_greater(a),  None, [host::is_greater],  {Hidden}, "all ones where the condition code is greater";
        IsNegative = is_negative(a), None, [host::is_negative], {Seen},   "all ones where the sign bit is set";
        Arl        = arl(a),         None, [host::arl],         {Hidden}, "integer floor, as A0 holds it";
        Arr        = arr(a),         None, [host::arr],         {Hidden}, "nearest integer, halves to even, as A0 holds it";
    }

    // Primitives of the lighting engine, whose results are left-aligned numbers of 22 bits, their low ten bits zero:
    // zeros, operands.
    Lighting {
        LtMul   = lt_mul(a, b),     None, [host::lt_mul],   {Hidden, Short}, "product of LT's vector unit";
        LtAdd   = lt_add(a, b),     None, [host::lt_add],   {Added,  Short}, "sum of two of LT's vector unit";
        LtAdd3  = lt_add3(a, b, c), None, [host::lt_add3],  {Added,  Short}, "sum of three of LT's vector unit";
        LtRcp   = lt_rcp(a),        None, [host::lt_rcp],   {Hidden, Short}, "reciprocal of LT";
        LtRsq   = lt_rsq(a),        None, [host::lt_rsq],   {Hidden, Short}, "reciprocal square root of LT";
        LtClamp = lt_clamp(a),      None, [host::lt_clamp], {Hidden, Short}, "clamp of the point size to 0.0 .. 1.0";
        LtsMul  = lts_mul(a, b),    None, [host::lts_mul],  {Hidden, Short}, "product of LT's scalar unit";
        LtsAdd  = lts_add(a, b),    None, [host::lts_add],  {Hidden, Short}, "sum of LT's scalar unit";
        XfToLt  = xf_to_lt(a),      None, [host::xf_to_lt], {Seen,   Word},   "rounded to 22 bits";
        LtcLoad = ltc_load(a),      None, [host::ltc_load], {Hidden, Word},   "a constant as Celsius loads it into LTC";
    }

    // Output conversions, the same in both models: zeros.
    Leaving {
        Fog          = fog(a),           None, [host::fog],           {Seen},   "a fog factor as it leaves the unit";
        Window       = window(a),        None, [host::window],        {Hidden}, "window coordinate, truncated to 1/16";
        Squash       = squash(a),        None, [host::squash],        {Seen},   "exponent fields 0xfe and 0xff become that of 2^127";
        Colour       = colour(a),        None, [host::colour],        {Seen},   "colour component as an integer, 0..=255";
        PointSize    = point_size(a),    None, [host::point_size],    {Seen},   "point size as the rasteriser's integer of 9 bits";
        PointEighths = point_eighths(a), None, [host::point_eighths], {Seen},   "point size in eighths of a pixel, an integer up to 511";
        Depth        = depth(a),         None, [host::depth],         {Seen},   "depth, clamped: +0 if the sign is set";
        InverseW     = inverse_w(a),     None, [host::inverse_w],     {Seen},   "1/w as it leaves the unit";
        ClampW       = clamp_w(a),       None, [host::clamp_w],       {Seen},   "magnitude clamped to 2^-64 .. 2^64";
        ClampedW     = clamped_w(a),     None, [host::clamped_w],     {Seen},   "the same, clamped to 2^-64 from below";
    }
} } }

/// The result of an operation whose row has a meaning.
macro_rules! meaning {
    ($kind:ident [] $args:tt $n:ident $env:ident $imm:ident $x:ident) => {
        None
    };
    ($kind:ident {$f:path} ($($arg:ident),*) $n:ident $env:ident $imm:ident $x:ident) => {{
        let [$($arg,)* ..] = $x;
        Some($f($imm, $($arg),*))
    }};
    (Pure [$f:path] ($($arg:ident),*) $n:ident $env:ident $imm:ident $x:ident) => {{
        let [$($arg,)* ..] = $x;
        Some($f($env, $($arg),*))
    }};
    ($kind:ident [$f:path] ($($arg:ident),*) $n:ident $env:ident $imm:ident $x:ident) => {{
        let [$($arg,)* ..] = $x;
        Some($f($n, $($arg),*))
    }};
}

/// The name in the text form.
macro_rules! text {
    ($method:ident) => {
        stringify!($method)
    };
    ($method:ident $text:literal) => {
        $text
    };
}

macro_rules! define_ops { ($($kind:ident { $(
    $name:ident = $method:ident $args:tt $(as $text:literal)?, $imm:ident, $meaning:tt, $properties:tt, $doc:literal;
)* })*) => {
    /// An operation of the IR.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    #[repr(u8)]
    pub enum Op { $($(#[doc = $doc] $name),*),* }

    $(
        #[doc = concat!("The operations of the kind `", stringify!($kind), "`.")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $kind { $(#[doc = $doc] $name),* }
    )*

    /// An operation by its kind, for matches that are exhaustive within a kind.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Kind { $(
        #[doc = concat!("One of [`", stringify!($kind), "`].")]
        $kind($kind)
    ),* }

    /// A table, since much asks for it: as a match it takes three times the instructions.
    const KINDS: &[Kind] = &[$($(Kind::$kind($kind::$name)),*),*];

    const PROPERTIES: &[Properties] = &[$($(properties!($kind $properties)),*),*];

    impl Op {
        /// Every operation, in table order.
        pub const ALL: &[Op] = &[$($(Op::$name),*),*];

        /// The operation by its kind.
        #[inline]
        pub const fn kind(self) -> Kind {
            KINDS[self as usize]
        }

        /// Its name in the text form.
        pub const fn text(self) -> &'static str {
            match self { $($(Op::$name => text!($method $($text)?)),*),* }
        }

        /// How many operands it takes.
        #[inline]
        pub const fn operands(self) -> usize {
            match self { $($(Op::$name => count!($args)),*),* }
        }

        /// What its immediate is.
        #[inline]
        pub const fn imm(self) -> Imm {
            match self { $($(Op::$name => Imm::$imm),*),* }
        }

        /// Its result for one lane, if that follows from operands alone. Expects the IEEE default environment
        /// ([`FpEnv::Default`]), as all golden functions do.
        #[inline]
        pub fn evaluate(self, n: Numerics, env: FpEnv, imm: u32, x: [u32; 4]) -> Option<u32> {
            match self {
                $($(Op::$name => meaning!($kind $meaning $args n env imm x),)*)*
            }
        }
    }
} }

/// How many operands are named.
macro_rules! count {
    (($($arg:ident),*)) => {
        0 $(+ { stringify!($arg); 1 })*
    };
}
for_each_ir_op!(define_ops);

impl Op {
    /// Its properties.
    #[inline]
    pub const fn properties(self) -> &'static Properties {
        &PROPERTIES[self as usize]
    }

    /// The levels at which it may occur.
    #[inline]
    pub const fn at(self) -> At {
        self.properties().at
    }

    /// Whether the operation does something beside computing a result; such instructions have no result.
    #[inline]
    pub const fn has_effect(self) -> bool {
        self.effect().is_some()
    }

    /// The effect that it is.
    #[inline]
    pub const fn effect(self) -> Option<Effect> {
        if let Kind::Effect(effect) = self.kind() { Some(effect) } else { None }
    }

    /// Whether it compares: its result is all ones or zero.
    #[inline]
    pub const fn compares(self) -> bool {
        matches!(self, Op::Ieq | Op::Igt | Op::Feq | Op::Flt | Op::Fle | Op::Funord)
    }

    /// Whether it is a guard of a value, which may be placed anywhere after its operand.
    #[inline]
    pub const fn is_guard(self) -> bool {
        match self.effect() {
            Some(Effect::Guard | Effect::BigGuard | Effect::SmallGuard) => true,
            // A row guard tests an attribute, not a value.
            Some(Effect::RowGuard) => false,
            Some(Effect::Output | Effect::RowCopy | Effect::Store | Effect::Written) => false,
            Some(Effect::Goto | Effect::Set) | None => false,
        }
    }

    /// Whether the operation must stay even if nothing reads its result.
    #[inline]
    pub const fn is_kept(self) -> bool {
        self.has_effect() || matches!(self.kind(), Kind::Load(Load::Block))
    }

    /// Whether the result is a double.
    #[inline]
    pub fn makes_double(self) -> bool {
        self.properties().makes == Form::Double
    }

    /// Whether the operands are doubles.
    #[inline]
    pub fn takes_doubles(self) -> bool {
        self.properties().takes == Form::Double
    }

    /// Whether it is arithmetic of the lighting engine: its operands have to be numbers of 22 bits.
    #[inline]
    pub fn is_short(self) -> bool {
        self.properties().takes == Form::Short
    }

    /// The operation with this name.
    pub fn from_text(text: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.text() == text)
    }
}
