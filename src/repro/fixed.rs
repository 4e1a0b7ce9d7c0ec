//! A configuration of the fixed function with everything that it runs on.

use super::{Placement, Ran, Refusal};
use xfjit_core::backend::{Backend, Routine, Worker};
use xfjit_core::front::fixed::Setup;
use xfjit_core::front::flipper;
use xfjit_core::shader::Shader;
use xfjit_runtime::batch::{Attribute, Inputs, Layout, Outputs, Place, StreamError, registers};
use xfjit_runtime::state::{ATTRIBUTES, Context, OUTPUTS, Row};

/// A configuration with everything that it runs on: one of the fixed function, or of a pipeline like it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedCase<S = Setup> {
    /// The configuration.
    pub setup: S,
    /// The memories.
    pub context: Context,
    /// Vertex attributes: a row for each vertex.
    pub attributes: [Vec<Row>; ATTRIBUTES],
}

/// A configuration of Flipper with everything that it runs on.
pub type FlipperCase = FixedCase<flipper::Setup>;

impl<S: Copy + Into<Shader>> FixedCase<S> {
    /// The configuration as a shader.
    pub fn shader(&self) -> Shader {
        self.setup.into()
    }

    /// Vertices.
    pub fn count(&self) -> usize {
        self.attributes[0].len()
    }

    /// The registers that are put out.
    pub fn live(&self) -> Vec<u8> {
        registers(self.shader().live_outputs()).map(|register| register as u8).collect()
    }

    /// Runs the case; its outputs lie side by side.
    ///
    /// # Errors
    /// What the backend cannot prepare.
    pub fn run(&self, backend: &dyn Backend, worker: &mut Worker) -> Result<Ran, Refusal> {
        let routine = backend.prepare(&self.shader()).map_err(Refusal::Compile)?;
        self.run_on(&*routine, worker).map_err(Refusal::Streams)
    }

    /// Runs the case on a routine that has been prepared for it.
    ///
    /// # Errors
    /// Streams that do not hold what the routine reads; those of the case do.
    pub fn run_on(&self, routine: &dyn Routine, worker: &mut Worker) -> Result<Ran, StreamError> {
        let mut inputs = Inputs::new(self.count());
        for (register, rows) in self.attributes.iter().enumerate() {
            inputs = inputs.with(register, Attribute::rows(rows));
        }
        self.run_with(routine, worker, &inputs)
    }

    /// Runs the case with the attributes elsewhere.
    ///
    /// # Errors
    /// As [`FixedCase::run_on`].
    pub fn run_with(
        &self,
        routine: &dyn Routine,
        worker: &mut Worker,
        inputs: &Inputs<'_>,
    ) -> Result<Ran, StreamError> {
        let mut output = vec![0; 16 * self.live().len() * self.count()];
        let Placement { layout, places, .. } = self.placement();
        let outputs = Outputs::new(&mut output, layout, places);
        let ran = Ran::of(routine, worker, Box::new(self.context.clone()), inputs, &outputs)?;
        Ok(Ran { output, ..ran })
    }

    /// Where its outputs lie.
    pub fn placement(&self) -> Placement {
        let (live, count, layout) = (self.live(), self.count(), self.shader().layout());
        let mut places = [None; OUTPUTS];
        for (i, &register) in live.iter().enumerate() {
            places[usize::from(register)] = Some(match layout {
                Layout::Rows => Place { offset: 16 * i, stride: 16 * live.len() },
                Layout::Planes => Place { offset: 16 * i * count, stride: 4 * count },
            });
        }
        Placement { layout, places, count }
    }
}
