//! Machine code as it grows: instructions, labels, and constants behind them.

use super::encode::{Encoded, Form, Operand};
use super::target::Width;
use crate::backend::CompileError;
use crate::native::named::named;
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, MemoryOperand, Register};
use rustc_hash::FxHashMap;

/// Bytes of the alignment of the code and of its constants.
pub(super) const ALIGNMENT: usize = 64;

/// Bytes of an instruction of vectors, about.
const BYTES: usize = 8;

/// A place in the code, or behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Label(usize);

/// Where an instruction takes a vector from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A vector register.
    Register(u8),
    /// Memory: a base register and an offset.
    Memory(Register, i32),
    /// A constant of the code, at an offset.
    Constant(Label, i32),
    /// A word in memory, for all lanes. Instructions of sixteen lanes on words, and no others, read it so.
    Scalar(Register, i32),
    /// A word behind the code, for all lanes.
    ScalarConstant(Label),
}

/// An operand of an instruction that is being made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    Register(Register),
    Memory(MemoryOperand),
    Constant(Label, i32),
    /// A word behind the code, and whether it is read for all lanes.
    Word(Label, bool),
    Immediate(u32),
}

/// A four-byte displacement that is known when all code is there.
struct Fixup {
    at: usize,
    /// The end of the instruction, from which it counts.
    next: usize,
    label: Label,
    offset: i32,
    /// The instruction.
    number: usize,
}

/// The code of one function. Errors are kept until the end.
pub(super) struct Assembler {
    code: Vec<u8>,
    labels: Vec<Option<usize>>,
    fixups: Vec<Fixup>,
    constants: FxHashMap<Vec<u8>, Label>,
    /// Those that have the same word in each lane, by the word.
    words: FxHashMap<u32, Label>,
    /// Constants in order.
    pool: Vec<(Label, Vec<u8>)>,
    /// What has been encoded.
    emitted: Vec<Instruction>,
    /// What has no [`Form`].
    error: Option<Code>,
}

impl Assembler {
    /// With room for so many instructions.
    pub(super) fn new(instructions: usize) -> Self {
        Assembler {
            code: Vec::with_capacity(BYTES * instructions),
            labels: Vec::new(),
            fixups: Vec::new(),
            constants: FxHashMap::default(),
            words: FxHashMap::default(),
            pool: Vec::new(),
            emitted: Vec::with_capacity(instructions),
            error: None,
        }
    }

