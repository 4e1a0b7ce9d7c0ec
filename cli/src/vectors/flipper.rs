//! Cases of Flipper's transform unit, each vertex a configuration of its own, on every backend.

use super::{Check, Difference};
use crate::fail::Failure;
use xfjit::Model;
use xfjit::chip::flipper::output;
use xfjit::runtime::state::Row;
use xfjit_testing::golden::flipper::{FlipperGolden, FlipperVertex, FlipperWrong};

/// Components of outputs.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

pub(super) fn check(file: &str, cases: &[FlipperGolden], check: &mut Check<'_>) -> Result<(), Failure> {
    check.each(Model::Ieee, cases, |case, executor, check| one(file, case, executor, check))
}

/// Runs a case on one backend, and tells whether it fails.
fn one(file: &str, case: &FlipperGolden, executor: usize, check: &mut Check<'_>) -> Result<bool, Failure> {
    let name = check.backends[executor].name();
    let mut failed = false;
    let mut triangle = Vec::new();
    for vertex in &case.vertices {
        let Some(routine) = check.prepare(file, executor, &vertex.case.shader()) else { return Ok(failed) };
        let group = vertex.vertices(routine.lanes());
        let ran = group
            .run_on(&*routine, &mut check.hands.worker)
            .map_err(|error| Failure::Internal(error.to_string()))?;
        let placement = group.placement();
        let row =
            |lane: usize, register: usize| placement.row(&ran.output, register, lane).unwrap_or_default();
        let wrong = (0..routine.lanes()).find_map(|lane| vertex.wrong(|register| row(lane, register)));
        check.tally(file, name).deopt_groups += ran.outcome.deopt_groups;
        if let Some(wrong) = wrong {
            show(file, case, vertex, name, wrong, check);
            failed = true;
        }
        triangle.push((row(0, output::CLIP), row(0, output::FLAGS)[0]));
    }
    if !failed && !case.is_triangle_right(&triangle) {
        let wrong =
            FlipperWrong { register: output::FLAGS, component: 0, expected: 0, got: flags(&triangle) };
        show(file, case, &case.vertices[0], name, wrong, check);
        failed = true;
    }
    let tally = check.tally(file, name);
    tally.cases += 1;
    tally.failed += u64::from(failed);
    Ok(failed)
}

/// The clip masks of a triangle, side by side.
fn flags(triangle: &[(Row, u32)]) -> u32 {
    triangle.iter().fold(0, |all, (_, mask)| all << 8 | mask)
}

fn show(
    file: &str,
    case: &FlipperGolden,
    vertex: &FlipperVertex,
    executor: &str,
    wrong: FlipperWrong,
    check: &mut Check<'_>,
) {
    let FlipperWrong { register, component, expected, got } = wrong;
    check.show(&Difference {
        file,
        line: vertex.line,
        executor,
        place: format!("case {}, output {register}.{}", case.number, COMPONENTS[component]),
        expected,
        got,
        code: &format!("{:x?}", vertex.case.setup),
    });
}
