//! Batches that are bound once and run in parts, with constants and outputs wherever the caller has them: the bits are
//! those of one run of the reference, and what does not serve is refused before anything is written.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Repeated, Routine, Runs, Worker};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Output, Outputs, StreamError};
use xfjit::runtime::bound::Bound;
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::{Context, DEFAULT_ROW, Row};
use xfjit::shader::Shader;
use xfjit::{Config, Engine, Generation, Model, Options, Program, asm};
use xfjit_testing::RandomCase;
use xfjit_testing::{Case, Choices, Limits, backends};

fn all_backends(model: Model) -> Vec<Arc<dyn Backend>> {
    let mut all = backends(model);
    all.push(Arc::new(Interp::Single));
    all
}

fn shader(text: &str, config: Config) -> Shader {
    Microcode::shader(&Arc::new(asm::parse(config.generation, text).expect("it assembles")), &config)
}

fn kelvin() -> Config {
    Config::new(Generation::Kelvin).live_outputs(1)
}

/// Where a batch is cut.
fn cuts(count: usize, c: &mut Choices<'_>) -> Vec<usize> {
    let mut cuts: Vec<usize> = (0..c.below(4)).map(|_| c.below(count as u32 + 1) as usize).collect();
    cuts.extend([0, count]);
    cuts.sort_unstable();
    cuts
}

/// Parts one after the other, constants aligned for words only, with bytes for what is written.
#[test]
fn parts_make_up_the_whole() {
    let mut worker = Worker::new();
    let (mut parts, mut writers, mut again) = (0, 0, BTreeMap::<_, usize>::new());
    for seed in 0..150 {
        let mut c = Choices::seed(seed);
        let mut limits = Limits::choose(&mut c, Generation::ALL[seed as usize % 3]);
        limits.shape.slots = limits.shape.slots.min(60);
        let case = Case::within(&mut c, limits);
        let program = case.program().expect("it decodes");
        let want = case.run(&Interp::Single, &mut worker).expect("the reference runs every case");
        let mut want_dirty: Option<Vec<u8>> = None;
        let cuts = cuts(case.count, &mut c);
        for backend in all_backends(case.config.model) {
            let Ok(routine) = backend.prepare(&Microcode::shader(&program, &case.config)) else { continue };
            let mut words = vec![0x5a5a_5a5a];
            words.extend_from_slice(case.context().rows().as_flattened());
            let rows = words[1..].as_chunks_mut::<4>().0;
            let mut dirty = vec![0; rows.len()];
            let mut output = case.fresh_output();
            {
                let inputs = case.inputs();
                let outputs = Outputs::new(&mut output, case.config.layout, case.places);
                let mut bound =
                    Bound::new(routine.needs(), &inputs, &outputs).expect("the streams are long enough");
                let mut constants = Constants::new(rows).noting(&mut dirty);
                let mut faults = xfjit::shader::Faults::default();
                for cut in cuts.windows(2) {
                    let outcome = routine.run_bound(&mut worker, &mut constants, &mut bound, cut[0]..cut[1]);
                    faults += outcome.expect("it is bound").faults;
                    parts += 1;
                }
                assert_eq!(faults, want.outcome.faults, "{}\n{case}", backend.name());
                if !routine.needs().writes_constants && faults == xfjit::shader::Faults::default() {
                    // Nobody else writes what is written again; so it is what the last run computed.
                    let whole = routine.run_bound(&mut worker, &mut constants, &mut bound, 0..case.count);
                    whole.expect("it is bound");
                    let is_again = routine.run_repeat(&mut worker, &mut constants, &mut bound.repeat());
                    *again.entry(backend.name()).or_default() += usize::from(is_again == Repeated::Plainly);
                }
            }
            assert!(output == want.output, "{} in parts {cuts:?}\n{case}", backend.name());
            assert_eq!(*rows, *want.context.rows(), "{}\n{case}", backend.name());
            for (row, before) in case.context().rows().iter().enumerate() {
                assert!(dirty[row] == 1 || rows[row] == *before, "row {row} is not noted\n{case}");
            }
            writers += usize::from(dirty.contains(&1));
            let want_dirty = want_dirty.get_or_insert_with(|| dirty.clone());
            assert_eq!(dirty, *want_dirty, "{}\n{case}", backend.name());
        }
    }
    assert!(parts > 1000 && writers > 10, "{parts} parts, {writers} runs that write constants");
    // Of every machine's native code; what wider code there is depends on the machine.
    assert!(again.get("jit").is_none_or(|&again| again > 20), "runs that came again: {again:?}");
    assert!(again.contains_key("jit") || cfg!(not(feature = "jit")));
}

