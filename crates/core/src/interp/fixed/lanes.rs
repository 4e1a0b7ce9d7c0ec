//! The operations over the lanes of a chunk, by the table of operations.

use super::super::alu::Arithmetic;
use crate::for_each_ir_op;
use crate::ir::host;
use crate::ir::ops::Op;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::{self, Numerics};

/// Vertices that run in step: a compromise between dispatching each instruction rarely and keeping the rows in the
/// first-level cache.
pub(crate) const CHUNK: usize = 32;

/// One component for each vertex of a chunk.
pub(super) type Lanes = [u32; CHUNK];

#[inline(never)]
fn one(f: impl Fn(u32) -> u32, [a, ..]: [&Lanes; 4], out: &mut [u32]) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
}

#[inline(never)]
fn two(f: impl Fn(u32, u32) -> u32, [a, b, ..]: [&Lanes; 4], out: &mut [u32]) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = f(a, b);
    }
}

#[inline(never)]
fn three(f: impl Fn(u32, u32, u32) -> u32, [a, b, c, _]: [&Lanes; 4], out: &mut [u32]) {
    for (((out, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
        *out = f(a, b, c);
    }
}

#[inline(never)]
fn four(f: impl Fn(u32, u32, u32, u32) -> u32, [a, b, c, d]: [&Lanes; 4], out: &mut [u32]) {
    for ((((out, &a), &b), &c), &d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *out = f(a, b, c, d);
    }
}

/// The loop for a number of operands; `$first` is the function's first argument, before the operands.
macro_rules! each {
    ($f:path, $first:expr, ($a:ident), $x:expr, $out:expr) => {
        one(|$a| $f($first, $a), $x, $out)
    };
    ($f:path, $first:expr, ($a:ident, $b:ident), $x:expr, $out:expr) => {
        two(|$a, $b| $f($first, $a, $b), $x, $out)
    };
    ($f:path, $first:expr, ($a:ident, $b:ident, $c:ident), $x:expr, $out:expr) => {
        three(|$a, $b, $c| $f($first, $a, $b, $c), $x, $out)
    };
    ($f:path, $first:expr, ($a:ident, $b:ident, $c:ident, $d:ident), $x:expr, $out:expr) => {
        four(|$a, $b, $c, $d| $f($first, $a, $b, $c, $d), $x, $out)
    };
}

/// A primitive whose golden function is in `num` itself depends on the numerics: its loop is compiled for each of them.
macro_rules! special {
    ([num::$f:ident], $args:tt, $a:ident, $op:expr, $env:expr, $x:expr, $out:expr) => {
        each!(num::$f, $a::NUMERICS, $args, $x, $out)
    };
    ($meaning:tt, $args:tt, $a:ident, $op:expr, $env:expr, $x:expr, $out:expr) => {
        shared($op, $a::NUMERICS, $env, $x, $out)
    };
}

/// The loops of other operations of the XF level are compiled once.
macro_rules! common {
    (Pure, {Both, $($rest:tt)*}, [host::$f:ident], $args:tt, $op:expr, $n:expr, $env:expr, $x:expr, $out:expr) => {
        each!(host::$f, $env, $args, $x, $out)
    };
    (Pure, {Both, $($rest:tt)*}, {host::$f:ident}, $args:tt, $op:expr, $n:expr, $env:expr, $x:expr, $out:expr) => {
        each!(host::$f, $op.1, $args, $x, $out)
    };
    (Pure, $properties:tt, $meaning:tt, $args:tt, $op:expr, $n:expr, $env:expr, $x:expr, $out:expr) => {
        unreachable!("{} is not an operation of the XF level", $op.0.text())
    };
    ($kind:ident, $properties:tt, [host::$f:ident], $args:tt, $op:expr, $n:expr, $env:expr, $x:expr, $out:expr) => {
        each!(host::$f, $n, $args, $x, $out)
    };
    ($kind:ident, $properties:tt, $meaning:tt, $args:tt, $op:expr, $n:expr, $env:expr, $x:expr, $out:expr) => {
        unreachable!("{} is nothing that the fixed function computes", $op.0.text())
    };
}

macro_rules! define_compute { ($($kind:ident { $(
    $name:ident = $method:ident $args:tt $(as $text:literal)?, $imm:ident, $meaning:tt, $properties:tt, $doc:literal;
)* })*) => {
    /// Computes an operation, with its immediate, for as many lanes as `out` has.
    pub(super) fn compute<A: Arithmetic>(op: (Op, u32), env: FpEnv, x: [&Lanes; 4], out: &mut [u32]) {
        match op.0 {
            $($(Op::$name => special!($meaning, $args, A, op, env, x, out),)*)*
        }
    }

    fn shared(op: (Op, u32), n: Numerics, env: FpEnv, x: [&Lanes; 4], out: &mut [u32]) {
        match op.0 {
            $($(Op::$name => common!($kind, $properties, $meaning, $args, op, n, env, x, out),)*)*
        }
    }
} }
for_each_ir_op!(define_compute);
