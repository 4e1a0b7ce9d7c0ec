//! Code for systems on which no test runs: what can be seen of it from here.

use super::Target;
use crate::Compiler;
use crate::backend::to_host;
use crate::samples::shaders;
use cranelift_codegen::isa::CallConv;

/// That of [`xfjit_runtime::abi::Entry`].
#[test]
fn the_convention_is_that_of_the_entry() {
    let expected = [
        ("x86_64-unknown-linux-gnu", CallConv::SystemV),
        ("x86_64-apple-darwin", CallConv::SystemV),
        ("x86_64-pc-windows-msvc", CallConv::SystemV),
        ("x86_64-pc-windows-gnu", CallConv::SystemV),
        ("aarch64-unknown-linux-gnu", CallConv::SystemV),
        ("aarch64-apple-darwin", CallConv::AppleAarch64),
    ];
    let mut tried = 0;
    for (triple, convention) in expected {
        // One architecture alone, without the feature `cross-cranelift`.
        let Ok(target) = Target::named(triple) else { continue };
        assert_eq!(target.convention(), convention, "{triple}");
        tried += 1;
    }
    let wanted = match () {
        () if cfg!(feature = "cross-cranelift") => expected.len(),
        () if cfg!(target_arch = "x86_64") => 4,
        () if cfg!(target_arch = "aarch64") => 2,
        () => 0,
    };
    assert_eq!(tried, wanted);
    assert!(Target::named("riscv64-unknown-linux-gnu").is_err());
    assert!(Target::named("x86_64-of-nobody-knows-where").is_err());
}

/// Code for another system is that for Linux, to the bit.
fn code_is_that_for_linux(architecture: &str, systems: &[&str]) {
    let target = |system: &str| Target::named(&format!("{architecture}-{system}")).expect("it is there");
    let linux = target("unknown-linux-gnu");
    for system in systems {
        let mut compilers = [linux.clone(), target(system)].map(Compiler::new);
        let mut compared = 0;
        for shader in shaders(12) {
            let func = to_host(shader.lower(), linux.machine());
            let code = compilers.each_mut().map(|compiler| compiler.code(&func, shader.layout()));
            match code {
                [Ok(linux), Ok(other)] => {
                    assert!(linux == other && !linux.is_empty(), "another code for {}", shader.name());
                    compared += 1;
                }
                [Err(linux), Err(other)] => assert_eq!(linux.to_string(), other.to_string()),
                [linux, other] => panic!("{linux:?} for Linux, {other:?} for {system}"),
            }
        }
        assert!(compared > 10, "{compared} programs have code");
    }
}

/// Linux's runs under an emulator of the processor (`tests/aarch64`). The systems' conventions differ in the register X18 and in
/// arguments that functions of this signature have not.
#[cfg(any(target_arch = "aarch64", feature = "cross-cranelift"))]
#[test]
fn code_for_macos_on_aarch64_is_that_for_linux() {
    code_is_that_for_linux("aarch64", &["apple-darwin"]);
}

/// Frames and probes of the stack among it.
#[cfg(any(target_arch = "x86_64", feature = "cross-cranelift"))]
#[test]
fn code_for_every_system_on_x86_64_is_that_for_linux() {
    code_is_that_for_linux("x86_64", &["pc-windows-msvc", "pc-windows-gnu", "apple-darwin"]);
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::Target;
    use crate::Compiler;
    use crate::backend::{CompileError, to_host};
    use crate::samples::shaders;
    use iced_x86::Register::{self, *};
    use iced_x86::{
        Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, OpAccess, OpKind,
    };
    use std::collections::{BTreeMap, BTreeSet};

    /// Machine code of programs of every kind, in debug builds and tests checked operand by operand for the registers in which
    /// the system passes arguments.
    fn code(target: &Target) -> Vec<Vec<u8>> {
        let mut compiler = Compiler::new(target.clone()).checked(true);
        let compiled = shaders(12).filter_map(|shader| {
            match compiler.code(&to_host(shader.lower(), target.machine()), shader.layout()) {
                Ok(code) => Some(code),
                Err(CompileError::TooLarge(_)) => Option::None,
                Err(error) => panic!("{error}"),
            }
        });
        compiled.collect()
    }

    /// The instructions that can be reached, in the order of their addresses.
    fn instructions(code: &[u8]) -> Vec<Instruction> {
        let (mut seen, mut waiting) = (BTreeMap::new(), vec![0]);
        let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
        while let Some(at) = waiting.pop() {
            if seen.contains_key(&at) {
                continue;
            }
            decoder.set_position(at as usize).expect("a branch inside of the code");
            decoder.set_ip(at);
            let insn = decoder.decode();
            if matches!(
                insn.flow_control(),
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
            ) {
                waiting.push(insn.near_branch_target());
            }
            if matches!(insn.flow_control(), FlowControl::Next | FlowControl::ConditionalBranch) {
                waiting.push(insn.next_ip());
            }
            seen.insert(at, insn);
        }
        seen.into_values().collect()
    }

    /// Where a register is stored in the frame, or loaded from.
    fn place(insn: &Instruction, register: Register, stores: bool) -> Option<u64> {
        let (memory, other) = if stores { (0, 1) } else { (1, 0) };
        let is_place = insn.op_count() == 2
            && insn.op_kind(memory) == OpKind::Memory
            && insn.memory_base() == RSP
            && insn.memory_index() == None
            && insn.op_kind(other) == OpKind::Register
            && insn.op_register(other) == register;
        is_place.then(|| insn.memory_displacement64())
    }

    /// Each of the registers that code writes is stored before, and loaded from the same place before each return. Returns
    /// which these are.
    fn preserved(code: &[u8], registers: &[Register]) -> BTreeSet<u32> {
        let insns = instructions(code);
        let mut factory = InstructionInfoFactory::new();
        let mut used = BTreeSet::new();
        for &register in registers {
            let mut writes = |insn: &Instruction| {
                let is_write = |access| {
                    matches!(
                        access,
                        OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
                    )
                };
                let whole = |register: Register| {
                    if register.is_xmm() || register.is_ymm() {
                        XMM0 + register.number() as u32
                    } else {
                        register.full_register()
                    }
                };
                factory
                    .info(insn)
                    .used_registers()
                    .iter()
                    .any(|used| whole(used.register()) == register && is_write(used.access()))
            };
            let written: Vec<usize> = (0..insns.len()).filter(|&i| writes(&insns[i])).collect();
            let Some(&first) = written.first() else { continue };
            used.insert(register as u32);
            let saved = insns[..first].iter().find_map(|insn| place(insn, register, true));
            let saved = saved.unwrap_or_else(|| panic!("{register:?} is overwritten"));
            for (end, _) in insns.iter().enumerate().filter(|(_, i)| i.flow_control() == FlowControl::Return)
            {
                let last = written.iter().rev().find(|&&at| at < end).expect("it is restored");
                assert_eq!(place(&insns[*last], register, false), Some(saved), "{register:?}");
            }
        }
        used
    }

    #[test]
    fn registers_of_the_caller_are_preserved() {
        let all = code(&Target::named("x86_64").expect("it is there"));
        let registers = [RBX, R12, R13, R14, R15];
        let used: BTreeSet<u32> = all.iter().flat_map(|code| preserved(code, &registers)).collect();
        assert_eq!(used.len(), registers.len(), "each is in use somewhere");
        // The test sees what is not preserved: RSI is the callee's.
        let sees = all.iter().any(|code| std::panic::catch_unwind(|| preserved(code, &[RSI])).is_err());
        assert!(sees);
    }
}
