//! What a console returns under a hypothesis: computed anew each time, by the reference interpreter.

use super::experiment::{Body, Experiment, Program};
use super::hypothesis::Hypothesis;
use super::reading::Reading;
use super::{fifo, fixed};
use crate::fail::Failure;
use std::sync::Arc;
use xfjit::backend::Interp;
use xfjit::chip::flipper::output;
use xfjit::flipper::{Budget, FlipperUnit, Output};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::{Context, Row};
use xfjit::{Config, Engine, Generation, Options, Worker};

/// The words of an experiment's readings, one after the other.
pub type Outcome = Vec<u32>;

/// The register whose colour a point has: oD0.
const COLOUR: u8 = 1;
/// Points are on one line, so far apart.
const DISTANCE: u16 = 16;
/// What hardware takes off the window's coordinates behind the transform unit (flipper.md 3.3).
const OFFSET: f32 = 342.0;
/// The greatest depth of a pixel.
const DEEPEST: f32 = 16_777_215.0;

/// The pixel in which an experiment of NVIDIA's chips draws a point.
pub fn place(point: u16) -> [u16; 2] {
    [DISTANCE / 2 + DISTANCE * point, DISTANCE / 2]
}

/// A point of Flipper: what is seen of it.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The pixel.
    pub at: [f32; 2],
    colour: u32,
    depth: u32,
}

/// What is read back under a hypothesis.
pub fn predict(experiment: &Experiment, hypothesis: &Hypothesis) -> Result<Outcome, Failure> {
    let readings = &experiment.readings;
    match (&experiment.body, experiment.console.generation()) {
        (Body::Program(program), Some(generation)) => {
            let config = hypothesis.config(generation);
            match generation {
                Generation::Kelvin => state_program(program, config, readings),
                Generation::Rankine | Generation::Curie => points(program, config, readings),
            }
        }
        (Body::Stream(_), _) => {
            let points = flipper_points(experiment, hypothesis)?;
            let word = |reading: &Reading| match *reading {
                Reading::Pixel(at) => points.get(usize::from(at)).map(|point| point.colour),
                Reading::Depth(at) => points.get(usize::from(at)).map(|point| point.depth),
                Reading::Constant(_) => None,
            };
            all(readings.iter().map(word))
        }
        (Body::Commands(trace), _) => pixels(&fixed::colours(trace, hypothesis), readings),
        (Body::Program(_), None) => Err(Failure::Internal("Flipper runs no programs".to_owned())),
    }
}

/// Readings that an experiment's file asks for and its program does not leave are a mistake in the file.
fn all(words: impl Iterator<Item = Option<u32>>) -> Result<Outcome, Failure> {
    let missing = || Failure::Internal("an experiment reads what it does not leave".to_owned());
    words.collect::<Option<_>>().ok_or_else(missing)
}

/// What is read of points that have these colours.
fn pixels(colours: &[u32], readings: &[Reading]) -> Result<Outcome, Failure> {
    all(readings.iter().map(|reading| match *reading {
        Reading::Pixel(at) => colours.get(usize::from(at)).copied(),
        Reading::Constant(_) | Reading::Depth(_) => None,
    }))
}

/// The reference interpreter.
pub fn engine() -> Arc<Engine> {
    Arc::new(Engine::new(Options::default().with(|options| options.backend = Arc::new(Interp::Single))))
}

/// A program that is run by the reference interpreter.
fn prepared(program: &Program, config: &Config) -> Result<Arc<xfjit::Program>, Failure> {
    let prepared = engine().program(&program.words, program.start, config);
    prepared.map_err(|error| Failure::Internal(format!("an experiment's program: {error}")))
}

/// The constants before it runs.
fn context(program: &Program, config: &Config) -> Context {
    let mut context = Context::new(config.rows());
    program.constants.iter().for_each(|&(row, words)| context.set_row(row.into(), words));
    context
}

