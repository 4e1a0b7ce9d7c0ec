//! Batches as C describes them, and what runs have done to them.

use crate::constants::ConstantRows;
use crate::extent::{check_pointer, extent};
use crate::lent;
use crate::sized::{MOST, Record, Sized32};
use crate::status::{Failure, XFJIT_E_SIZE, XFJIT_E_VERSION, argument};
use crate::table::record;
use std::ffi::c_void;
use xfjit::backend::Outcome;

record! {
    ATTRIBUTE;
    /// Where the values of an attribute are. If everything is zero, every vertex gets (0, 0, 0, 0).
    struct xfjit_attribute {
        /// The start of the memory, which begins with vertex 0.
        data: *const c_void,
        /// The size of the memory in bytes. The library refuses a batch that would read beyond it.
        size_bytes: usize,
        /// Bytes from one vertex to the next; 0: all vertices have the first one's value.
        stride: u32,
        /// XFJIT_FORMAT_*
        format: u32,
        /// 1 to 4; the format must allow this number.
        components: u32,
        /// 0: the attribute advances with each vertex. Otherwise it advances with instances: all vertices of instance i use element i /
        /// divisor of the array.
        divisor: u32,
        /// The value of every vertex if format is XFJIT_FORMAT_NONE: floats, or their bits.
        value: [u32; 4],
    }
}

record! {
    OUTPUT;
    /// Where the values of an output register go, as rows or planes (xfjit_config.output_layout). The gaps of one register may hold
    /// another. If registers overlap, or if rows of one register overlap (a stride below 16), it is undefined whose value remains.
    struct xfjit_output {
        /// The memory; it starts with the first vertex of the batch.
        data: *mut c_void,
        /// Its size in bytes.
        size_bytes: usize,
        /// Bytes from vertex to vertex (rows) or from plane to plane.
        stride: u32,
        /// 0
        reserved: u32,
    }
}

record! {
    BATCH;
    /// The work for one call of a program.
    struct xfjit_batch {
        /// sizeof(xfjit_batch)
        size: u32,
        /// The number of vertices.
        count: u32,
        /// The first vertex. Without indices it counts vertices of the arrays; with indices it counts indices.
        first: u32,
        /// This is added to each index. No vertex number is negative.
        base_index: i32,
        /// The vertex numbers, or null for first, first + 1, and so on. The library copies them before it checks them, so a guest may write
        /// them while the batch runs. They need no alignment.
        indices: *const c_void,
        /// Their size in bytes.
        index_bytes: usize,
        /// The size of an index: 2 or 4 bytes; 0 if there are no indices.
        index_size: u32,
        /// sizeof(xfjit_attribute)
        attribute_size: u32,
        /// The number of attributes in the array; those after them are (0, 0, 0, 1).
        attribute_count: u32,
        /// sizeof(xfjit_output)
        output_size: u32,
        /// v0 and so on. Attributes that the program does not read may be anything.
        attributes: *const xfjit_attribute,
        /// o0 and so on. Outputs that the caller does not want may be anything.
        outputs: *const xfjit_output,
        /// The number of output registers in the array.
        output_count: u32,
        /// The number of rows in constants: at least as many as the generation has.
        constant_rows: u32,
        /// The constants, four words for each row. This is the caller's own array, aligned for words. A run writes it only if the program
        /// writes constants.
        constants: *mut c_void,
        /// Null, or one byte for each row of the generation. A byte becomes 1 when the program writes the row.
        dirty: *mut u8,
        /// XFJIT_BATCH_*
        flags: u32,
        /// The index that is not a vertex (XFJIT_BATCH_RESTART).
        restart_index: u32,
        /// 0, or a limit: indices must name vertices below it. A greater vertex number is refused, or clamped with XFJIT_BATCH_CLAMP.
        index_limit: u32,
        /// The number of instances: the vertices run once for each instance, in order; 0 means 1. The outputs of instance i begin at vertex
        /// i * count.
        instance_count: u32,
        /// The number of the first instance. Attributes with a divisor begin there.
        first_instance: u32,
        /// The attributes that the caller wants in last, as a mask, whether or not the program reads them.
        last_mask: u32,
        /// Null, or 16 rows of four words. The rows in last_mask receive the attributes of the last vertex of the last instance; these are
        /// the current attributes after a draw. If there is no vertex, the rows stay unchanged. They must not overlap anything else that the
        /// batch names.
        last: *mut c_void,
        /// Null, or memory for count numbers. For each vertex of an instance, its number says where its outputs are. With
        /// XFJIT_BATCH_DISTINCT this is a position among the distinct vertices, which are in the order of the list. Without it, this is the
        /// usual position. A restart index gets 4294967295.
        places: *mut u32,
    }
}

record! {
    OUTCOME;
    /// What a run has done.
    struct xfjit_outcome {
        /// sizeof(xfjit_outcome)
        size: u32,
        /// The number of vertices that are done. This is all of them, unless the call reached a limit of the worker
        /// (xfjit_worker_set_slot_budget, xfjit_worker_set_overtime) or was cancelled (xfjit_worker_set_cancel).
        done: u32,
        /// The number of vertex groups that native code left to run again.
        deopt_groups: u64,
        /// The number of vertices that reached their timeout.
        timeouts: u64,
        /// The number of vertices that ended with a stack fault.
        stack_faults: u64,
        /// The number of vertices that ran: less than done if each distinct vertex ran only once.
        vertices: u64,
        /// Not 0 if a flag cancelled the call before all vertices were done.
        cancelled: u64,
    }
}

