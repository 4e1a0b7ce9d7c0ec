//! What the tests call: every function by its name, with good arguments but for some, in one piece of memory.

use std::collections::BTreeSet;
use std::ffi::{c_char, c_void};
use std::mem::{offset_of, zeroed};
use xfjit::Generation;
use xfjit_capi::table::Item;
use xfjit_capi::*;

/// What ends a handle: not called with a good one.
pub(crate) const ENDS: [&str; 9] = [
    "xfjit_job_run",
    "xfjit_job_drop",
    "xfjit_program_unref",
    "xfjit_unit_destroy",
    "xfjit_flipper_destroy",
    "xfjit_worker_destroy",
    "xfjit_list_destroy",
    "xfjit_cancel_destroy",
    "xfjit_engine_destroy",
];

/// An argument, of a number.
pub(crate) trait Argument {
    fn of(number: usize) -> Self;
}

impl<T> Argument for *const T {
    fn of(number: usize) -> Self {
        std::ptr::with_exposed_provenance(number)
    }
}

impl<T> Argument for *mut T {
    fn of(number: usize) -> Self {
        std::ptr::with_exposed_provenance_mut(number)
    }
}

macro_rules! numbers { ($($type:ty)*) => {
    $(impl Argument for $type {
        fn of(number: usize) -> Self {
            number as $type
        }
    })*
} }
numbers!(u32 i32 u64);

impl Argument for usize {
    fn of(number: usize) -> Self {
        number
    }
}

unsafe extern "C" fn take(_: *mut c_void, _: *const xfjit_piece) {}

impl Argument for xfjit_take {
    fn of(number: usize) -> Self {
        (number != 0).then_some(take as _)
    }
}

unsafe extern "C" fn each(_: *mut c_void, _: *mut xfjit_worker, _: u32) {}

impl Argument for xfjit_each {
    fn of(number: usize) -> Self {
        (number != 0).then_some(each as _)
    }
}

unsafe extern "C" fn warmed(_: *mut c_void, _: usize, _: usize) -> i32 {
    0
}

impl Argument for xfjit_warmed {
    fn of(number: usize) -> Self {
        (number != 0).then_some(warmed as _)
    }
}

unsafe extern "C" fn take_output(_: *mut c_void, _: *const xfjit_flipper_output) {}

impl Argument for xfjit_flipper_take {
    fn of(number: usize) -> Self {
        (number != 0).then_some(take_output as _)
    }
}

unsafe extern "C" fn record(_: *mut c_void, _: *const c_void, _: usize) -> i32 {
    0
}

impl Argument for xfjit_record {
    fn of(number: usize) -> Self {
        (number != 0).then_some(record as _)
    }
}

/// What a call returns: its status; of a size, whether there is one.
pub(crate) trait Returned {
    fn status(self) -> xfjit_status;
}

impl Returned for xfjit_status {
    fn status(self) -> xfjit_status {
        self
    }
}

impl Returned for usize {
    fn status(self) -> xfjit_status {
        if self == 0 { XFJIT_E_ARGUMENT } else { XFJIT_OK }
    }
}

