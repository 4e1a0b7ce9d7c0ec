//! The golden programs of `tests/data`: figures of the hardware model that this project did not compute.

use std::sync::{Arc, OnceLock};
use xfjit::backend::{Backend, Routine, Worker};
use xfjit::config::FogWrite;
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{Context, Row};
use xfjit::shader::Faults;
use xfjit::{Config, isa};
use xfjit_testing::golden::files::{VectorFile, recognise};
use xfjit_testing::golden::programs::{Expectation, ExpectedOutput, Header, ProgramCase, Programs};
use xfjit_testing::is_in_share;

/// One file, read once for all tests.
struct File {
    name: &'static str,
    packed: &'static [u8],
    golden: OnceLock<(Programs, Vec<ProgramCase>)>,
}

impl File {
    /// The state that cases share, and the cases.
    fn read(&self) -> &(Programs, Vec<ProgramCase>) {
        self.golden.get_or_init(|| {
            let mut text = Vec::new();
            lzma_rs::xz_decompress(&mut &self.packed[..], &mut text).expect("the file is whole");
            let text = String::from_utf8(text).expect("the file is text");
            let Ok(VectorFile::Programs(mut programs)) = recognise(self.name.to_owned(), text) else {
                panic!("{} holds no programs", self.name)
            };
            let cases = programs.by_ref().collect::<Result<Vec<_>, _>>();
            let cases = cases.unwrap_or_else(|flaw| panic!("{flaw}"));
            (programs, cases)
        })
    }
}

macro_rules! file {
    ($name:literal) => {
        File {
            name: $name,
            packed: include_bytes!(concat!("../data/", $name, ".txt.xz")),
            golden: OnceLock::new(),
        }
    };
}

static FILES: [File; 6] = [
    file!("kelvin_programs_hw"),
    file!("kelvin_programs_ieee"),
    file!("rankine_programs_legacy"),
    file!("rankine_programs_modern"),
    file!("curie_programs_legacy"),
    file!("curie_programs_modern"),
];

/// Runs all golden programs of a model, or this backend's share; each expectation alone and in the last lane of two groups.
pub(crate) fn check(backend: &dyn Backend, model: Model) {
    let mut files = 0;
    for (programs, cases) in FILES.iter().map(File::read).filter(|(file, _)| file.header().model == model) {
        check_file(backend, programs, cases);
        files += 1;
    }
    assert!(files > 0, "there are files of every model");
}

fn check_file(backend: &dyn Backend, programs: &Programs, cases: &[ProgramCase]) {
    assert!(cases.len() >= 100);
    let Header { generation, model, arithmetic, .. } = programs.header();
    let mut worker = Worker::new();
    for case in cases.iter().filter(|case| is_in_share(backend.name(), case.number as u64)) {
        let config = Config::new(generation)
            .model(model)
            .with(|config| {
                config.arithmetic = arithmetic;
                config.branch_bits = case.bools;
            })
            .quirk(|quirks| quirks.fog_write = FogWrite::Masked);
        let decoded = isa::decode(generation, case.words.as_flattened(), 0).expect("it decodes");
        let routine = backend.prepare(&Microcode::shader(&Arc::new(decoded), &config)).expect("it compiles");
        for expectation in &case.expectations {
            for count in [1, 8] {
                let name = format!("{} program {}", programs.name(), case.number);
                check_one(programs, &*routine, &mut worker, expectation, count, &name);
            }
        }
    }
}

fn check_one(
    programs: &Programs,
    routine: &dyn Routine,
    worker: &mut Worker,
    expectation: &Expectation,
    count: usize,
    name: &str,
) {
    let generation = programs.header().generation;
    let mut context = Context::new(generation.constants());
    for (number, &row) in programs.bank(expectation.bank).iter().enumerate() {
        context.set_row(number, row);
    }
    let vertex = programs.vertex(expectation.vertex);
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
    for &ExpectedOutput { register, mask, words: row } in &expectation.outputs {
        let at = 4 * (registers.len() * (count - 1) + register);
        let got = &words[at..at + 4];
        let differs = (0..4).any(|c| mask >> (3 - c) & 1 != 0 && got[c] != row[c]);
        let Expectation { bank, vertex, .. } = *expectation;
        assert!(
            !differs,
            "{name}, bank {bank}, vertex {vertex}, o{register}: expected {row:08x?}, got {got:08x?}"
        );
    }
}
