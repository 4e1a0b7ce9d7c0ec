//! Which vertices a batch runs, and in which pieces.
//!
//! Without an index list they follow each other. A list is in memory that others may write while the batch runs, so it is
//! copied into memory of the worker before anything is asked of it; restart indices and what is beyond the limit are dealt
//! with in the copy.

use crate::batch::xfjit_batch;
use crate::extent::extent;
use crate::format::index_width;
use crate::lent;
use crate::sized::Record;
use crate::status::{Failure, XFJIT_E_INPUT, argument};
use crate::table::constants;
use std::ops::Range;
use xfjit::runtime::distinct::Distinct;
use xfjit::runtime::format::ByteOrder;
use xfjit::runtime::indices::{IndexWidth, Indices};
use xfjit::runtime::list::IndexList;

constants! {
    /// Options of a batch (xfjit_batch.flags), or-ed. All concern index lists.
    BATCH_FLAGS: u32;
    /// An index equal to restart_index (before base_index is added) is not a vertex. The library reads nothing for it, and the outputs in
    /// its place are meaningless.
    XFJIT_BATCH_RESTART = 1;
    /// Each vertex runs once, however often the list names it, unless the program writes constants. Outputs are the same as without this
    /// flag; xfjit_batch.places says where each vertex's outputs are.
    XFJIT_BATCH_DISTINCT = 2;
    /// If an index names a vertex that is not below index_limit, use the last vertex below it. Without this flag, such an index is an
    /// error.
    XFJIT_BATCH_CLAMP = 4;
    /// Indices are big-endian, as in the memory of big-endian guests.
    XFJIT_BATCH_BIG_ENDIAN = 8;
}

/// All flags.
pub(crate) const FLAGS: u32 =
    XFJIT_BATCH_RESTART | XFJIT_BATCH_DISTINCT | XFJIT_BATCH_CLAMP | XFJIT_BATCH_BIG_ENDIAN;

/// Memory of a worker for lists.
#[derive(Default, Debug)]
pub(crate) struct Lists {
    /// The batch's own.
    list: IndexList,
    /// Each of its vertices once.
    once: IndexList,
    pub(crate) distinct: Distinct,
}

/// The vertices of a batch.
pub(crate) struct Numbers {
    /// Whether there is a list.
    pub(crate) is_indexed: bool,
    base: i64,
    /// The first vertex in the arrays, if there is no list.
    pub(crate) first: usize,
    /// Positions: vertices, and restart indices.
    pub(crate) count: usize,
    /// The greatest, from the first one on; nothing if there are no vertices.
    pub(crate) last: Option<usize>,
    /// The caller's list.
    pub(crate) read: Range<usize>,
    pub(crate) has_restarts: bool,
}

impl Numbers {
    /// Of one vertex, which has this number.
    pub(crate) fn one(vertex: usize) -> Self {
        let (first, count, last) = (vertex, 1, Some(0));
        Numbers { is_indexed: false, base: 0, first, count, last, read: 0..0, has_restarts: false }
    }

    /// Looks at the list of a batch, and copies it, for code that reads lists of this width, if any.
    #[inline]
    pub(crate) fn of(
        batch: Record<'_, xfjit_batch>,
        lists: &mut Lists,
        wanted: Option<IndexWidth>,
    ) -> Result<Self, Failure> {
        if batch.flags & !FLAGS != 0 {
            return Err(argument(format_args!("xfjit_batch.flags is {:#x}", batch.flags)));
        }
        if !batch.indices.is_null() {
            return Self::listed(batch, lists, wanted);
        }
        Ok(Self::following(batch))
    }

    /// Of a batch without a list.
    #[inline]
    pub(crate) fn following(batch: Record<'_, xfjit_batch>) -> Self {
        let (count, first) = (batch.count as usize, batch.first as usize);
        let last = count.checked_sub(1);
        Numbers { is_indexed: false, base: 0, first, count, last, read: 0..0, has_restarts: false }
    }

    fn listed(
        batch: Record<'_, xfjit_batch>,
        lists: &mut Lists,
        wanted: Option<IndexWidth>,
    ) -> Result<Self, Failure> {
        let (count, width) = (batch.count as usize, index_width(batch.index_size)?);
        let needed = (u64::from(batch.first) + u64::from(batch.count)) * u64::from(batch.index_size);
        if needed > batch.index_bytes as u64 {
            let (first, each, bytes) = (batch.first, batch.index_size, batch.index_bytes);
            let text = format_args!(
                "indices {first} and {count} more of {each} bytes do not fit into {bytes} bytes"
            );
            return Err(Failure::new(XFJIT_E_INPUT, text));
        }
        let (array, before) = (batch.indices.cast::<u8>(), width.bytes() * batch.first as usize);
        let needed = if count == 0 { 0 } else { needed as usize };
        let whole = extent(array, needed, "indices")?;
        let (start, read) = (array.wrapping_add(before), whole.end.min(whole.start + before)..whole.end);
        let is_big = batch.flags & XFJIT_BATCH_BIG_ENDIAN != 0;
        let order = if is_big == cfg!(target_endian = "big") { ByteOrder::Host } else { ByteOrder::Swapped };
        let list = &mut lists.list;
        // SAFETY: a list of `count` takes no more than `needed` bytes from `start` on, which end in those of the batch. The description of
        // the record says that these are there, though others may write them, and a `Record` promises it. Any alignment will do.
        list.fill(width, count, order, |bytes| unsafe { lent::copy(start, bytes) })?;
        let has_restarts = batch.flags & XFJIT_BATCH_RESTART != 0 && list.restart_at(batch.restart_index)?;
        let base = i64::from(batch.base_index);
        let last = match list.last() {
            None => None,
            Some(_) => Some(greatest(&batch, list, base)?),
        };
        if wanted == Some(IndexWidth::Word) {
            list.widen()?;
        } else if wanted == Some(IndexWidth::Half) {
            list.narrow();
        }
        Ok(Numbers { is_indexed: true, base, first: 0, count, last, read, has_restarts })
    }

