//! The library's generations, models and backends by their names on the command line.

use crate::args::{Backend, Choice};
use crate::fail::{Failure, note};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::sync::Arc;
use xfjit::backend::{self, Eval, Interp};
use xfjit::chip::Chip;
use xfjit::testing;
use xfjit::{Generation, Model};

/// A type of the library whose values have names on the command line.
pub trait Named: Copy + Send + Sync + 'static {
    /// Every value.
    const ALL: &'static [Self];

    /// The name.
    fn name(self) -> &'static str;

    /// What help pages say about it.
    fn help(self) -> &'static str;

    /// Other names, which help pages do not tell.
    fn aliases(self) -> Vec<&'static str>;
}

impl Named for Generation {
    const ALL: &'static [Generation] = Generation::ALL;

    fn name(self) -> &'static str {
        self.name()
    }

    fn help(self) -> &'static str {
        match self {
            Generation::Kelvin => "NV20, NV25, NV2A (Xbox)",
            Generation::Rankine => "NV30",
            Generation::Curie => "NV40",
            _ => "",
        }
    }

    /// Its chips.
    fn aliases(self) -> Vec<&'static str> {
        let chips = Chip::ALL.iter().filter(|chip| chip.family() == self.family()).map(|chip| chip.name());
        chips.chain((self == Generation::Kelvin).then_some("xbox")).collect()
    }
}

impl Named for Model {
    const ALL: &'static [Model] = Model::ALL;

    fn name(self) -> &'static str {
        self.name()
    }

    fn help(self) -> &'static str {
        match self {
            Model::Hw => "Bit for bit what the chip computes",
            Model::Ieee => "IEEE binary32, round to nearest: near to what emulators do",
        }
    }

    fn aliases(self) -> Vec<&'static str> {
        Vec::new()
    }
}

/// Reads a value by its name.
pub fn by_name<T: Named>() -> impl TypedValueParser<Value = T> {
    let values = T::ALL
        .iter()
        .map(|value| PossibleValue::new(value.name()).help(value.help()).aliases(value.aliases()));
    PossibleValuesParser::new(values).try_map(|text| {
        let is = |value: &&T| value.name() == text || value.aliases().contains(&text.as_str());
        T::ALL.iter().find(is).copied().ok_or("no such name")
    })
}

/// Both models, or the one asked for.
pub fn models(model: Option<Model>) -> Vec<Model> {
    model.map_or(Model::ALL.to_vec(), |model| vec![model])
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
pub fn knows(backend: &dyn backend::Backend, model: Model) -> bool {
    !backend.runs().is_legalised() || testing::native_models().contains(&model)
}
