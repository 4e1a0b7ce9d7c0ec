//! The fixed function: golden cases that this project did not compute. The whole files run on every backend by
//! `xfjit vectors`; here, in a debug build, each backend runs some of them.

use std::collections::HashMap;
use std::sync::OnceLock;
use xfjit::backend::{Backend, Worker};
use xfjit::shader::Shader;
use xfjit_testing::GoldenCase;

/// A file, how many cases it has, and of how many one is run.
type File = (&'static str, &'static [u8], usize, usize);

macro_rules! file {
    ($name:literal, $cases:literal, $step:literal) => {
        ($name, include_bytes!(concat!("../data/", $name, ".txt.xz")), $cases, $step)
    };
}

static FILES: [File; 8] = [
    file!("celsius_ff_hw", 500, 4),
    file!("celsius_alpha_a", 300, 10),
    file!("kelvin_ff_hw", 500, 9),
    file!("kelvin_ff_console", 33, 1),
    file!("rankine_ff_hw", 500, 11),
    file!("console_depth", 708, 17),
    file!("console_ff", 923, 12),
    file!("console_points", 144, 12),
];

/// The chosen cases with the names of their files.
fn golden() -> &'static [(&'static str, GoldenCase)] {
    static GOLDEN: OnceLock<Vec<(&str, GoldenCase)>> = OnceLock::new();
    GOLDEN.get_or_init(|| FILES.iter().flat_map(read).collect())
}

fn read(&(name, packed, cases, step): &File) -> Vec<(&'static str, GoldenCase)> {
    let mut text = Vec::new();
    lzma_rs::xz_decompress(&mut &packed[..], &mut text).expect("the file is whole");
    let text = String::from_utf8(text).expect("the file is text");
    let records = GoldenCase::records(&text);
    assert_eq!(records.len(), cases, "{name}");
    let case = |lines: &Vec<&str>| GoldenCase::parse(lines).unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
    records.iter().step_by(step).map(|lines| (name, case(lines))).collect()
}

/// Runs the chosen cases, each as two groups and as one vertex.
pub(crate) fn check_golden(backend: &dyn Backend) {
    let mut worker = Worker::new();
    let mut routines = HashMap::new();
    for (file, golden) in golden() {
        let setup = golden.case.setup;
        let routine = routines
            .entry(setup)
            .or_insert_with(|| backend.prepare(&Shader::from(setup)).expect("it compiles"));
        for count in [1, 8] {
            let case = golden.vertices(count);
            let ran = case.run_on(&**routine, &mut worker).expect("the streams are long enough");
            let name = format!("{file}, case {}", golden.number);
            assert_eq!(ran.outcome.mismatches, 0, "{name}");
            let placement = case.placement();
            for vertex in 0..count {
                let wrong =
                    golden.wrong(|register| placement.row(&ran.output, usize::from(register), vertex));
                assert_eq!(wrong, None, "{name}\n{}", setup.mode);
            }
        }
    }
}
