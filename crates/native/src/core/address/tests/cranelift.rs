//! Code of Cranelift, and what damages it.

use super::super::super::contract::Contract;
use super::super::super::rewrite::{instructions, leave_out, with};
use super::super::super::shape::{Ends, Shape};
use super::{check, function};
use crate::backend::CompileError;
use crate::ir::func::Func;
use crate::machine::Machine;
use crate::samples::{OF_ALLOCATORS, functions};
use crate::{Compiler, Target};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use xfjit_runtime::batch::Layout;

/// As many programs as make functions of every kind.
const PROGRAMS: u64 = 24;

/// Code of a function, its contract and its bytes.
type Code = (Func, Contract, Vec<u8>);

/// Machine code with both register allocators; none of what is refused.
fn compiled() -> Vec<Code> {
    let target = Target::named("x86_64").or_else(|_| Target::host()).expect("x86-64 has native code");
    let mut all = Vec::new();
    for budget in OF_ALLOCATORS {
        let mut compiler = Compiler::new(target.clone()).budget(budget);
        for (func, layout) in functions(PROGRAMS, &Machine::X86_64) {
            match compiler.shaped(&func, layout) {
                Ok((code, _, shape)) => {
                    let contract = Contract::new(&func, layout, shape);
                    all.push((func, contract, code));
                }
                Err(CompileError::TooLarge(_)) => {}
                Err(error) => panic!("{error}\n{func}"),
            }
        }
    }
    all
}

/// Code of this machine for a function as it is read.
fn code(func: &Func, layout: Layout) -> (Vec<u8>, Shape) {
    let target = Target::host().expect("x86-64 has native code");
    let (code, _, shape) = Compiler::new(target).shaped(func, layout).expect("it compiles");
    (code, shape)
}

#[test]
fn what_is_compiled_passes() {
    let all = compiled();
    assert!(all.len() > 40, "{}", all.len());
    let start = std::time::Instant::now();
    for (func, contract, code) in &all {
        assert_eq!(check(code, contract), Ok(()), "{func}");
    }
    let bytes: usize = all.iter().map(|(_, _, code)| code.len()).sum();
    println!("{bytes} bytes in {:?}", start.elapsed());
}

/// Whether nothing but loads of registers lies between an instruction and the end of the function.
fn is_epilogue(code: &[u8], insn: &Instruction) -> bool {
    let mut behind = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let at = usize::try_from(insn.next_ip()).expect("it is in the code");
    behind.set_position(at).expect("it is in the code");
    for insn in &mut behind {
        match insn.mnemonic() {
            Mnemonic::Ret => return true,
            Mnemonic::Movdqu | Mnemonic::Vmovdqu | Mnemonic::Movups | Mnemonic::Vmovups => {}
            Mnemonic::Mov | Mnemonic::Add | Mnemonic::Pop => {}
            _ => return false,
        }
    }
    false
}

/// Every displacement of every memory operand, pointed elsewhere: to far behind its block or, where a byte holds it, before.
#[test]
fn a_wrong_displacement_is_found() {
    let mut found = 0;
    for (func, contract, code) in compiled().into_iter().step_by(3) {
        let mut decoder = Decoder::with_ip(64, &code, 0, DecoderOptions::NONE);
        let mut places = Vec::new();
        let mut insn = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut insn);
            let in_memory = (0..insn.op_count()).any(|operand| insn.op_kind(operand) == OpKind::Memory);
            if in_memory && !matches!(insn.mnemonic(), Mnemonic::Lea | Mnemonic::Nop) {
                let offsets = decoder.get_constant_offsets(&insn);
                places
                    .push((insn.ip() as usize + offsets.displacement_offset(), offsets.displacement_size()));
            }
            if insn.mnemonic() == Mnemonic::Ret {
                break;
            }
        }
        // Some of them: each is a whole check.
        let step = 1 + places.len() / 40;
        for (at, size) in places.into_iter().step_by(step).filter(|(_, size)| *size > 0) {
            let mut wrong = code.clone();
            match size {
                1 => wrong[at] = 0x80,
                _ => wrong[at..at + 4].copy_from_slice(&0x4000_0000_u32.to_le_bytes()),
            }
            assert!(check(&wrong, &contract).is_err(), "the displacement at {at:#x}\n{func}");
            found += 1;
        }
    }
    assert!(found > 500, "{found}");
}

/// A change of an instruction; whether it changed anything.
type Change = fn(&mut Instruction) -> bool;

/// Changes that lead out of the memory that code may use, out of the code, or behind the last group.
const CHANGES: &[(&str, Change)] = &[
    ("an address without its base", |insn| {
        let is_access = (0..insn.op_count()).any(|operand| insn.op_kind(operand) == OpKind::Memory)
            && !matches!(insn.mnemonic(), Mnemonic::Lea | Mnemonic::Nop)
            && !insn.is_ip_rel_memory_operand();
        insn.set_memory_base(Register::None);
        is_access
    }),
    ("a jump into an instruction", |insn| {
        let jumps = insn.is_jcc_short_or_near() || insn.is_jmp_short_or_near();
        insn.set_near_branch64(insn.near_branch64().wrapping_add(1));
        jumps
    }),
    ("a jump out of the code", |insn| {
        let jumps = insn.is_jcc_near() || insn.is_jmp_near();
        insn.set_near_branch64(insn.near_branch64().wrapping_add(0x10_0000));
        jumps
    }),
    ("groups behind the last one", |insn| {
        let goes_on = matches!(insn.mnemonic(), Mnemonic::Jb | Mnemonic::Jae | Mnemonic::Ja | Mnemonic::Jbe);
        insn.negate_condition_code();
        goes_on
    }),
    // What is added to the stack pointer does not matter where it comes from the frame pointer next.
    ("a callee-saved register that is not given back", |insn| {
        let gives = insn.mnemonic() == Mnemonic::Pop;
        if gives {
            insn.set_op0_register(Register::RCX);
        }
        gives
    }),
];

