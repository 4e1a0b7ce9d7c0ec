//! Random sequences of calls. What they lend is there, since C's word is taken for that; everything else is random: numbers,
//! windows that are too small, null pointers, handles of another kind, overlaps. So is the world around a call ([`world::World`]): the
//! caller's floating-point environment, watched memory, a fork; and now and then memory is missing ([`large`]). Shared with the fuzz target
//! `capi`.

mod batches;
mod flipper;
mod large;
mod lent;
mod pages;
#[path = "../../sparing/mod.rs"]
mod sparing;
mod twin;
mod unit;
mod world;

use batches::{run, run_rows};
use flipper::flipper;
use large::large;
use lent::{Lent, Source};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use twin::Twin;
use unit::unit;
use xfjit_capi::*;

/// What has been made so far.
struct Handles {
    engine: *mut xfjit_engine,
    worker: *mut xfjit_worker,
    unit: *mut xfjit_unit,
    flipper: *mut xfjit_flipper,
    programs: Vec<*const xfjit_program>,
    /// What every call is compared with: an engine that interprets.
    twin: Twin,
}

impl Handles {
    /// A program, or something that is none.
    fn program(&self, source: &mut Source<'_>) -> *const xfjit_program {
        match source.byte() {
            0 => null(),
            1 => self.worker.cast(),
            pick => *self.programs.get(usize::from(pick) % self.programs.len().max(1)).unwrap_or(&null()),
        }
    }

    fn worker(&self, source: &mut Source<'_>) -> *mut xfjit_worker {
        match source.byte() {
            0 => null_mut(),
            1 => self.engine.cast(),
            _ => self.worker,
        }
    }
}

/// How often watched memory has been touched in this process; nothing where none is watched.
#[allow(dead_code, reason = "the fuzz target does not count")]
pub(crate) fn faults() -> Option<usize> {
    world::faults()
}

/// What calls have come to.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    /// Calls that were done.
    pub(crate) done: u32,
    /// Calls that were refused.
    pub(crate) refused: u32,
    /// Batches run.
    pub(crate) ran: u32,
    /// Calls compared with the interpreter's, and rows of constants that their dirty bytes named.
    pub(crate) compared: u32,
    pub(crate) dirty: u32,
    /// Calls of which something of Flipper left.
    pub(crate) flipper: u32,
    /// Calls for which memory was missing.
    pub(crate) lacking: u32,
    /// Calls in each world ([`world::World::number`]).
    pub(crate) worlds: [u32; 4],
}

impl Tally {
    fn note(&mut self, status: xfjit_status) -> bool {
        assert!((XFJIT_E_UNSUPPORTED..=XFJIT_OK).contains(&status), "status {status} is none");
        assert_ne!(status, XFJIT_E_INTERNAL, "{}", message());
        assert_ne!(status, XFJIT_E_BUSY, "nobody else is there");
        if status == XFJIT_OK {
            self.done += 1;
        } else {
            self.refused += 1;
            assert!(!message().is_empty(), "status {status} has no message");
        }
        status == XFJIT_OK
    }
}

fn message() -> String {
    let mut text = [0u8; 300];
    // SAFETY: so many bytes are there.
    let length = unsafe { xfjit_last_error(text.as_mut_ptr().cast(), text.len()) };
    let end = text.iter().position(|&byte| byte == 0).expect("text ends");
    assert!(end == length || length >= text.len() - 4, "{end} of {length} bytes");
    String::from_utf8_lossy(&text[..end]).into_owned()
}

/// No batch may differ from the interpreter's.
unsafe extern "C" fn heard(_: *mut c_void, event: u32, _: *const xfjit_program) {
    if event == XFJIT_EVENT_MISMATCH {
        std::process::abort();
    }
}

