//! Random configurations of Flipper's transform unit, and the check that all backends agree on them.

use super::check::{self, Stats};
use super::choices::Choices;
use super::operand::{self, Temper};
use crate::Planned;
use crate::backend::{Backend, Interp, Worker};
use crate::chip::flipper::registers::{ATTENUATION, DIFFUSE, LIGHTING, TEXGEN_TYPE};
use crate::chip::flipper::transform::{TEXGENS, Transform, Vertices};
use crate::chip::flipper::{input, rows};
use crate::config::{FlipperQuirks, QuirkSet};
use crate::front::flipper::Setup;
use crate::repro::FlipperCase;
use std::fmt;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::state::{Context, Row};

/// A backend that did not do what the interpreter does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlipperMismatch {
    /// Name of the backend.
    pub backend: String,
    /// The first difference.
    pub what: String,
    /// The first vertex that differs, if it is a vertex that does.
    pub position: Option<usize>,
    /// The case.
    pub case: FlipperCase,
}

impl fmt::Display for FlipperMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.position.unwrap_or(0);
        let one = self.case.attributes.clone().map(|rows| rows.get(position).copied().into_iter().collect());
        write!(
            f,
            "{}: {}\n{}",
            self.backend,
            self.what,
            text(&FlipperCase { attributes: one, ..self.case.clone() })
        )
    }
}

/// What is not empty in a case, for people: the configuration, then the registers of each vertex in a line, then the rows of the
/// unit's memory.
pub fn text(case: &FlipperCase) -> String {
    let row = |name: &str, at: usize, row: &Row| {
        let is_empty = *row == [0; 4];
        (!is_empty).then(|| format!("{name}{at}={:08x}:{:08x}:{:08x}:{:08x}", row[0], row[1], row[2], row[3]))
    };
    let mut lines = vec![format!("{:x?}", case.setup)];
    for position in 0..case.count() {
        let registers = case.attributes.iter().enumerate();
        let words: Vec<String> =
            registers.filter_map(|(register, rows)| row("v", register, &rows[position])).collect();
        lines.push(format!("vertex {position}: {}", words.join(" ")));
    }
    let rows = case.context.rows().iter().enumerate().filter_map(|(at, value)| row("c", at, value));
    lines.push(format!("rows: {}", rows.collect::<Vec<_>>().join(" ")));
    lines.join("\n") + "\n"
}

impl std::error::Error for FlipperMismatch {}

/// A channel's control: mostly lit.
fn control(c: &mut Choices<'_>) -> u32 {
    let word = c.word() & 0x7fff;
    if c.chance(10) {
        return word;
    }
    let word = LIGHTING.set(word, c.chance(80).into());
    // One light in four.
    let word = word & !(c.word() & 0x783c) & !(c.word() & 0x783c);
    let word = DIFFUSE.set(word, c.weighted(&[(4, 0), (6, 1), (6, 2), (1, 3)]));
    ATTENUATION.set(word, c.weighted(&[(3, 0), (4, 1), (1, 2), (6, 3)]))
}

/// A texture coordinate's control.
fn texgen(c: &mut Choices<'_>) -> u32 {
    let kind = c.weighted(&[(12, 0), (3, 1), (1, 2), (1, 3), (1, 5)]);
    TEXGEN_TYPE.set(c.word(), kind)
}

/// What is not known, each way.
fn quirks(c: &mut Choices<'_>) -> FlipperQuirks {
    let mut quirks = c.weighted(&[(5, FlipperQuirks::SPEC), (2, FlipperQuirks::DOLPHIN_SW)]);
    for quirk in FlipperQuirks::TABLE {
        if c.chance(15) {
            (quirk.set)(&mut quirks, c.pick(quirk.values));
        }
    }
    quirks
}

