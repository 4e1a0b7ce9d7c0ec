//! A checker of wide code, which knows the contract and the machine's instructions, and nothing of how the code was made.
//!
//! What addresses are made of is followed from one instruction to the next. Every memory operand has to lie in the memory that
//! the contract ([`xfjit_runtime::abi::Entry`]) names, control has to stay in the code, and only registers of the callee are
//! written. Everything else is refused. Numbers of rows are not followed: the verifier of the function has bounded them, and what
//! loads rows may take them from nowhere but vectors.

use super::arrays::Arrays;
use super::contract::{Contract, Side, Word, of_io};
use super::emit::{REMAINING, VERTEX};
use crate::native::named::named;
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use std::collections::BTreeMap;
use std::fmt;
use std::mem::size_of;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::lookup::Lookup;
use xfjit_runtime::state::{Io, Row, SCRATCH, Scratch};

/// Code that breaks the contract, or is not understood: a bug of this library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    at: u64,
    why: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "machine code at {:#x}: {}", self.at, self.why)
    }
}

/// Checks decoded code of so many bytes, constants included.
pub(super) fn check(code: &[Instruction], bytes: usize, contract: &Contract) -> Result<(), Fault> {
    let is_start = |at: u64| code.binary_search_by_key(&at, Instruction::ip).is_ok();
    let end = code.last().map_or(0, Instruction::next_ip);
    let mut targets: BTreeMap<u64, Target> = BTreeMap::new();
    for insn in code.iter().filter(|insn| is_jump(insn)) {
        let target = targets.entry(insn.near_branch_target()).or_default();
        target.is_gone_back_to |= insn.near_branch_target() <= insn.ip();
        target.is_head |= insn.mnemonic() == Mnemonic::Ja;
    }
    // Places that jumps lead to, from this instruction on.
    let ahead: Vec<u64> = targets.keys().copied().collect();
    let mut ahead = ahead.into_iter().peekable();
    let state = State::unknown();
    let flags = Flags::Unknown;
    let mut check =
        Check { contract, state, flags, is_reached: true, end, bytes: bytes as u64, is_scaled: false };
    check.set(Register::RDI, Word::Rows);
    check.set(Register::RSI, Word::Io);
    check.set(VERTEX, Word::Group);
    check.set(REMAINING, if contract.width.has_tails() { Word::Vertices } else { Word::Groups });
    let mut clears = false;
    for (number, insn) in code.iter().enumerate() {
        let fault = |why: String| Fault { at: insn.ip(), why: format!("{}: {why}", named(insn)) };
        if ahead.next_if(|&at| at <= insn.ip()).is_some()
            && let Some(target) = targets.get_mut(&insn.ip())
        {
            check.meet(target);
        }
        // Most of all code, and nothing that an address is made of.
        if check.is_of_vectors(insn) && number + 1 < code.len() {
            clears = false;
            continue;
        }
        match insn.flow_control() {
            FlowControl::Next => check.step(insn).map_err(fault)?,
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
                if is_start(insn.near_branch_target()) =>
            {
                check.jump(insn, targets.entry(insn.near_branch_target()).or_default()).map_err(fault)?;
            }
            FlowControl::Return if clears && check.is_restored() => check.is_reached = false,
            _ => return Err(fault("control leaves the code".to_owned())),
        }
        clears = insn.mnemonic() == Mnemonic::Vzeroupper;
        if number + 1 == code.len() && check.is_reached {
            return Err(fault("control runs into the constants".to_owned()));
        }
    }
    Ok(())
}

fn is_jump(insn: &Instruction) -> bool {
    matches!(insn.flow_control(), FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch)
}

/// What the registers for addresses hold.
type Words = [Word; 16];

/// What is known at a place of the code.
#[derive(Clone, Copy)]
struct State {
    words: Words,
    /// So many vertices of the group are there for certain.
    there: u8,
    /// Which registers of the caller have been saved, as a mask of [`SAVED`].
    saved: u8,
    arrays: Arrays,
}

impl State {
    /// Nothing is known, but that registers of the caller have not been written.
    fn unknown() -> Self {
        let mut words = [Word::Unknown; 16];
        for register in SAVED {
            words[register.number()] = Word::Callers(register.number() as u8);
        }
        State { words, there: 0, saved: 0, arrays: Arrays::default() }
    }

