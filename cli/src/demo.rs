//! `xfjit demo`

mod flipper;
mod flipper_scene;

use crate::args::{Demo, Format, Global, Pairing};
use crate::demo_scene::{self, LOOK, MESH, PROGRAM};
use crate::drawing::Drawing;
use crate::fail::{Failure, note, remark, warning};
use crate::load::Loaded;
use crate::render::{self, Picture, Scene};
use crate::rows::{self, UseCamera};
use crate::run::missing::missing;
use crate::sort;
use crate::streams::{self, Attribute as Stream, Constants, Vertices};
use crate::table::{self, Table};
use crate::{backends, files, load, obj, registers};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xfjit::backend::{Backend, Cost, Interp, Routine};
use xfjit::front::Microcode;
use xfjit::isa::Program;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::Context;
use xfjit::{Config, Generation, Model, Worker};

/// How long a tier is measured, and how often at least.
const MEASURE: Duration = Duration::from_millis(300);
const REPEATS: usize = 5;
/// Slots that a vertex may execute: an endless loop is no demonstration.
const MOST_SLOTS: u16 = 2048;
/// Where the picture goes by itself.
const PICTURE: &str = "knot.png";

/// Runs a lit program over a mesh on every tier, compares every bit, and draws the result.
pub fn run(args: &Demo, global: &Global) -> Result<(), Failure> {
    if args.flipper {
        return flipper::run(args, global);
    }
    let mesh = match &args.mesh {
        Some(path) => {
            let mesh = obj::parse(&sort::read(path, sort::Wanted::Mesh)?);
            let mut mesh = mesh.map_err(|flaw| Failure::input(files::name(path), flaw))?;
            // Where a program brings its own constants, the mesh is theirs to place.
            if args.constants.is_none() {
                demo_scene::place(&mut mesh);
            }
            mesh
        }
        None => obj::parse(MESH).map_err(|flaw| Failure::Internal(format!("the included mesh: {flaw}")))?,
    };
    let vertices = streams::bind(mesh, streams::Binding::DEFAULT);
    let shown = Shown::load(args, &vertices, global)?;
    let mut scene = Setup::new(&shown, &vertices);
    let mut tiers = Vec::new();
    for model in backends::models(args.model) {
        tiers.extend(scene.tiers(model)?);
    }
    let differing: usize = tiers.iter().map(|tier| tier.differing).sum();
    let picture = match (args.no_picture, tiers.first()) {
        (false, Some(tier)) => {
            let path = args.out.as_deref().unwrap_or(Path::new(PICTURE));
            shown.draw(path, &vertices, &tier.words)?;
            Some(path)
        }
        _ => None,
    };
    let title = Title { name: &shown.name, vertices: vertices.count, triangles: vertices.triangles.len() };
    print(&title, &tiers, picture, global)?;
    if differing == 0 { Ok(()) } else { Err(Failure::Mismatch) }
}

/// The program that is shown.
struct Shown {
    name: String,
    program: Program,
    generation: Generation,
    context: Context,
    /// What it writes.
    registers: Vec<u8>,
    writes_constants: bool,
    /// It is the one that the scene was made for.
    is_shipped: bool,
}

impl Shown {
    fn load(args: &Demo, vertices: &Vertices, global: &Global) -> Result<Shown, Failure> {
        let (name, loaded) = match &args.program {
            None => ("lit.vsh".to_owned(), load::assemble("lit.vsh", PROGRAM, None, Pairing::default())?),
            Some(path) => {
                let given = &global.given;
                let wanted = load::Wanted {
                    generation: args.r#gen,
                    start: None,
                    order: None,
                    given,
                    configuration: None,
                    pairing: Pairing::default(),
                };
                (files::name(path), load::program(path, &wanted)?.0)
            }
        };
        let Loaded { program, generation, rows, writes_constants, .. } = loaded;
        let constants = match &args.constants {
            Some(file) => streams::constants(file, generation.constants())?,
            None => Constants::none(generation.constants()),
        };
        let file = args.constants.as_ref().map_or(name.clone(), |file| files::name(file));
        let camera = || Drawing::default().camera(vertices);
        let mut filled = rows::fill(&rows, constants, &file, UseCamera::IfMissing, camera)?;
        if args.constants.is_none() && rows.is_empty() && generation == Generation::Kelvin {
            for (row, words) in demo_scene::constants() {
                filled.context.set_row(row, words);
                filled.given[row] = true;
            }
        }
        if let Some(missing) = missing(&program, vertices, &filled.given) {
            warning(missing);
        }
        let masks = registers::written(&program);
        let registers =
            (0..generation.outputs() as u8).filter(|&r| !masks[usize::from(r)].is_empty()).collect();
        let (context, is_shipped) = (filled.context, args.program.is_none());
        Ok(Shown { name, program, generation, context, registers, writes_constants, is_shipped })
    }

