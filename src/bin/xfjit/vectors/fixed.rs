//! Cases of the fixed function, each a configuration of its own, on every backend.

use super::{Check, Difference, batch};
use crate::fail::Failure;
use crate::vectors_file::{FixedCase, FixedCases, FixedChip, FixedOutput};
use xfjit::Model;
use xfjit::backend::Code;
use xfjit::front::fixed::{Chip, Mode, Outputs, Ram, Setup, rows};
use xfjit::runtime::abi::LANES;
use xfjit::runtime::batch::registers;
use xfjit::runtime::state::Context;

pub(super) fn check(cases: FixedCases, check: &mut Check) -> Result<(), Failure> {
    let executors = check.those_for(Model::Hw)?;
    let file = cases.name().to_owned();
    for case in cases {
        let case = case?;
        let mut failed = false;
        for &executor in &executors {
            failed |= one(&file, &case, executor, check)?;
        }
        check.case(failed);
    }
    Ok(())
}

/// Runs a case on one backend, and tells whether it fails.
fn one(file: &str, case: &FixedCase, executor: usize, check: &mut Check) -> Result<bool, Failure> {
    let setup = setup(case);
    let name = check.backends[executor].name();
    let Some(routine) = check.prepare(file, executor, &Code::Fixed(setup)) else { return Ok(false) };
    let words = case.vab.as_flattened().repeat(LANES);
    let live: Vec<u8> = registers(setup.outputs()).map(|register| register as u8).collect();
    let mut context = context(case);
    let (results, outcome) =
        batch(&*routine, &mut check.worker, &mut context, &words, case.vab.len(), &live)?;
    let wrong = results.chunks_exact(4 * live.len()).find_map(|vertex| {
        let got = |register: u8| {
            let at = live.iter().position(|&other| other == register)?;
            Some([0, 1, 2, 3].map(|c| vertex[4 * at + c]))
        };
        let got = output(&Outputs::of(setup.mode.chip().family()), got);
        difference(&case.output, &got)
    });
    let tally = check.tally(file, name);
    tally.cases += 1;
    tally.deopt_groups += outcome.deopt_groups;
    tally.failed += u64::from(wrong.is_some());
    if let Some((place, expected, got)) = &wrong {
        check.show(&Difference {
            file,
            line: case.line,
            executor: name,
            place: format!("case {}, {place}", case.number),
            expected: *expected,
            got: *got,
            code: &setup.mode,
        });
    }
    Ok(wrong.is_some())
}

fn setup(case: &FixedCase) -> Setup {
    let chip = match case.chip {
        FixedChip::Nv10 => Chip::Nv10,
        FixedChip::Nv15 => Chip::Nv15,
    };
    Setup::new(Mode::new(chip, &case.mode))
}

fn context(case: &FixedCase) -> Context {
    let chip = setup(case).mode.chip();
    let mut context = Context::new(rows(chip));
    let xfctx = case.xfctx.iter().map(|&row| (Ram::Xfctx, row));
    let ltctx = case.ltctx.iter().map(|&[x, y, z]| (Ram::Ltctx, [x, y, z, 0]));
    let ltc = case
        .ltc
        .iter()
        .zip(0..)
        .flat_map(|(words, number)| words.iter().map(move |&word| (Ram::Ltc(number), [word, 0, 0, 0])));
    let mut slots = [0; Ram::ALL.len()];
    for (ram, value) in xfctx.chain(ltctx).chain(ltc) {
        let slot = &mut slots[Ram::ALL.iter().position(|&other| other == ram).unwrap_or(0)];
        if let Some(row) = ram.row(chip, *slot) {
            context.set_row(row, value);
        }
        *slot += 1;
    }
    context
}

/// Registers in the form of the file.
fn output(outputs: &Outputs, got: impl Fn(u8) -> Option<[u32; 4]>) -> FixedOutput {
    let packed = |row: [u32; 4]| row[0] | row[1] << 8 | row[2] << 16 | row[3] << 24;
    FixedOutput {
        position: got(outputs.position).unwrap_or_default(),
        texcoords: [0, 1].map(|unit| got(outputs.texture + unit).map(|[s, t, _, q]| [s, t, q])),
        point_size: got(outputs.point_size).map(|row| row[0] << 12),
        fog: got(outputs.fog).map(|row| row[0]),
        diffuse: packed(got(outputs.front[0]).unwrap_or_default()),
        specular: packed(got(outputs.front[1]).unwrap_or_default()) & 0x00ff_ffff,
    }
}

/// The first place that differs, what is expected there, what has come out.
fn difference(expected: &FixedOutput, got: &FixedOutput) -> Option<(String, u32, u32)> {
    let words = |output: &FixedOutput| {
        let mut words = Vec::new();
        for (c, word) in output.position.iter().enumerate() {
            words.push((format!("pos.{}", ["x", "y", "z", "w"][c]), Some(*word)));
        }
        for (unit, row) in output.texcoords.iter().enumerate() {
            for (c, letter) in ["s", "t", "q"].into_iter().enumerate() {
                words.push((format!("txc{unit}.{letter}"), row.map(|row| row[c])));
            }
        }
        words.push(("psize".to_owned(), output.point_size));
        words.push(("fog".to_owned(), output.fog));
        words.push(("col0".to_owned(), Some(output.diffuse)));
        words.push(("col1".to_owned(), Some(output.specular)));
        words
    };
    let pairs = words(expected).into_iter().zip(words(got));
    pairs
        .filter(|(expected, got)| expected.1 != got.1)
        .map(|((place, expected), (_, got))| (place, expected.unwrap_or(0), got.unwrap_or(0)))
        .next()
}
