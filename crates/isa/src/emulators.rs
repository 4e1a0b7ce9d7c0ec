//! Presets: the configuration that comes nearest to what an emulator computes.
//!
//! A preset sets the switches that [`Config`] has, and the emulator's [`Forms`], as far as its own code was run. docs/NUMERICS.md ("What
//! emulators compute") lists what still differs, and how that is known.

use crate::config::{
    AddressBias, Addresses, Arithmetic, BothOutputs, Comparisons, Config, ConstantResults, EndOnBranch,
    Extremes, FogWrite, Forms, Indirect, Library, Products, QuirkSet, ReadBack, Reciprocals, RowCount,
    SignOfNan, Waves, WriteOrder,
};
use crate::isa::{BranchTest, Generation, PairedScalar};
use std::fmt;
use std::str::FromStr;
use xfjit_runtime::num::Model;

/// An emulator of the chips that runs vertex programs. Names parse ([`Emulator::name`]), in upper or lower case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Emulator {
    /// nv2a_vsh_cpu, the interpreter of xemu and Cxbx-Reloaded for programs that write constants and draw nothing. The preset sets `ieee`
    /// and its forms, constant writes, and the bias of its ARL, which writes no address unless `addresses` requests it. Both units write
    /// r1, the scalar one last; masks apply to oFog.
    Nv2aVshCpu,
    /// xemu's draws, which are GLSL. The preset sets `ieee` and the bias of ARL. Of two writes to r1, the vector unit's is dropped, and
    /// oFog takes x of the result. Constant writes, at which xemu stops, are dropped.
    Xemu,
    /// Cxbx-Reloaded's draws, which are HLSL. The preset sets `ieee` and the bias of ARL; oFog takes x of the result, and constant writes
    /// are dropped.
    Cxbx,
    /// MAME. The preset sets `ieee` and its forms, and constant writes. Both units write r1, the scalar one last; masks apply to oFog.
    Mame,
    /// Bochs. The preset sets `ieee` and its forms, except its 512 rows (`rows`). On Kelvin, masks apply to oFog. On the later two, END
    /// ends the program whatever else the word does, and rules are legacy. Constant writes are dropped.
    Bochs,
    /// RPCS3; where its interpreter and its decompiler disagree, the interpreter. The preset sets `ieee` and modern rules. END also ends on
    /// a taken branch, an indirect branch goes to the slot that its register names, and the test field of a branch decides.
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

    /// The generations whose programs it runs.
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
    /// The generation whose programs it does not run.
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
    /// Where it computes differently from `ieee` for a generation's programs, as far as its own code was run.
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

    /// The value of [`Forms::library`] for its EXP, LOG, LIT, LG2 and EX2, if its own code was run; forms of presets have the chip's
    /// tables.
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
    /// Returns the configuration nearest to an emulator: every output, and the switches and forms that [`Emulator`] names.
    ///
    /// The guest's settings (modes, boolean constants, timeout, viewport) are as in [`Config::new`], except `constant_writes`, which is the
    /// most that the emulator allows.
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