/// What a state program leaves in constants.
fn state_program(program: &Program, config: Config, readings: &[Reading]) -> Result<Outcome, Failure> {
    let config = config.live_outputs(1).with(|config| config.constant_writes = true);
    let (prepared, mut context) = (prepared(program, &config)?, context(program, &config));
    let inputs = Inputs::new(1).with(0, Attribute::rows(&program.inputs));
    let mut words = [0; 4];
    run(&prepared, &mut context, &inputs, &mut Outputs::interleaved(&mut words, &[0]))?;
    let row = |reading: &Reading| match *reading {
        Reading::Constant(row) => context.row(row.into()).map(Some),
        Reading::Pixel(_) | Reading::Depth(_) => [None; 4],
    };
    all(readings.iter().flat_map(row))
}

fn run(
    program: &xfjit::Program,
    context: &mut Context,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Failure> {
    let ran = program.run(&mut Worker::new(), context, inputs, outputs);
    ran.map(drop).map_err(|error| Failure::Internal(format!("an experiment cannot run: {error}")))
}

/// The colours of points: v0 of each is its place, v1 its input.
fn points(program: &Program, config: Config, readings: &[Reading]) -> Result<Outcome, Failure> {
    let config = config.live_outputs(1 << COLOUR);
    let (prepared, mut context) = (prepared(program, &config)?, context(program, &config));
    let places: Vec<Row> = (0..program.inputs.len() as u16).map(position).collect();
    let inputs =
        Inputs::new(places.len()).with(0, Attribute::rows(&places)).with(1, Attribute::rows(&program.inputs));
    let mut words = vec![0; 4 * places.len()];
    run(&prepared, &mut context, &inputs, &mut Outputs::interleaved(&mut words, &[COLOUR]))?;
    let colours: Vec<u32> = words.as_chunks().0.iter().map(|&row| colour(row)).collect();
    pixels(&colours, readings)
}

/// The position of a point, in pixels.
pub fn position(point: u16) -> Row {
    let [x, y] = place(point).map(|at| f32::from(at) + 0.5);
    [x, y, 0.0, 1.0].map(f32::to_bits)
}

/// A colour as eight bits a component. UNKNOWN: how the chip rounds it; results that are near are the same
/// ([`Reading::agrees`]).
pub fn colour([red, green, blue, _]: Row) -> u32 {
    let byte = |word: u32| (f32::from_bits(word).clamp(0.0, 1.0) * 255.0).round() as u32;
    byte(red) << 16 | byte(green) << 8 | byte(blue)
}

/// A colour whose components are bytes already.
pub fn bytes(row: Row) -> u32 {
    let [red, green, blue, _] = row.map(|component| component & 0xff);
    red << 16 | green << 8 | blue
}

/// The points that a stream of Flipper draws.
pub fn flipper_points(experiment: &Experiment, hypothesis: &Hypothesis) -> Result<Vec<Point>, Failure> {
    let stream = fifo::stream(experiment)?;
    let choices = hypothesis.flipper();
    let mut unit = FlipperUnit::new(engine(), choices.processor, choices.transform);
    let mut points = Vec::new();
    unit.run(&stream, &[], Budget::NONE, |left| {
        if let Output::Drawn(drawn) = left {
            points.extend((0..drawn.vertices.count).map(|at| {
                let register = |register: usize| drawn.vertices.register(at, register as u8);
                point(register(output::SCREEN).unwrap_or_default(), register(output::COLOUR))
            }));
        }
    });
    Ok(points)
}

/// A vertex of Flipper as a point of the picture. UNKNOWN: how the console rounds a depth ([`Reading::agrees`]).
pub fn point([x, y, z, _]: Row, colour: Option<Row>) -> Point {
    let [x, y, z] = [x, y, z].map(f32::from_bits);
    Point {
        at: [x, y].map(|coordinate| (coordinate - OFFSET).floor()),
        colour: bytes(colour.unwrap_or_default()),
        depth: z.clamp(0.0, DEEPEST) as u32,
    }
}