/// Configurations of Flipper that a stream of decisions names.
pub trait RandomSetup: Sized {
    /// The configuration that a stream of decisions names.
    fn choose(c: &mut Choices<'_>) -> Setup;
}

impl RandomSetup for Setup {
    fn choose(c: &mut Choices<'_>) -> Setup {
        let mut transform = Transform {
            vertices: Vertices { matrices: c.word() as u16 & 0x1ff, colours: [c.chance(60), c.chance(40)] },
            texgens: c.below(TEXGENS as u32 + 2) as u8,
            dual: c.chance(50),
            orthographic: c.chance(30),
            ..Transform::default()
        };
        if c.chance(50) {
            transform.vertices.matrices &= 1;
        }
        transform.colour = [control(c), control(c)];
        transform.alpha = [control(c), control(c)];
        for number in 0..TEXGENS {
            transform.texgen[number] = texgen(c);
            transform.post[number] = c.word();
        }
        let mut setup = Setup::new(transform).quirks(quirks(c));
        setup.layout = c.weighted(&[(3, Layout::Rows), (1, Layout::Planes)]);
        if c.chance(40) {
            setup.live_outputs &= c.word();
        }
        setup
    }
}

/// A colour as a register or a vertex has it; sometimes what neither can have.
fn colour(c: &mut Choices<'_>, temper: Temper) -> Row {
    if temper == Temper::Wild && c.chance(20) { operand::row(c, temper) } else { rows::colour(c.word()) }
}

/// Cases of Flipper that a stream of decisions names, and what is asked of each.
pub trait RandomFlipper: Sized {
    /// The case of so many vertices that a stream of decisions names.
    fn choose_flipper(c: &mut Choices<'_>, vertices: usize) -> FlipperCase;

    /// Compares backends, and the [plan](Planned), with the interpreter, which is the reference.
    ///
    /// # Errors
    /// The first difference.
    fn check_flipper(
        &self,
        backends: &[&dyn Backend],
        worker: &mut Worker,
    ) -> Result<Stats, Box<FlipperMismatch>>;
}

impl RandomFlipper for FlipperCase {
    fn choose_flipper(c: &mut Choices<'_>, vertices: usize) -> FlipperCase {
        let setup = Setup::choose(c);
        let temper = c.weighted(&[(6, Temper::Ordinary), (2, Temper::Mixed), (2, Temper::Wild)]);
        // The data are too many to be spelled out by a fuzzer.
        let c = &mut c.fork();
        let mut context = Context::new(rows::ROWS);
        context.rows_mut().fill_with(|| operand::row(c, temper));
        let colours =
            (0..8).map(|light| rows::Light::Colour.row(light)).chain(rows::AMBIENT..rows::VIEWPORT_SCALE);
        for row in colours {
            context.set_row(row, colour(c, temper));
        }
        for row in rows::INDICES..rows::ROWS {
            // Six bits count.
            context.set_row(row, [(); 4].map(|()| if c.chance(90) { c.below(64) } else { c.word() }));
        }
        let mut attributes: [Vec<Row>; _] =
            std::array::from_fn(|_| (0..vertices).map(|_| operand::row(c, temper)).collect());
        for number in 0..2 {
            attributes[input::COLOUR + number].fill_with(|| colour(c, temper));
        }
        attributes[input::MATRICES].fill_with(|| [(); 4].map(|()| c.word()));
        // A light at the vertex, and vectors of no length.
        if c.chance(20) {
            attributes[input::NORMAL][0] = [0; 4];
            attributes[input::POSITION][0] = [0; 4];
        }
        FlipperCase { setup, context, attributes }
    }

