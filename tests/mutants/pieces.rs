//! Programs with figures: what their outputs and constants are, as somebody else than the stage under test has computed them.

use crate::lines::{self, unpacked};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use xfjit::config::{FogWrite, Forms};
use xfjit::runtime::batch::registers;
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::{ATTRIBUTES, OUTPUTS, Row};
use xfjit::runtime::texture::Textures;
use xfjit::{Config, Emulator, Generation, isa};
use xfjit_core::interp::{End, Stepper, VertexState};
use xfjit_ir::ir::Func;
use xfjit_ir::ir::eval::{self, Workspace};
use xfjit_testing::golden::emulators::{self, EmulatedCases};
use xfjit_testing::golden::files::{VectorFile, recognise};
use xfjit_testing::operand::{self, Temper};
use xfjit_testing::{Case, Choices, Limits, RandomCase};

/// Who has computed figures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Whose {
    /// The hardware model.
    Model,
    /// A second reading of what slots do.
    Reading,
    /// An emulator.
    Emulator,
    /// The interpreter, which lowers nothing, on random programs.
    Interpreter,
}

/// One vertex, and what becomes of it.
pub(crate) struct Vertex {
    pub(crate) inputs: [Row; ATTRIBUTES],
    constants: Vec<Row>,
    /// Registers, which of their components are known (bit 3 is x), and what these are.
    outputs: Vec<(usize, u8, Row)>,
    /// All rows, if they are known.
    rows: Option<Vec<Row>>,
}

/// A program and its vertices.
pub(crate) struct Piece {
    pub(crate) whose: Whose,
    pub(crate) config: Config,
    pub(crate) words: Vec<u32>,
    pub(crate) start: usize,
    pub(crate) vertices: Vec<Vertex>,
}

impl Piece {
    /// The program that its words are.
    pub(crate) fn program(&self) -> isa::Program {
        self.decoded(&self.words).expect("it decodes")
    }

    /// The program that other words are.
    pub(crate) fn decoded(&self, words: &[u32]) -> Option<isa::Program> {
        isa::decode_as(self.config.generation, self.config.reading(), words, self.start).ok()
    }

    /// Adds a vertex, and what the interpreter makes of it, if the program ends.
    fn add_interpreted(&mut self, program: &isa::Program, inputs: [Row; ATTRIBUTES], constants: Vec<Row>) {
        let mut vertex = Vertex { inputs, constants, outputs: Vec::new(), rows: None };
        let Some((outputs, rows)) = interpreted(program, &self.config, &vertex) else { return };
        let live = registers(self.config.live_outputs).filter(|&register| register < OUTPUTS);
        vertex.outputs = live.map(|register| (register, 15, outputs[register])).collect();
        vertex.rows = Some(rows);
        self.vertices.push(vertex);
    }

    /// Whether the interpreter makes of a program what the figures say.
    pub(crate) fn is_interpreted(&self, program: &isa::Program) -> bool {
        self.vertices.iter().all(|vertex| {
            let interpreted = interpreted(program, &self.config, vertex);
            interpreted.is_some_and(|(outputs, rows)| vertex.agrees(self.whose, &outputs, &rows))
        })
    }

    /// Whether the evaluator makes of a function what the figures say. Of what it leaves to the interpreter it says nothing.
    pub(crate) fn is_evaluated(&self, workspace: &mut Workspace, func: &Func) -> bool {
        self.vertices.iter().all(|vertex| {
            let outcome =
                eval::run_in(workspace, func, &vertex.constants, |register| vertex.inputs[register]);
            if outcome.guarded {
                return true;
            }
            let mut rows = Vec::new();
            if vertex.rows.is_some() {
                rows.clone_from(&vertex.constants);
                for &(row, value) in &outcome.stores {
                    rows[row] = value;
                }
            }
            vertex.agrees(self.whose, &outcome.outputs, &rows)
        })
    }
}

