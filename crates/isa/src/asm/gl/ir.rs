//! What the text becomes first: single operations on registers that need not exist.

use std::ops::Range;

use super::super::assemble::{Extra, Operator};
use super::super::names::Suffix;
use crate::isa::{AddressComponent, Condition, Mask, Swizzle};

/// A temporary: an index of the draft's table.
pub(super) type Temp = u16;

/// Where the constants of a reference lie.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    /// The parameters `c[n]`.
    Parameters,
    /// An entry of the draft's table of variables.
    Variable(usize),
}

/// A register that is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Register {
    Temp(Temp),
    Attribute { n: u8, index: Option<AddressComponent> },
    Constant { place: Place, offset: i32, index: Option<AddressComponent> },
}

/// A source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Source {
    pub(super) register: Register,
    pub(super) swizzle: Swizzle,
    pub(super) absolute: bool,
    pub(super) negate: bool,
    pub(super) span: Range<usize>,
}

impl Source {
    /// A temporary as it is.
    pub(super) fn temp(temp: Temp, span: &Range<usize>) -> Source {
        let register = Register::Temp(temp);
        Source { register, swizzle: Swizzle::IDENTITY, absolute: false, negate: false, span: span.clone() }
    }

    /// The operand with its components picked again.
    pub(super) fn pick(&self, components: [u8; 4]) -> Source {
        let swizzle = Swizzle(components.map(|c| self.swizzle.0[usize::from(c & 3)]));
        Source { swizzle, ..self.clone() }
    }

    /// Component `c` of the operand, four times.
    pub(super) fn component(&self, c: u8) -> Source {
        self.pick([c; 4])
    }

    /// With the other sign.
    pub(super) fn negated(&self) -> Source {
        Source { negate: !self.negate, ..self.clone() }
    }

    /// Without a sign.
    pub(super) fn magnitude(&self) -> Source {
        Source { absolute: true, negate: false, ..self.clone() }
    }
}

/// A register that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Temp(Temp),
    Output {
        n: u8,
        index: Option<AddressComponent>,
    },
    /// Parameter `c[n]`.
    Parameter(u16),
    Address(u8),
    /// The condition register that the suffix names.
    Codes,
}

/// A destination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Destination {
    pub(super) target: Target,
    pub(super) mask: Mask,
    pub(super) span: Range<usize>,
}

/// One operation.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) operator: Operator,
    pub(super) suffix: Suffix,
    /// What it was written as.
    pub(super) span: Range<usize>,
    pub(super) destination: Option<Destination>,
    /// Of the write or the branch.
    pub(super) condition: Condition,
    pub(super) sources: Vec<Source>,
    pub(super) extra: Extra,
    /// The label that a branch goes to.
    pub(super) label: Option<(String, Range<usize>)>,
}

impl Node {
    /// An unconditional operation.
    pub(super) fn new(operator: Operator, destination: Destination, sources: Vec<Source>) -> Node {
        Node {
            operator,
            suffix: Suffix::default(),
            span: destination.span.clone(),
            destination: Some(destination),
            condition: Condition::ALWAYS,
            sources,
            extra: Extra::None,
            label: None,
        }
    }
}
