//! Names of what registers and memory hold, and what the function says of them.

use super::super::super::fetch::Fetch;
use crate::ir::func::{Func, Inst, Value};
use crate::ir::imm::{Element, Passed};
use crate::ir::ops::{Effect, Kind, Load, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// What an element of a vector holds (a word of it), or a mask, an integer, or a word of memory: the name of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Tag(u32);

/// The kinds of names, in the upper bits. What several instructions fetch together has names of its own, since it is there before they are.
const ATTRIBUTE: u32 = 1 << 28;
const CONSTANT: u32 = 2 << 28;
const FETCHED: u32 = 3 << 28;
const SOME_OF_ATTRIBUTE: u32 = 4 << 28;
const SOME_FETCHED: u32 = 5 << 28;
const CELL: u32 = 6 << 28;
const LITERAL: u32 = 7 << 28;
const DOUBLE: u32 = 8 << 28;
const KIND: u32 = 0xf << 28;

impl Tag {
    /// The top of the lattice: nothing that has a name.
    pub(super) const NOTHING: Tag = Tag(0);

    const fn of(value: Value) -> Tag {
        Tag(1 + value.0)
    }

    pub(super) const fn attribute(attribute: usize, word: usize) -> Tag {
        Tag(ATTRIBUTE | (4 * attribute + word) as u32)
    }

    pub(super) const fn constant(element: u32) -> Tag {
        Tag(CONSTANT | element)
    }

    pub(super) const fn cell(cell: usize) -> Tag {
        Tag(CELL | cell as u32)
    }

    /// Whether it is a word or a double of the function's that is known.
    pub(super) const fn is_literal(self) -> bool {
        matches!(self.kind(), LITERAL | DOUBLE)
    }

    const fn kind(self) -> u32 {
        self.0 & KIND
    }

    const fn number(self) -> u32 {
        self.0 & !KIND
    }

    /// What is known of a component: that it is one of its row.
    pub(super) const fn some(self) -> Tag {
        match self.kind() {
            ATTRIBUTE => Tag(SOME_OF_ATTRIBUTE | (self.number() / 4)),
            FETCHED => Tag(SOME_FETCHED | (self.number() / 4)),
            _ => self,
        }
    }

    /// The meet: what both are.
    pub(super) fn meet(self, other: Tag) -> Tag {
        match self {
            _ if self == other => self,
            _ if self.some() == other.some() => self.some(),
            _ => Tag::NOTHING,
        }
    }

    /// Whether it is of a row that is fetched.
    const fn is_fetched(self) -> bool {
        matches!(self.kind(), ATTRIBUTE | FETCHED | SOME_OF_ATTRIBUTE | SOME_FETCHED)
    }
}

/// What the function says: the name of each value, and which of them each operation reads.
pub(super) struct Names<'a> {
    pub(super) func: &'a Func,
    tags: Vec<Tag>,
    rows: FxHashMap<Fetch, u32>,
    /// Cells that are set.
    cells: FxHashSet<u32>,
    /// Words that are literals of the function.
    literals: FxHashMap<u32, Tag>,
    /// Bits that are doubles of the function, which are promoted literals.
    doubles: FxHashMap<u64, Tag>,
    /// Values that code computes. Of others whoever reads them computes them.
    has_code: Vec<bool>,
    /// What guards and branches look at.
    guarded: FxHashSet<Tag>,
    /// The operations that write each output, and those that store each row of constants.
    outputs: FxHashMap<usize, Vec<Value>>,
    stores: FxHashMap<usize, Vec<Value>>,
}

