//! The golden functions, one for each primitive and arithmetic: `.ci/proofs` takes them from the LLVM IR that the compiler makes of this file, where
//! their names have those of modules and functions here. Run, it reads rows `MODEL RULES OP A B C D` and writes each with its result, which
//! the translation of the IR must reproduce.

use std::io::{self, BufRead, Write};
use xfjit_ir::ir::Op;
use xfjit_runtime::num::{Model, Numerics, Rules};

mod golden {
    type Function = fn(u32, u32, u32, u32) -> u32;

    macro_rules! functions { ($($kind:ident { $(
        $name:ident = $method:ident $args:tt $(as $text:literal)?, $imm:ident, $meaning:tt, $properties:tt, $doc:literal;
    )* })*) => {
        functions!{@ [] $($kind { $($name $method;)* })*}
    };
        (@ [$($name:ident $method:ident)*] Arithmetic { $($n:ident $m:ident;)* } $($rest:tt)*) => {
            functions!{@ [$($name $method)* $($n $m)*] $($rest)*}
        };
        (@ [$($name:ident $method:ident)*] Function { $($n:ident $m:ident;)* } $($rest:tt)*) => {
            functions!{@ [$($name $method)* $($n $m)*] $($rest)*}
        };
        (@ [$($name:ident $method:ident)*] Lighting { $($n:ident $m:ident;)* } $($rest:tt)*) => {
            functions!{@ [$($name $method)* $($n $m)*] $($rest)*}
        };
        (@ [$($name:ident $method:ident)*] Leaving { $($n:ident $m:ident;)* } $($rest:tt)*) => {
            functions!{@ [$($name $method)* $($n $m)*] $($rest)*}
        };
        (@ $found:tt $kind:ident $ops:tt $($rest:tt)*) => {
            functions!{@ $found $($rest)*}
        };
        (@ [$($name:ident $method:ident)*]) => {
            $(
                #[inline(never)]
                fn $method(a: u32, b: u32, c: u32, d: u32) -> u32 {
                    let result = Op::$name.evaluate(NUMERICS, FpEnv::Default, 0, [a, b, c, d]);
                    result.expect("it is a primitive")
                }
            )*
            pub(super) const ALL: &[(Op, super::Function)] = &[$((Op::$name, $method)),*];
        };
    }

    macro_rules! arithmetics { ($($module:ident = $model:ident $rules:ident;)*) => {
        $(mod $module {
            use xfjit_ir::ir::Op;
            use xfjit_runtime::fpenv::FpEnv;
            use xfjit_runtime::num::{Model, Numerics, Rules};
            const NUMERICS: Numerics = Numerics { model: Model::$model, rules: Rules::$rules };
            xfjit_ir::for_each_ir_op!(functions);
        })*

        /// The functions of an arithmetic.
        pub(super) fn of(numerics: Numerics) -> &'static [(Op, Function)] {
            match (numerics.model, numerics.rules) {
                $((Model::$model, Rules::$rules) => $module::ALL,)*
            }
        }
    } }

    use super::{Model, Numerics, Op, Rules};

    arithmetics! {
        hw_celsius = Hw Celsius;
        hw_kelvin = Hw Kelvin;
        hw_rankine_legacy = Hw RankineLegacy;
        hw_rankine_modern = Hw RankineModern;
        ieee_celsius = Ieee Celsius;
        ieee_kelvin = Ieee Kelvin;
        ieee_rankine_legacy = Ieee RankineLegacy;
        ieee_rankine_modern = Ieee RankineModern;
    }
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let result = result(&line).unwrap_or_else(|| panic!("{line:?} is no row"));
        writeln!(out, "{line} {result:08x}")?;
    }
    out.flush()
}

fn result(line: &str) -> Option<u32> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [model, rules, op, ref operands @ ..] = *words else { return None };
    let numerics = Numerics { model: Model::from_name(model)?, rules: Rules::from_name(rules)? };
    let op = Op::from_text(op)?;
    let operands: Vec<u32> = operands.iter().filter_map(|word| u32::from_str_radix(word, 16).ok()).collect();
    let [a, b, c, d] = *operands else { return None };
    let (_, function) = golden::of(numerics).iter().find(|&&(golden, _)| golden == op)?;
    Some(function(a, b, c, d))
}
