//! Which plausible data leave the quick path, and why: the table in docs/PERFORMANCE.md is made of 10,000 draws, by the guards of the code
//! for AVX2. `XFJIT_BLESS=1 cargo test --test guards` writes it anew; read the difference before committing it.

// Where two NaNs meet, other processors keep the other one, and another operation counts as the cause.
#![cfg(target_arch = "x86_64")]

mod draws;

use draws::{DRAWS, Draw, POOL, SUBJECTS, TRAITS, VERTICES};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path as File;
use xfjit::Model;
use xfjit::runtime::state::{ATTRIBUTES, Row};
use xfjit_ir::ir::eval;
use xfjit_ir::ir::func::{Func, Value};
use xfjit_ir::ir::ops::Op;
use xfjit_ir::machine::Machine;
use xfjit_ir::{legalize, opt};

/// A cause that more than this share of all vertices has is explained in [`REASONS`].
const SHARE: f64 = 0.001;

/// Why a recipe has its guard, by the operation that raises it and what it finds there.
const REASONS: [(&str, &str, &str); 12] = [
    ("sum2", "NaN", SUM_NAN),
    ("sum3", "NaN", SUM_NAN),
    ("get", "NaN", "A NaN from a sum in an earlier turn of a loop."),
    (
        "squash",
        "great",
        "The guard for LT's two greatest exponents is where numbers are output from LT, so that no earlier recipe has to check for them.",
    ),
    ("sum2", "great", SUM_GREAT),
    ("sum3", "great", SUM_GREAT),
    ("sum4", "great", SUM_GREAT),
    (
        "mul",
        "great",
        "Infinity times 0, or an overflow, whose result is no infinity on Kelvin. Where only sums read a product, the sums check for it instead.",
    ),
    (
        "rcc",
        "operand",
        "Celsius's RCC of 0 and of denormals: the clamp keeps the fraction, and these have another fraction.",
    ),
    (
        "lt_rcp",
        "operand",
        "LT's reciprocal of 0: the recipe is exact for numbers with exponents from 1 to 252.",
    ),
    (
        "lt_add",
        "small",
        "The addends of LT's sum are so small that the aligned sum has no exponent to scale by.",
    ),
    ("lts_mul", "great", "LT's scalar product is infinite by its exponents alone, before it carries."),
];

const SUM_NAN: &str = "Infinity minus infinity, or infinity times 0: RSQ and RCP make infinity of 0. The host's NaN has other bits than the model's; choosing the bits would cost two operations a sum.";
const SUM_GREAT: &str =
    "An infinity or a NaN among the addends, or an overflow. An aligned sum has no place for them.";

/// What a guard found.
type Cause = (&'static str, &'static str);

/// How the vertices of one model fared, by what is odd about them.
#[derive(Default)]
struct Tally {
    vertices: [u64; TRAITS.len()],
    guarded: [u64; TRAITS.len()],
    causes: BTreeMap<Cause, [u64; TRAITS.len()]>,
}

/// What a guard found, and in which operation: of a NaN the one that made it.
fn cause(func: &Func, guard: Value, culprit: Option<Value>) -> Cause {
    let what = match (func.inst(guard).op, culprit) {
        (Op::RowGuard, _) | (_, Some(_)) => "NaN",
        (Op::BigGuard, _) => "great",
        (Op::SmallGuard, _) => "small",
        _ => "operand",
    };
    let origin = func.origin(culprit.unwrap_or(guard));
    (origin.primitive().map_or("input", Op::text), what)
}

impl Tally {
    fn add(&mut self, oddity: usize, causes: &[Cause]) {
        self.vertices[oddity] += 1;
        self.guarded[oddity] += u64::from(!causes.is_empty());
        for &cause in causes {
            self.causes.entry(cause).or_default()[oddity] += 1;
        }
    }
}

/// Why a vertex leaves the quick path; nothing if it stays.
fn causes(func: &Func, constants: &[Row], vertex: &[Row; ATTRIBUTES]) -> Vec<Cause> {
    let raised = eval::raised(func, constants, |register| vertex[register]);
    let mut causes: Vec<Cause> =
        raised.into_iter().map(|(guard, culprit)| cause(func, guard, culprit)).collect();
    causes.sort_unstable();
    causes.dedup();
    causes
}

