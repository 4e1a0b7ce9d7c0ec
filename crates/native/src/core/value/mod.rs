//! The checker of values. It follows where values are through the decoded instructions of a function, and knows nothing of how the code
//! was made but which operation each piece of it is for ([`Lines`]). So a register that is overwritten while its value is
//! live, a spill to a slot in use, a read before the definition and a component in the place of another one are found without running the code, for
//! any data.
//!
//! **Lattice.** A word of a vector register or of memory, a mask and an integer have a name ([`tags::Tag`]): that of the value whose
//! lanes are there, of a word of an attribute, of a component of a constant or of a row that was looked up, of a cell. The top is
//! nothing. A [`state::State`] is the product of registers, scratch memory and stack. In which order lanes are is not followed.
//!
//! **Meet.** Where paths come together, what has one name on both stays.
//!
//! **Transfer.** What moves words moves their names ([`moves`]). What computes gives its result the name of the operation that it is for; it may
//! read only what is named as an operand of that ([`tags::Names::may_read`]), or as what it has computed before. An operand without code of its own
//! stands for its operands, since code generators join operations. Memory that is no spill has its names from the contract: at a byte of an attribute
//! is its word, at a row of constants are its components. What is stored to an output, a row of constants or a cell must have
//! the name of the operand.
//!
//! **End.** States only become less, so following blocks ends. A last visit of each block checks reads and stores; then
//! each operation must have read all of its operands. Whether it computes the right thing of them is not checked; the comparison of bits is for that.

mod actions;
mod moves;
mod state;
mod tags;

use super::contract::Contract;
use super::decode::{Decoded, Fault};
use super::places::{Place, Word};
use crate::ir::func::{Func, Value};
use crate::ir::imm::Column;
use crate::ir::ops::Op;
use crate::lines::Lines;
use actions::{Action, Deed, Operand, deeds};
use iced_x86::FlowControl;
use moves::{Pattern, SECOND, ZERO};
use rustc_hash::FxHashMap;
use state::{ELEMENTS, Elements, State};
use std::collections::BTreeSet;
use tags::{Names, Seen, Tag};

/// Checks the values of a function's code, whose memory operands are at `places`.
pub(super) fn check(
    code: &Decoded,
    bytes: &[u8],
    places: &[Place],
    lines: &Lines,
    func: &Func,
    contract: &Contract,
) -> Result<(), Fault> {
    let deeds = deeds(code, bytes, places, lines, func);
    let computes = |deed: &Deed| deed.piece.filter(|_| matches!(deed.action, Action::Compute { .. }));
    let names = Names::new(func, deeds.iter().filter_map(computes));
    let cells = cells(&deeds, &names)?;
    let mut paths = Paths {
        code,
        deeds: &deeds,
        names: &names,
        cells: &cells,
        contract,
        bytes,
        states: code.heads.iter().map(|_| None).collect(),
        waiting: BTreeSet::new(),
        seen: None,
    };
    paths.follow()?;
    paths.seen = Some(Seen::default());
    for head in 0..code.heads.len() {
        if let Some(state) = paths.states[head].clone() {
            paths.block(head, state)?;
        }
    }
    let seen = paths.seen.unwrap_or_default();
    match names.lacks(&seen) {
        Some((value, operand)) => {
            let [reader, operand] = [value, operand].map(|value| names.number(value));
            let why = format!("{reader} does not read {operand}");
            Err(Fault::new(at(lines, value), &why))
        }
        None => Ok(()),
    }
}

/// Where the first piece for an operation is.
fn at(lines: &Lines, value: Value) -> u64 {
    let first = lines.pieces().iter().find(|&&(_, own)| own == Some(value));
    first.map_or(0, |&(at, _)| at.into())
}

/// Where cells are in scratch memory: where they are stored.
fn cells(deeds: &[Deed], names: &Names<'_>) -> Result<FxHashMap<i32, usize>, Fault> {
    let mut cells = FxHashMap::default();
    let mut places = FxHashMap::default();
    for deed in deeds {
        let Some(inst) = deed.piece.map(|value| names.func.inst(value)).filter(|inst| inst.op == Op::Set)
        else {
            continue;
        };
        if let Action::Move { to: Operand::Memory { place: Place::Scratch(at), .. }, .. } = deed.action {
            let cell: usize = inst.immediate();
            if *cells.entry(at).or_insert(cell) != cell || *places.entry(cell).or_insert(at) != at {
                return Err(Fault::new(0, "a cell has two places, or shares one"));
            }
        }
    }
    Ok(cells)
}

