//! The comparing backend: it returns the first backend's results, counts differences, and writes them down as tests
//! that pass on sound backends.

use std::fs;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xfjit::backend::{Backend, CompileError, Interp, Outcome, Routine, Runs, Worker};
use xfjit::chip::memory;
use xfjit::chip::mode::{Mode, Name};
use xfjit::chip::{Family, Pipeline};
use xfjit::engine::{Event, Hook, Verify};
use xfjit::front::Microcode;
use xfjit::front::fixed::Setup;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs, StreamError, registers};
use xfjit::runtime::bound::{Bound, Needs};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::format::InputLayout;
use xfjit::runtime::indices::{IndexLayout, IndexWidth, Numbering};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{Context, Row};
use xfjit::shader::Shader;
use xfjit::{Config, Engine, Generation, Lockstep, Options, asm, isa};
use xfjit_testing::CheckFileTest;
use xfjit_testing::RandomCase;
use xfjit_testing::RandomFixed;
use xfjit_testing::case::{Feed, Ran};
use xfjit_testing::filetest::{Bless, FileTest, Tested, check_text};
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
use xfjit_testing::{Case, Choices, FixedCase, Limits};

const GEN: Generation = Generation::Kelvin;
/// The operand that the broken backend stumbles over.
const TRAP: u32 = 0x4242_4242;

/// Is wrong for vertices whose v0.x is [`TRAP`].
#[derive(Debug)]
struct Broken;

#[derive(Debug)]
struct BrokenRoutine(Arc<dyn Routine>);

impl Backend for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn runs(&self) -> Runs {
        Runs::Instructions
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        Ok(Arc::new(BrokenRoutine(Interp::Single.prepare(shader)?)))
    }
}

impl Routine for BrokenRoutine {
    fn needs(&self) -> &Needs {
        self.0.needs()
    }

    fn run_bound(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError> {
        let outcome = self.0.run_bound(worker, constants, bound, part.clone())?;
        for position in part.filter(|&position| bound.inputs().fetch(0, position)[0] == TRAP) {
            bound.store(0, position, [0x1234_5678; 4]);
        }
        Ok(outcome)
    }
}

fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

/// A batch in which vertices 2 and 5 are trapped.
fn trapped(text: &str, config: Config) -> Case {
    let shape = Shape { slots: 1, rare: 0, raw: 0, idioms: 0 };
    let limits =
        Limits { generation: Generation::Kelvin, shape, temper: Temper::Ordinary, vertices: 0, model: None };
    let words = isa::encode(GEN, &asm::parse(GEN, text).expect("it assembles"));
    let mut case = Case::with_program(&mut Choices::seed(1), limits, words, 0, config);
    let mut rows = [[0x3f80_0000u32, 1, 2, 3]; 7];
    (rows[2][0], rows[5][0]) = (TRAP, TRAP);
    let data = rows.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect();
    case.attributes[0] = Feed::Stream { data, offset: 0, stride: 16, components: 4 };
    (case.indices, case.count) = (None, 7);
    case.places = [None; xfjit::runtime::state::OUTPUTS];
    case.places[0] = Some(xfjit::runtime::batch::Place { offset: 0, stride: 16 });
    case.output_bytes = 7 * 16;
    case
}

fn run(case: &Case, backend: &dyn Backend) -> Ran {
    case.run(backend, &mut Worker::new()).expect("it runs")
}

fn reports(directory: &PathBuf) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    entries.map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("a report")).collect()
}

#[test]
fn a_difference_is_counted_and_becomes_a_test_of_one_vertex() {
    let directory = directory("lockstep_one");
    let case = trapped("ADD oPos, v0, c[3]", Config::new(GEN).model(Model::Ieee).live_outputs(1));
    let pair = Lockstep::new(Interp::Batched, Broken).reporting_to(&directory);
    let ran = run(&case, &pair);
    assert_eq!(ran.outcome.mismatches, 1);
    assert_eq!(ran.output, run(&case, &Interp::Single).output, "the caller gets the first backend's results");
    run(&case, &pair);

    let [report] = &reports(&directory)[..] else { panic!("there is not one report") };
    assert!(
        report.starts_with("; interp_batch (expected) and broken (got) differ: vertex 2, o0"),
        "{report}"
    );
    let test: FileTest = report.parse().expect("the report is a test");
    assert_eq!(test.batches.len(), 1);
    assert_eq!(test.batches[0].vertices.len(), 1);
    assert_eq!(check_text(report, Bless::No), Ok(None));
    assert!(test.check_runs(&Broken, test.models[0]).is_err(), "the report shows the difference");
}

/// Is wrong where it is prepared for an index list.
#[derive(Debug)]
struct BrokenLists;

impl Backend for BrokenLists {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn runs(&self) -> Runs {
        Runs::Native
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        match shader.inputs().indices().is_none() {
            true => Interp::Single.prepare(shader),
            false => Broken.prepare(shader),
        }
    }
}

