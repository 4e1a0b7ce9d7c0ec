//! Memory of an engine: bounded by its cache, and given back when the last handle to a program goes.
//!
//! By default 12,000 programs are compiled; with `XFJIT_LONG=1` 100,000 (best with `--release`).
#![cfg(all(feature = "jit", target_os = "linux"))]

use std::fs;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use xfjit::isa::{self, Generation};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::Context;
use xfjit::{Compile, Config, Engine, Model, Options, Program, Worker, asm};
use xfjit_testing::RandomFixed;
use xfjit_testing::{Choices, FAMILIES, FixedCase, PATIENCE};

/// The tests measure the whole process, so they take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory of this process as the system sees it.
#[derive(Clone, Copy, Debug)]
struct Usage {
    resident: usize,
    mappings: usize,
    /// Bytes of executable memory that belong to no file: generated code.
    code: usize,
}

impl Usage {
    fn now() -> Usage {
        let statm = fs::read_to_string("/proc/self/statm").expect("Linux has it");
        let pages: usize =
            statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("resident pages");
        let maps = fs::read_to_string("/proc/self/maps").expect("Linux has it");
        Usage { resident: pages * 4096, mappings: mappings(&maps), code: maps.lines().map(code_bytes).sum() }
    }
}

/// How many mappings there are. Linux makes one of neighbours of no file that are alike, qemu-user shows them as they were made.
fn mappings(maps: &str) -> usize {
    let (mut count, mut before) = (0, ("", ""));
    for line in maps.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [range, permissions, _offset, _device, inode, ..] = words[..] else { panic!("{line}") };
        let (start, end) = range.split_once('-').expect("a range");
        let is_anonymous = inode == "0" && words.len() == 5;
        count += usize::from(!is_anonymous || before != (start, permissions));
        before = if is_anonymous { (end, permissions) } else { ("", "") };
    }
    count
}

/// Bytes of a line of `/proc/self/maps`, if it is anonymous and executable. qemu-user calls whatever lies behind the program the heap.
fn code_bytes(line: &str) -> usize {
    let mut words = line.split_whitespace();
    let (range, permissions) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    assert!(!permissions.starts_with("rwx"), "writable and executable at once: {line}");
    let [_offset, _device, inode] = [words.next(), words.next(), words.next()];
    if !permissions.contains('x') || inode != Some("0") || words.next().is_some_and(|name| name != "[heap]") {
        return 0;
    }
    let (start, end) = range.split_once('-').expect("a range");
    let [start, end] = [start, end].map(|at| usize::from_str_radix(at, 16).expect("an address"));
    end - start
}

/// Whether the pages that `/proc/self/statm` counts are those of an emulator, which keeps what it has translated of all code that ever ran.
/// qemu-user answers for `/proc/self` what the program expects, but not for `/proc/thread-self`.
fn is_emulated() -> bool {
    let program = |of| fs::read_link(format!("/proc/{of}/exe")).expect("Linux has it");
    program("self") != program("thread-self")
}

/// The program with this number; no two are equal.
fn program(number: usize) -> isa::Program {
    let [low, high] = [number % 192, number / 192 % 192];
    let register = number / (192 * 192) % 12;
    let text = format!("MUL r{register}, v0, c[{low}]\nADD oPos, r{register}, c[{high}]");
    asm::parse(Generation::Kelvin, &text).expect("the text is a program")
}

fn config() -> Config {
    Config::new(Generation::Kelvin).model(Model::Ieee).live_outputs(1)
}

fn engine(cache_bytes: usize) -> Engine {
    Engine::new(Options::default().with(|options| {
        options.compile = Compile::Now;
        options.cache_bytes = cache_bytes;
    }))
}

/// Compiles and runs a program; the handle drops.
fn run(engine: &Engine, number: usize, worker: &mut Worker, context: &mut Context) {
    let program = engine.decoded(program(number), &config());
    assert!(program.stats().native, "program {number}: {:?}", program.refusal());
    let positions = [[1.0f32, 2.0, 3.0, 1.0].map(f32::to_bits); 4];
    let inputs = Inputs::new(4).with(0, Attribute::rows(&positions));
    let mut words = [0; 16];
    program
        .run(worker, context, &inputs, &mut Outputs::interleaved(&mut words, &[0]))
        .expect("the streams hold four");
}

#[test]
fn memory_stays_flat_over_many_programs() {
    const MIB: usize = 1 << 20;
    let _turn = turn();
    let (warm_up, programs) = match std::env::var_os("XFJIT_LONG") {
        Some(_) => (20_000, 100_000),
        None => (6_000, 12_000),
    };
    let engine = engine(16 * MIB);
    let mut worker = Worker::new();
    let mut context = Context::new(Generation::Kelvin.constants());
    let start = Instant::now();
    (0..warm_up).for_each(|number| run(&engine, number, &mut worker, &mut context));
    let warm = Usage::now();
    (warm_up..programs).for_each(|number| run(&engine, number, &mut worker, &mut context));
    let end = Usage::now();

    let stats = engine.stats();
    println!(
        "after {warm_up} programs {warm:?}\nafter {programs} programs {end:?} in {:?}\n{stats:?}",
        start.elapsed()
    );
    assert_eq!(stats.compiled, programs as u64);
    assert_eq!(stats.evictions, (programs - stats.programs) as u64);
    assert!(stats.bytes <= 16 * MIB && end.code <= 16 * MIB, "the cache is bounded");
    if is_emulated() {
        let note = "SKIPPED: resident memory, since the system counts the memory of an emulator\n";
        std::io::stderr().write_all(note.as_bytes()).expect("standard error is there");
    } else {
        assert!(end.resident < warm.resident + 4 * MIB, "resident memory grows");
    }
    // A program takes a page of code, and pages side by side may share a mapping.
    assert!(end.mappings < 16 * MIB / 4096 + 200, "mappings accumulate");

    drop(engine);
    let left = Usage::now();
    println!("without the engine {left:?}");
    assert_eq!(left.code, 0, "code outlives the engine and all handles");
}