pub(crate) type Call = (&'static str, &'static [&'static str], fn(&[usize]) -> xfjit_status);

macro_rules! calls { ($($name:ident($($parameter:ident),*);)*) => {
    &[$((stringify!($name), &[$(stringify!($parameter)),*], |numbers| {
        let mut numbers = numbers.iter().copied();
        $(let $parameter = Argument::of(numbers.next().expect("there is one for each"));)*
        // SAFETY: what is there is good, and what is not is refused, which is what is tested.
        unsafe { $name($($parameter),*) }.status()
    })),*]
} }

/// All functions that take pointers.
pub(crate) const CALLS: &[Call] = calls! {
    xfjit_last_error(text, size);
    xfjit_engine_profile(engine, text, size);
    xfjit_engine_create(options, engine);
    xfjit_engine_warm(engine, programs, count, wait);
    xfjit_job_run(job);
    xfjit_job_drop(job);
    xfjit_list_load(path, list);
    xfjit_list_save(list, path);
    xfjit_engine_warm_list(engine, list, wait);
    xfjit_engine_warm_list_with(engine, list, threads, warmed, user);
    xfjit_config_init(config, generation);
    xfjit_config_like(config, like, generation);
    xfjit_program_get(engine, slots, slot_stride, slot_count, start, config, program);
    xfjit_program_ref(program);
    xfjit_program_info(program, info);
    xfjit_program_set_label(program, label);
    xfjit_disassemble(generation, slot, style, text, size);
    xfjit_worker_create(engine, worker);
    xfjit_worker_program(worker, slots, slot_stride, slot_count, start, config, program);
    xfjit_worker_set_slot_budget(worker, slots);
    xfjit_worker_set_overtime(worker, slots);
    xfjit_run(program, worker, batch, outcome);
    xfjit_run_parallel(program, worker, batch, outcome, threads, each, user);
    xfjit_run_part(worker, number);
    xfjit_run_rows(program, worker, constants, constant_rows, dirty, input, output, count);
    xfjit_list_add(list, engine);
    xfjit_list_count(list);
    xfjit_fetch(batch, vertex, mask, rows);
    xfjit_vertex_reset(program, vertex);
    xfjit_step(program, vertex, constants, constant_rows, dirty, slots);
    xfjit_op(config, unit, opcode, operands, result);
    xfjit_unit_create(engine, chip, config, unit);
    xfjit_unit_write(unit, commands, words);
    xfjit_unit_set(unit, which, value);
    xfjit_unit_set_texture(unit, number, texels, size, components, width, height, pitch, flags);
    xfjit_unit_set_overtime(unit, slots);
    xfjit_cancel_create(cancel);
    xfjit_cancel_set(cancel, raised);
    xfjit_worker_set_cancel(worker, cancel);
    xfjit_unit_set_cancel(unit, cancel);
    xfjit_unit_drain(unit, take, user);
    xfjit_unit_constants(unit, first, count, rows);
    xfjit_unit_view(unit, view);
    xfjit_unit_save(unit, bytes, size);
    xfjit_unit_load(unit, bytes, size);
    xfjit_unit_draw(unit, batch);
    xfjit_unit_record(unit, record, user);
    xfjit_unit_record_end(unit);
    xfjit_worker_record(worker, budget, record, user);
    xfjit_worker_record_end(worker);
    xfjit_flipper_options_init(options, dialect);
    xfjit_flipper_create(engine, options, flipper);
    xfjit_flipper_set_layout(flipper, elements, element_size, count, triangles);
    xfjit_flipper_load_cp(flipper, number, value);
    xfjit_flipper_read_cp(flipper, number, value);
    xfjit_flipper_load_xf(flipper, first, words, count);
    xfjit_flipper_read_xf(flipper, first, words, count);
    xfjit_flipper_save(flipper, bytes, size);
    xfjit_flipper_load(flipper, bytes, size);
    xfjit_flipper_record(flipper, record, user);
    xfjit_flipper_record_end(flipper);
    xfjit_flipper_run(flipper, bytes, size, memory, budget, take, user, progress);
    xfjit_flipper_draw(flipper, opcode, count, bytes, size, memory, take, user);
    xfjit_flipper_vertex_size(flipper, opcode);
    xfjit_flipper_fetch(flipper, opcode, count, bytes, size, memory, elements, element_size, element_count, data, data_size, stored);
    xfjit_flipper_transform(flipper, batch, matrices, elements, element_size, element_count, data, data_size);
    xfjit_flipper_culled(flipper, opcode, count, bytes, size, memory, faces, culled);
    xfjit_flipper_set_cancel(flipper, cancel);
    xfjit_flipper_store(flipper, value, bytes, memory, size);
    xfjit_flipper_burst(flipper, block, memory, size);
    xfjit_flipper_write_gather(flipper, address);
    xfjit_flipper_read_gather(flipper, address, held);
    xfjit_flipper_write_pi(flipper, offset, value);
    xfjit_flipper_read_pi(flipper, offset, value);
    xfjit_flipper_write_port(flipper, offset, value);
    xfjit_flipper_read_port(flipper, offset, value);
    xfjit_flipper_interrupt(flipper, raised);
    xfjit_flipper_run_fifo(flipper, memory, budget, take, user, progress);
    xfjit_program_unref(program);
    xfjit_unit_destroy(unit);
    xfjit_flipper_destroy(flipper);
    xfjit_worker_destroy(worker);
    xfjit_list_destroy(list);
    xfjit_cancel_destroy(cancel);
    xfjit_engine_destroy(engine);
};

/// The name and the type of each parameter of a function in the table.
pub(crate) fn parameters(function: &str) -> &'static [(&'static str, &'static str)] {
    let all = INTERFACE.iter().flat_map(|section| section.items).filter_map(|item| match item {
        Item::Functions(functions) => Some(functions.iter()),
        _ => None,
    });
    all.flatten().find(|known| known.name == function).expect("it is in the table").parameters
}

/// The names of the pointers among the members of a record.
pub(crate) fn pointers(record: &str) -> BTreeSet<&'static str> {
    let all = INTERFACE.iter().flat_map(|section| section.items);
    let members = all.into_iter().find_map(|item| match item {
        Item::Record(known) if known.name == record => Some(known.members),
        _ => None,
    });
    let members = members.expect("it is in the table").iter();
    members.filter(|(.., of)| of.starts_with('*')).map(|(_, name, _)| *name).collect()
}

