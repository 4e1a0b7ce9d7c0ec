//! Every primitive of the chip, one at a time, under every rule set: what its recipe makes of operands from all corners
//! of the number space equals the golden function, or a guard is raised (invariant I5); and no guard is raised for
//! ordinary numbers. `XFJIT_CASES` is the number of cases for each primitive and rule set; the release gate is 10^9, in
//! release mode. `XFJIT_OP=sin,cos` and `XFJIT_NUMERICS=HwKelvin,HwRankineModern` keep the primitives and the numerics
//! that they name, `XFJIT_THREADS` is the number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use xfjit::backend::{Backend, Interp, Worker};
use xfjit::front::Microcode;
use xfjit::front::fixed::Setup;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs, registers};
use xfjit::runtime::num::bits::{ONE, SIGN};
use xfjit::runtime::num::{Model, Numerics, Rules};
use xfjit::runtime::state::Context;
use xfjit::shader::Shader;
use xfjit::xf::celsius;
use xfjit::{Config, Generation, asm};
use xfjit_ir::ir::Op;
use xfjit_ir::legalize::Path;
use xfjit_testing::operand::{self, Temper};
use xfjit_testing::recipe::{self, Recipe, Shape, applies, primitives};
use xfjit_testing::setups::FixedSetup;
use xfjit_testing::{Choices, native, native_models, one_in, share};

/// Rows of operands of one batch.
const BATCH: usize = 1 << 12;
const RULES: [Rules; 4] = Rules::ALL;

/// A number from the environment.
fn number(name: &str, default: usize) -> usize {
    std::env::var(name)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

/// Whether the environment variable, a list of names, has this one or is not there.
fn wants(variable: &str, name: &str) -> bool {
    std::env::var(variable).map_or(true, |names| names.split(',').any(|wanted| wanted == name))
}

/// The primitives and numerics to check, less what the environment leaves out.
fn work(models: &[Model]) -> Vec<(Op, Numerics)> {
    let numerics = models.iter().flat_map(|&model| RULES.map(|rules| Numerics { model, rules }));
    let wanted = numerics.filter(|n| wants("XFJIT_NUMERICS", &format!("{:?}{:?}", n.model, n.rules)));
    let wanted: Vec<Numerics> = wanted.collect();
    let ops = primitives().filter(|op| wants("XFJIT_OP", op.text()));
    ops.flat_map(|op| wanted.iter().map(move |&numerics| (op, numerics)))
        .filter(|&(op, numerics)| applies(op, numerics))
        .collect()
}

/// Runs something for every item, on a few threads.
fn for_each<T: Copy + Sync>(items: &[T], run: impl Fn(T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..number("XFJIT_THREADS", 2) {
            scope.spawn(|| {
                while let Some(&item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run(item);
                }
            });
        }
    });
}

/// One row of a group strays; the others are ordinary, so that a guard is for that one. Groups are of four rows, and from the
/// middle on of sixteen.
fn fill(op: Op, rules: Rules, c: &mut Choices<'_>, temper: Temper, rows: &mut [[u32; 4]]) {
    let half = rows.len() / 2;
    for (i, row) in rows.iter_mut().enumerate() {
        let lanes = if i < half { 4 } else { 16 };
        *row = match temper {
            Temper::Wild if i % lanes == i / lanes % lanes => operand::row(c, Temper::Wild),
            Temper::Mixed => operand::row(c, Temper::Ordinary),
            _ => std::array::from_fn(|_| recipe::ordinary(op, rules, c)),
        };
        if op.is_short() {
            *row = row.map(|word| word & !0x3ff);
        }
    }
}

#[derive(Default)]
struct Count {
    rows: usize,
    guarded: usize,
}

/// Runs `cases` rows of a temper.
fn check(op: Op, numerics: Numerics, shape: Shape, temper: Temper, seed: u64, cases: usize) -> Count {
    check_recipe(Recipe::new(op, numerics, shape), (op, numerics, shape), temper, seed, cases)
}

