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
    /// Where the values of an attribute lie. All zeros: the value (0, 0, 0, 0) for every vertex.
    struct xfjit_attribute {
        /// The window of memory: vertex 0 is at its beginning.
        data: *const c_void,
        /// Bytes of the window. A batch that would read beyond them is refused.
        size_bytes: usize,
        /// Bytes from one vertex to the next; 0: all have the first one's value.
        stride: u32,
        /// XFJIT_FORMAT_*
        format: u32,
        /// 1 to 4, as many as the format has.
        components: u32,
        /// 0: the attribute belongs to vertices. Otherwise to instances: all vertices of instance i have number i / divisor of the
        /// array.
        divisor: u32,
        /// What every vertex has if format is XFJIT_FORMAT_NONE: floats, or their bits.
        value: [u32; 4],
    }
}

record! {
    OUTPUT;
    /// Where the values of an output register go: rows or planes, as the program was configured. Registers may lie in each other's
    /// gaps. Where registers lie over each other, or several rows of one (a stride below 16), nobody says whose value stays.
    struct xfjit_output {
        /// The memory; the first vertex of the batch is at its beginning.
        data: *mut c_void,
        /// Bytes of it.
        size_bytes: usize,
        /// Bytes from vertex to vertex (rows) or from plane to plane.
        stride: u32,
        /// 0
        reserved: u32,
    }
}

record! {
    BATCH;
    /// What a program runs on.
    struct xfjit_batch {
        /// sizeof(xfjit_batch)
        size: u32,
        /// Vertices.
        count: u32,
        /// The first of them: of the arrays, or, with indices, of these.
        first: u32,
        /// Added to each index. No vertex is less than 0.
        base_index: i32,
        /// The numbers of the vertices, or null: first, first + 1, and so on. They are copied before they are looked at: a guest may
        /// write them while the batch runs. Any alignment.
        indices: *const c_void,
        /// Bytes of them.
        index_bytes: usize,
        /// 2 or 4 bytes each; 0 without.
        index_size: u32,
        /// sizeof(xfjit_attribute)
        attribute_size: u32,
        /// Attributes given; those after them are (0, 0, 0, 1).
        attribute_count: u32,
        /// sizeof(xfjit_output)
        output_size: u32,
        /// v0 and so on. Those that the program does not read may be anything.
        attributes: *const xfjit_attribute,
        /// o0 and so on. Those that are not wanted may be anything.
        outputs: *const xfjit_output,
        /// Output registers given.
        output_count: u32,
        /// Rows of constants given, at least as many as the generation has.
        constant_rows: u32,
        /// The constants, four words each: the caller's own array, aligned for words. Written only if the program writes constants.
        constants: *mut c_void,
        /// Null, or a byte for each row of the generation, which becomes 1 when the program writes the row.
        dirty: *mut u8,
        /// XFJIT_BATCH_*
        flags: u32,
        /// The index that is no vertex (XFJIT_BATCH_RESTART).
        restart_index: u32,
        /// 0, or what every vertex that indices name is below; a greater one is refused (or XFJIT_BATCH_CLAMP).
        index_limit: u32,
        /// How often the vertices are run, instance after instance; 0 is 1. Outputs of instance i begin at vertex i * count.
        instance_count: u32,
        /// The number of the first instance, which attributes with a divisor begin with.
        first_instance: u32,
        /// The attributes that are wanted in `last`, as a mask, whether or not the program reads them.
        last_mask: u32,
        /// Null, or 16 rows of four words, of which those in last_mask get what the last vertex of the last instance has: what current
        /// attributes are after a draw. They stay as they are if there is no vertex.
        last: *mut c_void,
        /// Null, or memory for `count` numbers, which tell for each vertex of an instance where its outputs are: with
        /// XFJIT_BATCH_DISTINCT among those of its distinct vertices, which are in the order of the list then; without, where they
        /// always are. Of a restart index 4294967295.
        places: *mut u32,
    }
}

record! {
    OUTCOME;
    /// What a run did.
    struct xfjit_outcome {
        /// sizeof(xfjit_outcome)
        size: u32,
        /// Vertices that are done: all, unless a limit of the worker is reached (xfjit_worker_set_slot_budget,
        /// xfjit_worker_set_overtime) or the call is cancelled (xfjit_worker_set_cancel).
        done: u32,
        /// Groups of vertices that native code has left to the interpreter.
        deopt_groups: u64,
        /// Vertices that ran out of time.
        timeouts: u64,
        /// Vertices that left their stack.
        stack_faults: u64,
        /// Vertices that ran: fewer than are done where each distinct one ran once.
        vertices: u64,
        /// Not 0 if another thread has ended the call before all vertices were done.
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
        let text = format_args!("the size of an element of {name} is {size}; it is {known}");
        return Err(Failure::new(XFJIT_E_SIZE, text));
    }
    let array = array.cast::<u8>();
    extent(array, (index + 1) * size, name)?;
    if size > known {
        // SAFETY: the array has this element, of which this is the end.
        let unknown = unsafe { lent::part(array, index * size + known..(index + 1) * size, name) }?;
        if unknown.iter().any(|&byte| byte != 0) {
            let text = format_args!("{name} have members that this version of the library does not know");
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
    let last =
        last.ok_or_else(|| argument("first_instance and instance_count are more than 32 bits hold"))?;
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
