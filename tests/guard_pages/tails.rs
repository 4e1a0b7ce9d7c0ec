//! Batches of every size, cut in every way, with guards in some of their vertices: whatever calls that makes, each vertex is run once or
//! to the same result, those with guards alone are the interpreter's, and no byte before, between or behind the streams is touched.

use super::{Border, Guarded, whole};
use std::ops::Range;
use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Routine, Runs};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Inputs, Layout, Output, Outputs};
use xfjit::runtime::bound::Bound;
use xfjit::runtime::constants::Constants;
use xfjit::runtime::format::InputLayout;
use xfjit::runtime::indices::{IndexLayout, IndexWidth};
use xfjit::runtime::num::Model;
use xfjit::{Config, Generation, Worker, asm};
use xfjit_testing::{backends, backends_and_evaluated};

/// The most vertices of a batch.
const MOST: usize = 40;
const UNTOUCHED: u8 = 0x5a;
const NAN: u32 = 0x7fc0_0001;
/// Bytes from one vertex to the next.
const STRIDE: usize = 20;

/// A batch, of which each vertex that `numbers` name may be one with a NaN.
struct Batch {
    numbers: Vec<usize>,
    nans: Vec<usize>,
    layout: Layout,
    width: Option<IndexWidth>,
    border: Border,
}

impl Batch {
    fn count(&self) -> usize {
        self.numbers.len()
    }

    /// A stream, whose last vertex has no gap behind it.
    fn stream(&self, word: impl Fn(usize, usize) -> u32) -> Guarded {
        let vertices = self.numbers.iter().max().map_or(0, |most| most + 1);
        let mut bytes = Vec::new();
        for vertex in 0..vertices {
            bytes.resize(vertex * STRIDE, UNTOUCHED);
            bytes.extend((0..4).flat_map(|component| word(vertex, component).to_ne_bytes()));
        }
        Guarded::new(&bytes, self.border)
    }

    fn list(&self) -> Option<Guarded> {
        let bytes: Vec<u8> = match self.width? {
            IndexWidth::Half => self.numbers.iter().flat_map(|&i| (i as u16).to_ne_bytes()).collect(),
            IndexWidth::Word => self.numbers.iter().flat_map(|&i| (i as u32).to_ne_bytes()).collect(),
        };
        Some(Guarded::new(&bytes, self.border))
    }

    /// Bytes of an output, and its stride.
    fn output(&self) -> (usize, usize) {
        let count = self.count();
        match self.layout {
            _ if count == 0 => (0, STRIDE),
            Layout::Rows => ((count - 1) * STRIDE + 16, STRIDE),
            Layout::Planes => (3 * (4 * count + 8) + 4 * count, 4 * count + 8),
        }
    }

    fn guarded(&self, part: Range<usize>) -> u64 {
        self.numbers[part].iter().filter(|number| self.nans.contains(number)).count() as u64
    }

    /// Runs the batch in parts; returns its outputs.
    fn run(
        &self,
        routine: &dyn Routine,
        cuts: &[usize],
        is_native: bool,
        worker: &mut Worker,
    ) -> Vec<Vec<u8>> {
        let streams = [
            self.stream(|vertex, component| match self.nans.contains(&vertex) && component == vertex % 4 {
                true => NAN,
                false => 0x3f80_0000 + (4 * vertex + component) as u32,
            }),
            self.stream(|vertex, component| 0x4000_0000 + (4 * vertex + component) as u32),
        ];
        let list = self.list();
        let mut inputs = Inputs::new(self.count());
        if let (Some(list), Some(width)) = (&list, self.width) {
            inputs = inputs.indexed(list.indices(width));
        }
        let inputs = inputs.with(0, whole(&streams[0], STRIDE)).with(1, whole(&streams[1], STRIDE));
        let (size, stride) = self.output();
        let mut memory = [(); 2].map(|()| Guarded::new(&vec![UNTOUCHED; size], self.border));
        {
            let [position, colour] = &mut memory;
            let outputs = Outputs::none(self.layout)
                .with(0, Output::new(position.bytes_mut(), stride))
                .with(3, Output::new(colour.bytes_mut(), stride));
            let mut bound = Bound::new(routine.needs(), &inputs, &outputs).expect("it holds the batch");
            let rows = vec![[0x4000_0000; 4]; 192];
            for cut in cuts.windows(2) {
                let part = cut[0]..cut[1];
                let outcome = routine
                    .run_bound(worker, &mut Constants::read_only(&rows), &mut bound, part.clone())
                    .expect("it is bound");
                let want = if is_native { self.guarded(part.clone()) } else { 0 };
                assert_eq!(outcome.deopt_vertices, want, "{part:?} of {}", self.count());
            }
        }
        memory.map(|memory| memory.bytes().to_vec()).to_vec()
    }
}

