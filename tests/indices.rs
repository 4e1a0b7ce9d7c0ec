//! Batches whose vertices are found through index lists compute what the same vertices do one behind the other, wherever the
//! lists are and however attributes are numbered; lists that lead out of the memory are refused.

use std::num::NonZeroU32;
use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Worker};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs, StreamError};
use xfjit::runtime::bound::Bound;
use xfjit::runtime::distinct::Distinct;
use xfjit::runtime::format::{ByteOrder, Format, InputLayout};
use xfjit::runtime::indices::{IndexLayout, IndexWidth, Indices, Numbering};
use xfjit::runtime::state::{ATTRIBUTES, Context, DEFAULT_ROW, Row};
use xfjit::shader::Faults;
use xfjit::{Config, Generation, Shader, asm};
use xfjit_testing::RandomCase;
use xfjit_testing::{Case, Choices, Limits, backends};

const WIDTHS: [IndexWidth; 2] = [IndexWidth::Half, IndexWidth::Word];

/// An index list in memory of its own.
struct List {
    halves: Vec<u16>,
    words: Vec<u32>,
    width: IndexWidth,
    base: i64,
}

impl List {
    /// Numbers of `count` vertices, the first and the last among them; what they are counted from may be before the first
    /// vertex, or behind it.
    fn choose(c: &mut Choices<'_>, count: usize) -> List {
        let base = i64::from(c.weighted(&[(4, 0), (2, -7), (1, -60_000), (2, 1)])).min(count as i64 - 1);
        let first = base.max(0) as usize;
        let below = |c: &mut Choices<'_>| first + c.below((count - first) as u32) as usize;
        let mut vertices: Vec<usize> = (0..count).map(|_| below(c)).collect();
        if count >= 2 {
            let at = c.below(count as u32 - 1) as usize;
            (vertices[at], vertices[at + 1]) = (first, count - 1);
        }
        let words: Vec<u32> = vertices.iter().map(|&vertex| (vertex as i64 - base) as u32).collect();
        List { halves: words.iter().map(|&word| word as u16).collect(), words, width: c.pick(&WIDTHS), base }
    }

    fn indices(&self) -> Indices<'_> {
        let indices = match self.width {
            IndexWidth::Half => Indices::from(&self.halves),
            IndexWidth::Word => Indices::from(&self.words),
        };
        indices.with_base(self.base)
    }

    fn vertex(&self, position: usize) -> usize {
        (i64::from(self.words[position]) + self.base) as usize
    }
}

/// How an attribute is numbered.
#[derive(Clone, Copy)]
enum Way {
    Batch,
    Position,
    Own(usize),
    Instance(NonZeroU32),
}

/// A layout in which an attribute lies as it does, where it is a stream.
fn formats(inputs: &Inputs<'_>) -> InputLayout {
    let attributes = inputs.attributes.iter().enumerate();
    attributes.fold(InputLayout::ROWS, |layout, (register, attribute)| match *attribute {
        Attribute::Constant(_) => layout,
        Attribute::Stream { components, .. } => {
            layout.with(register, Format::words(components, ByteOrder::Host))
        }
    })
}

/// A short program of each generation in turn, with a batch that has no index list.
fn sequential(c: &mut Choices<'_>, seed: u64) -> Case {
    let mut limits = Limits::choose(c, Generation::ALL[seed as usize % 3]);
    limits.shape.slots = limits.shape.slots.min(20);
    Case { indices: None, ..Case::within(c, limits) }
}