    /// Some of the vertices, where there is no list.
    pub(crate) fn piece(&self, positions: Range<usize>) -> Self {
        let last = positions.len().checked_sub(1);
        let first = self.first.saturating_add(positions.start);
        Numbers {
            is_indexed: false,
            base: 0,
            first,
            count: positions.len(),
            last,
            read: 0..0,
            has_restarts: false,
        }
    }

    /// Part of the list, if there is one.
    #[inline]
    pub(crate) fn indices<'a>(&self, lists: &'a Lists, part: Range<usize>) -> Option<Indices<'a>> {
        self.is_indexed.then(|| lists.list.indices(part).with_base(self.base))
    }

    /// The positions that have vertices, in pieces.
    pub(crate) fn parts<'a>(&self, lists: &'a Lists) -> impl Iterator<Item = Range<usize>> + use<'a> {
        lists.list.parts()
    }

    /// The number of the last vertex.
    pub(crate) fn last_vertex(&self, lists: &Lists) -> Option<usize> {
        if !self.is_indexed {
            return Some(self.first.saturating_add(self.count.checked_sub(1)?));
        }
        let position = lists.list.last()?;
        let vertex = self.indices(lists, position..position + 1)?.vertex(0);
        usize::try_from(vertex).ok()
    }

    /// Finds the vertices of the list, each once; how many there are.
    pub(crate) fn find_distinct(&self, lists: &mut Lists) -> Result<usize, Failure> {
        let Lists { list, once, distinct } = lists;
        let all = list.indices(0..self.count);
        distinct.find(&all, None)?;
        once.copy(&distinct.vertices().into())?;
        if all.width() == IndexWidth::Half {
            once.narrow();
        }
        Ok(once.len())
    }

    /// These vertices.
    pub(crate) fn distinct<'a>(&self, lists: &'a Lists) -> Indices<'a> {
        lists.once.indices(0..lists.once.len()).with_base(self.base)
    }

    /// Calls for each position with where its outputs are, if it is a vertex.
    pub(crate) fn each_place(&self, lists: &Lists, is_distinct: bool, mut set: impl FnMut(usize, u32)) {
        let places = lists.distinct.places();
        let mut place = |position, is_vertex| {
            let place = match (is_vertex, is_distinct) {
                (false, _) => Distinct::RESTART,
                (true, true) => places[position],
                (true, false) => position as u32,
            };
            set(position, place);
        };
        if !self.is_indexed {
            return (0..self.count).for_each(|position| place(position, true));
        }
        let mut end = 0;
        for part in self.parts(lists) {
            (end..part.start).for_each(|position| place(position, false));
            end = part.end;
            part.for_each(|position| place(position, true));
        }
        (end..self.count).for_each(|position| place(position, false));
    }
}

/// The greatest vertex of a list that has one, all of which are below the limit.
fn greatest(batch: &xfjit_batch, list: &mut IndexList, base: i64) -> Result<usize, Failure> {
    let ends = |list: &IndexList| {
        let indices = list.indices(0..list.len()).with_base(base);
        indices.ends(list.len()).map_err(|error| Failure::new(XFJIT_E_INPUT, error))
    };
    let (least, most) = ends(list)?;
    let refuse = |which: &str, vertex: i64, why: std::fmt::Arguments<'_>| {
        let index = vertex - base;
        let text =
            format_args!("the {which} index is {index}, with base_index {base} vertex {vertex}, {why}")
                .to_string();
        Err(Failure::new(XFJIT_E_INPUT, text))
    };
    if least < 0 {
        return refuse("least", least, format_args!("before the first"));
    }
    let limit = i64::from(batch.index_limit);
    if limit == 0 || most < limit {
        return Ok(most as usize);
    }
    if batch.flags & XFJIT_BATCH_CLAMP == 0 {
        return refuse("greatest", most, format_args!("not below index_limit {limit}"));
    }
    match u32::try_from(limit - 1 - base) {
        Ok(greatest) => list.clamp(greatest),
        Err(_) => {
            return refuse("greatest", most, format_args!("and so is any other beyond index_limit {limit}"));
        }
    }
    Ok(ends(list)?.1 as usize)
}
