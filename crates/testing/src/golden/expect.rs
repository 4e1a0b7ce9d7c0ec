//! What a line `out` says of a vertex: keys with words behind them.
//!
//! | keys | words |
//! |---|---|
//! | `pos` `txcN` `clipN` | the register, bit for bit; coordinates are s t q on Celsius, s t r q elsewhere; x and y of Kelvin's position may stand before they are squashed |
//! | `fog` `psize` | x of the register: Celsius's point size in bits 12 to 20, Rankine's a float |
//! | `fogd` | fog's distance in XF; on Kelvin LT has passed it on |
//! | `pslt` | Kelvin's point size as LT's number, in pixels: eighths leave, one more or less |
//! | `col0` `col1` `bfc0` `bfc1` `sum` | RGBA8, R low; `[MASK [TOL]]`; `sum` is both front colours, at most 255 |
//! | `near0` `near1` `nearb0` `nearb1` | the same colours, two more or less |
//! | `over_K` | `WORD MASK B[,B..] TOL`: colour K blended by its alpha over a grey B |
//! | `depth24` `depth16` `depthf16` | z as a depth buffer holds it |
//! | `x16` `y16` | LO HI: sixteenths of a pixel |
//! | `proj0` | S0 S1 T0 T1: s/q and t/q of unit 0, between floats |
//! | `psize8` | LO HI: the point size in eighths of a pixel |

use super::{clip, pattern};
use crate::chip::Outputs;
use crate::chip::{Family, Pipeline};
use std::ops::RangeInclusive;
use xfjit_runtime::num::convert;
use xfjit_runtime::state::Row;

/// Something that must hold of a vertex.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    key: String,
    registers: Vec<u8>,
    what: What,
}

/// Something that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// The key of the file, and the component.
    pub place: String,
    /// What is expected: the nearest value where there is a range.
    pub expected: u32,
    /// What has come out.
    pub got: u32,
}

#[derive(Clone, PartialEq, Debug)]
enum What {
    /// Components that are words.
    Words(Vec<(usize, u32)>),
    /// A component, shifted left, is a word.
    Shifted(u32, u32),
    /// An integer in x.
    Integer(RangeInclusive<u32>),
    /// Bytes, by a mask of the bits; with a tolerance of the bytes.
    Colour { word: u32, mask: u32, tolerance: u32 },
    /// Bytes blended over greys.
    Over { word: u32, mask: u32, greys: Vec<u32>, tolerance: u32 },
    /// z in a buffer.
    Depth(Buffer, u32),
    /// A component in sixteenths.
    Sixteenths(usize, i32, i32),
    /// s and t over q.
    Projected([f32; 4]),
}

/// A depth buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Buffer {
    /// Integers up to the largest.
    Integer(u32),
    /// Four bits of exponent, twelve of significand.
    Float16,
}

/// A word of the line, counted from 0, and what is wrong with it.
type Flaw = (usize, String);

/// Reads what stands behind `out`.
pub(super) fn parse(pipeline: Pipeline, words: &[&str]) -> Result<Vec<Expectation>, Flaw> {
    let mut expected = Vec::new();
    let mut at = 0;
    while let Some(&key) = words.get(at) {
        let unknown = || (at, format!("`{}` is not known here", clip(key)));
        let (shape, registers) = shape(pipeline, key).ok_or_else(unknown)?;
        let rest = &words[at + 1..];
        let count = rest.iter().position(|word| self::shape(pipeline, word).is_some()).unwrap_or(rest.len());
        let arguments = Arguments { key, at, words: &rest[..count] };
        expected.push(Expectation {
            key: key.to_owned(),
            registers,
            what: shape.read(pipeline, &arguments)?,
        });
        at += 1 + count;
    }
    if expected.is_empty() {
        return Err((0, "needs something that is expected: is the file cut short?".to_owned()));
    }
    Ok(expected)
}

