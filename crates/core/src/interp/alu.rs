//! The execution units over `N` lanes: opcodes in terms of golden functions.

use super::{Lanes, Quad};
use crate::config::{Config, SaturateNan};
use crate::isa::op::{ScaOp, VecOp};
use std::marker::PhantomData;
use xfjit_runtime::lanes::Loops;
use xfjit_runtime::num::bits::ONE;
use xfjit_runtime::num::{self, Model, Numerics, Rules};

/// A [`Numerics`] as a type: the golden functions are compiled once for each, so that their branches on the model are
/// resolved at compile time and loops over lanes are vectorised.
pub(super) trait Arithmetic {
    /// Passed to every golden function.
    const NUMERICS: Numerics;
}

macro_rules! arithmetics { (
    programs { $($name:ident = $model:ident, $rules:ident;)* }
    fixed { $($other:ident = $other_model:ident, $other_rules:ident;)* }
) => {
    arithmetics!($($name = $model, $rules;)* $($other = $other_model, $other_rules;)*);

    /// Expands `$body` with `$a` standing for the type of a [`Numerics`].
    macro_rules! with_arithmetic { ($numerics:expr, $a:ident => $body:expr) => {
        match ($numerics.model, $numerics.rules) {
            $((Model::$model, Rules::$rules) => { type $a = $crate::interp::alu::$name; $body })*
            $((Model::$other_model, Rules::$other_rules) => { type $a = $crate::interp::alu::$other; $body })*
        }
    } }

    /// The arithmetic of a configuration of programs, without code for chips that run none.
    macro_rules! with_arithmetic_of_programs { ($config:expr, $a:ident => $body:expr) => {{
        let numerics = $config.numerics();
        match (numerics.model, numerics.rules) {
            $((Model::$model, Rules::$rules) => { type $a = $crate::interp::alu::$name; $body })*
            $((Model::$other_model, Rules::$other_rules))|* => unreachable!("no generation of programs has {numerics:?}"),
        }
    }} }
};
($($name:ident = $model:ident, $rules:ident;)*) => {
    $(
        /// See [`Arithmetic`].
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $name;

        impl Arithmetic for $name {
            const NUMERICS: Numerics = Numerics { model: Model::$model, rules: Rules::$rules };
        }
    )*
} }

arithmetics! {
    programs {
        KelvinHw = Hw, Kelvin;
        KelvinIeee = Ieee, Kelvin;
        RankineLegacyHw = Hw, RankineLegacy;
        RankineLegacyIeee = Ieee, RankineLegacy;
        RankineModernHw = Hw, RankineModern;
        RankineModernIeee = Ieee, RankineModern;
    }
    fixed {
        CelsiusHw = Hw, Celsius;
        CelsiusIeee = Ieee, Celsius;
    }
}
pub(super) use {with_arithmetic, with_arithmetic_of_programs};

#[inline(always)]
pub(super) fn lanes<const N: usize>(op: impl Fn(usize) -> u32) -> Lanes<N> {
    let mut result = [0; N];
    for (lane, slot) in result.iter_mut().enumerate() {
        *slot = op(lane);
    }
    result
}

#[inline(always)]
pub(super) fn each<A: Arithmetic, const N: usize>(
    op: impl Fn(Numerics, u32, u32) -> u32,
    a: &Quad<N>,
    b: &Quad<N>,
) -> Quad<N> {
    let mut result = [[0; N]; 4];
    // Loops, not closures, which may be compiled by themselves.
    for c in 0..4 {
        for i in 0..N {
            result[c][i] = op(A::NUMERICS, a[c][i], b[c][i]);
        }
    }
    result
}

#[inline(always)]
pub(super) fn map<A: Arithmetic, const N: usize>(op: impl Fn(Numerics, u32) -> u32, a: &Quad<N>) -> Quad<N> {
    let mut result = [[0; N]; 4];
    for c in 0..4 {
        for i in 0..N {
            result[c][i] = op(A::NUMERICS, a[c][i]);
        }
    }
    result
}

/// The vector unit's result; `None` if it has no operation of this kind.
#[inline]
pub(super) fn vector<A: Arithmetic, const N: usize>(
    op: VecOp,
    source: impl Fn(usize) -> Quad<N>,
) -> Option<Quad<N>> {
    let sum = SumOfProducts { op, source: &source, arithmetic: PhantomData::<A> };
    let result = if N < MANY { sum.run() } else { xfjit_runtime::lanes::run(sum) };
    result.or_else(|| other_vector::<A, N>(op, source))
}

/// In fewer lanes longer vectors gain little, and their code takes room.
const MANY: usize = 8;

/// A product, or a sum, of what its sources have: the operations that programs consist of, and that take longest.
struct SumOfProducts<'a, A, S, const N: usize> {
    op: VecOp,
    source: &'a S,
    arithmetic: PhantomData<A>,
}