    /// Leaves what is known here and elsewhere.
    fn join(&mut self, other: &State) {
        self.there = self.there.min(other.there);
        self.saved &= other.saved;
        self.arrays.join(&other.arrays);
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            if word != other {
                *word = Word::Unknown;
            }
        }
    }

    /// Whether what is known elsewhere is so here.
    fn has(&self, known: &State) -> bool {
        let mut words = self.words.iter().zip(&known.words);
        let is_saved = known.saved & !self.saved == 0;
        is_saved
            && self.there >= known.there
            && self.arrays.has(&known.arrays)
            && words.all(|(word, known)| *known == Word::Unknown || word == known)
    }
}

/// A place that jumps lead to.
#[derive(Clone, Copy, Default)]
struct Target {
    /// What is known by the jumps so far.
    known: Option<State>,
    /// Whether one of them stands behind it, or is the place.
    is_gone_back_to: bool,
    /// Whether groups begin there.
    is_head: bool,
}

/// What the processor's flags say of the remaining vertices.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flags {
    Unknown,
    /// They have been compared with this number.
    Compared(u8),
    /// They were more than a group, if above.
    Behind,
    /// A register has been compared with a stream's stride.
    HasStride(Register, Side, usize),
    /// The distance between rows of two attributes has been compared with so many bytes.
    HasDistance(usize, usize, u8),
}

/// Registers of the caller that code may use: it saves each at its place at the end of scratch memory, and restores it.
const SAVED: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

struct Check<'a> {
    contract: &'a Contract,
    state: State,
    flags: Flags,
    /// Whether control comes from the instruction before.
    is_reached: bool,
    /// The end of the instructions.
    end: u64,
    bytes: u64,
    /// Whether the group has been multiplied: behind the prologue.
    is_scaled: bool,
}

