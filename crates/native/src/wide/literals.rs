//! Literals that stay in registers: those that most instructions read.
//!
//! An instruction reads a literal where it lies, but only as its last operand: what selects from it, takes a difference from it or adds
//! a product to it has to load it first, and processors read long vectors twice in a cycle.

use super::asm::Source;
use super::emit::Emitter;
use super::target::Width;
use super::trace::Note;
use crate::ir::func::Func;
use crate::ir::ops::Op;

/// From so many reads in a group on a literal is loaded before the first group.
const MANY: u32 = 8;

/// How many there are at most, each of which leaves a register less to values. Of sixteen registers only one that nothing accumulates
/// guards in can be spared; calls with few vertices begin sooner without.
const fn most(width: Width, keeps_flags: bool) -> usize {
    match width {
        Width::Eight if keeps_flags => 0,
        Width::Eight => 1,
        Width::EightEvex => 0,
        Width::Sixteen => 4,
    }
}

/// The literals with a register of their own, those that most instructions read first.
pub(super) fn of(func: &Func, width: Width, keeps_flags: bool) -> Vec<u32> {
    let most = most(width, keeps_flags);
    if most == 0 {
        return Vec::new();
    }
    let mut reads = vec![0u32; func.insts.len()];
    let args = func.body.iter().flat_map(|&value| func.inst(value).operands());
    args.for_each(|&arg| reads[arg.index()] += 1);
    let literals = func.order().map(|value| (reads[value.index()], func.inst(value)));
    let mut many: Vec<(u32, u32)> = literals
        .filter(|&(reads, inst)| inst.op == Op::Const && reads >= MANY)
        .map(|(reads, inst)| (reads, inst.imm))
        .collect();
    many.sort_unstable_by(|a, b| b.cmp(a));
    many.truncate(most);
    many.into_iter().map(|(_, word)| word).collect()
}

impl Emitter<'_> {
    /// The register of one of them: behind those that values may be in.
    fn of_literal(&self, number: usize) -> u8 {
        self.file.room() + number as u8
    }

    /// Loads them.
    pub(super) fn load_literals(&mut self) {
        for number in 0..self.literals.len() {
            let (register, word) = (self.of_literal(number), self.literals[number]);
            let source = self.asm.words(word, self.width);
            self.load(register, source);
            self.note(Note::Literal(word, register));
        }
    }

    /// A word that is the same in all lanes.
    pub(super) fn word(&mut self, word: u32) -> Source {
        match self.literals.iter().position(|&held| held == word) {
            Some(number) => Source::Register(self.of_literal(number)),
            None => self.asm.words(word, self.width),
        }
    }
}
