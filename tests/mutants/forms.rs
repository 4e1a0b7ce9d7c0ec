//! Faulty forms of emulators: of what is made for an operation under a preset, one instruction is another one.
//!
//! Only instructions count that the chip's rules do not make for the slot, and only slots with one operation. As in [`crate::lowering`] a
//! fault changes the same instruction in all of them. The figures are what the emulator's own code makes of single
//! operations; the interpreter, which has the forms a second time, is asked last, with rarer operands.

use crate::funcs::said;
use crate::lowering::{MadeFor, lowered};
use crate::pieces::{Piece, of_emulator};
use crate::places;
use std::collections::{BTreeSet, HashSet};
use xfjit::config::Forms;
use xfjit::isa::{Program, ScaOp, VecOp};
use xfjit::{Emulator, Generation};
use xfjit_core::front::lower;
use xfjit_ir::ir::origin::Place;
use xfjit_ir::ir::{Func, Op, Value};

/// One of so many is tried by default.
const ONE_IN: usize = 24;

/// Presets with forms of which there are figures, and these.
const PRESETS: [(Emulator, Generation, &[u8]); 5] = [
    (Emulator::Bochs, Generation::Kelvin, include_bytes!("../data/emulators/bochs_kelvin_ops.txt.xz")),
    (Emulator::Bochs, Generation::Rankine, include_bytes!("../data/emulators/bochs_rankine_ops.txt.xz")),
    (Emulator::Bochs, Generation::Curie, include_bytes!("../data/emulators/bochs_curie_ops.txt.xz")),
    (Emulator::Mame, Generation::Kelvin, include_bytes!("../data/emulators/mame_ops.txt.xz")),
    (Emulator::Nv2aVshCpu, Generation::Kelvin, include_bytes!("../data/emulators/nv2a_vsh_cpu_ops.txt.xz")),
];

/// An instruction, and how its operands are made at the same place.
fn made(func: &Func, at: Value) -> (Option<Place>, String) {
    let place = func.origin(at).place();
    let is_given = |value| func.inst(value).op != Op::Const && func.origin(value).place() != place;
    (place, said(func, at, 2, &is_given))
}

/// The operation of a slot that has one, and runs it on its own: what calls a library is the interpreter's.
fn only_operation(program: &Program, slot: usize) -> Option<&'static str> {
    let insn = program.slot(slot)?;
    match (insn.vec, insn.sca) {
        (VecOp::Nop, ScaOp::Nop) => None,
        (vec, ScaOp::Nop) => Some(vec.mnemonic()),
        (VecOp::Nop, sca) if !sca.is_exponential() => Some(sca.mnemonic()),
        _ => None,
    }
}

/// Names the operation of a slot for instructions that the chip's rules do not make for it.
fn made_for(piece: &Piece, program: &Program) -> MadeFor {
    let chip = lower(program, &piece.config.clone().with(|config| config.forms = Forms::default()));
    let chip: HashSet<_> = chip.order().map(|at| made(&chip, at)).collect();
    Box::new(move |program: &Program, func: &Func, at: Value| {
        let made = made(func, at);
        let Some(Place::Slot(slot)) = made.0 else { return None };
        (!chip.contains(&made)).then(|| only_operation(program, slot.into())).flatten()
    })
}

#[test]
fn every_fault_of_an_emulators_form_is_found() {
    let pieces: Vec<Vec<Piece>> = PRESETS
        .iter()
        .map(|&(emulator, generation, packed)| of_emulator(emulator, generation, packed))
        .collect();
    let numbered =
        pieces.iter().enumerate().flat_map(|(rules, of)| of.iter().map(move |piece| (rules, piece)));
    let (lowered, places) = lowered(numbered, made_for, true, usize::MAX);
    for (rules, (emulator, ..)) in PRESETS.iter().enumerate() {
        let operations: BTreeSet<&str> =
            places.keys().filter(|key| key.0 == rules).map(|key| key.1).collect();
        for expected in ["MUL", "DP4", "MAX", "RCC"] {
            assert!(operations.contains(expected), "{emulator:?} has no form of {expected}: {operations:?}");
        }
    }
    places::check(&lowered, &places, ONE_IN, "forms.txt", |&(rules, made_for, op, number)| {
        let (emulator, generation, _) = PRESETS[rules];
        format!("{} {}: {made_for} {op} {number}", emulator.name(), generation.name())
    });
}
