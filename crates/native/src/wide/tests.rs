use super::check::check;
use super::contract::Contract;
use super::{Width, code, emit, refusal};
use crate::backend::{CompileError, to_host};
use crate::front::Microcode;
use crate::ir::func::Func;
use crate::ir::parse::parse;
use crate::native::samples::shaders;
use crate::shader::Shader;
use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};
use std::sync::Arc;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::format::{Encoding, Format};
use xfjit_runtime::indices::{IndexLayout, IndexWidth};
use xfjit_runtime::num::Model;
use xfjit_testing::programs::Fixed;

/// The programs of the set, under both models.
fn set() -> impl Iterator<Item = Shader> {
    let models = [Model::Ieee, Model::Hw];
    ["P1", "P2", "P3", "P4", "P5", "P6", "P7"].into_iter().flat_map(move |name| {
        let fixed = Fixed::find(name).expect("it is of the set");
        models.map(|model| Microcode::shader(&Arc::new(fixed.program()), &fixed.config(model)))
    })
}

/// Functions that are not refused, for a width.
fn functions(width: Width) -> impl Iterator<Item = (Func, Layout)> {
    let all = set()
        .chain(shaders(60))
        .map(move |shader| (to_host(shader.lower(), &width.machine()), shader.layout()));
    fed().chain(packed(width)).chain(all.filter(|(func, _)| refusal(func).is_none()))
}

/// P1 with attributes that may lie beside each other, under both models.
fn packed(width: Width) -> impl Iterator<Item = (Func, Layout)> {
    set().take(2).map(move |shader| {
        let inputs = shader.inputs().with(0, Format::host(Encoding::S1, 3));
        let inputs =
            inputs.with(3, Format::host(Encoding::UbD3d, 4)).with(8, Format::host(Encoding::Half, 2));
        let shader = shader.with_inputs(inputs);
        (to_host(shader.lower(), &width.machine()), shader.layout())
    })
}

/// Functions with all forms of attributes, which write constants.
fn fed() -> impl Iterator<Item = (Func, Layout)> {
    let text = "func host ieee kelvin window 0..192 {
body:
  %0 = input v0.x
  %1 = input v1.x
  %2 = input v2.x
  %3 = input v3.x
  store c[5], %0, %1, %2, %3
  output o0, %3, %2, %1, %0
}";
    let plain = parse(text).expect("it is a function");
    let indexed = [IndexWidth::Half, IndexWidth::Word].map(|numbers| {
        let lists = IndexLayout::shared(numbers).with(3, Some(IndexWidth::Half)).with(0, None);
        plain.inputs.indexed(lists)
    });
    let formats = [Encoding::Float, Encoding::U16, Encoding::Unorm8].map(|encoding| {
        (0..4).fold(plain.inputs, |inputs, register| {
            inputs.with(register, Format::host(encoding, register as u8 + 1))
        })
    });
    let both = formats.map(|inputs| inputs.indexed(indexed[0].indices()));
    let all = indexed.into_iter().chain(formats).chain(both);
    all.flat_map(move |inputs| {
        [Layout::Rows, Layout::Planes].map(|layout| (Func { inputs, ..plain.clone() }, layout))
    })
}

#[test]
fn the_set_is_not_refused() {
    for &width in Width::ALL {
        for shader in set() {
            let func = to_host(shader.lower(), &width.machine());
            assert_eq!(refusal(&func), None);
            code(&func, shader.layout(), width).expect("it is compiled");
        }
    }
}

#[test]
fn what_is_compiled_passes_the_checker() {
    for &width in Width::ALL {
        let mut count = 0;
        for (func, layout) in functions(width) {
            match code(&func, layout, width) {
                Ok(_) => count += 1,
                Err(CompileError::TooLarge(_)) => {}
                Err(error) => panic!("{error}\n{func}"),
            }
        }
        assert!(count > 20, "{count} functions are not refused");
    }
}

