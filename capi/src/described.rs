//! What a worker remembers of batches of xfjit_run ([`crate::repeat`]), and how one is compared with that.

use crate::batch::{Batch, xfjit_attribute, xfjit_batch, xfjit_output};
use crate::draw::{Arguments, Draw};
use crate::extent::can_be;
use crate::format::{self, XFJIT_FORMAT_NONE};
use crate::indices::Lists;
use crate::lent;
use crate::program::xfjit_program;
use crate::repeat::Description;
use crate::sized::Record;
use crate::status::Failure;
use crate::streams;
use xfjit::runtime::batch::{Attribute, Inputs, Output, Outputs, registers};
use xfjit::runtime::bound::Needs;
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::{ATTRIBUTES, OUTPUTS};

/// What is said of a batch, and of each register that is needed. It is none with an index list, nor a draw otherwise
/// ([`crate::draw::is_draw`]): what a list says may change while its address stays. What the caller wants to know of the last vertex is no part of it.
pub(crate) struct BatchWords {
    batch: [u64; 6],
    /// The numbers of elements that are looked at, of the array of attributes and of that of outputs.
    elements: [usize; 2],
    /// The addresses of the two arrays. They could be there, so that nothing is asked of arrays at the same addresses.
    arrays: [usize; 2],
    attributes: [AttributeWords; ATTRIBUTES],
    attribute_count: usize,
    /// What the words of attributes mean, but for their memory, which is lent for one call: each stream is empty here.
    inputs: Inputs<'static>,
    outputs: [OutputWords; OUTPUTS],
    output_count: usize,
}

/// The words of an `xfjit_attribute`.
type AttributeRecord = [u64; 6];
const _: () = assert!(size_of::<AttributeRecord>() == size_of::<xfjit_attribute>());

#[derive(Clone, Copy, Default)]
struct AttributeWords {
    register: usize,
    words: AttributeRecord,
    /// Which bits of its value matter: none where there is a stream.
    value: u64,
    /// The part of the window that is read: bytes before it, and its own.
    before: usize,
    bytes: usize,
}

#[derive(Clone, Copy, Default)]
struct OutputWords {
    register: usize,
    words: [u64; 3],
    /// Whether it has memory; and bytes of it that are written.
    is_there: bool,
    bytes: usize,
}

#[inline]
fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[inline]
fn batch_words(given: &xfjit_batch) -> [u64; 6] {
    let &xfjit_batch { count, first, attribute_count, output_count, .. } = given;
    let &xfjit_batch { constants, dirty, constant_rows, attribute_size, output_size, .. } = given;
    [
        constants.addr() as u64,
        dirty.addr() as u64,
        pair(count, first),
        pair(attribute_count, output_count),
        pair(attribute_size, output_size),
        constant_rows.into(),
    ]
}

#[inline]
fn attribute_words(given: &xfjit_attribute) -> AttributeRecord {
    let &xfjit_attribute { data, size_bytes, stride, format, components, divisor, value: [x, y, z, w] } =
        given;
    let window = [data.addr() as u64, size_bytes as u64];
    [window[0], window[1], pair(stride, format), pair(components, divisor), pair(x, y), pair(z, w)]
}

#[inline]
fn output_words(given: &xfjit_output) -> [u64; 3] {
    [given.data.addr() as u64, given.size_bytes as u64, pair(given.stride, given.reserved)]
}

/// The bits in which words differ.
#[inline]
fn difference<const N: usize>(a: [u64; N], b: [u64; N]) -> u64 {
    a.into_iter().zip(b).fold(0, |all, (a, b)| all | a ^ b)
}

impl AttributeWords {
    /// The bits that matter and differ.
    #[inline]
    fn difference(&self, given: &xfjit_attribute) -> u64 {
        let [a, b, c, d, value @ ..] = attribute_words(given);
        let [e, f, g, h, known @ ..] = self.words;
        difference([a, b, c, d], [e, f, g, h]) | difference(value, known) & self.value
    }
}

/// An element of an array whose elements are those of this version.
///
/// # Safety
/// The array has this element, aligned, until `'r` ends, and its pointers promise what those of the description do.
#[inline]
unsafe fn element<'r, T>(array: *const T, register: usize) -> Record<'r, T> {
    // SAFETY: the contract above: the element is there, aligned, until `'r` ends. Its array has elements of `T`, so this is where it lies.
    unsafe { Record::new(&*array.add(register)) }
}

/// The registers of a mask that an array of the caller's has, if its elements can be read as those of this version.
#[inline]
fn described<T>(mask: u32, array: *const T, size: u32, count: u32) -> Option<u32> {
    let there = mask & 1u32.checked_shl(count).map_or(u32::MAX, |bit| bit - 1);
    let is_read = size as usize == size_of::<T>() && can_be(array, elements(there));
    (there == 0 || is_read).then_some(there)
}

/// Elements up to the last register of a mask.
fn elements(mask: u32) -> usize {
    (u32::BITS - mask.leading_zeros()) as usize
}

impl BatchWords {
    fn attributes(&self) -> &[AttributeWords] {
        &self.attributes[..self.attribute_count]
    }

    fn outputs(&self) -> &[OutputWords] {
        &self.outputs[..self.output_count]
    }
}

