//! The transfer function: what an instruction does to the state, and what it must not do.

use super::super::contract::Contract;
use super::super::places::{Place, Word};
use super::super::steps::Fault;
use super::actions::{Action, Deed, Memory, Operand};
use super::held::{ELEMENTS, Held};
use super::patterns::{Pattern, SECOND, ZERO};
use super::state::State;
use super::tags::{Names, Seen, Tag};
use crate::ir::func::Value;
use crate::ir::imm::Column;
use crate::ir::ops::Op;
use rustc_hash::FxHashMap;
use std::array;
use std::cell::RefCell;
use xfjit_runtime::batch::Layout;

/// Why an instruction is refused.
pub(super) type Why = String;

/// What instructions are checked against, and what has been read.
pub(super) struct Check<'a> {
    bytes: &'a [u8],
    names: &'a Names<'a>,
    contract: &'a Contract,
    /// The cells by their places in scratch memory.
    cells: FxHashMap<i32, usize>,
    /// What so many words behind the code are, for operations on doubles or for others.
    literals: RefCell<FxHashMap<(u32, usize, bool), Held>>,
    /// Whether reads and stores are checked, and noted in `seen`.
    pub(super) checks: bool,
    pub(super) seen: Seen,
}

impl<'a> Check<'a> {
    /// Those of the code of a function.
    pub(super) fn new(
        bytes: &'a [u8],
        deeds: &[Deed],
        names: &'a Names<'a>,
        contract: &'a Contract,
    ) -> Result<Self, Fault> {
        let cells = cells(deeds, names)?;
        Ok(Check {
            bytes,
            names,
            contract,
            cells,
            literals: RefCell::default(),
            checks: true,
            seen: Seen::new(names),
        })
    }

    /// The state that the code begins with: cells hold what they are.
    pub(super) fn entry(&self) -> State {
        let lanes = self.contract.shape.lanes;
        let mut entry = State::empty(lanes);
        for (&at, &cell) in &self.cells {
            let words = Held::one(Tag::cell(cell), lanes);
            entry.scratch.write(at, (size_of::<u32>() * lanes) as i32, &words, lanes);
        }
        entry
    }

    /// Whether a cell is at a place of scratch memory.
    pub(super) fn is_cell(&self, at: i32) -> bool {
        self.cells.contains_key(&at)
    }

    /// Begins anew, with or without checks.
    pub(super) fn restart(&mut self, checks: bool) {
        self.checks = checks;
        self.seen = Seen::new(self.names);
    }

    /// Follows an instruction that is no jump.
    pub(super) fn step(&mut self, deed: &Deed, state: &mut State) -> Result<(), Why> {
        match &deed.action {
            Action::None => Ok(()),
            Action::Move { to, from, pattern } => {
                let words = self.moved(deed, *from, pattern, state);
                self.put(deed, *to, &words, pattern.count.into(), state)
            }
            Action::Literal { to, words } => {
                let bits = |number: usize| words.get(number).copied();
                let is_for_doubles = self.is_for_doubles(deed.piece);
                let words: [Tag; 4] = array::from_fn(|number| self.literal(is_for_doubles, number, bits));
                let count = deed.words(*to);
                self.put(deed, *to, &Held::of(&words[..count]), count, state)
            }
            Action::Compute { read, written, forgets } => {
                let mut found = Found::Nothing;
                for &operand in read.iter().take_while(|operand| **operand != Operand::None) {
                    self.read(deed, operand, *forgets, state, &mut found)?;
                }
                for &operand in written.iter().take_while(|operand| **operand != Operand::None) {
                    self.compute(deed, operand, found, state)?;
                }
                Ok(())
            }
        }
    }

    /// The words that an operand has: those of a register, or others, which `room` gets.
    fn words<'s>(&self, deed: &Deed, operand: Operand, state: &'s State, room: &'s mut Held) -> &'s Held {
        *room = match operand {
            Operand::None => Held::NOTHING,
            Operand::Vector { number, .. } => return &state.vectors[usize::from(number)],
            Operand::Mask(number) => Held::one(state.masks[usize::from(number)], ELEMENTS),
            Operand::Integer(number) => {
                let [low, high] = state.integers[usize::from(number)];
                let mut words = [high; ELEMENTS];
                words[0] = low;
                Held::of(&words)
            }
            Operand::Memory => {
                let count = deed.words(operand);
                let words = self.load(deed, state, count);
                if deed.memory.spread { words.repeated(count) } else { words }
            }
        };
        room
    }

