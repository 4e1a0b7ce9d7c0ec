//! Names of chips, models and the like, as the library has them.

use crate::error::error;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use xfjit::asm;
use xfjit::asm::gl::Language;
use xfjit::chip::{Chip, Family};
use xfjit::config::Arithmetic;
use xfjit::isa::{Bank, Insn, Mask, OutTarget, OutWrite, Source, Unit, VecOp};
use xfjit::runtime::format::Encoding;
use xfjit::runtime::num::{Numerics, Rules};
use xfjit::{Config, Emulator, Generation, Model};

const ARITHMETICS: [(&str, Arithmetic); 2] = [("legacy", Arithmetic::Legacy), ("modern", Arithmetic::Modern)];

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let add = |name: &str, values: Vec<&str>| module.add(name, PyTuple::new(module.py(), values)?);
    add("CHIPS", Chip::ALL.iter().map(|chip| chip.name()).collect())?;
    add("GENERATIONS", Generation::ALL.iter().map(|generation| generation.name()).collect())?;
    add("MODELS", Model::ALL.iter().map(|model| model.name()).collect())?;
    add("LANGUAGES", Language::ALL.iter().map(|language| language.header()).collect())?;
    add("PRESETS", Emulator::ALL.map(Emulator::name).to_vec())?;
    add("ENCODINGS", Encoding::ALL.iter().map(|encoding| encoding.text()).collect())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}

fn list(names: impl IntoIterator<Item = &'static str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// A family by the name of a chip of it, or by its own.
fn family(name: &str) -> PyResult<Family> {
    let found = Chip::from_name(name).map(Chip::family).or_else(|| Family::from_name(name));
    found.ok_or_else(|| {
        let chips = list(Chip::ALL.iter().map(|chip| chip.name()));
        error(format_args!("`{name}` is not a chip: {chips}; or celsius, kelvin, rankine, curie"))
    })
}

/// Whose microcode a chip runs.
pub(crate) fn generation(name: &str) -> PyResult<Generation> {
    let none = || error(format_args!("`{name}` runs no programs, only its fixed function"));
    family(name)?.microcode().ok_or_else(none)
}

pub(crate) fn model(name: &str) -> PyResult<Model> {
    let names = || list(Model::ALL.iter().map(|model| model.name()));
    Model::from_name(name).ok_or_else(|| error(format_args!("`{name}` is not a model: {}", names())))
}

/// Whose arithmetic: the chip's, of Rankine and Curie by the setting of their rules.
pub(crate) fn numerics(chip: &str, model_name: &str, arithmetic: &str) -> PyResult<Numerics> {
    let found = ARITHMETICS.iter().find(|(name, _)| *name == arithmetic);
    let &(_, arithmetic) = found
        .ok_or_else(|| error(format_args!("`{arithmetic}` are not arithmetic rules: legacy, modern")))?;
    let model = model(model_name)?;
    Ok(match family(chip)?.microcode() {
        None => Numerics { model, rules: Rules::Celsius },
        Some(generation) => {
            Config::new(generation).model(model).with(|config| config.arithmetic = arithmetic).numerics()
        }
    })
}

/// The name of an output register in the assembler text.
pub(crate) fn output(generation: Generation, register: usize) -> String {
    let source = Source { bank: Bank::Input, ..Source::UNUSED };
    let copy = Insn {
        vec: VecOp::Mov,
        src: [source, Source::UNUSED, Source::UNUSED],
        out: Some(OutWrite::new(OutTarget::Output(register as u8), Mask::ALL, Unit::Vec)),
        ..Insn::NOP
    };
    let text = asm::print_insn(generation, &copy);
    let name = text.split([' ', ',']).nth(1);
    name.map_or_else(|| format!("o{register}"), str::to_owned)
}

/// The output register of a name, in either case, or of a number: `oPos`, `o0`.
pub(crate) fn output_of(generation: Generation, name: &str) -> PyResult<usize> {
    let all = 0..generation.outputs();
    let is = |register: &usize| {
        output(generation, *register).eq_ignore_ascii_case(name)
            || name.eq_ignore_ascii_case(&format!("o{register}"))
    };
    all.clone().find(is).ok_or_else(|| {
        let names: Vec<String> = all.map(|register| output(generation, register)).collect();
        let generation = generation.name();
        error(format_args!("{generation} has no output `{name}`; there are {}", names.join(", ")))
    })
}
