//! Microcode of Rankine (NV30, NV35): 280 slots of 121 bits, uploaded as four dwords each.
//!
//! Decoding is total, as on Kelvin. The rules are listed in docs/isa/rankine.md; the choices among them that nobody has
//! verified are marked `UNKNOWN` here, and are options of [`Reading`] where users may want the other one.

use super::fields::{fields, joined, split};
use super::insn::{
    AddressComponent, Bank, Branch, CodeWrite, Insn, OutTarget, OutWrite, Source, Swizzle, TempWrite, Unit,
};
use super::kelvin::{PAIRED_TEMP, SourceFields};
use super::mask::Mask;
use super::op::{Effect, ScaOp, Slot, VecOp};
use super::predicate::Predicate;
use super::{Generation, PairedScalar, ProgramMode, Reading, kelvin, mux};
use crate::chip::programs::POSITION_READ_BACK;

/// Rows of XFCTX.
const CONSTANTS: u16 = Generation::Rankine.constants() as u16;
/// Temporary registers.
const TEMPS: u8 = Generation::Rankine.temps() as u8;
/// Output registers.
const OUTPUTS: u16 = Generation::Rankine.outputs() as u16;

fields! {
    /// The raw fields of a slot (rankine_curie.md 1.1). Bits count from the lowest of d3; see [`slot_bits`].
    Fields {
        end:            0 ..   1, "last instruction; it still executes";
        indexed:        1 ..   2, "add the index to `constant`";
        out_addr:       2 ..  11, "output register, or XFCTX row to write";
        out_buffer:    11 ..  12, "1: `out_addr` is an output register, 0: an XFCTX row";
        vec_out_mask:  12 ..  16, "components of the vector result written to `out_addr`, x highest";
        sca_out_mask:  16 ..  20, "components of the scalar result written to `out_addr`";
        vec_mask:      20 ..  24, "components of the vector result written to `dst`";
        sca_mask:      24 ..  28, "components of the scalar result written to a temporary";
        src_c:         28 ..  43, "source 2; its upper 9 bits are the target of an immediate branch";
        src_b:         43 ..  58, "source 1";
        src_a:         58 ..  73, "source 0";
        input:         73 ..  77, "the one IBUF register of the instruction";
        unknown:       77 ..  78, "unknown, ignored";
        constant:      78 ..  87, "the one XFCTX row of the instruction";
        vec_op:        87 ..  92, "operation of the vector unit";
        sca_op:        92 ..  97, "operation of the scalar unit";
        address_swz:   97 ..  99, "component of the address register that is the index";
        test_swz:      99 .. 107, "swizzle of the condition register, x highest";
        test:         107 .. 110, "test of the condition register";
        test_enable:  110 .. 111, "apply the test to writes";
        code_write:   111 .. 112, "update the condition register";
        dst:          112 .. 117, "temporary or address register to write";
        absolute_a:   117 .. 118, "clear the sign of source 0";
        absolute_b:   118 .. 119, "clear the sign of source 1";
        absolute_c:   119 .. 120, "clear the sign of source 2";
        address_reg:  120 .. 121, "address register that is read";
    }
}

/// `dst` where no register is written.
const NO_DST: u8 = 0x1f;
/// `out_addr` where no output is.
const NO_OUT: u16 = 0x1ff;
/// Where the branch target begins within source 2.
const TARGET_SHIFT: u16 = 6;

/// The 121 bits that a slot keeps of its four dwords: from the lowest up d3, d2, d1 and the lower 25 bits of d0.
pub fn slot_bits(words: [u32; 4]) -> u128 {
    joined(words) & Fields::MASK
}

/// The dwords that upload `bits`.
pub fn slot_words(bits: u128) -> [u32; 4] {
    split(bits & Fields::MASK)
}

fn decode_source(mode: ProgramMode, bits: u16, absolute: u16) -> Source {
    let f = SourceFields::unpack(bits.into());
    let v1 = mode == ProgramMode::V1;
    let bank = match f.mux {
        // UNKNOWN: whether 13 to 15 still are the read-back of oPos in a program of Kelvin's class; the conversion
        // leaves no such numbers (rankine_curie.md 1.4).
        mux::TEMP if v1 => Bank::Temp((f.temp as u8).min(POSITION_READ_BACK)),
        mux::TEMP => Bank::Temp(f.temp as u8),
        mux::INPUT => Bank::Input,
        mux::CONSTANT => Bank::Constant,
        _ => Bank::None, // UNKNOWN: what it reads; the conversion avoids it for sources 0 and 1.
    };
    Source {
        bank,
        swizzle: Swizzle([f.x, f.y, f.z, f.w].map(|c| c as u8)),
        absolute: absolute != 0 && !v1,
        negate: f.negate != 0,
    }
}

