//! The tiers on the fixed set of configurations of the fixed function.

use super::{Natives, Price, Row, Tier, prepared, sample};
use crate::fail::Failure;
use std::sync::Arc;
use xfjit::Model;
use xfjit::backend::{Backend, Interp, Routine};
use xfjit::front::fixed::Setup;
use xfjit::runtime::batch::registers;
use xfjit::shader::Shader;
use xfjit_testing::setups::FixedSetup;

/// Native code, and the evaluator, which is the reference.
pub fn measure(
    set: &FixedSetup,
    model: Model,
    natives: &Natives,
    batches: &[usize],
    samples: usize,
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    let internal = |error: String| Failure::Internal(format!("{}: {error}", set.name));
    let code = Shader::from(Setup::new(set.mode()).model(model));
    let reference = Interp::Single.prepare(&code).map_err(|error| internal(error.to_string()))?;
    let native = prepared(natives, usize::MAX, set.name, &code).map_err(internal)?;
    let mut tiers: Vec<Tier> =
        native.into_iter().map(|(name, routine, price)| tier(set, name, routine, price)).collect();
    tiers.push(tier(set, "interp", reference, Price::default()));
    let width = registers(Setup::new(set.mode()).outputs()).count();
    for &batch in batches {
        let attributes = set.vertices(batch);
        let vertices = (0..batch).flat_map(|vertex| attributes.iter().flat_map(move |rows| rows[vertex]));
        let inputs: Vec<u32> = vertices.collect();
        sample(set.name, model, &mut tiers, &inputs, 4 * width, batch, samples, rows);
    }
    Ok(())
}

fn tier(set: &FixedSetup, name: &'static str, routine: Arc<dyn Routine>, price: Price) -> Tier {
    let live = registers(Setup::new(set.mode()).outputs()).map(|register| register as u8).collect();
    Tier::of_rows(name, (routine, price), set.context(), live)
}
