//! Every pointer of every function and record of the header, as no memory can be: null, the last addresses, crooked, too long. Each
//! is refused, and nothing has been written by then. Those that the header names later on have to be added here.

mod world;

use std::mem::offset_of;
use world::{Argument, CALLS, COUNT, ENDS, Memory, World, parameters, pointers};
use xfjit_capi::table::Item;
use xfjit_capi::*;

/// Addresses of no memory, whatever is to be there.
const NOWHERE: [usize; 4] = [usize::MAX, usize::MAX - 3, usize::MAX - 7, usize::MAX - 255];
/// Counts of what no memory holds.
const TOO_MANY: [usize; 3] = [usize::MAX, usize::MAX - 7, usize::MAX / 2 + 1];
/// Pointers that may be null.
const MAY_BE_NULL: [(&str, &str); 31] = [
    ("xfjit_engine_create", "options"),
    ("xfjit_engine_destroy", "engine"),
    ("xfjit_job_drop", "job"),
    ("xfjit_list_load", "path"),
    ("xfjit_list_destroy", "list"),
    ("xfjit_program_unref", "program"),
    ("xfjit_program_set_label", "label"),
    ("xfjit_worker_destroy", "worker"),
    ("xfjit_run", "outcome"),
    ("xfjit_run_parallel", "outcome"),
    ("xfjit_run_rows", "dirty"),
    ("xfjit_step", "dirty"),
    ("xfjit_unit_create", "config"),
    ("xfjit_unit_destroy", "unit"),
    ("xfjit_unit_set_texture", "texels"),
    ("xfjit_flipper_create", "options"),
    ("xfjit_flipper_destroy", "flipper"),
    ("xfjit_flipper_run", "memory"),
    ("xfjit_flipper_run", "progress"),
    ("xfjit_flipper_draw", "memory"),
    ("xfjit_flipper_fetch", "memory"),
    ("xfjit_flipper_fetch", "stored"),
    ("xfjit_flipper_culled", "memory"),
    ("xfjit_flipper_set_cancel", "cancel"),
    ("xfjit_flipper_read_gather", "address"),
    ("xfjit_flipper_read_gather", "held"),
    ("xfjit_flipper_run_fifo", "memory"),
    ("xfjit_flipper_run_fifo", "progress"),
    ("xfjit_cancel_destroy", "cancel"),
    ("xfjit_worker_set_cancel", "cancel"),
    ("xfjit_unit_set_cancel", "cancel"),
];
/// Counts whose memory is all looked at.
const COUNTS: [(&str, &str); 20] = [
    ("xfjit_engine_warm", "count"),
    ("xfjit_program_get", "slot_stride"),
    ("xfjit_worker_program", "slot_stride"),
    ("xfjit_run_rows", "count"),
    ("xfjit_unit_write", "words"),
    ("xfjit_unit_constants", "count"),
    ("xfjit_unit_load", "size"),
    ("xfjit_unit_set_texture", "size"),
    ("xfjit_flipper_set_layout", "count"),
    ("xfjit_flipper_load_xf", "count"),
    ("xfjit_flipper_read_xf", "count"),
    ("xfjit_flipper_load", "size"),
    ("xfjit_flipper_run", "size"),
    ("xfjit_flipper_draw", "size"),
    ("xfjit_flipper_fetch", "element_count"),
    ("xfjit_flipper_fetch", "data_size"),
    ("xfjit_flipper_transform", "data_size"),
    ("xfjit_flipper_culled", "size"),
    ("xfjit_flipper_store", "size"),
    ("xfjit_flipper_burst", "size"),
];
const BACKENDS: [u32; 2] = [XFJIT_BACKEND_BEST, XFJIT_BACKEND_INTERPRETER];

#[test]
fn every_function_that_takes_pointers_is_called_here() {
    let all = INTERFACE.iter().flat_map(|section| section.items).filter_map(|item| match item {
        Item::Functions(functions) => Some(functions.iter()),
        _ => None,
    });
    for function in all.flatten() {
        let takes = function.parameters.iter().any(|(_, of)| of.starts_with('*'));
        let is_called = CALLS.iter().any(|(name, ..)| *name == function.name);
        assert_eq!(takes, is_called, "{} has to be called in this test", function.name);
    }
    let of_batch = ["indices", "attributes", "outputs", "constants", "dirty", "last", "places"];
    assert_eq!(pointers("xfjit_batch"), of_batch.into());
    assert_eq!(pointers("xfjit_attribute"), ["data"].into());
    assert_eq!(pointers("xfjit_output"), ["data"].into());
    assert_eq!(pointers("xfjit_options"), ["verify_directory", "user", "perf_directory"].into());
    assert_eq!(pointers("xfjit_flipper_memory"), ["first", "second"].into());
    for record in [
        "xfjit_flipper_options",
        "xfjit_flipper_element",
        "xfjit_flipper_progress",
        "xfjit_config",
        "xfjit_outcome",
        "xfjit_info",
        "xfjit_vertex",
    ] {
        assert!(pointers(record).is_empty(), "{record} has pointers");
    }
}

