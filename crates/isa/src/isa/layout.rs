//! How each generation lays out its slots.

use super::fields::Field;
use super::{Generation, curie, kelvin, rankine};

/// The fields of a slot.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// All of them.
    pub slot: &'static [Field],
    /// Those of a source, from the lowest bit of `src_a`, `src_b` or `src_c`.
    pub source: &'static [Field],
}

/// How a generation lays out its slots.
pub const fn layout(generation: Generation) -> Layout {
    match generation {
        Generation::Kelvin => Layout { slot: kelvin::Fields::FIELDS, source: kelvin::SourceFields::FIELDS },
        Generation::Rankine => Layout { slot: rankine::Fields::FIELDS, source: kelvin::SourceFields::FIELDS },
        Generation::Curie => Layout { slot: curie::Fields::FIELDS, source: curie::SourceFields::FIELDS },
    }
}

/// The bits of a slot's four words that mean something, in the numbers of [`layout`].
pub fn slot_bits(generation: Generation, words: [u32; 4]) -> u128 {
    match generation {
        Generation::Kelvin => kelvin::slot_bits(words),
        Generation::Rankine => rankine::slot_bits(words),
        Generation::Curie => curie::slot_bits(words),
    }
}
