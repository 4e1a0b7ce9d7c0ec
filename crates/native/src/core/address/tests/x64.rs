//! Code for wide vectors, and what damages it.

use super::super::super::contract::Contract;
use super::super::super::rewrite::{instructions, with, without};
use super::check;
use crate::backend::{CompileError, to_host};
use crate::samples::set;
use crate::x64::tests::{functions, packed};
use crate::x64::{Width, code, shape};
use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};

/// Where code has the first vertex of the group, and the number of those that remain.
const VERTEX: Register = Register::RDX;
const REMAINING: Register = Register::RCX;

/// Where code without tails has the vertex before which whole groups begin.
const LIMIT: Register = Register::RCX;

/// A change of an instruction; whether it changed anything.
type Change = fn(&mut Instruction) -> bool;

/// Changes that lead out of the memory that code may use, or out of the code.
const CHANGES: &[(&str, Change)] = &[
    ("a store far behind scratch memory", |insn| {
        let is_store = insn.op0_kind() == OpKind::Memory && insn.memory_base() == Register::RAX;
        insn.set_memory_displacement64(0x10_0000);
        is_store
    }),
    ("a load before scratch memory", |insn| {
        let loads = insn.op0_kind() == OpKind::Register && insn.memory_base() == Register::RAX;
        insn.set_memory_displacement64(-4i64 as u64);
        loads
    }),
    ("a constant behind the code", |insn| {
        insn.set_memory_displacement64(0x10_0000);
        insn.is_ip_rel_memory_operand()
    }),
    ("constants at a row that is not there", |insn| {
        let reads = insn.memory_base() == Register::RDI;
        insn.set_memory_displacement64(insn.memory_displacement64().wrapping_add(0x3000));
        reads
    }),
    ("a row behind that of the vertex", |insn| {
        let is_row = insn.memory_base() == Register::R10 && insn.mnemonic() != Mnemonic::Lea;
        insn.set_memory_displacement64(insn.memory_displacement64().wrapping_add(16));
        is_row
    }),
    ("a row of another stride", |insn| {
        let is_row = insn.memory_base() == Register::R10 && insn.memory_index() == Register::R8;
        insn.set_memory_index_scale(8);
        is_row
    }),
    ("a number of another group", |insn| {
        let is_number = insn.memory_base() == Register::R8 && insn.memory_index() == Register::RDX;
        insn.set_memory_displacement64(insn.memory_displacement64().wrapping_add(0x40));
        is_number
    }),
    ("a number between two", |insn| {
        let is_number = insn.memory_base() == Register::R8 && insn.memory_index() == Register::RDX;
        insn.set_memory_displacement64(insn.memory_displacement64().wrapping_add(1));
        is_number
    }),
    ("constants that are not there are written", |insn| {
        let writes = insn.op0_kind() == OpKind::Memory && insn.memory_base() == Register::RDI;
        insn.set_memory_displacement64(insn.memory_displacement64().wrapping_add(0x3000));
        writes
    }),
    ("the stride of another stream", |insn| {
        let is_stride = insn.mnemonic() == Mnemonic::Mov
            && insn.op0_register() == Register::R9
            && insn.memory_base() == Register::RSI;
        insn.set_memory_displacement64(insn.memory_displacement64() ^ 0x10);
        is_stride
    }),
    ("a group of another length", |insn| {
        let steps = insn.mnemonic() == Mnemonic::Add && insn.op0_register() == Register::RDX;
        insn.set_immediate8(insn.immediate8() ^ 1);
        steps
    }),
    ("another number of vertices behind a group", |insn| {
        let steps = insn.mnemonic() == Mnemonic::Sub && insn.op1_kind() != OpKind::Register;
        insn.set_immediate8(insn.immediate8() ^ 1);
        steps
    }),
    ("a register of the caller", |insn| {
        let is_address = insn.mnemonic() == Mnemonic::Mov && insn.op0_register() == Register::R10;
        insn.set_op0_register(Register::RBX);
        is_address
    }),
    ("a jump into an instruction", |insn| {
        let jumps = insn.is_jcc_short_or_near();
        insn.set_near_branch64(insn.near_branch64().wrapping_add(1));
        jumps
    }),
];

/// Changes by which code would access rows of vertices that are not there.
const CHANGES_OF_TAILS: &[(&str, Change)] = &[
    ("a vertex that has not been counted", |insn| {
        let counts = insn.mnemonic() == Mnemonic::Cmp && insn.op0_register() == REMAINING;
        insn.set_immediate8(insn.immediate8().wrapping_sub(1));
        counts
    }),
    ("another register that is compared", |insn| {
        let counts = insn.mnemonic() == Mnemonic::Cmp && insn.op0_register() == REMAINING;
        insn.set_op0_register(VERTEX);
        counts
    }),
    ("fewer vertices where there should be all", |insn| {
        let is_tested = insn.code() == Code::Jb_rel32_64;
        insn.set_code(Code::Jae_rel32_64);
        is_tested
    }),
    ("a branch on other flags", |insn| {
        let is_tested = insn.code() == Code::Jb_rel32_64;
        insn.set_code(Code::Js_rel32_64);
        is_tested
    }),
];

