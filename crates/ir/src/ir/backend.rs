//! The traits of a back end: one method for each operation of the host level, generated from the table ([`super::ops`]).
//! A back end that lacks an operation does not compile.
//!
//! Operands have the names of the table; an immediate comes last, unpacked ([`super::imm`]). `apply` of a kind calls the
//! method of an operation.

use super::func::{Inst, Value};
use super::imm::{Immediate, immediate};
use super::ops::{Double, Effect, Kind, Load, Pure};
use crate::for_each_ir_op;

macro_rules! method {
    ($method:ident None ($($arg:ident),*) $doc:literal $($result:tt)*) => {
        #[doc = concat!("Of ", $doc, ".")]
        fn $method(&mut self, $($arg: Self::Operand),*) $($result)*;
    };
    ($method:ident $imm:ident ($($arg:ident),*) $doc:literal $($result:tt)*) => {
        #[doc = concat!("Of ", $doc, ".")]
        fn $method(&mut self, $($arg: Self::Operand,)* immediate: immediate!($imm)) $($result)*;
    };
}

macro_rules! methods {
    ($result:tt $( $name:ident = $method:ident $args:tt $(as $text:literal)?, $imm:ident, $meaning:tt, $properties:tt,
        $doc:literal; )*) => {
        methods!(@ $result $($method $imm $args $doc;)*);
    };
    (@ [$($result:tt)*]) => {};
    (@ [$($result:tt)*] $method:ident $imm:ident $args:tt $doc:literal; $($rest:tt)*) => {
        method!($method $imm $args $doc $($result)*);
        methods!(@ [$($result)*] $($rest)*);
    };
}

macro_rules! call {
    ($host:ident $method:ident None ($($arg:ident),*) $word:ident $operands:ident) => {
        match ($word, $operands) {
            (_, &[$($arg),*]) => $host.$method($($arg),*),
            (_, other) => unreachable!("{} operands of {}", other.len(), stringify!($method)),
        }
    };
    ($host:ident $method:ident $imm:ident ($($arg:ident),*) $word:ident $operands:ident) => {
        match $operands {
            &[$($arg),*] => $host.$method($($arg,)* Immediate::unpack($word)),
            other => unreachable!("{} operands of {}", other.len(), stringify!($method)),
        }
    };
}

/// `apply`, which calls the method of an operation.
macro_rules! dispatch {
    ($kind:ident $trait:ident [$($result:tt)*] $(
        $name:ident = $method:ident $args:tt $(as $text:literal)?, $imm:ident, $meaning:tt, $properties:tt, $doc:literal;
    )*) => {
        impl $kind {
            /// Does the operation of an instruction with this immediate and these operands.
            #[inline]
            pub fn apply<H: $trait>(self, host: &mut H, word: u32, operands: &[H::Operand]) $($result)* {
                match self {
                    $($kind::$name => call!(host $method $imm $args word operands)),*
                }
            }
        }
    };
}

macro_rules! define_backend {
    (
        Load { $($load:tt)* }
        Effect { $($effect:tt)* }
        Pure { $($pure:tt)* }
        Double { $($double:tt)* }
        $($primitives:tt)*
    ) => {
        /// Machine operations on values.
        pub trait HostOps {
            /// An operand.
            type Operand: Copy;
            /// A result.
            type Result;
            methods!([-> Self::Result] $($pure)* $($double)*);
        }

        /// Loads, and values that need no operand.
        pub trait HostLoads {
            /// An operand.
            type Operand: Copy;
            /// A result.
            type Result;
            methods!([-> Self::Result] $($load)*);
        }

        /// Stores, guards and control flow.
        pub trait HostEffects {
            /// An operand.
            type Operand: Copy;
            methods!([] $($effect)*);
        }

        dispatch!(Pure HostOps [-> H::Result] $($pure)*);
        dispatch!(Double HostOps [-> H::Result] $($double)*);
        dispatch!(Load HostLoads [-> H::Result] $($load)*);
        dispatch!(Effect HostEffects [] $($effect)*);
    };
}
for_each_ir_op!(define_backend);

/// Does the operation of a host-level instruction, in a back end that finds values and leaves results by itself.
///
/// # Panics
/// If it is an operation of the chip.
pub fn emit<H>(host: &mut H, inst: &Inst)
where
    H: HostLoads<Operand = Value, Result = ()>
        + HostOps<Operand = Value, Result = ()>
        + HostEffects<Operand = Value>,
{
    match inst.op.kind() {
        Kind::Load(load) => load.apply(host, inst.imm, inst.operands()),
        Kind::Effect(effect) => effect.apply(host, inst.imm, inst.operands()),
        Kind::Double(op) => op.apply(host, inst.imm, inst.operands()),
        Kind::Pure(op) => op.apply(host, inst.imm, inst.operands()),
        Kind::Indexed(_) | Kind::Arithmetic(_) | Kind::Function(_) | Kind::Lighting(_) | Kind::Leaving(_) => {
            unreachable!("{} is an operation of the chip", inst.op.text())
        }
    }
}
