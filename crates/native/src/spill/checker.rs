//! A symbolic checker of value locations: it tracks every value through registers, block parameters and scratch memory, in
//! the order in which the code was emitted.
//!
//! The emitter records a trace of what the code does with values ([`Step`]): where a value is computed, copies between
//! places, and the places from which operands are read. The checker depends on the function and this trace only. It tracks
//! the contents of each place, and checks at every read that the place contains the operand. So wrong slots, slots that were
//! reused while their value was still live, and reads before the definition are found without running the code, for any
//! data.
//!
//! At its beginning a block or group can rely only on memory that the prologue has written and *no* block overwrites:
//! lanes may come from any block, and the loop from any group. The end of the scratch memory is the frame (cells, places of
//! lanes, raised guards); no value may be stored there.

use crate::ir::func::{Func, Value};
use crate::ir::ops::{Effect, Kind, Load};
use crate::machine::Machine;
use rustc_hash::FxHashMap;
use std::fmt;
use xfjit_runtime::state::{SCRATCH, Scratch};

/// A location of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// A value of the code generator, by its number.
    Register(u32),
    /// The two vectors of a double.
    Pair(u32, u32),
    /// A vector of the scratch memory, by its byte offset.
    Memory(i32),
}

/// A step of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// A part begins. It may be reached without running all code before it, so no value is in a register.
    Part(Part),
    /// A value is computed.
    Make { value: Value, at: Place },
    /// A value is copied: to memory, to a block parameter, or from memory to a register.
    Copy { from: Place, to: Place },
    /// The instruction that runs next reads an operand.
    Read { value: Value, at: Place },
    /// A word of the frame is read or written; cells are numbered from 0.
    Frame { word: usize, at: i32, writes: bool },
    /// An instruction has run.
    Run(Value),
}

/// A part of the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Prologue,
    /// A block of the body.
    Block(usize),
}

/// The trace of values in emitted code. It stays empty unless the code is to be checked.
#[derive(Default, Debug)]
pub(crate) struct Trace {
    steps: Vec<Step>,
    is_wanted: bool,
}

impl Trace {
    /// An empty trace, of code that will be checked or not.
    pub(crate) fn new(is_wanted: bool) -> Self {
        Trace { steps: Vec::new(), is_wanted }
    }

    /// Appends a step.
    pub(crate) fn note(&mut self, step: Step) {
        if self.is_wanted {
            self.steps.push(step);
        }
    }
}

/// Code that reads a wrong value: a bug of this library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    step: usize,
    why: Why,
}

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    /// The place contains another value than the operand.
    Other { value: Value, at: Place, holds: Holds },
    /// A place without a known value is read or copied.
    Nothing { at: Place },
    /// A value is stored to a word of the frame, or outside of the scratch memory.
    NoRoom { at: Place },
    /// A word of the frame is accessed at a wrong offset, or a cell is accessed after it was written.
    Frame { word: usize, at: i32 },
    /// The instruction has not read exactly its operands, in order.
    Operands { value: Value },
    /// The instruction has not computed its result, or another one.
    Result { value: Value },
    /// The instruction does not belong to the part, or has run before.
    Twice { value: Value },
    /// The part ends before the instruction has run.
    Missing { value: Value },
    /// Parts are in a wrong order.
    Parts,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of the code: ", self.step)?;
        match self.why {
            Why::Other { value, at, holds } => {
                write!(f, "v{} is read in {at:?}, which holds {holds:?}", value.0)
            }
            Why::Nothing { at } => write!(f, "nothing is in {at:?}"),
            Why::NoRoom { at } => write!(f, "{at:?} is not for values"),
            Why::Frame { word, at } => write!(f, "word {word} of the frame is not at {at}"),
            Why::Operands { value } => write!(f, "v{} has not read its operands", value.0),
            Why::Result { value } => write!(f, "the result of v{} is not there", value.0),
            Why::Twice { value } => write!(f, "v{} should not run here", value.0),
            Why::Missing { value } => write!(f, "v{} has not run", value.0),
            Why::Parts => write!(f, "the part does not follow"),
        }
    }
}

/// The contents of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holds {
    Value(Value),
    /// A word of the frame.
    Frame(usize),
}

/// Checks the code of a function.
pub(crate) fn check(func: &Func, machine: &Machine, trace: &Trace) -> Result<(), Fault> {
    let mut check = Check::new(func, machine, &trace.steps);
    for (step, &what) in trace.steps.iter().enumerate() {
        check.step(what).map_err(|why| Fault { step, why })?;
    }
    check.end().map_err(|why| Fault { step: trace.steps.len(), why })
}