/// Batches that are no whole groups are computed without a copy, or with one, and a vertex that native code leaves to the
/// interpreter takes one group with it, wherever it is. Around the outputs all stays as it was.
#[test]
fn a_guarded_vertex_takes_one_group_with_it() {
    const UNTOUCHED: u32 = 0x5a5a_5a5a;
    let mut worker = Worker::new();
    let rows = vec![[0x4000_0000; 4]; 192];
    let mut guarded = 0;
    for layout in [Layout::Rows, Layout::Planes] {
        let shader =
            shader("MUL oPos, v0, c[3]", kelvin().model(Model::Ieee).with(|config| config.layout = layout));
        let all: Vec<_> = all_backends(Model::Ieee)
            .into_iter()
            .rev()
            .map(|backend| (backend.prepare(&shader).expect("it is small"), backend))
            .collect();
        for (count, nan) in (0..40).flat_map(|count| (0..=count.min(39)).map(move |nan| (count, nan))) {
            let vertex = |i: usize| if i == nan { [0x7fc0_0001; 4] } else { [0x3f80_0000 + i as u32; 4] };
            let attributes: Vec<Row> = (0..count).map(vertex).collect();
            let inputs = Inputs::new(count).with(0, Attribute::rows(&attributes));
            let mut want: Option<Vec<u32>> = None;
            for (routine, backend) in &all {
                let name = backend.name();
                let mut words = vec![UNTOUCHED; 4 * count + 8];
                let end = words.len() - 4;
                let outputs = match layout {
                    Layout::Rows => Outputs::interleaved(&mut words[4..end], &[0]),
                    Layout::Planes => Outputs::planes(&mut words[4..end], &[0], count),
                };
                let outcome = routine
                    .run_on(&mut worker, &mut Constants::read_only(&rows), &inputs, &outputs)
                    .expect("the streams hold the batch");
                assert!(words[..4].iter().chain(&words[end..]).all(|&word| word == UNTOUCHED), "{name}");
                let want = want.get_or_insert_with(|| words.clone());
                assert_eq!(words, *want, "{count} vertices, {nan} a NaN: {name}");
                let most = u64::from(nan < count && backend.runs().is_legalised());
                assert_eq!(outcome.deopt_groups, most, "{count} vertices, {nan} a NaN: {name}");
                if backend.runs() == Runs::Native {
                    assert_eq!(outcome.deopt_vertices, most, "{count} vertices, {nan} a NaN: {name}");
                }
                guarded += outcome.deopt_groups;
            }
        }
    }
    assert!(guarded > 0 || cfg!(not(feature = "jit")), "nothing was left to the interpreter");
}