/// What is told is text.
unsafe extern "C" fn log(_: *mut c_void, level: u32, text: *const c_char) {
    // SAFETY: it ends with a zero.
    let text = unsafe { CStr::from_ptr(text) };
    if !(XFJIT_LOG_ERROR..=XFJIT_LOG_DEBUG).contains(&level) || text.to_str().is_err() || text.is_empty() {
        std::process::abort();
    }
}

/// A sequence of calls made of bytes.
pub(crate) fn random_calls(bytes: &[u8]) -> Tally {
    let source = &mut Source(bytes);
    let mut tally = Tally::default();
    let (engine, worker, unit, flipper) = (null_mut(), null_mut(), null_mut(), null_mut());
    let mut handles = Handles { engine, worker, unit, flipper, programs: Vec::new(), twin: Twin::default() };
    // SAFETY: what is lent is there, and freed handles are not used any more.
    unsafe {
        let compile_after = if source.one_in(4) { 20 } else { 0 };
        // Not where what is compiled in a call is a part of what it does.
        let large_at = if source.one_in(4) && compile_after == 0 { source.below(40) } else { usize::MAX };
        let mut options = xfjit_options {
            size: size_of::<xfjit_options>() as u32,
            backend: if source.one_in(8) { XFJIT_BACKEND_INTERPRETER } else { XFJIT_BACKEND_BEST },
            compile_after,
            cache_bytes: 1 << 20,
            // Guests may loop.
            slot_limit: 200,
            compile_by: if compile_after > 0 { XFJIT_COMPILE_INLINE } else { XFJIT_COMPILE_THREAD },
            // A difference would be a finding, written nowhere.
            verify_every: u64::from(source.one_in(4)),
            verify_directory: null(),
            hot: None,
            heard: Some(heard),
            user: null_mut(),
            log: Some(log),
            log_level: XFJIT_LOG_DEBUG,
            instructions: source.below(5) as u32,
            time_one_in: 1,
            perf: XFJIT_PERF_NONE,
            perf_directory: null(),
            fold_after: u64::from(compile_after > 0),
            attach: 0,
            reserved: 0,
        };
        if !tally.note(xfjit_engine_create(&raw const options, &raw mut handles.engine)) {
            // Not this processor's, or not for an interpreter.
            assert_ne!(options.instructions, XFJIT_INSTRUCTIONS_BEST);
            options.instructions = XFJIT_INSTRUCTIONS_BEST;
            assert!(tally.note(xfjit_engine_create(&raw const options, &raw mut handles.engine)));
        }
        assert!(tally.note(xfjit_worker_create(handles.engine, &raw mut handles.worker)));
        handles.twin.create(&options);
        for at in 0..200 {
            if source.0.is_empty() {
                break;
            }
            if at == large_at {
                large(source, &mut handles, &mut tally);
            }
            step(source, &mut handles, &mut tally);
        }
        for program in handles.programs.drain(..) {
            assert_eq!(xfjit_program_unref(program), XFJIT_OK);
        }
        handles.twin.destroy();
        assert_eq!(xfjit_unit_destroy(handles.unit), XFJIT_OK);
        assert_eq!(xfjit_flipper_destroy(handles.flipper), XFJIT_OK);
        assert_eq!(xfjit_worker_destroy(handles.worker), XFJIT_OK);
        assert_eq!(xfjit_engine_destroy(handles.engine), XFJIT_OK);
    }
    tally
}

