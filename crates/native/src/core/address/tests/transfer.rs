//! What the checker knows of instructions, beside what the decoder's tables say of them.

use super::super::super::steps::Insn;
use super::super::super::x86::{decode, is_of_vectors};
use super::super::Check;
use super::super::state::State;
use super::super::vectors::Vector;
use super::super::word::{Base, Word};
use super::{BY_HAND, by_hand};
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register,
};

/// An instruction of every opcode: of the legacy maps with each prefix, of VEX and of EVEX with each length and width, and with each
/// extension of the opcode; their operands are registers, or memory at the address in a register.
fn instructions() -> impl Iterator<Item = Instruction> {
    let prefixes: [&[u8]; 4] = [&[], &[0x66], &[0xf3], &[0xf2]];
    let maps: [&[u8]; 4] = [&[], &[0x0f], &[0x0f, 0x38], &[0x0f, 0x3a]];
    let mut starts: Vec<Vec<u8>> = Vec::new();
    for (prefix, rex) in prefixes.into_iter().flat_map(|prefix| [None, Some(0x48u8)].map(|rex| (prefix, rex)))
    {
        starts.extend(maps.map(|map| [prefix, rex.as_slice(), map].concat()));
    }
    for map in 1..=3u8 {
        for rest in 0..16u8 {
            let (width, length, prefix) = (rest >> 3 & 1, rest >> 2 & 1, rest & 3);
            starts.push(vec![0xc4, 0xe0 | map, width << 7 | 0x78 | length << 2 | prefix]);
            starts.extend(
                [0, 1, 2].map(|length| vec![0x62, 0xf0 | map, width << 7 | 0x7c | prefix, length << 5 | 8]),
            );
        }
    }
    let codes = move |start: Vec<u8>| {
        (0..=255u8).flat_map(move |opcode| {
            let start = start.clone();
            (0..8u8).flat_map(move |extension| {
                let start = start.clone();
                // Register 1; memory at rdi.
                [0xc0 | extension << 3 | 1, extension << 3 | 7].map(move |operands| {
                    let mut bytes = start.clone();
                    bytes.extend([opcode, operands, 0x11, 0, 0, 0, 0, 0, 0, 0]);
                    Decoder::new(64, &bytes, DecoderOptions::NONE).decode()
                })
            })
        })
    };
    starts.into_iter().flat_map(codes).filter(|insn| !insn.is_invalid())
}

/// What is passed over writes vectors and masks, and neither reads nor writes memory.
#[test]
fn what_is_passed_over_writes_vectors() {
    let (mut factory, mut count) = (InstructionInfoFactory::new(), 0);
    for insn in instructions().filter(is_of_vectors) {
        let info = factory.info(&insn);
        assert!(info.used_memory().is_empty(), "{insn:?}");
        for used in info.used_registers().iter().filter(|used| is_written(used.access())) {
            let register = used.register();
            assert!(register.is_vector_register() || register.is_k(), "{insn:?} writes {register:?}");
        }
        assert_eq!((insn.rflags_modified(), insn.flow_control()), (0, FlowControl::Next), "{insn:?}");
        count += 1;
    }
    assert!(count > 10_000, "{count}");
}

/// Whatever passes the transfer functions leaves what it writes as something else than it was, and writes no memory but that of its
/// first operand.
#[test]
fn what_is_written_is_noted() {
    let contract = by_hand(BY_HAND);
    let check = Check { bytes: &[], contract: &contract, convention: Instruction::CONVENTION, literals: &[] };
    let (mut factory, mut count) = (InstructionInfoFactory::new(), 0);
    let mut start = State::at_entry(&contract, Instruction::CONVENTION);
    for (number, word) in start.words.iter_mut().enumerate() {
        if number != Register::RDI.number() && number != Register::RSP.number() {
            *word = Word::at(Base::Caller(number as u8));
        }
    }
    start.vectors = [Vector::AtMost(5); 32];
    for insn in instructions().filter(|insn| insn.flow_control() == FlowControl::Next) {
        // It clears what the lattice does not know, beside the lowest sixteen bytes.
        if insn.mnemonic() == Mnemonic::Vzeroupper {
            continue;
        }
        let mut start = start.clone();
        if insn.op0_register().is_vector_register() {
            start.vectors[insn.op0_register().number()] = Vector::Verified;
        }
        let mut state = start.clone();
        if check.step(&insn, &mut state).is_err() {
            continue;
        }
        count += 1;
        let info = factory.info(&insn);
        let is_own_address = insn.mnemonic() == Mnemonic::Lea && insn.memory_base() == insn.op0_register();
        let is_move = is_own_address
            || insn.op_count() == 2
                && insn.op0_kind() == OpKind::Register
                && insn.op0_register() == insn.op1_register();
        for used in info.used_registers().iter().filter(|used| is_written(used.access()) && !is_move) {
            let full = used.register().full_register();
            if used.register().is_gpr() {
                let (before, after) = (start.words[full.number()], state.words[full.number()]);
                assert_ne!(before, after, "{insn:?} writes {:?}", used.register());
            } else if used.register().is_vector_register() {
                assert_eq!(full, insn.op0_register().full_register(), "{insn:?} writes another register");
                assert_ne!(state.vectors[full.number()], Vector::Verified, "{insn:?}");
            } else {
                assert!(used.register().is_k(), "{insn:?} writes {:?}", used.register());
            }
        }
        for used in info.used_memory().iter().filter(|used| is_written(used.access())) {
            assert!(
                insn.op0_kind() == OpKind::Memory || used.base() == Register::RSP,
                "{insn:?} writes memory that it does not name"
            );
        }
        // What it reads or writes is all that its operand names.
        let is_one = info
            .used_memory()
            .iter()
            .all(|used| used.memory_size().size() <= insn.memory_size().size().max(8));
        assert!(is_one, "{insn:?}");
    }
    assert!(count > 10_000, "{count}");
}

fn is_written(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// Of code that only computes vectors nothing but what changes addresses is left to be followed.
#[test]
fn vectors_are_passed_over() {
    // vaddps ymm0, ymm1, ymm2; mov rax, rdx; ret
    let code = [&[0xc5, 0xf4, 0x58, 0xc2][..], &super::LEAVE].concat();
    let steps = decode(&code, false).expect("it is code").steps;
    let of_vectors: Vec<bool> = steps.iter().map(|step| step.is_of_vectors).collect();
    assert_eq!(of_vectors, [true, false, false]);
}
