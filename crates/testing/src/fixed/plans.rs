//! What runs the fixed function without native code, and what its canonical form leaves out.

use super::{FAMILIES, RandomFixed};
use crate::backend::{Backend, Eval, Interp, Worker};
use crate::check::difference;
use crate::chip::mode::{Mode, Name};
use crate::chip::{Family, Pipeline};
use crate::config::{FixedQuirks, QuirkSet};
use crate::front::fixed::Setup;
use crate::operand::{self, Temper};
use crate::{Choices, FixedCase, native};
use xfjit_runtime::num::Model;
use xfjit_runtime::state::Context;

/// Vertices that the plan runs at a time.
const CHUNK: usize = 32;
/// Vertex counts around the borders of chunks.
const COUNTS: [usize; 8] = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 5, 3 * CHUNK + 31];

/// A configuration over random bits: constants and vertices.
fn wild(seed: u64, family: Family, model: Model, vertices: usize) -> FixedCase {
    let c = &mut Choices::seed(seed);
    let mut case = FixedCase::choose(c, family, Some(model), vertices);
    let c = &mut c.fork();
    let temper = c.pick(&[Temper::Wild, Temper::Mixed]);
    case.context.rows_mut().fill_with(|| operand::row(c, temper));
    case.attributes.iter_mut().flatten().for_each(|row| *row = operand::row(c, temper));
    case
}

#[test]
fn the_plan_has_the_bits_of_the_evaluator_on_wild_configurations() {
    let mut worker = Worker::new();
    let mut chips = std::collections::HashSet::new();
    for seed in 0..160 {
        for model in [Model::Hw, Model::Ieee] {
            let family = FAMILIES[seed as usize % FAMILIES.len()];
            let case = wild(seed, family, model, COUNTS[seed as usize / FAMILIES.len() % COUNTS.len()]);
            chips.insert(case.setup.mode.pipeline());
            let want = case.run(&Eval::Xf, &mut worker).expect("the evaluator takes everything");
            for backend in [Interp::Single, Interp::Batched] {
                let got = case.run(&backend, &mut worker).expect("it takes everything");
                let difference = difference(&case.placement(), &want, &got);
                let name = backend.name();
                assert_eq!(difference, None, "{name}, seed {seed}, {model:?}\n{}", case.setup.mode);
            }
        }
    }
    assert_eq!(chips.len(), Pipeline::ALL.len(), "{chips:?}");
}

#[test]
fn guarded_groups_among_others_come_back_in_their_places() {
    let Some(jit) = native() else { return };
    let mut worker = Worker::new();
    let (mut guarded, mut groups) = (0, 0);
    for seed in 0..32 {
        let c = &mut Choices::seed(seed);
        let family = FAMILIES[seed as usize % FAMILIES.len()];
        let mut case = FixedCase::choose(c, family, None, 150);
        let c = &mut c.fork();
        case.context.rows_mut().fill_with(|| operand::row(c, Temper::Ordinary));
        for first in (0..150).step_by(4) {
            // Runs of either kind, some as long as a chunk.
            let temper =
                if seed as usize >> (first / 16 % 5) & 1 != 0 { Temper::Wild } else { Temper::Ordinary };
            for rows in &mut case.attributes {
                rows[first..].iter_mut().take(4).for_each(|row| *row = operand::row(c, temper));
            }
        }
        let want = case.run(&Interp::Single, &mut worker).expect("it takes everything");
        let got = case.run(&*jit, &mut worker).expect("it is small enough");
        assert_eq!(difference(&case.placement(), &want, &got), None, "seed {seed}\n{}", case.setup.mode);
        (guarded, groups) = (guarded + got.outcome.deopt_groups, groups + 150_u64.div_ceil(4));
    }
    assert!(guarded * 10 > groups && guarded * 10 < groups * 9, "{guarded} of {groups}");
}

#[test]
fn an_unwritten_context_is_read_as_zero() {
    let case = wild(1, Family::Celsius, Model::Hw, 3);
    let case = FixedCase { context: Context::new(case.context.rows().len()), ..case };
    let want = case.run(&Interp::Single, &mut Worker::new()).expect("it takes everything");
    let got = case.run(&Interp::Batched, &mut Worker::new()).expect("it takes everything");
    assert_eq!(want, got);
}

#[test]
fn what_is_cleared_does_not_matter() {
    let mut worker = Worker::new();
    for number in 0..800 {
        let family = FAMILIES[number as usize % FAMILIES.len()];
        let mut c = Choices::seed(number);
        let mut case = FixedCase::choose(&mut c, family, Some(Model::Hw), 3);
        if c.chance(50) {
            case.setup.live_outputs &= c.word();
        }
        let canonical = case.setup.canonical();
        assert_eq!(canonical.canonical(), canonical);
        let other = FixedCase { setup: canonical, ..case.clone() };
        assert_eq!(case.live(), other.live());
        let [want, got] = [&case, &other].map(|case| case.run(&Interp::Batched, &mut worker));
        assert!(want == got, "{number}:\n{}\n{}", case.setup.mode, canonical.mode);
    }
}

#[test]
fn a_quirk_matters_where_the_canonical_form_shows_it() {
    for pipeline in Pipeline::ALL {
        for model in [Model::Hw, Model::Ieee] {
            // Light 0 is off, and light 1 is on.
            let lit = Setup::new(Mode::new(pipeline, &[]).with(Name::Lighting, 1).with(Name::Light(1), 1))
                .model(model);
            for quirk in FixedQuirks::TABLE {
                let shows = quirk.values.iter().any(|value| {
                    let changed = lit.quirk(|quirks| assert!((quirk.set)(quirks, value)));
                    changed.canonical() != lit.canonical()
                });
                assert_eq!(
                    shows,
                    FixedQuirks::matters(quirk.name, pipeline, model),
                    "{}: {pipeline:?}",
                    quirk.name
                );
            }
        }
    }
}