/// How the words behind a key are read.
#[derive(Clone, Copy)]
enum Shape {
    Words(&'static [usize]),
    PointSize,
    PointSizeLt,
    FogDistance,
    ShortColour,
    Colour,
    Near,
    Over,
    Depth(Buffer),
    Sixteenths(usize),
    Projected,
    Eighths,
}

/// The shape of a key, and the registers that it is about.
fn shape(pipeline: Pipeline, key: &str) -> Option<(Shape, Vec<u8>)> {
    let family = pipeline.family();
    let outputs = Outputs::of(pipeline);
    let number = |prefix: &str, count: u8| {
        let digits = key.strip_prefix(prefix).filter(|digits| digits.len() == 1)?;
        digits.parse().ok().filter(|&number: &u8| number < count)
    };
    if let Some(unit) = number("txc", pipeline.units() as u8) {
        let components: &[usize] = if family == Family::Celsius { &[0, 1, 3] } else { &[0, 1, 2, 3] };
        return Some((Shape::Words(components), vec![outputs.texture + unit]));
    }
    if let Some(plane) = number("clip", if matches!(family, Family::Rankine | Family::Curie) { 6 } else { 0 })
    {
        return Some((Shape::Words(&[0]), vec![outputs.clip + plane]));
    }
    let x: &[usize] = &[0];
    Some(match (key, family) {
        ("pos", _) => (Shape::Words(&[0, 1, 2, 3]), vec![outputs.position]),
        ("fog", Family::Celsius) => (Shape::Words(x), vec![outputs.fog]),
        ("fogd", Family::Kelvin) => (Shape::FogDistance, vec![outputs.fog]),
        ("fogd", Family::Rankine | Family::Curie) => (Shape::Words(x), vec![outputs.fog]),
        ("psize", Family::Celsius) => (Shape::PointSize, vec![outputs.point_size]),
        ("psize", Family::Rankine | Family::Curie) => (Shape::Words(x), vec![outputs.point_size]),
        ("pslt", Family::Kelvin) => (Shape::PointSizeLt, vec![outputs.point_size]),
        ("psize8", _) => (Shape::Eighths, vec![outputs.point_size]),
        ("col1", Family::Celsius) => (Shape::ShortColour, vec![outputs.front[1]]),
        ("depth24", _) => (Shape::Depth(Buffer::Integer(0xff_ffff)), vec![outputs.position]),
        ("depth16", _) => (Shape::Depth(Buffer::Integer(0xffff)), vec![outputs.position]),
        ("depthf16", _) => (Shape::Depth(Buffer::Float16), vec![outputs.position]),
        ("x16", _) => (Shape::Sixteenths(0), vec![outputs.position]),
        ("y16", _) => (Shape::Sixteenths(1), vec![outputs.position]),
        ("proj0", _) => (Shape::Projected, vec![outputs.texture]),
        _ => {
            if let Some(near) = key.strip_prefix("near") {
                let colour = match near.strip_prefix('b') {
                    Some(back) => format!("bfc{back}"),
                    None => format!("col{near}"),
                };
                return Some((Shape::Near, colours(&outputs, &colour)?));
            }
            match key.strip_prefix("over_") {
                Some(colour) => (Shape::Over, colours(&outputs, colour)?),
                None => (Shape::Colour, colours(&outputs, key)?),
            }
        }
    })
}

/// The registers that a colour is the sum of.
fn colours(outputs: &Outputs, key: &str) -> Option<Vec<u8>> {
    match key {
        "col0" => Some(vec![outputs.front[0]]),
        "col1" => Some(vec![outputs.front[1]]),
        "bfc0" => Some(vec![outputs.back[0]]),
        "bfc1" => Some(vec![outputs.back[1]]),
        "sum" => Some(outputs.front.to_vec()),
        _ => None,
    }
}

struct Arguments<'a> {
    key: &'a str,
    at: usize,
    words: &'a [&'a str],
}

impl Arguments<'_> {
    fn count(&self, counts: RangeInclusive<usize>) -> Result<(), Flaw> {
        if counts.contains(&self.words.len()) {
            return Ok(());
        }
        let (key, least) = (clip(self.key), counts.start());
        Err((self.at, format!("`{key}` needs {least} words: is the file cut short?")))
    }

    /// Words of eight digits.
    fn words<const N: usize>(&self) -> Result<[u32; N], Flaw> {
        self.count(N..=N)?;
        let mut values = [0; N];
        for (index, value) in values.iter_mut().enumerate() {
            *value = self.word(index)?;
        }
        Ok(values)
    }

    fn word(&self, index: usize) -> Result<u32, Flaw> {
        let word = self.words[index];
        pattern(word).ok_or_else(|| {
            (self.at + 1 + index, format!("`{}` is not a word of eight hexadecimal digits", clip(word)))
        })
    }

    /// A hexadecimal number of any length.
    fn number(&self, index: usize) -> Result<u32, Flaw> {
        self.part(index, self.words[index])
    }

    fn part(&self, index: usize, part: &str) -> Result<u32, Flaw> {
        let digits = part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = if digits { u32::from_str_radix(part, 16).ok() } else { None };
        value.ok_or_else(|| (self.at + 1 + index, format!("`{}` is not a hexadecimal number", clip(part))))
    }
}

