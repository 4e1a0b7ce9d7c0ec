//! Two backends side by side: a debugging aid that is an ordinary [`Backend`].
//!
//! The first one works on the caller's data, the second one on copies; all output memory and all constants are
//! compared after every batch. A difference is counted in [`Outcome::mismatches`] and written down as a
//! [test file](crate::testing::filetest) of the first vertex that differs, ready for `tests/filetests`. The caller gets
//! what the first backend computed.

use super::key::Key;
use crate::backend::{Backend, Code, CompileError, Cost, Interpreted, Outcome, Routine, Worker};
use crate::config::Config;
use crate::front::fixed::Setup;
use crate::interp::live_inputs;
use crate::isa::Program;
use crate::testing::case::{Case, Feed, Ran, upload};
use crate::testing::check::difference;
use crate::testing::filetest::FileTest;
use crate::testing::fixed::FixedCase;
use crate::testing::placement::Placement;
use crate::testing::texels::Texels;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::state::{Context, DEFAULT_ROW, Row};

/// Runs two backends and compares them.
#[derive(Clone, Debug)]
pub struct Lockstep<A, B> {
    a: A,
    b: B,
    directory: Option<PathBuf>,
}

impl<A: Backend, B: Backend> Lockstep<A, B> {
    /// Compares `b` with `a`; differences are only counted.
    pub fn new(a: A, b: B) -> Self {
        Lockstep { a, b, directory: None }
    }

    /// Also writes a test file for the first difference of each program, and of each configuration of the fixed function,
    /// into a directory, which is made if need be.
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

    fn prepare_code(&self, code: &Code) -> Result<Arc<dyn Routine>, CompileError> {
        let (a, b) = (self.a.prepare_code(code)?, self.b.prepare_code(code)?);
        let key = Key::new(code, &self.target().into());
        let file = format!("{}-{:016x}.xf", code.name(), key.hash());
        Ok(Arc::new(Pair {
            a,
            b,
            names: [self.a.name(), self.b.name()],
            code: code.clone(),
            directory: self.directory.clone(),
            file,
        }))
    }
}

/// A backend shared by several users.
impl<T: Backend + ?Sized> Backend for Arc<T> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn target(&self) -> String {
        (**self).target()
    }

    fn prepare_code(&self, code: &Code) -> Result<Arc<dyn Routine>, CompileError> {
        (**self).prepare_code(code)
    }

    fn prepare_beside(
        &self,
        code: &Code,
        interpreted: &Interpreted,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        (**self).prepare_beside(code, interpreted)
    }
}

#[derive(Debug)]
struct Pair {
    a: Arc<dyn Routine>,
    b: Arc<dyn Routine>,
    names: [&'static str; 2],
    code: Code,
    directory: Option<PathBuf>,
    file: String,
}

impl Routine for Pair {
    fn live_inputs(&self) -> u16 {
        self.a.live_inputs() | self.b.live_inputs()
    }

    fn run(
        &self,
        worker: &mut Worker,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        let before = context.clone();
        let mut context_b = context.clone();
        let mut data_b = outputs.data.to_vec();
        let outcome = self.a.run(worker, context, inputs, outputs)?;
        let mut outputs_b = Outputs::new(&mut data_b, outputs.layout, outputs.places);
        let result_b = self.b.run(worker, &mut context_b, inputs, &mut outputs_b);
        let agree = matches!(&result_b, Ok(b) if b.faults == outcome.faults)
            && *outputs.data == *data_b
            && *context == context_b;
        if !agree {
            let a = Ran { output: outputs.data.to_vec(), context: context.clone(), outcome };
            let b = Ran { output: data_b, context: context_b, outcome: result_b.unwrap_or(outcome) };
            self.report(&before, inputs, outputs, &a, &b);
        }
        let mismatches = outcome.mismatches + u64::from(!agree);
        Ok(Outcome { mismatches, ..outcome })
    }

    fn cost(&self) -> Cost {
        let (a, b) = (self.a.cost(), self.b.cost());
        Cost {
            code_bytes: a.code_bytes + b.code_bytes,
            memory_bytes: a.memory_bytes + b.memory_bytes,
            stack_bytes: a.stack_bytes.max(b.stack_bytes),
            compile_time: a.compile_time + b.compile_time,
        }
    }
}

/// The batch in memory of its own, but for textures: what a host's function gives is not known beforehand.
fn case(
    program: &Program,
    config: &Config,
    before: &Context,
    inputs: &Inputs<'_>,
    outputs: &Outputs<'_>,
) -> Case {
    let live = live_inputs(program);
    let attributes = std::array::from_fn(|register| {
        if live >> register & 1 == 0 {
            return Feed::Constant(Row::default());
        }
        let rows = (0..inputs.count).flat_map(|position| inputs.fetch(register, position));
        let data = rows.flat_map(u32::to_ne_bytes).collect();
        Feed::Stream { data, offset: 0, stride: 16, components: 4 }
    });
    let (words, start) = upload(config, program);
    Case {
        words,
        start,
        config: config.clone(),
        constants: before.rows().to_vec(),
        attributes,
        texels: Texels::default(),
        indices: None,
        count: inputs.count,
        places: outputs.places,
        output_bytes: outputs.data.len(),
    }
}

/// The same for the fixed function. Attributes that nothing reads may be too short: they are the default.
fn fixed_case(setup: &Setup, before: &Context, inputs: &Inputs<'_>) -> FixedCase {
    let attributes = std::array::from_fn(|register| match inputs.check(1 << register) {
        Ok(()) => (0..inputs.count).map(|position| inputs.fetch(register, position)).collect(),
        Err(_) => vec![DEFAULT_ROW; inputs.count],
    });
    FixedCase { setup: *setup, context: before.clone(), attributes }
}

impl Pair {
    fn report(&self, before: &Context, inputs: &Inputs<'_>, outputs: &Outputs<'_>, a: &Ran, b: &Ran) {
        let Some(directory) = &self.directory else { return };
        let path = directory.join(&self.file);
        if path.exists() {
            return;
        }
        let placement = Placement { layout: outputs.layout, places: outputs.places, count: inputs.count };
        let (what, position) = difference(&placement, a, b)
            .unwrap_or_else(|| ("one of them refuses the streams".to_owned(), None));
        let [name_a, name_b] = self.names;
        let why = vec![format!("{name_a} (expected) and {name_b} (got) differ: {what}.")];
        let positions = position.map_or(0..inputs.count, |position| position..position + 1);
        let test = match &self.code {
            Code::Microcode(program, config) => {
                FileTest::of_case(&case(program, config, before, inputs, outputs), why, positions)
            }
            Code::Fixed(setup) => FileTest::of_fixed(&fixed_case(setup, before, inputs), why, positions),
        };
        if let Some(test) = test {
            // A debugging aid must not stop the program that it is there to explain; the mismatch is counted.
            let _ = fs::create_dir_all(directory);
            let _ = fs::write(path, test.to_string());
        }
    }
}
