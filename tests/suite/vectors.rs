//! The golden programs of `tests/data`: figures of the hardware model that this project did not compute.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use xfjit::backend::{Backend, Routine, Worker};
use xfjit::config::FogWrite;
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
    programs: Vec<(Vec<u32>, Vec<Expectation>)>,
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
            number = word.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        }
        match keyword {
            "bank" => drop(golden.banks.insert(number, rows(words))),
            "vertex" => drop(golden.vertices.insert(number, rows(words))),
            "program" => golden.programs.push((words.map(hex).collect(), Vec::new())),
            "expect" => {
                let vertex = words.next().and_then(|word| word.parse().ok()).expect("a vertex number");
                let outputs = words.map(|word| {
                    let parts: Vec<&str> = word.split(':').collect();
                    let register = parts[0][1..].parse().expect("a register number");
                    (register, hex(parts[1]) as u8, std::array::from_fn(|c| hex(parts[2 + c])))
                });
                let expectation = Expectation { bank: number, vertex, outputs: outputs.collect() };
                golden.programs.last_mut().expect("a program first").1.push(expectation);
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
    for (number, (words, expectations)) in golden.programs.iter().enumerate() {
        let program = Arc::new(isa::decode(GEN, words, 0).expect("it decodes"));
        let routine = backend.prepare(&program, &config).expect("it compiles");
        for expectation in expectations {
            for count in [1, 8] {
                check_one(golden, &*routine, &mut worker, expectation, count, &format!("program {number}"));
            }
        }
    }
}

fn check_one(
    golden: &Golden,
    routine: &dyn Routine,
    worker: &mut Worker,
    expectation: &Expectation,
    count: usize,
    name: &str,
) {
    let mut context = Context::new(GEN.constants());
    context.rows_mut().copy_from_slice(&golden.banks[&expectation.bank]);
    let vertex = &golden.vertices[&expectation.vertex];
    let data: Vec<Vec<Row>> = (0..16).map(|register| vec![vertex[register]; count]).collect();
    let mut inputs = Inputs::new(count);
    for (register, rows) in data.iter().enumerate() {
        inputs = inputs.with(register, Attribute::rows(rows));
    }
    let mut words = vec![0; 64 * count];
    let registers: Vec<u8> = (0..16).collect();
    let mut outputs = Outputs::interleaved(&mut words, &registers);
    routine.run(worker, &mut context, &inputs, &mut outputs).expect("the streams are long enough");
    for &(register, mask, row) in &expectation.outputs {
        let at = 64 * (count - 1) + 4 * register;
        let got = &words[at..at + 4];
        let differs = (0..4).any(|c| mask >> (3 - c) & 1 != 0 && got[c] != row[c]);
        let Expectation { bank, vertex, .. } = expectation;
        assert!(
            !differs,
            "{name}, bank {bank}, vertex {vertex}, o{register}: expected {row:08x?}, got {got:08x?}"
        );
    }
}
