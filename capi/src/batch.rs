//! Batches as C describes them.

use crate::format::{self, XFJIT_FORMAT_NONE};
use crate::indices::{Lists, Numbers, XFJIT_BATCH_DISTINCT};
use crate::memory::{self, Sized32};
use crate::program::xfjit_program;
use crate::run::{apart, constants_lie, known_constants, overlap};
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
}

pub(crate) fn outcome_of(ran: &Ran) -> xfjit_outcome {
    let Ran { outcome, done, vertices } = ran;
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

/// An element of an array whose elements the caller gives a size.
///
/// # Safety
/// The pointer is null or points to an array of so large elements that has this one.
#[inline]
unsafe fn element<T: Copy>(array: *const T, size: u32, index: usize, name: &str) -> Result<T, Failure> {
    let (size, known) = (size as usize, size_of::<T>());
    memory::check_pointer(array, name)?;
    if !(known..=memory::MOST).contains(&size) || !size.is_multiple_of(align_of::<T>()) {
        let text = format_args!("the size of an element of {name} is {size}; it is {known}");
        return Err(Failure::new(XFJIT_E_SIZE, text));
    }
    memory::extent(array.cast::<u8>(), (index + 1) * size, name)?;
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

/// The same, and what of its vertices is to run.
pub(crate) struct Draw<'a> {
    /// With the inputs of the first instance.
    pub(crate) lent: Lent<'a>,
    pub(crate) numbers: Numbers,
    pub(crate) lists: &'a Lists,
    pub(crate) instances: usize,
    /// Attributes that belong to instances.
    pub(crate) divided: u16,
    /// How many distinct vertices there are, if these alone are to run.
    pub(crate) distinct: Option<usize>,
}

/// How many instances a batch has, and the number of the last one.
pub(crate) fn instances(batch: &xfjit_batch) -> Result<(usize, u32), Failure> {
    let count = batch.instance_count.max(1);
    let last = batch.first_instance.checked_add(count - 1);
    let last =
        last.ok_or_else(|| argument("first_instance and instance_count are more than 32 bits hold"))?;
    Ok((count as usize, last))
}

/// The part of an attribute's window that the batch reads, with its format.
///
/// # Safety
/// The attribute says what is there.
#[inline]
unsafe fn stream<'a>(
    register: usize,
    attribute: &xfjit_attribute,
    numbers: &Numbers,
    (first_instance, last_instance): (u32, u32),
) -> Result<Option<(&'a [u8], Format)>, Failure> {
    if attribute.format == XFJIT_FORMAT_NONE {
        return Ok(None);
    }
    let format = format::format(register, attribute.format, attribute.components)?;
    let stride = attribute.stride as usize;
    let Some(last) = numbers.last else { return Ok(Some((&[], format))) };
    let (first, last) = match attribute.divisor {
        0 => (numbers.first, numbers.first.checked_add(last)),
        divisor => ((first_instance / divisor) as usize, Some((last_instance / divisor) as usize)),
    };
    let end = last.and_then(|last| last.checked_mul(stride)?.checked_add(format.bytes()));
    let (Some(start), Some(end)) = (first.checked_mul(stride), end) else {
        return Err(beyond(register, attribute, numbers, last));
    };
    if end > attribute.size_bytes {
        return Err(beyond(register, attribute, numbers, last));
    }
    // SAFETY: the window holds these bytes, as the caller says.
    let data = unsafe { memory::part(attribute.data.cast(), start..end, "an attribute's data") }?;
    Ok(Some((data, format)))
}

/// What is read behind a window.
#[cold]
fn beyond(register: usize, attribute: &xfjit_attribute, numbers: &Numbers, last: Option<usize>) -> Failure {
    let (size, stride) = (attribute.size_bytes, attribute.stride);
    let vertex = last.map_or_else(|| "the last vertex".to_owned(), |last| format!("vertex {last}"));
    let which = match (attribute.divisor, numbers.is_indexed) {
        (0, true) => ", the greatest that the indices name,",
        (0, false) => "",
        _ => ", that of the last instance,",
    };
    let text = format_args!(
        "attribute v{register}: {vertex}{which} at a stride of {stride} ends behind a window of {size} bytes"
    );
    Failure::new(XFJIT_E_INPUT, text)
}

