//! The caller's floating-point environment has no influence and comes back unchanged, sticky flags included
//! (invariant I11): not on runs, not on compilations, not on numbers in texts, on whatever thread.
//!
//! With exceptions unmasked a single inexact operation ends the process, so what such states do is looked at in
//! processes of their own: this binary runs itself again ([`CHILD`]).
#![cfg(target_arch = "x86_64")]

mod constant;

use std::arch::asm;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;
use xfjit::asm::{Passes, gl};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Inputs, Outputs};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::Context;
use xfjit::shader::Shader;
use xfjit::xf::trace::Trace;
use xfjit::{Compile, Engine, Generation, Options, Program, Worker};
use xfjit_core::backend::{Backend, Interp, Routine, to_host};
use xfjit_ir::machine::Machine;
use xfjit_testing::RandomCase;
use xfjit_testing::RandomFixed;
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
use xfjit_testing::{Case, Choices, FixedCase, Limits, PATIENCE, backends, programs, setups};

const MASKS: u32 = 0x1f80;
/// Names what a child process is to do.
const CHILD: &str = "XFJIT_FPENV_CHILD";

fn read() -> u32 {
    let mut state = 0;
    // SAFETY: stores MXCSR into a live local.
    unsafe { asm!("stmxcsr [{}]", in(reg) &mut state, options(nostack, preserves_flags)) };
    state
}

/// Runs `body` under another MXCSR; returns what it leaves there.
fn under<R>(state: u32, body: impl FnOnce() -> R) -> (R, u32) {
    let saved = read();
    // SAFETY: no reserved bit is set; the state is put back before anything but `body` runs.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &state, options(nostack)) };
    let result = body();
    let left = read();
    // SAFETY: the value was read from MXCSR.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &saved, options(nostack)) };
    (result, left)
}

/// Every rounding mode, flush mode and denormal mode; exceptions are not masked.
fn modes() -> impl Iterator<Item = u32> {
    (0..16u32).map(|mode| (mode & 3) << 13 | (mode >> 2 & 1) << 15 | (mode >> 3) << 6)
}

/// Modes with exceptions masked and not, with flags clear and set.
fn states() -> impl Iterator<Item = u32> {
    modes()
        .flat_map(|mode| [MASKS, 0].map(|masks| mode | masks))
        .flat_map(|state| [0, 0x15, 0x3f].map(|flags| state | flags))
}

fn cases() -> Vec<Case> {
    let shape = Shape { slots: 24, rare: 10, raw: 0, idioms: 30 };
    let tempers = [Temper::Ordinary, Temper::Mixed, Temper::Wild];
    let case = |seed: u64| {
        let limits = Limits {
            generation: Generation::ALL[seed as usize / 3 % 3],
            shape,
            temper: tempers[seed as usize % 3],
            vertices: 20,
            model: None,
        };
        Case::within(&mut Choices::seed(seed), limits)
    };
    (0..24).map(case).filter(|case| case.count > 0).collect()
}

fn fixed_cases() -> Vec<FixedCase> {
    let families = xfjit_testing::FAMILIES;
    let models = [Some(Model::Hw), Some(Model::Ieee)];
    (0..12u64)
        .map(|seed| {
            let (family, model) = (families[seed as usize % 3], models[seed as usize / 3 % 2]);
            FixedCase::choose(&mut Choices::seed(seed), family, model, 9)
        })
        .collect()
}

/// Programs that fold to literals, and configurations of the fixed function, which have some.
fn codes() -> Vec<Shader> {
    let models = [Model::Hw, Model::Ieee];
    let programs = (0..36u64).map(|seed| {
        let at = seed as usize;
        constant::program(Generation::ALL[at % 3], models[at / 3 % 2], seed)
    });
    programs.chain(fixed_cases().into_iter().map(|case| Shader::from(case.setup))).collect()
}

#[test]
fn results_do_not_depend_on_the_callers_environment() {
    for case in cases() {
        let want = case.run(&Interp::Single, &mut Worker::new()).expect("the reference runs every case");
        let mut all = backends(case.config.model);
        all.push(Arc::new(Interp::Single));
        let program = case.program().expect("it decodes");
        for backend in all {
            let routine: Arc<dyn Routine> =
                backend.prepare(&Microcode::shader(&program, &case.config)).expect("it compiles");
            for state in states() {
                let (mut output, mut context) = (case.fresh_output(), case.context());
                let (inputs, mut worker) = (case.inputs(), Worker::new());
                let mut outputs = case.outputs(&mut output);
                let (result, left) =
                    under(state, || routine.run(&mut worker, &mut context, &inputs, &mut outputs));
                result.expect("the streams are long enough");
                let name = backend.name();
                assert_eq!(left, state, "{name} leaves another environment");
                assert!(output == want.output, "{name} under {state:04x}\n{case}");
                assert!(context == *want.context, "{name} under {state:04x}\n{case}");
            }
        }
    }
}

