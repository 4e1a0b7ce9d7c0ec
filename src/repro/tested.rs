//! What a file can be about.

use std::sync::Arc;
use xfjit_core::front::Microcode;
use xfjit_core::front::fixed::Setup;
use xfjit_core::shader::Shader;
use xfjit_isa::config::Config;
use xfjit_isa::isa::Program;
use xfjit_runtime::num::Model;

/// What a file is about: the grammar has a form for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tested {
    /// A program, and how it is run.
    Microcode(Arc<Program>, Config),
    /// A configuration of the fixed function.
    Fixed(Setup),
}

impl Tested {
    /// This test under a model.
    #[must_use]
    pub fn model(&self, model: Model) -> Self {
        match self {
            Tested::Microcode(program, config) => {
                Tested::Microcode(Arc::clone(program), config.clone().model(model))
            }
            Tested::Fixed(setup) => Tested::Fixed(setup.model(model)),
        }
    }

    /// What backends prepare.
    pub fn shader(&self) -> Shader {
        match self {
            Tested::Microcode(program, config) => Microcode::shader(program, config),
            Tested::Fixed(setup) => Shader::from(*setup),
        }
    }
}