    /// The instructions so far.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.emitted.len()
    }

    /// A label whose place is not known yet.
    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Puts a label here.
    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.code.len());
    }

    /// The constant with these bytes.
    pub(super) fn constant(&mut self, bytes: Vec<u8>) -> Label {
        if let Some(&label) = self.constants.get(&bytes) {
            return label;
        }
        let label = self.label();
        self.constants.insert(bytes.clone(), label);
        self.pool.push((label, bytes));
        label
    }

    /// A constant with the same word in each lane.
    pub(super) fn words(&mut self, word: u32, width: Width) -> Source {
        let label = match self.words.get(&word) {
            Some(&label) => label,
            None => {
                let lanes = match width {
                    Width::Eight | Width::EightEvex => width.lanes(),
                    Width::Sixteen => 1,
                };
                let label = self.constant(word.to_le_bytes().repeat(lanes));
                self.words.insert(word, label);
                label
            }
        };
        match width {
            Width::Eight | Width::EightEvex => Source::Constant(label, 0),
            Width::Sixteen => Source::ScalarConstant(label),
        }
    }

    /// Appends an instruction whose displacement or distance, if it waits for a label, is at a place of its bytes.
    #[inline]
    fn push(&mut self, (mut instruction, encoded): (Instruction, Encoded), fixup: Option<(Label, i32)>) {
        let start = self.code.len();
        let bytes = encoded.append_to(&mut self.code);
        if let Some((label, offset)) = fixup {
            let (at, number) = (start + encoded.distance, self.emitted.len());
            self.fixups.push(Fixup { at, next: start + bytes, label, offset, number });
        }
        instruction.set_len(bytes);
        instruction.set_ip(start as u64);
        self.emitted.push(instruction);
    }

    /// Appends an instruction without a mask.
    #[inline]
    pub(super) fn op(&mut self, code: Code, args: &[Arg]) {
        self.masked(code, args, Register::None);
    }

    /// Appends an instruction that leaves elements alone whose bit in a mask register is 0.
    pub(super) fn masked(&mut self, code: Code, args: &[Arg], mask: Register) {
        self.append(code, args, mask, false);
    }

    /// Appends an instruction that clears such elements.
    pub(super) fn zeroing(&mut self, code: Code, args: &[Arg], mask: Register) {
        self.append(code, args, mask, true);
    }

    #[inline]
    fn append(&mut self, code: Code, args: &[Arg], mask: Register, clears: bool) {
        let mut fixup = None;
        let operands = args.iter().map(|arg| arg.operand(&mut fixup));
        match Form::of(code).and_then(|form| form.make(code, operands, mask, clears)) {
            Some(made) => self.push(made, fixup),
            None => self.refuse(code, args),
        }
    }

    #[cold]
    fn refuse(&mut self, code: Code, args: &[Arg]) {
        debug_assert!(false, "{code:?} has no form with these operands: {args:?}");
        self.error.get_or_insert(code);
    }

    /// Appends a jump.
    pub(super) fn jump(&mut self, code: Code, label: Label) {
        match Form::of(code).and_then(|form| form.jump(code)) {
            Some(made) => self.push(made, Some((label, 0))),
            None => self.refuse(code, &[]),
        }
    }

    /// Ends the code: constants follow, distances are filled in.
    ///
    /// # Errors
    /// What has no form.
    pub(super) fn finish(mut self) -> Result<(Vec<u8>, Vec<Instruction>), CompileError> {
        let codegen = |why: String| CompileError::Codegen(why);
        if let Some(code) = self.error {
            let mut instruction = Instruction::default();
            instruction.set_code(code);
            return Err(codegen(format!("{} has no form", named(&instruction))));
        }
        let mut bytes = self.code;
        for (label, constant) in &self.pool {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT.min(constant.len())), 0);
            self.labels[label.0] = Some(bytes.len());
            bytes.extend_from_slice(constant);
        }
        for Fixup { at, next, label, offset, number } in self.fixups {
            let target = self.labels[label.0].ok_or_else(|| codegen("a label without a place".to_owned()))?;
            let distance = target as i64 - next as i64 + i64::from(offset);
            let distance = i32::try_from(distance).map_err(|error| codegen(error.to_string()))?;
            bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
            let emitted = &mut self.emitted[number];
            let target = (target as i64 + i64::from(offset)) as u64;
            match emitted.is_ip_rel_memory_operand() {
                true => emitted.set_memory_displacement64(target),
                false => emitted.set_near_branch64(target),
            }
        }
        Ok((bytes, self.emitted))
    }
}

impl Arg {
    /// As instructions have it. What has no place yet is noted: a label, and bytes behind it.
    #[inline]
    fn operand(self, fixup: &mut Option<(Label, i32)>) -> Operand {
        match self {
            Arg::Register(register) => Operand::Register(register),
            Arg::Memory(memory) => Operand::Memory(memory),
            Arg::Constant(label, offset) => {
                *fixup = Some((label, offset));
                Operand::Memory(somewhere(false))
            }
            Arg::Word(label, is_broadcast) => {
                *fixup = Some((label, 0));
                Operand::Memory(somewhere(is_broadcast))
            }
            Arg::Immediate(word) => Operand::Immediate(word),
        }
    }
}

/// A constant, before it has a place.
fn somewhere(is_broadcast: bool) -> MemoryOperand {
    MemoryOperand { is_broadcast, ..MemoryOperand::with_base_displ(Register::RIP, 0) }
}

/// Decodes code again, and compares it with the instructions that it is meant to be: these are all that is there, one behind the
/// other.
pub(super) fn compare(bytes: &[u8], meant: &[Instruction]) -> Result<(), CompileError> {
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    let mut found = Instruction::default();
    for meant in meant {
        decoder.decode_out(&mut found);
        if !is_same(meant, &mut found) {
            return Err(CompileError::Codegen(format!("{} was encoded as {}", named(meant), named(&found))));
        }
    }
    Ok(())
}

/// Whether two instructions are the same; how many bytes the encoder took for a displacement is its matter.
fn is_same(meant: &Instruction, found: &mut Instruction) -> bool {
    found.set_memory_displ_size(meant.memory_displ_size());
    meant == found && (meant.ip(), meant.len()) == (found.ip(), found.len())
}
