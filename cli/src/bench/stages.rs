//! Where the time of a compilation goes, stage by stage.

use super::{COMPILES, median};
use serde::Serialize;
use std::hint::black_box;
use std::time::Instant;
use xfjit::machine::Machine;
use xfjit::native::{Compiler, Target};
use xfjit::shader::Shader;
use xfjit::{InstructionSet, legalize, opt};

/// Microseconds of each stage: medians of the same stage alone. What is left of the whole is for the fallback and for making the
/// code callable.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Stages {
    /// Instructions as primitives of the chip.
    lower: f64,
    /// Value numbering, with folding, of those.
    simplify: f64,
    /// Primitives as operations of the host.
    legalize: f64,
    /// Value numbering, schedule and uniform values of those.
    optimize: f64,
    /// Operations as machine code.
    generate: f64,
}

/// The microseconds that something takes, and its result.
fn timed<R>(mut run: impl FnMut() -> R) -> (f64, R) {
    let mut result = run();
    let mut times: Vec<f64> = (0..COMPILES)
        .map(|_| {
            let start = Instant::now();
            result = black_box(run());
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    (median(&mut times), result)
}

/// The stages of a shader, for the backend of a name.
pub fn stages(backend: &str, shader: &Shader) -> Option<Stages> {
    let set = match backend {
        "wide8" => Some(InstructionSet::X86_64V3),
        "wide16" => Some(InstructionSet::X86_64V4),
        _ => None,
    };
    let machine = set.map_or(Machine::HOST, InstructionSet::machine);
    let (lower, lowered) = timed(|| shader.lower());
    let (simplify, simple) = timed(|| opt::simplify(lowered.clone()));
    let (legalize, legal) = timed(|| legalize::run(&simple));
    let (optimize, func) = timed(|| opt::run(legal.clone(), &machine));
    let generate = match set {
        #[cfg(target_arch = "x86_64")]
        Some(set) => {
            let width = xfjit::native::wide::Width::of(set)?;
            timed(|| xfjit::native::wide::code(&func, shader.layout(), width).ok()).0
        }
        #[cfg(not(target_arch = "x86_64"))]
        Some(_) => return None,
        None => {
            let mut compiler = Compiler::new(Target::host().ok()?);
            timed(|| compiler.code(&func, shader.layout(), false).ok()).0
        }
    };
    Some(Stages { lower, simplify, legalize, optimize, generate })
}