/// Vertices of the batch.
pub(crate) const COUNT: usize = 3;

/// All memory that calls are lent: what a call that is refused has written would be seen here.
#[repr(C)]
pub(crate) struct Memory {
    pub(crate) options: xfjit_options,
    pub(crate) config: xfjit_config,
    pub(crate) batch: xfjit_batch,
    pub(crate) attributes: [xfjit_attribute; 16],
    pub(crate) outputs: [xfjit_output; 16],
    pub(crate) outcome: xfjit_outcome,
    pub(crate) info: xfjit_info,
    pub(crate) vertex: xfjit_vertex,
    pub(crate) view: xfjit_view,
    pub(crate) handle: usize,
    pub(crate) programs: [usize; 1],
    pub(crate) slots: [[u32; 4]; 136],
    pub(crate) constants: [[u32; 4]; 192],
    pub(crate) dirty: [u8; 192],
    pub(crate) input: [[[u32; 4]; 16]; COUNT],
    pub(crate) output: [[[u32; 4]; 16]; COUNT],
    pub(crate) rows: [[u32; 4]; 16],
    pub(crate) places: [u32; COUNT],
    pub(crate) indices: [u16; COUNT],
    pub(crate) commands: [u32; 2],
    pub(crate) text: [u8; 8192],
    pub(crate) path: [u8; 512],
    pub(crate) state: [u8; 1 << 16],
    pub(crate) choices: xfjit_flipper_options,
    pub(crate) guest: xfjit_flipper_memory,
    pub(crate) progress: xfjit_flipper_progress,
    pub(crate) elements: [xfjit_flipper_element; 2],
    pub(crate) stream: [u8; 64],
    pub(crate) saved: [u8; 1 << 15],
    pub(crate) words: [u32; 2],
}

pub(crate) struct World {
    pub(crate) engine: usize,
    pub(crate) worker: usize,
    pub(crate) program: usize,
    pub(crate) unit: usize,
    pub(crate) flipper: usize,
    pub(crate) list: usize,
    pub(crate) cancel: usize,
    pub(crate) state: usize,
    pub(crate) saved: usize,
    pub(crate) memory: Box<Memory>,
}

impl Drop for World {
    fn drop(&mut self) {
        for function in ENDS.into_iter().filter(|function| *function != "xfjit_job_run") {
            self.done(function, &mut [("job", 0)]);
        }
        let path = self.memory.path.split(|byte| *byte == 0).next().map(String::from_utf8_lossy);
        let _ = path.map(|path| std::fs::remove_file(&*path));
    }
}

/// The address of a member.
macro_rules! at {
    ($world:expr, $member:ident) => {
        $world.start() + offset_of!(Memory, $member)
    };
}

