//! Single operations: Kelvin's as programs of one operation on every backend, Rankine's on the golden functions.

use super::celsius::GOLDEN;
use super::{Check, Difference, batch, places};
use crate::fail::Failure;
use crate::text::{Flaw, Place};
use crate::vectors_file::{OpCase, OpRules, OpUnit, Ops};
use std::collections::BTreeMap;
use std::sync::Arc;
use xfjit::backend::Code;
use xfjit::isa::op::{ScaOp, Slot, VecOp};
use xfjit::isa::{self, Bank, Insn, Mask, OutTarget, OutWrite, Program, Source, TempWrite, Unit};
use xfjit::runtime::num::{self, Numerics, Rules};
use xfjit::runtime::state::Context;
use xfjit::{Config, Generation, Model};

pub(super) fn check(cases: Ops, check: &mut Check) -> Result<(), Failure> {
    let file = cases.name().to_owned();
    let mut kelvin: BTreeMap<(bool, String), Vec<OpCase>> = BTreeMap::new();
    for case in cases {
        let case = case?;
        match case.rules {
            OpRules::Kelvin => {
                kelvin.entry((case.unit == OpUnit::Sca, case.op.clone())).or_default().push(case);
            }
            OpRules::RankineLegacy => golden(&file, &case, Rules::RankineLegacy, check)?,
            OpRules::RankineModern => golden(&file, &case, Rules::RankineModern, check)?,
        }
    }
    for cases in kelvin.values() {
        on_backends(&file, cases, check)?;
    }
    Ok(())
}

fn unknown(file: &str, case: &OpCase) -> Failure {
    let place = Place { line: case.line, column: 1, length: 0, text: String::new() };
    let flaw = Flaw::new(format!("`{}` is not an operation of this unit", case.op));
    Failure::input(file, Flaw { place: Some(place), ..flaw })
}

/// All cases of one operation at once.
fn on_backends(file: &str, cases: &[OpCase], check: &mut Check) -> Result<(), Failure> {
    let [first, ..] = cases else { return Ok(()) };
    let program = Arc::new(program(first).ok_or_else(|| unknown(file, first))?);
    let config = Config::new(Generation::Kelvin).live_outputs(1);
    let order = places(cases.len());
    let words: Vec<u32> = order.clone().flat_map(|i| cases[i].sources.as_flattened()).copied().collect();
    let mut failed = vec![false; cases.len()];
    for index in check.those_for(config.model)? {
        let name = check.backends[index].name();
        let Some(routine) = check.prepare(file, index, &Code::program(&program, &config)) else { continue };
        let mut context = Context::new(Generation::Kelvin.constants());
        let (results, outcome) = batch(&*routine, &mut check.worker, &mut context, &words, 3, &[0])?;
        let mut wrong = vec![false; cases.len()];
        for (i, got) in order.clone().zip(results.chunks_exact(4)) {
            let case = &cases[i];
            let Some(component) = (0..4).find(|&c| got[c] != case.result[c]) else { continue };
            if !std::mem::replace(&mut wrong[i], true) {
                let [a, b, c] = case.sources;
                let text = isa::print(Generation::Kelvin, &program);
                check.show(&Difference {
                    file,
                    line: case.line,
                    executor: name,
                    place: format!("result.{}", ["x", "y", "z", "w"][component]),
                    expected: case.result[component],
                    got: got[component],
                    code: &format_args!("{text}with v0 {a:08x?}, v1 {b:08x?}, v2 {c:08x?}"),
                });
            }
        }
        let tally = check.tally(file, name);
        tally.cases += cases.len() as u64;
        tally.failed += wrong.iter().filter(|&&wrong| wrong).count() as u64;
        tally.deopt_groups += outcome.deopt_groups;
        failed.iter_mut().zip(wrong).for_each(|(failed, wrong)| *failed |= wrong);
    }
    failed.iter().for_each(|&failed| check.case(failed));
    Ok(())
}

/// v0, v1 and v2 go to temporaries first: an instruction can read only one of them.
fn program(case: &OpCase) -> Option<Program> {
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
    if slots.is_empty() || insn.vec == VecOp::Arl {
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
    isa::decode(Generation::Kelvin, &isa::encode(Generation::Kelvin, &program), 0).ok()
}

fn golden(file: &str, case: &OpCase, rules: Rules, check: &mut Check) -> Result<(), Failure> {
    let n = Numerics { model: Model::Hw, rules };
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
    check.case(component.is_some());
    Ok(())
}

type Vector = [u32; 4];
const ONE: u32 = 0x3f80_0000;

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