#[test]
fn vertices_of_index_lists_are_those_that_they_name() {
    let (mut in_place, mut copied, mut refused) = (0, 0, 0);
    let mut worker = Worker::new();
    for seed in 0..90 {
        let mut c = Choices::seed(seed);
        let case = sequential(&mut c, seed);
        let plain = case.inputs();
        let count = case.count;
        if count == 0 || plain.check(u16::MAX).is_err() {
            continue;
        }
        let lists: Vec<List> = (0..3).map(|_| List::choose(&mut c, count)).collect();
        let shared = &lists[2];
        let instance = c.below(100);
        let ways: [Way; ATTRIBUTES] = std::array::from_fn(|_| match c.below(10) {
            0 => Way::Position,
            1 => Way::Own(c.below(2) as usize),
            2 => {
                // No greater than the last vertex.
                let divisor = instance / count as u32 + 1 + c.below(5);
                Way::Instance(NonZeroU32::new(divisor).expect("it is at least 1"))
            }
            _ => Way::Batch,
        });
        let vertex = |register: usize, position: usize| match ways[register] {
            Way::Batch => shared.vertex(position),
            Way::Position => position,
            Way::Own(list) => lists[list].vertex(position),
            Way::Instance(divisor) => (instance / divisor) as usize,
        };
        let rows: Vec<Vec<Row>> = (0..ATTRIBUTES)
            .map(|register| (0..count).map(|p| plain.fetch(register, vertex(register, p))).collect())
            .collect();
        let mut gathered = plain;
        gathered.attributes = std::array::from_fn(|register| Attribute::rows(&rows[register]));
        let numberings: Vec<(usize, Numbering<'_>)> = (0..ATTRIBUTES)
            .filter_map(|register| match ways[register] {
                Way::Batch => None,
                Way::Position => Some((register, Numbering::Position)),
                Way::Own(list) => Some((register, Numbering::List(lists[list].indices()))),
                Way::Instance(divisor) => Some((register, Numbering::Instance(divisor))),
            })
            .collect();
        let indexed = plain.indexed(shared.indices()).numbered(&numberings).instance(instance);
        let layout = (0..ATTRIBUTES).fold(IndexLayout::shared(shared.width), |layout, register| {
            match ways[register] {
                Way::Batch | Way::Instance(_) => layout,
                Way::Position => layout.with(register, None),
                Way::Own(list) => layout.with(register, Some(lists[list].width)),
            }
        });
        let other = WIDTHS[usize::from(shared.width == IndexWidth::Half)];
        let layouts = [
            formats(&plain).indexed(layout),
            InputLayout::ROWS.indexed(layout),
            InputLayout::ROWS,
            InputLayout::ROWS.indexed(IndexLayout::shared(other)),
        ];

        let shader = Microcode::shader(&case.program().expect("it decodes"), &case.config);
        let cut = c.below(count as u32 + 1) as usize;
        let mut run = |backend: &dyn Backend, shader: &Shader, inputs: &Inputs<'_>, cut: usize| {
            let routine = match backend.prepare(shader) {
                Ok(routine) => routine,
                Err(error) => {
                    assert!(error.is_limit(), "{}: {error}", backend.name());
                    return None;
                }
            };
            let (mut output, mut context) = (case.fresh_output(), case.context());
            let outputs = case.outputs(&mut output);
            let mut bound = Bound::new(routine.needs(), inputs, &outputs).expect("it holds the batch");
            let is_in_place = bound.is_in_place(routine.live_inputs(), 0);
            let mut faults = Faults::default();
            for part in [0..cut, cut..count] {
                let mut constants = context.constants();
                let outcome = routine.run_bound(&mut worker, &mut constants, &mut bound, part);
                faults += outcome.expect("the batch has been bound for it").faults;
            }
            drop(bound);
            Some(((output, context, faults), is_in_place))
        };
        let (want, _) = run(&Interp::Single, &shader, &gathered, 0).expect("the reference runs everything");
        for backend in backends(case.config.model) {
            for layout in layouts {
                match run(&*backend, &shader.clone().with_inputs(layout), &indexed, cut) {
                    Some((got, is_in_place)) => {
                        assert!(got == want, "{}, seed {seed}, {layout:?}\n{case}", backend.name());
                        *if is_in_place { &mut in_place } else { &mut copied } += 1;
                    }
                    None => refused += 1,
                }
            }
        }
    }
    println!("{in_place} in place, {copied} copied, {refused} refused");
    assert!(in_place > 240 && copied > 120 && refused < in_place / 10);
}

/// A program of two attributes, and what it makes of rows that are all different.
fn two_attributes() -> Shader {
    let program =
        Arc::new(asm::parse(Generation::Kelvin, "MOV oPos, v0\nMOV oD0, v1").expect("it assembles"));
    Microcode::shader(&program, &Config::new(Generation::Kelvin).live_outputs(9))
}