impl<'a> Names<'a> {
    /// Those of a function; there is code that computes `made` values.
    pub(super) fn new(func: &'a Func, made: impl Iterator<Item = Value>) -> Self {
        let mut names = Names {
            func,
            tags: vec![Tag::NOTHING; func.insts.len()],
            rows: FxHashMap::default(),
            literals: FxHashMap::default(),
            doubles: FxHashMap::default(),
            cells: func
                .order()
                .map(|value| func.inst(value))
                .filter(|inst| inst.op == Op::Set)
                .map(|inst| inst.imm)
                .collect(),
            has_code: vec![false; func.insts.len()],
            guarded: FxHashSet::default(),
            outputs: FxHashMap::default(),
            stores: FxHashMap::default(),
        };
        for value in made {
            if let Some(has_code) = names.has_code.get_mut(value.index()) {
                *has_code = true;
            }
        }
        for value in func.order() {
            names.tags[value.index()] = names.name(value);
            let inst = func.inst(value);
            match inst.op.effect() {
                Some(Effect::Output) => names.outputs.entry(inst.immediate()).or_default().push(value),
                Some(Effect::Store) => names.stores.entry(inst.immediate()).or_default().push(value),
                Some(Effect::RowCopy) => {
                    let passed: Passed = inst.immediate();
                    names.outputs.entry(passed.output).or_default().push(value);
                }
                _ => {}
            }
        }
        for value in func.order().filter(|&value| decides(func.inst(value).op)) {
            for &operand in func.inst(value).operands() {
                names.add_guarded(operand);
            }
        }
        names
    }

    fn name(&mut self, value: Value) -> Tag {
        let inst = self.func.inst(value);
        let count = self.rows.len() as u32;
        match inst.op.kind() {
            Kind::Load(Load::Const) => {
                let count = self.literals.len() as u32;
                *self.literals.entry(inst.imm).or_insert(Tag(LITERAL | count))
            }
            _ if self.func.is_literal(value) => {
                let float = f32::from_bits(self.func.inst(inst.args[0]).imm);
                let count = self.doubles.len() as u32;
                let mut tag =
                    || *self.doubles.entry(f64::from(float).to_bits()).or_insert(Tag(DOUBLE | count));
                // Of others the bits are the environment's.
                if float.is_normal() { tag() } else { Tag::NOTHING }
            }
            Kind::Effect(_) => Tag::NOTHING,
            // Which lanes run a block is known before it begins.
            Kind::Load(Load::Block) if !self.has_code[value.index()] => Tag::NOTHING,
            Kind::Load(Load::Ctx) => Tag::constant(inst.imm),
            // What nothing sets holds zeros.
            Kind::Load(Load::Get) if !self.cells.contains(&inst.imm) => Tag::NOTHING,
            Kind::Load(Load::Get) => Tag::cell(inst.immediate()),
            _ => match Fetch::of(inst) {
                Some((Fetch::Attribute(attribute), word)) => Tag::attribute(attribute, word),
                Some((fetch, component)) => {
                    Tag(FETCHED | (4 * *self.rows.entry(fetch).or_insert(count) + component as u32))
                }
                None => Tag::of(value),
            },
        }
    }

    fn add_guarded(&mut self, value: Value) {
        let tag = self.tags[value.index()];
        self.guarded.extend([tag, tag.some()]);
        if self.is_computed_by_tests(value) {
            for &operand in self.func.inst(value).operands() {
                self.add_guarded(operand);
            }
        }
    }

    /// A value as texts of the function have it.
    pub(super) fn number(&self, value: Value) -> String {
        let mut numbered = self.func.order().filter(|&other| !self.func.inst(other).op.has_effect());
        let number = numbered.position(|other| other == value);
        let inst = self.func.inst(value);
        number.map_or_else(|| format!("{} {}", inst.op.text(), inst.imm), |number| format!("%{number}"))
    }

    /// A name for people.
    pub(super) fn text(&self, tag: Tag) -> String {
        let (row, component) = (tag.number() / 4, tag.number() % 4);
        match tag.kind() {
            0 if tag == Tag::NOTHING => "nothing".to_owned(),
            0 => self.number(Value(tag.0 - 1)),
            ATTRIBUTE => format!("word {component} of attribute {row}"),
            CONSTANT => format!("component {component} of constant {row}"),
            LITERAL | DOUBLE => "a literal".to_owned(),
            FETCHED => format!("component {component} of fetched row {row}"),
            SOME_OF_ATTRIBUTE => format!("a word of attribute {}", tag.number()),
            SOME_FETCHED => format!("a component of fetched row {}", tag.number()),
            _ => format!("cell {}", tag.number()),
        }
    }

    /// The name of a value; nothing of what has none.
    pub(super) fn tag(&self, value: Value) -> Tag {
        self.tags[value.index()]
    }

