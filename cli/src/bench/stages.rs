//! Where the time of a compilation goes, stage by stage.

use super::{COMPILES, median};
use serde::Serialize;
use std::hint::black_box;
use std::time::Instant;
use xfjit::ir::func::Func;
use xfjit::machine::Machine;
#[cfg(target_arch = "x86_64")]
use xfjit::native::wide::Width;
use xfjit::native::{Compiler, Target};
use xfjit::runtime::batch::Layout;
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

/// The stages that are the same for every host, of a shader.
pub struct Front {
    lower: f64,
    simplify: f64,
    legalize: f64,
    legal: Func,
    layout: Layout,
}

impl Front {
    pub fn new(shader: &Shader) -> Front {
        let (lower, lowered) = timed(|| shader.lower());
        let (simplify, simple) = timed(|| opt::simplify(lowered.clone()));
        let (legalize, legal) = timed(|| legalize::run(&simple));
        Front { lower, simplify, legalize, legal, layout: shader.layout() }
    }

    /// All stages, for the backend of a name; of what is not wide code, in the instruction set that is asked for.
    pub fn stages(&self, backend: &str, asked: Option<InstructionSet>) -> Option<Stages> {
        let optimized = |machine: &Machine| timed(|| opt::run(self.legal.clone(), machine));
        #[cfg(target_arch = "x86_64")]
        if let Some(width) = Width::ALL.iter().copied().find(|width| width.name() == backend) {
            let (optimize, func) = optimized(&width.machine());
            return Some(
                self.with(optimize, timed(|| xfjit::native::wide::code(&func, self.layout, width).ok()).0),
            );
        }
        let target = asked.map_or_else(Target::host, Target::of).ok()?;
        let (optimize, func) = optimized(target.machine());
        let mut compiler = Compiler::new(target);
        Some(self.with(optimize, timed(|| compiler.code(&func, self.layout, false).ok()).0))
    }

    fn with(&self, optimize: f64, generate: f64) -> Stages {
        let &Front { lower, simplify, legalize, .. } = self;
        Stages { lower, simplify, legalize, optimize, generate }
    }
}
