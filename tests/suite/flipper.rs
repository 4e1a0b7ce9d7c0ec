//! Flipper's transform unit: the golden cases. The whole file runs on every backend by `xfjit vectors`; here, in a debug build,
//! each backend runs a part of it, the interpreter the greatest.

use std::sync::OnceLock;
use xfjit::backend::{Backend, Interp, Worker};
use xfjit::chip::flipper::output;
use xfjit_testing::golden::files::{VectorFile, recognise};
use xfjit_testing::golden::flipper::FlipperGolden;

/// Of how many cases one is run where code is made.
const STEP: usize = 41;

fn golden() -> &'static [FlipperGolden] {
    static GOLDEN: OnceLock<Vec<FlipperGolden>> = OnceLock::new();
    GOLDEN.get_or_init(|| {
        let mut text = Vec::new();
        let packed: &[u8] = include_bytes!("../data/flipper_xf.txt.xz");
        lzma_rs::xz_decompress(&mut &packed[..], &mut text).expect("the file is whole");
        let text = String::from_utf8(text).expect("the file is text");
        let Ok(VectorFile::Flipper(cases)) = recognise("flipper_xf".to_owned(), text) else {
            panic!("the file holds no cases of Flipper")
        };
        let cases: Vec<_> = cases.map(|case| case.unwrap_or_else(|flaw| panic!("{flaw}"))).collect();
        assert_eq!((cases.len(), cases.iter().map(|case| case.vertices.len()).sum()), (3240, 5400));
        cases
    })
}

/// Runs the chosen cases, each vertex alone and, where there are groups, in the last lane of two.
pub(crate) fn check_golden(backend: &dyn Backend) {
    let mut worker = Worker::new();
    let is_reference = backend.name() == Interp::Single.name();
    let step = if is_reference { 4 } else { STEP };
    for golden in golden().iter().step_by(step) {
        let mut triangle = Vec::new();
        for vertex in &golden.vertices {
            let routine = backend.prepare(&vertex.case.shader()).expect("it compiles");
            let counts: &[usize] = if is_reference { &[1] } else { &[1, 8] };
            for &count in counts {
                let case = vertex.vertices(count);
                let ran = case.run_on(&*routine, &mut worker).expect("the streams are long enough");
                let placement = case.placement();
                let row = |register| placement.row(&ran.output, register, count - 1).expect("it is live");
                let wrong = vertex.wrong(row);
                assert_eq!(wrong, None, "case {}, line {}: {:x?}", golden.number, vertex.line, case.setup);
                if count == 1 {
                    triangle.push((row(output::CLIP), row(output::FLAGS)[0]));
                }
            }
        }
        assert!(golden.is_triangle_right(&triangle), "case {}", golden.number);
    }
}
