use super::{Part, Place, Step, Trace, check};
use crate::backend::to_host;
use crate::ir::func::Func;
use crate::ir::parse;
use crate::machine::Machine;
use crate::samples::shaders;
use crate::shader::Shader;
use crate::{Budget, Compiler, Target};
use xfjit_runtime::batch::Layout;

/// What was emitted for a function.
struct Emitted {
    func: Func,
    machine: Machine,
    steps: Vec<Step>,
}

impl Emitted {
    fn is_accepted(&self, steps: Vec<Step>) -> bool {
        check(&self.func, &self.machine, &Trace { steps, is_wanted: true }).is_ok()
    }

    /// Bytes of a slot of the scratch memory.
    fn slot(&self) -> i32 {
        4 * self.machine.lanes as i32
    }
}

/// Long straight lines with many values, blocks and loops, stores of constants; both register allocators.
fn emitted() -> Vec<Emitted> {
    let target = Target::host().expect("this host has native code");
    let serial = "func host hw kelvin window 0..192 {\nbody:\n%0 = input v0.x\n%1 = ctx c[3].y\n%2 = fadd %0, %1\n\
                  store c[7], %2, %0, %1, %2\n%3 = fmul %2, %2\noutput o0, %3, %2, %0, %1\n}";
    let serial = parse::parse(serial).expect("it is a function");
    let of_shader = |shader: Shader| (to_host(shader.lower(), target.machine()), shader.layout());
    let shaders = shaders(12).map(of_shader);
    let serial = [(serial.clone(), Layout::Rows), (serial, Layout::Planes)];
    let emitted = shaders.chain(serial).enumerate().map(|(number, (func, layout))| {
        let machine = *target.machine();
        let budget = Budget { thorough: [usize::MAX, 0][number / 2 % 2], ..Budget::UNLIMITED };
        let steps = Compiler::new(target.clone()).budget(budget).trace(&func, layout).steps;
        Emitted { func, machine, steps }
    });
    emitted.filter(|emitted| emitted.func.is_split()).collect()
}

#[test]
fn what_is_emitted_passes() {
    let all = emitted();
    assert!(all.iter().any(|emitted| emitted.func.has_blocks()));
    assert!(all.iter().any(|emitted| emitted.func.is_serial()));
    let spilled = all.iter().flat_map(body).filter(|(_, step)| is_spill(step)).count();
    assert!(spilled > 300, "{spilled}");
    for Emitted { func, machine, steps } in all {
        let trace = Trace { steps, is_wanted: true };
        assert_eq!(check(&func, &machine, &trace), Ok(()), "{func}");
    }
}

fn is_spill(step: &Step) -> bool {
    matches!(step, Step::Copy { to: Place::Memory(_), .. })
}

/// The steps of the body, by number.
fn body(emitted: &Emitted) -> impl Iterator<Item = (usize, Step)> + '_ {
    let steps = emitted.steps.iter().copied().enumerate();
    steps.skip_while(|(_, step)| !matches!(step, Step::Part(Part::Block(_))))
}

/// One change of what was emitted.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Put(usize, Step),
    Remove(usize),
    Insert(usize, Step),
    /// Step by step to behind another one.
    Delay(usize, usize),
}

impl Edit {
    fn apply(self, steps: &mut Vec<Step>) {
        match self {
            Edit::Put(number, step) => steps[number] = step,
            Edit::Remove(number) => {
                steps.remove(number);
            }
            Edit::Insert(number, step) => steps.insert(number, step),
            Edit::Delay(number, end) => steps[number..=end].rotate_left(1),
        }
    }
}

/// Makes some of the changes that there are, one at a time, and wants each to be found. `change` is for the step with a
/// number.
fn each_is_found(least: usize, change: impl Fn(&Emitted, usize) -> Option<Edit>) {
    let mut found = 0;
    for emitted in emitted() {
        let edits: Vec<Edit> = body(&emitted).filter_map(|(number, _)| change(&emitted, number)).collect();
        // Some of them: each is a whole check.
        for edit in edits.iter().step_by(1 + edits.len() / 12) {
            let mut steps = emitted.steps.clone();
            edit.apply(&mut steps);
            assert!(!emitted.is_accepted(steps), "{edit:?} is not found\n{}", emitted.func);
            found += 1;
        }
    }
    assert!(found >= least, "{found}");
}

/// Whether a step reads the value in a place.
fn takes(step: &Step, place: Place) -> bool {
    match *step {
        Step::Read { at, .. } => at == place,
        Step::Copy { from, .. } => from == place,
        Step::Part(_) | Step::Make { .. } | Step::Frame { .. } | Step::Run(_) => false,
    }
}

#[test]
fn a_value_stored_in_another_slot_is_found() {
    each_is_found(40, |emitted, number| {
        let Step::Copy { from, to: Place::Memory(at) } = emitted.steps[number] else { return None };
        Some(Edit::Put(number, Step::Copy { from, to: Place::Memory(at + emitted.slot()) }))
    });
}

#[test]
fn a_value_that_is_not_stored_is_found() {
    each_is_found(40, |emitted, number| is_spill(&emitted.steps[number]).then_some(Edit::Remove(number)));
}

#[test]
fn a_value_read_from_another_slot_is_found() {
    each_is_found(60, |emitted, number| {
        let Step::Read { value, at: Place::Memory(at) } = emitted.steps[number] else { return None };
        Some(Edit::Put(number, Step::Read { value, at: Place::Memory(at - emitted.slot()) }))
    });
}