    /// What memory holds: so many words.
    fn load(&self, &Deed { piece, memory, .. }: &Deed, state: &State, count: usize) -> Held {
        let each = |of: &dyn Fn(usize) -> Tag| {
            let mut words = [Tag::NOTHING; ELEMENTS];
            words[..count].iter_mut().enumerate().for_each(|(number, word)| *word = of(number));
            Held::of(&words)
        };
        match memory.place {
            Place::Scratch(at) => state.scratch.read(at, count),
            Place::Stack(at) => state.stack.read(at, count),
            Place::Constants { at, is_computed } => {
                let fetches = piece.filter(|&value| self.names.func.inst(value).op == Op::Gather);
                each(&|number| {
                    let element = at / size_of::<u32>() as u32 + number as u32;
                    match fetches {
                        Some(value) => self.names.fetched(value, element as usize % 4),
                        None if is_computed => Tag::NOTHING,
                        None => Tag::constant(element),
                    }
                })
            }
            Place::Table(at) => {
                let of_table = piece.filter(|&value| self.names.func.inst(value).op == Op::Table);
                let Some(value) = of_table else { return Held::NOTHING };
                let column: Column = self.names.func.inst(value).immediate();
                let Some(first) = at.checked_sub(column.table.offset() as u32) else {
                    return Held::NOTHING;
                };
                each(&|number| match first as usize / size_of::<u32>() + number {
                    column @ 0..4 => self.names.fetched(value, column),
                    _ => Tag::NOTHING,
                })
            }
            Place::Attributes(all) => each(&|number| match all.get(number) {
                Some(&Word::Of { attribute, word }) => Tag::attribute(attribute.into(), word.into()),
                Some(&Word::Across(attribute)) => Tag::attribute(attribute.into(), 0).some(),
                Some(&Word::OfSome(word)) => {
                    piece.map_or(Tag::NOTHING, |value| self.names.attribute_of(value, word.into()))
                }
                Some(Word::None) | None => Tag::NOTHING,
            }),
            Place::Literals(at) => {
                let is_for_doubles = self.is_for_doubles(piece);
                let known = (at, count, is_for_doubles);
                *self.literals.borrow_mut().entry(known).or_insert_with(|| {
                    let behind = |word: usize| self.bytes.get(at as usize + size_of::<u32>() * word..);
                    let bits = |word: usize| behind(word)?.first_chunk().copied().map(u32::from_le_bytes);
                    each(&|number| self.literal(is_for_doubles, number, bits))
                })
            }
            Place::None | Place::Output { .. } => Held::NOTHING,
        }
    }

    /// Whether a piece is for an operation on doubles.
    fn is_for_doubles(&self, piece: Option<Value>) -> bool {
        piece.is_some_and(|value| self.names.func.inst(value).op.takes_doubles())
    }

    /// The name of one of the words that are known: that of the double of which it is half, if there is one.
    fn literal(&self, is_for_doubles: bool, number: usize, bits: impl Fn(usize) -> Option<u32>) -> Tag {
        let low = number & !1;
        let double = bits(low).zip(bits(low + 1)).and_then(|(low, high)| {
            self.names.double(u64::from(high) << u32::BITS | u64::from(low), is_for_doubles)
        });
        double.or_else(|| bits(number).map(|word| self.names.literal(word))).unwrap_or_default()
    }

    /// What is moved.
    fn moved(&self, deed: &Deed, [first, second]: [Operand; 2], pattern: &Pattern, state: &State) -> Held {
        let [room, other] = &mut [Held::NOTHING; 2];
        let is_one = first == second;
        let first = self.words(deed, first, state, room);
        let second = if is_one { first } else { self.words(deed, second, state, other) };
        if let (Held::One { tag, words }, Held::One { tag: same, words: others }) = (first, second)
            && tag == same
            && pattern.reach <= *words.min(others)
        {
            return Held::one(*tag, pattern.count.into());
        }
        let mut words = [Tag::NOTHING; ELEMENTS];
        for (word, &source) in words.iter_mut().zip(&pattern.words[..pattern.count.into()]) {
            *word = match source {
                ZERO => Tag::NOTHING,
                source @ 0..SECOND => first.word(source.into()),
                source => second.word(usize::from(source - SECOND) % ELEMENTS),
            };
        }
        Held::of(&words)
    }

    /// Puts so many words somewhere, behind which is nothing.
    fn put(
        &mut self,
        deed: &Deed,
        to: Operand,
        words: &Held,
        count: usize,
        state: &mut State,
    ) -> Result<(), Why> {
        match to {
            Operand::None => {}
            Operand::Vector { number, .. } => state.vectors[usize::from(number)] = *words,
            Operand::Mask(number) => state.masks[usize::from(number)] = words.common(count),
            Operand::Integer(number) => {
                state.integers[usize::from(number)] = [0, 1].map(|number| words.word(number));
            }
            Operand::Memory => return self.store(deed, words, count, state),
        }
        Ok(())
    }

