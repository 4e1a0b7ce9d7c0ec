//! Where memory ends calls end in a status. The allocator of this process refuses the k-th of the large allocations of a call, for each
//! k, and in a second round all from there on; what is as large as it is whoever calls is not refused. No test depends on
//! how much memory the machine has.

mod sparing;

use sparing::{LARGE, LAX, ROOM, RULE, Rule, under};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use xfjit::{Generation, asm, isa};
use xfjit_capi::*;

/// The address of the first attribute, as FE wraps it.
const VAB: u32 = 0x11000;
/// Vertices of a call, and indices.
const COUNT: usize = 100_000;
const VERTICES: usize = 50_000;

/// A batch of a guest, with all that can be had of one.
struct Guest {
    engine: *mut xfjit_engine,
    program: *const xfjit_program,
    indices: Vec<u16>,
    rows: Vec<[u32; 4]>,
    constants: Vec<[u32; 4]>,
    commands: Vec<u32>,
    programs: Vec<*const xfjit_program>,
}

/// What a call has written.
#[derive(PartialEq)]
struct Written {
    output: Vec<[u32; 4]>,
    places: Vec<u32>,
}

impl Written {
    fn new() -> Self {
        Written { output: vec![[7; 4]; COUNT], places: vec![7; COUNT] }
    }
}

fn fine(status: xfjit_status) {
    assert_eq!(status, XFJIT_OK);
}

/// A record of zeros.
fn zeroed<T: Copy>() -> T {
    // SAFETY: numbers, and pointers that are null.
    unsafe { std::mem::zeroed() }
}

fn config() -> xfjit_config {
    let mut config: xfjit_config = zeroed();
    config.size = size_of::<xfjit_config>() as u32;
    // SAFETY: it is there.
    fine(unsafe { xfjit_config_init(&raw mut config, XFJIT_KELVIN) });
    (config.live_outputs, config.index_size) = (1, 4);
    config
}

impl Guest {
    fn new() -> Self {
        Guest::verified(0)
    }

    /// One whose batches are verified, one of so many.
    fn verified(verify_every: u64) -> Self {
        let (mut engine, mut program) = (null_mut(), null());
        let options = xfjit_options { size: size_of::<xfjit_options>() as u32, verify_every, ..zeroed() };
        let words = words("MOV oPos, v0");
        // SAFETY: everything is there.
        unsafe {
            fine(xfjit_engine_create(&raw const options, &raw mut engine));
            let config = config();
            let count = words.len() / 4;
            let slots = words.as_ptr().cast();
            fine(xfjit_program_get(engine, slots, 16, count, 0, &raw const config, &raw mut program));
        }
        // Every tenth is a restart, and numbers come again.
        let number = |at: usize| if at % 10 == 9 { u16::MAX } else { (at % VERTICES) as u16 };
        let indices: Vec<u16> = (0..COUNT).map(|at| number(at).to_be()).collect();
        let rows = (0..VERTICES as u32).map(|at| [at, 1, 2, 0x3f80_0000]).collect();
        let mut commands = Vec::new();
        for at in 0..COUNT as u32 {
            commands.extend([XFJIT_COMMAND_PAIR | VAB, at, 0, XFJIT_COMMAND_VERTEX]);
        }
        let constants = vec![[0; 4]; 192];
        Guest { engine, program, indices, rows, constants, commands, programs: vec![program; COUNT] }
    }

    /// Has the batch of all indices, or of the first few.
    fn batch<R>(&self, count: usize, to: &mut Written, call: impl FnOnce(&xfjit_batch) -> R) -> R {
        let mut attributes: [xfjit_attribute; 16] = zeroed();
        attributes[0] = xfjit_attribute {
            data: self.rows.as_ptr().cast(),
            size_bytes: 16 * VERTICES,
            stride: 16,
            format: XFJIT_FORMAT_F32,
            components: 4,
            ..attributes[0]
        };
        let outputs = [xfjit_output {
            data: to.output.as_mut_ptr().cast(),
            size_bytes: 16 * COUNT,
            stride: 16,
            reserved: 0,
        }];
        call(&xfjit_batch {
            size: size_of::<xfjit_batch>() as u32,
            count: count as u32,
            indices: self.indices.as_ptr().cast(),
            index_bytes: 2 * COUNT,
            index_size: 2,
            attribute_size: size_of::<xfjit_attribute>() as u32,
            attribute_count: 16,
            output_size: size_of::<xfjit_output>() as u32,
            attributes: attributes.as_ptr(),
            outputs: outputs.as_ptr(),
            output_count: 1,
            constant_rows: 192,
            constants: self.constants.as_ptr().cast_mut().cast(),
            flags: XFJIT_BATCH_RESTART | XFJIT_BATCH_DISTINCT | XFJIT_BATCH_BIG_ENDIAN,
            restart_index: 0xffff,
            places: to.places.as_mut_ptr(),
            ..zeroed()
        })
    }