/// What has run can run again without being looked at, with other constants, as long as there is nothing more to it than calling
/// native code. Then, and only then, it is counted.
#[test]
fn what_has_run_runs_again() {
    const UNTOUCHED: u8 = 0x5a;
    let row = |value: f32| [value.to_bits(); 4];
    let nan = [0x7fc0_0001; 4];
    let engine = Engine::new(Options::default().with(|options| options.time_one_in = 0));
    let shader = shader("MUL oPos, v0, c[3]", kelvin().model(Model::Ieee));
    let program = engine.shader(&shader);
    let is_native = cfg!(feature = "jit") && program.stats().native;
    let other = engine.shader(&self::shader("ADD oPos, v0, c[3]", kelvin().model(Model::Ieee)));
    let mut worker = Worker::new();
    for count in [0, 1, 3, 8, 16, 40] {
        let attributes: Vec<Row> = (0..count).map(|i| row(1.0 + i as f32)).collect();
        let inputs = Inputs::new(count).with(0, Attribute::rows(&attributes));
        let out = vec![Cell::new(UNTOUCHED); 16 * count];
        let mut outputs = Outputs::none(Layout::Rows);
        outputs.set(0, Output::shared(&out, 16));
        let mut bound = Bound::new(program.needs(), &inputs, &outputs).expect("it holds the batch");
        let rows_of = |constant: Row| vec![constant; 192];
        let is_right = |scale: f32| {
            let words = out.as_chunks::<16>().0.iter().enumerate();
            words.into_iter().all(|(i, bytes)| {
                bytes.as_chunks::<4>().0.iter().all(|word| {
                    u32::from_ne_bytes(word.each_ref().map(Cell::get)) == (scale * (1.0 + i as f32)).to_bits()
                })
            })
        };
        let again = |program: &Program, worker: &mut Worker, bound: &mut Bound<'_>, constant: Row| {
            let before = program.stats();
            let has_run = program.run_repeat(
                worker,
                &mut Constants::read_only(&rows_of(constant)),
                &mut bound.repeat(),
            ) != Repeated::Undone;
            let after = program.stats();
            let counted = (after.batches - before.batches, after.vertices - before.vertices);
            assert_eq!(counted, if has_run { (1, count as u64) } else { (0, 0) });
            assert_eq!(after.deopt_groups, before.deopt_groups);
            has_run
        };
        assert!(!again(&program, &mut worker, &mut bound, row(2.0)), "it has not run yet");
        assert!(out.iter().all(|byte| byte.get() == UNTOUCHED));
        // A part is not all of it.
        let part = 0..count / 2;
        program
            .run_bound(&mut worker, &mut Constants::read_only(&rows_of(row(2.0))), &mut bound, part)
            .expect("it runs");
        assert!(count == 0 || !again(&program, &mut worker, &mut bound, row(2.0)));
        let whole = |worker: &mut Worker, bound: &mut Bound<'_>, constant: Row| {
            program
                .run_bound(worker, &mut Constants::read_only(&rows_of(constant)), bound, 0..count)
                .expect("it runs")
        };
        // With a guard raised, and without a slow path, it is not what can be done again.
        if count > 0 {
            assert_eq!(whole(&mut worker, &mut bound, nan).deopt_groups > 0, is_native);
            assert!(!again(&program, &mut worker, &mut bound, row(2.0)));
        }
        whole(&mut worker, &mut bound, row(3.0));
        assert!(is_right(3.0));
        let can = again(&program, &mut worker, &mut bound, row(4.0));
        assert!(!can || is_right(4.0));
        assert_eq!(can, is_native, "{count} vertices");
        assert!(!again(&other, &mut worker, &mut bound, row(4.0)), "another program");
        worker.set_slot_budget(Some(1000));
        assert!(!again(&program, &mut worker, &mut bound, row(5.0)), "there is a budget");
        worker.set_slot_budget(None);
        if count == 0 {
            continue;
        }
        assert!(!again(&program, &mut worker, &mut bound, nan), "there is something left to do");
        assert!(!again(&program, &mut worker, &mut bound, row(6.0)), "there was something left to do");
        whole(&mut worker, &mut bound, row(5.0));
        let other_rows = vec![row(6.0); 96];
        let other_run =
            program.run_repeat(&mut worker, &mut Constants::read_only(&other_rows), &mut bound.repeat());
        assert_eq!(other_run, Repeated::Undone, "other constants");
        assert_eq!(again(&program, &mut worker, &mut bound, row(6.0)), can);
        assert!(!can || is_right(6.0));
        // Of the memory of the proof another batch makes a proof of its own.
        let mut memory = Some(bound.into_proof());
        let mut bound =
            Bound::with_memory(&mut memory, program.needs(), &inputs, &outputs).expect("it holds the batch");
        assert!(!again(&program, &mut worker, &mut bound, row(7.0)));
    }
}

