//! `bench`: every tier on the fixed set, and the same programs written by hand.
//!
//! All figures of one program and batch size are taken in turn, sample by sample, so that whatever else the machine
//! does falls on all of them alike: compare ratios within one run, not figures of two runs.

mod fixed;
mod flipper;
mod plot;
mod scalar;
mod stages;

use crate::args::{self, Format, Global};
use crate::fail::Failure;
use crate::native4::{self, Kernel};
use crate::table::Table;
use crate::{backends, outputs, progress};
use serde::Serialize;
use stages::Stages;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xfjit::Model;
use xfjit::backend::{Backend, Cost, Interp, Routine, Worker};
use xfjit::front::Microcode;
use xfjit::perf::Perf;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs};
use xfjit::runtime::state::{ATTRIBUTES, Context};
use xfjit::shader::Shader;
use xfjit_testing::programs::{self, Fixed};
use xfjit_testing::scenes::{self, Scene};
use xfjit_testing::setups::{self, FixedSetup};

/// Batch sizes of the reference figures: a triangle, a small draw, caches, memory.
const BATCHES: [usize; 5] = [3, 24, 256, 1024, 262_144];
/// A sample lasts at least so long.
const SAMPLE: Duration = Duration::from_micros(1500);
const SCHEMA: &str = "xfjit.bench.1";
/// What `--program` takes.
const SETS: &str =
    "choose programs P1 to P7, fixed-function configurations F1 to F5, or Flipper configurations G1 to G3";
/// How often a program is compiled for its compile time.
const COMPILES: usize = 21;

/// One figure.
#[derive(Clone, Debug, Serialize)]
struct Row {
    program: &'static str,
    model: &'static str,
    backend: &'static str,
    /// Vertices of a group.
    lanes: usize,
    batch: usize,
    mverts_per_s: f64,
    ns_per_call: f64,
    compile_us: f64,
    /// Where that time goes, of native code.
    #[serde(skip_serializing_if = "Option::is_none")]
    compile_stages_us: Option<Stages>,
    code_bytes: usize,
    deopt_groups: u64,
}

impl Row {
    fn figure(&self) -> plot::Figure {
        let [program, model, backend] = [self.program, self.model, self.backend].map(str::to_owned);
        plot::Figure { program, model, backend, batch: self.batch, mverts_per_s: self.mverts_per_s }
    }
}

#[derive(Debug, Serialize)]
struct Report {
    schema: &'static str,
    cpu: String,
    rows: Vec<Row>,
}