/// The fields of a source, which are Kelvin's, and whether its sign is cleared.
fn encode_source(insn: &Insn, slot: Slot) -> (u16, u16) {
    (kelvin::encode_source(insn, slot), insn.source(slot).absolute.into())
}

/// The meaning of one slot.
pub fn decode_insn(reading: Reading, words: [u32; 4]) -> Insn {
    let f = Fields::unpack(slot_bits(words));
    let v1 = reading.mode == ProgramMode::V1;
    // UNKNOWN: branches in a program of Kelvin's class, whose opcodes have three bits; they do nothing here, like the
    // scalar opcodes after them.
    let opcodes = if v1 { Generation::Kelvin } else { Generation::Rankine };
    // UNKNOWN: whether opcodes without effect pair; as on Kelvin they do not.
    let vec = VecOp::from_code(opcodes, f.vec_op as u8).unwrap_or(VecOp::Nop);
    let sca = ScaOp::from_code(opcodes, f.sca_op as u8).unwrap_or(ScaOp::Nop);
    let temps = if v1 { kelvin::TEMPS } else { TEMPS };

    let dst = f.dst as u8;
    let temp = |reg: u8, mask: u16| {
        if reg < temps { TempWrite { reg, mask: Mask(mask as u8) } } else { TempWrite::default() }
    };
    let sca_dst = match reading.paired {
        PairedScalar::R1 if vec != VecOp::Nop => PAIRED_TEMP,
        PairedScalar::R1 | PairedScalar::Shared => dst,
    };
    let target = match (f.out_buffer, f.out_addr) {
        (1, addr) if addr < OUTPUTS => Some(OutTarget::Output(addr as u8)),
        (0, row) if row < CONSTANTS => Some(OutTarget::Constant(row)),
        _ => None,
    };
    // UNKNOWN: whether numbers other than 0 and 1 name an address register; the lowest bit counts here. A program of
    // Kelvin's class writes A0.x whatever the mask, as its words have none (kelvin.md 2).
    let address_dst = match vec.effect() {
        Effect::Address if v1 => TempWrite { reg: dst & 1, mask: Mask(8) },
        Effect::Address => TempWrite { reg: dst & 1, mask: Mask(f.vec_mask as u8) },
        Effect::Nothing | Effect::Value | Effect::Flow => TempWrite::default(),
    };
    // UNKNOWN: which unit sets the condition codes of paired operations; the vector unit here, as on Curie by default.
    let (from, code_mask) = match vec.effect() {
        Effect::Address => (Unit::Vec, address_dst.mask),
        Effect::Value => (Unit::Vec, Mask((f.vec_mask | f.vec_out_mask) as u8)),
        Effect::Nothing | Effect::Flow => (Unit::Sca, Mask((f.sca_mask | f.sca_out_mask) as u8)),
    };
    let predicate = Predicate { test: f.test, swizzle: f.test_swz, enable: f.test_enable, reg: 0 };
    let immediate = sca.names_slot();

    let mut insn = Insn {
        vec,
        sca,
        src: [
            decode_source(reading.mode, f.src_a, f.absolute_a),
            decode_source(reading.mode, f.src_b, f.absolute_b),
            decode_source(reading.mode, f.src_c, f.absolute_c),
        ],
        input: f.input as u8,
        constant: f.constant,
        indexed: f.indexed != 0,
        address: AddressComponent { reg: f.address_reg as u8, component: f.address_swz as u8 },
        condition: predicate.of_writes(),
        vec_dst: temp(dst, f.vec_mask),
        sca_dst: temp(sca_dst, f.sca_mask),
        address_dst,
        code: (f.code_write != 0).then_some(CodeWrite { reg: 0, mask: code_mask, from }),
        out: target.map(|target| OutWrite {
            target,
            vec: Mask(f.vec_out_mask as u8),
            sca: Mask(f.sca_out_mask as u8),
        }),
        branch: Branch {
            condition: predicate.of_branch(reading, sca),
            target: if immediate { f.src_c >> TARGET_SHIFT } else { 0 },
            ..Branch::NONE
        },
        end: f.end != 0,
        ..Insn::NOP
    };
    insn.make_canonical();
    insn
}

