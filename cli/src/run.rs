//! `xfjit run`

mod calls;
pub mod device;
mod directory;
pub mod flipper;
pub mod missing;
mod report;
mod trace;

use crate::args::limits::Limits;
use crate::args::{Backend as Name, ByteOrder, Campaign, Choice, Global, Pairing, Run};
use crate::capture::Capture;
use crate::conflicts::Kind;
use crate::fail::{Failure, note, remark, warning};
use crate::load::{self, Loaded};
use crate::registers;
use crate::rows::{self, Rows};
use crate::sort::{self, Wanted};
use crate::streams::{self, Vertices};
use crate::text::{self, Flaw};
use crate::{backends, files, table, textures};
use report::Report;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use xfjit::Lockstep;
use xfjit::backend::{Backend, Interp};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::Context;
use xfjit::{Engine, Generation, InstructionSet, Model, Options, Program, Worker};
use xfjit_isa::text::LineError;
use xfjit_testing::CheckFileTest;
use xfjit_testing::filetest::FileTest;

/// Differences that are listed.
const SHOWN: usize = 20;

/// Runs a program over vertices, or a test file.
pub fn run(args: &Run, global: &Global) -> Result<(), Failure> {
    if let Some(directory) = &args.report {
        // Known before the work, not after it.
        files::writable(directory)?;
    }
    if !args.test.as_ref().is_some_and(|test| test.is_dir()) {
        global.given.input(Kind::NoDirectory)?;
    }
    if let Some(path) = &args.trace {
        return run_trace(args, path, global);
    }
    if let Some(path) = &args.fifo {
        global.given.input(Kind::Flipper)?;
        return flipper::stream(args, path, global);
    }
    match (&args.test, &args.program, &args.vertices) {
        (Some(directory), ..) if directory.is_dir() => {
            global.given.input(Kind::Test)?;
            let campaign = Campaign { jobs: args.jobs, extent: args.extent.clone() };
            directory::run(directory, &campaign, global)
        }
        (Some(test), ..) => {
            global.given.input(Kind::Test)?;
            global.given.input(Kind::OneTest)?;
            run_test(test)
        }
        (None, Some(program), Some(vertices)) => run_program(args, program, vertices, global),
        _ => Err(Failure::Usage("a program and vertices are needed, or a test file".to_owned())),
    }
}

/// The trace of a device, or a recording.
fn run_trace(args: &Run, path: &Path, global: &Global) -> Result<(), Failure> {
    let bytes = sort::read(path, Wanted::Capture)?;
    match Capture::read(&files::name(path), &bytes, global)? {
        Capture::Unit(items) => trace::run(args, &items, global),
        Capture::Flipper(items) => flipper::trace(args, &items, global),
        Capture::Calls(calls) => calls::run(args, &calls, global),
        Capture::Recording(recording) => flipper::recording(args, &recording, global),
    }
}

/// Everything that the header of a test file names, on every backend.
fn run_test(path: &Path) -> Result<(), Failure> {
    let text = sort::read_text(path, Wanted::Test)?;
    let wrong = |flaw: Flaw| Failure::input(files::name(path), flaw);
    let test: FileTest = text.parse().map_err(|error: LineError| {
        let line = text::lines(&text).nth(error.line.saturating_sub(1));
        wrong(line.map_or_else(|| Flaw::new(&error.message), |line| Flaw::line(&line, &error.message)))
    })?;
    let mut out = files::stdout();
    let result = test.check();
    match &result {
        Ok(()) => {
            writeln!(out, "{}: as expected on every back end", files::name(path))?;
            backends::note_missing();
        }
        Err(difference) => remark(difference),
    }
    out.flush()?;
    result.map_err(|_| Failure::Mismatch)
}

