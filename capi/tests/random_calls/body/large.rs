//! Batches for which memory may be missing: of the large allocations of a call one is refused, or all from there on. Then the call has done
//! nothing, and does all of it when it is made once more.

use super::lent::{Lent, Source};
use super::sparing::{LAX, Rule, under};
use super::twin::{restore, words};
use super::world::World;
use super::{Handles, Tally, ZERO_INFO, unit};
use std::ptr::{null, null_mut};
use xfjit_capi::*;

/// Vertices at most: the list alone is large.
const MOST: usize = 42_000;
/// What is not larger may be a worker's own memory, whose size is the same for every caller: 128 KiB of the fixed function are the most.
const LARGE: usize = 160 << 10;
/// Vertices that the arrays have.
const THERE: usize = 3000;
/// Output registers that have memory.
const OUTPUTS: usize = 3;
const OUTPUT_BYTES: usize = 16 * OUTPUTS * MOST;

/// Numbers of vertices, some of which come again, and some of which are `0xffff` or beyond the arrays.
fn fill(indices: &mut Lent, source: &mut Source<'_>) {
    let (mut state, range) = (source.word() | 1, [7, 400, THERE as u32][source.below(3)]);
    let odd = if source.one_in(2) { 0 } else { source.below(8) as u32 * 1000 };
    let start = indices.start() / 4;
    for word in &mut indices.words[start..start + MOST] {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let number = (state >> 8) % range;
        *word = if (state >> 4) % 100_000 < odd { 0xffff_ffff } else { number };
    }
}

/// A program that runs on such a batch.
unsafe fn ordinary(handles: &mut Handles) -> *const xfjit_program {
    let generation = xfjit::Generation::Kelvin;
    let text = "MAD oPos, v0, c[0], v0\nMUL oD0.xy, v2, c[1]";
    let words = xfjit::isa::encode(generation, &xfjit::asm::parse(generation, text).expect("it assembles"));
    let (slots, count) = (words.as_ptr().cast(), words.len() / 4);
    // SAFETY: numbers alone.
    let mut config: xfjit_config = unsafe { std::mem::zeroed() };
    config.size = size_of::<xfjit_config>() as u32;
    let mut program = null();
    // SAFETY: as above.
    unsafe {
        assert_eq!(xfjit_config_init(&raw mut config, XFJIT_KELVIN), XFJIT_OK);
        config.live_outputs = 9;
        let engine = handles.engine;
        assert_eq!(
            xfjit_program_get(engine, slots, 16, count, 0, &raw const config, &raw mut program),
            XFJIT_OK
        );
        handles.programs.push(program);
        handles.twin.get(slots, 16, count, 0, &config);
    }
    program
}