/// Whether the register field is free to say "none" although the scalar result goes to a temporary.
fn is_dst_free(reading: Reading, insn: &Insn) -> bool {
    reading.paired == PairedScalar::R1 || insn.sca_dst.mask.is_empty()
}

/// The mask fields of a unit: of the temporary and of the output.
///
/// UNKNOWN: whether an update of the condition codes takes the mask of the temporary, as other assemblers have it, or
/// that of all destinations, as decoding has it. What has no temporary is written so that both say the same: the
/// components in the mask of the temporary, with no register.
fn encode_masks(reading: Reading, insn: &Insn, unit: Unit) -> [u16; 2] {
    let temp = insn.temp_write(unit).mask;
    let out = insn.out.map_or(Mask::NONE, |out| out.mask(unit));
    let masks = match insn.code {
        _ if insn.address_from() == Some(unit) => [insn.address_dst.mask, out],
        Some(code) if code.from == unit && temp.is_empty() && is_dst_free(reading, insn) => [code.mask, out],
        Some(code) if code.from == unit && code.mask.0 != temp.0 | out.0 => {
            if insn.out.is_none() {
                [temp, code.mask]
            } else {
                [code.mask, out]
            }
        }
        _ => [temp, out],
    };
    masks.map(|mask| mask.0.into())
}

/// The register field. What it holds for the scalar unit beside a vector operation counts for [`PairedScalar::Shared`]
/// alone.
fn encode_dst(reading: Reading, insn: &Insn) -> u8 {
    let TempWrite { reg, mask } = insn.sca_dst;
    let code_only = insn.vec_dst.mask.is_empty() && encode_masks(reading, insn, Unit::Vec)[0] != 0;
    if insn.address_from().is_some() {
        let address = insn.address_dst.reg;
        if !mask.is_empty() && reg & 1 == address { reg } else { address }
    } else if !insn.vec_dst.mask.is_empty() {
        insn.vec_dst.reg
    } else if !mask.is_empty() && !code_only {
        reg
    } else {
        NO_DST
    }
}

/// The canonical dwords of an instruction for a chip that reads them in that way. For every instruction that
/// [`decode_insn`] produces, decoding them gives it back; of others, what the format cannot express is lost.
pub fn encode_insn(reading: Reading, insn: &Insn) -> [u32; 4] {
    let insn = insn.canonical();
    let (out_addr, out_buffer) = match insn.out.map(|out| out.target) {
        Some(OutTarget::Output(reg)) => (reg.into(), 1),
        Some(OutTarget::Constant(row)) => (row, 0),
        None => (NO_OUT, 1),
    };
    let [vec_mask, vec_out_mask] = encode_masks(reading, &insn, Unit::Vec);
    let [sca_mask, sca_out_mask] = encode_masks(reading, &insn, Unit::Sca);
    let (src_a, absolute_a) = encode_source(&insn, Slot::A);
    let (src_b, absolute_b) = encode_source(&insn, Slot::B);
    let (mut src_c, absolute_c) = encode_source(&insn, Slot::C);
    if insn.sca.names_slot() {
        src_c = src_c & ((1 << TARGET_SHIFT) - 1) | insn.branch.target << TARGET_SHIFT;
    }
    let predicate = Predicate::of(&insn);
    let fields = Fields {
        end: insn.end.into(),
        indexed: insn.indexed.into(),
        out_addr,
        out_buffer,
        vec_out_mask,
        sca_out_mask,
        vec_mask,
        sca_mask,
        src_c,
        src_b,
        src_a,
        input: insn.input.into(),
        unknown: 0,
        constant: insn.constant,
        vec_op: insn.vec.code().into(),
        sca_op: insn.sca.code().into(),
        address_swz: insn.address.component.into(),
        test_swz: predicate.swizzle,
        test: predicate.test,
        test_enable: predicate.enable,
        code_write: insn.code.is_some().into(),
        dst: encode_dst(reading, &insn).into(),
        absolute_a,
        absolute_b,
        absolute_c,
        address_reg: insn.address.reg.into(),
    };
    slot_words(fields.pack())
}

/// The one form that all dwords of the same meaning share.
pub fn canonical(reading: Reading, words: [u32; 4]) -> [u32; 4] {
    encode_insn(reading, &decode_insn(reading, words))
}

#[cfg(test)]
mod tests;