/// What an attribute of one vertex is.
///
/// # Safety
/// The batch says what is there.
unsafe fn fetched(
    batch: &xfjit_batch,
    register: usize,
    vertex: usize,
    instance: u32,
) -> Result<Row, Failure> {
    if register >= batch.attribute_count as usize {
        return Ok(DEFAULT_ROW);
    }
    // SAFETY: the array has so many.
    let attribute = unsafe { element(batch.attributes, batch.attribute_size, register, "attributes") }?;
    // SAFETY: as the caller says.
    let part = unsafe { stream(register, &attribute, &Numbers::one(vertex), (instance, instance)) }?;
    Ok(match part {
        None => attribute.value,
        Some((data, format)) => Inputs::new(1).formatted(register, data, 0, format).fetch(register, 0),
    })
}

/// The attributes of a batch that have memory, from the first to the last of these instances, and which they are.
///
/// # Safety
/// The batch says what is there.
pub(crate) unsafe fn arrays<'a>(
    batch: &xfjit_batch,
    numbers: &Numbers,
    instances: (u32, u32),
) -> Result<(Inputs<'a>, u16), Failure> {
    let (mut inputs, mut fetched) = (Inputs::new(numbers.count), 0);
    for register in 0..ATTRIBUTES.min(batch.attribute_count as usize) {
        // SAFETY: the array has so many.
        let attribute = unsafe { element(batch.attributes, batch.attribute_size, register, "attributes") }?;
        // SAFETY: as the caller says.
        if let Some((data, format)) = unsafe { stream(register, &attribute, numbers, instances) }? {
            let stride = if attribute.divisor == 0 { attribute.stride } else { 0 };
            inputs = inputs.formatted(register, data, stride as usize, format);
            fetched |= 1 << register;
        }
    }
    Ok((inputs, fetched))
}

impl<'a> Draw<'a> {
    /// # Safety
    /// The batch says what is there; what is written nobody else uses.
    #[inline]
    pub(crate) unsafe fn of(
        program: &xfjit_program,
        batch: &xfjit_batch,
        lists: &'a mut Lists,
    ) -> Result<Self, Failure> {
        let needs = program.get().needs();
        // SAFETY: as the caller says.
        let numbers = unsafe { Numbers::of(batch, lists, needs.input_layout.indices().width()) }?;
        let (instances, last_instance) = instances(batch)?;
        let positions = numbers.count.checked_mul(instances);
        let positions = positions.ok_or_else(|| argument("so many vertices are beyond all memory"))?;
        let once = batch.flags & XFJIT_BATCH_DISTINCT != 0
            && numbers.is_indexed
            && numbers.last.is_some()
            && !needs.writes_constants;
        let mut is_spreadable = true;
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
                let memory = unsafe { place(register, &output, needs.layout, positions) }?;
                let range = memory::place_of(memory);
                hull = hull.start.min(range.start)..hull.end.max(range.end);
                written[register] = range;
                is_spreadable &= output.stride >= 16 || needs.layout == Layout::Planes;
                outputs.set(register as u8, Output::shared(memory, output.stride as usize));
            }
            (hull, written, outputs)
        };
        let distinct = match once && (is_spreadable || !batch.places.is_null()) {
            true => Some(numbers.find_distinct(lists)?),
            false => None,
        };
        let lists: &'a Lists = lists;
        // Everything that is written is looked at before anything is.
        let told = if batch.places.is_null() { 0 } else { numbers.count };
        let places = memory::extent(batch.places, told, "places")?;
        if !batch.last.is_null() {
            memory::extent(batch.last.cast::<Row>(), ATTRIBUTES, "last")?;
        }
        let stays = |range: &Range<usize>, name: &str| match overlap(&hull, range) {
            false => Ok(()),
            true => written.iter().try_for_each(|written| apart(written, "an output", range, name)),
        };
        let given = batch.constant_rows as usize;
        let (rows, noted) = constants_lie(needs, batch.constants, given, batch.dirty)?;
        let writes = needs.writes_constants;
        let is_apart = |range: &Range<usize>, name: &str| {
            stays(range, name)?;
            apart(&places, "places", range, name)?;
            if writes {
                apart(&rows, "constants", range, name)?;
                apart(&noted, "dirty", range, name)?;
            }
            Ok(())
        };
        stays(&rows, "constants")?;
        stays(&noted, "dirty")?;
        stays(&places, "places")?;
        apart(&places, "places", &rows, "constants")?;
        apart(&places, "places", &noted, "dirty")?;
        is_apart(&numbers.read, "indices")?;

        let mut inputs = Inputs::new(numbers.count);
        inputs.indices = numbers.indices(lists, 0..numbers.count);
        let mut divided = 0;
        for register in
            registers(needs.inputs).take_while(|&register| register < batch.attribute_count as usize)
        {
            // SAFETY: the array has so many.
            let attribute =
                unsafe { element(batch.attributes, batch.attribute_size, register, "attributes") }?;
            // SAFETY: as the caller says.
            let part =
                unsafe { stream(register, &attribute, &numbers, (batch.first_instance, last_instance)) }?;
            inputs = match part {
                None => inputs.with(register, Attribute::Constant(attribute.value)),
                Some((data, format)) => {
                    is_apart(&memory::place_of(data), "an attribute")?;
                    let stride = if attribute.divisor == 0 { attribute.stride } else { 0 };
                    divided |= u16::from(attribute.divisor != 0) << register;
                    inputs.formatted(register, data, stride as usize, format)
                }
            };
        }
        // SAFETY: as the caller says; what is written is apart from everything else.
        let constants = unsafe { known_constants(needs, batch.constants, batch.dirty) }?;
        let lent = Lent { constants, inputs, outputs };
        Ok(Draw { lent, numbers, lists, instances, divided, distinct })
    }

    /// Makes attributes of instances those of the next one, which has this number.
    ///
    /// # Safety
    /// The batch, of which this is made, says what is there.
    pub(crate) unsafe fn next_instance(&mut self, batch: &xfjit_batch, instance: u32) -> Result<(), Failure> {
        for register in registers(self.divided) {
            // SAFETY: the array has so many.
            let attribute =
                unsafe { element(batch.attributes, batch.attribute_size, register, "attributes") }?;
            if let Attribute::Stream { data, .. } = &mut self.lent.inputs.attributes[register]
                && instance.is_multiple_of(attribute.divisor.max(1))
            {
                *data = data.get(attribute.stride as usize..).unwrap_or_default();
            }
        }
        Ok(())
    }
}