    fn draw(&self, path: &Path, vertices: &Vertices, words: &[u32]) -> Result<(), Failure> {
        // The shipped scene has its camera and no back sides; others are shown whatever they are.
        if self.is_shipped {
            return draw(path, vertices, words, self.registers.len());
        }
        let drawing = Drawing { draw: Some(path.to_owned()), ..Drawing::default() };
        drawing.picture(self.generation, &self.registers, words, &vertices.triangles)
    }
}

/// What all tiers run.
struct Setup {
    program: Arc<Program>,
    config: Config,
    registers: Vec<u8>,
    /// The attributes that the program reads, with their words.
    streams: Vec<(usize, Vec<[u32; 4]>)>,
    count: usize,
    context: Context,
    worker: Worker,
}

/// One tier and what it did.
struct Tier {
    model: Model,
    name: &'static str,
    words: Vec<u32>,
    /// Words that differ from the reference.
    differing: usize,
    best: Duration,
    /// How often as fast as the reference.
    ratio: f64,
    cost: Cost,
    deopt_groups: u64,
    groups: usize,
}

impl Setup {
    fn new(shown: &Shown, vertices: &Vertices) -> Setup {
        let rows = |stream: &Stream| {
            let rows = stream.words.chunks_exact(stream.components.max(1));
            rows.map(|words| {
                let mut row = xfjit::runtime::state::DEFAULT_ROW;
                row.iter_mut().zip(words).for_each(|(to, from)| *to = *from);
                row
            })
            .collect()
        };
        let streams = vertices.attributes.iter().enumerate();
        let live = shown.registers.iter().fold(0, |mask, register| mask | 1 << register);
        let config = Config::new(shown.generation).with(|config| {
            config.constant_writes = shown.writes_constants;
            config.timeout = MOST_SLOTS;
        });
        Setup {
            program: Arc::new(shown.program.clone()),
            config: config.live_outputs(live),
            registers: shown.registers.clone(),
            streams: streams.filter_map(|(i, stream)| Some((i, rows(stream.as_ref()?)))).collect(),
            count: vertices.count,
            context: shown.context.clone(),
            worker: Worker::new(),
        }
    }

    /// Every tier under a model; the reference is the first.
    fn tiers(&mut self, model: Model) -> Result<Vec<Tier>, Failure> {
        let mut backends = vec![backends::reference(), Arc::new(Interp::Batched) as Arc<dyn Backend>];
        match backends::native(None) {
            Ok(native) if backends::knows(&*native, model) => backends.push(native),
            Ok(_) => note(format_args!("native code does not support the model {} yet", model.name())),
            Err(why) => note(&why),
        }
        let config = self.config.clone().model(model);
        let mut tiers: Vec<Tier> = Vec::new();
        for backend in backends {
            let routine = match backend.prepare(&Microcode::shader(&self.program, &config)) {
                Ok(routine) => routine,
                Err(error) => {
                    note(format_args!("{}: {error}", backend.name()));
                    continue;
                }
            };
            let mut tier = self.measure(&*routine)?;
            (tier.model, tier.name) = (model, title(backend.name()));
            if let Some(reference) = tiers.first() {
                tier.differing = reference.words.iter().zip(&tier.words).filter(|(a, b)| a != b).count();
                tier.ratio = reference.best.as_secs_f64() / tier.best.as_secs_f64().max(1e-9);
            }
            tiers.push(tier);
        }
        Ok(tiers)
    }

    fn measure(&mut self, routine: &dyn Routine) -> Result<Tier, Failure> {
        let mut inputs = Inputs::new(self.count);
        for (register, rows) in &self.streams {
            inputs = inputs.with(*register, Attribute::rows(rows));
        }
        let mut words = vec![0; self.count * 4 * self.registers.len()];
        let (mut best, mut deopt_groups) = (Duration::MAX, 0);
        let begin = Instant::now();
        let mut repeats = 0;
        while repeats < REPEATS || begin.elapsed() < MEASURE {
            // A program may write its constants: each time begins with the same.
            let mut context = self.context.clone();
            let start = Instant::now();
            let mut outputs = Outputs::interleaved(&mut words, &self.registers);
            let outcome = routine
                .run(&mut self.worker, &mut context, &inputs, &mut outputs)
                .map_err(|error| Failure::Internal(error.to_string()))?;
            if outcome.faults.timeouts > 0 {
                return Err(Failure::Unsupported(format!(
                    "its vertices execute more than {MOST_SLOTS} slots; `xfjit run` has options for such programs"
                )));
            }
            best = best.min(start.elapsed());
            deopt_groups = outcome.deopt_groups;
            repeats += 1;
        }
        Ok(Tier {
            model: Model::Hw,
            name: "",
            words,
            differing: 0,
            best,
            ratio: 1.0,
            cost: routine.cost(),
            deopt_groups,
            groups: self.count.div_ceil(routine.lanes()),
        })
    }
}

