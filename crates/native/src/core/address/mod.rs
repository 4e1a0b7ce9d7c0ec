//! The checker of addresses. It decodes machine code, knows the contract of the function and the instructions of the
//! processor, and nothing of how the code was made. Whatever it does not understand is refused.
//!
//! It proves, of all code before that becomes callable: every memory operand lies in memory of the contract; of streams and index lists in
//! what belongs to vertices that are there; control stays among the instructions, each decoded once; the caller
//! gets its registers back, and the stack pointer never leaves the frame.
//!
//! **Lattice.** An integer is a [`word::Base`] and a range of distances from it: "the rows of constants plus 16", "three strides of
//! attribute 4", "what the caller has in rbx". Its top is any number. A vector register is an upper bound of its lanes
//! ([`vectors::Vector`]), or one whose lanes the verifier has bounded, if the contract says so. A [`state::State`] is the
//! product of the registers, of what has been spilled to the stack and to scratch memory ([`memory::Slots`]), of the number of vertices that are
//! there, and of how arrays of attributes lie to each other ([`arrays::Arrays`]).
//!
//! **Meet.** Where paths come together, what holds on both stays ([`state::State::meet`]): equal words, the lesser number of vertices. Strides
//! of different streams meet as the stride of some stream, one and the same in all registers that had the one, or the other.
//!
//! **Transfer.** Each processor has a file ([`x86`], `arm`), in which each class of instructions has one function; sums, differences and products of
//! words are those of [`word`]. A branch adds what its condition tells ([`state::State::learn`]): so many vertices remain, two
//! streams have one stride. Going back with a vertex behind this group, the next group is this one ([`state::State::go_on`]): the one
//! behind it, or, in code that ends so, the one that ends with the last vertex.
//!
//! **Fixpoint.** Blocks are followed in the order of their addresses until nothing changes; states only become less, so this comes to
//! an end. Code that loads addresses anew for each access is followed once, mostly: a place that jumps go back to begins with a guess of
//! what holds there ([`state::State::guess`]). A guess that knows too much becomes less; if one knows too little for the code
//! to pass, it is followed without guesses.

mod access;
#[cfg(any(target_arch = "aarch64", feature = "cross"))]
mod arm;
mod arrays;
mod groups;
mod memory;
mod state;
mod vectors;
mod word;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::contract::{Contract, Convention};
use super::places::Place;
use super::shape::RowNumbers;
use super::steps::{Decoded, Fault, Flow, Head, Insn, Step};
use access::Accessed;
use state::{Flags, Relation, State};
use std::collections::BTreeSet;
use std::ops::Range;
use word::Word;

/// Why an instruction is refused.
type Why = &'static str;

/// Turns of the loop that probes the stack; no frame needs so many.
const TURNS: u32 = 64;

/// Checks the code of a function, constants behind it; returns where the memory operand of each instruction is.
pub(super) fn check<I: Transfer>(
    code: &Decoded<I>,
    bytes: &[u8],
    contract: &Contract,
) -> Result<Vec<Place>, Fault> {
    let is_whole = contract.shape.row_numbers == RowNumbers::Followed;
    let paths = |guesses: bool| {
        let check = Check { bytes, contract, convention: I::CONVENTION, literals: &code.literals };
        let states = code.heads.iter().map(|_| None).collect();
        let places = vec![Place::None; code.steps.len()];
        Paths { check, code, guesses, is_whole, states, waiting: BTreeSet::new(), places }
    };
    if !is_whole && let Ok(places) = paths(true).follow() {
        return Ok(places);
    }
    paths(false).follow()
}

/// What instructions are checked against.
pub(super) struct Check<'a> {
    bytes: &'a [u8],
    contract: &'a Contract,
    convention: &'static Convention,
    /// Where literals may be.
    literals: &'a [Range<u64>],
}

/// The transfer function of a processor's instructions.
pub(super) trait Transfer: Insn {
    /// Follows an instruction that is no jump; returns the memory that it accesses.
    fn follow(&self, check: &Check<'_>, state: &mut State) -> Result<Option<Accessed>, Why>;

    /// What a conditional jump tells of two words that have been compared.
    fn told(&self, left: Word, right: Word) -> Option<Told>;

    /// Whether the loop that makes room on the stack goes on behind its jump, if the values that it compares are known.
    fn goes_on(&self, left: Word, right: Word) -> Option<bool>;
}

/// The fixpoint iteration over the blocks of the code.
struct Paths<'a, I> {
    check: Check<'a>,
    code: &'a Decoded<I>,
    /// Whether places that jumps go back to begin with a guess.
    guesses: bool,
    /// Whether vectors are followed, too.
    is_whole: bool,
    /// What is known at each head.
    states: Vec<Option<State>>,
    /// Heads that have to be followed, or again.
    waiting: BTreeSet<usize>,
    /// Where memory operands have been found.
    places: Vec<Place>,
}

