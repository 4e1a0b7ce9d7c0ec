//! One instruction on the processor and in the evaluator.
#![expect(unsafe_code, reason = "the processor executes what has just been encoded")]

use super::cpu::Cpu;
use super::fault::Fault;
use super::flags::defined_flags;
use super::instances::{AREA, Instance, RESERVED, instance};
use super::memory::Memory;
use super::state::State;
use super::step::{step, text};
use super::vector::Vector;
use crate::Choices;
use crate::backend::CompileError;
use crate::native::call_piece;
use iced_x86::{
    Code, CpuidFeature, Decoder, DecoderOptions, Encoder, IcedError, Instruction, MemoryOperand, Mnemonic,
    OpKind, Register,
};
use std::mem::offset_of;
use xfjit_runtime::fpenv::FpEnv;

/// Registers and memory of a trial. A piece of code takes them from here, and puts them back.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
struct Block {
    vectors: [Vector; 32],
    area: [u8; AREA],
    masks: [u64; 8],
    general: [u64; 16],
    flags: u64,
    control: u32,
    callers_control: u32,
}

/// What of the processor's registers there is.
fn has_long_vectors() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw")
}

/// Whether this processor has an instruction.
pub fn is_here(code: Code) -> bool {
    use std::arch::is_x86_feature_detected as has;
    let avx = has!("avx") && has!("avx2");
    avx && code.cpuid_features().iter().all(|feature| match feature {
        CpuidFeature::AVX512F | CpuidFeature::AVX512DQ | CpuidFeature::AVX512VL | CpuidFeature::AVX512BW => {
            has_long_vectors()
        }
        CpuidFeature::FMA => has!("fma"),
        CpuidFeature::AVX | CpuidFeature::AVX2 => true,
        feature => !format!("{feature:?}").contains("AVX"),
    })
}

/// Evaluates an instruction of a form at random, and compares it with the processor where that has it: all bits of all registers,
/// of flags, and of memory.
///
/// # Errors
/// What differs, or why it cannot be evaluated.
pub fn compare_with_processor(code: Code, seed: u64) -> Result<(), String> {
    compare(code, code, seed)
}

/// Executes an instruction of one form, and evaluates one of another on its operands: a comparison that does not tell one from the other would be worth
/// nothing.
///
/// # Errors
/// What differs, or why it cannot be evaluated.
pub fn compare_with_another(code: Code, evaluated: Code, seed: u64) -> Result<(), String> {
    compare(code, evaluated, seed)
}

fn compare(code: Code, evaluated: Code, seed: u64) -> Result<(), String> {
    let mut c = Choices::seed(seed);
    let env = c.pick(&[FpEnv::Default, FpEnv::Truncate]);
    let mut block = Box::new(Block {
        vectors: [Vector::ZERO; 32],
        area: [0; AREA],
        masks: [0; 8],
        general: [0; 16],
        flags: 0,
        control: match env {
            FpEnv::Default => 0x1f80,
            FpEnv::Truncate => 0x1f80 | 3 << 13 | 1 << 15 | 1 << 6,
        },
        callers_control: 0,
    });
    let area = (&raw mut block.area).expose_provenance() as u64;
    let made = instance(code, area, env, &mut c);
    let fail = |what: String| format!("{}, {env:?}, seed {seed}: {what}", text(&made.insn));
    let is_long = has_long_vectors();
    block.area.copy_from_slice(&made.memory);
    (block.vectors, block.masks) = (made.cpu.vectors, made.cpu.masks);
    (block.general, block.flags) = (made.cpu.general, made.cpu.flags);
    let is_native = is_here(code);
    if is_native && !is_long {
        for (number, vector) in block.vectors.iter_mut().enumerate() {
            vector.0[if number < 16 { 8 } else { 0 }..].fill(0);
        }
    }
    let before = block.clone();
    if is_native {
        let piece = piece(&made, is_long).map_err(|error| fail(error.to_string()))?;
        run_piece(&piece, &mut block).map_err(|error| fail(error.to_string()))?;
    }
    let (want, want_area) = (block.clone(), block.area);
    block.area = before.area;
    let mut cpu = made.cpu.clone();
    cpu.vectors = before.vectors;
    evaluate(&made, evaluated, &mut cpu, &mut block.area).map_err(|fault| fail(fault.to_string()))?;
    if !is_native {
        return Ok(());
    }
    for (number, (got, want)) in cpu.vectors.iter().zip(&want.vectors).enumerate() {
        if got != want {
            let was = before.vectors[number];
            return Err(fail(format!("vector {number} is {got:x?}, not {want:x?}; it was {was:x?}")));
        }
    }
    let numbers = || (0..16).filter(|number| !RESERVED.contains(number));
    if let Some(number) = numbers().find(|&number| cpu.general[number] != want.general[number]) {
        let [got, want] = [cpu.general[number], want.general[number]];
        return Err(fail(format!("register {number} is {got:#x}, not {want:#x}")));
    }
    if cpu.masks != want.masks {
        return Err(fail(format!("masks are {:x?}, not {:x?}", cpu.masks, want.masks)));
    }
    let known = defined_flags(&made.insn);
    if (cpu.flags ^ want.flags) & known != 0 {
        let [got, want] = [cpu.flags & known, want.flags & known];
        return Err(fail(format!("flags are {got:#x}, not {want:#x}")));
    }
    if block.area != want_area {
        return Err(fail("memory differs".to_owned()));
    }
    Ok(())
}

/// An instruction that is executed only if the one of the trial, a jump, is not taken.
const SKIPPED: [u8; 5] = [0xb9, 1, 2, 3, 4];