impl<A: Arithmetic, S: Fn(usize) -> Quad<N>, const N: usize> Loops for SumOfProducts<'_, A, S, N> {
    /// Nothing if it is another operation.
    type Output = Option<Quad<N>>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let (n, op) = (A::NUMERICS, self.op);
        let (a, b, c) = (|| (self.source)(0), || (self.source)(1), || (self.source)(2));
        Some(match op {
            VecOp::Mul => each::<A, N>(num::mul, &a(), &b()),
            VecOp::Add => each::<A, N>(num::sum2, &a(), &c()),
            VecOp::Mad => each::<A, N>(num::sum2, &each::<A, N>(num::mul, &a(), &b()), &c()),
            VecOp::Dp3 => {
                let p = each::<A, N>(num::mul, &a(), &b());
                [lanes(|i| num::sum3(n, p[0][i], p[1][i], p[2][i])); 4]
            }
            VecOp::Dph | VecOp::Dp4 => {
                let mut a = a();
                if op == VecOp::Dph {
                    a[3] = [ONE; N];
                }
                let p = each::<A, N>(num::mul, &a, &b());
                [lanes(|i| num::sum4(n, p[0][i], p[1][i], p[2][i], p[3][i])); 4]
            }
            _ => return None,
        })
    }
}

/// The results of the other operations of the vector unit.
fn other_vector<A: Arithmetic, const N: usize>(
    op: VecOp,
    source: impl Fn(usize) -> Quad<N>,
) -> Option<Quad<N>> {
    let n = A::NUMERICS;
    let (a, b) = (|| source(0), || source(1));
    Some(match op {
        VecOp::Nop | VecOp::Arl | VecOp::Arr | VecOp::Ara | VecOp::Txl => return None,
        VecOp::Mul | VecOp::Add | VecOp::Mad | VecOp::Dp3 | VecOp::Dph | VecOp::Dp4 => return None,
        VecOp::Mov => a(),
        VecOp::Dst => {
            let (a, b) = (a(), b());
            [[ONE; N], lanes(|i| num::mul(n, a[1][i], b[1][i])), a[2], b[3]]
        }
        VecOp::Min => each::<A, N>(num::min, &a(), &b()),
        VecOp::Max => each::<A, N>(num::max, &a(), &b()),
        VecOp::Slt => each::<A, N>(num::slt, &a(), &b()),
        VecOp::Sge => each::<A, N>(num::sge, &a(), &b()),
        VecOp::Frc => map::<A, N>(num::frc, &a()),
        VecOp::Flr => map::<A, N>(num::flr, &a()),
        VecOp::Seq => each::<A, N>(num::seq, &a(), &b()),
        VecOp::Sfl => [[0; N]; 4],
        VecOp::Sgt => each::<A, N>(num::sgt, &a(), &b()),
        VecOp::Sle => each::<A, N>(num::sle, &a(), &b()),
        VecOp::Sne => each::<A, N>(num::sne, &a(), &b()),
        VecOp::Str => [[ONE; N]; 4],
        VecOp::Ssg => map::<A, N>(num::ssg, &a()),
    })
}

/// The scalar unit's result; `None` if it has no operation.
#[inline]
pub(super) fn scalar<A: Arithmetic, const N: usize>(
    op: ScaOp,
    source: impl Fn(usize) -> Quad<N>,
) -> Option<Quad<N>> {
    let n = A::NUMERICS;
    let c = || source(2);
    let replicated = |f: fn(Numerics, u32) -> u32| {
        let c = c();
        [lanes(|i| f(n, c[0][i])); 4]
    };
    Some(match op {
        ScaOp::Mov => c(),
        ScaOp::Rcp => replicated(num::rcp),
        ScaOp::Rcc => replicated(num::rcc),
        ScaOp::Rsq => replicated(num::rsq),
        ScaOp::Exp => {
            let [t, ..] = c();
            [
                lanes(|i| num::exp_x(n, t[i])),
                lanes(|i| num::exp_y(n, t[i])),
                lanes(|i| num::exp_z(n, t[i])),
                [ONE; N],
            ]
        }
        ScaOp::Log => {
            let [t, ..] = c();
            [
                lanes(|i| num::log_x(n, t[i])),
                lanes(|i| num::log_y(n, t[i])),
                lanes(|i| num::log_z(n, t[i])),
                [ONE; N],
            ]
        }
        ScaOp::Lit => {
            let [x, y, _, w] = c();
            [[ONE; N], lanes(|i| num::lit_y(n, x[i])), lanes(|i| num::lit_z(n, x[i], y[i], w[i])), [ONE; N]]
        }
        ScaOp::Lg2 => replicated(num::lg2),
        ScaOp::Ex2 => replicated(num::ex2),
        ScaOp::Sin => replicated(num::sin),
        ScaOp::Cos => replicated(num::cos),
        ScaOp::Nop | ScaOp::BraIndirect | ScaOp::Bra | ScaOp::CalIndirect | ScaOp::Cal => return None,
        ScaOp::Ret | ScaOp::Brb | ScaOp::Clb | ScaOp::Pusha | ScaOp::Popa => return None,
    })
}

/// A result clamped to 0.0 ..= 1.0.
pub(super) fn saturate<A: Arithmetic, const N: usize>(config: &Config, value: Quad<N>) -> Quad<N> {
    value.map(|component| {
        component.map(|bits| match config.quirks.saturate_nan {
            SaturateNan::Zero if f32::from_bits(bits).is_nan() => 0,
            SaturateNan::Zero | SaturateNan::Passes => num::saturate(A::NUMERICS, bits),
        })
    })
}
