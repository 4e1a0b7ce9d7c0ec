//! Registers for temporaries.

use std::ops::RangeInclusive;

use super::super::assemble::Operator;
use super::ir::{Node, Register, Target, Temp};
use crate::chip::programs::POSITION_READ_BACK;
use crate::isa::Generation;
use crate::text::Problem;

/// What a temporary is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// `R5`: it is that register.
    Numbered(u8),
    /// Declared by name.
    Declared,
    /// Between the operations of one instruction.
    Scratch,
}

/// The temporaries of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Temps(Vec<Kind>);

impl Temps {
    fn add(&mut self, kind: Kind) -> Temp {
        self.0.push(kind);
        // A text that names more than this is refused for want of registers; it must only not panic.
        Temp::try_from(self.0.len() - 1).unwrap_or(Temp::MAX)
    }

    /// The temporary that is register `n`.
    pub(super) fn numbered(&mut self, n: u8) -> Temp {
        match self.0.iter().position(|&kind| kind == Kind::Numbered(n)) {
            Some(temp) => temp as Temp,
            None => self.add(Kind::Numbered(n)),
        }
    }

    /// A new temporary with a name.
    pub(super) fn declare(&mut self) -> Temp {
        self.add(Kind::Declared)
    }

    /// A new temporary for a moment.
    pub(super) fn scratch(&mut self) -> Temp {
        self.add(Kind::Scratch)
    }

    /// A number for every temporary: those that are registers have theirs, and others come behind the chip's. None if there are too many
    /// for numbers.
    pub(super) fn number(&self, generation: Generation) -> Option<Vec<u8>> {
        let mut next = generation.temps().max(usize::from(POSITION_READ_BACK) + 1);
        let number = |&kind: &Kind| match kind {
            Kind::Numbered(n) => Some(n),
            Kind::Declared | Kind::Scratch => {
                next += 1;
                u8::try_from(next - 1).ok()
            }
        };
        self.0.iter().map(number).collect()
    }

    /// A register for every temporary that `nodes` use.
    pub(super) fn allocate(&self, generation: Generation, nodes: &[Node]) -> Result<Vec<u8>, Problem> {
        if self.0.len() > usize::from(Temp::MAX) {
            return Err(Problem::new(0..0, "the program has too many temporaries"));
        }
        let mut lives: Vec<Option<RangeInclusive<usize>>> = vec![None; self.0.len()];
        for (i, node) in nodes.iter().enumerate() {
            for temp in used(node) {
                let life = &mut lives[usize::from(temp)];
                let start = life.as_ref().map_or(i, |life| *life.start());
                *life = Some(start..=i);
            }
        }
        let jumps = |node: &Node| matches!(node.operator, Operator::Sca(op) if op.is_branch());
        let straight = !nodes.iter().any(jumps);
        // Names keep their registers to the end if that is possible: it reads better.
        let whole = self.fit(generation, &lives, nodes, true);
        if whole.is_ok() || !straight { whole } else { self.fit(generation, &lives, nodes, false) }
    }

    /// Gives each temporary the lowest register that is free while it lives; declared ones live all the time if
    /// `whole`.
    fn fit(
        &self,
        generation: Generation,
        lives: &[Option<RangeInclusive<usize>>],
        nodes: &[Node],
        whole: bool,
    ) -> Result<Vec<u8>, Problem> {
        let limit = generation.temps();
        let mut registers = vec![0; self.0.len()];
        let mut taken: Vec<Vec<RangeInclusive<usize>>> = vec![Vec::new(); limit];
        let all = 0..=nodes.len();
        let mut order: Vec<usize> = (0..self.0.len()).filter(|&temp| lives[temp].is_some()).collect();
        // Numbered ones first, then declared ones in the order of the text, then by when their life begins.
        order.sort_by_key(|&temp| {
            let start = lives[temp].as_ref().map_or(0, |life| *life.start());
            match self.0[temp] {
                Kind::Numbered(_) => (0, 0),
                Kind::Declared if whole => (1, temp),
                Kind::Declared | Kind::Scratch => (2, start),
            }
        });
        for temp in order {
            let Some(life) = &lives[temp] else { continue };
            let life = match self.0[temp] {
                Kind::Numbered(_) => all.clone(),
                Kind::Declared if whole => all.clone(),
                Kind::Declared | Kind::Scratch => life.clone(),
            };
            let free = |others: &[RangeInclusive<usize>]| {
                others.iter().all(|other| other.end() < life.start() || life.end() < other.start())
            };
            let register = match self.0[temp] {
                Kind::Numbered(n) if usize::from(n) < limit => Some(usize::from(n)),
                Kind::Numbered(_) => None,
                Kind::Declared | Kind::Scratch => taken.iter().position(|others| free(others)),
            };
            let Some(register) = register else {
                let first = lives[temp].as_ref().map_or(0, |life| *life.start());
                let span = nodes.get(first).map_or(0..0, |node| node.span.clone());
                let name = generation.name();
                let message = format!("the program needs more than the {limit} temporaries that {name} has");
                return Err(Problem::new(span, message));
            };
            taken[register].push(life);
            registers[temp] = register as u8;
        }
        Ok(registers)
    }
}

/// The temporaries that a node reads or writes.
fn used(node: &Node) -> impl Iterator<Item = Temp> {
    let read = node.sources.iter().filter_map(|source| match source.register {
        Register::Temp(temp) => Some(temp),
        Register::Attribute { .. } | Register::Constant { .. } => None,
    });
    let written = node.destination.iter().filter_map(|destination| match destination.target {
        Target::Temp(temp) => Some(temp),
        _ => None,
    });
    read.chain(written)
}
