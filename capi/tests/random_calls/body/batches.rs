//! Batches, and the same ones again.

use super::lent::{Lent, Source};
use super::twin::{restore, words};
use super::world::World;
use super::{Handles, Tally};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use xfjit_capi::*;

pub(super) unsafe fn run_rows(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    let count = source.below(12);
    let (mut input, mut output) = (Lent::new(source, 256 * count, 0), Lent::new(source, 256 * count, 0));
    let mut constants = Lent::new(source, 16 * 544, 0);
    let mut dirty = Lent::new(source, 544, 0);
    let rows = source.mostly(&[192, 468, 544]).min(544) as usize;
    let noted = if source.one_in(2) { null_mut() } else { dirty.pointer() };
    let to: *mut c_void = match source.byte() {
        0 => input.pointer().cast(),
        1 => null_mut(),
        _ => output.pointer().cast(),
    };
    let called = (handles.program(source), handles.worker(source));
    let (from, to_constants) = (input.pointer().cast(), constants.pointer().cast());
    // SAFETY: as above.
    let call = |program, worker| unsafe {
        (xfjit_run_rows(program, worker, to_constants, rows, noted, from, to, count), ())
    };
    dirty.clear();
    let mut memory = [&mut input, &mut output, &mut constants, &mut dirty];
    let (status, ()) = handles.compared(called, &mut memory, (World::choose(source), tally), call);
    tally.ran += u32::from(tally.note(status));
    tally.dirty += dirty.count();
    for _ in 0..source.below(4) {
        let mut memory = [&mut input, &mut output, &mut constants, &mut dirty];
        // SAFETY: as above.
        unsafe { again(source, handles, called, tally, &mut memory, call) };
    }
    [input, output, constants, dirty].iter_mut().for_each(Lent::check);
}

/// Makes a call once more on memory that holds something else, in the worker that may know what it is given, in one that
/// knows nothing, and in the interpreter: all do the same.
unsafe fn again<T: PartialEq + std::fmt::Debug>(
    source: &mut Source<'_>,
    handles: &Handles,
    (program, worker): (*const xfjit_program, *mut xfjit_worker),
    tally: &mut Tally,
    memory: &mut [&mut Lent],
    call: impl Fn(*const xfjit_program, *mut xfjit_worker) -> (xfjit_status, T),
) {
    let which = source.below(memory.len());
    let (at, byte) = (source.byte(), source.byte());
    let lent = &mut *memory[which];
    if lent.bytes > 0 {
        let at = lent.start() + usize::from(at) % lent.bytes;
        lent.all()[at] = byte;
    }
    let before = words(memory);
    let world = World::choose(source);
    let known = handles.compared((program, worker), memory, (world, tally), &call);
    let after = words(memory);
    restore(memory, &before);
    let mut other = null_mut();
    // SAFETY: as above.
    unsafe {
        assert_eq!(xfjit_worker_create(handles.engine, &raw mut other), XFJIT_OK);
        let unknown = call(program, if worker == handles.worker { other } else { worker });
        assert_eq!(unknown, known);
        assert_eq!(xfjit_worker_destroy(other), XFJIT_OK);
    }
    assert!(words(memory) == after, "what was known of the batch was wrong");
}

