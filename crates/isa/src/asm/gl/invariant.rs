//! Position-invariant programs: the transform that the option puts in front.

use std::ops::Range;

use super::super::assemble::Operator;
use super::ir::{Destination, Node, Place, Register, Source, Target};
use super::parse::{Parsed, Parser};
use super::rows::Binding;
use crate::isa::op::VecOp;
use crate::isa::{Mask, Swizzle};

impl Parser<'_> {
    /// Puts the transform of position-invariant programs in front.
    pub(super) fn transform_position(&mut self, span: &Range<usize>) -> Parsed<()> {
        if std::mem::replace(&mut self.position_invariant, true) {
            return Ok(());
        }
        self.attributes[0] |= 1;
        for row in 0..4u8 {
            let matrix = Binding::State(format!("state.matrix.mvp.row[{row}]"));
            let variable = self.draft.variables.single(matrix, span.clone());
            self.draft.variables.0[variable].used = true;
            let place = Place::Variable(variable);
            let source = |register| Source {
                register,
                swizzle: Swizzle::IDENTITY,
                absolute: false,
                negate: false,
                span: span.clone(),
            };
            let destination = Destination {
                target: Target::Output { n: 0, index: None },
                mask: Mask(8 >> row),
                span: span.clone(),
            };
            let sources = vec![
                source(Register::Attribute { n: 0, index: None }),
                source(Register::Constant { place, offset: 0, index: None }),
            ];
            self.draft.nodes.push(Node::new(Operator::Vec(VecOp::Dp4), destination, sources));
        }
        Ok(())
    }
}