/// Of a group native code leaves those vertices to the interpreter in which guards were raised, and no others; of rows that are only
/// copied as well. However many they are, all others are native code's.
#[test]
fn guarded_vertices_alone_are_left_to_the_interpreter() {
    let mut worker = Worker::new();
    let constants = vec![[0x4000_0000; 4]; 192];
    let (mut some, mut lone) = (0, 0);
    for model in [Model::Ieee, Model::Hw] {
        let config = kelvin().model(model).with(|config| config.live_outputs = 1 << 0 | 1 << 3);
        let shader = shader("ADD oPos, v0, c[3]\nMOV oD0, v1", config);
        let all: Vec<_> = all_backends(model)
            .into_iter()
            .map(|backend| (backend.prepare(&shader).expect("it is small"), backend))
            .collect();
        for seed in 0..150 {
            let mut c = Choices::seed(seed);
            let count = c.below(90) as usize + 1;
            // One of so many is a NaN, of the first attribute and of the second.
            let rare = [[1, 2, 5, 20][c.below(4) as usize], [3, 1000][c.below(2) as usize]];
            let mut rows = |rare: u32| -> Vec<Row> {
                let vertex = |i| {
                    if c.below(rare) == 0 { [0x3f80_0000, 0xff80_0001, 0, 0] } else { [0x3f80_0000 + i; 4] }
                };
                (0..count as u32).map(vertex).collect()
            };
            let (summed, copied) = (rows(rare[0]), rows(rare[1]));
            let inputs =
                Inputs::new(count).with(0, Attribute::rows(&summed)).with(1, Attribute::rows(&copied));
            let is_nan = |row: &Row| row[1] == 0xff80_0001;
            let guarded = |i: &usize| is_nan(&summed[*i]) || model == Model::Ieee && is_nan(&copied[*i]);
            let guarded = (0..count).filter(guarded).count() as u64;
            let mut want: Option<Vec<u32>> = None;
            for (routine, backend) in &all {
                let name = backend.name();
                let mut words = vec![0; 8 * count];
                let outputs = Outputs::interleaved(&mut words, &[0, 3]);
                let outcome = routine
                    .run_on(&mut worker, &mut Constants::read_only(&constants), &inputs, &outputs)
                    .expect("the streams hold the batch");
                assert_eq!(words, *want.get_or_insert_with(|| words.clone()), "{seed}: {name}");
                if backend.runs() != Runs::Native {
                    continue;
                }
                let left = outcome.deopt_vertices;
                assert!(left >= guarded, "{seed}: {name} leaves {left} of {guarded}");
                // Where a row is copied, others of the group may be told beside the one with the NaN.
                let copies_none = model == Model::Hw || !copied.iter().any(is_nan);
                if copies_none && backend.runs() == Runs::Native {
                    assert_eq!(left, guarded, "{seed}: {name}");
                    lone += u64::from(guarded > 0);
                }
                some += u64::from(guarded > 0 && guarded < count as u64);
            }
        }
    }
    let has_code = cfg!(feature = "jit");
    assert!(
        !has_code || some > 100 && lone > 100,
        "{some} batches with both kinds, {lone} of which all is known"
    );
}

