//! Random sequences of calls. What they lend is there, since C's word is taken for that; everything else is random: numbers,
//! windows that are too small, null pointers, handles of another kind, overlaps. Shared with the fuzz target `capi`.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use xfjit_capi::*;

/// Bytes as a source of choices; zeros at their end.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A number below another one, of 256 at most.
    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// One time in `of`.
    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }

    /// Mostly one of some numbers, sometimes any.
    fn mostly(&mut self, numbers: &[u32]) -> u32 {
        if self.one_in(16) { self.word() } else { numbers[self.below(numbers.len())] }
    }
}

/// Memory that is lent, with bytes around it which nobody may write.
struct Lent {
    words: Vec<u32>,
    bytes: usize,
    /// Where it begins, in bytes behind an aligned address.
    shift: usize,
}

const GUARD: usize = 16;
const CANARY: u8 = 0xa5;

impl Lent {
    fn new(source: &mut Source<'_>, bytes: usize, shift: usize) -> Self {
        let mut lent = Lent { words: vec![0xa5a5_a5a5; 2 * GUARD + bytes.div_ceil(4) + 1], bytes, shift };
        let start = lent.start();
        for byte in lent.all().iter_mut().skip(start).take(bytes.min(512)) {
            *byte = source.byte();
        }
        lent
    }

    fn start(&self) -> usize {
        4 * GUARD + self.shift
    }

    fn all(&mut self) -> &mut [u8] {
        // SAFETY: words are bytes.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), 4 * self.words.len()) }
    }

    fn pointer(&mut self) -> *mut u8 {
        let start = self.start();
        self.all()[start..].as_mut_ptr()
    }

    fn check(&mut self) {
        let (start, end) = (self.start(), self.start() + self.bytes);
        let touched =
            self.all().iter().enumerate().any(|(at, &byte)| (at < start || at >= end) && byte != CANARY);
        assert!(!touched, "bytes beside the memory lent were written");
    }
}

/// What has been made so far.
struct Handles {
    engine: *mut xfjit_engine,
    worker: *mut xfjit_worker,
    unit: *mut xfjit_unit,
    programs: Vec<*const xfjit_program>,
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

/// What calls have come to.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    /// Calls that were done.
    pub(crate) done: u32,
    /// Calls that were refused.
    pub(crate) refused: u32,
    /// Batches run.
    pub(crate) ran: u32,
}