fn check_recipe(
    mut recipe: Recipe,
    (op, numerics, shape): (Op, Numerics, Shape),
    temper: Temper,
    seed: u64,
    cases: usize,
) -> Count {
    let mut c = Choices::seed(seed);
    let batch = (share(BATCH as u64) as usize).next_multiple_of(32);
    let mut rows = vec![[0; 4]; batch];
    let mut results = vec![0; 4 * batch];
    let (mut guarded, mut is_guarded) = (Vec::<usize>::new(), vec![false; batch]);
    let mut golden = Vec::with_capacity(batch);
    let mut count = Count::default();
    let wrong = |backend: &str, row: [u32; 4], want: u32, got: u32| {
        let operands: Vec<String> = row.iter().map(|x| format!("{x:08x}")).collect();
        panic!(
            "{} {shape:?} {numerics:?} ({}) on {backend}: expected {want:08x}, got {got:08x}",
            op.text(),
            operands.join(", ")
        );
    };
    while count.rows < cases {
        fill(op, numerics.rules, &mut c, temper, &mut rows);
        let first = count.rows == 0;
        count.rows += batch;
        let codes = recipe.codes();
        golden.clear();
        golden.extend(rows.iter().take(batch * codes.len()).map(|&row| recipe.golden(row)));
        for (code, name) in codes.into_iter().enumerate() {
            recipe.run(code, &rows, &mut results, &mut guarded);
            is_guarded.fill(false);
            for &vertex in &guarded {
                is_guarded[vertex] = true;
            }
            count.guarded += if code == 0 { guarded.len() / 4 } else { 0 };
            for (((&row, &got), &want), &skip) in rows.iter().zip(&results).zip(&golden).zip(&is_guarded) {
                if want != got && !skip {
                    wrong(name, row, want, got);
                }
            }
            assert!(temper != Temper::Ordinary || guarded.is_empty(), "{name} guards ordinary numbers");
        }
        // The evaluator is slow: one batch is enough to tell the recipe from its machine code.
        if first {
            for &row in &rows {
                let want = recipe.golden(row);
                for evaluated in recipe.evaluate(row) {
                    match evaluated {
                        Some(got) if got != want => wrong("the evaluator", row, want, got),
                        Some(_) => {}
                        None => assert!(temper != Temper::Ordinary, "{} guards {row:08x?}", op.text()),
                    }
                }
            }
        }
    }
    count
}

/// Every temper, and operands of every shape.
fn check_primitive(op: Op, numerics: Numerics) {
    let start = Instant::now();
    let cases = number("XFJIT_CASES", share(40_000) as usize);
    let given = |temper, seed| check(op, numerics, Shape::Given, temper, seed, cases / 4);
    let plain = given(Temper::Ordinary, 1);
    assert_eq!(plain.guarded, 0, "{} {numerics:?} guards ordinary numbers", op.text());
    let (mixed, wild) = (given(Temper::Mixed, 2), given(Temper::Wild, 3));
    let mut rows = plain.rows + mixed.rows + wild.rows;
    if let Some(slow) = Recipe::on(Path::Slow, op, numerics, Shape::Given) {
        rows += check_recipe(slow, (op, numerics, Shape::Given), Temper::Wild, 6, cases / 4).rows;
    }
    let shapes = Shape::ALL.into_iter().enumerate().skip(1);
    for (number, shape) in shapes.filter(|(_, shape)| shape.applies(op, numerics.rules)) {
        for (temper, seed) in [(Temper::Wild, 4), (Temper::Mixed, 5)] {
            rows += check(op, numerics, shape, temper, seed + 2 * number as u64, cases / 16).rows;
        }
    }
    let percent = |count: &Count| 400.0 * count.guarded as f64 / count.rows as f64;
    println!(
        "{:9} {:?} {:?}: {rows} cases; groups guarded: everyday {:.2} %, one wild row {:.1} %; {:.0?}",
        op.text(),
        numerics.model,
        numerics.rules,
        percent(&mixed),
        percent(&wild),
        start.elapsed()
    );
}

fn check_all(model: Model) {
    let failures = Mutex::new(Vec::new());
    for_each(&work(&[model]), |(op, numerics)| {
        if std::panic::catch_unwind(|| check_primitive(op, numerics)).is_err() {
            failures.lock().expect("no panic while it is held").push((op.text(), numerics.rules));
        }
    });
    let failures = failures.into_inner().expect("no panic while it was held");
    assert!(failures.is_empty(), "{failures:?}");
}

#[test]
fn recipes_of_the_chip_equal_the_golden_functions_or_raise_a_guard() {
    check_all(Model::Hw);
}

#[test]
fn recipes_of_ieee_equal_the_golden_functions_or_raise_a_guard() {
    check_all(Model::Ieee);
}

/// All 2^32 operands of the primitives of one operand with `XFJIT_EXHAUSTIVE=1`, else a stride.
#[test]
fn primitives_of_one_operand_are_right_on_every_operand() {
    let step = if std::env::var_os("XFJIT_EXHAUSTIVE").is_some() { 1 } else { 20_011 * one_in() as usize };
    let mut work = work(&[Model::Hw, Model::Ieee]);
    work.retain(|(op, _)| op.operands() == 1);
    for_each(&work, |(op, numerics)| {
        for path in [Path::Quick, Path::Slow] {
            let recipe = Recipe::on(path, op, numerics, Shape::Given);
            recipe.into_iter().for_each(|recipe| exhaust(op, numerics, path, recipe, step));
        }
    });
}