#[test]
fn a_value_that_comes_back_from_another_slot_is_found() {
    each_is_found(10, |emitted, number| {
        let Step::Copy { from: Place::Memory(at), to } = emitted.steps[number] else { return None };
        Some(Edit::Put(number, Step::Copy { from: Place::Memory(at + emitted.slot()), to }))
    });
}

#[test]
fn a_value_read_before_it_is_stored_is_found() {
    each_is_found(40, |emitted, number| {
        let Step::Copy { to: to @ Place::Memory(_), .. } = emitted.steps[number] else { return None };
        let reader = emitted.steps[number..].iter().position(|step| takes(step, to))?;
        Some(Edit::Delay(number, number + reader))
    });
}

/// Another value is put into a slot between the store of the value that it belongs to and the last reader.
#[test]
fn a_slot_used_again_too_early_is_found() {
    each_is_found(40, |emitted, number| {
        let Step::Copy { to: to @ Place::Memory(_), .. } = emitted.steps[number] else { return None };
        let behind = &emitted.steps[number + 1..];
        let ends = |step: &Step| match *step {
            Step::Part(_) => true,
            Step::Copy { to: other, .. } => other == to,
            Step::Make { .. } | Step::Read { .. } | Step::Frame { .. } | Step::Run(_) => false,
        };
        let end = behind.iter().position(ends).unwrap_or(behind.len());
        let last = behind[..end].iter().rposition(|step| takes(step, to))?;
        let other = behind[..last].iter().position(is_spill)?;
        let Step::Copy { from, .. } = behind[other] else { return None };
        Some(Edit::Put(number + 1 + other, Step::Copy { from, to }))
    });
}

/// Harmless for this group, but the next one reads another value there.
#[test]
fn a_slot_of_the_prologue_that_the_body_overwrites_is_found() {
    each_is_found(40, |emitted, number| {
        let Step::Read { at: to @ Place::Memory(_), .. } = emitted.steps[number] else { return None };
        let (first, _) = body(emitted).next()?;
        let stores = |step: &Step| matches!(step, Step::Copy { to: at, .. } if *at == to);
        let (prologue, body) = emitted.steps.split_at(first);
        if !prologue.iter().any(stores) || body.iter().any(stores) {
            return None;
        }
        // The result of the last instruction is still in its register.
        let from = emitted.steps.iter().rev().find_map(|step| match *step {
            Step::Make { at, .. } => Some(at),
            Step::Part(_) | Step::Copy { .. } | Step::Read { .. } | Step::Frame { .. } | Step::Run(_) => None,
        })?;
        Some(Edit::Insert(emitted.steps.len(), Step::Copy { from, to }))
    });
}

#[test]
fn an_operand_in_another_register_is_found() {
    each_is_found(100, |emitted, number| {
        let Step::Read { value, at: at @ Place::Register(_) } = emitted.steps[number] else { return None };
        let other = emitted.steps[..number].iter().rev().find_map(|step| match *step {
            Step::Make { value: other, at: place @ Place::Register(_) } if other != value => Some(place),
            Step::Part(_) | Step::Make { .. } | Step::Copy { .. } => None,
            Step::Read { .. } | Step::Frame { .. } | Step::Run(_) => None,
        })?;
        (other != at).then_some(Edit::Put(number, Step::Read { value, at: other }))
    });
}

/// One parameter of a block gets the value of the next one.
#[test]
fn a_wrong_block_parameter_is_found() {
    each_is_found(20, |emitted, number| {
        let Step::Copy { from: Place::Register(_), to: to @ Place::Register(_) } = emitted.steps[number]
        else {
            return None;
        };
        let Some(&Step::Copy { from, to: Place::Register(_) }) = emitted.steps.get(number + 1) else {
            return None;
        };
        Some(Edit::Put(number, Step::Copy { from, to }))
    });
}

#[test]
fn a_cell_in_another_place_is_found() {
    each_is_found(20, |emitted, number| {
        let Step::Frame { word, at, writes } = emitted.steps[number] else { return None };
        Some(Edit::Put(number, Step::Frame { word, at: at + emitted.slot(), writes }))
    });
    each_is_found(20, |emitted, number| {
        let Step::Frame { word, at, writes } = emitted.steps[number] else { return None };
        let word = (word + 1) % emitted.func.frame();
        Some(Edit::Put(number, Step::Frame { word, at, writes }))
    });
}

/// No value may be stored over a cell, whether the cell is read again or not.
#[test]
fn a_value_stored_in_the_frame_is_found() {
    each_is_found(5, |emitted, number| {
        let Step::Copy { from, to: Place::Memory(_) } = emitted.steps[number] else { return None };
        let cell = emitted.steps.iter().find_map(|step| match *step {
            Step::Frame { at, .. } => Some(at),
            Step::Part(_) | Step::Make { .. } | Step::Copy { .. } | Step::Read { .. } | Step::Run(_) => None,
        })?;
        Some(Edit::Put(number, Step::Copy { from, to: Place::Memory(cell) }))
    });
}

#[test]
fn a_cell_read_after_it_was_written_is_found() {
    each_is_found(5, |emitted, number| {
        let Step::Frame { word, at, writes: false } = emitted.steps[number] else { return None };
        let is_cell = word < emitted.func.cells();
        is_cell.then_some(Edit::Insert(number, Step::Frame { word, at, writes: true }))
    });
}

#[test]
fn an_instruction_that_does_not_run_is_found() {
    each_is_found(100, |emitted, number| {
        matches!(emitted.steps[number], Step::Run(_)).then_some(Edit::Remove(number))
    });
}