impl Vertex {
    fn agrees(&self, whose: Whose, outputs: &[Row; OUTPUTS], rows: &[Row]) -> bool {
        let is_same = |got: u32, want: u32| match whose {
            Whose::Emulator => emulators::is_same(got, want),
            Whose::Model | Whose::Reading | Whose::Interpreter => got == want,
        };
        let holds = |got: &Row, mask: u8, want: &Row| {
            (0..4).all(|c| mask >> (3 - c) & 1 == 0 || is_same(got[c], want[c]))
        };
        self.outputs.iter().all(|(register, mask, want)| holds(&outputs[*register], *mask, want))
            && self.rows.as_ref().is_none_or(|want| {
                want.len() == rows.len() && want.iter().zip(rows).all(|(want, got)| holds(got, 15, want))
            })
    }
}

/// What the interpreter makes of a vertex, if the program ends.
fn interpreted(
    program: &isa::Program,
    config: &Config,
    vertex: &Vertex,
) -> Option<([Row; OUTPUTS], Vec<Row>)> {
    interpreted_from(None, program, config, vertex)
}

/// What the interpreter makes of a vertex whose outputs begin so, if the program ends.
fn interpreted_from(
    outputs: Option<[Row; OUTPUTS]>,
    program: &isa::Program,
    config: &Config,
    vertex: &Vertex,
) -> Option<([Row; OUTPUTS], Vec<Row>)> {
    let mut rows = vertex.constants.clone();
    let mut state = VertexState::new(program, config, vertex.inputs);
    state.outputs = outputs.unwrap_or(state.outputs);
    let mut stepper = Stepper::new(program, config, &state);
    let end = stepper.run(&mut Constants::new(&mut rows), &Textures::NONE);
    (end == End::Done).then(|| (stepper.outputs(), rows))
}

macro_rules! packed {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../data/", $name, ".txt.xz")).as_slice())),*]
    };
}

/// The programs of the hardware model.
fn of_the_model() -> Vec<Piece> {
    let files = packed!(
        "kelvin_programs_hw",
        "rankine_programs_legacy",
        "rankine_programs_modern",
        "curie_programs_legacy",
        "curie_programs_modern",
        "rankine_legacy_core_a",
        "rankine_legacy_open_a",
        "rankine_modern_core_a",
        "rankine_modern_open_a",
        "curie_legacy_core_a",
        "curie_legacy_open_a",
        "curie_modern_core_a",
        "curie_modern_open_a"
    );
    let mut pieces = Vec::new();
    for (name, packed) in files {
        let Ok(VectorFile::Programs(mut programs)) = recognise(name.to_owned(), unpacked(packed)) else {
            panic!("{name} holds no programs")
        };
        let cases: Vec<_> = programs.by_ref().collect::<Result<_, _>>().expect("they are programs");
        let header = programs.header();
        for case in cases {
            let config = Config::new(header.generation)
                .model(header.model)
                .with(|config| {
                    config.arithmetic = header.arithmetic;
                    config.branch_bits = case.bools;
                })
                .quirk(|quirks| quirks.fog_write = FogWrite::Masked);
            let vertex = |expectation: &xfjit_testing::golden::programs::Expectation| {
                let mut constants = vec![[0; 4]; header.generation.constants()];
                let bank = programs.bank(expectation.bank);
                constants[..bank.len()].copy_from_slice(bank);
                let outputs =
                    expectation.outputs.iter().map(|output| (output.register, output.mask, output.words));
                let inputs = *programs.vertex(expectation.vertex);
                Vertex { inputs, constants, outputs: outputs.collect(), rows: None }
            };
            let vertices = case.expectations.iter().map(vertex).collect();
            let words = case.words.as_flattened().to_vec();
            pieces.push(Piece { whose: Whose::Model, config, words, start: 0, vertices });
        }
    }
    pieces
}