impl World {
    pub(crate) fn new(backend: u32) -> World {
        // SAFETY: numbers, and pointers that are null.
        let mut memory: Box<Memory> = Box::new(unsafe { zeroed() });
        memory.options.size = size_of::<xfjit_options>() as u32;
        memory.options.backend = backend;
        memory.config.size = size_of::<xfjit_config>() as u32;
        memory.outcome.size = size_of::<xfjit_outcome>() as u32;
        memory.info.size = size_of::<xfjit_info>() as u32;
        memory.vertex.size = size_of::<xfjit_vertex>() as u32;
        memory.view.size = size_of::<xfjit_view>() as u32;
        memory.choices.size = size_of::<xfjit_flipper_options>() as u32;
        memory.guest.size = size_of::<xfjit_flipper_memory>() as u32;
        memory.progress.size = size_of::<xfjit_flipper_progress>() as u32;
        for (element, source) in
            memory.elements.iter_mut().zip([XFJIT_FLIPPER_IN_POSITION, XFJIT_FLIPPER_OUT_CLIP])
        {
            (element.source, element.components) = (source, 3);
        }
        let text = "ADD c[7], v0, c[7]\nMOV oPos, c[7]";
        let decoded = xfjit::asm::parse(Generation::Kelvin, text).expect("it is a program");
        let words = xfjit::isa::encode(Generation::Kelvin, &decoded);
        memory.slots.as_flattened_mut()[..words.len()].copy_from_slice(&words);
        memory.commands = [XFJIT_COMMAND_VERTEX; 2];
        let path = std::env::temp_dir().join(format!("xfjit-pointers-{}-{backend}", std::process::id()));
        let path = path.to_str().expect("it is text").as_bytes();
        memory.path[..path.len()].copy_from_slice(path);
        let mut world = World {
            engine: 0,
            worker: 0,
            program: 0,
            unit: 0,
            flipper: 0,
            saved: 0,
            list: 0,
            cancel: 0,
            state: 0,
            memory,
        };
        world.done("xfjit_engine_create", &mut []);
        world.engine = world.memory.handle;
        world.done("xfjit_worker_create", &mut []);
        world.worker = world.memory.handle;
        world.done("xfjit_config_init", &mut []);
        (world.memory.config.constant_writes, world.memory.config.live_outputs) = (1, 1);
        world.done("xfjit_program_get", &mut []);
        world.program = world.memory.handle;
        world.done("xfjit_unit_create", &mut []);
        world.unit = world.memory.handle;
        world.done("xfjit_flipper_create", &mut []);
        world.flipper = world.memory.handle;
        // A vertex has a byte: its matrix index.
        world.done("xfjit_flipper_load_cp", &mut [("number", 0x50), ("value", 1)]);
        world.saved = size_of_val(&world.memory.saved);
        // SAFETY: as `calls` has it.
        world.saved = unsafe {
            xfjit_flipper_save(Argument::of(world.flipper), Argument::of(at!(world, saved)), world.saved)
        };
        assert!((1..=size_of_val(&world.memory.saved)).contains(&world.saved), "{}", world.saved);
        world.done("xfjit_list_load", &mut [("path", 0)]);
        world.list = world.memory.handle;
        world.done("xfjit_cancel_create", &mut []);
        world.cancel = world.memory.handle;
        world.memory.programs = [world.program];
        world.state = size_of_val(&world.memory.state);
        // SAFETY: as `calls` has it.
        world.state = unsafe {
            let bytes = Argument::of(at!(world, state));
            xfjit_unit_save(Argument::of(world.unit), bytes, world.state)
        };
        assert!((1..=size_of_val(&world.memory.state)).contains(&world.state), "{}", world.state);
        world.done("xfjit_vertex_reset", &mut []);
        world.describe();
        world
    }

    pub(crate) fn start(&self) -> usize {
        (&raw const *self.memory).expose_provenance()
    }

