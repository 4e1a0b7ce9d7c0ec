//! The decoded instruction.

use super::mask::Mask;
use super::op::{ScaOp, VecOp};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// For each result component, the source component it takes (0 = x .. 3 = w).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Swizzle(pub [u8; 4]);

impl Swizzle {
    /// `.xyzw`
    pub const IDENTITY: Swizzle = Swizzle([0, 1, 2, 3]);
}

/// Where a source operand reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bank {
    /// No register: MUX 0 on source C. UNKNOWN on silicon; here it reads as four +0 (kelvin.md 10).
    None,
    /// Temporary register; on Kelvin 12 is the read-back of oPos.
    Temp(u8),
    /// The instruction's IBUF register, plus the index register if the instruction says so.
    Input,
    /// The instruction's XFCTX row, plus the index register if the instruction says so.
    Constant,
}

/// One source operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    /// Register read.
    pub bank: Bank,
    /// Applied first.
    pub swizzle: Swizzle,
    /// Clears the sign bit, NaNs included, after the swizzle.
    pub absolute: bool,
    /// Flips the sign bit, NaNs included, last.
    pub negate: bool,
}

impl Source {
    /// The decoded form of an operand that the opcode does not read.
    pub const UNUSED: Source =
        Source { bank: Bank::None, swizzle: Swizzle::IDENTITY, absolute: false, negate: false };
}

/// A write to a temporary or address register. If `mask` is empty, nothing is written, and `reg` is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TempWrite {
    /// Register number: of temporaries 0..=11 on Kelvin, 0..=15 on Rankine, 0..=47 on Curie.
    pub reg: u8,
    /// Components written.
    pub mask: Mask,
}

/// The component of an address register that indices add; A0.x on Kelvin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AddressComponent {
    /// A0 or A1.
    pub reg: u8,
    /// 0 = x .. 3 = w.
    pub component: u8,
}

/// A test of a condition code, numbered as in the microcode: bit 0 accepts "less", bit 1 "equal", bit 2 "greater"; an
/// unordered code passes NE and TR only (rankine_curie.md 2.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Test {
    /// Never.
    Fl,
    /// Less.
    Lt,
    /// Equal.
    Eq,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Not equal, or unordered.
    Ne,
    /// Greater or equal.
    Ge,
    /// Always.
    Tr,
}

impl Test {
    /// Every test, by its number.
    pub const ALL: [Test; 8] =
        [Test::Fl, Test::Lt, Test::Eq, Test::Le, Test::Gt, Test::Ne, Test::Ge, Test::Tr];
}

/// A test of one of the condition registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Condition {
    /// The test.
    pub test: Test,
    /// For each component, the component of the register that is tested.
    pub swizzle: Swizzle,
    /// Condition register: 0 on Rankine, 0 or 1 on Curie.
    pub reg: u8,
}

impl Condition {
    /// Passes without looking at a register.
    pub const ALWAYS: Condition = Condition { test: Test::Tr, swizzle: Swizzle::IDENTITY, reg: 0 };
}

/// An update of a condition register with the signs of a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CodeWrite {
    /// Condition register: 0 on Rankine, 0 or 1 on Curie.
    pub reg: u8,
    /// Components updated; never empty.
    pub mask: Mask,
    /// The unit whose result decides.
    pub from: Unit,
}

/// The target and the condition of BRA, CAL, RET, BRB and CLB; a fixed value for every other operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Branch {
    /// Taken if the test passes in any of the four components, as the register was before the instruction (UNKNOWN: whether a vector
    /// operation in the same word is seen). BRB and CLB ignore it.
    pub condition: Condition,
    /// Slot of an immediate branch or call; 0 for RET and indirect ones.
    pub target: u16,
    /// Bit of the boolean constants that BRB and CLB look at.
    pub bit: u8,
    /// The value of that bit that takes the branch.
    pub polarity: bool,
}

impl Branch {
    /// The value for everything except branches.
    pub const NONE: Branch = Branch { condition: Condition::ALWAYS, target: 0, bit: 0, polarity: false };
}

/// One of the two execution units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    /// The vector unit (MLU and ALU; MAC).
    Vec,
    /// The scalar unit (ILU).
    Sca,
}

/// The register a [`OutWrite`] reaches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OutTarget {
    /// TBUF register, below the generation's number of outputs.
    Output(u8),
    /// XFCTX row, below the generation's row count.
    Constant(u16),
}