impl Sized32 for xfjit_batch {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_batch";
    const ZERO: Self = Self::ZERO;
}

impl Sized32 for xfjit_outcome {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_outcome";
    const ZERO: Self = Self::ZERO;
}

/// A batch that a call runs. What the batch writes is this call's alone, so there is one of these.
pub(crate) struct Batch<'r>(Record<'r, xfjit_batch>);

impl<'r> Batch<'r> {
    /// The batch that a function was given.
    #[inline]
    pub(crate) fn new(record: Record<'r, xfjit_batch>) -> Self {
        Batch(record)
    }

    /// The description, to be read.
    #[inline]
    pub(crate) fn record(&self) -> Record<'r, xfjit_batch> {
        self.0
    }

    /// The constants, which a program may write, and the rest.
    #[inline]
    pub(crate) fn split(&mut self) -> (ConstantRows<'_>, Record<'_, xfjit_batch>) {
        let &xfjit_batch { constants, constant_rows, dirty, .. } = &*self.0;
        // SAFETY: the description of the record says so of its members, and a `Record` promises it. That nobody else uses them: `self` is
        // borrowed alone.
        (unsafe { ConstantRows::new(constants, constant_rows as usize, dirty) }, self.0)
    }
}

impl<'r> Record<'r, xfjit_batch> {
    /// The attribute of a register, if the batch has so many.
    #[inline]
    pub(crate) fn attribute(&self, register: usize) -> Result<Option<Record<'r, xfjit_attribute>>, Failure> {
        let &xfjit_batch { attributes, attribute_size, attribute_count, .. } = &**self;
        if register >= attribute_count as usize {
            return Ok(None);
        }
        // SAFETY: the array has so many elements of this size, as the description of the record says and a `Record` promises.
        unsafe { element(attributes, attribute_size, register, "attributes") }.map(Some)
    }

    /// Where an output register goes, if the batch has so many.
    #[inline]
    pub(crate) fn output(&self, register: usize) -> Result<Option<Record<'r, xfjit_output>>, Failure> {
        let &xfjit_batch { outputs, output_size, output_count, .. } = &**self;
        if register >= output_count as usize {
            return Ok(None);
        }
        // SAFETY: the array has so many elements of this size, as the description of the record says and a `Record` promises.
        unsafe { element(outputs, output_size, register, "outputs") }.map(Some)
    }
}

/// An element of an array whose elements the caller gives a size.
///
/// # Safety
/// The pointer is one that can be refused, or points to an array of so large elements that has this one, until `'r` ends.
#[inline]
unsafe fn element<'r, T: Copy>(
    array: *const T,
    size: u32,
    index: usize,
    name: &str,
) -> Result<Record<'r, T>, Failure> {
    let (size, known) = (size as usize, size_of::<T>());
    check_pointer(array, name)?;
    if !(known..=MOST).contains(&size) || !size.is_multiple_of(align_of::<T>()) {
        let text = format_args!("elements of {name} have the size {size}; it must be {known}");
        return Err(Failure::new(XFJIT_E_SIZE, text));
    }
    let array = array.cast::<u8>();
    extent(array, (index + 1) * size, name)?;
    if size > known {
        // SAFETY: the array has this element, of which this is the end.
        let unknown = unsafe { lent::part(array, index * size + known..(index + 1) * size, name) }?;
        if unknown.iter().any(|&byte| byte != 0) {
            let text = format_args!("{name} sets fields that this version of the library does not know");
            return Err(Failure::new(XFJIT_E_VERSION, text));
        }
    }
    // SAFETY: the array has this element, and it is aligned, since the array and the size are. Its pointers promise what those of the
    // whole description do.
    Ok(unsafe { Record::new(&*array.add(index * size).cast::<T>()) })
}

/// How many instances a batch has, and the number of the last one.
pub(crate) fn instances(batch: Record<'_, xfjit_batch>) -> Result<(usize, u32), Failure> {
    let count = batch.instance_count.max(1);
    let last = batch.first_instance.checked_add(count - 1);
    let last = last.ok_or_else(|| argument("first_instance plus instance_count exceeds 32 bits"))?;
    Ok((count as usize, last))
}

/// What a batch has come to.
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    /// Vertices of outputs that are done.
    pub(crate) done: usize,
    /// Vertices that ran.
    pub(crate) vertices: usize,
}

impl Ran {
    /// A batch of so many vertices.
    #[inline]
    pub(crate) fn new(outcome: Outcome, count: usize) -> Self {
        let done = outcome.out_of_time.unwrap_or(count);
        Ran { outcome, done, vertices: done }
    }

    /// What C hears of it.
    pub(crate) fn outcome(&self) -> xfjit_outcome {
        let Ran { outcome, done, vertices } = self;
        xfjit_outcome {
            size: 0,
            done: u32::try_from(*done).unwrap_or(u32::MAX),
            deopt_groups: outcome.deopt_groups,
            timeouts: outcome.faults.timeouts,
            stack_faults: outcome.faults.stack,
            vertices: *vertices as u64,
            cancelled: outcome.cancelled.into(),
        }
    }
}
