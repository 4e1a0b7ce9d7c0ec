//! The parameters as the simulation asks for them.

use super::parameters::Key;
use super::units::Rate;
use super::values::Values;

/// What the values of one chip come to.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// Vertices that are worked on at a time: each has a file of registers and a set of buffers.
    pub(super) vertices: usize,
    /// Vertices that can be under way, from the copy of their attributes until they have left: each has one buffer of each kind.
    pub(super) sets: usize,
    /// Vertices that begin together.
    pub(super) launch: usize,
    /// Clocks of an attribute until it is in VAB, and to the buffer; of an output until it has left.
    pub(super) arrive: u64,
    pub(super) copy: u64,
    pub(super) leave: u64,
    /// Clocks from one instruction to the next.
    pub(super) issue: u64,
    /// Clocks from the second stage to the last one.
    pub(super) depth: u64,
    /// Clocks from an instruction to one that takes its result.
    pub(super) latency: u64,
    /// Clocks by which texels come later.
    pub(super) texture: u64,
    /// Clocks from the second stage until a branch is decided.
    pub(super) branch: u64,
    /// Whether an instruction that waits holds up all others.
    pub(super) holds: bool,
    /// Whether components are told apart.
    pub(super) components: bool,
    intervals: [u64; Rate::ALL.len()],
}

impl Rules {
    pub(super) fn of(values: &Values) -> Rules {
        let value = |key: Key, absent: u16| values.at(key as usize).unwrap_or(absent);
        let clocks = |key: Key, absent: u16| u64::from(value(key, absent));
        let kinds = [Key::Ibuf, Key::Tbuf, Key::Wbuf, Key::Vbuf, Key::Ubuf];
        let fewest = kinds.into_iter().filter_map(|kind| values.at(kind as usize)).min();
        let sets = usize::from(fewest.unwrap_or(1)).max(1);
        let vertices = usize::from(value(Key::Vertices, 1).min(value(Key::Registers, 1))).clamp(1, sets);
        let depth = clocks(Key::Stages, 2).saturating_sub(2);
        Rules {
            vertices,
            sets,
            launch: usize::from(value(Key::Launch, 1)).clamp(1, vertices),
            arrive: clocks(Key::Arrive, 0),
            copy: clocks(Key::Copy, 0),
            leave: clocks(Key::Leave, 0),
            issue: clocks(Key::Issue, 1).max(1),
            depth,
            latency: depth + clocks(Key::Delay, 0),
            texture: clocks(Key::Texture, 0),
            branch: depth.saturating_sub(clocks(Key::Branch, 0)),
            holds: value(Key::Hold, 1) != 0,
            components: value(Key::Components, 1) != 0,
            intervals: Rate::ALL.map(|rate| clocks(key(rate), 1)),
        }
    }

    /// Clocks from an operation to the next one that takes the same unit.
    pub(super) fn interval(&self, rate: Rate) -> u64 {
        self.intervals[rate as usize]
    }
}

/// The parameter that has a rate.
const fn key(rate: Rate) -> Key {
    match rate {
        Rate::Products => Key::Mlu,
        Rate::Sums => Key::Alu,
        Rate::Inverses => Key::Ilu,
        Rate::Tables => Key::IluTables,
        Rate::Functions => Key::Mfu,
    }
}