    fn worker(&self) -> *mut xfjit_worker {
        let mut worker = null_mut();
        // SAFETY: everything is there.
        fine(unsafe { xfjit_worker_create(self.engine, &raw mut worker) });
        worker
    }

    fn unit(&self) -> *mut xfjit_unit {
        let mut unit = null_mut();
        // SAFETY: everything is there.
        unsafe {
            fine(xfjit_unit_create(self.engine, XFJIT_NV2A, null(), &raw mut unit));
            fine(xfjit_unit_set(unit, XFJIT_REGISTER_OUTPUTS, 1));
        }
        unit
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // SAFETY: they are this test's.
        unsafe {
            fine(xfjit_program_unref(self.program));
            fine(xfjit_engine_destroy(self.engine));
        }
    }
}

fn words(text: &str) -> Vec<u32> {
    isa::encode(Generation::Kelvin, &asm::parse(Generation::Kelvin, text).expect("it is a program"))
}

/// Refuses each of the large allocations of a call: it returns that there is no memory, and has written nothing. Afterwards the
/// same call does all of it.
fn refuse_each(
    name: &str,
    large: usize,
    least: usize,
    mut begin: impl FnMut() -> Box<dyn FnMut(&mut Written) -> xfjit_status>,
) {
    let (mut call, mut want, untouched) = (begin(), Written::new(), Written::new());
    let (status, rule) = under(Rule { large, ..LAX }, || call(&mut want));
    assert_eq!(status, XFJIT_OK, "{name}");
    assert!(rule.seen >= least, "{name} has made {} large allocations", rule.seen);
    for at in 0..rule.seen {
        for until in [at + 1, usize::MAX] {
            let (mut call, mut got) = (begin(), Written::new());
            let (status, _) = under(Rule { from: at, until, large, ..LAX }, || call(&mut got));
            assert_eq!(status, XFJIT_E_MEMORY, "{name} without allocation {at} to {until}");
            assert!(got == untouched, "{name} has written without allocation {at} to {until}");
            assert_eq!(call(&mut got), XFJIT_OK, "{name} after allocation {at} to {until}");
            assert!(got == want, "{name} after allocation {at} to {until}");
        }
    }
}

/// The batch of all indices in a worker, which has run a few before.
fn run_all(guest: &'static Guest) -> Box<dyn FnMut(&mut Written) -> xfjit_status> {
    let worker = guest.worker();
    let run = move |count, to: &mut Written| {
        // SAFETY: everything is there.
        guest.batch(count, to, |batch| unsafe { xfjit_run(guest.program, worker, batch, null_mut()) })
    };
    // What is made once.
    fine(run(12, &mut Written::new()));
    Box::new(move |to| run(COUNT, to))
}

#[test]
fn a_list_of_any_length_ends_in_a_status() {
    let guest: &'static Guest = Box::leak(Box::new(Guest::new()));
    refuse_each("xfjit_run", LARGE, 6, || run_all(guest));
    refuse_each("xfjit_engine_warm", LARGE, 1, || {
        let programs = guest.programs.as_ptr();
        // SAFETY: everything is there.
        Box::new(move |_| unsafe { xfjit_engine_warm(guest.engine, programs, COUNT, 1) })
    });
}

