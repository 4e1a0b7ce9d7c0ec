//! Random configurations of the fixed function, with state and vertices, and the check that all backends agree on them.

use super::choices::Choices;
use super::operand::{self, Temper};
use crate::backend::{Backend, Code, CompileError, Eval, Outcome, Worker};
use crate::front::fixed::{Chip, Family, LIGHTS, Mode, Name, Ram, Setup, context};
use std::fmt;
use xfjit_runtime::batch::{Attribute, Inputs, Layout, Outputs, registers};
use xfjit_runtime::num::{Model, convert};
use xfjit_runtime::state::{ATTRIBUTES, Context, Row};

/// A configuration with everything that it runs on.
#[derive(Clone, Debug)]
pub struct FixedCase {
    /// The configuration.
    pub setup: Setup,
    /// The memories.
    pub context: Context,
    /// Vertex attributes: a row for each vertex.
    pub attributes: [Vec<Row>; ATTRIBUTES],
}

/// A difference between two backends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Name of the backend that differs from the reference.
    pub backend: String,
    /// Vertex.
    pub vertex: usize,
    /// Output register.
    pub register: usize,
    /// What the reference has there.
    pub expected: Row,
    /// What the backend has.
    pub got: Row,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { backend, vertex, register, expected, got } = self;
        write!(f, "{backend}: vertex {vertex}, o{register}: expected {expected:08x?}, got {got:08x?}")
    }
}

/// What a backend made of a case: the live output registers of all vertices, interleaved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedRan {
    /// The words.
    pub words: Vec<u32>,
    /// What the backend reports.
    pub outcome: Outcome,
}

