//! Microcode in the caller's memory, and the program that it is.

use crate::config::{Wanted, xfjit_config};
use crate::engine::xfjit_engine;
use crate::export::functions;
use crate::handle::Shared;
use crate::lent::{self, Lent};
use crate::program::xfjit_program;
use crate::status::{Failure, XFJIT_E_DECODE, argument, call, xfjit_status};
use std::ffi::c_void;
use std::sync::Arc;
use xfjit::Generation;
use xfjit::engine::Finder;
use xfjit::front::Microcode;
use xfjit::isa::{self, WORDS_PER_SLOT};

/// Bytes of a slot.
const SLOT: usize = 4 * WORDS_PER_SLOT;

/// A program memory: slots of four words, so many bytes apart.
pub(crate) struct Slots<'call> {
    start: Lent<'call, u8>,
    stride: usize,
    count: usize,
}

impl<'call> Slots<'call> {
    /// # Safety
    /// The description of the function says that so many slots are there, and that what lies between them is the caller's, too.
    pub(crate) unsafe fn new(start: Lent<'call, c_void>, stride: usize, count: usize) -> Self {
        Slots { start: start.bytes(), stride, count }
    }

    /// The words. Slots that the generation lacks are left out.
    pub(crate) fn words(&self, generation: Generation) -> Result<Words<'_>, Failure> {
        let Slots { start, stride, count } = self;
        let (stride, count) = (*stride, generation.slots().min(*count));
        if stride < SLOT {
            return Err(argument(format_args!("slot_stride is {stride}; a slot has {SLOT} bytes")));
        }
        let words = start.as_ptr().cast::<u32>();
        if stride == SLOT && words.is_aligned() {
            // SAFETY: slots are words that follow each other, no fewer than these, and are lent for as long as `self` is borrowed.
            return unsafe { lent::slice(words, WORDS_PER_SLOT * count, "slots") }.map(Words::Adjacent);
        }
        let Some(last) = count.checked_sub(1) else { return Ok(Words::Adjacent(&[])) };
        let bytes = last.checked_mul(stride).and_then(|at| at.checked_add(SLOT));
        let bytes = bytes.ok_or_else(|| {
            argument(format_args!("slot_stride is {stride}, which exceeds the address space"))
        })?;
        // SAFETY: so far the last of no more slots than there are ends. What lies between them is lent, too, and is not looked at.
        let bytes = unsafe { start.slice(bytes, "slots") }?;
        Ok(Words::Apart { bytes, stride, count })
    }
}

/// The words of a program memory, where they are.
#[derive(Clone, Copy)]
pub(crate) enum Words<'w> {
    /// All of them follow each other.
    Adjacent(&'w [u32]),
    /// Those of a slot begin so many bytes after those of the one before, wherever that is.
    Apart { bytes: &'w [u8], stride: usize, count: usize },
}

impl<'w> Words<'w> {
    /// Whether they run the program that a finder has found last.
    pub(crate) fn are_last(self, finder: &Finder, start: usize) -> bool {
        match self {
            Words::Adjacent(words) => finder.is_last(words, start),
            Words::Apart { bytes, stride, count } => {
                finder.is_last_apart(count, start, |slot| words_of(&bytes[slot * stride..]))
            }
        }
    }

    /// As a slice: copied, if they do not follow each other.
    pub(crate) fn gather(self, gathered: &'w mut Vec<u32>) -> &'w [u32] {
        match self {
            Words::Adjacent(words) => words,
            Words::Apart { bytes, stride, .. } => {
                gathered.clear();
                gathered.extend(bytes.chunks(stride).flat_map(words_of));
                gathered
            }
        }
    }
}

/// The words of the slot that begins here.
fn words_of(bytes: &[u8]) -> [u32; WORDS_PER_SLOT] {
    let words = bytes[..SLOT].as_chunks::<4>().0;
    std::array::from_fn(|at| u32::from_ne_bytes(words[at]))
}

/// Words that are no program.
pub(crate) fn no_program(error: isa::DecodeError) -> Failure {
    Failure::new(XFJIT_E_DECODE, error)
}

/// The handle of a program that is not looked up by its words.
fn prepare(
    engine: &xfjit::Engine,
    words: &[u32],
    start: usize,
    wanted: &Wanted,
) -> Result<Shared<xfjit_program>, Failure> {
    let Wanted { config, inputs, keep_outputs } = wanted;
    let decoded = isa::decode_as(config.generation, config.reading(), words, start).map_err(no_program)?;
    let shader = if *keep_outputs { Microcode::keeping } else { Microcode::shader };
    let shader = shader(&Arc::new(decoded), config).with_inputs(*inputs);
    Ok(xfjit_program::new(engine.shader(&shader), *keep_outputs))
}

functions! {
    FUNCTIONS;
    /// Returns the program that starts in slot `start` of a program memory. The memory has slot_count slots of four 32-bit words in the
    /// host's byte order, the first word first. Slots are slot_stride bytes apart (16 if nothing is between them). The call ignores slots
    /// that the generation lacks. Equal programs are prepared only once. The caller owns the program and releases it with
    /// xfjit_program_unref. If a program cannot be compiled, this is not an error: it is interpreted. Any thread.
    fn xfjit_program_get(engine: *mut xfjit_engine, slots: *const c_void, slot_stride: usize, slot_count: usize, start: usize, config: *const xfjit_config, program: *mut *const xfjit_program) -> xfjit_status {
        call(|| {
            let (engine, config) = (engine.handle()?.get(), config.record()?);
            let program = program.out("program")?;
            let wanted = Wanted::of(&config)?;
            // SAFETY: `slot_count` slots are there, `slot_stride` bytes from one to the next.
            let slots = unsafe { Slots::new(slots, slot_stride, slot_count) };
            let mut gathered = Vec::new();
            let words = slots.words(wanted.config.generation)?.gather(&mut gathered);
            program.give(prepare(&engine, words, start, &wanted)?);
            Ok(())
        })
    }
}
