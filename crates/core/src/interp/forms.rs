//! Emulators' forms: operations that [`Forms`] change, over `N` lanes. All others are computed as the chip's ([`super::alu`]).

use super::alu::{self, Arithmetic, each, lanes, map};
use super::{Quad, State, library};
use crate::chip::programs::{POSITION, POSITION_READ_BACK};
use crate::config::{
    Addresses, Comparisons, Config, Extremes, Forms, Products, ReadBack, Reciprocals, SignOfNan, Waves,
};
use crate::isa::Generation;
use crate::isa::op::{ScaOp, VecOp};
use xfjit_runtime::num::bits::{ONE, SIGN};
use xfjit_runtime::num::{self, CANONICAL_NAN, Numerics};

/// The least magnitude of operands and results that RCC of MAME and nv2a_vsh_cpu has.
const LEAST: f32 = 5.42101e-20;
/// The greatest result that RCC of nv2a_vsh_cpu lets pass, and 2^64, which is in the place of others.
const MOST: (f32, f32) = (1.884467e19, 18_446_744_073_709_551_616.0);
/// ARA's operands where addresses are not clamped: a sum of two does not overflow.
const SUMMAND: i32 = 1 << 30;

fn number(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn is_nan(bits: u32) -> bool {
    number(bits).is_nan()
}

/// The vector unit's result; `None` if it has no operation of this kind.
#[inline]
pub(super) fn vector<A: Arithmetic, const N: usize>(
    config: &Config,
    op: VecOp,
    source: impl Fn(usize) -> Quad<N>,
) -> Option<Quad<N>> {
    let forms = config.heard();
    if forms == Forms::SPEC {
        return alu::vector::<A, N>(op, source);
    }
    match changed_vector::<A, N>(forms, op, &source) {
        Some(result) => Some(result),
        None => alu::vector::<A, N>(op, source),
    }
}

/// The scalar unit's result; `None` if it has no operation.
#[inline]
pub(super) fn scalar<A: Arithmetic, const N: usize>(
    config: &Config,
    op: ScaOp,
    source: impl Fn(usize) -> Quad<N>,
) -> Option<Quad<N>> {
    let forms = config.heard();
    if forms == Forms::SPEC {
        return alu::scalar::<A, N>(op, source);
    }
    if let Some(result) = library::scalar(forms.library, op, &source) {
        return Some(result);
    }
    let n = A::NUMERICS;
    let f: fn(Numerics, u32) -> u32 = match (op, forms.reciprocals) {
        (ScaOp::Sin | ScaOp::Cos, _) if forms.waves == Waves::Half => |_, _| 0.5f32.to_bits(),
        (ScaOp::Rcc, Reciprocals::Unclamped) => num::rcp,
        (ScaOp::Rcp, Reciprocals::Operand) => |n, x| num::rcp(n, without_negative_zero(x)),
        (ScaOp::Rcc, Reciprocals::Operand) => |n, x| num::rcp(n, raised(without_negative_zero(x))),
        (ScaOp::Rcc, Reciprocals::Decimal) => |n, x| decimal(num::rcp(n, x)),
        _ => return alu::scalar::<A, N>(op, source),
    };
    let operand = source(2)[0];
    Some([lanes(|i| f(n, operand[i])); 4])
}

/// +0 for -0.
fn without_negative_zero(bits: u32) -> u32 {
    if bits == SIGN { 0 } else { bits }
}

/// With a magnitude of [`LEAST`] at least.
fn raised(bits: u32) -> u32 {
    let x = number(bits);
    if x.abs() < LEAST { LEAST.copysign(x).to_bits() } else { bits }
}

/// A reciprocal as [`Reciprocals::Decimal`] lets it pass.
fn decimal(bits: u32) -> u32 {
    let x = number(bits);
    let clamped = if x.is_nan() {
        return CANONICAL_NAN;
    } else if x > 0.0 {
        if x > MOST.0 { MOST.1 } else { x.max(LEAST) }
    } else if x < -MOST.0 {
        -MOST.1
    } else {
        x.min(-LEAST)
    };
    clamped.to_bits()
}

fn changed_vector<A: Arithmetic, const N: usize>(
    forms: Forms,
    op: VecOp,
    source: &impl Fn(usize) -> Quad<N>,
) -> Option<Quad<N>> {
    let (a, b) = (|| source(0), || source(1));
    Some(match op {
        VecOp::Mul | VecOp::Mad | VecOp::Dp3 | VecOp::Dph | VecOp::Dp4 | VecOp::Dst
            if forms.products != Products::Rules =>
        {
            with_products::<A, N>(forms.products, op, source)
        }
        VecOp::Min if forms.extremes == Extremes::Numbers => each::<A, N>(least, &a(), &b()),
        VecOp::Max if forms.extremes == Extremes::Numbers => each::<A, N>(greatest, &a(), &b()),
        VecOp::Max if forms.extremes == Extremes::Either => {
            each::<A, N>(|n, a, b| num::max(n, b, a), &a(), &b())
        }
        VecOp::Slt if forms.comparisons == Comparisons::Signed => each::<A, N>(less, &a(), &b()),
        VecOp::Sge if forms.comparisons == Comparisons::Signed => {
            each::<A, N>(|n, a, b| less(n, a, b) ^ ONE, &a(), &b())
        }
        VecOp::Ssg if forms.sign_of_nan == SignOfNan::One => {
            map::<A, N>(|n, a| if is_nan(a) { ONE } else { num::ssg(n, a) }, &a())
        }
        _ => return None,
    })
}

/// SLT for which -0 is below +0.
fn less(n: Numerics, a: u32, b: u32) -> u32 {
    if (a, b) == (SIGN, 0) { ONE } else { num::slt(n, a, b) }
}

/// As `fmin` has it.
fn least(n: Numerics, a: u32, b: u32) -> u32 {
    if is_nan(a) { b } else { num::min(n, b, a) }
}

/// As `fmax` has it.
fn greatest(n: Numerics, a: u32, b: u32) -> u32 {
    if is_nan(a) { b } else { num::max(n, a, b) }
}

/// A product of floats; of two finite ones it may be made finite.
fn product(form: Products, a: u32, b: u32) -> u32 {
    let product = number(a) * number(b);
    if product.is_nan() {
        return CANONICAL_NAN;
    }
    let is_of_finite = number(a).is_finite() && number(b).is_finite();
    let saturates = form == Products::Saturated && is_of_finite;
    if saturates { finite(product) } else { product }.to_bits()
}

/// The greatest finite number in place of an infinite one.
fn finite(x: f32) -> f32 {
    if x.is_infinite() { f32::MAX.copysign(x) } else { x }
}

/// An operation with products.
fn with_products<A: Arithmetic, const N: usize>(
    form: Products,
    op: VecOp,
    source: &impl Fn(usize) -> Quad<N>,
) -> Quad<N> {
    let n = A::NUMERICS;
    let mut a = source(0);
    if op == VecOp::Dph {
        a[3] = [ONE; N];
    }
    let b = source(1);
    let p = each::<A, N>(|_, a, b| product(form, a, b), &a, &b);
    let sum = |bits: u32| if form == Products::Saturated { finite(number(bits)).to_bits() } else { bits };
    match op {
        VecOp::Mad => each::<A, N>(num::sum2, &p, &source(2)),
        VecOp::Dp3 => [lanes(|i| sum(num::sum3(n, p[0][i], p[1][i], p[2][i]))); 4],
        VecOp::Dph | VecOp::Dp4 => [lanes(|i| sum(num::sum4(n, p[0][i], p[1][i], p[2][i], p[3][i]))); 4],
        VecOp::Dst => [[ONE; N], p[1], a[2], b[3]],
        _ => p,
    }
}

/// ARL's integer of an operand that has its bias, where a form changes it.
#[inline]
pub(super) fn address(form: Addresses, bits: u32) -> Option<i32> {
    let x = number(bits);
    let integral = match form {
        Addresses::Wrapped => x.floor(),
        Addresses::Truncated => x.trunc(),
        Addresses::Clamped | Addresses::Never => return None,
    };
    // What no integer of 32 bits can be is the least one.
    let fits = (-2_147_483_648.0..2_147_483_648.0).contains(&integral);
    Some(if fits { integral as i32 } else { i32::MIN })
}

/// What ARA adds.
#[inline]
pub(super) fn summand(config: &Config, address: i32) -> i32 {
    if config.has_wide_addresses() { address.clamp(-SUMMAND, SUMMAND) } else { address }
}

/// What reads oPos back; a form of Kelvin's programs.
#[inline]
pub(super) fn read_back(config: &Config) -> ReadBack {
    match config.generation {
        Generation::Kelvin => config.heard().read_back,
        Generation::Rankine | Generation::Curie => ReadBack::Written,
    }
}

impl<const N: usize> State<N> {
    /// The register that reads as this temporary.
    #[inline]
    pub(super) fn temp(&self, config: &Config, register: u8) -> &Quad<N> {
        match register {
            POSITION_READ_BACK if read_back(config) == ReadBack::Output => {
                &self.outputs[usize::from(POSITION)]
            }
            _ => &self.temps[usize::from(register)],
        }
    }
}
