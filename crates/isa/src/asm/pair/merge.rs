//! Two instructions as one: what the units share, and what a word can say.
//!
//! Both units read before either writes, so what stands here is only whether *one word* can hold both; whether they may run at
//! the same time is a matter of what they read and write (`order`).

use super::flow::fits;
use crate::isa::insn::Branch;
use crate::isa::kelvin::PAIRED_TEMP;
use crate::isa::op::{Kind, ScaOp, Slot, VecOp};
use crate::isa::{
    Bank, BranchTest, CodeWrite, Condition, Generation, Insn, Mask, OutWrite, PairedScalar, Reading, Source,
    Swizzle, TempWrite, Unit, predicate,
};

/// Why two instructions are not one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Clash {
    /// They do not have one operation each, of different units.
    Units,
    /// The stack.
    Stack,
    /// Two attributes, or one with and without an index.
    Input,
    /// Two rows of constants, or one with and without an index.
    Constant,
    /// Two operands for source C, or one and the target of a branch.
    SourceC,
    /// Two indices.
    Index,
    /// Two conditions, or one for what is written and another for the branch.
    Condition,
    /// One result is saturated, the other is not.
    Saturation,
    /// Both update condition codes.
    Codes,
    /// Two outputs or constants, or one of which both units write the same.
    Output,
    /// The scalar result can only go to r1.
    ScalarTemporary,
    /// Both write one temporary. UNKNOWN: what comes of it.
    SameTemporary,
    /// No word says this.
    Encoding,
}

/// The temporary that a scalar result goes to beside a vector operation, if there is no choice.
pub(super) fn scalar_temporary(generation: Generation, reading: Reading) -> Option<u8> {
    match generation {
        Generation::Kelvin => Some(PAIRED_TEMP),
        Generation::Rankine => (reading.paired == PairedScalar::R1).then_some(PAIRED_TEMP),
        Generation::Curie => None,
    }
}

/// Whether the scalar result of an instruction goes where it does for want of a choice.
pub(super) fn is_scalar_fixed(generation: Generation, reading: Reading, insn: &Insn) -> bool {
    insn.vec != VecOp::Nop
        && !insn.sca_dst.mask.is_empty()
        && generation != Generation::Curie
        && (scalar_temporary(generation, reading).is_some() || !insn.vec_dst.mask.is_empty())
}

/// The instruction with its one operation in a unit; only MOV has a choice.
pub(super) fn in_unit(insn: &Insn, unit: Unit) -> Option<Insn> {
    let works = [insn.vec != VecOp::Nop, insn.sca != ScaOp::Nop];
    match (unit, works) {
        (Unit::Vec, [true, false]) | (Unit::Sca, [false, true]) => Some(*insn),
        (Unit::Sca, [true, false]) if insn.vec == VecOp::Mov => Some(exchanged(insn, ScaOp::Mov, VecOp::Nop)),
        (Unit::Vec, [false, true]) if insn.sca == ScaOp::Mov => Some(exchanged(insn, ScaOp::Nop, VecOp::Mov)),
        _ => None,
    }
}

/// A MOV of one unit as the other's: source A is the vector unit's, C the scalar unit's.
fn exchanged(insn: &Insn, sca: ScaOp, vec: VecOp) -> Insn {
    let [a, b, c] = insn.src;
    let other = |unit: Unit| if unit == Unit::Vec { Unit::Sca } else { Unit::Vec };
    Insn {
        vec,
        sca,
        src: [c, b, a],
        vec_dst: insn.sca_dst,
        sca_dst: insn.vec_dst,
        code: insn.code.map(|code| CodeWrite { from: other(code.from), ..code }),
        out: insn.out.map(|out| OutWrite { vec: out.sca, sca: out.vec, ..out }),
        ..*insn
    }
}