fn run_program(
    args: &Run,
    program_file: &Path,
    vertices_file: &Path,
    global: &Global,
) -> Result<(), Failure> {
    let inputs = [Some(program_file), Some(vertices_file), args.constants.as_deref()];
    args.drawing.check(&inputs.into_iter().flatten().collect::<Vec<_>>())?;
    let options = streams::Options {
        format: args.vertex_format,
        map: args.map.clone(),
        layout: args.layout.clone(),
        count: args.count,
        order: args.byte_order.unwrap_or(ByteOrder::Little),
    };
    let wanted = load::Wanted {
        generation: args.r#gen,
        start: args.start,
        order: args.byte_order,
        given: &global.given,
        configuration: Some(&args.configuration),
        pairing: Pairing::default(),
    };
    let (Loaded { program, generation, reading, rows, writes_constants }, is_raw) =
        load::program(program_file, &wanted)?;
    let format = options.format(vertices_file)?;
    global.given.input(format.kind())?;
    if !is_raw && format != streams::Format::Bin {
        global.given.input(Kind::NothingRaw)?;
    }
    let vertices = streams::vertices(vertices_file, &options)?;
    let triangles = match args.drawing.wants_triangles() {
        true => args.drawing.triangles(&vertices)?,
        false => Vec::new(),
    };
    let mut config = args.configuration.config(generation, args.model)?;
    args.configuration.check_model(config.model)?;
    let limits =
        [("--slot-limit", args.limits.slot_limit.is_some()), ("--overtime", global.given.has("overtime"))];
    if let Some((option, _)) = limits.into_iter().find(|(_, is_given)| *is_given)
        && generation == Generation::Kelvin
    {
        let message = format!("{option} has no effect with a program of Kelvin, which has no branches");
        return Err(Failure::Usage(message));
    }
    let constants = match &args.constants {
        Some(file) => streams::constants(file, config.rows())?,
        None => streams::Constants::none(config.rows()),
    };
    let constants_file = args.constants.as_deref().unwrap_or(program_file);
    let Rows { mut context, given } =
        rows::fill(&rows, constants, &files::name(constants_file), args.drawing.use_camera(), || {
            args.drawing.camera(&vertices)
        })?;
    let textures = textures::Loaded::read(&args.textures, &program)?;
    if let Some(missing) = missing::missing(&program, &vertices, &given) {
        warning(missing);
    }
    for unit in textures.missing(&program) {
        warning(format_args!("the program reads texture {unit}, which is not given; it reads 0 0 0 1"));
    }
    let masks = registers::written(&program);
    let registers = args.configuration.wanted(generation, &masks)?;
    config.constant_writes |= writes_constants;
    config = config.read_as(reading);
    config.live_outputs = registers.iter().fold(0, |mask, register| mask | 1 << register);

    let lockstep = args.backend == Name::Lockstep;
    let perf = crate::perf::wanted()?;
    let mut results: Vec<Done> = Vec::new();
    for backend in executors(args.backend, args.target, config.model)? {
        let name = backend.name();
        let engine = Engine::new(args.limits.options(crate::perf::options(backend, perf.as_ref())));
        let program = engine.decoded(program.clone(), &config);
        let done = execute(name, &program, args, &mut context.clone(), &vertices, &textures, &registers)?;
        if let Some(refusal) = program.refusal() {
            note(format_args!("{refusal}; the interpreter runs the program"));
        }
        if args.verbose {
            remark(done.summary(vertices.count));
        }
        results.push(done);
    }
    let Some(last) = results.last() else { return Err(Failure::Internal("no backend".to_owned())) };
    if last.timeouts > 0 {
        let (n, vertices) = (last.timeouts, vertices.count);
        warning(format_args!(
            "{n} of {} reached the limit of slots (--slot-limit, --option timeout); their outputs are what they had written until then",
            table::count(vertices, "vertex")
        ));
    }
    let report = Report {
        generation,
        model: config.model.name(),
        backend: if lockstep { "lockstep" } else { last.backend },
        reads: registers::read(&program),
        masks: &masks,
        registers: &registers,
        vertices: &vertices,
        done: last,
        hex: args.hex,
        mismatches: lockstep.then(|| count(&results[0].words, &last.words)),
    };
    if args.drawing.wants_triangles() {
        args.drawing.picture(generation, &registers, &last.words, &triangles)?;
        args.drawing.mesh(generation, &registers, &last.words, &vertices, &triangles)?;
    } else {
        report.write(global.format)?;
    }
    if report.mismatches.unwrap_or(0) == 0 {
        return Ok(());
    }
    report.differences(&results[0].words, SHOWN);
    if let Some(directory) = &args.report {
        let native = backends::native(args.target).map_err(Failure::Unsupported)?;
        let backend = Arc::new(Lockstep::new(Interp::Single, native).reporting_to(directory));
        let program =
            Engine::new(args.limits.options(Options::default().with(|options| options.backend = backend)))
                .decoded(program, &config);
        execute("lockstep", &program, args, &mut context, &vertices, &textures, &registers)?;
        remark(format_args!("a test file is in {}", directory.display()));
    }
    Err(Failure::Mismatch)
}

