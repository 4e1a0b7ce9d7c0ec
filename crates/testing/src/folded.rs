//! Native code with constants as literals, whatever they are.

use crate::backend::{Backend, CompileError, Interp, Interpreted, Outcome, Routine, Runs, Worker};
use crate::shader::Shader;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xfjit_runtime::batch::StreamError;
use xfjit_runtime::bound::{Bound, Needs};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::state::Row;

/// A back end whose routines make code for the constants of each run, with rows of them as literals: all that code reads, or those that a
/// number chooses.
#[derive(Clone, Debug)]
pub struct Folded {
    backend: Arc<dyn Backend>,
    choice: Option<u64>,
    runs: Arc<AtomicU64>,
}

impl Folded {
    /// All rows of code of a back end; with a number about half of them.
    pub fn new(backend: Arc<dyn Backend>, choice: Option<u64>) -> Self {
        Folded { backend, choice, runs: Arc::default() }
    }

    /// Runs of code with literals. The others are of shaders for which there is none.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }
}

impl Backend for Folded {
    fn name(&self) -> &'static str {
        "folded"
    }

    fn runs(&self) -> Runs {
        Runs::Native
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        let interpreted = Interpreted::new(shader, Interp::Batched);
        let unfolded = self.backend.prepare_beside(shader, &interpreted)?;
        Ok(Arc::new(Unfolded { of: self.clone(), shader: shader.clone(), interpreted, unfolded }))
    }
}

#[derive(Debug)]
struct Unfolded {
    of: Folded,
    shader: Shader,
    interpreted: Interpreted,
    unfolded: Arc<dyn Routine>,
}

impl Unfolded {
    fn literals(&self, constants: &Constants<'_>) -> Vec<(usize, Row)> {
        let is_chosen = |row: &usize| self.of.choice.is_none_or(|choice| choice >> (row % 64) & 1 != 0);
        let rows = self.unfolded.rows_read();
        rows.iter().filter(is_chosen).map(|row| (row, constants.row(row))).collect()
    }
}

impl Routine for Unfolded {
    fn needs(&self) -> &Needs {
        self.unfolded.needs()
    }

    fn run_bound(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError> {
        let literals = self.literals(constants);
        let folded = self.of.backend.prepare_folded(&self.shader, &self.interpreted, &literals);
        match folded {
            Some(folded) => {
                self.of.runs.fetch_add(1, Ordering::Relaxed);
                folded.run_bound(worker, constants, bound, part)
            }
            None => self.unfolded.run_bound(worker, constants, bound, part),
        }
    }
}
