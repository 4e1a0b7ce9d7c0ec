//! The dirty bytes of constants name the rows that vertices have written, whatever runs them: not those that a program might
//! have written, nor those that a branch or a condition has left alone.

use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Repeated, Worker};
use xfjit::engine::default_backend;
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs};
use xfjit::runtime::bound::Bound;
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::Row;
use xfjit::{Config, Engine, Generation, Model, Options, asm};
use xfjit_testing::backends;

const GEN: Generation = Generation::Rankine;
const ONE: f32 = 1.0;

/// A program, vertices with this number in all components of v0, and the rows that these vertices write.
struct Writer {
    text: &'static str,
    runs: &'static [(&'static [f32], &'static [usize])],
}

const WRITERS: &[Writer] = &[
    // A branch around one write of two.
    Writer {
        text: "MOVC cc, v0\nBRA skip (GT.x)\nMOV c[3].xy, v0\nskip:\nMOV c[8].w, v0\nMOV o1, c[3]",
        runs: &[
            (&[ONE], &[8]),
            (&[-ONE], &[3, 8]),
            (&[ONE, ONE, -ONE, ONE], &[3, 8]),
            (&[f32::NAN], &[3, 8]),
        ],
    },
    // Conditions, of components that are written or not.
    Writer {
        text: "MOVC cc, v0\nMOV c[5] (LT), v0\nMOV o1, c[5]",
        runs: &[(&[ONE], &[]), (&[-ONE], &[5]), (&[ONE, 0.0, -ONE], &[5]), (&[f32::NAN, ONE], &[])],
    },
    Writer {
        text: "MOVC cc.x, v0\nMOV c[5].yz (LT), v0\nMOV c[6].xw (LT), v0\nMOV c[7].y (EQ), v0\nMOV o1, c[0]",
        runs: &[(&[ONE], &[7]), (&[-ONE], &[6, 7]), (&[0.0; 9], &[7])],
    },
    // What is written is what was there.
    Writer { text: "MOV c[0], c[0]\nMOV o1, c[0]", runs: &[(&[ONE], &[0]), (&[ONE; 3], &[0])] },
    // Nothing leads there.
    Writer {
        text: "MOVC cc, c[0]\nBRA end (GT.x)\nMOV c[2], v0\nend:\nMOV o1, v0",
        runs: &[(&[ONE], &[]), (&[ONE; 20], &[])],
    },
    // Never, always, and one after the other.
    Writer {
        text: "MOVC cc, v0\nMOV c[2] (FL), v0\nMOV c[4] (LT), v0\nMOV c[4].x (GE), v0\nMOV c[9] (LT), v0\nMOV o1, c[4]",
        runs: &[(&[ONE], &[4]), (&[-ONE], &[4, 9]), (&[0.0], &[4])],
    },
    // Rounds; they end with a write, or the limit ends them.
    Writer {
        text: "MOV r1, v0\nagain:\nADD r1, r1, -c[0]\nMOVC cc.x, r1.x\nMOV c[10] (EQ.x), r1\nBRA again (GT.x)\n\
               MOV c[11], r1\nMOV o1, r1",
        runs: &[
            (&[3.0], &[10, 11]),
            (&[0.5], &[11]),
            (&[0.5, 2.5, 1.5], &[11]),
            (&[1e9], &[]),
            (&[1e9, 2.0], &[10, 11]),
            (&[f32::INFINITY; 3], &[]),
        ],
    },
    // Calls without end fill the stack, which ends it as well.
    Writer {
        text: "MOVC cc, v0\nMOV c[3] (GT), v0\nagain:\nCAL again (LT.x)\nMOV c[4], v0\nMOV o1, v0",
        runs: &[(&[ONE], &[3, 4]), (&[-ONE], &[]), (&[-ONE, ONE], &[3, 4]), (&[-ONE, -ONE], &[])],
    },
];

fn constants() -> Vec<Row> {
    (0..GEN.constants()).map(|row| [if row == 0 { ONE } else { row as f32 }.to_bits(); 4]).collect()
}

fn config(model: Model, layout: Layout) -> Config {
    Config::new(GEN).model(model).live_outputs(2).with(|config| {
        (config.constant_writes, config.layout, config.timeout) = (true, layout, 60);
    })
}

fn named(dirty: &[u8]) -> Vec<usize> {
    assert!(dirty.iter().all(|&byte| byte < 2), "a byte is 0 or 1");
    (0..dirty.len()).filter(|&row| dirty[row] != 0).collect()
}

