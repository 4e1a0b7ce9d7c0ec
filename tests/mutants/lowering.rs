//! Faulty front ends of microcode: of what is made for an operation, one instruction is another one.
//!
//! The instructions of a slot are told apart by their operation and its number within the slot. A fault changes the same one in all slots with
//! that operation. The evaluator runs what comes out. The interpreter steps instructions and lowers nothing: it is asked last.

use crate::funcs::{Change, live};
use crate::pieces::{Piece, Whose, pieces};
use crate::places::{self, Places};
use std::collections::BTreeMap;
use xfjit::Generation;
use xfjit::config::Forms;
use xfjit::isa::Program;
use xfjit_core::front::lower;
use xfjit_ir::ir::eval::Workspace;
use xfjit_ir::ir::ops::Kind;
use xfjit_ir::ir::origin::Place;
use xfjit_ir::ir::{Func, Op, Value};

/// One of so many is tried by default.
const ONE_IN: usize = 24;
/// Instructions of a slot with the same operation, at most.
const MOST: usize = 4;

/// Programs that have such instructions and are tried: so many with others' figures, and as many with the interpreter's.
const TRIED: usize = 100;

/// Instructions that a fault changes: under which rules and for which operation of a slot they are made, theirs, and which of these.
pub(crate) type Key = (usize, &'static str, &'static str, usize);

/// A lowered piece.
pub(crate) struct Lowered<'a> {
    piece: &'a Piece,
    func: Func,
    /// Whether literals are tried that may be those with which registers begin.
    has_own_literals: bool,
}

impl places::Lowered for Lowered<'_> {
    type Whose = Whose;

    fn func(&self) -> &Func {
        &self.func
    }

    fn whose(&self) -> Whose {
        self.piece.whose
    }

    fn is_right(&self, workspace: &mut Workspace, func: &Func) -> bool {
        self.piece.is_evaluated(workspace, func)
    }

    /// Registers begin as literals, and masks as all ones, which are true without a bit as well.
    fn is_idle(&self, at: Value, change: Change) -> bool {
        let Change::Literal(operand) = change else { return false };
        if self.has_own_literals {
            return false;
        }
        let inst = self.func.inst(at);
        if matches!(inst.op.kind(), Kind::Arithmetic(_) | Kind::Function(_)) {
            return true;
        }
        let arg = inst.operands().get(usize::from(operand)).map(|&arg| self.func.inst(arg));
        arg.is_some_and(|arg| arg.op == Op::Const && matches!(arg.imm, 0 | u32::MAX))
    }
}

/// Says for which operation of its slot an instruction of a piece is made, if it is one to be changed.
pub(crate) type MadeFor = Box<dyn Fn(&Program, &Func, Value) -> Option<&'static str>>;

/// For which operation of its slot an instruction is made, if that is one operation's.
fn made_for(program: &Program, place: Option<Place>, op: Op) -> &'static str {
    let Some(Place::Slot(slot)) = place else { return "" };
    let Some(insn) = program.slot(slot.into()) else { return "" };
    match (op, op.kind()) {
        (Op::Rcp | Op::Rcc | Op::Rsq, _) => insn.sca.mnemonic(),
        (Op::Arl | Op::Arr, _) | (_, Kind::Arithmetic(_)) => insn.vec.mnemonic(),
        (Op::IsLess | Op::IsEqual | Op::IsGreater | Op::IsNegative | Op::Saturate, _) => "",
        (_, Kind::Function(_)) => insn.sca.mnemonic(),
        _ => "",
    }
}

/// Pieces that are lowered by rules of one number, and where each has which instructions: those for which `made_for` names an operation.
pub(crate) fn lowered<'a>(
    pieces: impl Iterator<Item = (usize, &'a Piece)>,
    made_for: impl Fn(&Piece, &Program) -> MadeFor,
    has_own_literals: bool,
    tried: usize,
) -> (Vec<Lowered<'a>>, Places<Key>) {
    let (mut all, mut places) = (Vec::<Lowered<'_>>::new(), Places::new());
    let mut workspace = Workspace::default();
    for (rules, piece) in pieces {
        let program = piece.program();
        let func = lower(&program, &piece.config);
        assert!(piece.is_evaluated(&mut workspace, &func), "{:?} {:08x?}", piece.whose, piece.words);
        let made_for = made_for(piece, &program);
        let live = live(&func);
        let (mut counts, mut last) = (BTreeMap::new(), None);
        for at in func.order() {
            let (place, op) = (func.origin(at).place(), func.inst(at).op);
            // A slot that several ways lead to is lowered more than once.
            if std::mem::replace(&mut last, place) != place {
                counts.clear();
            }
            let count = counts.entry(op as usize).or_insert(0);
            *count += 1;
            if *count <= MOST
                && live[at.index()]
                && let Some(made_for) = made_for(&program, &func, at)
            {
                let key = (rules, made_for, op.text(), *count - 1);
                places::note(&mut places, key, all.len(), at);
            }
        }
        all.push(Lowered { piece, func, has_own_literals });
    }
    // Short functions first, of whose figures are evidence.
    for of_key in places.values_mut() {
        let is_own = |number: usize| all[number].piece.whose == Whose::Interpreter;
        of_key.sort_by_key(|&(number, _)| (is_own(number), all[number].func.insts.len()));
        let own = of_key.partition_point(|&(number, _)| !is_own(number));
        let mut rest = of_key.split_off(own);
        rest.truncate(tried);
        of_key.truncate(tried);
        of_key.append(&mut rest);
    }
    (all, places)
}

#[test]
fn every_fault_of_a_front_end_of_microcode_is_found() {
    // What emulators compute otherwise is lowered by other rules, with faults of its own (`forms`).
    let own_rules = pieces().iter().filter(|piece| piece.config.heard() == Forms::default());
    let numbered = own_rules.map(|piece| (piece.config.generation as usize, piece));
    let by_slot = |program: &Program, func: &Func, at: Value| {
        Some(made_for(program, func.origin(at).place(), func.inst(at).op))
    };
    let (lowered, places) = lowered(numbered, |_, _| Box::new(by_slot), false, TRIED);
    places::check(&lowered, &places, ONE_IN, "lowering.txt", |&(generation, made_for, op, number)| {
        format!("{}: {made_for} {op} {number}", Generation::ALL[generation].name())
    });
}