/// Cuts in two at each vertex, and parts of each length up to a few groups.
fn cuts(count: usize) -> impl Iterator<Item = Vec<usize>> {
    let two = (0..=count).map(move |at| vec![0, at, count]);
    let many = (1..=9).map(move |length| (0..count).step_by(length).chain([count]).collect());
    two.chain(many)
}

#[test]
fn batches_of_every_size_are_cut_in_every_way() {
    let program = asm::parse(Generation::Kelvin, "MUL oPos, v0, c[3]\nMOV oD0, v1").expect("it assembles");
    let program = Arc::new(program);
    let mut worker = Worker::new();
    let mut parts = 0;
    for (layout, width) in [
        (Layout::Rows, None),
        (Layout::Planes, None),
        (Layout::Rows, Some(IndexWidth::Half)),
        (Layout::Planes, Some(IndexWidth::Word)),
    ] {
        let config = Config::new(Generation::Kelvin)
            .model(Model::Ieee)
            .live_outputs(0b1001)
            .with(|config| config.layout = layout);
        let indices = width.map_or(IndexLayout::NONE, IndexLayout::shared);
        let shader = Microcode::shader(&program, &config).with_inputs(InputLayout::ROWS.indexed(indices));
        let prepare = |backend: Arc<dyn Backend>| {
            (backend.prepare(&shader).expect("it is small"), backend.name(), backend.runs() == Runs::Native)
        };
        let native = |backend: &Arc<dyn Backend>| backend.runs() == Runs::Native;
        let here: Vec<_> = backends(Model::Ieee).into_iter().filter(native).map(prepare).collect();
        let all: Vec<_> =
            backends_and_evaluated(Model::Ieee).into_iter().filter(native).map(prepare).collect();
        let reference = Interp::Single.prepare(&shader).expect("it runs everything");
        for count in 0..=MOST {
            // Evaluated code takes long.
            let routines = if count % 8 == 3 { &all } else { &here };
            for (number, cuts) in cuts(count).enumerate() {
                let border = if number % 2 == 0 { Border::Start } else { Border::End };
                let numbers = (0..count).map(|at| if width.is_some() { at * 5 % 13 } else { at }).collect();
                // None, or one or two that move from cut to cut.
                let nans = match number % 3 {
                    0 => vec![],
                    1 => vec![(number * 7 + count) % (count + 1)],
                    _ => vec![number % (count + 1), (number + count / 2) % (count + 1)],
                };
                let batch = Batch { numbers, nans, layout, width, border };
                let want = batch.run(&*reference, &[0, count], false, &mut worker);
                for (routine, name, is_native) in routines {
                    let got = batch.run(&**routine, &cuts, *is_native, &mut worker);
                    assert!(got == want, "{name}: {cuts:?}, {:?}, {layout:?}, {width:?}", batch.nans);
                    parts += cuts.len();
                }
            }
        }
    }
    assert!(parts > 1000 || cfg!(not(feature = "jit")), "{parts} parts");
}
