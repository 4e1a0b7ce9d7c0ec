use super::super::alu::{Arithmetic, with_arithmetic};
use super::Plan;
use super::lanes::{CHUNK, compute};
use super::run::{Chunk, ROWS, UNIFORM};
use crate::backend::{Interp, Interpreted, Routine};
use crate::chip::mode::{LIGHTS, Mode, Name};
use crate::chip::{Family, Pipeline};
use crate::front::fixed::{Setup, lower};
use crate::ir::ops::{At, Op};
use crate::ir::properties::Makes;
use crate::opt;
use crate::shader::Shader;
use xfjit_runtime::batch::{Attribute, Inputs, Layout, Outputs, registers};
use xfjit_runtime::bound::Bound;
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::{Model, Numerics, Rules};
use xfjit_runtime::state::{ATTRIBUTES, Context, Row};
use xfjit_testing::operand::{self, Temper};
use xfjit_testing::{Choices, FixedCase, RandomFixed};

/// A configuration over random bits: constants and vertices.
struct Wild {
    setup: Setup,
    context: Context,
    attributes: [Vec<Row>; ATTRIBUTES],
}

impl Wild {
    fn new(seed: u64, family: Family, model: Model, vertices: usize) -> Wild {
        let c = &mut Choices::seed(seed);
        let case = FixedCase::choose(c, family, Some(model), vertices);
        // The case is of the package that other packages see; this is the one that is tested.
        let given = case.setup;
        let setup = Setup {
            mode: given.mode,
            model: given.model,
            live_outputs: given.live_outputs,
            layout: given.layout,
            clamps_depth: given.clamps_depth,
            quirks: given.quirks,
        };
        let (mut context, mut attributes) = (case.context, case.attributes);
        let c = &mut c.fork();
        let temper = c.pick(&[Temper::Wild, Temper::Mixed]);
        context.rows_mut().fill_with(|| operand::row(c, temper));
        attributes.iter_mut().flatten().for_each(|row| *row = operand::row(c, temper));
        Wild { setup, context, attributes }
    }

    fn live(&self) -> Vec<u8> {
        registers(Shader::from(self.setup).live_outputs()).map(|register| register as u8).collect()
    }
}

#[test]
fn a_part_of_a_batch_is_run_and_nothing_else_is_written() {
    const UNTOUCHED: u32 = 0x1234_5678;
    let indices: Vec<u32> = (0..100u32).map(|i| i * 37 % 100).collect();
    let mut chunk = Chunk::new();
    for (seed, range) in (500..).zip([0..0, 3..4, 7..39, 7..40, 50..100, 0..100, 99..100]) {
        let case = Wild::new(seed, Family::Kelvin, Model::Hw, 100);
        let needs = *Interpreted::new(&Shader::new(case.setup), Interp::Batched).needs();
        let plan = Plan::new(&opt::simplify(lower(&case.setup)));
        let mut inputs = Inputs::new(100);
        for (register, rows) in case.attributes.iter().enumerate() {
            inputs = inputs.with(register, Attribute::rows(rows));
        }
        let inputs = inputs.indexed(&indices);
        let run = |chunk: &mut Chunk, range| {
            let mut words = vec![UNTOUCHED; 4 * case.live().len() * 100];
            let outputs = match case.setup.layout {
                Layout::Rows => Outputs::interleaved(&mut words, &case.live()),
                Layout::Planes => Outputs::planes(&mut words, &case.live(), 100),
            };
            let bound = Bound::new(&needs, &inputs, &outputs).expect("the streams are long enough");
            plan.run_in(chunk, &Constants::read_only(case.context.rows()), &bound, range);
            words
        };
        let (all, part) = (run(&mut chunk, 0..100), run(&mut chunk, range.clone()));
        for (at, (&all, &part)) in all.iter().zip(&part).enumerate() {
            let vertex = match case.setup.layout {
                Layout::Rows => at / (4 * case.live().len()),
                Layout::Planes => at % 100,
            };
            assert_eq!(part, if range.contains(&vertex) { all } else { UNTOUCHED }, "{vertex} of {range:?}");
        }
    }
}

#[test]
fn every_operation_is_the_one_of_the_table() {
    fn check<A: Arithmetic>(c: &mut Choices<'_>, env: FpEnv) {
        // Operands of conversions to integers must be in range.
        for &op in Op::ALL.iter().filter(|op| op.at() != At::Host && **op != Op::CvtI) {
            if op.evaluate(A::NUMERICS, env, 5, [0; 4]).is_none() {
                continue;
            }
            for count in [1, 3, 4, CHUNK - 1, CHUNK] {
                let temper = c.pick(&[Temper::Wild, Temper::Mixed, Temper::Ordinary]);
                let x: [[u32; CHUNK]; 4] = [(); 4].map(|()| [(); CHUNK].map(|()| operand::word(c, temper)));
                let mut out = [0; CHUNK];
                compute::<A>((op, 5), env, x.each_ref(), &mut out[..count]);
                for lane in 0..count {
                    let x = x.map(|row| row[lane]);
                    let want = op.evaluate(A::NUMERICS, env, 5, x).expect("it has a meaning");
                    // Bits of NaNs that machine operations make are the host's.
                    let both_nan = [out[lane], want].iter().all(|&word| f32::from_bits(word).is_nan());
                    let same = out[lane] == want || both_nan && op.properties().result == Makes::Rounded;
                    assert!(
                        same,
                        "{} {x:08x?}, {:?}: {:08x}, not {want:08x}",
                        op.text(),
                        A::NUMERICS,
                        out[lane]
                    );
                }
                assert!(out[count..].iter().all(|&word| word == 0), "{}", op.text());
            }
        }
    }
    let c = &mut Choices::seed(9);
    for _ in 0..20 {
        for rules in Rules::ALL {
            for (model, env) in [(Model::Hw, FpEnv::Truncate), (Model::Ieee, FpEnv::Default)] {
                with_arithmetic!(Numerics { model, rules }, A => check::<A>(c, env));
            }
        }
    }
}

#[test]
fn the_largest_plans_fit_and_are_small() {
    let mut most = (0, 0);
    for pipeline in Pipeline::ALL {
        for (light, generate) in (1..=3).flat_map(|light| (1..=6).map(move |generate| (light, generate))) {
            let mut mode = Mode::new(pipeline, &vec![u32::MAX; pipeline.words()]);
            mode = mode.with(Name::Mode, 0).with(Name::ViewportSkip, 0);
            mode = mode.with(Name::Weight, if pipeline.family() == Family::Celsius { 1 } else { 6 });
            (0..LIGHTS as u8).for_each(|number| mode.set(Name::Light(number), light));
            for unit in 0..pipeline.units() as u8 {
                (0..4).for_each(|component| mode.set(Name::TexGen(unit, component), generate));
            }
            let (rows, uniform) = Plan::new(&opt::simplify(lower(&Setup::new(mode)))).size();
            most = (most.0.max(rows), most.1.max(uniform));
        }
    }
    assert!(most.0 <= ROWS && most.1 <= UNIFORM, "{most:?}");
    // Room that no plan needs would be no room but waste.
    assert!(2 * most.0 > ROWS && 2 * most.1 > UNIFORM, "{most:?}");
}
