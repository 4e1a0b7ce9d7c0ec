//! The golden programs of `tests/data`: figures of the hardware model that this project did not compute.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use xfjit::backend::{Backend, Routine, Worker};
use xfjit::config::{Arithmetic, FogWrite};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{Context, Row};
use xfjit::{Config, Generation, isa};

const GEN: Generation = Generation::Kelvin;

/// What one vertex comes out as.
struct Expectation {
    bank: usize,
    vertex: usize,
    /// Register, mask, words.
    outputs: Vec<(usize, u8, Row)>,
}

#[derive(Default)]
struct Golden {
    banks: BTreeMap<usize, Vec<Row>>,
    vertices: BTreeMap<usize, Vec<Row>>,
    programs: Vec<Programmed>,
}

/// A program and what comes of it.
struct Programmed {
    words: Vec<u32>,
    /// Boolean constants.
    bools: u32,
    expectations: Vec<Expectation>,
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
        if let Some(word) = words.next() {
            // Boolean constants are a hexadecimal word, all else begins with a number.
            let parsed = if keyword == "bools" { Ok(hex(word) as usize) } else { word.parse() };
            number = parsed.unwrap_or_else(|error| panic!("{line}: {error}"));
        }
        match keyword {
            "bank" => drop(golden.banks.insert(number, rows(words))),
            "vertex" => drop(golden.vertices.insert(number, rows(words))),
            "program" => {
                let words = words.map(hex).collect();
                golden.programs.push(Programmed { words, bools: 0, expectations: Vec::new() });
            }
            "bools" => golden.programs.last_mut().expect("a program first").bools = number as u32,
            "expect" => {
                let vertex = words.next().and_then(|word| word.parse().ok()).expect("a vertex number");
                let outputs = words.map(|word| {
                    let parts: Vec<&str> = word.split(':').collect();
                    let register = parts[0][1..].parse().expect("a register number");
                    (register, hex(parts[1]) as u8, std::array::from_fn(|c| hex(parts[2 + c])))
                });
                let expectation = Expectation { bank: number, vertex, outputs: outputs.collect() };
                golden.programs.last_mut().expect("a program first").expectations.push(expectation);
            }
            _ => panic!("{line}"),
        }
    }
    golden
}

fn golden(model: Model) -> &'static Golden {
    static HW: OnceLock<Golden> = OnceLock::new();
    static IEEE: OnceLock<Golden> = OnceLock::new();
    match model {
        Model::Hw => HW.get_or_init(|| read(include_bytes!("../data/kelvin_programs_hw.txt.xz"))),
        Model::Ieee => IEEE.get_or_init(|| read(include_bytes!("../data/kelvin_programs_ieee.txt.xz"))),
    }
}

/// Runs all golden programs of a model; each expectation alone and in the last lane of two groups.
pub(crate) fn check(backend: &dyn Backend, model: Model) {
    let golden = golden(model);
    assert!(golden.programs.len() >= 100);
    let config = Config { fog_write: FogWrite::Masked, ..Config::new(GEN).model(model) };
    let mut worker = Worker::new();
    for (number, Programmed { words, expectations, .. }) in golden.programs.iter().enumerate() {
        let program = Arc::new(isa::decode(GEN, words, 0).expect("it decodes"));
        let routine = backend.prepare(&program, &config).expect("it compiles");
        for expectation in expectations {
            for count in [1, 8] {
                check_one(
                    golden,
                    GEN,
                    &*routine,
                    &mut worker,
                    expectation,
                    count,
                    &format!("program {number}"),
                );
            }
        }
    }
}

/// Runs the golden programs of Rankine and Curie, with branches, calls and conditions.
pub(crate) fn check_flow(backend: &dyn Backend) {
    use Arithmetic::{Legacy, Modern};
    use Generation::{Curie, Rankine};
    let files: [(Generation, Arithmetic, &[u8]); 4] = [
        (Rankine, Legacy, include_bytes!("../data/flow/rankine_programs_legacy.txt.xz")),
        (Rankine, Modern, include_bytes!("../data/flow/rankine_programs_modern.txt.xz")),
        (Curie, Legacy, include_bytes!("../data/flow/curie_programs_legacy.txt.xz")),
        (Curie, Modern, include_bytes!("../data/flow/curie_programs_modern.txt.xz")),
    ];
    let mut worker = Worker::new();
    for (generation, arithmetic, packed) in files {
        let golden = read(packed);
        assert!(golden.programs.len() >= 100);
        for (number, program) in golden.programs.iter().enumerate() {
            let config = Config { arithmetic, branch_bits: program.bools, ..Config::new(generation) };
            let decoded = Arc::new(isa::decode(generation, &program.words, 0).expect("it decodes"));
            let routine = backend.prepare(&decoded, &config).expect("it compiles");
            for expectation in &program.expectations {
                let name = format!("{} {arithmetic:?} program {number}", generation.name());
                check_one(&golden, generation, &*routine, &mut worker, expectation, 8, &name);
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
    let bank = &golden.banks[&expectation.bank];
    let mut context = Context::new(generation.constants());
    context.rows_mut()[..bank.len()].copy_from_slice(bank);
    let vertex = &golden.vertices[&expectation.vertex];
    let data: Vec<Vec<Row>> = (0..16).map(|register| vec![vertex[register]; count]).collect();
    let mut inputs = Inputs::new(count);
    for (register, rows) in data.iter().enumerate() {
        inputs = inputs.with(register, Attribute::rows(rows));
    }
    let width = generation.outputs();
    let mut words = vec![0; 4 * width * count];
    let registers: Vec<u8> = (0..width as u8).collect();
    let mut outputs = Outputs::interleaved(&mut words, &registers);
    routine.run(worker, &mut context, &inputs, &mut outputs).expect("the streams are long enough");
    for &(register, mask, row) in &expectation.outputs {
        let at = 4 * width * (count - 1) + 4 * register;
        let got = &words[at..at + 4];
        let differs = (0..4).any(|c| mask >> (3 - c) & 1 != 0 && got[c] != row[c]);
        let Expectation { bank, vertex, .. } = expectation;
        assert!(
            !differs,
            "{name}, bank {bank}, vertex {vertex}, o{register}: expected {row:08x?}, got {got:08x?}"
        );
    }
}
