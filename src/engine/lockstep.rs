//! Runs two back ends together and compares them. This debugging aid is an ordinary [`Backend`].
//!
//! The first back end works on the caller's data, the second one on copies. After every batch, all output memory, all constants, and which
//! of these were written are compared. A difference is counted in [`Outcome::mismatches`], and a [test file](crate::repro) of the first
//! vertex that differs is written, ready for `tests/filetests`. The caller gets the results of the first back end. If there is no memory for the
//! copies, the first back end runs alone.

use super::key::Key;
use crate::repro::{FileTest, Placement, Ran, difference};
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use xfjit_core::backend::{Backend, CompileError, Cost, Outcome, Routine, Runs, Worker};
use xfjit_core::shader::Shader;
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::bound::{Bound, Needs};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::state::Context;

/// Runs two back ends and compares them.
#[derive(Clone, Debug)]
pub struct Lockstep<A, B> {
    a: A,
    b: B,
    directory: Option<PathBuf>,
}

impl<A: Backend, B: Backend> Lockstep<A, B> {
    /// Compares `b` with `a`, and only counts differences.
    pub fn new(a: A, b: B) -> Self {
        Lockstep { a, b, directory: None }
    }

    /// Also writes a test file into a directory for the first difference of each program and of each configuration of the fixed function.
    /// The directory is created if necessary.
    #[must_use]
    pub fn reporting_to(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }
}

impl<A: Backend, B: Backend> Backend for Lockstep<A, B> {
    fn name(&self) -> &'static str {
        "lockstep"
    }

    fn target(&self) -> String {
        format!("lockstep ({}, {})", self.a.target(), self.b.target())
    }

    fn runs(&self) -> Runs {
        self.a.runs().max(self.b.runs())
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        let (a, b) = (self.a.prepare(shader)?, self.b.prepare(shader)?);
        let file = file_name(&Key::new(shader, &self.target().into()), shader);
        let names = [self.a.name(), self.b.name()];
        Ok(Arc::new(Pair::new(shader.clone(), [a, b], names, self.directory.clone(), file)))
    }
}

/// The file of a finding about a shader.
pub(super) fn file_name(key: &Key, shader: &Shader) -> String {
    format!("{}-{:016x}.xf", shader.name(), key.hash())
}

/// Two routines of one shader. The results of the first stand.
#[derive(Debug)]
pub(super) struct Pair {
    needs: Needs,
    a: Arc<dyn Routine>,
    b: Arc<dyn Routine>,
    names: [&'static str; 2],
    shader: Shader,
    directory: Option<PathBuf>,
    file: String,
}

impl Routine for Pair {
    fn needs(&self) -> &Needs {
        &self.needs
    }

    fn run_bound(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError> {
        constants.check(self.needs.rows, self.needs.writes_constants)?;
        bound.check(&self.needs, &part)?;
        let (inputs, outputs) = (bound.inputs(), bound.outputs());
        // All memory whose size depends on the batch. Without it there is nothing to compare with.
        let [mut data_a, mut data_b] = [const { Vec::new() }; 2];
        let copied = outputs.copy_into(&mut data_b);
        let (Ok(places), Ok(())) = (copied, data_a.try_reserve_exact(data_b.len())) else {
            return self.a.run_bound(worker, constants, bound, part);
        };
        let before = context(constants);
        let mut context_b = before.clone();
        let [mut written_a, mut written_b] = [(); 2].map(|()| vec![0; self.needs.rows]);
        // The caller's own bytes tell what earlier runs wrote as well.
        let outcome = {
            let mut noting = constants.reborrow().noting(&mut written_a);
            self.a.run_bound(worker, &mut noting, bound, part.clone())?
        };
        (0..self.needs.rows).filter(|&row| written_a[row] != 0).for_each(|row| constants.note(row));
        let taken = worker.taken();
        let result_b = {
            let mut outputs_b = Outputs::new(&mut data_b, outputs.layout(), places);
            if outputs.keeps() {
                outputs_b = outputs_b.keeping();
            }
            Bound::new(&self.needs, inputs, &outputs_b).and_then(|mut bound_b| {
                let mut noting = context_b.constants().noting(&mut written_b);
                self.b.run_bound(worker, &mut noting, &mut bound_b, part.clone())
            })
        };
        // Vertices that run twice take what they take once.
        worker.untake(taken);
        outputs.copy_into(&mut data_a)?;
        let context_a = context(constants);
        let agree = matches!(&result_b, Ok(b) if b.faults == outcome.faults)
            && data_a == data_b
            && context_a == context_b
            && written_a == written_b;
        if !agree {
            let a = Ran { output: data_a, context: context_a, written: written_a, outcome };
            let outcome_b = result_b.clone().unwrap_or(outcome);
            let b = Ran { output: data_b, context: context_b, written: written_b, outcome: outcome_b };
            let placement = Placement { layout: outputs.layout(), places, count: inputs.count };
            self.report(&before, inputs, part, &placement, &a, &b);
        }
        let mismatches = outcome.mismatches + u64::from(!agree);
        let in_vain = outcome.in_vain + result_b.map_or(0, |b| b.in_vain);
        Ok(Outcome { mismatches, in_vain, ..outcome })
    }

    fn cost(&self) -> Cost {
        let (a, b) = (self.a.cost(), self.b.cost());
        let mut stages = a.stages;
        stages += b.stages;
        Cost {
            code_bytes: a.code_bytes + b.code_bytes,
            memory_bytes: a.memory_bytes + b.memory_bytes,
            stack_bytes: a.stack_bytes.max(b.stack_bytes),
            compile_time: a.compile_time + b.compile_time,
            stages,
        }
    }
}

/// A copy of the constants.
/// Not on the stack of a run, which may be small.
#[inline(never)]
fn context(constants: &Constants<'_>) -> Box<Context> {
    let mut context = Box::new(Context::new(constants.rows().len()));
    context.rows_mut().copy_from_slice(constants.rows());
    context
}

impl Pair {
    pub(super) fn new(
        shader: Shader,
        [a, b]: [Arc<dyn Routine>; 2],
        names: [&'static str; 2],
        directory: Option<PathBuf>,
        file: String,
    ) -> Pair {
        let needs = Needs { inputs: a.live_inputs() | b.live_inputs(), ..*a.needs() };
        Pair { needs, a, b, names, shader, directory, file }
    }

    fn report(
        &self,
        before: &Context,
        inputs: &Inputs<'_>,
        part: Range<usize>,
        placement: &Placement,
        a: &Ran,
        b: &Ran,
    ) {
        let Some(directory) = &self.directory else { return };
        let path = directory.join(&self.file);
        if path.exists() {
            return;
        }
        let (what, position) = difference(placement, a, b)
            .unwrap_or_else(|| ("one of them rejects the streams".to_owned(), None));
        let [name_a, name_b] = self.names;
        let why = vec![format!("{name_a} (expected) and {name_b} (got) differ: {what}.")];
        let positions = position.map_or(part, |position| position..position + 1);
        let bytes = a.output.len();
        let test = FileTest::of_batch(&self.shader, before, inputs, (placement, bytes), why, positions);
        if let Some(test) = test {
            // A debugging aid must not stop the program that it is there to explain; the mismatch is counted.
            let _ = fs::create_dir_all(directory);
            let _ = fs::write(path, test.to_string());
        }
    }
}
