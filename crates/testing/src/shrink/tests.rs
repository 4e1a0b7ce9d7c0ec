use super::*;
use crate::backend::{Eval, Interp};
use crate::case::{Limits, RandomCase};
use crate::check::difference;
use crate::chip::Family;
use crate::chip::mode::Name;
use crate::filetest::{Bless, CheckFileTest, FileTest, check_text};
use crate::fixed::RandomFixed;
use crate::flipper::RandomFlipper;
use crate::isa::op::{ScaOp, VecOp};
use crate::isa::{Bank, Generation, Insn};
use crate::repro::{Case, FixedCase, FlipperCase};
use crate::{Choices, Mistaken};
use xfjit_runtime::num::Model;

/// Lines that a finding may have.
const LINES: usize = 10;

/// Whether a back end does something else than the reference.
fn differs<C: Shrinks>(case: &C, reference: &dyn Backend, mistaken: &dyn Backend) -> bool {
    let mut worker = Worker::new();
    let mut run = |backend| case.run_on(backend, &mut worker).ok().map(|(ran, _)| ran);
    let Some((want, got)) = run(reference).zip(run(mistaken)) else { return false };
    difference(&case.placement(), &want, &got).is_some()
}

/// The first random case on which a back end differs.
fn found<C: Shrinks>(reference: &dyn Backend, mistaken: &dyn Backend, choose: impl Fn(u64) -> C) -> C {
    let mut cases = (0..400).map(choose);
    cases.find(|case| differs(case, reference, mistaken)).expect("the mistake shows in one of these")
}

/// A random program.
fn program(seed: u64, generation: Generation, model: Model) -> Case {
    let mut choices = Choices::seed(seed);
    let limits = Limits::choose(&mut choices, generation).model(model);
    Case::within(&mut choices, Limits { vertices: 24, ..limits })
}

/// Checks that a finding says what it should: it is short, right on every back end, and wrong on the one that is mistaken.
fn is_a_finding(test: &FileTest, mistaken: &Mistaken, what: &str) {
    let text = format!("{test:#}");
    assert!(text.lines().count() <= LINES, "{what}:\n{text}");
    let read: FileTest = text.parse().unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
    assert_eq!(format!("{read:#}"), text);
    assert_eq!(check_text(&text, Bless::No), Ok(None), "{what}:\n{text}");
    assert!(read.check_runs(mistaken, read.models[0]).is_err(), "{what} does not show:\n{text}");
}

/// What an instruction is taken for, and whose.
struct Mistake(&'static str, &'static [Generation], fn(&mut Insn));

/// Mistakes of single operations, of operands and of control flow.
#[rustfmt::skip]
const MISTAKES: &[Mistake] = &[
    Mistake("MUL is DP4", Generation::ALL, |insn| if insn.vec == VecOp::Mul { insn.vec = VecOp::Dp4 }),
    Mistake("MAX is MIN", Generation::ALL, |insn| if insn.vec == VecOp::Max { insn.vec = VecOp::Min }),
    Mistake("DP3 is DP4", Generation::ALL, |insn| if insn.vec == VecOp::Dp3 { insn.vec = VecOp::Dp4 }),
    Mistake("RCP is RSQ", Generation::ALL, |insn| if insn.sca == ScaOp::Rcp { insn.sca = ScaOp::Rsq }),
    Mistake("LIT is EXP", Generation::ALL, |insn| if insn.sca == ScaOp::Lit { insn.sca = ScaOp::Exp }),
    Mistake("an index is left out", Generation::ALL, |insn| insn.indexed = false),
    Mistake("a sign of c is left out", Generation::ALL, |insn| {
        insn.src.iter_mut().filter(|source| source.bank == Bank::Constant).for_each(|source| source.negate = false);
    }),
    Mistake("a condition is left out", &[Generation::Rankine, Generation::Curie], |insn| insn.condition = crate::isa::Condition::ALWAYS),
    Mistake("saturation is left out", &[Generation::Curie], |insn| insn.saturate = false),
];

#[test]
fn findings_of_programs_have_ten_lines_at_most() {
    for Mistake(what, generations, insn) in MISTAKES {
        let mistaken = Mistaken { insn: *insn, ..Mistaken::NOT };
        for (&generation, model) in generations.iter().zip([Model::Hw, Model::Ieee, Model::Hw]) {
            let case = found(&Interp::Single, &mistaken, |seed| program(seed, generation, model));
            let smallest = case.shrink(&mut |case| differs(case, &Interp::Single, &mistaken));
            let why = vec![format!("{what}, {}.", generation.name())];
            let test = FileTest::of_case(&smallest, why, 0..smallest.count).expect("there is text for it");
            is_a_finding(&test, &mistaken, what);
        }
    }
}

#[test]
fn findings_of_the_fixed_function_have_ten_lines_at_most() {
    let mistaken = Mistaken { fixed: |setup| setup.mode.set(Name::Normalize, 0), ..Mistaken::NOT };
    for family in crate::FAMILIES {
        let choose = |seed| FixedCase::choose(&mut Choices::seed(seed), family, Some(Model::Hw), 5);
        let case = found(&Eval::Xf, &mistaken, choose);
        let smallest = case.shrink(&mut |case| differs(case, &Eval::Xf, &mistaken));
        assert_eq!(smallest.count(), 1);
        let test = FileTest::of_fixed(&smallest, vec![family.name().to_owned()], 0..1).expect("it runs");
        is_a_finding(&test, &mistaken, family.name());
    }
    assert!(crate::FAMILIES.contains(&Family::Curie));
}

#[test]
fn findings_of_flipper_have_ten_lines_at_most() {
    let mistaken = Mistaken { flipper: |setup| setup.transform.dual = false, ..Mistaken::NOT };
    let choose = |seed| FlipperCase::choose_flipper(&mut Choices::seed(seed), 5);
    let case = found(&Interp::Single, &mistaken, choose);
    let smallest = case.shrink(&mut |case| differs(case, &Interp::Single, &mistaken));
    let text = crate::flipper::text(&smallest);
    assert!(text.lines().count() < LINES && smallest.count() == 1, "{text}");
    assert!(differs(&smallest, &Interp::Single, &mistaken));
    // A coordinate, its second transform, and what the two read.
    assert_eq!(
        (smallest.setup.transform.texgens, smallest.setup.live_outputs.count_ones()),
        (1, 1),
        "{text}"
    );
}

#[test]
fn what_shows_in_one_lane_alone_keeps_the_lanes_before_it() {
    let case = program(3, Generation::Kelvin, Model::Ieee);
    let shows = |case: &Case| case.count >= 3;
    let case = (3..).map(|seed| program(seed, Generation::Kelvin, Model::Ieee)).find(shows).unwrap_or(case);
    let smallest = case.shrink(&mut { shows });
    assert_eq!((smallest.count, smallest.program().map(|program| program.insns.len())), (3, Ok(1)));
    assert!(smallest.constants.iter().all(|row| *row == [0; 4]));
}

#[test]
fn a_case_that_does_not_show_it_is_left_as_it_is() {
    let case = program(5, Generation::Rankine, Model::Hw);
    assert_eq!(case.shrink(&mut |_| false), case);
}