    /// Stores so many words.
    fn store(&mut self, deed: &Deed, words: &Held, count: usize, state: &mut State) -> Result<(), Why> {
        let &Deed { piece, memory: Memory { place, bytes, .. }, .. } = deed;
        let (checks, bytes) = (self.checks, i32::from(bytes));
        let mut room = [Tag::NOTHING; 2];
        let names = words.names(count, &mut room);
        match place {
            Place::Stack(at) => state.stack.write(at, bytes, words, count),
            Place::Scratch(at) => match self.cells.get(&at) {
                Some(&cell) => {
                    let kept = self.names.set(piece, cell, names);
                    if let (Some(value), true) = (kept, checks) {
                        self.seen.note(self.names, Some(value), names[0]);
                    }
                    if checks && kept.is_none() && self.names.is_for(piece, Op::Set) {
                        return Err(format!("{} is stored to cell {cell}", self.names.text(names[0])));
                    }
                    // Code begins with cells that hold zeros.
                    let is_cell =
                        kept.is_some() || names.iter().all(|&name| name == Tag::NOTHING || name.is_literal());
                    let of_cell = Held::one(Tag::cell(cell), count);
                    state.scratch.write(at, bytes, if is_cell { &of_cell } else { words }, count);
                }
                None => {
                    // Only what tells of written rows is stored there for an operation.
                    if checks && self.names.is_for(piece, Op::Written) {
                        names.iter().for_each(|&name| self.seen.note(self.names, piece, name));
                    }
                    state.scratch.write(at, bytes, words, count);
                }
            },
            Place::Output { output, component } if checks => {
                let output = output.map(usize::from).or_else(|| self.names.output_of(piece));
                let output = output.ok_or("an output that is not known")?;
                let component = usize::from(component);
                // In a plane all words are of one component.
                let is_rows = self.contract.layout == Layout::Rows;
                let stored = if is_rows { count } else { 1 };
                for number in 0..stored {
                    let word = if is_rows { words.word(number) } else { words.common(count) };
                    let component = component + number;
                    let stored = self.names.outputs(piece, output, component, word);
                    if !self.note_stored(stored, word) {
                        let what = self.names.text(word);
                        return Err(format!("{what} is stored to component {component} of output {output}"));
                    }
                }
            }
            Place::Constants { at, .. } if checks => {
                for number in 0..count {
                    let word = words.word(number);
                    let element = at as usize / size_of::<u32>() + number;
                    let (row, component) = (element / 4, element % 4);
                    if !self.note_stored(self.names.stores(piece, row, component, word), word) {
                        return Err(format!("{} is stored to constant {row}", self.names.text(word)));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes that operations have read what they store; whether there is one.
    fn note_stored(&mut self, operations: impl Iterator<Item = Value>, word: Tag) -> bool {
        let mut is_there = false;
        for value in operations {
            self.seen.note(self.names, Some(value), word);
            is_there = true;
        }
        is_there
    }

    /// Reads an operand to compute on it.
    fn read(
        &mut self,
        deed: &Deed,
        operand: Operand,
        forgets: bool,
        state: &State,
        found: &mut Found,
    ) -> Result<(), Why> {
        let (mut held, mut room) = (Held::NOTHING, [Tag::NOTHING; 2]);
        let words = self.words(deed, operand, state, &mut held);
        let words = words.names(deed.words(operand), &mut room);
        let piece = deed.piece;
        let mut last = Tag::NOTHING;
        let is_number = !matches!(operand, Operand::Integer(_));
        if self.checks && is_number && words.contains(&Tag::NOTHING) && self.names.knows_all_of(piece) {
            return Err("an operation on doubles reads something else".to_owned());
        }
        for &word in words {
            if word == Tag::NOTHING || word == last {
                continue;
            }
            last = word;
            let is_noted = self.checks && self.seen.note_operand(self.names, piece, word);
            if !is_noted && (forgets || self.checks) && !self.names.may_read(piece, word) {
                if forgets {
                    continue;
                }
                let of = piece.map_or("no operation".to_owned(), |value| self.names.number(value));
                return Err(format!("{} is not an operand of {of}", self.names.text(word)));
            }
            if !word.is_literal() {
                found.add(word);
            }
            if self.checks && !is_noted {
                self.seen.note(self.names, piece, word);
            }
        }
        Ok(())
    }

    /// Leaves a result.
    fn compute(&mut self, deed: &Deed, to: Operand, found: Found, state: &mut State) -> Result<(), Why> {
        let tag = match (to, found) {
            (Operand::Integer(_), Found::Nothing) => Tag::NOTHING,
            (Operand::Integer(_), Found::One(tag)) => tag,
            (_, Found::One(tag)) => self.names.computed(deed.piece, Some(tag)),
            (_, Found::Nothing | Found::More) => self.names.computed(deed.piece, None),
        };
        let count = deed.words(to);
        self.put(deed, to, &Held::one(tag, count), count, state)
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

/// Where cells are in scratch memory: where they are stored.
fn cells(deeds: &[Deed], names: &Names<'_>) -> Result<FxHashMap<i32, usize>, Fault> {
    let mut cells = FxHashMap::default();
    let mut places = FxHashMap::default();
    for deed in deeds {
        let Some(inst) = deed.piece.map(|value| names.func.inst(value)).filter(|inst| inst.op == Op::Set)
        else {
            continue;
        };
        if let (Action::Move { to: Operand::Memory, .. }, Place::Scratch(at)) =
            (&deed.action, deed.memory.place)
        {
            let cell: usize = inst.immediate();
            if *cells.entry(at).or_insert(cell) != cell || *places.entry(cell).or_insert(at) != at {
                return Err(Fault::new(0, "a cell has two places, or shares one"));
            }
        }
    }
    Ok(cells)
}
