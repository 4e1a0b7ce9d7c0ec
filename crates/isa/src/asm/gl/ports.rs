//! One attribute, one row of constants, one index: what an operation reads beside the first of each goes through a
//! temporary, copied in front of it.
//!
//! Only for programs of ARB_vertex_program, which knows no such limits. In the older languages the program that exceeds
//! them is wrong, and our assembler says so.

use super::super::assemble::Operator;
use super::ir::{Destination, Node, Register, Source, Target};
use super::parse::Draft;
use crate::isa::{AddressComponent, Mask, Swizzle};

/// What the operation under way reads from the files with one port.
#[derive(Default)]
struct Ports {
    attribute: Option<Register>,
    constant: Option<Register>,
    index: Option<AddressComponent>,
}

impl Ports {
    /// Whether a register can be read beside what is read already, from which on it is.
    fn take(&mut self, register: Register) -> bool {
        let (port, index) = match register {
            Register::Temp(_) => return true,
            Register::Attribute { index, .. } => (&mut self.attribute, index),
            Register::Constant { index, .. } => (&mut self.constant, index),
        };
        if port.is_some_and(|other| other != register)
            || index.is_some() && self.index.is_some_and(|other| Some(other) != index)
        {
            return false;
        }
        *port = Some(register);
        self.index = self.index.or(index);
        true
    }
}

/// Puts the copies in.
pub(super) fn split(draft: &mut Draft) {
    let nodes = std::mem::take(&mut draft.nodes);
    // Where the operations of each node begin now, for the labels.
    let mut places = Vec::with_capacity(nodes.len() + 1);
    for mut node in nodes {
        places.push(draft.nodes.len());
        let mut ports = Ports::default();
        if let Some(Destination { target: Target::Output { index, .. }, .. }) = node.destination {
            ports.index = index;
        }
        let mut copies: Vec<(Register, Register)> = Vec::new();
        for source in &mut node.sources {
            let register = source.register;
            if ports.take(register) {
                continue;
            }
            let copy = match copies.iter().find(|(original, _)| *original == register) {
                Some(&(_, copy)) => copy,
                None => {
                    let copy = Register::Temp(draft.temps.scratch());
                    copies.push((register, copy));
                    draft.nodes.push(copy_of(source, copy));
                    copy
                }
            };
            source.register = copy;
        }
        draft.nodes.push(node);
    }
    places.push(draft.nodes.len());
    draft.labels.values_mut().for_each(|node| *node = places[*node]);
}

/// `MOV copy, register`
fn copy_of(source: &Source, copy: Register) -> Node {
    let Register::Temp(temp) = copy else { unreachable!("copies are temporaries") };
    let to = Destination { target: Target::Temp(temp), mask: Mask::ALL, span: source.span.clone() };
    let from = Source { swizzle: Swizzle::IDENTITY, absolute: false, negate: false, ..source.clone() };
    Node::new(Operator::Mov, to, vec![from])
}