#[test]
fn pointers_to_no_memory_are_refused() {
    let world = World::new(XFJIT_BACKEND_BEST);
    world.refused(None, "xfjit_program_ref", &[("program", 0)], "so that there is a message");
    for &(function, ..) in CALLS {
        // Of a part something is done only while its batch runs.
        if !ENDS.contains(&function) && function != "xfjit_run_part" {
            world.done(function, &mut []);
        }
        for (name, of) in
            parameters(function).iter().filter(|(name, of)| of.starts_with('*') && *name != "user")
        {
            let want = Some(XFJIT_E_ARGUMENT);
            for address in NOWHERE {
                world.refused(want, function, &[(name, address)], "nowhere");
            }
            if !MAY_BE_NULL.contains(&(function, name)) {
                world.refused(want, function, &[(name, 0)], "null");
            }
            if !["c_void", "c_char", "u8"].iter().any(|byte| of.ends_with(byte)) {
                let crooked = world.good(function, name, of) + 1;
                world.refused(want, function, &[(name, crooked)], "crooked");
            }
        }
    }
}

#[test]
fn counts_of_more_than_memory_are_refused() {
    let mut world = World::new(XFJIT_BACKEND_BEST);
    for (function, name) in COUNTS {
        for count in TOO_MANY {
            world.refused(Some(XFJIT_E_ARGUMENT), function, &[(name, count)], "too many");
        }
    }
    // Where there are no constants there are zeros, behind the last number, too.
    world.memory.rows = [[7; 4]; 16];
    world.done("xfjit_unit_constants", &mut [("first", usize::MAX - 1), ("count", 5)]);
    assert_eq!(world.memory.rows[..6], [[0; 4], [0; 4], [0; 4], [0; 4], [0; 4], [7; 4]]);
}

#[test]
fn records_of_no_size_are_refused() {
    let records: [(&str, &str, usize, usize); 11] = [
        ("xfjit_engine_create", "options", offset_of!(Memory, options), size_of::<xfjit_options>()),
        ("xfjit_config_init", "config", offset_of!(Memory, config), size_of::<xfjit_config>()),
        ("xfjit_program_get", "config", offset_of!(Memory, config), size_of::<xfjit_config>()),
        ("xfjit_run", "batch", offset_of!(Memory, batch), size_of::<xfjit_batch>()),
        ("xfjit_run", "outcome", offset_of!(Memory, outcome), size_of::<xfjit_outcome>()),
        ("xfjit_program_info", "info", offset_of!(Memory, info), size_of::<xfjit_info>()),
        ("xfjit_step", "vertex", offset_of!(Memory, vertex), size_of::<xfjit_vertex>()),
        ("xfjit_unit_view", "view", offset_of!(Memory, view), size_of::<xfjit_view>()),
        ("xfjit_flipper_create", "options", offset_of!(Memory, choices), size_of::<xfjit_flipper_options>()),
        ("xfjit_flipper_fetch", "memory", offset_of!(Memory, guest), size_of::<xfjit_flipper_memory>()),
        ("xfjit_flipper_run", "progress", offset_of!(Memory, progress), size_of::<xfjit_flipper_progress>()),
    ];
    for (function, name, offset, right) in records {
        let mut world = World::new(XFJIT_BACKEND_BEST);
        let size_at = <*mut u32>::of(world.start() + offset);
        for size in [0, 4, right as u32 - 1, 65537, 0xffff_fff8, u32::MAX] {
            // SAFETY: each begins with its size.
            unsafe { size_at.write(size) };
            world.refused(Some(XFJIT_E_SIZE), function, &[], name);
        }
        // SAFETY: the same.
        unsafe { size_at.write(right as u32) };
        world.describe();
        world.done(function, &mut []);
    }
}

/// Batches with everything, and those that a worker remembers.
fn each_batch(mut run: impl FnMut(&mut World, &[&str], bool)) {
    for backend in BACKENDS {
        for is_plain in [false, true] {
            let mut world = World::new(backend);
            if is_plain {
                world.describe_plain();
            }
            for _ in 0..4 {
                world.done("xfjit_run", &mut []);
            }
            run(&mut world, &["xfjit_run", "xfjit_fetch", "xfjit_unit_draw"], is_plain);
        }
    }
}