#[test]
fn what_was_bound_for_something_else_is_refused() {
    let shaders = [
        shader("MUL oPos, v0, c[3]", kelvin()),
        shader("MUL oPos, v0, c[5]", kelvin()),
        shader("MUL oPos, v1, c[3]", kelvin()),
        shader("MUL oPos.x, v0, c[3]", kelvin()),
        shader("MUL oPos, v0, c[3]", kelvin().live_outputs(9)),
        shader("MUL oPos, v0, c[3]", kelvin().with(|config| config.layout = Layout::Planes)),
        shader(
            "MUL R0, v0, c[3]\nMOV c[4], R0\nMOV oPos, R0",
            kelvin().with(|config| config.constant_writes = true),
        ),
    ];
    let attributes = [[0x3f80_0000; 4]; 8];
    let inputs = Inputs::new(8).with(0, Attribute::rows(&attributes));
    for backend in all_backends(Model::Hw) {
        let routines: Vec<Arc<dyn Routine>> =
            shaders.iter().map(|shader| backend.prepare(shader).expect("it is small")).collect();
        let mut words = [7; 64];
        let outputs = Outputs::interleaved(&mut words, &[0, 3]);
        let mut bound = Bound::new(routines[0].needs(), &inputs, &outputs).expect("it holds the batch");
        let mut worker = Worker::new();
        let mut run = |routine: &dyn Routine, rows: &[Row], bound: &mut Bound<'_>, part| {
            routine.run_bound(&mut worker, &mut Constants::read_only(rows), bound, part).err()
        };
        let rows = vec![[0; 4]; 192];
        // Another program with the same needs.
        assert_eq!(run(&*routines[1], &rows, &mut bound, 0..0), None);
        for other in &routines[2..6] {
            assert_eq!(run(&**other, &rows, &mut bound, 0..8), Some(StreamError::OtherNeeds));
        }
        assert_eq!(run(&*routines[6], &rows, &mut bound, 0..8), Some(StreamError::ConstantsAreReadOnly));
        #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
        let parts =
            [(0..9, 9), (9..9, 9), (5..4, 5), (0..usize::MAX, usize::MAX), (usize::MAX..0, usize::MAX)];
        for (part, end) in parts {
            let error = run(&*routines[0], &rows, &mut bound, part);
            assert_eq!(error, Some(StreamError::NoSuchPart { end, count: 8 }));
        }
        for got in [0, 191, 193, 544] {
            let error = run(&*routines[0], &vec![[0; 4]; got], &mut bound, 0..8);
            assert_eq!(error, Some(StreamError::WrongContext { needed: 192, got }));
        }
        let (mut rows, mut dirty) = (rows, [0; 191]);
        let mut constants = Constants::new(&mut rows).noting(&mut dirty);
        let result = routines[6].run_bound(&mut worker, &mut constants, &mut bound, 0..8);
        assert_eq!(result.err(), Some(StreamError::TooFewDirtyBytes { needed: 192, got: 191 }));
        drop(bound);
        assert_eq!(words, [7; 64], "{}: refused and written", backend.name());
        let outputs = Outputs::planes(&mut words, &[0], 8);
        let error = Bound::new(routines[0].needs(), &inputs, &outputs).err();
        assert_eq!(error, Some(StreamError::WrongLayout));
    }
}

/// Each output in memory of its own, of its own length and stride; what the program has no instruction for stays.
#[test]
fn outputs_lie_apart_and_keep_what_is_not_written() {
    const OLD: u32 = 0x1234_5678;
    let rows: Vec<Row> = (0..150).map(|vertex| [1, 2, 3, 4].map(|c| 0x3f80_0000 + 64 * vertex + c)).collect();
    let text = "MOV oPos, v0\nMOV oD0.xz, v0\nMOV oT0.w, v0";
    let one = |words: &[u32], layout, stride: usize, vertex: usize, c: usize| match layout {
        Layout::Rows => words[vertex * stride / 4 + c],
        Layout::Planes => words[c * stride / 4 + vertex],
    };
    for layout in [Layout::Rows, Layout::Planes] {
        // oPos, oD0, oD1 and oT0 are wanted; oD1 is never written.
        let config =
            kelvin().live_outputs(1 | 1 << 3 | 1 << 4 | 1 << 9).with(|config| config.layout = layout);
        let shader = shader(text, config);
        for (count, keeps) in [1, 3, 4, 7, 64, 65, 150].into_iter().flat_map(|n| [(n, false), (n, true)]) {
            for backend in all_backends(Model::Hw) {
                let routine = backend.prepare(&shader).expect("it is small");
                let strides = match layout {
                    Layout::Rows => [16, 20, 16, 64],
                    Layout::Planes => [4 * count, 4 * count + 4, 4 * count, 8 * count],
                };
                let mut memory = strides.map(|stride| {
                    let words = match layout {
                        Layout::Rows => stride / 4 * (count - 1) + 4,
                        Layout::Planes => stride / 4 * 3 + count,
                    };
                    vec![OLD; words]
                });
                let [mut a, mut b, mut c, mut d] = memory.each_mut().map(|words| bytes_of(words));
                let mut outputs = Outputs::none(layout)
                    .with(0, Output::new(&mut a, strides[0]))
                    .with(3, Output::new(&mut b, strides[1]))
                    .with(9, Output::new(&mut d, strides[3]));
                // Kept as a whole, it needs no memory.
                if keeps {
                    outputs = outputs.keeping();
                } else {
                    outputs = outputs.with(4, Output::new(&mut c, strides[2]));
                }
                let inputs = Inputs::new(count).with(0, Attribute::rows(&rows));
                let constants = vec![[0; 4]; 192];
                let mut worker = Worker::new();
                routine
                    .run_on(&mut worker, &mut Constants::read_only(&constants), &inputs, &outputs)
                    .expect("there is room");
                for (words, bytes) in memory.iter_mut().zip([a, b, c, d]) {
                    let read = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_ne_bytes(*word));
                    words.clear();
                    words.extend(read);
                }
                let masks = [15, 5, 0, 8];
                for (i, mask) in masks.into_iter().enumerate() {
                    for (vertex, component) in (0..count).flat_map(|vertex| (0..4).map(move |c| (vertex, c)))
                    {
                        let want = match (mask >> component & 1, keeps) {
                            (1, _) => rows[vertex][component],
                            (_, true) => OLD,
                            (_, false) => DEFAULT_ROW[component],
                        };
                        let got = one(&memory[i], layout, strides[i], vertex, component);
                        let name = backend.name();
                        assert_eq!(got, want, "{name}: {i}.{component}, {vertex} of {count}, {layout:?}");
                    }
                }
            }
        }
    }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Counters of a program are exact whoever runs it, one worker or several.