/// A batch for whose copies there is no memory runs, and is not verified: when they are refused some of its pieces may have run.
#[test]
fn what_cannot_be_verified_runs() {
    let [plain, verified] = [0, 1].map(|every| &*Box::leak(Box::new(Guest::verified(every))));
    let count = |guest| {
        let (mut call, mut to) = (run_all(guest), Written::new());
        under(LAX, || call(&mut to)).1.seen
    };
    let (lists, all) = (count(plain), count(verified));
    assert!(all > lists + 1, "{all} large allocations, {lists} of them lists");
    let mut want = Written::new();
    fine(run_all(plain)(&mut want));
    let mut ran = 0;
    for from in 0..all {
        let (mut call, mut got) = (run_all(verified), Written::new());
        let (status, _) = under(Rule { from, until: from + 1, ..LAX }, || call(&mut got));
        if status == XFJIT_OK {
            ran += 1;
            assert!(got == want, "without allocation {from}");
        } else {
            assert_eq!(status, XFJIT_E_MEMORY);
        }
    }
    assert_eq!(ran, all - lists, "a copy was refused so often");
}

unsafe extern "C" fn keep(user: *mut c_void, piece: *const xfjit_piece) {
    // SAFETY: so says whoever drains.
    let (kept, piece) = unsafe { (&mut *user.cast::<Vec<u32>>(), &*piece) };
    // SAFETY: there are so many.
    let words = unsafe { std::slice::from_raw_parts(piece.words, (piece.count * piece.words_each) as usize) };
    // This is the test's memory.
    let rule = RULE.replace(LAX);
    kept.extend(words);
    RULE.set(rule);
}

unsafe extern "C" fn taken(_: *mut c_void, _: *const c_void, _: usize) -> i32 {
    0
}

/// Drains a unit into what has been written.
fn drain(unit: *mut xfjit_unit, to: &mut Written) {
    let mut words: Vec<u32> = Vec::new();
    // SAFETY: everything is there.
    fine(unsafe { xfjit_unit_drain(unit, Some(keep), (&raw mut words).cast()) });
    assert!(words.len() >= COUNT, "only {} words", words.len());
    let rule = RULE.replace(LAX);
    to.output = words.as_chunks::<4>().0.to_vec();
    RULE.set(rule);
}

#[test]
fn a_unit_that_nobody_drains_ends_in_a_status() {
    let guest: &'static Guest = Box::leak(Box::new(Guest::new()));
    // A recording has blocks of half a megabyte, whatever is recorded.
    for (is_recorded, large) in [(false, LARGE), (true, 1 << 20)] {
        let unit = move || {
            let unit = guest.unit();
            // SAFETY: everything is there.
            let few = |batch: &xfjit_batch| fine(unsafe { xfjit_unit_draw(unit, batch) });
            guest.batch(12, &mut Written::new(), few);
            // SAFETY: everything is there.
            unsafe {
                fine(xfjit_unit_write(unit, guest.commands.as_ptr(), 400));
                let mut words: Vec<u32> = Vec::new();
                fine(xfjit_unit_drain(unit, Some(keep), (&raw mut words).cast()));
                if is_recorded {
                    fine(xfjit_unit_record(unit, Some(taken), null_mut()));
                }
            }
            unit
        };
        refuse_each("xfjit_unit_write", large, 2, || {
            let unit = unit();
            Box::new(move |to| {
                let (commands, words) = (guest.commands.as_ptr(), guest.commands.len());
                // SAFETY: everything is there.
                let status = unsafe { xfjit_unit_write(unit, commands, words) };
                if status == XFJIT_OK {
                    drain(unit, to);
                }
                status
            })
        });
        // Recorded, a draw is sent in pieces, of which the first may be out.
        if !is_recorded {
            refuse_each("xfjit_unit_draw", LARGE, 1, || {
                let unit = unit();
                Box::new(move |to| {
                    let draw = |batch: &xfjit_batch| {
                        // In one piece.
                        let batch = xfjit_batch { flags: XFJIT_BATCH_BIG_ENDIAN, index_limit: 0, ..*batch };
                        let batch =
                            xfjit_batch { indices: null(), count: VERTICES as u32, index_size: 0, ..batch };
                        // SAFETY: everything is there.
                        unsafe { xfjit_unit_draw(unit, &raw const batch) }
                    };
                    let status = guest.batch(COUNT, to, draw);
                    if status == XFJIT_OK {
                        drain(unit, to);
                    }
                    status
                })
            });
        }
    }
}