#[test]
fn the_fixed_function_does_not_depend_on_the_callers_environment() {
    let mut worker = Worker::new();
    for (number, case) in fixed_cases().iter().enumerate() {
        let want = case.run(&Interp::Single, &mut worker).expect("the reference runs every case");
        let mut all = backends(case.setup.model);
        all.push(Arc::new(Interp::Single));
        for backend in all {
            // Preparing and running.
            for state in states().skip(number % 5).step_by(5) {
                let (got, left) = under(state, || case.run(&*backend, &mut worker));
                let Ok(got) = got else { continue };
                assert_eq!(left, state, "{} leaves another environment", backend.name());
                assert!(got.output == want.output, "{} under {state:04x}, case {number}", backend.name());
            }
        }
    }
}

#[test]
fn compiling_does_not_depend_on_the_callers_environment() {
    for case in cases() {
        let want = case.run(&Interp::Single, &mut Worker::new()).expect("the reference runs every case");
        let program = case.program().expect("it decodes");
        for backend in backends(case.config.model) {
            for state in states().filter(|state| state & MASKS == MASKS) {
                let (routine, _) =
                    under(state, || backend.prepare(&Microcode::shader(&program, &case.config)));
                let (mut output, mut context) = (case.fresh_output(), case.context());
                routine
                    .expect("it compiles")
                    .run(&mut Worker::new(), &mut context, &case.inputs(), &mut case.outputs(&mut output))
                    .expect("the streams are long enough");
                assert!(output == want.output, "{} compiled under {state:04x}\n{case}", backend.name());
            }
        }
    }
}

/// All that preparation makes of code on the way to machine code, as text.
fn stages(code: &Shader) -> String {
    let lowered = code.lower();
    format!("{lowered}\n{}", to_host(lowered.clone(), &Machine::HOST))
}

/// Machine code for this architecture and the other.
#[cfg(feature = "cross-cranelift")]
fn machine_code(code: &Shader) -> Vec<Vec<u8>> {
    use xfjit_native::{Budget, Compiler, Target};
    let func = to_host(code.lower(), &Machine::HOST);
    let compile = |architecture| {
        let target = Target::named(architecture).expect("the feature `cross-cranelift` has it");
        let mut compiler = Compiler::new(target).budget(Budget::UNLIMITED);
        compiler.code(&func, code.layout()).unwrap_or_default()
    };
    ["x86_64", "aarch64"].map(compile).to_vec()
}

#[cfg(not(feature = "cross-cranelift"))]
fn machine_code(_: &Shader) -> Vec<Vec<u8>> {
    Vec::new()
}

#[test]
fn literals_fold_to_the_same_bits_in_every_environment() {
    for (number, code) in codes().iter().enumerate() {
        let (want, want_code) = (stages(code), machine_code(code));
        for state in modes().map(|mode| mode | MASKS) {
            let (got, left) = under(state, || stages(code));
            assert_eq!(left, state, "code {number}");
            assert!(got == want, "code {number} under {state:04x}:\n{got}\nand not\n{want}");
        }
        for state in modes().map(|mode| mode | MASKS | 0x2a).skip(number % 7).step_by(7) {
            let (got, left) = under(state, || machine_code(code));
            assert_eq!(left, state, "code {number}");
            assert!(got == want_code, "machine code of {number} under {state:04x}");
        }
    }
}

#[test]
fn programs_of_constants_compute_the_same_wherever_they_are_compiled() {
    let codes: Vec<Shader> =
        codes().into_iter().filter(|code| code.made_of::<Microcode>().is_some()).collect();
    let wants: Vec<Vec<u32>> = codes.iter().map(reference).collect();
    assert!(
        wants.iter().flatten().filter(|word| *word & 0xff != 0).count() > 500,
        "numbers with many digits"
    );
    for (number, state) in modes().map(|mode| mode | MASKS).enumerate() {
        let engine = Engine::new(Options::default());
        for (code, want) in codes.iter().zip(&wants).skip(number % 4).step_by(4) {
            let (program, left) = under(state, || engine.shader(code));
            assert_eq!(left, state);
            assert_eq!(run(&program), *want, "compiled under {state:04x}: {code:?}");
        }
    }
}

/// What the interpreter makes of a program that reads no vertices.
fn reference(code: &Shader) -> Vec<u32> {
    let options = Options::default().with(|options| options.backend = Arc::new(Interp::Single));
    run(&Engine::new(options).shader(code))
}

fn run(program: &Program) -> Vec<u32> {
    let mut context = Context::new(program.shader().rows());
    let mut words = vec![0; 5 * 24 * 4];
    let registers: Vec<u8> = (0..24).collect();
    program
        .run(
            &mut Worker::new(),
            &mut context,
            &Inputs::new(5),
            &mut Outputs::interleaved(&mut words, &registers),
        )
        .expect("there is a place for every output");
    words
}

/// Runs programs in an engine whose thread was started in this environment, until they are compiled.
fn compile_in_the_background(state: u32, codes: &[Shader], wants: &[Vec<u32>]) {
    let options = Options::default().with(|options| options.compile = Compile::Background { threshold: 1 });
    let (engine, _) = under(state, || Engine::new(options));
    let programs: Vec<Arc<Program>> = codes.iter().map(|code| engine.shader(code)).collect();
    let start = Instant::now();
    for (program, want) in programs.iter().zip(wants) {
        loop {
            let is_compiled = program.stats().native || program.refusal().is_some();
            assert_eq!(run(program), *want, "the thread started under {state:04x}: {:?}", program.shader());
            if is_compiled {
                break;
            }
            assert!(start.elapsed() < PATIENCE, "it is never compiled");
        }
    }
}

