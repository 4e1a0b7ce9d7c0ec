//! Programs.

use crate::config::{Wanted, xfjit_config};
use crate::engine::{self, xfjit_engine};
use crate::memory::{self, Handle, Header, Sized32};
use crate::status::{Failure, XFJIT_E_DECODE, argument, call, count, xfjit_status};
use crate::table::{constants, functions, opaque, record};
use std::ffi::{c_char, c_void};
use std::fmt::Write;
use std::sync::Arc;
use xfjit::front::Microcode;
use xfjit::isa::{self, WORDS_PER_SLOT};
use xfjit::runtime::state::OUTPUTS;
use xfjit::shader::Rows;
use xfjit::{Config, Generation, Program};

/// A program.
#[repr(C)]
#[allow(non_camel_case_types, reason = "the name is that of C")]
#[derive(Debug)]
pub struct xfjit_program {
    header: Header,
    program: Arc<Program>,
    pub(crate) keep_outputs: bool,
}

impl Handle for xfjit_program {
    const KIND: u64 = u64::from_le_bytes(*b"xfprogrm");
    const NAME: &'static str = "program";
}

const _: () = assert!(std::mem::offset_of!(xfjit_program, header) == 0);

impl xfjit_program {
    pub(crate) fn new(program: Arc<Program>, keep_outputs: bool) -> Arc<Self> {
        Arc::new(xfjit_program { header: Header::of::<Self>(), program, keep_outputs })
    }

    #[inline]
    pub(crate) fn get(&self) -> &Arc<Program> {
        &self.program
    }

    /// Its instructions and what they mean.
    pub(crate) fn microcode(&self) -> Result<&Microcode, Failure> {
        let microcode = self.program.shader().made_of::<Microcode>();
        microcode.ok_or_else(|| argument("the program has no instructions"))
    }
}

opaque! { PROGRAM =
    /// A program, ready to run. It never changes, and all threads may run it at the same time. It is counted: it lives until
    /// xfjit_program_unref has been called once for the call that made it and once for each xfjit_program_ref.
    "xfjit_program"
}

record! {
    INFO;
    /// What a program reads and writes (supersets of what a vertex does), and what it has done.
    struct xfjit_info {
        /// sizeof(xfjit_info)
        size: u32,
        /// The first slot whose content matters, and how many follow: while these words are the same, so is the program.
        first_slot: u32,
        /// See first_slot.
        slots: u32,
        /// The attributes that it reads, as a mask: the others of a batch may be anything.
        inputs_read: u32,
        /// The output registers that it writes, as a mask, wanted or not.
        outputs_written: u32,
        /// Rows of constants that a run needs.
        constant_rows: u32,
        /// Of each output register the components written, x lowest.
        output_masks: [u8; 24],
        /// The constants read, a bit each; the lowest bit of byte 0 is row 0.
        constants_read: [u8; 68],
        /// The constants written, likewise.
        constants_written: [u8; 68],
        /// 1 if there is native code by now.
        native: u32,
        /// Bytes of it.
        code_bytes: u32,
        /// Nanoseconds that it took to compile.
        compile_ns: u64,
        /// Batches run.
        batches: u64,
        /// Vertices run.
        vertices: u64,
        /// Groups of vertices that native code has left to the interpreter.
        deopt_groups: u64,
    }
}

impl Sized32 for xfjit_info {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_info";
    const ZERO: Self = Self::ZERO;
}

constants! {
    /// What xfjit_disassemble writes.
    STYLES: u32;
    /// The instruction as the library runs it, in the grammar of its assembler. What has no effect is not shown.
    XFJIT_STYLE_TEXT = 0;
    /// The fields of the words as they are, `name=value` with spaces between; values are decimal.
    XFJIT_STYLE_FIELDS = 1;
}

/// The words of a program memory whose slots are `stride` bytes apart; without copying them, if they have no gaps. Slots
/// that the generation lacks are left out.
///
/// # Safety
/// The pointer is null or points to so many slots.
pub(crate) unsafe fn words(
    slots: *const c_void,
    stride: usize,
    slot_count: usize,
    generation: Generation,
    gathered: &mut Vec<u32>,
) -> Result<&[u32], Failure> {
    const SLOT: usize = 4 * WORDS_PER_SLOT;
    let slot_count = slot_count.min(generation.slots());
    if stride < SLOT {
        return Err(argument(format_args!("slot_stride is {stride}; a slot has {SLOT} bytes")));
    }
    if stride == SLOT && slots.cast::<u32>().is_aligned() {
        // SAFETY: as the caller says.
        return unsafe { memory::slice(slots.cast::<u32>(), WORDS_PER_SLOT * slot_count, "slots") };
    }
    let Some(last) = slot_count.checked_sub(1) else { return Ok(&[]) };
    let bytes = last.checked_mul(stride).and_then(|at| at.checked_add(SLOT));
    let bytes = bytes.ok_or_else(|| argument(format_args!("slot_stride is {stride}, beyond all memory")))?;
    // SAFETY: as the caller says. What lies between the slots is his, too, and is not looked at.
    let bytes = unsafe { memory::slice(slots.cast::<u8>(), bytes, "slots") }?;
    gathered.clear();
    for slot in bytes.chunks(stride) {
        gathered.extend(slot[..SLOT].as_chunks::<4>().0.iter().map(|&word| u32::from_ne_bytes(word)));
    }
    Ok(gathered)
}

/// Words that are no program.
pub(crate) fn no_program(error: isa::DecodeError) -> Failure {
    Failure::new(XFJIT_E_DECODE, error)
}