/// What is found through lists is compared, and reported with the layout, without which there is no difference.
#[test]
fn a_difference_of_an_indexed_draw_is_written_and_replayed() {
    let directory = directory("lockstep_indexed");
    let config = Config::new(GEN).model(Model::Ieee).live_outputs(1);
    let program = Arc::new(asm::parse(GEN, "MOV r0, v0\nADD oPos, r0, v5").expect("it assembles"));
    let rows: [Row; 4] = std::array::from_fn(|row| [if row == 2 { TRAP } else { 7 }; 4]);
    let indices = [3_u16, 0, 2, 1, 2];
    let own = [(5, Numbering::Position)];
    let layout = IndexLayout::shared(IndexWidth::Half).with(5, None);
    let options = Options::default().with(|options| {
        options.backend = Arc::new(BrokenLists);
        options.verify = Some(Verify { every: NonZeroU64::MIN, directory: Some(directory.clone()) });
    });
    let inputs = Inputs::new(0)
        .with(0, Attribute::rows(&rows))
        .with(5, Attribute::Constant([1, 2, 3, 4]))
        .indexed(&indices)
        .numbered(&own);
    for layout in [IndexLayout::NONE, layout] {
        let shader = Microcode::shader(&program, &config).with_inputs(InputLayout::ROWS.indexed(layout));
        let program = Engine::new(options.clone()).shader(&shader);
        let mut words = [0; 20];
        let mut outputs = Outputs::interleaved(&mut words, &[0]);
        let run = program.run(&mut Worker::new(), &mut Context::new(192), &inputs, &mut outputs);
        assert_eq!(run.expect("the streams are there").mismatches, u64::from(!layout.is_none()));
        assert_eq!(reports(&directory).len(), usize::from(!layout.is_none()));
    }
    let [report] = &reports(&directory)[..] else { panic!("there is not one report") };
    assert!(report.contains("\ninputs index[16] v5.position\n"), "{report}");
    let mut test: FileTest = report.parse().expect("the report is a test");
    assert_eq!((test.to_string().parse(), test.batches[0].vertices.len()), (Ok(test.clone()), 1));
    assert_eq!(check_text(report, Bless::No), Ok(None));
    assert!(test.check_runs(&BrokenLists, test.models[0]).is_err(), "the report shows the difference");
    test.inputs = InputLayout::ROWS;
    assert_eq!(test.check_runs(&BrokenLists, test.models[0]), Ok(()), "which is one of indexed draws");
}

#[test]
fn a_program_that_writes_constants_is_reported_with_the_vertices_before() {
    let directory = directory("lockstep_serial");
    let config =
        Config::new(GEN).model(Model::Ieee).live_outputs(1).with(|config| config.constant_writes = true);
    let case = trapped("ADD c[3], v0, c[3]\nMOV oPos, c[3]", config);
    let pair = Lockstep::new(Broken, Interp::Single).reporting_to(&directory);
    assert_eq!(run(&case, &pair).outcome.mismatches, 1);
    let [report] = &reports(&directory)[..] else { panic!("there is not one report") };
    let test: FileTest = report.parse().expect("the report is a test");
    assert_eq!(test.batches[0].vertices.len(), 3);
    assert_eq!(check_text(report, Bless::No), Ok(None));
    assert!(test.check_runs(&Broken, test.models[0]).is_err(), "the report shows the difference");
}

/// A batch of the fixed function in which vertices 2 and 5 are trapped; a stream that nothing reads is too short.
#[test]
fn a_difference_of_the_fixed_function_becomes_a_test_of_one_vertex() {
    for layout in [Layout::Rows, Layout::Planes] {
        let directory = directory(&format!("lockstep_fixed_{layout:?}"));
        let mode = Mode::new(Pipeline::Kelvin, &[0; 4]).with(Name::TexEnable(1), 1);
        let setup = Setup::new(mode).with(|setup| setup.layout = layout);
        let pair = Lockstep::new(Interp::Batched, Broken).reporting_to(&directory);
        let routine = pair.prepare(&Shader::from(setup)).expect("it takes everything");

        let mut rows = [[0x3f80_0000u32, 1, 2, 3]; 7];
        (rows[2][0], rows[5][0]) = (TRAP, TRAP);
        let short = Attribute::Stream { data: &[0; 20], stride: 16, components: 4 };
        let inputs =
            Inputs::new(7).with(0, Attribute::rows(&rows)).with(10, Attribute::rows(&rows)).with(13, short);
        let live: Vec<u8> = registers(setup.outputs()).map(|register| register as u8).collect();
        let mut words = vec![0; 4 * live.len() * 7];
        let mut outputs = match layout {
            Layout::Rows => Outputs::interleaved(&mut words, &live),
            Layout::Planes => Outputs::planes(&mut words, &live, 7),
        };
        let mut context = memory::context(Pipeline::Kelvin);
        let outcome = routine.run(&mut Worker::new(), &mut context, &inputs, &mut outputs).expect("it runs");
        assert_eq!(outcome.mismatches, 1);

        let [report] = &reports(&directory)[..] else { panic!("there is not one report") };
        assert!(
            report.starts_with("; interp_batch (expected) and broken (got) differ: vertex 2, o0"),
            "{report}"
        );
        let test: FileTest = report.parse().expect("the report is a test");
        assert_eq!(test.tested, Tested::Fixed(setup));
        assert_eq!(test.batches[0].vertices.len(), 1);
        assert!(test.batches[0].vertices[0].inputs.contains(&(0, rows[2])));
        assert_eq!(check_text(report, Bless::No), Ok(None));
        assert!(test.check_runs(&Broken, test.models[0]).is_err(), "the report shows the difference");
    }
}

