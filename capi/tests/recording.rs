//! Memory that recording takes, whatever is recorded: it is counted.

mod session;

use session::{Session, options};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use xfjit_capi::*;

/// Counts the memory of the calling thread, and the most that there was.
struct Counting;

thread_local! {
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: isize) {
    let (held, most) = HELD.get();
    HELD.set((held + bytes, most.max(held + bytes)));
}

// SAFETY: the system's own, with numbers beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller says.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// By how much the memory of this thread grows at most.
fn growth(work: impl FnOnce()) -> usize {
    let (held, _) = HELD.get();
    HELD.set((held, held));
    work();
    HELD.get().1.abs_diff(held)
}

/// What a recording has handed over.
#[derive(Default)]
struct File {
    bytes: usize,
    ends: usize,
}

unsafe extern "C" fn take(user: *mut c_void, bytes: *const c_void, size: usize) -> i32 {
    // SAFETY: it is what the recording was given.
    let file = unsafe { &mut *user.cast::<File>() };
    file.bytes += size;
    file.ends += usize::from(bytes.is_null());
    0
}

/// v0 and v3 of vertices.
fn attributes(data: &[[f32; 4]]) -> [xfjit_attribute; 4] {
    // SAFETY: numbers and null pointers.
    let mut attributes: [xfjit_attribute; 4] = unsafe { std::mem::zeroed() };
    for register in [0, 3] {
        let attribute = &mut attributes[register];
        (attribute.data, attribute.size_bytes) = (data.as_ptr().cast(), size_of_val(data));
        (attribute.stride, attribute.format, attribute.components) = (16, XFJIT_FORMAT_F32, 4);
    }
    attributes
}

fn batch(attributes: &[xfjit_attribute], count: usize) -> xfjit_batch {
    // SAFETY: numbers and null pointers.
    let mut batch: xfjit_batch = unsafe { std::mem::zeroed() };
    batch.size = size_of::<xfjit_batch>() as u32;
    batch.count = count as u32;
    batch.attribute_size = size_of::<xfjit_attribute>() as u32;
    batch.output_size = size_of::<xfjit_output>() as u32;
    (batch.attributes, batch.attribute_count) = (attributes.as_ptr(), attributes.len() as u32);
    batch
}

/// Words that a unit has put out: how many, the greatest, and a number that depends on each of them and its place.
unsafe extern "C" fn collect(user: *mut c_void, piece: *const xfjit_piece) {
    // SAFETY: a piece is whole, and this is what the caller gave.
    unsafe {
        let xfjit_piece { count, words_each, words, .. } = *piece;
        let (seen, most, sum) = &mut *user.cast::<(usize, u32, u64)>();
        for &word in std::slice::from_raw_parts(words, (count * words_each) as usize) {
            *seen += 1;
            *most = word.max(*most);
            *sum = sum.rotate_left(5).wrapping_add(word.into()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }
}

/// Draws, and takes what comes out.
fn drawn(unit: *mut xfjit_unit, batch: &xfjit_batch) -> (usize, u32, u64) {
    let mut seen = (0, 0, 0);
    // SAFETY: everything is there.
    unsafe {
        assert_eq!(xfjit_unit_draw(unit, batch), XFJIT_OK);
        assert_eq!(xfjit_unit_drain(unit, Some(collect), (&raw mut seen).cast()), XFJIT_OK);
    }
    seen
}

fn vertices(count: usize) -> Vec<[f32; 4]> {
    (0..count).map(|number| [number as f32 / count as f32, 1.0, 2.0, 3.0]).collect()
}

#[test]
fn a_long_batch_is_recorded_in_pieces() {
    const EACH: usize = 1 << 12;
    const INSTANCES: u32 = 1 << 9;
    const PIECE: usize = 1 << 16;
    let session = Session::new(&options());
    let data = vertices(EACH);
    let attributes = attributes(&data);
    let mut batch = batch(&attributes, EACH);
    let mut constants = vec![[0u32; 4]; 192];
    (batch.constants, batch.constant_rows) = (constants.as_mut_ptr().cast(), 192);
    batch.instance_count = INSTANCES;
    // All vertices go to the same place.
    let mut rows = [[0u32; 4]; 4];
    // SAFETY: numbers and null pointers.
    let mut outputs: [xfjit_output; 4] = unsafe { std::mem::zeroed() };
    for (output, row) in outputs.iter_mut().zip(&mut rows) {
        (output.data, output.size_bytes) = (row.as_mut_ptr().cast(), 16);
    }
    (batch.outputs, batch.output_count) = (outputs.as_ptr(), 4);
    for (budget, ends) in [(1 << 12, 1), (1 << 22, 1), (1 << 40, 0)] {
        let mut file = File::default();
        let most = growth(|| {
            // SAFETY: everything is there.
            unsafe {
                let user = (&raw mut file).cast();
                assert_eq!(xfjit_worker_record(session.worker, budget, Some(take), user), XFJIT_OK);
                let ran = xfjit_run(session.program, session.worker, &raw const batch, null_mut());
                assert_eq!(ran, XFJIT_OK);
                assert_eq!(file.ends, ends, "{budget}");
                assert_eq!(xfjit_worker_record_end(session.worker), XFJIT_OK);
            }
        });
        assert!(file.ends == 1 && file.bytes as u64 <= budget, "{} of {budget}", file.bytes);
        // The rows of a piece, on their way to its bytes, and these as they are packed.
        assert!(most < 6 * PIECE * 32, "{most} bytes for {budget}");
    }
    assert_eq!(session.run(3), (XFJIT_OK, [4.0; 4]));
}

#[test]
fn a_long_draw_of_a_unit_is_recorded_in_pieces() {
    const COUNT: usize = 1 << 19;
    let session = Session::new(&options());
    let data = vertices(COUNT);
    let attributes = attributes(&data);
    let mut batch = batch(&attributes, COUNT);
    let indices: Vec<u32> = (0..COUNT as u32).collect();
    let mut unit = null_mut();
    // SAFETY: everything is there.
    unsafe {
        assert_eq!(xfjit_unit_create(session.engine, XFJIT_NV2A, null(), &raw mut unit), XFJIT_OK);
        // The colour, which after reset is v3 as bytes.
        assert_eq!(xfjit_unit_set(unit, XFJIT_REGISTER_OUTPUTS, 1 << 3), XFJIT_OK);
    }
    let wanted = drawn(unit, &batch);
    assert_eq!((wanted.0, wanted.1), (4 * COUNT, 255));
    for is_indexed in [false, true] {
        if is_indexed {
            (batch.indices, batch.index_bytes) = (indices.as_ptr().cast(), 4 * COUNT);
            batch.index_size = 4;
        }
        // What a compilation asks for is no part of a recording.
        assert_eq!(drawn(unit, &batch), wanted);
        let mut file = File::default();
        let most = growth(|| {
            // SAFETY: everything is there.
            unsafe {
                assert_eq!(xfjit_unit_record(unit, Some(take), (&raw mut file).cast()), XFJIT_OK);
                assert_eq!(drawn(unit, &batch), wanted);
                assert_eq!(xfjit_unit_record_end(unit), XFJIT_OK);
            }
        });
        assert!(file.ends == 1 && file.bytes > COUNT, "{} bytes", file.bytes);
        assert!(most < 20 << 20, "{most} bytes for {COUNT} vertices");
    }
    // SAFETY: it is this test's.
    assert_eq!(unsafe { xfjit_unit_destroy(unit) }, XFJIT_OK);
}