/// Runs the benchmark.
pub fn run(args: &args::Bench, global: &Global) -> Result<(), Failure> {
    if let (Some(from), Some(to)) = (&args.from, &args.plot) {
        return plot::write(to, &plot::read(from)?);
    }
    let wanted =
        |name: &str| args.programs.is_empty() || args.programs.iter().any(|p| p.eq_ignore_ascii_case(name));
    let fixed: Vec<&Fixed> = programs::ALL.iter().filter(|fixed| wanted(fixed.name)).collect();
    let setups: Vec<&FixedSetup> = setups::ALL.iter().filter(|setup| wanted(setup.name)).collect();
    // Flipper's arithmetic is that of IEEE.
    let is_ieee = args.model != Some(Model::Hw);
    let scenes: Vec<&Scene> = scenes::ALL.iter().filter(|scene| is_ieee && wanted(scene.name)).collect();
    if let Some(scene) = args.programs.iter().find(|name| !is_ieee && Scene::find(name).is_some()) {
        let name = crate::text::clip(scene);
        return Err(Failure::Usage(format!(
            "--model hw does not go with --program {name}: Flipper's is ieee"
        )));
    }
    let names = || {
        let [sets, scenes] =
            [setups::ALL.map(|setup| setup.name).to_vec(), scenes::ALL.map(|s| s.name).to_vec()];
        programs::ALL.iter().map(|fixed| fixed.name).chain(sets).chain(scenes)
    };
    if let Some(unknown) =
        args.programs.iter().find(|name| !names().any(|known| known.eq_ignore_ascii_case(name)))
    {
        let message = format!("no program `{}`; {SETS}", crate::text::clip(unknown));
        return Err(Failure::Usage(message));
    }
    let asked = || args.batches.iter().map(|&batch| batch as usize).collect();
    let batches: Vec<usize> = if args.batches.is_empty() { BATCHES.to_vec() } else { asked() };
    let samples = args.samples as usize;
    let models: Vec<Model> = match args.model {
        Some(model) => vec![model],
        None => vec![Model::Ieee, Model::Hw],
    };
    let perf = crate::perf::wanted()?;
    let in_sight = |backend| crate::perf::in_sight(perf.as_ref(), backend);
    let backends = backends::natives(args.target)?.into_iter().map(in_sight).collect();
    let natives = Natives { backends, perf };
    if natives.backends.is_empty() {
        backends::native(None).map_err(Failure::Unsupported)?;
    }
    let all = (fixed.len() + setups.len()) * models.len() + scenes.len();
    let bar = progress::bar(all as u64, "programs", global.quiet);
    let mut rows = Vec::new();
    for program in fixed {
        for &model in &models {
            measure(program, model, &natives, &batches, samples, &mut rows)?;
            bar.inc(1);
        }
    }
    for setup in setups {
        for &model in &models {
            fixed::measure(setup, model, &natives, &batches, samples, &mut rows)?;
            bar.inc(1);
        }
    }
    for scene in scenes {
        flipper::measure(scene, &natives, &batches, samples, &mut rows)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let report = Report { schema: SCHEMA, cpu: cpu_name(), rows };
    if let Some(path) = &args.plot {
        let figures: Vec<plot::Figure> = report.rows.iter().map(Row::figure).collect();
        plot::write(path, &figures)?;
    }
    let mut out = outputs::Files::apart([("--plot", args.plot.as_deref())], &[])?.report();
    if args.json || global.format == Format::Json {
        serde_json::to_writer(&mut out, &report).map_err(io::Error::from)?;
        std::io::Write::write_all(&mut out, b"\n")?;
    } else {
        let table = table(&report);
        if global.format == Format::Csv { table.write_csv(&mut out)? } else { table.write(&mut out)? }
    }
    std::io::Write::flush(&mut out)?;
    Ok(())
}

fn table(report: &Report) -> Table {
    let columns = [
        "program",
        "model",
        "backend",
        ">batch",
        ">Mvertices/s",
        ">ns/call",
        ">of native4",
        ">x interp",
        ">x scalar",
        ">compile us",
        ">code bytes",
        ">deopt groups",
    ];
    let mut table = Table::new(columns);
    for row in &report.rows {
        let ratio = |backend: &str| {
            let same = |other: &&Row| {
                (other.program, other.model, other.batch, other.backend)
                    == (row.program, row.model, row.batch, backend)
            };
            report
                .rows
                .iter()
                .find(same)
                .map_or(String::new(), |other| format!("{:.2}", row.mverts_per_s / other.mverts_per_s))
        };
        table.row([
            row.program.to_owned(),
            row.model.to_owned(),
            row.backend.to_owned(),
            row.batch.to_string(),
            format!("{:.3}", row.mverts_per_s),
            format!("{:.1}", row.ns_per_call),
            ratio("native4"),
            ratio("interp"),
            ratio("scalar"),
            if row.compile_us > 0.0 { format!("{:.0}", row.compile_us) } else { String::new() },
            if row.code_bytes > 0 { row.code_bytes.to_string() } else { String::new() },
            row.deopt_groups.to_string(),
        ]);
    }
    table
}

/// Runs a batch (inputs, outputs, vertices); returns the groups that were left to the interpreter.
type Call = Box<dyn FnMut(&[u32], &mut [u32], usize) -> u64>;

/// Native code that is measured.
struct Natives {
    backends: Vec<Arc<dyn Backend>>,
    /// Who is told of their code.
    perf: Option<Perf>,
}

/// A tier under test.
struct Tier {
    name: &'static str,
    /// Vertices of a group; 1 if there are no groups.
    lanes: usize,
    price: Price,
    call: Call,
}

/// What a prepared program costs, and where the time goes.
#[derive(Clone, Copy, Default)]
struct Price {
    cost: Cost,
    stages: Option<Stages>,
}

impl Tier {
    /// A routine on rows: one for every attribute of every vertex.
    fn of_rows(
        name: &'static str,
        (routine, price): (Arc<dyn Routine>, Price),
        mut context: Context,
        live: Vec<u8>,
    ) -> Tier {
        let (mut worker, lanes) = (Worker::new(), routine.lanes());
        let call = move |words: &[u32], out: &mut [u32], batch: usize| {
            let mut inputs = Inputs::new(batch);
            for (register, attribute) in inputs.attributes.iter_mut().enumerate() {
                *attribute = Attribute::interleaved(words, 4 * register, 4, 4 * ATTRIBUTES);
            }
            let mut outputs = Outputs::none(Layout::Rows);
            outputs.interleave(out, &live);
            let outcome = routine.run(&mut worker, &mut context, &inputs, &mut outputs);
            outcome.map_or(u64::MAX, |outcome| outcome.deopt_groups)
        };
        Tier { name, lanes, price, call: Box::new(call) }
    }
}

fn measure(
    fixed: &Fixed,
    model: Model,
    natives: &Natives,
    batches: &[usize],
    samples: usize,
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    let internal = |error: String| Failure::Internal(format!("{}: {error}", fixed.name));
    let decoded = Arc::new(fixed.program());
    let config = fixed.config(model);
    let shader = Microcode::shader(&decoded, &config);
    let mut tiers: Vec<Tier> = prepared(natives, usize::MAX, fixed.name, &shader)
        .map_err(internal)?
        .into_iter()
        .map(|(name, routine, price)| tier(*fixed, name, routine, price))
        .collect();
    let single = Interp::Single.prepare(&shader).map_err(|error| internal(error.to_string()))?;
    let batched = Interp::Batched.prepare(&shader).map_err(|error| internal(error.to_string()))?;
    if let Some(later) = fixed.on_curie() {
        let shader = Microcode::shader(&Arc::new(later.program()), &later.config(model));
        if let Some((_, routine, price)) = prepared(natives, 1, later.name, &shader).map_err(internal)?.pop()
        {
            tiers.insert(1, tier(later, "jit_nv40", routine, price));
        }
    }
    tiers.push(tier(*fixed, "interp", single, Price::default()));
    tiers.push(tier(*fixed, "interp_batch", batched, Price::default()));
    if model == Model::Ieee {
        for (name, kernel) in
            [(fixed.name.to_owned(), "native4"), (format!("{} lanes", fixed.name), "native4_lanes")]
                .into_iter()
                .filter_map(|(kernel, name)| Some((name, native4::kernel(&kernel)?)))
        {
            tiers.push(by_hand(*fixed, name, kernel));
        }
    }
    for &batch in batches {
        let inputs = fixed.vertices(batch);
        sample(fixed.name, model, &mut tiers, &inputs, fixed.output_words(), batch, samples, rows);
    }
    Ok(())
}

/// Measures all tiers on one batch.
#[expect(
    clippy::too_many_arguments,
    reason = "what to measure, on what, how often, and where the figures go"
)]
fn sample(
    name: &'static str,
    model: Model,
    tiers: &mut [Tier],
    inputs: &[u32],
    output_words: usize,
    batch: usize,
    samples: usize,
    rows: &mut Vec<Row>,
) {
    let mut outputs = vec![0; batch * output_words];
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); tiers.len()];
    let mut deopts = vec![0; tiers.len()];
    let mut calls = vec![1usize; tiers.len()];
    for (i, tier) in tiers.iter_mut().enumerate() {
        deopts[i] = (tier.call)(inputs, &mut outputs, batch);
        let start = Instant::now();
        (tier.call)(inputs, &mut outputs, batch);
        let once = start.elapsed().max(Duration::from_nanos(20));
        calls[i] = (SAMPLE.as_nanos() / once.as_nanos() + 1) as usize;
    }
    for sample in 0..samples {
        for (i, tier) in tiers.iter_mut().enumerate() {
            // The interpreters take long and vary little.
            if sample >= 3 && calls[i] == 1 {
                continue;
            }
            let start = Instant::now();
            for _ in 0..calls[i] {
                (tier.call)(inputs, &mut outputs, batch);
            }
            times[i].push(start.elapsed().as_secs_f64() / calls[i] as f64);
        }
    }
    for (i, tier) in tiers.iter().enumerate() {
        let seconds = median(&mut times[i]);
        rows.push(Row {
            program: name,
            model: model.name(),
            backend: tier.name,
            lanes: tier.lanes,
            batch,
            mverts_per_s: batch as f64 / seconds / 1e6,
            ns_per_call: seconds * 1e9,
            compile_us: tier.price.cost.compile_time.as_secs_f64() * 1e6,
            compile_stages_us: tier.price.stages,
            code_bytes: tier.price.cost.code_bytes,
            deopt_groups: deopts[i],
        });
    }
}

