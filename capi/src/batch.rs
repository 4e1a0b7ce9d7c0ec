//! Batches as C describes them.

use crate::format::{self, XFJIT_FORMAT_NONE};
use crate::memory::{self, Sized32};
use crate::program::xfjit_program;
use crate::run::{addresses, apart, constants, overlap};
use crate::status::{
    Failure, XFJIT_E_INPUT, XFJIT_E_OUTPUT, XFJIT_E_SIZE, XFJIT_E_VERSION, argument, call, xfjit_status,
};
use crate::table::{functions, record};
use std::ffi::c_void;
use std::ops::Range;
use xfjit::backend::Outcome;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Output, Outputs, registers};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::format::Format;
use xfjit::runtime::state::{ATTRIBUTES, DEFAULT_ROW, OUTPUTS, Row};

record! {
    ATTRIBUTE;
    /// Where the values of an attribute lie. All zeros: the value (0, 0, 0, 0) for every vertex.
    struct xfjit_attribute {
        /// The window of memory: vertex 0 is at its beginning.
        data: *const c_void,
        /// Bytes of the window. A batch that would read behind them is refused.
        size_bytes: usize,
        /// Bytes from one vertex to the next; 0: all have the first one's value.
        stride: u32,
        /// XFJIT_FORMAT_*
        format: u32,
        /// 1 to 4.
        components: u32,
        /// 0
        reserved: u32,
        /// What every vertex has if format is XFJIT_FORMAT_NONE: floats, or their bits.
        value: [u32; 4],
    }
}

record! {
    OUTPUT;
    /// Where the values of an output register go: rows or planes, as the program was configured. Registers may lie in each other's
    /// gaps.
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
        /// Added to each index.
        base_index: u32,
        /// The numbers of the vertices, or null: first, first + 1, and so on.
        indices: *const c_void,
        /// Bytes of them.
        index_bytes: usize,
        /// 2 or 4 bytes each, of the host's order; 0 without.
        index_size: u32,
        /// sizeof(xfjit_attribute)
        attribute_size: u32,
        /// Attributes given; those behind them are (0, 0, 0, 1).
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
    }
}

record! {
    OUTCOME;
    /// What a run did.
    struct xfjit_outcome {
        /// sizeof(xfjit_outcome)
        size: u32,
        /// Vertices that are done: all, unless the worker has a budget (xfjit_worker_set_slot_budget).
        done: u32,
        /// Groups of vertices that native code has left to the interpreter.
        deopt_groups: u64,
        /// Vertices that ran out of time.
        timeouts: u64,
        /// Vertices that left their stack.
        stack_faults: u64,
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

pub(crate) fn outcome_of(outcome: &Outcome, count: usize) -> xfjit_outcome {
    xfjit_outcome {
        size: 0,
        done: outcome.out_of_time.unwrap_or(count) as u32,
        deopt_groups: outcome.deopt_groups,
        timeouts: outcome.faults.timeouts,
        stack_faults: outcome.faults.stack,
    }
}

/// An element of an array whose elements the caller gives a size.
///
/// # Safety
/// The pointer is null or points to an array of so large elements that has this one.
#[inline]
unsafe fn element<T: Copy>(array: *const T, size: u32, index: usize, name: &str) -> Result<T, Failure> {
    let (size, known) = (size as usize, size_of::<T>());
    memory::check_pointer(array, name)?;
    if size < known || !size.is_multiple_of(align_of::<T>()) {
        let text = format_args!("the size of an element of {name} is {size}; it is {known}");
        return Err(Failure::new(XFJIT_E_SIZE, text));
    }
    // SAFETY: the array has this element, as the caller says; it is aligned, since the array and the size are.
    unsafe {
        let at = array.cast::<u8>().add(index * size);
        if size > known {
            let unknown = std::slice::from_raw_parts(at.add(known), size - known);
            if unknown.iter().any(|&byte| byte != 0) {
                let text = format_args!("{name} have members that this version of the library does not know");
                return Err(Failure::new(XFJIT_E_VERSION, text));
            }
        }
        Ok(at.cast::<T>().read())
    }
}

/// A batch that has been looked at as far as C is concerned: the memory is the caller's, what is written is apart from what
/// is read. Whether it holds what the program needs is asked by the run.
pub(crate) struct Lent<'a> {
    pub(crate) constants: Constants<'a>,
    pub(crate) inputs: Inputs<'a>,
    pub(crate) outputs: Outputs<'a>,
}

/// The numbers of the vertices.
struct Numbers<'a> {
    indices: Option<&'a [u32]>,
    /// Of the first vertex in the arrays.
    first: usize,
    count: usize,
    /// The greatest, from the first one on; nothing if there are no vertices.
    last: Option<usize>,
    read: Range<usize>,
}

