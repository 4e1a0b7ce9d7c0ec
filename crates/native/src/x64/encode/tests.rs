use super::super::table::{self, Column, Encoding, Insn};
use super::{Form, Operand};
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

/// What an instruction may have, by its name.
#[derive(Default)]
pub(in super::super) struct May {
    /// Each of its operands.
    pub(in super::super) operands: Vec<Vec<Operand>>,
    has_mask: bool,
    clears: bool,
    pub(in super::super) jumps: bool,
}

impl May {
    pub(in super::super) fn of(code: Code) -> May {
        let name = format!("{code:?}");
        let registers = |first: Register| {
            let count = if !first.is_vector_register() || name.starts_with("VEX") { 16 } else { 32 };
            (0..count).map(move |number| Operand::Register(first + number)).collect::<Vec<_>>()
        };
        let after = |prefix: &str| name.strip_prefix(prefix).map(str::to_owned);
        let rest = after("EVEX_").or_else(|| after("VEX_")).unwrap_or_else(|| name.clone());
        let mut may = May::default();
        for part in rest.split('_').skip(1) {
            let operand = match part {
                "k1" | "k1z" => {
                    may.has_mask = true;
                    may.clears = part == "k1z";
                    continue;
                }
                "er" | "sae" | "64" => continue,
                "rel32" => {
                    may.jumps = true;
                    continue;
                }
                "imm8" => [0, 1, 0x10, 0x7f].map(Operand::Immediate).to_vec(),
                "imm32" => [0, 0xaaaa, u32::MAX].map(Operand::Immediate).to_vec(),
                "kr" => registers(Register::K0)[..8].to_vec(),
                _ => {
                    let mut operand = match part {
                        _ if part.starts_with("xmm") => registers(Register::XMM0),
                        _ if part.starts_with("ymm") => registers(Register::YMM0),
                        _ if part.starts_with("zmm") => registers(Register::ZMM0),
                        "r64" | "rm64" => registers(Register::RAX),
                        "r32" | "rm32" | "r32m8" | "r32m16" => registers(Register::EAX),
                        "rm16" => registers(Register::AX),
                        "m" | "m32" | "m64" | "m128" => Vec::new(),
                        _ => panic!("{name}: {part}"),
                    };
                    if part.trim_start_matches(['x', 'y', 'z', 'r']).trim_start_matches("mm").contains('m') {
                        operand.extend(addresses().map(Operand::Memory));
                    }
                    if part.ends_with("b32") || part.ends_with("b64") {
                        let for_all = |memory| MemoryOperand { is_broadcast: true, ..memory };
                        operand.extend(addresses().map(for_all).map(Operand::Memory));
                    }
                    operand
                }
            };
            may.operands.push(operand);
        }
        may
    }
}

/// Addresses of all kinds: bases that need another byte, indices, displacements around what one byte holds.
fn addresses() -> impl Iterator<Item = MemoryOperand> {
    use Register::{None, R8, R9, R10, R12, R13, RAX, RBP, RDI, RDX, RSP};
    let displacements = [
        0,
        4,
        8,
        16,
        48,
        100,
        127,
        128,
        508,
        512,
        2032,
        2048,
        8128,
        8192,
        -4,
        -128,
        -129,
        -8192,
        0x7fff_0000,
    ];
    let indices = [(None, 1), (RDX, 1), (R9, 2), (R13, 8), (R12, 4)];
    let of_base = move |base: Register| {
        let with_index = move |(index, scale): (Register, u32)| {
            let of = move |displacement: i64, size: u32| {
                MemoryOperand::new(base, index, scale, displacement, size, false, None)
            };
            displacements.map(|displacement| of(displacement, 1)).into_iter().chain([of(0, 0)])
        };
        indices.into_iter().flat_map(with_index)
    };
    let without_base = indices[1..]
        .iter()
        .map(|&(index, scale)| MemoryOperand::with_base_index_scale_displ_size(None, index, scale, 0, 0));
    [RAX, RDI, R8, R10, R13, RBP, RSP, R12]
        .into_iter()
        .flat_map(of_base)
        .chain(without_base.collect::<Vec<_>>())
}