    /// A component of the row that an operation fetches.
    pub(super) fn fetched(&self, value: Value, component: usize) -> Tag {
        match Fetch::of(self.func.inst(value)) {
            Some((Fetch::Attribute(attribute), _)) => Tag::attribute(attribute, component),
            Some((fetch, _)) => {
                self.rows.get(&fetch).map_or(Tag::NOTHING, |row| Tag(FETCHED | (4 * row + component as u32)))
            }
            None => Tag::NOTHING,
        }
    }

    /// A word that stands behind the code.
    pub(super) fn literal(&self, word: u32) -> Tag {
        self.literals.get(&word).copied().unwrap_or_default()
    }

    /// Two words that stand behind the code, if they are a double. Unless an operation on doubles reads them, they might as well be two literals.
    pub(super) fn double(&self, bits: u64, is_for_doubles: bool) -> Option<Tag> {
        let are_words =
            || [bits as u32, (bits >> 32) as u32].iter().all(|word| self.literals.contains_key(word));
        self.doubles.get(&bits).copied().filter(|_| is_for_doubles || !are_words())
    }

    /// A word of the attribute that an operation reads.
    pub(super) fn attribute_of(&self, value: Value, word: usize) -> Tag {
        let inst = self.func.inst(value);
        let attribute = match inst.op {
            Op::Input => inst.immediate::<Element>().row,
            Op::RowGuard => inst.immediate(),
            Op::RowCopy => inst.immediate::<Passed>().attribute,
            _ => return Tag::NOTHING,
        };
        Tag::attribute(attribute, word)
    }

    /// Whether all that an operation reads has a name: those on doubles have no literals of their own.
    pub(super) fn knows_all_of(&self, piece: Option<Value>) -> bool {
        let Some(inst) = piece.map(|value| self.func.inst(value)) else { return false };
        let has_name = |&operand: &Value| self.tag(operand) != Tag::NOTHING;
        inst.op.takes_doubles() && inst.op.makes_double() && inst.operands().iter().all(has_name)
    }

    /// Whether a piece is for an operation of a kind.
    pub(super) fn is_for(&self, piece: Option<Value>, op: Op) -> bool {
        piece.is_some_and(|value| self.func.inst(value).op == op)
    }

    /// The operation that sets a cell, if words of these names are what it is set to.
    pub(super) fn set(&self, piece: Option<Value>, cell: usize, names: &[Tag]) -> Option<Value> {
        let value = piece?;
        let inst = self.func.inst(value);
        let is_it = inst.op == Op::Set && inst.immediate::<usize>() == cell;
        (is_it && names.iter().all(|&name| self.may_store(inst.operands(), 0, name))).then_some(value)
    }

    /// What instructions of an operation compute, of what they have read.
    pub(super) fn computed(&self, piece: Option<Value>, read: Option<Tag>) -> Tag {
        let Some(value) = piece else { return Tag::NOTHING };
        let tag = self.tag(value);
        match read {
            // Bytes of a word that are cleared, or swapped, leave its name.
            Some(read) if tag.is_fetched() && read.is_fetched() => read,
            _ => tag.some(),
        }
    }

    /// Whether nothing computes a value but what reads it.
    fn is_computed_by_readers(&self, value: Value) -> bool {
        computes(self.func.inst(value).op) && !self.has_code[value.index()] && !self.func.is_literal(value)
    }

    /// Whether what tests a value may compute it once more: an instruction tests what two vectors have in common, or one without the other.
    fn is_computed_by_tests(&self, value: Value) -> bool {
        self.is_computed_by_readers(value) || matches!(self.func.inst(value).op, Op::And | Op::AndNot)
    }

    /// Whether a name is that of an operand.
    fn is(&self, operand: Value, tag: Tag) -> bool {
        let own = self.tag(operand);
        own != Tag::NOTHING && (own == tag || own.some() == tag)
    }

    /// Whether a name is that of an operand, or of something that it is computed of by its reader.
    fn reaches(&self, operand: Value, tag: Tag) -> bool {
        let of_operand = |&other: &Value| self.reaches(other, tag);
        self.is(operand, tag)
            || self.is_computed_by_readers(operand)
                && self.func.inst(operand).operands().iter().any(of_operand)
    }

