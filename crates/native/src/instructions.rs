//! The instruction sets of native code, and which of them this process uses.

use crate::backend::CompileError;
use crate::machine::Machine;
use std::sync::OnceLock;

/// An instruction set of native code: a level of the ABI of x86-64, or AArch64. Code for all of them computes
/// the same bits.
///
/// The environment variable [`InstructionSet::VARIABLE`] limits what a process uses. It holds the name of a set. The functions here
/// then hide features of wider sets, as if the processor lacked them. So you can try code for older machines on any machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InstructionSet {
    /// x86-64 up to SSE4.2: vectors of four vertices.
    X86_64V2,
    /// x86-64 with AVX2: vectors of eight vertices. Programs that its code generator refuses use vectors of
    /// four.
    X86_64V3,
    /// x86-64 with AVX-512 (F, DQ, VL, BW): vectors of sixteen vertices. Programs that its code generator refuses use vectors of
    /// four.
    X86_64V4,
    /// AArch64: vectors of four vertices.
    Aarch64,
}

use InstructionSet::{Aarch64, X86_64V2, X86_64V3, X86_64V4};

impl InstructionSet {
    /// All of them. Narrow ones of an architecture come first.
    pub const ALL: &[InstructionSet] = &[X86_64V2, X86_64V3, X86_64V4, Aarch64];

    /// The environment variable that names the widest set that this process may use. The library reads it once. With a value that
    /// names no set, the process has no native code, and [`InstructionSet::check_host`] says so. An empty value counts as unset.
    pub const VARIABLE: &str = "XFJIT_INSTRUCTIONS";

    /// The name, as the ABI has it.
    pub const fn name(self) -> &'static str {
        match self {
            X86_64V2 => "x86-64-v2",
            X86_64V3 => "x86-64-v3",
            X86_64V4 => "x86-64-v4",
            Aarch64 => "aarch64",
        }
    }

    /// The processor features that its code uses, by their names in Rust. (A level of the ABI has more
    /// features than these.)
    pub const fn features(self) -> &'static [&'static str] {
        match self {
            X86_64V2 => &["sse3", "ssse3", "sse4.1", "sse4.2"],
            X86_64V3 => &["avx", "avx2", "fma"],
            X86_64V4 => &["avx512f", "avx512dq", "avx512vl", "avx512bw"],
            Aarch64 => &["neon"],
        }
    }

    /// The architecture, by its name in Rust.
    pub const fn architecture(self) -> &'static str {
        match self {
            X86_64V2 | X86_64V3 | X86_64V4 => "x86_64",
            Aarch64 => "aarch64",
        }
    }

    /// Those of its [features](InstructionSet::features) that this processor has and the process may use.
    pub fn present(self) -> impl Iterator<Item = &'static str> {
        let is_hidden = self.is_hidden();
        self.features().iter().copied().filter(move |feature| !is_hidden && has(feature))
    }

    /// Whether a narrower set is the widest that this process may use, see [`InstructionSet::VARIABLE`].
    pub(crate) fn is_hidden(self) -> bool {
        bound().as_ref().is_ok_and(|bound| bound.is_some_and(|bound| self.is_wider_than(bound)))
    }

    /// Whether it has all that another one of its architecture has, and more.
    const fn is_wider_than(self, other: InstructionSet) -> bool {
        match (self, other) {
            (X86_64V3 | X86_64V4, X86_64V2) | (X86_64V4, X86_64V3) => true,
            (X86_64V2 | X86_64V3 | X86_64V4 | Aarch64, _) => false,
        }
    }

    /// The sets that this machine can run, narrow ones first.
    pub fn here() -> impl Iterator<Item = InstructionSet> {
        InstructionSet::ALL.iter().copied().filter(|set| set.check_host().is_ok())
    }

    /// The widest set that this machine can run, which is the default. `None` if there is no code generator
    /// for this machine.
    pub fn best() -> Option<InstructionSet> {
        InstructionSet::here().last()
    }

    /// Refuses a set that this machine cannot run.
    ///
    /// # Errors
    /// [`CompileError::Host`] if this machine has another architecture or lacks features, or if this build
    /// has no code generator for the set.
    pub fn check_host(self) -> Result<(), CompileError> {
        let refused = |why: String| Err(CompileError::Host(format!("{}: {why}", self.name())));
        if self.architecture() != std::env::consts::ARCH {
            return refused(format!("this is {}", std::env::consts::ARCH));
        }
        InstructionSet::check_bound()?;
        if self.is_hidden() {
            return refused(format!("{} hides it", Self::VARIABLE));
        }
        let missing: Vec<&str> = self.features().iter().copied().filter(|feature| !has(feature)).collect();
        if !missing.is_empty() {
            return refused(format!("the processor lacks {}", missing.join(", ")));
        }
        if self.is_wide() && cfg!(not(feature = "wide")) {
            return refused("this build has no code generator for it".to_owned());
        }
        Ok(())
    }

    /// Refuses a process in which the variable has a value that names no set.
    pub(crate) fn check_bound() -> Result<(), CompileError> {
        bound().as_ref().map(drop).map_err(|value| {
            CompileError::Host(format!("{} is {value:?}, which is no instruction set", Self::VARIABLE))
        })
    }

    /// Whether its vectors are longer than 128 bits.
    pub(crate) const fn is_wide(self) -> bool {
        matches!(self, X86_64V3 | X86_64V4)
    }

    /// The properties of the set that the compiler's passes need.
    #[doc(hidden)]
    pub const fn machine(self) -> Machine {
        match self {
            X86_64V2 => Machine::X86_64,
            X86_64V3 => Machine::X86_64_V3,
            X86_64V4 => Machine::X86_64_V4,
            Aarch64 => Machine::AARCH64,
        }
    }
}

