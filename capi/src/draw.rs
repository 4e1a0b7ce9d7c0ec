//! Batches that have been looked at as far as C is concerned: the memory is the caller's, what is written is apart from what is read.
//! Whether it holds what the program needs is asked by the run.

use crate::batch::{Batch, instances, xfjit_batch};
use crate::extent::{apart, extent, overlap, range_of};
use crate::indices::{Lists, Numbers, XFJIT_BATCH_DISTINCT};
use crate::program::xfjit_program;
use crate::sized::Record;
use crate::status::{Failure, argument};
use crate::streams;
use std::ops::Range;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Output, Outputs, registers};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::{ATTRIBUTES, OUTPUTS, Row};

/// What a program runs on.
pub(crate) struct Arguments<'a> {
    pub(crate) constants: Constants<'a>,
    pub(crate) inputs: Inputs<'a>,
    pub(crate) outputs: Outputs<'a>,
}

/// A batch, and what of its vertices is to run.
pub(crate) struct Draw<'a> {
    pub(crate) batch: Record<'a, xfjit_batch>,
    /// With the inputs of the first instance.
    pub(crate) arguments: Arguments<'a>,
    pub(crate) numbers: Numbers,
    pub(crate) lists: &'a Lists,
    pub(crate) instances: usize,
    /// Attributes that belong to instances.
    pub(crate) divided: u16,
    /// How many distinct vertices there are, if these alone are to run.
    pub(crate) distinct: Option<usize>,
}

/// Whether a batch is more than vertices that follow each other, of the last of which its caller may want attributes.
#[inline]
pub(crate) fn is_draw(batch: &xfjit_batch) -> bool {
    let xfjit_batch { indices, places, flags, instance_count, first_instance, .. } = batch;
    !(indices.is_null() && places.is_null()) || flags | first_instance != 0 || *instance_count > 1
}

impl<'a> Draw<'a> {
    /// Looks at all of a batch.
    #[inline]
    pub(crate) fn of(
        program: &xfjit_program,
        batch: &'a mut Batch<'_>,
        lists: &'a mut Lists,
    ) -> Result<Self, Failure> {
        let needs = program.get().needs();
        let (constants, batch) = batch.split();
        let numbers = Numbers::of(batch, lists, needs.input_layout.indices().width())?;
        let (instances, last_instance) = instances(batch)?;
        let positions = numbers.count.checked_mul(instances);
        let positions = positions.ok_or_else(|| argument("the vertices exceed the address space"))?;
        let once = batch.flags & XFJIT_BATCH_DISTINCT != 0
            && numbers.is_indexed
            && numbers.last.is_some()
            && !needs.writes_constants;
        let mut is_spreadable = true;
        let (hull, written, outputs) = {
            let mut outputs = Outputs::none(needs.layout);
            if program.keep_outputs {
                outputs = outputs.keeping();
            }
            let (mut hull, mut written) = (Range { start: usize::MAX, end: 0 }, [const { 0..0 }; OUTPUTS]);
            for register in registers(needs.outputs) {
                let Some(output) = batch.output(register)? else { break };
                if output.data.is_null() {
                    continue;
                }
                let memory = streams::written(register, output, needs.layout, positions)?;
                let range = range_of(memory);
                hull = hull.start.min(range.start)..hull.end.max(range.end);
                written[register] = range;
                is_spreadable &= output.stride >= 16 || needs.layout == Layout::Planes;
                // SAFETY: the description of the record says that nobody else uses the memory while the call lasts, a `Record` promises it, and
                // cells of it are made here alone.
                let output = unsafe { Output::alone(memory, output.stride as usize) };
                outputs.set(register as u8, output);
            }
            (hull, written, outputs)
        };
        let distinct = match once && (is_spreadable || !batch.places.is_null()) {
            true => Some(numbers.find_distinct(lists)?),
            false => None,
        };
        let lists: &'a Lists = lists;
        // Everything that is written is looked at before anything is.
        let told = if batch.places.is_null() { 0 } else { numbers.count };
        let places = extent(batch.places, told, "places")?;
        if !batch.last.is_null() {
            extent(batch.last.cast::<Row>(), ATTRIBUTES, "last")?;
        }
        let stays = |range: &Range<usize>, name: &str| match overlap(&hull, range) {
            false => Ok(()),
            true => written.iter().try_for_each(|written| apart(written, "an output", range, name)),
        };
        let (rows, noted) = constants.ranges(needs)?;
        let writes = needs.writes_constants;
        let is_apart = |range: &Range<usize>, name: &str| {
            stays(range, name)?;
            apart(&places, "places", range, name)?;
            if writes {
                apart(&rows, "constants", range, name)?;
                apart(&noted, "dirty", range, name)?;
            }
            Ok::<(), Failure>(())
        };
        stays(&rows, "constants")?;
        stays(&noted, "dirty")?;
        stays(&places, "places")?;
        apart(&places, "places", &rows, "constants")?;
        apart(&places, "places", &noted, "dirty")?;
        is_apart(&numbers.read, "indices")?;

        let mut inputs = Inputs::new(numbers.count);
        inputs.indices = numbers.indices(lists, 0..numbers.count);
        let mut divided = 0;
        for register in registers(needs.inputs) {
            let Some(attribute) = batch.attribute(register)? else { break };
            let span = (batch.first_instance, last_instance);
            inputs = match streams::stream(register, attribute, &numbers, span)? {
                None => inputs.with(register, Attribute::Constant(attribute.value)),
                Some((data, format)) => {
                    is_apart(&range_of(data), "an attribute")?;
                    let stride = if attribute.divisor == 0 { attribute.stride } else { 0 };
                    divided |= u16::from(attribute.divisor != 0) << register;
                    inputs.formatted(register, data, stride as usize, format)
                }
            };
        }
        // Only now, when what is written is known to be apart from everything else.
        let arguments = Arguments { constants: constants.lend(needs)?, inputs, outputs };
        Ok(Draw { batch, arguments, numbers, lists, instances, divided, distinct })
    }

    /// The number of an instance, which attributes with a divisor divide.
    pub(crate) fn instance(&self, position: usize) -> u32 {
        self.batch.first_instance.wrapping_add(position as u32)
    }

    /// Makes attributes of instances those of the next one, which has this number.
    pub(crate) fn next_instance(&mut self, instance: u32) -> Result<(), Failure> {
        for register in registers(self.divided) {
            if let Some(attribute) = self.batch.attribute(register)?
                && let Attribute::Stream { data, .. } = &mut self.arguments.inputs.attributes[register]
                && instance.is_multiple_of(attribute.divisor.max(1))
            {
                *data = data.get(attribute.stride as usize..).unwrap_or_default();
            }
        }
        Ok(())
    }
}