/// The write to an output register or constant. Where both units write a component, see
/// [`WriteOrder`](crate::config::WriteOrder).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OutWrite {
    /// The destination.
    pub target: OutTarget,
    /// Components taken from the vector result.
    pub vec: Mask,
    /// Components taken from the scalar result. Not both masks are empty; only Rankine has both.
    pub sca: Mask,
}

impl OutWrite {
    /// A write from one of the units.
    pub const fn new(target: OutTarget, mask: Mask, from: Unit) -> Self {
        match from {
            Unit::Vec => OutWrite { target, vec: mask, sca: Mask::NONE },
            Unit::Sca => OutWrite { target, vec: Mask::NONE, sca: mask },
        }
    }

    /// Components taken from a unit's result.
    pub const fn mask(&self, unit: Unit) -> Mask {
        match unit {
            Unit::Vec => self.vec,
            Unit::Sca => self.sca,
        }
    }
}

/// One instruction: up to one operation of each unit, and where their results go. All reads come before all writes,
/// those of indices, conditions, branches and PUSHA included; a branch is taken last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Insn {
    /// Operation of the vector unit.
    pub vec: VecOp,
    /// Operation of the scalar unit.
    pub sca: ScaOp,
    /// SRC0..SRC2 (A, B, C).
    pub src: [Source; 3],
    /// The one IBUF register (0 if no source reads it).
    pub input: u8,
    /// The one XFCTX row (0 if no source reads it).
    pub constant: u16,
    /// Add the index to `constant` (false if no source reads a constant).
    pub indexed: bool,
    /// Add the index to `input` (false if no source reads an input).
    pub input_indexed: bool,
    /// Add the index to the output register written (false if none is).
    pub output_indexed: bool,
    /// The index; also the operand of ARA and PUSHA (its register only) and of indirect branches. The default if nothing uses it.
    pub address: AddressComponent,
    /// Texture unit that TXL reads (0 for every other operation).
    pub texture: u8,
    /// Whether components are written at all, condition codes and address registers included.
    pub condition: Condition,
    /// Clamp both results to 0.0 .. 1.0 before they are written.
    pub saturate: bool,
    /// Temporary written with the vector result.
    pub vec_dst: TempWrite,
    /// Temporary written with the scalar result; on Kelvin R1 whenever a vector operation is present.
    pub sca_dst: TempWrite,
    /// Address register written by ARL, ARR, ARA or POPA.
    pub address_dst: TempWrite,
    /// Condition register written.
    pub code: Option<CodeWrite>,
    /// Output register or constant written.
    pub out: Option<OutWrite>,
    /// The target of a branch.
    pub branch: Branch,
    /// Last instruction; it still executes.
    pub end: bool,
}

/// A program as the machine would run it. Without branches: a straight line from the start slot. With branches: the
/// slots that may run, those between them being NOP.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    /// Instructions. Without branches from the start slot to the first END, or to the end of XFPR.
    pub insns: Vec<Insn>,
    /// `insns[i]` came from slot `first + i`.
    pub first: usize,
    /// Slot in which the program starts.
    pub start: usize,
    /// The last instruction has no END: execution stops there at the end of the words given or of XFPR.
    pub unterminated: bool,
}

