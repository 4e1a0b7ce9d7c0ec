//! Random configurations of the fixed function, with state and vertices, and the check that all backends agree on them.

use super::case::chosen;
use super::check::{self, Stats};
use super::choices::Choices;
use super::filetest::FileTest;
use super::operand::{self, Temper};
use crate::Planned;
use crate::backend::{Backend, Eval, Worker};
use crate::chip::memory::{Ram, context};
use crate::chip::mode::{LIGHTS, Mode, Name};
use crate::chip::{Family, Lights, Pipeline};
use crate::front::fixed::Setup;
use crate::repro::FixedCase;
use std::fmt;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::num::{Model, convert};
use xfjit_runtime::state::Context;

/// The families of which a chip has a fixed function, oldest first; of Curie's it is NV40 alone.
pub const FAMILIES: [Family; 4] = [Family::Celsius, Family::Kelvin, Family::Rankine, Family::Curie];

/// A backend that did not do what the reference does. Its text is the case as a test file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedMismatch {
    /// Name of the backend.
    pub backend: String,
    /// The first difference.
    pub what: String,
    /// The first vertex that differs, if it is a vertex that does.
    pub position: Option<usize>,
    /// The case.
    pub case: FixedCase,
}

impl FixedMismatch {
    /// A test file that shows the difference, of the one vertex that it is about where there is such a vertex.
    pub fn filetest(&self) -> Option<FileTest> {
        let positions = self.position.map_or(0..self.case.count(), |position| position..position + 1);
        FileTest::of_fixed(&self.case, vec![format!("{}: {}", self.backend, self.what)], positions)
    }
}

impl fmt::Display for FixedMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.backend, self.what)?;
        match self.filetest() {
            Some(test) => write!(f, "{test}"),
            None => write!(f, "{:08x?}", self.case),
        }
    }
}

impl std::error::Error for FixedMismatch {}

/// A mode that a driver might set up, or any bits at all.
pub fn mode(c: &mut Choices<'_>, pipeline: Pipeline) -> Mode {
    if c.chance(10) {
        let words: Vec<u32> = (0..pipeline.words()).map(|_| c.word()).collect();
        return Mode::new(pipeline, &words);
    }
    let mut mode = Mode::new(pipeline, &[]);
    for (name, place) in pipeline.fields() {
        let value = match name {
            Name::Light(_) | Name::Mode => 0,
            Name::TexGen(..) => c.weighted(&[(4, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6)]),
            Name::TexEnable(_) | Name::Weight | Name::ArithRules if c.chance(60) => 0,
            Name::TexMatrix(_) => u32::from(c.chance(75)),
            _ => c.below(1 << place.width),
        };
        mode.set(name, value);
    }
    let lights = c.below(LIGHTS as u32 + 1);
    let only = c.below(4);
    for light in 0..lights {
        let kind = if only == 0 { 1 + c.below(3) } else { only };
        mode.set(Name::Light(light as u8), kind);
    }
    if lights > 1 && c.chance(15) {
        // A hole.
        mode.set(Name::Light(c.below(lights) as u8), 0);
    }
    mode.set(Name::Lighting, u32::from(c.chance(75)));
    if c.chance(8) && matches!(pipeline, Pipeline::Celsius(_) | Pipeline::Kelvin) {
        mode.set(Name::Mode, 1);
    }
    mode
}

/// Cases of the fixed function that a stream of decisions names, and what is asked of each.
pub trait RandomFixed: Sized {
    /// The case of so many vertices that a stream of decisions names, on a fixed function of a family that has one.
    fn choose(c: &mut Choices<'_>, family: Family, model: Option<Model>, vertices: usize) -> FixedCase;

    /// Compares backends with the evaluator of the function as it was lowered, which is the reference. Backends that
    /// cannot prepare the function are counted; figures of native code are of the one with most of the compiler behind it.
    ///
    /// # Errors
    /// The first difference.
    fn check(&self, backends: &[&dyn Backend], worker: &mut Worker) -> Result<Stats, Box<FixedMismatch>>;
}

impl RandomFixed for FixedCase {
    fn choose(c: &mut Choices<'_>, family: Family, model: Option<Model>, vertices: usize) -> FixedCase {
        let pipelines: Vec<Pipeline> =
            Pipeline::ALL.into_iter().filter(|pipeline| pipeline.family() == family).collect();
        let pipeline = c.pick(&pipelines);
        let mut setup = Setup::new(mode(c, pipeline));
        setup.model = model.unwrap_or_else(|| c.pick(&[Model::Hw, Model::Ieee]));
        setup.clamps_depth = c.chance(30);
        setup.layout = c.weighted(&[(3, Layout::Rows), (1, Layout::Planes)]);
        if c.chance(20) {
            setup.live_outputs &= c.word();
        }
        let temper = c.weighted(&[(6, Temper::Ordinary), (2, Temper::Mixed), (1, Temper::Wild)]);
        setup.quirks = chosen(c, |_| true);
        // The data are too many to be spelled out by a fuzzer.
        let c = &mut c.fork();
        let context = state(c, pipeline, temper);
        let attributes = std::array::from_fn(|_| (0..vertices).map(|_| operand::row(c, temper)).collect());
        FixedCase { setup, context, attributes }
    }

