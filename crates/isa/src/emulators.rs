//! Presets: the configuration that comes nearest to what an emulator computes.
//!
//! A preset sets the switches that [`Config`] has, and the emulator's [`Forms`], as far as its own code was run; what still differs, and
//! how that is known, stands in docs/NUMERICS.md ("What emulators compute").

use crate::config::{
    AddressBias, Addresses, Arithmetic, BothOutputs, Comparisons, Config, ConstantResults, EndOnBranch,
    Extremes, FogWrite, Forms, Indirect, Library, Products, QuirkSet, ReadBack, Reciprocals, RowCount,
    SignOfNan, Waves, WriteOrder,
};
use crate::isa::{BranchTest, Generation, PairedScalar};
use std::fmt;
use std::str::FromStr;
use xfjit_runtime::num::Model;

/// An emulator of the chips that runs vertex programs. Names parse ([`Emulator::name`]), in either case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Emulator {
    /// nv2a_vsh_cpu, the interpreter that xemu and Cxbx-Reloaded run programs with that write constants and draw
    /// nothing. Sets `ieee` and its forms, constant writes, the bias of its ARL, which writes no address unless that is asked for
    /// (`addresses`); both units write r1, the scalar one last; oFog is written as masked.
    Nv2aVshCpu,
    /// xemu's draws, which are GLSL. Sets `ieee`, the bias of ARL, that of two writes to r1 the vector unit's is
    /// dropped, and that oFog takes x of the result. Constant writes, with which xemu stops, are dropped.
    Xemu,
    /// Cxbx-Reloaded's draws, which are HLSL. Sets `ieee`, the bias of ARL, and that oFog takes x of the result; constant
    /// writes are dropped.
    Cxbx,
    /// MAME. Sets `ieee` and its forms, and constant writes; both units write r1, the scalar one last; oFog is written as masked.
    Mame,
    /// Bochs. Sets `ieee` and its forms, but for its 512 rows (`rows`); on Kelvin oFog is written as masked; on the later
    /// two END ends whatever else the word does, and rules are legacy. Constant writes are dropped.
    Bochs,
    /// RPCS3, by its interpreter where that and its decompiler disagree. Sets `ieee`, modern rules; END ends on a
    /// taken branch, too, an indirect one goes to the slot that its register names, and the test field of a branch
    /// decides.
    Rpcs3,
}

impl Emulator {
    /// Every one.
    pub const ALL: [Emulator; 6] = [
        Emulator::Nv2aVshCpu,
        Emulator::Xemu,
        Emulator::Cxbx,
        Emulator::Mame,
        Emulator::Bochs,
        Emulator::Rpcs3,
    ];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Emulator::Nv2aVshCpu => "nv2a_vsh_cpu",
            Emulator::Xemu => "xemu",
            Emulator::Cxbx => "cxbx",
            Emulator::Mame => "mame",
            Emulator::Bochs => "bochs",
            Emulator::Rpcs3 => "rpcs3",
        }
    }

    /// Whose programs it runs.
    pub const fn generations(self) -> &'static [Generation] {
        match self {
            Emulator::Nv2aVshCpu | Emulator::Xemu | Emulator::Cxbx | Emulator::Mame => &[Generation::Kelvin],
            Emulator::Bochs => Generation::ALL,
            Emulator::Rpcs3 => &[Generation::Curie],
        }
    }
}

impl fmt::Display for Emulator {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Emulator {
    type Err = UnknownEmulator;

    fn from_str(name: &str) -> Result<Self, UnknownEmulator> {
        let found = Emulator::ALL.into_iter().find(|emulator| emulator.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownEmulator(name.to_owned()))
    }
}

/// No emulator has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownEmulator(String);

impl fmt::Display for UnknownEmulator {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names = Emulator::ALL.map(Emulator::name).join(", ");
        write!(f, "no preset is called {:?}; there are {names}", self.0)
    }
}

impl std::error::Error for UnknownEmulator {}

/// The emulator does not run this generation's programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotEmulated {
    /// The emulator.
    pub emulator: Emulator,
    /// Whose programs it does not run.
    pub generation: Generation,
}

impl fmt::Display for NotEmulated {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let runs: Vec<_> = self.emulator.generations().iter().map(|generation| generation.name()).collect();
        let (emulator, generation) = (self.emulator, self.generation.name());
        write!(f, "{emulator} runs no programs of {generation}, only of {}", runs.join(", "))
    }
}