/// The widest set that this process may use, if something bounds it, or a text that should name one and does not.
fn bound() -> &'static Result<Option<InstructionSet>, String> {
    static BOUND: OnceLock<Result<Option<InstructionSet>, String>> = OnceLock::new();
    BOUND.get_or_init(|| {
        let Some(value) = std::env::var_os(InstructionSet::VARIABLE).filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        let named = |set: &&InstructionSet| value == set.name();
        InstructionSet::ALL
            .iter()
            .find(named)
            .copied()
            .map(Some)
            .ok_or_else(|| value.to_string_lossy().into_owned())
    })
}

/// Whether this processor has a feature, and the system saves its registers.
fn has(feature: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        match feature {
            "sse3" => has!("sse3"),
            "ssse3" => has!("ssse3"),
            "sse4.1" => has!("sse4.1"),
            "sse4.2" => has!("sse4.2"),
            "avx" => has!("avx"),
            "avx2" => has!("avx2"),
            "fma" => has!("fma"),
            "avx512f" => has!("avx512f"),
            "avx512dq" => has!("avx512dq"),
            "avx512vl" => has!("avx512vl"),
            "avx512bw" => has!("avx512bw"),
            _ => false,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        cfg!(target_arch = "aarch64") && feature == "neon"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Jit;
    use crate::backend::Backend;

    #[test]
    fn a_set_is_here_or_says_why_not() {
        for &set in InstructionSet::ALL {
            let (here, jit) = (set.check_host(), Jit::of(set));
            assert_eq!(here.is_ok(), jit.is_ok(), "{}", set.name());
            if let Err(error) = here {
                assert_eq!(jit.expect_err("the same"), error);
                assert!(error.to_string().contains(set.name()), "{error}");
            }
        }
        let [x86, arm] = [X86_64V2, Aarch64].map(|set| set.check_host().is_ok());
        assert!(!(x86 && arm));
        assert!(InstructionSet::here().all(|set| Jit::of(set).is_ok()));
        let best = InstructionSet::best().map(|set| set.machine().lanes);
        assert_eq!(best, InstructionSet::here().map(|set| set.machine().lanes).max());
        let lanes = |jit: Result<Jit, CompileError>| Some(jit.ok()?.name());
        assert_eq!(lanes(Jit::host()), InstructionSet::best().and_then(|set| lanes(Jit::of(set))));
    }

    /// Every feature that code is made for is one that is asked for: an unknown one would never be there.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn features_have_names_that_the_processor_s_are_looked_up_by() {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags")?.split_once(':'));
        let Some((_, flags)) = flags else { return };
        for &set in InstructionSet::ALL.iter().filter(|&&set| set != Aarch64) {
            for feature in set.features() {
                let name = match *feature {
                    "sse3" => "pni".to_owned(),
                    other => other.replace("sse4.", "sse4_"),
                };
                assert_eq!(flags.split(' ').any(|flag| flag == name), has(feature), "{feature}");
            }
        }
    }

    #[test]
    fn what_is_wider_has_more() {
        for (&a, &b) in
            InstructionSet::ALL.iter().flat_map(|a| InstructionSet::ALL.iter().map(move |b| (a, b)))
        {
            let is_wider = a.architecture() == b.architecture() && a as usize > b as usize;
            assert_eq!(a.is_wider_than(b), is_wider, "{} and {}", a.name(), b.name());
        }
    }

    #[test]
    fn wide_sets_have_the_lanes_of_their_vectors() {
        let lanes: Vec<usize> = InstructionSet::ALL.iter().map(|set| set.machine().lanes).collect();
        assert_eq!(lanes, [4, 8, 16, 4]);
    }
}
