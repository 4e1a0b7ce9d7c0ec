//! Attributes and outputs of batches, from descriptions of C to memory that a run borrows.

use crate::batch::{instances, xfjit_attribute, xfjit_batch, xfjit_output};
use crate::extent::extent;
use crate::format::{self, XFJIT_FORMAT_NONE};
use crate::indices::{Lists, Numbers};
use crate::lent;
use crate::sized::Record;
use crate::status::{Failure, XFJIT_E_INPUT, XFJIT_E_OUTPUT, argument};
use std::cell::Cell;
use xfjit::runtime::batch::{Inputs, Layout, registers};
use xfjit::runtime::format::Format;
use xfjit::runtime::state::{ATTRIBUTES, DEFAULT_ROW, Row};

/// The part of an attribute's window that the batch reads, with its format.
#[inline]
pub(crate) fn stream<'r>(
    register: usize,
    attribute: Record<'r, xfjit_attribute>,
    numbers: &Numbers,
    (first_instance, last_instance): (u32, u32),
) -> Result<Option<(&'r [u8], Format)>, Failure> {
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
        return Err(beyond(register, &attribute, numbers, last));
    };
    if end > attribute.size_bytes {
        return Err(beyond(register, &attribute, numbers, last));
    }
    // SAFETY: they end in the window, which is there for `'r` and which nobody writes, as the description of the record says and a
    // `Record` promises.
    let data = unsafe { lent::part(attribute.data.cast(), start..end, "an attribute's data") }?;
    Ok(Some((data, format)))
}

/// A batch that reads beyond the end of a window.
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
        "attribute v{register}: {vertex}{which} at a stride of {stride} ends beyond a window of {size} bytes"
    );
    Failure::new(XFJIT_E_INPUT, text)
}

/// What an attribute of one vertex is.
pub(crate) fn fetched(
    batch: Record<'_, xfjit_batch>,
    register: usize,
    vertex: usize,
    instance: u32,
) -> Result<Row, Failure> {
    let Some(attribute) = batch.attribute(register)? else { return Ok(DEFAULT_ROW) };
    let part = stream(register, attribute, &Numbers::one(vertex), (instance, instance))?;
    Ok(match part {
        None => attribute.value,
        Some((data, format)) => format.read(data),
    })
}

/// The attributes of a batch that have memory, of those in a mask, from the first to the last of these instances, and which they are.
pub(crate) fn arrays<'r>(
    batch: Record<'r, xfjit_batch>,
    numbers: &Numbers,
    instances: (u32, u32),
    wanted: u16,
) -> Result<(Inputs<'r>, u16), Failure> {
    let (mut inputs, mut fetched) = (Inputs::new(numbers.count), 0);
    for register in registers(wanted) {
        let Some(attribute) = batch.attribute(register)? else { break };
        if let Some((data, format)) = stream(register, attribute, numbers, instances)? {
            let stride = if attribute.divisor == 0 { attribute.stride } else { 0 };
            inputs = inputs.formatted(register, data, stride as usize, format);
            fetched |= 1 << register;
        }
    }
    Ok((inputs, fetched))
}

/// What current attributes are after a batch: those that are wanted; nothing if it has no vertex.
pub(crate) fn last_inputs(
    batch: Record<'_, xfjit_batch>,
    numbers: &Numbers,
    lists: &Lists,
) -> Result<[Option<Row>; ATTRIBUTES], Failure> {
    let mut rows = [None; ATTRIBUTES];
    let (_, last_instance) = instances(batch)?;
    if let Some(vertex) = numbers.last_vertex(lists) {
        for register in registers(batch.last_mask & 0xffff) {
            rows[register] = Some(fetched(batch, register, vertex, last_instance)?);
        }
    }
    Ok(rows)
}

/// What current attributes are after a batch that is no draw, and whose `last` there can be.
pub(crate) fn last_inputs_of(batch: Record<'_, xfjit_batch>) -> Result<[Option<Row>; ATTRIBUTES], Failure> {
    extent(batch.last.cast::<Row>(), ATTRIBUTES, "last")?;
    last_inputs(batch, &Numbers::following(batch), &Lists::default())
}

/// Stores what attributes are after a batch.
pub(crate) fn store_last(
    batch: Record<'_, xfjit_batch>,
    rows: &[Option<Row>; ATTRIBUTES],
) -> Result<(), Failure> {
    // SAFETY: the description of the record says that there are 16 rows, and a `Record` promises it. Attributes and constants have been
    // copied by now, and outputs are lent no more.
    let to = unsafe { lent::slice_mut(batch.last.cast::<Row>(), ATTRIBUTES, "last") }?;
    store_rows(to, rows);
    Ok(())
}

/// Stores those rows of registers that there are.
pub(crate) fn store_rows(to: &mut [Row], rows: &[Option<Row>; ATTRIBUTES]) {
    for (to, row) in to.iter_mut().zip(rows) {
        *to = row.unwrap_or(*to);
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

/// The part of an output's memory that so many vertices write.
#[inline]
pub(crate) fn written<'r>(
    register: usize,
    output: Record<'r, xfjit_output>,
    layout: Layout,
    count: usize,
) -> Result<&'r [Cell<u8>], Failure> {
    if output.reserved != 0 {
        return Err(argument(format_args!("output o{register}: xfjit_output.reserved is not 0")));
    }
    match bytes_of(layout, output.stride as usize, count) {
        // SAFETY: they end in the memory of the output, which is there for `'r` and nobody else's, as the description of the record
        // says and a `Record` promises. The library has it as cells alone, in the thread of the call.
        Some(end) if end <= output.size_bytes => unsafe {
            lent::cells(output.data.cast(), end, "an output's data")
        },
        _ => {
            let (size, stride) = (output.size_bytes, output.stride);
            let text = format_args!(
                "output o{register}: {count} vertices at a stride of {stride} are more than {size} bytes"
            );
            Err(Failure::new(XFJIT_E_OUTPUT, text))
        }
    }
}
