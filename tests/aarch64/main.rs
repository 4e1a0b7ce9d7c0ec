//! Code for AArch64 computes what code for this host computes, and what the reference says, bit for bit: Cranelift's, and that of our own
//! emitter.
//!
//! The shaders are compiled here, by both, and run under qemu-user, or as they are on AArch64, by a small C host (host.c), in a process for each core. Their
//! outputs, the constants that they write and the groups that they leave to the interpreter must agree. Needs
//! Debian's `qemu-user-static`, `gcc-aarch64-linux-gnu` and `libc6-dev-arm64-cross`; without them the test says that
//! it was skipped and passes, unless `XFJIT_REQUIRE_AARCH64` is set.
#![cfg(all(feature = "cross-cranelift", any(target_arch = "x86_64", target_arch = "aarch64")))]

mod container;
mod corpus;

use container::Job;
use corpus::Case;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs, Place, registers};
use xfjit::runtime::format::Format;
use xfjit::runtime::fpenv::FpEnv;
use xfjit::runtime::indices::{IndexLayout, IndexWidth, Indexing};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{ATTRIBUTES, Context, OUTPUTS, Row};
use xfjit_core::backend::{Backend, CompileError, Interp, Routine, Worker, to_host};
use xfjit_ir::ir::func::Func;
use xfjit_ir::machine::Machine;
use xfjit_native::a64::{self, Width};
use xfjit_native::{Budget, Compiler, Jit, Target};
use xfjit_testing::in_parallel;

const GCC: &str = "aarch64-linux-gnu-gcc";
/// What runs programs for AArch64; they need nothing there.
const QEMU: Option<&str> = if cfg!(target_arch = "aarch64") { None } else { Some("qemu-aarch64-static") };
/// Vertices of a call: all of a case, or so many and the rest.
const MOST: [usize; 8] = [usize::MAX, 1, 2, 3, 5, 6, 7, 9];
/// Random programs of each generation: as usual, and with `XFJIT_LONG` set.
const RANDOM_PROGRAMS: [u64; 2] = [100, 5_000];
/// How many random configurations of Flipper are run.
const RANDOM_CONFIGURATIONS: [u64; 2] = [40, 1_000];
/// One of so many cases is run, as usual and with `XFJIT_LONG` set. On AArch64, which is emulated more often than not, there are few as usual:
/// all other tests run such code there.
const ONE_IN: [usize; 2] = [if cfg!(target_arch = "aarch64") { 37 } else { 1 }, 1];

