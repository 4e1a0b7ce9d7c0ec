//! Every primitive of the chip, one at a time, under every rule set: what its recipe makes of operands from all corners
//! of the number space equals the golden function, or a guard is raised (invariant I5); and no guard is raised for
//! ordinary numbers. `XFJIT_CASES` is the number of cases for each primitive and rule set; the release gate is 10^9, in
//! release mode. `XFJIT_OP=sin` names one primitive, `XFJIT_NUMERICS=HwRankineModern` the numerics of the exhaustive
//! test.

use xfjit::ir::Op;
use xfjit::runtime::num::{Model, Numerics, Rules};
use xfjit::testing::Choices;
use xfjit::testing::operand::{self, Temper};
use xfjit::testing::recipe::{Recipe, primitives};

const SIGN: u32 = 0x8000_0000;
const ONE: u32 = 0x3f80_0000;
/// Rows of operands of one batch.
const BATCH: usize = 1 << 12;
const RULES: [Rules; 3] = [Rules::Kelvin, Rules::RankineLegacy, Rules::RankineModern];

fn cases() -> usize {
    let given = std::env::var("XFJIT_CASES").ok();
    given.map_or(40_000, |text| text.parse().expect("XFJIT_CASES is a number"))
}

/// Whether the primitive exists under these rules.
fn applies(op: Op, rules: Rules) -> bool {
    match op {
        Op::Flr | Op::Frc | Op::Arr | Op::Saturate | Op::Lg2 | Op::Ex2 | Op::Sin | Op::Cos => {
            rules.is_rankine()
        }
        // The fixed function ends with Rankine; its arithmetic has no rules.
        _ if is_lighting(op) => rules == Rules::Kelvin,
        _ => true,
    }
}

fn is_lighting(op: Op) -> bool {
    takes_22_bits(op) || matches!(op, Op::XfToLt | Op::LtcLoad | Op::Fog | Op::Window | Op::Squash)
}

/// Whether the operands are numbers of 22 bits.
fn takes_22_bits(op: Op) -> bool {
    use Op::{LtAdd, LtAdd3, LtClamp, LtMul, LtRcp, LtRsq, LtsAdd, LtsMul};
    matches!(op, LtMul | LtAdd | LtAdd3 | LtRcp | LtRsq | LtClamp | LtsMul | LtsAdd)
}

/// An ordinary operand: not zero, magnitude 2^-20 .. 2^20, positive where the primitive has no result for others.
fn ordinary(op: Op, rules: Rules, c: &mut Choices<'_>) -> u32 {
    let modern = matches!(op, Op::Rsq | Op::LogX | Op::LogY | Op::LogZ) && rules.is_modern();
    let signless = modern || matches!(op, Op::Lg2 | Op::LtRsq);
    let sign = if signless { 0 } else { c.word() & SIGN };
    sign | (107 + c.below(40)) << 23 | c.word() & 0x7f_ffff
}

