//! `xfjit doctor`

use crate::args::{Format, Global};
use crate::fail::Failure;
use crate::table::Table;
use crate::{backends, files};
use std::hint::black_box;
use std::io::Write;
use std::sync::Arc;
use xfjit::attach::{self, Attach};
use xfjit::front::Microcode;
use xfjit::front::fixed::Setup;
use xfjit::runtime::batch::Outputs;
use xfjit::runtime::fpenv::{FpEnv, FpGuard};
use xfjit::shader::Shader;
use xfjit::{Config, Generation, InstructionSet, Model, Worker, asm};
use xfjit_core::backend::{Backend, to_host};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use xfjit_native::emitter::{self, Width};
use xfjit_native::{Compiler, Target};
use xfjit_testing::programs::{ALL, Fixed};

/// Vertices of each program of the self test: whole groups and a rest.
const VERTICES: usize = 259;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// A fact.
    Fact,
    /// As it should be.
    Fine,
    /// Slower than it could be, or unknown.
    Note,
    /// Wrong.
    Wrong,
}

struct Check {
    name: String,
    verdict: Verdict,
    text: String,
}

/// Tells what this machine and this build can do, and whether it does it right.
pub fn run(global: &Global) -> Result<(), Failure> {
    let mut checks = vec![
        fact("version", format!("xfjit {}", env!("CARGO_PKG_VERSION"))),
        fact("host", format!("{} {}", std::env::consts::ARCH, std::env::consts::OS)),
        fact("cpu features", features()),
        fact("page size", format!("{} bytes", region::page::size())),
        native(),
        instruction_sets(),
        write_xor_execute(),
        memory_operands(),
        environment(),
        attaching(),
    ];
    for model in backends::models(None) {
        checks.extend(ALL.iter().map(|fixed| self_test(fixed, model)));
    }
    let wrong = checks.iter().filter(|check| check.verdict == Verdict::Wrong).count();
    let mut out = files::stdout();
    let mut table = Table::new(["check", "result", if global.format == Format::Csv { "text" } else { "" }]);
    for check in &checks {
        table.row([check.name.clone(), word(check.verdict).to_owned(), check.text.clone()]);
    }
    match global.format {
        Format::Text => {
            if !global.quiet {
                table.write(&mut out)?;
            }
            let has_native =
                checks.iter().all(|check| check.name != NATIVE || check.verdict == Verdict::Fine);
            let line = match (wrong, has_native) {
                (0, true) => "All checks passed.".to_owned(),
                (0, false) => "All checks passed, but there is no native code.".to_owned(),
                _ => format!("{wrong} checks failed."),
            };
            writeln!(out, "{line}")?;
        }
        Format::Csv => table.write_csv(&mut out)?,
        Format::Json => {
            let rows: Vec<serde_json::Value> = checks
                .iter()
                .map(|c| serde_json::json!({ "check": c.name, "result": word(c.verdict), "text": c.text }))
                .collect();
            writeln!(
                out,
                "{}",
                serde_json::json!({ "schema": "xfjit.doctor.1", "failed": wrong, "checks": rows })
            )?;
        }
    }
    out.flush()?;
    if wrong == 0 { Ok(()) } else { Err(Failure::Mismatch) }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fact => "",
        Verdict::Fine => "ok",
        Verdict::Note => "note",
        Verdict::Wrong => "WRONG",
    }
}

fn check(name: impl Into<String>, verdict: Verdict, text: impl Into<String>) -> Check {
    Check { name: name.into(), verdict, text: text.into() }
}

fn fact(name: &str, text: String) -> Check {
    check(name, Verdict::Fact, text)
}

/// Those that some native code asks for.
fn features() -> String {
    let here = InstructionSet::ALL.iter().map(|set| set.present());
    let present: Vec<&str> = here.flatten().collect();
    if present.is_empty() { "none that matter".to_owned() } else { present.join(" ") }
}

