//! Host operations as CLIF operations, on vectors of [`LANES`] components.
//!
//! CLIF distinguishes float and integer vectors, the IR does not. `Vector` has the kind as which a value was computed, and
//! converts to either (a bit cast costs no instruction).

use crate::ir::backend::HostOps;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32X4, F64X2, I8X16, I32, I32X4, I64X2};
use cranelift_codegen::ir::{ConstantData, Endianness, InstBuilder, MemFlagsData, Type, Value};
use cranelift_frontend::FunctionBuilder;
use target_lexicon::Architecture;
use xfjit_runtime::abi::MOST_LANES;

/// Vertices of a group: Cranelift has vectors of 128 bits only.
pub const LANES: usize = 4;
const _: () = assert!(LANES <= MOST_LANES);

/// Flags of loads and stores in the library's own memory: aligned, never trapping.
pub(super) fn own_memory() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Flags of loads and stores in the caller's streams: in bounds (checked before), of any alignment.
pub(super) fn caller_memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// A vector with one component of all lanes, in a register or in scratch memory.
///
/// Every use of a vector in memory loads it, as the kind of vector that it needs, so that the load can be folded into the
/// instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Vector {
    /// A CLIF value and its kind.
    Register(Value, Type),
    /// Base address and offset.
    Memory(Value, i32),
    /// Doubles: the lower and the upper half of the lanes.
    Doubles([Value; 2]),
}

impl Vector {
    /// A value of float kind.
    pub(super) fn float(value: Value) -> Self {
        Vector::Register(value, F32X4)
    }

    /// Two doubles, which nothing computes with: a pair of words each.
    pub(super) fn double_pair(value: Value) -> Self {
        Vector::Register(value, F64X2)
    }

    /// A value of integer kind.
    pub(super) fn integer(value: Value) -> Self {
        Vector::Register(value, I32X4)
    }

