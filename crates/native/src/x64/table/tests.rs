use super::super::encode::tests::{May, encodings, make};
use super::super::encode::{Operand, Prefix};
use super::super::width::Width;
use super::{Access, Column, Encoding, Feature, Flags, Insn, find};
use iced_x86::{Code, CpuidFeature, Instruction, InstructionInfoFactory, OpAccess, OpKind};

/// Each code leads to its row, and each row to its codes.
#[test]
fn rows_are_found() {
    let mut codes = Vec::new();
    for (insn, column, encoding) in encodings() {
        let (found, row) = find(encoding.code).expect("it has a row");
        assert_eq!((found, row.code(column)), (insn, Some(encoding.code)));
        assert!(!codes.contains(&encoding.code), "{:?} is there twice", encoding.code);
        codes.push(encoding.code);
        let is_vector = encoding.form.prefix != Prefix::Legacy;
        assert_eq!(format!("{:?}", encoding.code).contains("VEX_"), is_vector);
        let is_first = Column::ALL.into_iter().find(|&column| insn.at(column).is_some()) == Some(column);
        assert_eq!(insn.sole().expect("it has a code").code == encoding.code, is_first);
    }
    assert!(codes.len() > 150, "{} encodings", codes.len());
    assert!(find(Code::Cpuid).is_none());
    assert_eq!(Instruction::with(Code::Retnq).op0_kind(), OpKind::Register, "there is none");
}

/// An instruction of an encoding, with a register of its own for each operand that may be one, or with memory where it may be.
fn sample(code: Code, memory: Option<usize>) -> Option<Instruction> {
    let operands = May::of(code).operands.into_iter().enumerate().map(|(place, may)| match memory {
        Some(at) if at == place => may.into_iter().find(|operand| matches!(operand, Operand::Memory(_))),
        _ => {
            let others = may.iter().find(|operand| !matches!(operand, Operand::Memory(_)));
            let registers = may.iter().filter(|operand| matches!(operand, Operand::Register(_)));
            registers.clone().nth(place + 1).or(others).or(may.first()).copied()
        }
    });
    make(code, &operands.collect::<Option<Vec<_>>>()?).ok()
}

fn access(access: Access) -> OpAccess {
    match access {
        Access::N => OpAccess::NoMemAccess,
        Access::R => OpAccess::Read,
        Access::W => OpAccess::Write,
        Access::RW => OpAccess::ReadWrite,
    }
}

/// What rows say of operands and flags is what iced knows.
#[test]
fn reads_and_writes_are_what_iced_knows() {
    let mut factory = InstructionInfoFactory::new();
    for (insn, column, &Encoding { code, .. }) in encodings() {
        let row = insn.row();
        let is_jump = May::of(code).jumps;
        let ways = [None, row.memory_operand(column)].into_iter().filter(|_| !is_jump);
        let mut count = 0;
        for instruction in ways.filter_map(|memory| sample(code, memory)) {
            let info = factory.info(&instruction);
            for operand in 0..instruction.op_count() {
                assert_eq!(
                    info.op_access(operand),
                    access(row.access(operand as usize)),
                    "{code:?} {operand}"
                );
            }
            count += 1;
        }
        assert_eq!(count > 0, !is_jump, "{code:?}");
        let mut instruction = Instruction::default();
        instruction.set_code(code);
        // A shift by nothing would leave flags alone.
        instruction.set_immediate8(1);
        let flags = match (instruction.rflags_read(), instruction.rflags_modified()) {
            (0, 0) => Flags::Keeps,
            (0, _) => Flags::Sets,
            (_, 0) => Flags::Tests,
            _ => panic!("{code:?} reads flags and writes them"),
        };
        assert_eq!(row.flags, flags, "{code:?}");
    }
}

/// Which operands may be memory, how much of it is accessed, and what is read for all lanes.
#[test]
fn memory_is_what_iced_knows() {
    for (insn, column, &Encoding { code, .. }) in encodings() {
        let row = insn.row();
        let may = May::of(code).operands;
        let takes =
            |operand: &Vec<Operand>| operand.iter().any(|operand| matches!(operand, Operand::Memory(_)));
        assert_eq!(may.iter().position(takes), row.memory_operand(column), "{code:?}");
        let Some(operand) = row.memory_operand(column) else { continue };
        let mut instruction = sample(code, Some(operand)).expect("an instruction");
        if insn != Insn::Lea {
            assert_eq!(instruction.memory_size().size(), row.bytes(column) as usize, "{code:?}");
        }
        let is_for_all =
            |operand: &Operand| matches!(operand, Operand::Memory(memory) if memory.is_broadcast);
        assert_eq!(may[operand].iter().any(is_for_all), row.element(column) != 0, "{code:?}");
        if row.element(column) != 0 {
            instruction.set_is_broadcast(true);
            assert_eq!(instruction.memory_size().element_size(), row.element(column) as usize, "{code:?}");
        }
    }
}

/// The features of each encoding.
#[test]
fn features_are_what_iced_knows() {
    let named = |feature: Feature| {
        Some(match feature {
            Feature::No => return None,
            Feature::Avx => CpuidFeature::AVX,
            Feature::Avx2 => CpuidFeature::AVX2,
            Feature::Fma => CpuidFeature::FMA,
            Feature::F => CpuidFeature::AVX512F,
            Feature::Dq => CpuidFeature::AVX512DQ,
            Feature::Bw => CpuidFeature::AVX512BW,
            Feature::Vl => CpuidFeature::AVX512VL,
        })
    };
    for (insn, column, encoding) in encodings() {
        let general = [CpuidFeature::INTEL8086, CpuidFeature::INTEL386, CpuidFeature::X64];
        let mut own: Vec<_> = insn.row().features(column).into_iter().filter_map(named).collect();
        let all = encoding.code.cpuid_features().iter().copied();
        let mut known: Vec<_> = all.filter(|feature| !general.contains(feature)).collect();
        own.sort_by_key(|feature| *feature as usize);
        known.sort_by_key(|feature| *feature as usize);
        assert_eq!(own, known, "{:?}", encoding.code);
    }
}

/// Widths use no encoding that needs what their instruction set lacks.
#[test]
fn widths_have_the_features_of_their_columns() {
    for &width in Width::ALL {
        let facts = width.facts();
        let is_long = facts.instructions.features().contains(&"avx512f");
        for column in facts.whole.iter().copied().chain([facts.eight, facts.four]) {
            for &insn in super::ALL {
                let needs = insn.at(column).map_or([Feature::No; 2], |_| insn.row().features(column));
                let is_there = |feature| match feature {
                    Feature::No | Feature::Avx | Feature::Avx2 | Feature::Fma => true,
                    Feature::F | Feature::Dq | Feature::Bw | Feature::Vl => is_long,
                };
                // Instructions on mask registers stand in columns of VEX.
                let is_of_masks = format!("{insn:?}").starts_with('K');
                assert!(is_of_masks || needs.into_iter().all(is_there), "{}: {insn:?}", width.name());
            }
        }
    }
}