fn exhaust(op: Op, numerics: Numerics, path: Path, mut recipe: Recipe, step: usize) {
    let start = Instant::now();
    let mut rows = vec![[ONE; 4]; BATCH];
    let mut results = vec![0; 4 * BATCH];
    let (mut guarded, mut is_guarded) = (Vec::<usize>::new(), vec![false; BATCH]);
    let mut count = Count::default();
    let (codes, mut golden) = (recipe.codes(), Vec::with_capacity(BATCH));
    let mut operands = (0..1u64 << 32).step_by(step);
    loop {
        let mut filled = 0;
        for (row, bits) in rows.iter_mut().zip(&mut operands) {
            row[0] = bits as u32;
            filled += 1;
        }
        if filled == 0 || codes.is_empty() {
            break;
        }
        count.rows += filled;
        golden.clear();
        golden.extend(rows.iter().map(|&row| recipe.golden(row)));
        for (code, name) in codes.iter().enumerate() {
            recipe.run(code, &rows, &mut results, &mut guarded);
            is_guarded.fill(false);
            for &vertex in &guarded {
                is_guarded[vertex] = true;
            }
            count.guarded += if code == 0 { guarded.len() } else { 0 };
            for (((&row, &got), &want), &skip) in rows.iter().zip(&results).zip(&golden).zip(&is_guarded) {
                assert!(
                    skip || want == got,
                    "{} {numerics:?} {path:?} ({:08x}) on {name}: expected {want:08x}, got {got:08x}",
                    op.text(),
                    row[0]
                );
            }
        }
    }
    println!(
        "{:9} {:?} {:?} {path:?}: {} operands; {:.2} % guarded; {:.0?}",
        op.text(),
        numerics.model,
        numerics.rules,
        count.rows,
        100.0 * count.guarded as f64 / count.rows as f64,
        start.elapsed()
    );
}

/// To normalise a zero vector is ordinary: its reciprocal length is infinite, and zero times that is zero.
#[test]
fn a_zero_vector_is_normalised_by_native_code() {
    let Some(jit) = native().filter(|_| native_models().contains(&Model::Hw)) else { return };
    let text = "DP3 r0.w, v0, v0\nRSQ r0.w, r0.w\nMUL r0.xyz, v0, r0.w\nDP3 oPos.w, r0, v0\nMOV oPos.xyz, r0";
    let program = std::sync::Arc::new(asm::parse(Generation::Kelvin, text).expect("it assembles"));
    let config = Config::new(Generation::Kelvin).model(Model::Hw).live_outputs(1);
    let routine = jit.prepare(&Microcode::shader(&program, &config)).expect("it compiles");
    let rows = [[0, 0, 0, 0], [0, 0x4000_0000, 0, 0], [SIGN, 0, SIGN, 0], [0x007f_ffff, 0, 0, 0]];
    let mut out = [0; 16];
    let inputs = Inputs::new(4).with(0, Attribute::rows(&rows));
    let mut context = Context::new(Generation::Kelvin.constants());
    let mut outputs = Outputs::interleaved(&mut out, &[0]);
    let outcome = routine.run(&mut Worker::new(), &mut context, &inputs, &mut outputs);
    assert_eq!(outcome.expect("the streams are long enough").deopt_groups, 0);
    assert_eq!(out, [0, 0, 0, 0, 0, 0x3f7f_ffff, 0, 0x3fff_ffff, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/// Zero vectors in Celsius's fixed function, where a NaN would win over the zero.
#[test]
fn celsius_normalises_zero_vectors_in_native_code() {
    let Some(jit) = native().filter(|_| native_models().contains(&Model::Hw)) else { return };
    let set = FixedSetup::find("F2").expect("it is of the set");
    let setup = Setup::new(set.mode());
    let live: Vec<u8> = registers(setup.outputs()).map(|register| register as u8).collect();
    let mut attributes = set.vertices(8);
    attributes[usize::from(celsius::NRML)].fill([0, SIGN, 0, ONE]);
    let mut inputs = Inputs::new(8);
    for (attribute, rows) in inputs.attributes.iter_mut().zip(&attributes) {
        *attribute = Attribute::rows(rows);
    }
    let [want, got] = [&Interp::Single as &dyn Backend, &*jit].map(|backend| {
        let routine = backend.prepare(&Shader::from(setup)).expect("it is small enough");
        let mut words = vec![0; 8 * 4 * live.len()];
        let mut outputs = Outputs::interleaved(&mut words, &live);
        let outcome = routine.run(&mut Worker::new(), &mut set.context(), &inputs, &mut outputs);
        assert_eq!(outcome.expect("the streams are long enough").deopt_groups, 0, "{}", backend.name());
        words
    });
    assert_eq!(want, got);
}