/// Evaluates what [`piece`] executes, as an instruction of this form.
fn evaluate(made: &Instance, code: Code, cpu: &mut Cpu, area: &mut [u8]) -> Result<(), Fault> {
    let mut memory = Memory::new(&[], &mut [area]);
    let decoded = |bytes: &[u8]| Decoder::new(64, bytes, DecoderOptions::NONE).decode();
    let mut insn = decoded(&made.bytes);
    insn.set_code(code);
    if insn.mnemonic() == Mnemonic::Ret {
        return Ok(());
    }
    let is_jump = insn.op0_kind() == OpKind::NearBranch64;
    if is_jump {
        insn.set_near_branch64(insn.next_ip() + SKIPPED.len() as u64);
    }
    let behind = insn.next_ip();
    let mut state = State { cpu, memory: &mut memory };
    step(&mut state, &insn)?;
    if is_jump && state.cpu.next == behind {
        step(&mut state, &decoded(&SKIPPED))?;
    }
    Ok(())
}

/// A function that takes registers from the block that its argument names, executes an instruction, and puts them back.
fn piece(made: &Instance, is_long: bool) -> Result<Vec<u8>, IcedError> {
    const BLOCK: Register = Register::R15;
    let kept = [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, BLOCK];
    let at = |offset: usize| MemoryOperand::with_base_displ(BLOCK, offset as i64);
    let mut piece = Piece::default();
    for register in kept {
        piece.push(Instruction::with1(Code::Push_r64, register)?)?;
    }
    piece.push(Instruction::with2(Code::Mov_r64_rm64, BLOCK, Register::RDI)?)?;
    piece.push(Instruction::with1(Code::Stmxcsr_m32, at(offset_of!(Block, callers_control)))?)?;
    piece.push(Instruction::with1(Code::Ldmxcsr_m32, at(offset_of!(Block, control)))?)?;
    let vector = |number: u32| at(offset_of!(Block, vectors) + 64 * number as usize);
    let mask = |number: u32| at(offset_of!(Block, masks) + 8 * number as usize);
    let general = |number: usize| at(offset_of!(Block, general) + 8 * number);
    let numbers = || (0..16).filter(|number| !RESERVED.contains(number));
    if is_long {
        for number in 0..32 {
            let code = Code::EVEX_Vmovups_zmm_k1z_zmmm512;
            piece.push(Instruction::with2(code, Register::ZMM0 + number, vector(number))?)?;
        }
        for number in 0..8 {
            piece.push(Instruction::with2(Code::VEX_Kmovq_kr_km64, Register::K0 + number, mask(number))?)?;
        }
    } else {
        for number in 0..16 {
            let code = Code::VEX_Vmovups_ymm_ymmm256;
            piece.push(Instruction::with2(code, Register::YMM0 + number, vector(number))?)?;
        }
    }
    piece.push(Instruction::with1(Code::Push_rm64, at(offset_of!(Block, flags)))?)?;
    piece.push(Instruction::with(Code::Popfq))?;
    for number in numbers() {
        let register = Register::RAX + number as u32;
        piece.push(Instruction::with2(Code::Mov_r64_rm64, register, general(number))?)?;
    }
    match made.insn.code().mnemonic() {
        // Returning is what the piece does in the end.
        Mnemonic::Ret => {}
        _ if made.insn.op0_kind() == OpKind::NearBranch64 => {
            let mut jump = made.bytes.clone();
            let distance = jump.len() - 4;
            jump[distance..].copy_from_slice(&(SKIPPED.len() as u32).to_le_bytes());
            piece.0.extend(jump);
            piece.0.extend(SKIPPED);
        }
        _ => piece.0.extend(&made.bytes),
    }
    for number in numbers() {
        let register = Register::RAX + number as u32;
        piece.push(Instruction::with2(Code::Mov_rm64_r64, general(number), register)?)?;
    }
    piece.push(Instruction::with(Code::Pushfq))?;
    piece.push(Instruction::with1(Code::Pop_rm64, at(offset_of!(Block, flags)))?)?;
    if is_long {
        for number in 0..32 {
            let code = Code::EVEX_Vmovups_zmmm512_k1z_zmm;
            piece.push(Instruction::with2(code, vector(number), Register::ZMM0 + number)?)?;
        }
        for number in 0..8 {
            piece.push(Instruction::with2(Code::VEX_Kmovq_m64_kr, mask(number), Register::K0 + number)?)?;
        }
    } else {
        for number in 0..16 {
            let code = Code::VEX_Vmovups_ymmm256_ymm;
            piece.push(Instruction::with2(code, vector(number), Register::YMM0 + number)?)?;
        }
    }
    piece.push(Instruction::with1(Code::Ldmxcsr_m32, at(offset_of!(Block, callers_control)))?)?;
    piece.push(Instruction::with(Code::VEX_Vzeroupper))?;
    for register in kept.into_iter().rev() {
        piece.push(Instruction::with1(Code::Pop_r64, register)?)?;
    }
    piece.push(Instruction::with(Code::Retnq))?;
    Ok(piece.0)
}

/// Code as it grows.
#[derive(Default)]
struct Piece(Vec<u8>);

impl Piece {
    fn push(&mut self, insn: Instruction) -> Result<(), IcedError> {
        let mut encoder = Encoder::new(64);
        encoder.encode(&insn, self.0.len() as u64)?;
        self.0.extend(encoder.take_buffer());
        Ok(())
    }
}

fn run_piece(piece: &[u8], block: &mut Block) -> Result<(), CompileError> {
    // SAFETY: `piece` has made a function that keeps the registers of its caller, whose instructions this processor has, and that
    // accesses nothing but this block: the instruction of the trial has an address in its area.
    unsafe { call_piece(piece, std::ptr::from_mut(block).cast()) }
}