/// Runs such a batch in a worker and in the unit.
pub(super) unsafe fn large(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    // SAFETY: as above.
    let ordinary = unsafe { ordinary(handles) };
    let program =
        if source.one_in(4) { handles.programs[source.below(handles.programs.len())] } else { ordinary };
    let mut info = xfjit_info { size: size_of::<xfjit_info>() as u32, ..ZERO_INFO };
    // SAFETY: as above.
    assert_eq!(unsafe { xfjit_program_info(program, &raw mut info) }, XFJIT_OK);
    let mut indices = Lent::new(source, 4 * MOST, 0);
    fill(&mut indices, source);
    let mut rows = Lent::new(source, 16 * THERE, 0);
    let mut constants = Lent::new(source, 16 * 544, 0);
    let mut dirty = Lent::new(source, 544, 0);
    let mut places = Lent::new(source, 4 * MOST, 0);
    let mut output = Lent::new(source, OUTPUT_BYTES, 0);
    dirty.clear();
    let first_row = rows.pointer().cast_const();
    let attributes: [xfjit_attribute; 16] = std::array::from_fn(|register| xfjit_attribute {
        data: first_row.cast(),
        size_bytes: 16 * THERE,
        stride: if register < 2 { 16 } else { 0 },
        format: XFJIT_FORMAT_F32,
        components: 4,
        divisor: 0,
        value: [0; 4],
    });
    let count = [MOST, MOST - 1, 41_001][source.below(3)];
    let first_output = output.pointer();
    let mut there = 0;
    let outputs: [xfjit_output; 24] = std::array::from_fn(|register| {
        // One at least has a place, and those that are written, as far as there are some.
        let number = if info.outputs_written >> register & 1 != 0 || there == 0 { there } else { OUTPUTS };
        there += usize::from(number < OUTPUTS);
        let is_there = number < OUTPUTS;
        xfjit_output {
            data: if is_there { first_output.wrapping_add(16 * MOST * number).cast() } else { null_mut() },
            size_bytes: if is_there { 16 * MOST } else { 0 },
            stride: 16,
            reserved: 0,
        }
    });
    let batch = xfjit_batch {
        size: size_of::<xfjit_batch>() as u32,
        count: count as u32,
        first: 0,
        base_index: source.mostly(&[0, 0, 1]) as i32,
        indices: indices.pointer().cast_const().cast(),
        index_bytes: 4 * MOST,
        index_size: source.mostly(&[4, 4, 2]),
        attribute_size: size_of::<xfjit_attribute>() as u32,
        attribute_count: 16,
        output_size: size_of::<xfjit_output>() as u32,
        attributes: attributes.as_ptr(),
        outputs: outputs.as_ptr(),
        output_count: 24,
        constant_rows: 544,
        constants: constants.pointer().cast(),
        dirty: dirty.pointer(),
        flags: source.mostly(&[1, 5, 5, 7, 3]),
        restart_index: source.mostly(&[u32::MAX, 0xffff]),
        index_limit: source.mostly(&[0, 0, THERE as u32]),
        instance_count: 1,
        first_instance: 0,
        last_mask: 0,
        last: null_mut(),
        places: if source.one_in(2) { places.pointer().cast() } else { null_mut() },
    };
    let few = xfjit_batch { count: 12, ..batch };
    let run = |batch: &xfjit_batch, program, worker| {
        // SAFETY: as above.
        (unsafe { xfjit_run(program, worker, batch, null_mut()) }, ())
    };
    let from = source.below(6);
    let until = if source.one_in(2) { usize::MAX } else { from + 1 };
    let refused = Rule { from, until, large: LARGE, ..LAX };
    let mut memory = [&mut output, &mut constants, &mut dirty, &mut places, &mut indices, &mut rows];
    let before = words(&memory);
    let called = (program, handles.worker);
    let (status, ()) = handles
        .compared(called, &mut memory, (World::Plain, tally), |program, worker| run(&batch, program, worker));
    if tally.note(status) {
        let after = words(&memory);
        let mut worker = null_mut();
        // SAFETY: as above. What is made once is made by a few vertices.
        assert_eq!(unsafe { xfjit_worker_create(handles.engine, &raw mut worker) }, XFJIT_OK);
        restore(&mut memory, &before);
        assert_eq!(run(&few, program, worker).0, XFJIT_OK);
        restore(&mut memory, &before);
        let ((status, ()), _) = under(refused, || run(&batch, program, worker));
        if status != XFJIT_OK {
            assert_eq!(status, XFJIT_E_MEMORY, "{}", super::message());
            assert!(words(&memory) == before, "a call that had no memory has written");
            tally.lacking += 1;
            assert_eq!(run(&batch, program, worker).0, XFJIT_OK, "there is memory again");
        }
        assert!(words(&memory) == after, "after a lack of memory a call does something else");
        // SAFETY: as above.
        assert_eq!(unsafe { xfjit_worker_destroy(worker) }, XFJIT_OK);
    }
    if !handles.unit.is_null() {
        // Of several pieces the first may have been sent when memory ends.
        let [few, all] =
            [few, batch].map(|batch| xfjit_batch { flags: batch.flags & !XFJIT_BATCH_RESTART, ..batch });
        // SAFETY: as above.
        unsafe { large_draw(handles, tally, refused, [&few, &all]) };
    }
    [output, constants, dirty, places, indices, rows].iter_mut().for_each(Lent::check);
}

/// The unit's draw of the batch, and what comes out.
unsafe fn large_draw(handles: &Handles, tally: &mut Tally, refused: Rule, [few, all]: [&xfjit_batch; 2]) {
    let both = [handles.unit, handles.twin.unit];
    let saved = || {
        // SAFETY: as above.
        unsafe {
            let size = xfjit_unit_save(handles.unit, null_mut(), 0);
            let mut bytes = vec![0u8; size];
            assert_eq!(xfjit_unit_save(handles.unit, bytes.as_mut_ptr().cast(), size), size);
            bytes
        }
    };
    // SAFETY: as above.
    unsafe {
        let statuses = both.map(|unit| xfjit_unit_draw(unit, few));
        assert_eq!(statuses[0], statuses[1], "the interpreter's unit says something else");
        if !tally.note(statuses[0]) {
            return;
        }
        let before = saved();
        let (mut status, _) = under(refused, || xfjit_unit_draw(handles.unit, all));
        if status == XFJIT_E_MEMORY {
            assert!(saved() == before, "a draw that had no memory has changed the unit");
            tally.lacking += 1;
            status = xfjit_unit_draw(handles.unit, all);
        }
        assert_eq!(
            status,
            xfjit_unit_draw(handles.twin.unit, all),
            "the interpreter's unit says something else"
        );
        tally.note(status);
        let sums = both.map(|unit| {
            let mut sum = 0u32;
            assert_eq!(xfjit_unit_drain(unit, Some(unit::take), (&raw mut sum).cast()), XFJIT_OK);
            sum
        });
        assert_eq!(sums[0], sums[1], "after a lack of memory something else comes out");
        tally.compared += 1;
    }
}
