//! The plan of a configuration from its first vertex on.

use crate::backend::{Backend, CompileError, Interp, Interpreted, Routine, Runs, Source};
use crate::shader::Shader;
use std::sync::Arc;

/// The batched interpreter of a shader whose function has been made. A configuration of the fixed function then runs as a plan from its
/// first vertex on, where [`Interp::Batched`] runs a few vertices without one.
#[derive(Debug)]
pub struct Planned;

impl Backend for Planned {
    fn name(&self) -> &'static str {
        "interp_plan"
    }

    fn runs(&self) -> Runs {
        Interp::Batched.runs()
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        let fallback = shader.fallback(Some(shader.lower()));
        Ok(Arc::new(Interpreted { source: Source::new(shader, fallback) }))
    }
}