fn tally(model: Model) -> Tally {
    let subjects: Vec<_> = SUBJECTS.iter().map(|subject| subject.prepared(model)).collect();
    let quick: Vec<Func> = subjects
        .iter()
        .map(|prepared| {
            let lowered = opt::simplify(prepared.shader.lower());
            opt::simplify(legalize::run(&lowered, &Machine::X86_64_V3))
        })
        .collect();
    let mut tally = Tally::default();
    // Of vertices that are in many draws, as they are.
    let mut known = vec![vec![None; POOL]; subjects.len()];
    for number in 0..DRAWS {
        let at = number % subjects.len();
        let draw = Draw::of(&subjects[at], number as u64);
        let look = |vertex| causes(&quick[at], &draw.constants, vertex);
        for (vertex, usual) in draw.vertices.iter().zip(&draw.usual) {
            match *usual {
                Some(usual) => tally.add(draw.oddity, known[at][usual].get_or_insert_with(|| look(vertex))),
                None => tally.add(draw.oddity, &look(vertex)),
            }
        }
    }
    tally
}

impl Tally {
    fn all(&self) -> u64 {
        self.vertices.iter().sum()
    }

    /// The causes that more than [`SHARE`] of all vertices have, those that most have first.
    fn frequent(&self) -> Vec<(Cause, f64)> {
        let share = |counts: &[u64; TRAITS.len()]| counts.iter().sum::<u64>() as f64 / self.all() as f64;
        let mut causes: Vec<_> = self.causes.iter().map(|(&cause, counts)| (cause, share(counts))).collect();
        causes.retain(|&(_, share)| share > SHARE);
        causes.sort_by(|a, b| b.1.total_cmp(&a.1));
        causes
    }
}

fn percent(part: u64, whole: u64) -> String {
    if part == 0 { "none".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// The section of the page.
fn section(ieee: &Tally, hw: &Tally) -> String {
    let mut text = "| what is odd about a draw | vertices of such draws | run again, `ieee` | run again, `hw` |\n|---|---|---|---|\n".to_owned();
    for (at, oddity) in TRAITS.iter().enumerate() {
        let shares = [ieee, hw].map(|tally| percent(tally.guarded[at], tally.vertices[at]));
        let _ = writeln!(text, "| {} | {} | {} | {} |", oddity.what, ieee.vertices[at], shares[0], shares[1]);
    }
    let shares = [ieee, hw].map(|tally| percent(tally.guarded.iter().sum(), tally.all()));
    let _ = writeln!(text, "| all | {} | {} | {} |\n", ieee.all(), shares[0], shares[1]);
    text += "| model | operation | finds | of all vertices | why there is a guard |\n|---|---|---|---|---|\n";
    for (model, tally) in [("ieee", ieee), ("hw", hw)] {
        for ((operation, what), share) in tally.frequent() {
            let reason = REASONS.iter().find(|&&(of, found, _)| (of, found) == (operation, what));
            let (_, _, reason) = reason.unwrap_or_else(|| panic!("{model}: {operation} finds {what} in {share} of all vertices, and nobody says why it has a guard"));
            let _ =
                writeln!(text, "| `{model}` | `{operation}` | {what} | {:.2} % | {reason} |", 100.0 * share);
        }
    }
    text
}

const BEGIN: &str = "<!-- guards: made by tests/guards -->\n";
const END: &str = "<!-- end of guards -->\n";

#[test]
fn the_page_says_what_leaves_the_quick_path() {
    let (ieee, hw) = std::thread::scope(|scope| {
        let ieee = scope.spawn(|| tally(Model::Ieee));
        let hw = tally(Model::Hw);
        (ieee.join().expect("it ends"), hw)
    });
    assert_eq!(ieee.all(), (DRAWS * VERTICES) as u64);
    // What is ordinary leaves never: the benchmark's own data are such.
    assert_eq!([ieee.guarded[0], hw.guarded[0]], [0; 2]);
    for &(operation, what, _) in &REASONS {
        let is_seen = [&ieee, &hw]
            .into_iter()
            .any(|t| t.frequent().iter().any(|(cause, _)| *cause == (operation, what)));
        assert!(is_seen, "{operation} {what} has a reason, and is no frequent cause");
    }
    let path = File::new(env!("CARGO_MANIFEST_DIR")).join("docs/PERFORMANCE.md");
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = page.split_once(BEGIN).expect("the page has the section");
    let (_, after) = rest.split_once(END).expect("the section ends");
    let new = format!("{before}{BEGIN}\n{}\n{END}{after}", section(&ieee, &hw));
    if std::env::var_os("XFJIT_BLESS").is_some() {
        std::fs::write(&path, new).expect("the page can be written");
    } else {
        assert!(page == new, "docs/PERFORMANCE.md has other figures; XFJIT_BLESS=1 writes it anew");
    }
}