/// The handle of a program that is not looked up by its words.
pub(crate) fn prepare(
    engine: &xfjit::Engine,
    words: &[u32],
    start: usize,
    wanted: &Wanted,
) -> Result<Arc<xfjit_program>, Failure> {
    let Wanted { config, inputs, keep_outputs } = wanted;
    let decoded = isa::decode_as(config.generation, config.reading(), words, start).map_err(no_program)?;
    let shader = if *keep_outputs { Microcode::keeping } else { Microcode::shader };
    let shader = shader(&Arc::new(decoded), config).with_inputs(*inputs);
    Ok(xfjit_program::new(engine.shader(&shader), *keep_outputs))
}

fn bitmap(rows: &Rows) -> [u8; 68] {
    let mut bits = [0; 68];
    rows.iter().for_each(|row| bits[row / 8] |= 1 << (row % 8));
    bits
}

fn told(program: &Program) -> xfjit_info {
    let (info, stats) = (program.info(), program.stats());
    let mut output_masks = [0; 24];
    for (mask, written) in output_masks.iter_mut().zip(info.outputs.iter().take(OUTPUTS)) {
        // The mask of an instruction has x highest.
        *mask = written.0.reverse_bits() >> 4;
    }
    xfjit_info {
        first_slot: info.slots.start as u32,
        slots: info.slots.len() as u32,
        inputs_read: info.inputs.into(),
        outputs_written: info.written_outputs(),
        constant_rows: program.needs().rows as u32,
        output_masks,
        constants_read: bitmap(&info.constants_read),
        constants_written: bitmap(&info.constants_written),
        native: info.native.into(),
        code_bytes: stats.cost.code_bytes as u32,
        compile_ns: u64::try_from(stats.cost.compile_time.as_nanos()).unwrap_or(u64::MAX),
        batches: stats.batches,
        vertices: stats.vertices,
        deopt_groups: stats.deopt_groups,
        ..xfjit_info::ZERO
    }
}

/// The text of a slot.
fn disassembled(generation: Generation, words: [u32; 4], style: u32) -> Result<String, Failure> {
    match style {
        XFJIT_STYLE_TEXT => {
            let insn = isa::decode_insn(generation, Config::new(generation).reading(), words);
            Ok(xfjit::asm::print_insn(generation, &insn) + if insn.end { " + END" } else { "" })
        }
        XFJIT_STYLE_FIELDS => {
            let mut text = String::new();
            for (name, value) in isa::raw_fields(generation, words) {
                let space = if text.is_empty() { "" } else { " " };
                // Writing into a string does not fail.
                let _ = write!(text, "{space}{name}={value}");
            }
            Ok(text)
        }
        other => Err(argument(format_args!("there is no style {other}"))),
    }
}

functions! {
    FUNCTIONS;
    /// The program that starts in slot `start` of a program memory: `slot_count` slots of four 32-bit words of the host, the
    /// first word first, `slot_stride` bytes from one to the next (16 if there is nothing between). Slots that the generation
    /// lacks are not looked at. Equal programs are prepared once. It is the caller's: xfjit_program_unref. A program that cannot
    /// be compiled is no error; it is interpreted. Any thread.
    fn xfjit_program_get(engine: *mut xfjit_engine, slots: *const c_void, slot_stride: usize, slot_count: usize, start: usize, config: *const xfjit_config, program: *mut *const xfjit_program) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let (engine, config) = unsafe { (engine::engine(engine)?, memory::record(config)?) };
            memory::check_pointer(program, "program")?;
            let wanted = Wanted::of(&config)?;
            let mut gathered = Vec::new();
            // SAFETY: as the caller says.
            let words = unsafe { words(slots, slot_stride, slot_count, wanted.config.generation, &mut gathered) }?;
            let made = prepare(&engine, words, start, &wanted)?;
            // SAFETY: as the caller says.
            unsafe { memory::store(program, Arc::into_raw(made), "program") }
        })
    }
    /// Counts one more use of a program. Any thread.
    fn xfjit_program_ref(program: *const xfjit_program) -> xfjit_status {
        call(|| {
            // SAFETY: it is a live program, made by `Arc::into_raw`.
            unsafe {
                memory::handle(program)?;
                Arc::increment_strong_count(program);
            }
            Ok(())
        })
    }
    /// Ends one use of a program; a null pointer is none. Any thread.
    fn xfjit_program_unref(program: *const xfjit_program) -> xfjit_status {
        call(|| {
            if program.is_null() {
                return Ok(());
            }
            // SAFETY: it is a live program, made by `Arc::into_raw`.
            unsafe {
                memory::handle(program)?;
                Arc::decrement_strong_count(program);
            }
            Ok(())
        })
    }
    /// Fills what is known of a program. Any thread.
    fn xfjit_program_info(program: *const xfjit_program, info: *mut xfjit_info) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            unsafe { memory::fill(info, &told(memory::handle(program)?.get())) }
        })
    }
    /// Writes the text of one slot (XFJIT_STYLE_*): as much of it as fits, ended by a zero. Returns its whole length without the
    /// zero, or 0 if something is wrong. Any thread.
    fn xfjit_disassemble(generation: u32, slot: *const u32, style: u32, text: *mut c_char, size: usize) -> usize {
        count(|| {
            // SAFETY: as the caller says.
            let words = unsafe { memory::slice(slot, WORDS_PER_SLOT, "slot") }?;
            let words = words.try_into().map_err(|_| argument("a slot has four words"))?;
            let line = disassembled(crate::config::generation(generation)?, words, style)?;
            // SAFETY: as the caller says.
            unsafe { memory::text(text, size, &line) }
        })
    }
}