impl Tally {
    fn note(&mut self, status: xfjit_status) -> bool {
        assert!((XFJIT_E_STATE..=XFJIT_OK).contains(&status), "status {status} is none");
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
    let mut handles =
        Handles { engine: null_mut(), worker: null_mut(), unit: null_mut(), programs: Vec::new() };
    // SAFETY: what is lent is there, and freed handles are not used any more.
    unsafe {
        let compile_after = if source.one_in(4) { 20 } else { 0 };
        let options = xfjit_options {
            size: size_of::<xfjit_options>() as u32,
            backend: if source.one_in(8) { XFJIT_BACKEND_BEST } else { XFJIT_BACKEND_INTERPRETER },
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
            instructions: 0,
        };
        assert!(tally.note(xfjit_engine_create(&raw const options, &raw mut handles.engine)));
        assert!(tally.note(xfjit_worker_create(handles.engine, &raw mut handles.worker)));
        for _ in 0..200 {
            if source.0.is_empty() {
                break;
            }
            step(source, &mut handles, &mut tally);
        }
        for program in handles.programs.drain(..) {
            assert_eq!(xfjit_program_unref(program), XFJIT_OK);
        }
        assert_eq!(xfjit_unit_destroy(handles.unit), XFJIT_OK);
        assert_eq!(xfjit_worker_destroy(handles.worker), XFJIT_OK);
        assert_eq!(xfjit_engine_destroy(handles.engine), XFJIT_OK);
    }
    tally
}

unsafe fn step(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    // SAFETY: as above.
    unsafe {
        match source.below(14) {
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
            }
            11 => {
                let program = handles.program(source);
                let wait = i32::from(source.byte() & 1);
                tally.note(xfjit_engine_warm(handles.engine, &raw const program, 1, wait));
                if let Some(program) = handles.programs.pop() {
                    assert!(tally.note(xfjit_program_unref(program)));
                }
            }
            _ => unit(source, handles, tally),
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

unsafe fn get(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    let config = any_config(source);
    let (count, stride) = (source.below(20), source.mostly(&[16, 16, 16, 20, 24]).min(64) as usize);
    let shift = if source.one_in(8) { 2 } else { 0 };
    let mut slots = Lent::new(source, stride * count, shift);
    let start = source.mostly(&[0, 0, 0, 1, 5]) as usize;
    let mut program = null();
    let pointer: *const c_void = if source.one_in(32) { null() } else { slots.pointer().cast() };
    // SAFETY: as above. What the worker has found is counted at once.
    unsafe {
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
    }
}

unsafe fn run_rows(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
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
    let (program, worker) = (handles.program(source), handles.worker(source));
    // SAFETY: as above.
    let status = unsafe {
        xfjit_run_rows(
            program,
            worker,
            constants.pointer().cast(),
            rows,
            noted,
            input.pointer().cast(),
            to,
            count,
        )
    };
    tally.ran += u32::from(tally.note(status));
    for _ in 0..source.below(4) {
        let (from, to_constants) = (input.pointer().cast(), constants.pointer().cast());
        // SAFETY: as above.
        unsafe {
            again(source, handles, vec![&mut input, &mut output, &mut constants, &mut dirty], |worker| {
                xfjit_run_rows(program, worker, to_constants, rows, noted, from, to, count)
            });
        }
    }
    [input, output, constants, dirty].iter_mut().for_each(Lent::check);
}

/// Makes a call once more on memory that holds something else, in the worker that may know what it is given, and in one that
/// knows nothing: both do the same.
unsafe fn again(
    source: &mut Source<'_>,
    handles: &Handles,
    mut memory: Vec<&mut Lent>,
    call: impl Fn(*mut xfjit_worker) -> xfjit_status,
) {
    let which = source.below(memory.len());
    let (at, byte) = (source.byte(), source.byte());
    let lent = &mut *memory[which];
    if lent.bytes > 0 {
        let at = lent.start() + usize::from(at) % lent.bytes;
        lent.all()[at] = byte;
    }
    let words = |memory: &[&mut Lent]| memory.iter().map(|lent| lent.words.clone()).collect::<Vec<_>>();
    let before = words(&memory);
    let known = call(handles.worker);
    let after = words(&memory);
    for (lent, words) in memory.iter_mut().zip(&before) {
        lent.words.copy_from_slice(words);
    }
    let mut other = null_mut();
    // SAFETY: as above.
    unsafe {
        assert_eq!(xfjit_worker_create(handles.engine, &raw mut other), XFJIT_OK);
        assert_eq!(call(other), known);
        assert_eq!(xfjit_worker_destroy(other), XFJIT_OK);
    }
    assert!(words(&memory) == after, "what was known of the batch was wrong");
}

unsafe fn run(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
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
    let mut outcome = xfjit_outcome {
        size: size_of::<xfjit_outcome>() as u32,
        done: 0,
        deopt_groups: 0,
        timeouts: 0,
        stack_faults: 0,
        vertices: 0,
    };
    let (program, worker) = (handles.program(source), handles.worker(source));
    let mut rows = Lent::new(source, 256, 0);
    // SAFETY: as above.
    unsafe {
        let status = xfjit_run(program, worker, &raw const batch, &raw mut outcome);
        if tally.note(status) {
            tally.ran += 1;
            assert_eq!(outcome.done, batch.count * batch.instance_count.max(1));
            assert!(outcome.vertices <= u64::from(outcome.done));
        }
        for _ in 0..source.below(4) {
            if source.one_in(4)
                && let Some(attribute) = attributes.first_mut()
            {
                (attribute.value[0], attribute.stride) = (source.word(), source.mostly(&[0, 16]));
            }
            let batch = xfjit_batch { attributes: attributes.as_ptr(), ..batch };
            let memory = lent.iter_mut().chain(&mut own).chain([&mut constants, &mut dirty]);
            again(source, handles, memory.collect(), |worker| {
                xfjit_run(program, worker, &raw const batch, null_mut())
            });
        }
        let vertex = source.mostly(&[0, 1, 2]);
        tally.note(xfjit_fetch(&raw const batch, vertex, source.word(), rows.pointer().cast()));
        // What comes out waits to be drained.
        if !handles.unit.is_null() && batch.count * batch.instance_count.max(1) < 64 {
            tally.note(xfjit_unit_draw(handles.unit, &raw const batch));
        }
    }
    rows.check();
    last.check();
    places.check();
    constants.check();
    dirty.check();
    lent.iter_mut().chain(&mut own).for_each(Lent::check);
}

unsafe extern "C" fn take(user: *mut c_void, piece: *const xfjit_piece) {
    // SAFETY: the unit hands over such a piece, and what the caller gave it.
    unsafe {
        let xfjit_piece { count, words_each, words, .. } = *piece;
        let all = std::slice::from_raw_parts(words, (count * words_each) as usize);
        let sum = all.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
        *user.cast::<u32>() = (*user.cast::<u32>()).wrapping_add(sum);
    }
}

unsafe fn unit(source: &mut Source<'_>, handles: &mut Handles, tally: &mut Tally) {
    // SAFETY: as above.
    unsafe {
        if handles.unit.is_null() || source.one_in(16) {
            assert_eq!(xfjit_unit_destroy(handles.unit), XFJIT_OK);
            handles.unit = null_mut();
            let chip = source.mostly(&[0x10, 0x15, 0x20, 0x25, 0x2a, 0x30, 0x34, 0x35, 0x40, 0x43]);
            let config = any_config(source);
            let config = if source.one_in(2) { null() } else { &raw const config };
            tally.note(xfjit_unit_create(handles.engine, chip, config, &raw mut handles.unit));
            return;
        }
        let unit = if source.one_in(32) { handles.worker.cast() } else { handles.unit };
        let count = source.below(64);
        let mut words = Lent::new(source, 4 * count, 0);
        // Of many words some shall be addresses of the unit.
        let kinds = [0x1_1000u32, 0x1_2000, 0x1_7000, 0x1_9000, XFJIT_COMMAND_VERTEX, 0x3_9000, 0x1_6000];
        let flag = XFJIT_COMMAND_PAIR;
        let start = words.start() / 4;
        for word in words.words[start..start + count].iter_mut().step_by(3) {
            *word = kinds[source.below(kinds.len())] | (*word & 0xff0);
            if !matches!(*word & XFJIT_COMMAND_VERTEX, 0) {
                *word = XFJIT_COMMAND_VERTEX;
            } else {
                *word |= flag;
            }
        }
        tally.note(xfjit_unit_write(unit, words.pointer().cast(), count));
        words.check();
        match source.below(4) {
            0 => {
                let (which, value) = (source.mostly(&[0, 1, 2, 3, 4, 5, 6]), source.word());
                tally.note(xfjit_unit_set(unit, which, value));
            }
            1 => {
                let mut sum = 0u32;
                tally.note(xfjit_unit_drain(unit, Some(take), (&raw mut sum).cast()));
            }
            2 => {
                let mut rows = Lent::new(source, 16 * 20, 0);
                let first = source.mostly(&[0, 90, 190]) as usize;
                tally.note(xfjit_unit_constants(unit, first, 20, rows.pointer().cast()));
                let mut view = xfjit_view {
                    size: size_of::<xfjit_view>() as u32,
                    row_count: 0,
                    rows: null(),
                    dirty: null_mut(),
                };
                if tally.note(xfjit_unit_view(unit, &raw mut view)) {
                    let count = view.row_count as usize;
                    let all = std::slice::from_raw_parts(view.rows.cast::<[u32; 4]>(), count);
                    // Where a program may have written, no command has cleared it.
                    let dirty = std::slice::from_raw_parts_mut(view.dirty, count);
                    assert!(
                        dirty.iter().zip(all).all(|(&byte, row)| byte < 2 && (byte == 1 || *row == [0; 4]))
                    );
                }
                rows.check();
            }
            _ => {
                let size = xfjit_unit_save(unit, null_mut(), 0);
                let mut bytes = Lent::new(&mut Source(&[]), size, 0);
                assert_eq!(xfjit_unit_save(unit, bytes.pointer().cast(), size), size);
                if size > 0 {
                    assert!(tally.note(xfjit_unit_load(unit, bytes.pointer().cast(), size)));
                    *bytes.pointer().add(source.below(size.min(256))) ^= 1;
                    tally.note(xfjit_unit_load(unit, bytes.pointer().cast(), size - source.below(2)));
                }
                bytes.check();
            }
        }
    }
}
