//! Finds the handle of a program by its words.
//!
//! A guest uploads programs repeatedly, and starts them without a name. [`Engine::program`] decodes the words to find out what they are. A
//! [`Finder`] compares them with words that it has seen, which is some hundred times faster.

use super::{Engine, Program};
use foldhash::fast::FixedState;
use lru::LruCache;
use rustc_hash::FxBuildHasher;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use xfjit_core::front::Microcode;
use xfjit_isa::config::Config;
use xfjit_isa::isa::{self, DecodeError, WORDS_PER_SLOT};
use xfjit_runtime::format::InputLayout;

/// Programs that begin alike and are told apart by comparison. Beyond it the oldest of them goes.
const ALIKE: usize = 4;

/// The words of the slots that may run, in a program memory. Memories whose words are equal in these slots run the same program.
///
/// Without branches these are the slots from the start to the first END; with branches, also the slots that these lead to. The contents of
/// other slots make no difference, but their number does: a program may run out of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots {
    /// Words of the whole memory.
    all: usize,
    start: usize,
    /// What follows each other, as words of the memory.
    spans: Vec<Range<usize>>,
    /// Their words, one after the other.
    words: Vec<u32>,
}

impl Slots {
    fn new(words: &[u32], start: usize, mut spans: Vec<Range<usize>>) -> Self {
        for span in &mut spans {
            *span = span.start * WORDS_PER_SLOT..span.end * WORDS_PER_SLOT;
        }
        let mut held = Vec::with_capacity(spans.iter().map(Range::len).sum());
        spans.iter().for_each(|span| held.extend_from_slice(&words[span.clone()]));
        Slots { all: words.len(), start, spans, words: held }
    }

    /// Whether the same program runs from slot `start` of a program memory. This only compares words.
    pub fn are_in(&self, words: &[u32], start: usize) -> bool {
        if start != self.start || words.len() != self.all {
            return false;
        }
        let mut held = &self.words[..];
        self.spans.iter().all(|span| {
            let (here, rest) = held.split_at(span.len());
            held = rest;
            words[span.clone()] == *here
        })
    }

    /// As [`Slots::are_in`], in a memory of `count` slots that are not contiguous: `slot` returns the words of one slot.
    pub fn are_apart(
        &self,
        count: usize,
        start: usize,
        slot: impl Fn(usize) -> [u32; WORDS_PER_SLOT],
    ) -> bool {
        let places = self.spans.iter().flat_map(|span| span.clone().step_by(WORDS_PER_SLOT));
        let held = self.words.as_chunks::<WORDS_PER_SLOT>().0;
        start == self.start
            && self.all == count * WORDS_PER_SLOT
            && places.zip(held).all(|(place, held)| slot(place / WORDS_PER_SLOT) == *held)
    }

    /// The number of slots that may run.
    pub fn count(&self) -> usize {
        self.words.len() / WORDS_PER_SLOT
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.words[..]) + size_of_val(&self.spans[..])
    }
}

/// A program that has been found before.
#[derive(Debug)]
struct Known {
    slots: Slots,
    terms: Arc<Terms>,
    program: Arc<Program>,
}

/// What a program is run under.
#[derive(Debug)]
struct Terms {
    config: Config,
    inputs: InputLayout,
    keeps: bool,
}

/// What is looked for.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    words: &'a [u32],
    start: usize,
    config: &'a Config,
    inputs: InputLayout,
    /// Whether outputs that are not written are kept.
    keeps: bool,
}

impl Known {
    fn is(&self, wanted: &Wanted<'_>) -> bool {
        self.slots.are_in(wanted.words, wanted.start) && self.terms.are(wanted)
    }
}

impl Terms {
    fn are(&self, &Wanted { config, inputs, keeps, .. }: &Wanted<'_>) -> bool {
        self.inputs == inputs && self.keeps == keeps && self.config == *config
    }
}

/// Finds the handles of programs by their words, without decoding words that it has seen before. Use one finder for each thread: it takes
/// no lock if it finds the program.
///
/// It holds the handles that it knows, including those that the engine's cache has evicted, so their number is bounded.
#[derive(Debug)]
pub struct Finder {
    engine: Arc<Engine>,
    /// By the hash of what runs before the first END.
    known: LruCache<u64, Vec<Arc<Known>>, FxBuildHasher>,
    /// Mostly the next one is the same.
    last: Option<Arc<Known>>,
    hasher: FixedState,
}

impl Finder {
    /// Creates a finder that knows the last `most` programs, or somewhat more if some of them begin alike.
    pub fn new(engine: Arc<Engine>, most: NonZeroUsize) -> Self {
        // Guests must not know which programs collide.
        let seed = RandomState::new().hash_one(0);
        Finder {
            engine,
            known: LruCache::with_hasher(most, FxBuildHasher),
            last: None,
            hasher: FixedState::with_seed(seed),
        }
    }

