use super::asm::Source;
use super::trace::Note;
use super::{Width, code, emit, places, refusal};
use crate::backend::{CompileError, to_host};
use crate::front::Microcode;
use crate::ir::func::Func;
use crate::ir::parse::parse;
use crate::samples::{computing, shaders};
use crate::shader::Shader;
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use std::sync::Arc;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::format::{Encoding, Format};
use xfjit_runtime::indices::{IndexLayout, IndexWidth};
use xfjit_runtime::num::Model;
use xfjit_testing::programs::Fixed;

/// The programs of the set, under both models.
pub(crate) fn set() -> impl Iterator<Item = Shader> {
    let models = [Model::Ieee, Model::Hw];
    ["P1", "P2", "P3", "P4", "P5", "P6", "P7"].into_iter().flat_map(move |name| {
        let fixed = Fixed::find(name).expect("it is of the set");
        models.map(|model| Microcode::shader(&Arc::new(fixed.program()), &fixed.config(model)))
    })
}

/// Functions that are not refused, for a width.
pub(crate) fn functions(width: Width) -> impl Iterator<Item = (Func, Layout)> {
    let all = set()
        .chain(shaders(60))
        .map(move |shader| (to_host(shader.lower(), &width.machine()), shader.layout()));
    fed().chain(packed(width)).chain(all.filter(|(func, _)| refusal(func).is_none()))
}

