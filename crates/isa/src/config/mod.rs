//! Everything besides the microcode that decides what a program computes.
//!
//! Lowering sees a [`Config`] and the decoded program, never machine state; so nothing else can influence the code, and `engine::key::Key`
//! holds all of it (invariant I8).

mod dialect;
mod emulated;
mod quirks;

pub use dialect::Dialect;
pub use quirks::{
    Accumulation, AddressBias, AddressNan, Addresses, BothOutputs, Comparisons, ConstantResults, Depth,
    EndOnBranch, Extremes, FixedQuirks, FlipperQuirks, FogWrite, Forms, HalfAngle, Indirect, Interrupt,
    Library, LightGaps, LightingSums, OutOfRange, ProcessorQuirks, Products, Quirk, QuirkSet, Quirks,
    ReadBack, Reciprocals, Ring, RowCount, SaturateNan, SignOfNan, Storage, ToInteger, Watermarks, Waves,
    Wrap, WriteOrder,
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
    /// ([`Generation::viewport_rows`]). Curie has no such mode: there it is `Full` (rankine_curie.md 1.5). UNKNOWN: what a read of another
    /// row gives on silicon; here (0, 0, 0, 0). UNKNOWN: where the user rows of PROGRAM_V2 begin (rankine_curie.md 3).
    User,
}

/// ARITH_RULES of Rankine and Curie (method 0x1e94, bit 4; rankine_curie.md 1.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arithmetic {
    /// Zero wins over NaN and infinity; comparisons use a total order.
    Legacy,
    /// IEEE-like: NaN wins. The RSX and Mesa use these rules.
    Modern,
}

/// What happens to the position after the program (XFMODE_B bit 16, VIEWPORT_TRANSFORM_SKIP).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewport {
    /// Nothing: oPos is output as the program wrote it.
    Skip,
    /// Rankine's and Curie's transform, by the rows of [`Generation::viewport_rows`]: rw = RCC(w), then xyz = (xyz * scale) * rw +
    /// translation, w unchanged, in the arithmetic of the unit. The rows are read when the program has ended, however it ended; a position
    /// that it never wrote is transformed like any other. UNKNOWN: the order of the steps; this is that of Kelvin's programs (kelvin.md 3).
    Transform,
}

/// Everything that lowering may look at.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    /// The generation of the microcode.
    pub generation: Generation,
    /// The arithmetic.
    pub model: Model,
    /// TBUF registers that the caller wants; others are not computed.
    pub live_outputs: u32,
    /// The memory layout of outputs.
    pub layout: Layout,
    /// The constants that programs may read.
    pub access: Access,
    /// Whether programs may write constants (XFMODE_B bit 29); if not, such writes are dropped. If so, a program that writes constants runs
    /// one vertex after the other.
    pub constant_writes: bool,
    /// The choices for unknown behaviour of the chip.
    pub quirks: Quirks,
    /// Where an emulator computes differently from the model `ieee`; under `hw` this has no effect ([`Config::heard`]).
    pub forms: Forms,

    // From here on: Rankine and Curie only.
    /// The mode of the program, which also decides how the engine decodes it ([`Config::reading`]).
    pub mode: ProgramMode,
    /// Rules of the arithmetic.
    pub arithmetic: Arithmetic,
    /// Boolean constants of BRB and CLB (TRANSFORM_BRANCH_BITS).
    pub branch_bits: u32,
    /// The slots that indirect branches go to (method 0x1f80).
    pub branch_table: [u16; 16],
    /// The number of instructions that a vertex may execute, including NOP. The program ends before the next one (TIMEOUT). 0: no
    /// instruction executes.
    pub timeout: u16,
    /// What happens to the position after the program.
    pub viewport: Viewport,
}

impl Config {
    /// The chip's setup for ordinary vertex programs: every output, full access, no constant writes.
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

    /// Returns this configuration with some fields changed. The struct may get more fields in later versions.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Returns the configuration with the default for everything that cannot matter to the program: if two become equal, they run the
    /// program alike. The key of compiled code holds this one.
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

    /// Whether an output register exists; writes to registers that do not are dropped.
    #[inline]
    pub fn has_output(&self, register: u8) -> bool {
        let limit = if self.quirks.clip_outputs { self.generation.outputs() } else { OUTPUTS_WITHOUT_CLIP };
        usize::from(register) < limit.min(self.generation.outputs())
    }

    /// How words are decoded.
    #[inline]
    pub fn reading(&self) -> Reading {
        Reading { mode: self.mode, paired: self.quirks.paired, branch_test: self.quirks.branch_test }
    }

    /// Sets another way to decode words.
    #[must_use]
    pub fn read_as(mut self, reading: Reading) -> Self {
        // Exhaustive, so that a new field is not forgotten.
        let Reading { mode, paired, branch_test } = reading;
        self.mode = mode;
        (self.quirks.paired, self.quirks.branch_test) = (paired, branch_test);
        self
    }

    /// Sets other hypotheses: `config.quirk(|quirks| quirks.fog_write = FogWrite::Masked)`.
    #[must_use]
    pub fn quirk(mut self, choose: impl FnOnce(&mut Quirks)) -> Self {
        choose(&mut self.quirks);
        self
    }

    /// Sets another model.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.model = model;
        self
    }

    /// Sets the requested outputs.
    #[must_use]
    pub fn live_outputs(mut self, mask: u32) -> Self {
        self.live_outputs = mask;
        self
    }

    /// The exact rules of arithmetic.
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