/// One of four rows, that of one group, strays; the other three are ordinary, so that a guard is for that one.
fn fill(op: Op, rules: Rules, c: &mut Choices<'_>, temper: Temper, rows: &mut [[u32; 4]]) {
    for (i, row) in rows.iter_mut().enumerate() {
        *row = match temper {
            Temper::Wild if i % 4 == i / 4 % 4 => operand::row(c, Temper::Wild),
            Temper::Mixed => operand::row(c, Temper::Ordinary),
            _ => std::array::from_fn(|_| ordinary(op, rules, c)),
        };
        if takes_22_bits(op) {
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
fn check(op: Op, numerics: Numerics, product: bool, temper: Temper, seed: u64, cases: usize) -> Count {
    let product = product.then_some(if takes_22_bits(op) { Op::LtMul } else { Op::Mul });
    let mut recipe = Recipe::of_product(op, numerics, product);
    let mut c = Choices::seed(seed);
    let mut rows = vec![[0; 4]; BATCH];
    let mut results = vec![0; 4 * BATCH];
    let (mut guarded, mut is_guarded) = (Vec::<usize>::new(), vec![false; BATCH]);
    let mut count = Count::default();
    let wrong = |backend: &str, row: [u32; 4], want: u32, got: u32| {
        let operands: Vec<String> = row[..op.operands().max(2)].iter().map(|x| format!("{x:08x}")).collect();
        panic!(
            "{} {product:?} {numerics:?} ({}) on {backend}: expected {want:08x}, got {got:08x}",
            op.text(),
            operands.join(", ")
        );
    };
    while count.rows < cases {
        fill(op, numerics.rules, &mut c, temper, &mut rows);
        let first = count.rows == 0;
        count.rows += BATCH;
        if recipe.run(&rows, &mut results, &mut guarded) {
            is_guarded.fill(false);
            for &vertex in &guarded {
                is_guarded[vertex] = true;
            }
            count.guarded += guarded.len() / 4;
            for ((&row, &got), &skip) in rows.iter().zip(&results).zip(&is_guarded) {
                let want = recipe.golden(row);
                if want != got && !skip {
                    wrong("native code", row, want, got);
                }
            }
        }
        // The evaluator is slow: one batch is enough to tell the recipe from its machine code.
        if first {
            for &row in &rows {
                let want = recipe.golden(row);
                match recipe.evaluate(row) {
                    Some(got) if got != want => wrong("the evaluator", row, want, got),
                    Some(_) => {}
                    None => assert!(temper != Temper::Ordinary, "{} guards {row:08x?}", op.text()),
                }
            }
        }
    }
    count
}

fn check_all(model: Model) {
    let filter = std::env::var("XFJIT_OP").ok();
    let ops = primitives().filter(|op| filter.as_ref().is_none_or(|name| name == op.text()));
    let work: Vec<(Op, Rules)> = ops
        .flat_map(|op| RULES.map(|rules| (op, rules)))
        .filter(|&(op, rules)| applies(op, rules))
        // An address, being no float, cannot be seen in this model; the fixed function knows one model.
        .filter(|(op, _)| model == Model::Hw || !(matches!(op, Op::Arl | Op::Arr) || is_lighting(*op)))
        .collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let failures = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(&(op, rules)) =
                    work.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    let numerics = Numerics { model, rules };
                    let run = || {
                        let plain = check(op, numerics, false, Temper::Ordinary, 1, cases() / 4);
                        assert_eq!(plain.guarded, 0, "{} {numerics:?} guards ordinary numbers", op.text());
                        let mixed = check(op, numerics, false, Temper::Mixed, 2, cases() / 4);
                        let wild = check(op, numerics, false, Temper::Wild, 3, cases() / 2);
                        check(op, numerics, true, Temper::Wild, 4, cases() / 4);
                        check(op, numerics, true, Temper::Mixed, 5, cases() / 4);
                        let percent = |count: &Count| 400.0 * count.guarded as f64 / count.rows as f64;
                        println!(
                            "{:9} {model:?} {rules:?}: groups guarded: everyday {:.2} %, one wild row {:.1} %",
                            op.text(),
                            percent(&mixed),
                            percent(&wild)
                        );
                    };
                    if std::panic::catch_unwind(run).is_err() {
                        failures.lock().expect("no panic while it is held").push((op.text(), rules));
                    }
                }
            });
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
    let step = if std::env::var_os("XFJIT_EXHAUSTIVE").is_some() { 1 } else { 20_011 };
    let filter = std::env::var("XFJIT_OP").ok();
    let only = std::env::var("XFJIT_NUMERICS").ok();
    for op in primitives().filter(|op| op.operands() == 1) {
        if filter.as_ref().is_some_and(|name| name != op.text()) {
            continue;
        }
        for (model, rules) in [Model::Hw, Model::Ieee].into_iter().flat_map(|model| RULES.map(|r| (model, r)))
        {
            let hw_only = matches!(op, Op::Arl | Op::Arr) || is_lighting(op);
            let wanted = only.as_ref().is_none_or(|name| *name == format!("{model:?}{rules:?}"));
            if wanted && !(hw_only && model == Model::Ieee) && applies(op, rules) {
                exhaust(op, Numerics { model, rules }, step);
            }
        }
    }
}

fn exhaust(op: Op, numerics: Numerics, step: u64) {
    let start = std::time::Instant::now();
    let halves = std::thread::scope(|scope| {
        let threads = [0, 1u64 << 31].map(|first| {
            scope.spawn(move || {
                let mut recipe = Recipe::new(op, numerics);
                let mut rows = vec![[ONE; 4]; BATCH];
                let mut results = vec![0; 4 * BATCH];
                let (mut guarded, mut is_guarded) = (Vec::<usize>::new(), vec![false; BATCH]);
                let mut count = Count::default();
                let mut operands = (first..first + (1 << 31)).step_by(step as usize);
                loop {
                    let mut filled = 0;
                    for (row, bits) in rows.iter_mut().zip(&mut operands) {
                        row[0] = bits as u32;
                        filled += 1;
                    }
                    if filled == 0 {
                        return count;
                    }
                    if !recipe.run(&rows, &mut results, &mut guarded) {
                        return count;
                    }
                    is_guarded.fill(false);
                    for &vertex in &guarded {
                        is_guarded[vertex] = true;
                    }
                    count.rows += filled;
                    count.guarded += guarded.len();
                    for ((&row, &got), &skip) in rows.iter().zip(&results).zip(&is_guarded) {
                        let want = recipe.golden(row);
                        assert!(
                            skip || want == got,
                            "{} {numerics:?} ({:08x}): expected {want:08x}, got {got:08x}",
                            op.text(),
                            row[0]
                        );
                    }
                }
            })
        });
        threads.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let [rows, guarded] =
        [|c: &Count| c.rows, |c: &Count| c.guarded].map(|of| of(&halves[0]) + of(&halves[1]));
    println!(
        "{:9} {numerics:?}: {:.2} % guarded, {:.0?}",
        op.text(),
        100.0 * guarded as f64 / rows as f64,
        start.elapsed()
    );
}
