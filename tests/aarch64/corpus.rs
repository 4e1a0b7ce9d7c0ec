//! What is run: the fixed sets, every opcode on awkward values, the corners of the configuration, random programs and
//! configurations.

use std::sync::Arc;
use xfjit::asm;
use xfjit::config::{Access, Config, Quirk};
use xfjit::front::Microcode;
use xfjit::isa::{Generation, Program};
use xfjit::runtime::batch::Layout;
use xfjit::runtime::format::{ByteOrder, Encoding, Format, InputLayout};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{ATTRIBUTES, DEFAULT_ROW, Row};
use xfjit::shader::Shader;
use xfjit_isa::isa::op::{ScaOp, VecOp};
use xfjit_native::cranelift::clif::LANES;
use xfjit_testing::RandomCase;
use xfjit_testing::RandomFlipper;
use xfjit_testing::operand::{self, Temper};
use xfjit_testing::{self as testing, Choices, FlipperCase, Limits};
use xfjit_testing::{programs, scenes};

/// The attributes of a vertex.
pub(crate) type Vertex = [Row; ATTRIBUTES];

/// A shader with its data.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) shader: Shader,
    /// The shader, to be read.
    pub(crate) text: String,
    /// Whether its numbers are ordinary, so that no group may leave native code.
    pub(crate) is_ordinary: bool,
    pub(crate) rows: Vec<Row>,
    /// A multiple of [`LANES`]. Of an attribute that is no row, the words begin with its element.
    pub(crate) vertices: Vec<Vertex>,
}

impl Case {
    fn new(
        name: String,
        program: &Arc<Program>,
        config: &Config,
        rows: Vec<Row>,
        vertices: Vec<Vertex>,
    ) -> Case {
        let text = asm::print(config.generation, program);
        let shader = Microcode::shader(program, config);
        Case { name, shader, text, is_ordinary: false, rows, vertices }
    }
}

/// Everything of programs, under one model.
pub(crate) fn corpus(model: Model, random_programs: u64) -> Vec<Case> {
    let config = Config::new(Generation::Kelvin).model(model);
    let mut cases = Vec::new();
    fixed_set(model, &mut cases);
    opcodes(&config, &mut cases);
    corners(&config, &mut cases);
    formats(&config, &mut cases);
    for &generation in Generation::ALL {
        random(generation, model, random_programs, &mut cases);
    }
    for case in &mut cases {
        case.name.push_str(&format!(" under {model:?}"));
    }
    cases
}

