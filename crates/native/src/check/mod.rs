//! A checker of machine code for x86-64, independent of the code generator: every memory operand must lie inside the
//! memory area that its base register points to.
//!
//! The areas are those of the contract ([`xfjit_runtime::abi::Entry`]): the rows of constants, the [`Io`], scratch
//! memory, tables, the frame, the code's own constants, and of each stream the vectors of the current group. The code is
//! decoded along its branches, and an abstract interpretation tracks registers ([`value`]): constants, multiples of
//! strides, numbers of index lists, bounds of row numbers in lanes. Everything not understood is refused: instructions that are not on the list,
//! addresses of unknown base or range, stores where the contract has loads.
//!
//! The number of loop iterations is not checked: a stream pointer that has advanced by a group is taken to point to the
//! next group.

mod step;
mod value;

use crate::ir::func::Func;
use crate::native::named::named;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, Register};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::mem::size_of;
use step::register;
use value::{Base, Group, StackSlot, State, Word};
use xfjit_runtime::batch::Layout;
use xfjit_runtime::lookup::Lookup;
use xfjit_runtime::state::{ATTRIBUTES, Io, Row, SCRATCH, Scratch};

/// The memory that code may access, as far as it depends on the function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contract {
    /// Rows of constants, and that of zeros.
    rows: usize,
    group: Group,
    writes_context: bool,
    /// Rows of constants up to the last one of which code tells whether it has written it.
    told: usize,
    inputs: u16,
    outputs: u32,
    /// Registers that hold context, io and the first group at the entry.
    arguments: [Register; 3],
}

impl Contract {
    /// The contract of a host-level function, for groups of `lanes` vertices; `windows`: with the calling convention of
    /// Windows.
    pub(super) fn new(func: &Func, layout: Layout, lanes: usize, windows: bool) -> Self {
        Contract {
            group: Group { lanes: lanes as u8, layout, inputs: func.inputs },
            rows: usize::from(func.window.end) + usize::from(func.reads_zero_row()),
            writes_context: func.is_serial(),
            told: func.told_rows().max().map_or(0, |row| row as usize + 1),
            inputs: func.live_inputs(),
            outputs: func.live_outputs(),
            arguments: match windows {
                true => [Register::RCX, Register::RDX, Register::R8],
                false => [Register::RDI, Register::RSI, Register::RDX],
            },
        }
    }
}

/// Code that breaks the contract, or is not understood: a bug of this library or of the code generator.
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

/// Checks the code of a function, which is followed by its constants.
pub(super) fn check(code: &[u8], contract: &Contract) -> Result<(), Fault> {
    let mut check = Check { code, contract, insns: Vec::new(), at: vec![NOT_DECODED; code.len()], end: 0 };
    let heads = check.decode()?;
    check.follow(&heads)
}

const NOT_DECODED: u32 = u32::MAX;
/// Iterations of the loop that probes the stack; no frame needs so many.
const TURNS: u32 = 64;

struct Check<'a> {
    code: &'a [u8],
    contract: &'a Contract,
    insns: Vec<Instruction>,
    /// For each byte the index of the instruction that begins there.
    at: Vec<u32>,
    /// The end of the instructions; constants may follow.
    end: u64,
}

/// The address of a memory operand, and its size.
struct Place {
    word: Word,
    bytes: i64,
}