pub(super) unsafe fn run(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    let mut lent: Vec<Lent> = (0..5)
        .map(|_| {
            let (bytes, shift) = (2 * source.below(256), source.below(4));
            Lent::new(source, bytes, shift)
        })
        .collect();
    let pick = |source: &mut Source<'_>, lent: &mut Vec<Lent>| -> (*mut u8, usize) {
        let (at, from) = (source.below(lent.len()), source.below(2) * 16);
        let (pointer, bytes) = (lent[at].pointer(), lent[at].bytes);
        let from = from.min(bytes);
        (pointer.wrapping_add(from), bytes - from)
    };
    let mut attributes = Vec::new();
    for _ in 0..source.below(17) {
        let (data, size_bytes) = pick(source, &mut lent);
        attributes.push(xfjit_attribute {
            data: if source.one_in(64) { null() } else { data.cast() },
            size_bytes,
            stride: source.mostly(&[0, 4, 12, 16, 20]),
            format: source.mostly(&[0, 1, 1, 0x81]),
            components: source.mostly(&[1, 2, 3, 4]),
            divisor: source.mostly(&[0, 0, 0, 1, 2]),
            value: [source.word(), 1, 2, 3],
        });
    }
    let mut outputs = Vec::new();
    let mut own: Vec<Lent> = Vec::new();
    for _ in 0..source.below(25) {
        let (data, size_bytes) = if source.one_in(16) {
            pick(source, &mut lent)
        } else {
            let mut memory = Lent::new(&mut Source(&[]), 640, 0);
            let pointer = memory.pointer();
            own.push(memory);
            (pointer, 640)
        };
        outputs.push(xfjit_output {
            data: data.cast(),
            size_bytes,
            stride: source.mostly(&[16, 16, 32, 0, 160]),
            reserved: 0,
        });
    }
    let mut constants = Lent::new(source, 16 * 544, 0);
    let mut dirty = Lent::new(source, 544, 0);
    let (indices, index_bytes) = pick(source, &mut lent);
    let indexed = source.one_in(2);
    // Where nothing is read or written any number of vertices would be run.
    let count = source.mostly(&[0, 1, 3, 5, 10, 17]) % 2000;
    let mut last = Lent::new(source, 256, 0);
    let mut places = Lent::new(source, 4 * count as usize, 0);
    let batch = xfjit_batch {
        size: size_of::<xfjit_batch>() as u32,
        count,
        first: source.mostly(&[0, 0, 1, 7]),
        base_index: source.mostly(&[0, 0, 1, u32::MAX]) as i32,
        indices: if indexed { indices.cast() } else { null() },
        index_bytes,
        index_size: source.mostly(&[2, 4]),
        attribute_size: source
            .mostly(&[size_of::<xfjit_attribute>() as u32])
            .min(size_of::<xfjit_attribute>() as u32),
        attribute_count: attributes.len() as u32,
        output_size: size_of::<xfjit_output>() as u32,
        attributes: attributes.as_ptr(),
        outputs: outputs.as_ptr(),
        output_count: outputs.len() as u32,
        constant_rows: source.mostly(&[192, 468, 544]).min(544),
        constants: constants.pointer().cast(),
        dirty: if source.one_in(2) { null_mut() } else { dirty.pointer() },
        flags: source.mostly(&[0, 1, 4, 5, 6, 15]),
        restart_index: source.mostly(&[0, 0xffff, u32::MAX, 1]),
        index_limit: source.mostly(&[0, 0, 3, 20]),
        instance_count: source.mostly(&[0, 1, 2, 3]) % 100,
        first_instance: source.mostly(&[0, 0, 1]),
        last_mask: source.mostly(&[0, 1, 0x11]),
        last: if source.one_in(4) { last.pointer().cast() } else { null_mut() },
        places: match source.below(8) {
            0 => places.pointer().cast(),
            1 if count == 1 => constants.pointer().cast(),
            _ => null_mut(),
        },
    };
    let called = (handles.program(source), handles.worker(source));
    let mut rows = Lent::new(source, 256, 0);
    // Which of two outputs wins that lie in the same place is nobody's promise.
    let vertices = batch.count as usize * batch.instance_count.max(1) as usize;
    let is_apart = outputs.iter().enumerate().all(|(number, output)| {
        let end = |output: &xfjit_output| output.data.addr() + output.size_bytes;
        let behind = &outputs[number + 1..];
        (vertices <= 1 || output.stride >= 16)
            && behind.iter().all(|other| end(output) <= other.data.addr() || end(other) <= output.data.addr())
    });
    let call_on = |attributes: *const xfjit_attribute| {
        move |program, worker| {
            let batch = xfjit_batch { attributes, ..batch };
            let mut outcome = xfjit_outcome {
                size: size_of::<xfjit_outcome>() as u32,
                done: 0,
                deopt_groups: 0,
                timeouts: 0,
                stack_faults: 0,
                vertices: 0,
                cancelled: 0,
            };
            // SAFETY: as above.
            let status = unsafe { xfjit_run(program, worker, &raw const batch, &raw mut outcome) };
            let xfjit_outcome { done, timeouts, stack_faults, vertices, .. } = outcome;
            (status, (done, timeouts, stack_faults, vertices))
        }
    };
    dirty.clear();
    // SAFETY: as above.
    unsafe {
        let mut memory: Vec<&mut Lent> = vec![&mut constants, &mut dirty, &mut last, &mut places];
        if is_apart {
            memory.extend(lent.iter_mut().chain(&mut own));
        }
        let world = (World::choose(source), &mut *tally);
        let (status, (done, .., ran)) =
            handles.compared(called, &mut memory, world, call_on(attributes.as_ptr()));
        if tally.note(status) {
            tally.ran += 1;
            assert_eq!(done, batch.count * batch.instance_count.max(1));
            assert!(ran <= u64::from(done));
        }
        tally.dirty += memory[1].count();
        for _ in 0..source.below(4) {
            if source.one_in(4)
                && let Some(attribute) = attributes.first_mut()
            {
                (attribute.value[0], attribute.stride) = (source.word(), source.mostly(&[0, 16]));
            }
            again(source, handles, called, tally, &mut memory, call_on(attributes.as_ptr()));
        }
        let vertex = source.mostly(&[0, 1, 2]);
        tally.note(xfjit_fetch(&raw const batch, vertex, source.word(), rows.pointer().cast()));
        // What comes out waits to be drained.
        if !handles.unit.is_null() && batch.count * batch.instance_count.max(1) < 64 {
            let status = xfjit_unit_draw(handles.unit, &raw const batch);
            assert_eq!(xfjit_unit_draw(handles.twin.unit, &raw const batch), status);
            tally.note(status);
        }
    }
    rows.check();
    last.check();
    places.check();
    constants.check();
    dirty.check();
    lent.iter_mut().chain(&mut own).for_each(Lent::check);
}
