//! Single operations: as programs of one operation on every backend, and on the golden functions.

use super::celsius::GOLDEN;
use super::{Check, Difference, batch, places};
use crate::fail::Failure;
use crate::text::{Flaw, Place};
use crate::vectors_file::FileFlaw;
use std::collections::BTreeMap;
use std::sync::Arc;
use xfjit::backend::Routine;
use xfjit::config::Arithmetic;
use xfjit::front::Microcode;
use xfjit::isa::{self, Bank, Insn, Mask, OutTarget, OutWrite, Program, Source, TempWrite, Unit};
use xfjit::runtime::state::Context;
use xfjit::{Config, Generation, asm};
use xfjit_isa::isa::op::{ScaOp, Slot, VecOp};
use xfjit_testing::golden::ops::{OpCase, OpRules, OpUnit, Ops};

/// Cases of an operation that are one batch.
const TOGETHER: usize = 256;

/// The cases of a file, each piece of one operation, in the order of the operations.
pub(super) fn pieces(cases: Ops) -> Result<Vec<Vec<OpCase>>, FileFlaw> {
    let mut operations: BTreeMap<(OpRules, bool, String), Vec<OpCase>> = BTreeMap::new();
    for case in cases {
        let case = case?;
        operations.entry((case.rules, case.unit == OpUnit::Sca, case.op.clone())).or_default().push(case);
    }
    Ok(operations.values().flat_map(|cases| cases.chunks(TOGETHER).map(<[OpCase]>::to_vec)).collect())
}

pub(super) fn check(file: &str, cases: &[OpCase], check: &mut Check<'_>) -> Result<(), Failure> {
    let mut failed = on_backends(file, cases, check)?;
    for (case, failed) in cases.iter().zip(&mut failed) {
        *failed |= golden(file, case, check)?;
    }
    failed.into_iter().for_each(|failed| check.case(failed));
    Ok(())
}

/// The chips whose programs have these rules.
fn configs(rules: OpRules) -> Vec<Config> {
    let (generations, arithmetic): (&[Generation], _) = match rules {
        OpRules::Kelvin => (&[Generation::Kelvin], Arithmetic::Legacy),
        OpRules::RankineLegacy => (&[Generation::Rankine, Generation::Curie], Arithmetic::Legacy),
        OpRules::RankineModern => (&[Generation::Rankine, Generation::Curie], Arithmetic::Modern),
    };
    let config =
        |&generation| Config::new(generation).live_outputs(1).with(|config| config.arithmetic = arithmetic);
    generations.iter().map(config).collect()
}

fn unknown(file: &str, case: &OpCase) -> Failure {
    let place = Place { line: case.line, column: 1, length: 0, text: String::new() };
    let flaw = Flaw::new(format!("`{}` is not an operation of this unit", case.op));
    Failure::input(file, Flaw { place: Some(place), ..flaw })
}

/// All cases of one operation at once; those that some backend fails.
fn on_backends(file: &str, cases: &[OpCase], check: &mut Check<'_>) -> Result<Vec<bool>, Failure> {
    let [first, ..] = cases else { return Ok(Vec::new()) };
    let configs = configs(first.rules);
    let mut failed = vec![false; cases.len()];
    for index in check.those_for(configs[0].model)? {
        let name = check.backends[index].name();
        let mut wrong = vec![false; cases.len()];
        for config in &configs {
            let generation = config.generation;
            let program = Arc::new(program(first, generation).ok_or_else(|| unknown(file, first))?);
            let Some(routine) = check.prepare(file, index, &Microcode::shader(&program, config)) else {
                continue;
            };
            on_backend(file, cases, check, name, &*routine, (&program, generation), &mut wrong)?;
        }
        let tally = check.tally(file, name);
        tally.cases += cases.len() as u64;
        tally.failed += wrong.iter().filter(|&&wrong| wrong).count() as u64;
        failed.iter_mut().zip(wrong).for_each(|(failed, wrong)| *failed |= wrong);
    }
    Ok(failed)
}

