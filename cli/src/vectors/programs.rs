//! Whole programs, each on every backend: all vertices that share constants in one batch.

use super::bank::{context, flaw};
use super::{Check, Difference, batch, console, places};
use crate::fail::Failure;
use crate::registers;
use std::collections::BTreeMap;
use std::sync::Arc;
use xfjit::config::{AddressNan, FogWrite, OutOfRange, WriteOrder};
use xfjit::front::Microcode;
use xfjit::{Config, asm, isa};
use xfjit_testing::golden::programs::{Expectation, ProgramCase, Programs};
use xfjit_testing::golden::uses::Choice;

pub(super) fn check(all: &Programs, cases: &[ProgramCase], check: &mut Check<'_>) -> Result<(), Failure> {
    let header = all.header();
    let mut config = Config::new(header.generation).model(header.model);
    if !header.from_console {
        // The files were computed register by register.
        config.quirks.fog_write = FogWrite::Masked;
    }
    config.arithmetic = header.arithmetic;
    cases.iter().try_for_each(|case| program(all, case, &config, check))
}

fn program(
    cases: &Programs,
    case: &ProgramCase,
    config: &Config,
    check: &mut Check<'_>,
) -> Result<(), Failure> {
    let file = cases.name();
    let generation = config.generation;
    let fail = |line, message| Failure::input(file, flaw(line, message));
    let program = isa::decode(generation, case.words.as_flattened(), 0)
        .map_err(|error| fail(case.line, format!("program {}: {error}", case.number)))?;
    let program = Arc::new(program);
    let mut config = config.clone().with(|config| config.branch_bits = case.bools);
    case.uses.iter().for_each(|&choice| choose(choice, &mut config));
    if !case.pictures.is_empty() {
        return console::check(cases, case, &program, config, check);
    }
    let config = &config;
    // All of them: what a program does not write is compared as well if the file expects it.
    let registers: Vec<u8> = (0..generation.outputs() as u8).collect();
    let mut banks: BTreeMap<usize, Vec<(usize, &Expectation)>> = BTreeMap::new();
    for (index, expectation) in case.expectations.iter().enumerate() {
        if let Some(output) =
            expectation.outputs.iter().find(|output| output.register >= generation.outputs())
        {
            return Err(fail(expectation.line, format!("output o{} does not exist", output.register)));
        }
        let rows = cases.bank(expectation.bank).len();
        if rows > generation.constants() {
            let message = format!("bank {} has {rows} rows, more than the chip", expectation.bank);
            return Err(fail(expectation.line, message));
        }
        banks.entry(expectation.bank).or_default().push((index, expectation));
    }
    let mut failed = vec![false; case.expectations.len()];
    for index in check.those_for(config.model)? {
        let name = check.backends[index].name();
        let Some(routine) = check.prepare(file, index, &Microcode::shader(&program, config)) else {
            continue;
        };
        let mut wrong = vec![false; case.expectations.len()];
        for (&bank, expectations) in &banks {
            let mut context = context(cases, bank, generation);
            let order = places(expectations.len(), routine.lanes());
            let vertices = order.clone().map(|place| cases.vertex(expectations[place].1.vertex));
            let words: Vec<u32> = vertices.flat_map(|vertex| vertex.as_flattened()).copied().collect();
            let (results, outcome) =
                batch(&*routine, &mut check.hands.worker, &mut context, &words, 16, &registers)?;
            check.tally(file, name).deopt_groups += outcome.deopt_groups;
            for (place, got) in order.zip(results.chunks_exact(4 * registers.len())) {
                let (index, expectation) = expectations[place];
                let Some(difference) = first_difference(expectation, got) else { continue };
                if std::mem::replace(&mut wrong[index], true) {
                    continue;
                }
                let (register, component, expected, got) = difference;
                let letter = ["x", "y", "z", "w"][component];
                check.show(&Difference {
                    file,
                    line: expectation.line,
                    executor: name,
                    place: format!("{}.{letter}", registers::output_name(generation, register)),
                    expected,
                    got,
                    code: &asm::print(generation, &program),
                });
            }
        }
        let tally = check.tally(file, name);
        tally.cases += wrong.len() as u64;
        tally.failed += wrong.iter().filter(|&&wrong| wrong).count() as u64;
        failed.iter_mut().zip(wrong).for_each(|(failed, wrong)| *failed |= wrong);
    }
    failed.iter().for_each(|&failed| check.case(failed));
    Ok(())
}

/// Makes a choice that a program depends on as those did who computed the file. Where a [`Config`] has none, the engine
/// has made the same choice for good.
fn choose(choice: Choice, config: &mut Config) {
    match choice {
        Choice::AddressNan => config.quirks.address_nan = AddressNan::Zero,
        Choice::IndexedRow => config.quirks.out_of_range = OutOfRange::Zero,
        Choice::SamePlace => config.quirks.write_order = WriteOrder::ScalarWins,
        Choice::ClipOutputs => config.quirks.clip_outputs = true,
        Choice::AddressInfinity | Choice::AddressDenormal | Choice::SaturatedAddress => {}
        Choice::DirectRow | Choice::PairedCodes | Choice::OwnCodes | Choice::BooleanBranch => {}
        Choice::PopaRegister | Choice::NopFields | Choice::Output7 => {}
    }
}

/// Register, component, expected and computed bits.
fn first_difference(expectation: &Expectation, got: &[u32]) -> Option<(usize, usize, u32, u32)> {
    expectation.outputs.iter().find_map(|output| {
        let components = isa::Mask(output.mask).components();
        components
            .map(|c| (output.register, c, output.words[c], got[4 * output.register + c]))
            .find(|d| d.2 != d.3)
    })
}
