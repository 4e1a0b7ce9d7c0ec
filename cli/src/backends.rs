//! The library's generations, models and backends by their names on the command line.

use crate::args::{Backend, Choice};
use crate::fail::{Failure, note};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::sync::Arc;
use xfjit::asm::gl::Notation;
use xfjit::chip::Chip;
use xfjit::flipper::Dialect;
use xfjit::{Budget, Generation, InstructionSet, Jit, Model};
use xfjit_core::backend::{self, Eval, Interp};
use xfjit_testing as testing;

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
            Model::Hw => "The chip's results, bit for bit",
            Model::Ieee => "IEEE binary32, round to nearest; close to what emulators compute",
        }
    }

    fn aliases(self) -> Vec<&'static str> {
        Vec::new()
    }
}

impl Named for InstructionSet {
    const ALL: &'static [InstructionSet] = InstructionSet::ALL;

    fn name(self) -> &'static str {
        self.name()
    }

    fn help(self) -> &'static str {
        match self {
            InstructionSet::X86_64V2 => "Intel and AMD up to SSE4.2, four vertices at a time",
            InstructionSet::X86_64V3 => "Intel and AMD with AVX2, eight vertices at a time",
            InstructionSet::X86_64V4 => "Intel and AMD with AVX-512, sixteen vertices at a time",
            InstructionSet::Aarch64 => "64-bit ARM, four vertices at a time",
        }
    }

    fn aliases(self) -> Vec<&'static str> {
        match self {
            InstructionSet::X86_64V2 => vec!["v2", "x86_64", "x86-64", "amd64"],
            InstructionSet::X86_64V3 => vec!["v3"],
            InstructionSet::X86_64V4 => vec!["v4"],
            InstructionSet::Aarch64 => vec!["arm64"],
        }
    }
}

impl Named for Dialect {
    const ALL: &'static [Dialect] = &Dialect::ALL;

    fn name(self) -> &'static str {
        self.name()
    }

    fn help(self) -> &'static str {
        match self {
            Dialect::Spec => "Documents, and tests on a console where they exist",
            Dialect::DolphinSw => "Dolphin's software renderer",
            Dialect::DolphinJit => "Dolphin's compiled vertex loaders; everything else as spec",
            Dialect::Dolphin => {
                "Dolphin's software renderer with its defaults, which use the compiled vertex loaders"
            }
        }
    }

    fn aliases(self) -> Vec<&'static str> {
        Vec::new()
    }
}

impl Named for Notation {
    const ALL: &'static [Notation] = &[Notation::Nv, Notation::Arb];

    fn name(self) -> &'static str {
        match self {
            Notation::Nv => "nv",
            Notation::Arb => "arb",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Notation::Nv => "NV_vertex_program and its successors",
            Notation::Arb => "ARB_vertex_program, with options for Rankine and Curie",
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

/// What words are translated into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Translation {
    /// Words of another generation.
    Words(Generation),
    /// NV40's native words.
    Native,
}

impl Named for Translation {
    const ALL: &'static [Translation] = &[
        Translation::Words(Generation::Kelvin),
        Translation::Words(Generation::Rankine),
        Translation::Words(Generation::Curie),
        Translation::Native,
    ];

    fn name(self) -> &'static str {
        match self {
            Translation::Words(generation) => generation.name(),
            Translation::Native => "native",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Translation::Words(generation) => Named::help(generation),
            Translation::Native => "NV40's own form of Rankine's and Curie's words",
        }
    }

    fn aliases(self) -> Vec<&'static str> {
        match self {
            Translation::Words(generation) => Named::aliases(generation),
            Translation::Native => Vec::new(),
        }
    }
}

/// Both models, or the one asked for.
pub fn models(model: Option<Model>) -> Vec<Model> {
    model.map_or(Model::ALL.to_vec(), |model| vec![model])
}

/// The reference that all others are compared with.
pub fn reference() -> Arc<dyn backend::Backend> {
    Arc::new(Interp::Single)
}

/// Native code, in an instruction set that is asked for or in the best one, if this machine can have it, or why not.
pub fn native(target: Option<InstructionSet>) -> Result<Arc<dyn backend::Backend>, String> {
    let jit = target.map_or_else(Jit::host, Jit::of);
    jit.map(|jit| Arc::new(jit) as Arc<dyn backend::Backend>).map_err(|error| error.to_string())
}

/// Native code in every instruction set that this machine has, or in the one that is asked for; of programs of any length.
///
/// # Errors
/// It is asked for, and this machine has it not.
pub fn natives(target: Option<InstructionSet>) -> Result<Vec<Arc<dyn backend::Backend>>, Failure> {
    let unlimited = |jit: Jit| Arc::new(jit.budget(Budget::UNLIMITED)) as Arc<dyn backend::Backend>;
    if let Some(target) = target {
        let jit = Jit::of(target).map_err(|error| Failure::Unsupported(error.to_string()))?;
        return Ok(vec![unlimited(jit)]);
    }
    let wide = WIDE.iter().map(|&set| Jit::of(set));
    Ok([Jit::cranelift()].into_iter().chain(wide).flatten().map(unlimited).collect())
}

/// Instruction sets with a code generator of their own.
const WIDE: [InstructionSet; 2] = [InstructionSet::X86_64V3, InstructionSet::X86_64V4];

/// Tells what of native code this machine leaves out of a comparison.
pub fn note_missing() {
    if let Err(why) = native(None) {
        note(format_args!("the back end jit is skipped: {why}"));
    }
    if cfg!(target_arch = "x86_64") {
        for why in WIDE.iter().filter_map(|set| native(Some(*set)).err()) {
            note(format_args!("not compared: {why}"));
        }
    }
}

/// Those that a name stands for; the reference comes first. Native code that this machine cannot have is left out unless it is asked
/// for by name: [`note_missing`] tells of it, beside results.
pub fn chosen(
    choice: Choice,
    target: Option<InstructionSet>,
) -> Result<Vec<Arc<dyn backend::Backend>>, Failure> {
    let native = || native(target).map_err(Failure::Unsupported);
    Ok(match choice {
        Choice::All => every(target)?,
        Choice::One(Backend::Jit) => vec![native()?],
        Choice::One(Backend::Interp) => vec![reference()],
        Choice::One(Backend::InterpBatch) => vec![Arc::new(Interp::Batched)],
        Choice::One(Backend::Eval) => vec![Arc::new(Eval::Xf)],
        Choice::One(Backend::EvalHost) => vec![Arc::new(Eval::Host)],
        Choice::One(Backend::Lockstep) => vec![reference(), native()?],
    })
}

/// Every backend of this machine, the reference first; of native code all that there is, or what is asked for.
///
/// # Errors
/// As of [`natives`].
pub fn every(target: Option<InstructionSet>) -> Result<Vec<Arc<dyn backend::Backend>>, Failure> {
    let mut all: Vec<Arc<dyn backend::Backend>> =
        vec![reference(), Arc::new(Interp::Batched), Arc::new(Eval::Xf), Arc::new(Eval::Host)];
    all.extend(natives(target)?);
    Ok(all)
}

/// Whether a backend knows the arithmetic of a model.
pub fn knows(backend: &dyn backend::Backend, model: Model) -> bool {
    !backend.runs().is_legalised() || testing::native_models().contains(&model)
}
