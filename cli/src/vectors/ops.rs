//! Single operations: as programs of one operation on every backend, and on the golden functions.

use super::celsius::GOLDEN;
use super::{Check, Difference, batch, places};
use crate::fail::Failure;
use crate::text::{Flaw, Place};
use crate::vectors_file::{OpCase, OpRules, OpUnit, Ops};
use std::collections::BTreeMap;
use std::sync::Arc;
use xfjit::backend::Routine;
use xfjit::config::Arithmetic;
use xfjit::front::Microcode;
use xfjit::isa::op::{ScaOp, Slot, VecOp};
use xfjit::isa::{self, Bank, Insn, Mask, OutTarget, OutWrite, Program, Source, TempWrite, Unit};
use xfjit::runtime::num::bits::ONE;
use xfjit::runtime::num::{self, Numerics};
use xfjit::runtime::state::Context;
use xfjit::{Config, Generation, asm};

pub(super) fn check(cases: Ops, check: &mut Check) -> Result<(), Failure> {
    let file = cases.name().to_owned();
    let mut operations: BTreeMap<(OpRules, bool, String), Vec<OpCase>> = BTreeMap::new();
    for case in cases {
        let case = case?;
        operations.entry((case.rules, case.unit == OpUnit::Sca, case.op.clone())).or_default().push(case);
    }
    for cases in operations.values() {
        let mut failed = on_backends(&file, cases, check)?;
        for (case, failed) in cases.iter().zip(&mut failed) {
            *failed |= golden(&file, case, check)?;
        }
        failed.into_iter().for_each(|failed| check.case(failed));
    }
    Ok(())
}

/// The chips whose programs have these rules.
fn configs(rules: OpRules) -> Vec<Config> {
    let (generations, arithmetic): (&[Generation], _) = match rules {
        OpRules::Kelvin => (&[Generation::Kelvin], Arithmetic::Legacy),
        OpRules::RankineLegacy => (&[Generation::Rankine, Generation::Curie], Arithmetic::Legacy),
        OpRules::RankineModern => (&[Generation::Rankine, Generation::Curie], Arithmetic::Modern),
    };
    let config = |&generation| Config { arithmetic, ..Config::new(generation).live_outputs(1) };
    generations.iter().map(config).collect()
}

fn unknown(file: &str, case: &OpCase) -> Failure {
    let place = Place { line: case.line, column: 1, length: 0, text: String::new() };
    let flaw = Flaw::new(format!("`{}` is not an operation of this unit", case.op));
    Failure::input(file, Flaw { place: Some(place), ..flaw })
}

/// All cases of one operation at once; those that some backend fails.
fn on_backends(file: &str, cases: &[OpCase], check: &mut Check) -> Result<Vec<bool>, Failure> {
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
    check: &mut Check,
    name: &str,
    routine: &dyn Routine,
    (program, generation): (&Program, Generation),
    wrong: &mut [bool],
) -> Result<(), Failure> {
    let order = places(cases.len(), routine.lanes());
    let words: Vec<u32> = order.clone().flat_map(|i| cases[i].sources.as_flattened()).copied().collect();
    let mut context = Context::new(generation.constants());
    let (results, outcome) = batch(routine, &mut check.worker, &mut context, &words, 3, &[0])?;
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
fn golden(file: &str, case: &OpCase, check: &mut Check) -> Result<bool, Failure> {
    let n = configs(case.rules)[0].numerics();
    let [a, b, c] = case.sources;
    let got = match case.unit {
        OpUnit::Vec => vector(n, &case.op, a, b, c),
        OpUnit::Sca => scalar(n, &case.op, c),
    };
    let got = got.ok_or_else(|| unknown(file, case))?;
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

type Vector = [u32; 4];

fn vector(n: Numerics, op: &str, a: Vector, b: Vector, c: Vector) -> Option<Vector> {
    let each =
        |f: fn(Numerics, u32, u32) -> u32, a: Vector, b: Vector| [0, 1, 2, 3].map(|i| f(n, a[i], b[i]));
    let [px, py, pz, pw] = each(num::mul, a, b);
    Some(match op {
        "MOV" => a,
        "MUL" => [px, py, pz, pw],
        "ADD" => each(num::sum2, a, c),
        "MAD" => each(num::sum2, [px, py, pz, pw], c),
        "DP3" => [num::sum3(n, px, py, pz); 4],
        "DPH" => [num::sum4(n, px, py, pz, num::mul(n, ONE, b[3])); 4],
        "DP4" => [num::sum4(n, px, py, pz, pw); 4],
        "DST" => [ONE, py, a[2], b[3]],
        "MIN" => each(num::min, a, b),
        "MAX" => each(num::max, a, b),
        "SLT" => each(num::slt, a, b),
        "SGE" => each(num::sge, a, b),
        "SEQ" => each(num::seq, a, b),
        "SGT" => each(num::sgt, a, b),
        "SLE" => each(num::sle, a, b),
        "SNE" => each(num::sne, a, b),
        "SSG" => a.map(|a| num::ssg(n, a)),
        "FLR" => a.map(|a| num::flr(n, a)),
        "FRC" => a.map(|a| num::frc(n, a)),
        "SFL" => [0; 4],
        "STR" => [ONE; 4],
        _ => return None,
    })
}

fn scalar(n: Numerics, op: &str, c: Vector) -> Option<Vector> {
    let [x, y, _, w] = c;
    Some(match op {
        "MOV" => c,
        "RCP" => [num::rcp(n, x); 4],
        "RCC" => [num::rcc(n, x); 4],
        "RSQ" => [num::rsq(n, x); 4],
        "EXP" => [num::exp_x(n, x), num::exp_y(n, x), num::exp_z(n, x), ONE],
        "LOG" => [num::log_x(n, x), num::log_y(n, x), num::log_z(n, x), ONE],
        "LIT" => [ONE, num::lit_y(n, x), num::lit_z(n, x, y, w), ONE],
        "LG2" => [num::lg2(n, x); 4],
        "EX2" => [num::ex2(n, x); 4],
        "SIN" => [num::sin(n, x); 4],
        "COS" => [num::cos(n, x); 4],
        _ => return None,
    })
}
