//! What a console returns: a named place, and the words that are there.

use super::experiment::Console;
use std::fmt;

/// A place that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A row of constants, x first.
    Constant(u16),
    /// The colour of the pixel that a point has drawn: red, green, blue, eight bits each.
    Pixel(u16),
    /// Its depth: 24 bits.
    Depth(u16),
}

/// Colours that differ by this much in each component are the same on a chip whose conversion to bytes is not known.
const NEAR_COLOUR: u32 = 2;
/// Depths that differ by this much are the same: how a chip rounds them is not known.
const NEAR_DEPTH: u32 = 16;

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reading::Constant(row) => write!(f, "c[{row}]"),
            Reading::Pixel(point) => write!(f, "pixel {point}"),
            Reading::Depth(point) => write!(f, "depth {point}"),
        }
    }
}

impl Reading {
    /// The place of a name.
    pub fn named(name: &str) -> Option<Reading> {
        let number = |text: &str| match text.bytes().all(|byte| byte.is_ascii_digit()) {
            true => text.parse::<u16>().ok(),
            false => None,
        };
        if let Some(row) = name.strip_prefix("c[") {
            return number(row.strip_suffix(']')?).map(Reading::Constant);
        }
        match name.split_once(' ')? {
            ("pixel", point) => number(point).map(Reading::Pixel),
            ("depth", point) => number(point).map(Reading::Depth),
            _ => None,
        }
    }

    /// Whether a console's results have such places.
    pub fn exists(self, console: Console) -> bool {
        match self {
            Reading::Constant(_) => console == Console::Nv2a,
            Reading::Pixel(_) => true,
            Reading::Depth(_) => console == Console::Flipper,
        }
    }

    /// The number of the row or of the point.
    pub const fn number(self) -> u16 {
        match self {
            Reading::Constant(number) | Reading::Pixel(number) | Reading::Depth(number) => number,
        }
    }

    /// How many words are there.
    pub const fn words(self) -> usize {
        match self {
            Reading::Constant(_) => 4,
            Reading::Pixel(_) | Reading::Depth(_) => 1,
        }
    }

    /// How many hexadecimal digits each of them has.
    pub const fn digits(self) -> usize {
        match self {
            Reading::Constant(_) => 8,
            Reading::Pixel(_) | Reading::Depth(_) => 6,
        }
    }

    /// What is in its words before an experiment runs, if that is known: what no hypothesis predicts, so that a program which has not run, or a
    /// point that was not drawn, is no evidence.
    pub const fn untouched(self) -> Option<u32> {
        match self {
            Reading::Constant(_) => Some(0xdead_beef),
            // Magenta, to which pictures are cleared.
            Reading::Pixel(_) => Some(0x00ff_00ff),
            Reading::Depth(_) => None,
        }
    }

    /// The name of a word of it.
    pub fn word_name(self, word: usize) -> String {
        match self {
            Reading::Constant(_) => format!("{self}.{}", ["x", "y", "z", "w"][word % 4]),
            Reading::Pixel(_) | Reading::Depth(_) => self.to_string(),
        }
    }

    /// A word of it as text.
    pub fn text(self, word: u32) -> String {
        format!("{word:0digits$x}", digits = self.digits())
    }

    /// Whether a word that was seen is the one that was expected.
    pub fn agrees(self, console: Console, expected: u32, seen: u32) -> bool {
        match self {
            Reading::Pixel(_) if console == Console::Rsx => {
                let byte = |word: u32, at: u32| word >> at & 0xff;
                [0, 8, 16].iter().all(|&at| byte(expected, at).abs_diff(byte(seen, at)) <= NEAR_COLOUR)
            }
            Reading::Depth(_) => expected.abs_diff(seen) <= NEAR_DEPTH,
            Reading::Constant(_) | Reading::Pixel(_) => expected == seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for reading in [Reading::Constant(10), Reading::Pixel(0), Reading::Depth(65535)] {
            assert_eq!(Reading::named(&reading.to_string()), Some(reading));
        }
        for name in ["", "c[", "c[]", "c[-1]", "c[+1]", "c[65536]", "pixel", "pixel x", "pixel -1", "d 0"] {
            assert_eq!(Reading::named(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_near_is_the_same_where_rounding_is_not_known() {
        let (pixel, depth) = (Reading::Pixel(0), Reading::Depth(0));
        assert!(pixel.agrees(Console::Rsx, 0x80_00ff, 0x7f_01fe));
        assert!(!pixel.agrees(Console::Rsx, 0x80_00ff, 0x80_05ff));
        assert!(!pixel.agrees(Console::Flipper, 0x80_00ff, 0x7f_00ff));
        assert!(depth.agrees(Console::Flipper, 100, 110) && !depth.agrees(Console::Flipper, 100, 117));
        assert!(!Reading::Constant(0).agrees(Console::Nv2a, 1, 2));
    }
}
