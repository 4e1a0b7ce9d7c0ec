use super::{Contract, check};
use crate::backend::CompileError;
use crate::backend::to_host;
use crate::ir::func::Func;
use crate::machine::Machine;
use crate::native::samples::shaders;
use crate::native::{Budget, Compiler, Target};
use crate::shader::Shader;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use xfjit_runtime::batch::Layout;
use xfjit_runtime::indices::{IndexLayout, IndexWidth};

/// Functions of every kind: straight lines, look-ups, blocks and loops, frames of many pages, stores of constants.
fn functions() -> Vec<(Func, Layout)> {
    let layouts = [
        IndexLayout::NONE,
        IndexLayout::shared(IndexWidth::Half),
        IndexLayout::shared(IndexWidth::Word).with(0, None).with(1, Some(IndexWidth::Half)),
    ];
    let indexed = |(number, shader): (usize, Shader)| {
        let inputs = shader.inputs().indexed(layouts[number / 2 % 3]);
        shader.with_inputs(inputs)
    };
    let shaders = shaders(24).enumerate().map(indexed);
    shaders.map(|shader| (to_host(shader.lower(), &Machine::X86_64), shader.layout())).collect()
}

/// Machine code with both register allocators, and for groups of one and of two vectors; none of what is refused.
fn compiled() -> Vec<(Func, Contract, Vec<u8>)> {
    let target = Target::named("x86_64").or_else(|_| Target::host()).expect("x86-64 has native code");
    let mut all = Vec::new();
    let (thorough, quick) =
        (Budget { thorough: usize::MAX, most: 3000 }, Budget { thorough: 0, most: 12_288 });
    for (budget, lanes) in [(thorough, 4), (quick, 4), (thorough, 8)] {
        let mut compiler = Compiler::new(target.clone().in_groups_of(lanes)).budget(budget);
        for (func, layout) in functions() {
            match compiler.code(&func, layout, false) {
                Ok((code, _)) => {
                    let contract = Contract::new(&func, layout, lanes, cfg!(windows));
                    all.push((func, contract, code));
                }
                Err(CompileError::TooLarge(_)) => {}
                Err(error) => panic!("{error}\n{func}"),
            }
        }
    }
    all
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
                let at = insn.ip() as usize + offsets.displacement_offset();
                places.push((at, offsets.displacement_size(), insn.memory_base() == Register::RIP));
            }
            if insn.mnemonic() == Mnemonic::Ret {
                break;
            }
        }
        // Some of them: each is a whole check.
        let step = 1 + places.len() / 40;
        for (at, size, _) in places.into_iter().step_by(step).filter(|(_, size, _)| *size > 0) {
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

/// One row too far is too far: the bounds are those of the blocks, and not of what lies behind them.
#[test]
fn bounds_are_exact() {
    let text = |row: &str| {
        format!(
            "func host hw kelvin window 0..192 {{\nbody:\n%0 = input v0.x\n%1 = const {row}\n%2 = umin %0, %1\n\
             %3 = gather .x, %2\noutput o0, %3, %3, %3, %3\n}}"
        )
    };
    let func = crate::ir::parse::parse(&text("000000c0")).expect("the last row is that of zeros");
    let mut compiler = Compiler::new(Target::host().expect("x86-64 has native code"));
    let (code, _) = compiler.code(&func, Layout::Rows, false).expect("it compiles");
    let mut contract = Contract::new(&func, Layout::Rows, 4, cfg!(windows));
    assert_eq!(check(&code, &contract), Ok(()));
    contract.rows -= 1;
    assert!(check(&code, &contract).is_err());
    for wrong in [Contract { inputs: 0, ..contract }, Contract { outputs: 2, ..contract }] {
        assert!(check(&code, &Contract { rows: 193, ..wrong }).is_err());
    }
}

/// Code for eight vertices a group leaves what belongs to four; code for four does not use what belongs to eight.
#[test]
fn groups_have_bounds() {
    let text = "func host hw kelvin window 0..1 {\nbody:\n%0 = input v0.x\n%1 = input v0.y\n%2 = fadd %0, %1\n\
                output o0, %0, %1, %2, %0\n}";
    let func = crate::ir::parse::parse(text).expect("it is a function");
    let target = Target::host().expect("x86-64 has native code");
    for layout in [Layout::Rows, Layout::Planes] {
        for lanes in [4, 8, 16] {
            let (code, _) = Compiler::new(target.clone().in_groups_of(lanes))
                .code(&func, layout, false)
                .expect("it compiles");
            for (other, other_layout) in
                [4, 8, 16].into_iter().flat_map(|lanes| [(lanes, Layout::Rows), (lanes, Layout::Planes)])
            {
                let contract = Contract::new(&func, other_layout, other, cfg!(windows));
                let is_its_own = (other, other_layout) == (lanes, layout);
                assert_eq!(check(&code, &contract).is_ok(), is_its_own, "{lanes} {layout:?} {contract:?}");
            }
        }
    }
}

/// Attributes are read where their own index list says, by whole numbers of it, and nowhere else.
#[test]
fn index_lists_are_followed() {
    let func = |indices: &str| {
        let text = format!(
            "func host hw kelvin window 0..1 v1[3]{indices} {{\nbody:\n%0 = input v0.x\n%1 = input v1.y\n\
             %2 = fadd %0, %1\noutput o0, %0, %1, %2, %0\n}}"
        );
        crate::ir::parse::parse(&text).expect("it is a function")
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
    let target = Target::host().expect("x86-64 has native code");
    for way in ways {
        for lanes in [4, 8] {
            let mut compiler = Compiler::new(target.clone().in_groups_of(lanes));
            let (code, _) = compiler.code(&func(way), Layout::Rows, false).expect("it compiles");
            for other in ways {
                let contract = Contract::new(&func(other), Layout::Rows, lanes, cfg!(windows));
                assert_eq!(check(&code, &contract).is_ok(), way == other, "{way} under {other}");
            }
            let narrow = Contract::new(&func(way), Layout::Rows, lanes / 2, cfg!(windows));
            assert!(check(&code, &narrow).is_err(), "{way} in smaller groups");
        }
    }
}

/// A frame of many pages is probed by a loop.
#[test]
fn probes_are_followed() {
    // push rbp; mov rbp, rsp; mov r11, rsp; sub r11, 0x6000;
    // again: sub rsp, 0x1000; mov dword [rsp], 0; cmp r11, rsp; jne again;
    // add rsp, 0x6000; mov rsp, rbp; pop rbp; ret
    let code = |pages: u8, compare: [u8; 3]| {
        let before = [0x55, 0x48, 0x89, 0xe5, 0x49, 0x89, 0xe3, 0x49, 0x81, 0xeb, 0, pages << 4, 0, 0];
        let turn = [0x48, 0x81, 0xec, 0, 0x10, 0, 0, 0xc7, 0x04, 0x24, 0, 0, 0, 0];
        let behind = [0x75, 0xed, 0x48, 0x81, 0xc4, 0, 0x60, 0, 0, 0x48, 0x89, 0xec, 0x5d, 0xc3];
        [&before[..], &turn, &compare, &behind].concat()
    };
    let func = crate::ir::parse::parse("func host hw kelvin window 0..1 {\nbody:\n}").expect("it is empty");
    let contract = Contract::new(&func, Layout::Rows, 4, false);
    for compare in [[0x4c, 0x39, 0xdc], [0x49, 0x39, 0xe3]] {
        assert_eq!(check(&code(6, compare), &contract), Ok(()));
    }
    let endless = [0x4c, 0x39, 0xdc];
    let mut wrong = code(6, endless);
    wrong[11] = 0x68;
    assert!(check(&wrong, &contract).is_err_and(|fault| fault.to_string().contains("for ever")));
}

#[test]
fn what_nobody_can_follow_is_refused() {
    let func = crate::ir::parse::parse("func host hw kelvin window 0..1 {\nbody:\n}").expect("it is empty");
    let contract = Contract {
        arguments: [Register::RDI, Register::RSI, Register::RDX],
        ..Contract::new(&func, Layout::Rows, 4, false)
    };
    let refused: [(&str, &[u8]); 10] = [
        ("control leaves the code", &[0x90]),
        ("where nothing can follow", &[0xff, 0xe0]), // jmp rax
        ("where nothing can follow", &[0xff, 0xd0, 0xc3]), // call rax
        ("unknown base", &[0x48, 0x8b, 0x00, 0xc3]), // mov rax, [rax]
        ("not inside", &[0x48, 0x8b, 0x47, 0xf8, 0xc3]), // mov rax, [rdi - 8]
        ("only read", &[0x48, 0x89, 0x06, 0xc3]),    // mov [rsi], rax
        ("not inside", &[0x48, 0x89, 0x04, 0x24, 0xc3]), // mov [rsp], rax
        ("another stack pointer", &[0x50, 0xc3]),    // push rax; ret
        ("not on the list", &[0x0f, 0xa2, 0xc3]),    // cpuid
        ("another kind", &[0xa4, 0xc3]),             // movsb
    ];
    for (why, code) in refused {
        let fault = check(code, &contract).expect_err(why).to_string();
        assert!(fault.contains(why), "{fault}, not {why}");
    }
    // mov rax, [rdi + 8]; behind the last row
    assert_eq!(check(&[0x48, 0x8b, 0x47, 0x08, 0xc3], &contract), Ok(()));
    assert!(check(&[0x48, 0x8b, 0x47, 0x10, 0xc3], &contract).is_err());
}