#[test]
fn damaged_code_is_refused() {
    let all: Vec<Code> = compiled().into_iter().step_by(4).collect();
    for (what, change) in CHANGES {
        let mut count = 0;
        for (func, contract, code) in &all {
            let insns = instructions(code);
            let step = 1 + insns.len() / 400;
            for number in 0..insns.len() {
                let mut changed = insns[number];
                if !change(&mut changed) || count > 300 || step > 1 && number % step != count % step {
                    continue;
                }
                let Some(wrong) = with(code, &insns, number, &changed) else { continue };
                if wrong == *code {
                    continue;
                }
                assert!(check(&wrong, contract).is_err(), "{what}: {:?}\n{func}", insns[number]);
                count += 1;
            }
        }
        assert!(count > 0, "{what}: there was nothing to change");
    }
}

/// What gives the caller a register back cannot be left out.
#[test]
fn callee_saved_registers_come_back() {
    const SAVED: [Register; 6] =
        [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];
    let mut count = 0;
    for (func, contract, code) in compiled().into_iter().step_by(3) {
        let insns = instructions(&code);
        // On leaving early one may have been left alone, but not on all ways.
        for register in SAVED {
            let is_load = |insn: &&Instruction| {
                insn.op0_register() == register
                    && insn.op0_kind() == OpKind::Register
                    && (insn.mnemonic() == Mnemonic::Pop
                        || insn.memory_base() == Register::RSP && is_epilogue(&code, insn))
            };
            let mut wrong = code.clone();
            insns.iter().filter(is_load).for_each(|insn| leave_out(&mut wrong, insn));
            if wrong != code {
                assert!(check(&wrong, &contract).is_err(), "{register:?}\n{func}");
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}

/// One row too far is too far: the bounds are those of the blocks, and not of what lies behind them.
#[test]
fn bounds_are_exact() {
    let text = |row: &str| {
        format!(
            "func host hw kelvin window 0..192 {{\nbody:\n%0 = input v0.x\n%1 = const {row}\n%2 = umin %0, %1\n\
             %3 = gather .x, %2\noutput o0, %3, %3, %3, %3\n}}"
        )
    };
    let func = function(&text("000000c0"));
    let (code, shape) = code(&func, Layout::Rows);
    let contract = Contract::new(&func, Layout::Rows, shape);
    assert_eq!(check(&code, &contract), Ok(()));
    let wrong: [fn(&mut Contract); 3] =
        [|contract| contract.rows -= 1, |contract| contract.inputs = 0, |contract| contract.outputs = 2];
    for wrong in wrong {
        let mut contract = contract;
        wrong(&mut contract);
        assert!(check(&code, &contract).is_err());
    }
}

/// Code whose groups share vertices and go back relies on that, on the number of its lanes, and on its layout.
#[test]
fn groups_have_bounds() {
    let func = function(
        "func host hw kelvin window 0..1 {\nbody:\n%0 = input v0.x\n%1 = input v0.y\n%2 = fadd %0, %1\n\
                output o0, %0, %1, %2, %0\n}",
    );
    for layout in [Layout::Rows, Layout::Planes] {
        let (code, shape) = code(&func, layout);
        for lanes in [2, 4, 8, 16] {
            for other in [Layout::Rows, Layout::Planes] {
                for ends in [Ends::Whole, Ends::Short, Ends::Back] {
                    let contract = Contract::new(&func, other, Shape { lanes, ends, ..shape });
                    let is_its_own = (lanes, other, ends) == (4, layout, Ends::Back);
                    assert_eq!(check(&code, &contract).is_ok(), is_its_own, "{layout:?} {contract:?}");
                }
            }
        }
    }
}

/// Attributes are read where their own index list says, by whole numbers of it, and nowhere else.
#[test]
fn index_lists_are_followed() {
    let func = |indices: &str| {
        function(&format!(
            "func host hw kelvin window 0..1 v1[3]{indices} {{\nbody:\n%0 = input v0.x\n%1 = input v1.y\n\
             %2 = fadd %0, %1\noutput o0, %0, %1, %2, %0\n}}"
        ))
    };
    let ways = [
        "",
        " index[16]",
        " index[32]",
        " index[16] v1.position",
        " index[32] v1.index[32]",
        " index[32] v1.index[16]",
        " v0.index[32]",
        " v1.index[32]",
        " v0.index[32] v1.index[32]",
    ];
    for way in ways {
        let (code, shape) = code(&func(way), Layout::Rows);
        for other in ways {
            let contract = Contract::new(&func(other), Layout::Rows, shape);
            assert_eq!(check(&code, &contract).is_ok(), way == other, "{way} under {other}");
        }
        let whole = Contract::new(&func(way), Layout::Rows, Shape { ends: Ends::Whole, ..shape });
        assert!(check(&code, &whole).is_err(), "{way} in whole groups");
    }
}
