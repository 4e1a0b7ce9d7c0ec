//! Faulty recipes: one machine operation of those that a recipe makes is another one, has other operands, another literal, or is
//! left out, guards among them.
//!
//! Each recipe is made for each set of rules, each way in which its operands come about, and each set of operations that machines
//! have. Those that come out alike are one. The evaluator runs a faulty one on operands of all kinds. What finds it is the golden
//! function, unless a guard is raised; or a guard that is raised for ordinary operands.

use crate::funcs::{CHANGES, Change, changed, said, standing};
use crate::tally;
use std::collections::HashSet;
use std::sync::Arc;
use xfjit::runtime::num::{Model, Numerics, Rules};
use xfjit::runtime::state::Row;
use xfjit_ir::ir::eval::{self, Workspace};
use xfjit_ir::ir::verify::verify;
use xfjit_ir::ir::{Func, Op, Value};
use xfjit_ir::legalize::{self, Path};
use xfjit_ir::machine::Machine;
use xfjit_ir::opt;
use xfjit_testing::Choices;
use xfjit_testing::operand::{self, Temper};
use xfjit_testing::proofs::Example;
use xfjit_testing::recipe::{self, Shape, applies, primitives};

/// One of so many is tried by default.
const ONE_IN: usize = 96;
/// Rows of operands: ordinary ones, ...
const ORDINARY: usize = 48;
/// ... and others.
const OTHERS: usize = 1536;

/// Machines with each set of operations that recipes ask for.
const MACHINES: [Machine; 3] = [Machine::X86_64, Machine::X86_64_V3, Machine::X86_64_V4];

/// Ways in which operands come about. Those of [`Shape`] that are left have literals for operands, which fold most of a recipe away.
const SHAPES: [Shape; 7] =
    [Shape::Given, Shape::Product, Shape::Squares, Shape::Sums, Shape::Truths, Shape::Part, Shape::Positive];
/// From one operand to the next, where a primitive has one.
const STRIDE: usize = 200_011;

/// What has found a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Finder {
    /// It is no function, for the verifier.
    Verifier,
    /// A result differs from the golden function's, and no guard is raised.
    Bits,
    /// A guard is raised for ordinary operands.
    Guards,
    /// Every result is right, and other rare operands are left to the interpreter.
    Rare,
    /// Nothing.
    Nothing,
}

/// A recipe, operands, and what it should make of them.
struct Recipe {
    name: String,
    op: Op,
    path: Path,
    func: Func,
    rows: Arc<[Row]>,
    golden: Arc<[u32]>,
    guarded: Vec<bool>,
}

impl Recipe {
    /// Whether a value was made for the primitive, and not for what makes its operands.
    fn is_own(&self, value: Value) -> bool {
        let made = self.func.origin(value).primitive();
        made.is_none_or(|primitive| primitive == self.op || primitive == Op::Output)
    }
}

/// Operands on which recipes were wrong once, or would be without one of their guards.
fn found() -> Vec<Row> {
    let lines = include_str!("../proofs/operands.txt").lines();
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|line| Example::parse(line).expect("an example").operands()).collect()
}

/// Ordinary operands, and then others.
fn rows(op: Op, rules: Rules) -> Vec<Row> {
    let mut c = Choices::seed(op as u64);
    let cut = |row: Row| if op.is_short() { row.map(|word| word & !0x3ff) } else { row };
    let plain = |c: &mut Choices<'_>| std::array::from_fn(|_| recipe::ordinary(op, rules, c));
    let mut rows: Vec<Row> = (0..ORDINARY).map(|_| cut(plain(&mut c))).collect();
    rows.extend(found().into_iter().map(cut));
    // Each exponent, with the least fractions and the greatest.
    for step in 0..1024 {
        let mut row = operand::row(&mut c, Temper::Mixed);
        let fraction = [0, 1, 0x7f_ffff, c.word() & 0x7f_ffff][step as usize & 3];
        row[step as usize / 2 % op.operands()] = step >> 9 << 31 | (step >> 1 & 255) << 23 | fraction;
        rows.push(cut(row));
    }
    if op.operands() == 1 {
        rows.extend((0..1u64 << 32).step_by(STRIDE).map(|bits| cut([bits as u32; 4])));
    }
    rows.extend((0..OTHERS).map(|number| {
        let temper = if number % 4 == 0 { Temper::Mixed } else { Temper::Wild };
        cut(operand::row(&mut c, temper))
    }));
    rows
}

