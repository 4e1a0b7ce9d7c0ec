//! Code of both back ends passes the checker of values; code whose values are elsewhere does not.

use super::super::made::Made;
use super::super::rewrite::{instructions, with};
#[cfg(feature = "wide")]
use super::patterns::{SECOND, ZERO};
#[cfg(feature = "wide")]
use super::x86::moves::Move;
use crate::ir::func::Func;
use crate::machine::Machine;
use crate::samples::functions;
#[cfg(feature = "wide")]
use crate::x64::{self, Width};
use crate::{InstructionSet, Target};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
#[cfg(feature = "wide")]
use std::collections::BTreeSet;
use xfjit_runtime::batch::Layout;
#[cfg(feature = "wide")]
use xfjit_runtime::fpenv::FpEnv;
#[cfg(feature = "wide")]
use xfjit_testing::x86::{Cpu, Memory, State as EvaluatedState, step};

/// Code of Cranelift for both instruction sets that have it, for functions of every kind.
fn of_cranelift(count: u64) -> Vec<Made> {
    let functions: Vec<(Func, Layout)> = functions(count, &Machine::X86_64).collect();
    let code = |set| Made::of_cranelift(&Target::of(set).expect("x86-64 has native code"), &functions);
    [InstructionSet::X86_64V2, InstructionSet::X86_64V3].into_iter().flat_map(code).collect()
}

#[cfg(feature = "wide")]
fn wide(width: Width) -> Vec<Made> {
    let functions = x64::tests::functions(width);
    let made = functions.filter_map(|(func, layout)| {
        let (bytes, lines) = x64::tests::unchecked(&func, layout, width)?;
        Some(Made { func, layout, shape: x64::shape(width), bytes, lines })
    });
    made.collect()
}

/// Code of each back end and width.
pub(super) fn all() -> Vec<(&'static str, Vec<Made>)> {
    let mut all = vec![("cranelift", of_cranelift(24))];
    #[cfg(feature = "wide")]
    all.extend(Width::ALL.iter().map(|&width| (width.name(), wide(width))));
    all
}

#[test]
fn what_is_compiled_passes() {
    for (name, all) in all() {
        assert!(all.len() > 40, "{name}: {}", all.len());
        for made in all {
            assert_eq!(made.check(&made.bytes), Ok(()), "{name}\n{}", made.func);
        }
    }
}

/// A change of an instruction; whether it changed anything.
type Change = fn(&mut Instruction) -> bool;

/// The vector register next to another one.
fn next(register: Register) -> Register {
    let by = if register.number() % 8 == 7 { -1 } else { 1 };
    Register::try_from((register as i32 + by) as usize).expect("it is a register")
}

/// Whether an instruction accesses memory that is the code's own, in both back ends: scratch memory or the stack.
fn is_spill(insn: &Instruction) -> bool {
    insn.memory_base() != Register::None
        && insn.memory_index() == Register::None
        && insn.memory_size().size() >= 16
        && matches!(
            insn.mnemonic(),
            Mnemonic::Movups | Mnemonic::Movdqu | Mnemonic::Vmovups | Mnemonic::Vmovdqu
        )
}

fn is_vector(insn: &Instruction, operand: u32) -> bool {
    operand < insn.op_count()
        && insn.op_kind(operand) == OpKind::Register
        && insn.op_register(operand).is_vector_register()
}

/// How many instructions of a function each change is tried on. Few of them access spill slots, and shares of few cases say little.
const TRIED: usize = 12;

