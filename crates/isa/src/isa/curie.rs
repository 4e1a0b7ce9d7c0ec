//! Microcode of Curie (NV40, NV44, RSX): 544 slots of 127 bits, uploaded as four dwords each.
//!
//! Decoding is total, as on Kelvin. The rules are listed in docs/isa/curie.md; the choices among them that nobody has
//! verified are marked `UNKNOWN` here, and are options of [`Reading`] where users may want the other one.

use super::fields::{fields, joined, split};
use super::insn::{
    AddressComponent, Bank, Branch, CodeWrite, Insn, OutTarget, OutWrite, Source, Swizzle, TempWrite, Unit,
};
use super::mask::Mask;
use super::op::{Effect, Kind, ScaOp, Slot, VecOp};
use super::predicate::Predicate;
use super::{Generation, ProgramMode, Reading, mux};

/// Temporary registers. UNKNOWN: what those from 32 on are while bit 20 of method 0x1ef8 is clear, which leaves 32 (rankine_curie.md 1.5
/// and 3); programs have all 48 here.
const TEMPS: u16 = Generation::Curie.temps() as u16;
/// Output registers.
const OUTPUTS: u16 = Generation::Curie.outputs() as u16;

fields! {
    /// The raw fields of a slot (rankine_curie.md 1.2). Bits count from the lowest of d3; see [`slot_bits`].
    Fields {
        end:             0 ..   1, "last instruction; it still executes";
        indexed:         1 ..   2, "add the index to `constant`";
        out_addr:        2 ..   7, "output register";
        sca_dst:         7 ..  13, "temporary or address register that the scalar unit writes";
        vec_mask:       13 ..  17, "components of the vector result that are written, x highest";
        sca_mask:       17 ..  21, "components of the scalar result that are written";
        src_c:          21 ..  37, "source 2, see `SourceFields`; also the target of an immediate branch";
        negate_c:       37 ..  38, "flip the sign of source 2; bit 8 of the target";
        src_b:          38 ..  54, "source 1; its `temp` is TXL's texture unit";
        negate_b:       54 ..  55, "flip the sign of source 1";
        src_a:          55 ..  71, "source 0";
        negate_a:       71 ..  72, "flip the sign of source 0";
        input:          72 ..  76, "the one IBUF register of the instruction";
        constant:       76 ..  86, "the one XFCTX row of the instruction";
        vec_op:         86 ..  91, "operation of the vector unit";
        sca_op:         91 ..  96, "operation of the scalar unit";
        address_swz:    96 ..  98, "component of the address register that is the index";
        test_swz:       98 .. 106, "swizzle of the condition register, x highest";
        test:          106 .. 109, "test of the condition register";
        test_enable:   109 .. 110, "apply the test to writes";
        code_write:    110 .. 111, "update the condition register";
        vec_dst:       111 .. 117, "temporary or address register that the vector unit writes";
        absolute_a:    117 .. 118, "clear the sign of source 0";
        absolute_b:    118 .. 119, "clear the sign of source 1";
        absolute_c:    119 .. 120, "clear the sign of source 2; bit 9 of the target";
        address_reg:   120 .. 121, "address register that is read";
        code_reg:      121 .. 122, "condition register that is tested and updated";
        saturate:      122 .. 123, "clamp results to 0.0 .. 1.0";
        input_indexed: 123 .. 124, "add the index to `input`";
        out_indexed:   124 .. 125, "add the index to `out_addr`";
        code_from_vec: 125 .. 126, "unit whose result updates the condition register: 1 vector, 0 scalar";
        out_from_vec:  126 .. 127, "unit whose result goes to `out_addr`: 1 vector, 0 scalar";
    }
}

fields! {
    /// The raw fields of a source, but for its signs.
    SourceFields {
        mux:    0 ..  2, "1 temporary, 2 input, 3 constant";
        temp:   2 ..  8, "number of the temporary";
        w:      8 .. 10, "component that w takes";
        z:     10 .. 12, "component that z takes";
        y:     12 .. 14, "component that y takes";
        x:     14 .. 16, "component that x takes";
    }
}

/// What a source that nobody reads is encoded as: `v.xyzw`.
const UNREAD: SourceFields = SourceFields { mux: mux::INPUT, temp: 0, x: 0, y: 1, z: 2, w: 3 };
/// Number of a temporary where none is written.
const NO_DST: u16 = 0x3f;
/// `out_addr` where no output is.
const NO_OUT: u16 = 0x1f;

/// The 127 bits of a slot's four dwords that mean something: from the lowest up d3, d2, d1 and the lower 31 bits of d0.
/// The last bit is the chip's own mark of Curie's layout (rankine_curie.md 1.3).
pub fn slot_bits(words: [u32; 4]) -> u128 {
    joined(words) & Fields::MASK
}

