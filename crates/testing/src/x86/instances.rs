//! Instructions at random: any of a form's registers, addresses, masks and immediates, and registers full of odd numbers.

use super::cpu::Cpu;
use super::vector::Vector;
use crate::Choices;
use iced_x86::{Code, Encoder, Instruction, Mnemonic, OpKind, Register};
use xfjit_runtime::fpenv::FpEnv;

/// Registers that no instruction here has: that of the stack, and the one that says where a trial's memory is.
pub(super) const RESERVED: [usize; 2] = [4, 15];

/// Bytes of memory that an instruction may access.
pub(super) const AREA: usize = 256;

/// Where its accesses begin, at most: they are of 64 bytes, some way from both ends.
const MOST: u64 = 160;

/// An instruction, and the registers that it begins with. Its address is in the middle of an area of memory at `area`.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) insn: Instruction,
    pub(super) bytes: Vec<u8>,
    pub(super) cpu: Cpu,
    /// What is in memory.
    pub(super) memory: Vec<u8>,
}

/// Where an instruction takes an operand from, as the name of its form has it.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first of its registers, if it can be one.
    first: Option<Register>,
    is_memory: bool,
    is_broadcast: bool,
}

/// Kinds of operands in the parts of a name; the rest says what of them there is in memory.
const KINDS: &[(&str, Register)] = &[
    ("xmm", Register::XMM0),
    ("ymm", Register::YMM0),
    ("zmm", Register::ZMM0),
    ("r64", Register::RAX),
    ("r32", Register::EAX),
    ("rm64", Register::RAX),
    ("rm32", Register::EAX),
    ("rm16", Register::AX),
    ("kr", Register::K0),
];

impl Place {
    fn of(part: &str) -> Option<Place> {
        let kind = KINDS.iter().find(|(name, _)| part.starts_with(name));
        let rest = kind.map_or(part, |(name, _)| &part[name.len()..]);
        let is_memory = rest.starts_with('m') || part.starts_with("rm");
        let is_broadcast = part.ends_with("b32") || part.ends_with("b64");
        let first = kind.map(|&(_, first)| first);
        (first.is_some() || is_memory).then_some(Place { first, is_memory, is_broadcast })
    }
}

/// An instruction of this form at random, in an environment.
pub(super) fn instance(code: Code, area: u64, env: FpEnv, c: &mut Choices<'_>) -> Instance {
    let name = format!("{code:?}");
    let mut cpu = Cpu::new(env);
    fill(&mut cpu, &name, c);
    let memory = (0..AREA / 64).flat_map(|_| vector(&name, c).bytes()).collect();
    let mut insn = Instruction::default();
    insn.set_code(code);
    let is_evex = name.starts_with("EVEX");
    let has_high = is_evex && c.chance(50);
    let skipped = usize::from(is_evex || name.starts_with("VEX"));
    let mut op = 0;
    for part in name.split('_').skip(1 + skipped) {
        match part {
            "k1" | "k1z" => {
                let number = c.below(8);
                if number > 0 {
                    insn.set_op_mask(Register::K0 + number);
                    insn.set_zeroing_masking(part == "k1z" && c.chance(50));
                }
                continue;
            }
            "er" | "sae" | "64" => continue,
            "rel32" => {
                insn.set_op0_kind(OpKind::NearBranch64);
                continue;
            }
            "imm8" => set_immediate(&mut insn, op, immediate(code.mnemonic(), c)),
            "imm32" => {
                insn.set_op_kind(op, OpKind::Immediate32);
                insn.set_immediate32(c.word());
            }
            _ => {
                let place = Place::of(part).unwrap_or_else(|| panic!("{name}: {part}"));
                let Some(first) = place.first.filter(|_| !place.is_memory || c.chance(60)) else {
                    set_memory(&mut insn, op, &mut cpu, area, c);
                    insn.set_is_broadcast(place.is_broadcast && c.chance(50));
                    op += 1;
                    continue;
                };
                let count = if has_high && first.is_vector_register() { 32 } else { 16 };
                insn.set_op_register(op, register(first, count, c));
            }
        }
        op += 1;
    }
    // What is merged into memory cannot be cleared there.
    if insn.op0_kind() == OpKind::Memory {
        insn.set_zeroing_masking(false);
    }
    let mut encoder = Encoder::new(64);
    encoder.encode(&insn, 0).unwrap_or_else(|error| panic!("{name}: {error}"));
    Instance { insn, bytes: encoder.take_buffer(), cpu, memory }
}

/// Any of the registers of a kind.
fn register(first: Register, count: u32, c: &mut Choices<'_>) -> Register {
    loop {
        let number = c.below(if first.is_k() { 8 } else { count });
        if first.is_vector_register() || first.is_k() || !RESERVED.contains(&(number as usize)) {
            return first + number;
        }
    }
}

