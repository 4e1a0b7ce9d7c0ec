//! Literals that stay in registers: those that most instructions read.
//!
//! An instruction reads a literal where it lies, but only as its last operand: what selects from it, takes a difference from it or adds
//! a product to it has to load it first, and processors read long vectors twice in a cycle.

use super::asm::Source;
use super::emit::Emitter;
use super::trace::Note;
use super::width::Width;
use crate::ir::func::Func;
use crate::ir::ops::Op;

/// From so many reads in a group on a literal is loaded before the first group.
const MANY: u32 = 8;

/// The literals with a register of their own, those that most instructions read first.
pub(super) fn of(func: &Func, width: Width, keeps_flags: bool) -> Vec<u32> {
    let most = width.facts().literals[usize::from(keeps_flags)];
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
            let source = self.lanes.word(&mut self.asm, word);
            self.load(register, source);
            self.note(Note::Literal(word, register));
        }
    }

    /// A word that is the same in all lanes.
    pub(super) fn word(&mut self, word: u32) -> Source {
        match self.literals.iter().position(|&held| held == word) {
            Some(number) => Source::Register(self.of_literal(number)),
            None => self.lanes.word(&mut self.asm, word),
        }
    }
}