    /// Describes a batch with everything that one can have.
    pub(crate) fn describe(&mut self) {
        let [attributes, outputs] = [at!(self, attributes), at!(self, outputs)].map(Argument::of);
        let [indices, constants, last] =
            [at!(self, indices), at!(self, constants), at!(self, rows)].map(<*mut c_void>::of);
        let [input, output] = [at!(self, input), at!(self, output)].map(<*mut c_void>::of);
        let (dirty, places) = (Argument::of(at!(self, dirty)), Argument::of(at!(self, places)));
        // SAFETY: numbers, and pointers that are null.
        let nothing: xfjit_batch = unsafe { zeroed() };
        self.memory.batch = xfjit_batch {
            size: size_of::<xfjit_batch>() as u32,
            count: COUNT as u32,
            indices,
            index_bytes: 2 * COUNT,
            index_size: 2,
            attribute_size: size_of::<xfjit_attribute>() as u32,
            attribute_count: 16,
            output_size: size_of::<xfjit_output>() as u32,
            attributes,
            outputs: outputs as *const xfjit_output,
            output_count: 16,
            constant_rows: 192,
            constants,
            dirty,
            last_mask: 1,
            last,
            places,
            ..nothing
        };
        let window = (256 * COUNT, 256);
        let (data, format) = (input.cast_const(), XFJIT_FORMAT_F32);
        // SAFETY: numbers, and pointers that are null.
        let nothing: xfjit_attribute = unsafe { zeroed() };
        let attribute = xfjit_attribute {
            data,
            size_bytes: window.0,
            stride: window.1,
            format,
            components: 4,
            ..nothing
        };
        self.memory.attributes = [attribute; 16];
        self.memory.outputs =
            [xfjit_output { data: output, size_bytes: window.0, stride: window.1, reserved: 0 }; 16];
    }

    /// Makes it a batch that can be remembered: neither indices nor anything told.
    pub(crate) fn describe_plain(&mut self) {
        let batch = &mut self.memory.batch;
        (batch.indices, batch.index_bytes, batch.index_size) = (Argument::of(0), 0, 0);
        (batch.last, batch.last_mask, batch.places) = (Argument::of(0), 0, Argument::of(0));
    }

    /// A good argument.
    pub(crate) fn good(&self, function: &str, name: &str, of: &str) -> usize {
        let of = of.strip_prefix("*const ").or(of.strip_prefix("*mut ")).unwrap_or(of);
        match (of, name) {
            (_, "programs") => at!(self, programs),
            ("xfjit_flipper", _) => self.flipper,
            ("xfjit_flipper_options", _) => at!(self, choices),
            ("xfjit_flipper_memory", _) => at!(self, guest),
            ("xfjit_flipper_progress", _) => at!(self, progress),
            ("xfjit_flipper_take", _) => 1,
            ("xfjit_flipper_element", _) if function == "xfjit_flipper_fetch" => at!(self, elements),
            ("xfjit_flipper_element", _) => at!(self, elements) + size_of::<xfjit_flipper_element>(),
            ("u32", "words" | "stored") | ("i32", "culled") => at!(self, words),
            ("u32", "value") if function.starts_with("xfjit_flipper_read") => at!(self, words),
            ("u32", "address" | "held") if function == "xfjit_flipper_read_gather" => at!(self, words),
            ("i32", "raised") if function == "xfjit_flipper_interrupt" => at!(self, words),
            ("c_void", "block") => at!(self, stream),
            ("c_void", "memory") => at!(self, output),
            ("u32", "bytes") => 4,
            ("usize", "size") if matches!(function, "xfjit_flipper_store" | "xfjit_flipper_burst") => {
                size_of_val(&self.memory.output)
            }
            (_, "address" | "offset") => 0,
            (_, "bytes") if function.starts_with("xfjit_flipper") => match function {
                "xfjit_flipper_save" | "xfjit_flipper_load" => at!(self, saved),
                _ => at!(self, stream),
            },
            (_, "size") if function.starts_with("xfjit_flipper") => match function {
                "xfjit_flipper_save" | "xfjit_flipper_load" => self.saved,
                _ => size_of_val(&self.memory.stream),
            },
            ("u32", "opcode") if function.starts_with("xfjit_flipper") => 0xb8,
            (_, "texels") => at!(self, output),
            ("usize", "size") if function == "xfjit_unit_set_texture" => size_of_val(&self.memory.output),
            (_, "components" | "width" | "height") => 1,
            (_, "pitch" | "flags") => 0,
            (_, "element_size") => size_of::<xfjit_flipper_element>(),
            (_, "data") => at!(self, output),
            (_, "data_size") => size_of_val(&self.memory.output),
            (_, "element_count" | "triangles") => 1,
            (_, "dialect" | "number" | "matrices" | "faces") => 0,
            (handle, _) if handle.starts_with('*') => at!(self, handle),
            ("xfjit_engine", _) => self.engine,
            ("xfjit_worker", _) => self.worker,
            ("xfjit_program", _) => self.program,
            ("xfjit_unit", _) => self.unit,
            ("xfjit_list", _) => self.list,
            ("xfjit_cancel", _) => self.cancel,
            ("xfjit_job", _) => at!(self, handle),
            ("xfjit_options", _) => at!(self, options),
            ("xfjit_config", _) => at!(self, config),
            ("xfjit_batch", _) => at!(self, batch),
            ("xfjit_outcome", _) => at!(self, outcome),
            ("xfjit_info", _) => at!(self, info),
            ("xfjit_vertex", _) => at!(self, vertex),
            ("xfjit_view", _) => at!(self, view),
            (_, "text") => at!(self, text),
            (_, "path" | "label") => at!(self, path),
            ("u32", "slots") => 4,
            (_, "slots") if function.contains("_set_") => 0,
            (_, "slot" | "slots") => at!(self, slots),
            (_, "commands") => at!(self, commands),
            (_, "constants") => at!(self, constants),
            (_, "dirty") => at!(self, dirty),
            (_, "input" | "operands") => at!(self, input),
            (_, "output") => at!(self, output),
            (_, "rows" | "result") => at!(self, rows),
            (_, "bytes") => at!(self, state),
            ("xfjit_take" | "xfjit_record" | "xfjit_each" | "xfjit_warmed", _) => 1,
            (_, "opcode" | "mask" | "wait" | "threads") => 1,
            (_, "size") if function.starts_with("xfjit_unit") => self.state,
            (_, "size") => size_of_val(&self.memory.text),
            (_, "user" | "generation" | "start" | "vertex" | "first" | "which" | "value" | "raised") => 0,
            (_, "style" | "unit") => 0,
            (_, "like") => XFJIT_LIKE_XEMU as usize,
            (_, "chip") => XFJIT_NV2A as usize,
            (_, "constant_rows") => 192,
            (_, "slot_stride") => 16,
            (_, "slot_count") => 136,
            (_, "budget") => 1 << 20,
            (_, "count") => 1,
            (_, "words") => 2,
            _ => panic!("{function}: what is a good {name} of type {of}?"),
        }
    }

