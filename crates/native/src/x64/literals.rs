//! Literals that stay in registers: those that most instructions read.
//!
//! An instruction reads a literal where it lies, but only as its last operand: what selects from it, takes a difference from it or adds
//! a product to it has to load it first, and processors read long vectors twice in a cycle.

use super::asm::Source;
use super::emit::Emitter;
use super::width::Width;
use crate::ir::func::Func;
use crate::ir::ops::Op;

/// From so many reads in a group on a literal is loaded before the first group.
const MANY: u32 = 8;

/// The literals of a function with a register of their own: those that most instructions read.
pub(super) struct Literals {
    words: Vec<u32>,
    /// The register of the first; the others' are behind it.
    first: u8,
}

impl Literals {
    /// They have the first registers behind those of values, of which there are so many if none has one.
    pub(super) fn of(func: &Func, width: Width, keeps_flags: bool, registers: u8) -> Self {
        let words = most_read(func, width.facts().literals[usize::from(keeps_flags)]);
        let first = registers - words.len() as u8;
        Literals { words, first }
    }

    /// The first register that values cannot be in.
    pub(super) fn first(&self) -> u8 {
        self.first
    }

    /// Each word and its register.
    fn all(&self) -> impl Iterator<Item = (u32, u8)> {
        self.words.iter().copied().zip(self.first..)
    }

    /// The register of a word.
    fn find(&self, word: u32) -> Option<u8> {
        self.all().find(|&(held, _)| held == word).map(|(_, register)| register)
    }
}

/// So many literals at most, those that most instructions read first.
fn most_read(func: &Func, most: usize) -> Vec<u32> {
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
    /// Loads literals to their registers.
    pub(super) fn load_literals(&mut self) {
        let all: Vec<(u32, u8)> = self.literals.all().collect();
        for (word, register) in all {
            let source = self.lanes.word(&mut self.asm, word);
            self.load(register, source);
        }
    }

    /// A word that is the same in all lanes.
    pub(super) fn word(&mut self, word: u32) -> Source {
        match self.literals.find(word) {
            Some(register) => Source::Register(register),
            None => self.lanes.word(&mut self.asm, word),
        }
    }
}