/// Those of the second reading of slots.
fn of_the_reading() -> Vec<Piece> {
    const KELVIN: Generation = Generation::Kelvin;
    let piece = |line: &str| {
        let (slots, reading) = lines::case(line);
        let left = lines::left(reading);
        let output = |(at, row): (usize, [Option<u32>; 4])| {
            let mask = row.iter().fold(0, |mask, word| mask << 1 | u8::from(word.is_some()));
            (at, mask, row.map(Option::unwrap_or_default))
        };
        let vertex = Vertex {
            inputs: std::array::from_fn(lines::input),
            constants: lines::constants(),
            outputs: left.outputs.into_iter().map(output).collect(),
            rows: Some(left.constants),
        };
        let config = Config::new(KELVIN).with(|config| config.constant_writes = true);
        let words = lines::slots(slots).into_flattened();
        Piece { whose: Whose::Reading, config, words, start: 0, vertices: vec![vertex] }
    };
    unpacked(include_bytes!("../data/readings/slots.txt.xz")).lines().map(piece).collect()
}

/// What emulators have made of programs.
fn of_emulators() -> Vec<Piece> {
    let files = packed!(
        "emulators/bochs_kelvin_programs",
        "emulators/bochs_rankine_programs",
        "emulators/bochs_curie_programs",
        "emulators/mame_programs"
    );
    of_files(&files)
}

/// What an emulator has made of single operations (of outputs that begin otherwise, the components that are written), and then what the
/// interpreter makes of some of them with rarer operands.
pub(crate) fn of_emulator(emulator: Emulator, generation: Generation, packed: &[u8]) -> Vec<Piece> {
    let config = emulators::preset(emulator, generation).expect("it runs such programs");
    let mut pieces = of_files(&[(emulator.name(), packed)]);
    assert!(pieces.iter().all(|piece| piece.config == config), "{emulator:?}, {generation:?}");
    let begins_otherwise = emulator == Emulator::Nv2aVshCpu;
    for piece in pieces.iter_mut().filter(|_| begins_otherwise) {
        let program = piece.program();
        for vertex in &mut piece.vertices {
            let from = |word| interpreted_from(Some([[word; 4]; OUTPUTS]), &program, &config, vertex);
            let (Some(one), Some(other)) = (from(0x1234_5678), from(0x2345_6789)) else { continue };
            let is_written = |at: usize, c: usize| u8::from(one.0[at][c] == other.0[at][c]);
            let written = |at| (0..4).fold(0, |mask, c| mask << 1 | is_written(at, c));
            let masks: Vec<u8> = vertex.outputs.iter().map(|&(at, ..)| written(at)).collect();
            vertex.outputs.iter_mut().zip(masks).for_each(|(output, mask)| output.1 = mask);
        }
    }
    keep_what_is_interpreted(&mut pieces);
    let rare: Vec<_> =
        pieces.iter().step_by(RARE_ONE_IN).zip(0..).map(|(piece, seed)| with_rare(piece, seed)).collect();
    pieces.extend(rare);
    pieces
}

/// Of so many programs one runs with rare operands, too.
const RARE_ONE_IN: usize = 8;

/// Operands at which forms differ, or stop.
const RARE: [u32; 14] = [
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc1_2345,
    0x7f7f_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4eff_ffff,
    0xcf00_0001,
    0x0000_0001,
];

/// The program of a piece, as the interpreter runs it with rare operands.
fn with_rare(piece: &Piece, seed: u64) -> Piece {
    let Piece { config, words, start, .. } = piece;
    let mut rare = Piece {
        whose: Whose::Interpreter,
        config: config.clone(),
        words: words.clone(),
        start: *start,
        vertices: Vec::new(),
    };
    let (program, mut c) = (rare.program(), Choices::seed(seed));
    for number in 0..8 {
        // Pairs of zeros, or of others.
        let among = if number % 2 == 0 { 2 } else { RARE.len() };
        let mut row = || {
            let wild = operand::row(&mut c, Temper::Wild);
            wild.map(|word| if c.word() % 4 > 0 { RARE[c.word() as usize % among] } else { word })
        };
        let inputs = std::array::from_fn(|_| row());
        let constants = (0..config.rows()).map(|_| row()).collect();
        rare.add_interpreted(&program, inputs, constants);
    }
    rare
}