    fn check(&self, backends: &[&dyn Backend], worker: &mut Worker) -> Result<Stats, Box<FixedMismatch>> {
        let placement = self.placement();
        let case = (&placement, self.count());
        let backends: Vec<_> = backends.iter().copied().chain([&Planned as &dyn Backend]).collect();
        check::agree(&Eval::Xf, &backends, case, |backend| self.run(backend, worker)).map_err(
            |(backend, what, position)| {
                Box::new(FixedMismatch { backend, what, position, case: self.clone() })
            },
        )
    }
}

/// The driver's constants with random state over most of them; LT's memories mostly hold its numbers.
fn state(c: &mut Choices<'_>, pipeline: Pipeline, temper: Temper) -> Context {
    let mut context = context(pipeline);
    let hidden = c.chance(50);
    let raw = c.chance(5);
    for ram in Ram::ALL {
        for row in ram.rows(pipeline) {
            if hidden && context.row(row) != [0; 4] {
                continue;
            }
            let value = operand::row(c, temper);
            let value = match ram {
                Ram::Ltctx | Ram::Ltc(_) if !raw && pipeline.lights() == Lights::Lt => {
                    value.map(convert::xf_to_lt)
                }
                _ => value,
            };
            context.set_row(row, value);
        }
    }
    context
}

#[cfg(test)]
mod plans;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Interp;
    use crate::front::fixed::lower;
    use crate::ir::eval::FIXED_VALUES;
    use crate::machine::Machine;
    use crate::opt;
    use crate::shader::Shader;
    use crate::{native, native_wide};
    use xfjit_runtime::batch::{Attribute, Inputs, Outputs, registers};

    #[test]
    fn backends_agree_on_random_configurations() {
        let mut worker = Worker::new();
        let (jit, wide) = (native(), native_wide());
        for seed in 0..400 {
            let family = FAMILIES[seed as usize % FAMILIES.len()];
            let case = FixedCase::choose(&mut Choices::seed(seed), family, None, 1 + seed as usize % 9);
            let mut backends: Vec<&dyn Backend> = vec![&Interp::Batched, &Eval::Host];
            backends.extend(jit.as_deref());
            backends.extend(wide.iter().map(|wide| &**wide));
            if let Err(mismatch) = case.check(&backends, &mut worker) {
                panic!("seed {seed}: {mismatch}");
            }
        }
    }

    #[test]
    fn every_form_of_a_configuration_reads_the_same_attributes() {
        let mut seen = 0;
        for seed in 0..1500 {
            let family = FAMILIES[seed as usize % FAMILIES.len()];
            let case = FixedCase::choose(&mut Choices::seed(seed), family, None, 1);
            let shader = Shader::from(case.setup);
            let live = shader.reference().live_inputs();
            let lowered = Some(shader.lower());
            assert_eq!(shader.fallback(None).live_inputs(), live, "seed {seed}: {:?}", case.setup);
            assert_eq!(shader.fallback(lowered).live_inputs(), live, "seed {seed}: {:?}", case.setup);
            seen |= live;
        }
        assert!(seen.count_ones() >= 15, "{seen:x}");
    }

    #[test]
    fn what_only_dead_operations_read_needs_no_stream() {
        let (jit, wide, mut worker) = (native(), native_wide(), Worker::new());
        let mut backends: Vec<&dyn Backend> = vec![&Interp::Single, &Interp::Batched, &Eval::Xf, &Eval::Host];
        backends.extend(jit.as_deref());
        backends.extend(wide.iter().map(|wide| &**wide));
        for pipeline in Pipeline::ALL {
            let shader = Shader::from(Setup::new(Mode::new(pipeline, &[])));
            let outputs = Setup::new(Mode::new(pipeline, &[])).outputs();
            let live: Vec<u8> = registers(outputs).map(|register| register as u8).collect();
            let mut results = Vec::new();
            for backend in &backends {
                let routine = backend.prepare(&shader).expect("it is small enough");
                let mut inputs = Inputs::new(7);
                inputs.attributes[2] = Attribute::Stream { data: &[0; 20], stride: 16, components: 4 };
                let (mut words, mut context) = (vec![0; 7 * 4 * live.len()], Context::new(shader.rows()));
                let mut outputs = Outputs::interleaved(&mut words, &live);
                let outcome = routine.run(&mut worker, &mut context, &inputs, &mut outputs);
                results.push((outcome.is_ok(), words));
            }
            assert!(results.iter().all(|result| result == &results[0]), "{}", pipeline.name());
        }
    }

    #[test]
    fn the_largest_configurations_fit_the_evaluator_and_the_scratch_memory() {
        for pipeline in Pipeline::ALL {
            for light in 1..=3 {
                let all: Vec<u32> = vec![u32::MAX; pipeline.words()];
                let mut mode = Mode::new(pipeline, &all).with(Name::Mode, 0).with(Name::ViewportSkip, 0);
                mode = mode.with(Name::Weight, if pipeline.family() == Family::Celsius { 1 } else { 6 });
                (0..LIGHTS as u8).for_each(|number| mode.set(Name::Light(number), light));
                for generate in 1..=6 {
                    for unit in 0..pipeline.units() as u8 {
                        (0..4).for_each(|component| mode.set(Name::TexGen(unit, component), generate));
                    }
                    let setup = Setup::new(mode);
                    let lowered = lower(&setup);
                    assert!(lowered.insts.len() <= FIXED_VALUES, "{}", lowered.insts.len());
                    let optimised = opt::simplify(lowered);
                    let host = opt::run(xfjit_ir::legalize::run(&optimised, &Machine::HOST), &Machine::HOST);
                    assert!(host.is_split(), "{}: too many uniform values", pipeline.name());
                }
            }
        }
    }
}