/// An address in the area, of a base, now and then an index, and a distance.
fn set_memory(insn: &mut Instruction, op: u32, cpu: &mut Cpu, area: u64, c: &mut Choices<'_>) {
    let base = register(Register::RAX, 16, c);
    let index = register(Register::RAX, 16, c);
    let scale = c.pick(&[1, 2, 4, 8]);
    let distance = i64::from(c.below(300)) - 150;
    let at = area + u64::from(c.below(MOST as u32 / 64 + 1) * 64);
    let at =
        if insn.code() == Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512 { at } else { at + u64::from(c.below(32)) };
    insn.set_op_kind(op, OpKind::Memory);
    insn.set_memory_base(base);
    insn.set_memory_displ_size(1);
    insn.set_memory_displacement64(distance as u64);
    let mut rest = at.wrapping_sub(distance as u64);
    if base != index && c.chance(50) {
        let number = u64::from(c.below(1000));
        insn.set_memory_index(index);
        insn.set_memory_index_scale(scale);
        cpu.general[index.number()] = number;
        rest = rest.wrapping_sub(number * u64::from(scale));
    }
    cpu.general[base.number()] = rest;
}

fn set_immediate(insn: &mut Instruction, op: u32, value: u8) {
    if matches!(insn.code(), Code::Add_rm64_imm8 | Code::Cmp_rm64_imm8 | Code::Sub_rm64_imm8) {
        insn.set_op_kind(op, OpKind::Immediate8to64);
        insn.set_immediate8to64((value as i8).into());
    } else {
        insn.set_op_kind(op, OpKind::Immediate8);
        insn.set_immediate8(value);
    }
}

/// An immediate of which all bits mean something that there is.
fn immediate(mnemonic: Mnemonic, c: &mut Choices<'_>) -> u8 {
    let bits = match mnemonic {
        Mnemonic::Vcmpps => 5,
        Mnemonic::Vroundps | Mnemonic::Vrndscaleps | Mnemonic::Vrangeps => 4,
        _ if c.chance(50) => 8,
        // Distances of shifts that leave something.
        _ => 5,
    };
    (c.word() & ((1 << bits) - 1)) as u8
}

/// Odd numbers in all registers.
fn fill(cpu: &mut Cpu, name: &str, c: &mut Choices<'_>) {
    for vector in &mut cpu.vectors {
        *vector = self::vector(name, c);
    }
    for mask in &mut cpu.masks {
        let any = u64::from(c.word()) << 32 | u64::from(c.word());
        *mask = c.pick(&[0, 0xffff, any & 0xffff, any]);
    }
    for number in &mut cpu.general {
        *number = quad(c);
    }
    cpu.flags = u64::from(c.word()) & super::flags::DEFINED;
}

/// Words, or pairs of them if the name of an instruction says that it works on these.
fn vector(name: &str, c: &mut Choices<'_>) -> Vector {
    let is_double = name.contains("pd_") && c.chance(80);
    if is_double {
        return Vector::of_quads(std::array::from_fn(|_| quad(c)));
    }
    let is_moderate = c.chance(30);
    Vector(std::array::from_fn(|_| word(is_moderate, c)))
}

fn word(is_moderate: bool, c: &mut Choices<'_>) -> u32 {
    let (sign, fraction) = (c.word() & 0x8000_0000, c.word() & 0x7f_ffff);
    let exponent = match c.below(if is_moderate { 2 } else { 12 }) {
        0 | 1 => 110 + c.below(40),
        2 => 0,
        3 => 255,
        4 => c.pick(&[1, 2, 24, 25, 253, 254]),
        5 => return c.pick(&[0, 1, 2, 0x8000_0000, 0x7fff_ffff, u32::MAX, 0x3f80_0000, 0x7f80_0000]),
        6 => return c.below(64),
        _ => c.below(256),
    };
    sign | exponent << 23 | fraction & c.pick(&[0, u32::MAX, 1, 0x40_0000, 0x7f_f000])
}

fn quad(c: &mut Choices<'_>) -> u64 {
    let any = u64::from(c.word()) << 32 | u64::from(c.word());
    let (sign, fraction) = (any & 1 << 63, any & ((1 << 52) - 1));
    let exponent = match c.below(12) {
        0..=3 => 1000 + u64::from(c.below(60)),
        4 => 0,
        5 => 2047,
        6 => c.pick(&[1, 2, 53, 54, 2045, 2046]),
        7 => return c.pick(&[0, 1, 1 << 63, u64::MAX, u64::MAX >> 1, 0x3ff << 52, 0x7ff << 52]),
        8 => return u64::from(c.below(64)),
        _ => u64::from(c.below(2048)),
    };
    sign | exponent << 52 | fraction & c.pick(&[0, u64::MAX, 1, 1 << 51, !0xff_ffff])
}