/// Calls `each` with a batch of vertices that have these numbers.
fn with_batch(numbers: &[f32], layout: Layout, each: impl FnOnce(&Inputs<'_>, &Outputs<'_>)) {
    let rows: Vec<Row> = numbers.iter().map(|number| [number.to_bits(); 4]).collect();
    let inputs = Inputs::new(rows.len()).with(0, Attribute::rows(&rows));
    let mut words = vec![0; 4 * rows.len()];
    let outputs = match layout {
        Layout::Rows => Outputs::interleaved(&mut words, &[1]),
        Layout::Planes => Outputs::planes(&mut words, &[1], rows.len()),
    };
    each(&inputs, &outputs);
}

fn all_backends(model: Model) -> Vec<Arc<dyn Backend>> {
    backends(model).into_iter().chain([Arc::new(Interp::Single) as Arc<dyn Backend>]).collect()
}

#[test]
fn they_name_what_was_written_on_every_backend() {
    let mut worker = Worker::new();
    for (model, layout) in
        [(Model::Hw, Layout::Rows), (Model::Ieee, Layout::Rows), (Model::Ieee, Layout::Planes)]
    {
        for backend in all_backends(model) {
            for Writer { text, runs } in WRITERS {
                let program = Arc::new(asm::parse(GEN, text).unwrap_or_else(|errors| panic!("{errors:?}")));
                let shader = Microcode::shader(&program, &config(model, layout));
                let routine = backend.prepare(&shader).expect("it is short");
                for (numbers, want) in *runs {
                    let name = backend.name();
                    with_batch(numbers, layout, |inputs, outputs| {
                        let (mut rows, mut dirty) = (constants(), vec![0; GEN.constants()]);
                        let mut lent = Constants::new(&mut rows).noting(&mut dirty);
                        routine.run_on(&mut worker, &mut lent, inputs, outputs).expect("it serves");
                        assert_eq!(named(&dirty), *want, "{name}, {model:?}: {numbers:?}\n{text}");
                    });
                    // One vertex at a time: bound, in parts, and the same again on what was there at first.
                    let mut whole = vec![0; GEN.constants()];
                    let mut rows = constants();
                    for number in *numbers {
                        with_batch(&[*number], layout, |inputs, outputs| {
                            let mut bound = Bound::new(routine.needs(), inputs, outputs).expect("it serves");
                            let before = rows.clone();
                            let mut first = vec![0; GEN.constants()];
                            let mut lent = Constants::new(&mut rows).noting(&mut first);
                            routine.run_bound(&mut worker, &mut lent, &mut bound, 0..1).expect("it is bound");
                            let mut again = vec![0; GEN.constants()];
                            let mut copy = before;
                            let mut lent = Constants::new(&mut copy).noting(&mut again);
                            if routine.run_repeat(&mut worker, &mut lent, &mut bound.repeat())
                                != Repeated::Undone
                            {
                                assert_eq!(again, first, "{name}, {model:?}: {number} again\n{text}");
                            }
                            whole.iter_mut().zip(&first).for_each(|(byte, own)| *byte |= own);
                        });
                    }
                    assert_eq!(named(&whole), *want, "{name}, {model:?}: one by one {numbers:?}\n{text}");
                }
            }
        }
    }
}

/// Bytes of other rows stay as they are, and so do those of vertices that a call had no time for.
#[test]
fn vertices_without_time_write_nothing() {
    let text = "MOVC cc, v0\nBRA skip (GT.x)\nMOV c[3].xy, v0\nskip:\nMOV c[8].w (EQ), v0\nMOV o1, c[3]";
    let program = asm::parse(GEN, text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let words = xfjit::isa::encode(GEN, &program);
    let numbers = [ONE, 0.0, ONE, -ONE];
    for backend in
        [Arc::new(Interp::Single) as Arc<dyn Backend>, Arc::new(Interp::Batched), default_backend()]
    {
        let engine = Engine::new(Options::default().with(|options| options.backend = backend));
        let program = engine.program(&words, 0, &config(Model::Ieee, Layout::Rows)).expect("it decodes");
        let mut worker = Worker::new();
        // A vertex takes four slots or five.
        for (budget, done, want) in
            [(0, 0, &[][..]), (4, 1, &[]), (5, 2, &[3, 8]), (13, 3, &[3, 8]), (99, 4, &[3, 8])]
        {
            with_batch(&numbers, Layout::Rows, |inputs, outputs| {
                let (mut rows, mut dirty) = (constants(), vec![0; GEN.constants()]);
                dirty[400] = 7;
                let mut lent = Constants::new(&mut rows).noting(&mut dirty);
                worker.set_slot_budget(Some(budget));
                let outcome = program.run_on(&mut worker, &mut lent, inputs, outputs).expect("it serves");
                assert_eq!(outcome.out_of_time.unwrap_or(4), done, "{budget} slots");
                assert_eq!(std::mem::take(&mut dirty[400]), 7);
                assert_eq!(named(&dirty), want, "{budget} slots");
            });
        }
    }
}
