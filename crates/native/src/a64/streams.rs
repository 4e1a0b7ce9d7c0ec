//! Streams of rows and of planes: where they are, and what stays in integer registers from one group to the next.
//!
//! A stream that stays open has a register with the address of the group in it, and registers with the distances between lanes
//! ([`Io::share`]), or between planes. Those that find no registers are opened anew for each access, and so are those whose elements
//! an index list names.

use super::emit::{Emitter, INTEGERS, IO, LANES, VERTEX};
use super::table::Insn;
use crate::ir::func::Func;
use crate::ir::imm::{Element, Passed};
use crate::ir::ops::Op;
use xfjit_runtime::batch::{Layout, registers};
use xfjit_runtime::indices::IndexWidth;
use xfjit_runtime::state::{ATTRIBUTES, Io, OUTPUTS, Stream};

/// The integer registers for this, in the order in which they are taken: the last ones are the caller's, who gets them back.
const ROOM: [u32; 18] = [10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28];
/// The first of these.
const SAVED: u32 = 19;
/// The greatest distance from the [`Io`] at which two words are loaded at once.
const MOST_OF_PAIR: usize = 504;

/// A stream of rows that is open: the address of its first vertex, and how far the second and the third are from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Open {
    at: u32,
    near: u32,
    far: u32,
}

/// One of planes: the address of the group in the first, and the distance between two of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Planes {
    pub(super) at: u32,
    pub(super) stride: u32,
}

/// Where registers are for a stream that is opened for one access. That of the third lane's distance becomes the third lane's address.
const ONCE: Open = Open { at: INTEGERS[2], near: INTEGERS[3], far: INTEGERS[1] };
const PLANES_ONCE: Planes = Planes { at: INTEGERS[2], stride: INTEGERS[3] };

/// Rows of all lanes.
#[derive(Clone, Copy)]
pub(super) enum Rows {
    Open(Open),
    /// Of an attribute whose list has numbers of this width.
    Listed(IndexWidth),
}

/// The streams of a function.
pub(super) struct Streams {
    inputs: [Option<Open>; ATTRIBUTES],
    outputs: [Option<Open>; OUTPUTS],
    planes: [Option<Planes>; OUTPUTS],
    /// How many vertices lanes are apart, where code asks for it in each group.
    sharing: Option<[u32; 2]>,
    /// How many registers are taken.
    taken: usize,
}

impl Streams {
    pub(super) fn of(func: &Func, layout: Layout) -> Self {
        let by_position = |attribute: usize| func.inputs.indices().of(attribute).list(attribute).is_none();
        let lists = registers(func.live_inputs()).any(|attribute| !by_position(attribute));
        let planes = layout == Layout::Planes && func.live_outputs() != 0;
        let mut streams = Streams {
            inputs: [None; ATTRIBUTES],
            outputs: [None; OUTPUTS],
            planes: [None; OUTPUTS],
            sharing: None,
            taken: 0,
        };
        let rows = registers(func.live_inputs()).filter(|&attribute| by_position(attribute)).count()
            + if planes { 0 } else { func.live_outputs().count_ones() as usize };
        if lists || planes || 3 * rows > ROOM.len() {
            streams.sharing = streams.take();
        }
        // In the order in which they are accessed.
        for inst in func.body.iter().map(|&value| func.inst(value)) {
            let (attribute, output) = match inst.op {
                Op::Input => (Some(inst.immediate::<Element>().row), None),
                Op::RowGuard => (Some(inst.immediate()), None),
                Op::RowCopy => {
                    let passed: Passed = inst.immediate();
                    (Some(passed.attribute), Some(passed.output))
                }
                Op::Output => (None, Some(inst.immediate())),
                _ => continue,
            };
            if let Some(attribute) = attribute.filter(|&attribute| by_position(attribute))
                && streams.inputs[attribute].is_none()
            {
                streams.inputs[attribute] = streams.take_open();
            }
            match output {
                Some(output) if planes && streams.planes[output].is_none() => {
                    streams.planes[output] = streams.take().map(|[at, stride]| Planes { at, stride });
                }
                Some(output) if !planes && streams.outputs[output].is_none() => {
                    streams.outputs[output] = streams.take_open();
                }
                _ => {}
            }
        }
        streams
    }