/// The cases in a program that a backend has prepared; marks those that come out wrong.
fn on_backend(
    file: &str,
    cases: &[OpCase],
    check: &mut Check<'_>,
    name: &'static str,
    routine: &dyn Routine,
    (program, generation): (&Program, Generation),
    wrong: &mut [bool],
) -> Result<(), Failure> {
    let order = places(cases.len(), routine.lanes());
    let words: Vec<u32> = order.clone().flat_map(|i| cases[i].sources.as_flattened()).copied().collect();
    let mut context = Context::new(generation.constants());
    let (results, outcome) = batch(routine, &mut check.hands.worker, &mut context, &words, 3, &[0])?;
    for (i, got) in order.zip(results.chunks_exact(4)) {
        let case = &cases[i];
        let Some(component) = (0..4).find(|&c| got[c] != case.result[c]) else { continue };
        if !std::mem::replace(&mut wrong[i], true) {
            let [a, b, c] = case.sources;
            let text = asm::print(generation, program);
            check.show(&Difference {
                file,
                line: case.line,
                executor: name,
                place: format!("{} result.{}", generation.name(), ["x", "y", "z", "w"][component]),
                expected: case.result[component],
                got: got[component],
                code: &format_args!("{text}with v0 {a:08x?}, v1 {b:08x?}, v2 {c:08x?}"),
            });
        }
    }
    check.tally(file, name).deopt_groups += outcome.deopt_groups;
    Ok(())
}

/// v0, v1 and v2 go to temporaries first: an instruction can read only one of them.
fn program(case: &OpCase, generation: Generation) -> Option<Program> {
    let temp = |register: u8| Source { bank: Bank::Temp(register), ..Source::UNUSED };
    let mut insns: Vec<Insn> = (0..3)
        .map(|register| Insn {
            vec: VecOp::Mov,
            src: [Source { bank: Bank::Input, ..Source::UNUSED }, Source::UNUSED, Source::UNUSED],
            input: register,
            vec_dst: TempWrite { reg: register, mask: Mask::ALL },
            ..Insn::NOP
        })
        .collect();
    let write = |from| OutWrite::new(OutTarget::Output(0), Mask::ALL, from);
    let mut insn = Insn { end: true, ..Insn::NOP };
    let slots = match case.unit {
        OpUnit::Vec => {
            insn.vec = *VecOp::ALL.iter().find(|op| op.mnemonic() == case.op)?;
            insn.out = Some(write(Unit::Vec));
            insn.vec.reads()
        }
        OpUnit::Sca => {
            insn.sca = *ScaOp::ALL.iter().find(|op| op.mnemonic() == case.op)?;
            insn.out = Some(write(Unit::Sca));
            insn.sca.reads()
        }
    };
    let exists = insn.vec.since().max(insn.sca.since()) <= generation;
    if !exists || !insn.vec.has_value() && !insn.sca.has_value() {
        return None;
    }
    for slot in slots {
        let register = match slot {
            Slot::A => 0,
            Slot::B => 1,
            Slot::C => 2,
        };
        insn.src[usize::from(register)] = temp(register);
    }
    insns.push(insn);
    // Through the words, as a program of a guest.
    let program = Program { insns, first: 0, start: 0, unterminated: false };
    isa::decode(generation, &isa::encode(generation, &program), 0).ok()
}

/// One case on the golden functions alone, which says whether they or the interpreter are wrong; whether it fails.
fn golden(file: &str, case: &OpCase, check: &mut Check<'_>) -> Result<bool, Failure> {
    let [a, b, c] = case.sources;
    let got = case.golden().ok_or_else(|| unknown(file, case))?;
    let component = (0..4).find(|&c| got[c] != case.result[c]);
    if let Some(component) = component {
        check.show(&Difference {
            file,
            line: case.line,
            executor: GOLDEN,
            place: format!("result.{}", ["x", "y", "z", "w"][component]),
            expected: case.result[component],
            got: got[component],
            code: &format_args!("{} {a:08x?}, {b:08x?}, {c:08x?}", case.op),
        });
    }
    let tally = check.tally(file, GOLDEN);
    tally.cases += 1;
    tally.failed += u64::from(component.is_some());
    Ok(component.is_some())
}
