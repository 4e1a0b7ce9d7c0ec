//! Batches that come again. Who runs few vertices a call lends the same memory in each, so a worker remembers what the last
//! batches were described as. One that is described in the same words again is as good as it was then: the checks ask for
//! nothing but the description and the program. It runs on what was found out then, and on memory that is lent anew.

use crate::batch::{self, Draw, Lent, xfjit_attribute, xfjit_batch, xfjit_output};
use crate::format::{self, XFJIT_FORMAT_NONE};
use crate::indices::Lists;
use crate::memory;
use crate::program::xfjit_program;
use crate::run::{self, refused};
use crate::status::Failure;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::{Arc, Weak};
use xfjit::backend::Outcome;
use xfjit::runtime::batch::{Attribute, Inputs, Output, Outputs, registers};
use xfjit::runtime::bound::{Bound, Needs, Proof};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::{ATTRIBUTES, OUTPUTS};
use xfjit::{Program, Worker};

/// A batch as a call describes it.
pub(crate) trait Given {
    /// What is kept of the description: numbers, since what they are addresses of is not ours between two calls.
    type Kept;

    /// Vertices.
    fn count(&self) -> usize;

    /// The description, if it is one that can be compared.
    fn keep(&self, needs: &Needs) -> Option<Self::Kept>;

    /// Checks everything.
    ///
    /// # Safety
    /// What is described is there.
    unsafe fn lent<'a>(&self, program: &xfjit_program, lists: &'a mut Lists) -> Result<Lent<'a>, Failure>;

    /// Whether the description says the same, as far as the program needs it. Then the memory of this call comes in the place of
    /// that of the one before in what [`Given::lent`] has made of it, if that is given.
    ///
    /// # Safety
    /// What is described is there.
    unsafe fn is_same(
        &self,
        needs: &Needs,
        kept: &Self::Kept,
        renewed: Option<(&mut Inputs<'static>, &mut Outputs<'static>)>,
    ) -> bool;

    /// The constants of a description that is the same: the memory that was found to be some, and to note what is written.
    fn constants(&self) -> (*mut c_void, *mut u8);
}

/// Batches that are remembered, each at a place that follows from its program and its size.
const PLACES: usize = 16;

/// The batches that a worker remembers.
pub(crate) struct Memory<K>([Option<Box<Entry<K>>>; PLACES]);

impl<K> Default for Memory<K> {
    fn default() -> Self {
        Memory([const { None }; PLACES])
    }
}

impl<K> std::fmt::Debug for Memory<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Memory").field(&self.0.iter().flatten().count()).finish()
    }
}

struct Entry<K> {
    /// While this is held, no other program gets the address.
    program: Weak<Program>,
    keeps: bool,
    kept: K,
    /// Whether what follows has been made of the description. At first it is not: who describes another batch each time does
    /// not pay for what he has no use of.
    is_ready: bool,
    /// They borrow what was lent in another call, and are not looked at before that has been renewed.
    inputs: Inputs<'static>,
    outputs: Outputs<'static>,
    proof: Option<Box<Proof>>,
}

// SAFETY: between two calls nobody looks at what it borrows, and a call of another thread brings its own.
unsafe impl<K: Send> Send for Entry<K> {}