impl<'a> Numbers<'a> {
    /// # Safety
    /// The batch says what is there.
    #[inline]
    unsafe fn of(batch: &xfjit_batch, widened: &'a mut Vec<u32>) -> Result<Self, Failure> {
        let count = batch.count as usize;
        if batch.indices.is_null() {
            let first = batch.first as usize;
            return Ok(Numbers { indices: None, first, count, last: count.checked_sub(1), read: 0..0 });
        }
        let each = batch.index_size as usize;
        if !matches!(each, 2 | 4) {
            return Err(argument(format_args!("index_size is {each}, not 2 or 4")));
        }
        let needed = (u64::from(batch.first) + u64::from(batch.count)) * each as u64;
        if needed > batch.index_bytes as u64 {
            let (first, count, bytes) = (batch.first, batch.count, batch.index_bytes);
            let text =
                format_args!("indices {first} and {count} more of {each} bytes do not lie in {bytes} bytes");
            return Err(Failure::new(XFJIT_E_INPUT, text));
        }
        let start = batch.indices.cast::<u8>().wrapping_add(each * batch.first as usize);
        let read = addresses(start, count * each);
        let base = batch.base_index;
        // SAFETY: as the caller says; any alignment will do.
        let bytes = unsafe { memory::slice(start, count * each, "indices") }?;
        let indices: &'a [u32] = if each == 4 && base == 0 && start.cast::<u32>().is_aligned() {
            // SAFETY: the same bytes, aligned.
            unsafe { memory::slice(start.cast::<u32>(), count, "indices") }?
        } else {
            widened.clear();
            match each {
                2 => widened.extend(
                    bytes.as_chunks::<2>().0.iter().map(|&index| u32::from(u16::from_ne_bytes(index))),
                ),
                _ => widened.extend(bytes.as_chunks::<4>().0.iter().map(|&index| u32::from_ne_bytes(index))),
            }
            let most = widened.iter().max().copied().unwrap_or(0);
            if most.checked_add(base).is_none() {
                let text = format_args!("index {most} and base_index {base} are more than 32 bits hold");
                return Err(Failure::new(XFJIT_E_INPUT, text));
            }
            widened.iter_mut().for_each(|index| *index += base);
            widened
        };
        let last = indices.iter().max().map(|&index| index as usize);
        Ok(Numbers { indices: Some(indices), first: 0, count, last, read })
    }
}

/// The part of an attribute's window that the batch reads, with its format.
///
/// # Safety
/// The attribute says what is there.
#[inline]
unsafe fn stream<'a>(
    register: usize,
    attribute: &xfjit_attribute,
    numbers: &Numbers<'_>,
) -> Result<Option<(&'a [u8], Format)>, Failure> {
    if attribute.format == XFJIT_FORMAT_NONE {
        return Ok(None);
    }
    let format = format::format(register, attribute.format, attribute.components)?;
    let stride = attribute.stride as usize;
    let end =
        numbers.last.and_then(|last| (numbers.first + last).checked_mul(stride)?.checked_add(format.bytes()));
    let start = numbers.first.checked_mul(stride);
    let (Some(start), Some(end)) = (start, end) else {
        return Ok(Some((&[], format)));
    };
    if end > attribute.size_bytes {
        let (vertex, size) = (numbers.first + numbers.last.unwrap_or(0), attribute.size_bytes);
        let text =
            format_args!("attribute v{register}: vertex {vertex} ends at byte {end} of a window of {size}");
        return Err(Failure::new(XFJIT_E_INPUT, text));
    }
    let base = attribute.data.cast::<u8>();
    memory::check_pointer(base, "an attribute's data")?;
    // SAFETY: the window holds these bytes, as the caller says.
    let data = unsafe { memory::slice(base.wrapping_add(start), end - start, "an attribute's data") }?;
    Ok(Some((data, format)))
}

