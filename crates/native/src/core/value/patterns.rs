//! Where the words of a result come from that is moved and not computed.

use super::held::ELEMENTS;

/// Where the words of a result come from: numbers of words of the first source, or, [behind](SECOND) these, of the second one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Pattern {
    pub(super) count: u8,
    pub(super) words: [u8; ELEMENTS],
    /// How many words of a source it reaches; more than there are, if some word of the result is a zero.
    pub(super) reach: u8,
}

/// The first word of the second source.
pub(super) const SECOND: u8 = ELEMENTS as u8;
/// A zero.
pub(super) const ZERO: u8 = u8::MAX;

/// Words of a group of four that permutations know.
pub(super) const FOUR: usize = 4;

pub(super) fn pattern(count: usize, word: impl Fn(usize) -> u8) -> Pattern {
    let of = |number: usize| if number < count { word(number) } else { ZERO };
    let words: [u8; ELEMENTS] = std::array::from_fn(of);
    let reaches = words[..count].iter().map(|&word| if word == ZERO { ZERO } else { word % SECOND + 1 });
    Pattern { count: count as u8, words, reach: reaches.max().unwrap_or_default() }
}

/// One that is the same in each four words.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only code for x86-64 has it"))]
pub(super) fn each_four(count: usize, [a, b, c, d]: [u8; 4]) -> Pattern {
    pattern(count, |number| {
        let word = [a, b, c, d][number % FOUR];
        word + (number - number % FOUR) as u8
    })
}
