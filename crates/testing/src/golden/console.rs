//! What pictures of a console show of a program's results: `bytes`, `over`, `words` and `xfctx` lines.
//!
//! A picture gives colours and edges, so most values come as ranges; what a line leaves open is not compared.

use crate::text::{Flaw, Line, Word, clip};
use std::ops::RangeInclusive;

/// Words that a component may be: one of the ranges.
pub type Words = Vec<RangeInclusive<u32>>;

/// What a picture says about one register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Each component in the mask, as a byte ([`as_byte`]), lies in its range.
    Bytes {
        /// Output register.
        register: usize,
        /// Bit 3 is x, bit 0 is w.
        mask: u8,
        /// By component.
        ranges: [RangeInclusive<u8>; 4],
    },
    /// The colour, blended by its own alpha over a grey, is that of the picture, in each channel to within a tolerance.
    Over {
        /// Output register.
        register: usize,
        /// What it is blended over.
        grey: u8,
        /// Red, green and blue of the picture.
        colour: [u8; 3],
        /// Of each channel.
        tolerance: u8,
    },
    /// Each component in the mask is one of the words.
    Words {
        /// Output register.
        register: usize,
        /// Bit 3 is x, bit 0 is w.
        mask: u8,
        /// By component.
        words: [Words; 4],
    },
    /// Each component in the mask of a constant, as the program has left it, is one of the words.
    Constant {
        /// Row of XFCTX.
        row: usize,
        /// Bit 3 is x, bit 0 is w.
        mask: u8,
        /// By component.
        words: [Words; 4],
    },
}

/// What the console made of one vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Where it stands in the file.
    pub line: usize,
    /// Constants: the argument of [`bank`](super::programs::Programs::bank).
    pub bank: usize,
    /// Inputs: the argument of [`vertex`](super::programs::Programs::vertex).
    pub vertex: usize,
    /// All must hold.
    pub claims: Vec<Claim>,
}

/// The first words of the lines that are read here.
pub const KEYWORDS: [&str; 4] = ["bytes", "over", "words", "xfctx"];

/// Reads a line that begins with `keyword`; `rest` are its other words, the first two a bank and a vertex that exist.
pub(super) fn picture(
    line: &Line<'_>,
    keyword: &str,
    rest: &[Word<'_>],
    [bank, vertex]: [usize; 2],
) -> Result<Picture, Flaw> {
    let rest = &rest[2..];
    let claims = match keyword {
        "bytes" => rest.iter().map(bytes).collect::<Result<_, _>>()?,
        "over" => rest.iter().map(over).collect::<Result<_, _>>()?,
        "words" => rest.iter().map(words).collect::<Result<_, _>>()?,
        _ => vec![constant(line, rest)?],
    };
    if claims.is_empty() {
        return Err(Flaw::line(line, "says nothing about any register: is the file cut short?"));
    }
    Ok(Picture { line: line.number, bank, vertex, claims })
}

/// `o5:8:3e40:0001:0001:0001`
fn bytes(word: &Word<'_>) -> Result<Claim, Flaw> {
    let form = || form(word, "oREGISTER:MASK:LLHH:LLHH:LLHH:LLHH");
    let parts: Vec<&str> = word.text.split(':').collect();
    let [register, mask, ref ranges @ ..] = parts[..] else { return Err(form()) };
    let range = |text: &str| {
        let both = hex(text, 4)?;
        Some((both >> 8) as u8..=both as u8)
    };
    let ranges = four(ranges, range).ok_or_else(form)?;
    let (register, mask) = place(register, mask).ok_or_else(form)?;
    Ok(Claim::Bytes { register, mask, ranges })
}

/// `o3:20:00545499:01`
fn over(word: &Word<'_>) -> Result<Claim, Flaw> {
    let form = || form(word, "oREGISTER:GREY:COLOUR:TOLERANCE");
    let parts: Vec<&str> = word.text.split(':').collect();
    let [register, grey, colour, tolerance] = parts[..] else { return Err(form()) };
    let read = || {
        let [red, green, blue, _] = hex(colour, 8)?.to_le_bytes();
        Some(Claim::Over {
            register: output(register)?,
            grey: hex(grey, 2)? as u8,
            colour: [red, green, blue],
            tolerance: hex(tolerance, 2)? as u8,
        })
    };
    read().ok_or_else(form)
}

/// `o0:c:441fe000-7f800000:43efe000-7f800000:0:0`
fn words(word: &Word<'_>) -> Result<Claim, Flaw> {
    let form = || form(word, "oREGISTER:MASK:WORDS:WORDS:WORDS:WORDS");
    let parts: Vec<&str> = word.text.split(':').collect();
    let [register, mask, ref components @ ..] = parts[..] else { return Err(form()) };
    let (register, mask) = place(register, mask).ok_or_else(form)?;
    let words = masked(mask, components).ok_or_else(form)?;
    Ok(Claim::Words { register, mask, words })
}

/// `xfctx BANK VERTEX bc f WORDS WORDS WORDS WORDS`, from the row on.
fn constant(line: &Line<'_>, rest: &[Word<'_>]) -> Result<Claim, Flaw> {
    let [row, mask, components @ ..] = rest else {
        return Err(Flaw::line(line, "needs a row, a mask and four words: is the file cut short?"));
    };
    let texts: Vec<&str> = components.iter().map(|word| word.text).collect();
    let read = || {
        let mask = digit(mask.text)?;
        Some(Claim::Constant { row: hex(row.text, 2)? as usize, mask, words: masked(mask, &texts)? })
    };
    read().ok_or_else(|| form(row, "ROW MASK WORDS WORDS WORDS WORDS"))
}