/// Who runs. Native code is only a faster way to the same bits, so without it the interpreter does.
/// An instruction set that is asked for is an error where it is not.
fn executors(
    name: Name,
    target: Option<InstructionSet>,
    model: Model,
) -> Result<Vec<Arc<dyn Backend>>, Failure> {
    let chosen = match (name, backends::native(target)) {
        (Name::Jit, Err(why)) if target.is_some() => return Err(Failure::Unsupported(why)),
        (Name::Jit, Err(why)) => Err(why),
        _ => {
            let chosen = backends::chosen(Choice::One(name), target)?;
            match chosen.iter().all(|backend| backends::knows(&**backend, model)) {
                true => Ok(chosen),
                false => Err(format!("native code does not support the model {} yet", model.name())),
            }
        }
    };
    match (chosen, name) {
        (Ok(chosen), _) => Ok(chosen),
        (Err(why), Name::Jit) => {
            note(format_args!("{why}; the interpreter runs the program"));
            Ok(vec![Arc::new(Interp::Batched)])
        }
        (Err(why), _) => Err(Failure::Unsupported(why)),
    }
}

/// What a backend made of the vertices.
struct Done {
    backend: &'static str,
    words: Vec<u32>,
    deopt_groups: u64,
    timeouts: u64,
    time: std::time::Duration,
    native: Option<xfjit::backend::Cost>,
}

impl Done {
    fn summary(&self, vertices: usize) -> String {
        let vertices = table::count(vertices, "vertex");
        let mut text = format!("{}: {vertices} in {}", self.backend, table::duration(self.time));
        if let Some(cost) = self.native.filter(|cost| cost.code_bytes > 0) {
            let compile = table::duration(cost.compile_time);
            text += &format!(", compiled in {compile} to {} bytes of code", cost.code_bytes);
        }
        text += &format!(", {} deoptimised", table::count(self.deopt_groups, "group"));
        if self.timeouts > 0 {
            text += &format!(", {} timed out", table::count(self.timeouts, "vertex"));
        }
        text
    }
}

fn execute(
    backend: &'static str,
    program: &Program,
    &Run { limits, jobs, .. }: &Run,
    context: &mut Context,
    vertices: &Vertices,
    textures: &textures::Loaded,
    registers: &[u8],
) -> Result<Done, Failure> {
    let bytes: Vec<Option<(Vec<u8>, usize)>> = vertices
        .attributes
        .iter()
        .map(|attribute| {
            let attribute = attribute.as_ref()?;
            Some((attribute.words.iter().flat_map(|word| word.to_ne_bytes()).collect(), attribute.components))
        })
        .collect();
    let mut inputs = Inputs::new(vertices.count).textured(textures.textures()?);
    for (register, attribute) in bytes.iter().enumerate() {
        if let Some((data, components)) = attribute {
            let stream = Attribute::Stream { data, stride: 4 * components, components: *components as u8 };
            inputs = inputs.with(register, stream);
        }
    }
    let mut words = vec![0; vertices.count * 4 * registers.len()];
    let mut worker = Worker::new();
    worker.set_overtime(Some(limits.overtime));
    let start = Instant::now();
    let outputs = &mut Outputs::interleaved(&mut words, registers);
    let ran = match jobs {
        1 => program.run(&mut worker, context, &inputs, outputs),
        _ => program.run_parallel(&mut worker, jobs.into(), context, &inputs, outputs),
    };
    let outcome = ran.map_err(|error| Failure::input("the vertices", Flaw::new(error.to_string())))?;
    let time = start.elapsed();
    if outcome.out_of_time.is_some() {
        return Err(Limits::failure(limits.overtime));
    }
    let stats = program.stats();
    let native = stats.native.then_some(stats.cost);
    Ok(Done {
        backend,
        words,
        deopt_groups: outcome.deopt_groups,
        timeouts: outcome.faults.timeouts,
        time,
        native,
    })
}

fn count(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}
