//! What the operations of an instruction write, and on which condition.

use super::{Destination, Operation, Target, Units};
use crate::isa::kelvin::PAIRED_TEMP;
use crate::isa::op::{Effect, VecOp};
use crate::isa::{CodeWrite, Condition, Insn, Mask, OutTarget, OutWrite, TempWrite, Test, Unit};
use crate::isa::{Generation, PairedScalar, Reading, predicate};
use crate::text::Problem;

/// Fills in destinations, condition codes, saturation and conditions.
pub(super) fn fit(
    generation: Generation,
    reading: Reading,
    insn: &mut Insn,
    units: &Units<'_>,
) -> Result<(), Problem> {
    for (unit, operations) in [(Unit::Vec, &units.vec), (Unit::Sca, &units.sca)] {
        for operation in operations {
            if let Some(destination) = &operation.destination {
                write(generation, reading, insn, unit, operation, destination)?;
            }
        }
        codes(generation, insn, unit, operations)?;
    }
    saturation(insn, units)?;
    conditions(insn, units)
}

/// Whether that is where the scalar result goes beside a vector operation.
fn goes_to_r1(generation: Generation, reading: Reading) -> bool {
    match generation {
        Generation::Kelvin => true,
        Generation::Rankine => reading.paired == PairedScalar::R1,
        Generation::Curie => false,
    }
}

/// One destination.
fn write(
    generation: Generation,
    reading: Reading,
    insn: &mut Insn,
    unit: Unit,
    operation: &Operation,
    destination: &Destination,
) -> Result<(), Problem> {
    let Destination { target, mask, span, .. } = destination.clone();
    let fail = |message: String| Err(Problem::new(span.clone(), message));
    let (name, addresses) = match unit {
        Unit::Vec => (insn.vec.mnemonic(), insn.vec.effect() == Effect::Address),
        Unit::Sca => (insn.sca.mnemonic(), insn.sca.effect() == Effect::Address),
    };
    let kelvin = generation == Generation::Kelvin;
    match target {
        Target::Address(_) if !addresses && kelvin => return fail("only ARL writes a0".to_owned()),
        Target::Address(reg) if !addresses => {
            return fail(format!("only ARL, ARR, ARA and POPA write a{reg}"));
        }
        Target::Temp(_) | Target::Out(_) if addresses && kelvin => {
            return fail(format!("{name} writes only a0"));
        }
        Target::Temp(_) | Target::Out(_) if addresses => {
            return fail(format!("{name} writes only an address register"));
        }
        Target::Codes if operation.suffix.code.is_none() || addresses => {
            return fail(format!("use the suffix C to write condition codes: {name}C"));
        }
        Target::Codes | Target::Nowhere => {}
        Target::Address(_) if unit == Unit::Sca && insn.address_from() == Some(Unit::Vec) => {
            return fail("an instruction can write one address register; write `POPA _`".to_owned());
        }
        Target::Address(_) if unit == Unit::Sca && mask != Mask::ALL => {
            return fail(format!("{name} writes all components"));
        }
        Target::Address(reg) => insn.address_dst = TempWrite { reg, mask },
        Target::Temp(reg) if unit == Unit::Vec => insn.vec_dst = TempWrite { reg, mask },
        Target::Temp(reg)
            if goes_to_r1(generation, reading) && insn.vec != VecOp::Nop && reg != PAIRED_TEMP =>
        {
            let message = format!(
                "next to a vector operation, the scalar result can only go to r{PAIRED_TEMP}, not r{reg}"
            );
            return Err(Problem::new(span, message)
                .help(format!("write r{PAIRED_TEMP}, or put the operation on a line of its own")));
        }
        Target::Temp(reg) => insn.sca_dst = TempWrite { reg, mask },
        Target::Out(target) => output(generation, insn, unit, target, destination)?,
    }
    Ok(())
}

