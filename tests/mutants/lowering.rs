//! Faulty front ends of microcode: of what is made for an operation, one instruction is another one.
//!
//! The instructions of a slot are told apart by their operation and its number within the slot. A fault changes the same one in all slots with
//! that operation. The evaluator runs what comes out. The interpreter steps instructions and lowers nothing: it is asked last.

use crate::funcs::{CHANGES, Change, changed_in_all, live};
use crate::pieces::{Piece, Whose, pieces};
use crate::tally;
use std::collections::BTreeMap;
use xfjit::Generation;
use xfjit::config::Forms;
use xfjit::isa::Program;
use xfjit_core::front::lower;
use xfjit_ir::ir::eval::Workspace;
use xfjit_ir::ir::ops::Kind;
use xfjit_ir::ir::origin::Place;
use xfjit_ir::ir::verify::verify;
use xfjit_ir::ir::{Func, Op, Value};

/// One of so many is tried by default.
const ONE_IN: usize = 24;
/// Instructions of a slot with the same operation, at most.
const MOST: usize = 4;

/// Programs that have such instructions and are tried: so many with others' figures, and as many with the interpreter's.
const TRIED: usize = 100;

/// What has found a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Finder {
    /// It is no function, for the verifier.
    Verifier,
    /// Figures.
    Figures(Whose),
    /// Nothing.
    Nothing,
}

/// Instructions that a fault changes: for which operation of a slot they are made, theirs, and which of these.
type Key = (Generation, &'static str, &'static str, usize);

/// A lowered piece.
struct Lowered {
    piece: &'static Piece,
    func: Func,
}

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

/// The pieces that have instructions of a key, and which instructions those are.
type Places = BTreeMap<Key, Vec<(usize, Vec<Value>)>>;

/// Every piece, and where each has which instructions.
fn lowered() -> (Vec<Lowered>, Places) {
    let (mut all, mut places) = (Vec::<Lowered>::new(), Places::new());
    let mut workspace = Workspace::default();
    // What emulators compute otherwise is lowered by other rules, with faults of its own.
    let own_rules = |piece: &&Piece| piece.config.heard() == Forms::default();
    for piece in pieces().iter().filter(own_rules) {
        let program = piece.program();
        let func = lower(&program, &piece.config);
        assert!(piece.is_evaluated(&mut workspace, &func), "{:?} {:08x?}", piece.whose, piece.words);
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
            if *count <= MOST && live[at.index()] {
                let key = (piece.config.generation, made_for(&program, place, op), op.text(), *count - 1);
                let of_key = places.entry(key).or_default();
                match of_key.last_mut() {
                    Some((number, values)) if *number == all.len() => values.push(at),
                    _ => of_key.push((all.len(), vec![at])),
                }
            }
        }
        all.push(Lowered { piece, func });
    }
    // Short functions first, of whose figures are evidence.
    for of_key in places.values_mut() {
        let is_own = |number: usize| all[number].piece.whose == Whose::Interpreter;
        of_key.sort_by_key(|&(number, _)| (is_own(number), all[number].func.insts.len()));
        let own = of_key.partition_point(|&(number, _)| !is_own(number));
        let mut rest = of_key.split_off(own);
        rest.truncate(TRIED);
        of_key.truncate(TRIED);
        of_key.append(&mut rest);
    }
    (all, places)
}

/// A function in which all of these instructions are changed that can be; nothing if none can.
fn faulty(func: &Func, values: &[Value], change: Change) -> Option<Func> {
    // Registers begin as literals, and masks as all ones, which are true without a bit as well.
    let is_plain = |at: Value| {
        let Change::Literal(operand) = change else { return false };
        if matches!(func.inst(at).op.kind(), Kind::Arithmetic(_) | Kind::Function(_)) {
            return true;
        }
        let arg = func.inst(at).operands().get(usize::from(operand));
        arg.is_some_and(|&arg| func.inst(arg).op == Op::Const && matches!(func.inst(arg).imm, 0 | u32::MAX))
    };
    changed_in_all(func, values.iter().copied().filter(|&at| !is_plain(at)), change)
}

#[test]
fn every_fault_of_a_front_end_of_microcode_is_found() {
    let (lowered, places) = lowered();
    let mut all = Vec::new();
    for (key, of_key) in &places {
        all.extend(CHANGES.map(|change| (key, of_key, change)));
    }
    println!("{} mutants at most", all.len());
    let text = |&((generation, made_for, op, number), _, change): &(&Key, _, Change)| {
        format!("{}: {made_for} {op} {number}: {change}", generation.name())
    };
    let find = |&(_, of_key, change): &(&Key, &Vec<(usize, Vec<Value>)>, Change)| {
        let (mut workspace, mut is_changed) = (Workspace::default(), false);
        for (number, values) in of_key {
            let Lowered { piece, func } = &lowered[*number];
            let Some(func) = faulty(func, values, change) else { continue };
            is_changed = true;
            if verify(&func).is_err() {
                return Some(Finder::Verifier);
            }
            if !piece.is_evaluated(&mut workspace, &func) {
                return Some(Finder::Figures(piece.whose));
            }
        }
        is_changed.then_some(Finder::Nothing)
    };
    tally::check(&all, ONE_IN, Finder::Nothing, &tally::reasons("lowering.txt"), text, find);
}
