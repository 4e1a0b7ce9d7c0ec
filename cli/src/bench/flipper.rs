//! The tiers on the fixed set of configurations of Flipper.

use super::scalar::Renderer;
use super::{Natives, Price, Row, Tier, prepared, sample};
use crate::fail::Failure;
use std::sync::Arc;
use xfjit::Model;
use xfjit::runtime::batch::registers;
use xfjit::shader::Shader;
use xfjit_core::backend::{Backend, Eval, Interp, Routine};
use xfjit_testing::scenes::Scene;

/// Vertices on which the renderer and the library are compared before anything is measured.
const COMPARED: usize = 256;

/// Native code, the interpreter of one vertex, the evaluator of host operations, and a renderer that looks at registers for each
/// vertex.
pub fn measure(
    scene: &Scene,
    natives: &Natives,
    batches: &[usize],
    samples: usize,
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    let internal = |error: String| Failure::Internal(format!("{}: {error}", scene.name));
    let code = Shader::from(scene.setup());
    let prepare = |backend: &dyn Backend| backend.prepare(&code).map_err(|error| internal(error.to_string()));
    let native = prepared(natives, usize::MAX, scene.name, &code).map_err(internal)?;
    let mut tiers: Vec<Tier> =
        native.into_iter().map(|(name, routine, price)| tier(scene, name, routine, price)).collect();
    tiers.extend([
        tier(scene, "interp", prepare(&Interp::Single)?, Price::default()),
        tier(scene, "eval_host", prepare(&Eval::Host)?, Price::default()),
        by_hand(scene),
    ]);
    let width = live(scene).len();
    let compared = words(scene, COMPARED);
    let mut results = tiers.iter_mut().map(|tier| {
        let mut out = vec![0; 4 * width * COMPARED];
        (tier.call)(&compared, &mut out, COMPARED);
        (tier.name, out)
    });
    let Some((_, first)) = results.next() else { return Ok(()) };
    if let Some((name, _)) = results.find(|(_, out)| *out != first) {
        return Err(internal(format!("{name} computes different results from native code")));
    }
    drop(results);
    for &batch in batches {
        let inputs = words(scene, batch);
        sample(scene.name, Model::Ieee, &mut tiers, &inputs, 4 * width, batch, samples, rows);
    }
    Ok(())
}

fn live(scene: &Scene) -> Vec<u8> {
    registers(scene.setup().live_outputs).map(|register| register as u8).collect()
}

/// A row for every attribute of every vertex.
fn words(scene: &Scene, count: usize) -> Vec<u32> {
    let attributes = scene.vertices(count);
    (0..count).flat_map(|vertex| attributes.iter().flat_map(move |rows| rows[vertex])).collect()
}

fn tier(scene: &Scene, name: &'static str, routine: Arc<dyn Routine>, price: Price) -> Tier {
    Tier::of_rows(name, (routine, price), scene.context(), live(scene))
}

fn by_hand(scene: &Scene) -> Tier {
    let (mut renderer, live) =
        (Renderer::new(&scene.memory(), scene.setup().transform.vertices.colours), live(scene));
    let call = move |words: &[u32], out: &mut [u32], _: usize| {
        renderer.run(words, out, &live);
        0
    };
    Tier { name: "scalar", lanes: 1, price: Price::default(), call: Box::new(call) }
}