    /// The two halves of a vector of doubles. In memory are only uniform ones, whose halves are equal.
    fn halves(self, b: &mut FunctionBuilder<'_>) -> [Value; 2] {
        match self {
            Vector::Doubles(halves) => halves,
            Vector::Register(..) | Vector::Memory(..) => [self.cast(b, F64X2), self.cast(b, F64X2)],
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
            Vector::Doubles([low, _]) => Vector::Register(low, F64X2).cast(b, kind),
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
    Vector::Doubles([value, value])
}

/// Selects 32-bit lanes: 0..=3 from `x`, 4..=7 from `y`.
pub(super) fn pick(b: &mut FunctionBuilder<'_>, x: Value, y: Value, lanes: [u8; 4]) -> Value {
    let bytes: Vec<u8> = lanes.iter().flat_map(|lane| (0..4).map(move |byte| lane * 4 + byte)).collect();
    let mask = b.func.dfg.immediates.push(ConstantData::from(bytes));
    b.ins().shuffle(x, y, mask)
}

/// The wanted rows of a 4 x 4 transposition; the others are not computed.
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

/// The rows of two columns and of two literals, which are the same in every row.
pub(super) fn transpose_beside(
    b: &mut FunctionBuilder<'_>,
    columns: [Vector; 2],
    rest: [u32; 2],
) -> [Vector; 4] {
    let [x, y] = columns.map(|column| column.cast(b, I8X16));
    let bytes: Vec<u8> = [rest, rest].iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let handle = b.func.dfg.constants.insert(ConstantData::from(bytes));
    let rest = b.ins().vconst(I8X16, handle);
    let pairs = [[0, 4, 1, 5], [2, 6, 3, 7]].map(|interleave| pick(b, x, y, interleave));
    std::array::from_fn(|row| {
        let lanes = [[0, 1, 4, 5], [2, 3, 6, 7]][row % 2];
        Vector::Register(pick(b, pairs[row / 2], rest, lanes), I8X16)
    })
}

/// Emits machine operations.
pub(super) struct Arithmetic<'x, 'a> {
    pub(super) b: &'x mut FunctionBuilder<'a>,
    pub(super) host: Architecture,
}

/// Methods with two operands that map to one method of Cranelift's builder.
macro_rules! binary {
    ($as:ident $made:ident $($name:ident = $method:ident;)*) => { $(
        fn $name(&mut self, a: Vector, b: Vector) -> Vector {
            let (x, y) = (a.$as(self.b), b.$as(self.b));
            Vector::$made(self.b.ins().$method(x, y))
        }
    )* };
}

/// Comparisons.
macro_rules! compare {
    ($as:ident $method:ident $($name:ident = $condition:expr;)*) => { $(
        fn $name(&mut self, a: Vector, b: Vector) -> Vector {
            let (x, y) = (a.$as(self.b), b.$as(self.b));
            Vector::integer(self.b.ins().$method($condition, x, y))
        }
    )* };
}

/// Shifts by an immediate.
macro_rules! shift {
    ($($name:ident = $method:ident;)*) => { $(
        fn $name(&mut self, a: Vector, count: u32) -> Vector {
            let x = a.as_integer(self.b);
            let count = self.b.ins().iconst(I32, i64::from(count));
            Vector::integer(self.b.ins().$method(x, count))
        }
    )* };
}

/// Arithmetic of doubles, half by half.
macro_rules! double {
    ($($name:ident = $method:ident;)*) => { $(
        fn $name(&mut self, a: Vector, b: Vector) -> Vector {
            let (x, y) = (a.halves(self.b), b.halves(self.b));
            Vector::Doubles([0, 1].map(|half| self.b.ins().$method(x[half], y[half])))
        }
    )* };
}

impl HostOps for Arithmetic<'_, '_> {
    type Operand = Vector;
    type Result = Vector;

    binary! { as_integer integer
        iadd = iadd; isub = isub; imul = imul; and = band; andnot = band_not; or = bor; xor = bxor;
        imin = smin; imax = smax; umin = umin;
    }
    binary! { as_float float fadd = fadd; fsub = fsub; fmul = fmul; fdiv = fdiv; }
    shift! { shl = ishl; shr = ushr; sar = sshr; }
    compare! { as_integer icmp ieq = IntCC::Equal; igt = IntCC::SignedGreaterThan; }
    compare! { as_float fcmp
        feq = FloatCC::Equal; flt = FloatCC::LessThan; fle = FloatCC::LessThanOrEqual; funord = FloatCC::Unordered;
    }
    double! { dadd = fadd; dsub = fsub; dmul = fmul; }

    /// Two lanes at a time.
    fn mulshr(&mut self, a: Vector, b: Vector, count: u32) -> Vector {
        mulshr(self.b, a, b, count)
    }

    fn swap(&mut self, a: Vector) -> Vector {
        let x = a.cast(self.b, I8X16);
        let bytes: Vec<u8> = (0..16).map(|byte| byte ^ 3).collect();
        let handle = self.b.func.dfg.constants.insert(ConstantData::from(bytes));
        let order = self.b.ins().vconst(I8X16, handle);
        let swapped = if self.host == Architecture::X86_64 {
            self.b.ins().x86_pshufb(x, order)
        } else {
            self.b.ins().swizzle(x, order)
        };
        Vector::Register(swapped, I8X16)
    }

    fn select(&mut self, mask: Vector, a: Vector, b: Vector) -> Vector {
        let (mask, x, y) = (mask.as_integer(self.b), a.as_integer(self.b), b.as_integer(self.b));
        Vector::integer(self.b.ins().bitselect(mask, x, y))
    }

    fn fsqrt(&mut self, a: Vector) -> Vector {
        let x = a.as_float(self.b);
        Vector::float(self.b.ins().sqrt(x))
    }

    fn ffloor(&mut self, a: Vector) -> Vector {
        let x = a.as_float(self.b);
        Vector::float(self.b.ins().floor(x))
    }

    // In exactly these operand orders the selection becomes one minps or maxps.
    fn fmin(&mut self, a: Vector, b: Vector) -> Vector {
        picked(self.b, [a, b], 0, 1)
    }

    fn fmax(&mut self, a: Vector, b: Vector) -> Vector {
        picked(self.b, [a, b], 1, 0)
    }

    fn fmaxmag(&mut self, a: Vector, b: Vector) -> Vector {
        let Magnitudes { x, y, greater, equal } = magnitudes(self.b, a, b);
        let picked = self.b.ins().bitselect(greater, x, y);
        // Of equal magnitudes the sign bits of both: the second operand is what was picked.
        let other = self.b.ins().band_not(equal, x);
        Vector::integer(self.b.ins().band_not(picked, other))
    }

    fn fminmag(&mut self, a: Vector, b: Vector) -> Vector {
        let Magnitudes { x, y, greater, equal } = magnitudes(self.b, a, b);
        let picked = self.b.ins().bitselect(greater, y, x);
        let other = self.b.ins().band(equal, y);
        Vector::integer(self.b.ins().bor(picked, other))
    }

    fn fma(&mut self, a: Vector, b: Vector, c: Vector) -> Vector {
        let [x, y, z] = [a, b, c].map(|operand| operand.as_float(self.b));
        Vector::float(self.b.ins().fma(x, y, z))
    }

    fn dfma(&mut self, a: Vector, b: Vector, c: Vector) -> Vector {
        let [x, y, z] = [a, b, c].map(|operand| operand.halves(self.b));
        Vector::Doubles([0, 1].map(|half| self.b.ins().fma(x[half], y[half], z[half])))
    }

    fn cvt_f(&mut self, a: Vector) -> Vector {
        let x = a.as_integer(self.b);
        Vector::float(self.b.ins().fcvt_from_sint(F32X4, x))
    }

    /// The operand is in range, so the x86 instruction needs no correction.
    fn cvt_i(&mut self, a: Vector) -> Vector {
        let x = a.as_float(self.b);
        Vector::integer(if self.host == Architecture::X86_64 {
            self.b.ins().x86_cvtt2dq(I32X4, x)
        } else {
            self.b.ins().fcvt_to_sint_sat(I32X4, x)
        })
    }

    fn promote(&mut self, a: Vector) -> Vector {
        let x = a.as_float(self.b);
        let bytes = Vector::float(x).cast(self.b, I8X16);
        let upper = pick(self.b, bytes, bytes, [2, 3, 2, 3]);
        let upper = Vector::Register(upper, I8X16).as_float(self.b);
        Vector::Doubles([x, upper].map(|half| self.b.ins().fvpromote_low(half)))
    }

    fn dlow(&mut self, a: Vector) -> Vector {
        let [low, high] = a.halves(self.b).map(|half| Vector::Register(half, F64X2).cast(self.b, I8X16));
        Vector::Register(pick(self.b, low, high, [0, 2, 4, 6]), I8X16)
    }
}

/// Two floats, denormals flushed where the environment does that, and how their magnitudes compare.
struct Magnitudes {
    x: Value,
    y: Value,
    greater: Value,
    equal: Value,
}

fn magnitudes(b: &mut FunctionBuilder<'_>, first: Vector, second: Vector) -> Magnitudes {
    // A product with 1 flushes what the environment flushes.
    let one = literal(b, 1.0f32.to_bits()).as_float(b);
    let magnitude = literal(b, !(1 << 31)).as_integer(b);
    let [x, y] = [first, second].map(|operand| {
        let operand = operand.as_float(b);
        let flushed = b.ins().fmul(operand, one);
        Vector::float(flushed).as_integer(b)
    });
    let [p, q] = [x, y].map(|bits| b.ins().band(bits, magnitude));
    let greater = b.ins().icmp(IntCC::SignedGreaterThan, p, q);
    let equal = b.ins().icmp(IntCC::Equal, p, q);
    Magnitudes { x, y, greater, equal }
}

/// The first operand where operand number `less` is less than operand number `greater`, else the second.
fn picked(b: &mut FunctionBuilder<'_>, args: [Vector; 2], less: usize, greater: usize) -> Vector {
    let floats = args.map(|arg| arg.as_float(b));
    let [x, y] = floats;
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
        // The low word of the shifted product is the same for logical and arithmetic shifts.
        let shifted = b.ins().ushr(product, count);
        Vector::Register(shifted, I64X2).cast(b, I8X16)
    });
    Vector::Register(pick(b, halves[0], halves[1], [0, 2, 4, 6]), I8X16)
}