/// Changes by which groups of code without tails would not be whole, or the last one would not end with the last vertex.
const CHANGES_OF_WHOLE: &[(&str, Change)] = &[
    ("another limit of whole groups", |insn| {
        let is_limit = insn.mnemonic() == Mnemonic::Sub && insn.op0_register() == LIMIT;
        insn.set_immediate8(insn.immediate8().wrapping_sub(1));
        is_limit
    }),
    ("a last group that begins later", |insn| {
        let begins = insn.mnemonic() == Mnemonic::Lea && insn.op0_register() == VERTEX;
        insn.set_memory_displacement64(0);
        begins
    }),
    ("a last group that begins earlier", |insn| {
        let begins = insn.mnemonic() == Mnemonic::Lea && insn.op0_register() == VERTEX;
        insn.set_memory_displacement64(-2i64 as u64);
        begins
    }),
    ("a group behind the last vertex", |insn| {
        let is_end =
            insn.mnemonic() == Mnemonic::Lea && insn.memory_base() == LIMIT && insn.op0_register() != VERTEX;
        insn.set_memory_displacement64(insn.memory_displacement64().wrapping_add(1));
        is_end
    }),
    ("another register that is compared", |insn| {
        let is_compared = insn.mnemonic() == Mnemonic::Cmp && insn.op0_register() == VERTEX;
        insn.set_op0_register(Register::RSI);
        is_compared
    }),
    ("a branch on other flags", |insn| {
        let is_tested = insn.code() == Code::Jb_rel32_64;
        insn.set_code(Code::Jae_rel32_64);
        is_tested
    }),
    ("a branch on fewer flags", |insn| {
        let is_tested = insn.code() == Code::Jb_rel32_64;
        insn.set_code(Code::Jbe_rel32_64);
        is_tested
    }),
    ("a branch on a sign", |insn| {
        let is_tested = insn.code() == Code::Jb_rel32_64;
        insn.set_code(Code::Js_rel32_64);
        is_tested
    }),
];

/// Changes by which streams that stay open would lead elsewhere, or a caller lose what it has in registers.
const CHANGES_OF_KEPT: &[(&str, Change)] = &[
    ("a register of the caller from another place", |insn| {
        let is_restored = insn.mnemonic() == Mnemonic::Mov
            && insn.op0_kind() == OpKind::Register
            && insn.memory_base() == Register::RAX
            && insn.op0_register().is_gpr64();
        insn.set_memory_displacement64(insn.memory_displacement64() ^ 8);
        is_restored
    }),
    ("a register of the caller at another place", |insn| {
        let is_saved = insn.mnemonic() == Mnemonic::Mov
            && insn.op0_kind() == OpKind::Memory
            && insn.memory_base() == Register::RAX;
        insn.set_memory_displacement64(insn.memory_displacement64() ^ 8);
        is_saved
    }),
    ("the distance of another stream compared", |insn| {
        let is_compared = insn.mnemonic() == Mnemonic::Cmp && insn.memory_base() == Register::RSI;
        insn.set_memory_displacement64(insn.memory_displacement64() ^ 0x10);
        is_compared
    }),
    ("a stream moved on by fewer rows", |insn| {
        let is_moved = insn.mnemonic() == Mnemonic::Lea && insn.op0_register() == insn.memory_base();
        insn.set_memory_index_scale(2);
        is_moved
    }),
    ("another distance tripled", |insn| {
        let is_tripled = insn.mnemonic() == Mnemonic::Lea && insn.op0_register() != insn.memory_base();
        insn.set_memory_base(Register::RDI);
        is_tripled
    }),
];

/// Changes by which attributes would be taken for neighbours that are not.
const CHANGES_OF_NEIGHBOURS: &[(&str, Change)] = &[
    ("another distance between them", |insn| {
        let is_compared = insn.mnemonic() == Mnemonic::Cmp
            && insn.op1_kind() == OpKind::Immediate8to64
            && insn.op0_register() != REMAINING;
        insn.set_immediate8to64(insn.immediate8to64() ^ 4);
        is_compared
    }),
    ("a row of more bytes", |insn| {
        let is_row = insn.memory_base() == Register::RBX && insn.memory_size().size() == 16;
        insn.set_memory_displacement64(insn.memory_displacement64().wrapping_add(1));
        is_row
    }),
    ("an address that comes back as another one", |insn| {
        let is_added = insn.mnemonic() == Mnemonic::Add && insn.op1_register() == Register::RBX;
        insn.set_op1_register(Register::R9);
        is_added
    }),
    ("a neighbour that goes on elsewhere", |insn| {
        let is_moved = insn.mnemonic() == Mnemonic::Lea
            && insn.memory_index() == Register::None
            && insn.memory_base() != LIMIT;
        insn.set_memory_displacement64(insn.memory_displacement64() ^ 4);
        is_moved
    }),
];

