//! What programs compute as GLSL, beside the model `ieee`: writes random programs as compute shaders, which `tests/glsl/run.c` runs, and
//! compares what came out. `.ci/glsl` does all of it.
//!
//! ```text
//! glsl write DIR PROGRAMS     NAME.comp, NAME.in and NAME.rows of each program that has a text; prints their number
//! glsl check DIR PROGRAMS     compares NAME.out with the interpreter; fails if one differs, or if too few could be compared
//! ```

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::{Context, OUTPUTS, Row};
use xfjit::{Config, Generation, Model, Worker, asm, isa};
use xfjit_core::backend::Backend;
use xfjit_core::interp::Interp;
use xfjit_isa::asm::glsl::{Glsl, glsl};
use xfjit_isa::config::Products;
use xfjit_isa::isa::op::{Kind, ScaOp};
use xfjit_testing::program::{self, Shape};
use xfjit_testing::{Choices, branching};

const VERTICES: usize = 16;
const INPUTS: usize = 16;

/// A result may be wrong by this part of its magnitude, or of 1: EXP, LOG and LIT look up tables of eleven bits or so, and a term of a sum may be
/// a hundred times what remains.
const CLOSE: f32 = 1.0 / 128.0;
/// Operands are changed by this part, to see what of the results is certain.
const NUDGE: f32 = 1.0 / 65536.0;
/// Of so many components that are numbers in `ieee` one is certain at least.
const CERTAIN: f64 = 0.8;

/// A program with all that it runs on.
struct Case {
    program: Arc<isa::Program>,
    generation: Generation,
    constants: Vec<Row>,
    inputs: Vec<Row>,
    glsl: Glsl,
}

/// A number such as vertices have, never near zero, where reciprocals are large.
fn number(c: &mut Choices<'_>) -> f32 {
    let magnitude = 0.25 + c.below(1 << 16) as f32 / 32768.0;
    if c.chance(40) { -magnitude } else { magnitude }
}

/// The program of a number; none if its words are no program, or it cannot be compared.
fn case(seed: u64) -> Option<Case> {
    let mut c = Choices::seed(seed);
    let generation = Generation::ALL[seed as usize % Generation::ALL.len()];
    let shape = Shape { raw: 0, slots: 1 + c.below(10), ..Shape::choose(&mut c, 10) };
    let microcode = match generation {
        Generation::Kelvin => program::program(&mut c, shape),
        _ => branching::program(&mut c, generation, shape),
    };
    let program = isa::decode(generation, &microcode.words, microcode.start).ok()?;
    if program.insns.iter().any(|insn| insn.vec.kind() == Kind::Texel) {
        return None;
    }
    // Of huge operands waves have nothing in common: the chip and a library reduce them differently.
    let has = |ops: &[ScaOp]| program.insns.iter().any(|insn| ops.contains(&insn.sca));
    let grows = [ScaOp::Rcp, ScaOp::Rcc, ScaOp::Rsq, ScaOp::Exp, ScaOp::Ex2, ScaOp::Lit];
    if has(&[ScaOp::Sin, ScaOp::Cos]) && has(&grows) {
        return None;
    }
    let mut rows = |count: usize| -> Vec<Row> {
        (0..count).map(|_| std::array::from_fn(|_| number(&mut c).to_bits())).collect()
    };
    let (constants, inputs) = (rows(generation.constants()), rows(VERTICES * INPUTS));
    let glsl = glsl(generation, isa::Reading::default(), &program);
    Some(Case { program: Arc::new(program), generation, constants, inputs, glsl })
}

impl Case {
    /// As the chip is configured; or without its rule that zero times anything is zero, which GLSL does not have.
    fn config(&self, products: Products) -> Config {
        Config::new(self.generation).model(Model::Ieee).with(|config| {
            config.forms.products = products;
            config.constant_writes = true;
            config.branch_bits = 0x5a5a_5a5a;
            config.branch_table = std::array::from_fn(|at| at as u16);
        })
    }