/// What cannot be recorded is not; the batch runs.
#[test]
fn a_recording_ends_where_memory_does() {
    let guest: &'static Guest = Box::leak(Box::new(Guest::new()));
    let mut at = 0;
    loop {
        let worker = guest.worker();
        let run = |to: &mut Written| {
            // SAFETY: everything is there.
            guest.batch(COUNT, to, |batch| unsafe { xfjit_run(guest.program, worker, batch, null_mut()) })
        };
        let (mut want, mut got) = (Written::new(), Written::new());
        fine(run(&mut want));
        // SAFETY: everything is there.
        fine(unsafe { xfjit_worker_record(worker, u64::MAX, Some(taken), null_mut()) });
        // The rows of the attributes.
        let large = 16 * 60_000;
        let rule = Rule { from: at, until: at + 1, large, ..LAX };
        let (status, rule) = under(rule, || run(&mut got));
        assert_eq!(status, XFJIT_OK);
        assert!(got == want);
        // SAFETY: it is this test's.
        fine(unsafe { xfjit_worker_destroy(worker) });
        if rule.seen <= at {
            break;
        }
        at += 1;
    }
    assert!(at > 0);
}

/// A program of which there is no memory for compiling runs in the interpreter, and a compilation takes less than what is asked for.
#[test]
#[cfg(feature = "jit")]
fn a_compilation_begins_only_if_it_can_end() {
    let guest = Guest::new();
    let (config, mut program, mut info): (_, _, xfjit_info) = (config(), null(), zeroed());
    info.size = size_of::<xfjit_info>() as u32;
    for (text, is_refused) in [("ADD oPos, v0, c[1]", true), ("ADD oPos, v0, c[2]", false)] {
        let words = words(text);
        let rule = Rule { from: if is_refused { 0 } else { usize::MAX }, large: ROOM, ..LAX };
        // SAFETY: everything is there.
        let (status, rule) = under(rule, || unsafe {
            let (slots, count) = (words.as_ptr().cast(), words.len() / 4);
            xfjit_program_get(guest.engine, slots, 16, count, 0, &raw const config, &raw mut program)
        });
        assert_eq!((status, rule.seen), (XFJIT_OK, 1));
        // SAFETY: everything is there.
        unsafe {
            fine(xfjit_program_info(program, &raw mut info));
            fine(xfjit_program_unref(program));
        }
        assert_eq!(info.native == 0, is_refused, "{text}");
    }
    // The most that the budgets admit: that of calls, and that of the thread, here where somebody waits.
    let lines = ["LIT r1, r1", "EX2 r1.x, r1.x", "MOV o[a0.x + 1], v1", "BRA L0 (GT.x)", "SIN r1.w, r1.x"];
    let mut greatest = 0;
    for compile_after in [0, u64::MAX] {
        let options = xfjit_options { size: size_of::<xfjit_options>() as u32, compile_after, ..zeroed() };
        let (mut engine, mut config) = (null_mut(), config);
        // SAFETY: everything is there.
        unsafe {
            fine(xfjit_engine_create(&raw const options, &raw mut engine));
            fine(xfjit_config_init(&raw mut config, XFJIT_CURIE));
        }
        for slots in (10..500).step_by(70) {
            for first in 0..lines.len() {
                let mut text = "MOV o1, v0\nARL a0, v0\nMOVC cc, v2\nMOV r1, v1\nL0: MOV r2, v3\n".to_owned();
                for at in 0..slots {
                    // One kind alone, and all of them.
                    let line =
                        if slots % 20 == 10 { lines[first] } else { lines[(first + at) % lines.len()] };
                    text += &format!("{line}\n");
                }
                let decoded = asm::parse(Generation::Curie, &text).expect("it is a program");
                let words = isa::encode(Generation::Curie, &decoded);
                let count = words.len() / 4;
                // SAFETY: everything is there.
                let ((), rule) = under(LAX, || unsafe {
                    let slots = words.as_ptr().cast();
                    fine(xfjit_program_get(engine, slots, 16, count, 0, &raw const config, &raw mut program));
                    fine(xfjit_engine_warm(engine, &raw const program, 1, 1));
                });
                assert!(rule.greatest >= ROOM, "nothing has been asked for");
                greatest = greatest.max(rule.peak);
                // SAFETY: it is this test's.
                fine(unsafe { xfjit_program_unref(program) });
            }
        }
        // SAFETY: it is this test's.
        fine(unsafe { xfjit_engine_destroy(engine) });
    }
    println!("a compilation takes {} KiB at most", greatest >> 10);
    assert!(greatest < ROOM as isize, "a compilation takes {greatest} bytes");
}