/// An instruction with these operands.
pub(in super::super) fn make(code: Code, operands: &[Operand]) -> Result<Instruction, IcedError> {
    use Operand::{Immediate as I, Memory as M, Register as R};
    match *operands {
        [] => Ok(Instruction::with(code)),
        [R(a)] => Instruction::with1(code, a),
        [M(a)] => Instruction::with1(code, a),
        [R(a), R(b)] => Instruction::with2(code, a, b),
        [R(a), M(b)] => Instruction::with2(code, a, b),
        [M(a), R(b)] => Instruction::with2(code, a, b),
        [R(a), I(b)] => Instruction::with2(code, a, b),
        [M(a), I(b)] => Instruction::with2(code, a, b),
        [R(a), R(b), R(c)] => Instruction::with3(code, a, b, c),
        [R(a), R(b), M(c)] => Instruction::with3(code, a, b, c),
        [R(a), R(b), I(c)] => Instruction::with3(code, a, b, c),
        [R(a), M(b), I(c)] => Instruction::with3(code, a, b, c),
        [M(a), R(b), I(c)] => Instruction::with3(code, a, b, c),
        [R(a), R(b), R(c), I(d)] => Instruction::with4(code, a, b, c, d),
        [R(a), R(b), R(c), R(d)] => Instruction::with4(code, a, b, c, d),
        [R(a), R(b), M(c), R(d)] => Instruction::with4(code, a, b, c, d),
        [R(a), R(b), M(c), I(d)] => Instruction::with4(code, a, b, c, d),
        _ => panic!("no instruction here has the operands {operands:?}"),
    }
}

/// The bytes that iced makes of an instruction.
fn by_iced(encoder: &mut Encoder, instruction: &Instruction) -> Option<Vec<u8>> {
    encoder.set_buffer(Vec::new());
    encoder.encode(instruction, 0).ok()?;
    Some(encoder.take_buffer())
}

fn by_form(form: &Form, code: Code, operands: &[Operand], mask: (Register, bool)) -> (Instruction, Vec<u8>) {
    let made = form.make(code, operands.iter().copied(), mask.0, mask.1);
    let (instruction, encoded) = made.unwrap_or_else(|| panic!("{code:?} {operands:?}"));
    let mut bytes = Vec::new();
    assert_eq!(encoded.append_to(&mut bytes), bytes.len());
    (instruction, bytes)
}

/// Numbers that look random, always the same ones.
fn scattered(turn: usize, place: usize) -> usize {
    let mixed = (turn as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ place as u64;
    let mixed = mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ mixed >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) as usize >> 33
}

/// Combinations of the operands of each form in which nothing goes with anything else.
const SCATTERED: usize = 2000;

/// Each operand of each form, with others that go round at other paces, and combinations at random.
#[test]
fn forms_are_what_iced_makes_of_them() {
    let mut encoder = Encoder::new(64);
    for (_, _, &Encoding { code, ref form }) in encodings() {
        let may = May::of(code);
        if may.jumps {
            let instruction = Instruction::with_branch(code, 0).expect("a jump");
            let (own, encoded) = form.jump(code).expect("a jump");
            let (mut bytes, mut other) = (Vec::new(), by_iced(&mut encoder, &instruction).expect("it is"));
            encoded.append_to(&mut bytes);
            let at = other.len() - 4;
            other[at..].fill(0);
            assert_eq!((own, &bytes, encoded.displacement), (instruction, &other, at), "{code:?}");
            continue;
        }
        let most = may.operands.iter().map(Vec::len).max().unwrap_or(1);
        let mut count = 0;
        for turn in 0..3 * most + SCATTERED {
            let operands: Vec<Operand> = may
                .operands
                .iter()
                .enumerate()
                .map(|(place, may)| match turn < 3 * most {
                    true => may[(turn * (2 * place + 1) + turn / most * (place + 3)) % may.len()],
                    false => may[scattered(turn, place) % may.len()],
                })
                .collect();
            let stores = matches!(operands.first(), Some(Operand::Memory(_)));
            let mask = match may.has_mask && turn % 3 == 0 {
                true => (Register::K1 + (turn % 7) as u32, may.clears && turn % 2 == 0 && !stores),
                false => (Register::None, false),
            };
            let mut instruction = make(code, &operands).expect("an instruction");
            if mask.0 != Register::None {
                instruction.set_op_mask(mask.0);
                instruction.set_zeroing_masking(mask.1);
            }
            let Some(bytes) = by_iced(&mut encoder, &instruction) else { continue };
            assert_eq!(by_form(form, code, &operands, mask), (instruction, bytes), "{code:?} {operands:?}");
            count += 1;
        }
        let all = 3 * most + SCATTERED;
        assert!(2 * count > all, "{code:?}: {count} of {all}");
    }
}