/// What `xfjit diff --fixed` and the fuzz target print.
#[test]
fn a_mismatch_of_the_fixed_function_is_printed_as_a_test() {
    let mut case = FixedCase::choose(&mut Choices::seed(3), Family::Kelvin, Some(Model::Hw), 5);
    case.setup = Setup::new(case.setup.mode);
    case.attributes[0][3][0] = TRAP;
    let mismatch = case.check(&[&Interp::Batched, &Broken], &mut Worker::new()).expect_err("one is broken");
    assert_eq!((mismatch.backend.as_str(), mismatch.position), ("broken", Some(3)));
    let text = mismatch.to_string();
    let (title, text) = text.split_once('\n').expect("there are lines");
    assert!(title.starts_with("broken: vertex 3, o0: expected"), "{title}");
    let test: FileTest = text.parse().expect("the rest is a test");
    assert_eq!(test.why, [title]);
    assert_eq!(check_text(text, Bless::No), Ok(None));
    assert!(test.check_runs(&Broken, Model::Hw).is_err(), "it shows the difference");
}

#[test]
fn agreement_leaves_nothing_behind() {
    let directory = directory("lockstep_none");
    let pair = Lockstep::new(Interp::Batched, Interp::Single).reporting_to(&directory);
    for seed in 0..50 {
        let case = Case::choose(&mut Choices::seed(seed));
        let ran = run(&case, &pair);
        assert_eq!(ran.outcome.mismatches, 0);
        assert_eq!(ran.output, run(&case, &Interp::Single).output);
    }
    assert!(!directory.exists());
}

#[test]
fn a_report_that_cannot_be_written_stops_nobody() {
    let case = trapped("ADD oPos, v0, c[3]", Config::new(GEN).model(Model::Ieee).live_outputs(1));
    let pair = Lockstep::new(Interp::Batched, Broken).reporting_to("/dev/null/nowhere");
    assert_eq!(run(&case, &pair).outcome.mismatches, 1);
}

#[test]
fn an_engine_that_compares_bars_what_differs() {
    let directory = directory("lockstep_verify");
    let verify =
        Verify { every: NonZeroU64::new(3).expect("it is not zero"), directory: Some(directory.clone()) };
    let heard = Arc::new(AtomicU64::new(0));
    let hook = {
        let heard = Arc::clone(&heard);
        Hook::new(move |event| {
            if let Event::Mismatch(program) = event {
                assert!(program.stats().barred);
                heard.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    let engine = Engine::new(Options::default().with(|options| {
        options.backend = Arc::new(Broken);
        options.verify = Some(verify);
        options.hook = Some(hook);
    }));
    let text = "ADD oPos, v0, c[3]";
    let config = Config::new(GEN).model(Model::Ieee).live_outputs(1);
    let program = engine.decoded(asm::parse(GEN, text).expect("it is a program"), &config);
    let case = trapped(text, config);
    let want = run(&case, &Interp::Single);
    let mut worker = Worker::new();
    let mut batch = |trap: bool| {
        let (mut output, mut context) = (case.fresh_output(), case.context());
        let mut inputs = case.inputs();
        let plain = [[1.0f32.to_bits(); 4]; 7];
        if !trap {
            inputs.attributes[0] = Attribute::rows(&plain);
        }
        let outcome =
            program.run(&mut worker, &mut context, &inputs, &mut case.outputs(&mut output)).expect("it runs");
        (output, outcome.mismatches)
    };
    // The first and the fourth batch of native code are compared; nothing is wrong with these vertices.
    for _ in 0..3 {
        assert_eq!(batch(false).1, 0);
    }
    assert_eq!(engine.stats().verified, 1);
    assert_eq!(batch(true), (want.output.clone(), 1), "the interpreter's result stands");
    assert_eq!(heard.load(Ordering::Relaxed), 1);
    for _ in 0..5 {
        assert_eq!(batch(true), (want.output.clone(), 0), "it is no longer run in native code");
    }
    let (stats, of_program) = (engine.stats(), program.stats());
    assert_eq!((stats.verified, stats.barred, stats.given_up), (2, 1, 0));
    assert!(of_program.barred && !of_program.given_up);
    let [report] = &reports(&directory)[..] else { panic!("there is not one report") };
    assert_eq!(check_text(report, Bless::No), Ok(None));
}
