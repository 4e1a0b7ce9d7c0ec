//! EXP, LOG, LIT, LG2 and EX2 as emulators have them, which call the C library of their host ([`Library`]).
//!
//! What the library computes stands in [`floats`]; here is what each emulator makes of it. A NaN that arises is the canonical one; what
//! passes an operand through passes its NaN, too.

mod floats;

use super::alu::lanes;
use super::{Lanes, Quad, positive};
use crate::config::Library;
use crate::isa::op::ScaOp;
use floats::{exp2, log2, pow};
use xfjit_runtime::num::CANONICAL_NAN;
use xfjit_runtime::num::bits::{FRACTION, ONE};

/// The greatest power of Bochs' LIT, 128 - 1e-6 as a float, which is 128.
const MOST_OF_BOCHS: f32 = 128.0 - 1e-6;
/// The greatest power of nv2a_vsh_cpu's LIT.
const MOST_OF_NV2A: f32 = 127.9961;
/// Bits of the logarithm and of the power that MAME keeps.
const KEPT: u32 = !0xff;

/// The scalar unit's result; `None` if the form does not change the operation.
pub(super) fn scalar<const N: usize>(
    library: Library,
    op: ScaOp,
    source: impl Fn(usize) -> Quad<N>,
) -> Option<Quad<N>> {
    if library == Library::Chip || !op.is_exponential() {
        return None;
    }
    let [x, y, _, w] = source(2);
    let of = |f: &dyn Fn(f32) -> u32| -> Lanes<N> { lanes(|i| f(f32::from_bits(x[i]))) };
    let one = [ONE; N];
    Some(match op {
        ScaOp::Exp => {
            let z = of(&|x| kept(library, word(exp2(x))));
            [of(&|x| word(exp2(x.floor()))), of(&|x| word(x - x.floor())), z, one]
        }
        ScaOp::Log => {
            let z = of(&|x| kept(library, word(log2(x.abs()))));
            [of(&|x| log_x(library, x)), of(&|x| log_y(library, x)), z, one]
        }
        ScaOp::Lit => {
            let power = |i: usize| lit_z(library, [x[i], y[i], w[i]].map(f32::from_bits));
            [one, of(&|x| lit_y(library, x)), lanes(power), one]
        }
        ScaOp::Lg2 => [of(&|x| word(log2(x))); 4],
        ScaOp::Ex2 => [of(&|x| word(exp2(x))); 4],
        _ => return None,
    })
}

/// The bits of a number, or of the one NaN.
fn word(x: f32) -> u32 {
    if x.is_nan() { CANONICAL_NAN } else { x.to_bits() }
}

/// With the bits that an emulator keeps.
fn kept(library: Library, bits: u32) -> u32 {
    if library == Library::Mame { bits & KEPT } else { bits }
}

/// The exponent: Bochs' is the floor of the logarithm; MAME's is that of a number, and -1 of all else; nv2a_vsh_cpu's is an unsigned
/// number, so that one below 0 is 2^32, and that of a NaN is 128.
fn log_x(library: Library, x: f32) -> u32 {
    let is_regular = x != 0.0 && x.is_finite();
    match library {
        Library::Mame if !is_regular => (-1f32).to_bits(),
        Library::Mame => (power_of_two(x) as f32).to_bits(),
        Library::Nv2aVshCpu if is_regular || x.is_nan() => {
            ((x.to_bits() >> 23 & 0xff).wrapping_sub(127) as f32).to_bits()
        }
        Library::Nv2aVshCpu => word(log2(x.abs())),
        Library::Chip | Library::Bochs => word(log2(x.abs()).floor()),
    }
}

/// The exponent of a number that is neither zero nor infinite, a denormal one as if it were normal.
fn power_of_two(x: f32) -> i32 {
    (f64::from(x).to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// The significand: Bochs divides by the power of two, which is infinite for those that round up to it; MAME's has the operand's
/// sign; nv2a_vsh_cpu's is the fraction of the bits, whatever they are.
fn log_y(library: Library, x: f32) -> u32 {
    let bits = x.to_bits();
    match library {
        Library::Mame if x == 0.0 || !x.is_finite() => bits,
        Library::Mame => {
            let scaled = f64::from(x).to_bits() & !(0x7ff << 52) | 1023 << 52;
            (f64::from_bits(scaled) as f32).to_bits()
        }
        Library::Nv2aVshCpu if x == 0.0 || x.is_infinite() => ONE,
        Library::Nv2aVshCpu => {
            let quiet = if x.is_nan() { 0x40_0000 } else { 0 };
            ONE | quiet | bits & FRACTION
        }
        Library::Chip | Library::Bochs if x == 0.0 || x.is_infinite() => ONE,
        Library::Chip | Library::Bochs => word(x.abs() / exp2(log2(x.abs()).floor())),
    }
}

/// The diffuse coefficient: what is not below 0 passes with Bochs, MAME's is 1 at most, nv2a_vsh_cpu's is the greater of 0 and it.
fn lit_y(library: Library, x: f32) -> u32 {
    match library {
        // (Compilers take a choice between a number and 1 for the lesser of both, which hosts have otherwise of a NaN that signals.)
        Library::Mame if x.is_nan() => ONE,
        Library::Mame if x <= 0.0 => 0,
        Library::Mame => if x < 1.0 { x } else { 1.0 }.to_bits(),
        Library::Nv2aVshCpu => positive(x).to_bits(),
        Library::Chip | Library::Bochs => {
            if x < 0.0 {
                0
            } else {
                x.to_bits()
            }
        }
    }
}

/// The specular coefficient, where the diffuse one is positive: the power of what is not negative, which Bochs and nv2a_vsh_cpu clamp.
fn lit_z(library: Library, [x, y, w]: [f32; 3]) -> u32 {
    if x <= 0.0 || x.is_nan() {
        return 0;
    }
    let clamped = |most: f32| {
        if w < -most {
            -most
        } else if w > most {
            most
        } else {
            w
        }
    };
    match library {
        Library::Mame => word(pow(positive(y), w)),
        Library::Nv2aVshCpu if y > 0.0 => word(pow(y, clamped(MOST_OF_NV2A))),
        Library::Nv2aVshCpu => 0,
        Library::Chip | Library::Bochs => word(pow(if y <= 0.0 { 0.0 } else { y }, clamped(MOST_OF_BOCHS))),
    }
}
