//! Products that are added, as every back end here and the evaluator compute them.

use super::{Compiled, Compiler, Target};
use crate::backend::CompileError;
use crate::ir::eval;
use crate::ir::func::Func;
use crate::ir::parse::parse;
use xfjit_runtime::batch::{Attribute, Inputs, Layout, Outputs};
use xfjit_runtime::bound::Bound;
use xfjit_runtime::fpenv::FpGuard;
use xfjit_runtime::state::{Context, Row, Scratch};
use xfjit_testing::Choices;

/// Vertices of a batch.
const COUNT: usize = 256;

/// Of floats, and of doubles with more digits than floats have.
fn function(model: &str) -> Func {
    let text = format!(
        "func host {model} kelvin window 0..192 {{
body:
  %0 = input v0.x
  %1 = input v0.y
  %2 = input v0.z
  %3 = input v0.w
  %4 = fma %0, %1, %2
  %5 = fma %4, %3, %0
  %6 = promote %0
  %7 = promote %1
  %8 = promote %2
  %9 = dmul %6, %7
  %10 = dadd %9, %8
  %11 = dfma %10, %7, %8
  %12 = dlow %11
  %13 = dfma %11, %10, %9
  %14 = dlow %13
  output o0, %4, %5, %12, %14
}}"
    );
    parse(&text).expect("it is a function")
}

/// Numbers whose products are near each other in half of all rows, so that sums cancel; in some of the others zeros and denormals.
fn operands(c: &mut Choices) -> Row {
    let near = c.chance(50);
    std::array::from_fn(|_| {
        let sign_and_fraction = c.word() & 0x807f_ffff;
        let exponent = match c.below(20) {
            _ if near => 126 + c.below(3),
            0 => return sign_and_fraction & 0x8000_0000,
            1 => 0,
            _ => 97 + c.below(60),
        };
        sign_and_fraction | exponent << 23
    })
}

fn run(func: &Func, compiled: &Compiled, rows: &[Row]) -> Vec<Row> {
    let mut results = vec![0; 4 * COUNT];
    let mut context = Context::new(usize::from(func.window.end));
    let inputs = Inputs::new(COUNT).with(0, Attribute::rows(rows));
    let outputs = Outputs::planes(&mut results, &[0], COUNT);
    let mut scratch = Scratch::new();
    let mut bound = Bound::new(&compiled.needs(), &inputs, &outputs).expect("they are long enough");
    let mut streams = bound.streams(&mut scratch, compiled.call()).expect("they are read in place");
    let env = FpGuard::enter(func.env());
    let status = compiled.run(&mut context.constants(), &mut streams, 0..COUNT);
    drop(env);
    assert_eq!(status as usize, COUNT, "nothing is guarded");
    (0..COUNT).map(|vertex| std::array::from_fn(|component| results[component * COUNT + vertex])).collect()
}

#[test]
fn products_are_added_and_rounded_once() {
    for (seed, model) in ["ieee", "hw"].into_iter().enumerate() {
        let func = function(model);
        let mut codes = Vec::new();
        match Compiler::new(Target::host().expect("this host has a code generator"))
            .compile(&func, Layout::Planes)
        {
            Ok(compiled) => codes.push(("jit", compiled)),
            // Below AVX2.
            Err(CompileError::TooLarge(_)) => {}
            Err(error) => panic!("{error}"),
        }
        #[cfg(all(feature = "wide", target_arch = "x86_64"))]
        for &width in super::x64::Width::ALL.iter().filter(|width| width.is_here()) {
            let compiled = super::x64::compile(&func, Layout::Planes, width);
            codes.push((width.name(), compiled.expect("it is compiled")));
        }
        let c = &mut Choices::seed(seed as u64);
        for _ in 0..200 {
            let rows: Vec<Row> = (0..COUNT).map(|_| operands(c)).collect();
            let expected: Vec<Row> = rows
                .iter()
                .map(|&row| eval::run(&func, Context::new(192).rows(), |_| row).outputs[0])
                .collect();
            for (name, compiled) in &codes {
                let results = run(&func, compiled, &rows);
                for ((row, expected), result) in rows.iter().zip(&expected).zip(&results) {
                    assert_eq!(expected, result, "{name}, {model}: {row:08x?}");
                }
            }
        }
    }
}