impl Check<'_> {
    fn word(&self, register: Register) -> Word {
        if register.is_gpr64() { self.state.words[register.number()] } else { Word::Unknown }
    }

    fn set(&mut self, register: Register, word: Word) {
        let three = self.strides(register).map(|(side, stream, count)| (side, stream, count.checked_mul(3)));
        for word in self.state.words.iter_mut().filter(|word| **word == Word::Triple(register)) {
            *word = match three {
                Some((side, stream, Some(count))) => Word::Strides(side, stream, count),
                _ => Word::Unknown,
            };
        }
        // What a comparison has told is no more of this register, and three times what it held is not what it holds now.
        if matches!(self.flags, Flags::HasStride(of, ..) if of == register) {
            self.flags = Flags::Unknown;
        }
        let word = if word == Word::Triple(register) { Word::Unknown } else { word };
        self.state.words[register.number()] = word;
    }

    /// The stream of whose stride a register holds a multiple, and which.
    fn strides(&self, register: Register) -> Option<(Side, usize, u8)> {
        match self.word(register) {
            Word::Strides(side, stream, count) => Some((side, stream, count)),
            Word::Triple(of) => match self.word(of) {
                Word::Strides(side, stream, count) => Some((side, stream, count.checked_mul(3)?)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the stride of a stream is that of another one.
    fn has_strides(&self, (of, other): (Side, usize), (side, stream): (Side, usize)) -> bool {
        of == side && (other == stream || side == Side::Input && self.state.arrays.are_equal(other, stream))
    }

    /// Bytes of an attribute's element, and of what lies behind it in the same row of an array, up to the end of another one that
    /// is live. Between them is no page of its own.
    fn row_bytes(&self, attribute: usize) -> i64 {
        let bytes_of = |attribute: usize| self.contract.layouts.format(attribute).bytes() as i64;
        let within = self.state.arrays.within(self.contract.inputs, attribute);
        let ends = within.filter(|&(other, _)| self.contract.list(other).is_none());
        ends.map(|(other, at)| i64::from(at) + bytes_of(other)).fold(bytes_of(attribute), i64::max)
    }

    /// The place in scratch memory of a register of the caller.
    fn place(&self, number: usize) -> i64 {
        i64::from(Scratch::offset(SCRATCH - 2, self.contract.width.lanes()))
            + (number * size_of::<u64>()) as i64
    }

    /// Whether the caller has its registers back.
    fn is_restored(&self) -> bool {
        SAVED.iter().all(|&register| self.word(register) == Word::Callers(register.number() as u8))
    }

    /// Notes a store to scratch memory: which registers of the caller are there.
    fn note_store(&mut self, insn: &Instruction) {
        let offset = insn.memory_displacement64() as i64;
        let size = insn.memory_size().size() as i64;
        if offset + size <= self.place(0) || offset >= self.contract.told.start {
            return;
        }
        let of = (0..SAVED.len()).find(|&number| self.place(number) == offset);
        self.state.saved = match of {
            Some(number)
                if insn.mnemonic() == Mnemonic::Mov
                    && insn.op1_register() == SAVED[number]
                    && self.word(SAVED[number]) == Word::Callers(SAVED[number].number() as u8) =>
            {
                self.state.saved | 1 << number
            }
            _ => 0,
        };
    }

    /// Rows behind the group are those of the next one; nothing else is known of rows there.
    fn next_group(&self, words: &mut Words) {
        let lanes = self.contract.width.lanes();
        for word in words {
            match *word {
                Word::First(side, stream, count)
                    if usize::from(count) == lanes
                        && (side == Side::Input || self.contract.layout == Layout::Rows) =>
                {
                    *word = Word::First(side, stream, 0);
                }
                Word::First(..) | Word::Apart(..) => *word = Word::Unknown,
                _ => {}
            }
        }
    }

    /// Control comes from several places. If later ones are among them, what they have in common are the memories, and the
    /// vertices.
    fn meet(&mut self, target: &mut Target) {
        let mut state = match (target.known, self.is_reached) {
            (Some(mut before), true) => {
                before.join(&self.state);
                before
            }
            (Some(before), false) => before,
            (None, true) => self.state,
            (None, false) => State::unknown(),
        };
        if target.is_gone_back_to {
            state.there = state.there.min(self.contract.fewest);
            state.arrays = Arrays::default();
            for word in &mut state.words {
                let stays = match word {
                    Word::Rows | Word::Io | Word::Scratch | Word::Vertex | Word::Remaining => true,
                    Word::Callers(_) => true,
                    Word::First(_, _, count) => {
                        let is_whole = [0, self.contract.width.lanes()].contains(&usize::from(*count));
                        is_whole && self.contract.is_one_block
                    }
                    Word::Triple(_) => self.contract.is_one_block,
                    // Groups begin with the stride of whatever stream was the last one.
                    Word::Strides(..) => self.contract.is_one_block && !target.is_head,
                    _ => false,
                };
                if !stays {
                    *word = Word::Unknown;
                }
            }
        }
        (self.state, self.is_reached, self.flags) = (state, true, Flags::Unknown);
        target.known = Some(state);
    }

    /// A jump to a place of the code; what holds there, and behind the jump.
    fn jump(&mut self, insn: &Instruction, target: &mut Target) -> Result<(), String> {
        let mut there = self.state;
        let counts = [self.word(VERTEX), self.word(REMAINING)];
        let is_in_group = counts[1] == Word::Remaining;
        match (insn.mnemonic(), self.flags) {
            (Mnemonic::Jb, Flags::Compared(count)) if is_in_group => {
                self.state.there = self.state.there.max(count);
            }
            (Mnemonic::Je, Flags::Compared(count)) if is_in_group && self.state.there == count => {
                self.state.there += 1;
            }
            (Mnemonic::Ja, Flags::Behind) if counts == [Word::Next, Word::Behind] => {
                there.words[VERTEX.number()] = Word::Vertex;
                there.words[REMAINING.number()] = Word::Remaining;
                there.there = self.contract.fewest;
                self.next_group(&mut there.words);
            }
            (Mnemonic::Jne, Flags::HasStride(register, side, stream)) => {
                if let (Side::Input, Word::Strides(Side::Input, other, 1)) = (side, self.word(register)) {
                    self.state.arrays.set_equal(stream, other);
                }
                self.state.words[register.number()] = Word::Strides(side, stream, 1);
            }
            (Mnemonic::Jne, Flags::HasDistance(stream, first, bytes)) => {
                self.state.arrays.set_distance(stream, first, bytes);
            }
            (Mnemonic::Jmp, _) => self.is_reached = false,
            _ => {}
        }
        match &mut target.known {
            Some(known) if target.is_gone_back_to && insn.near_branch_target() <= insn.ip() => {
                if !there.has(known) {
                    return Err("goes back with other addresses".to_owned());
                }
            }
            Some(known) => known.join(&there),
            None => target.known = Some(there),
        }
        Ok(())
    }

    /// Whether an instruction computes a vector or a mask of what is in registers, while nothing is known of flags.
    fn is_of_vectors(&self, insn: &Instruction) -> bool {
        let register = insn.op0_register();
        self.flags == Flags::Unknown
            && insn.op0_kind() == OpKind::Register
            && (register.is_vector_register() || register.is_k())
            && !insn.has_lock_prefix()
            && (1..insn.op_count())
                .all(|operand| matches!(insn.op_kind(operand), OpKind::Register | OpKind::Immediate8))
    }

    fn step(&mut self, insn: &Instruction) -> Result<(), String> {
        if insn.is_stack_instruction() || insn.has_lock_prefix() || insn.segment_prefix() != Register::None {
            return Err("an instruction that nothing here needs".to_owned());
        }
        let mut memory = None;
        for operand in 0..insn.op_count() {
            match insn.op_kind(operand) {
                OpKind::Memory => memory = memory.or(Some(operand)),
                OpKind::Register | OpKind::Immediate8 | OpKind::Immediate32 => {}
                OpKind::Immediate8to64 | OpKind::Immediate8to32 => {}
                _ => return Err("an operand of another kind".to_owned()),
            }
        }
        if self.flags != Flags::Unknown && insn.rflags_modified() != 0 {
            self.flags = Flags::Unknown;
        }
        let loaded = match memory {
            Some(_) if insn.mnemonic() == Mnemonic::Lea => Word::Unknown,
            Some(operand) => {
                let loaded = self.access(insn, operand == 0)?;
                if operand == 0 && self.word(insn.memory_base()) == Word::Scratch {
                    self.note_store(insn);
                }
                loaded
            }
            None => Word::Unknown,
        };
        if insn.op_count() == 0 || insn.op0_kind() != OpKind::Register {
            return Ok(());
        }
        let register = insn.op0_register();
        if register.is_vector_register() || register.is_k() {
            return Ok(());
        }
        if insn.mnemonic() == Mnemonic::Cmp {
            if (register, insn.op1_kind()) == (REMAINING, OpKind::Immediate8to64)
                && let Ok(count) = u8::try_from(insn.immediate(1))
            {
                self.flags = Flags::Compared(count);
            }
            if let Word::Apart(stream, first, _) = self.word(register)
                && insn.op1_kind() == OpKind::Immediate8to64
                && let Ok(bytes) = u8::try_from(insn.immediate(1))
            {
                self.flags = Flags::HasDistance(stream, first, bytes);
            }
            if let Word::Strides(side, stream, 1) = loaded
                && insn.op1_kind() == OpKind::Memory
                && register.is_gpr64()
            {
                self.flags = Flags::HasStride(register, side, stream);
            }
            return Ok(());
        }
        let word = self.result(insn, loaded).ok_or("not on the list")?;
        let full = register.full_register();
        let may_write = [
            Register::RAX,
            Register::RCX,
            Register::RDX,
            Register::R8,
            Register::R9,
            Register::R10,
            Register::R11,
        ];
        if !may_write.contains(&full) && !SAVED.contains(&full) {
            return Err("writes a register of its caller".to_owned());
        }
        self.set(full, word);
        Ok(())
    }

    /// What an instruction leaves in a register for addresses.
    fn result(&mut self, insn: &Instruction, loaded: Word) -> Option<Word> {
        use Mnemonic as M;
        let lanes = self.contract.width.lanes() as u64;
        let (to, from) = (insn.op0_register(), insn.op1_kind());
        let own = self.word(to);
        let other = match from {
            OpKind::Register => self.word(insn.op1_register()),
            OpKind::Memory => loaded,
            _ => Word::Unknown,
        };
        Some(match insn.mnemonic() {
            M::Vmovq | M::Vpextrq if to.is_gpr64() && from == OpKind::Register => Word::Pair,
            M::Mov if to.is_gpr32() && from == OpKind::Register => {
                match self.word(insn.op1_register().full_register()) {
                    Word::Pair => Word::Distance,
                    _ => Word::Unknown,
                }
            }
            M::Shr if own == Word::Pair && insn.immediate8() == 32 => Word::Distance,
            M::Mov | M::Movzx if to.is_gpr32() && matches!(loaded, Word::Number(_)) => loaded,
            M::Mov if to.is_gpr32() => Word::Unknown,
            // A copy would outlive the group.
            M::Mov if other == Word::Remaining => Word::Unknown,
            M::Mov => other,
            M::Shl if insn.immediate8() == lanes.ilog2() as u8 && own == Word::Group && !self.is_scaled => {
                self.is_scaled = true;
                Word::Vertex
            }
            M::Shl if insn.immediate8() == lanes.ilog2() as u8 && own == Word::Groups => Word::Vertices,
            M::Sub if to == REMAINING && (own, other) == (Word::Vertices, Word::Vertex) => {
                self.state.there = self.contract.fewest;
                Word::Remaining
            }
            M::Sub
                if (to, own) == (REMAINING, Word::Remaining)
                    && from != OpKind::Register
                    && insn.immediate(1) == lanes =>
            {
                // The vertex has been moved on before, so nothing refers to these any more but the jump.
                self.flags = if self.word(VERTEX) == Word::Next { Flags::Behind } else { Flags::Unknown };
                self.state.there = 0;
                Word::Behind
            }
            M::Sub if from == OpKind::Register => match (own, other) {
                (Word::First(Side::Input, stream, own), Word::First(Side::Input, first, count))
                    if own == count && stream != first =>
                {
                    Word::Apart(stream, first, count)
                }
                _ => Word::Unknown,
            },
            M::Shr | M::Not | M::Xor => Word::Unknown,
            M::Imul => match (own, other) {
                (Word::Strides(side, stream, 1), Word::Vertex) => Word::Before(side, stream),
                (Word::Number(list), Word::Strides(Side::Input, stream, 1))
                    if self.contract.list(stream).is_some_and(|(own, _)| own == list) =>
                {
                    Word::Found(stream)
                }
                _ => Word::Unknown,
            },
            M::Add => match (own, other) {
                (Word::Vertex, _) if from != OpKind::Register && insn.immediate(1) == lanes => {
                    self.state.there = 0;
                    Word::Next
                }
                (Word::Before(side, stream), Word::Base(of, base)) if (side, stream) == (of, base) => {
                    Word::First(side, stream, 0)
                }
                (Word::Apart(stream, first, own), Word::First(Side::Input, of, count))
                    if (first, own) == (of, count) =>
                {
                    Word::First(Side::Input, stream, count)
                }
                _ => Word::Unknown,
            },
            M::Lea => {
                let (base, index) = (self.word(insn.memory_base()), self.word(insn.memory_index()));
                let scale = insn.memory_index_scale() as u8;
                if insn.memory_displacement64() != 0 {
                    let bytes = insn.memory_displacement64();
                    return match base {
                        Word::First(Side::Input, first, count) if insn.memory_index() == Register::None => {
                            let within = self.state.arrays.within(self.contract.inputs, first);
                            let stream = within.into_iter().find(|&(_, at)| u64::from(at) == bytes);
                            stream.map(|(stream, _)| Word::First(Side::Input, stream, count))
                        }
                        _ => None,
                    };
                }
                let more = self.strides(insn.memory_index());
                let is_triple = to.is_gpr64() && insn.memory_base() == insn.memory_index() && scale == 2;
                match (base, index) {
                    _ if is_triple && insn.memory_base() != to => Word::Triple(insn.memory_base()),
                    (Word::First(side, stream, count), _)
                        if more
                            .is_some_and(|(of, other, _)| self.has_strides((of, other), (side, stream))) =>
                    {
                        let rows =
                            more.and_then(|(.., strides)| strides.checked_mul(scale)?.checked_add(count));
                        rows.map_or(Word::Unknown, |count| Word::First(side, stream, count))
                    }
                    (Word::Base(side, stream), Word::Vertex)
                        if scale == 4 && side == Side::Output && self.contract.layout == Layout::Planes =>
                    {
                        Word::First(side, stream, 0)
                    }
                    _ => Word::Unknown,
                }
            }
            _ => return None,
        })
    }

    /// Checks a memory operand; returns what is there, as far as addresses are made of it.
    fn access(&self, insn: &Instruction, is_first: bool) -> Result<Word, String> {
        let Contract { width, layout, rows, writes: written, inputs, layouts, outputs, .. } = *self.contract;
        let told = &self.contract.told;
        let bytes_of = |attribute: usize| layouts.format(attribute).bytes() as i64;
        let writes = is_first && insn.mnemonic() != Mnemonic::Cmp;
        let size = insn.memory_size().size() as i64;
        if size == 0 {
            return Err("an operand of unknown size".to_owned());
        }
        if insn.is_ip_rel_memory_operand() {
            let at = insn.ip_rel_memory_address();
            let inside = at >= self.end && at.checked_add(size as u64).is_some_and(|end| end <= self.bytes);
            return if inside && !writes { Ok(Word::Unknown) } else { Err("no constant".to_owned()) };
        }
        let (base, index) = (self.word(insn.memory_base()), insn.memory_index());
        let offset = insn.memory_displacement64() as i64;
        let scale = insn.memory_index_scale();
        let within = |bytes: i64| (0..=bytes - size).contains(&offset);
        if let Word::First(side, stream, count) = base {
            let there = u32::from(self.state.there);
            let strides = match self.strides(index) {
                _ if index == Register::None => 0,
                Some((of, other, strides)) if self.has_strides((of, other), (side, stream)) => {
                    u32::from(strides) * scale
                }
                _ => return Err("an index that is no stride".to_owned()),
            };
            let is_live = match side {
                Side::Input => inputs >> stream & 1 != 0 && !writes && self.contract.list(stream).is_none(),
                Side::Output => outputs >> stream & 1 != 0 && writes,
            };
            let most = match (side, layout) {
                (Side::Output, Layout::Planes) => (4, 4 * i64::from(there)),
                (Side::Input, _) => (there, self.row_bytes(stream)),
                (Side::Output, Layout::Rows) => (there, size_of::<Row>() as i64),
            };
            let inside = strides + u32::from(count) < most.0 && within(most.1);
            return if inside && is_live {
                Ok(Word::Unknown)
            } else {
                Err("outside of its stream".to_owned())
            };
        }
        let is_row = self.word(index) == Word::Distance && scale == 1 && size == size_of::<Row>() as i64;
        let (inside, may_write, holds) = match base {
            Word::Scratch if index == Register::None && writes && offset >= told.start => {
                (offset + size <= told.end, true, Word::Unknown)
            }
            Word::Scratch if index == Register::None => {
                let saved = (0..SAVED.len()).find(|&number| {
                    size == 8 && self.state.saved >> number & 1 != 0 && self.place(number) == offset
                });
                let holds = saved.map_or(Word::Unknown, |number| Word::Callers(SAVED[number].number() as u8));
                (within(Scratch::offset(SCRATCH, width.lanes()).into()), true, holds)
            }
            Word::Io if index == Register::None => {
                (within(size_of::<Io>() as i64) && size == 8, false, of_io(offset as usize))
            }
            Word::Rows if index == Register::None && writes => (within(written), true, Word::Unknown),
            Word::Rows if index == Register::None => (within(rows), false, Word::Unknown),
            Word::List(list) if self.word(index) == Word::Vertex => {
                let number = self.contract.numbers(list).unwrap_or_default() as i64;
                let is_one = size == number && i64::from(scale) == number && offset % number == 0;
                (is_one && within(i64::from(self.state.there) * number), false, Word::Number(list))
            }
            Word::Base(Side::Input, stream) if self.word(index) == Word::Found(stream) && scale == 1 => {
                (inputs >> stream & 1 != 0 && within(bytes_of(stream)), false, Word::Unknown)
            }
            Word::Rows if is_row => (offset == 0, false, Word::Unknown),
            Word::Lookup if is_row => (within(size_of::<Lookup>() as i64), false, Word::Unknown),
            _ => return Err(format!("an address of unknown base ({base:?})")),
        };
        match inside && (may_write || !writes) {
            true => Ok(holds),
            false => Err(format!("{size} bytes at {offset} of {base:?}")),
        }
    }
}