impl<I: Transfer> Paths<'_, I> {
    fn follow(mut self) -> Result<Vec<Place>, Fault> {
        self.arrive(0, State::at_entry(self.check.contract, I::CONVENTION));
        while let Some(head) = self.waiting.pop_first() {
            if let Some(state) = self.states[head].clone() {
                self.block(head, state)?;
            }
        }
        Ok(self.places)
    }

    /// Control comes to a head with what is known there.
    fn arrive(&mut self, number: usize, mut state: State) {
        let contract = self.check.contract;
        let is_less = match &mut self.states[number] {
            Some(known) => known.meet(&state, contract),
            none => {
                let Head { is_gone_back_to, is_loop, .. } = self.code.heads[number];
                if is_gone_back_to && self.guesses {
                    state.guess(contract, is_loop);
                }
                state.flags = Flags::Unknown;
                *none = Some(state);
                true
            }
        };
        if is_less {
            self.waiting.insert(number);
        }
    }

    /// Control jumps.
    fn jump(&mut self, from: &Step<I>, mut state: State) {
        let target = from.insn.target();
        let goes_back = target <= from.insn.at();
        if goes_back && state.there > self.check.contract.lanes() {
            state.go_on(self.check.contract);
        }
        if let Ok(number) = self.code.heads.binary_search_by_key(&target, |head| head.at) {
            self.arrive(number, state);
        }
    }

    /// Follows instructions from a head to the next one, or to where control ends.
    fn block(&mut self, head: usize, mut state: State) -> Result<(), Fault> {
        let code = self.code;
        let (mut next, mut number, mut turns) = (head + 1, code.heads[head].step, 0);
        loop {
            if code.heads.get(next).is_some_and(|head| head.step <= number) {
                self.arrive(next, state);
                return Ok(());
            }
            let Some(step) = code.steps.get(number) else {
                return Err(Fault::new(self.code.end, "control leaves the code"));
            };
            number += 1;
            if step.is_of_vectors && !self.is_whole {
                continue;
            }
            let fault = |why: Why| Fault::of(&step.insn, why);
            match step.flow {
                Flow::Next => {
                    let accessed = step.insn.follow(&self.check, &mut state).map_err(fault)?;
                    if let Some(accessed) = accessed {
                        self.places[number - 1] = self.check.place(&accessed, &state);
                    }
                }
                Flow::Branch if step.is_probe => {
                    turns += 1;
                    let goes_on = match state.flags {
                        Flags::Of(left, right) => step.insn.goes_on(left, right),
                        Flags::Unknown => None,
                    };
                    if goes_on.ok_or("the stack pointer is unknown").map_err(fault)? {
                        let target = step.insn.target();
                        number = code.steps.partition_point(|step| step.insn.at() < target);
                        next = code.heads.partition_point(|head| head.at <= target);
                    }
                    if turns > TURNS {
                        return Err(fault("the stack is probed for ever"));
                    }
                }
                Flow::Branch => {
                    let mut there = state.clone();
                    if let Flags::Of(left, right) = state.flags
                        && let Some(told) = step.insn.told(left, right)
                    {
                        let (words, contract) = (told.words, self.check.contract);
                        there.learn(told.taken, words, contract);
                        state.learn(told.otherwise, words, contract);
                    }
                    self.jump(step, there);
                }
                Flow::Jump => {
                    self.jump(step, state);
                    return Ok(());
                }
                Flow::Return if !state.is_level(I::CONVENTION) => {
                    return Err(fault("returns with another stack pointer"));
                }
                Flow::Return if !state.is_restored(I::CONVENTION) => {
                    return Err(fault("returns without a callee-saved register"));
                }
                Flow::Return if !state.result(I::CONVENTION).is_result(self.check.contract) => {
                    return Err(fault("returns no vertex of its own"));
                }
                Flow::Return => return Ok(()),
                Flow::Trap => return Ok(()),
            }
        }
    }
}

/// What a conditional jump tells of two words that have been compared: how they compare where it is taken, and where not.
pub(super) struct Told {
    words: [Word; 2],
    taken: Relation,
    otherwise: Relation,
}

/// How two words compare where a jump is taken, as numbers without a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Condition {
    Below,
    AtLeast,
    Above,
    AtMost,
    Equal,
    Unequal,
}

impl Told {
    fn by(condition: Condition, left: Word, right: Word) -> Told {
        let (words, taken, otherwise) = match condition {
            Condition::Below => ([left, right], Relation::Below, Relation::AtLeast),
            Condition::AtLeast => ([left, right], Relation::AtLeast, Relation::Below),
            Condition::Above => ([right, left], Relation::Below, Relation::AtLeast),
            Condition::AtMost => ([right, left], Relation::AtLeast, Relation::Below),
            Condition::Equal => ([left, right], Relation::Equal, Relation::Unequal),
            Condition::Unequal => ([left, right], Relation::Unequal, Relation::Equal),
        };
        Told { words, taken, otherwise }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