/// A mode that a driver might set up, or any bits at all.
pub fn mode(c: &mut Choices<'_>, chip: Chip) -> Mode {
    if c.chance(10) {
        let words: Vec<u32> = (0..chip.words()).map(|_| c.word()).collect();
        return Mode::new(chip, &words);
    }
    let mut mode = Mode::new(chip, &[]);
    for (name, place) in chip.family().fields() {
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
    mode.set(Name::Lighting, u32::from(c.chance(75)));
    if c.chance(8) && chip.family() != Family::Rankine {
        mode.set(Name::Mode, 1);
    }
    mode
}

impl FixedCase {
    /// The case of so many vertices that a stream of decisions names.
    pub fn choose(c: &mut Choices<'_>, family: Family, model: Option<Model>, vertices: usize) -> FixedCase {
        let chips: Vec<Chip> = Chip::ALL.into_iter().filter(|chip| chip.family() == family).collect();
        let chip = c.pick(&chips);
        let mut setup = Setup::new(mode(c, chip));
        setup.model = model.unwrap_or_else(|| c.pick(&[Model::Hw, Model::Ieee]));
        setup.clamps_depth = c.chance(30);
        setup.layout = c.weighted(&[(3, Layout::Rows), (1, Layout::Planes)]);
        if c.chance(20) {
            setup.live_outputs &= c.word();
        }
        let temper = c.weighted(&[(6, Temper::Ordinary), (2, Temper::Mixed), (1, Temper::Wild)]);
        // The data are too many to be spelled out by a fuzzer.
        let c = &mut c.fork();
        let context = state(c, chip, temper);
        let attributes = std::array::from_fn(|_| (0..vertices).map(|_| operand::row(c, temper)).collect());
        FixedCase { setup, context, attributes }
    }

    /// Vertices.
    pub fn count(&self) -> usize {
        self.attributes[0].len()
    }

    /// The registers that are put out.
    pub fn live(&self) -> Vec<u8> {
        registers(self.setup.live_outputs & self.setup.outputs()).map(|register| register as u8).collect()
    }

    /// Runs the case.
    ///
    /// # Errors
    /// What the backend cannot prepare.
    ///
    /// # Panics
    /// If it refuses the streams, which are long enough.
    pub fn run(&self, backend: &dyn Backend, worker: &mut Worker) -> Result<FixedRan, CompileError> {
        let routine = backend.prepare_code(&Code::Fixed(self.setup))?;
        let (live, count) = (self.live(), self.count());
        let mut inputs = Inputs::new(count);
        for (register, rows) in self.attributes.iter().enumerate() {
            inputs = inputs.with(register, Attribute::rows(rows));
        }
        let mut words = vec![0; 4 * live.len() * count];
        let mut outputs = match self.setup.layout {
            Layout::Rows => Outputs::interleaved(&mut words, &live),
            Layout::Planes => Outputs::planes(&mut words, &live, count),
        };
        let mut context = self.context.clone();
        let outcome = routine.run(worker, &mut context, &inputs, &mut outputs).expect("the streams suffice");
        assert!(context == self.context, "the fixed function writes no constants");
        Ok(FixedRan { words, outcome })
    }

    /// The first difference between two runs.
    pub fn difference(&self, backend: &str, want: &FixedRan, got: &FixedRan) -> Option<Difference> {
        let live = self.live();
        let row = |words: &[u32], vertex: usize, at: usize| -> Row {
            std::array::from_fn(|c| match self.setup.layout {
                Layout::Rows => words[4 * (vertex * live.len() + at) + c],
                Layout::Planes => words[(4 * at + c) * self.count() + vertex],
            })
        };
        (0..self.count()).find_map(|vertex| {
            live.iter().enumerate().find_map(|(at, &register)| {
                let (expected, got) = (row(&want.words, vertex, at), row(&got.words, vertex, at));
                let (backend, register) = (backend.to_owned(), usize::from(register));
                (expected != got).then_some(Difference { backend, vertex, register, expected, got })
            })
        })
    }

    /// Compares backends with the evaluator of the function as it was lowered, which is the reference.
    ///
    /// # Errors
    /// The first difference.
    ///
    /// # Panics
    /// If the reference prepares nothing; it refuses nothing.
    pub fn check(&self, backends: &[&dyn Backend], worker: &mut Worker) -> Result<(), Difference> {
        let want = self.run(&Eval::Xf, worker).expect("the evaluator takes everything");
        for backend in backends {
            let Some(got) = self.run(*backend, worker).ok() else { continue };
            if let Some(difference) = self.difference(backend.name(), &want, &got) {
                return Err(difference);
            }
        }
        Ok(())
    }
}

/// The driver's constants with random state over most of them; LT's memories mostly hold its numbers.
fn state(c: &mut Choices<'_>, chip: Chip, temper: Temper) -> Context {
    let mut context = context(chip);
    let hidden = c.chance(50);
    let raw = c.chance(5);
    for ram in Ram::ALL {
        for row in ram.rows(chip) {
            if hidden && context.row(row) != [0; 4] {
                continue;
            }
            let value = operand::row(c, temper);
            let value = match ram {
                Ram::Ltctx | Ram::Ltc(_) if !raw => value.map(convert::xf_to_lt),
                _ => value,
            };
            context.set_row(row, value);
        }
    }
    context
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{FIXED_VALUES, Interp};
    use crate::front::fixed::lower;
    use crate::opt;
    use crate::testing::native;

    #[test]
    fn backends_agree_on_random_configurations() {
        let mut worker = Worker::new();
        let jit = native();
        for seed in 0..300 {
            let family = [Family::Celsius, Family::Kelvin, Family::Rankine][seed as usize % 3];
            let case = FixedCase::choose(&mut Choices::seed(seed), family, None, 1 + seed as usize % 9);
            let mut backends: Vec<&dyn Backend> = vec![&Interp::Batched, &Eval::Host];
            backends.extend(jit.as_deref());
            if let Err(difference) = case.check(&backends, &mut worker) {
                panic!("seed {seed}: {difference}\n{}", case.setup.mode);
            }
        }
    }

    #[test]
    fn the_largest_configurations_fit_the_evaluator_and_the_scratch_memory() {
        for chip in Chip::ALL {
            for light in 1..=3 {
                let all: Vec<u32> = vec![u32::MAX; chip.words()];
                let mut mode = Mode::new(chip, &all).with(Name::Mode, 0).with(Name::ViewportSkip, 0);
                mode = mode.with(Name::Weight, if chip.family() == Family::Celsius { 1 } else { 6 });
                (0..LIGHTS as u8).for_each(|number| mode.set(Name::Light(number), light));
                for generate in 1..=6 {
                    for unit in 0..chip.units() as u8 {
                        (0..4).for_each(|component| mode.set(Name::TexGen(unit, component), generate));
                    }
                    let setup = Setup::new(mode);
                    let lowered = lower(&setup);
                    assert!(lowered.insts.len() <= FIXED_VALUES, "{}", lowered.insts.len());
                    let optimised = opt::run(lowered);
                    let host = opt::run(crate::legalize::run(&optimised));
                    assert!(host.is_split(), "{}: too many uniform values", chip.name());
                }
            }
        }
    }
}
