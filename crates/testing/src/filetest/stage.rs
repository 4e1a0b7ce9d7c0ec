//! The text of the compiler's stages.

use super::{FileTest, Stage, Tested};
use crate::asm;
use crate::backend;
use crate::check::native_models;
use crate::ir::func::Func;
use crate::machine::Machine;
use crate::{isa, opt};

/// The text of a program at this stage; none if this build has no code generator for it.
///
/// # Errors
/// A program that cannot get there.
pub(super) fn text(stage: Stage, test: &FileTest) -> Result<Option<String>, String> {
    let shader = test.tested.shader().with_inputs(test.inputs);
    let layout = shader.layout();
    let host_of = |machine: &Machine| -> Result<Func, String> {
        if !test.models.first().is_some_and(|model| native_models().contains(model)) {
            return Err("the model has no recipes".to_owned());
        }
        Ok(backend::to_host(shader.lower(), machine))
    };
    let host = || host_of(&Machine::X86_64);
    Ok(Some(match stage {
        Stage::Decode => decoded(&test.tested),
        Stage::Ir => shader.lower().to_string(),
        Stage::Opt => opt::simplify(shader.lower()).to_string(),
        Stage::Host => host()?.to_string(),
        Stage::Clif => return native::clif(&host()?, layout, "x86_64"),
        Stage::AsmX8664 => return native::x86_64(&host_of(&Machine::X86_64_V3)?, layout),
        Stage::AsmAarch64 => return native::aarch64(&host_of(&Machine::AARCH64)?, layout),
    }))
}

fn decoded(tested: &Tested) -> String {
    let (program, generation, reading) = match tested {
        Tested::Microcode(program, config) => (program, config.generation, config.reading()),
        Tested::Fixed(setup) => return setup.mode.to_string(),
    };
    let words = isa::encode_as(generation, reading, program);
    let slots = words.chunks(isa::WORDS_PER_SLOT).zip(&program.insns);
    let lines = slots.map(|(words, insn)| {
        let words: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
        format!("{}  {}\n", words.join(" "), asm::print_insn(generation, insn))
    });
    lines.collect()
}

#[cfg(feature = "jit")]
mod native {
    use crate::backend::CompileError;
    use crate::ir::func::Func;
    use crate::native::{self, Compiler, InstructionSet, Target};
    use xfjit_runtime::batch::Layout;

    pub(super) fn clif(func: &Func, layout: Layout, target: &str) -> Result<Option<String>, String> {
        let Ok(target) = Target::named(target) else { return Ok(None) };
        Ok(Some(Compiler::new(target).clif_text(func, layout)))
    }

    pub(super) fn x86_64(func: &Func, layout: Layout) -> Result<Option<String>, String> {
        listing(func, layout, InstructionSet::X86_64V3)
    }

    pub(super) fn aarch64(func: &Func, layout: Layout) -> Result<Option<String>, String> {
        listing(func, layout, InstructionSet::Aarch64)
    }

    /// The code of an emitter that this build has.
    fn listing(func: &Func, layout: Layout, set: InstructionSet) -> Result<Option<String>, String> {
        match native::listing(func, layout, set) {
            Ok(listing) => Ok(Some(listing.text)),
            Err(CompileError::Host(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[cfg(not(feature = "jit"))]
mod native {
    use crate::ir::func::Func;
    use xfjit_runtime::batch::Layout;

    pub(super) fn clif(_: &Func, _: Layout, _: &str) -> Result<Option<String>, String> {
        Ok(None)
    }

    pub(super) fn x86_64(_: &Func, _: Layout) -> Result<Option<String>, String> {
        Ok(None)
    }

    pub(super) fn aarch64(_: &Func, _: Layout) -> Result<Option<String>, String> {
        Ok(None)
    }
}
