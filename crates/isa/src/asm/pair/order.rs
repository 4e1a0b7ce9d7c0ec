//! What must come before what in a draft, and how long a result takes.

use std::collections::BTreeMap;

use super::draft::{Draft, Name, Node};
use super::flow::ends_a_block;
use crate::isa::op::Slot;
use crate::isa::uses::{Place, Uses, through};
use crate::isa::{Generation, Mask, Unit};
use crate::timing::Pipeline;

/// That an instruction comes before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Before {
    /// The earlier one.
    pub(super) node: usize,
    /// Whether both may share a slot: the later one overwrites what the earlier one reads, and reads come first.
    pub(super) beside: bool,
    /// Clocks from the earlier one to the later one in which nothing waits.
    pub(super) clocks: u32,
}

/// For each node of a draft, what comes before it, and its weight.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) before: Vec<Vec<Before>>,
    pub(super) after: Vec<Vec<usize>>,
    /// Clocks from the beginning of a node to the end of the block.
    pub(super) path: Vec<u32>,
}

/// A place of a draft: names instead of temporaries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Named(Name),
    Other(Place),
}

/// Who has written a component last, and who has read it since.
#[derive(Clone, Default, Debug)]
struct Holder {
    writer: Option<usize>,
    readers: Vec<usize>,
}

/// Edges under construction.
#[derive(Default)]
struct Edges {
    holders: BTreeMap<(Key, usize), Holder>,
    before: Vec<Vec<Before>>,
    /// Clocks that a result takes.
    latency: u32,
}

impl Edges {
    fn add(&mut self, node: usize, earlier: usize, beside: bool, clocks: u32) {
        if node == earlier {
            return;
        }
        let edges = &mut self.before[node];
        match edges.iter_mut().find(|edge| edge.node == earlier) {
            Some(edge) => {
                edge.beside &= beside;
                edge.clocks = edge.clocks.max(clocks);
            }
            None => edges.push(Before { node: earlier, beside, clocks }),
        }
    }

    fn read(&mut self, node: usize, key: Key, mask: Mask) {
        for c in mask.components() {
            let holder = self.holders.entry((key, c)).or_default();
            holder.readers.push(node);
            if let Some(writer) = holder.writer {
                self.add(node, writer, false, self.latency);
            }
        }
    }

    fn write(&mut self, node: usize, key: Key, mask: Mask) {
        for c in mask.components() {
            let holder = self.holders.entry((key, c)).or_default();
            let readers = std::mem::take(&mut holder.readers);
            if let Some(writer) = holder.writer.replace(node) {
                self.add(node, writer, false, 1);
            }
            readers.into_iter().for_each(|reader| self.add(node, reader, true, 0));
        }
    }
}

impl Order {
    pub(super) fn new(draft: &Draft, generation: Generation, reads_position_back: bool) -> Order {
        let count = draft.nodes.len();
        let latency = Pipeline::of(generation.family()).latency() as u32;
        let mut edges = Edges { before: vec![Vec::new(); count], latency, ..Edges::default() };
        let indexed = draft.nodes.iter().any(|node| node.insn.indexed);
        for (number, node) in draft.nodes.iter().enumerate() {
            let uses = Uses::new(&node.insn, reads_position_back);
            note_temps(&mut edges, number, node);
            for &(place, mask) in &uses.reads {
                if !matches!(place, Place::Temp(_)) {
                    edges.read(number, Key::Other(place), mask);
                }
            }
            for write in &uses.writes {
                match write.place {
                    Place::Temp(_) => {}
                    // Rows are told apart unless an index may reach any of them.
                    Place::AnyConstant if !indexed => {}
                    Place::AnyOutput => {
                        let all = (0..generation.outputs()).map(|output| Place::Output(output as u8));
                        all.for_each(|place| edges.write(number, Key::Other(place), write.mask));
                    }
                    place => edges.write(number, Key::Other(place), write.mask),
                }
            }
            if ends_a_block(&node.insn) {
                (0..number).for_each(|earlier| edges.add(number, earlier, true, 0));
            }
        }
        Order::weighed(edges.before, latency)
    }

    fn weighed(before: Vec<Vec<Before>>, latency: u32) -> Order {
        let mut after = vec![Vec::new(); before.len()];
        let mut path = vec![latency; before.len()];
        for (number, edges) in before.iter().enumerate().rev() {
            for edge in edges {
                after[edge.node].push(number);
                path[edge.node] = path[edge.node].max(edge.clocks + path[number]);
            }
        }
        Order { before, after, path }
    }
}

/// What a node reads and writes of the draft's names.
fn note_temps(edges: &mut Edges, number: usize, node: &Node) {
    for slot in Slot::ALL {
        if let Some(name) = node.reads[slot as usize] {
            let mask = through(node.insn.source(slot).swizzle, node.insn.read(slot));
            edges.read(number, Key::Named(name), mask);
        }
    }
    for unit in [Unit::Vec, Unit::Sca] {
        if let Some(name) = node.writes[unit as usize] {
            edges.write(number, Key::Named(name), node.insn.temp_write(unit).mask);
        }
    }
}