/// The instruction sets that native code can be made for, and why not for the others of this architecture.
fn instruction_sets() -> Check {
    let describe = |set: InstructionSet| {
        let machine = set.machine();
        format!("{} ({} lanes, {} registers)", set.name(), machine.lanes, machine.registers)
    };
    let of_others = |set: &&InstructionSet| set.architecture() == std::env::consts::ARCH;
    let mut text: Vec<String> = InstructionSet::here().map(describe).collect();
    let missing = InstructionSet::ALL.iter().filter(of_others).filter_map(|set| set.check_host().err());
    text.extend(missing.map(|error| error.to_string()));
    fact("instruction sets", text.join("; "))
}

const NATIVE: &str = "native code";

/// What is compiled for by default, and what compiles what that refuses.
fn native() -> Check {
    match Target::host() {
        Ok(target) => {
            let set = InstructionSet::best().map_or("nothing", InstructionSet::name);
            check(NATIVE, Verdict::Fine, format!("{set} by default; Cranelift: {}", target.name()))
        }
        Err(error) => check(NATIVE, Verdict::Note, format!("{error}; programs run in the interpreter")),
    }
}

/// While a compiled program is alive its code is mapped executable, and nothing is both writable and executable.
fn write_xor_execute() -> Check {
    const NAME: &str = "code memory";
    let Ok(native) = backends::native(None) else {
        return check(NAME, Verdict::Note, "not tested: there is no native code");
    };
    let config = Config::new(Generation::Kelvin).model(Model::Ieee).live_outputs(1);
    let Ok(program) = asm::parse(Generation::Kelvin, "MUL oPos, v0, c[0]") else {
        return check(NAME, Verdict::Wrong, "the test program does not assemble");
    };
    let before = executable_mappings();
    let routine = match native.prepare(&Microcode::shader(&Arc::new(program), &config)) {
        Ok(routine) => routine,
        Err(error) => {
            return check(NAME, Verdict::Wrong, format!("{error}; programs run in the interpreter"));
        }
    };
    let after = executable_mappings();
    let bytes = routine.cost().code_bytes;
    match (before, after) {
        (Some(before), Some(after)) if after.writable > before.writable => {
            check(NAME, Verdict::Wrong, "code is writable and executable at once")
        }
        (Some(before), Some(after)) if after.fixed <= before.fixed => {
            check(NAME, Verdict::Note, format!("{bytes} bytes of code are in no mapping of their own"))
        }
        (Some(_), Some(_)) => check(NAME, Verdict::Fine, "executable, and not writable at the same time"),
        _ => check(NAME, Verdict::Note, "code runs; this system does not report how it is mapped"),
    }
}

/// Every memory operand of what the code generator makes of the benchmarks lies in its block.
fn memory_operands() -> Check {
    const NAME: &str = "memory operands";
    let Ok(target) = Target::host() else {
        return check(NAME, Verdict::Note, "not tested: there is no native code");
    };
    if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        return check(NAME, Verdict::Note, "not checked: xfjit cannot check code for this processor");
    }
    let machine = *target.machine();
    let mut compiler = Compiler::new(target).checked(true);
    let mut bytes = 0;
    for model in [Model::Ieee, Model::Hw] {
        let programs =
            ALL.iter().map(|fixed| Microcode::shader(&Arc::new(fixed.program()), &fixed.config(model)));
        let setups =
            xfjit_testing::setups::ALL.iter().map(|set| Shader::from(Setup::new(set.mode()).model(model)));
        for code in programs.chain(setups) {
            match compiler.code(&to_host(code.lower(), &machine), code.layout()) {
                Ok(code) => bytes += code.len(),
                Err(error) => return check(NAME, Verdict::Wrong, error.to_string()),
            }
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            for &width in Width::ALL {
                let func = to_host(code.lower(), &width.machine());
                if let Err(error) = emitter::examine(&func, code.layout(), width) {
                    return check(NAME, Verdict::Wrong, format!("{}: {error}", width.name()));
                }
            }
        }
    }
    check(NAME, Verdict::Fine, format!("{bytes} bytes of code stay inside their blocks"))
}

/// Whether a process could write a file for others to attach to.
fn attaching() -> Check {
    const NAME: &str = "attaching";
    match Attach::in_directory(&attach::directory()) {
        Ok(file) => {
            let directory = file.path().parent().map(files::name).unwrap_or_default();
            check(NAME, Verdict::Fine, format!("by files in {directory}, if XFJIT_ATTACH asks for them"))
        }
        Err(error) => check(NAME, Verdict::Note, format!("nobody can attach to programs: {error}")),
    }
}