#[test]
fn numbers_that_lead_out_of_the_memory_are_refused() {
    let rows: Vec<Row> = (0..10).map(|row| [row; 4]).collect();
    let with = |numbers: Indices<'_>, own: Option<Indices<'_>>| {
        let mut results = Vec::new();
        let numberings: Vec<_> = own.map(|list| (1, Numbering::List(list))).into_iter().collect();
        for backend in backends(Config::new(Generation::Kelvin).model) {
            for layout in [InputLayout::ROWS, InputLayout::ROWS.indexed(IndexLayout::shared(numbers.width()))]
            {
                let routine = backend.prepare(&two_attributes().with_inputs(layout)).expect("it is small");
                let inputs = Inputs::new(0)
                    .with(0, Attribute::rows(&rows))
                    .with(1, Attribute::rows(&rows))
                    .indexed(numbers)
                    .numbered(&numberings);
                let mut words = vec![0x5555; 8 * inputs.count];
                let outcome = {
                    let mut outputs = Outputs::interleaved(&mut words, &[0, 3]);
                    routine.run(&mut Worker::new(), &mut Context::new(192), &inputs, &mut outputs)
                };
                if outcome.is_err() {
                    assert!(words.iter().all(|&word| word == 0x5555), "nothing has been written");
                }
                results.push(outcome.map(|_| ()));
            }
        }
        results.dedup();
        assert_eq!(results.len(), 1, "all say the same");
        results.swap_remove(0)
    };
    let (halves, words) = ([3_u16, 0, 9, 4, 4], [3_u32, 0, 9, 4, 4]);
    assert_eq!(with((&halves).into(), None), Ok(()));
    assert_eq!(with((&words).into(), Some((&halves).into())), Ok(()));
    let short =
        |vertex: usize, needed| Err(StreamError::InputTooShort { register: 0, vertex, needed, got: 160 });
    for base in [1, 60_000] {
        let needed = (9 + base as usize) * 16 + 16;
        assert_eq!(with(Indices::from(&halves).with_base(base), None), short(9 + base as usize, needed));
        assert_eq!(with(Indices::from(&words).with_base(base), None), short(9 + base as usize, needed));
    }
    assert_eq!(with(Indices::from(&words).with_base(i64::MAX), None), short(i64::MAX as usize, usize::MAX));
    let below = |register, vertex| Err(StreamError::IndexBelowZero { register, vertex });
    assert_eq!(with(Indices::from(&halves).with_base(-1), None), below(0, -1));
    assert_eq!(with(Indices::from(&words).with_base(i64::MIN), None), below(0, i64::MIN));
    assert_eq!(with((&words).into(), Some(Indices::from(&words).with_base(-3))), below(1, -3));
    assert_eq!(
        with((&words).into(), Some((&[1_u16, 2]).into())),
        Err(StreamError::TooFewIndices { needed: 5, got: 2 })
    );
    // Of 32 bits none are left for how much is needed.
    let needed = (u32::MAX as usize).saturating_add(1).saturating_mul(16);
    assert_eq!(with((&[u32::MAX, 0]).into(), None), short(u32::MAX as usize, needed));
    let bytes: Vec<u8> = rows.as_flattened().iter().flat_map(|word| word.to_ne_bytes()).collect();
    // Nobody reads more than the first three components of the last vertex.
    let last = Inputs::new(0)
        .indexed(&[9_u16])
        .with(0, Attribute::Stream { data: &bytes[..156], stride: 16, components: 3 });
    assert_eq!(last.check(1), Ok(()));
    assert_eq!(last.fetch(0, 0), [9, 9, 9, DEFAULT_ROW[3]]);
}

#[test]
fn the_text_of_a_function_says_how_attributes_are_found() {
    let text = |words: &str| {
        format!(
            "func host hw kelvin window 0..192{words} {{\nbody:\n  %0 = input v1.x\n  output o0, %0, %0, %0, %0\n}}\n"
        )
    };
    let accepted = |words: &str| {
        xfjit_ir::ir::parse::parse(&text(words)).is_ok_and(|func| func.to_string() == text(words))
    };
    for words in ["", " index[16]", " v1[3] index[32] v0.position v1.index[16]", " v1.index[32] v7.index[16]"]
    {
        assert!(accepted(words), "{words}");
    }
    for words in [" index[8]", " index", " v16.index[16]", " v1.index[64]", " v1.instance", " v1.index[16"] {
        assert!(!accepted(words), "{words}");
    }
}

