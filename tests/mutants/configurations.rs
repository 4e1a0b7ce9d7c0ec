//! Faulty front ends of the fixed function and of Flipper: of what is made for a part of a configuration, one instruction is another one.
//!
//! The instructions of a part (a light, a texture coordinate, the fog) are told apart by their operation and its number within the part. A
//! fault changes the same one in every configuration that has it. The evaluator runs what comes out on golden cases, which this project has
//! not computed.

use crate::funcs::live;
use crate::lines::unpacked;
use crate::places::{self, Lowered as _, Places};
use std::collections::BTreeMap;
use xfjit::runtime::state::{ATTRIBUTES, OUTPUTS, Row};
use xfjit::shader::Shader;
use xfjit_ir::ir::Func;
use xfjit_ir::ir::eval::{self, Workspace};
use xfjit_ir::ir::origin::Place;
use xfjit_testing::GoldenCase;
use xfjit_testing::golden::files::{VectorFile, recognise};
use xfjit_testing::golden::flipper::FlipperVertex;

/// One of so many is tried by default.
const ONE_IN: usize = 48;
/// Instructions of a part with the same operation, at most.
const MOST: usize = 6;
/// Configurations that have such instructions and are tried.
const TRIED: usize = 2_000;

/// What must come out.
enum Expected {
    Fixed(GoldenCase),
    Flipper(FlipperVertex),
}

/// A configuration, lowered, with a vertex of which is known what comes out.
struct Lowered {
    /// The chip, and the file.
    family: &'static str,
    file: &'static str,
    func: Func,
    rows: Vec<Row>,
    inputs: [Row; ATTRIBUTES],
    expected: Expected,
}

impl places::Lowered for Lowered {
    type Whose = &'static str;

    fn func(&self) -> &Func {
        &self.func
    }

    fn whose(&self) -> &'static str {
        self.file
    }

    fn is_right(&self, workspace: &mut Workspace, func: &Func) -> bool {
        let outcome = eval::run_in(workspace, func, &self.rows, |register| self.inputs[register]);
        let outputs: &[Row; OUTPUTS] = &outcome.outputs;
        outcome.guarded
            || match &self.expected {
                Expected::Fixed(case) => {
                    case.wrong(|register| Some(outputs[usize::from(register)])).is_none()
                }
                Expected::Flipper(vertex) => vertex.wrong(|register| outputs[register]).is_none(),
            }
    }
}

macro_rules! packed {
    ($($family:literal $name:literal $step:literal,)*) => {
        [$(($family, $name, include_bytes!(concat!("../data/", $name, ".txt.xz")), $step)),*]
    };
}

/// The files of golden cases, and of how many one is read.
static FILES: [(&str, &str, &[u8], usize); 9] = packed! {
    "celsius" "celsius_ff_hw" 1,
    "celsius" "celsius_alpha_a" 1,
    "kelvin" "kelvin_ff_hw" 1,
    "kelvin" "kelvin_ff_console" 1,
    "rankine" "rankine_ff_hw" 1,
    "kelvin" "console_depth" 4,
    "kelvin" "console_ff" 1,
    "kelvin" "console_points" 1,
    "flipper" "flipper_xf" 1,
};

/// The cases of a file.
fn read(&(family, file, packed, step): &(&'static str, &'static str, &[u8], usize), all: &mut Vec<Lowered>) {
    let text = unpacked(packed);
    let first = |attributes: &[Vec<Row>; ATTRIBUTES]| attributes.each_ref().map(|rows| rows[0]);
    if family == "flipper" {
        let Ok(VectorFile::Flipper(cases)) = recognise(file.to_owned(), text) else {
            panic!("{file} holds no cases of Flipper")
        };
        for golden in cases.step_by(step) {
            for vertex in golden.unwrap_or_else(|flaw| panic!("{file}: {flaw}")).vertices {
                let (rows, inputs) = (vertex.case.context.rows().to_vec(), first(&vertex.case.attributes));
                let func = vertex.case.shader().lower();
                all.push(Lowered { family, file, func, rows, inputs, expected: Expected::Flipper(vertex) });
            }
        }
        return;
    }
    for lines in GoldenCase::records(&text).iter().step_by(step) {
        let golden = GoldenCase::parse(lines).unwrap_or_else(|flaw| panic!("{file}: {flaw}"));
        let (rows, inputs) = (golden.case.context.rows().to_vec(), first(&golden.case.attributes));
        let func = Shader::from(golden.case.setup).lower();
        all.push(Lowered { family, file, func, rows, inputs, expected: Expected::Fixed(golden) });
    }
}

/// Instructions that a fault changes: the chip, the part of the configuration, their operation, and which of these.
type Key = (&'static str, &'static str, &'static str, usize);

/// Every configuration, and where each has which instructions.
fn lowered() -> (Vec<Lowered>, Places<Key>) {
    let (mut all, mut places) = (Vec::new(), Places::new());
    FILES.iter().for_each(|file| read(file, &mut all));
    let mut workspace = Workspace::default();
    for (number, lowered) in all.iter().enumerate() {
        let func = &lowered.func;
        assert!(lowered.is_right(&mut workspace, func), "{}: case {number}", lowered.file);
        let live = live(func);
        let mut counts = BTreeMap::new();
        for at in func.order() {
            let Some(Place::Part(topic, part)) = func.origin(at).place() else { continue };
            let op = func.inst(at).op;
            let count = counts.entry((topic, part, op as usize)).or_insert(0);
            *count += 1;
            if *count <= MOST && live[at.index()] {
                let key = (lowered.family, topic.text(), op.text(), *count - 1);
                places::note(&mut places, key, number, at);
            }
        }
    }
    // Some of all kinds, short ones first.
    for of_key in places.values_mut() {
        let step = of_key.len().div_ceil(TRIED);
        *of_key = std::mem::take(of_key).into_iter().skip(step - 1).step_by(step).collect();
        of_key.sort_by_key(|&(number, _)| all[number].func.insts.len());
    }
    (all, places)
}

#[test]
fn every_fault_of_a_front_end_of_configurations_is_found() {
    let (lowered, places) = lowered();
    places::check(&lowered, &places, ONE_IN, "configurations.txt", |(family, topic, op, number)| {
        format!("{family}: {topic}: {op} {number}")
    });
}