#[test]
fn code_for_aarch64_agrees_with_this_host_and_the_reference() {
    let is_missing = |tool: &&str| {
        !Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    if let Some(missing) = [GCC].into_iter().chain(QEMU).find(is_missing) {
        assert!(std::env::var_os("XFJIT_REQUIRE_AARCH64").is_none(), "{missing} is not installed");
        // Not by `eprintln!`, which the harness would swallow.
        let note = format!("SKIPPED: no code for AArch64 was run, since {missing} is not installed\n");
        std::io::stderr().write_all(note.as_bytes()).expect("standard error is there");
        return;
    }
    let target = Target::named("aarch64").expect("the feature `cross-cranelift` has it");
    let is_long = usize::from(std::env::var_os("XFJIT_LONG").is_some());
    let models = [Model::Ieee, Model::Hw].into_iter();
    let programs = models.flat_map(|model| corpus::corpus(model, RANDOM_PROGRAMS[is_long]));
    let all = programs.chain(corpus::flipper(RANDOM_CONFIGURATIONS[is_long]));
    let cases: Vec<Case> = all.step_by(ONE_IN[is_long]).collect();
    let compiled = in_parallel(cases.len(), |number| {
        let (case, func) = (&cases[number], function(&cases[number], number));
        let code = Compiler::new(target.clone()).budget(Budget::UNLIMITED).code(&func, case.shader.layout());
        let code = code.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let own = match a64::code(&func, case.shader.layout(), Width::Four) {
            Ok(own) => Some(own),
            Err(CompileError::TooLarge(_)) => None,
            Err(error) => panic!("{}: {error}\n{func}", case.name),
        };
        [Some(code), own].map(|code| Some(job(case, number, &func, code?)))
    });
    let (others, own): (Vec<_>, Vec<_>) = compiled.into_iter().map(|[other, own]| (other, own)).unzip();
    // Code of our own emitter for these cases, and whose it is.
    let owners: Vec<usize> =
        own.iter().enumerate().filter_map(|(number, own)| own.is_some().then_some(number)).collect();
    let refused = cases.len() - owners.len();
    let jobs: Vec<Job<'_>> = others.into_iter().chain(own).flatten().collect();
    let results = run(&jobs);
    let (others, own) = jobs.split_at(cases.len());
    for ((&number, job), result) in owners.iter().zip(own).zip(&results[cases.len()..]) {
        compare(&cases[number], job, &results[number], result);
    }
    println!("{} shaders by our own emitter, and {refused} that it refuses", owners.len());

    let mut total = Statistics::default();
    let checked = in_parallel(cases.len(), |number| {
        let case = &cases[number];
        let statistics = check(case, &jobs[number], &results[number]);
        assert!(
            statistics.guarded == 0 || !case.is_ordinary,
            "{}: ordinary numbers must not raise guards ({statistics:?})",
            case.name
        );
        statistics
    });
    checked.into_iter().for_each(|statistics| total.add(statistics));
    let bytes = |jobs: &[Job<'_>]| jobs.iter().map(|job| job.code.len()).sum::<usize>();
    println!("{} shaders, {} bytes of code for AArch64: {total:?}", cases.len(), bytes(others));
    println!("{} bytes by our own emitter, which refuses {refused}", bytes(own));
    assert!(refused * 20 < cases.len(), "{refused} are refused");
    assert!(total.native > total.guarded, "most vertices run natively");
}

/// Vertices compared.
#[derive(Clone, Copy, Default, Debug)]
struct Statistics {
    native: usize,
    guarded: usize,
}

impl Statistics {
    fn add(&mut self, other: Statistics) {
        self.native += other.native;
        self.guarded += other.guarded;
    }
}

/// A third of the cases each is found by position, through a list of 16 bits, and through lists of 32 and of 16 bits.
fn indexing(number: usize) -> IndexLayout {
    match number % 3 {
        0 => IndexLayout::NONE,
        1 => IndexLayout::shared(IndexWidth::Half),
        _ => IndexLayout::shared(IndexWidth::Word).with(1, Some(IndexWidth::Half)).with(2, None),
    }
}

/// The function of a case.
fn function(case: &Case, number: usize) -> Func {
    let mut lowered = case.shader.lower();
    lowered.inputs = case.shader.inputs().indexed(indexing(number));
    to_host(lowered, &Machine::AARCH64)
}

/// Lays the data of a case out as generated code expects it: what is found through an index list the last vertex first.
fn job<'a>(case: &'a Case, number: usize, func: &Func, code: Vec<u8>) -> Job<'a> {
    let indices = indexing(number);
    // A serial program takes one vertex at a time, in all lanes.
    let serial = func.is_serial();
    let inputs = registers(func.live_inputs()).map(|register| {
        let column = column(case, register);
        let (stride, rows) = match is_constant(&column) {
            true => (0, column[..1].to_vec()),
            false if indices.of(register) != Indexing::Position => {
                (size_of::<Row>(), column.iter().rev().copied().collect())
            }
            false => (size_of::<Row>(), column.clone()),
        };
        (register, stride, rows.iter().flatten().flat_map(|word| word.to_le_bytes()).collect())
    });
    let list = |width: IndexWidth| {
        let vertices = (0..case.vertices.len() as u32).rev();
        vertices.flat_map(|vertex| vertex.to_le_bytes()[..width.bytes()].to_vec()).collect::<Vec<u8>>()
    };
    let lists: BTreeMap<usize, IndexWidth> =
        registers(func.live_inputs()).filter_map(|register| indices.of(register).list(register)).collect();
    let mut words = output_words(case, case.vertices.len());
    let mut output = Vec::new();
    let places = outputs(case, &mut words).copy_into(&mut output).expect("there is memory");
    Job {
        code,
        truncate: func.env() == FpEnv::Truncate,
        serial,
        vertices: case.vertices.len(),
        most: if serial { 1 } else { MOST[number / 3 % MOST.len()] },
        rows: &case.rows,
        inputs: inputs.collect(),
        lists: lists.into_iter().map(|(number, width)| (number, list(width))).collect(),
        outputs: registers(func.live_outputs())
            .map(|register| (register, places[register].expect("live outputs have places")))
            .collect(),
        output_bytes: output.len(),
    }
}

/// One attribute of all vertices.
fn column(case: &Case, register: usize) -> Vec<Row> {
    case.vertices.iter().map(|vertex| vertex[register]).collect()
}