struct Check<'a> {
    func: &'a Func,
    machine: &'a Machine,
    steps: &'a [Step],
    /// The words of the frame: the cells, the place of each lane and the raised guards; and how many are cells.
    frame: usize,
    cells: usize,
    /// The values of each block of the body.
    blocks: Vec<&'a [Value]>,
    part: Option<Part>,
    /// The contents of memory at the beginning of every part of the body.
    found: FxHashMap<i32, Holds>,
    /// The places that this part has changed.
    places: FxHashMap<Place, Holds>,
    /// Cells that this part has written.
    written: Vec<usize>,
    /// The operands read for the next instruction.
    read: Vec<Value>,
    /// The result computed by the next instruction.
    made: Option<Value>,
    /// The cell accessed by the next instruction, and whether it is written.
    framed: Option<(usize, bool)>,
    /// The previous instruction.
    last: Option<Value>,
    /// The block of each instruction; `None` in the prologue.
    block: Vec<Option<usize>>,
    /// The last part in which each instruction ran.
    run: Vec<Option<Part>>,
    /// For each value the first one that is the same component of the same fetch: what one is, the others are.
    same: Vec<Value>,
}

impl<'a> Check<'a> {
    fn new(func: &'a Func, machine: &'a Machine, steps: &'a [Step]) -> Self {
        let blocks: Vec<&[Value]> = func.blocks().into_iter().map(|block| &func.body[block.range]).collect();
        let mut block = vec![None; func.insts.len()];
        for (number, values) in blocks.iter().enumerate() {
            values.iter().for_each(|value| block[value.index()] = Some(number));
        }
        let mut found = FxHashMap::default();
        // Each is a walk over the function.
        let (words, cells) = (func.frame(), func.cells());
        for word in 0..words {
            found.insert(frame(words, machine, word), Holds::Frame(word));
        }
        Check {
            func,
            machine,
            steps,
            frame: words,
            cells,
            blocks,
            part: None,
            found,
            places: FxHashMap::default(),
            written: Vec::new(),
            read: Vec::new(),
            made: None,
            framed: None,
            last: None,
            block,
            run: vec![None; func.insts.len()],
            same: same(func),
        }
    }

