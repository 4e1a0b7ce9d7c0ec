//! The golden programs of `tests/data`: figures of the hardware model that this project did not compute.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use xfjit::backend::{Backend, Routine, Worker};
use xfjit::config::{Arithmetic, FogWrite};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{Context, Row};
use xfjit::shader::Faults;
use xfjit::{Config, Generation, isa};

/// What one vertex comes out as.
struct Expectation {
    bank: usize,
    vertex: usize,
    /// Register, mask, words.
    outputs: Vec<(usize, u8, Row)>,
}

struct Program {
    words: Vec<u32>,
    bools: u32,
    expectations: Vec<Expectation>,
}

#[derive(Default)]
struct Golden {
    banks: BTreeMap<usize, Vec<Row>>,
    vertices: BTreeMap<usize, Vec<Row>>,
    programs: Vec<Program>,
}

fn rows<'a>(words: impl Iterator<Item = &'a str>) -> Vec<Row> {
    let words: Vec<u32> = words.map(hex).collect();
    words.as_chunks::<4>().0.to_vec()
}

fn hex(word: &str) -> u32 {
    u32::from_str_radix(word, 16).unwrap_or_else(|error| panic!("{word}: {error}"))
}

fn read(packed: &[u8]) -> Golden {
    let mut text = Vec::new();
    lzma_rs::xz_decompress(&mut &packed[..], &mut text).expect("the file is whole");
    let text = String::from_utf8(text).expect("the file is text");
    let mut golden = Golden::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let mut number = 0;
        let keyword = words.next().unwrap_or_default();
        if let Some(word) = words.next().filter(|_| keyword != "bools") {
            number = word.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        }
        match keyword {
            "bank" => drop(golden.banks.insert(number, rows(words))),
            "vertex" => drop(golden.vertices.insert(number, rows(words))),
            "program" => {
                let words = words.map(hex).collect();
                golden.programs.push(Program { words, bools: 0, expectations: Vec::new() });
            }
            "bools" => program(&mut golden).bools = hex(line.trim_start_matches("bools ")),
            "expect" => {
                let vertex = words.next().and_then(|word| word.parse().ok()).expect("a vertex number");
                let outputs = words.map(|word| {
                    let parts: Vec<&str> = word.split(':').collect();
                    let register = parts[0][1..].parse().expect("a register number");
                    (register, hex(parts[1]) as u8, std::array::from_fn(|c| hex(parts[2 + c])))
                });
                let expectation = Expectation { bank: number, vertex, outputs: outputs.collect() };
                program(&mut golden).expectations.push(expectation);
            }
            _ => panic!("{line}"),
        }
    }
    golden
}

fn program(golden: &mut Golden) -> &mut Program {
    golden.programs.last_mut().expect("a program first")
}

/// One file, unpacked once for all tests.
struct File {
    generation: Generation,
    model: Model,
    arithmetic: Arithmetic,
    packed: &'static [u8],
    golden: OnceLock<Golden>,
}

macro_rules! file {
    ($generation:ident, $model:ident, $arithmetic:ident, $name:literal) => {
        File {
            generation: Generation::$generation,
            model: Model::$model,
            arithmetic: Arithmetic::$arithmetic,
            packed: include_bytes!(concat!("../data/", $name, ".txt.xz")),
            golden: OnceLock::new(),
        }
    };
}

static FILES: [File; 6] = [
    file!(Kelvin, Hw, Legacy, "kelvin_programs_hw"),
    file!(Kelvin, Ieee, Legacy, "kelvin_programs_ieee"),
    file!(Rankine, Hw, Legacy, "rankine_programs_legacy"),
    file!(Rankine, Hw, Modern, "rankine_programs_modern"),
    file!(Curie, Hw, Legacy, "curie_programs_legacy"),
    file!(Curie, Hw, Modern, "curie_programs_modern"),
];

/// Runs all golden programs of a model; each expectation alone and in the last lane of two groups.
pub(crate) fn check(backend: &dyn Backend, model: Model) {
    for file in FILES.iter().filter(|file| file.model == model) {
        check_file(backend, file);
    }
}

fn check_file(backend: &dyn Backend, file: &File) {
    let golden = file.golden.get_or_init(|| read(file.packed));
    assert!(golden.programs.len() >= 100);
    let mut worker = Worker::new();
    for (number, program) in golden.programs.iter().enumerate() {
        let config = Config {
            arithmetic: file.arithmetic,
            branch_bits: program.bools,
            ..Config::new(file.generation).model(file.model)
        }
        .quirk(|quirks| quirks.fog_write = FogWrite::Masked);
        let decoded = isa::decode(file.generation, &program.words, 0).expect("it decodes");
        let routine = backend.prepare(&Microcode::shader(&Arc::new(decoded), &config)).expect("it compiles");
        for expectation in &program.expectations {
            for count in [1, 8] {
                let name = format!("{} program {number}", file.generation.name());
                check_one(golden, file.generation, &*routine, &mut worker, expectation, count, &name);
            }
        }
    }
}

fn check_one(
    golden: &Golden,
    generation: Generation,
    routine: &dyn Routine,
    worker: &mut Worker,
    expectation: &Expectation,
    count: usize,
    name: &str,
) {
    let mut context = Context::new(generation.constants());
    for (number, &row) in golden.banks[&expectation.bank].iter().enumerate() {
        context.set_row(number, row);
    }
    let vertex = &golden.vertices[&expectation.vertex];
    let data: Vec<Vec<Row>> = (0..16).map(|register| vec![vertex[register]; count]).collect();
    let mut inputs = Inputs::new(count);
    for (register, rows) in data.iter().enumerate() {
        inputs = inputs.with(register, Attribute::rows(rows));
    }
    let registers: Vec<u8> = (0..generation.outputs() as u8).collect();
    let mut words = vec![0; 4 * registers.len() * count];
    let mut outputs = Outputs::interleaved(&mut words, &registers);
    let outcome =
        routine.run(worker, &mut context, &inputs, &mut outputs).expect("the streams are long enough");
    assert_eq!(outcome.faults, Faults::default(), "{name} does not end");
    for &(register, mask, row) in &expectation.outputs {
        let at = 4 * (registers.len() * (count - 1) + register);
        let got = &words[at..at + 4];
        let differs = (0..4).any(|c| mask >> (3 - c) & 1 != 0 && got[c] != row[c]);
        let Expectation { bank, vertex, .. } = expectation;
        assert!(
            !differs,
            "{name}, bank {bank}, vertex {vertex}, o{register}: expected {row:08x?}, got {got:08x?}"
        );
    }
}
