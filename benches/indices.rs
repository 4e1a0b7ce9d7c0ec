//! Batches of 1024 vertices through index lists, beside the same number one behind the other. `once` runs each vertex of a
//! mesh that names it six times once, with the search for them and without; `each` runs all 6 times 1024.

use divan::Bencher;
use std::sync::Arc;
use xfjit::front::Microcode;
use xfjit::runtime::batch::Outputs;
use xfjit::runtime::distinct::Distinct;
use xfjit::runtime::format::InputLayout;
use xfjit::runtime::indices::{IndexLayout, IndexWidth};
use xfjit::{Engine, Model, Options, Program, Worker};
use xfjit_testing::programs::Fixed;

const COUNT: usize = 1024;
const PROGRAMS: [&str; 2] = ["P1", "P3"];
/// How often a mesh names a vertex.
const TIMES: usize = 6;

fn main() {
    divan::main();
}

fn program(fixed: &Fixed, indices: IndexLayout) -> Arc<Program> {
    let shader = Microcode::shader(&Arc::new(fixed.program()), &fixed.config(Model::Ieee));
    let program =
        Engine::new(Options::default()).shader(&shader.with_inputs(InputLayout::ROWS.indexed(indices)));
    assert!(program.stats().native, "it is compiled");
    program
}

/// Numbers below [`COUNT`], each once, in no order.
fn shuffled() -> Vec<u32> {
    (0..COUNT as u32).map(|i| i.wrapping_mul(613).wrapping_add(77) % COUNT as u32).collect()
}

/// As in a strip of triangles: near to the one before.
fn strip() -> Vec<u32> {
    (0..COUNT as u32).map(|i| i / 2 + i % 2 * (COUNT as u32 / 2)).collect()
}

/// Triangles of a grid of 32 by 32 vertices.
fn mesh() -> Vec<u32> {
    let corner = |x: u32, y: u32| y % 32 * 32 + x % 32;
    let cells = (0..32).flat_map(|y| (0..32).map(move |x| (x, y)));
    cells
        .flat_map(|(x, y)| {
            [(0, 0), (1, 0), (0, 1), (0, 1), (1, 0), (1, 1)].map(|(a, b)| corner(x + a, y + b))
        })
        .collect()
}

fn run(bencher: Bencher<'_, '_>, name: &str, indices: IndexLayout, list: Option<&[u32]>) {
    let fixed = Fixed::find(name).expect("one of the fixed set");
    let program = program(fixed, indices);
    let (mut worker, mut context) = (Worker::new(), fixed.context());
    let words = fixed.vertices(COUNT);
    let halves: Vec<u16> = list.unwrap_or(&[]).iter().map(|&number| number as u16).collect();
    let count = list.map_or(COUNT, <[u32]>::len);
    let mut out = vec![0; count * fixed.output_words()];
    bencher.bench_local(|| {
        let inputs = fixed.inputs(&words, COUNT);
        let inputs = match (list, indices.width()) {
            (None, _) => inputs,
            (Some(_), Some(IndexWidth::Half)) => inputs.indexed(&halves),
            (Some(list), _) => inputs.indexed(list),
        };
        program.run(&mut worker, &mut context, &inputs, &mut Outputs::interleaved(&mut out, fixed.outputs))
    });
}

#[divan::bench(args = PROGRAMS)]
fn sequential(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, IndexLayout::NONE, None);
}

#[divan::bench(args = PROGRAMS)]
fn in_place_shuffled_32(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, IndexLayout::shared(IndexWidth::Word), Some(&shuffled()));
}

#[divan::bench(args = PROGRAMS)]
fn in_place_strip_32(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, IndexLayout::shared(IndexWidth::Word), Some(&strip()));
}

#[divan::bench(args = PROGRAMS)]
fn in_place_strip_16(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, IndexLayout::shared(IndexWidth::Half), Some(&strip()));
}

/// For code that expects no list vertices are copied.
#[divan::bench(args = PROGRAMS)]
fn copied_strip_32(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, IndexLayout::NONE, Some(&strip()));
}

#[divan::bench(args = PROGRAMS)]
fn mesh_each(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, IndexLayout::shared(IndexWidth::Word), Some(&mesh()));
}

#[divan::bench(args = PROGRAMS)]
fn mesh_copied(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, IndexLayout::NONE, Some(&mesh()));
}

#[divan::bench(args = PROGRAMS)]
fn mesh_once(bencher: Bencher<'_, '_>, name: &str) {
    once(bencher, name, true);
}

/// With a list that has been looked through before.
#[divan::bench(args = PROGRAMS)]
fn mesh_once_kept(bencher: Bencher<'_, '_>, name: &str) {
    once(bencher, name, false);
}

fn once(bencher: Bencher<'_, '_>, name: &str, searches: bool) {
    let fixed = Fixed::find(name).expect("one of the fixed set");
    let program = program(fixed, IndexLayout::shared(IndexWidth::Word));
    let (mut worker, mut context) = (Worker::new(), fixed.context());
    let (words, list) = (fixed.vertices(COUNT), mesh());
    assert_eq!(list.len(), TIMES * COUNT);
    let mut out = vec![0; COUNT * fixed.output_words()];
    let mut distinct = Distinct::new();
    distinct.find(&(&list).into(), None).expect("it is short");
    bencher.bench_local(|| {
        if searches {
            distinct.find(&(&list).into(), None).expect("it is short");
        }
        let draw = fixed.inputs(&words, COUNT).indexed(&list);
        let inputs = distinct.inputs(&draw, program.needs()).expect("it writes no constants");
        program.run(&mut worker, &mut context, &inputs, &mut Outputs::interleaved(&mut out, fixed.outputs))
    });
}