unsafe fn step(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    // SAFETY: as above.
    unsafe {
        match source.below(19) {
            0..=2 => get(source, handles, tally),
            3 | 4 => run(source, handles, tally),
            5 | 6 => run_rows(source, handles, tally),
            7 => {
                let mut vertex = Box::new(any_vertex(source));
                let mut constants = Lent::new(source, 16 * 544, 0);
                let mut dirty = Lent::new(source, 544, 0);
                let rows = source.mostly(&[192, 468, 544, 0]).min(544) as usize;
                if source.one_in(2) {
                    tally.note(xfjit_vertex_reset(handles.program(source), &raw mut *vertex));
                }
                let program = handles.program(source);
                let slots = source.mostly(&[0, 1, 5]).min(100);
                tally.note(xfjit_step(
                    program,
                    &raw mut *vertex,
                    constants.pointer().cast(),
                    rows,
                    dirty.pointer(),
                    slots,
                ));
                constants.check();
                dirty.check();
            }
            8 => {
                let config = any_config(source);
                let (mut operands, mut result) = (Lent::new(source, 48, 0), Lent::new(source, 16, 0));
                let opcode = source.mostly(&[0, 1, 2, 3, 4, 5, 6, 7, 14, 20]);
                let unit = source.mostly(&[0, 1]);
                tally.note(xfjit_op(
                    &raw const config,
                    unit,
                    opcode,
                    operands.pointer().cast(),
                    result.pointer().cast(),
                ));
                operands.check();
                result.check();
            }
            9 => {
                let slot = [source.word(), source.word(), source.word(), source.word()];
                let size = source.below(80);
                let mut text = Lent::new(source, size, 0);
                let (generation, style) = (source.mostly(&[0, 1, 2]), source.mostly(&[0, 1]));
                xfjit_disassemble(generation, slot.as_ptr(), style, text.pointer().cast(), size);
                text.check();
            }
            10 => {
                let mut info = xfjit_info {
                    size: source
                        .mostly(&[size_of::<xfjit_info>() as u32])
                        .min(size_of::<xfjit_info>() as u32),
                    ..ZERO_INFO
                };
                tally.note(xfjit_program_info(handles.program(source), &raw mut info));
                let label = match source.below(4) {
                    0 => null(),
                    1 => c"skinning".as_ptr(),
                    2 => c"\xff".as_ptr(),
                    _ => c"two\nlines".as_ptr(),
                };
                tally.note(xfjit_program_set_label(handles.program(source), label));
            }
            11 => {
                let program = handles.program(source);
                let wait = i32::from(source.byte() & 1);
                tally.note(xfjit_engine_warm(handles.engine, &raw const program, 1, wait));
                if let Some(program) = handles.programs.pop() {
                    assert!(tally.note(xfjit_program_unref(program)));
                    handles.twin.forget();
                }
            }
            12 | 13 => unit(source, handles, tally),
            _ => flipper(source, handles, tally),
        }
    }
}

const ZERO_INFO: xfjit_info = {
    // SAFETY: numbers alone.
    unsafe { std::mem::zeroed() }
};

fn any_vertex(source: &mut Source<'_>) -> xfjit_vertex {
    // SAFETY: numbers alone.
    let mut vertex: xfjit_vertex = unsafe { std::mem::zeroed() };
    vertex.size = size_of::<xfjit_vertex>() as u32;
    vertex.slot = source.mostly(&[0, 1, 2]);
    vertex.left = source.mostly(&[3, 100]);
    vertex.ended = source.mostly(&[0, 0, 0, 1, 2, 3]);
    vertex.depth = source.mostly(&[0, 0, 1, 8]);
    vertex.stack_kind = std::array::from_fn(|_| source.mostly(&[0, 1]));
    vertex.stack = std::array::from_fn(|_| [source.word() as i32, 0, -1, 2]);
    vertex.address = std::array::from_fn(|_| [source.word() as i32, source.word() as i32, 3, -4]);
    vertex.input[0] = [source.word(), source.word(), source.word(), source.word()];
    vertex
}

