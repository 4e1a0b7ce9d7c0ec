//! Changes of one instruction of a function, of either level.

use std::fmt;
use std::mem::discriminant;
use xfjit_ir::ir::ops::{At, Effect, Imm};
use xfjit_ir::ir::properties::Order;
use xfjit_ir::ir::{Func, Inst, Level, Op, Value};

/// What is wrong with an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// It is the operation next to it in the table that takes and makes the same.
    Operation,
    /// Two operands change places: the first two, of a choice those that it chooses from.
    Swap,
    /// An operand that is a literal lacks its lowest bit that is set; 0 is 1.
    Literal(u8),
    /// Its immediate has another lowest bit.
    Number,
    /// An operand is the value that was made last.
    Operand(u8),
    /// It is left out: its first operand stands for it.
    LeftOut,
}

/// Every change.
pub(crate) const CHANGES: [Change; 12] = [
    Change::Operation,
    Change::Swap,
    Change::Literal(0),
    Change::Literal(1),
    Change::Literal(2),
    Change::Literal(3),
    Change::Number,
    Change::Operand(0),
    Change::Operand(1),
    Change::Operand(2),
    Change::Operand(3),
    Change::LeftOut,
];

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Operation => write!(f, "another operation"),
            Change::Swap => write!(f, "two operands change places"),
            Change::Literal(operand) => write!(f, "literal {operand} lacks a bit"),
            Change::Number => write!(f, "another immediate"),
            Change::Operand(operand) => write!(f, "operand {operand} is another value"),
            Change::LeftOut => write!(f, "left out"),
        }
    }
}

/// An instruction in words: its operation, and of its operands the literals, or how they have been made; `given`, if that is so.
pub(crate) fn said(func: &Func, value: Value, depth: usize, is_given: &impl Fn(Value) -> bool) -> String {
    let inst = func.inst(value);
    match inst.op {
        Op::Const => return format!("{:x}", inst.imm),
        _ if is_given(value) => return "given".to_owned(),
        op if depth == 0 => return op.text().to_owned(),
        _ => {}
    }
    let operands = inst.operands().iter().map(|&arg| said(func, arg, depth - 1, is_given));
    let operands = operands.collect::<Vec<_>>().join(", ");
    let number = if inst.op.imm() == Imm::None { String::new() } else { format!(".{:x}", inst.imm) };
    format!("{}{number}({operands})", inst.op.text())
}

/// How an instruction stands in a function: itself, and what reads it.
pub(crate) fn standing(func: &Func, value: Value, is_given: &impl Fn(Value) -> bool) -> String {
    let readers = func.order().filter(|&reader| func.inst(reader).operands().contains(&value));
    let mut readers: Vec<String> = readers.map(|reader| said(func, reader, 2, is_given)).collect();
    readers.sort_unstable();
    format!("{}; {}", said(func, value, 3, is_given), readers.join("; "))
}

/// Whether one operation can stand for the other.
fn is_like(level: Level, op: Op, other: Op) -> bool {
    let here = if level == Level::Xf { At::Xf } else { At::Host };
    let [a, b] = [op, other].map(Op::properties);
    let is_guard =
        |op: Op| matches!(op.effect(), Some(Effect::Guard | Effect::BigGuard | Effect::SmallGuard));
    discriminant(&op.kind()) == discriminant(&other.kind())
        && (b.at == here || b.at == At::Both)
        && op.operands() == other.operands()
        && op.operands() > 0
        && op.imm() == other.imm()
        && (a.takes, a.makes) == (b.takes, b.makes)
        && op.compares() == other.compares()
        && is_guard(op) == is_guard(other)
}

/// The operation that can stand for this one and is next to it in the table, in a circle: behind it, or, at the level of the chip, before
/// it, since the sign of 0 or 1 is 0 or 1.
fn neighbour(level: Level, op: Op) -> Option<Op> {
    let count = Op::ALL.len();
    let by = |steps: usize| if level == Level::Xf { count - steps } else { steps };
    (1..count)
        .map(|steps| Op::ALL[(op as usize + by(steps)) % count])
        .find(|&other| is_like(level, op, other))
}

/// For each value whether an effect reads it, perhaps through others. All components of a result are lowered, and masks take some.
pub(crate) fn live(func: &Func) -> Vec<bool> {
    let mut live = vec![false; func.insts.len()];
    for at in func.order().rev() {
        let inst = func.inst(at);
        if live[at.index()] || inst.op.has_effect() {
            live[at.index()] = true;
            inst.operands().iter().for_each(|arg| live[arg.index()] = true);
        }
    }
    live
}

/// The function with the same change of several instructions, of all that it can be made to; nothing if there is none.
pub(crate) fn changed_in_all(
    func: &Func,
    values: impl Iterator<Item = Value>,
    change: Change,
) -> Option<Func> {
    values.fold(None, |faulty: Option<Func>, at| {
        let other = changed(faulty.as_ref().unwrap_or(func), at, change);
        other.or(faulty)
    })
}

/// The function with one change of one instruction; nothing if there is nothing to change.
pub(crate) fn changed(func: &Func, at: Value, change: Change) -> Option<Func> {
    let inst = *func.inst(at);
    let place = func.body.iter().position(|&value| value == at)?;
    let mut other = func.clone();
    let literal = |operand: u8| {
        let &arg = inst.operands().get(usize::from(operand))?;
        let made = func.inst(arg);
        (made.op == Op::Const).then_some(made.imm)
    };
    let mut with_literal = |operand: u8, bits: u32| {
        let new = Value(other.insts.len() as u32);
        other.insts.push(Inst::new(Op::Const, bits, &[]));
        other.body.insert(place, new);
        other.insts[at.index()].args[usize::from(operand)] = new;
    };
    match change {
        Change::Operation => other.insts[at.index()].op = neighbour(func.level, inst.op)?,
        Change::Swap => {
            let [a, b] = if inst.op == Op::Select { [1, 2] } else { [0, 1] };
            let commutes = inst.op == Op::Feq || inst.op.properties().order == Order::Commutes;
            if inst.op.operands() <= b || inst.op.has_effect() || commutes || inst.args[a] == inst.args[b] {
                return None;
            }
            other.insts[at.index()].args.swap(a, b);
        }
        Change::Literal(operand) => {
            let bits = literal(operand)?;
            with_literal(operand, if bits == 0 { 1 } else { bits & (bits - 1) });
        }
        Change::Number => {
            if matches!(inst.op.imm(), Imm::None | Imm::Bits) {
                return None;
            }
            other.insts[at.index()].imm ^= 1;
        }
        Change::Operand(operand) => {
            let &arg = inst.operands().get(usize::from(operand))?;
            // What compares a value with itself looks for a NaN, and finds it in either place.
            if inst.op == Op::Funord && inst.args[0] == inst.args[1] {
                return None;
            }
            let form = func.inst(arg).op.properties().makes;
            let stands = |&&value: &&Value| {
                let made = func.inst(value);
                !made.op.has_effect() && made.op.properties().makes == form && value != arg
            };
            let &last = func.body[..place].iter().rev().find(stands)?;
            other.insts[at.index()].args[usize::from(operand)] = last;
        }
        Change::LeftOut => {
            if !inst.op.has_effect() {
                let &first = inst.operands().first()?;
                if func.inst(first).op.properties().makes != inst.op.properties().makes {
                    return None;
                }
                for user in &mut other.insts {
                    user.args.iter_mut().filter(|arg| **arg == at).for_each(|arg| *arg = first);
                }
            }
            other.body.remove(place);
        }
    }
    Some(other)
}