/// Runs a batch.
///
/// # Safety
/// What is described is there, and nobody else uses what is written.
#[inline]
pub(crate) unsafe fn run<G: Given>(
    given: &G,
    program: &xfjit_program,
    memory: &mut Memory<G::Kept>,
    worker: &mut Worker,
    lists: &mut Lists,
) -> Result<Outcome, Failure> {
    let (shared, count) = (program.get(), given.count());
    let needs = shared.needs();
    let place = &mut memory.0[(Arc::as_ptr(shared).addr() >> 7 ^ count) % PLACES];
    if let Some(entry) = place
        && entry.program.as_ptr() == Arc::as_ptr(shared)
        && entry.keeps == program.keep_outputs
    {
        let Entry { kept, is_ready, inputs, outputs, proof, .. } = &mut **entry;
        // SAFETY: as the caller says; nothing is renewed.
        let is_again = || unsafe { given.is_same(needs, kept, None) };
        if *is_ready
            && is_again()
            && let Some(proved) = proof.take()
        {
            let (rows, dirty) = given.constants();
            // SAFETY: as the caller says; it is the batch of which the proof is, with constants in the same place, as many, which have been
            // found to be some. What the batch borrows is not looked at, but by machine code, to which the addresses are known.
            let (mut constants, mut bound) = unsafe {
                let constants = match needs.writes_constants {
                    true => run::known_constants(needs, rows, dirty)?,
                    false if needs.rows == 0 => Constants::read_only(&[]),
                    false => Constants::read_only(std::slice::from_raw_parts(rows.cast(), needs.rows)),
                };
                (constants, Bound::again(proved, inputs, outputs))
            };
            let has_run = shared.run_again(worker, &mut constants, &mut bound);
            *proof = Some(bound.into_proof());
            if has_run {
                return Ok(Outcome::default());
            }
        }
        let renewed = if *is_ready { Some((&mut *inputs, &mut *outputs)) } else { None };
        // SAFETY: as the caller says.
        if unsafe { given.is_same(needs, kept, renewed) } {
            let proved = if *is_ready { proof.take() } else { None };
            let (mut constants, mut bound) = match proved {
                Some(proof) => {
                    let (rows, dirty) = given.constants();
                    // SAFETY: as the caller says; it is the batch of which the proof is, and there are as many constants.
                    unsafe {
                        (run::known_constants(needs, rows, dirty)?, Bound::again(proof, inputs, outputs))
                    }
                }
                None => {
                    // SAFETY: as the caller says. What inputs and outputs borrow is the caller's memory, which is renewed before
                    // it is looked at again; what is kept has no index list.
                    let constants = unsafe {
                        let lent = given.lent(program, lists)?;
                        *inputs = std::mem::transmute::<Inputs<'_>, Inputs<'static>>(lent.inputs);
                        *outputs = std::mem::transmute::<Outputs<'_>, Outputs<'static>>(lent.outputs);
                        lent.constants
                    };
                    (constants, Bound::with_memory(proof, needs, inputs, outputs).map_err(refused)?)
                }
            };
            *is_ready = true;
            let ran = shared.run_bound(worker, &mut constants, &mut bound, 0..count);
            *proof = Some(bound.into_proof());
            return ran.map_err(refused);
        }
    }
    remember(place, given, program);
    // SAFETY: as the caller says.
    let Lent { mut constants, inputs, outputs } = unsafe { given.lent(program, lists) }?;
    shared.run_on(worker, &mut constants, &inputs, &outputs).map_err(refused)
}

#[cold]
#[inline(never)]
fn remember<G: Given>(place: &mut Option<Box<Entry<G::Kept>>>, given: &G, program: &xfjit_program) {
    let Some(kept) = given.keep(program.get().needs()) else { return };
    let (of, keeps) = (Arc::downgrade(program.get()), program.keep_outputs);
    match place {
        Some(entry) => {
            (entry.program, entry.keeps, entry.kept, entry.is_ready) = (of, keeps, kept, false);
        }
        None => {
            let (inputs, outputs) = (Inputs::new(0), Outputs::none(program.get().needs().layout));
            let entry = Entry { program: of, keeps, kept, is_ready: false, inputs, outputs, proof: None };
            *place = Some(Box::new(entry));
        }
    }
}

/// What xfjit_run is given, unless it is a draw ([`crate::draw::is_draw`]): what an index list says may change while its address
/// stays.
pub(crate) struct Batch<'a>(pub(crate) &'a xfjit_batch);

/// What is said of the batch, and of each register that is needed.
pub(crate) struct KeptBatch {
    words: [u64; 6],
    /// Elements of the arrays of attributes and outputs that are looked at.
    elements: [usize; 2],
    attributes: [KeptAttribute; ATTRIBUTES],
    attributes_kept: usize,
    outputs: [KeptOutput; OUTPUTS],
    outputs_kept: usize,
}

/// Words of the description of an attribute.
type AttributeWords = [u64; 6];
const _: () = assert!(size_of::<AttributeWords>() == size_of::<xfjit_attribute>());