impl Check<'_> {
    /// Decodes the reachable instructions; returns the addresses at which basic blocks begin.
    fn decode(&mut self) -> Result<BTreeSet<u64>, Fault> {
        let (mut heads, mut waiting) = (BTreeSet::new(), vec![0]);
        let mut decoder = Decoder::with_ip(64, self.code, 0, DecoderOptions::NONE);
        while let Some(start) = waiting.pop() {
            let mut at: u64 = start;
            let mut compares_stack = false;
            loop {
                let index = usize::try_from(at).unwrap_or(usize::MAX);
                match self.at.get(index) {
                    None => return Err(Fault { at, why: "control leaves the code".to_owned() }),
                    Some(&NOT_DECODED) => {}
                    Some(_) => {
                        heads.insert(at);
                        break;
                    }
                }
                if decoder.ip() != at && decoder.set_position(index).is_ok() {
                    decoder.set_ip(at);
                }
                let insn = decoder.decode();
                let fault = |why: &str| Err(Fault { at, why: why.to_owned() });
                if insn.is_invalid() {
                    return fault("no instruction");
                }
                if insn.has_lock_prefix() || insn.segment_prefix() != Register::None {
                    return fault("a prefix that nothing here needs");
                }
                self.at[index] = self.insns.len() as u32;
                self.insns.push(insn);
                self.end = self.end.max(insn.next_ip());
                match insn.flow_control() {
                    FlowControl::Next => {}
                    // The loop that probes the stack is executed iteration by iteration.
                    FlowControl::ConditionalBranch if compares_stack => {}
                    FlowControl::ConditionalBranch => {
                        heads.insert(insn.near_branch_target());
                        heads.insert(insn.next_ip());
                        waiting.push(insn.near_branch_target());
                    }
                    FlowControl::UnconditionalBranch => {
                        heads.insert(insn.near_branch_target());
                        waiting.push(insn.near_branch_target());
                        break;
                    }
                    FlowControl::Return | FlowControl::Exception => break,
                    _ => return fault("control goes where nothing can follow it"),
                }
                compares_stack = compares_stack_pointer(&insn);
                at = insn.next_ip();
            }
        }
        Ok(heads)
    }

    /// Abstract interpretation of all basic blocks, up to the fixed point.
    fn follow(&self, heads: &BTreeSet<u64>) -> Result<(), Fault> {
        let mut states: BTreeMap<u64, State> = BTreeMap::new();
        let mut waiting = BTreeSet::from([0]);
        let mut first = State::new(self.contract.group);
        let [context, io, group] = self.contract.arguments;
        for (register, base) in
            [(context, Base::Context), (io, Base::Io), (group, Base::First(1)), (Register::RSP, Base::Stack)]
        {
            first.words[register.number()] = Word::at(base);
        }
        states.insert(0, first);
        while let Some(start) = waiting.pop_first() {
            let state = states[&start].clone();
            for (at, state) in self.run(start, state, heads)? {
                let changed = match states.get_mut(&at) {
                    Some(known) => known.join(&state, self.contract.group),
                    None => states.insert(at, state).is_none(),
                };
                if changed {
                    waiting.insert(at);
                }
            }
        }
        Ok(())
    }

    /// Executes a basic block abstractly; returns its successors with their states.
    fn run(&self, start: u64, mut state: State, heads: &BTreeSet<u64>) -> Result<Vec<(u64, State)>, Fault> {
        let (mut at, mut turns) = (start, 0);
        let mut compared: Option<bool> = None;
        loop {
            let insn = self.at.get(at as usize).and_then(|&index| self.insns.get(index as usize));
            let Some(insn) = insn else {
                return Err(Fault { at, why: "control leaves the code".to_owned() });
            };
            let decided = compared.take();
            let mut next = insn.next_ip();
            match insn.flow_control() {
                FlowControl::Return => {
                    let is_level = state.words[Register::RSP.number()] == Word::at(Base::Stack);
                    let why = "returns with another stack pointer".to_owned();
                    return if is_level { Ok(Vec::new()) } else { Err(Fault { at, why }) };
                }
                FlowControl::Exception => return Ok(Vec::new()),
                FlowControl::UnconditionalBranch => return Ok(vec![(insn.near_branch_target(), state)]),
                FlowControl::ConditionalBranch if insn.mnemonic() == Mnemonic::Jne && decided.is_some() => {
                    turns += 1;
                    if turns > TURNS {
                        return Err(Fault { at, why: "the stack is probed for ever".to_owned() });
                    }
                    next = if decided == Some(true) { next } else { insn.near_branch_target() };
                }
                FlowControl::ConditionalBranch => {
                    return Ok(vec![(insn.near_branch_target(), state.clone()), (next, state)]);
                }
                _ => {
                    self.step(insn, &mut state)
                        .map_err(|why| Fault { at, why: format!("{}: {why}", named(insn)) })?;
                    if compares_stack_pointer(insn) {
                        let words = [insn.op0_register(), insn.op1_register()].map(|r| register(&state, r));
                        let exact = |word: Word| word.base == Base::Stack && word.low == word.high;
                        if !words.into_iter().all(exact) {
                            return Err(Fault { at, why: "the stack pointer is unknown".to_owned() });
                        }
                        compared = Some(words[0] == words[1]);
                    }
                }
            }
            if heads.contains(&next) {
                return Ok(vec![(next, state)]);
            }
            at = next;
        }
    }

    /// The address of a memory operand, as a word.
    fn address(&self, insn: &Instruction, state: &State) -> Word {
        let group = self.contract.group;
        let displacement = insn.memory_displacement64() as i64;
        let mut word = Word::number(0, 0);
        let (base, index) = (insn.memory_base(), insn.memory_index());
        for (register, scale) in [(base, 1), (index, i64::from(insn.memory_index_scale()))] {
            if register != Register::None {
                let value = if register.is_gpr64() { state.words[register.number()] } else { Word::ANY };
                word = word.plus(value.times(Word::number(scale, scale), group), group);
            }
        }
        // The displacement comes last: strides are added to the beginning of a vertex only.
        word.offset(displacement)
    }

    fn place(&self, insn: &Instruction, state: &State) -> Result<Place, String> {
        let bytes = insn.memory_size().size() as i64;
        if bytes == 0 {
            return Err("an operand of unknown size".to_owned());
        }
        if insn.is_ip_rel_memory_operand() {
            let at = insn.ip_rel_memory_address();
            // Constants are the code's: they are read where no instruction is.
            if at < self.end || at.saturating_add(bytes as u64) > self.code.len() as u64 {
                return Err("constants outside of the code".to_owned());
            }
            return Ok(Place { word: Word::at(Base::Code).offset(at as i64), bytes });
        }
        Ok(Place { word: self.address(insn, state), bytes })
    }

    /// Whether an access stays in its block.
    fn check(&self, place: &Place, writes: bool, state: &State) -> Result<(), String> {
        let Contract { rows, group, writes_context, told, inputs, outputs, .. } = *self.contract;
        let Place { word, bytes } = *place;
        let stack = state.words[Register::RSP.number()];
        let (range, may_write) = match word.base {
            Base::Code => (0..self.code.len() as i64, false),
            Base::Context => (0..(rows * size_of::<Row>()) as i64, writes_context),
            Base::Io => (0..size_of::<Io>() as i64, false),
            Base::Scratch if writes && word.low >= i64::from(Scratch::written(0)) => {
                (Scratch::written(0).into()..Scratch::written(told).into(), true)
            }
            Base::Scratch => (0..i64::from(Scratch::offset(SCRATCH, group.lanes.into())), true),
            Base::Lookup => (0..size_of::<Lookup>() as i64, false),
            Base::Stack if stack.base == Base::Stack && stack.low == stack.high => (stack.low..0, true),
            Base::Cursor(k, strides) => {
                let register = usize::from(k);
                let (most, bytes) = group.reach(register);
                let is_live = match register.checked_sub(ATTRIBUTES) {
                    None => inputs >> register & 1 != 0 && !writes,
                    Some(output) => outputs >> output & 1 != 0 && writes,
                };
                let bytes = match register < ATTRIBUTES {
                    true => self.bytes_of(register),
                    false => bytes,
                };
                (0..if is_live && strides < most { bytes } else { 0 }, true)
            }
            Base::Listed(list) if group.width(list) > 0 => (0..group.listed(list), false),
            Base::Vertex(k) => {
                let register = usize::from(k);
                (0..if inputs >> register & 1 != 0 { self.bytes_of(register) } else { 0 }, false)
            }
            _ => return Err(format!("an address of unknown base ({word:?})")),
        };
        let inside =
            word.low >= range.start && word.high.checked_add(bytes).is_some_and(|end| end <= range.end);
        match (inside, writes && !may_write) {
            (true, false) => Ok(()),
            (true, true) => Err(format!("a store into {:?}, which is only read", word.base)),
            (false, _) => Err(format!("{bytes} bytes at {word:?} are not inside {range:?}")),
        }
    }

    /// Bytes of an attribute.
    fn bytes_of(&self, register: usize) -> i64 {
        self.contract.group.inputs.format(register).bytes() as i64
    }

    fn load_lanes(&self, state: &State, place: &Place) -> u32 {
        let Place { word, bytes: 16 } = *place else { return u32::MAX };
        if word.low != word.high {
            return u32::MAX;
        }
        match word.base {
            Base::Scratch => state.scratch(word.low),
            Base::Stack => match state.kept(word.low) {
                Some(StackSlot::Lanes(most)) => most,
                _ => u32::MAX,
            },
            Base::Code => {
                let bytes = usize::try_from(word.low).ok().and_then(|at| self.code.get(at..at + 16));
                let words =
                    bytes.map(|bytes| bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)));
                words.and_then(Iterator::max).unwrap_or(u32::MAX)
            }
            _ => u32::MAX,
        }
    }
}

/// As the loop does that probes a frame of many pages.
fn compares_stack_pointer(insn: &Instruction) -> bool {
    insn.mnemonic() == Mnemonic::Cmp && [insn.op0_register(), insn.op1_register()].contains(&Register::RSP)
}

#[cfg(test)]
mod tests;
