//! The contents of constants, and their rows.
//!
//! Parameters `c[n]` of NV_vertex_program and its successors are in the user's rows. So are the variables of
//! ARB_vertex_program, in the order of their declarations. Position-invariant programs of the former also need a
//! matrix, which is in rows that their indices do not reach.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::ops::Range;

use super::language::Language;
use crate::isa::Generation;
use crate::text::Problem;

/// The contents that a row of constants must have.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
    /// These bits.
    Literal([u32; 4]),
    /// Program parameter `c[n]` of NV_vertex_program and its successors.
    Parameter(u16),
    /// `program.env[n]`
    Env(u16),
    /// `program.local[n]`
    Local(u16),
    /// A state of OpenGL, as ARB_vertex_program writes it with everything optional spelt out:
    /// `state.matrix.modelview[0].inverse.row[2]`.
    State(String),
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Binding::Literal(words) => {
                let [x, y, z, w] = words.map(f32::from_bits);
                write!(f, "{{ {x:?}, {y:?}, {z:?}, {w:?} }}")
            }
            Binding::Parameter(n) => write!(f, "c[{n}]"),
            Binding::Env(n) => write!(f, "program.env[{n}]"),
            Binding::Local(n) => write!(f, "program.local[{n}]"),
            Binding::State(state) => f.write_str(state),
        }
    }
}

/// A row of XFCTX that a program reads or writes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Row {
    /// The number of the row, as in the microcode.
    pub row: u16,
    /// The contents of the row.
    pub binding: Binding,
}

/// The first row of the user's.
const fn first_row(generation: Generation) -> u16 {
    generation.user_rows().start
}

/// How many rows are the user's.
const fn user_rows(generation: Generation) -> u16 {
    let rows = generation.user_rows();
    rows.end - rows.start
}

/// Rows beside the parameters (and those of the viewport): where the four of a
/// position-invariant program begin. On Kelvin those are the rows of the matrix that fixed function transforms by.
const fn spare_row(generation: Generation) -> u16 {
    match generation {
        Generation::Kelvin | Generation::Rankine => 0,
        Generation::Curie => user_rows(generation) - 4,
    }
}

/// The parameters `c[n]` of a program.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    /// Row of the first one.
    first: u16,
    count: u16,
    named: BTreeSet<u16>,
    /// Some are named by an index, so that each may be read.
    indexed: bool,
}

impl Parameters {
    pub(super) fn new(language: Language, generation: Generation) -> Parameters {
        let (first, count) = (first_row(generation), language.parameters());
        Parameters { first, count, named: BTreeSet::new(), indexed: false }
    }

    /// `c[n]`
    pub(super) fn name(&mut self, n: u16) {
        self.named.insert(n);
    }

    /// `c[A0.x + offset]`: an index counts from a row, and there is none below 0.
    pub(super) fn index(&mut self, offset: i32) {
        self.indexed = true;
        let least = u16::try_from(-offset).unwrap_or(0).min(MOST_BEHIND);
        self.first = self.first.max(least);
    }

    /// Row of parameter 0.
    pub(super) fn first(&self) -> u16 {
        self.first
    }

    /// The rows of all that may be read or written.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> {
        let all = if self.indexed { 0..self.count } else { 0..0 };
        let numbers: BTreeSet<u16> = all.chain(self.named.iter().copied()).collect();
        let first = self.first;
        numbers.into_iter().map(move |n| Row { row: first + n, binding: Binding::Parameter(n) })
    }
}

/// The parameters of Curie move up by as much as a program subtracts from an index, but no further than this.
const MOST_BEHIND: u16 = 128;

/// A variable or an array, declared or not.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) items: Vec<Binding>,
    pub(super) span: Range<usize>,
    /// Some instruction names it.
    pub(super) used: bool,
    /// Some instruction reads it by an index.
    pub(super) indexed: bool,
    /// The least offset that an index is added to, if negative.
    pub(super) least_offset: i32,
    /// Row of the first item, once there is one.
    pub(super) row: u16,
}

/// The variables of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables(pub(super) Vec<Variable>);

impl Variables {
    /// A new array, or a variable that may be an array of one.
    pub(super) fn declare(&mut self, items: Vec<Binding>, span: Range<usize>) -> usize {
        self.0.push(Variable { items, span, used: false, indexed: false, least_offset: 0, row: 0 });
        self.0.len() - 1
    }

    /// The variable that is bound to `binding` alone.
    pub(super) fn single(&mut self, binding: Binding, span: Range<usize>) -> usize {
        let same = |variable: &Variable| variable.items.len() == 1 && variable.items[0] == binding;
        match self.0.iter().position(same) {
            Some(variable) => variable,
            None => self.declare(vec![binding], span),
        }
    }

    /// Refuses parameters that indexed arrays bind more than once (ARB_vertex_program, 2.14.3.2). Literals may be.
    fn bound_once(&self) -> Result<(), Problem> {
        let mut bound = HashSet::new();
        for variable in self.0.iter().filter(|variable| variable.indexed) {
            let parameters = variable.items.iter().filter(|item| !matches!(item, Binding::Literal(_)));
            for binding in parameters {
                if !bound.insert(binding) {
                    let message = format!("{binding} is bound more than once in indexed arrays");
                    return Err(Problem::new(variable.span.clone(), message));
                }
            }
        }
        Ok(())
    }

    /// Gives every variable in use its rows.
    pub(super) fn layout(&mut self, language: Language, generation: Generation) -> Result<(), Problem> {
        let (first, limit) = match language {
            Language::Arb10 => (first_row(generation), user_rows(generation)),
            _ => (spare_row(generation), 4),
        };
        self.bound_once()?;
        let mut next = i32::from(first);
        for variable in self.0.iter_mut().filter(|variable| variable.used) {
            // An index counts from a row: there is none below 0.
            let row = next.max(-variable.least_offset);
            next = row + variable.items.len() as i32;
            if next > i32::from(first + limit) {
                let (name, span) = (generation.name(), variable.span.clone());
                let message = format!("the program needs more than the {limit} constants that {name} has");
                return Err(Problem::new(span, message));
            }
            variable.row = row as u16;
        }
        Ok(())
    }
}