/// A draw of a list that names its vertices many times, with restart indices: what runs each once and spreads the outputs
/// leaves what running all of them does.
#[test]
fn vertices_run_once_each_compute_what_they_do_each_time() {
    let mut worker = Worker::new();
    let mut distinct = Distinct::new();
    let (mut ran, mut serial) = (0, 0);
    for seed in 0..60 {
        let mut c = Choices::seed(seed);
        let case = sequential(&mut c, seed);
        let plain = case.inputs();
        if case.count == 0 || plain.check(u16::MAX).is_err() {
            continue;
        }
        let mut list = List::choose(&mut c, case.count);
        let positions: Vec<usize> = (0..300).map(|_| c.below(case.count as u32) as usize).collect();
        list.words = positions.iter().map(|&position| list.words[position]).collect();
        let restart = list.words[7];
        list.halves = list.words.iter().map(|&word| word as u16).collect();
        let draw = plain.indexed(list.indices());
        let program = case.program().expect("it decodes");
        let layout = InputLayout::ROWS.indexed(IndexLayout::shared(IndexWidth::Word));
        let live: Vec<u8> =
            (0..24).filter(|register| case.config.live_outputs >> register & 1 != 0).collect();
        let mut config = case.config.clone();
        config.layout = Layout::Rows;
        let shader = Microcode::shader(&program, &config).with_inputs(layout);
        for backend in backends(config.model) {
            let Ok(routine) = backend.prepare(&shader) else { continue };
            let run = |inputs: &Inputs<'_>, worker: &mut Worker| {
                let mut words = vec![0; 4 * live.len() * inputs.count];
                let mut outputs = Outputs::interleaved(&mut words, &live);
                routine.run(worker, &mut case.context(), inputs, &mut outputs).expect("the batch is there");
                words
            };
            distinct.find(&list.indices(), Some(restart)).expect("it is short");
            let once = match distinct.inputs(&draw, routine.needs()) {
                Ok(once) => once,
                Err(error) => {
                    assert_eq!(error, StreamError::OrderIsVisible);
                    assert!(routine.needs().writes_constants);
                    serial += 1;
                    continue;
                }
            };
            assert!(once.count < case.count, "the restart index is not a vertex");
            let each: Vec<Vec<u32>> =
                run(&once, &mut worker).chunks(4 * live.len().max(1)).map(<[u32]>::to_vec).collect();
            let want = run(&draw, &mut worker);
            let want: Vec<&[u32]> = want.chunks(4 * live.len().max(1)).collect();
            for (position, (&place, want)) in distinct.places().iter().zip(want).enumerate() {
                let is_vertex = list.words[position] != restart;
                assert_eq!(place != Distinct::RESTART, is_vertex);
                assert!(
                    !is_vertex || each[place as usize] == want,
                    "{}, seed {seed}\n{case}",
                    backend.name()
                );
            }
            ran += 1;
        }
    }
    assert!(ran > 100, "{ran} ran, {serial} write constants");
}

#[test]
fn attributes_that_are_not_of_the_index_are_not_run_once_each() {
    let rows = [[1; 4], [2; 4]];
    let shader = two_attributes();
    let routine = Interp::Single.prepare(&shader).expect("the interpreter takes everything");
    let mut distinct = Distinct::new();
    let list = [1_u16, 0, 1];
    distinct.find(&(&list).into(), None).expect("it is short");
    let own = [(1, Numbering::List((&list).into())), (5, Numbering::Position)];
    let plain = Inputs::new(0).with(0, Attribute::rows(&rows)).indexed(&list);
    let constant = plain.numbered(&own);
    assert!(distinct.inputs(&constant, routine.needs()).is_ok(), "v1 is a constant, and v5 not read");
    let draw = constant.with(1, Attribute::rows(&rows));
    let mut serial = *routine.needs();
    serial.writes_constants = true;
    assert_eq!(distinct.inputs(&constant, &serial).err(), Some(StreamError::OrderIsVisible));
    let refused = distinct.inputs(&draw, routine.needs());
    assert_eq!(refused.err(), Some(StreamError::NotOfTheIndex { register: 1 }));
}