impl std::error::Error for NotEmulated {}

impl Emulator {
    /// What it computes otherwise than `ieee` where it runs a generation's programs, as far as its own code was run.
    pub fn forms(self, generation: Generation) -> Forms {
        let mut forms = Forms::default();
        match self {
            Emulator::Nv2aVshCpu => {
                forms.products = Products::Saturated;
                forms.extremes = Extremes::Either;
                forms.comparisons = Comparisons::Signed;
                forms.reciprocals = Reciprocals::Decimal;
                forms.addresses = Addresses::Never;
            }
            Emulator::Mame => {
                forms.products = Products::Plain;
                forms.extremes = Extremes::Numbers;
                forms.reciprocals = Reciprocals::Operand;
                forms.addresses = Addresses::Truncated;
                forms.read_back = ReadBack::Whole;
                forms.constant_results = ConstantResults::ScalarElsewhere;
            }
            Emulator::Bochs => {
                forms.products = Products::Plain;
                forms.extremes = Extremes::Either;
                forms.sign_of_nan = SignOfNan::One;
                forms.reciprocals = Reciprocals::Unclamped;
                forms.addresses = Addresses::Wrapped;
                forms.read_back = ReadBack::Output;
                forms.both_outputs = BothOutputs::Position;
                forms.constant_results = ConstantResults::Elsewhere;
                forms.waves = Waves::Half;
                forms.rows = RowCount::Chip;
            }
            Emulator::Xemu | Emulator::Cxbx | Emulator::Rpcs3 => {}
        }
        forms.of(generation)
    }

    /// What [`Forms::library`] is to be for its EXP, LOG, LIT, LG2 and EX2, if its own code was run; forms of presets have the chip's.
    pub const fn library(self) -> Library {
        match self {
            Emulator::Nv2aVshCpu => Library::Nv2aVshCpu,
            Emulator::Mame => Library::Mame,
            Emulator::Bochs => Library::Bochs,
            Emulator::Xemu | Emulator::Cxbx | Emulator::Rpcs3 => Library::Chip,
        }
    }
}

impl Config {
    /// The configuration nearest to an emulator: every output, and the switches and forms that [`Emulator`] names.
    ///
    /// What the guest sets up (modes, boolean constants, timeout, viewport) is as in [`Config::new`], but for
    /// `constant_writes`, which is what the emulator allows at most.
    ///
    /// # Errors
    ///
    /// [`NotEmulated`], if it does not run this generation's programs.
    pub fn like(emulator: Emulator, generation: Generation) -> Result<Self, NotEmulated> {
        if !emulator.generations().contains(&generation) {
            return Err(NotEmulated { emulator, generation });
        }
        let mut config = Config::new(generation).model(Model::Ieee);
        config.forms = emulator.forms(generation);
        match emulator {
            Emulator::Nv2aVshCpu => {
                config.constant_writes = true;
                config.quirks.address_bias = AddressBias::Milli;
                config.quirks.write_order = WriteOrder::ScalarWins;
                config.quirks.fog_write = FogWrite::Masked;
            }
            Emulator::Xemu => {
                config.quirks.address_bias = AddressBias::Milli;
                config.quirks.write_order = WriteOrder::VectorDropped;
                config.quirks.fog_write = FogWrite::AnyComponent;
            }
            Emulator::Cxbx => {
                config.quirks.address_bias = AddressBias::Milli;
                config.quirks.fog_write = FogWrite::AnyComponent;
            }
            Emulator::Mame => {
                config.constant_writes = true;
                config.quirks.write_order = WriteOrder::ScalarWins;
                config.quirks.fog_write = FogWrite::Masked;
            }
            Emulator::Bochs => {
                config.arithmetic = Arithmetic::Legacy;
                config.quirks.end_on_branch = EndOnBranch::Ends;
                config.quirks.paired = PairedScalar::R1;
                config.quirks.fog_write = FogWrite::Masked;
            }
            Emulator::Rpcs3 => {
                config.arithmetic = Arithmetic::Modern;
                config.quirks.end_on_branch = EndOnBranch::Ends;
                config.quirks.indirect = Indirect::Slot;
                config.quirks.branch_test = BranchTest::Field;
            }
        }
        Ok(config)
    }
}