/// The fixpoint iteration over the blocks of the code.
struct Paths<'a> {
    code: &'a Decoded,
    deeds: &'a [Deed],
    names: &'a Names<'a>,
    cells: &'a FxHashMap<i32, usize>,
    contract: &'a Contract,
    bytes: &'a [u8],
    /// What is known at each head.
    states: Vec<Option<State>>,
    /// Heads that have to be followed, or again.
    waiting: BTreeSet<usize>,
    /// What has been read, in the last visit of each block.
    seen: Option<Seen>,
}

/// Why an instruction is refused.
type Why = String;

impl Paths<'_> {
    fn follow(&mut self) -> Result<(), Fault> {
        let mut entry = State::empty();
        let bytes = size_of::<u32>() as i32 * self.contract.lanes() as i32;
        for (&at, &cell) in self.cells {
            entry.scratch.write(at, bytes, &[Tag::cell(cell); ELEMENTS][..self.contract.lanes() as usize]);
        }
        self.arrive(0, &entry);
        while let Some(head) = self.waiting.pop_first() {
            if let Some(state) = self.states[head].clone() {
                self.block(head, state)?;
            }
        }
        Ok(())
    }

    /// Control comes to a head with what is known there.
    fn arrive(&mut self, number: usize, state: &State) {
        // In the last visits nothing is new.
        if self.seen.is_some() {
            return;
        }
        let is_less = match &mut self.states[number] {
            Some(known) => known.meet(state),
            none => {
                *none = Some(state.clone());
                true
            }
        };
        if is_less {
            self.waiting.insert(number);
        }
    }

    /// Follows instructions from a head to the next one, or to where control ends.
    fn block(&mut self, head: usize, mut state: State) -> Result<(), Fault> {
        let code = self.code;
        let next = code.heads.get(head + 1).map_or(code.steps.len(), |next| next.step);
        for number in code.heads[head].step..next {
            let step = &code.steps[number];
            match step.flow {
                FlowControl::Next => {
                    self.step(&self.deeds[number], &mut state).map_err(|why| Fault::of(&step.insn, &why))?
                }
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                    let target = step.insn.near_branch_target();
                    if let Ok(number) = code.heads.binary_search_by_key(&target, |head| head.at) {
                        self.arrive(number, &state);
                    }
                    if step.flow == FlowControl::UnconditionalBranch {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
        if head + 1 < code.heads.len() {
            self.arrive(head + 1, &state);
        }
        Ok(())
    }

    fn step(&mut self, deed: &Deed, state: &mut State) -> Result<(), Why> {
        match &deed.action {
            Action::None => Ok(()),
            Action::Move { to, from, pattern } => {
                let words = self.moved(deed.piece, from, pattern, state);
                self.put(deed.piece, to, &words[..usize::from(pattern.count)], state)
            }
            Action::Compute { read, written, forgets } => {
                let mut found = Found::Nothing;
                for operand in read.iter().filter(|operand| **operand != Operand::None) {
                    self.read(deed.piece, operand, *forgets, state, &mut found)?;
                }
                for operand in written.iter().filter(|operand| **operand != Operand::None) {
                    self.compute(deed.piece, operand, found, state)?;
                }
                Ok(())
            }
        }
    }

    /// The words that an operand has.
    fn words(&self, piece: Option<Value>, operand: &Operand, state: &State) -> Elements {
        match *operand {
            Operand::None => [Tag::NOTHING; ELEMENTS],
            Operand::Vector { number, .. } => state.vectors[usize::from(number)],
            Operand::Mask(number) => [state.masks[usize::from(number)]; ELEMENTS],
            Operand::Integer(number) => {
                let [low, high] = state.integers[usize::from(number)];
                std::array::from_fn(|number| if number == 0 { low } else { high })
            }
            Operand::Memory { place, bytes, spread } => {
                let mut words = [Tag::NOTHING; ELEMENTS];
                let count = usize::from(bytes).div_ceil(size_of::<u32>()).clamp(1, ELEMENTS);
                self.load(piece, place, state, &mut words[..count]);
                if spread { std::array::from_fn(|number| words[number % count]) } else { words }
            }
        }
    }

    /// What memory holds.
    fn load(&self, piece: Option<Value>, place: Place, state: &State, words: &mut [Tag]) {
        let each = |words: &mut [Tag], of: &dyn Fn(usize) -> Tag| {
            words.iter_mut().enumerate().for_each(|(number, word)| *word = of(number));
        };
        match place {
            Place::Scratch(at) => state.scratch.read(at, words),
            Place::Stack(at) => state.stack.read(at, words),
            Place::Constants { at, is_computed } => {
                let fetches = piece.filter(|&value| self.names.func.inst(value).op == Op::Gather);
                each(words, &|number| {
                    let element = at / size_of::<u32>() as u32 + number as u32;
                    match fetches {
                        Some(value) => self.names.fetched(value, element as usize % 4),
                        None if is_computed => Tag::NOTHING,
                        None => Tag::constant(element),
                    }
                });
            }
            Place::Table(at) => {
                let of_table = piece.filter(|&value| self.names.func.inst(value).op == Op::Table);
                let Some(value) = of_table else { return };
                let column: Column = self.names.func.inst(value).immediate();
                let Some(first) = at.checked_sub(column.table.offset() as u32) else { return };
                each(words, &|number| match first as usize / size_of::<u32>() + number {
                    column @ 0..4 => self.names.fetched(value, column),
                    _ => Tag::NOTHING,
                });
            }
            Place::Attributes(all) => each(words, &|number| match all.get(number) {
                Some(&Word::Of { attribute, word }) => Tag::attribute(attribute.into(), word.into()),
                Some(&Word::Across(attribute)) => Tag::attribute(attribute.into(), 0).some(),
                Some(&Word::OfSome(word)) => {
                    piece.map_or(Tag::NOTHING, |value| self.names.attribute_of(value, word.into()))
                }
                Some(Word::None) | None => Tag::NOTHING,
            }),
            Place::Literals(at) => each(words, &|number| {
                let word = self.bytes.get(at as usize + size_of::<u32>() * number..);
                let word = word.and_then(|bytes| bytes.first_chunk());
                word.map_or(Tag::NOTHING, |word| self.names.literal(u32::from_le_bytes(*word)))
            }),
            Place::None | Place::Output { .. } => {}
        }
    }

    /// What is moved.
    fn moved(&self, piece: Option<Value>, from: &[Operand; 2], pattern: &Pattern, state: &State) -> Elements {
        let first = self.words(piece, &from[0], state);
        let is_one = from[0] == from[1];
        let second = if is_one { first } else { self.words(piece, &from[1], state) };
        std::array::from_fn(|number| match pattern.words[number] {
            ZERO => Tag::NOTHING,
            word @ 0..SECOND => first[usize::from(word)],
            word => second[usize::from(word - SECOND) % ELEMENTS],
        })
    }

    /// Puts words somewhere.
    fn put(
        &mut self,
        piece: Option<Value>,
        to: &Operand,
        words: &[Tag],
        state: &mut State,
    ) -> Result<(), Why> {
        match *to {
            Operand::None => {}
            Operand::Vector { number, .. } => {
                let (to, behind) = state.vectors[usize::from(number)].split_at_mut(words.len());
                to.copy_from_slice(words);
                behind.fill(Tag::NOTHING);
            }
            Operand::Mask(number) => state.masks[usize::from(number)] = one(words),
            Operand::Integer(number) => {
                state.integers[usize::from(number)] =
                    [0, 1].map(|number| words.get(number).copied().unwrap_or_default());
            }
            Operand::Memory { place, bytes, .. } => {
                return self.store(piece, place, bytes.into(), words, state);
            }
        }
        Ok(())
    }

    /// Stores words.
    fn store(
        &mut self,
        piece: Option<Value>,
        place: Place,
        bytes: i32,
        words: &[Tag],
        state: &mut State,
    ) -> Result<(), Why> {
        let is_last = self.seen.is_some();
        match place {
            Place::Stack(at) => state.stack.write(at, bytes, words),
            Place::Scratch(at) => match self.cells.get(&at) {
                Some(&cell) => {
                    let kept = self.names.set(piece, cell, words);
                    if let (Some(value), Some(seen)) = (kept, &mut self.seen) {
                        seen.note(self.names, Some(value), words[0]);
                    }
                    if is_last && kept.is_none() && self.names.sets(piece) {
                        return Err(format!("{} is stored to cell {cell}", self.names.text(words[0])));
                    }
                    // Code begins with cells that hold zeros.
                    let is_cell =
                        kept.is_some() || words.iter().all(|&word| word == Tag::NOTHING || word.is_literal());
                    let of_cell = [Tag::cell(cell); ELEMENTS];
                    state.scratch.write(at, bytes, if is_cell { &of_cell[..words.len()] } else { words });
                }
                None => {
                    // Only what tells of written rows is stored there for an operation.
                    if let Some(seen) = self.seen.as_mut().filter(|_| self.names.tells(piece)) {
                        words.iter().for_each(|&word| seen.note(self.names, piece, word));
                    }
                    state.scratch.write(at, bytes, words);
                }
            },
            Place::Output { output, component } if is_last => {
                let output = output.map(usize::from).or_else(|| self.names.output_of(piece));
                let output = output.ok_or("an output that is not known")?;
                for (number, &word) in words.iter().enumerate() {
                    let component = match self.contract.layout {
                        xfjit_runtime::batch::Layout::Rows => usize::from(component) + number,
                        xfjit_runtime::batch::Layout::Planes => component.into(),
                    };
                    let Some(value) = self.names.may_output(output, component, word) else {
                        let what = self.names.text(word);
                        return Err(format!("{what} is stored to component {component} of output {output}"));
                    };
                    self.seen.iter_mut().for_each(|seen| seen.note(self.names, Some(value), word));
                }
            }
            Place::Constants { at, .. } if is_last => {
                for (number, &word) in words.iter().enumerate() {
                    let element = at as usize / size_of::<u32>() + number;
                    let Some(value) = self.names.may_keep(element / 4, element % 4, word) else {
                        return Err(format!(
                            "{} is stored to constant {}",
                            self.names.text(word),
                            element / 4
                        ));
                    };
                    self.seen.iter_mut().for_each(|seen| seen.note(self.names, Some(value), word));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads an operand to compute on it.
    fn read(
        &mut self,
        piece: Option<Value>,
        operand: &Operand,
        forgets: bool,
        state: &State,
        found: &mut Found,
    ) -> Result<(), Why> {
        let words = self.words(piece, operand, state);
        let count = match *operand {
            Operand::Vector { words, .. } => words.into(),
            Operand::Memory { bytes, .. } => usize::from(bytes).div_ceil(size_of::<u32>()).min(ELEMENTS),
            Operand::Integer(_) => 2,
            Operand::Mask(_) | Operand::None => 1,
        };
        let mut last = Tag::NOTHING;
        for &word in &words[..count] {
            if word == Tag::NOTHING || word == last {
                continue;
            }
            last = word;
            let may_read = self.names.may_read(piece, word);
            if forgets && !may_read {
                continue;
            }
            if !word.is_literal() {
                found.add(word);
            }
            let Some(seen) = &mut self.seen else { continue };
            if !may_read {
                let of = piece.map_or("no operation".to_owned(), |value| self.names.number(value));
                return Err(format!("{} is no operand of {of}", self.names.text(word)));
            }
            seen.note(self.names, piece, word);
        }
        Ok(())
    }

    /// Leaves a result.
    fn compute(
        &mut self,
        piece: Option<Value>,
        to: &Operand,
        found: Found,
        state: &mut State,
    ) -> Result<(), Why> {
        let tag = match (to, found) {
            (Operand::Integer(_), Found::Nothing) => Tag::NOTHING,
            (Operand::Integer(_), Found::One(tag)) => tag,
            (_, Found::One(tag)) => self.names.computed(piece, Some(tag)),
            (_, Found::Nothing | Found::More) => self.names.computed(piece, None),
        };
        let count = match *to {
            Operand::Vector { words, .. } => words.into(),
            Operand::Memory { bytes, .. } => usize::from(bytes).div_ceil(size_of::<u32>()).min(ELEMENTS),
            Operand::Integer(_) => 2,
            Operand::Mask(_) | Operand::None => 1,
        };
        self.put(piece, to, &[tag; ELEMENTS][..count], state)
    }
}

/// The names among what an instruction reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    Nothing,
    One(Tag),
    More,
}

impl Found {
    fn add(&mut self, tag: Tag) {
        *self = match *self {
            Found::Nothing => Found::One(tag),
            Found::One(known) if known == tag => *self,
            Found::One(_) | Found::More => Found::More,
        };
    }
}

/// The name of all words.
fn one(words: &[Tag]) -> Tag {
    let first = words.first().copied().unwrap_or_default();
    if words.iter().all(|&word| word == first) { first } else { Tag::NOTHING }
}

#[cfg(test)]
mod tests;