impl Shape {
    fn read(self, pipeline: Pipeline, arguments: &Arguments<'_>) -> Result<What, Flaw> {
        Ok(match self {
            Shape::Words(components) => {
                arguments.count(components.len()..=components.len())?;
                let squashed = |component| {
                    arguments.key == "pos" && pipeline.family() == Family::Kelvin && component < 2
                };
                let word = |(index, &component)| {
                    let word = arguments.word(index)?;
                    Ok((component, if squashed(component) { convert::squash(word) } else { word }))
                };
                What::Words(components.iter().enumerate().map(word).collect::<Result<_, Flaw>>()?)
            }
            Shape::PointSize => What::Shifted(12, arguments.words::<1>()?[0]),
            Shape::PointSizeLt => {
                let [size] = arguments.words()?;
                // A NaN is the greatest (UNKNOWN).
                let size = 511f32.min(8.0 * f32::from_bits(size)).max(0.0) as u32;
                What::Integer(size.saturating_sub(1)..=size + 1)
            }
            Shape::FogDistance => {
                let [distance] = arguments.words()?;
                What::Words(vec![(0, passed_by_lt(distance))])
            }
            Shape::ShortColour => {
                arguments.count(1..=1)?;
                if arguments.words[0].len() != 6 {
                    let word = clip(arguments.words[0]);
                    let message = format!("`{word}` is not a colour of six hexadecimal digits");
                    return Err((arguments.at + 1, message));
                }
                What::Colour { word: arguments.number(0)?, mask: 0xff_ffff, tolerance: 0 }
            }
            Shape::Colour => {
                arguments.count(1..=3)?;
                let count = arguments.words.len();
                let mask = if count > 1 { arguments.word(1)? } else { u32::MAX };
                let tolerance = if count > 2 { arguments.number(2)? } else { 0 };
                What::Colour { word: arguments.word(0)?, mask, tolerance }
            }
            Shape::Near => What::Colour { word: arguments.words::<1>()?[0], mask: u32::MAX, tolerance: 2 },
            Shape::Over => {
                arguments.count(4..=4)?;
                let greys = arguments.words[2].split(',').map(|grey| arguments.part(2, grey));
                What::Over {
                    word: arguments.word(0)?,
                    mask: arguments.word(1)?,
                    greys: greys.collect::<Result<_, Flaw>>()?,
                    tolerance: arguments.number(3)?,
                }
            }
            Shape::Depth(buffer) => {
                arguments.count(1..=1)?;
                What::Depth(buffer, arguments.number(0)?)
            }
            Shape::Sixteenths(component) => {
                let [low, high] = arguments.words::<2>()?.map(u32::cast_signed);
                What::Sixteenths(component, low, high)
            }
            Shape::Projected => What::Projected(arguments.words::<4>()?.map(f32::from_bits)),
            Shape::Eighths if pipeline.family() == Family::Kelvin => {
                arguments.count(2..=2)?;
                What::Integer(arguments.number(0)?..=arguments.number(1)?)
            }
            Shape::Eighths => return Err((arguments.at, "`psize8` is of Kelvin".to_owned())),
        })
    }
}

/// What leaves Kelvin of a fog distance, where the row 0x49 holds (0, 1, 0): rounded to LT, a denormal is +0, a NaN LT's
/// own, an infinity positive.
fn passed_by_lt(distance: u32) -> u32 {
    let magnitude = distance & 0x7fff_ffff;
    convert::fog(match magnitude {
        ..0x0080_0000 => 0,
        0x7f80_0000 => 0x7f80_0000,
        0x7f80_0001.. => 0x7fff_fc00,
        _ => convert::xf_to_lt(distance),
    })
}

impl Expectation {
    /// The registers that it looks at, as a mask.
    pub fn registers(&self) -> u32 {
        self.registers.iter().fold(0, |mask, register| mask | 1 << register)
    }

