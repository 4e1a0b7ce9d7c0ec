//! What commands cost: a stream of draws with one constant upload each, through the unit and handed to the engine
//! directly. The samples of one program are taken in turn; compare ratios of one run.
//!
//! `direct`: the constant into the context, then `Program::run`. `draw`: the constant by two commands, then
//! `XfUnit::draw`. `commands`: everything as commands, attribute by attribute, vertex by vertex. The unit's outputs are
//! drained after each draw.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xfjit::runtime::batch::{Inputs, Outputs};
use xfjit::runtime::state::{Context, Row};
use xfjit::xf::{Chip, Command, Register, Type, XfUnit};
use xfjit::{Engine, Generation, Model, Options, Program, Worker, isa};
use xfjit_testing::programs::{self, Fixed};

const DRAWS: usize = 10_000;
const VERTICES: usize = 100;
const SAMPLES: usize = 7;
/// A row that no program of the fixed set reads.
const ROW: u16 = 191;

fn main() {
    println!("{DRAWS} draws of {VERTICES} vertices; nanoseconds a vertex, and speed relative to direct");
    println!("{:8}{:7}{:>9}{:>9}{:>7}{:>10}{:>7}", "program", "model", "direct", "draw", "", "commands", "");
    // `cargo bench --bench commands -- P1 P3`
    let names: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let is_wanted = |fixed: &&Fixed| names.is_empty() || names.iter().any(|name| name == fixed.name);
    for fixed in programs::ALL.iter().filter(is_wanted) {
        for (model, name) in [(Model::Ieee, "ieee"), (Model::Hw, "hw")] {
            let mut stream = Stream::new(fixed, model);
            let [direct, draw, commands] = stream.measure();
            println!(
                "{:8}{:7}{:>9.2}{:>9.2}{:>7.2}{:>10.2}{:>7.2}",
                fixed.name,
                name,
                direct,
                draw,
                direct / draw,
                commands,
                direct / commands
            );
        }
    }
}

/// One program on both ways.
struct Stream {
    fixed: &'static Fixed,
    program: Arc<Program>,
    worker: Worker,
    context: Context,
    unit: XfUnit,
    words: Vec<u32>,
    out: Vec<u32>,
}

impl Stream {
    fn new(fixed: &'static Fixed, model: Model) -> Self {
        let engine = Arc::new(Engine::new(Options::default()));
        let decoded = fixed.program();
        let code = isa::encode(fixed.generation, &decoded);
        let config = fixed.config(model);
        let context = fixed.context();

        let chip = if fixed.generation == Generation::Kelvin { Chip::Nv2a } else { Chip::Nv40 };
        let mut unit = XfUnit::new(Arc::clone(&engine), chip).with_config(config.clone());
        for (slot, words) in (decoded.first as u16..).zip(code.as_chunks::<4>().0) {
            vector(&mut unit, Type::Xfpr, slot, *words);
        }
        for (slot, &row) in (0..).zip(context.rows()) {
            vector(&mut unit, Type::Xfctx, slot, row);
        }
        // Programs and full access on Kelvin; modern arithmetic and no viewport transform on Curie.
        vector(&mut unit, Type::Mode, 0, [2 << 30 | 1 << 18, 0, 0, 0]);
        unit.set(Register::Execution, 0x111);
        unit.set(Register::BranchBits, fixed.branch_bits);
        unit.set(Register::Start, decoded.start as u32);
        unit.set(Register::Outputs, config.live_outputs);
        Stream {
            fixed,
            program: engine.decoded(decoded, &config),
            worker: Worker::new(),
            context,
            unit,
            words: fixed.vertices(VERTICES),
            out: vec![0; VERTICES * fixed.output_words()],
        }
    }

    /// Nanoseconds a vertex of each way: the medians.
    fn measure(&mut self) -> [f64; 3] {
        let mut samples = [[0.0; SAMPLES]; 3];
        let ways: [fn(&mut Self, u32); 3] = [Self::direct, Self::draw, Self::commands];
        for sample in 0..SAMPLES + 1 {
            for (way, samples) in ways.iter().zip(&mut samples) {
                let start = Instant::now();
                for draw in 0..DRAWS {
                    way(self, draw as u32);
                }
                let time: Duration = start.elapsed();
                // The first round warms up.
                if let Some(slot) = sample.checked_sub(1) {
                    samples[slot] = time.as_nanos() as f64 / (DRAWS * VERTICES) as f64;
                }
            }
        }
        self.check();
        samples.map(|mut samples| {
            samples.sort_by(f64::total_cmp);
            samples[SAMPLES / 2]
        })
    }

    /// All three compute the same.
    fn check(&mut self) {
        self.direct(1);
        for way in [Self::draw_only, Self::commands_only] {
            way(self, 1);
            let mut words = Vec::new();
            self.unit.drain(|output| {
                if let xfjit::xf::Output::Vertices(vertices) = output {
                    words.extend_from_slice(vertices.words);
                }
            });
            assert_eq!(words, self.out, "{}", self.fixed.name);
        }
    }

    fn direct(&mut self, draw: u32) {
        self.context.set_row(ROW.into(), [draw; 4]);
        let (inputs, _) = inputs(self.fixed, &self.words);
        let mut outputs = Outputs::interleaved(&mut self.out, self.fixed.outputs);
        let result = self.program.run(&mut self.worker, &mut self.context, &inputs, &mut outputs);
        result.expect("the streams fit");
        black_box(&self.out);
    }

    fn draw_only(&mut self, draw: u32) {
        vector(&mut self.unit, Type::Xfctx, ROW, [draw; 4]);
        let (inputs, mask) = inputs(self.fixed, &self.words);
        self.unit.draw(inputs, mask).expect("the streams fit");
    }

    fn draw(&mut self, draw: u32) {
        self.draw_only(draw);
        self.unit.drain(|output| {
            black_box(output);
        });
    }

    fn commands_only(&mut self, draw: u32) {
        vector(&mut self.unit, Type::Xfctx, ROW, [draw; 4]);
        for vertex in self.words.chunks_exact(self.fixed.input_words()) {
            for (&register, words) in self.fixed.attributes.iter().zip(vertex.as_chunks::<4>().0) {
                vector(&mut self.unit, Type::Vab, register.into(), *words);
            }
            self.unit.vertex();
        }
    }

    fn commands(&mut self, draw: u32) {
        self.commands_only(draw);
        self.unit.drain(|output| {
            black_box(output);
        });
    }
}

/// The vertices as arrays, and which attributes they are.
fn inputs<'a>(fixed: &Fixed, words: &'a [u32]) -> (Inputs<'a>, u16) {
    let mask = fixed.attributes.iter().fold(0, |mask, register| mask | 1 << register);
    (fixed.inputs(words, VERTICES), mask)
}

fn vector(unit: &mut XfUnit, kind: Type, slot: u16, [x, y, z, w]: Row) {
    unit.command(Command::pair(kind, slot, 0, [x, y]));
    unit.command(Command::pair(kind, slot, 2, [z, w]));
}
