//! Where the time of a compilation goes, stage by stage.

use super::median;
use serde::Serialize;
use std::time::Duration;
use xfjit::backend;

/// Microseconds of each stage, of all routines of a handle. What is left of the whole is for the fallback and for making the
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

impl Stages {
    /// Medians of several compilations.
    pub fn medians(compilations: &[backend::Stages]) -> Stages {
        let of = |stage: fn(&backend::Stages) -> Duration| {
            let mut times: Vec<f64> =
                compilations.iter().map(|stages| stage(stages).as_secs_f64() * 1e6).collect();
            median(&mut times)
        };
        Stages {
            lower: of(|stages| stages.lower),
            simplify: of(|stages| stages.simplify),
            legalize: of(|stages| stages.legalize),
            optimize: of(|stages| stages.optimize),
            generate: of(|stages| stages.generate),
        }
    }
}