/// P1 with attributes that may lie beside each other, under both models.
pub(crate) fn packed(width: Width) -> impl Iterator<Item = (Func, Layout)> {
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

/// Code with notes, of functions that have some.
fn traced(width: Width) -> impl Iterator<Item = (Func, emit::Emitted)> {
    functions(width).filter_map(move |(func, layout)| {
        let emitted = emit::emit_traced(&func, layout, width).ok()?;
        Some((func, emitted))
    })
}

#[test]
fn values_are_where_they_are_read() {
    for &width in Width::ALL {
        let mut spills = 0;
        for (func, emitted) in traced(width) {
            if let Err((at, why)) = places::check(&func, &emitted.instructions, &emitted.trace) {
                panic!("{}, instruction {at}: {why}\n{func}", width.name());
            }
            let spilled = |(_, note): &&(usize, Note)| {
                matches!(note, Note::Read(_, Source::Memory(emit::SCRATCH_MEMORY, _)))
            };
            spills += emitted.trace.notes.iter().filter(spilled).count();
        }
        assert!(spills > 100, "{spills} operands are in scratch memory");
    }
}

/// Changes of emitted code, by what they would do.
type Damage = (&'static str, fn(&[(usize, Note)], &mut [Instruction], usize) -> bool);

const DAMAGES: &[Damage] = &[
    // Of what operands are read from: cells and numbers of rows are no values.
    ("a spill to another slot", |notes, code, number| {
        let is_spill = |insn: &Instruction| {
            insn.op0_kind() == OpKind::Memory
                && insn.memory_base() == emit::SCRATCH_MEMORY
                && insn.mnemonic() == Mnemonic::Vmovups
        };
        let (spills, slot) = (is_spill(&code[number]), code[number].memory_displacement64());
        // A value that is not read before the next one comes to its slot is missed by nobody.
        let same_slot = |insn: &Instruction| is_spill(insn) && insn.memory_displacement64() == slot;
        let next = code[number + 1..].iter().position(same_slot).map_or(code.len(), |next| number + 1 + next);
        let reads = |&(at, note): &(usize, Note)| {
            (number + 1..=next).contains(&at)
                && matches!(note, Note::Read(_, Source::Memory(emit::SCRATCH_MEMORY, at)) if at as u64 == slot)
        };
        let insn = &mut code[number];
        insn.set_memory_displacement64(slot + insn.memory_size().size() as u64);
        spills && notes.iter().any(reads)
    }),
    // A result in the next register. (Of several instructions for one value another may write the register, too.)
    ("a result in another register", |notes, code, number| {
        let at = |place: usize| notes.get(place).map(|&(_, note)| note);
        let run = notes.iter().position(|&(at, note)| at == number && matches!(note, Note::Run(_)));
        let Some(run) = run else { return false };
        let ends = notes[run..].iter().find(|(_, note)| *note == Note::Ran).map(|&(at, _)| at);
        let bound = (run..).map_while(at).take_while(|note| *note != Note::Ran);
        let bound: Vec<u8> = bound
            .filter_map(|note| if let Note::Bind(_, register) = note { Some(register) } else { None })
            .collect();
        let insn = &mut code[number];
        let is_lone = ends == Some(number + 1) && bound.len() == 1 && insn.op0_kind() == OpKind::Register;
        if is_lone {
            let register = insn.op0_register();
            let other = if bound[0] == 0 { register as u32 + 1 } else { register as u32 - 1 };
            insn.set_op0_register(Register::try_from(other as usize).expect("a register"));
        }
        is_lone
    }),
    // Of a row that the same operation does not read, too.
    ("a constant of another row", |notes, code, number| {
        let insn = &mut code[number];
        let Some(at) = places::constant_read(insn) else { return false };
        let other = at ^ 16;
        insn.set_memory_displacement64(other as u64);
        let before = notes.iter().rev().skip_while(|&&(at, _)| at > number);
        let mut of_operation = before.take_while(|(_, note)| !matches!(note, Note::Run(_)));
        !of_operation.any(|&(_, note)| matches!(note, Note::Read(_, Source::Scalar(_, at)) if at == other))
    }),
];

#[test]
fn values_that_are_elsewhere_are_found() {
    for &width in Width::ALL {
        for (what, damage) in DAMAGES {
            let (mut count, mut found) = (0, 0);
            for (func, emitted) in traced(width) {
                let mut code = emitted.instructions.clone();
                for number in 0..code.len() {
                    let whole = code[number];
                    if count < 300 && damage(&emitted.trace.notes, &mut code, number) {
                        count += 1;
                        found += usize::from(places::check(&func, &code, &emitted.trace).is_err());
                    }
                    code[number] = whole;
                }
            }
            assert!(count > 20, "{what}, {}: {count} places to change", width.name());
            assert_eq!(found, count, "{what}, {}", width.name());
        }
    }
}

#[test]
fn registers_of_literals_are_not_written() {
    for width in [Width::Eight, Width::Sixteen] {
        let mut count = 0;
        for (func, emitted) in traced(width) {
            let mut literals = emitted.trace.notes.iter().filter_map(|&(at, note)| {
                if let Note::Literal(_, register) = note { Some((at, register)) } else { None }
            });
            let Some((first, register)) = literals.next() else { continue };
            let mut code = emitted.instructions.clone();
            for number in first..code.len() {
                let whole = code[number];
                let is_vector = |register: Register| register.is_ymm() || register.is_zmm();
                let writes = whole.op0_kind() == OpKind::Register && whole.mnemonic() != Mnemonic::Vptest;
                if count < 300 && writes && is_vector(whole.op0_register()) {
                    let vectors = if width == Width::Sixteen { Register::ZMM0 } else { Register::YMM0 };
                    code[number].set_op0_register(vectors + u32::from(register));
                    count += 1;
                    assert!(places::check(&func, &code, &emitted.trace).is_err(), "{}", width.name());
                }
                code[number] = whole;
            }
        }
        assert!(count > 100, "{}: {count}", width.name());
    }
}

#[test]
fn what_scratch_memory_does_not_hold_is_refused() {
    /// So many values live until the last of them is there.
    const LIVE: usize = 1400;
    let func = computing(2 * LIVE, |number| {
        if number < 64 + LIVE {
            format!("iadd %{}, %{}", number - 64, number - 1)
        } else {
            format!("xor %{}, %{}", number - 1, number - LIVE)
        }
    });
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