    /// The instructions of the part.
    fn values(&self) -> &'a [Value] {
        match self.part {
            Some(Part::Prologue) => &self.func.prologue,
            Some(Part::Block(number)) => self.blocks.get(number).copied().unwrap_or_default(),
            None => &[],
        }
    }

    fn holds(&self, at: Place) -> Result<Holds, Why> {
        let found = || if let Place::Memory(offset) = at { self.found.get(&offset) } else { None };
        self.places.get(&at).or_else(found).copied().ok_or(Why::Nothing { at })
    }

    fn put(&mut self, at: Place, what: Holds) -> Result<(), Why> {
        if let Place::Memory(offset) = at {
            let end = Scratch::offset(SCRATCH, self.machine.lanes);
            let size = 4 * self.machine.lanes as i32;
            let is_inside = (0..=end - size).contains(&offset) && offset % size == 0;
            if !is_inside || matches!(self.found.get(&offset), Some(Holds::Frame(_))) {
                return Err(Why::NoRoom { at });
            }
        }
        self.places.insert(at, what);
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<(), Why> {
        match step {
            Step::Part(part) => return self.begin(part),
            Step::Make { value, at } => {
                if !self.func.is_literal(value) && self.made.replace(value).is_some() {
                    return Err(Why::Result { value });
                }
                self.put(at, Holds::Value(self.same[value.index()]))?;
            }
            Step::Copy { from, to } => {
                let what = self.holds(from)?;
                self.put(to, what)?;
            }
            Step::Read { value, at } => {
                let holds = self.holds(at)?;
                if holds != Holds::Value(self.same[value.index()]) {
                    return Err(Why::Other { value, at, holds });
                }
                self.read.push(value);
            }
            Step::Frame { word, at, writes } => self.frame(word, at, writes)?,
            Step::Run(value) => return self.run(value),
        }
        Ok(())
    }

    /// Begins a part. Values stored by the previous part are kept only if it was the prologue.
    fn begin(&mut self, part: Part) -> Result<(), Why> {
        self.check_complete()?;
        let follows = match (self.part, part) {
            (None, Part::Prologue) => true,
            (Some(Part::Prologue), Part::Block(0)) => true,
            (Some(Part::Block(number)), Part::Block(next)) => next == number + 1 && next < self.blocks.len(),
            (None | Some(_), _) => false,
        };
        if !follows {
            return Err(Why::Parts);
        }
        if self.part == Some(Part::Prologue) {
            let left = self.places.iter().filter_map(|(&place, &holds)| match place {
                Place::Memory(offset) => Some((offset, holds)),
                Place::Register(_) | Place::Pair(..) => None,
            });
            self.found.extend(left);
            let body = self.steps.iter().skip_while(|step| !matches!(step, Step::Part(Part::Block(_))));
            for step in body {
                if let Step::Copy { to: Place::Memory(offset), .. } = step
                    && matches!(self.found.get(offset), Some(Holds::Value(_)))
                {
                    self.found.remove(offset);
                }
            }
        }
        self.places.clear();
        self.written.clear();
        (self.part, self.last) = (Some(part), None);
        Ok(())
    }

    fn frame(&mut self, word: usize, at: i32, writes: bool) -> Result<(), Why> {
        let fault = Err(Why::Frame { word, at });
        let Some(Part::Block(_)) = self.part else { return fault };
        if word >= self.frame || at != frame(self.frame, self.machine, word) {
            return fault;
        }
        if self.written.contains(&word) {
            return fault;
        }
        // The places of lanes and the guards may be read after they were written.
        if word < self.cells {
            self.framed = Some((word, writes));
            if writes {
                self.written.push(word);
            }
        }
        Ok(())
    }

    fn run(&mut self, value: Value) -> Result<(), Why> {
        let func = self.func;
        let inst = func.inst(value);
        let (read, made, framed) = (std::mem::take(&mut self.read), self.made.take(), self.framed.take());
        let block = if let Some(Part::Block(number)) = self.part { Some(number) } else { None };
        if self.run[value.index()].replace(self.part.ok_or(Why::Parts)?) == self.part
            || self.block[value.index()] != block
        {
            return Err(Why::Twice { value });
        }
        let last = self.last.replace(value).map(|last| func.inst(last));
        // Components of one fetch are loaded together, by the first instruction.
        let together = last.is_some_and(|last| last.op == inst.op && last.args == inst.args)
            && matches!(inst.op.kind(), Kind::Load(Load::Gather | Load::Table));
        let is_complete = read == inst.operands() || read.is_empty() && (together || func.is_literal(value));
        if !is_complete {
            return Err(Why::Operands { value });
        }
        let (kind, cell) = (inst.op.kind(), inst.imm as usize);
        let reads = (kind == Kind::Load(Load::Get)).then_some((cell, false));
        let wanted = reads.or((kind == Kind::Effect(Effect::Set)).then_some((cell, true)));
        if framed != wanted {
            return Err(Why::Operands { value });
        }
        let result = (!inst.op.has_effect() && !func.is_literal(value)).then_some(value);
        if made == result { Ok(()) } else { Err(Why::Result { value }) }
    }

    /// Checks that every instruction of the part has run.
    fn check_complete(&self) -> Result<(), Why> {
        let has_run = |value: &&Value| self.run[value.index()] == self.part;
        let missing = self.values().iter().find(|value| !has_run(value));
        missing.map_or(Ok(()), |&value| Err(Why::Missing { value }))
    }

    fn end(&self) -> Result<(), Why> {
        self.check_complete()?;
        let last = Part::Block(self.blocks.len() - 1);
        if self.part == Some(last) { Ok(()) } else { Err(Why::Parts) }
    }
}

/// For each value the first one that is the same component of the same fetch, or itself: they get one place. Optimised
/// functions have none twice.
fn same(func: &Func) -> Vec<Value> {
    let mut first = FxHashMap::default();
    let mut same: Vec<Value> = (0..func.insts.len() as u32).map(Value).collect();
    for value in func.order() {
        let inst = func.inst(value);
        if matches!(inst.op.kind(), Kind::Load(Load::Input | Load::Gather | Load::Table)) {
            same[value.index()] = *first.entry((inst.op, inst.args, inst.imm)).or_insert(value);
        }
    }
    same
}

/// The offset of a word of the frame of so many words, at the end of the scratch memory.
fn frame(words: usize, machine: &Machine, word: usize) -> i32 {
    Scratch::offset(SCRATCH - words + word, machine.lanes)
}

#[cfg(test)]
mod tests;