fn parse(text: &str) -> Arc<Program> {
    Arc::new(asm::parse(Generation::Kelvin, text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}")))
}

/// The fixed set in both output layouts.
fn fixed_set(model: Model, cases: &mut Vec<Case>) {
    for fixed in &programs::ALL {
        let words = fixed.vertices(256);
        let vertices = words.chunks_exact(fixed.input_words()).map(|words| {
            let mut vertex = [DEFAULT_ROW; ATTRIBUTES];
            for (&register, row) in fixed.attributes.iter().zip(words.as_chunks().0) {
                vertex[usize::from(register)] = *row;
            }
            vertex
        });
        let vertices: Vec<Vertex> = vertices.collect();
        for layout in [Layout::Rows, Layout::Planes] {
            let (name, program) = (format!("{} {layout:?}", fixed.name), Arc::new(fixed.program()));
            let config = fixed.config(model).with(|config| config.layout = layout);
            let rows = fixed.context().rows().to_vec();
            let case = Case::new(name, &program, &config, rows, vertices.clone());
            cases.push(Case { is_ordinary: true, ..case });
        }
    }
}

/// Values at which arithmetic changes its mind, NaNs last.
const VALUES: [u32; 28] = [
    0x0000_0000,
    0x8000_0000, // zeros
    0x0000_0001,
    0x807f_ffff, // denormals
    0x0080_0000,
    0x8080_0001, // smallest normals
    0x1f80_0000,
    0x5f80_0001, // limits of RCC
    0x3f80_0000,
    0xbf80_0000,
    0x3f7f_ffff,
    0x3f80_0001, // around one
    0x3f00_0000,
    0xc000_0000,
    0x4040_0000,
    0x3eaa_aaab,
    0xc049_0fdb,
    0x42ff_fffe,
    0xc300_0000,
    0x4377_0000, // limits of LIT, EXP and A0
    0x4b80_0001,
    0xcf00_0000, // where fractions and integers end
    0x7f7f_ffff,
    0xff00_0000, // greatest
    0x7f80_0000,
    0xff80_0000, // infinities
    0x7fc0_0000,
    0xffff_ffff, // NaNs
];

/// Vertices whose v0, v1 and v2 hold every pair of `values`, and every value in a third place.
fn pairs(values: &[u32]) -> Vec<Vertex> {
    let at = |i: usize| values[i % values.len()];
    let count = values.len() * values.len();
    let vertices = (0..count.next_multiple_of(LANES)).map(|i| {
        let (a, b) = (i / values.len(), i);
        let mut vertex = [DEFAULT_ROW; ATTRIBUTES];
        vertex[0] = std::array::from_fn(|c| at(a + c));
        vertex[1] = std::array::from_fn(|c| at(b + 3 * c));
        vertex[2] = std::array::from_fn(|c| at(a + b + 5 * c));
        vertex
    });
    vertices.collect()
}

/// Constants that hold the values in turn.
fn value_rows() -> Vec<Row> {
    let rows = Generation::Kelvin.constants();
    (0..rows).map(|row| std::array::from_fn(|c| VALUES[(3 * row + c) % 24])).collect()
}

/// Every opcode of both units, on registers and on constants alone.
fn opcodes(config: &Config, cases: &mut Vec<Case>) {
    let kelvin = Generation::Kelvin;
    let vec = VecOp::ALL.iter().filter(|op| op.since() == kelvin && !matches!(op, VecOp::Nop | VecOp::Arl));
    let sca = ScaOp::ALL.iter().filter(|op| op.since() == kelvin && !matches!(op, ScaOp::Nop | ScaOp::Mov));
    let ops = vec.map(|op| (op.mnemonic(), op.reads().len())).chain(sca.map(|op| (op.mnemonic(), 1)));
    for (mnemonic, operands) in ops.chain([("IMV", 1)]) {
        let sources = ["r0", "-r1.wzyx", "r2"][..operands].join(", ");
        let uniform = ["r4", "r5.yzwx", "-r6"][..operands].join(", ");
        let text = format!(
            "MOV r0, v0\nMOV r1, v1\nMOV r2, v2\n{mnemonic} oT0, {sources}\n\
             MOV r4, c[4]\nMOV r5, c[5]\nMOV r6, c[6]\n{mnemonic} oT1, {uniform}\n\
             {mnemonic} r7, {}\nADD oT2, r7, -v1",
            ["r0.x", "r5", "r4"][..operands].join(", ")
        );
        // Infinities and NaNs on their own: they make whole groups leave native code.
        for (kind, values) in [("finite", &VALUES[..24]), ("all", &VALUES[..])] {
            let name = format!("{mnemonic} {kind}");
            cases.push(Case::new(name, &parse(&text), config, value_rows(), pairs(values)));
        }
    }
}

/// Addressing, paired writes, fog, constants that the program writes.
fn corners(config: &Config, cases: &mut Vec<Case>) {
    let address =
        "ARL a0.x, v0.x\nMOV oT0, c[a0+0]\nMOV oT1, c[a0+100]\nMOV oT2, c[a0+255].wzyx\nMOV oT3, -c[a0+191]";
    let paired =
        "MOV r2, v0\nMUL r1.xyz, v1, r2 + RCP r1.yw, r2.x\nMOV oT0, r1\nMUL oPos.xy, r1, v1\nMOV oT1, r12";
    let fog = "MOV r0, v0\nMUL oFog.yz, v1, r0\nMOV oPts.x, v1";
    let writes = "ADD r0, v0, c[7]\nMUL c[7].xz, r0, c[8]\nARL a0.x, v2.x\nMOV oT0, c[7]\nADD oT1, c[a0+6], v1\nMOV c[9], v1";
    let mut variants = vec![
        ("addresses".to_owned(), address, config.clone()),
        (
            "addresses of the user".to_owned(),
            address,
            config.clone().with(|config| config.access = Access::User),
        ),
        ("paired writes".to_owned(), paired, config.clone()),
        ("fog".to_owned(), fog, config.clone()),
        ("constant writes dropped".to_owned(), writes, config.clone()),
        ("constant writes".to_owned(), writes, config.clone().with(|config| config.constant_writes = true)),
    ];
    for quirk in Quirk::ALL.iter().filter(|quirk| quirk.matters(Generation::Kelvin)) {
        for value in &quirk.values[1..] {
            let config = config.clone().quirk(|quirks| assert!((quirk.set)(quirks, value)));
            for text in [address, paired, fog] {
                variants.push((format!("{} {value}", quirk.name), text, config.clone()));
            }
        }
    }
    for (name, text, config) in variants {
        for (kind, values) in [("finite", &VALUES[..24]), ("all", &VALUES[..])] {
            let name = format!("{name} {kind}");
            cases.push(Case::new(name, &parse(text), &config, value_rows(), pairs(values)));
        }
    }
    let mut choices = Choices::seed(0);
    let mut row = || operand::row(&mut choices, Temper::Ordinary);
    let rows = (0..Generation::Kelvin.constants()).map(|_| row()).collect();
    let vertices = (0..64).map(|_| std::array::from_fn(|_| row())).collect();
    let config = config.clone().with(|config| config.constant_writes = true);
    cases.push(Case::new("constant writes, ordinary".to_owned(), &parse(writes), &config, rows, vertices));
}

/// Every code of 16 bits and fewer in every encoding, in all fields of an element.
fn formats(config: &Config, cases: &mut Vec<Case>) {
    let program = parse("MOV oPos, v1\nMOV oT0, v2\nMOV r0, v1\nMUL oD0, r0, v2");
    for &encoding in Encoding::ALL {
        for components in encoding.least()..=encoding.most() {
            let order = if components % 2 == 0 { ByteOrder::Swapped } else { ByteOrder::Host };
            let format = Format { encoding, components, order, fraction: components };
            let is_all =
                components == encoding.most() && matches!(encoding.field(0).bits, 4 | 5 | 6 | 11 | 16);
            let codes = if is_all { 1 << 16 } else { 1 << 9 };
            let vertices = (0..codes / 2).step_by(format.bytes().div_ceil(4)).map(|i: u32| {
                let mut vertex = [DEFAULT_ROW; ATTRIBUTES];
                let word = |k: u32| (2 * (i + k)) | ((2 * (i + k) + 1) << 16);
                vertex[1] = std::array::from_fn(|k| word(k as u32));
                vertex[2] = vertex[1].map(|word| word ^ 0x5a5a_0000);
                vertex
            });
            let mut vertices: Vec<Vertex> = vertices.collect();
            vertices.truncate(vertices.len() / LANES * LANES);
            let config = config.clone().live_outputs(0b10_0000_1001);
            let layout =
                InputLayout::ROWS.with(1, format).with(2, Format { order: ByteOrder::Host, ..format });
            let case = Case::new(format!("{format:?}"), &program, &config, value_rows(), vertices);
            cases.push(Case { shader: case.shader.with_inputs(layout), ..case });
        }
    }
}

/// Slots of the longest random program: code generation may refuse longer ones.
const LONGEST: usize = 64;

/// Cases of the generator that all differential tests share, their last groups filled up.
fn random(generation: Generation, model: Model, seeds: u64, cases: &mut Vec<Case>) {
    for seed in 0..seeds {
        let mut choices = Choices::seed(seed);
        let limits = Limits::choose(&mut choices, generation).model(model);
        let case = testing::Case::within(&mut choices, limits);
        let program = case.program().expect("the generator makes programs");
        if program.insns.len() > LONGEST {
            continue;
        }
        let inputs = case.inputs();
        let fetch = |position: usize| std::array::from_fn(|register| inputs.fetch(register, position));
        let Some(last) = case.count.checked_sub(1) else { continue };
        let vertices =
            (0..case.count.next_multiple_of(LANES)).map(|position| fetch(position.min(last))).collect();
        let name = format!("seed {seed} on {}", generation.name());
        cases.push(Case::new(name, &program, &case.config, case.constants.clone(), vertices));
    }
}

/// Flipper's fixed set, and random configurations.
pub(crate) fn flipper(seeds: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    for scene in &scenes::ALL {
        let (setup, context) = (scene.setup(), scene.context());
        let case = FlipperCase { setup, context, attributes: scene.vertices(256) };
        cases.push(configuration(scene.name.to_owned(), true, &case));
    }
    for seed in 0..seeds {
        let case = FlipperCase::choose_flipper(&mut Choices::seed(seed), 4 * LANES);
        cases.push(configuration(format!("seed {seed} on flipper"), false, &case));
    }
    cases
}

fn configuration(name: String, is_ordinary: bool, case: &FlipperCase) -> Case {
    let vertex = |position: usize| std::array::from_fn(|register| case.attributes[register][position]);
    Case {
        name,
        shader: Shader::from(case.setup),
        text: format!("{:x?}", case.setup),
        is_ordinary,
        rows: case.context.rows().to_vec(),
        vertices: (0..case.attributes[0].len()).map(vertex).collect(),
    }
}
