//! One host operation = one CLIF operation, on vectors of [`LANES`] components.
//!
//! CLIF distinguishes float and integer vectors, the IR does not; `Vector` remembers which kind a value was made as and
//! hands out either (a bit cast costs no instruction).

use crate::ir::ops::Op;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32X4, F64X2, I8X16, I32, I32X4, I64X2};
use cranelift_codegen::ir::{ConstantData, Endianness, InstBuilder, MemFlagsData, Type, Value};
use cranelift_frontend::FunctionBuilder;
use target_lexicon::Architecture;
use xfjit_runtime::abi::MOST_LANES;

/// Vertices of a group: Cranelift has vectors of 128 bits only.
pub const LANES: usize = 4;
const _: () = assert!(LANES <= MOST_LANES);

/// Flags of loads and stores in memory of our own: aligned, never trapping.
pub(super) fn own_memory() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Flags of loads and stores in the caller's streams: checked to be inside, of any alignment.
pub(super) fn caller_memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// A vector of one component of all lanes, in a register or, if it is uniform, in the scratch memory.
///
/// From memory every reader loads for itself, as the kind of vector that it needs: so the load can become an operand
/// of its instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Vector {
    /// A CLIF value and its kind.
    Register(Value, Type),
    /// Base address and offset.
    Memory(Value, i32),
    /// Doubles: the lower and the upper half of the lanes.
    Wide([Value; 2]),
}

impl Vector {
    /// A value of float kind.
    pub(super) fn float(value: Value) -> Self {
        Vector::Register(value, F32X4)
    }

    /// A value of integer kind.
    pub(super) fn integer(value: Value) -> Self {
        Vector::Register(value, I32X4)
    }

    /// The halves of doubles; those of a uniform one are equal.
    fn halves(self, b: &mut FunctionBuilder<'_>) -> [Value; 2] {
        match self {
            Vector::Wide(halves) => halves,
            _ => [self.cast(b, F64X2), self.cast(b, F64X2)],
        }
    }

    /// The value as a vector of a kind.
    pub(super) fn cast(self, b: &mut FunctionBuilder<'_>, kind: Type) -> Value {
        match self {
            Vector::Register(value, own) if own == kind => value,
            Vector::Register(value, _) => {
                b.ins().bitcast(kind, MemFlagsData::new().with_endianness(Endianness::Little), value)
            }
            Vector::Memory(base, offset) => b.ins().load(kind, own_memory(), base, offset),
            Vector::Wide([low, _]) => Vector::Register(low, F64X2).cast(b, kind),
        }
    }

    pub(super) fn as_float(self, b: &mut FunctionBuilder<'_>) -> Value {
        self.cast(b, F32X4)
    }

    pub(super) fn as_integer(self, b: &mut FunctionBuilder<'_>) -> Value {
        self.cast(b, I32X4)
    }
}

/// A literal in all lanes.
pub(super) fn literal(b: &mut FunctionBuilder<'_>, bits: u32) -> Vector {
    let bytes: Vec<u8> = [bits; LANES].iter().flat_map(|word| word.to_le_bytes()).collect();
    let handle = b.func.dfg.constants.insert(ConstantData::from(bytes));
    Vector::integer(b.ins().vconst(I32X4, handle))
}

/// A literal as a double in all lanes.
pub(super) fn double_literal(b: &mut FunctionBuilder<'_>, bits: u32) -> Vector {
    let double = f64::from(f32::from_bits(bits)).to_bits();
    let bytes: Vec<u8> = [double; LANES / 2].iter().flat_map(|word| word.to_le_bytes()).collect();
    let handle = b.func.dfg.constants.insert(ConstantData::from(bytes));
    let value = b.ins().vconst(F64X2, handle);
    Vector::Wide([value, value])
}

/// Picks 32-bit lanes: 0..=3 of `x`, 4..=7 of `y`.
fn pick(b: &mut FunctionBuilder<'_>, x: Value, y: Value, lanes: [u8; 4]) -> Value {
    let bytes: Vec<u8> = lanes.iter().flat_map(|lane| (0..4).map(move |byte| lane * 4 + byte)).collect();
    let mask = b.func.dfg.immediates.push(ConstantData::from(bytes));
    b.ins().shuffle(x, y, mask)
}