#[test]
fn what_scratch_memory_does_not_hold_is_refused() {
    use std::fmt::Write;
    /// So many values live until the last of them is there.
    const LIVE: usize = 1400;
    let mut text = "func host ieee kelvin window 0..192 {\nbody:\n".to_owned();
    for number in 0..64 {
        let (attribute, component) = (number / 4, ["x", "y", "z", "w"][number % 4]);
        writeln!(text, "  %{number} = input v{attribute}.{component}").expect("a string");
    }
    for number in 64..64 + LIVE {
        writeln!(text, "  %{number} = iadd %{}, %{}", number - 64, number - 1).expect("a string");
    }
    for number in 64 + LIVE..64 + 2 * LIVE {
        writeln!(text, "  %{number} = xor %{}, %{}", number - 1, number - LIVE).expect("a string");
    }
    let last = 63 + 2 * LIVE;
    writeln!(text, "  output o0, %{last}, %{last}, %{last}, %{last}\n}}").expect("a string");
    let func = parse(&text).expect("it is a function");
    for &width in Width::ALL {
        let refused = code(&func, Layout::Rows, width);
        assert!(matches!(refused, Err(CompileError::TooLarge(_))), "{refused:?}");
    }
}

#[test]
fn what_crosses_blocks_is_refused() {
    let text = "func host ieee kelvin window 0..192 {
body:
  %0 = ctx c[0].x
  %1 = block b1
  output o0, %0, %0, %0, %0
}";
    let func = parse(text).expect("uniform values may");
    for &width in Width::ALL {
        assert_eq!(refusal(&func), Some("its blocks share values"));
        let refused = code(&func, Layout::Rows, width);
        assert!(matches!(refused, Err(CompileError::TooLarge(_))), "{refused:?}");
    }
}

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
        insn.set_memory_displacement64(insn.memory_displacement64() + 0x3000);
        reads
    }),
    ("a row behind that of the vertex", |insn| {
        let is_row = insn.memory_base() == Register::R10 && insn.mnemonic() != Mnemonic::Lea;
        insn.set_memory_displacement64(insn.memory_displacement64() + 16);
        is_row
    }),
    ("a row of another stride", |insn| {
        let is_row = insn.memory_base() == Register::R10 && insn.memory_index() == Register::R8;
        insn.set_memory_index_scale(8);
        is_row
    }),
    ("a number of another group", |insn| {
        let is_number = insn.memory_base() == Register::R8 && insn.memory_index() == Register::RDX;
        insn.set_memory_displacement64(insn.memory_displacement64() + 0x40);
        is_number
    }),
    ("a number between two", |insn| {
        let is_number = insn.memory_base() == Register::R8 && insn.memory_index() == Register::RDX;
        insn.set_memory_displacement64(insn.memory_displacement64() + 1);
        is_number
    }),
    ("constants that are not there are written", |insn| {
        let writes = insn.op0_kind() == OpKind::Memory && insn.memory_base() == Register::RDI;
        insn.set_memory_displacement64(insn.memory_displacement64() + 0x3000);
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
        insn.set_near_branch64(insn.near_branch64() + 1);
        jumps
    }),
];

/// Changes by which code would access rows of vertices that are not there.
const CHANGES_OF_TAILS: &[(&str, Change)] = &[
    ("a vertex that has not been counted", |insn| {
        let counts = insn.mnemonic() == Mnemonic::Cmp && insn.op0_register() == emit::REMAINING;
        insn.set_immediate8(insn.immediate8().wrapping_sub(1));
        counts
    }),
    ("another register that is compared", |insn| {
        let counts = insn.mnemonic() == Mnemonic::Cmp && insn.op0_register() == emit::REMAINING;
        insn.set_op0_register(emit::VERTEX);
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
        insn.set_memory_base(Register::RBX);
        is_tripled
    }),
];

#[test]
fn faults_of_open_streams_are_found() {
    for width in [Width::Eight, Width::Sixteen] {
        let (func, layout) = set()
            .map(|shader| (to_host(shader.lower(), &width.machine()), shader.layout()))
            .next()
            .expect("P1");
        let emitted = emit::emit(&func, layout, width).expect("P1 is compiled");
        let contract = Contract::new(&func, layout, width);
        for (what, change) in CHANGES_OF_KEPT {
            let mut count = 0;
            for number in 0..emitted.instructions.len() {
                let mut code = emitted.instructions.clone();
                if change(&mut code[number]) {
                    count += 1;
                    let found = check(&code, emitted.bytes.len(), &contract);
                    assert!(found.is_err(), "{what}: {:?}", code[number]);
                }
            }
            assert!(count > 0, "{what}: there was nothing to change");
        }
    }
}