/// Asserts what an engine promises: what it holds for the cache is bounded, whatever it is.
fn assert_bounded(what: &str, bound: usize, before: Usage, engine: &Engine) {
    let (after, stats) = (Usage::now(), engine.stats());
    println!("{what}: {before:?}\n{after:?}\n{stats:?}");
    let (grown, code) =
        (after.resident.saturating_sub(before.resident), after.code.saturating_sub(before.code));
    assert!(stats.evictions > 0 && stats.bytes <= bound, "{what}: {stats:?}");
    assert!(stats.bytes > bound / 2, "{what}: the cache is not used: {stats:?}");
    assert!(code <= bound + CONSTANT / 8, "{what}: {code} bytes of code");
    assert!(grown <= bound * 3 / 2 + CONSTANT, "{what}: {grown} bytes for a bound of {bound}");
}

/// Working memory of the code generator, and what the allocator keeps for itself.
const CONSTANT: usize = 4 << 20;

/// Runs a program until its engine has compiled it.
fn heat(program: &Program, worker: &mut Worker) {
    let positions = [[1.0f32, 2.0, 3.0, 1.0].map(f32::to_bits); 4];
    let (mut context, mut words) = (Context::new(program.shader().rows()), [0; 16]);
    let start = Instant::now();
    while !program.stats().native {
        let inputs = Inputs::new(4).with(0, Attribute::rows(&positions));
        let mut outputs = Outputs::interleaved(&mut words, &[0]);
        program.run(worker, &mut context, &inputs, &mut outputs).expect("the streams hold four");
        assert!(start.elapsed() < PATIENCE, "it is never compiled: {:?}", program.refusal());
    }
}

fn background(cache_bytes: usize) -> Engine {
    Engine::new(Options::default().with(|options| {
        options.compile = Compile::Background { threshold: 4 };
        options.cache_bytes = cache_bytes;
    }))
}

#[test]
fn programs_that_never_become_hot_are_forgotten() {
    const BOUND: usize = 1 << 20;
    let _turn = turn();
    let mut worker = Worker::new();
    let engine = background(BOUND);
    heat(&engine.decoded(program(0), &config()), &mut worker);
    let before = Usage::now();
    for number in 1..60_000 {
        let program = engine.decoded(program(number), &config());
        if number % 300 == 0 {
            heat(&program, &mut worker);
        }
    }
    assert_bounded("cold programs", BOUND, before, &engine);
}

#[test]
fn programs_weigh_what_their_code_takes() {
    const BOUND: usize = 1 << 20;
    let _turn = turn();
    let mut worker = Worker::new();
    let engine = background(BOUND);
    let large = |number: usize| {
        let line =
            |i: usize| format!("MAD r0, v0, c[{}], r0\nLIT r1, r0\nADD r0, r0, r1\n", (i + number) % 192);
        let text: String = (0..20).map(line).chain(["MOV oPos, r0".to_owned()]).collect();
        asm::parse(Generation::Kelvin, &text).expect("the text is a program")
    };
    heat(&engine.decoded(large(0), &config()), &mut worker);
    let before = Usage::now();
    for number in 1..70 {
        heat(&engine.decoded(large(number), &config()), &mut worker);
    }
    assert_bounded("large programs", BOUND, before, &engine);
}

#[test]
fn plans_of_the_fixed_function_are_counted() {
    const BOUND: usize = 1 << 20;
    let _turn = turn();
    let setup = |number: u64| {
        let family = FAMILIES[number as usize % FAMILIES.len()];
        FixedCase::choose(&mut Choices::seed(number), family, Some(Model::Ieee), 1).setup
    };
    for (what, compile) in
        [("cold modes", Compile::Background { threshold: u64::MAX }), ("modes", Compile::Now)]
    {
        let engine = Engine::new(Options::default().with(|options| {
            options.compile = compile;
            options.cache_bytes = BOUND;
        }));
        engine.fixed(&setup(0));
        let before = Usage::now();
        for number in 1..if compile == Compile::Now { 120 } else { 300 } {
            engine.fixed(&setup(number));
        }
        assert_bounded(what, BOUND, before, &engine);
    }
}

/// Routines of a program: code for the longest vectors has a second one.
fn routines() -> usize {
    use xfjit::InstructionSet;
    if InstructionSet::best() == Some(InstructionSet::X86_64V4) { 2 } else { 1 }
}

#[test]
fn code_goes_with_the_last_handle() {
    const PROGRAMS: usize = 64;
    let _turn = turn();
    let before = Usage::now();
    // This cache keeps nothing, so the handles are all there is.
    let engine = engine(0);
    let handles: Vec<_> = (0..PROGRAMS).map(|number| engine.decoded(program(number), &config())).collect();
    let copies = handles.clone();
    let held = Usage::now();
    let routines = routines();
    assert_eq!(held.code, before.code + PROGRAMS * routines * 4096, "a page of code for each routine");
    drop(handles);
    assert_eq!(Usage::now().code, held.code, "clones of the handles keep the code");
    drop(copies);
    let after = Usage::now();
    assert_eq!(after.code, before.code, "code outlives its handles");
    assert!(after.mappings < before.mappings + 8, "mappings accumulate: {before:?}, {after:?}");
}