    /// Whether a name reaches an operation through one of its operands.
    fn reaches_any(&self, inst: &Inst, tag: Tag) -> bool {
        inst.operands().iter().any(|&operand| self.reaches(operand, tag))
    }

    /// Whether the instructions of an operation may compute on something of this name. Those of none test guards.
    pub(super) fn may_read(&self, piece: Option<Value>, tag: Tag) -> bool {
        // Operations have words of their own beside the literals of the function, but no doubles.
        if tag.kind() == LITERAL {
            return true;
        }
        let Some(value) = piece else { return self.guarded.contains(&tag) };
        let inst = self.func.inst(value);
        let is_guarded = || self.guarded.contains(&tag);
        match inst.op.kind() {
            Kind::Effect(Effect::RowGuard | Effect::RowCopy) | Kind::Load(Load::Input) => {
                matches!(tag.kind(), ATTRIBUTE | SOME_OF_ATTRIBUTE) || is_guarded()
            }
            Kind::Load(_) => {
                self.tag(value).some() == tag.some() || self.reaches_any(inst, tag) || is_guarded()
            }
            Kind::Effect(_) => self.reaches_any(inst, tag) || is_guarded(),
            _ => self.tag(value) == tag || self.reaches_any(inst, tag),
        }
    }

    /// The operations that store this to a component of an output: that of the piece, or all that do; none if it is not what the function
    /// says.
    pub(super) fn outputs(
        &self,
        piece: Option<Value>,
        output: usize,
        component: usize,
        tag: Tag,
    ) -> impl Iterator<Item = Value> {
        own(self.outputs.get(&output), piece).filter(move |&value| {
            let inst = self.func.inst(value);
            match inst.op {
                Op::RowCopy => {
                    let passed: Passed = inst.immediate();
                    let word = Tag::attribute(passed.attribute, component);
                    let has = 4 * component < self.func.inputs.format(passed.attribute).bytes();
                    tag == word || tag == word.some() || !has && tag == Tag::NOTHING
                }
                _ => self.may_store(inst.operands(), component, tag),
            }
        })
    }

    /// The operations that store this to a component of a row of constants, as of outputs.
    pub(super) fn stores(
        &self,
        piece: Option<Value>,
        row: usize,
        component: usize,
        tag: Tag,
    ) -> impl Iterator<Item = Value> {
        own(self.stores.get(&row), piece)
            .filter(move |&value| self.may_store(self.func.inst(value).operands(), component, tag))
    }

    fn may_store(&self, operands: &[Value], component: usize, tag: Tag) -> bool {
        operands.get(component).is_some_and(|&operand| match self.tag(operand) {
            Tag::NOTHING => tag == Tag::NOTHING || tag.is_literal(),
            own if own.is_literal() => {
                tag == own || tag == Tag::NOTHING && is_idiom(self.func.inst(operand).imm)
            }
            _ => self.is(operand, tag),
        })
    }

    /// The output that the operation of a piece writes.
    pub(super) fn output_of(&self, piece: Option<Value>) -> Option<usize> {
        let inst = self.func.inst(piece?);
        match inst.op {
            Op::Output => Some(inst.immediate()),
            Op::RowCopy => Some(inst.immediate::<Passed>().output),
            _ => None,
        }
    }

    /// An operation that has not read an operand, by what has been read by each.
    pub(super) fn lacks(&self, seen: &Seen) -> Option<(Value, Value)> {
        self.func.order().filter(|&value| !self.func.is_literal(value)).find_map(|value| {
            let inst = self.func.inst(value);
            if !inst.op.has_effect() && !self.has_code[value.index()] {
                return None;
            }
            let by = if decides(inst.op) { None } else { Some(value) };
            let mut operands = inst.operands().iter().copied().enumerate();
            let is_there = |number: usize, operand: Value| {
                by.is_some() && seen.operands[value.index()] >> number & 1 != 0
                    || self.is_seen(operand, by, seen)
            };
            operands
                .find(|&(number, operand)| !is_there(number, operand))
                .map(|(_, operand)| (value, operand))
        })
    }

