//! Everything beside the microcode that decides what a program computes.
//!
//! Lowering sees a [`Config`] and the decoded program, never machine state; so what is not in here cannot influence
//! the code, and [`crate::engine::key::Key`] holds all of it (invariant I8).

use crate::isa::{Generation, Insn, Program, Reading, Unit};
use std::ops::Range;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::num::{Model, Numerics, Rules};

/// TBUF registers below those of Rankine's clip distances.
const OUTPUTS_WITHOUT_CLIP: usize = 16;

/// Which constants a program may read (XFMODE_B bit 18, kelvin.md 2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// All rows.
    Full,
    /// Indexed reads reach the user rows only (Kelvin 0x60..0xC0, Rankine 0x9C..0x19C), direct ones also those of
    /// the viewport (Kelvin 0x3A and 0x3B, Rankine 0x76 and 0x77). Curie has no such mode: there it is `Full`
    /// (rankine_curie.md 1.5). UNKNOWN: what a read of another row gives on silicon; (0, 0, 0, 0) here. UNKNOWN: where
    /// the user rows of PROGRAM_V2 begin (rankine_curie.md 3).
    User,
}

impl Access {
    /// The rows that indexed reads reach.
    pub const fn window(self, generation: Generation) -> Range<u16> {
        match (self, generation) {
            (Access::Full, _) | (_, Generation::Curie) => 0..generation.constants() as u16,
            (Access::User, Generation::Kelvin) => 0x60..0xc0,
            (Access::User, Generation::Rankine) => 0x9c..0x19c,
        }
    }

    /// Whether a direct read reaches a row.
    pub fn direct(self, generation: Generation, row: u16) -> bool {
        let viewport = if generation == Generation::Kelvin { [0x3a, 0x3b] } else { [0x76, 0x77] };
        self.window(generation).contains(&row) || self == Access::User && viewport.contains(&row)
    }
}

/// Which unit's write stays where both units of one instruction write the same component (UNKNOWN on silicon:
/// kelvin.md 2, R1; rankine_curie.md 8.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WriteOrder {
    /// Both write; the scalar unit wins where the masks meet.
    ScalarWins,
    /// Both write; the vector unit wins where the masks meet.
    VectorWins,
    /// Where both write the same temporary, the vector unit's write is dropped; elsewhere the scalar unit wins.
    VectorDropped,
}

impl WriteOrder {
    /// The units in the order in which they write.
    pub const fn units(self) -> [Unit; 2] {
        match self {
            WriteOrder::VectorWins => [Unit::Sca, Unit::Vec],
            WriteOrder::ScalarWins | WriteOrder::VectorDropped => [Unit::Vec, Unit::Sca],
        }
    }

    /// Whether a unit's write to a temporary is dropped.
    pub fn drops(self, insn: &Insn, unit: Unit) -> bool {
        self == WriteOrder::VectorDropped
            && unit == Unit::Vec
            && !insn.sca_dst.mask.is_empty()
            && insn.sca_dst.reg == insn.vec_dst.reg
    }
}

/// What a masked write to oFog leaves in its x component, which is the fog value (kelvin.md 3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FogWrite {
    /// The result's x, whatever the mask, unless it is empty: what captures of the console show.
    AnyComponent,
    /// Like any register: x only if the mask names it.
    Masked,
}

/// What is added to the operand of ARL before the floor (kelvin.md 2, ARL); ARR takes its operand as it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressBias {
    /// Nothing: the chip.
    None,
    /// 0.001: what several emulators do to make up for host rounding; wrong for some programs.
    Milli,
}

/// ARITH_RULES of Rankine and Curie (method 0x1e94, bit 4; rankine_curie.md 1.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arithmetic {
    /// Zero wins over NaN and infinity; comparisons know a total order.
    Legacy,
    /// IEEE-like: NaN wins. What the RSX and Mesa run.
    Modern,
}

/// What END does on a branch that is taken (rankine_curie.md 2.5; UNKNOWN on silicon, 8.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndOnBranch {
    /// The branch is taken: what the GL specification says.
    Continues,
    /// The program ends after the instruction: the branch does nothing, a call pushes nothing.
    Ends,
}

/// Where BRA and CAL with a register operand go (SCA 0x08 and 0x0a; UNKNOWN on silicon, rankine_curie.md 8.3). The
/// register is read before the instruction writes any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Indirect {
    /// To the entry of [`Config::branch_table`] that the address register names, clamped to 0..=15.
    Table,
    /// To the slot that the address register names; a negative one ends the program like a slot past the end.
    Slot,
}

/// What ARL (after [`AddressBias`]) and ARR make of NaN (UNKNOWN on silicon, rankine_curie.md 8.5). Infinities
/// saturate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressNan {
    /// 0.
    Zero,
    /// The least address, as conversions of most hosts have it.
    Least,
}

/// What saturate makes of NaN (UNKNOWN on silicon, rankine_curie.md 8.1). Addresses are not saturated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SaturateNan {
    /// It passes: the pseudo-code of the GL specification.
    Passes,
    /// +0.
    Zero,
}