fn is_constant(column: &[Row]) -> bool {
    column.iter().all(|row| *row == column[0])
}

fn output_words(case: &Case, vertices: usize) -> Vec<u32> {
    vec![0; 4 * vertices * case.shader.live_outputs().count_ones() as usize]
}

fn outputs<'a>(case: &Case, words: &'a mut [u32]) -> Outputs<'a> {
    let live: Vec<u8> = registers(case.shader.live_outputs()).map(|register| register as u8).collect();
    match case.shader.layout() {
        Layout::Rows => Outputs::interleaved(words, &live),
        Layout::Planes => {
            let capacity = words.len() / (4 * live.len()).max(1);
            Outputs::planes(words, &live, capacity)
        }
    }
}

/// Builds the C host, and lets it run all jobs, a process for each core.
fn run(jobs: &[Job<'_>]) -> Vec<container::Result> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/aarch64/host.c");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("aarch64");
    let host = directory.join("host");
    fs::create_dir_all(&directory).expect("the test's directory");
    fs::write(directory.join("layout.h"), container::layout_header()).expect("layout.h");

    let mut gcc = Command::new(GCC);
    gcc.args(["-std=gnu11", "-O1", "-static", "-Wall", "-Wextra", "-Werror", "-I"]).arg(&directory);
    must_succeed(gcc.arg("-o").arg(&host).arg(source));

    let part = jobs.len().div_ceil(available_parallelism().map_or(1, usize::from)).max(1);
    let parts: Vec<&[Job<'_>]> = jobs.chunks(part).collect();
    let results = in_parallel(parts.len(), |number| {
        let [cases, results] = ["cases", "results"].map(|name| directory.join(format!("{name}-{number}")));
        fs::write(&cases, container::write(parts[number])).expect("the cases");
        let mut running = Command::new(QEMU.map_or(host.as_os_str(), OsStr::new));
        must_succeed(running.args(QEMU.map(|_| &host)).args([&cases, &results]));
        container::read(&fs::read(&results).expect("the results"), parts[number])
    });
    results.into_iter().flatten().collect()
}

fn must_succeed(command: &mut Command) {
    let output = command.output().expect("the program starts");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{messages}", output.status);
}

/// Compares what code of our own emitter has left behind with what Cranelift's has, which is compared with everything else.
fn compare(case: &Case, job: &Job<'_>, witness: &container::Result, result: &container::Result) {
    let name = &case.name;
    assert_eq!(result.undone, witness.undone, "{name}: groups that are left undone\n{}", case.text);
    // Of a serial program only the vertices up to the first guard have been run.
    let first = witness.undone.first().map_or(job.vertices, |group| group.start);
    let complete = if job.serial { first } else { job.vertices };
    assert_eq!(result.rows, witness.rows, "{name}: constants\n{}", case.text);
    let is_done = |vertex: &usize| !witness.undone.iter().any(|group| group.contains(vertex));
    for vertex in (0..complete).filter(is_done) {
        for &(register, place) in &job.outputs {
            let [own, other] =
                [result, witness].map(|result| output_row(case, place, &result.output, vertex));
            assert_eq!(own, other, "{name}: output {register} of vertex {vertex}\n{}", case.text);
        }
    }
}

/// Compares what AArch64 has left behind with this host and with the reference.
fn check(case: &Case, job: &Job<'_>, result: &container::Result) -> Statistics {
    let name = &case.name;
    let reference = Run::whole(case, &*prepare(&Interp::Single, case));
    // Guards are those of the same recipes, which wide vectors have others of.
    let cranelift = Jit::cranelift().expect("this host has a code generator");
    let native = prepare(&cranelift.budget(Budget::UNLIMITED), case);
    assert_eq!(Run::whole(case, &*native), reference, "{name}: this host against the reference");

    // Of a serial program only the vertices up to the first guard have been run.
    let undone = &result.undone;
    let first = undone.first().map_or(job.vertices, |group| group.start);
    let complete = if job.serial { first } else { job.vertices };
    let (guarded, rows) = one_by_one(case, &*native, job.vertices, complete);
    if job.serial {
        assert_eq!(guarded.first().copied().unwrap_or(job.vertices), first, "{name}: first guarded vertex");
    } else {
        // What a group is depends on where a call begins and ends.
        let is_undone = |vertex: &usize| undone.iter().any(|group| group.contains(vertex));
        assert!(guarded.iter().all(is_undone), "{name}: {guarded:?} are guarded, {undone:?} are left undone");
        let has_guards = |group: &Range<usize>| guarded.range(group.clone()).next().is_some();
        assert!(undone.iter().all(has_guards), "{name}: {guarded:?} are guarded, {undone:?} are left undone");
    }
    assert_eq!(result.rows, rows, "{name}: constants");

    let mut statistics = Statistics { native: 0, guarded: guarded.len() };
    let is_done = |vertex: &usize| !undone.iter().any(|group| group.contains(vertex));
    for vertex in (0..complete).filter(is_done) {
        for &(register, place) in &job.outputs {
            let got = output_row(case, place, &result.output, vertex);
            let want = output_row(case, reference.places[register], &reference.output, vertex);
            assert_eq!(got, want, "{name}: output {register} of vertex {vertex}\n{}", case.text);
        }
        statistics.native += 1;
    }
    statistics
}

fn prepare(backend: &dyn Backend, case: &Case) -> std::sync::Arc<dyn Routine> {
    backend.prepare(&case.shader).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

fn context(case: &Case) -> Context {
    let mut context = Context::new(case.rows.len());
    context.rows_mut().copy_from_slice(&case.rows);
    context
}

/// What a backend of this host leaves behind.
#[derive(PartialEq, Debug)]
struct Run {
    output: Vec<u8>,
    places: [Place; OUTPUTS],
    rows: Vec<Row>,
}

impl Run {
    /// All vertices in one batch.
    fn whole(case: &Case, routine: &dyn Routine) -> Run {
        let mut context = context(case);
        let mut words = output_words(case, case.vertices.len());
        let mut outputs = outputs(case, &mut words);
        let columns: Vec<Vec<Row>> = (0..ATTRIBUTES).map(|register| column(case, register)).collect();
        let inputs = inputs(case, &columns, 0, case.vertices.len());
        routine
            .run(&mut Worker::new(), &mut context, &inputs, &mut outputs)
            .expect("the streams hold the batch");
        let nowhere = Place { offset: 0, stride: 0 };
        let mut output = Vec::new();
        let places = outputs.copy_into(&mut output).expect("there is memory");
        let places = places.map(|place| place.unwrap_or(nowhere));
        Run { output, places, rows: context.rows().to_vec() }
    }
}

fn inputs<'a>(case: &Case, columns: &'a [Vec<Row>], first: usize, count: usize) -> Inputs<'a> {
    let mut inputs = Inputs::new(count);
    for (register, column) in columns.iter().enumerate() {
        let format = case.shader.inputs().format(register);
        inputs = match Attribute::rows(&column[first..]) {
            Attribute::Stream { data, stride, .. } if format != Format::ROW => {
                inputs.formatted(register, data, stride, format)
            }
            _ if is_constant(column) => inputs.with(register, Attribute::Constant(column[0])),
            rows => inputs.with(register, rows),
        };
    }
    inputs
}

/// Runs batches of one vertex each on this host: which of them were deoptimised, and the constants behind the first
/// `complete` of them.
fn one_by_one(
    case: &Case,
    routine: &dyn Routine,
    vertices: usize,
    complete: usize,
) -> (BTreeSet<usize>, Vec<Row>) {
    let columns: Vec<Vec<Row>> = (0..ATTRIBUTES).map(|register| column(case, register)).collect();
    let mut context = context(case);
    let mut rows = context.rows().to_vec();
    let mut worker = Worker::new();
    let mut words = output_words(case, 1);
    let mut guarded = BTreeSet::new();
    for vertex in 0..vertices {
        let inputs = inputs(case, &columns, vertex, 1);
        let outcome = routine.run(&mut worker, &mut context, &inputs, &mut outputs(case, &mut words));
        if outcome.expect("the streams hold the batch").deopt_groups > 0 {
            guarded.insert(vertex);
        }
        if vertex + 1 == complete {
            rows = context.rows().to_vec();
        }
    }
    (guarded, rows)
}

/// An output of one vertex.
fn output_row(case: &Case, place: Place, data: &[u8], vertex: usize) -> Row {
    std::array::from_fn(|component| {
        let at = match case.shader.layout() {
            Layout::Rows => vertex * place.stride + 4 * component,
            Layout::Planes => component * place.stride + 4 * vertex,
        };
        let at = place.offset + at;
        u32::from_le_bytes(data[at..at + 4].try_into().expect("4 bytes"))
    })
}