fn any_config(source: &mut Source<'_>) -> xfjit_config {
    // SAFETY: numbers alone.
    let mut config: xfjit_config = unsafe { std::mem::zeroed() };
    config.size = size_of::<xfjit_config>() as u32;
    let generation = source.below(3) as u32;
    // SAFETY: it is there.
    let status = unsafe {
        match source.one_in(2) {
            true => xfjit_config_init(&raw mut config, generation),
            false => xfjit_config_like(&raw mut config, source.below(6) as u32, generation),
        }
    };
    if status != XFJIT_OK {
        // SAFETY: it is there.
        assert_eq!(unsafe { xfjit_config_init(&raw mut config, generation) }, XFJIT_OK);
    }
    config.live_outputs &= source.mostly(&[0, 1, 0x1ff, u32::MAX]);
    config.keep_outputs = source.below(2) as u32;
    config.constant_writes = source.below(2) as u32;
    if source.one_in(4) {
        config.output_layout = source.mostly(&[0, 1]);
        config.write_order = source.mostly(&[0, 1, 2]);
        config.branch_bits = source.word();
        config.viewport = source.mostly(&[0, 1]);
        config.input_formats[source.below(16)] = source.mostly(&[0x101, 0x281, 0x301, 0x481]);
        config.index_size = source.mostly(&[0, 2, 4]);
        config.size = source.mostly(&[config.size]).min(config.size);
    }
    config
}

/// A program that writes constants, some vertices' or all.
const WRITER: &str =
    "MOVC cc, v0\nBRA skip (GT.x)\nMOV c[3].xy, v0\nskip:\nMOV c[4] (LT), v0\nMOV c[5].w, c[5]\nMOV o0, c[3]";

/// Slots that are a program, but for a byte of them now and then, and its configuration.
fn writer(source: &mut Source<'_>) -> (Lent, usize, xfjit_config) {
    let generation = xfjit::Generation::Rankine;
    let program = xfjit::asm::parse(generation, WRITER).expect("it assembles");
    let words = xfjit::isa::encode(generation, &program);
    let mut slots = Lent::new(&mut Source(&[]), 4 * words.len(), 0);
    let start = slots.start() / 4;
    slots.words[start..start + words.len()].copy_from_slice(&words);
    if source.one_in(4) {
        let at = slots.start() + source.below(slots.bytes);
        slots.all()[at] = source.byte();
    }
    // SAFETY: numbers alone.
    let mut config: xfjit_config = unsafe { std::mem::zeroed() };
    config.size = size_of::<xfjit_config>() as u32;
    // SAFETY: it is there.
    assert_eq!(unsafe { xfjit_config_init(&raw mut config, XFJIT_RANKINE) }, XFJIT_OK);
    (config.constant_writes, config.live_outputs) = (1, source.mostly(&[1, 0, u32::MAX]));
    (slots, words.len() / 4, config)
}

unsafe fn get(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    let (mut slots, count, stride, start, config) = if source.one_in(3) {
        let (slots, count, config) = writer(source);
        (slots, count, 16, 0, config)
    } else {
        let config = any_config(source);
        let (count, stride) = (source.below(20), source.mostly(&[16, 16, 16, 20, 24]).min(64) as usize);
        let shift = if source.one_in(8) { 2 } else { 0 };
        let slots = Lent::new(source, stride * count, shift);
        let start = source.mostly(&[0, 0, 0, 1, 5]) as usize;
        (slots, count, stride, start, config)
    };
    let mut program = null();
    let pointer: *const c_void = if source.one_in(32) { null() } else { slots.pointer().cast() };
    // SAFETY: as above. What the worker has found is counted at once.
    unsafe {
        let before = handles.programs.len();
        if source.one_in(2) {
            let status = xfjit_program_get(
                handles.engine,
                pointer,
                stride,
                count,
                start,
                &raw const config,
                &raw mut program,
            );
            if tally.note(status) {
                handles.programs.push(program);
            }
        } else {
            let worker = handles.worker(source);
            let status = xfjit_worker_program(
                worker,
                pointer,
                stride,
                count,
                start,
                &raw const config,
                &raw mut program,
            );
            if tally.note(status) {
                assert!(tally.note(xfjit_program_ref(program)));
                handles.programs.push(program);
            }
        }
        if handles.programs.len() > before {
            handles.twin.get(pointer, stride, count, start, &config);
        }
    }
}