/// What an indexed read of constants outside the rows that may be read gives (UNKNOWN, rankine_curie.md 8.4).
///
/// Indexed inputs and outputs have no choice. UNKNOWN: the specification leaves them undefined (rankine_curie.md 2.4);
/// here an input register that does not exist reads (0, 0, 0, 0), and a write to an output register that does not
/// exist is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OutOfRange {
    /// (0, 0, 0, 0): what the GL specification says.
    Zero,
    /// The row number wraps at 512 (Rankine) or 1024 (Curie); a row that does not exist or may not be read is 0.
    Wraps,
}

/// What is done to the position after the program (XFMODE_B bit 16, VIEWPORT_TRANSFORM_SKIP).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewport {
    /// Nothing: oPos leaves as the program wrote it.
    Skip,
    /// Rankine's and Curie's transform, by the rows 0x76 (scale) and 0x77 (translation): rw = RCC(w), then
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
    /// Both units write the same component.
    pub write_order: WriteOrder,
    /// Masked writes to oFog.
    pub fog_write: FogWrite,
    /// Operand of ARL.
    pub address_bias: AddressBias,

    // From here on: Rankine and Curie only.
    /// How words are read where the documents leave a choice; the engine decodes by it.
    pub reading: Reading,
    /// Rules of the arithmetic.
    pub arithmetic: Arithmetic,
    /// Boolean constants of BRB and CLB (TRANSFORM_BRANCH_BITS).
    pub branch_bits: u32,
    /// Slots that indirect branches go to (method 0x1f80).
    pub branch_table: [u16; 16],
    /// Instructions that a vertex may execute, NOP included; the next one, if there is one, is not executed and the
    /// program ends (TIMEOUT). With 0 none is.
    pub timeout: u16,
    /// END on a branch.
    pub end_on_branch: EndOnBranch,
    /// Indirect branches.
    pub indirect: Indirect,
    /// NaN as an address.
    pub address_nan: AddressNan,
    /// Whether ARL, ARR and ARA update condition codes, by the sign of the integer (rankine_curie.md 2.3 and 8.5).
    /// UNKNOWN: whether POPA does; here never.
    pub address_codes: bool,
    /// NaN saturated.
    pub saturate_nan: SaturateNan,
    /// Indexed reads of constants out of range.
    pub out_of_range: OutOfRange,
    /// Whether the output registers 17 to 22 of Rankine exist (UNKNOWN, rankine_curie.md 8.6); if not, writes to
    /// them are dropped.
    pub clip_outputs: bool,
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
            write_order: WriteOrder::ScalarWins,
            fog_write: FogWrite::AnyComponent,
            address_bias: AddressBias::None,
            reading: Reading::default(),
            arithmetic: Arithmetic::Modern,
            branch_bits: 0,
            branch_table: [0; 16],
            timeout: u16::MAX,
            end_on_branch: EndOnBranch::Continues,
            indirect: Indirect::Table,
            address_nan: AddressNan::Zero,
            address_codes: true,
            saturate_nan: SaturateNan::Passes,
            out_of_range: OutOfRange::Zero,
            clip_outputs: true,
            viewport: Viewport::Skip,
        }
    }

    /// The configuration in which everything that cannot matter to the program has its default: two that become equal
    /// run it alike. The key of compiled code holds this one.
    #[must_use]
    pub fn canonical(&self, program: &Program) -> Self {
        let default = Config::new(self.generation);
        let mut config = self.clone();
        config.live_outputs &= default.live_outputs;
        if self.generation == Generation::Kelvin {
            return Config {
                reading: default.reading,
                arithmetic: default.arithmetic,
                branch_bits: default.branch_bits,
                branch_table: default.branch_table,
                timeout: default.timeout,
                end_on_branch: default.end_on_branch,
                indirect: default.indirect,
                address_nan: default.address_nan,
                address_codes: default.address_codes,
                saturate_nan: default.saturate_nan,
                out_of_range: default.out_of_range,
                clip_outputs: default.clip_outputs,
                viewport: default.viewport,
                ..config
            };
        }
        config.fog_write = default.fog_write;
        config.branch_bits &= program
            .insns
            .iter()
            .filter(|insn| insn.sca.is_on_boolean())
            .fold(0, |bits, insn| bits | 1 << insn.branch.bit);
        if !program.insns.iter().any(|insn| insn.sca.is_indirect()) {
            config.indirect = default.indirect;
        }
        if config.indirect == Indirect::Slot || !program.insns.iter().any(|insn| insn.sca.is_indirect()) {
            config.branch_table = default.branch_table;
        }
        let straight = !program.insns.iter().any(|insn| insn.sca.is_branch());
        if straight && usize::from(config.timeout) >= program.insns.len() {
            config.timeout = default.timeout;
        }
        config
    }

    /// Whether an output register exists; writes to others are dropped.
    pub fn has_output(&self, register: u8) -> bool {
        let limit = if self.clip_outputs { self.generation.outputs() } else { OUTPUTS_WITHOUT_CLIP };
        usize::from(register) < limit.min(self.generation.outputs())
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