/// Every field has bits of its own in three or four numbers (registers, where one has more values than bits, share some), since each program
/// that is met for the first time is hashed, and a state program may run once: field by field it takes as long as running it does.
impl Hash for Insn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Exhaustive, so that a new field is not forgotten.
        let &Insn {
            vec,
            sca,
            ref src,
            input,
            constant,
            indexed,
            input_indexed,
            output_indexed,
            address,
            texture,
            condition,
            saturate,
            vec_dst,
            sca_dst,
            address_dst,
            code,
            out,
            branch,
            end,
        } = self;
        // Of 20 bits each; as a loop over the array it takes three times as long.
        let packed = Packed(src[0].bits() << 40 | src[1].bits() << 20 | src[2].bits());
        packed.add(indexed, 1).add(input_indexed, 1).add(output_indexed, 1).add(end, 1).hash(state);

        let temporary = |packed: Packed, write: TempWrite| packed.add(write.reg, 8).add(write.mask.0, 4);
        let packed = Packed::default().add(vec as u8, 8).add(sca as u8, 8).add(input, 8).add(constant, 16);
        temporary(temporary(packed, vec_dst), sca_dst).hash(state);

        let (target, masks) = match out {
            None => (0u32, [0; 2]),
            Some(OutWrite { target: OutTarget::Output(register), vec, sca }) => {
                (1 << 16 | u32::from(register), [vec.0, sca.0])
            }
            Some(OutWrite { target: OutTarget::Constant(row), vec, sca }) => {
                (2 << 16 | u32::from(row), [vec.0, sca.0])
            }
        };
        let mut packed = Packed::default().add(target, 18).add(masks[0], 4).add(masks[1], 4);
        packed = temporary(packed, address_dst).add(address.reg, 2).add(address.component, 2);
        let code = code.map_or(0, |CodeWrite { reg, mask, from }| {
            1 << 9 | u32::from(reg) << 5 | u32::from(mask.0) << 1 | from as u32
        });
        packed.add(texture, 4).add(saturate, 1).add(code, 17).hash(state);

        // Without a test or a branch, what is not canonical there makes no difference here.
        if condition.test == Test::Tr && !sca.is_branch() {
            return;
        }
        let Branch { condition: on, target, bit, polarity } = branch;
        let test = |packed: Packed, Condition { test, swizzle, reg }: Condition| {
            packed.add(test as u8, 3).add(swizzle.bits(), 8).add(reg, 2)
        };
        packed = test(test(Packed::default(), condition), on);
        packed.add(target, 16).add(bit, 8).add(polarity, 1).hash(state);
    }
}

/// Fields side by side.
#[derive(Clone, Copy, Default)]
struct Packed(u64);

impl Packed {
    fn add(self, field: impl Into<u32>, bits: u32) -> Self {
        Packed(self.0 << bits ^ u64::from(field.into()))
    }

    fn hash<H: Hasher>(self, state: &mut H) {
        state.write_u64(self.0);
    }
}

impl Source {
    fn bits(&self) -> u64 {
        let &Source { bank, swizzle, absolute, negate } = self;
        let bank = match bank {
            Bank::None => 0,
            Bank::Temp(register) => 1 | u32::from(register) << 2,
            Bank::Input => 2,
            Bank::Constant => 3,
        };
        u64::from(bank | swizzle.bits() << 10 | u32::from(absolute) << 18 | u32::from(negate) << 19)
    }
}

impl Swizzle {
    /// Two bits for each component.
    fn bits(self) -> u32 {
        // Each factor brings one of the bytes into the highest; what else they leave is below, each in bits of its own.
        u32::from_le_bytes(self.0).wrapping_mul(1 << 24 | 1 << 18 | 1 << 12 | 1 << 6) >> 24
    }
}

impl Insn {
    /// Temporary written with a unit's result.
    pub const fn temp_write(&self, unit: Unit) -> TempWrite {
        match unit {
            Unit::Vec => self.vec_dst,
            Unit::Sca => self.sca_dst,
        }
    }
}

impl Program {
    /// The attributes that it may read, as a mask of IBUF registers; all of them if an instruction reads by an index.
    pub fn live_inputs(&self) -> u16 {
        let reads = self.insns.iter().filter(|insn| insn.src.iter().any(|source| source.bank == Bank::Input));
        reads.fold(0, |mask, insn| if insn.input_indexed { u16::MAX } else { mask | 1 << insn.input })
    }

    /// The output registers that an instruction names, as a mask; all of them if one is indexed.
    pub fn written_outputs(&self) -> u32 {
        self.insns.iter().fold(0, |mask, insn| match insn.out.map(|out| out.target) {
            Some(OutTarget::Output(_)) if insn.output_indexed => u32::MAX,
            Some(OutTarget::Output(register)) => mask | 1 << register,
            Some(OutTarget::Constant(_)) | None => mask,
        })
    }

    /// The slots of the program that branches name.
    pub(crate) fn labels(&self) -> BTreeSet<u16> {
        let branches = self.insns.iter().filter(|insn| insn.sca.names_slot());
        branches.map(|insn| insn.branch.target).filter(|&slot| self.slot(slot.into()).is_some()).collect()
    }

    /// The instruction in a slot; none where there are no words or nothing can run.
    pub fn slot(&self, slot: usize) -> Option<&Insn> {
        self.insns.get(slot.checked_sub(self.first)?)
    }
}