/// The instruction that does what a vector operation and a scalar one do, if a word can say it.
pub(super) fn merge(generation: Generation, reading: Reading, vec: &Insn, sca: &Insn) -> Result<Insn, Clash> {
    if vec.vec == VecOp::Nop || vec.sca != ScaOp::Nop || sca.vec != VecOp::Nop || sca.sca == ScaOp::Nop {
        return Err(Clash::Units);
    }
    if matches!(sca.sca.kind(), Kind::Push | Kind::Pop) {
        return Err(Clash::Stack);
    }
    let [input, constant] = [Bank::Input, Bank::Constant].map(|bank| [vec, sca].map(|i| i.reads_bank(bank)));
    if input == [true; 2] && (vec.input, vec.input_indexed) != (sca.input, sca.input_indexed) {
        return Err(Clash::Input);
    }
    if constant == [true; 2] && (vec.constant, vec.indexed) != (sca.constant, sca.indexed) {
        return Err(Clash::Constant);
    }
    let indices = [vec, sca].map(|insn| insn.reads_address().0.then_some(insn.address));
    if let [Some(a), Some(b)] = indices
        && a != b
    {
        return Err(Clash::Index);
    }
    let both = |of: fn(&Insn) -> bool| of(vec) && of(sca);
    let valued = |insn: &Insn| insn.vec.has_value() || insn.sca.has_value();
    if both(valued) && vec.saturate != sca.saturate {
        return Err(Clash::Saturation);
    }
    if vec.code.is_some() && sca.code.is_some() {
        return Err(Clash::Codes);
    }
    let insn = Insn {
        vec: vec.vec,
        sca: sca.sca,
        src: [vec.src[0], vec.src[1], shared(vec, sca).ok_or(Clash::SourceC)?],
        input: vec.input | sca.input,
        constant: vec.constant | sca.constant,
        indexed: vec.indexed || sca.indexed,
        input_indexed: vec.input_indexed || sca.input_indexed,
        output_indexed: vec.output_indexed || sca.output_indexed,
        address: indices[0].or(indices[1]).unwrap_or_default(),
        texture: vec.texture,
        condition: condition(vec, sca).ok_or(Clash::Condition)?,
        saturate: vec.saturate || sca.saturate,
        vec_dst: vec.vec_dst,
        sca_dst: temporary(generation, reading, vec.vec_dst, sca.sca_dst)?,
        address_dst: vec.address_dst,
        code: vec.code.or(sca.code),
        out: output(generation, vec, sca)?,
        branch: if sca.sca.is_branch() { sca.branch } else { Branch::NONE },
        end: vec.end || sca.end,
    };
    // However branches are read.
    let readings =
        [BranchTest::Field, BranchTest::Enabled].map(|branch_test| Reading { branch_test, ..reading });
    let insn = insn.canonical();
    if readings.iter().all(|&reading| fits(generation, reading, &insn)) {
        Ok(insn)
    } else {
        Err(Clash::Encoding)
    }
}

/// Source C of both; none if they need two.
fn shared(vec: &Insn, sca: &Insn) -> Option<Source> {
    let [ours, theirs] = [vec, sca].map(|insn| insn.read(Slot::C));
    // The target of a branch lies over it (rankine_curie.md 1.1, 1.2).
    if sca.sca.names_slot() && !ours.is_empty() {
        return None;
    }
    let [a, b] = [vec, sca].map(|insn| insn.source(Slot::C));
    if ours.is_empty() || theirs.is_empty() {
        return Some(if ours.is_empty() { *b } else { *a });
    }
    let same = a.bank == b.bank && a.absolute == b.absolute && a.negate == b.negate;
    let common = Mask(ours.0 & theirs.0);
    if !same || common.components().any(|c| a.swizzle.0[c] != b.swizzle.0[c]) {
        return None;
    }
    let pick = |c: usize| if ours.has(c) { a.swizzle.0[c] } else { b.swizzle.0[c] };
    Some(Source { swizzle: Swizzle(std::array::from_fn(pick)), ..*a })
}

/// The condition of both; none if they have two.
fn condition(vec: &Insn, sca: &Insn) -> Option<Condition> {
    let branch = predicate::tests(sca.sca).then_some(sca.branch.condition);
    match (vec.writes(), sca.writes(), branch) {
        (true, true, _) => (vec.condition == sca.condition).then_some(vec.condition),
        // One field tests both.
        (true, false, Some(branch)) => (vec.condition == branch).then_some(branch),
        (true, false, None) => Some(vec.condition),
        (false, _, _) => Some(sca.condition),
    }
}

/// Where the scalar result goes.
fn temporary(
    generation: Generation,
    reading: Reading,
    vec: TempWrite,
    sca: TempWrite,
) -> Result<TempWrite, Clash> {
    if sca.mask.is_empty() {
        return Ok(sca);
    }
    if scalar_temporary(generation, reading).is_some_and(|register| register != sca.reg) {
        return Err(Clash::ScalarTemporary);
    }
    if !vec.mask.is_empty() && vec.reg == sca.reg { Err(Clash::SameTemporary) } else { Ok(sca) }
}

/// The one output or constant. On Rankine both units may write it, each its components.
fn output(generation: Generation, vec: &Insn, sca: &Insn) -> Result<Option<OutWrite>, Clash> {
    match (vec.out, sca.out) {
        (Some(ours), Some(theirs)) => {
            let apart = ours.vec.0 & theirs.sca.0 == 0;
            let same = ours.target == theirs.target && generation == Generation::Rankine;
            if apart && same { Ok(Some(OutWrite { sca: theirs.sca, ..ours })) } else { Err(Clash::Output) }
        }
        (ours, theirs) => Ok(ours.or(theirs)),
    }
}