fn form(word: &Word<'_>, form: &str) -> Flaw {
    Flaw::word(word, format!("`{}` is not a register that a picture shows", clip(word.text))).help(format!(
        "expected {form}, all but the register hexadecimal, WORDS like 3f000000-3f800000|bf800000"
    ))
}

/// By component; those outside the mask may be anything, and say nothing.
fn masked(mask: u8, components: &[&str]) -> Option<[Words; 4]> {
    let all = four(components, |text| Some(text.to_owned()))?;
    let mut words: [Words; 4] = Default::default();
    for (c, text) in all.iter().enumerate().filter(|(c, _)| mask >> (3 - c) & 1 != 0) {
        words[c] = ranges(text)?;
    }
    Some(words)
}

/// `LO-HI|LO-HI|W`
fn ranges(text: &str) -> Option<Words> {
    text.split('|')
        .map(|range| {
            let (low, high) = range.split_once('-').unwrap_or((range, range));
            Some(hex(low, 8)?..=hex(high, 8)?)
        })
        .collect()
}

fn place(register: &str, mask: &str) -> Option<(usize, u8)> {
    Some((output(register)?, digit(mask)?))
}

fn output(register: &str) -> Option<usize> {
    register.strip_prefix('o')?.parse().ok().filter(|&number| number < 16)
}

fn digit(text: &str) -> Option<u8> {
    hex(text, 1).map(|mask| mask as u8)
}

/// A number of exactly so many hexadecimal digits.
fn hex(text: &str, digits: usize) -> Option<u32> {
    let all = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(text, 16).ok().filter(|_| all)
}

fn four<T>(texts: &[&str], read: impl Fn(&str) -> Option<T>) -> Option<[T; 4]> {
    let &[x, y, z, w] = texts else { return None };
    Some([read(x)?, read(y)?, read(z)?, read(w)?])
}

/// The byte that a colour's component is written to a picture as: rounded, a number with its sign set is 0, and all from
/// 1.0 on is 255, NaN too.
pub fn as_byte(word: u32) -> u8 {
    let value = f64::from(f32::from_bits(word));
    if word >> 31 != 0 {
        0
    } else if value < 1.0 {
        (255.0 * value + 0.5).floor() as u8
    } else {
        255
    }
}

impl Claim {
    /// Whether the words of the registers are what the picture shows: `read` gives an output register or, if the claim
    /// is about one, the constant.
    pub fn holds(&self, row: [u32; 4]) -> bool {
        let within = |words: &Words, word| words.iter().any(|range| range.contains(&word));
        let components = |mask: u8| (0..4).filter(move |c| mask >> (3 - c) & 1 != 0);
        match self {
            Claim::Bytes { mask, ranges, .. } => {
                components(*mask).all(|c| ranges[c].contains(&as_byte(row[c])))
            }
            Claim::Over { grey, colour, tolerance, .. } => {
                let [red, green, blue, alpha] = row.map(|word| f64::from(as_byte(word)));
                [red, green, blue].iter().zip(colour).all(|(channel, &seen)| {
                    let blended = (channel * alpha + f64::from(*grey) * (255.0 - alpha)) / 255.0;
                    (blended - f64::from(seen)).abs() <= f64::from(*tolerance)
                })
            }
            Claim::Words { mask, words, .. } | Claim::Constant { mask, words, .. } => {
                components(*mask).all(|c| within(&words[c], row[c]))
            }
        }
    }
}