    fn take<const N: usize>(&mut self) -> Option<[u32; N]> {
        let taken = *ROOM.get(self.taken..)?.first_chunk()?;
        self.taken += N;
        Some(taken)
    }

    fn take_open(&mut self) -> Option<Open> {
        self.take().map(|[at, near, far]| Open { at, near, far })
    }

    /// The registers of the caller that are in use, and one more if that makes them even.
    pub(super) fn saved(&self) -> impl Iterator<Item = u32> + use<> {
        let taken = ROOM[..self.taken].iter().filter(|&&register| register >= SAVED).count() as u32;
        SAVED..SAVED + taken.next_multiple_of(2)
    }

    /// Streams of rows that stay open, with their places in the [`Io`].
    fn rows(&self) -> Vec<(usize, Open)> {
        let inputs = self.inputs.iter().enumerate().map(|(number, open)| (Io::input(number), *open));
        let outputs = self.outputs.iter().enumerate().map(|(number, open)| (Io::output(number), *open));
        inputs.chain(outputs).filter_map(|(at, open)| Some((at, open?))).collect()
    }

    /// Streams of planes that stay open.
    fn planes(&self) -> Vec<(usize, Planes)> {
        let planes = self.planes.iter().enumerate();
        planes.filter_map(|(number, planes)| Some((Io::output(number), (*planes)?))).collect()
    }
}