/// The dwords that upload `bits`.
pub fn slot_words(bits: u128) -> [u32; 4] {
    split(bits & Fields::MASK)
}

/// The fields that an immediate branch finds in source 2 (rankine_curie.md 1.2, IADDR, BOOL_IDX and BOOL_POL).
struct Overlay;

impl Overlay {
    const BOOL_SHIFT: u32 = 2;
    const TARGET_SHIFT: u32 = 8;

    /// Where to, and which boolean constant must have which value.
    fn unpack(op: ScaOp, f: &Fields) -> (u16, u8, bool) {
        let target = f.src_c >> Self::TARGET_SHIFT | f.negate_c << 8 | f.absolute_c << 9;
        let boolean = f.src_c >> Self::BOOL_SHIFT;
        match (op.names_slot(), op.is_on_boolean()) {
            (false, _) => (0, 0, false),
            (true, false) => (target, 0, false),
            (true, true) => (target, (boolean & 31) as u8, boolean >> 5 & 1 != 0),
        }
    }

    /// Writes them over source 2.
    fn pack(insn: &Insn, f: &mut Fields) {
        let Branch { target, bit, polarity, .. } = insn.branch;
        if insn.sca.names_slot() {
            f.src_c = f.src_c & 0xff | (target & 0xff) << Self::TARGET_SHIFT;
            (f.negate_c, f.absolute_c) = (target >> 8 & 1, target >> 9 & 1);
        }
        if insn.sca.is_on_boolean() {
            let boolean = u16::from(bit & 31) | u16::from(polarity) << 5;
            f.src_c = f.src_c & !(63 << Self::BOOL_SHIFT) | boolean << Self::BOOL_SHIFT;
        }
    }
}

fn decode_source(mode: ProgramMode, bits: u16, absolute: u16, negate: u16) -> Source {
    let f = SourceFields::unpack(bits.into());
    let bank = match f.mux {
        mux::TEMP if f.temp < TEMPS => Bank::Temp(f.temp as u8),
        mux::INPUT => Bank::Input,
        mux::CONSTANT => Bank::Constant,
        _ => Bank::None, // UNKNOWN: what MUX 0 and temporaries beyond the register file read
    };
    Source {
        bank,
        swizzle: Swizzle([f.x, f.y, f.z, f.w].map(|c| c as u8)),
        absolute: absolute != 0 && mode != ProgramMode::V1,
        negate: negate != 0,
    }
}

/// The fields of a source, and whether its sign is cleared and flipped.
fn encode_source(insn: &Insn, slot: Slot) -> [u16; 3] {
    let source = insn.source(slot);
    let mut f = UNREAD;
    if !insn.read(slot).is_empty() {
        (f.mux, f.temp) = mux::of(source.bank);
        [f.x, f.y, f.z, f.w] = source.swizzle.0.map(u16::from);
    } else if slot == Slot::B {
        f.temp = insn.texture.into();
    }
    [f.pack() as u16, source.absolute.into(), source.negate.into()]
}