/// Constants of the code, whose displacement is filled in later: there, and nowhere else.
#[test]
fn displacements_of_constants_are_where_they_are_filled_in() {
    let mut encoder = Encoder::new(64);
    let mut count = 0;
    for (_, _, &Encoding { code, ref form }) in encodings() {
        let may = May::of(code);
        let takes = |may: &Vec<Operand>| may.iter().any(|operand| matches!(operand, Operand::Memory(_)));
        let Some(place) = may.operands.iter().position(takes) else { continue };
        for is_broadcast in [false, true] {
            let mut operands: Vec<Operand> =
                may.operands.iter().map(|may| may[may.len().min(4) - 1]).collect();
            let memory =
                MemoryOperand { is_broadcast, ..MemoryOperand::with_base_displ(Register::RIP, 0x1000) };
            operands[place] = Operand::Memory(memory);
            let instruction = make(code, &operands).expect("an instruction");
            let Some(mut bytes) = by_iced(&mut encoder, &instruction) else { continue };
            let (own, encoded) = form
                .make(code, operands.iter().copied(), Register::None, false)
                .unwrap_or_else(|| panic!("{code:?}"));
            assert_eq!(
                encoder.get_constant_offsets().displacement_offset(),
                encoded.displacement,
                "{code:?}"
            );
            bytes[encoded.displacement..encoded.displacement + 4].fill(0);
            let mut found = Vec::new();
            encoded.append_to(&mut found);
            assert_eq!((own, found), (instruction, bytes), "{code:?}");
            count += 1;
        }
    }
    assert!(count > 100, "{count} forms read constants");
}

/// What a form has no place for is not encoded as something else.
#[test]
fn other_operands_have_no_form() {
    let makes = |(insn, column): (Insn, Column), operands: &[Operand]| {
        let &Encoding { code, ref form } = insn.at(column).expect("it is there");
        form.make(code, operands.iter().copied(), Register::None, false).is_some()
    };
    let register = |register| Operand::Register(register);
    let [one, two] = [Register::YMM1, Register::YMM2].map(register);
    let at = |memory| Operand::Memory(memory);
    let plain = MemoryOperand::with_base_displ(Register::RAX, 64);
    let add = (Insn::Vaddps, Column::V256);
    assert!(makes(add, &[one, two, one]) && makes(add, &[one, two, at(plain)]));
    // In another place, for all lanes where it has no such form, too far, by other registers, and one too many.
    assert!(!makes(add, &[one, at(plain), two]));
    assert!(!makes(add, &[one, two, at(MemoryOperand { is_broadcast: true, ..plain })]));
    assert!(!makes(add, &[one, two, at(MemoryOperand { displacement: 1 << 31, ..plain })]));
    assert!(!makes(add, &[one, two, at(MemoryOperand { base: Register::EAX, ..plain })]));
    assert!(!makes(add, &[one, two, at(MemoryOperand { index: Register::RSP, ..plain })]));
    assert!(!makes(add, &[one, two, at(MemoryOperand { segment_prefix: Register::GS, ..plain })]));
    assert!(!makes(add, &[one, two, one, two]) && !makes(add, &[one, two, one, Operand::Immediate(1)]));
    let whole = (Insn::Vpshufb, Column::E512);
    let z = register(Register::ZMM1);
    assert!(makes(whole, &[z, z, at(plain)]));
    assert!(!makes(whole, &[z, z, at(MemoryOperand { is_broadcast: true, ..plain })]));
    let compare = (Insn::CmpByte, Column::Plain);
    assert!(makes(compare, &[register(Register::RCX), Operand::Immediate(127)]));
    assert!(!makes(compare, &[register(Register::RCX), Operand::Immediate(128)]));
}

/// Each encoding of each row.
pub(in super::super) fn encodings() -> impl Iterator<Item = (Insn, Column, &'static Encoding)> {
    let of =
        |insn: Insn| Column::ALL.into_iter().filter_map(move |column| Some((insn, column, insn.at(column)?)));
    table::ALL.iter().copied().flat_map(of)
}