    /// Whether an operation has read an operand of this name. It may have read it for another operand, too, which is computed of that one.
    fn has_read(&self, value: Value, tag: Tag, seen: &Seen) -> bool {
        let mut operands = self.func.inst(value).operands().iter().enumerate();
        operands.any(|(number, &operand)| {
            self.is(operand, tag) && seen.operands[value.index()] >> number & 1 != 0
        })
    }

    /// Whether an operand has been read by an operation, or by what decides where code goes on: it, or all that it is computed of.
    fn is_seen(&self, operand: Value, by: Option<Value>, seen: &Seen) -> bool {
        let tag = self.tag(operand);
        let has = |tag: Tag| match by {
            Some(value) => seen.beyond.contains(&(value, tag)) || self.has_read(value, tag, seen),
            None => seen.guarded.contains(&tag),
        };
        let is_computed = match by {
            Some(_) => self.is_computed_by_readers(operand),
            None => self.is_computed_by_tests(operand),
        };
        let of_operand = |&other: &Value| self.is_seen(other, by, seen);
        tag == Tag::NOTHING
            || tag.kind() == LITERAL && is_idiom(self.func.inst(operand).imm)
            || has(tag)
            || has(tag.some())
            || is_computed && self.func.inst(operand).operands().iter().all(of_operand)
    }
}

/// The operation of a piece, if it is among these, or all of them.
fn own(operations: Option<&Vec<Value>>, piece: Option<Value>) -> impl Iterator<Item = Value> + '_ {
    let all = operations.map_or(&[][..], Vec::as_slice);
    let is_there = piece.is_some_and(|piece| all.contains(&piece));
    all.iter().copied().filter(move |&value| !is_there || Some(value) == piece)
}

/// Whether an operation does nothing but compute its result of its operands.
pub(in super::super) const fn computes(op: Op) -> bool {
    matches!(op.kind(), Kind::Pure(_) | Kind::Double(_))
}

/// Whether code makes a word without reading it.
const fn is_idiom(word: u32) -> bool {
    matches!(word, 0 | u32::MAX)
}

/// Whether an operation's operand decides where code goes on: at its end, if not at once.
const fn decides(op: Op) -> bool {
    op.is_guard() || matches!(op, Op::Goto)
}

/// What operations have read.
pub(super) struct Seen {
    /// For each value, which of its operands.
    operands: Vec<u8>,
    /// What operations have read of operands that have no code of their own.
    beyond: FxHashSet<(Value, Tag)>,
    /// What guards and branches have read, and what tests them.
    guarded: FxHashSet<Tag>,
}

impl Seen {
    /// Nothing has been read.
    pub(super) fn new(names: &Names<'_>) -> Self {
        Seen {
            operands: vec![0; names.func.insts.len()],
            beyond: FxHashSet::default(),
            guarded: FxHashSet::default(),
        }
    }

    /// Notes that instructions of an operation that computes have read something, if it is one of its operands. Nearly all that is read is: so this
    /// finds out at once whether it may be read.
    pub(super) fn note_operand(&mut self, names: &Names<'_>, piece: Option<Value>, tag: Tag) -> bool {
        let Some(value) = piece else { return false };
        let inst = names.func.inst(value);
        computes(inst.op) && self.note_operands(names, value, inst, tag)
    }

    /// Notes which operands have this name; whether there is one.
    fn note_operands(&mut self, names: &Names<'_>, value: Value, inst: &Inst, tag: Tag) -> bool {
        let operands = inst.operands().iter().enumerate();
        let bits =
            operands.fold(0, |bits, (number, &operand)| bits | u8::from(names.is(operand, tag)) << number);
        self.operands[value.index()] |= bits;
        bits != 0
    }

    /// Notes that instructions of an operation, or of none, have read something.
    pub(super) fn note(&mut self, names: &Names<'_>, piece: Option<Value>, tag: Tag) {
        let Some(value) = piece else {
            self.guarded.insert(tag);
            return;
        };
        let inst = names.func.inst(value);
        let is_operand = self.note_operands(names, value, inst, tag);
        if !is_operand && tag != names.tag(value) {
            self.beyond.insert((value, tag));
        }
        if inst.op.has_effect() {
            self.guarded.insert(tag);
        }
    }
}