    /// What does not hold of a vertex, given its registers.
    pub(super) fn wrong(&self, got: &impl Fn(u8) -> Option<Row>) -> Option<Wrong> {
        let wrong = |expected, got| Some(Wrong { place: self.key.clone(), expected, got });
        let rows: Option<Vec<Row>> = self.registers.iter().map(|&register| got(register)).collect();
        let Some(rows) = rows else {
            // The mode does not put it out.
            return wrong(0, 0);
        };
        let row = rows[0];
        match &self.what {
            What::Words(words) => words.iter().find(|&&(c, word)| row[c] != word).map(|&(c, word)| {
                let place = format!("{}.{}", self.key, ["x", "y", "z", "w"][c]);
                Wrong { place, expected: word, got: row[c] }
            }),
            What::Shifted(shift, word) if row[0] << shift == *word => None,
            What::Shifted(shift, word) => wrong(*word, row[0] << shift),
            What::Integer(range) if range.contains(&row[0]) => None,
            What::Integer(range) => wrong(nearest(range, row[0]), row[0]),
            What::Colour { word, mask, tolerance } => {
                let got = packed(&rows);
                let off = match tolerance {
                    0 => (got ^ word) & mask != 0,
                    tolerance => bytes(*mask)
                        .zip(bytes(got).zip(bytes(*word)))
                        .any(|(mask, (got, word))| mask != 0 && got.abs_diff(word) > *tolerance),
                };
                if off { wrong(*word, got) } else { None }
            }
            What::Over { word, mask, greys, tolerance } => {
                let got = packed(&rows);
                let alpha = got >> 24;
                let fits = |grey: &u32| {
                    bytes(*mask).zip(bytes(got).zip(bytes(*word))).all(|(mask, (got, word))| {
                        let blended = got * alpha + grey.min(&255) * (255 - alpha);
                        mask == 0 || blended.abs_diff(255 * word) <= 255 * tolerance.min(&255)
                    })
                };
                if greys.iter().any(fits) { None } else { wrong(*word, got) }
            }
            What::Depth(buffer, depth) => {
                let got = buffer.store(row[2]);
                if got == *depth { None } else { wrong(*depth, got) }
            }
            What::Sixteenths(component, low, high) => {
                let sixteenths = 16.0 * f64::from(f32::from_bits(row[*component]));
                let fits = f64::from(*low) <= sixteenths && sixteenths <= f64::from(*high);
                let low = (*low as f32 / 16.0).to_bits();
                if fits { None } else { wrong(low, row[*component]) }
            }
            What::Projected([s0, s1, t0, t1]) => {
                let [s, t, _, q] = row.map(|word| f64::from(f32::from_bits(word)));
                // 0 / 0 is drawn as the greatest number, as every NaN that the chip makes.
                let quotient = |x: f64| if (x / q).is_nan() { f64::INFINITY } else { x / q };
                let fits = |low: &f32, x: f64, high: &f32| f64::from(*low) <= x && x <= f64::from(*high);
                let (s, t) = (quotient(s), quotient(t));
                match (fits(s0, s, s1), fits(t0, t, t1)) {
                    (true, true) => None,
                    (false, _) => wrong(s0.to_bits(), (s as f32).to_bits()),
                    (true, false) => wrong(t0.to_bits(), (t as f32).to_bits()),
                }
            }
        }
    }
}

impl Buffer {
    /// z as the buffer holds it.
    fn store(self, z: u32) -> u32 {
        match self {
            Buffer::Integer(most) => (f32::from_bits(z).max(0.0) as u32).min(most),
            Buffer::Float16 if z >> 31 != 0 => 0,
            Buffer::Float16 => (z >> 11).saturating_sub(0x78000).min(0xffff),
        }
    }
}

fn nearest(range: &RangeInclusive<u32>, value: u32) -> u32 {
    value.max(*range.start()).min(*range.end())
}

fn bytes(word: u32) -> impl Iterator<Item = u32> {
    word.to_le_bytes().into_iter().map(u32::from)
}

/// RGBA8 of a register of integers; of several, their sum up to 255.
fn packed(rows: &[Row]) -> u32 {
    (0..4).rev().fold(0, |word, c| {
        let sum = rows.iter().fold(0, |sum: u32, row| sum.saturating_add(row[c]));
        word << 8 | sum.min(255)
    })
}

#[cfg(test)]
mod tests;
