//! From words to programs: what is common to all generations.

use std::fmt;
use std::ops::Range;

use super::insn::{Condition, Insn, Program};
use super::op::{Jump, To};
use super::{Generation, Reading, WORDS_PER_SLOT};

/// Why words are not a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DecodeError {
    /// There are no words. This is the caller's fault.
    Empty,
    /// The last slot is incomplete. This is the fault of the caller, or of a truncated file.
    Ragged {
        /// Words given.
        words: usize,
    },
    /// There are more slots than XFPR has. This is the caller's fault.
    TooManySlots {
        /// Slots given.
        slots: usize,
        /// Slots of XFPR.
        limit: usize,
    },
    /// The start slot is not among the given ones. This is the fault of the caller, or of a guest that starts a program without loading it.
    StartBeyondEnd {
        /// Start slot asked for.
        start: usize,
        /// Slots given.
        slots: usize,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Empty => write!(f, "the program has no words"),
            DecodeError::Ragged { words } => {
                write!(f, "{words} words are not a whole number of slots of {WORDS_PER_SLOT} words")
            }
            DecodeError::TooManySlots { slots, limit } => {
                write!(f, "{slots} slots exceed the {limit} of XFPR")
            }
            DecodeError::StartBeyondEnd { start, slots } => {
                write!(f, "start slot {start} is beyond the {slots} slots given")
            }
        }
    }
}

impl std::error::Error for DecodeError {}

/// Decodes the program that runs from slot `start` of `words`, read in the default way.
///
/// # Errors
/// The words are not a program.
pub fn decode(generation: Generation, words: &[u32], start: usize) -> Result<Program, DecodeError> {
    decode_as(generation, Reading::default(), words, start)
}

/// Decodes the program that runs from slot `start` of `words`: up to the first END, or to the end of the words; with branches, all slots
/// that may run.
///
/// # Errors
/// The words are not a program.
pub fn decode_as(
    generation: Generation,
    reading: Reading,
    words: &[u32],
    start: usize,
) -> Result<Program, DecodeError> {
    Ok(decode_seen(generation, reading, words, start)?.0)
}

/// As [`decode_as`], and also returns the slots that it has read: equally many words that are equal in these slots are an equal program
/// from that start slot.
///
/// # Errors
/// The words are not a program.
pub fn decode_seen(
    generation: Generation,
    reading: Reading,
    words: &[u32],
    start: usize,
) -> Result<(Program, Vec<Range<usize>>), DecodeError> {
    let (slots, rest) = words.as_chunks::<WORDS_PER_SLOT>();
    let limit = generation.slots();
    if words.is_empty() {
        return Err(DecodeError::Empty);
    }
    if !rest.is_empty() {
        return Err(DecodeError::Ragged { words: words.len() });
    }
    if slots.len() > limit {
        return Err(DecodeError::TooManySlots { slots: slots.len(), limit });
    }
    if start >= slots.len() {
        return Err(DecodeError::StartBeyondEnd { start, slots: slots.len() });
    }
    let decode = |slot: usize| super::decode_insn(generation, reading, slots[slot]);
    if let Some(program) = straight(start..start + through_end(&slots[start..]), decode) {
        let seen = start..start + program.insns.len();
        return Ok((program, vec![seen]));
    }
    let insns = visit(slots.len(), start, decode);
    let mut seen: Vec<Range<usize>> = Vec::new();
    for slot in (0..insns.len()).filter(|&slot| insns[slot].is_some()) {
        match seen.last_mut() {
            Some(range) if range.end == slot => range.end += 1,
            Some(_) | None => seen.push(slot..slot + 1),
        }
    }
    Ok((program(&insns, start), seen))
}

/// The part of the program memory that may run from `start`, with everything else made NOP.
pub(crate) fn reachable(slots: usize, start: usize, decode: impl Fn(usize) -> Insn) -> Program {
    program(&visit(slots, start, decode), start)
}

/// How many slots there are up to the first END, that one included: all of them if none has it. All generations have it in the lowest
/// bit of the last word (kelvin.md 1.1, rankine_curie.md 1.1 and 1.2).
pub fn through_end(slots: &[[u32; WORDS_PER_SLOT]]) -> usize {
    slots.iter().position(|words| words[3] & 1 != 0).map_or(slots.len(), |last| last + 1)
}

/// The program of these slots, which end with the first END, if it has no branches. Most are such, and state programs, which may run
/// once, all of them.
fn straight(slots: Range<usize>, decode: impl Fn(usize) -> Insn) -> Option<Program> {
    let start = slots.start;
    let mut insns = Vec::with_capacity(slots.len());
    for slot in slots {
        let insn = decode(slot);
        if insn.sca.is_branch() {
            return None;
        }
        insns.push(insn);
    }
    let unterminated = insns.last().is_some_and(|insn| !insn.end);
    Some(Program { insns, first: start, start, unterminated })
}

/// Of each slot the instruction, if it may run from `start`.
fn visit(slots: usize, start: usize, decode: impl Fn(usize) -> Insn) -> Vec<Option<Insn>> {
    let mut insns: Vec<Option<Insn>> = vec![None; slots];
    let mut waiting = vec![start];
    while let Some(slot) = waiting.pop() {
        if slot >= slots || insns[slot].is_some() {
            continue;
        }
        let insn = decode(slot);
        insns[slot] = Some(insn);
        match insn.sca.jump() {
            // Where an indirect branch goes is not in the words.
            Some(Jump::Branch(To::Register) | Jump::Call(To::Register)) => waiting.extend((0..slots).rev()),
            Some(Jump::Branch(To::Slot) | Jump::Call(To::Slot)) => waiting.push(insn.branch.target.into()),
            Some(Jump::Return) | None => {}
        }
        if goes_on(&insn) {
            waiting.push(slot + 1);
        }
    }
    insns
}

fn program(insns: &[Option<Insn>], start: usize) -> Program {
    let first = insns.iter().position(Option::is_some).unwrap_or(start);
    let last = insns.iter().rposition(Option::is_some).unwrap_or(start);
    let insns: Vec<Insn> = insns[first..=last].iter().map(|insn| insn.unwrap_or(Insn::NOP)).collect();
    let unterminated = insns.last().is_some_and(|insn| !insn.end);
    Program { insns, first, start, unterminated }
}

/// Whether the next slot may run after an instruction. A call comes back to it; everything else reaches it by falling
/// through, which END forbids.
fn goes_on(insn: &Insn) -> bool {
    let always = insn.branch.condition == Condition::ALWAYS && !insn.sca.is_on_boolean();
    match insn.sca.jump() {
        Some(Jump::Call(_)) => true,
        Some(Jump::Branch(_) | Jump::Return) if always => false,
        Some(Jump::Branch(_) | Jump::Return) | None => !insn.end,
    }
}
