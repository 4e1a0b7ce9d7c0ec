//! Microcode of Kelvin (NV20, NV25, NV2A): 136 slots of 92 bits, uploaded as four dwords each.
//!
//! Decoding is total: every word means something, and what unusual ones mean is what the hardware itself makes of them
//! when it translates Kelvin tokens for its successor (kelvin.md 1.3). The rules are listed in docs/isa/kelvin.md;
//! the choices among them that nobody has verified are marked `UNKNOWN` here.

use super::fields::{fields, joined, split};
use super::insn::{Bank, Insn, OutTarget, OutWrite, Source, Swizzle, TempWrite, Unit};
use super::mask::Mask;
use super::op::{ScaOp, Slot, VecOp};
use super::{Generation, mux};
use crate::chip::programs::POSITION_READ_BACK;

/// Rows of XFCTX.
const CONSTANTS: u16 = Generation::Kelvin.constants() as u16;
/// Temporary registers.
pub(super) const TEMPS: u8 = Generation::Kelvin.temps() as u8;
/// Output registers.
const OUTPUTS: u16 = Generation::Kelvin.outputs() as u16;

/// The fog register. The fog value is x of the result that goes there, whatever the mask, unless it is empty (captures of
/// the console): so x counts as read. Later generations keep the number, and this rule of what is read, for the sake of
/// programs of Kelvin's class.
pub const FOG: u8 = 5;
/// The component of A0 that ARL writes.
const A0: Mask = Mask(8);
/// Where the scalar unit's result goes whenever a vector operation is present.
pub(crate) const PAIRED_TEMP: u8 = 1;

fields! {
    /// The raw fields of a slot (kelvin.md 1.2). Bits count from the lowest of d3; see [`slot_bits`].
    Fields {
        end:          0 ..  1, "last instruction; it still executes";
        indexed:      1 ..  2, "add A0.x to `constant`";
        out_from_sca: 2 ..  3, "unit whose result goes to the output port: 0 vector, 1 scalar";
        out_addr:     3 .. 11, "output register, or XFCTX row to write";
        out_buffer:  11 .. 12, "1: `out_addr` is an output register, 0: an XFCTX row";
        out_mask:    12 .. 16, "components written through the output port, x highest";
        sca_mask:    16 .. 20, "components of the scalar result written to a temporary";
        dst:         20 .. 24, "temporary register to write";
        vec_mask:    24 .. 28, "components of the vector result written to `dst`";
        src_c:       28 .. 43, "source 2, see `SourceFields`";
        src_b:       43 .. 58, "source 1";
        src_a:       58 .. 73, "source 0";
        input:       73 .. 77, "the one IBUF register of the instruction";
        constant:    77 .. 85, "the one XFCTX row of the instruction";
        vec_op:      85 .. 89, "operation of the vector unit";
        sca_op:      89 .. 92, "operation of the scalar unit";
    }
}

fields! {
    /// The raw fields of a source.
    SourceFields {
        mux:    0 ..  2, "1 temporary, 2 input, 3 constant";
        temp:   2 ..  6, "number of the temporary";
        w:      6 ..  8, "component that w takes";
        z:      8 .. 10, "component that z takes";
        y:     10 .. 12, "component that y takes";
        x:     12 .. 14, "component that x takes";
        negate: 14 .. 15, "flip the sign";
    }
}

/// What a source that nobody reads is encoded as: `v.xyzw`, as NVIDIA's compiler does.
pub(super) const UNREAD: SourceFields =
    SourceFields { mux: mux::INPUT, temp: 0, x: 0, y: 1, z: 2, w: 3, negate: 0 };
/// `dst` where no temporary is written, and `out_addr` where no output is, as NVIDIA's compiler has them.
const NO_DST: u16 = 7;
const NO_OUT: u16 = 0xff;

/// The 92 bits that a slot keeps of its four dwords: from the lowest up d3, d2 and the lower 28 bits of d1. The rest of
/// d1 and d0 are lost.
pub fn slot_bits(words: [u32; 4]) -> u128 {
    joined(words) & Fields::MASK
}

/// The dwords that upload `bits`.
pub fn slot_words(bits: u128) -> [u32; 4] {
    split(bits & Fields::MASK)
}

fn decode_source(slot: Slot, bits: u16) -> Source {
    let f = SourceFields::unpack(bits.into());
    let bank = match (f.mux, slot) {
        (mux::TEMP, _) => Bank::Temp((f.temp as u8).min(POSITION_READ_BACK)),
        (mux::CONSTANT, _) => Bank::Constant,
        (mux::INPUT, _) | (_, Slot::A | Slot::B) => Bank::Input,
        (_, Slot::C) => Bank::None, // UNKNOWN: what it reads (kelvin.md 10)
    };
    Source {
        bank,
        swizzle: Swizzle([f.x, f.y, f.z, f.w].map(|c| c as u8)),
        absolute: false,
        negate: f.negate != 0,
    }
}

