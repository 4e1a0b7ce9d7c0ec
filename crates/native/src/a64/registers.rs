//! Vector registers: which are values', which hold literals and uniform values as long as the function runs, and which of the caller's
//! are saved.
//!
//! ```text
//! v0 .. v7, v16 ..      values of a part, as the allocator says
//! .. v8 .. v15          what the body reads most: literals, and what the prologue leaves. Of these the caller gets the lower halves back,
//!                       so they are in use where there is something for them
//! .. v27                accumulators of guards
//! v28 .. v31            temporary ones: of one operation, all of which come back when it is done
//! ```

use super::guards::Guards;
use crate::ir::func::{Func, Value as Ir};
use crate::ir::ops::{Effect, Kind, Load, Op};
use rustc_hash::FxHashMap;

/// The temporary registers.
pub(super) const TEMPORARIES: [u8; 4] = [28, 29, 30, 31];
/// The first register whose lower half the caller gets back, and how many there are.
pub(super) const SAVED: u8 = 8;
const COUNT_SAVED: u8 = 8;
/// Registers that are neither saved nor temporary.
const OTHERS: u8 = 20;
/// The last of them: the first accumulator of guards.
pub(super) const LAST: u8 = 27;
/// As many registers as values have at least, and as many as they have beside those that are alive at once.
const FEWEST: usize = 14;
const BESIDE: usize = 2;

/// How the registers of a function are used. Those of values and those that are kept have numbers from 0 on, in this order.
pub(super) struct Registers {
    /// How many are values'.
    pub(super) values: u8,
    /// So many have numbers that are not saved.
    plain: u8,
    /// How many of the caller's are in use.
    pub(super) saved: u8,
    /// What is kept: literals by their words, and results of the prologue.
    words: Vec<(u32, u8)>,
    kept: FxHashMap<Ir, u8>,
}

impl Registers {
    pub(super) fn of(func: &Func, guards: &Guards) -> Self {
        let plain = OTHERS - guards.registers();
        let all = plain + COUNT_SAVED;
        let most_read = most_read(func);
        let values = (most_alive(func) + BESIDE).max(FEWEST).min(all.into()) as u8;
        let count = most_read.len().min(usize::from(all - values)) as u8;
        // Without more to keep, values may have all that need not be saved.
        let used = (values + count).max(plain);
        let values = used - count;
        let mut registers =
            Registers { values, plain, saved: used - plain, words: Vec::new(), kept: FxHashMap::default() };
        for (number, value) in (values..used).zip(most_read) {
            let register = registers.number(number);
            registers.kept.insert(value, register);
            if func.inst(value).op == Op::Const {
                registers.words.push((func.inst(value).imm, register));
            }
        }
        registers
    }

    /// The register of a number.
    #[inline]
    pub(super) fn number(&self, number: u8) -> u8 {
        match number {
            _ if number >= self.plain => SAVED + (number - self.plain),
            _ if number >= SAVED => number + COUNT_SAVED,
            _ => number,
        }
    }

    /// The number of a register that values may have.
    #[inline]
    pub(super) fn of_register(&self, register: u8) -> u8 {
        match register {
            _ if register >= SAVED + COUNT_SAVED => register - COUNT_SAVED,
            _ if register >= SAVED => register - SAVED + self.plain,
            _ => register,
        }
    }

    /// The register in which a value is kept.
    #[inline]
    pub(super) fn kept(&self, value: Ir) -> Option<u8> {
        self.kept.get(&value).copied()
    }

    /// The register in which a word is kept for all lanes.
    pub(super) fn word(&self, word: u32) -> Option<u8> {
        self.words.iter().find(|&&(held, _)| held == word).map(|&(_, register)| register)
    }

    /// The words that are kept, and their registers.
    pub(super) fn words(&self) -> &[(u32, u8)] {
        &self.words
    }
}

/// Values that the body reads and does not compute, those that most instructions read first. Doubles are not among them.
fn most_read(func: &Func) -> Vec<Ir> {
    let mut reads = vec![0u32; func.insts.len()];
    let mut is_made = vec![false; func.insts.len()];
    for &value in &func.body {
        is_made[value.index()] = !func.is_literal(value);
        if !func.is_literal(value) {
            func.inst(value).operands().iter().for_each(|arg| reads[arg.index()] += 1);
        }
    }
    let is_word = |value: Ir| !func.inst(value).op.makes_double();
    let mut all: Vec<Ir> = func
        .order()
        .filter(|&value| reads[value.index()] > 0 && !is_made[value.index()] && is_word(value))
        .collect();
    all.sort_by_key(|value| std::cmp::Reverse(reads[value.index()]));
    all
}

/// How many vectors that the body computes are alive at once, with those that an operation needs for itself.
fn most_alive(func: &Func) -> usize {
    let mut reads = vec![0u32; func.insts.len()];
    for &arg in func.body.iter().flat_map(|&value| func.inst(value).operands()) {
        reads[arg.index()] += 1;
    }
    let mut is_alive = vec![false; func.insts.len()];
    let (mut alive, mut most) = (0, 0);
    let size = |value: Ir| if func.inst(value).op.makes_double() { 2 } else { 1 };
    for &value in &func.body {
        let inst = func.inst(value);
        if func.is_literal(value) {
            continue;
        }
        let own = match inst.op.kind() {
            Kind::Load(Load::Input | Load::Gather | Load::Table) => 4,
            Kind::Effect(Effect::Output | Effect::RowCopy | Effect::RowGuard | Effect::Store) => 2,
            Kind::Double(_) => 2,
            _ => 1,
        };
        most = most.max(alive + own);
        if reads[value.index()] > 0 {
            is_alive[value.index()] = true;
            alive += size(value);
        }
        for &arg in inst.operands() {
            reads[arg.index()] -= 1;
            if reads[arg.index()] == 0 && is_alive[arg.index()] {
                alive -= size(arg);
            }
        }
    }
    most
}