#[test]
fn the_compiler_thread_has_an_environment_of_its_own() {
    let codes: Vec<Shader> =
        (0..6).map(|seed| constant::program(Generation::Kelvin, Model::Ieee, seed)).collect();
    let wants: Vec<Vec<u32>> = codes.iter().map(reference).collect();
    for state in modes() {
        compile_in_the_background(state | MASKS, &codes, &wants);
    }
}

/// What is read from texts and made for tests, as words.
fn numbers() -> Vec<u32> {
    let numbers: String = (1..40)
        .map(|i| format!("{}.{i}, {}e-{i}, {i}e{}, 0.1;\n", i * 7919, i * 104_729, i % 30))
        .enumerate()
        .map(|(i, row)| format!("PARAM p{i} = {{ {} }};\n", row.trim_end_matches(";\n")))
        .collect();
    let uses: String = (0..39).map(|i| format!("ADD r, r, p{i};\n")).collect();
    let text =
        format!("!!ARBvp1.0\n{numbers}TEMP r;\nMOV r, vertex.position;\n{uses}MOV result.position, r;\nEND");
    let assembled = gl::assemble(None, &text, Passes::NONE).unwrap_or_else(|errors| panic!("{errors:?}"));
    let rows = assembled.rows.iter().flat_map(|row| match row.binding {
        gl::Binding::Literal(words) => words.to_vec(),
        _ => vec![],
    });
    let mut words: Vec<u32> = rows.collect();
    assert_eq!(words.len(), 39 * 4);
    for set in programs::ALL {
        words.extend(set.constants().iter().flatten());
        words.extend(set.vertices(9));
    }
    for set in setups::ALL {
        words.extend(set.context().rows().iter().flatten());
        words.extend(set.vertices(9).iter().flatten().flatten());
    }
    words
}

/// A trace with numbers in decimal.
fn trace() -> Trace {
    Trace::parse(TRACE).unwrap_or_else(|errors| panic!("{errors:?}"))
}

const TRACE: &str = "chip nv20\nVAB 0.xy 0.1 16777217.3\nVAB 0.zw 1.00000017 0.3333333333333\nvertex\n";

#[test]
fn numbers_in_texts_do_not_depend_on_the_callers_environment() {
    let (want, want_trace) = (numbers(), trace());
    for state in modes().map(|mode| mode | MASKS) {
        let ((got, got_trace), left) = under(state, || (numbers(), trace()));
        assert_eq!(left, state);
        assert!(got == want && got_trace == want_trace, "under {state:04x}");
    }
}

/// Takes the state to do it under.
type Activity = fn(u32);

/// What child processes do under every mode with exceptions unmasked.
const ACTIVITIES: &[(&str, Activity)] = &[("compile", compile), ("background", background), ("texts", texts)];

fn compile(state: u32) {
    for code in codes().iter().skip(state as usize >> 13 & 3).step_by(8) {
        let want = stages(code);
        let ((got, _), left) = under(state, || (stages(code), machine_code(code)));
        assert_eq!(left & !0x3f, state & !0x3f);
        assert!(got == want, "under {state:04x}");
        let options = || Options::default().with(|options| options.cache_bytes = 0);
        let (program, _) = under(state, || Engine::new(options()).shader(code));
        if code.made_of::<Microcode>().is_some() {
            let (got, _) = under(state, || run(&program));
            assert_eq!(got, reference(code), "under {state:04x}");
        }
    }
}

fn background(state: u32) {
    let codes: Vec<Shader> =
        (0..4).map(|seed| constant::program(Generation::Curie, Model::Hw, seed)).collect();
    let wants: Vec<Vec<u32>> = codes.iter().map(reference).collect();
    compile_in_the_background(state, &codes, &wants);
}

fn texts(state: u32) {
    let want = (numbers(), trace());
    let (got, _) = under(state, || (numbers(), trace()));
    assert!(got == want, "under {state:04x}");
}

#[test]
fn unmasked_exceptions_end_no_process() {
    for (name, _) in ACTIVITIES {
        let output = Command::new(std::env::current_exe().expect("the path of this binary"))
            .args(["--exact", "child", "--nocapture", "--test-threads=1"])
            .env(CHILD, name)
            .output()
            .expect("this binary starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().rev().find(|line| line.contains("under")).unwrap_or_default();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {} {last}\n{errors}", output.status);
        assert!(text.contains("all done"), "the child has run nothing: {text}");
    }
}

/// Does what the parent asks for; by itself nothing.
#[test]
fn child() {
    let Ok(wanted) = std::env::var(CHILD) else { return };
    let (_, activity) = ACTIVITIES.iter().find(|(name, _)| *name == wanted).expect("a name of the table");
    for state in modes() {
        println!("under {state:04x}");
        activity(state);
    }
    println!("all done");
}