/// The rows or columns of a 4 x 4 transposition that are wanted; the others are not computed.
pub(super) fn transpose(
    b: &mut FunctionBuilder<'_>,
    rows: [Vector; 4],
    wanted: [bool; 4],
) -> [Option<Vector>; 4] {
    let [r0, r1, r2, r3] = rows.map(|row| row.cast(b, I8X16));
    let mut result = [None; 4];
    for (half, interleave) in [[0, 4, 1, 5], [2, 6, 3, 7]].into_iter().enumerate() {
        if !wanted[2 * half] && !wanted[2 * half + 1] {
            continue;
        }
        let low = pick(b, r0, r1, interleave);
        let high = pick(b, r2, r3, interleave);
        for (side, lanes) in [[0, 1, 4, 5], [2, 3, 6, 7]].into_iter().enumerate() {
            if wanted[2 * half + side] {
                let value = pick(b, low, high, lanes);
                result[2 * half + side] = Some(Vector::Register(value, I8X16));
            }
        }
    }
    result
}

/// Emits a pure host operation.
pub(super) fn pure(
    b: &mut FunctionBuilder<'_>,
    host: Architecture,
    op: Op,
    imm: u32,
    args: &[Vector],
) -> Vector {
    let i = |b: &mut FunctionBuilder<'_>, n: usize| args[n].as_integer(b);
    let f = |b: &mut FunctionBuilder<'_>, n: usize| args[n].as_float(b);
    macro_rules! integer {
        ($method:ident) => {{
            let (x, y) = (i(b, 0), i(b, 1));
            Vector::integer(b.ins().$method(x, y))
        }};
    }
    macro_rules! float {
        ($method:ident) => {{
            let (x, y) = (f(b, 0), f(b, 1));
            Vector::float(b.ins().$method(x, y))
        }};
    }
    macro_rules! shift {
        ($method:ident) => {{
            let x = i(b, 0);
            let count = b.ins().iconst(I32, i64::from(imm));
            Vector::integer(b.ins().$method(x, count))
        }};
    }
    macro_rules! compare {
        ($cc:expr, $x:expr, $y:expr) => {{
            let (x, y) = (f(b, $x), f(b, $y));
            Vector::integer(b.ins().fcmp($cc, x, y))
        }};
    }
    match op {
        Op::Iadd => integer!(iadd),
        Op::Isub => integer!(isub),
        Op::Imul => integer!(imul),
        Op::MulShr => mulshr(b, args[0], args[1], imm),
        Op::And => integer!(band),
        Op::AndNot => integer!(band_not),
        Op::Or => integer!(bor),
        Op::Xor => integer!(bxor),
        Op::Shl => shift!(ishl),
        Op::Shr => shift!(ushr),
        Op::Sar => shift!(sshr),
        Op::Ieq | Op::Igt => {
            let condition = if op == Op::Ieq { IntCC::Equal } else { IntCC::SignedGreaterThan };
            let (x, y) = (i(b, 0), i(b, 1));
            Vector::integer(b.ins().icmp(condition, x, y))
        }
        Op::Imin => integer!(smin),
        Op::Imax => integer!(smax),
        Op::Umin => integer!(umin),
        Op::Select => {
            let (mask, x, y) = (i(b, 0), i(b, 1), i(b, 2));
            Vector::integer(b.ins().bitselect(mask, x, y))
        }
        Op::Fadd => float!(fadd),
        Op::Fsub => float!(fsub),
        Op::Fmul => float!(fmul),
        Op::Fdiv => float!(fdiv),
        Op::Fsqrt => {
            let x = f(b, 0);
            Vector::float(b.ins().sqrt(x))
        }
        Op::Ffloor => {
            let x = f(b, 0);
            Vector::float(b.ins().floor(x))
        }
        // In exactly these operand orders the selection becomes one minps or maxps.
        Op::Fmin => picked(b, args, 0, 1),
        Op::Fmax => picked(b, args, 1, 0),
        Op::Promote => {
            let x = f(b, 0);
            let bytes = Vector::float(x).cast(b, I8X16);
            let upper = pick(b, bytes, bytes, [2, 3, 2, 3]);
            let upper = Vector::Register(upper, I8X16).as_float(b);
            Vector::Wide([x, upper].map(|half| b.ins().fvpromote_low(half)))
        }
        Op::Dadd | Op::Dsub | Op::Dmul => {
            let (x, y) = (args[0].halves(b), args[1].halves(b));
            Vector::Wide([0, 1].map(|half| match op {
                Op::Dadd => b.ins().fadd(x[half], y[half]),
                Op::Dsub => b.ins().fsub(x[half], y[half]),
                _ => b.ins().fmul(x[half], y[half]),
            }))
        }
        Op::Dlow => {
            let [low, high] = args[0].halves(b).map(|half| Vector::Register(half, F64X2).cast(b, I8X16));
            Vector::Register(pick(b, low, high, [0, 2, 4, 6]), I8X16)
        }
        Op::Feq => compare!(FloatCC::Equal, 0, 1),
        Op::Flt => compare!(FloatCC::LessThan, 0, 1),
        Op::Fle => compare!(FloatCC::LessThanOrEqual, 0, 1),
        Op::Funord => compare!(FloatCC::Unordered, 0, 1),
        Op::CvtF => {
            let x = i(b, 0);
            Vector::float(b.ins().fcvt_from_sint(F32X4, x))
        }
        Op::CvtI => {
            let x = f(b, 0);
            // The operand is in range, so the bare instruction of x86 will do.
            Vector::integer(match host {
                Architecture::X86_64 => b.ins().x86_cvtt2dq(I32X4, x),
                _ => b.ins().fcvt_to_sint_sat(I32X4, x),
            })
        }
        Op::Const
        | Op::Input
        | Op::Ctx
        | Op::Gather
        | Op::Table
        | Op::Get
        | Op::Set
        | Op::Block
        | Op::Goto => {
            unreachable!("{} reads more than its operands", op.text())
        }
        Op::Output | Op::Store | Op::Guard | Op::BigGuard | Op::SmallGuard | Op::RowGuard | Op::RowCopy => {
            unreachable!("{} has no result", op.text())
        }
        Op::CtxRel
        | Op::Mul
        | Op::Sum2
        | Op::Sum3
        | Op::Sum4
        | Op::Min
        | Op::Max
        | Op::Slt
        | Op::Sge
        | Op::Seq
        | Op::Sne
        | Op::Sgt
        | Op::Sle
        | Op::Ssg
        | Op::Flr
        | Op::Frc
        | Op::Saturate
        | Op::Rcp
        | Op::Rcc
        | Op::Rsq
        | Op::ExpX
        | Op::ExpY
        | Op::ExpZ
        | Op::LogX
        | Op::LogY
        | Op::LogZ
        | Op::LitY
        | Op::LitZ
        | Op::Lg2
        | Op::Ex2
        | Op::Sin
        | Op::Cos
        | Op::Canonical
        | Op::IsLess
        | Op::IsEqual
        | Op::IsGreater
        | Op::IsNegative
        | Op::Arl
        | Op::Arr
        | Op::LtMul
        | Op::LtAdd
        | Op::LtAdd3
        | Op::LtRcp
        | Op::LtRsq
        | Op::LtClamp
        | Op::LtsMul
        | Op::LtsAdd
        | Op::XfToLt
        | Op::LtcLoad
        | Op::Fog
        | Op::Window
        | Op::Squash
        | Op::Colour
        | Op::PointSize
        | Op::PointEighths
        | Op::Depth
        | Op::InverseW
        | Op::ClampW
        | Op::ClampedW => unreachable!("{} is an operation of the chip", op.text()),
    }
}