/// The one output or constant. On Rankine both units may write it.
fn output(
    generation: Generation,
    insn: &mut Insn,
    unit: Unit,
    target: OutTarget,
    destination: &Destination,
) -> Result<(), Problem> {
    let ours = OutWrite::new(target, destination.mask, unit);
    insn.output_indexed = destination.index.is_some();
    let message = match insn.out {
        None => {
            insn.out = Some(ours);
            return Ok(());
        }
        Some(other) if generation == Generation::Rankine && other.target == target => {
            insn.out = Some(OutWrite { sca: ours.sca, ..other });
            return Ok(());
        }
        Some(_) if generation == Generation::Rankine => {
            "an instruction can write only one output or constant"
        }
        Some(_) => "an instruction can write only one output or constant, from only one unit",
    };
    Err(Problem::new(destination.span.clone(), message))
}

/// The update of a condition register with a unit's result.
fn codes(
    generation: Generation,
    insn: &mut Insn,
    unit: Unit,
    operations: &[&Operation],
) -> Result<(), Problem> {
    let Some(first) = operations.first() else { return Ok(()) };
    if let Some(other) = operations.iter().find(|other| other.suffix != first.suffix) {
        let message = "all destinations of a result must have the same suffix";
        return Err(Problem::new(other.span.clone(), message));
    }
    let Some(reg) = first.suffix.code else { return Ok(()) };
    let fail = |message| Err(Problem::new(first.span.clone(), message));
    if insn.code.is_some() {
        return fail("only one unit's result can update the condition codes");
    }
    if generation == Generation::Rankine && unit == Unit::Sca && insn.vec != VecOp::Nop {
        return fail("next to a vector operation, only its result updates the condition codes");
    }
    let destinations = operations.iter().filter_map(|operation| operation.destination.as_ref());
    let masks: Vec<Mask> = destinations.map(|destination| destination.mask).collect();
    if generation == Generation::Curie && masks.iter().any(|&mask| mask != masks[0]) {
        return fail("all destinations of a result must have the same components");
    }
    let mask = masks.iter().fold(Mask::NONE, |all, mask| Mask(all.0 | mask.0));
    insn.code = Some(CodeWrite { reg, mask, from: unit });
    Ok(())
}

/// One bit saturates both results.
fn saturation(insn: &mut Insn, units: &Units<'_>) -> Result<(), Problem> {
    let results = || {
        let vec = units.vec.iter().filter(|_| insn.vec.has_value());
        vec.chain(units.sca.iter().filter(|_| insn.sca.has_value()))
    };
    let saturate = results().next().is_some_and(|operation| operation.suffix.saturate);
    if let Some(other) = results().find(|operation| operation.suffix.saturate != saturate) {
        let message = "both units must saturate their results, or neither";
        return Err(Problem::new(other.span.clone(), message));
    }
    insn.saturate = saturate;
    Ok(())
}

/// One test for all writes, which a branch shares unless they have none; on Curie of the register that is updated.
fn conditions(insn: &mut Insn, units: &Units<'_>) -> Result<(), Problem> {
    let operations = || units.vec.iter().chain(&units.sca);
    let mut writes = operations().filter(|operation| operation.destination.is_some());
    let condition = writes.next().map_or(Condition::ALWAYS, |operation| operation.condition);
    if let Some(other) = writes.find(|operation| operation.condition != condition) {
        let message = "all writes of an instruction must have the same condition";
        return Err(Problem::new(other.span.clone(), message));
    }
    insn.condition = condition;
    let mut tested = vec![condition];
    if predicate::tests(insn.sca)
        && let Some(branch) = units.sca.first()
    {
        insn.branch.condition = branch.condition;
        tested.push(branch.condition);
        if condition != Condition::ALWAYS && condition != branch.condition {
            let message = "a branch must have the same condition as the writes next to it";
            return Err(Problem::new(branch.span.clone(), message));
        }
    }
    let mut tests = tested.iter().filter(|condition| !matches!(condition.test, Test::Fl | Test::Tr));
    if let (Some(code), Some(test)) = (insn.code, tests.next())
        && code.reg != test.reg
        && let Some(operation) = operations().next()
    {
        let message = "an instruction must test and update the same condition register";
        return Err(Problem::new(operation.span.clone(), message));
    }
    Ok(())
}