/// Changes by which attributes would be taken for neighbours that are not.
const CHANGES_OF_NEIGHBOURS: &[(&str, Change)] = &[
    ("another distance between them", |insn| {
        let is_compared = insn.mnemonic() == Mnemonic::Cmp
            && insn.op1_kind() == OpKind::Immediate8to64
            && insn.op0_register() != emit::REMAINING;
        insn.set_immediate8to64(insn.immediate8to64() ^ 4);
        is_compared
    }),
    ("a row of more bytes", |insn| {
        let is_row = insn.memory_base() == Register::RBX && insn.memory_size().size() == 16;
        insn.set_memory_displacement64(insn.memory_displacement64() + 1);
        is_row
    }),
    ("an address that comes back as another one", |insn| {
        let is_added = insn.mnemonic() == Mnemonic::Add && insn.op1_register() == Register::RBX;
        insn.set_op1_register(Register::R9);
        is_added
    }),
    ("a neighbour that goes on elsewhere", |insn| {
        let is_moved = insn.mnemonic() == Mnemonic::Lea && insn.memory_index() == Register::None;
        insn.set_memory_displacement64(insn.memory_displacement64() ^ 4);
        is_moved
    }),
];

#[test]
fn faults_of_neighbours_are_found() {
    for (func, layout) in packed(Width::Sixteen) {
        let emitted = emit::emit(&func, layout, Width::Sixteen).expect("P1 is compiled");
        let contract = Contract::new(&func, layout, Width::Sixteen);
        let mut changed = Vec::new();
        for (number, insn) in emitted.instructions.iter().enumerate() {
            for (what, change) in CHANGES_OF_NEIGHBOURS {
                let mut insn = *insn;
                if change(&mut insn) {
                    changed.push((*what, number, insn));
                }
            }
            let is_compared = number > 0 && emitted.instructions[number - 1].mnemonic() == Mnemonic::Cmp;
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
            let mut code = emitted.instructions.clone();
            code[number] = insn;
            assert!(check(&code, emitted.bytes.len(), &contract).is_err(), "{what}: {insn:?}");
        }
    }
}

#[test]
fn faults_are_found() {
    for &width in Width::ALL {
        let of_tails = if width.has_tails() { CHANGES_OF_TAILS } else { &[] };
        for (what, change) in CHANGES.iter().chain(of_tails) {
            let mut count = 0;
            for (func, layout) in functions(width).take(28) {
                let Ok(emitted) = emit::emit(&func, layout, width) else { continue };
                let contract = Contract::new(&func, layout, width);
                for number in 0..emitted.instructions.len() {
                    let mut code = emitted.instructions.clone();
                    if !change(&mut code[number]) || count > 200 {
                        continue;
                    }
                    count += 1;
                    let found = check(&code, emitted.bytes.len(), &contract);
                    assert!(found.is_err(), "{what}: {:?}\n{func}", code[number]);
                }
            }
            assert!(count > 0, "{what}: there was nothing to change");
        }
    }
}

#[test]
fn upper_halves_are_cleared_on_leaving() {
    let (func, layout) = functions(Width::Eight).next().expect("P1");
    let emitted = emit::emit(&func, layout, Width::Eight).expect("P1 is compiled");
    let contract = Contract::new(&func, layout, Width::Eight);
    let without: Vec<Instruction> =
        emitted.instructions.iter().filter(|insn| insn.mnemonic() != Mnemonic::Vzeroupper).copied().collect();
    assert!(check(&without, emitted.bytes.len(), &contract).is_err());
}

/// Each instruction stands below the operation that it is for, and each operation with instructions is there once.
#[test]
fn listings_name_the_operations() {
    for &width in Width::ALL {
        let (func, layout) = functions(width).next().expect("P1");
        let text = super::listing(&func, layout, width).expect("P1 is compiled");
        let emitted = emit::emit(&func, layout, width).expect("P1 is compiled");
        let instructions = text.lines().filter(|line| !line.starts_with(';')).count();
        assert_eq!(instructions, emitted.instructions.len());
        for effect in func.to_string().lines().filter(|line| line.trim_start().starts_with("output")) {
            let mut below = text.lines().skip_while(|line| *line != format!("; {}", effect.trim()));
            assert!(below.next().is_some(), "{effect}\n{text}");
            assert!(
                below.take_while(|line| *line != ";").any(|line| line.contains("mov")),
                "{effect}\n{text}"
            );
        }
    }
}
