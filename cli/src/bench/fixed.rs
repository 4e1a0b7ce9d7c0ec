//! The tiers on the fixed set of configurations of the fixed function.

use super::{COMPILES, Row, Tier, median, sample};
use crate::fail::Failure;
use std::sync::Arc;
use std::time::Duration;
use xfjit::Model;
use xfjit::backend::{Backend, Cost, Interp, Routine, Worker};
use xfjit::front::fixed::Setup;
use xfjit::native::Jit;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs, registers};
use xfjit::runtime::state::ATTRIBUTES;
use xfjit::shader::Shader;
use xfjit::testing::setups::FixedSetup;

/// Native code, and the evaluator, which is the reference.
pub fn measure(
    set: &FixedSetup,
    model: Model,
    batches: &[usize],
    samples: usize,
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    let internal = |error: String| Failure::Internal(format!("{}: {error}", set.name));
    let code = Shader::from(Setup::new(set.mode()).model(model));
    let jit = Jit::host().map_err(|error| internal(error.to_string()))?;
    let native = jit.prepare(&code).map_err(|error| internal(error.to_string()))?;
    let reference = Interp::Single.prepare(&code).map_err(|error| internal(error.to_string()))?;
    let compiles = (0..COMPILES).filter_map(|_| jit.prepare(&code).ok());
    let mut times: Vec<f64> = compiles.map(|routine| routine.cost().compile_time.as_secs_f64()).collect();
    let mut cost = native.cost();
    cost.compile_time = Duration::from_secs_f64(median(&mut times));
    let mut tiers = [tier(set, "jit", native, cost), tier(set, "interp", reference, Cost::default())];
    let width = registers(Setup::new(set.mode()).outputs()).count();
    for &batch in batches {
        let attributes = set.vertices(batch);
        let vertices = (0..batch).flat_map(|vertex| attributes.iter().flat_map(move |rows| rows[vertex]));
        let inputs: Vec<u32> = vertices.collect();
        sample(set.name, model, &mut tiers, &inputs, 4 * width, batch, samples, rows);
    }
    Ok(())
}

fn tier(set: &FixedSetup, name: &'static str, routine: Arc<dyn Routine>, cost: Cost) -> Tier {
    let (mut worker, mut context) = (Worker::new(), set.context());
    let live: Vec<u8> = registers(Setup::new(set.mode()).outputs()).map(|register| register as u8).collect();
    let call = move |words: &[u32], out: &mut [u32], batch: usize| {
        let mut inputs = Inputs::new(batch);
        for (register, attribute) in inputs.attributes.iter_mut().enumerate() {
            *attribute = Attribute::interleaved(words, 4 * register, 4 * ATTRIBUTES);
        }
        let mut outputs = Outputs::interleaved(out, &live);
        let outcome = routine.run(&mut worker, &mut context, &inputs, &mut outputs);
        outcome.map_or(u64::MAX, |outcome| outcome.deopt_groups)
    };
    Tier { name, cost, call: Box::new(call) }
}