#[test]
fn members_that_point_to_no_memory_are_refused() {
    type Member = (&'static str, fn(&mut Memory) -> *mut usize, bool);
    macro_rules! member {
        ($name:literal, $memory:ident => $place:expr, $is_fetched:literal) => {
            ($name, |$memory| (&raw mut $place).cast(), $is_fetched)
        };
    }
    let members: [Member; 9] = [
        member!("indices", memory => memory.batch.indices, true),
        member!("attributes", memory => memory.batch.attributes, true),
        member!("an attribute's data", memory => memory.attributes[0].data, true),
        member!("outputs", memory => memory.batch.outputs, false),
        member!("an output's data", memory => memory.outputs[0].data, false),
        member!("constants", memory => memory.batch.constants, false),
        member!("dirty", memory => memory.batch.dirty, false),
        member!("last", memory => memory.batch.last, false),
        member!("places", memory => memory.batch.places, false),
    ];
    each_batch(|world, functions, is_plain| {
        for (name, place, is_fetched) in members {
            let may_be_null = ["indices", "dirty", "last", "places"].contains(&name);
            for address in NOWHERE.into_iter().chain((!may_be_null).then_some(0)) {
                for &function in functions.iter().filter(|function| **function == "xfjit_run" || is_fetched) {
                    let place = place(&mut world.memory);
                    // SAFETY: it is a pointer of a record.
                    let good = unsafe { place.replace(address) };
                    let sized = if is_plain && name == "indices" { 2 } else { world.memory.batch.index_size };
                    let index_size = std::mem::replace(&mut world.memory.batch.index_size, sized);
                    let bytes = std::mem::replace(&mut world.memory.batch.index_bytes, 2 * COUNT);
                    world.refused(None, function, &[], name);
                    (world.memory.batch.index_size, world.memory.batch.index_bytes) = (index_size, bytes);
                    // SAFETY: the same.
                    unsafe { place.write(good) };
                    world.done(function, &mut []);
                }
            }
        }
    });
}

#[test]
fn sizes_of_elements_and_windows_behind_all_memory_are_refused() {
    each_batch(|world, functions, is_plain| {
        for size in [0, 8, 65544, 0xffff_fff8, u32::MAX] {
            let good = world.memory.batch.attribute_size;
            world.memory.batch.attribute_size = size;
            for function in functions {
                world.refused(Some(XFJIT_E_SIZE), function, &[], "attribute_size");
            }
            world.memory.batch.attribute_size = good;
            let good = world.memory.batch.output_size;
            world.memory.batch.output_size = size;
            world.refused(Some(XFJIT_E_SIZE), "xfjit_run", &[], "output_size");
            world.memory.batch.output_size = good;
            world.done("xfjit_run", &mut []);
        }
        // What they say they hold would begin at null again.
        let near = usize::MAX - 0xffff;
        for window in [near, near & !0xffff_ffff] {
            let good = world.memory.attributes[0];
            let bad = xfjit_attribute { data: Argument::of(window), size_bytes: usize::MAX, ..good };
            world.memory.attributes[0] = xfjit_attribute { stride: 1 << 31, ..bad };
            // Vertex 5.
            (world.memory.indices, world.memory.batch.first) = ([5; COUNT], if is_plain { 5 } else { 0 });
            for function in functions {
                world.refused(Some(XFJIT_E_ARGUMENT), function, &[], "window");
            }
            (world.memory.indices, world.memory.attributes[0]) = ([0; COUNT], good);
            let batch = &mut world.memory.batch;
            (batch.indices, batch.index_bytes, batch.index_size) = (Argument::of(window), usize::MAX, 4);
            batch.first = u32::MAX - 16;
            for function in functions {
                world.refused(Some(XFJIT_E_ARGUMENT), function, &[], "list");
            }
            world.describe();
            if is_plain {
                world.describe_plain();
            }
            world.done("xfjit_run", &mut []);
        }
    });
}

#[test]
fn directories_in_no_memory_are_refused() {
    let mut world = World::new(XFJIT_BACKEND_BEST);
    for address in NOWHERE {
        let good = world.memory.options;
        world.memory.options.verify_directory = Argument::of(address);
        world.refused(Some(XFJIT_E_ARGUMENT), "xfjit_engine_create", &[], "verify_directory");
        world.memory.options = good;
        (world.memory.options.perf, world.memory.options.perf_directory) =
            (XFJIT_PERF_JITDUMP, Argument::of(address));
        let want = if cfg!(feature = "jit") { XFJIT_E_ARGUMENT } else { XFJIT_E_UNSUPPORTED };
        world.refused(Some(want), "xfjit_engine_create", &[], "perf_directory");
        world.memory.options = good;
    }
}