    /// Calls a function with good arguments but for some.
    pub(crate) fn call(&self, function: &str, bad: &[(&str, usize)]) -> xfjit_status {
        let (_, names, call) = CALLS.iter().find(|(name, ..)| *name == function).expect("it is one");
        let known = parameters(function);
        assert!(known.iter().map(|(name, _)| name).eq(*names), "{function} has other parameters by now");
        let argument = |&(name, of): &(&'static str, &'static str)| {
            let other = bad.iter().find(|(other, _)| *other == name);
            other.map_or_else(|| self.good(function, name, of), |(_, other)| *other)
        };
        call(&known.iter().map(argument).collect::<Vec<_>>())
    }

    pub(crate) fn done(&self, function: &str, but: &mut [(&str, usize)]) {
        assert_eq!(self.call(function, but), XFJIT_OK, "{function}: {}", message());
    }

    /// The memory as bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: it is all there, and was zeros where nothing is.
        unsafe { std::slice::from_raw_parts((&raw const *self.memory).cast(), size_of::<Memory>()) }
    }

    /// A call that is refused with a status, or with any, and has written nothing.
    pub(crate) fn refused(
        &self,
        want: Option<xfjit_status>,
        function: &str,
        bad: &[(&str, usize)],
        what: &str,
    ) {
        let before = self.bytes().to_vec();
        let status = self.call(function, bad);
        let is_wanted = want.map_or(status != XFJIT_OK, |want| status == want);
        assert!(is_wanted, "{function}, {what}: {bad:x?} is {status}: {}", message());
        let at = self.bytes().iter().zip(&before).position(|(after, before)| after != before);
        assert!(at.is_none(), "{function}, {what}: {bad:x?} has written at {at:?}");
    }
}

pub(crate) fn message() -> String {
    let mut text = [0u8; 300];
    // SAFETY: it is there.
    let length = unsafe { xfjit_last_error(text.as_mut_ptr().cast::<c_char>(), text.len()) };
    String::from_utf8_lossy(&text[..length.min(text.len() - 1)]).into_owned()
}
