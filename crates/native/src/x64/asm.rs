//! Machine code as it grows: instructions, labels, and constants behind them.

pub(super) use super::args::{Arg, Label, Source};
use super::encode::{Encoded, Operand};
#[cfg(feature = "testing")]
use super::mutants::{Faulty, Made, faulty, faulty_jump};
use super::table::{Column, Encoding, Insn};
use crate::backend::CompileError;
use crate::named::named;
use iced_x86::{Decoder, DecoderOptions, Instruction, MemoryOperand, Register};
use rustc_hash::FxHashMap;

/// Bytes of the alignment of the code and of its constants.
pub(super) const ALIGNMENT: usize = 64;

/// Bytes of an instruction of vectors, about.
const BYTES: usize = 8;

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
    /// What has no encoding, or not with its operands.
    error: Option<Insn>,
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

    /// The bytes so far.
    #[inline]
    pub(super) fn offset(&self) -> u32 {
        self.code.len() as u32
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

    /// A constant that has a word so many times.
    pub(super) fn word(&mut self, word: u32, times: usize) -> Label {
        if let Some(&label) = self.words.get(&word) {
            return label;
        }
        let label = self.constant(word.to_le_bytes().repeat(times));
        self.words.insert(word, label);
        label
    }

    /// Appends an instruction whose displacement, if it waits for a label, is at a place of its bytes.
    #[inline]
    fn push(&mut self, (mut instruction, encoded): (Instruction, Encoded), fixup: Option<(Label, i32)>) {
        let start = self.code.len();
        let bytes = encoded.append_to(&mut self.code);
        if let Some((label, offset)) = fixup {
            let (at, number) = (start + encoded.displacement, self.emitted.len());
            self.fixups.push(Fixup { at, next: start + bytes, label, offset, number });
        }
        instruction.set_len(bytes);
        instruction.set_ip(start as u64);
        self.emitted.push(instruction);
    }

    /// Appends an instruction that has one encoding.
    #[inline]
    pub(super) fn op(&mut self, insn: Insn, args: &[Arg]) {
        self.put(insn, insn.sole(), args);
    }

    /// Appends an instruction of a column of the table.
    #[inline]
    pub(super) fn at(&mut self, insn: Insn, column: Column, args: &[Arg]) {
        self.put(insn, insn.at(column), args);
    }

    /// Appends an encoding of an instruction.
    #[inline]
    pub(super) fn put(&mut self, insn: Insn, encoding: Option<&'static Encoding>, args: &[Arg]) {
        self.append(insn, encoding, args, Register::None, false);
    }

    /// Appends an encoding of an instruction under a mask: elements whose bit in its register is 0 are left alone, or cleared.
    #[inline]
    pub(super) fn append(
        &mut self,
        insn: Insn,
        encoding: Option<&'static Encoding>,
        args: &[Arg],
        mask: Register,
        clears: bool,
    ) {
        #[cfg(feature = "testing")]
        match faulty(|| Made { insn, encoding, args: args.to_vec(), mask, clears }, insn) {
            Faulty::None => {}
            Faulty::LeftOut => return,
            Faulty::Other(made) => {
                return self.encode(made.insn, made.encoding, &made.args, made.mask, made.clears);
            }
        }
        self.encode(insn, encoding, args, mask, clears);
    }

    #[inline]
    fn encode(
        &mut self,
        insn: Insn,
        encoding: Option<&'static Encoding>,
        args: &[Arg],
        mask: Register,
        clears: bool,
    ) {
        let mut fixup = None;
        let operands = args.iter().map(|arg| arg.operand(&mut fixup));
        match encoding.and_then(|encoding| encoding.form.make(encoding.code, operands, mask, clears)) {
            Some(made) => self.push(made, fixup),
            None => self.refuse(insn, args),
        }
    }

    #[cold]
    fn refuse(&mut self, insn: Insn, args: &[Arg]) {
        debug_assert!(false, "{insn:?} has no encoding with these operands: {args:?}");
        self.error.get_or_insert(insn);
    }

    /// Appends a jump.
    pub(super) fn jump(&mut self, insn: Insn, label: Label) {
        #[cfg(feature = "testing")]
        let Some(insn) = faulty_jump(insn) else { return };
        match insn.sole().and_then(|encoding| encoding.form.jump(encoding.code)) {
            Some(made) => self.push(made, Some((label, 0))),
            None => self.refuse(insn, &[]),
        }
    }

    /// Ends the code: constants follow, displacements are filled in.
    ///
    /// # Errors
    /// What has no encoding.
    pub(super) fn finish(mut self) -> Result<(Vec<u8>, Vec<Instruction>), CompileError> {
        let codegen = |why: String| CompileError::Codegen(why);
        if let Some(insn) = self.error {
            return Err(codegen(format!("{insn:?} has no encoding with its operands")));
        }
        let mut bytes = self.code;
        for (label, constant) in &self.pool {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT.min(constant.len())), 0);
            self.labels[label.0] = Some(bytes.len());
            bytes.extend_from_slice(constant);
        }
        for Fixup { at, next, label, offset, number } in self.fixups {
            let target = self.labels[label.0].ok_or_else(|| codegen("a label without a place".to_owned()))?;
            let displacement = target as i64 - next as i64 + i64::from(offset);
            let displacement = i32::try_from(displacement).map_err(|error| codegen(error.to_string()))?;
            bytes[at..at + 4].copy_from_slice(&displacement.to_le_bytes());
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
