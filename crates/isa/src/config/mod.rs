//! Everything beside the microcode that decides what a program computes.
//!
//! Lowering sees a [`Config`] and the decoded program, never machine state; so what is not in here cannot influence
//! the code, and `engine::key::Key` holds all of it (invariant I8).

mod dialect;
mod emulated;
mod quirks;

pub use dialect::Dialect;
pub use quirks::{
    Accumulation, AddressBias, AddressNan, Addresses, BothOutputs, Comparisons, ConstantResults, Depth,
    EndOnBranch, Extremes, FlipperQuirks, FogWrite, Forms, HalfAngle, Indirect, Interrupt, Library,
    OutOfRange, ProcessorQuirks, Products, Quirk, QuirkSet, Quirks, ReadBack, Reciprocals, Ring, RowCount,
    SaturateNan, SignOfNan, Storage, ToInteger, Watermarks, Waves, Wrap, WriteOrder,
};

use crate::isa::{Generation, Program, ProgramMode, Reading};
use xfjit_runtime::batch::Layout;
use xfjit_runtime::num::{Model, Numerics, Rules};

/// TBUF registers below those of Rankine's clip distances.
const OUTPUTS_WITHOUT_CLIP: usize = 16;

/// Which constants a program may read (XFMODE_B bit 18, kelvin.md 2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// All rows.
    Full,
    /// Indexed reads reach the user rows only ([`Generation::user_rows`]), direct ones also those of the viewport
    /// ([`Generation::viewport_rows`]). Curie has no such mode: there it is `Full`
    /// (rankine_curie.md 1.5). UNKNOWN: what a read of another row gives on silicon; (0, 0, 0, 0) here. UNKNOWN: where
    /// the user rows of PROGRAM_V2 begin (rankine_curie.md 3).
    User,
}

/// ARITH_RULES of Rankine and Curie (method 0x1e94, bit 4; rankine_curie.md 1.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arithmetic {
    /// Zero wins over NaN and infinity; comparisons know a total order.
    Legacy,
    /// IEEE-like: NaN wins. What the RSX and Mesa run.
    Modern,
}

/// What is done to the position after the program (XFMODE_B bit 16, VIEWPORT_TRANSFORM_SKIP).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewport {
    /// Nothing: oPos leaves as the program wrote it.
    Skip,
    /// Rankine's and Curie's transform, by the rows of [`Generation::viewport_rows`]: rw = RCC(w), then
    /// xyz = (xyz * scale) * rw + translation, w as it is, in the arithmetic of the unit. The rows are read when the
    /// program has ended, however it ended; a position that it never wrote is transformed like any other.
    /// UNKNOWN: the order of the steps; this is that of Kelvin's programs (kelvin.md 3).
    Transform,
}

/// Everything that lowering may look at.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    /// Whose microcode.
    pub generation: Generation,
    /// Which arithmetic.
    pub model: Model,
    /// TBUF registers that the caller wants; others are not computed.
    pub live_outputs: u32,
    /// How outputs lie in memory.
    pub layout: Layout,
    /// Which constants may be read.
    pub access: Access,
    /// Whether constants may be written (XFMODE_B bit 29); if not, such writes are dropped. With it, a program that
    /// writes constants runs vertex after vertex.
    pub constant_writes: bool,
    /// What nobody knows of the chip.
    pub quirks: Quirks,
    /// What an emulator computes otherwise than the model `ieee`; under `hw` it says nothing ([`Config::heard`]).
    pub forms: Forms,

    // From here on: Rankine and Curie only.
    /// Mode of the program; the engine decodes by it ([`Config::reading`]).
    pub mode: ProgramMode,
    /// Rules of the arithmetic.
    pub arithmetic: Arithmetic,
    /// Boolean constants of BRB and CLB (TRANSFORM_BRANCH_BITS).
    pub branch_bits: u32,
    /// Slots that indirect branches go to (method 0x1f80).
    pub branch_table: [u16; 16],
    /// Instructions that a vertex may execute, NOP included; the next one, if there is one, is not executed and the
    /// program ends (TIMEOUT). With 0 none is.
    pub timeout: u16,
    /// Position after the program.
    pub viewport: Viewport,
}