impl<'a> Lent<'a> {
    /// # Safety
    /// The batch is null or says what is there; what is written nobody else uses.
    #[inline]
    pub(crate) unsafe fn of(
        program: &xfjit_program,
        batch: *const xfjit_batch,
        widened: &'a mut Vec<u32>,
    ) -> Result<Self, Failure> {
        // SAFETY: as the caller says.
        let batch = unsafe { memory::record(batch) }?;
        let needs = program.get().needs();
        // SAFETY: as the caller says.
        let numbers = unsafe { Numbers::of(&batch, widened) }?;
        let (hull, written, outputs) = {
            let mut outputs = Outputs::none(needs.layout);
            if program.keep_outputs {
                outputs = outputs.keeping();
            }
            let (mut hull, mut written) = (Range { start: usize::MAX, end: 0 }, [const { 0..0 }; OUTPUTS]);
            for register in
                registers(needs.outputs).take_while(|&register| register < batch.output_count as usize)
            {
                // SAFETY: the array has so many.
                let output = unsafe { element(batch.outputs, batch.output_size, register, "outputs") }?;
                if output.data.is_null() {
                    continue;
                }
                // SAFETY: as the caller says.
                let memory = unsafe { place(register, &output, needs.layout, numbers.count) }?;
                let range = addresses(memory.as_ptr(), memory.len());
                hull = hull.start.min(range.start)..hull.end.max(range.end);
                written[register] = range;
                outputs.set(register as u8, Output::shared(memory, output.stride as usize));
            }
            (hull, written, outputs)
        };
        let stays = |range: &Range<usize>, name: &str| match overlap(&hull, range) {
            false => Ok(()),
            true => written.iter().try_for_each(|written| apart(written, "an output", range, name)),
        };
        let rows = addresses(batch.constants.cast::<Row>(), needs.rows);
        let noted = if needs.writes_constants && !batch.dirty.is_null() {
            addresses(batch.dirty, needs.rows)
        } else {
            0..0
        };
        let writes = needs.writes_constants;
        let is_apart = |range: &Range<usize>, name: &str| {
            stays(range, name)?;
            if writes {
                apart(&rows, "constants", range, name)?;
                apart(&noted, "dirty", range, name)?;
            }
            Ok(())
        };
        stays(&rows, "constants")?;
        stays(&noted, "dirty")?;
        apart(&noted, "dirty", &rows, "constants")?;
        is_apart(&numbers.read, "indices")?;

        let mut inputs = Inputs::new(numbers.count);
        inputs.indices = numbers.indices.map(Into::into);
        for register in
            registers(needs.inputs).take_while(|&register| register < batch.attribute_count as usize)
        {
            // SAFETY: the array has so many.
            let attribute =
                unsafe { element(batch.attributes, batch.attribute_size, register, "attributes") }?;
            // SAFETY: as the caller says.
            inputs = match unsafe { stream(register, &attribute, &numbers) }? {
                None => inputs.with(register, Attribute::Constant(attribute.value)),
                Some((data, format)) => {
                    is_apart(&addresses(data.as_ptr(), data.len()), "an attribute")?;
                    inputs.formatted(register, data, attribute.stride as usize, format)
                }
            };
        }
        // SAFETY: as the caller says; what is written is apart from everything else.
        let constants =
            unsafe { constants(needs, batch.constants, batch.constant_rows as usize, batch.dirty) }?;
        Ok(Lent { constants, inputs, outputs })
    }
}

/// Bytes of an output's memory that so many vertices write.
#[inline]
pub(crate) fn bytes_of(layout: Layout, stride: usize, count: usize) -> Option<usize> {
    let Some(last) = count.checked_sub(1) else { return Some(0) };
    match layout {
        Layout::Rows => last.checked_mul(stride)?.checked_add(16),
        Layout::Planes => stride.checked_mul(3)?.checked_add(last.checked_mul(4)?)?.checked_add(4),
    }
}

/// The part of an output's memory that the batch writes.
///
/// # Safety
/// The output says what is there.
#[inline]
unsafe fn place<'a>(
    register: usize,
    output: &xfjit_output,
    layout: Layout,
    count: usize,
) -> Result<&'a [std::cell::Cell<u8>], Failure> {
    let stride = output.stride as usize;
    match bytes_of(layout, stride, count) {
        // SAFETY: so many bytes are there, as the caller says.
        Some(end) if end <= output.size_bytes => unsafe {
            memory::cells(output.data.cast(), end, "an output's data")
        },
        _ => {
            let size = output.size_bytes;
            let text = format_args!(
                "output o{register}: {count} vertices at a stride of {stride} are more than {size} bytes"
            );
            Err(Failure::new(XFJIT_E_OUTPUT, text))
        }
    }
}

functions! {
    FUNCTIONS;
    /// Fetches the attributes of one vertex alone: number `vertex` of the batch, its attributes in `mask`, into `rows`, 16 rows of
    /// four words; the other rows stay as they are. Nothing of the batch but indices and attributes is looked at. Any thread.
    fn xfjit_fetch(batch: *const xfjit_batch, vertex: u32, mask: u32, rows: *mut c_void) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let batch = unsafe { memory::record(batch) }?;
            if vertex >= batch.count {
                return Err(argument(format_args!("there is no vertex {vertex}, the batch has {}", batch.count)));
            }
            let one = xfjit_batch { first: batch.first.saturating_add(vertex), count: 1, ..batch };
            let mut widened = Vec::new();
            // SAFETY: as the caller says.
            let numbers = unsafe { Numbers::of(&one, &mut widened) }?;
            let mut fetched = [None; ATTRIBUTES];
            for register in registers(mask & 0xffff) {
                let row = if register >= batch.attribute_count as usize {
                    DEFAULT_ROW
                } else {
                    // SAFETY: the array has so many.
                    let attribute = unsafe { element(batch.attributes, batch.attribute_size, register, "attributes") }?;
                    // SAFETY: as the caller says.
                    match unsafe { stream(register, &attribute, &numbers) }? {
                        None => attribute.value,
                        Some((data, format)) => {
                            let stride = attribute.stride as usize;
                            let mut inputs = Inputs::new(1).formatted(register, data, stride, format);
                            inputs.indices = numbers.indices.map(Into::into);
                            inputs.fetch(register, 0)
                        }
                    }
                };
                fetched[register] = Some(row);
            }
            // SAFETY: as the caller says.
            let rows = unsafe { memory::slice_mut(rows.cast::<Row>(), ATTRIBUTES, "rows") }?;
            for (row, fetched) in rows.iter_mut().zip(fetched) {
                *row = fetched.unwrap_or(*row);
            }
            Ok(())
        })
    }
}