impl Emitter<'_> {
    /// Loads how far lanes, or planes, are apart in streams that stay open: once in a call.
    pub(super) fn measure_streams(&mut self) {
        let [_, stride, near, far, _] = INTEGERS;
        let rows = self.streams.rows();
        let [near, far] = self.streams.sharing.unwrap_or([near, far]);
        if self.streams.sharing.is_some() || !rows.is_empty() {
            self.load_pointer(near, Io::NEAR);
            self.load_pointer(far, Io::FAR);
        }
        for (stream, open) in rows {
            self.load_pointer(stride, stream + Stream::STRIDE);
            self.asm.op(Insn::MulX, [open.near, near, stride]);
            self.asm.op(Insn::MulX, [open.far, far, stride]);
        }
        for (stream, planes) in self.streams.planes() {
            self.load_pointer(planes.stride, stream + Stream::STRIDE);
        }
    }

    /// Loads where the group is in streams that stay open.
    pub(super) fn open_streams(&mut self) {
        let [base, stride, ..] = INTEGERS;
        for (stream, open) in self.streams.rows() {
            self.load_stream(stream, base, stride);
            self.asm.op(Insn::Madd, [open.at, VERTEX, stride, base]);
        }
        for (stream, planes) in self.streams.planes() {
            self.load_pointer(base, stream + Stream::BASE);
            self.asm.op(Insn::AddBy, [planes.at, base, VERTEX, 2]);
        }
    }

    /// Goes on to the next group in these.
    pub(super) fn move_streams(&mut self) {
        for (_, Open { at, far, .. }) in self.streams.rows() {
            self.asm.op(Insn::AddBy, [at, at, far, 1]);
        }
        for (_, Planes { at, .. }) in self.streams.planes() {
            self.asm.op(Insn::AddI, [at, at, (LANES * size_of::<u32>()) as u32]);
        }
    }

    /// Loads the address of a stream's first vertex and its stride.
    fn load_stream(&mut self, stream: usize, base: u32, stride: u32) {
        const { assert!(Stream::BASE + size_of::<u64>() == Stream::STRIDE) };
        if stream <= MOST_OF_PAIR {
            self.asm.op(Insn::LdpX, [base, stride, IO, stream as u32]);
        } else {
            self.load_pointer(base, stream + Stream::BASE);
            self.load_pointer(stride, stream + Stream::STRIDE);
        }
    }

    /// How many vertices lanes are apart: in registers, where some stream does not stay open, has a list, or is of planes.
    pub(super) fn sharing(&self) -> [u32; 2] {
        self.streams.sharing.unwrap_or_default()
    }

    fn open_once(&mut self, stream: usize) -> Open {
        let Open { at, near: stride, far } = ONCE;
        let [base, ..] = INTEGERS;
        let [near, by_far] = self.sharing();
        self.load_stream(stream, base, stride);
        self.asm.op(Insn::Madd, [at, VERTEX, stride, base]);
        self.asm.op(Insn::MulX, [far, by_far, stride]);
        self.asm.op(Insn::MulX, [stride, near, stride]);
        ONCE
    }

    /// The stream of an attribute.
    pub(super) fn attribute(&mut self, register: usize) -> Rows {
        if let Some(open) = self.streams.inputs[register] {
            return Rows::Open(open);
        }
        let stream = Io::input(register);
        match self.func.inputs.indices().of(register).list(register) {
            None => Rows::Open(self.open_once(stream)),
            Some((list, width)) => {
                let [_, numbers, base, stride, _] = INTEGERS;
                self.load_stream(stream, base, stride);
                self.load_pointer(numbers, Io::index(list));
                self.asm.op(Insn::AddBy, [numbers, numbers, VERTEX, shift(width)]);
                Rows::Listed(width)
            }
        }
    }

    /// The stream of an output whose vertices are rows.
    pub(super) fn output_rows(&mut self, register: usize) -> Rows {
        let open = self.streams.outputs[register];
        Rows::Open(open.unwrap_or_else(|| self.open_once(Io::output(register))))
    }

    /// The stream of an output whose components are planes.
    pub(super) fn output_planes(&mut self, register: usize) -> Planes {
        self.streams.planes[register].unwrap_or_else(|| {
            let Planes { at, stride } = PLANES_ONCE;
            self.load_stream(Io::output(register), at, stride);
            self.asm.op(Insn::AddBy, [at, at, VERTEX, 2]);
            PLANES_ONCE
        })
    }

    /// The address of the vertex of a lane: a register, or the sum of two, unless it has to be one. Lanes are asked for in their order.
    pub(super) fn lane(&mut self, rows: Rows, number: usize, is_one: bool) -> (u32, Option<u32>) {
        let [scratch, third, base, stride, _] = INTEGERS;
        match (rows, number) {
            (Rows::Open(Open { at, .. }), 0) => (at, None),
            (Rows::Open(Open { at, far, .. }), 2) => {
                self.asm.op(Insn::AddX, [third, at, far]);
                (third, None)
            }
            (Rows::Open(Open { at, near, .. }), _) => {
                let from = if number == 1 { at } else { third };
                if !is_one {
                    return (from, Some(near));
                }
                self.asm.op(Insn::AddX, [scratch, from, near]);
                (scratch, None)
            }
            (Rows::Listed(width), _) => {
                let [near, far] = self.sharing();
                let insn = match width {
                    IndexWidth::Half => Insn::LdrhW,
                    IndexWidth::Word => Insn::LdrW,
                };
                let place = match number {
                    0 => third,
                    2 => {
                        self.asm.op(Insn::AddBy, [third, third, far, shift(width)]);
                        third
                    }
                    _ => {
                        self.asm.op(Insn::AddBy, [scratch, third, near, shift(width)]);
                        scratch
                    }
                };
                self.asm.op(insn, [scratch, place, 0]);
                self.asm.op(Insn::Madd, [scratch, scratch, stride, base]);
                (scratch, None)
            }
        }
    }
}

/// The logarithm of the bytes of a number of an index list.
const fn shift(width: IndexWidth) -> u32 {
    width.bytes().ilog2()
}