/// What a function makes of a row: its result, and whether a guard is raised.
fn run(workspace: &mut Workspace, func: &Func, row: Row) -> (Row, bool) {
    let outcome = eval::run_in(workspace, func, &[], |_| row);
    (outcome.outputs[0], outcome.guarded)
}

/// Every recipe that differs from the others.
fn recipes() -> Vec<Recipe> {
    let (mut recipes, mut seen) = (Vec::new(), HashSet::new());
    let numerics = [Model::Hw, Model::Ieee]
        .into_iter()
        .flat_map(|model| Rules::ALL.map(|rules| Numerics { model, rules }));
    let numerics: Vec<Numerics> = numerics.collect();
    let mut workspace = Workspace::new(1 << 10);
    for op in primitives() {
        for &numerics in numerics.iter().filter(|&&numerics| applies(op, numerics)) {
            let rows: Arc<[Row]> = rows(op, numerics.rules).into();
            for shape in SHAPES.into_iter().filter(|shape| shape.applies(op, numerics.rules)) {
                let simple = opt::simplify(recipe::lowered(op, numerics, shape));
                let mut golden: Arc<[u32]> = Arc::default();
                for path in [Path::Quick, Path::Slow] {
                    if path == Path::Slow && !legalize::has_slow_path(&simple) {
                        continue;
                    }
                    for machine in MACHINES {
                        let func = legalize::run_within(&simple, &machine, path, usize::MAX);
                        let func = opt::sweep(func.expect("without a limit nothing is over it"));
                        let made: Vec<_> = func.order().map(|value| *func.inst(value)).collect();
                        if !seen.insert((numerics.model, made)) {
                            continue;
                        }
                        let name = format!("{} {:?} {path:?}", op.text(), numerics.model).to_lowercase();
                        if golden.is_empty() {
                            golden =
                                rows.iter().map(|&row| recipe::golden(op, numerics, shape, row)).collect();
                        }
                        let guarded = rows.iter().map(|&row| run(&mut workspace, &func, row).1).collect();
                        recipes.push(Recipe {
                            name,
                            op,
                            path,
                            func,
                            rows: Arc::clone(&rows),
                            golden: Arc::clone(&golden),
                            guarded,
                        });
                    }
                }
            }
        }
    }
    recipes
}

/// What finds a change of an instruction.
fn finder(recipe: &Recipe, at: Value, change: Change) -> Option<Finder> {
    let func = changed(&recipe.func, at, change)?;
    if verify(&func).is_err() {
        return Some(Finder::Verifier);
    }
    let mut workspace = Workspace::new(func.insts.len());
    let mut is_rare = false;
    for (number, &row) in recipe.rows.iter().enumerate() {
        let (result, guarded) = run(&mut workspace, &func, row);
        if !guarded && result != [recipe.golden[number]; 4] {
            return Some(Finder::Bits);
        }
        if guarded && number < ORDINARY && !recipe.guarded[number] {
            return Some(Finder::Guards);
        }
        is_rare |= guarded != recipe.guarded[number];
    }
    Some(if is_rare { Finder::Rare } else { Finder::Nothing })
}

#[test]
fn every_fault_of_a_recipe_is_found() {
    let recipes = recipes();
    let (mut all, mut seen) = (Vec::new(), HashSet::new());
    for recipe in &recipes {
        let Recipe { op, path, ref func, .. } = *recipe;
        for at in func.order().filter(|&at| recipe.is_own(at)) {
            // What stands alike in several recipes of a primitive is changed once.
            let standing = standing(func, at, &|value| !recipe.is_own(value));
            if seen.insert((op, func.numerics.model, path == Path::Slow, standing)) {
                all.extend(CHANGES.map(|change| (recipe, at, change)));
            }
        }
    }
    println!("{} recipes, {} mutants at most", recipes.len(), all.len());
    tally::check(
        &all,
        ONE_IN,
        Finder::Nothing,
        &tally::reasons("recipes.txt"),
        |&(recipe, at, change)| {
            format!(
                "{}: {}: {change}",
                recipe.name,
                said(&recipe.func, at, 1, &|value| !recipe.is_own(value))
            )
        },
        |&(recipe, at, change)| finder(recipe, at, change),
    );
}