/// A prepared program as a tier.
fn tier(fixed: Fixed, name: &'static str, routine: Arc<dyn Routine>, price: Price) -> Tier {
    let (mut worker, lanes) = (Worker::new(), routine.lanes());
    let mut context = fixed.context();
    let call = move |words: &[u32], out: &mut [u32], batch: usize| {
        let inputs = fixed.inputs(words, batch);
        let mut outputs = Outputs::none(Layout::Rows);
        outputs.interleave(out, fixed.outputs);
        let outcome = routine.run(&mut worker, &mut context, &inputs, &mut outputs);
        outcome.map_or(u64::MAX, |outcome| outcome.deopt_groups)
    };
    Tier { name, lanes, price, call: Box::new(call) }
}

/// A hand-written kernel as a tier. It never takes its slow path on the fixed set.
fn by_hand(fixed: Fixed, name: &'static str, kernel: Kernel) -> Tier {
    let constants = fixed.constants();
    let call = move |words: &[u32], out: &mut [u32], batch: usize| {
        let mut slow = 0;
        kernel(&constants, words, out, batch, &mut |_, count, _| slow += count.div_ceil(4) as u64);
        slow
    };
    Tier { name, lanes: 4, price: Price::default(), call: Box::new(call) }
}

/// A shader as native code, with the name of the backend and what it costs.
type Prepared = (&'static str, Arc<dyn Routine>, Price);

/// A shader, by the name of its program, in every native code that has some for it, or in the first ones: what wide code refuses is the first one's once more.
fn prepared(natives: &Natives, most: usize, name: &str, shader: &Shader) -> Result<Vec<Prepared>, String> {
    let mut all: Vec<Prepared> = Vec::new();
    for backend in natives.backends.iter().take(most) {
        let routine = backend.prepare(shader).map_err(|error| error.to_string())?;
        if all.iter().any(|(_, other, _)| other.lanes() == routine.lanes()) {
            continue;
        }
        if let Some(perf) = &natives.perf {
            perf.add(&format!("{name}-{}", backend.name()), shader, &*routine);
        }
        let compiles = (0..COMPILES).filter_map(|_| Some(backend.prepare(shader).ok()?.cost()));
        let costs: Vec<Cost> = compiles.collect();
        let mut times: Vec<f64> = costs.iter().map(|cost| cost.compile_time.as_secs_f64()).collect();
        let mut cost = routine.cost();
        cost.compile_time = Duration::from_secs_f64(median(&mut times));
        let stages: Vec<_> = costs.iter().map(|cost| cost.stages).collect();
        let stages = Some(Stages::medians(&stages));
        all.push((backend.name(), routine, Price { cost, stages }));
    }
    Ok(all)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The processor's name, as the system gives it: Linux in a file, Windows in the environment.
fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let name = name.map(|(_, name)| name.trim().to_owned());
    let name = name.or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok());
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}