impl Config {
    /// The chip as it is set up for ordinary vertex programs: every output, full access, no constant writes.
    pub fn new(generation: Generation) -> Self {
        Config {
            generation,
            model: Model::Hw,
            live_outputs: (1 << generation.outputs()) - 1,
            layout: Layout::Rows,
            access: Access::Full,
            constant_writes: false,
            quirks: Quirks::default(),
            forms: Forms::default(),
            mode: ProgramMode::default(),
            arithmetic: Arithmetic::Modern,
            branch_bits: 0,
            branch_table: [0; 16],
            timeout: u16::MAX,
            viewport: Viewport::Skip,
        }
    }

    /// With some of its fields changed; the struct may get more of them.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The configuration in which everything that cannot matter to the program has its default: two that become equal
    /// run it alike. The key of compiled code holds this one.
    #[must_use]
    pub fn canonical(&self, program: &Program) -> Self {
        let default = Config::new(self.generation);
        let mut config = self.clone();
        config.live_outputs &= default.live_outputs;
        config.quirks = config.quirks.of(self.generation);
        config.forms = config.heard().of(self.generation);
        if !program.insns.iter().any(|insn| insn.sca.is_exponential()) {
            config.forms.library = default.forms.library;
        }
        if self.generation == Generation::Kelvin {
            return Config {
                mode: default.mode,
                arithmetic: default.arithmetic,
                branch_bits: default.branch_bits,
                branch_table: default.branch_table,
                timeout: default.timeout,
                viewport: default.viewport,
                ..config
            };
        }
        config.branch_bits &= program
            .insns
            .iter()
            .filter(|insn| insn.sca.is_on_boolean())
            .fold(0, |bits, insn| bits | 1 << insn.branch.bit);
        if !program.insns.iter().any(|insn| insn.sca.is_indirect()) {
            config.quirks.indirect = default.quirks.indirect;
        }
        if config.quirks.indirect == Indirect::Slot
            || !program.insns.iter().any(|insn| insn.sca.is_indirect())
        {
            config.branch_table = default.branch_table;
        }
        let straight = !program.insns.iter().any(|insn| insn.sca.is_branch());
        if straight && usize::from(config.timeout) >= program.insns.len() {
            config.timeout = default.timeout;
        }
        config
    }

    /// Whether an output register exists; writes to others are dropped.
    #[inline]
    pub fn has_output(&self, register: u8) -> bool {
        let limit = if self.quirks.clip_outputs { self.generation.outputs() } else { OUTPUTS_WITHOUT_CLIP };
        usize::from(register) < limit.min(self.generation.outputs())
    }

    /// How words are read.
    #[inline]
    pub fn reading(&self) -> Reading {
        Reading { mode: self.mode, paired: self.quirks.paired, branch_test: self.quirks.branch_test }
    }

    /// For words that are read in another way.
    #[must_use]
    pub fn read_as(mut self, reading: Reading) -> Self {
        // Exhaustive, so that a new field is not forgotten.
        let Reading { mode, paired, branch_test } = reading;
        self.mode = mode;
        (self.quirks.paired, self.quirks.branch_test) = (paired, branch_test);
        self
    }

    /// With other hypotheses: `config.quirk(|quirks| quirks.fog_write = FogWrite::Masked)`.
    #[must_use]
    pub fn quirk(mut self, choose: impl FnOnce(&mut Quirks)) -> Self {
        choose(&mut self.quirks);
        self
    }

    /// With another model.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.model = model;
        self
    }

    /// With only these outputs.
    #[must_use]
    pub fn live_outputs(mut self, mask: u32) -> Self {
        self.live_outputs = mask;
        self
    }

    /// Whose arithmetic, exactly.
    #[inline]
    pub fn numerics(&self) -> Numerics {
        let rules = match (self.generation, self.arithmetic) {
            (Generation::Kelvin, _) => Rules::Kelvin,
            // UNKNOWN: there is no verified model of Curie's arithmetic; it is taken for Rankine's
            // (rankine_curie.md 8.1).
            (Generation::Rankine | Generation::Curie, Arithmetic::Legacy) => Rules::RankineLegacy,
            (Generation::Rankine | Generation::Curie, Arithmetic::Modern) => Rules::RankineModern,
        };
        Numerics { model: self.model, rules }
    }
}