/// The cases of files.
fn of_files(files: &[(&str, &[u8])]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for &(name, packed) in files {
        let cases = EmulatedCases::new(name.to_owned(), unpacked(packed)).expect("an emulator's figures");
        let emulator = cases.emulator();
        for case in cases {
            let case = case.expect("a case");
            let config = emulators::preset(emulator, case.generation).expect("it runs such programs");
            let vertex = |vertex: &emulators::EmulatedVertex| Vertex {
                inputs: vertex.inputs,
                constants: case.rows(&config),
                outputs: (0..emulators::outputs_of(emulator))
                    .map(|at| (at, 15, vertex.outputs[at]))
                    .collect(),
                rows: Some(case.rows_behind(&config, vertex)),
            };
            let vertices = case.vertices.iter().map(vertex).collect();
            let words = case.words.as_flattened().to_vec();
            pieces.push(Piece {
                whose: Whose::Emulator,
                config: config.clone(),
                words,
                start: case.start,
                vertices,
            });
        }
    }
    pieces
}

/// Random programs, as the interpreter runs them.
fn of_the_interpreter() -> Vec<Piece> {
    let of_seed = |seed| Generation::ALL.iter().map(move |&generation| random(seed, generation));
    (0..500).flat_map(of_seed).collect()
}

/// A random program, as the interpreter runs it.
fn random(seed: u64, generation: Generation) -> Piece {
    let mut c = Choices::seed(seed);
    let limits = Limits::choose(&mut c, generation);
    let case = Case::within(&mut c, limits);
    let Case { words, start, mut config, .. } = case;
    config.forms = Forms::default();
    let mut piece = Piece { whose: Whose::Interpreter, config, words, start, vertices: Vec::new() };
    let program = piece.program();
    for _ in 0..4 {
        let temper = [Temper::Ordinary, Temper::Mixed, Temper::Wild][seed as usize % 3];
        let inputs = std::array::from_fn(|_| operand::row(&mut c, temper));
        let constants = (0..piece.config.rows()).map(|_| operand::row(&mut c, temper)).collect();
        piece.add_interpreted(&program, inputs, constants);
    }
    piece
}

/// Leaves out vertices that the interpreter does not make what the figures say, and pieces without a vertex.
///
/// # Panics
/// If these are more than one of ten.
fn keep_what_is_interpreted(pieces: &mut Vec<Piece>) {
    let mut kept = BTreeMap::new();
    for piece in &mut *pieces {
        let program = piece.program();
        let Piece { whose, ref config, ref mut vertices, .. } = *piece;
        let count = vertices.len();
        vertices.retain(|vertex| {
            let interpreted = interpreted(&program, config, vertex);
            interpreted.is_some_and(|(outputs, rows)| vertex.agrees(whose, &outputs, &rows))
        });
        let of_whose = kept.entry(whose).or_insert([0, 0]);
        *of_whose = [of_whose[0] + vertices.len(), of_whose[1] + count];
    }
    // Emulators differ from their presets in known places (docs/NUMERICS.md), and some of the model's programs have answers to open questions.
    for (whose, [kept, count]) in kept {
        println!("{whose:?}: {kept} of {count} vertices");
        assert!(10 * kept >= 9 * count, "{whose:?}: {kept} of {count} vertices are as the figures say");
    }
    pieces.retain(|piece| !piece.vertices.is_empty());
}

/// All of them; whose figures are no evidence of the stage comes last.
pub(crate) fn pieces() -> &'static [Piece] {
    static PIECES: OnceLock<Vec<Piece>> = OnceLock::new();
    PIECES.get_or_init(|| {
        let mut pieces = of_the_model();
        pieces.extend(of_the_reading());
        pieces.extend(of_emulators());
        pieces.extend(of_the_interpreter());
        keep_what_is_interpreted(&mut pieces);
        pieces
    })
}