#[derive(Clone, Copy, Default)]
struct KeptAttribute {
    register: usize,
    /// All of it, and which bits of that matter: of its value none where there is a stream.
    words: AttributeWords,
    matters: AttributeWords,
    /// The part of the window that is lent: bytes before it, and its own.
    before: usize,
    bytes: usize,
}

#[derive(Clone, Copy, Default)]
struct KeptOutput {
    register: usize,
    words: [u64; 3],
    /// Whether it has memory; and bytes of it that are lent.
    is_there: bool,
    bytes: usize,
}

#[inline]
fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[inline]
fn attribute_words(given: &xfjit_attribute) -> AttributeWords {
    let &xfjit_attribute { data, size_bytes, stride, format, components, divisor, value: [x, y, z, w] } =
        given;
    let window = [data.addr() as u64, size_bytes as u64];
    [window[0], window[1], pair(stride, format), pair(components, divisor), pair(x, y), pair(z, w)]
}

#[inline]
fn output_words(given: &xfjit_output) -> [u64; 3] {
    [given.data.addr() as u64, given.size_bytes as u64, given.stride.into()]
}

/// The bits in which words differ.
#[inline]
fn difference<const N: usize>(a: [u64; N], b: [u64; N]) -> u64 {
    a.into_iter().zip(b).fold(0, |all, (a, b)| all | a ^ b)
}

impl KeptAttribute {
    /// What is said otherwise; 0 if nothing.
    #[inline]
    fn differs(&self, given: &xfjit_attribute) -> u64 {
        let words = attribute_words(given);
        (0..words.len()).fold(0, |all, word| all | (words[word] ^ self.words[word]) & self.matters[word])
    }
}

impl KeptOutput {
    #[inline]
    fn differs(&self, given: &xfjit_output) -> u64 {
        difference(self.words, output_words(given))
    }
}

impl Batch<'_> {
    #[inline]
    fn words(&self) -> [u64; 6] {
        let &xfjit_batch { count, first, attribute_count, output_count, .. } = self.0;
        let &xfjit_batch { constants, dirty, constant_rows, attribute_size, output_size, .. } = self.0;
        [
            constants.addr() as u64,
            dirty.addr() as u64,
            pair(count, first),
            pair(attribute_count, output_count),
            pair(attribute_size, output_size),
            constant_rows.into(),
        ]
    }
}

/// The registers of a mask that an array of the caller's has, if its elements can be read as those of this version; that they are
/// there is his word.
#[inline]
fn described<T>(mask: u32, array: *const T, size: u32, count: u32) -> Option<u32> {
    let there = mask & 1u32.checked_shl(count).map_or(u32::MAX, |bit| bit - 1);
    let is_read = size as usize == size_of::<T>() && memory::can_be(array, elements(there));
    (there == 0 || is_read).then_some(there)
}

/// Elements up to the last register of a mask.
fn elements(mask: u32) -> usize {
    (u32::BITS - mask.leading_zeros()) as usize
}

