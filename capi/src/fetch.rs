//! Fetching one vertex.

use crate::batch::xfjit_batch;
use crate::export::functions;
use crate::indices::{Lists, Numbers};
use crate::sized::Record;
use crate::status::{argument, call, xfjit_status};
use crate::streams::{fetched, store_rows};
use std::ffi::c_void;
use xfjit::runtime::batch::registers;
use xfjit::runtime::state::ATTRIBUTES;

functions! {
    FUNCTIONS;
    /// Fetches the attributes of one vertex: the vertex with this number in the batch's first instance. `mask` selects the attributes. They
    /// go to `rows`, which has 16 rows of four words; the other rows stay unchanged. The call uses only the indices and attributes of the
    /// batch. Any thread.
    fn xfjit_fetch(batch: *const xfjit_batch, vertex: u32, mask: u32, rows: *mut c_void) -> xfjit_status {
        call(|| {
            let mut older = None;
            let batch = batch.borrow(&mut older)?;
            if vertex >= batch.count {
                return Err(argument(format_args!("there is no vertex {vertex}; the batch has {}", batch.count)));
            }
            let one = xfjit_batch { first: batch.first.wrapping_add(vertex), count: 1, ..*batch };
            // SAFETY: its pointers are those of the batch, of whose memory it names no more.
            let one = unsafe { Record::new(&one) };
            let mut lists = Lists::default();
            // Without a list numbers go on where 32 bits end; there is no list that does.
            let numbers = match batch.first.checked_add(vertex) {
                None if batch.indices.is_null() => Numbers::one((batch.first as usize).saturating_add(vertex as usize)),
                None => return Err(argument(format_args!("the batch has no index list with a position {vertex}"))),
                Some(_) => Numbers::of(one, &mut lists, None)?,
            };
            let number = numbers.last_vertex(&lists);
            let number = number.ok_or_else(|| argument(format_args!("vertex {vertex} is a restart index")))?;
            let mut fetched_rows = [None; ATTRIBUTES];
            for register in registers(mask & 0xffff) {
                fetched_rows[register] = Some(fetched(one, register, number, batch.first_instance)?);
            }
            // SAFETY: 16 rows are at `rows`.
            store_rows(unsafe { rows.rows().slice(ATTRIBUTES, "rows") }?, &fetched_rows);
            Ok(())
        })
    }
}