    /// The text as a compute shader, of which an invocation runs a vertex.
    fn compute(&self) -> String {
        let body = &self.glsl.body;
        let config = self.config(Products::Rules);
        let names = if self.glsl.interface.contains("in vec4 v[16]") { ("v[", "]") } else { ("v", "") };
        let used = |n: usize| self.glsl.interface.contains(&format!(" v{n};")) || names.0 == "v[";
        let attributes: String = match names.0 {
            "v[" => "vec4 v[16];\n".to_owned(),
            _ => (0..INPUTS).filter(|&n| used(n)).map(|n| format!("vec4 v{n};\n")).collect(),
        };
        let fetch: String = (0..INPUTS)
            .filter(|&n| used(n))
            .map(|n| format!("    {}{n}{} = inputs[at * {INPUTS} + {n}];\n", names.0, names.1))
            .collect();
        let is_own = self.glsl.interface.contains(" constants[");
        let constants = if is_own { "constants" } else { "c" };
        let table: Vec<String> = config.branch_table.iter().map(u16::to_string).collect();
        // What `main` of the vertex shader hands on, each to its place.
        let store: String = self
            .glsl
            .main
            .lines()
            .filter_map(|line| line.trim().strip_suffix(';')?.split_once(" = "))
            .map(|(to, from)| {
                let number = if to == "gl_Position" { "0" } else { to.trim_start_matches("out") };
                format!("    outputs[at * {OUTPUTS} + {number}] = {from};\n")
            })
            .collect();
        format!(
            "#version 310 es\nprecision highp float;\nprecision highp int;\nlayout(local_size_x = 1) in;\n\
             layout(std430, binding = 0) readonly buffer In {{ vec4 inputs[]; }};\n\
             layout(std430, binding = 1) writeonly buffer Out {{ vec4 outputs[]; }};\n\
             layout(std430, binding = 2) readonly buffer Rows {{ vec4 {constants}[{}]; }};\n\
             const int b = {};\nconst int table[16] = int[16]({});\n{attributes}{body}\nvoid main() {{\n    \
             int at = int(gl_GlobalInvocationID.x);\n{fetch}    program();\n{store}}}\n",
            self.generation.constants(),
            config.branch_bits as i32,
            table.join(", ")
        )
    }

    /// What the interpreter computes, if each operand is changed by a part.
    fn run(&self, products: Products, nudge: f32) -> Vec<f32> {
        let mut sign = false;
        let mut nudged = |rows: &[Row]| -> Vec<Row> {
            let word = |bits: u32| {
                sign = !sign;
                let x = f32::from_bits(bits);
                (x + if sign { x * nudge } else { -x * nudge }).to_bits()
            };
            rows.as_flattened().iter().copied().map(word).collect::<Vec<_>>().as_chunks::<4>().0.to_vec()
        };
        let mut context = Context::new(self.generation.constants());
        context.rows_mut().copy_from_slice(&nudged(&self.constants));
        let inputs = nudged(&self.inputs);
        let columns: Vec<Vec<Row>> = (0..INPUTS)
            .map(|register| inputs.iter().skip(register).step_by(INPUTS).copied().collect())
            .collect();
        let mut given = Inputs::new(VERTICES);
        for (register, column) in columns.iter().enumerate() {
            given = given.with(register, Attribute::rows(column));
        }
        let registers: Vec<u8> = (0..self.generation.outputs() as u8).collect();
        let mut words = vec![0; VERTICES * 4 * registers.len()];
        let shader = Microcode::shader(&self.program, &self.config(products));
        let routine = Interp::Single.prepare(&shader).expect("the interpreter takes every program");
        let mut outputs = Outputs::interleaved(&mut words, &registers);
        routine
            .run(&mut Worker::new(), &mut context, &given, &mut outputs)
            .expect("the streams hold the batch");
        words.into_iter().map(f32::from_bits).collect()
    }
}

/// How results compare.
#[derive(Default)]
struct Count {
    /// Components that are numbers in `ieee`.
    numbers: u64,
    /// Of these, those that stay what they are if operands change a little.
    certain: u64,
    wrong: u64,
}

