//! What wide code may access, and what addresses are made of: what the checker knows.

use super::width::Width;
use crate::ir::func::Func;
use iced_x86::Register;
use std::mem::size_of;
use std::ops::Range;
use xfjit_runtime::batch::{Layout, registers};
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::indices::IndexWidth;
use xfjit_runtime::state::{ATTRIBUTES, Io, OUTPUTS, Row, Scratch, Stream};

/// The memory that code may access, as far as it depends on the function.
pub(super) struct Contract {
    pub(super) width: Width,
    pub(super) layout: Layout,
    /// Bytes of the rows of constants, and of that of zeros.
    pub(super) rows: i64,
    /// Bytes of those that code may write.
    pub(super) writes: i64,
    /// Where in scratch memory it tells which of them it has written.
    pub(super) told: Range<i64>,
    pub(super) inputs: u16,
    pub(super) layouts: InputLayout,
    pub(super) outputs: u32,
    /// The fewest vertices of a group.
    pub(super) fewest: u8,
    /// Whether the group is one block: then code goes back nowhere but to its beginning.
    pub(super) is_one_block: bool,
}

impl Contract {
    pub(super) fn new(func: &Func, layout: Layout, width: Width) -> Self {
        let own = usize::from(func.window.end);
        let [rows, writes] =
            [own + usize::from(func.reads_zero_row()), if func.is_serial() { own } else { 0 }]
                .map(|rows| (rows * size_of::<Row>()) as i64);
        let told = func.told_rows().max().map_or(0, |row| row as usize + 1);
        let told = Scratch::written(0).into()..Scratch::written(told).into();
        let (inputs, outputs) = func.live_streams();
        Contract {
            width,
            layout,
            rows,
            writes,
            told,
            inputs,
            layouts: func.inputs,
            outputs,
            fewest: if width.has_tails() { 1 } else { width.lanes() as u8 },
            is_one_block: !func.has_blocks(),
        }
    }

    /// The index list through which an attribute is found, and the width of its numbers.
    pub(super) fn list(&self, attribute: usize) -> Option<(usize, IndexWidth)> {
        self.layouts.indices().of(attribute).list(attribute)
    }

    /// The width of the numbers of an index list that live attributes are found through.
    pub(super) fn numbers(&self, list: usize) -> Option<usize> {
        let lists = registers(self.inputs).filter_map(|attribute| self.list(attribute));
        lists.into_iter().find(|&(number, _)| number == list).map(|(_, width)| width.bytes())
    }
}

/// What a register for addresses holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    Unknown,
    /// The argument, or the address of the memory, that it is named after.
    Rows,
    Io,
    Scratch,
    Lookup,
    /// The number of the first vertex of a group, a multiple of the lanes.
    Vertex,
    /// That of the next group.
    Next,
    /// How many vertices there are from [`Word::Vertex`] on: some.
    Remaining,
    /// How many there are behind the group, if that is above 0.
    Behind,
    /// A group, before it is multiplied.
    Group,
    /// The number of the group behind the last one.
    Groups,
    /// That of the vertex behind the last one.
    Vertices,
    /// Two words of a vector.
    Pair,
    /// One of them: the distance of a row of a table.
    Distance,
    /// An index list.
    List(usize),
    /// One of its numbers, for a lane of the group.
    Number(usize),
    /// Such a number multiplied by an attribute's stride.
    Found(usize),
    /// What its caller has in the register of this number.
    Callers(u8),
    /// Three times what another register holds.
    Triple(Register),
    /// A stream's base.
    Base(Side, usize),
    /// A multiple of a stream's stride.
    Strides(Side, usize, u8),
    /// The stride multiplied by the number of the first vertex.
    Before(Side, usize),
    /// The row or plane of the first vertex, and how many strides behind it.
    First(Side, usize, u8),
    /// How far the row of an attribute is from that of another one, so many strides behind the first vertex.
    Apart(usize, usize, u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Input,
    Output,
}

/// What a word of the [`Io`] is.
pub(super) fn of_io(offset: usize) -> Word {
    for (side, first, count) in
        [(Side::Input, Io::input(0), ATTRIBUTES), (Side::Output, Io::output(0), OUTPUTS)]
    {
        if (first..first + count * size_of::<Stream>()).contains(&offset) {
            let (stream, member) =
                ((offset - first) / size_of::<Stream>(), (offset - first) % size_of::<Stream>());
            return match member {
                Stream::BASE => Word::Base(side, stream),
                Stream::STRIDE => Word::Strides(side, stream, 1),
                _ => Word::Unknown,
            };
        }
    }
    let lists = Io::index(0)..Io::index(ATTRIBUTES + 1);
    match offset {
        offset if lists.contains(&offset) && (offset - lists.start).is_multiple_of(size_of::<usize>()) => {
            Word::List((offset - lists.start) / size_of::<usize>())
        }
        Io::SCRATCH => Word::Scratch,
        Io::LOOKUP => Word::Lookup,
        _ => Word::Unknown,
    }
}