/// The first operand where operand `less` is less than operand `greater`, else the second.
fn picked(b: &mut FunctionBuilder<'_>, args: &[Vector], less: usize, greater: usize) -> Vector {
    let (x, y) = (args[0].as_float(b), args[1].as_float(b));
    let floats = [x, y];
    let mask = b.ins().fcmp(FloatCC::LessThan, floats[less], floats[greater]);
    let mask = Vector::integer(mask).as_float(b);
    Vector::float(b.ins().bitselect(mask, x, y))
}

/// Low words of the 64-bit products shifted right, two lanes at a time.
fn mulshr(b: &mut FunctionBuilder<'_>, x: Vector, y: Vector, count: u32) -> Vector {
    let (x, y) = (x.as_integer(b), y.as_integer(b));
    let count = b.ins().iconst(I32, i64::from(count));
    let (x_low, y_low) = (b.ins().swiden_low(x), b.ins().swiden_low(y));
    let (x_high, y_high) = (b.ins().swiden_high(x), b.ins().swiden_high(y));
    let halves = [(x_low, y_low), (x_high, y_high)].map(|(x, y)| {
        let product = b.ins().imul(x, y);
        // The low word of the shifted product does not depend on what comes in from above.
        let shifted = b.ins().ushr(product, count);
        Vector::Register(shifted, I64X2).cast(b, I8X16)
    });
    Vector::Register(pick(b, halves[0], halves[1], [0, 2, 4, 6]), I8X16)
}