/// The fields of a source.
pub(super) fn encode_source(insn: &Insn, slot: Slot) -> u16 {
    let source = insn.source(slot);
    let mut f = UNREAD;
    if !insn.read(slot).is_empty() {
        (f.mux, f.temp) = mux::of(source.bank);
        [f.x, f.y, f.z, f.w] = source.swizzle.0.map(u16::from);
        f.negate = source.negate.into();
    }
    f.pack() as u16
}

/// The meaning of one slot.
pub fn decode_insn(words: [u32; 4]) -> Insn {
    let f = Fields::unpack(slot_bits(words));
    let vec = VecOp::from_code(Generation::Kelvin, f.vec_op as u8).unwrap_or(VecOp::Nop);
    let sca = ScaOp::from_code(Generation::Kelvin, f.sca_op as u8).unwrap_or(ScaOp::Nop);
    let paired = vec != VecOp::Nop;

    let dst = f.dst as u8;
    let temp = |reg: u8, mask: u16| {
        if reg < TEMPS { TempWrite { reg, mask: Mask(mask as u8) } } else { TempWrite::default() }
    };
    let target = match (f.out_buffer, f.out_addr) {
        (1, addr) if addr < OUTPUTS => Some(OutTarget::Output(addr as u8)),
        (0, row) if row < CONSTANTS => Some(OutTarget::Constant(row)),
        _ => None,
    };
    let from = if f.out_from_sca != 0 { Unit::Sca } else { Unit::Vec };

    // UNKNOWN: whether ARL writes its result anywhere but to A0; the canonical form has no such writes.
    let mut insn = Insn {
        vec,
        sca,
        src: [
            decode_source(Slot::A, f.src_a),
            decode_source(Slot::B, f.src_b),
            decode_source(Slot::C, f.src_c),
        ],
        input: f.input as u8,
        constant: f.constant,
        indexed: f.indexed != 0,
        vec_dst: temp(dst, f.vec_mask),
        sca_dst: temp(if paired { PAIRED_TEMP } else { dst }, f.sca_mask),
        // A0.x, whatever the mask (kelvin.md 2).
        address_dst: TempWrite { reg: 0, mask: if vec == VecOp::Arl { A0 } else { Mask::NONE } },
        out: target.map(|target| OutWrite::new(target, Mask(f.out_mask as u8), from)),
        end: f.end != 0,
        ..Insn::NOP
    };
    insn.make_canonical_of_kelvin();
    insn
}

/// The canonical dwords of an instruction. For every instruction that [`decode_insn`] produces, decoding them gives it
/// back; of others, what the format cannot express is lost.
pub fn encode_insn(insn: &Insn) -> [u32; 4] {
    let insn = insn.canonical();
    let (out_addr, out_buffer) = match insn.out.map(|out| out.target) {
        Some(OutTarget::Output(reg)) => (reg.into(), 1),
        Some(OutTarget::Constant(row)) => (row, 0),
        None => (NO_OUT, 1),
    };
    let masks = insn.out.map_or([Mask::NONE; 2], |out| [out.vec, out.sca]);
    let (out_mask, from) = match masks {
        [vec, sca] if vec.is_empty() && !sca.is_empty() => (sca, Unit::Sca),
        [vec, _] => (vec, Unit::Vec),
    };
    let dst = if !insn.vec_dst.mask.is_empty() {
        insn.vec_dst.reg.into()
    } else if insn.vec == VecOp::Nop && !insn.sca_dst.mask.is_empty() {
        insn.sca_dst.reg.into()
    } else {
        NO_DST
    };
    let fields = Fields {
        end: insn.end.into(),
        indexed: insn.indexed.into(),
        out_from_sca: (from == Unit::Sca).into(),
        out_addr,
        out_buffer,
        out_mask: out_mask.0.into(),
        sca_mask: insn.sca_dst.mask.0.into(),
        dst,
        vec_mask: insn.vec_dst.mask.0.into(),
        src_c: encode_source(&insn, Slot::C),
        src_b: encode_source(&insn, Slot::B),
        src_a: encode_source(&insn, Slot::A),
        input: insn.input.into(),
        constant: insn.constant,
        vec_op: insn.vec.code().into(),
        sca_op: insn.sca.code().into(),
    };
    slot_words(fields.pack())
}

/// The one form that all dwords of the same meaning share.
pub fn canonical(words: [u32; 4]) -> [u32; 4] {
    encode_insn(&decode_insn(words))
}

#[cfg(test)]
mod doc_tests;
#[cfg(test)]
mod tests;
