//! Operations and the instructions that belong to them, as the notes say.

use super::super::note::{Note, Part, Place};
use crate::fetch::Fetch;
use crate::ir::func::{Func, Value};
use crate::ir::imm::Passed;
use crate::ir::ops::Op;
use rustc_hash::FxHashMap;

/// For whom something was made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Owner {
    /// For no operation.
    Nobody,
    /// For this operation.
    Value(Value),
    /// For one or another of those that raise guards: what they gather.
    Guards,
}

/// Instructions that belong together, one behind the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) at: u32,
    pub(super) value: Option<Value>,
    /// Whether the operation begins here.
    pub(super) begins: bool,
    /// The part that the last vector made here is.
    pub(super) makes: Option<Part>,
    /// The piece in which the operation began; nothing if that is elsewhere.
    pub(super) first: Option<usize>,
}

/// A result, and the end of the instructions behind which it is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished {
    pub(super) at: u32,
    pub(super) part: Part,
    pub(super) place: Place,
}

/// The operations of a function.
pub(super) struct Operations<'a> {
    pub(super) func: &'a Func,
    pub(super) pieces: Vec<Piece>,
    pub(super) results: Vec<Finished>,
    /// Which cell lies where in scratch memory.
    cells: FxHashMap<i32, usize>,
    /// The values that guards look at.
    guarded: Vec<bool>,
    /// The values that are loaded from the same rows.
    together: FxHashMap<Fetch, Vec<Value>>,
    /// The values of the prologue.
    uniform: Vec<bool>,
    /// The block of each instruction of the body.
    pub(super) block: Vec<Option<usize>>,
}

impl<'a> Operations<'a> {
    /// Those of a function whose code has these notes; the place of a note if that says something else than another.
    pub(super) fn new(func: &'a Func, notes: &[(usize, Note)]) -> Result<Self, u32> {
        let mut operations = Operations {
            func,
            pieces: vec![Piece { at: 0, value: None, begins: false, makes: None, first: None }],
            results: Vec::new(),
            cells: FxHashMap::default(),
            guarded: vec![false; func.insts.len()],
            together: FxHashMap::default(),
            uniform: vec![false; func.insts.len()],
            block: vec![None; func.insts.len()],
        };
        func.prologue.iter().for_each(|value| operations.uniform[value.index()] = true);
        for (number, block) in func.blocks().into_iter().enumerate() {
            func.body[block.range].iter().for_each(|value| operations.block[value.index()] = Some(number));
        }
        for inst in func.order().map(|value| func.inst(value)).filter(|inst| inst.op.is_guard()) {
            inst.operands().iter().for_each(|arg| operations.guarded[arg.index()] = true);
        }
        for value in func.order() {
            if let Some(rows) = operations.loaded(value) {
                operations.together.entry(rows).or_default().push(value);
            }
        }
        let mut pending = Vec::new();
        for &(at, note) in notes {
            operations.note(at as u32, note, &mut pending)?;
        }
        Ok(operations)
    }

    fn note(&mut self, at: u32, note: Note, pending: &mut Vec<(Part, Place)>) -> Result<(), u32> {
        let number = self.pieces.len();
        let last = self.pieces[number - 1];
        let goes_on = |value: Value| if last.value == Some(value) { last.first } else { None };
        // Components of one row are made together.
        let goes_on_loading = |value: Value| {
            let rows = self.loaded(value);
            rows.is_some() && last.value.is_some_and(|last| self.loaded(last) == rows)
        };
        let none = Piece { at, value: None, begins: false, makes: None, first: None };
        let piece = match note {
            Note::Run(value) => {
                Piece { value: Some(value), begins: !goes_on_loading(value), first: Some(number), ..none }
            }
            Note::Again(value) => Piece { value: Some(value), first: goes_on(value), ..none },
            Note::Makes(part) if last.value == Some(part.value) => {
                Piece { value: last.value, first: last.first, makes: Some(part), ..none }
            }
            Note::Makes(part) => Piece {
                value: Some(part.value),
                begins: true,
                makes: Some(part),
                first: Some(number),
                ..none
            },
            Note::Ran => {
                let results = pending.drain(..).map(|(part, place)| Finished { at, part, place });
                self.results.extend(results);
                none
            }
            Note::Result(part, place) => {
                pending.push((part, place));
                return Ok(());
            }
            Note::Cell(cell, offset) => {
                let other = self.cells.insert(offset, cell);
                return if other.is_none_or(|other| other == cell) { Ok(()) } else { Err(at) };
            }
        };
        self.pieces.push(piece);
        Ok(())
    }