    /// The engine that prepares unknown programs.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Returns the handle of the microcode that runs from slot `start` of `words`, as [`Engine::program`] does.
    ///
    /// # Errors
    /// Microcode that is not a program ([`DecodeError`]).
    pub fn find(
        &mut self,
        words: &[u32],
        start: usize,
        config: &Config,
    ) -> Result<&Arc<Program>, DecodeError> {
        self.find_as(words, start, config, InputLayout::ROWS)
    }

    /// Finds a program for attributes with this layout in memory ([`Shader::with_inputs`](xfjit_core::shader::Shader::with_inputs)).
    ///
    /// # Errors
    /// As [`Finder::find`].
    pub fn find_as(
        &mut self,
        words: &[u32],
        start: usize,
        config: &Config,
        inputs: InputLayout,
    ) -> Result<&Arc<Program>, DecodeError> {
        self.find_wanted(&Wanted { words, start, config, inputs, keeps: false })
    }

    /// Finds a program for batches in which outputs that are not written keep their values ([`Microcode::keeping`]).
    ///
    /// # Errors
    /// As [`Finder::find`].
    pub fn find_keeping(
        &mut self,
        words: &[u32],
        start: usize,
        config: &Config,
        inputs: InputLayout,
    ) -> Result<&Arc<Program>, DecodeError> {
        self.find_wanted(&Wanted { words, start, config, inputs, keeps: true })
    }

    /// Whether these words, from this slot on, run the program that was found last, with the same requirements.
    #[inline]
    pub fn is_last(&self, words: &[u32], start: usize) -> bool {
        self.last.as_ref().is_some_and(|last| last.slots.are_in(words, start))
    }

    /// As [`Finder::is_last`], for `count` slots that are not contiguous: `slot` returns the words of one of them.
    #[inline]
    pub fn is_last_apart(
        &self,
        count: usize,
        start: usize,
        slot: impl Fn(usize) -> [u32; WORDS_PER_SLOT],
    ) -> bool {
        self.last.as_ref().is_some_and(|last| last.slots.are_apart(count, start, slot))
    }

    fn find_wanted(&mut self, wanted: &Wanted<'_>) -> Result<&Arc<Program>, DecodeError> {
        let is_last = self.last.as_ref().is_some_and(|last| last.is(wanted));
        if !is_last {
            let hash = self.hash(wanted.words, wanted.start);
            let known = hash.and_then(|hash| self.seen(hash, wanted));
            self.last = Some(known.map_or_else(|| self.meet(hash, wanted), Ok)?);
        }
        Ok(&self.last.as_ref().expect("it has just been found").program)
    }

    /// One that is known.
    fn seen(&mut self, hash: u64, wanted: &Wanted<'_>) -> Option<Arc<Known>> {
        self.known.get(&hash)?.iter().find(|known| known.is(wanted)).cloned()
    }

    /// Of the slots up to the first END.
    fn hash(&self, words: &[u32], start: usize) -> Option<u64> {
        let words = words.get(start.checked_mul(WORDS_PER_SLOT)?..)?;
        let slots = words.as_chunks::<WORDS_PER_SLOT>().0;
        (!slots.is_empty())
            .then(|| self.hasher.hash_one(slots[..isa::decode::through_end(slots)].as_flattened()))
    }

    /// Decodes what is not known.
    fn meet(&mut self, hash: Option<u64>, wanted: &Wanted<'_>) -> Result<Arc<Known>, DecodeError> {
        let &Wanted { words, start, config, inputs, keeps } = wanted;
        let (decoded, seen) = isa::decode_seen(config.generation, config.reading(), words, start)?;
        let shader = if keeps { Microcode::keeping } else { Microcode::shader };
        let shader = shader(&Arc::new(decoded), config).with_inputs(inputs);
        // Mostly those of the last one.
        let terms = match &self.last {
            Some(last) if last.terms.are(wanted) => Arc::clone(&last.terms),
            Some(_) | None => Arc::new(Terms { config: config.clone(), inputs, keeps }),
        };
        let known = Arc::new(Known {
            slots: Slots::new(words, start, seen),
            terms,
            program: self.engine.shader(&shader),
        });
        let hash = hash.expect("what decodes has a start slot");
        let alike = self.known.get_or_insert_mut(hash, || Vec::with_capacity(1));
        if alike.len() == ALIKE {
            alike.remove(0);
        }
        alike.push(Arc::clone(&known));
        Ok(known)
    }

    /// Forgets all programs and releases their handles.
    pub fn clear(&mut self) {
        self.known.clear();
        self.last = None;
    }

    /// The number of known programs.
    pub fn len(&self) -> usize {
        self.known.iter().map(|(_, alike)| alike.len()).sum()
    }

    /// Whether no program is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The size in bytes of the words that it holds for comparison.
    pub fn bytes(&self) -> usize {
        self.known.iter().flat_map(|(_, alike)| alike).map(|known| known.slots.bytes()).sum()
    }
}
