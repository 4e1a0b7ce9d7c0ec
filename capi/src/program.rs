//! Programs: their handles, and what is known of them.

use crate::config;
use crate::export::functions;
use crate::handle::{Held, handle};
use crate::sized::Sized32;
use crate::status::{Failure, argument, call, count, xfjit_status};
use crate::table::{constants, record};
use std::ffi::c_char;
use std::fmt::Write;
use std::sync::Arc;
use xfjit::front::Microcode;
use xfjit::isa::{self, WORDS_PER_SLOT};
use xfjit::runtime::state::OUTPUTS;
use xfjit::shader::Rows;
use xfjit::{Config, Generation, Program};

handle! { PROGRAM =
    /// A program that is ready to run. It never changes. Any number of threads may run it at the same time. It is reference-counted: call
    /// xfjit_program_unref once for the call that returned it, and once for each xfjit_program_ref.
    Shared xfjit_program(b"xfprogrm", "program") {
        program: Arc<Program>,
        pub(crate) keep_outputs: bool,
    }
}

impl xfjit_program {
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

record! {
    INFO;
    /// What a program reads and writes, and what it has done so far. A single vertex may read and write less.
    struct xfjit_info {
        /// sizeof(xfjit_info)
        size: u32,
        /// The first slot whose content matters. slots says how many slots follow from there. While these words stay the same, the program
        /// stays the same.
        first_slot: u32,
        /// See first_slot.
        slots: u32,
        /// The attributes that the program reads, as a mask. The others of a batch may be anything.
        inputs_read: u32,
        /// The output registers that the program writes, as a mask, whether or not the caller wants them.
        outputs_written: u32,
        /// The number of rows of constants that a run needs.
        constant_rows: u32,
        /// For each output register, the components that the program writes; x is the lowest bit.
        output_masks: [u8; 24],
        /// The constants that the program reads, one bit for each; the lowest bit of byte 0 is row 0.
        constants_read: [u8; 68],
        /// The constants that the program writes, likewise.
        constants_written: [u8; 68],
        /// 1 if native code is ready.
        native: u32,
        /// Its size in bytes.
        code_bytes: u32,
        /// The compilation time in nanoseconds.
        compile_ns: u64,
        /// The number of batches that have run.
        batches: u64,
        /// The number of vertices that have run.
        vertices: u64,
        /// The number of vertex groups that native code left to run again.
        deopt_groups: u64,
        /// The number of routines with constants as literals that have been made (xfjit_options.fold_after).
        folded_routines: u64,
        /// The number of vertices that they have run.
        folded_vertices: u64,
    }
}

impl Sized32 for xfjit_info {
    const FIRST: usize = size_of::<Self>();
    const NAME: &'static str = "xfjit_info";
    const ZERO: Self = Self::ZERO;
}

constants! {
    /// The style of xfjit_disassemble's text.
    STYLES: u32;
    /// The instruction as the library runs it, in the syntax of its assembler. Fields without an effect are not shown.
    XFJIT_STYLE_TEXT = 0;
    /// The raw fields of the words: name=value, separated by spaces; values are decimal.
    XFJIT_STYLE_FIELDS = 1;
}

fn bitmap(rows: &Rows) -> [u8; 68] {
    let mut bits = [0; 68];
    rows.iter().for_each(|row| bits[row / 8] |= 1 << (row % 8));
    bits
}

fn info_of(program: &Program) -> xfjit_info {
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
        // An engine's back end may be the interpreter, which is ready without any code.
        native: (info.native && stats.cost.code_bytes > 0).into(),
        code_bytes: stats.cost.code_bytes as u32,
        compile_ns: u64::try_from(stats.cost.compile_time.as_nanos()).unwrap_or(u64::MAX),
        batches: stats.batches,
        vertices: stats.vertices,
        deopt_groups: stats.deopt_groups,
        folded_routines: stats.folded_routines,
        folded_vertices: stats.folded_vertices,
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
    /// Adds a reference to a program. Any thread.
    fn xfjit_program_ref(program: *const xfjit_program) -> xfjit_status {
        call(|| {
            // C has the pointer already.
            program.share()?.into_pointer();
            Ok(())
        })
    }
    /// Releases a reference to a program. A null pointer has no effect. Any thread.
    fn xfjit_program_unref(program: *const xfjit_program) -> xfjit_status {
        call(|| program.end())
    }
    /// Fills in the properties and the counters of a program. Any thread.
    fn xfjit_program_info(program: *const xfjit_program, info: *mut xfjit_info) -> xfjit_status {
        call(|| {
            let known = info_of(program.handle()?.get());
            info.room()?.fill(&known);
            Ok(())
        })
    }
    /// Labels a program for people: xfjit_engine_profile and captures of workers contain the label. It is UTF-8 on one line, 255 bytes at
    /// most, without control characters; the program keeps a copy. A null pointer or an empty text removes the label. A label changes nothing
    /// that is computed. An equal program of the same engine is the same program, and has its label. Any thread.
    fn xfjit_program_set_label(program: *const xfjit_program, label: *const c_char) -> xfjit_status {
        call(|| {
            let program = program.handle()?;
            let label = if label.is_null() { "" } else { label.text("label")? };
            program.get().set_label(label).map_err(argument)
        })
    }
    /// Writes the text of one slot (XFJIT_STYLE_*): as much of it as fits, ended by a zero. Returns the full length without the zero, or 0
    /// on an error. Any thread.
    fn xfjit_disassemble(generation: u32, slot: *const u32, style: u32, text: *mut c_char, size: usize) -> usize {
        count(|| {
            // SAFETY: a slot is four words.
            let words = unsafe { slot.slice(WORDS_PER_SLOT, "slot") }?;
            let words = words.try_into().map_err(|_| argument("a slot has four words"))?;
            let line = disassembled(config::generation(generation)?, words, style)?;
            // SAFETY: `size` bytes are at `text`.
            unsafe { text.write_text(size, &line) }
        })
    }
}