fn title(backend: &'static str) -> &'static str {
    match backend {
        "interp" => "reference interpreter",
        "interp_batch" => "batched interpreter",
        "jit" => "native code, 4 lanes",
        "wide8" => "native code, 8 lanes",
        "wide16" => "native code, 16 lanes",
        other => other,
    }
}

/// The shipped program: oPos, oD0 and oD1 come first.
fn draw(path: &Path, vertices: &Vertices, words: &[u32], registers: usize) -> Result<(), Failure> {
    let row = |vertex: &[u32], i: usize| -> [u32; 4] { std::array::from_fn(|c| vertex[4 * i + c]) };
    let positions: Vec<[f32; 4]> =
        words.chunks_exact(4 * registers).map(|vertex| row(vertex, 0).map(f32::from_bits)).collect();
    let colors: Vec<[f32; 3]> = words
        .chunks_exact(4 * registers)
        .map(|vertex| demo_scene::color(row(vertex, 1), row(vertex, 2)))
        .collect();
    let scene = Scene { positions: &positions, colors: &colors, triangles: &vertices.triangles };
    save(path, &render::draw(&scene, &LOOK))
}

fn save(path: &Path, picture: &Picture) -> Result<(), Failure> {
    let mut png = Vec::new();
    render::write_png(&mut png, picture)
        .map_err(|error| Failure::Internal(format!("cannot encode the picture: {error}")))?;
    files::write(path, &png)
}

/// What has been run.
struct Title<'a> {
    name: &'a str,
    vertices: usize,
    triangles: usize,
}

fn print(title: &Title<'_>, tiers: &[Tier], picture: Option<&Path>, global: &Global) -> Result<(), Failure> {
    let reference = self::title("interp");
    let mut table = Table::new([
        "model",
        "tier",
        ">vertices/s",
        ">ratio",
        ">compile time",
        ">code bytes",
        ">deoptimised groups",
        "bits",
    ]);
    let speed = |tier: &Tier| title.vertices as f64 / tier.best.as_secs_f64().max(1e-9);
    for tier in tiers {
        let native = tier.cost.code_bytes > 0;
        let compile = if native { table::duration(tier.cost.compile_time) } else { String::new() };
        let bytes = if native { tier.cost.code_bytes.to_string() } else { String::new() };
        let deopts = match (native, tier.groups) {
            (false, _) => String::new(),
            // Where nobody has counted them.
            (true, 0) => tier.deopt_groups.to_string(),
            (true, groups) => format!("{} of {groups}", tier.deopt_groups),
        };
        let bits = match tier.differing {
            _ if tier.name == reference => "reference".to_owned(),
            0 => "equal".to_owned(),
            n => format!("{n} words differ"),
        };
        table.row([
            tier.model.name().to_owned(),
            tier.name.to_owned(),
            table::si(speed(tier)),
            format!("{:.1}", tier.ratio),
            compile,
            bytes,
            deopts,
            bits,
        ]);
    }
    let mut text = Vec::new();
    match global.format {
        Format::Json => {
            let rows: Vec<serde_json::Value> = tiers
                .iter()
                .map(|tier| {
                    serde_json::json!({
                        "model": tier.model.name(), "tier": tier.name,
                        "vertices_per_second": speed(tier), "ratio": tier.ratio,
                        "compile_seconds": tier.cost.compile_time.as_secs_f64(),
                        "code_bytes": tier.cost.code_bytes, "groups": tier.groups,
                        "deopt_groups": tier.deopt_groups, "differing_words": tier.differing,
                    })
                })
                .collect();
            let picture = picture.map(|path| path.display().to_string());
            let value = serde_json::json!({
                "schema": "xfjit.demo.1", "program": title.name, "vertices": title.vertices, "triangles": title.triangles,
                "tiers": rows, "picture": picture,
            });
            writeln!(text, "{value}")?;
        }
        Format::Csv => table.write_csv(&mut text)?,
        Format::Text => {
            if !global.quiet {
                let Title { name, vertices, triangles } = title;
                writeln!(
                    text,
                    "{} over {}, {}\n",
                    crate::text::plain(name),
                    table::count(*vertices, "vertex"),
                    table::count(*triangles, "triangle")
                )?;
                table.write(&mut text)?;
                writeln!(text)?;
            }
            match tiers.iter().map(|tier| tier.differing).sum::<usize>() {
                0 => writeln!(text, "All tiers compute the same bits.")?,
                n => writeln!(text, "MISMATCH: {n} words differ from the reference.")?,
            }
            if let Some(path) = picture.filter(|_| !global.quiet) {
                writeln!(text, "Picture: {}", crate::text::plain(&path.display().to_string()))?;
            }
        }
    }
    // Where the picture goes to standard output, the table cannot.
    if picture.is_some_and(files::is_dash) {
        remark(String::from_utf8_lossy(&text).trim_end());
        return Ok(());
    }
    let mut out = files::stdout();
    out.write_all(&text)?;
    Ok(out.flush()?)
}