struct Mappings {
    fixed: usize,
    writable: usize,
}

/// Bytes of executable mappings of this process, where the system tells.
fn executable_mappings() -> Option<Mappings> {
    let mut mappings = Mappings { fixed: 0, writable: 0 };
    for region in region::query_range(std::ptr::null::<u8>(), usize::MAX).ok()? {
        let region = region.ok()?;
        if region.is_executable() {
            *if region.is_writable() { &mut mappings.writable } else { &mut mappings.fixed } += region.len();
        }
    }
    Some(mappings)
}

/// One third rounded, and the least denormal: they tell rounding and flushing.
fn probe() -> [u32; 2] {
    let third = black_box(1.0f32) / black_box(3.0f32);
    let denormal = black_box(f32::from_bits(1)) * black_box(1.0f32);
    [black_box(third).to_bits(), black_box(denormal).to_bits()]
}

/// The guard sets what the model `hw` runs under and puts the caller's environment back.
fn environment() -> Check {
    const NEAREST: [u32; 2] = [0x3eaa_aaab, 1];
    const TRUNCATED: [u32; 2] = [0x3eaa_aaaa, 0];
    let before = probe();
    let (inside, suspended, again) = {
        let guard = FpGuard::enter(FpEnv::Truncate);
        let inside = probe();
        (inside, guard.suspend(FpEnv::Default, probe), probe())
    };
    let after = probe();
    let known = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    if [before, inside, suspended, again, after] == [NEAREST, TRUNCATED, NEAREST, TRUNCATED, NEAREST] {
        check("float environment", Verdict::Fine, "set for a batch, restored after it")
    } else if !known && [before, inside, after] == [NEAREST; 3] {
        check("float environment", Verdict::Note, "cannot be set on this host")
    } else {
        let text =
            format!("before {before:x?}, inside {inside:x?}, suspended {suspended:x?}, after {after:x?}");
        check("float environment", Verdict::Wrong, text)
    }
}

/// A program of the fixed set on every backend.
fn self_test(fixed: &Fixed, model: Model) -> Check {
    let name = format!("{}, {}", fixed.title, model.name());
    match compare(fixed, model) {
        Ok(text) => check(name, Verdict::Fine, text),
        Err(text) => check(name, Verdict::Wrong, text),
    }
}

fn compare(fixed: &Fixed, model: Model) -> Result<String, String> {
    let program = Arc::new(fixed.program());
    let config = fixed.config(model);
    let vertices = fixed.vertices(VERTICES);
    let inputs = fixed.inputs(&vertices, VERTICES);
    let mut worker = Worker::new();
    let mut execute = |backend: &dyn Backend| -> Result<(Vec<u32>, u64), String> {
        let routine = backend
            .prepare(&Microcode::shader(&program, &config))
            .map_err(|error| format!("{}: {error}", backend.name()))?;
        let mut context = fixed.context();
        let mut words = vec![0; VERTICES * fixed.output_words()];
        let mut outputs = Outputs::interleaved(&mut words, fixed.outputs);
        let outcome = routine.run(&mut worker, &mut context, &inputs, &mut outputs);
        let outcome = outcome.map_err(|error| format!("{}: {error}", backend.name()))?;
        Ok((words, outcome.deopt_groups))
    };
    let (reference, _) = execute(&*backends::reference())?;
    let mut names = Vec::new();
    let mut deopts = 0;
    let every = backends::every(None).map_err(|failure| format!("{failure:?}"))?;
    for backend in every.iter().skip(1).filter(|backend| backends::knows(&***backend, model)) {
        let (words, deopt_groups) = execute(&**backend)?;
        let differing = reference.iter().zip(&words).filter(|(a, b)| a != b).count();
        if differing > 0 {
            return Err(format!(
                "{}: {differing} of {} words differ from the reference",
                backend.name(),
                words.len()
            ));
        }
        names.push(backend.name());
        deopts += deopt_groups;
    }
    Ok(format!("{VERTICES} vertices: {} equal the reference, {deopts} groups deoptimised", names.join(", ")))
}