impl Given for Batch<'_> {
    type Kept = KeptBatch;

    #[inline]
    fn count(&self) -> usize {
        self.0.count as usize
    }

    fn keep(&self, needs: &Needs) -> Option<KeptBatch> {
        let Batch(batch) = self;
        let inputs = u32::from(needs.inputs);
        let inputs = described(inputs, batch.attributes, batch.attribute_size, batch.attribute_count)?;
        let outputs = described(needs.outputs, batch.outputs, batch.output_size, batch.output_count)?;
        let mut kept = KeptBatch {
            words: self.words(),
            elements: [elements(inputs), elements(outputs)],
            attributes: [KeptAttribute::default(); ATTRIBUTES],
            attributes_kept: inputs.count_ones() as usize,
            outputs: [KeptOutput::default(); OUTPUTS],
            outputs_kept: outputs.count_ones() as usize,
        };
        let (first, last) = (batch.first as usize, self.count().wrapping_sub(1));
        for (register, attribute) in registers(inputs).zip(&mut kept.attributes) {
            // SAFETY: the array has so many elements of this size.
            let given = unsafe { &*batch.attributes.add(register) };
            let &xfjit_attribute { stride, format, components, divisor, .. } = given;
            // What belongs to an instance lies elsewhere. So the divisor of what is kept is 0.
            if divisor != 0 {
                return None;
            }
            let is_value = format == XFJIT_FORMAT_NONE;
            let (mut before, mut bytes) = (0, 0);
            if !is_value && self.count() > 0 {
                // What is not refused is not beyond all memory.
                let form = format::format(register, format, components).ok()?;
                before = first.wrapping_mul(stride as usize);
                bytes = last.wrapping_mul(stride as usize).wrapping_add(form.bytes());
            }
            let value = if is_value { u64::MAX } else { 0 };
            let matters = [u64::MAX, u64::MAX, u64::MAX, u64::MAX, value, value];
            let words = attribute_words(given);
            *attribute = KeptAttribute { register, words, matters, before, bytes };
        }
        for (register, output) in registers(outputs).zip(&mut kept.outputs) {
            // SAFETY: the array has so many elements of this size.
            let given = unsafe { &*batch.outputs.add(register) };
            let bytes = batch::bytes_of(needs.layout, given.stride as usize, self.count())?;
            let (words, is_there) = (output_words(given), !given.data.is_null());
            *output = KeptOutput { register, words, is_there, bytes };
        }
        Some(kept)
    }

    #[inline]
    unsafe fn is_same(
        &self,
        _: &Needs,
        kept: &KeptBatch,
        renewed: Option<(&mut Inputs<'static>, &mut Outputs<'static>)>,
    ) -> bool {
        let Batch(batch) = self;
        let is_there = memory::can_be(batch.attributes, kept.elements[0])
            && memory::can_be(batch.outputs, kept.elements[1]);
        if !is_there || difference(self.words(), kept.words) != 0 {
            return false;
        }
        let attributes = &kept.attributes[..kept.attributes_kept];
        let outputs = &kept.outputs[..kept.outputs_kept];
        // SAFETY: the array has this element.
        let attribute = |kept: &KeptAttribute| unsafe { &*batch.attributes.add(kept.register) };
        // SAFETY: the array has this element.
        let output = |kept: &KeptOutput| unsafe { &*batch.outputs.add(kept.register) };
        let Some((renewed_inputs, renewed_outputs)) = renewed else {
            let differs = attributes.iter().fold(0, |all, kept| all | kept.differs(attribute(kept)));
            return outputs.iter().fold(differs, |all, kept| all | kept.differs(output(kept))) == 0;
        };
        // If it is another one after all, what has been renewed is what it was: the address is the same.
        for kept in attributes {
            let given = attribute(kept);
            if kept.differs(given) != 0 {
                return false;
            }
            if let Attribute::Stream { data, .. } = &mut renewed_inputs.attributes[kept.register] {
                let window = given.data.cast::<u8>();
                // Of no vertices there may be no window.
                *data = match kept.bytes {
                    0 => &[],
                    // SAFETY: so many bytes have been found in the window, and nobody writes them.
                    bytes => unsafe { std::slice::from_raw_parts(window.wrapping_add(kept.before), bytes) },
                };
            }
        }
        for kept in outputs {
            let given = output(kept);
            if kept.differs(given) != 0 {
                return false;
            }
            if kept.is_there {
                // SAFETY: so many bytes have been found there, which other outputs may share.
                let memory = unsafe { std::slice::from_raw_parts(given.data.cast::<Cell<u8>>(), kept.bytes) };
                renewed_outputs.set(kept.register as u8, Output::shared(memory, given.stride as usize));
            }
        }
        true
    }

    #[inline]
    unsafe fn lent<'a>(&self, program: &xfjit_program, lists: &'a mut Lists) -> Result<Lent<'a>, Failure> {
        // SAFETY: as the caller says.
        Ok(unsafe { Draw::of(program, self.0, lists) }?.lent)
    }

    #[inline]
    fn constants(&self) -> (*mut c_void, *mut u8) {
        (self.0.constants, self.0.dirty)
    }
}