fn compare(case: &Case, got: &[f32], count: &mut Count) -> Option<String> {
    let [want, plain, near] = [(Products::Rules, 0.0), (Products::Plain, 0.0), (Products::Plain, NUDGE)]
        .map(|(products, nudge)| case.run(products, nudge));
    // One vertex sees what the one before has written.
    let vertices = if case.glsl.interface.contains(" constants[") { 1 } else { VERTICES };
    let outputs = case.generation.outputs();
    let written: Vec<bool> = (0..outputs).map(|n| case.program.written_outputs() >> n & 1 != 0).collect();
    let mut first = None;
    for (at, &want) in want.iter().enumerate().take(vertices * 4 * outputs) {
        let (vertex, register, component) = (at / 4 / outputs, at / 4 % outputs, at % 4);
        if !written[register] || !want.is_finite() || want.abs() > 1e6 {
            continue;
        }
        count.numbers += 1;
        let allowed = CLOSE * want.abs().max(1.0);
        // A NaN is nowhere near.
        let is_within = |other: f32, allowed: f32| (want - other).abs() <= allowed;
        if !is_within(plain[at], allowed / 8.0) || !is_within(near[at], allowed / 8.0) {
            continue;
        }
        count.certain += 1;
        let got = got[(vertex * OUTPUTS + register) * 4 + component];
        if !is_within(got, allowed) {
            count.wrong += 1;
            first.get_or_insert_with(|| {
                let letter = ['x', 'y', 'z', 'w'][component];
                format!("vertex {vertex}, output {register}.{letter}: {got}, not {want}")
            });
        }
    }
    first
}

fn cases(count: u64) -> impl Iterator<Item = (u64, Case)> {
    (0..count).filter_map(|seed| Some((seed, case(seed)?)))
}

fn file(directory: &Path, seed: u64, ending: &str) -> PathBuf {
    directory.join(format!("{seed:06}.{ending}"))
}

fn bytes(rows: &[Row]) -> Vec<u8> {
    rows.as_flattened().iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let [command, directory, count] = &words[..] else {
        eprintln!("usage: glsl write|check DIR PROGRAMS");
        return ExitCode::from(2);
    };
    let (directory, count) = (Path::new(directory), count.parse().expect("a number of programs"));
    if command == "write" {
        let mut written = 0;
        for (seed, case) in cases(count) {
            let files = [
                ("comp", case.compute().into_bytes()),
                ("vert", case.glsl.shader().into_bytes()),
                ("in", bytes(&case.inputs)),
                ("rows", bytes(&case.constants)),
            ];
            for (ending, bytes) in files {
                fs::write(file(directory, seed, ending), bytes).expect("the directory can be written");
            }
            written += 1;
        }
        println!("{written} programs; {VERTICES} vertices of {} bytes each", 16 * OUTPUTS);
        return ExitCode::SUCCESS;
    }
    let mut all = Count::default();
    for &generation in Generation::ALL {
        let mut of = Count::default();
        for (seed, case) in cases(count).filter(|(_, case)| case.generation == generation) {
            let out = fs::read(file(directory, seed, "out")).expect("the shader has run");
            let got: Vec<f32> =
                out.as_chunks::<4>().0.iter().map(|&bytes| f32::from_ne_bytes(bytes)).collect();
            if let Some(difference) = compare(&case, &got, &mut of) {
                let text = asm::print(generation, &case.program);
                println!("{seed:06}: {difference}\n{text}\n{}", case.glsl.body);
            }
        }
        let Count { numbers, certain, wrong } = of;
        println!("{}: {numbers} components, {certain} certain, {wrong} differ", generation.name());
        (all.numbers, all.certain, all.wrong) =
            (all.numbers + numbers, all.certain + certain, all.wrong + wrong);
    }
    let is_enough = all.certain as f64 >= CERTAIN * all.numbers as f64 && all.certain > 60 * count;
    if !is_enough {
        println!("too few are certain");
    }
    ExitCode::from(u8::from(all.wrong > 0 || !is_enough))
}
