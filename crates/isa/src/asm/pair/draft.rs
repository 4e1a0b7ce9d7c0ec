//! A block whose temporaries have names of their own: one for each value, or for several that some instruction puts together.
//!
//! Two writes have one name if an operand reads components of both, or if one of them may leave what the other has written. Who
//! has a name of its own may get any register. Names that hold their register from one block to another, or that read what no
//! instruction has written, are *fixed*: they keep the register that they have.

use super::flow::{Block, TEMPS};
use super::merge::is_scalar_fixed;
use crate::isa::op::Slot;
use crate::isa::uses::{is_position, through};
use crate::isa::{Bank, Condition, Generation, Insn, Mask, Reading, Unit};

/// A name of a draft.
pub(super) type Name = usize;

/// An instruction of a draft.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// With the registers that it was written with.
    pub(super) insn: Insn,
    /// Where it stood in the program.
    pub(super) from: usize,
    /// What each unit writes.
    pub(super) writes: [Option<Name>; 2],
    /// What each source reads.
    pub(super) reads: [Option<Name>; 3],
}

/// What a name is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// The register that it keeps.
    pub(super) fixed: Option<u8>,
    /// Components that are written or read.
    pub(super) mask: Mask,
    /// Nodes that read or write it, each as often as it does.
    pub(super) uses: usize,
    /// Some scalar operation writes it.
    pub(super) is_scalar: bool,
}

/// The instructions of a block, and their names.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) nodes: Vec<Node>,
    pub(super) values: Vec<Value>,
}

/// Sets of writes that must have one name. The first ones are the registers themselves.
struct Sets {
    parents: Vec<usize>,
    /// For each component of each register, the set that holds it now.
    holders: Vec<[usize; 4]>,
}

impl Sets {
    fn new() -> Sets {
        Sets { parents: (0..TEMPS).collect(), holders: (0..TEMPS).map(|register| [register; 4]).collect() }
    }

    fn root(&mut self, set: usize) -> usize {
        let mut root = set;
        while self.parents[root] != root {
            root = self.parents[root];
        }
        self.parents[set] = root;
        root
    }

    /// Makes two sets one; a register stays a register.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parents[high] = low;
    }

    /// The set that some components of a register belong to.
    fn read(&mut self, register: u8, mask: Mask) -> usize {
        let holders = self.holders[usize::from(register)];
        let mut held = mask.components().map(|c| holders[c]);
        let first = held.next().unwrap_or(usize::from(register));
        let others: Vec<usize> = held.collect();
        others.into_iter().for_each(|other| self.join(first, other));
        first
    }

    /// A new set for some components of a register; with those of before if they may stay.
    fn write(&mut self, register: u8, mask: Mask, certain: bool) -> usize {
        let set = self.parents.len();
        self.parents.push(set);
        if !certain {
            let before = self.read(register, mask);
            self.join(set, before);
        }
        mask.components().for_each(|c| self.holders[usize::from(register)][c] = set);
        set
    }
}

impl Draft {
    /// Of a block, with or without names of their own for values.
    pub(super) fn new(
        generation: Generation,
        reading: Reading,
        (block, insns): (&Block, &[Insn]),
        rename: bool,
        keep: impl Fn(&Insn) -> bool,
    ) -> Draft {
        let back = reading.reads_position_back(generation);
        let mut sets = Sets::new();
        let mut nodes = Vec::new();
        for from in block.insns.clone().filter(|&place| keep(&insns[place])) {
            let insn = Insn { end: false, ..insns[from] };
            let reads = Slot::ALL.map(|slot| match insn.source(slot).bank {
                Bank::Temp(register) if !is_position(register, back) => {
                    let components = through(insn.source(slot).swizzle, insn.read(slot));
                    (!components.is_empty()).then(|| sets.read(register, components))
                }
                Bank::Temp(_) | Bank::None | Bank::Input | Bank::Constant => None,
            });
            let one = insn.writes_one_temp();
            let certain = insn.condition == Condition::ALWAYS && !one;
            let writes = [Unit::Vec, Unit::Sca].map(|unit| {
                let write = insn.temp_write(unit);
                (!write.mask.is_empty()).then(|| sets.write(write.reg, write.mask, certain))
            });
            if let ([Some(vec), Some(sca)], true) = (writes, one) {
                sets.join(vec, sca);
            }
            for (write, unit) in writes.iter().zip([Unit::Vec, Unit::Sca]) {
                let Some(set) = *write else { continue };
                let register = insn.temp_write(unit).reg;
                if !rename || unit == Unit::Sca && is_scalar_fixed(generation, reading, &insn) {
                    sets.join(set, register.into());
                }
            }
            nodes.push(Node { insn, from, writes, reads });
        }
        for register in 0..TEMPS {
            let live = block.live.temp(register as u8);
            for c in live.components() {
                sets.join(sets.holders[register][c], register);
            }
        }
        Draft::named(nodes, sets)
    }

    /// Gives sets their names.
    fn named(mut nodes: Vec<Node>, mut sets: Sets) -> Draft {
        let mut names: Vec<Option<Name>> = vec![None; sets.parents.len()];
        let mut values: Vec<Value> = Vec::new();
        for node in &mut nodes {
            let masks = Slot::ALL
                .map(|slot| through(node.insn.source(slot).swizzle, node.insn.read(slot)))
                .into_iter()
                .chain([node.insn.vec_dst.mask, node.insn.sca_dst.mask]);
            let scalar = [false, false, false, false, true];
            let all = node.reads.iter_mut().chain(&mut node.writes);
            for ((set, mask), scalar) in all.zip(masks).zip(scalar) {
                let Some(set) = set else { continue };
                let root = sets.root(*set);
                let name = *names[root].get_or_insert_with(|| {
                    let fixed = (root < TEMPS).then_some(root as u8);
                    values.push(Value { fixed, mask: Mask::NONE, uses: 0, is_scalar: false });
                    values.len() - 1
                });
                let value = &mut values[name];
                value.mask.0 |= mask.0;
                value.uses += 1;
                value.is_scalar |= scalar;
                *set = name;
            }
        }
        Draft { nodes, values }
    }
}