/// Changes of instructions that compute, and of how many in a hundred the checker finds that values are elsewhere then. The others are mostly
/// no faults: both registers hold the value, or what is lost is not read.
const CHANGES: &[(&str, usize, Change)] = &[
    ("another register is read", 85, |insn| {
        let last = (1..insn.op_count()).rev().find(|&operand| is_vector(insn, operand));
        last.inspect(|&operand| match operand {
            1 => insn.set_op1_register(next(insn.op1_register())),
            2 => insn.set_op2_register(next(insn.op2_register())),
            _ => insn.set_op3_register(next(insn.op3_register())),
        })
        .is_some()
    }),
    ("another register is written", 90, |insn| {
        let is_result = is_vector(insn, 0) && !matches!(insn.mnemonic(), Mnemonic::Vptest | Mnemonic::Ptest);
        if is_result {
            insn.set_op0_register(next(insn.op0_register()));
        }
        is_result
    }),
    ("a vector comes from another place", 85, |insn| {
        let is_load = is_spill(insn) && insn.op0_kind() == OpKind::Register;
        insn.set_memory_displacement64(insn.memory_displacement64() ^ insn.memory_size().size() as u64);
        is_load
    }),
    ("a vector goes to another place", 97, |insn| {
        let is_store = is_spill(insn) && insn.op0_kind() == OpKind::Memory;
        insn.set_memory_displacement64(insn.memory_displacement64() ^ insn.memory_size().size() as u64);
        is_store
    }),
];

#[test]
fn values_that_are_elsewhere_are_found() {
    for (what, share, change) in CHANGES {
        let mut total = 0;
        for (name, all) in all() {
            let (mut count, mut found) = (0, 0);
            for made in &all {
                let insns = instructions(&made.bytes);
                let is_changed = |&number: &usize| {
                    made.computes(insns[number].ip() as u32) && change(&mut { insns[number] })
                };
                let numbers: Vec<usize> = (0..insns.len()).filter(is_changed).collect();
                for &number in numbers.iter().step_by(1 + numbers.len() / TRIED) {
                    let mut changed = insns[number];
                    change(&mut changed);
                    let Some(wrong) = with(&made.bytes, &insns, number, &changed) else { continue };
                    // Of another length, what is behind it would be for other operations.
                    if wrong.len() == made.bytes.len() && wrong != made.bytes {
                        count += 1;
                        found += usize::from(made.check(&wrong).is_err());
                    }
                }
            }
            println!("{name}, {what}: {found} of {count}");
            assert!(count < 20 || found * 100 >= count * share, "{name}, {what}: {found} of {count}");
            total += count;
        }
        assert!(total > 200, "{what}: {total}");
    }
}

/// Instructions that are said to move words move them so.
#[test]
#[cfg(feature = "wide")]
fn words_are_moved_as_patterns_say() {
    let mut known = BTreeSet::new();
    for (_, all) in all() {
        for insn in all.iter().flat_map(|made| instructions(&made.bytes)) {
            let Some(moved) = Move::of(&insn, None) else { continue };
            let is_register = |operand: u32| is_vector(&insn, operand);
            let immediate = insn.op_kind(insn.op_count() - 1) == OpKind::Immediate8;
            let immediate = immediate.then(|| insn.immediate8());
            if [moved.to, moved.from[0], moved.from[1]].iter().all(|&operand| is_register(operand))
                && known.insert((insn.code() as usize, immediate))
            {
                is_moved(&insn, &moved);
            }
        }
    }
    assert!(known.len() > 30, "{known:?}");
}

/// Runs an instruction on registers that hold other words each, unless it is none that the evaluator knows.
#[cfg(feature = "wide")]
fn is_moved(insn: &Instruction, moved: &Move) {
    let mut cpu = Cpu::new(FpEnv::Default);
    for (number, vector) in cpu.vectors.iter_mut().enumerate() {
        vector.0 = std::array::from_fn(|word| (100 * (number + 1) + word) as u32);
    }
    let before = cpu.clone();
    let mut memory = Memory::new(&[], &mut []);
    let mut state = EvaluatedState { cpu: &mut cpu, memory: &mut memory };
    if step(&mut state, insn).is_err() {
        return;
    }
    let number = |operand: u32| insn.op_register(operand).number();
    let [first, second] = moved.from.map(|operand| before.vectors[number(operand)].0);
    for (place, &word) in moved.pattern.words[..moved.pattern.count.into()].iter().enumerate() {
        let want = match word {
            ZERO => 0,
            word @ 0..SECOND => first[usize::from(word)],
            word => second[usize::from(word - SECOND)],
        };
        assert_eq!(cpu.vectors[number(moved.to)].0[place], want, "word {place} of {insn:?}");
    }
}