/// The meaning of one slot.
pub fn decode_insn(reading: Reading, words: [u32; 4]) -> Insn {
    let f = Fields::unpack(slot_bits(words));
    // UNKNOWN: PROGRAM_V1 belongs to Kelvin's class; that it does to Curie's words what it does to Rankine's is a guess.
    let opcodes = if reading.mode == ProgramMode::V1 { Generation::Kelvin } else { Generation::Curie };
    let mut vec = VecOp::from_code(opcodes, f.vec_op as u8).unwrap_or(VecOp::Nop);
    let sca = ScaOp::from_code(opcodes, f.sca_op as u8).unwrap_or(ScaOp::Nop);
    let vec_mask = Mask(f.vec_mask as u8);
    if vec.effect() == Effect::Address && vec_mask.is_empty() {
        vec = VecOp::Nop;
    }
    // POPA takes no mask (rankine_curie.md 2.5). UNKNOWN: beside an operation that writes an address register too, only
    // that one's result arrives here.
    let sca_mask = if sca.kind() == Kind::Pop { Mask::ALL } else { Mask(f.sca_mask as u8) };
    // UNKNOWN: whether numbers other than 0 and 1 name an address register; the lowest bit counts here.
    let address_dst = match (vec.effect(), sca.effect()) {
        (Effect::Address, _) => TempWrite { reg: f.vec_dst as u8 & 1, mask: vec_mask },
        (_, Effect::Address) => TempWrite { reg: f.sca_dst as u8 & 1, mask: sca_mask },
        _ => TempWrite::default(),
    };
    let temp = |reg: u16, mask: Mask| {
        if reg < TEMPS { TempWrite { reg: reg as u8, mask } } else { TempWrite::default() }
    };
    let (from, code_mask) = if f.code_from_vec != 0 { (Unit::Vec, vec_mask) } else { (Unit::Sca, sca_mask) };
    let (out_from, out_mask) =
        if f.out_from_vec != 0 { (Unit::Vec, vec_mask) } else { (Unit::Sca, sca_mask) };
    let predicate = Predicate { test: f.test, swizzle: f.test_swz, enable: f.test_enable, reg: f.code_reg };
    let (target, bit, polarity) = Overlay::unpack(sca, &f);

    let mut insn = Insn {
        vec,
        sca,
        src: [
            decode_source(reading.mode, f.src_a, f.absolute_a, f.negate_a),
            decode_source(reading.mode, f.src_b, f.absolute_b, f.negate_b),
            decode_source(reading.mode, f.src_c, f.absolute_c, f.negate_c),
        ],
        input: f.input as u8,
        constant: f.constant,
        indexed: f.indexed != 0,
        input_indexed: f.input_indexed != 0,
        output_indexed: f.out_indexed != 0,
        address: AddressComponent { reg: f.address_reg as u8, component: f.address_swz as u8 },
        // UNKNOWN: texture units beyond the fourth; the number wraps here.
        texture: SourceFields::unpack(f.src_b.into()).temp as u8 & 3,
        condition: predicate.of_writes(),
        saturate: f.saturate != 0,
        vec_dst: temp(f.vec_dst, vec_mask),
        sca_dst: temp(f.sca_dst, sca_mask),
        address_dst,
        code: (f.code_write != 0).then_some(CodeWrite { reg: f.code_reg as u8, mask: code_mask, from }),
        // UNKNOWN: outputs from 16 to 30, indexed ones too; they are none here.
        out: (f.out_addr < OUTPUTS)
            .then(|| OutWrite::new(OutTarget::Output(f.out_addr as u8), out_mask, out_from)),
        branch: Branch { condition: predicate.of_branch(reading, sca), target, bit, polarity },
        end: f.end != 0,
    };
    insn.make_canonical();
    insn
}

/// The canonical dwords of an instruction. For every instruction that [`decode_insn`] produces, decoding them gives it
/// back; of others, what the format cannot express is lost.
pub fn encode_insn(insn: &Insn) -> [u32; 4] {
    let insn = insn.canonical();
    let [src_a, absolute_a, negate_a] = encode_source(&insn, Slot::A);
    let [src_b, absolute_b, negate_b] = encode_source(&insn, Slot::B);
    let [src_c, absolute_c, negate_c] = encode_source(&insn, Slot::C);
    let dst = |unit: Unit| match insn.temp_write(unit) {
        _ if insn.address_from() == Some(unit) => insn.address_dst.reg.into(),
        TempWrite { mask, .. } if mask.is_empty() => NO_DST,
        TempWrite { reg, .. } => reg.into(),
    };
    let out_addr = match insn.out.map(|out| out.target) {
        Some(OutTarget::Output(reg)) => reg.into(),
        Some(OutTarget::Constant(_)) | None => NO_OUT,
    };
    let predicate = Predicate::of(&insn);
    let mut fields = Fields {
        end: insn.end.into(),
        indexed: insn.indexed.into(),
        out_addr,
        sca_dst: dst(Unit::Sca),
        vec_mask: insn.written(Unit::Vec).0.into(),
        sca_mask: insn.written(Unit::Sca).0.into(),
        src_c,
        negate_c,
        src_b,
        negate_b,
        src_a,
        negate_a,
        input: insn.input.into(),
        constant: insn.constant,
        vec_op: insn.vec.code().into(),
        sca_op: insn.sca.code().into(),
        address_swz: insn.address.component.into(),
        test_swz: predicate.swizzle,
        test: predicate.test,
        test_enable: predicate.enable,
        code_write: insn.code.is_some().into(),
        vec_dst: dst(Unit::Vec),
        absolute_a,
        absolute_b,
        absolute_c,
        address_reg: insn.address.reg.into(),
        code_reg: predicate.reg,
        saturate: insn.saturate.into(),
        input_indexed: insn.input_indexed.into(),
        out_indexed: insn.output_indexed.into(),
        code_from_vec: matches!(insn.code, Some(CodeWrite { from: Unit::Vec, .. })).into(),
        out_from_vec: insn.out.is_some_and(|out| !out.vec.is_empty()).into(),
    };
    Overlay::pack(&insn, &mut fields);
    slot_words(fields.pack())
}

/// The one form that all dwords of the same meaning share.
pub fn canonical(reading: Reading, words: [u32; 4]) -> [u32; 4] {
    encode_insn(&decode_insn(reading, words))
}

#[cfg(test)]
mod tests;