/// What current attributes are after a batch: those that are wanted; nothing if it has no vertex.
///
/// # Safety
/// The batch says what is there.
pub(crate) unsafe fn last_inputs(
    batch: &xfjit_batch,
    numbers: &Numbers,
    lists: &Lists,
) -> Result<[Option<Row>; ATTRIBUTES], Failure> {
    let mut rows = [None; ATTRIBUTES];
    let (_, last_instance) = instances(batch)?;
    if let Some(vertex) = numbers.last_vertex(lists) {
        for register in registers(batch.last_mask & 0xffff) {
            // SAFETY: as the caller says.
            rows[register] = Some(unsafe { fetched(batch, register, vertex, last_instance) }?);
        }
    }
    Ok(rows)
}

/// Stores those rows of registers that there are.
///
/// # Safety
/// The pointer is null or points to 16 rows, which nobody else uses.
pub(crate) unsafe fn store_rows(
    to: *mut c_void,
    rows: &[Option<Row>; ATTRIBUTES],
    name: &str,
) -> Result<(), Failure> {
    // SAFETY: as the caller says.
    let to = unsafe { memory::slice_mut(to.cast::<Row>(), ATTRIBUTES, name) }?;
    for (to, row) in to.iter_mut().zip(rows) {
        *to = row.unwrap_or(*to);
    }
    Ok(())
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
    /// Fetches the attributes of one vertex alone: number `vertex` of the batch's first instance, its attributes in `mask`, into
    /// `rows`, 16 rows of four words; the other rows stay as they are. Nothing of the batch but indices and attributes is looked at. Any thread.
    fn xfjit_fetch(batch: *const xfjit_batch, vertex: u32, mask: u32, rows: *mut c_void) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let batch = unsafe { memory::record(batch) }?;
            if vertex >= batch.count {
                return Err(argument(format_args!("there is no vertex {vertex}, the batch has {}", batch.count)));
            }
            let one = xfjit_batch { first: batch.first.wrapping_add(vertex), count: 1, ..batch };
            let mut lists = Lists::default();
            // Without a list numbers go on where 32 bits end; there is no list that does.
            let numbers = match batch.first.checked_add(vertex) {
                None if batch.indices.is_null() => Numbers::one((batch.first as usize).saturating_add(vertex as usize)),
                None => return Err(argument(format_args!("there is no list with a place for vertex {vertex}"))),
                // SAFETY: as the caller says.
                Some(_) => unsafe { Numbers::of(&one, &mut lists, None) }?,
            };
            let number = numbers.last_vertex(&lists);
            let number = number.ok_or_else(|| argument(format_args!("vertex {vertex} is a restart index")))?;
            let mut fetched_rows = [None; ATTRIBUTES];
            for register in registers(mask & 0xffff) {
                // SAFETY: as the caller says.
                fetched_rows[register] = Some(unsafe { fetched(&one, register, number, batch.first_instance) }?);
            }
            // SAFETY: as the caller says.
            unsafe { store_rows(rows, &fetched_rows, "rows") }
        })
    }
}
