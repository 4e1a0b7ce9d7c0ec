//! The library's generations, models and backends by their names on the command line.

use crate::args::{Backend, Choice, Gen, Model};
use crate::fail::{Failure, note};
use std::sync::Arc;
use xfjit::Generation;
use xfjit::backend::{self, Eval, Interp};
use xfjit::testing;

/// The generation.
pub fn generation(name: Gen) -> Generation {
    match name {
        Gen::Kelvin => Generation::Kelvin,
        Gen::Rankine => Generation::Rankine,
        Gen::Curie => Generation::Curie,
    }
}

/// The arithmetic model.
pub fn model(name: Model) -> xfjit::Model {
    match name {
        Model::Hw => xfjit::Model::Hw,
        Model::Ieee => xfjit::Model::Ieee,
    }
}

/// The name of a model.
pub fn model_name(model: xfjit::Model) -> &'static str {
    match model {
        xfjit::Model::Hw => "hw",
        xfjit::Model::Ieee => "ieee",
    }
}

/// Both models, or the one asked for.
pub fn models(name: Option<Model>) -> Vec<xfjit::Model> {
    name.map_or(vec![xfjit::Model::Hw, xfjit::Model::Ieee], |name| vec![model(name)])
}

/// The reference that all others are compared with.
pub fn reference() -> Arc<dyn backend::Backend> {
    Arc::new(Interp::Single)
}

/// Native code, if this machine can have it, or why not.
pub fn native() -> Result<Arc<dyn backend::Backend>, String> {
    xfjit::native::Jit::host()
        .map(|jit| Arc::new(jit) as Arc<dyn backend::Backend>)
        .map_err(|error| error.to_string())
}

/// Those that a name stands for; the reference comes first. Native code that this machine cannot have is left out with
/// a remark unless it is asked for by name.
pub fn chosen(choice: Choice) -> Result<Vec<Arc<dyn backend::Backend>>, Failure> {
    let native = || native().map_err(Failure::Unsupported);
    Ok(match choice {
        Choice::All => {
            if let Err(why) = self::native() {
                note(format_args!("the backend jit is left out: {why}"));
            }
            every()
        }
        Choice::One(Backend::Jit) => vec![native()?],
        Choice::One(Backend::Interp) => vec![reference()],
        Choice::One(Backend::InterpBatch) => vec![Arc::new(Interp::Batched)],
        Choice::One(Backend::Eval) => vec![Arc::new(Eval::Xf)],
        Choice::One(Backend::EvalHost) => vec![Arc::new(Eval::Host)],
        Choice::One(Backend::Lockstep) => vec![reference(), native()?],
    })
}

/// Every backend of this machine, the reference first.
pub fn every() -> Vec<Arc<dyn backend::Backend>> {
    let mut all: Vec<Arc<dyn backend::Backend>> =
        vec![reference(), Arc::new(Interp::Batched), Arc::new(Eval::Xf), Arc::new(Eval::Host)];
    all.extend(native());
    all
}

/// Whether a backend knows the arithmetic of a model.
pub fn knows(backend: &dyn backend::Backend, model: xfjit::Model) -> bool {
    !backend.runs().is_legalised() || testing::native_models().contains(&model)
}
