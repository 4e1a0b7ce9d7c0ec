//! Repeated batches. Who runs few vertices a call describes the same memory in each, so a worker remembers how the last batches were
//! described, and what was found out about them. The checks ask for nothing but the description and the program; so one in the same
//! words needs none, and runs on memory that is lent anew.
//!
//! What is remembered is numbers. Nothing is borrowed between two calls: each borrows from the description that it was given.

use crate::draw::Arguments;
use crate::indices::Lists;
use crate::program::xfjit_program;
use crate::status::Failure;
use std::sync::{Arc, Weak};
use xfjit::backend::Outcome;
use xfjit::runtime::batch::{Inputs, Outputs};
use xfjit::runtime::bound::{Bound, Needs, Proof};
use xfjit::runtime::constants::Constants;
use xfjit::{Program, Worker};

/// A batch as a call describes it.
pub(crate) trait Description {
    /// What is remembered of it.
    type Words: Send;

    /// Vertices.
    fn count(&self) -> usize;

    /// What is to be remembered, if it is a description that can be compared.
    fn words(&self, needs: &Needs) -> Option<Self::Words>;

    /// Whether the description says this, as far as the program needs it.
    fn says(&self, words: &Self::Words) -> bool;

    /// What the program runs on, after all checks.
    fn arguments<'a>(
        &'a mut self,
        program: &xfjit_program,
        lists: &'a mut Lists,
    ) -> Result<Arguments<'a>, Failure>;

    /// The constants among the arguments, without checks.
    ///
    /// # Safety
    /// The description says words of which one has passed the checks of [`Description::arguments`] for a program with these needs.
    unsafe fn checked_constants(&mut self, needs: &Needs) -> Result<Constants<'_>, Failure>;

    /// The inputs of a batch that is so described, without memory.
    fn inputs<'a>(words: &Self::Words) -> Inputs<'a>;

    /// Gives [`Description::inputs`] and outputs without memory that which they have among the arguments, without checks; the rest are the
    /// constants.
    ///
    /// # Safety
    /// The description says these words, and one that said them has passed the checks of [`Description::arguments`] for a program with
    /// these needs.
    unsafe fn checked_arguments<'a>(
        &'a mut self,
        needs: &Needs,
        words: &Self::Words,
        inputs: &mut Inputs<'a>,
        outputs: &mut Outputs<'a>,
    ) -> Result<Constants<'a>, Failure>;
}

/// Entries of a [`Memory`]: a batch has the one that follows from its program and its size.
const ENTRIES: usize = 16;

/// The batches that a worker remembers.
pub(crate) struct Memory<W>([Option<Box<Entry<W>>>; ENTRIES]);

impl<W> Default for Memory<W> {
    fn default() -> Self {
        Memory([const { None }; ENTRIES])
    }
}

impl<W> std::fmt::Debug for Memory<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Memory").field(&self.0.iter().flatten().count()).finish()
    }
}

struct Entry<W> {
    /// While this is held, no other program gets the address.
    program: Weak<Program>,
    keep_outputs: bool,
    words: W,
    /// Whether the batch has passed the checks. The first time only its description is remembered: who describes another batch each time
    /// does not pay for what he has no use of.
    is_checked: bool,
    /// If so, what was found out; else memory for that.
    proof: Option<Box<Proof>>,
}

/// Runs a batch.
#[inline]
pub(crate) fn run<D: Description>(
    mut given: D,
    program: &xfjit_program,
    memory: &mut Memory<D::Words>,
    worker: &mut Worker,
    lists: &mut Lists,
) -> Result<Outcome, Failure> {
    let (shared, count) = (program.get(), given.count());
    let needs = shared.needs();
    let slot = &mut memory.0[(Arc::as_ptr(shared).addr() >> 7 ^ count) % ENTRIES];
    let Some(entry) = slot.as_deref_mut().filter(|entry| {
        entry.program.as_ptr() == Arc::as_ptr(shared)
            && entry.keep_outputs == program.keep_outputs
            && given.says(&entry.words)
    }) else {
        remember(slot, &given, program);
        let Arguments { mut constants, inputs, outputs } = given.arguments(program, lists)?;
        return Ok(shared.run_on(worker, &mut constants, &inputs, &outputs)?);
    };
    let Entry { words, is_checked, proof, .. } = entry;
    let Some(mut proved) = proof.take_if(|_| *is_checked) else {
        let Arguments { mut constants, inputs, outputs } = given.arguments(program, lists)?;
        let mut bound = Bound::with_memory(proof, needs, &inputs, &outputs)?;
        let ran = shared.run_bound(worker, &mut constants, &mut bound, 0..count);
        (*is_checked, *proof) = (true, Some(bound.into_proof()));
        return Ok(ran?);
    };
    {
        // SAFETY: the description says words that have passed the checks for this program. They are those of the proof, too, without an
        // index list. The memory that they name is lent until `given` goes, as it was then, and what is written of it is apart from what
        // is read.
        let (mut constants, mut batch) = unsafe { (given.checked_constants(needs)?, proved.repeat()) };
        if let Some(outcome) = shared.run_repeat(worker, &mut constants, &mut batch).outcome() {
            *proof = Some(proved);
            return Ok(outcome);
        }
    }
    let (mut inputs, mut outputs) = (D::inputs(words), Outputs::none(needs.layout));
    if program.keep_outputs {
        outputs = outputs.keeping();
    }
    // SAFETY: the description says words that have passed the checks for this program.
    let mut constants = unsafe { given.checked_arguments(needs, words, &mut inputs, &mut outputs) }?;
    // SAFETY: the proof is of a batch that was described in these words, without an index list. They decide the rest.
    let mut bound = unsafe { Bound::proved(proved, &inputs, &outputs) };
    let ran = shared.run_bound(worker, &mut constants, &mut bound, 0..count);
    *proof = Some(bound.into_proof());
    Ok(ran?)
}

#[cold]
#[inline(never)]
fn remember<D: Description>(slot: &mut Option<Box<Entry<D::Words>>>, given: &D, program: &xfjit_program) {
    let Some(words) = given.words(program.get().needs()) else { return };
    let (program, keep_outputs) = (Arc::downgrade(program.get()), program.keep_outputs);
    match slot {
        Some(entry) => {
            (entry.program, entry.keep_outputs, entry.words, entry.is_checked) =
                (program, keep_outputs, words, false);
        }
        None => {
            *slot = Some(Box::new(Entry { program, keep_outputs, words, is_checked: false, proof: None }));
        }
    }
}