    /// The number of the piece that an instruction belongs to.
    pub(super) fn piece(&self, at: u32) -> usize {
        self.pieces.partition_point(|piece| piece.at <= at) - 1
    }

    /// Whom an instruction is for.
    pub(super) fn owner(&self, at: u32) -> Owner {
        self.pieces[self.piece(at)].value.map_or(Owner::Nobody, Owner::Value)
    }

    /// The operations that begin before an instruction.
    pub(super) fn begin(&self, at: u32) -> impl Iterator<Item = Owner> + '_ {
        let end = self.pieces.partition_point(|piece| piece.at <= at);
        let here = self.pieces[..end].iter().rev().take_while(move |piece| piece.at == at);
        let begun = here.filter(|piece| piece.begins).filter_map(|piece| piece.value);
        begun.flat_map(|value| {
            let together = self.loaded(value).and_then(|rows| self.together.get(&rows));
            [value].into_iter().chain(together.into_iter().flatten().copied()).map(Owner::Value)
        })
    }

    /// The cell that lies at an offset of scratch memory.
    pub(super) fn cell(&self, at: i32) -> Option<usize> {
        self.cells.get(&at).copied()
    }

    /// Whether all lanes of what was made are alike.
    pub(super) fn is_uniform(&self, owner: Owner) -> bool {
        matches!(owner, Owner::Value(value) if self.uniform[value.index()])
    }

    /// Whether a guard looks at a value.
    pub(super) fn is_guarded(&self, value: Value) -> bool {
        self.guarded[value.index()]
    }

    /// Whether what was made may be what guards gather.
    pub(super) fn raises(&self, owner: Owner) -> bool {
        match owner {
            Owner::Nobody => false,
            Owner::Guards => true,
            Owner::Value(value) => raises(self.func.inst(value).op),
        }
    }

    /// Whether an instruction may be one that finds out where lanes wait, which no single way to it says.
    pub(super) fn runs_blocks(&self, owner: Owner) -> bool {
        match owner {
            Owner::Nobody => true,
            Owner::Value(value) => matches!(self.func.inst(value).op, Op::Block | Op::Goto),
            Owner::Guards => false,
        }
    }

    /// Whether it may be raised guards that are gathered, be it at the end of a block.
    pub(super) fn gathers(&self, owner: Owner) -> bool {
        owner == Owner::Nobody || self.raises(owner)
    }

    /// For whom two vectors were made, if it is one.
    pub(super) fn common(&self, a: Owner, b: Owner) -> Option<Owner> {
        if a == b { Some(a) } else { (self.gathers(a) && self.gathers(b)).then_some(Owner::Guards) }
    }

    /// The rows of which an operation loads a component.
    fn loaded(&self, value: Value) -> Option<Fetch> {
        Fetch::of(self.func.inst(value)).map(|(fetch, _)| fetch)
    }

    /// The rows that an operation accesses.
    pub(super) fn rows(&self, value: Value) -> Option<Fetch> {
        let inst = self.func.inst(value);
        match inst.op {
            Op::RowGuard => Some(Fetch::Attribute(inst.immediate::<usize>())),
            Op::RowCopy => Some(Fetch::Attribute(inst.immediate::<Passed>().attribute)),
            _ => Fetch::of(inst).map(|(fetch, _)| fetch),
        }
    }
}

/// Whether an operation raises guards.
pub(super) fn raises(op: Op) -> bool {
    op.is_guard() || matches!(op, Op::RowGuard | Op::RowCopy)
}
