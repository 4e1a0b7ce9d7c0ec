//! Which byte order raw microcode is in: that in which its words are what an assembler writes.
//!
//! Decoding takes any words. But words that an assembler made come back almost unchanged when they are decoded and
//! encoded again, and words in the wrong order do not: they set bits that mean nothing.

use crate::args::ByteOrder;
use xfjit::{Generation, isa};

/// The words in the order asked for, else in that which makes more sense, little-endian in doubt; and what there is to
/// say about it.
pub fn choose(
    generation: Generation,
    little: Vec<[u32; 4]>,
    asked: Option<ByteOrder>,
) -> (Vec<[u32; 4]>, Option<&'static str>) {
    let big: Vec<[u32; 4]> = little.iter().map(|slot| slot.map(u32::swap_bytes)).collect();
    let [of_little, of_big] = [&little, &big].map(|words| strangeness(generation, words));
    match asked {
        None if is_far_better(of_big, of_little, little.len()) => (
            big,
            Some(
                "the words are read as big-endian, which makes more sense; --byte-order little reads them the other way",
            ),
        ),
        None => (little, None),
        Some(ByteOrder::Little) => {
            let better = is_far_better(of_big, of_little, little.len());
            (little, better.then_some("these words make far more sense as big-endian; try --byte-order big"))
        }
        Some(ByteOrder::Big) => {
            let better = is_far_better(of_little, of_big, little.len());
            (
                big,
                better.then_some("these words make far more sense as little-endian; try --byte-order little"),
            )
        }
    }
}

/// Whether one order is right and the other is not, without doubt.
fn is_far_better(one: u32, other: u32, slots: usize) -> bool {
    // Assemblers differ in bits that do not matter: a few in a slot.
    other > 3 * one + 6 * slots as u32
}

/// Bits that change when the slots are decoded and encoded again.
fn strangeness(generation: Generation, slots: &[[u32; 4]]) -> u32 {
    let of_slot = |slot: &[u32; 4]| match isa::decode(generation, slot, 0) {
        Ok(program) => {
            let again = isa::encode(generation, &program);
            slot.iter().zip(again).map(|(word, again)| (word ^ again).count_ones()).sum()
        }
        Err(_) => 32,
    };
    slots.iter().map(of_slot).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use xfjit_testing::programs::ALL;

    #[test]
    fn the_order_of_every_program_of_the_set_is_told() {
        for fixed in ALL.iter().flat_map(|fixed| [Some(*fixed), fixed.on_curie()]).flatten() {
            let generation = fixed.generation;
            let words = isa::encode(generation, &fixed.program());
            let words = words.as_chunks::<4>().0.to_vec();
            let swapped: Vec<[u32; 4]> = words.iter().map(|slot| slot.map(u32::swap_bytes)).collect();
            let name = format!("{} {generation:?}", fixed.title);
            assert_eq!(choose(generation, words.clone(), None), (words.clone(), None), "{name}");
            let (read, remark) = choose(generation, swapped.clone(), None);
            assert!(read == words && remark.is_some_and(|text| text.contains("--byte-order")), "{name}");
            for (given, asked) in [(&words, ByteOrder::Big), (&swapped, ByteOrder::Little)] {
                let (read, remark) = choose(generation, given.clone(), Some(asked));
                assert!(read == swapped && remark.is_some(), "{name}: {asked:?}");
            }
            for (given, asked) in [(&words, ByteOrder::Little), (&swapped, ByteOrder::Big)] {
                assert_eq!(choose(generation, given.clone(), Some(asked)), (words.clone(), None), "{name}");
            }
        }
    }

    #[test]
    fn words_that_tell_nothing_are_little_endian() {
        assert_eq!(choose(Generation::Kelvin, vec![[0; 4]; 3], None), (vec![[0; 4]; 3], None));
    }
}
