//! Target machines and the settings of Cranelift.

use super::super::budget::Allocator;
use super::super::instructions::InstructionSet;
use crate::backend::CompileError;
use crate::machine::Machine;
use cranelift_codegen::CodegenError;
use cranelift_codegen::isa::{self, CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable, SetResult};
use std::fmt;
use target_lexicon::{Architecture, ParseError, Triple};
#[cfg(doc)]
use xfjit_runtime::abi::Entry;

/// A machine to generate code for.
#[derive(Clone)]
pub struct Target {
    pub(super) isa: OwnedTargetIsa,
    /// This target with the simple register allocator.
    pub(super) quick: OwnedTargetIsa,
    machine: Machine,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target").field(&self.name()).finish()
    }
}

/// Cranelift's names of what x86-64-v2 has and its code uses.
const X86_64_V2: &[&str] = &["has_sse3", "has_ssse3", "has_sse41", "has_sse42"];

/// Its names of what an instruction set beyond has, first x86-64-v3, and what processors have beside the set.
const BEYOND: [(InstructionSet, &[&str]); 2] = [
    (
        InstructionSet::X86_64V3,
        &["has_avx", "has_avx2", "has_fma", "has_bmi1", "has_bmi2", "has_lzcnt", "has_avx_vnni"],
    ),
    (
        InstructionSet::X86_64V4,
        &[
            "has_avx512f",
            "has_avx512dq",
            "has_avx512vl",
            "has_avx512vbmi",
            "has_avx512bitalg",
            "has_avx512vnni",
        ],
    ),
];

fn enable(builder: &mut isa::Builder, features: &[&str]) -> SetResult<()> {
    features.iter().try_for_each(|feature| builder.enable(feature))
}

fn flags(allocator: Allocator) -> settings::Flags {
    let mut flags = settings::builder();
    let values = [
        // Our IR is optimised already; Cranelift's optimiser would reschedule it and fold floats to nearest.
        ("opt_level", "none"),
        ("regalloc_algorithm", allocator.name()),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("is_pic", "false"),
        ("unwind_info", "false"),
        // A frame of several pages must not skip the guard page at the end of the stack.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        ("probestack_size_log2", "12"),
        ("use_colocated_libcalls", "false"),
    ];
    for (name, value) in values {
        flags.set(name, value).expect("the flag exists in the pinned version");
    }
    settings::Flags::new(flags)
}

impl Target {
    /// This machine, without what is hidden of it ([`InstructionSet::VARIABLE`]).
    ///
    /// # Errors
    /// [`CompileError::Host`] if it has no code generator, or no SSE4.1.
    pub fn host() -> Result<Self, CompileError> {
        // Elsewhere the floating-point environment cannot be set (`xfjit_runtime::fpenv`).
        if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            return Err(CompileError::Host("neither x86-64 nor AArch64".to_owned()));
        }
        let mut builder = cranelift_native::builder().map_err(|why| CompileError::Host(why.to_owned()))?;
        InstructionSet::check_bound()?;
        for (_, features) in BEYOND.iter().filter(|(set, _)| set.is_hidden()) {
            let hide = |feature: &&str| builder.set(feature, "false");
            features.iter().try_for_each(hide).map_err(|error| CompileError::Host(error.to_string()))?;
        }
        #[cfg(target_arch = "x86_64")]
        if !std::arch::is_x86_feature_detected!("sse4.1") {
            return Err(CompileError::Host("the processor lacks SSE4.1".to_owned()));
        }
        Self::finish(builder).map_err(|error| CompileError::Host(error.to_string()))
    }

    /// This machine, with vectors of 128 bits and nothing beyond an instruction set.
    ///
    /// # Errors
    /// As of [`Target::host`].
    pub fn of(instructions: InstructionSet) -> Result<Self, CompileError> {
        if instructions != InstructionSet::X86_64V2 {
            return Self::host();
        }
        let refused = |error: &dyn fmt::Display| CompileError::Host(error.to_string());
        let mut builder = isa::lookup(Triple::host()).map_err(|error| refused(&error))?;
        enable(&mut builder, X86_64_V2).map_err(|error| refused(&error))?;
        Self::finish(builder).map_err(|error| refused(&error))
    }

    /// Another machine, by architecture: `x86_64` (with AVX2), `x86-64-v2` (without) or `aarch64`, to inspect its code or run it
    /// elsewhere; under Linux, or under another system by a triple such as `x86_64-pc-windows-msvc`.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this build has no such code generator.
    pub fn named(architecture: &str) -> Result<Self, CompileError> {
        let unknown = |error: &dyn fmt::Display| CompileError::Host(format!("{architecture}: {error}"));
        let triple = match architecture {
            "x86_64" | "x86-64-v2" => "x86_64-unknown-linux-gnu",
            "aarch64" => "aarch64-unknown-linux-gnu",
            triple if ["x86_64-", "aarch64-"].iter().any(|start| triple.starts_with(start)) => triple,
            _ => return Err(unknown(&"neither x86_64 nor aarch64")),
        };
        let mut builder = isa::lookup(triple.parse().map_err(|error: ParseError| unknown(&error))?)
            .map_err(|error| unknown(&error))?;
        if triple.starts_with("x86_64") {
            enable(&mut builder, X86_64_V2).map_err(|error| unknown(&error))?;
        }
        if architecture.starts_with("x86_64") {
            enable(&mut builder, &["has_avx", "has_avx2"]).map_err(|error| unknown(&error))?;
        }
        Self::finish(builder).map_err(|error| unknown(&error))
    }

    fn finish(builder: isa::Builder) -> Result<Self, CodegenError> {
        let isa = builder.finish(flags(Allocator::Thorough))?;
        let is_x86 = isa.triple().architecture == Architecture::X86_64;
        let machine = if is_x86 { Machine::X86_64 } else { Machine::AARCH64 };
        Ok(Target { isa, quick: builder.finish(flags(Allocator::Quick))?, machine })
    }

    /// The properties of the machine that passes depend on.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The calling convention of [`Entry`] on it.
    pub(super) fn convention(&self) -> CallConv {
        let is_x86 = self.isa.triple().architecture == Architecture::X86_64;
        if is_x86 { CallConv::SystemV } else { self.isa.default_call_conv() }
    }

    /// Whether its vectors add products that are rounded once.
    pub(super) fn has_fused(&self) -> bool {
        let has = |name: &str| self.features().any(|feature| feature == name);
        self.isa.triple().architecture != Architecture::X86_64 || has("has_avx") && has("has_fma")
    }

    /// Cranelift's names of the instruction sets in use.
    fn features(&self) -> impl Iterator<Item = &'static str> {
        let enabled = self.isa.isa_flags().into_iter().filter(|flag| flag.as_bool() == Some(true));
        enabled.map(|flag| flag.name)
    }

    /// Architecture, vertices of a group and the instruction sets in use; part of cache keys.
    pub fn name(&self) -> String {
        let enabled: Vec<&str> = self.features().collect();
        let Machine { lanes, .. } = self.machine;
        format!("{} {lanes} lanes {}", self.isa.triple().architecture, enabled.join(" "))
    }
}

#[cfg(test)]
mod tests;