impl Description for Batch<'_> {
    type Words = BatchWords;

    #[inline]
    fn count(&self) -> usize {
        self.record().count as usize
    }

    fn words(&self, needs: &Needs) -> Option<BatchWords> {
        let batch = self.record();
        let inputs = u32::from(needs.inputs);
        let inputs = described(inputs, batch.attributes, batch.attribute_size, batch.attribute_count)?;
        let outputs = described(needs.outputs, batch.outputs, batch.output_size, batch.output_count)?;
        let mut words = BatchWords {
            batch: batch_words(&batch),
            elements: [elements(inputs), elements(outputs)],
            arrays: [batch.attributes.addr(), batch.outputs.addr()],
            attributes: [AttributeWords::default(); ATTRIBUTES],
            attribute_count: inputs.count_ones() as usize,
            inputs: Inputs::new(self.count()),
            outputs: [OutputWords::default(); OUTPUTS],
            output_count: outputs.count_ones() as usize,
        };
        let (first, last) = (batch.first as usize, self.count().wrapping_sub(1));
        for (register, attribute) in registers(inputs).zip(&mut words.attributes) {
            // SAFETY: the array has so many elements of this size, and there can be these.
            let given = unsafe { element(batch.attributes, register) };
            let &xfjit_attribute { stride, format, components, divisor, .. } = &*given;
            // What belongs to an instance lies elsewhere. So the divisor of what is remembered is 0.
            if divisor != 0 {
                return None;
            }
            let is_stream = format != XFJIT_FORMAT_NONE;
            let (mut before, mut bytes) = (0, 0);
            if is_stream {
                let format = format::format(register, format, components).ok()?;
                words.inputs.place(register, &[], stride as usize, format);
                if self.count() > 0 {
                    // What is not refused is not beyond all memory.
                    before = first.wrapping_mul(stride as usize);
                    bytes = last.wrapping_mul(stride as usize).wrapping_add(format.bytes());
                }
            } else {
                words.inputs.attributes[register] = Attribute::Constant(given.value);
            }
            let value = if is_stream { 0 } else { u64::MAX };
            *attribute = AttributeWords { register, words: attribute_words(&given), value, before, bytes };
        }
        for (register, output) in registers(outputs).zip(&mut words.outputs) {
            // SAFETY: the array has so many elements of this size, and there can be these.
            let given = unsafe { element(batch.outputs, register) };
            let bytes = streams::bytes_of(needs.layout, given.stride as usize, self.count())?;
            let (words, is_there) = (output_words(&given), !given.data.is_null());
            *output = OutputWords { register, words, is_there, bytes };
        }
        Some(words)
    }

    #[inline]
    fn says(&self, words: &BatchWords) -> bool {
        let batch = self.record();
        let have_moved = [batch.attributes.addr(), batch.outputs.addr()] != words.arrays;
        let can_be_there = !have_moved
            || can_be(batch.attributes, words.elements[0]) && can_be(batch.outputs, words.elements[1]);
        if !can_be_there || difference(batch_words(&batch), words.batch) != 0 {
            return false;
        }
        let differ = words.attributes().iter().fold(0, |all, words| {
            // SAFETY: the batch says what these words do of its arrays: they have so many elements of this size. There can be these.
            let given = unsafe { element(batch.attributes, words.register) };
            all | words.difference(&given)
        });
        let differ = words.outputs().iter().fold(differ, |all, words| {
            // SAFETY: the batch says what these words do of its arrays: they have so many elements of this size. There can be these.
            let given = unsafe { element(batch.outputs, words.register) };
            all | difference(words.words, output_words(&given))
        });
        differ == 0
    }

    #[inline]
    fn arguments<'a>(
        &'a mut self,
        program: &xfjit_program,
        lists: &'a mut Lists,
    ) -> Result<Arguments<'a>, Failure> {
        Ok(Draw::of(program, self, lists)?.arguments)
    }

    #[inline]
    unsafe fn checked_constants(&mut self, needs: &Needs) -> Result<Constants<'_>, Failure> {
        // SAFETY: the words of a batch are those of its constants, too, and the checks lend these.
        unsafe { self.split().0.lend_checked(needs) }
    }

    #[inline]
    fn inputs<'a>(words: &BatchWords) -> Inputs<'a> {
        words.inputs
    }

    unsafe fn checked_arguments<'a>(
        &'a mut self,
        needs: &Needs,
        words: &BatchWords,
        inputs: &mut Inputs<'a>,
        outputs: &mut Outputs<'a>,
    ) -> Result<Constants<'a>, Failure> {
        let (constants, batch) = self.split();
        for &AttributeWords { register, before, bytes, .. } in words.attributes() {
            if let Attribute::Stream { data, .. } = &mut inputs.attributes[register] {
                // SAFETY: the batch says what these words do of its arrays: they have so many elements of this size.
                let given = unsafe { element(batch.attributes, register) };
                let part = before..before + bytes;
                // SAFETY: the checks have found these bytes in a window of this size, which a `Record` promises. Of no vertices there are none.
                *data = unsafe { lent::part(given.data.cast(), part, "an attribute's data") }?;
            }
        }
        for &OutputWords { register, is_there, bytes, .. } in words.outputs() {
            // SAFETY: the batch says what these words do of its arrays: they have so many elements of this size.
            let given = unsafe { element(batch.outputs, register) };
            if is_there {
                // SAFETY: the checks have found so many bytes in memory of this size, apart from what is read, which a `Record` promises.
                let memory = unsafe { lent::cells(given.data.cast(), bytes, "an output's data") }?;
                outputs.set(register as u8, Output::shared(memory, given.stride as usize));
            }
        }
        // SAFETY: the words of a batch are those of its constants, too, and the checks lend these.
        unsafe { constants.lend_checked(needs) }
    }
}