#[test]
fn all_workers_are_counted() {
    let engine = Engine::new(Options::default());
    let program = asm::parse(Generation::Kelvin, "MUL oPos, v0, c[3]").expect("it assembles");
    let program = engine.decoded(program, &kelvin());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let program = &program;
            scope.spawn(move || {
                let (rows, attributes) = (vec![[0; 4]; 192], [[0; 4]; 8]);
                let inputs = Inputs::new(8).with(0, Attribute::rows(&attributes));
                for _ in 0..2 {
                    let (mut worker, mut words) = (Worker::new(), [0; 32]);
                    let outputs = Outputs::interleaved(&mut words, &[0]);
                    let mut bound =
                        Bound::new(program.needs(), &inputs, &outputs).expect("it holds the batch");
                    let mut constants = Constants::read_only(&rows);
                    for _ in 0..500 {
                        let part = 0..1 + thread;
                        program
                            .run_bound(&mut worker, &mut constants, &mut bound, part)
                            .expect("it is bound");
                    }
                }
            });
        }
    });
    let stats = program.stats();
    assert_eq!((stats.batches, stats.vertices), (4000, 1000 * (1 + 2 + 3 + 4)));
}

/// Strides, sizes and counts at the ends of numbers: refused, or right; nothing overflows.
#[test]
fn numbers_at_their_ends_are_refused() {
    let ends = [
        usize::MAX,
        usize::MAX - 15,
        usize::MAX / 2,
        isize::MAX as usize + 1,
        usize::MAX / 16,
        1 << (usize::BITS - 24),
    ];
    let decoded = asm::parse(Generation::Kelvin, "MOV oPos, v0").expect("it assembles");
    let program = Engine::new(Options::default()).decoded(decoded, &kelvin());
    let data = [0u8; 64];
    let (mut worker, mut rows) = (Worker::new(), [0u8; 64]);
    let mut context = Context::new(Generation::Kelvin.constants());
    for stride in ends {
        for count in [2, 3, 5].into_iter().chain(ends) {
            let read = Inputs::new(count).with(0, Attribute::Stream { data: &data, stride, components: 4 });
            let short =
                Inputs::new(count).with(0, Attribute::Stream { data: &data, stride: 0, components: 4 });
            let index = [u32::MAX; 5];
            let mut all = vec![read, short];
            if count <= 5 {
                all.push(read.indexed(&index[..count]));
            }
            for inputs in all {
                let mut outputs = Outputs::none(Layout::Rows);
                outputs.set(0, Output::new(&mut rows, stride));
                let ran = program.run(&mut worker, &mut context, &inputs, &mut outputs);
                assert!(ran.is_err(), "{count} at strides of {stride}");
                assert!(Bound::new(program.needs(), &inputs, &outputs).is_err());
            }
        }
    }
}
