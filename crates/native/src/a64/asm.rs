//! Machine code as it grows: instructions, labels, and constants behind them.

use super::table::{Cond, Field, Insn};
use crate::backend::CompileError;
use rustc_hash::FxHashMap;

/// Bytes of an instruction.
const BYTES: usize = 4;
/// Bytes of a constant, each of which is aligned by as many.
const CONSTANT: usize = 16;

/// A place in the code, or behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Label(u32);

/// An instruction that refers to a label.
struct Fixup {
    /// Its number.
    at: usize,
    label: Label,
    insn: Insn,
}

/// The code of one function. Errors are kept until the end.
pub(super) struct Assembler {
    words: Vec<u32>,
    /// The number of the instruction at each label, if it has a place.
    labels: Vec<Option<usize>>,
    fixups: Vec<Fixup>,
    constants: FxHashMap<[u32; 4], Label>,
    /// Constants in order.
    pool: Vec<(Label, [u32; 4])>,
    /// What has no encoding, or not with its operands.
    error: Option<Insn>,
}

impl Assembler {
    /// With room for so many instructions.
    pub(super) fn new(instructions: usize) -> Self {
        Assembler {
            words: Vec::with_capacity(instructions),
            labels: Vec::new(),
            fixups: Vec::new(),
            constants: FxHashMap::default(),
            pool: Vec::new(),
            error: None,
        }
    }

    /// The bytes so far.
    #[inline]
    pub(super) fn offset(&self) -> u32 {
        (BYTES * self.words.len()) as u32
    }

    /// A label whose place is not known yet.
    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Puts a label here.
    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.words.len());
    }

    /// The constant of four words.
    pub(super) fn constant(&mut self, words: [u32; 4]) -> Label {
        if let Some(&label) = self.constants.get(&words) {
            return label;
        }
        let label = self.label();
        self.constants.insert(words, label);
        self.pool.push((label, words));
        label
    }

    /// Appends an instruction.
    #[inline]
    pub(super) fn op<const N: usize>(&mut self, insn: Insn, operands: [u32; N]) {
        match insn.row().encode(&operands) {
            Some(word) => self.words.push(word),
            None => self.refuse(insn, &operands),
        }
    }

    /// Appends one on vectors.
    #[inline]
    pub(super) fn vectors<const N: usize>(&mut self, insn: Insn, registers: [u8; N]) {
        self.op(insn, registers.map(u32::from));
    }

    #[cold]
    fn refuse(&mut self, insn: Insn, operands: &[u32]) {
        debug_assert!(false, "{insn:?} has no encoding with these operands: {operands:?}");
        self.error.get_or_insert(insn);
    }

    fn refer(&mut self, insn: Insn, label: Label) {
        self.fixups.push(Fixup { at: self.words.len(), label, insn });
    }

    /// Appends a jump.
    pub(super) fn jump(&mut self, label: Label) {
        self.refer(Insn::B, label);
        self.op(Insn::B, [0]);
    }

    /// Appends a jump under a condition.
    pub(super) fn branch(&mut self, condition: Cond, label: Label) {
        self.refer(Insn::BCond, label);
        self.op(Insn::BCond, [condition as u32, 0]);
    }

    /// Loads a constant.
    pub(super) fn load(&mut self, to: u8, label: Label) {
        self.refer(Insn::LdrQPc, label);
        self.op(Insn::LdrQPc, [to.into(), 0]);
    }

    /// Ends the code: constants follow, and what refers to labels is completed.
    ///
    /// # Errors
    /// What has no encoding: [`CompileError::TooLarge`], if that is because the code is too long.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, CompileError> {
        let codegen = |why: String| CompileError::Codegen(why);
        if let Some(insn) = self.error {
            return Err(codegen(format!("{insn:?} has no encoding with its operands")));
        }
        let code = self.words.len();
        // What is between code and constants is no instruction.
        let first = code.next_multiple_of(CONSTANT / BYTES);
        for (number, (label, _)) in self.pool.iter().enumerate() {
            self.labels[label.0 as usize] = Some(first + number * CONSTANT / BYTES);
        }
        for Fixup { at, label, insn } in self.fixups {
            let target = self.labels[label.0 as usize];
            let target = target.ok_or_else(|| codegen("a label without a place".to_owned()))?;
            let distance = target as i64 - at as i64;
            let (field, bits) = if insn == Insn::B { (Field::Far, 26) } else { (Field::Near, 19) };
            if distance >> (bits - 1) != 0 && distance >> (bits - 1) != -1 {
                return Err(CompileError::TooLarge("its code is too long for its jumps".to_owned()));
            }
            self.words[at] |= field.bits(distance as u32).unwrap_or_default();
        }
        if !self.pool.is_empty() {
            self.words.resize(first, 0);
        }
        self.words.extend(self.pool.iter().flat_map(|(_, words)| *words));
        Ok(self.words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }
}