    fn check_flipper(
        &self,
        backends: &[&dyn Backend],
        worker: &mut Worker,
    ) -> Result<Stats, Box<FlipperMismatch>> {
        let placement = self.placement();
        let case = (&placement, self.count());
        let backends: Vec<_> = backends.iter().copied().chain([&Planned as &dyn Backend]).collect();
        check::agree(&Interp::Single, &backends, case, |backend| self.run(backend, worker)).map_err(
            |(backend, what, position)| {
                Box::new(FlipperMismatch { backend, what, position, case: self.clone() })
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Eval;
    use crate::shader::Shader;
    use crate::{native, native_wide, opt};
    use xfjit_runtime::state::ATTRIBUTES;

    #[test]
    fn backends_agree_on_random_configurations_of_flipper() {
        let (jit, wide, mut worker) = (native(), native_wide(), Worker::new());
        for seed in 0..120 {
            let case = FlipperCase::choose_flipper(&mut Choices::seed(seed), 1 + seed as usize % 9);
            let mut backends: Vec<&dyn Backend> = vec![&Interp::Batched, &Eval::Xf, &Eval::Host];
            // In a debug build compiling takes long.
            backends.extend(jit.as_deref().filter(|_| seed % 3 == 0));
            backends.extend(wide.iter().map(|wide| &**wide));
            if let Err(mismatch) = case.check_flipper(&backends, &mut worker) {
                panic!("seed {seed}: {mismatch}");
            }
        }
    }

    #[test]
    fn what_a_configuration_of_flipper_reads_is_what_its_function_reads() {
        let (mut fewer, mut vertices) = (0, [0; ATTRIBUTES]);
        for seed in 0..4000 {
            let setup = Setup::choose(&mut Choices::seed(seed));
            let live = opt::simplify(Shader::from(setup).lower()).live_inputs();
            let canonical = Shader::from(setup.canonical());
            for shader in [Shader::from(setup), canonical] {
                assert_eq!(shader.reference().live_inputs(), live, "seed {seed}: {setup:x?}");
                assert_eq!(shader.fallback(None).live_inputs(), live, "seed {seed}");
            }
            fewer += u32::from(live.count_ones() < 6);
            (0..ATTRIBUTES).for_each(|register| vertices[register] += live >> register & 1);
        }
        assert!(fewer > 200, "{fewer}");
        assert!(vertices[..=input::MATRICES].iter().all(|count| (200..3990).contains(count)), "{vertices:?}");
    }

    #[test]
    fn what_flipper_s_canonical_form_clears_does_not_matter() {
        let mut worker = Worker::new();
        let mut cleared = 0;
        for seed in 0..1500 {
            let case = FlipperCase::choose_flipper(&mut Choices::seed(seed), 3);
            let canonical = case.setup.canonical();
            assert_eq!(canonical.canonical(), canonical, "seed {seed}");
            cleared += u32::from(canonical != case.setup);
            let other = FlipperCase { setup: canonical, ..case.clone() };
            assert_eq!(case.live(), other.live(), "seed {seed}");
            let [want, got] = [&case, &other].map(|case| case.run(&Interp::Single, &mut worker));
            assert!(want == got, "seed {seed}:\n{:x?}\n{canonical:x?}", case.setup);
        }
        assert!(cleared > 1000, "{cleared}");
    }

    #[test]
    fn what_matters_is_part_of_the_key() {
        let mut worker = Worker::new();
        let mut differ = 0;
        for seed in 0..600 {
            let c = &mut Choices::seed(seed);
            let case = FlipperCase::choose_flipper(c, 3);
            // Another configuration of the same form with the same key computes the same.
            let mut other = case.clone();
            let quirk = c.pick(FlipperQuirks::TABLE);
            (quirk.set)(&mut other.setup.quirks, c.pick(quirk.values));
            other.setup.transform.post[c.below(8) as usize] ^= 1 << c.below(9);
            other.setup.transform.texgen[c.below(8) as usize] ^= 1 << c.below(18);
            other.setup.transform.colour[c.below(2) as usize] ^= 1 << c.below(15);
            let [want, got] = [&case, &other].map(|case| case.run(&Interp::Single, &mut worker));
            let same = case.setup.canonical() == other.setup.canonical();
            assert!(!same || want == got, "seed {seed}");
            differ += u32::from(!same);
        }
        assert!(differ > 100, "{differ}");
    }
}