/// Code of a function, its instructions and its contract.
struct Made {
    bytes: Vec<u8>,
    insns: Vec<Instruction>,
    contract: Contract,
    func: String,
}

impl Made {
    fn of(func: &crate::ir::func::Func, layout: xfjit_runtime::batch::Layout, width: Width) -> Option<Made> {
        let bytes = match code(func, layout, width) {
            Ok(bytes) => bytes,
            Err(CompileError::TooLarge(_)) => return None,
            Err(error) => panic!("{error}\n{func}"),
        };
        let contract = Contract::new(func, layout, shape(width));
        assert_eq!(check(&bytes, &contract), Ok(()), "{func}");
        Some(Made { insns: instructions(&bytes), bytes, contract, func: func.to_string() })
    }

    /// That the code is refused with another instruction in the place of one.
    fn is_refused_with(&self, what: &str, number: usize, changed: &Instruction) {
        let Some(wrong) = with(&self.bytes, &self.insns, number, changed) else { return };
        let found = check(&wrong, &self.contract);
        assert!(found.is_err(), "{what}: {:?}\n{}", self.insns[number], self.func);
    }
}

#[test]
fn what_is_compiled_passes() {
    for &width in Width::ALL {
        let count = functions(width).filter_map(|(func, layout)| Made::of(&func, layout, width)).count();
        assert!(count > 20, "{count} functions are not refused");
    }
}

#[test]
fn damaged_code_is_refused() {
    for &width in Width::ALL {
        let all: Vec<Made> =
            functions(width).take(28).filter_map(|(func, layout)| Made::of(&func, layout, width)).collect();
        let of_ends = if width.has_tails() { CHANGES_OF_TAILS } else { CHANGES_OF_WHOLE };
        for (what, change) in CHANGES.iter().chain(of_ends) {
            let mut count = 0;
            for made in &all {
                for (number, insn) in made.insns.iter().enumerate() {
                    let mut changed = *insn;
                    if change(&mut changed) && count <= 200 {
                        count += 1;
                        made.is_refused_with(what, number, &changed);
                    }
                }
            }
            assert!(count > 0, "{what}: there was nothing to change");
        }
    }
}

#[test]
fn damaged_code_of_open_streams_is_refused() {
    for width in [Width::Eight, Width::Sixteen] {
        let shader = set().next().expect("P1");
        let func = to_host(shader.lower(), &width.machine());
        let made = Made::of(&func, shader.layout(), width).expect("P1 is compiled");
        for (what, change) in CHANGES_OF_KEPT {
            let mut count = 0;
            for (number, insn) in made.insns.iter().enumerate() {
                let mut changed = *insn;
                if change(&mut changed) {
                    count += 1;
                    made.is_refused_with(what, number, &changed);
                }
            }
            assert!(count > 0, "{what}: there was nothing to change");
        }
    }
}

#[test]
fn damaged_code_of_neighbours_is_refused() {
    for (func, layout) in packed(Width::Sixteen) {
        let made = Made::of(&func, layout, Width::Sixteen).expect("P1 is compiled");
        let mut changed = Vec::new();
        for (number, insn) in made.insns.iter().enumerate() {
            for (what, change) in CHANGES_OF_NEIGHBOURS {
                let mut insn = *insn;
                if change(&mut insn) {
                    changed.push((*what, number, insn));
                }
            }
            let is_compared = number > 0 && made.insns[number - 1].mnemonic() == Mnemonic::Cmp;
            if is_compared && insn.code() == Code::Jne_rel32_64 {
                let mut insn = *insn;
                insn.set_code(Code::Je_rel32_64);
                changed.push(("neighbours where there are none", number, insn));
            }
        }
        let kinds = CHANGES_OF_NEIGHBOURS.iter().map(|(what, _)| *what);
        for what in kinds.chain(["neighbours where there are none"]) {
            assert!(changed.iter().any(|(of, ..)| *of == what), "{what}: there was nothing to change");
        }
        for (what, number, insn) in changed {
            made.is_refused_with(what, number, &insn);
        }
    }
}

#[test]
fn upper_halves_are_cleared_on_leaving() {
    for &width in Width::ALL {
        let (func, layout) = functions(width).next().expect("P1");
        let made = Made::of(&func, layout, width).expect("P1 is compiled");
        for insn in made.insns.iter().filter(|insn| insn.mnemonic() == Mnemonic::Vzeroupper) {
            assert!(check(&without(&made.bytes, insn), &made.contract).is_err());
        }
    }
}

/// Comparisons that are left out tell nothing of the vertices that remain, nor of strides.
#[test]
fn comparisons_are_needed() {
    let mut count = 0;
    for &width in Width::ALL {
        for (func, layout) in functions(width).take(14) {
            let Some(made) = Made::of(&func, layout, width) else { continue };
            for insn in made.insns.iter().filter(|insn| insn.mnemonic() == Mnemonic::Cmp) {
                assert!(check(&without(&made.bytes, insn), &made.contract).is_err(), "{insn:?}\n{func}");
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count}");
}
